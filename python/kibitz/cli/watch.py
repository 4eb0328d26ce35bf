"""It plays, and explains every move.

At each move: the position as the mover sees it, the value and visits of each action, the belief
and what is expected to happen. One planner plays all seats; else one is named for each seat. A game in
real time goes on by its own clock: in a terminal it is one picture, which changes.
"""

from __future__ import annotations

import argparse
import contextlib
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kibitz import _files
from kibitz.cli import _explain, _load, _options
from kibitz.cli._errors import UserError
from kibitz.cli._table import LiveRound, Round, headline, rounds, show, show_end
from kibitz.cli._terminal import is_terminal

if TYPE_CHECKING:
    from kibitz import AnyPlanner, Game, Referee
    from kibitz.cli._live import Terminal

EXAMPLES = {
    "kibitz watch connect-four": "a planner that suits the game plays both sides",
    "kibitz watch kuhn-poker --planner pomcp --planner random --truth": "with the hidden cards shown",
    "kibitz watch rock-sample --planner 'pomcp(simulations=500)' --delay 1": "a rest after each move",
    "kibitz watch tic-tac-toe --svg pictures": "a picture of every position",
    "kibitz watch real-time-race.kif --clock 0.5": "a game in real time, twice as fast",
    "kibitz watch leduc-poker --save game.json": "keep it, for `kibitz replay game.json`",
}


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments."""
    _options.game(parser)
    parser.add_argument(
        "--planner",
        action="append",
        dest="planners",
        metavar="P",
        help=f"{_options.PLANNER}; once for all seats, or once for each seat in order",
    )
    _options.seed(parser)
    parser.add_argument(
        "--delay", type=_options.seconds, default=0.0, metavar="S", help="seconds to rest after each move"
    )
    _options.clock(parser)
    parser.add_argument(
        "--truth", action="store_true", help="show the whole truth, not what the mover sees"
    )
    _options.details(parser)
    _options.count(parser, "--steps", "stop after so many moves (some games never end)")
    parser.add_argument(
        "--svg", type=Path, metavar="DIR", help="write a picture of every position into a folder"
    )
    _options.save(parser)
    _options.as_json(parser)


def run(options: argparse.Namespace) -> None:
    """Plays one game before the spectator's eyes."""
    from kibitz import Episode, Referee
    from kibitz.episode import enough_steps, steps_of
    from kibitz.lab import replay

    game = _load.game(options.game)
    seats = seated(game, options.planners)
    # Moves, if somebody asks for them; else as many steps as `kibitz.play` takes.
    most = None if options.steps else enough_steps(game.info)
    referee = Referee(game, options.seed, max_steps=most)
    draw = _Pictures(game, options.svg)
    draw(referee)
    steps = list(steps_of(referee.opening(), game.initial()))
    if not options.json:
        print(headline(game, [planner.spec for planner in seats], options.seed) + "\n")
    moves = 0
    with _live_or_not(game, options) as live:
        for done in rounds(referee, seats, options.seed):
            steps += done.steps
            if live is not None:
                live(referee, done)
            # Who waits says nothing.
            if game.tick is not None and not done.steps:
                continue
            moves += 1
            if options.json:
                _options.print_json(plain(done, options.truth), indent=None)
            elif live is None:
                show(done, options.truth, details=options.details)
            draw(referee)
            if moves == options.steps or (live is not None and live.left):
                break
            if options.delay and not referee.over:
                time.sleep(options.delay)
    if options.save:
        specs = tuple(planner.spec for planner in seats)
        episode = Episode(game, specs, options.seed, 0, referee.returns, steps, referee.state, referee.over)
        replay.save(episode, options.save)
    if options.json:
        end = {"over": referee.over, "steps": referee.steps, "returns": referee.returns}
        _options.print_json(end, indent=None)
        return
    show_end(referee.state, referee.returns, "the end" if referee.over else f"left after {moves} moves")


@contextlib.contextmanager
def _live_or_not(game: Game, options: argparse.Namespace) -> Iterator[_Live | None]:
    """A game in real time as a picture that changes, where that can be shown."""
    from kibitz.cli import _live

    by_clock = game.tick is not None and options.clock and not options.json
    if not (by_clock and sys.stdin.isatty() and is_terminal()):
        yield None
        return
    with _live.Terminal() as terminal:
        yield _Live(game, options, terminal)


class _Live:
    """Shows a game as it goes on, by its clock."""

    def __init__(self, game: Game, options: argparse.Namespace, terminal: Terminal) -> None:
        from kibitz.cli._live import Beat, Pace

        self.terminal, self.truth, self.tick = terminal, options.truth, game.tick or 0.0
        self.beat = Beat(terminal)
        self.pace = Pace(game, options.clock, self.beat)
        self.latest: dict[int, str] = {}
        self.left = False
        self.position = game.initial().text()

    def __call__(self, referee: Referee, done: LiveRound) -> None:
        """Waits until it is time for what has happened, and shows it."""
        from kibitz.cli._live import Leave

        names = [referee.game.player_name(choice.player) for choice in done.choices]
        self.latest.update(
            (choice.player, f"{name}: {choice.decision.name}")
            for name, choice in zip(names, done.choices, strict=True)
        )
        self.draw()
        try:
            self.pace.keep(referee.now, self.draw)
        except Leave:
            self.left = True
        seen = None if self.truth or referee.game.info.players > 1 else 0
        self.position = referee.state.text(seen)
        self.draw()

    def draw(self) -> None:
        """The position, and what everybody does."""
        from kibitz.cli._live import PAUSES

        doing = "   ".join(self.latest[player] for player in sorted(self.latest))
        time = f"{self.pace.at * self.tick:.2f}"
        words = f"{self.position.rstrip()}\n\n{time}   {doing}\n{PAUSES}{self.beat.marks()}\n"
        self.terminal.draw(words)


def seated(game: Game, planners: list[str] | None) -> list[AnyPlanner]:
    """A planner for each seat: one for all, or one for each."""
    players = game.info.players
    names = planners or [_load.default_planner(game)]
    if len(names) == 1:
        names = names * players
    if len(names) != players:
        seats = "one seat" if players == 1 else f"{players} seats"
        raise UserError(f"{game.spec} has {seats}; name one planner, or one for each, not {len(names)}")
    return [_load.planner(name) for name in names]


def plain(done: Round, truth: bool) -> dict[str, Any]:
    """The same for programs."""
    choices = [
        {
            "player": choice.player,
            "planner": choice.planner,
            "position": done.before.text() if truth else choice.position,
            "decision": _explain.plain(choice.decision),
            "told": done.told[choice.player],
        }
        for choice in done.choices
    ]
    return {"move": done.number, "choices": choices, "rewards": done.rewards}


class _Pictures:
    """Writes a picture of each position, if asked to."""

    def __init__(self, game: Game, folder: Path | None) -> None:
        self.folder, self.count = folder, 0
        if folder is None:
            return
        if not game.info.capabilities["picture"]:
            raise UserError(f"{game.spec} draws no pictures, so --svg has nothing to write")
        folder.mkdir(parents=True, exist_ok=True)

    def __call__(self, referee: Referee) -> None:
        if self.folder is not None:
            _files.write(self.folder / f"{self.count:03}.svg", referee.state.svg() or "")
            self.count += 1
