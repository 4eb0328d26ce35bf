"""Intervals for win rates, standard errors for means, ratings from games between many.

Wilson's interval is the one to show, Clopper and Pearson's, which never covers too seldom, the one
to claim with.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

ELO = 400 / math.log(10)
"""Elo points in one unit of the logistic scale."""


class Interval(NamedTuple):
    """Both ends of a confidence interval."""

    low: float
    high: float


class Rating(NamedTuple):
    """A rating in Elo points, with its interval; the ratings of a match have the mean zero."""

    elo: float
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
    z = _normal_quantile(0.5 + confidence / 2)
    share = successes / trials
    middle = share + z * z / (2 * trials)
    half = z * math.sqrt(share * (1 - share) / trials + z * z / (4 * trials * trials))
    scale = 1 + z * z / trials
    # Rounding must not leave out what was seen.
    low, high = (middle - half) / scale, (middle + half) / scale
    return Interval(max(0.0, min(share, low)), min(1.0, max(share, high)))


def clopper_pearson(successes: int, trials: int, confidence: float = 0.95) -> Interval:
    """The exact interval for a proportion (Clopper and Pearson 1934).

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


def _normal_quantile(share: float) -> float:
    from statistics import NormalDist

    return NormalDist().inv_cdf(share)


def _check(successes: float, trials: int, confidence: float) -> None:
    if not 0 <= successes <= trials:
        raise ValueError(f"{successes:g} successes in {trials} trials cannot be")
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


def bradley_terry(
    scores: Mapping[tuple[int, int], float], players: int, *, draws: float = 1.0, confidence: float = 0.95
) -> list[Rating]:
    """Elo ratings by maximum likelihood (Bradley and Terry 1952), with intervals from the Hessian.

    `scores[i, j]` is how many games `i` won against `j`, a draw being half a game for both. Who
    always wins would be infinitely strong; therefore every two players are taken to have played
    `draws` drawn games more than they did (a weak prior).

    >>> from kibitz.lab import bradley_terry
    >>> strong, weak = bradley_terry({(0, 1): 75, (1, 0): 25}, 2, draws=0)
    >>> round(strong.elo - weak.elo, 2)  # odds of 3 to 1 are 400 log10(3)
    190.85
    """
    import numpy as np

    won = np.full((players, players), draws / 2)
    np.fill_diagonal(won, 0.0)
    for (i, j), score in scores.items():
        if i != j:
            won[i, j] += score
    played = won + won.T
    _check_connected(won)
    strength = np.zeros(players)
    # Newton's method; adding 1/players everywhere fixes the mean, which the games leave open.
    for _ in range(100):
        expected = 1 / (1 + np.exp(strength[None, :] - strength[:, None]))
        gradient = (won - played * expected).sum(axis=1)
        weights = played * expected * (1 - expected)
        hessian = np.diag(weights.sum(axis=1)) - weights + 1 / players
        step = np.linalg.solve(hessian, gradient)
        largest = float(np.abs(step).max(initial=0.0))
        strength += step / max(1.0, largest)
        strength -= strength.mean()
        if largest < 1e-10:
            break
    covariance = np.linalg.inv(hessian) - 1 / players
    z = _normal_quantile(0.5 + confidence / 2)
    errors = z * ELO * np.sqrt(np.maximum(np.diag(covariance), 0.0))
    points = ELO * strength
    return [
        Rating(float(elo), float(elo - error), float(elo + error))
        for elo, error in zip(points, errors, strict=True)
    ]


def _check_connected(won: NDArray[np.float64]) -> None:
    """Ratings exist where everybody can be reached from everybody by wins (Ford 1957)."""
    players = len(won)
    reach = won > 0
    reach.flat[:: players + 1] = True
    for _ in range(players.bit_length()):
        reach = reach @ reach
    if not reach.all():
        raise ValueError(
            "without drawn games as a prior nobody may have won all, or lost all, of the games"
        )
