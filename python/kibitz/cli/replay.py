"""Shows a saved game again, move by move, with the reasons for each move.

The file comes from an experiment's `replays` folder, or from --save of `kibitz watch` and `kibitz
play`. It holds moves and reasons; the positions come from playing the moves through the game once
more. With --html the whole game becomes one page with pictures that needs no network.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from kibitz import _files
from kibitz.cli import _load, _options
from kibitz.cli._errors import UserError
from kibitz.cli._table import Round, headline, rounds_again, show, show_end
from kibitz.cli._terminal import paint

if TYPE_CHECKING:
    from kibitz import Game
    from kibitz.lab.replay import Replay

EXAMPLES = {
    "kibitz replay game.json": "the whole game",
    "kibitz replay game.json --step --truth": "move by move, with what was hidden",
    "kibitz replay game.json --html game.html": "a page with pictures, for a browser",
    "kibitz replay game.json --html game.html --belief 'particles(1000)'": "with the mover's belief",
    "kibitz replay game.json --game examples/treasure.py": "a game of your own, which must be named",
}


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments."""
    parser.add_argument("file", type=Path, metavar="FILE", help="a saved game (JSON)")
    parser.add_argument("--step", action="store_true", help="wait for a key after each move")
    parser.add_argument("--truth", action="store_true", help="show the whole truth, not what the mover saw")
    _options.details(parser)
    parser.add_argument("--html", type=Path, metavar="OUT", help="write a page instead")
    parser.add_argument(
        "--belief",
        metavar="KIND",
        help="in a page: what such a belief makes of all that the mover has seen, as a heat map",
    )
    parser.add_argument(
        "--game",
        metavar="GAME",
        help="the game, where it is a Python file: a saved game alone never makes anything run",
    )


def run(options: argparse.Namespace) -> None:
    """Shows the game."""
    from kibitz.lab import replay

    kept = replay.load(options.file)
    game = kept.load_game(_load.game(options.game) if options.game else None)
    if options.html:
        from kibitz.lab.reports import replay_page

        _files.write(options.html, replay_page(kept, game, belief=options.belief))
        print(f"{options.html}: {len(kept.steps)} steps of {kept.game}")
        return
    if options.belief:
        raise UserError("--belief draws pictures: add --html OUT for a page to draw them on")
    if options.step and not sys.stdin.isatty():
        raise UserError("--step waits for keys, and there is no terminal to press them on")
    in_terminal(kept, game, step=options.step, truth=options.truth, details=options.details)


def in_terminal(kept: Replay, game: Game, *, step: bool, truth: bool, details: bool = False) -> None:
    """Shows the game here, all at once or step by step."""
    frames = list(kept.frames(game))
    turns = list(rounds_again(kept, frames))
    print(headline(game, kept.planners, kept.seed, kept.episode) + "\n")
    if step:
        if not step_through(turns, truth, details=details):
            return
    else:
        for turn in turns:
            show(turn, truth, details=details)
    state = frames[-1].after if frames else game.initial()
    show_end(state, kept.returns, "the end" if kept.over else f"left after {len(turns)} moves")


def step_through(turns: list[Round], truth: bool, *, details: bool = False) -> bool:
    """Shows turn after turn as the person wishes; whether the end was reached."""
    at = 0
    while at < len(turns):
        show(turns[at], truth, details=details)
        try:
            answer = input(paint("Enter: on, b: back, q: leave> ", "dim")).strip().lower()
        except EOFError:
            return False
        if answer in ("q", "quit", "exit"):
            return False
        at = max(0, at - 1) if answer in ("b", "back") else at + 1
    return True
