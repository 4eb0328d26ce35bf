"""Published tables and figures beside ours, with both intervals and a verdict.

Without a name it lists what there is. With one it plays what the publication played, at full size or
at a part of it (--scale), into a folder of results: run again after an interruption, it goes on there,
and `kibitz report` shows the folder too. Another seed (--seed) is another sample, in a folder of its own.

A verdict counts differences up to a tolerance for nothing: ours agrees if the whole interval of the
difference lies within it, is better or worse if the whole interval lies beyond it; otherwise it cannot
be told yet, and more games (a larger scale) are needed. Pictures go into the folder, as far as they have
been played: curves beside the publication's points (curves.png and curves.svg), and where it says who is
better than whom, how all of them fared (orders.png and orders.svg). A file of your own (NAME.toml) works
like those that are listed.
"""

from __future__ import annotations

import argparse
import sys
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING

from kibitz.cli import _options
from kibitz.cli._terminal import Progress, Timer, duration, paint, width, wrapped

if TYPE_CHECKING:
    from kibitz.lab.reproduce import Comparison
    from kibitz.lab.reproductions import Reproduction
    from kibitz.lab.run import Coordinator

EXAMPLES = {
    "kibitz reproduce": "what can be reproduced so far",
    "kibitz reproduce posg-bear": "a small one in full",
    "kibitz reproduce norns-figure-3 --scale 0.05": "a picture of curves; a twentieth of the games",
    "kibitz reproduce tiger-pomcp --scale 0.05 --seed 7": "another sample: other deals and choices",
    "kibitz reproduce iw-table-1 --rules gvgai/examples --window 40": "wins in video games",
    "kibitz reproduce rock-sample-pomcp --scale 0.05 --jobs 2": "a twentieth of the games of a large one",
}


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments."""
    parser.add_argument("name", nargs="?", metavar="NAME", help="what to reproduce: a name, or a TOML file")
    parser.add_argument(
        "--scale",
        type=_scale,
        default=1.0,
        metavar="X",
        help="so many times the games, or the simulations of a search (default 1)",
    )
    _options.count(
        parser,
        "--seed",
        "another sample, of games and searches (default: the reproduction's own)",
        least=0,
        most=2**32 - 1,
    )
    _options.count(parser, "--jobs", "processes (default: one for each processor)", most=1024)
    parser.add_argument(
        "--out", metavar="DIR", help="the folder of results (default results/reproductions/NAME)"
    )
    parser.add_argument(
        "--rules",
        metavar="FOLDER",
        help="for tables of video games: the folder with the games in GVG-AI's naming (zelda.txt, "
        "zelda_lvl0.txt); without it the package's own are played",
    )
    parser.add_argument(
        "--window", type=float, metavar="MS", help="for those tables: only the columns with this window"
    )
    parser.add_argument(
        "--clock",
        action="store_true",
        help="for those tables: windows are time on this machine, not the ticks that the Java framework "
        "managed in them",
    )
    _options.as_json(parser)


def _scale(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"expected a number, not '{text}'") from None
    if not 0 < number <= 1000:
        raise argparse.ArgumentTypeError(f"{text} is out of range: above 0, up to 1000")
    return number


def run(options: argparse.Namespace) -> int:
    """Lists, or reproduces."""
    from kibitz.lab import grids, reproductions

    if options.name is None:
        _list([reproductions.load(name) for name in reproductions.names()], options.json)
        return 0
    setting = grids.Setting(
        None if options.rules is None else Path(options.rules), options.window, options.clock
    )
    reproduction = reproductions.load(options.name)
    return _reproduce(grids.filled(reproduction, setting, options.scale), options)


def _list(known: list[Reproduction], as_json: bool) -> None:
    if as_json:
        keys = ("name", "title", "source", "where", "minutes", "about")
        _options.print_json([{key: getattr(each, key) for key in keys} for each in known])
        return
    for each in known:
        title = wrapped(f"{each.name}  {each.title}", "", "    ")
        print("\n".join([title[0].replace(each.name, paint(each.name, "bold"), 1), *title[1:]]))
        print("\n".join(wrapped(f"{each.source}: {each.where}", "    ", "    ")))
        if each.minutes is not None:
            print(f"    takes about {duration(60 * each.minutes)} of one processor at full size")


def _reproduce(reproduction: Reproduction, options: argparse.Namespace) -> int:
    from kibitz.lab.executors import processors
    from kibitz.lab.reproduce import compare, folder, reproduce
    from kibitz.lab.results import CONFIGURATION, open_results

    timer = Timer()
    directory = options.out or folder(reproduction, options.scale, options.seed)
    state: list[str] = [f"reproducing {reproduction.name}"]

    def show(coordinator: Coordinator) -> None:
        from kibitz.cli.match import progress

        state[0] = progress(coordinator.clock)

    def search(what: str) -> None:
        state[0] = f"searching {what}"

    try:
        with Progress(lambda: state[0]):
            comparison = reproduce(
                reproduction,
                scale=options.scale,
                seed=options.seed,
                jobs=options.jobs or processors(),
                directory=directory,
                on_progress=show,
                on_search=search,
            )
    except KeyboardInterrupt:
        if not (Path(directory) / CONFIGURATION).exists():
            raise  # nothing has been played
        results = open_results(directory)
        comparison = compare(reproduction, results, scale=options.scale, seed=options.seed)
    pictures = _pictures(comparison)
    if options.json:
        _options.print_json(comparison.to_json() | {"pictures": list(map(str, pictures))})
    else:
        size = "" if options.scale == 1 else f", {options.scale:g} of the full size"
        size += "" if options.seed is None else f", seed {options.seed}"
        print(paint(reproduction.title, "bold"))
        print(f"{reproduction.source}: {reproduction.where}{size}, {duration(timer.seconds)}\n")
        print(comparison)
        if reproduction.about:
            print("\n" + textwrap.fill(reproduction.about, min(width(), 100)))
        if comparison.directory is not None:
            what = "searches" if reproduction.experiment is None else "games"
            print(f"\nThe {what} are in {comparison.directory}.")
        if pictures:
            print(f"The pictures are in {' and '.join(map(str, pictures))}.")
    if not comparison.complete:
        print("stopped before all games were played; the same command goes on", file=sys.stderr)
        return 130
    return 0


def _pictures(comparison: Comparison) -> list[Path]:
    """Draws curves and orders into the folder of results; where that cannot be done, says why."""
    if comparison.directory is None:
        return []
    try:
        return comparison.save_pictures(comparison.directory)
    except ModuleNotFoundError as error:
        print(f"no pictures: {error.name} is not installed", file=sys.stderr)
    except OSError as error:
        print(f"no pictures: {error.filename}: {error.strerror}", file=sys.stderr)
    return []
