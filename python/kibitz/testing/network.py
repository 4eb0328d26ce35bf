"""A network that fails, between our game manager and our player: what is left of the matches then.

`python -m kibitz.testing.network` plays matches over real sockets while one message of twenty is delayed,
cut off, lost with its answer, or turned into garbage, and says how many were lost; `--at-once 20 --play 1
--faults 0` is a full house instead. Both ends are ours, each in a process of its own.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import logging
import multiprocessing
import random
import time
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from multiprocessing.connection import Connection
from typing import Final

import kibitz as kb

FAULTS: Final = ("delay", "dropped", "lost answer", "half a message", "garbage", "garbled answer")
GAMES: Final = (
    "tic-tac-toe.kif",
    "connect-four.kif",
    "bidding-tic-tac-toe.kif",
    "monty-hall.kif",
    "number-guessing.kif",
    "kriegspiel-tic-tac-toe.kif",
    "real-time-chicken.kif",
    "real-time-race.kif",
    "real-time-whack-a-mole.kif",
)
"""Turns, simultaneous moves, chance, what is hidden, and time: GDL, GDL-II, rtGDL and rtGDL-II."""
WAIT: Final = 0.1
"""Seconds that a delayed message waits for at most."""


class Proxy:
    """Stands between a manager and a player, and lets one message of some fail.

    >>> from kibitz.testing.network import Proxy
    >>> Proxy(9147, share=0).done.total()
    0
    """

    def __init__(self, port: int, share: float = 0.05, seed: int = 0) -> None:
        self.port, self.share, self._random = port, share, random.Random(seed)
        self.done: Counter[str] = Counter()
        """How often each thing was done to a message."""

    async def carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Carries one message there, and its answer back."""
        with contextlib.closing(writer), contextlib.suppress(OSError, asyncio.IncompleteReadError):
            fault = self._random.choice(FAULTS) if self._random.random() < self.share else "carried"
            self.done[fault] += 1
            message = await _message(reader)
            if fault == "dropped":
                return
            if fault == "delay":
                await asyncio.sleep(WAIT * self._random.random())
            there, away = await asyncio.open_connection("127.0.0.1", self.port)
            with contextlib.closing(away):
                if fault == "garbage":
                    away.write(self._random.randbytes(self._random.randrange(1, 200)) + b"\r\n\r\n")
                    away.write_eof()
                elif fault == "half a message":
                    away.write(message[: self._random.randrange(1, len(message))])
                    await away.drain()
                    return
                else:
                    away.write(message)
                answer = await there.read(1 << 20) if fault == "garbage" else await _message(there)
                if fault == "lost answer":
                    return
                if fault == "garbled answer":
                    head, _, body = answer.partition(b"\r\n\r\n")
                    answer = head + b"\r\n\r\n" + b"(" * len(body)
                writer.write(answer)
                await writer.drain()

    @contextlib.asynccontextmanager
    async def open(self) -> AsyncIterator[int]:
        """Listens, as long as the context lasts, on the port that is given."""
        server = await asyncio.start_server(self.carry, "127.0.0.1", 0)
        async with server:
            yield server.sockets[0].getsockname()[1]


async def _message(reader: asyncio.StreamReader) -> bytes:
    """A message of HTTP with the length of its content."""
    head = await reader.readuntil(b"\r\n\r\n")
    lines = head.lower().split(b"\r\n")
    sizes = [line.partition(b":")[2] for line in lines if line.startswith(b"content-length:")]
    return head + await reader.readexactly(int(sizes[0])) if sizes else head


async def matches(
    port: int,
    games: Sequence[str],
    count: int,
    *,
    at_once: int,
    play: float,
    faults: float,
    seed: int,
    unit: float = 0.1,
) -> tuple[int, int, Counter[str], int]:
    """Matches of a player with itself: how many were lost, answers that were late or illegal, what was done
    to messages, and how many there were.

    A match is lost that does not come to its end, or in which an answer was late or illegal. In real
    time, where a unit of the game's time takes so many seconds, a move that comes too late is none of
    that: it is part of the game.
    """
    from kibitz.ggp.manager import Setting
    from kibitz.ggp.manager import play as manage

    loaded = {name: kb.load(name) for name in games}
    room, proxy = asyncio.Semaphore(at_once), Proxy(port, faults, seed)
    lost = forfeits = 0

    async def one(number: int, through: int) -> None:
        nonlocal lost, forfeits
        game = loaded[games[number % len(games)]]
        url = f"http://127.0.0.1:{through if faults else port}"
        clock = play if game.tick is None else unit
        setting = Setting(f"trial.{number}", 30.0, clock, seed, number, percepts_only=number % 2 == 1)
        async with room:
            try:
                record = (await manage(game, [url] * game.info.players, setting)).record
            except Exception as error:
                print(f"{setting.match}: {type(error).__name__}: {error}")
                lost += 1
                return
        forfeits += record.forfeits
        if record.forfeits or not record.completed:
            lost += 1
            wrong = [error for turn in record.errors for error in turn if error]
            print(f"{setting.match}, {game.spec}: {'; '.join(wrong) or 'left before its end'}")

    async with proxy.open() as through, asyncio.TaskGroup() as group:
        for number in range(count):
            group.create_task(one(number, through))
    return lost, forfeits, proxy.done, proxy.done.total()


def _serve(planner: str, sender: Connection, quiet: bool) -> None:
    """A player in a process of its own, until it is told to end."""
    from kibitz.ggp.player import Player
    from kibitz.ggp.server import serving

    async def serve() -> None:
        player = Player(planner, matches=256)
        async with serving(player, silence=2.0) as (_, port):
            sender.send(port)
            await asyncio.to_thread(sender.recv)

    if quiet:
        logging.getLogger("kibitz.ggp").setLevel(logging.CRITICAL)
        logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)
    asyncio.run(serve())


def main(argv: Sequence[str] | None = None) -> int:
    """The trial as a command; 1 if a match was lost."""
    summary = (__doc__ or "").partition("\n")[0]
    parser = argparse.ArgumentParser(prog="python -m kibitz.testing.network", description=summary)
    parser.add_argument("--matches", type=int, default=200)
    parser.add_argument("--at-once", type=int, default=4)
    parser.add_argument("--play", type=float, default=1.0, help="the play clock in seconds")
    parser.add_argument("--unit", type=float, default=0.1, help="seconds of a unit of time in real time")
    parser.add_argument("--faults", type=float, default=0.05, help="the share of messages that fail")
    parser.add_argument("--planner", default="pomcp(simulations=200)")
    parser.add_argument("--games", nargs="+", default=list(GAMES))
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--log", action="store_true", help="show the player's and the manager's log")
    options = parser.parse_args(argv)
    if not options.log:
        logging.getLogger("kibitz.ggp").setLevel(logging.CRITICAL)
    ours, theirs = multiprocessing.get_context("spawn").Pipe()
    process = multiprocessing.get_context("spawn").Process(
        target=_serve, args=(options.planner, theirs, not options.log)
    )
    process.start()
    port, begin = ours.recv(), time.monotonic()
    try:
        lost, forfeits, done, sent = asyncio.run(
            matches(
                port,
                options.games,
                options.matches,
                at_once=options.at_once,
                play=options.play,
                unit=options.unit,
                faults=options.faults,
                seed=options.seed,
            )
        )
    finally:
        ours.send(None)
        process.join(5)
        process.terminate()
    seconds = time.monotonic() - begin
    failed = ", ".join(f"{done[fault]} {fault}" for fault in FAULTS if done[fault]) or "none"
    print(f"{options.matches} matches, {options.at_once} at once, {seconds:.0f} s: {lost} lost")
    print(f"{sent} messages, of which failed: {failed}; {forfeits} answers late or illegal")
    return 1 if lost else 0


if __name__ == "__main__":
    raise SystemExit(main())
