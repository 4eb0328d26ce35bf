"""A player: all the matches that it plays at once, and what it answers to each message.

What comes twice is answered as it was the first time, what is for no match of its own with BUSY, and what
is no message at all is refused in a sentence. Each thing out of the ordinary is one line in the log.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import OrderedDict
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TypeVar

from kibitz._core import episode_seed
from kibitz.ggp import messages
from kibitz.ggp.clocks import Margin, Processors
from kibitz.ggp.live import Live
from kibitz.ggp.messages import Abort, Info, Preview, Start, Told, brief
from kibitz.ggp.seat import Chosen, Seat

log = logging.getLogger("kibitz.ggp")

T = TypeVar("T")

FORGOTTEN = 600.0
"""Seconds after which a match is given up of which nothing is heard; longer where its clocks are longer."""
LARGE = 50_000
"""Characters of a message that is read beside everything else, so that nobody waits for it."""
SHORTEST = 0.1
"""Seconds of a play clock that are taken seriously: a manager that gives less gets what it can get then."""


class Silent(Exception):  # noqa: N818 -- what it is
    """There is nothing legal to say, in a sentence."""


@dataclass
class _Match:
    seat: Seat
    text: str
    """Of START."""
    begun: asyncio.Future[None]
    heard: float
    """When something was last heard of it."""
    number: int = -1
    """Of the last turn, where turns have numbers."""
    last: str = ""
    """The last PLAY, and its answer."""
    answer: asyncio.Future[str] | None = None
    work: asyncio.Future[str] | None = None
    """What its thread is at."""
    live: Live | None = None
    """Where time goes by."""
    over: bool = field(default=False)


class Player:
    """Speaks the protocol, for any number of matches; `planner` is a spec, or says one for a game.

    >>> import asyncio
    >>> from kibitz.ggp.player import Player
    >>> asyncio.run(Player("random").answer("(Info)"))
    '( (name kibitz) (status available) )'
    """

    def __init__(
        self,
        planner: str | Chosen,
        *,
        name: str = "kibitz",
        matches: int = 64,
        seed: int = 0,
        limits: Mapping[str, float] | None = None,
    ) -> None:
        self._planner, self._name, self._most, self._seed = planner, name, matches, seed
        self._limits = limits
        self._matches: dict[str, _Match] = {}
        self._finished: OrderedDict[str, None] = OrderedDict()
        self._count = 0
        self._pool = ThreadPoolExecutor(max_workers=matches + 4, thread_name_prefix="match")
        self.margin, self._processors = Margin(), Processors()

    @property
    def playing(self) -> int:
        """How many matches there are now."""
        return len(self._matches)

    def close(self) -> None:
        """Begins nothing any more."""
        self._pool.shutdown(wait=False, cancel_futures=True)

    async def answer(self, text: str, turn: int | None = None) -> str:
        """What to answer to a message; `turn` where its sender numbers the turns.

        Malformed for what is no message; Silent where nothing legal can be said.
        """
        arrived = time.monotonic()
        read = messages.read
        message = read(text) if len(text) < LARGE else await asyncio.to_thread(read, text)
        match message:
            case Info():
                status = "available" if self.playing < self._most else "busy"
                return f"( (name {self._name}) (status {status}) )"
            case Preview():
                return messages.READY
            case Start():
                return await self._start(message, text, arrived)
            case Abort():
                return self._stopped(message.match, "was broken off")
            case Told(last=True):
                return await self._stop(message)
            case Told():
                return await self._play(
                    message, text, turn if message.turn is None else message.turn, arrived
                )

    # START

    async def _start(self, start: Start, text: str, arrived: float) -> str:
        if known := self._matches.get(start.match):
            if known.text != text:
                log.warning("%s: START for a match that runs, and another one; not begun", start.match)
                return messages.BUSY
            log.info("%s: START once more", start.match)
            return await self._ready(known, arrived)
        self._forget(arrived)
        if self.playing >= self._most:
            log.warning("%s: not begun, %d matches are being played", start.match, self.playing)
            return messages.BUSY
        self._count += 1
        seed = episode_seed(self._seed, self._count, "network")
        seat = Seat(start, self._planner, seed=seed, limits=self._limits, processors=self._processors)
        begun = asyncio.get_running_loop().run_in_executor(self._pool, seat.begin)
        match = self._matches[start.match] = _Match(seat, text, begun, arrived)
        return await self._ready(match, arrived)

    async def _ready(self, match: _Match, arrived: float) -> str:
        start = match.seat.start
        end = arrived + self.margin.thinking(max(SHORTEST, start.start_clock))
        try:
            await _within(match.begun, end)
        except TimeoutError:
            log.warning("%s: the start clock is over, and the rules are still being read", start.match)
        except Exception as error:
            self._matches.pop(start.match, None)
            log.warning("%s: not begun: %s", start.match, _one_line(error))
            return messages.NIL
        else:
            log.info("%s: begun as %s", start.match, start.role)
        return messages.READY

    # PLAY

    async def _play(self, told: Told, text: str, number: int | None, arrived: float) -> str:
        match = self._matches.get(told.match)
        if match is None:
            log.warning("%s: PLAY for a match that is not played here", brief(told.match))
            return messages.BUSY
        match.heard = arrived
        if told.time is not None:
            return await self._live(match, told, text, number, arrived)
        if match.answer is not None and self._came_before(match, told, text, number):
            log.info("%s: PLAY once more", told.match)
            return await asyncio.shield(match.answer)
        if number is not None:
            if number < match.number:
                log.warning(
                    "%s: PLAY of turn %d after turn %d; passed over", told.match, number, match.number
                )
                raise Silent("that turn is over")
            match.number = number
        match.last = text
        match.answer = asyncio.ensure_future(self._answer(match, told, arrived))
        # Whoever asked may go away; who asks again gets the answer.
        return await asyncio.shield(match.answer)

    async def _live(self, match: _Match, told: Told, text: str, number: int | None, arrived: float) -> str:
        """In real time: an answer is a move, whenever it comes."""
        try:
            await _within(match.begun, arrived + match.seat.start.start_clock)
        except Exception as error:
            log.warning("%s: PLAY is not answered: %s", told.match, _one_line(error))
            raise Silent("the rules could not be played") from error
        if not match.seat.told.real_time:
            raise Silent("a time was told, and in these rules there is none")
        if match.live is None:
            match.live = Live(match.seat, self._pool)
        return await match.live.play(told, text, number, arrived)

    def _came_before(self, match: _Match, told: Told, text: str, number: int | None) -> bool:
        if number is not None:
            return number == match.number
        if text != match.last:
            return False
        return match.answer is not None and (not match.answer.done() or not match.seat.fits(told))

    async def _answer(self, match: _Match, told: Told, arrived: float) -> str:
        seat = match.seat
        clock = max(SHORTEST, seat.start.play_clock)
        end = arrived + self.margin.thinking(clock)
        last = arrived + clock - self.margin.kept(clock) / 2
        try:
            await _within(match.begun, last)
            if match.work is not None:
                # It was late, and is still at it.
                await asyncio.wait([match.work], timeout=max(0.0, last - time.monotonic()))
                if not match.work.done():
                    raise TimeoutError
            loop = asyncio.get_running_loop()
            left = max(0.0, end - time.monotonic())
            seat.choices = []
            match.work = loop.run_in_executor(self._pool, seat.turn, told, left)
            move = await _within(match.work, last)
        except TimeoutError:
            # What it has found by now.
            if not seat.choices:
                log.warning("%s: there is no time left, and nothing legal is known", told.match)
                raise Silent("there is no time left") from None
            move = seat.any()
            log.warning("%s: there is no time left: any legal move", told.match)
        except Exception as error:
            log.warning("%s: PLAY is not answered: %s", told.match, _one_line(error))
            raise Silent("the rules could not be played") from error
        if seat.late:
            seat.late = False
            self.margin.missed()
            log.warning("%s: the last answer was not played; more time is kept now", told.match)
        seat.answered = move
        self.margin.answered(time.monotonic() - end)
        return move

    # STOP and ABORT

    async def _stop(self, told: Told) -> str:
        match = self._matches.get(told.match)
        if match is None or match.over:
            return self._stopped(told.match, "")
        match.over = True
        if match.live is not None:
            match.live.end()
        elif (
            match.begun.done() and not match.begun.exception() and (match.work is None or match.work.done())
        ):
            soon = time.monotonic() + 0.5
            work = asyncio.get_running_loop().run_in_executor(self._pool, match.seat.hear, told, soon)
            await asyncio.wait([work], timeout=1.0)
        return self._stopped(told.match, f"is over after {match.seat.turns} turns")

    def _stopped(self, name: str, how: str) -> str:
        if (match := self._matches.pop(name, None)) is not None:
            if match.live is not None:
                match.live.end()
            log.info("%s: %s", name, how)
            self._finished[name] = None
            while len(self._finished) > 1000:
                self._finished.popitem(last=False)
        elif name not in self._finished:
            log.warning("%s: the end of a match that is not played here", brief(name))
            return messages.BUSY
        return messages.DONE

    def _forget(self, now: float) -> None:
        """Gives up matches of which nothing was heard for long."""
        for name, match in list(self._matches.items()):
            clocks = match.seat.start.start_clock + 10 * match.seat.start.play_clock
            if now - match.heard > FORGOTTEN + clocks:
                self._stopped(name, "is given up: nothing was heard of it for long")


async def _within(future: asyncio.Future[T], end: float) -> T:
    """What comes of something that goes on whatever happens here; TimeoutError at that time."""
    done, _ = await asyncio.wait([future], timeout=max(0.0, end - time.monotonic()))
    if not done:
        raise TimeoutError
    return future.result()


def _one_line(error: Exception) -> str:
    return brief(" ".join(str(error).split()), messages.LONGEST)
