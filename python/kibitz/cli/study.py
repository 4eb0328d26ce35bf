"""What a game is like: who has the edge, how long it lasts, what thinking and seeing are worth.

For who makes games. A planner plays against itself, with less thought, at random, and against one that is
told the truth. It says how often each player wins, with intervals, how many games are drawn, how long
they last and how much there is to choose, how strength grows with the budget, what secrets are worth,
which moves were never good, and, where the language of the rules tells, which rules never fire. Ctrl-C
ends it early; what was played until then counts.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from kibitz import _files
from kibitz.cli import _load, _options
from kibitz.cli._terminal import Progress, Timer, duration, paint

EXAMPLES = {
    "kibitz study king-up": "a report on a game that comes with kibitz",
    "kibitz study examples/treasure.py --games 40": "on a game of your own, with fewer games",
    "kibitz study leduc-poker --simulations 800 --html leduc.html": "more thought, and as a page",
    "kibitz study tic-tac-toe --json": "for programs",
}


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments."""
    _options.game(parser)
    parser.add_argument(
        "--planner", metavar="P", help=f"another planner, without its budget: {_options.PLANNER}"
    )
    _options.count(parser, "--games", "games of each part", least=2, most=10**6, default=100)
    _options.count(parser, "--simulations", "for each decision", least=16, most=10**7, default=200)
    _options.seed(parser)
    parser.add_argument("--html", type=Path, metavar="OUT", help="write a page")
    _options.as_json(parser)


def run(options: argparse.Namespace) -> int:
    """Plays, and says what came of it."""
    from kibitz.lab.study import study

    game = _load.game(options.game)
    timer = Timer()
    doing = "beginning"

    def told(what: str) -> None:
        nonlocal doing
        doing = what

    with Progress(lambda: f"{doing}, {duration(timer.seconds)} so far (Ctrl-C ends it)"):
        found = study(
            game,
            planner=options.planner,
            games=options.games,
            simulations=options.simulations,
            seed=options.seed,
            told=told,
        )
    if options.html:
        _files.write(options.html, found.html())
    if options.json:
        _options.print_json(found.to_json())
    else:
        head = f"{game.spec}, {options.games} games of each part, seed {options.seed}, "
        print(paint(head + duration(timer.seconds), "bold") + "\n")
        print(found)
        if options.html:
            print(f"\nThe page is {options.html}.")
    return 0 if found.complete else 130
