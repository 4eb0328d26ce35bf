"""The same figures for programs and papers: CSV and LaTeX."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from kibitz.lab.reports.figures import Block
from kibitz.lab.reports.text import block_table

if TYPE_CHECKING:
    import polars as pl

COLUMNS = (
    "game", "planner", "budget_kind", "budget", "games", "wins", "win_rate", "win_low", "win_high",
    "mean_return", "standard_error", "return_low", "return_high", "elo", "elo_low", "elo_high",
    "seconds_a_move", "slowest_move", "simulations_a_move", "transitions_a_move", "cpu_a_game", "processor",
    "faults",
)  # fmt: skip


def as_csv(blocks: Sequence[Block]) -> str:
    """A line for each game and planner; an empty cell is a figure that there is not.

    >>> import kibitz as kb
    >>> from kibitz.lab.reports.tables import as_csv
    >>> result = kb.match("tic-tac-toe", ["uct(simulations=50)", "random"], games=4)
    >>> as_csv(kb.lab.report(result).blocks).splitlines()[1].split(",")[:5]
    ['tic-tac-toe', 'uct(simulations=50)', 'simulations', '50', '4']
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    for row in _rows(blocks):
        writer.writerow(map(_cell, row))
    return out.getvalue()


def as_frame(blocks: Sequence[Block]) -> pl.DataFrame:
    """The same as a data frame.

    >>> import kibitz as kb
    >>> from kibitz.lab.reports.tables import as_frame
    >>> result = kb.match("tic-tac-toe", ["uct(simulations=50)", "random"], games=4)
    >>> as_frame(kb.lab.report(result).blocks)["games"].to_list()
    [4, 4]
    """
    import polars as pl

    kinds: dict[str, Any] = dict.fromkeys(COLUMNS, pl.Float64)
    kinds |= dict.fromkeys(("games", "faults"), pl.Int64)
    kinds |= dict.fromkeys(("game", "planner", "budget_kind"), pl.String)
    return pl.DataFrame(list(_rows(blocks)), schema=kinds, orient="row")


def _rows(blocks: Sequence[Block]) -> Iterator[tuple[Any, ...]]:
    """A row for each game and planner, in the order of `COLUMNS`."""
    for block in blocks:
        for line in block.lines:
            row = line.standing
            kind, amount = line.budget or (None, None)
            rate = row.win_rate if row.games else None
            yield (
                block.facts.spec, row.planner, kind, amount, row.games, row.wins,
                row.wins / row.games if rate else None, *(rate or (None, None)),
                row.mean_return if row.games else None, row.standard_error,
                *(row.return_interval or (None, None)), *(row.elo or (None,) * 3),
                row.seconds_a_move, row.slowest if row.moves else None,
                row.simulations_a_move, row.transitions_a_move, row.cpu, row.processor,
                row.faults,
            )  # fmt: skip


def _cell(value: Any) -> Any:
    if isinstance(value, float):
        return f"{value:.10g}"
    # A spreadsheet would take a text that begins like this for a formula.
    if isinstance(value, str) and value.startswith(("=", "+", "-", "@", "\t")):
        return f"'{value}"
    return value


SIGNS = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "%": r"\%",
    "_": r"\_", "^": r"\textasciicircum{}", "~": r"\textasciitilde{}", "<": r"\textless{}",
    ">": r"\textgreater{}", "±": r"$\pm$", "…": r"\dots{}", "µ": r"\textmu{}", "×": r"$\times$",
}  # fmt: skip


def as_latex(blocks: Sequence[Block]) -> str:
    """A table for each game, for a document that uses the package booktabs.

    >>> import kibitz as kb
    >>> from kibitz.lab.reports.tables import as_latex
    >>> result = kb.match("tic-tac-toe", ["uct(simulations=50)", "random"], games=4)
    >>> as_latex(kb.lab.report(result).blocks).count(r"\\toprule")
    1
    """
    return "\n".join(["% needs \\usepackage{booktabs}", *(_latex_table(block) for block in blocks)])


def _latex_table(block: Block) -> str:
    head, *rows = [[_latex(first), *map(_figure, cells)] for first, *cells in block_table(block)]
    common = f"; {block.common}" if block.common else ""
    caption = _latex(f"{block.facts.spec}: {block.head}{common}")
    lines = [
        r"\begin{table}",
        rf"\caption{{{caption}. Intervals cover 95 \% and take deals as the unit.}}",
        r"\begin{tabular}{l" + "r" * (len(head) - 1) + "}",
        r"\toprule",
        " & ".join(head) + r" \\",
        r"\midrule",
        *(" & ".join(row) + r" \\" for row in rows),
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{table}",
        "",
    ]
    return "\n".join(lines)


def _latex(text: str) -> str:
    """A text that LaTeX sets as it stands."""
    return "".join(SIGNS.get(sign, sign) for sign in text)


def _figure(text: str) -> str:
    """The same for figures: a sign before one is a minus, not a hyphen."""
    return re.sub(r"(?<!\S)[+-]\d[\d.,]*", lambda number: f"${number.group()}$", _latex(text))
