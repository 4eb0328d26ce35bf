"""When a cell has played enough: decided deal by deal, in the order of their numbers.

The order in which episodes happen to finish plays no part, so that the same experiment stops at the
same deal with any number of workers, and after any number of interruptions.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Protocol

from kibitz.lab.cells import Cell
from kibitz.lab.experiment import Stop
from kibitz.lab.record import Record
from kibitz.lab.standings import GameFacts, win_shares
from kibitz.lab.statistics import Sprt, wilson
from kibitz.lab.statistics.intervals import normal_quantile


class Rule(Protocol):
    """Is told one whole deal after the other."""

    def enough(self, deal: Sequence[Record]) -> bool:
        """Takes in all episodes of the next deal; whether the cell ends with it."""

    def words(self) -> str:
        """How far it is, for people."""


def rule_for(stop: Stop | None, cell: Cell, facts: GameFacts) -> Rule | None:
    """The stopping rule of a cell, at its beginning."""
    if stop is None:
        return None
    if stop.elo0 is not None and stop.elo1 is not None:
        return _Test(stop, stop.elo0, stop.elo1, cell, facts)
    if stop.width is not None:
        return _Width(stop, stop.width, cell, facts)
    return None


class _Test:
    """The sequential probability ratio test between two planners."""

    def __init__(self, stop: Stop, elo0: float, elo1: float, cell: Cell, facts: GameFacts) -> None:
        # Both seatings of a deal are one observation: they hang together.
        self.paired = len(cell.seatings(0)) == 2
        self.facts = facts
        self.test = Sprt(elo0=elo0, elo1=elo1, alpha=stop.alpha, beta=stop.beta, paired=self.paired)

    def enough(self, deal: Sequence[Record]) -> bool:
        # Of a deal with a fault there is no score; leaving out half of it would favour a seat.
        if any(record.fault for record in deal):
            return self.test.verdict.decided
        shares = (win_shares(record.returns, self.facts)[record.seating.index(0)] for record in deal)
        return self.test.add(sum(shares)).decided

    def words(self) -> str:
        verdict = self.test.verdict
        if verdict.accepted:
            return f"{verdict.accepted} accepted"
        return f"LLR {verdict.llr:+.2f} ({verdict.lower:.2f} to {verdict.upper:.2f})"


class _Width:
    """Until the intervals of all planners are narrow enough."""

    def __init__(self, stop: Stop, width: float, cell: Cell, facts: GameFacts) -> None:
        self.width, self.least, self.facts = width, stop.least, facts
        self.returns = (stop.of or ("win rate" if len(facts.players) > 1 else "return")) == "return"
        self.planners = [_Sums() for _ in cell.planners]
        self.deals = 0

    def enough(self, deal: Sequence[Record]) -> bool:
        self.deals += 1
        groups: list[list[float]] = [[] for _ in self.planners]
        for record in deal:
            if record.fault is None:
                values = record.returns if self.returns else win_shares(record.returns, self.facts)
                for planner, value in zip(record.seating, values, strict=True):
                    groups[planner].append(value)
        for sums, group in zip(self.planners, groups, strict=True):
            sums.add(group)
        return self.deals >= self.least and self._widest() <= self.width

    def _widest(self) -> float:
        return max(sums.spread() if self.returns else sums.share() for sums in self.planners)

    def words(self) -> str:
        return f"width {self._widest():.3g}, to be {self.width:g}"


class _Sums:
    """What an interval needs of the deals so far, in a few numbers.

    For the mean of all values with the deals as groups: with n_d values that sum up to s_d in deal d,
    the squares of s_d - n_d mean can be had from the sums of s_d², s_d n_d and n_d².
    """

    def __init__(self) -> None:
        self.groups = self.count = 0
        self.sum = self.squares = self.mixed = self.counts = 0.0

    def add(self, group: Sequence[float]) -> None:
        if group:
            total, count = math.fsum(group), len(group)
            self.groups += 1
            self.count += count
            self.sum += total
            self.squares += total * total
            self.mixed += total * count
            self.counts += count * count

    def share(self) -> float:
        """The width of Wilson's interval."""
        low, high = wilson(min(self.sum, self.count), self.count)
        return high - low

    def spread(self) -> float:
        """The width of the mean's interval."""
        if self.groups < 2:
            return math.inf
        mean = self.sum / self.count
        squares = max(0.0, self.squares - 2 * mean * self.mixed + mean * mean * self.counts)
        error = math.sqrt(squares * self.groups / (self.groups - 1)) / self.count
        return 2 * normal_quantile(0.975) * error
