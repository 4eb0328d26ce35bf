"""Every call along one seeded game, written down to be kept and compared.

    python -m kibitz.testing.playthrough kuhn-poker          prints one
    python -m kibitz.testing.playthrough --write DIRECTORY   writes those of all games

When a change of the rules is meant, the second command brings the kept ones up to date, and the
difference shows what the change has done.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from kibitz import _core, _files
from kibitz._core import Game, State
from kibitz.games import load
from kibitz.lang import shipped_rules
from kibitz.rules import AnyGame

STEPS = 30
"""Longer games are left after so many steps; of a deal that takes longer, the steps are not counted."""
LISTED = 12
"""Of long lists so many entries are written."""


def playthrough(game: AnyGame, *, seed: int = 0, steps: int = STEPS) -> str:
    """All that a game says along one random game.

    >>> from kibitz.testing.playthrough import playthrough
    >>> print("\\n".join(playthrough("kuhn-poker").splitlines()[:3]))
    game: kuhn-poker
    players: 2 (player 1, player 2)
    returns: -2 to 2, zero sum
    """
    return "\n".join(_lines(load(game), seed, steps)) + "\n"


def _lines(game: Game, seed: int, steps: int) -> Iterator[str]:
    yield from _facts(game)
    state, number = game.initial(), 0
    returns = [0.0] * game.info.players
    last, dealing = steps, True
    while True:
        dealing = dealing and state.chance
        if dealing and number >= steps:
            last = number + 1 + steps  # the rest of a long deal is told in short
        else:
            yield f"\n# state {number}"
            yield from _state(state)
        if state.over or number == last:
            break
        joint = _choose(state, seed, number)
        after, rewards = state.step(joint)
        returns = [total + reward for total, reward in zip(returns, rewards, strict=True)]
        yield from _step(state, after, joint, rewards)
        state, number = after, number + 1
    yield f"\n# {'the end' if state.over else f'left after {last} steps'}"
    yield f"undiscounted returns: {_numbers(returns)}"


def _facts(game: Game) -> Iterator[str]:
    info = game.info
    names = ", ".join(game.player_name(player) for player in range(info.players))
    yield f"game: {game.spec}"
    yield f"players: {info.players} ({names})"
    yield f"returns: {info.min_return:g} to {info.max_return:g}{', zero sum' if info.zero_sum else ''}"
    yield f"spread: {info.spread:g}, discount: {info.discount:g}, horizon: {info.horizon}"
    yield f"perfect information: {info.perfect_information}"
    yield f"offers: {', '.join(name for name, there in info.capabilities.items() if there)}"


def _state(state: State) -> Iterator[str]:
    turn = "over" if state.over else "chance" if state.chance else f"movers {state.movers}"
    yield f"turn: {turn}"
    truth = state.text()
    yield from _block("text", truth)
    players = range(state.game.info.players)
    for player in players:
        if state.text(player) != truth:
            yield from _block(f"text for {player}", state.text(player))
    pictures = [state.svg(viewer) for viewer in (None, *players)]
    if pictures[0] is not None:
        yield f"svg: {', '.join(_digest(picture or '') for picture in pictures)}"
    if (number := state.hash()) is not None:
        yield f"hash: {number:016x}"
    if (values := state.evaluate()) is not None:
        yield f"evaluate: {_numbers(values)}"
    for mover in state.movers:
        legal = state.legal(mover)
        yield f"legal for {mover}: {_listed([f'{a} {state.action_name(mover, a)}' for a in legal])}"
    if state.chance and state.game.info.capabilities["explicit chance"]:
        outcomes = [f"{o} {state.action_name(None, o)} {p:.6g}" for o, p in state.outcomes()]
        yield f"outcomes: {_listed(outcomes)}"


def _step(state: State, after: State, joint: list[int], rewards: Sequence[float]) -> Iterator[str]:
    # Nobody moves where, in real time, something happens by itself.
    who: list[int | None] = [None] if state.chance else [*state.movers]
    for player, action in zip(who, joint, strict=True):
        name = state.action_name(player, action)
        yield f"> {'chance draws' if player is None else f'{player} plays'} {action} {name}"
    for player in range(state.game.info.players):
        key, words = after.observation(state, joint, player)
        yield f"told {player}: {f'{key} {words}' if key else 'nothing'}"
    if any(rewards):
        yield f"rewards: {_numbers(rewards)}"


def _choose(state: State, seed: int, number: int) -> list[int]:
    """Portable choices: the same on every machine and with every version of Python."""
    draw = _core.episode_seed(seed, number, "playthrough")
    if state.chance:
        return [state.draw(draw)]
    joint = []
    for mover in state.movers:
        legal = state.legal(mover)
        joint.append(legal[(draw >> 8 * mover) % len(legal)])
    return joint


def _block(title: str, text: str) -> Iterator[str]:
    yield f"{title}:"
    yield from (f"  | {line}".rstrip() for line in text.rstrip("\n").split("\n"))


def _listed(items: list[str]) -> str:
    more = f"; and {len(items) - LISTED} more" if len(items) > LISTED else ""
    return "; ".join(items[:LISTED]) + more


def _numbers(values: Sequence[float]) -> str:
    return ", ".join(f"{value:.6g}" for value in values)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def write(directory: Path) -> list[Path]:
    """Writes the playthroughs of all games that come with the package; returns the files."""
    directory.mkdir(parents=True, exist_ok=True)
    files = []
    for entry in [*_core.games(), *shipped_rules()]:
        file = directory / f"{entry.name}.txt"
        _files.write(file, playthrough(entry.name))
        files.append(file)
    return files


def main(argv: Sequence[str] | None = None) -> None:
    """The command."""
    parser = argparse.ArgumentParser(
        prog="python -m kibitz.testing.playthrough",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("game", nargs="?", help="a game's spec, or a Python file with your own")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--steps", type=int, default=STEPS)
    parser.add_argument("--write", type=Path, metavar="DIRECTORY", help="write those of all games")
    options = parser.parse_args(argv)
    if options.write is not None:
        print("\n".join(str(file) for file in write(options.write)))
    elif options.game is None:
        parser.error("which game?")
    else:
        from kibitz.cli import _load
        from kibitz.cli._errors import UserError

        try:
            game = _load.game(options.game)
            sys.stdout.write(playthrough(game, seed=options.seed, steps=options.steps))
        except (UserError, ValueError) as error:
            parser.error(str(error))


if __name__ == "__main__":
    main()
