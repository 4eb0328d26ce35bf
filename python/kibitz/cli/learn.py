"""Teaches a network to judge the states of a game, by games against itself.

What is learned goes to a file after every round, so that Ctrl-C loses nothing that counts, and
--start goes on from such a file. Searches judge their leaves by it: `uct(evaluator=FILE)`, or
`outcome-uct(macro_actions=irreversible, evaluator=FILE)` where it was taught with --macro-actions. The game
must say what is true of its states: rules files without secrets do, and Klondike with --macro-actions.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from kibitz.cli import _load, _options
from kibitz.cli._errors import UserError
from kibitz.cli._terminal import Timer, duration, paint

if TYPE_CHECKING:
    from kibitz.learn import Net, Progress

EXAMPLES = {
    "kibitz learn connect-four.kif connect-four.net": "twenty thousand games",
    "kibitz learn connect-four.kif connect-four.net --start connect-four.net --seed 2": "and as many more",
    "kibitz learn 'klondike(reading=naive)' mine.net --macro-actions --games 100000": (
        "for macro_actions=irreversible"
    ),
    "kibitz learn connect-four.kif better.net --start connect-four.net --games 5000 --transitions 500": (
        "moves by a search that judges by what was learned so far"
    ),
}


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments."""
    _options.game(parser)
    parser.add_argument("file", type=Path, metavar="FILE", help="where the network goes")
    _options.count(parser, "--games", "how many", default=20_000)
    parser.add_argument(
        "--macro-actions",
        "--strides",
        action="store_true",
        help="states are those between moves that cannot be undone, as macro_actions=irreversible "
        "searches them (--strides was its name)",
    )
    _options.count(
        parser,
        "--units",
        "units of the first hidden layer: 32, 64, ... 256",
        least=32,
        most=256,
        default=64,
    )
    _options.count(
        parser,
        "--transitions",
        "steps of the game that a search makes before each move; the default is a look at all "
        "outcomes of the next one. Slower, and may teach more: for a second course",
        least=0,
        default=0,
    )
    parser.add_argument(
        "--trust",
        type=_options.number(0, 1),
        default=0.5,
        metavar="P",
        help="how much what came of a state counts, beside what the next one was taken to be worth: λ, "
        "0 to 1 (default 0.5)",
    )
    parser.add_argument(
        "--rate",
        type=_options.number(0, 1),
        default=1e-3,
        metavar="R",
        help="how large steps are at first; they fall to a tenth (default 0.001)",
    )
    parser.add_argument(
        "--start", type=Path, metavar="FILE", help="go on from a network that was taught the same game"
    )
    _options.count(parser, "--jobs", "threads that play", most=64, default=1)
    _options.seed(parser)


def run(options: argparse.Namespace) -> None:
    """Teaches."""
    from kibitz.learn import Net, teach

    game = _load.game(options.game)
    if not options.file.parent.is_dir():
        raise UserError(f"there is no folder {options.file.parent} for {options.file.name}")
    start = None
    if options.start is not None:
        try:
            start = Net.load(options.start)
        except OSError as error:
            raise UserError(f"{options.start} cannot be read: {error.strerror}") from error
    timer = Timer()
    print(paint(f"{game.spec}, {options.games:,} games", "bold"))
    print("   games  first player's return, 0 to 1    loss")

    def tell(made: Progress, net: Net) -> None:
        net.save(options.file)
        print(f"{made.games:8,}  {made.mean:29.4f}  {made.loss:6.4f}  {duration(timer.seconds)}")

    teach(
        game,
        games=options.games,
        macro_actions=options.macro_actions,
        units=options.units,
        transitions=options.transitions,
        trust=options.trust,
        rate=options.rate,
        threads=options.jobs,
        seed=options.seed,
        start=start,
        progress=tell,
    )
    planner = "outcome-uct(macro_actions=irreversible, " if options.macro_actions else "uct("
    print(f"{options.file} is there; {planner}evaluator={options.file}) judges by it")
