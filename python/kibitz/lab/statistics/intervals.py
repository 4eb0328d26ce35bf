"""Intervals for shares of independent games, and for means without bounds.

Games of a match are not independent: `bounded` has the intervals for those, which take deals as the unit.
Equal values tell nothing of how far others may be, so no interval here has the width zero either.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

RESAMPLES = 9_999
"""How often the bootstrap draws new deals."""

FEW = 1_000
"""Up to so many deals the bootstrap corrects its bias; the correction's cost grows with their square,
and it has nothing left to correct where there are many."""


class Interval(NamedTuple):
    """Both ends of a confidence interval."""

    low: float
    high: float


def wilson(successes: float, trials: int, confidence: float = 0.95) -> Interval:
    """Wilson's score interval for a proportion (Wilson 1927); the whole range without trials.

    A draw may count as half a success: the interval is then rather too wide than too narrow.

    >>> from kibitz.lab import wilson
    >>> low, high = wilson(5, 10)
    >>> round(low, 4), round(high, 4)
    (0.2366, 0.7634)
    """
    _check(successes, trials, confidence)
    if trials == 0:
        return Interval(0.0, 1.0)
    z = normal_quantile(0.5 + confidence / 2)
    share = successes / trials
    middle = share + z * z / (2 * trials)
    half = z * math.sqrt(share * (1 - share) / trials + z * z / (4 * trials * trials))
    scale = 1 + z * z / trials
    # Rounding must not leave out what was seen.
    low, high = (middle - half) / scale, (middle + half) / scale
    return Interval(max(0.0, min(share, low)), min(1.0, max(share, high)))


def clopper_pearson(successes: float, trials: float, confidence: float = 0.95) -> Interval:
    """The exact interval for a proportion (Clopper and Pearson 1934); between whole numbers it is read off
    the same beta distributions.

    >>> from kibitz.lab import clopper_pearson
    >>> low, high = clopper_pearson(5, 10)
    >>> round(low, 4), round(high, 4)
    (0.1871, 0.8129)
    """
    from scipy.special import betaincinv

    _check(successes, trials, confidence)
    tail = (1 - confidence) / 2
    low = betaincinv(successes, trials - successes + 1, tail) if successes > 0 else 0.0
    high = betaincinv(successes + 1, trials - successes, 1 - tail) if successes < trials else 1.0
    return Interval(float(low), float(high))


def normal_quantile(share: float) -> float:
    """Below which value so much of the standard normal distribution lies.

    >>> from kibitz.lab.statistics.intervals import normal_quantile
    >>> round(normal_quantile(0.975), 2)
    1.96
    """
    from statistics import NormalDist

    return NormalDist().inv_cdf(share)


def normal_share(value: float) -> float:
    """How much of the standard normal distribution lies below a value.

    >>> from kibitz.lab.statistics.intervals import normal_share
    >>> round(normal_share(1.96), 3)
    0.975
    """
    from statistics import NormalDist

    return NormalDist().cdf(value)


def _check(successes: float, trials: float, confidence: float) -> None:
    if not 0 <= successes <= trials:
        raise ValueError(f"{successes:g} successes in {trials:g} trials cannot be")
    check_confidence(confidence)


def check_confidence(confidence: float) -> None:
    """ValueError for a confidence that is none."""
    if not 0 < confidence < 1:
        raise ValueError(f"a confidence lies between 0 and 1, so {confidence:g} is none")


def mean_and_error(groups: Sequence[Sequence[float]]) -> tuple[float, float | None]:
    """The mean of all values, and its standard error where the values of a group hang together.

    Games on the same deal are a group: only the deals are independent (the cluster-robust error,
    Liang and Zeger 1986). With groups of one it is the usual standard error; there is none for
    fewer than two groups.

    >>> from kibitz.lab.statistics import mean_and_error
    >>> mean_and_error([[1.0], [0.0], [1.0], [0.0]])[0]
    0.5
    >>> mean_and_error([[1.0, 0.0], [1.0, 0.0]])
    (0.5, 0.0)
    """
    groups = [group for group in groups if group]
    count = sum(len(group) for group in groups)
    if count == 0:
        return math.nan, None
    mean = math.fsum(value for group in groups for value in group) / count
    if len(groups) < 2:
        return mean, None
    squares = math.fsum(math.fsum(value - mean for value in group) ** 2 for group in groups)
    return mean, math.sqrt(squares * len(groups) / (len(groups) - 1)) / count


def mean_interval(groups: Sequence[Sequence[float]], confidence: float = 0.95) -> Interval:
    """Student's interval of the mean of all values, where the values of a group hang together.

    The whole line for fewer than two groups, and where all of them came out the same.

    >>> from kibitz.lab.statistics import mean_interval
    >>> low, high = mean_interval([[1.0], [2.0], [3.0]])
    >>> round(low, 3), round(high, 3)
    (-0.484, 4.484)
    """
    check_confidence(confidence)
    groups = [group for group in groups if group]
    mean, error = mean_and_error(groups)
    if not error:
        return Interval(-math.inf, math.inf)
    half = student_quantile(0.5 + confidence / 2, len(groups) - 1) * error
    return Interval(mean - half, mean + half)


def student_quantile(share: float, freedom: int) -> float:
    """Below which value so much of Student's distribution lies.

    >>> from kibitz.lab.statistics.intervals import student_quantile
    >>> round(student_quantile(0.975, 10), 3)
    2.228
    """
    from scipy.special import stdtrit

    return float(stdtrit(freedom, share))


def bootstrap_mean(
    groups: Sequence[Sequence[float]],
    *,
    confidence: float = 0.95,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Interval:
    """The bootstrap's interval of the mean of all (Efron 1987): where returns are far from normal.

    Whole groups, that is deals, are drawn: the values of a group hang together. The same seed gives
    the same interval. The whole line for fewer than two groups, and where all came out the same.

    >>> from kibitz.lab.statistics import bootstrap_mean
    >>> low, high = bootstrap_mean([[0.0], [0.0], [0.0], [10.0], [0.0], [20.0]])
    >>> low >= 0, 10 < high < 20
    (True, True)
    """
    import numpy as np
    from scipy.stats import bootstrap

    check_confidence(confidence)
    groups = [group for group in groups if group]
    if len(groups) < 2:
        return Interval(-math.inf, math.inf)
    sums = np.array([math.fsum(group) for group in groups])
    counts = np.array([float(len(group)) for group in groups])
    if np.ptp(sums / counts) == 0:
        return Interval(-math.inf, math.inf)

    def ratio(sums: NDArray[np.float64], counts: NDArray[np.float64], axis: int = -1) -> Any:
        return sums.sum(axis=axis) / counts.sum(axis=axis)

    result = bootstrap(
        (sums, counts),
        ratio,
        paired=True,
        vectorized=True,
        n_resamples=resamples,
        batch=max(1, 1_000_000 // len(groups)),  # a few megabytes at a time
        confidence_level=confidence,
        method="BCa" if len(groups) <= FEW else "percentile",
        rng=np.random.default_rng(seed),
    ).confidence_interval
    return Interval(float(result.low), float(result.high))
