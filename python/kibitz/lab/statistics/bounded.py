"""Intervals of the mean of bounded values that come in deals: of win rates and of returns alike.

Deals are the unit. Games on one deal hang together, only the deals are independent; and what was not seen
yet may still happen, as much as the bounds allow. So no interval has the width zero, none reaches beyond
the bounds, and the win rate and the return of the same games never contradict each other.

`bounded_mean` is for who looks once, after a number of deals that was fixed beforehand;
`confidence_sequence` for who looks again and again, or stops when the figures please.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from kibitz.lab.statistics.intervals import Interval, check_confidence, mean_interval

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

FEW_DEALS = 10
"""With fewer deals, or deals that are worth fewer because their sizes differ, intervals are rough."""

STAKES = 48
"""Between how many bets a confidence sequence divides its capital."""


class _Deals(NamedTuple):
    """Deals as shares of the way from the low bound to the high one, equal ones together."""

    sums: NDArray[np.float64]
    """Of the values of a deal, over the size of the largest deal."""
    sizes: NDArray[np.float64]
    """Of a deal, over that of the largest."""
    counts: NDArray[np.float64]
    """How many deals are like that."""

    @property
    def mean(self) -> float:
        return float(self.counts @ self.sums / (self.counts @ self.sizes))

    def turned(self) -> _Deals:
        """The same seen from the other bound."""
        return _Deals(self.sizes - self.sums, self.sizes, self.counts)


def bounded_mean(
    groups: Sequence[Sequence[float]], low: float, high: float, confidence: float = 0.95
) -> Interval:
    """The interval of the mean of all values, none of which can be below `low` or above `high`.

    Gaffke's interval (2005; Learned-Miller and Thomas 2020): each deal is given a random weight, as in the
    Bayesian bootstrap, and one more deal that was not seen is given one, at the bound. With values of
    two kinds, a game a deal, this is Clopper and Pearson's; where all deals came out the same it still has
    a width; with many deals it is Student's. The whole range without values.

    >>> from kibitz.lab.statistics import bounded_mean, clopper_pearson
    >>> low, high = bounded_mean([[1.0]] * 5 + [[0.0]] * 5, 0, 1)
    >>> round(low, 4), round(high, 4)  # Clopper and Pearson's
    (0.1871, 0.8129)
    >>> low, high = bounded_mean([[0.0, 1.0]] * 30, 0, 1)  # always one game of two
    >>> round(low, 3), round(high, 3)
    (0.442, 0.558)
    """
    return _interval(groups, low, high, confidence, _gaffke)


def confidence_sequence(
    groups: Sequence[Sequence[float]], low: float, high: float, confidence: float = 0.95
) -> Interval:
    """An interval as `bounded_mean`'s that holds however often one looks, and whenever one stops.

    A mean is left out once somebody who bets against it, deal by deal, would have multiplied the stake by
    2 / (1 - confidence): that seldom happens to a true one, ever (Ville's inequality; Waudby-Smith and
    Ramdas 2024). The stake is divided between bets of all sizes, so that nothing has to be tuned.

    >>> from kibitz.lab.statistics import bounded_mean, confidence_sequence
    >>> deals = [[1.0], [0.0], [1.0]] * 20
    >>> once, always = bounded_mean(deals, 0, 1), confidence_sequence(deals, 0, 1)
    >>> always.low < once.low < once.high < always.high
    True
    """
    return _interval(groups, low, high, confidence, _betting)


def mean_of_deals(
    groups: Sequence[Sequence[float]],
    limits: tuple[float, float],
    confidence: float = 0.95,
    *,
    sequential: bool = False,
) -> Interval:
    """The interval of the mean of all values: bounded, where `limits` are finite and no value breaks them.

    Without bounds it is Student's, or the whole line where nothing tells how far values vary: fewer than
    two deals, deals that are all the same, or (`sequential`) a number of deals that was not fixed.

    >>> from kibitz.lab.statistics import mean_of_deals
    >>> mean_of_deals([[3.0], [3.0], [3.0]], (-float("inf"), float("inf")))
    Interval(low=-inf, high=inf)
    """
    if all(map(math.isfinite, limits)) and all(_within(group, *limits) for group in groups):
        return (confidence_sequence if sequential else bounded_mean)(groups, *limits, confidence)
    return Interval(-math.inf, math.inf) if sequential else mean_interval(groups, confidence)


def worth(sizes: Sequence[int]) -> float:
    """How many deals of equal size are worth as much as deals of these sizes (Kish 1965).

    >>> from kibitz.lab.statistics.bounded import worth
    >>> worth([2, 2, 2]), round(worth([100, 1, 1, 1]), 2)
    (3.0, 1.06)
    """
    squares = math.fsum(size * size for size in sizes)
    return sum(sizes) ** 2 / squares if squares else 0.0


def _interval(
    groups: Sequence[Sequence[float]],
    low: float,
    high: float,
    confidence: float,
    reach: Callable[[_Deals, float], float],
) -> Interval:
    check_confidence(confidence)
    if not (math.isfinite(low) and math.isfinite(high) and low <= high):
        raise ValueError(f"bounds are two numbers, the lower one first, not {low:g} and {high:g}")
    for group in groups:
        if not _within(group, low, high):
            raise ValueError(f"{min(group):g} to {max(group):g} is not within {low:g} and {high:g}")
    if not any(groups) or low == high:
        return Interval(low, high)
    deals = _deals(groups, low, high)
    tail = (1 - confidence) / 2
    mean = low + (high - low) * deals.mean
    above, below = reach(deals, tail), reach(deals.turned(), tail)
    # Rounding must not leave out what was seen.
    return Interval(
        max(low, min(mean, high - (high - low) * below)), min(high, max(mean, low + (high - low) * above))
    )


def _within(values: Sequence[float], low: float, high: float) -> bool:
    """Whether no value is beyond the bounds, by more than rounding."""
    slack = 1e-9 * max(1.0, abs(low), abs(high))
    return not values or (min(values) >= low - slack and max(values) <= high + slack)


def _deals(groups: Sequence[Sequence[float]], low: float, high: float) -> _Deals:
    import numpy as np

    largest = max(map(len, groups))
    seen: Counter[tuple[float, float]] = Counter()
    for group, count in Counter(map(tuple, groups)).items():
        if group:
            # Sums that differ by rounding only are the same.
            total = round(math.fsum((v - low) / (high - low) for v in group) / largest, 12)
            seen[total, len(group) / largest] += count
    sums, sizes = (np.array([key[i] for key in seen]) for i in (0, 1))
    return _Deals(np.clip(sums, 0.0, sizes), sizes, np.array(list(seen.values()), dtype=float))


def _gaffke(deals: _Deals, tail: float) -> float:
    """The mean above which the weighted mean of the deals, and of one at the upper bound, seldom lies.

    Weights are exponential, so the question is how often the sum of E_d (sum_d - mean size_d) is above 0.
    """
    import numpy as np
    from scipy.optimize import brentq
    from scipy.special import betaincinv, ndtr

    sums, sizes = np.append(deals.sums, 1.0), np.append(deals.sizes, 1.0)
    counts = np.append(deals.counts, 1.0)
    inner = deals.sums < deals.sizes
    if not inner.any():
        return 1.0
    equal = deals.sizes.min() == 1
    if equal and inner.sum() == 1:  # two kinds of deals: their weights follow the beta distribution
        (value,), (count,) = deals.sums[inner], deals.counts[inner]
        return float(value + (1 - value) * betaincinv(counts.sum() - count, count, 1 - tail))

    def excess(mean: float) -> float:
        """How much more often than `tail` it is above: by the saddlepoint (Lugannani and Rice 1980)."""
        away = sums - mean * sizes
        if away.min() >= 0:
            return 1 - tail
        a, b = 1 / away.min(), 1 / away.max()
        margin = 1e-12 * (b - a)

        def slope(t: float) -> float:
            return float(counts @ (away / (1 - t * away)))

        t = brentq(slope, a + margin, b - margin, xtol=1e-15)
        rest = 1 - t * away
        log = float(counts @ np.log(rest))
        w = math.copysign(math.sqrt(max(0.0, 2 * log)), t)
        u = t * math.sqrt(float(counts @ (away / rest) ** 2))
        if abs(w) < 1e-4:  # at the middle both grow without bounds, and cancel
            return 0.5 - tail
        density = math.exp(-w * w / 2) / math.sqrt(2 * math.pi)
        return float(ndtr(-w)) + density * (1 / u - 1 / w) - tail

    begin = float(counts @ sums / (counts @ sizes))
    end = 1 - 1e-12
    if excess(begin) <= 0:
        return begin
    return float(brentq(excess, begin, end, xtol=1e-10)) if excess(end) < 0 else 1.0


def _betting(deals: _Deals, tail: float) -> float:
    """The mean above which bets that the true one is lower have won 1 / tail times the stake."""
    import numpy as np
    from scipy.optimize import brentq

    # A bet of c loses at most the share c of what there is: from a thousandth to nearly all.
    stakes = 1 / (1 + np.exp(np.linspace(math.log(1e-3), math.log(1e3), STAKES)))[:, None]
    goal = -math.log(tail)

    def gain(mean: float) -> float:
        # Of a deal: 1 + c (mean size - sum) / (1 - mean), which is never below 1 - c.
        won = (mean * deals.sizes - deals.sums) / (1 - mean)
        logs = np.log1p(stakes * won) @ deals.counts
        most = float(logs.max())
        return most + math.log(float(np.exp(logs - most).mean())) - goal

    begin, end = deals.mean, 1 - 1e-9
    if begin >= end:
        return 1.0
    return float(brentq(gain, begin, end, xtol=1e-9)) if gain(end) > 0 else 1.0
