"""Speed and strength beside the peers', measured in the same run.

Without a name all benchmarks run. The peers come with the `bench` extra.
"""

from __future__ import annotations

import argparse
import importlib

from kibitz.cli import _options
from kibitz.cli._errors import UserError

EXAMPLES = {"kibitz bench": "all of them", "kibitz bench --json": "the figures, for programs"}


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments."""
    parser.add_argument("names", nargs="*", metavar="NAME", help="which benchmarks; all of them by default")
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
    return int(bench.main(options.names, options.json) or 0)
