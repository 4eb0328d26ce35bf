"""Two planners, or several, on the same deals: what they differ by, and rank tests."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from typing import NamedTuple

from kibitz.lab.statistics.bounded import mean_of_deals
from kibitz.lab.statistics.intervals import Interval, check_confidence, mean_and_error
from kibitz.lab.statistics.ties import levelled, same


class Difference(NamedTuple):
    """By how much the first gets more than the second, over the deals that both have played."""

    mean: float
    error: float | None
    """The standard error over deals; None for fewer than two."""
    interval: Interval
    deals: int


class RankTest(NamedTuple):
    """A test that only looks at the order of returns."""

    test: str
    statistic: float
    p_value: float
    """Two-sided: how likely at least so much of a difference is where there is none."""
    deals: int
    """How many deals (or episodes of the smaller sample, where they are not paired) it rests on."""


def paired_difference(
    first: Mapping[Hashable, Sequence[float]],
    second: Mapping[Hashable, Sequence[float]],
    *,
    confidence: float = 0.95,
    limits: tuple[float, float] = (-math.inf, math.inf),
) -> Difference:
    """The mean difference of returns on common deals, with its interval over deals: Student's, or, where
    `limits` of returns are given, a bounded one (`mean_of_deals`).

    Both give the returns by deal, one or several (one for each seating) a deal; deals that only one
    of them has played are left out. The games of a deal hang together: its difference counts once.

    >>> from kibitz.lab.statistics import paired_difference
    >>> first, second = {0: [1.0, 2.0], 1: [5.0], 2: [9.0]}, {0: [1.0, 1.0], 1: [4.0], 3: [0.0]}
    >>> difference = paired_difference(first, second)
    >>> difference.mean, difference.error, difference.deals
    (0.75, 0.25, 2)
    """
    check_confidence(confidence)
    common = [deal for deal in first if second.get(deal) and first[deal]]
    differences = [_mean(first[deal]) - _mean(second[deal]) for deal in common]
    groups = [[difference] for difference in differences]
    mean, error = mean_and_error(groups)
    widest = limits[1] - limits[0]
    interval = mean_of_deals(groups, (-widest, widest), confidence)
    return Difference(mean, error, interval, len(common))


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)


def wilcoxon(first: Sequence[float], second: Sequence[float]) -> RankTest:
    """Wilcoxon's signed-rank test: the same deals, deal by deal in the same order.

    Deals on which both got the same are ranked and share their sign (Pratt 1959).

    >>> from kibitz.lab.statistics import wilcoxon
    >>> round(wilcoxon([1, 2, 3, 4, 5, 6], [0, 0, 0, 0, 0, 0]).p_value, 5)
    0.03125
    """
    from scipy import stats

    _check_paired([first, second])
    test = "Wilcoxon's signed ranks"
    differences = [0.0 if same(a, b) else a - b for a, b in zip(first, second, strict=True)]
    if not any(differences):
        return RankTest(test, 0.0, 1.0, len(first))  # nothing to rank
    result = stats.wilcoxon(levelled([differences])[0], zero_method="zsplit")
    return RankTest(test, float(result.statistic), float(result.pvalue), len(first))


def mann_whitney(first: Sequence[float], second: Sequence[float]) -> RankTest:
    """Mann and Whitney's test: two samples of episodes that have nothing to do with each other.

    >>> from kibitz.lab.statistics import mann_whitney
    >>> round(mann_whitney([1, 2, 3, 4], [5, 6, 7, 8]).p_value, 4)
    0.0286
    """
    from scipy import stats

    if not first or not second:
        raise ValueError("a rank test needs at least one value of each")
    first, second = levelled([first, second])
    result = stats.mannwhitneyu(first, second)
    return RankTest(
        "Mann and Whitney's", float(result.statistic), float(result.pvalue), min(len(first), len(second))
    )


def friedman(samples: Sequence[Sequence[float]]) -> RankTest:
    """Friedman's test: whether any of three or more differs from the others on the same deals.

    >>> from kibitz.lab.statistics import friedman
    >>> friedman([[1, 1, 1, 1], [2, 2, 2, 2], [3, 3, 3, 3]]).statistic
    8.0
    """
    from scipy import stats

    _check_paired(samples)
    if len(samples) < 3:
        raise ValueError(f"Friedman's test compares three or more, not {len(samples)}")
    samples, deals = levelled(samples), len(samples[0])
    if all(len({*values}) == 1 for values in zip(*samples, strict=True)):
        return RankTest("Friedman's", 0.0, 1.0, deals)  # all the same on every deal
    result = stats.friedmanchisquare(*samples)
    return RankTest("Friedman's", float(result.statistic), float(result.pvalue), deals)


def _check_paired(samples: Sequence[Sequence[float]]) -> None:
    lengths = [len(sample) for sample in samples]
    if not lengths or len({*lengths}) > 1 or lengths[0] < 1:
        each = ", ".join(map(str, lengths)) or "none"
        raise ValueError(f"a paired test needs the same deals for everybody, not samples of {each}")
