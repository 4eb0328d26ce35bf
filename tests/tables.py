"""Cases of a test as a table of text, which is easier to read and to add to than tuples of strings."""

from __future__ import annotations

import textwrap
from typing import Any

import pytest


def cases(names: str, table: str) -> Any:
    r"""Runs a test once for each line of a table, whose columns are its arguments.

    Columns are separated by ` | `; `\n` stands for the end of a line.
    """
    lines = [line for line in textwrap.dedent(table).strip().splitlines() if line.strip()]
    rows = [[cell.strip().replace("\\n", "\n") for cell in f"{line} ".split(" | ")] for line in lines]
    wide = [row for row in rows if len(row) != len(names.split())]
    assert not wide, f"{names} are {len(names.split())} columns, and there are others: {wide}"
    return pytest.mark.parametrize(names.split(), rows)
