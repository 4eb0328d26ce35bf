"""What a report is about: the figures of each game, made by the one summary that all share.

Records of several cells, pairings and seeds are put together by game. Planners are the same where
their specs are; deals where seed and number are, so that games on the same deal count as belonging
together in the errors.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from kibitz.games import load
from kibitz.lab._checked import printable
from kibitz.lab.match import labels
from kibitz.lab.record import Record
from kibitz.lab.reports.names import LONG, Budget, Names, read, shorten
from kibitz.lab.standings import GameFacts, MatchResult, Standing, counted, summarise


@dataclass(frozen=True)
class Line:
    """One planner at one budget."""

    standing: Standing
    number: int
    """Of the planner in the block's result."""
    name: str
    """Short."""
    family: str
    """The name without the budget."""
    budget: Budget | None
    caption: str
    """For pictures: the name, with the budget in short."""


@dataclass(frozen=True)
class Trouble:
    """Episodes that came to nothing for the same reason."""

    planner: str
    """Whose it was; empty where nobody knows."""
    kind: str
    what: str
    count: int


@dataclass(frozen=True)
class Block:
    """All that is known of one game."""

    facts: GameFacts
    result: MatchResult
    lines: list[Line]
    """The strongest first; the budgets of a planner one after the other where there are several."""
    common: str
    """What the short names leave out, because planners share it, in words."""
    seeds: list[int]
    troubles: list[Trouble]

    @property
    def several(self) -> bool:
        """Whether players meet, so that there is somebody to beat."""
        return len(self.facts.players) > 1

    @property
    def sweep(self) -> bool:
        """Whether some planner has played at several budgets."""
        counts = Counter((line.family, line.budget.kind) for line in self.lines if line.budget)
        return any(count > 1 for count in counts.values())

    @property
    def head(self) -> str:
        """The block in a few words."""
        result = self.result
        seeds = "seed" if len(self.seeds) == 1 else "seeds"
        shown = ", ".join(map(str, self.seeds[:8])) + (", …" if len(self.seeds) > 8 else "")
        return f"{result.games:,} games on {result.deals:,} deals, {seeds} {shown}"

    def returns(self, planner: int) -> list[float]:
        """What a planner got, game by game, where that is known."""
        return [
            value
            for record in self.result.records
            if (outcome := counted(record, self.facts)) is not None
            for number, value in zip(record.seating, outcome.returns, strict=True)
            if number == planner and value is not None
        ]


def blocks(
    records: Iterable[Record],
    facts: Mapping[str, GameFacts] | None = None,
    *,
    sequential: bool = False,
) -> list[Block]:
    """The figures of each game, in the order in which the games come up.

    >>> from kibitz.lab import Record
    >>> from kibitz.lab.reports.figures import blocks
    >>> known = {"game": "tic-tac-toe", "planners": ("uct", "random"), "steps": 5, "seconds": (0.1, 0.0)}
    >>> games = [Record(0, (0, 1), (1.0, -1.0), **known), Record(0, (1, 0), (-1.0, 1.0), **known)]
    >>> [line.standing.wins for line in blocks(games)[0].lines]
    [2.0, 0.0]
    """
    by_game: defaultdict[str, list[Record]] = defaultdict(list)
    for record in records:
        if not record.planners:
            raise ValueError("these records do not name their planners")
        by_game[printable(record.game)].append(record)
    return [_block(spec, group, (facts or {}).get(spec), sequential) for spec, group in by_game.items()]


def _block(spec: str, records: list[Record], facts: GameFacts | None, sequential: bool) -> Block:
    planners: dict[str, int] = {}
    """The number of each planner in this block."""
    deals: dict[tuple[int, int], int] = {}
    of_cell: dict[tuple[str, ...], list[int]] = {}
    merged = []
    for record in sorted(
        records, key=lambda record: (record.seed, record.episode, record.cell, record.seating)
    ):
        if record.planners not in of_cell:
            of_cell[record.planners] = [
                planners.setdefault(printable(label), len(planners)) for label in labels(record.planners)
            ]
        numbers = of_cell[record.planners]
        deal = deals.setdefault((record.seed, record.episode), len(deals))
        merged.append(replace(record, episode=deal, seating=tuple(numbers[own] for own in record.seating)))
    known = facts or _facts(spec, merged)
    if any(len(record.seating) != len(known.players) for record in merged):
        raise ValueError(
            f"these results are not of one game: {spec} has {len(known.players)} seats, not all have"
        )
    result = summarise(known, list(planners), merged, sequential=sequential)
    names = shorten(list(planners))
    lines = _lines(result, names)
    troubles = Counter(
        (
            names.short[record.seating[fault.seat]] if fault.seat is not None else "",
            fault.kind,
            printable(fault.what),
        )
        for record in merged
        if (fault := record.fault) is not None
    )
    found = [Trouble(*about, count) for about, count in troubles.most_common()]
    return Block(known, result, lines, names.common, sorted({record.seed for record in records}), found)


def _lines(result: MatchResult, names: Names) -> list[Line]:
    lines = []
    for number, (standing, short) in enumerate(zip(result.standings, names.short, strict=True)):
        spec = read(short)
        budget = read(standing.planner).budget
        family = spec.family.text()
        caption = f"{family} @{budget.amount:,g}" if budget and len(short) > LONG // 2 else short
        lines.append(Line(standing, number, short, family, budget, caption))
    if len({line.caption for line in lines}) < len(lines):  # budgets of different kinds
        lines = [replace(line, caption=line.name) for line in lines]
    lines.sort(key=lambda line: strength(line.standing), reverse=True)
    first: dict[str, int] = {}
    for line in lines:
        first.setdefault(line.family, len(first))
    several = len(first) < len(lines)

    def place(line: Line) -> tuple[int, str, float]:
        return (first[line.family], *(line.budget or ("", 0.0)))

    return sorted(lines, key=place) if several else lines


def strength(standing: Standing) -> tuple[float, float, float]:
    """What the best come first by: the rating within its field where there is one, then the mean return."""
    mean = standing.mean_return if standing.games and not math.isnan(standing.mean_return) else -math.inf
    if standing.elo is None:
        return -math.inf, 0.0, mean
    return -standing.elo.field, round(standing.elo.elo), mean


def _facts(spec: str, records: list[Record]) -> GameFacts:
    """A game's facts where the results do not hold them: from the game, or else nothing is known."""
    seats = len(records[0].seating)
    try:
        facts = GameFacts.of(load(spec))
    except (ValueError, TypeError, ImportError):
        pass
    else:
        if len(facts.players) == seats:
            return facts
    names = tuple(f"player {seat + 1}" for seat in range(seats))
    return GameFacts(spec, names, -math.inf, math.inf)
