"""Figures as tables for people: of a match, and of a whole report."""

from __future__ import annotations

import math
import os
import shutil
import sys
import textwrap
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from kibitz.lab.reports.figures import Block, Trouble, strength
from kibitz.lab.reports.names import Budget
from kibitz.lab.standings import MatchResult, Seat, Standing
from kibitz.lab.statistics.bounded import FEW_DEALS
from kibitz.lab.statistics.ratings import fields


def match_table(result: MatchResult) -> str:
    """The standings, best first, and how the first seat fares.

    >>> import kibitz as kb
    >>> result = kb.match("kuhn-poker", ["random", "random"], games=2)
    >>> print(result.games, "games:", str(result).splitlines()[0].split()[0])
    2 games: planner
    """
    order = sorted(result.standings, key=strength, reverse=True)
    rows = [Row(row.planner, row) for row in order]
    solo, cover = not result.seats, result.confidence
    lines = columns(table(rows, solo=solo, won_or_lost=result.won_or_lost, confidence=cover))
    said = [first_seat(result.seats[0])] if result.seats else []
    said += [*cautions(result), *ratings(result, [row.planner for row in result.standings])]
    said += [hurried(row, row.planner) for row in order if row.hurried]
    return "\n".join([*lines, *[""] * bool(said), *said])


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
    found += cautions(result)
    if result.cut:
        found.append(f"{result.cut:,} games were left unfinished; they count as they stood.")
    names = {line.number: line.name for line in block.lines}
    found += ratings(result, [names[number] for number in range(len(result.standings))])
    return found + [hurried(line.standing, line.name) for line in block.lines if line.standing.hurried]


def hurried(row: Standing, name: str) -> str:
    """A sentence on a planner that was to think for some milliseconds, but not alone.

    >>> from kibitz.lab.reports.text import hurried
    >>> from kibitz.lab.standings import Standing
    >>> hurried(Standing("uct", 8, 4.0, None, 0.0, None, None, None, 8.0, 1.0, processor=0.51), "uct")
    'uct had 51 % of the processor: budgets in milliseconds are not what they would be alone.'
    """
    share = f"{100 * (row.processor or 0.0):.0f} %"
    return f"{name} had {share} of the processor: budgets in milliseconds are not what they would be alone."


def ratings(result: MatchResult, names: Sequence[str]) -> list[str]:
    """What should be known of ratings: why there are none, and which cannot be compared."""
    if len(names) < 3 or not result.meetings:
        return []
    if not result.won_or_lost:
        return [
            "This game pays more than won or lost: the mean return tells who is better; there is no Elo."
        ]
    groups = fields(((each.planner, each.against) for each in result.meetings), len(names))
    listed = [
        f"[{number}] " + ", ".join(names[each] for each in group)
        for number, group in enumerate(groups, 1)
        if any(result.standings[each].games for each in group)
    ]
    if len(listed) < 2:
        return []
    return [
        f"Not comparable by Elo, since they never met, directly or through others: {'; '.join(listed)}."
    ]


def troubles(block: Block, most: int = 10) -> list[str]:
    """Sentences on the episodes with a fault, the most frequent reasons first."""
    found = [trouble_text(trouble) for trouble in block.troubles[:most]]
    if len(block.troubles) > most:
        found.append(f"and {len(block.troubles) - most} other kinds of faults")
    return found


def trouble_text(trouble: Trouble) -> str:
    """A sentence on episodes with a fault.

    >>> from kibitz.lab.reports.figures import Trouble
    >>> from kibitz.lab.reports.text import trouble_text
    >>> trouble_text(Trouble("uct", "raised", "ValueError: no", 3))
    '3 games count as lost, with the worst return: uct raised (ValueError: no)'
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
    fate = "left out"
    if trouble.planner:
        fate = f"count{'s' * (trouble.count == 1)} as lost, with the worst return"
    return f"{games} {fate}: {trouble.planner or 'the game'} {words[trouble.kind]}" + f" ({what})" * bool(
        what
    )


def block_table(block: Block) -> list[list[str]]:
    """The table of a game, its head first."""
    rows = [
        Row(line.family if block.sweep else line.name, line.standing, line.budget if block.sweep else None)
        for line in block.lines
    ]
    return table(rows, solo=not block.several, won_or_lost=block.result.won_or_lost)


class Row(NamedTuple):
    """What a row of a table is about."""

    name: str
    standing: Standing
    budget: Budget | None = None


def table(
    rows: Sequence[Row], *, solo: bool, won_or_lost: bool = True, confidence: float = 0.95
) -> list[list[str]]:
    """Standings as rows of cells, the head first; columns in which nothing would stand are left out.

    What tells most comes first: the win rate where a game pays nothing but `won_or_lost`, else the return.
    """
    standings = [row.standing for row in rows]
    cover = f"{100 * confidence:g} %"
    moved = any(row.moves for row in standings)
    found = {row.elo.field for row in standings if row.elo}
    wins: list[tuple[str, bool, Callable[[Row], str]]] = [
        (
            "best possible" if solo else "win rate",
            any(row.win_rate for row in standings),
            lambda row: percent(row.standing.wins, row.standing.games),
        ),
        (cover, any(row.win_rate for row in standings), lambda row: _rate(row.standing)),
    ]
    returns: list[tuple[str, bool, Callable[[Row], str]]] = [
        (
            "mean return",
            True,
            lambda row: _signed(row.standing.mean_return) if row.standing.games else "-",
        ),
        (cover, True, lambda row: _around(row.standing)),
    ]
    makers: list[tuple[str, bool, Callable[[Row], str]]] = [
        ("planner", True, lambda row: row.name),
        ("budget", any(row.budget for row in rows), lambda row: str(row.budget or "-")),
        ("games", True, lambda row: f"{row.standing.games:,}"),
        *(wins + returns if won_or_lost else returns + wins),
        ("Elo", bool(found), lambda row: _elo(row.standing, len(found))[0]),
        (cover, bool(found), lambda row: _elo(row.standing, len(found))[1]),
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
        (
            "processor",
            any(row.hurried for row in standings),
            lambda row: "" if row.standing.processor is None else f"{100 * row.standing.processor:.0f} %",
        ),
        ("faults", any(row.faults for row in standings), lambda row: f"{row.standing.faults:,}"),
    ]
    shown = [(head, make) for head, wanted, make in makers if wanted]
    return [[head for head, _ in shown], *([make(row) for _, make in shown] for row in rows)]


def _signed(mean: float) -> str:
    return "-" if math.isnan(mean) else f"{mean:+.3f}"


def _rate(row: Standing) -> str:
    return span(*row.win_rate) if row.win_rate is not None and row.games else "-"


def _around(row: Standing | Seat) -> str:
    around = row.return_interval
    return "cannot tell yet" if around is None else f"{around.low:+.3f} to {around.high:+.3f}"


def _elo(row: Standing, count: int) -> tuple[str, str]:
    if row.elo is None:
        return "-", "-"
    low, high = row.elo.low, row.elo.high
    if math.isinf(low) or math.isinf(high):
        open_ended = f"{low:+.0f} or more" if math.isfinite(low) else f"{high:+.0f} or less"
        between = "cannot tell" if math.isinf(low) and math.isinf(high) else open_ended
    else:
        between = f"{low:+.0f} to {high:+.0f}"
    # Those who never met are not comparable: where there are several fields, ratings are marked.
    return (f"[{row.elo.field + 1}] " if count > 1 else "") + f"{row.elo.elo:+.0f}", between


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
    return (
        f"The first seat ({seat.player}) wins {percent(seat.wins, seat.games)} ({span(*seat.win_rate)}) "
        f"and gets {_signed(seat.mean_return)} ({_around(seat)})."
    )


def cautions(result: MatchResult) -> list[str]:
    """Sentences on how far the intervals of a table may be believed."""
    found = []
    fewest = min((row for row in result.standings if row.games), key=lambda row: row.deals, default=None)
    if fewest is not None and fewest.deals < FEW_DEALS:
        found.append(
            f"Intervals are rough: the games of {fewest.planner} are worth {fewest.deals:.2g} deals of "
            f"equal size, and deals are the unit of all errors; {FEW_DEALS} or more can be trusted."
        )
    if result.sequential and result.games:
        found.append(
            "How many games there are was decided by their results, or they are looked at on the way: "
            "intervals are confidence sequences, which hold all the same; means may lean to one side."
        )
    if any(row.faults and row.games and math.isnan(row.mean_return) for row in result.standings):
        found.append(
            "Who is to blame for a game that came to nothing has no mean return here: the game declares no "
            "worst return, which it would have got."
        )
    shares = [row.left_out / (row.games + row.left_out) for row in result.standings if row.left_out]
    if shares:
        found.append(
            "Games for which nobody is to blame are left out: they could move a planner's figures by up to "
            f"{100 * max(shares):.1f} % of their range."
        )
    return found


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

    On a terminal that is too narrow for that, each row is a few lines, its cells beside their heads.

    >>> from kibitz.lab.reports.text import columns
    >>> columns([["planner", "games"], ["uct", "9"]])
    ['planner  games', 'uct          9']
    """
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    if sum(widths) + 2 * (len(widths) - 1) > (room := _room()):
        return _folded(rows, room)
    return [
        "  ".join(
            cell.rjust(width) if column else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]


def _room() -> int:
    """Columns for a table: those of the terminal; a file takes any number."""
    if sys.stdout is not None and (sys.stdout.isatty() or "COLUMNS" in os.environ):
        return shutil.get_terminal_size().columns
    return sys.maxsize


def _folded(rows: Sequence[Sequence[str]], room: int) -> list[str]:
    """A table that is narrow: below the first cell of a row, the others with their heads."""
    head, *others = rows
    lines = []
    for first, *cells in others:
        parts: list[str] = []
        for name, cell in zip(head[1:], cells, strict=True):
            if not cell.strip():
                continue
            # An interval belongs to the figure before it.
            if name.endswith("%") and parts:
                parts[-1] += f" ({cell.strip()})"
            else:
                parts.append(f"{name} {cell.strip()}".strip())
        lines.append(first)
        # What is said of one thing stays together: its spaces are put back when lines are made.
        whole = ", ".join(part.replace(" ", "\0") for part in parts)
        wrapped = textwrap.wrap(whole, room, initial_indent="  ", subsequent_indent="  ")
        lines += [line.replace("\0", " ") for line in wrapped]
    return lines
