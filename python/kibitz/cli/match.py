"""Planners against each other: win rates with intervals, Elo, and what the first move is worth.

Every deal is played in all seatings, so that neither the deal nor the seat decides. With more
planners than seats everybody meets everybody; with fewer, planners sit on several seats, as evenly
as can be; a single one plays against itself. In a game of one, each plays the same deals alone.

A win is the best return alone; k who share it have 1/k each. Elo is by Bradley and Terry, where
more than two planners play. Ctrl-C sums up the games that were finished.
"""

from __future__ import annotations

import argparse
import sys
from contextlib import nullcontext
from typing import TYPE_CHECKING

from kibitz.cli import _load, _options
from kibitz.cli._terminal import Progress, duration, paint

if TYPE_CHECKING:
    from kibitz import Game
    from kibitz.lab.experiment import Maker
    from kibitz.lab.match import Clock
    from kibitz.lab.record import Record

EXAMPLES = {
    "kibitz match connect-four 'uct(simulations=200)' flat-mc": "who is better, and by how much",
    "kibitz match kuhn-poker pomcp uct random --games 300 --jobs 4": "all against all, on four processors",
    "kibitz match rock-sample 'pomcp(simulations=100)' pomcp --games 50": "what thinking longer is worth",
}


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments."""
    _options.game(parser)
    parser.add_argument("planners", nargs="+", metavar="P", help=_options.PLANNER)
    _options.count(
        parser,
        "--games",
        "games that each planner plays at least: whole deals are played",
        most=10**9,
        default=100,
    )
    _options.seed(parser)
    _options.count(parser, "--jobs", "processes", most=1024, default=1)
    _options.count(parser, "--steps", "leave a game after so many steps")
    _options.as_json(parser)


def run(options: argparse.Namespace) -> int:
    """Plays the match and prints what it came to."""
    from kibitz.lab.match import Clock, labels, plan, play_games, summarise, whole_deals

    game = _load.game(options.game)
    makers = [_load.maker(text) for text in options.planners]
    names = labels(options.planners)
    check(game, options.planners)
    playing = plan(game, makers, games=options.games, seed=options.seed)
    clock = Clock(total=playing.cells[0].episodes)
    records: list[Record] = []
    complete = True
    jobs = 1 if _people(makers) else options.jobs
    games = play_games(
        game, makers, games=options.games, seed=options.seed, jobs=jobs, max_steps=options.steps
    )
    try:
        # The line about progress would get in the way of a person's typing.
        with nullcontext() if _people(makers) else Progress(lambda: progress(clock)):
            for record in games:
                records.append(record)
                clock.done += 1
    except KeyboardInterrupt:
        complete = False
        games.close()
    played = len(records)
    if not complete:
        records = whole_deals(playing.cells[0], records)
    result = summarise(game, names, records, seed=options.seed, complete=complete)
    if options.json:
        _options.print_json(result.to_json())
    elif records:
        head = f"{game.spec}: {result.games} games on {result.deals} deals, seed {options.seed}, "
        print(paint(head + duration(clock.elapsed), "bold") + "\n")
        print(result)
        if result.cut:
            steps = min(record.steps for record in records if not record.over)
            print(f"{result.cut} games were left unfinished after {steps} steps; they count as they stood.")
    if not complete:
        left = f"; {played - len(records)} do not count, on deals after one that is not complete"
        print(
            f"stopped after {played} of {clock.total} games" + left * (played > len(records)),
            file=sys.stderr,
        )
    return 0 if complete else 130


def check(game: Game, planners: list[str]) -> None:
    """Finds out before the first game whether a planner refuses."""
    from kibitz.planners import sit

    for text in planners:
        for seat in range(game.info.players):
            sit(_load.planner(text), game, seat, 0)


def progress(clock: Clock) -> str:
    """How far the match is, in a line.

    >>> from kibitz.cli.match import progress
    >>> from kibitz.lab.match import Clock
    >>> times = iter([0.0, 4.0, 4.0, 4.0, 4.0, 4.0, 4.0])
    >>> clock = Clock(100, now=lambda: next(times))
    >>> clock.done = 20
    >>> progress(clock)
    '20 of 100 games, 5.0 a second, 16 s left'
    """
    if not clock.done:
        return f"0 of {clock.total} games, {duration(clock.elapsed)} so far"
    rate = clock.rate
    speed = f"{rate:.1f} a second" if rate >= 1 else f"{duration(1 / rate)} each"
    left = clock.left
    rest = "" if left is None else f", {duration(left)} left"
    return f"{clock.done} of {clock.total} games, {speed}{rest}"


def _people(makers: list[Maker]) -> bool:
    """Whether somebody sits at this terminal."""
    from kibitz._core import spec_name

    return any(isinstance(maker, str) and spec_name(maker) == "human" for maker in makers)
