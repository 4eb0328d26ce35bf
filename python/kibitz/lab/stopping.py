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
from kibitz.lab.standings import GameFacts, counted, win_shares
from kibitz.lab.statistics import Sprt, mean_of_deals


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
        score = 0.0
        for record in deal:
            outcome = counted(record, self.facts)
            # Of a deal with a fault that is nobody's there is no score; half of it would favour a seat.
            if outcome is None:
                return self.test.verdict.decided
            score += win_shares(outcome.places, self.facts)[record.seating.index(0)]
        return self.test.add(score).decided

    def words(self) -> str:
        verdict = self.test.verdict
        if verdict.accepted:
            return f"{verdict.accepted} accepted"
        return f"LLR {verdict.llr:+.2f} ({verdict.lower:.2f} to {verdict.upper:.2f})"


class _Width:
    """Until the intervals of all planners are narrow enough.

    They are confidence sequences: an interval that is looked at until it pleases must hold at every look.
    """

    def __init__(self, stop: Stop, width: float, cell: Cell, facts: GameFacts) -> None:
        self.width, self.least, self.facts = width, stop.least, facts
        self.returns = (stop.of or ("win rate" if len(facts.players) > 1 else "return")) == "return"
        self.planners: list[list[list[float]]] = [[] for _ in cell.planners]
        self.deals = 0
        self.widest = math.inf
        self._look = stop.least

    def enough(self, deal: Sequence[Record]) -> bool:
        self.deals += 1
        groups: list[list[float]] = [[] for _ in self.planners]
        for record in deal:
            if (outcome := counted(record, self.facts)) is not None:
                values = outcome.returns if self.returns else win_shares(outcome.places, self.facts)
                for planner, value in zip(record.seating, values, strict=True):
                    if value is not None:
                        groups[planner].append(value)
        for seen, group in zip(self.planners, groups, strict=True):
            seen.append(group)
        if self.deals < self._look:
            return False
        # Looks cost more the more there is to look at: one at each deal at first, then at every hundredth.
        self._look = self.deals + max(1, self.deals // 100)
        self.widest = 0.0
        for seen in self.planners:
            self.widest = max(self.widest, self._wide(seen))
            if self.widest > self.width:
                return False
        return True

    def _wide(self, groups: list[list[float]]) -> float:
        limits = self.facts.limits if self.returns else (0.0, 1.0)
        low, high = mean_of_deals(groups, limits, sequential=True)
        return high - low

    def words(self) -> str:
        return f"width {self.widest:.3g}, to be {self.width:g}"
