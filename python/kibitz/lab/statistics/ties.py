"""When two returns are the same: sums of rewards differ by rounding, which must not decide a game."""

from __future__ import annotations

import math
from collections.abc import Sequence

CLOSE = 1e-9
"""Returns that differ by less, or by a smaller part of the larger one, are the same."""


def same(first: float, second: float) -> bool:
    """Whether two returns are the same but for rounding.

    >>> from kibitz.lab.statistics.ties import same
    >>> 0.1 + 0.2 == 0.3, same(0.1 + 0.2, 0.3)
    (False, True)
    """
    return math.isclose(first, second, rel_tol=CLOSE, abs_tol=CLOSE)


def points(mine: float, theirs: float) -> float:
    """1 for who got more, ½ for both where they got the same.

    >>> from kibitz.lab.statistics.ties import points
    >>> points(0.1 + 0.2, 0.3), points(1.0, 0.0)
    (0.5, 1.0)
    """
    return 0.5 if same(mine, theirs) else float(mine > theirs)


def levelled(samples: Sequence[Sequence[float]]) -> list[list[float]]:
    """The same samples with all that differs by rounding made equal, for ranks.

    >>> from kibitz.lab.statistics.ties import levelled
    >>> levelled([[0.1 + 0.2, 1.0], [0.3, 2.0]])
    [[0.3, 1.0], [0.3, 2.0]]
    """
    level: dict[float, float] = {}
    last = -math.inf
    for value in sorted({value for sample in samples for value in sample}):
        if not same(value, last):
            last = value
        level[value] = last
    return [[level[value] for value in sample] for sample in samples]
