"""Speed beside the peers', measured in the same run: `kibitz bench`, or `python -m kibitz.bench`.

A benchmark is one module in this folder with a function `rows(scale)` that yields rows; nothing else
needs editing. Both sides take turns, each several times; a rate is work over processor time, and a
ratio is the median of those of neighbouring turns. `_measure.py` does that, `_table.py` prints it.
"""

from __future__ import annotations

import importlib
import json as json_module
import pkgutil
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from types import ModuleType

from kibitz import _core
from kibitz.bench._measure import FULL, TINY, Row, Scale
from kibitz.bench._table import HEAD, line

__all__ = ["FULL", "TINY", "Row", "Scale", "main", "modules"]


def modules() -> list[str]:
    """The names of all benchmarks.

    >>> from kibitz import bench
    >>> "playouts" in bench.modules()
    True
    """
    return [module.name for module in pkgutil.iter_modules(__path__) if not module.name.startswith("_")]


def main(names: Sequence[str], json: bool = False, *, scale: Scale = FULL) -> int:
    """Runs the named benchmarks, or all of them, and prints a table or JSON.

    The result is 1 if a required ratio was missed, 2 if nothing could be run, else 0.
    """
    if _core.debug_build:
        print(
            "this is a debug build, whose speed says nothing; 'make build' makes a release", file=sys.stderr
        )
        return 2
    known = modules()
    for name in names:
        if name not in known:
            print(_core.unknown("benchmark", name, known), file=sys.stderr)
            return 2
    if not json:
        print(HEAD)
    rows: list[Row] = []
    for name in names or known:
        for found in _run(importlib.import_module(f"{__name__}.{name}"), scale):
            # What is measured at a smaller scale is no ground for a verdict.
            row = found if scale == FULL else replace(found, required=None)
            rows.append(row)
            if not json:
                print(line(row), flush=True)
    if json:
        print(json_module.dumps([asdict(row) | {"verdict": row.verdict} for row in rows], indent=1))
    elif scale != FULL:
        print("(at a tiny scale, which checks that everything runs and measures nothing)")
    return int(any(row.verdict == "short" for row in rows))


def _run(module: ModuleType, scale: Scale) -> Iterator[Row]:
    """The rows of one benchmark, as they come; one that says what is missing, if something is."""
    try:
        yield from module.rows(scale)
    except ModuleNotFoundError as error:
        name = module.__name__.rpartition(".")[2]
        yield Row(name, name, note=f"left out: {error.name} is not installed (the extra 'bench' has it)")
