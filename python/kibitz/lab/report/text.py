"""A match's figures as a table for people."""

from __future__ import annotations

from collections.abc import Sequence

from kibitz.lab.match import MatchResult, Seat, Standing


def match_table(result: MatchResult) -> str:
    """The standings, best first, and how the first seat fares.

    >>> import kibitz as kb
    >>> result = kb.match("kuhn-poker", ["random", "random"], games=2)
    >>> print(result.games, "games:", str(result).splitlines()[0].split()[0])
    2 games: planner
    """
    order = sorted(result.standings, key=_strength, reverse=True)
    solo = not result.seats
    head = ["planner", "games"]
    if any(row.win_rate for row in order):
        head += ["best possible" if solo else "win rate", "95 %"]
    head += ["mean return", "± s.e."]
    if any(row.elo for row in order):
        head += ["Elo", "95 %"]
    head.append("s/game")
    lines = columns([head, *(_row(row) for row in order)])
    if result.seats:
        lines += ["", first_seat(result.seats[0])]
    return "\n".join(lines)


def _strength(row: Standing) -> tuple[float, float]:
    return (round(row.elo.elo) if row.elo else 0.0, row.mean_return)


def _row(row: Standing) -> list[str]:
    cells = [row.planner, str(row.games)]
    if row.win_rate is not None:
        cells += [percent(row.wins, row.games), span(*row.win_rate)]
    cells += [f"{row.mean_return:+.3f}", "" if row.standard_error is None else f"{row.standard_error:.3f}"]
    if row.elo is not None:
        cells += [f"{row.elo.elo:+.0f}", f"{row.elo.low:+.0f} to {row.elo.high:+.0f}"]
    return [*cells, f"{row.seconds:.3f}"]


def first_seat(seat: Seat) -> str:
    """A sentence on how the first seat fares."""
    error = "" if seat.standard_error is None else f" ± {seat.standard_error:.3f}"
    return (
        f"The first seat ({seat.player}) wins {percent(seat.wins, seat.games)} ({span(*seat.win_rate)}) "
        f"and gets {seat.mean_return:+.3f}{error}."
    )


def percent(part: float, whole: int) -> str:
    """A share in percent.

    >>> from kibitz.lab.report.text import percent
    >>> percent(1, 8)
    '12.5 %'
    """
    return f"{100 * part / whole:.1f} %" if whole else "-"


def span(low: float, high: float) -> str:
    """An interval of shares in percent.

    >>> from kibitz.lab.report.text import span
    >>> span(0.2366, 0.7634)
    '23.7 to 76.3'
    """
    return f"{100 * low:.1f} to {100 * high:.1f}"


def columns(rows: Sequence[Sequence[str]]) -> list[str]:
    """Rows of cells as lines: the first column to the left, the others to the right.

    >>> from kibitz.lab.report.text import columns
    >>> columns([["planner", "games"], ["uct", "9"]])
    ['planner  games', 'uct          9']
    """
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return [
        "  ".join(
            cell.rjust(width) if column else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
