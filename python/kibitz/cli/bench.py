"""Speed and strength beside the peers', measured in the same run; or the speed of rules files.

Without a name all benchmarks run. The peers come with the `bench` extra. `gdl` with rules files, or
folders of them, prints how fast each is played: a line for the machine that plays one game at a time
and one for the lanes that play many, in the format of gdl-perf (game;engine;version;ok;error;ms;
stateChanges;rollouts; milliseconds of processor time, loading not counted).
"""

from __future__ import annotations

import argparse
import importlib

from kibitz.cli import _options
from kibitz.cli._errors import UserError

EXAMPLES = {
    "kibitz bench": "all of them",
    "kibitz bench uct rules": "two of them",
    "kibitz bench --json": "the figures, for programs",
    "kibitz bench gdl chess.kif games/ --seconds 10": "a file and a folder of rules, 10 seconds a machine",
}


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments."""
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help="which benchmarks, all of them by default; or gdl FILE..."
    )
    parser.add_argument(
        "--seconds",
        type=_options.seconds,
        metavar="S",
        help="with gdl: how long each machine plays each file (default 2)",
    )
    _options.as_json(parser)


def run(options: argparse.Namespace) -> int:
    """Runs the suite, which lives in a module of its own."""
    try:
        bench = importlib.import_module("kibitz.bench")
    except ModuleNotFoundError as error:
        if error.name == "kibitz.bench":
            raise UserError(
                "the benchmarks are not part of this installation; run them from a clone"
            ) from error
        raise UserError(
            f"the benchmarks need {error.name}, which is not installed; pip install 'kibitz[bench]' gets it"
        ) from error
    if options.names[:1] == ["gdl"]:
        return _rules_files(options)
    if options.seconds is not None:
        raise UserError("--seconds goes with gdl only: kibitz bench gdl FILE --seconds 10")
    return int(bench.main(options.names, options.json) or 0)


def _rules_files(options: argparse.Namespace) -> int:
    from kibitz.bench import _gdl

    if options.json:
        raise UserError("gdl prints gdl-perf's lines, not JSON")
    if not options.names[1:]:
        raise UserError("say which rules files or folders: kibitz bench gdl FILE...")
    return _gdl.main(options.names[1:], 2.0 if options.seconds is None else options.seconds)
