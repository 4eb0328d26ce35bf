"""The register of comparisons: what is asked about every small game."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from kibitz.testing.differential.case import Case, Difference

Check = Callable[[Case], Iterator[Difference]]
LOST = ("explains", "disagree", "at random", "no particle")
"""Words of notes that say that a belief, or a planner, has lost its way."""
CHECKS: dict[str, Check] = {}
"""All comparisons by name."""
DEAR: set[str] = set()
"""Those that take long, of which each game may be put to a few only."""


def check(name: str, *, dear: bool = False) -> Callable[[Check], Check]:
    """Registers a comparison."""

    def add(function: Check) -> Check:
        CHECKS[name] = function
        if dear:
            DEAR.add(name)
        return function

    return add
