"""Puts random games to the comparisons, and keeps the first that each of them fails."""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from kibitz.testing.differential import beliefs, planners, solvers
from kibitz.testing.differential.case import Case, Difference
from kibitz.testing.differential.checks import CHECKS, DEAR
from kibitz.testing.differential.random_games import random_table
from kibitz.testing.differential.shrink import shrink
from kibitz.testing.differential.tables import Table

COMPARISONS = (solvers, beliefs, planners)
"""What has filled the register of checks."""


@dataclass(frozen=True)
class Found:
    """A difference, the smallest game that shows it, and the seed of the game where it was met."""

    seed: str
    number: int
    table: Table
    difference: Difference

    def __str__(self) -> str:
        lines = [
            f"# game {self.seed}: {self.difference}",
            "import kibitz as kb",
            "from collections import Counter",
            "from kibitz._core import GameTree",
            "from kibitz.testing.differential import Table",
            f"table = {self.table.text()}",
            "game = kb.load(Table.of(table).rules())",
        ]
        *before, last = self.difference.code.split("; ")
        last = last if last.startswith("print") else f"print({last})"
        return "\n".join([*lines, *before, last])


@dataclass
class Outcome:
    """What a comparison over many games has come to."""

    games: int = 0
    compared: Counter[str] = field(default_factory=Counter)
    """How often each check was made."""
    seconds: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    """How long each took."""
    differences: list[Found] = field(default_factory=list)
    """The first of each check."""
    failed: Counter[str] = field(default_factory=Counter)
    """In how many games each check found a difference."""


def examine(case: Case, check: str) -> Difference | None:
    """What one check finds in one game, if anything; an exception is a difference, too."""
    try:
        return next(iter(CHECKS[check](case)), None)
    except Exception as error:
        return Difference(check, f"{type(error).__name__}: {error}", "an answer", "game")


def compare(
    *,
    games: int,
    seed: int = 0,
    checks: Sequence[str] | None = None,
    dear: int | None = None,
    shrinking: bool = True,
    told: Callable[[Found], None] | None = None,
    outcome: Outcome | None = None,
) -> Outcome:
    """Compares on so many random games; of the checks that take long only `dear` of each, drawn anew.

    A check that has found a difference is not made again, unless nothing is to be made smaller. Whoever
    wants to follow, or may be interrupted, gives the `outcome` to be filled.
    """
    outcome = Outcome() if outcome is None else outcome
    names = [*(CHECKS if checks is None else checks)]
    for number in range(games):
        key = f"{seed}-{number}"
        case = Case(random_table(key), key)
        for name in _some(names, dear, case):
            if shrinking and outcome.failed[name]:
                continue
            begin = time.perf_counter()
            difference = examine(case, name)
            outcome.seconds[name] += time.perf_counter() - begin
            outcome.compared[name] += 1
            if difference is None:
                continue
            outcome.failed[name] += 1
            if outcome.failed[name] > 1:
                continue
            table = case.table
            if shrinking:
                table, difference = shrink(table, difference, _again(name, key))
            outcome.differences.append(Found(key, number + 1, table, difference))
            if told is not None:
                told(outcome.differences[-1])
        outcome.games += 1
    return outcome


def _again(name: str, key: str) -> Callable[[Table], Difference | None]:
    return lambda table: examine(Case(table, key), name)


def _some(names: list[str], dear: int | None, case: Case) -> list[str]:
    """All checks, with so many of those that take long."""
    if dear is None:
        return names
    long = [name for name in names if name in DEAR]
    chosen = {*case.rng("checks").sample(long, min(dear, len(long)))}
    return [name for name in names if name not in DEAR or name in chosen]
