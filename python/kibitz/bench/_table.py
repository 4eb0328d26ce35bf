"""The rows for people."""

from __future__ import annotations

from kibitz.bench._measure import Row

HEAD = (
    f"{'work':57} {'ours':>9} {'theirs':>9}  {'ratio':>6}  {'(from - to)':>15}  {'needed':>6}  "
    f"{'verdict':7}  compared with"
)


def number(value: float | None) -> str:
    """Three digits and a letter for thousands or millions.

    >>> number(1234567.0)
    '1.23 M'
    """
    if value is None:
        return "-"
    for size, letter in ((1e9, " G"), (1e6, " M"), (1e3, " k")):
        if abs(value) >= size:
            return f"{value / size:.3g}{letter}"
    return f"{value:.3g}"


def times(value: float | None) -> str:
    """A ratio.

    >>> times(0.2666), times(66.0), times(2345.6)
    ('0.267x', '66x', '2,346x')
    """
    return "" if value is None else f"{value:.3g}x" if value < 1000 else f"{value:,.0f}x"


def line(row: Row) -> str:
    """One row."""
    spread = "" if row.low is None else f"({times(row.low)} - {times(row.high)})"
    peer = ", ".join(words for words in (row.peer_name, row.note) if words)
    work = f"{row.work} [{row.unit}]" if row.unit else row.work
    return (
        f"{work:57} {number(row.ours):>9} {number(row.peer):>9}  {times(row.ratio):>6}  {spread:>15}  "
        f"{times(row.required):>6}  {row.verdict:7}  {peer}"
    ).rstrip()
