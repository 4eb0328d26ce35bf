"""Elo ratings from games between many."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from kibitz.lab.statistics.intervals import check_confidence, normal_quantile

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

ELO = 400 / math.log(10)
"""Elo points in one unit of the logistic scale."""


class Rating(NamedTuple):
    """A rating in Elo points, with its interval; the ratings of a match have the mean zero."""

    elo: float
    low: float
    high: float


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

    check_confidence(confidence)
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
    z = normal_quantile(0.5 + confidence / 2)
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
