"""Figures as tables for people: of a match, and of a whole report."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from kibitz.lab.reports.figures import Block, Trouble, strength
from kibitz.lab.reports.names import Budget
from kibitz.lab.standings import MatchResult, Seat, Standing


def match_table(result: MatchResult) -> str:
    """The standings, best first, and how the first seat fares.

    >>> import kibitz as kb
    >>> result = kb.match("kuhn-poker", ["random", "random"], games=2)
    >>> print(result.games, "games:", str(result).splitlines()[0].split()[0])
    2 games: planner
    """
    order = sorted(result.standings, key=strength, reverse=True)
    lines = columns(table([Row(row.planner, row) for row in order], solo=not result.seats))
    if result.seats:
        lines += ["", first_seat(result.seats[0])]
    return "\n".join(lines)


def report_text(blocks: Sequence[Block]) -> str:
    """A report for the terminal: one table for each game.

    >>> import kibitz as kb
    >>> result = kb.match("tic-tac-toe", ["uct(simulations=50)", "random"], games=4)
    >>> str(kb.lab.report(result)).splitlines()[0]
    'tic-tac-toe: 4 games on 2 deals, seed 0'
    """
    return "\n\n".join("\n".join(_block(block)) for block in blocks)


def _block(block: Block) -> Iterator[str]:
    yield f"{block.facts.spec}: {block.head}"
    if block.common:
        yield block.common
    yield ""
    yield from columns(block_table(block))
    remarks = [*notes(block), *troubles(block)]
    if remarks:
        yield ""
        yield from remarks


def notes(block: Block) -> list[str]:
    """What should be known beside a game's table."""
    result = block.result
    found = [first_seat(result.seats[0])] if result.seats and result.seats[0].games else []
    if result.cut:
        found.append(f"{result.cut:,} games were left unfinished; they count as they stood.")
    return found


def troubles(block: Block, most: int = 10) -> list[str]:
    """Sentences on the episodes that came to nothing, the most frequent reasons first."""
    found = [trouble_text(trouble) for trouble in block.troubles[:most]]
    if len(block.troubles) > most:
        found.append(f"and {len(block.troubles) - most} other kinds of faults")
    return found


def trouble_text(trouble: Trouble) -> str:
    """A sentence on episodes that came to nothing.

    >>> from kibitz.lab.reports.figures import Trouble
    >>> from kibitz.lab.reports.text import trouble_text
    >>> trouble_text(Trouble("uct", "raised", "ValueError: no", 3))
    '3 games left out: uct raised (ValueError: no)'
    """
    words = {
        "raised": "raised",
        "illegal": "chose an illegal move",
        "overtime": "took too long",
        "endless": "did not end",
        "died": "made its process die",
    }
    games = "1 game" if trouble.count == 1 else f"{trouble.count:,} games"
    what = trouble.what if len(trouble.what) <= 200 else trouble.what[:199] + "…"
    return f"{games} left out: {trouble.planner or 'the game'} {words[trouble.kind]}" + f" ({what})" * bool(
        what
    )


def block_table(block: Block) -> list[list[str]]:
    """The table of a game, its head first."""
    rows = [
        Row(line.family if block.sweep else line.name, line.standing, line.budget if block.sweep else None)
        for line in block.lines
    ]
    return table(rows, solo=not block.several)


class Row(NamedTuple):
    """What a row of a table is about."""

    name: str
    standing: Standing
    budget: Budget | None = None


def table(rows: Sequence[Row], *, solo: bool) -> list[list[str]]:
    """Standings as rows of cells, the head first; columns in which nothing would stand are left out."""
    standings = [row.standing for row in rows]
    moved = any(row.moves for row in standings)
    makers: list[tuple[str, bool, Callable[[Row], str]]] = [
        ("planner", True, lambda row: row.name),
        ("budget", any(row.budget for row in rows), lambda row: str(row.budget or "-")),
        ("games", True, lambda row: f"{row.standing.games:,}"),
        (
            "best possible" if solo else "win rate",
            any(row.win_rate for row in standings),
            lambda row: percent(row.standing.wins, row.standing.games),
        ),
        ("95 %", any(row.win_rate for row in standings), lambda row: _rate(row.standing)),
        (
            "mean return",
            True,
            lambda row: f"{row.standing.mean_return:+.3f}" if row.standing.games else "-",
        ),
        ("± s.e.", True, lambda row: _optional(row.standing.standard_error, ".3f")),
        ("Elo", any(row.elo for row in standings), lambda row: _elo(row.standing)[0]),
        ("95 %", any(row.elo for row in standings), lambda row: _elo(row.standing)[1]),
        ("s/game", not moved, lambda row: f"{row.standing.seconds:.3f}"),
        ("time/move", moved, lambda row: time(row.standing.seconds_a_move)),
        (
            "sims/move",
            any(row.simulations for row in standings),
            lambda row: _optional(row.standing.simulations_a_move, ",.0f"),
        ),
        (
            "steps/move",
            any(row.transitions for row in standings),
            lambda row: _optional(row.standing.transitions_a_move, ",.0f"),
        ),
        ("faults", any(row.faults for row in standings), lambda row: f"{row.standing.faults:,}"),
    ]
    shown = [(head, make) for head, wanted, make in makers if wanted]
    return [[head for head, _ in shown], *([make(row) for _, make in shown] for row in rows)]


def _rate(row: Standing) -> str:
    return span(*row.win_rate) if row.win_rate is not None and row.games else "-"


def _elo(row: Standing) -> tuple[str, str]:
    if row.elo is None:
        return "-", "-"
    return f"{row.elo.elo:+.0f}", f"{row.elo.low:+.0f} to {row.elo.high:+.0f}"


def _optional(value: float | None, form: str) -> str:
    return "" if value is None else format(value, form)


def time(seconds: float | None) -> str:
    """A short time.

    >>> from kibitz.lab.reports.text import time
    >>> [time(value) for value in (0.0000123, 0.0321, 4.2, None)]
    ['12 µs', '32.1 ms', '4.2 s', '-']
    """
    if not seconds:  # nobody measured
        return "-"
    if seconds < 0.0009995:
        return f"{1e6 * seconds:.0f} µs"
    return f"{1000 * seconds:.3g} ms" if seconds < 0.9995 else f"{seconds:.3g} s"


def first_seat(seat: Seat) -> str:
    """A sentence on how the first seat fares."""
    error = "" if seat.standard_error is None else f" ± {seat.standard_error:.3f}"
    return (
        f"The first seat ({seat.player}) wins {percent(seat.wins, seat.games)} ({span(*seat.win_rate)}) "
        f"and gets {seat.mean_return:+.3f}{error}."
    )


def percent(part: float, whole: int) -> str:
    """A share in percent.

    >>> from kibitz.lab.reports.text import percent
    >>> percent(1, 8)
    '12.5 %'
    """
    return f"{100 * part / whole:.1f} %" if whole else "-"


def span(low: float, high: float) -> str:
    """An interval of shares in percent.

    >>> from kibitz.lab.reports.text import span
    >>> span(0.2366, 0.7634)
    '23.7 to 76.3'
    """
    return f"{100 * low:.1f} to {100 * high:.1f}"


def columns(rows: Sequence[Sequence[str]]) -> list[str]:
    """Rows of cells as lines: the first column to the left, the others to the right.

    >>> from kibitz.lab.reports.text import columns
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
