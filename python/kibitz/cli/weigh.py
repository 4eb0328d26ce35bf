"""Learns what a game's features weigh, from games that planners play.

The weights go to a file, by which planners judge: `turn-search(evaluator=linear(FILE))`. The game must have
features, as Duelyst has, and two players whose returns add up to zero.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from kibitz.cli import _load, _options
from kibitz.cli._errors import UserError
from kibitz.cli._terminal import Timer, duration, paint

EXAMPLES = {
    "kibitz weigh duelyst weights.txt --games 1000": "a thousand games of turn-search against itself",
    "kibitz weigh duelyst weights.txt --planner turn-search --planner greedy": "of two planners",
}


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments."""
    _options.game(parser)
    parser.add_argument("file", type=Path, metavar="FILE", help="where the weights go")
    _options.count(parser, "--games", "how many", default=400)
    parser.add_argument(
        "--planner",
        action="append",
        metavar="P",
        help="who plays, against itself or, if there are several, against each other "
        "(default turn-search(width=8, replies=0))",
    )
    _options.seed(parser)


def run(options: argparse.Namespace) -> None:
    """Plays and learns."""
    from kibitz.learn.weights import weigh

    game = _load.game(options.game)
    if not options.file.parent.is_dir():
        raise UserError(f"there is no folder {options.file.parent} for {options.file.name}")
    timer = Timer()
    planners = options.planner or ["turn-search(width=8, replies=0)"]
    print(paint(f"{game.spec}, {options.games:,} games", "bold"))
    found = weigh(game, planners, games=options.games, seed=options.seed)
    found.save(options.file)
    for name, value, error in zip(found.names, found.values, found.errors, strict=True):
        print(f"{value:9.4f} ± {error:.4f}  {name}")
    print(f"{found.positions:,} positions, loss {found.loss:.4f}, {duration(timer.seconds)}")
    print(f"{options.file} is there; turn-search(evaluator=linear({options.file})) judges by it")
