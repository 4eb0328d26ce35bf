"""Published orders of planners: who is better than whom, on the same deals."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from kibitz.lab.measures import find
from kibitz.lab.reproductions import Order, Reproduction, Target
from kibitz.lab.standings import counted
from kibitz.lab.statistics import Difference, paired_difference

if TYPE_CHECKING:
    from kibitz.lab.cells import Cell
    from kibitz.lab.results import Results


@dataclass(frozen=True)
class Rank:
    """Two planners of an order, and what is found of them."""

    first: str
    second: str
    means: tuple[float, float]
    """Their mean returns, on the deals that both have played."""
    difference: Difference
    """By how much the first gets more; where the order is by processor time, by how much it takes less."""
    p_value: float
    """Kolmogorov and Smirnov's: how likely distributions differ so much where they do not."""
    cpu: tuple[float | None, float | None]
    """Seconds of processor time a game."""
    verdict: str
    cpu_difference: Difference | None = None
    """How many more seconds of it the first takes, deal by deal; None where nobody looked."""
    samples: tuple[tuple[float, ...], tuple[float, ...]] = field(default=((), ()), repr=False)
    """What they are compared by, a value for each game on those deals: for pictures."""

    def to_json(self) -> dict[str, Any]:
        """As plain lists and dicts."""
        more = self.cpu_difference
        return {
            "first": self.first,
            "second": self.second,
            "means": list(self.means),
            "difference": self.difference.mean,
            "interval": list(self.difference.interval),
            "deals": self.difference.deals,
            "p_value": self.p_value,
            "cpu": list(self.cpu),
            "cpu_difference": None
            if more is None
            else {"mean": more.mean, "interval": list(more.interval)},
            "verdict": self.verdict,
        }


def measure(reproduction: Reproduction, order: Order, results: Results) -> list[Rank]:
    """Each pair of an order, as far as the results go."""
    return list(_ranks(reproduction, order, results))


def places(reproduction: Reproduction, order: Order, cells: tuple[Cell, ...]) -> list[tuple[Cell, int]]:
    """The cell of each planner, and its number in it; ValueError where there is none."""
    found = [find(reproduction, _target(order, planner), cells) for planner in order.planners]
    for (cell, _), seat in zip(found, order.players, strict=False):
        if seat >= cell.players:
            raise ValueError(f"'{order.title}': {cell.game} has no player {seat}; they count from 0")
    return found


def _target(order: Order, planner: str) -> Target:
    return Target(order.title, "mean return", 0.0, 0.0, game=order.game, planner=planner)


def _names(order: Order) -> list[str]:
    """The planners, with their seats where they are told apart by these."""
    if not order.players:
        return [*order.planners]
    return [
        f"{planner} as player {seat + 1}"
        for planner, seat in zip(order.planners, order.players, strict=True)
    ]


def _seats(order: Order) -> list[int | None]:
    """On which seat each planner is looked at; None for on all."""
    return [*order.players] or [None] * len(order.planners)


def _ranks(reproduction: Reproduction, order: Order, results: Results) -> Iterator[Rank]:
    from scipy.stats import ks_2samp

    found = places(reproduction, order, results.cells)
    names = _names(order)
    a_move = order.measure == "CPU milliseconds a move"
    each = [
        _played(results, cell, number, seat, a_move)
        for (cell, number), seat in zip(found, _seats(order), strict=True)
    ]
    cpu = [results.result(cell).standings[number].cpu for cell, number in found]
    pairs = list(pairwise(range(len(found))))
    last = len(found) - 1
    if order.claim == "alike":
        pairs = [(0, other) for other in range(1, len(found))]
    elif order.claim == "all better":
        pairs = [(one, last) for one in range(last)]
    for one, other in pairs:
        (returns, seconds), (others_returns, others_seconds) = each[one], each[other]
        limits = results.games[found[one][0].game].limits
        confidence = reproduction.confidence
        dearer = None
        if seconds and others_seconds:
            dearer = paired_difference(seconds, others_seconds, confidence=confidence)
        if order.measure != "mean return":
            first, second = seconds, others_seconds
            difference = paired_difference(second, first, confidence=confidence)
        else:
            first, second = returns, others_returns
            difference = paired_difference(first, second, confidence=confidence, limits=limits)
        mine, theirs = _common(first, second)
        yield Rank(
            names[one],
            names[other],
            (_mean(_common(returns, others_returns)[0]), _mean(_common(others_returns, returns)[0])),
            difference,
            float(ks_2samp(mine, theirs).pvalue) if mine and theirs else math.nan,
            (cpu[one], cpu[other]),
            _verdict(order, difference),
            dearer,
            (tuple(mine), tuple(theirs)),
        )


Deals = dict[Hashable, list[float]]


def _common(first: Deals, second: Deals) -> tuple[list[float], list[float]]:
    """The values of both, on the deals that both have played."""
    common = [deal for deal in first if deal in second]
    mine, theirs = ([value for deal in common for value in each[deal]] for each in (first, second))
    return mine, theirs


def _mean(values: list[float]) -> float:
    return math.fsum(values) / len(values) if values else math.nan


def _verdict(order: Order, difference: Difference) -> str:
    low, high = difference.interval
    if order.claim == "alike":
        return "no difference found" if low <= 0 <= high else "differs"
    if low > 0:
        return "as published"
    return "the other way round" if high < 0 else "cannot tell yet"


def _played(
    results: Results, cell: Cell, planner: int, on: int | None, a_move: bool
) -> tuple[Deals, Deals]:
    """What a planner got on a seat (or on all) by deal, and the processor time that it took, where somebody
    looked: seconds a game, or milliseconds a move."""
    facts = results.games[cell.game]
    returns: Deals = {}
    seconds: Deals = {}
    for record in results.records(cell):
        outcome = counted(record, facts)
        if outcome is None:
            continue
        mine = [
            seat for seat, number in enumerate(record.seating) if number == planner and on in (None, seat)
        ]
        for seat in mine:
            value = outcome.returns[seat]
            if value is not None:
                returns.setdefault(record.episode, []).append(value)
        for seat in mine if record.cpu else []:
            share = 1000 / max(1, record.moves[seat]) if a_move else 1.0
            seconds.setdefault(record.episode, []).append(share * record.cpu[seat])
    return returns, seconds


def lines(ranks: list[Rank]) -> list[str]:
    r"""The planners of an order with what they get, and below how each pair compares.

    >>> from kibitz.lab.orders import Rank, lines
    >>> from kibitz.lab.statistics import Difference, Interval
    >>> found = Difference(2.0, 0.5, Interval(1.0, 3.0), 40)
    >>> print(*lines([Rank("a", "b", (5.0, 3.0), found, 0.01, (0.5, None), "as published")]), sep="\n")
    planner  mean return  CPU s/game
    1: a            5.00         0.5
    2: b            3.00
    pair  difference        interval  deals  KS p  CPU s more       verdict
    1, 2       +2.00  +1.00 to +3.00     40  0.01              as published
    """
    from kibitz.lab.reports.text import columns

    planners: dict[str, list[str]] = {}
    pairs = [["pair", "difference", "interval", "deals", "KS p", "CPU s more", "verdict"]]
    for seat in (0, 1):
        for rank in ranks:
            planner, mean, cpu = (rank.first, rank.second)[seat], rank.means[seat], rank.cpu[seat]
            name = f"{len(planners) + 1}: {planner}"
            planners.setdefault(planner, [name, f"{mean:.2f}", "" if cpu is None else f"{cpu:.3g}"])
    for rank in ranks:
        numbers = [str([*planners].index(planner) + 1) for planner in (rank.first, rank.second)]
        found = rank.difference
        digits = 2 if max(map(abs, found.interval), default=0.0) >= 1 else 4
        around = f"{found.interval.low:+.{digits}f} to {found.interval.high:+.{digits}f}"
        figures = [f"{found.mean:+.{digits}f}", around, f"{found.deals:,}", f"{rank.p_value:.3g}"]
        more, dearer = rank.cpu_difference, ""
        if more is not None:
            dearer = f"{more.mean:+.3g} ({more.interval.low:+.3g} to {more.interval.high:+.3g})"
        pairs.append([", ".join(numbers), *figures, dearer, rank.verdict])
    table = columns([["planner", "mean return", "CPU s/game"], *planners.values()])
    return [*table, *columns(pairs)]
