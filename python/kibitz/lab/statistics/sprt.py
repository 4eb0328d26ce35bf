"""Stopping as soon as a match is decided: the generalised sequential probability ratio test.

H0 says that the first planner is stronger by `elo0` (logistic Elo), H1 that it is by `elo1`. Wald's
test compares their likelihoods after each observation; generalised, because of all distributions with
the expected score of H0 (or of H1) the one that explains the observations best is taken (Van den
Bergh, "The generalized maximum likelihood ratio for the expectation value of a distribution").

An observation is a pair of games on the same deal with the seats swapped: five possible scores, hence
*pentanomial*. A pair varies less than two games that have nothing to do with each other, so fewer of
them decide. Where games are not paired there are three possible scores, hence *trinomial*.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

FARTHEST = 2_000
"""Differences in Elo beyond this are never meant."""

UNSEEN = 1e-3
"""How often an outcome that did not occur is taken to have occurred, so that it stays possible."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """How far a test is."""

    accepted: Literal["H0", "H1"] | None
    """None where it is not decided yet."""
    llr: float
    """The logarithm of the likelihood of H1 over that of H0."""
    lower: float
    """At or below it H0 is accepted: log(beta / (1 - alpha))."""
    upper: float
    """At or above it H1 is accepted: log((1 - beta) / alpha)."""
    pairs: int
    """How many pairs (or unpaired games) were used: those after the decision count no more."""

    @property
    def decided(self) -> bool:
        """Whether one of the hypotheses is accepted."""
        return self.accepted is not None


class Sprt:
    """A test that is told one score after the other.

    >>> from kibitz.lab.statistics import Sprt
    >>> test = Sprt(elo0=0, elo1=200)
    >>> test.add(2.0).decided, test.add(1.5).pairs
    (False, 2)
    """

    def __init__(
        self, *, elo0: float, elo1: float, alpha: float = 0.05, beta: float = 0.05, paired: bool = True
    ) -> None:
        if not -FARTHEST <= elo0 < elo1 <= FARTHEST:
            raise ValueError(
                f"elo0 must be less than elo1, and neither beyond {FARTHEST}; "
                f"they are {elo0:g} and {elo1:g}"
            )
        if not (alpha > 0 and beta > 0 and alpha + beta < 1):
            raise ValueError(
                f"alpha and beta are probabilities of errors, together below 1, not {alpha:g} and {beta:g}"
            )
        self.elo0, self.elo1 = elo0, elo1
        self.games = 2 if paired else 1
        """How many games make an observation."""
        self.counts = [0] * (2 * self.games + 1)
        """How often each score came up, from the lowest."""
        lower, upper = math.log(beta / (1 - alpha)), math.log((1 - beta) / alpha)
        self.verdict = Verdict(None, 0.0, lower, upper, 0)
        """How far it is."""

    def add(self, score: float) -> Verdict:
        """Takes in the first planner's score of one pair of games: 0, ½, 1, 1½ or 2 (of one game: 0, ½, 1).

        Once it is decided, nothing changes the verdict.
        """
        halves = round(2 * score) if math.isfinite(score) else -1
        if not 0 <= halves < len(self.counts) or halves != 2 * score:
            what = "two games" if self.games == 2 else "a game"
            raise ValueError(f"the score of {what} is 0 to {self.games} in halves, not {score:g}")
        before = self.verdict
        if before.decided:
            return before
        self.counts[halves] += 1
        llr = log_likelihood_ratio(self.counts, self.elo0, self.elo1)
        accepted: Literal["H0", "H1"] | None = None
        if llr >= before.upper:
            accepted = "H1"
        elif llr <= before.lower:
            accepted = "H0"
        self.verdict = Verdict(accepted, llr, before.lower, before.upper, before.pairs + 1)
        return self.verdict


def sprt(
    pairs: Iterable[float],
    *,
    elo0: float,
    elo1: float,
    alpha: float = 0.05,
    beta: float = 0.05,
    paired: bool = True,
) -> Verdict:
    """The test on the scores of pairs of games, in the order of their deals; `Sprt` takes one at a time.

    A score is the first planner's, 0 to 2 in halves; of single games (`paired=False`) 0, ½ or 1.
    `alpha` is how often H1 may be accepted where H0 is true, `beta` how often H0 where H1 is.

    >>> from kibitz.lab.statistics import sprt
    >>> verdict = sprt([2, 1, 2, 1.5] * 20, elo0=0, elo1=100)
    >>> verdict.accepted, verdict.pairs
    ('H1', 12)
    """
    test = Sprt(elo0=elo0, elo1=elo1, alpha=alpha, beta=beta, paired=paired)
    for score in pairs:
        if test.add(score).decided:
            break
    return test.verdict


def log_likelihood_ratio(counts: Sequence[float], elo0: float, elo1: float) -> float:
    """The log likelihood ratio of H1 to H0, given how often each score came up (from 0 to the best).

    >>> from kibitz.lab.statistics.sprt import log_likelihood_ratio
    >>> round(log_likelihood_ratio([10, 0, 20], 0, 100), 3)
    1.652
    """
    seen = [count or UNSEEN for count in counts]
    best = len(seen) - 1
    ratio = 0.0
    for elo, sign in (elo1, 1), (elo0, -1):
        expected = expected_score(elo)
        excess = [score / best - expected for score in range(len(seen))]
        x = _multiplier(seen, excess)
        # The likeliest distribution with that mean is p / (1 + x excess), p being the shares seen.
        ratio -= sign * math.fsum(n * math.log1p(x * a) for n, a in zip(seen, excess, strict=True))
    return ratio


def expected_score(elo: float) -> float:
    """The share of the points that somebody gets who is so much stronger.

    >>> from kibitz.lab.statistics.sprt import expected_score
    >>> expected_score(0), round(expected_score(400), 4)
    (0.5, 0.9091)
    """
    return 1 / (1 + 10 ** (-elo / 400))


def _multiplier(seen: Sequence[float], excess: Sequence[float]) -> float:
    """Lagrange's multiplier x with sum n a / (1 + x a) = 0, where all 1 + x a are positive."""
    from scipy.optimize import brentq

    def slope(x: float) -> float:
        return sum(n * a / (1 + x * a) for n, a in zip(seen, excess, strict=True))

    # It falls from infinity to minus infinity between the poles of the worst and the best score.
    low, high = -1 / excess[-1], -1 / excess[0]
    margin = 1e-12 * (high - low)
    return float(brentq(slope, low + margin, high - margin, xtol=1e-14))
