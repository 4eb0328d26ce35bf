"""Elo ratings from games between many.

The model is Bradley and Terry's (1952). What is the same for all the games of a deal, and all that the
seats of one game tell of each other, hangs together: the errors are a *sandwich* with the deals as
clusters (Liang and Zeger 1986), so a ranking of four counts once, not as six games, and games that are
drawn narrow the intervals.

The fit is Firth's (1993), whose bias is of a smaller order: every comparison gets as many further games,
half of them won by each side, as it has leverage (of two players one game, whatever they played). They
keep the ratings finite, and they count as deals of their own in the errors; of two players that is
Gart's interval of the log odds. Where somebody lost nothing at all the games say how strong it is at
least, but not at most: the interval is open there.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from kibitz.lab.statistics.intervals import check_confidence, normal_share, student_quantile

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

ELO = 400 / math.log(10)
"""Elo points in one unit of the logistic scale."""

STEPS = 500
"""Of Newton's method, at most; a few are usual, some dozens where somebody lost nothing."""

NARROWEST = 100
"""At so many deals, ratings that are looked at again and again have the narrowest intervals."""

FARTHEST = 12.0
"""Farther from a rating, on the logistic scale (2,000 Elo), its interval is open."""

Scores = Mapping[tuple[int, int], float]
"""`scores[i, j]`: how many games `i` won against `j`, a draw being half a game for both."""


class Rating(NamedTuple):
    """A rating in Elo points, with its interval; the ratings of a field have the mean zero."""

    elo: float
    low: float
    """Minus infinity where the games do not tell how weak it may be."""
    high: float
    """Infinity where they do not tell how strong."""
    field: int = 0
    """The number of its field, those who met, directly or through others: ratings are comparable only
    within one."""


def bradley_terry(
    deals: Scores | Iterable[Scores],
    players: int,
    *,
    reduced: bool = True,
    confidence: float = 0.95,
    sequential: bool = False,
) -> list[Rating]:
    """Elo ratings of players who have all met, directly or through others, with intervals over deals.

    Each of the `deals` holds the scores of games that hang together. A single mapping is of decided games
    that have nothing to do with each other. Without `reduced` the fit is that of maximum likelihood, its
    bias left in. With `sequential` the intervals may be looked at again and again. ValueError where some
    never met the others: nothing tells how they compare.

    >>> from kibitz.lab import bradley_terry
    >>> strong, weak = bradley_terry({(0, 1): 75, (1, 0): 25}, 2, reduced=False)
    >>> round(strong.elo - weak.elo, 2)  # odds of 3 to 1 are 400 log10(3)
    190.85
    >>> wide, narrow = bradley_terry([{(0, 1): 1}, {(1, 0): 1}] * 9, 2), bradley_terry(
    ...     [{(0, 1): 0.5, (1, 0): 0.5}] * 18, 2
    ... )
    >>> round(wide[0].high), round(narrow[0].high)  # what is drawn varies less than what is won and lost
    (88, 19)
    """
    import numpy as np

    check_confidence(confidence)
    if isinstance(deals, Mapping):
        games = _Games([({pair: 1.0}, score) for pair, score in deals.items()], players)
    else:
        games = _Games([(scores, 1.0) for scores in deals], players)
    if len(fields(games.played, players)) > 1:
        raise ValueError("players that never met, directly or through others, are not comparable by Elo")
    tops = _tops(games.won)
    if tops and not reduced:
        raise ValueError(
            "maximum likelihood has no rating for those who won all, or lost all, of their games"
        )
    strength, added = _fit(games.won, reduced)
    p = _expected(strength)
    won = games.won + added / 2
    bread = np.linalg.inv(_information((won + won.T) * p * (1 - p)) + 1 / players) - 1 / players
    meat = games.meat(p) + _information(added / 2 * ((1 - p) ** 2 + p**2))
    errors = np.sqrt(np.maximum(np.diag(bread @ meat @ bread), 0.0))
    taken = np.sqrt(np.maximum(np.diag(bread), 0.0))
    quantile = math.inf
    if games.count > 1:
        quantile = _quantile(games.count, confidence, sequential)
    found = []
    for i in range(players):
        ends = []
        for sign in -1, 1:
            if quantile == math.inf or any((i in top) == (sign > 0) for top in tops):
                ends.append(sign * math.inf)
            elif errors[i] == 0:
                ends.append(float(strength[i]))
            else:
                ends.append(_end(won, strength, i, sign * quantile * float(errors[i]), float(taken[i])))
        found.append(Rating(ELO * float(strength[i]), ELO * ends[0], ELO * ends[1]))
    return found


def _quantile(deals: float, confidence: float, sequential: bool) -> float:
    """How many standard errors an interval reaches: Student's; `sequential`, as far as a normal mixture's
    martingale lets a mean stray at any time (Robbins 1970; Waudby-Smith et al. 2024), for which deals, and
    the estimate of their variance, have to be many: some ten.
    """
    share = 0.5 + confidence / 2
    if sequential:
        miss = 1 - confidence
        # The mixture that is narrowest at so many deals.
        ratio = deals * (1 - 2 * math.log(miss) + math.log(1 - 2 * math.log(miss))) / NARROWEST
        share = normal_share(math.sqrt((1 + 1 / ratio) * math.log((1 + ratio) / miss**2)))
    return student_quantile(share, max(1, round(deals) - 1))


def _end(
    won: NDArray[np.float64], best: NDArray[np.float64], player: int, far: float, error: float
) -> float:
    """The end of a player's interval on the profile likelihood, which lopsided scores make askew.

    `far` is how far it would be from the best strength if the likelihood were a parabola. The likelihood
    takes all games to be independent, with the standard error `error`; it is scaled so that it has the
    sandwich's instead (Pace, Salvan and Sartori 2011).
    """
    import numpy as np

    played, players = won + won.T, len(won)
    along = np.full(players, -1 / players)
    along[player] += 1
    most = _likelihood(won, best)
    root = far / error
    value, strength = float(best[player]) + max(-1.0, min(1.0, far)), best.copy()
    for _ in range(40):
        slope = 0.0
        for _ in range(40):  # Newton's method on the others' strengths, this one held
            p = _expected(strength)
            info = _information(played * p * (1 - p)) + 1 / players
            steps = np.linalg.solve(info, np.stack([(won - played * p).sum(axis=1), along], axis=1))
            slope = float((along @ steps[:, 0] - (value - strength[player])) / (along @ steps[:, 1]))
            step = steps[:, 0] - slope * steps[:, 1]
            largest = float(np.abs(step).max())
            strength = strength + step / max(1.0, largest / 2)
            strength -= strength.mean()
            if largest < 1e-6:
                break
        reached = math.copysign(math.sqrt(max(0.0, 2 * (most - _likelihood(won, strength)))), far)
        if slope == 0 or abs(reached - root) < 1e-4:
            break
        # By the envelope theorem the profile's slope is Lagrange's multiplier.
        value += max(-1.0, min(1.0, (reached - root) * reached / slope))
        if abs(value - best[player]) > FARTHEST:
            return math.copysign(math.inf, far)
    return value


def _likelihood(won: NDArray[np.float64], strength: NDArray[np.float64]) -> float:
    """The logarithm of the likelihood of some strengths."""
    import numpy as np

    return -float((won * np.logaddexp(0.0, strength[None, :] - strength[:, None])).sum())


def fields(met: Iterable[tuple[int, int]], players: int) -> list[list[int]]:
    """The players in groups of those who met, directly or through others, in the order of their numbers.

    >>> from kibitz.lab.statistics.ratings import fields
    >>> fields([(0, 2), (3, 2)], 5)
    [[0, 2, 3], [1], [4]]
    """
    field = list(range(players))
    for i, j in met:
        old, new = max(field[i], field[j]), min(field[i], field[j])
        if old != new:
            field = [new if each == old else each for each in field]
    return [[i for i in range(players) if field[i] == each] for each in sorted({*field})]


def in_fields(
    deals: Sequence[Scores],
    players: int,
    least: int = 3,
    *,
    confidence: float = 0.95,
    sequential: bool = False,
) -> list[Rating | None]:
    """Each player's rating within its field; None in a field of fewer than `least`.

    >>> from kibitz.lab.statistics.ratings import in_fields
    >>> rated = in_fields([{(0, 1): 1.0, (3, 4): 1.0}, {(1, 0): 1.0, (4, 3): 1.0}], 5, least=2)
    >>> [each and each.field for each in rated]
    [0, 0, None, 2, 2]
    """
    found: list[Rating | None] = [None] * players
    met = {pair for scores in deals for pair, score in scores.items() if score > 0}
    for number, members in enumerate(fields(met, players)):
        if len(members) < max(least, 2):
            continue
        place = {player: own for own, player in enumerate(members)}
        own = [
            {(place[i], place[j]): score for (i, j), score in scores.items() if score > 0 and i in place}
            for scores in deals
        ]
        ratings = bradley_terry(
            [scores for scores in own if scores],
            len(members),
            confidence=confidence,
            sequential=sequential,
        )
        for player, rating in zip(members, ratings, strict=True):
            found[player] = rating._replace(field=number)
    return found


class _Games:
    """Scores by deal as arrays: one entry for each deal and each two players that met in it."""

    def __init__(self, deals: Sequence[tuple[Scores, float]], players: int) -> None:
        import numpy as np

        entries: list[tuple[int, int, int, float, float, float]] = []
        self.count = 0.0
        """How many deals."""
        for number, (scores, times) in enumerate(deals):
            pairs = {(min(pair), max(pair)) for pair, score in scores.items() if score > 0}
            for i, j in sorted(pairs):
                score, lost = scores.get((i, j), 0.0), scores.get((j, i), 0.0)
                entries.append((number, i, j, score, score + lost, times))
            self.count += times if pairs else 0.0
        columns = list(zip(*entries, strict=True)) or [()] * 6
        self.deal, self.i, self.j = (np.array(column, dtype=np.intp) for column in columns[:3])
        self.score, self.games, self.times = (np.array(column, dtype=float) for column in columns[3:])
        self.players, self.deals = players, len(deals)
        self.won = np.zeros((players, players))
        np.add.at(self.won, (self.i, self.j), self.times * self.score)
        np.add.at(self.won, (self.j, self.i), self.times * (self.games - self.score))

    @property
    def played(self) -> list[tuple[int, int]]:
        """Who met."""
        return [(int(i), int(j)) for i, j in zip(self.i, self.j, strict=True)]

    def meat(self, p: NDArray[np.float64]) -> NDArray[np.float64]:
        """The sum over deals of the squares of what they pull at the ratings."""
        import numpy as np
        from scipy.sparse import coo_array

        pull = (self.score - self.games * p[self.i, self.j]) * np.sqrt(self.times)
        rows, columns = np.concatenate([self.deal, self.deal]), np.concatenate([self.i, self.j])
        by_deal = coo_array(
            (np.concatenate([pull, -pull]), (rows, columns)), shape=(self.deals, self.players)
        ).tocsr()
        squares: NDArray[np.float64] = (by_deal.T @ by_deal).toarray()
        return squares * (self.count / (self.count - 1) if self.count > 1 else 1.0)


def _fit(won: NDArray[np.float64], reduced: bool) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The strengths on the logistic scale, their mean zero, and the games that were added for each two."""
    import numpy as np

    players = len(won)
    played = won + won.T
    strength, added = np.zeros(players), np.zeros_like(won)
    # Adding 1/players everywhere fixes the mean, which the games leave open.
    for _ in range(STEPS):
        p = _expected(strength)
        if reduced:
            weights = played * p * (1 - p)
            covariance = np.linalg.inv(_information(weights) + 1 / players)
            own = np.diag(covariance)
            added = weights * (own[:, None] + own[None, :] - 2 * covariance)
        gradient = (won + added / 2 - (played + added) * p).sum(axis=1)
        step = np.linalg.solve(_information((played + added) * p * (1 - p)) + 1 / players, gradient)
        largest = float(np.abs(step).max(initial=0.0))
        strength += step / max(1.0, largest)
        strength -= strength.mean() if players else 0.0
        if largest < 1e-9:
            break
    return strength, added


def _expected(strength: NDArray[np.float64]) -> NDArray[np.float64]:
    """How often the player of a row beats that of a column."""
    import numpy as np

    found: NDArray[np.float64] = 1 / (1 + np.exp(strength[None, :] - strength[:, None]))
    return found


def _information(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """The sum of weight (e_i - e_j)(e_i - e_j)' over each two players."""
    import numpy as np

    found: NDArray[np.float64] = np.diag(weights.sum(axis=1)) - weights
    return found


def _tops(won: NDArray[np.float64]) -> list[set[int]]:
    """Sets of players that got nothing but wins against all others they met (Ford 1957).

    Their ratings together may be raised without end. For each player the smallest such set that holds it:
    those from whom wins, or draws, lead to it.
    """
    players = len(won)
    reach = won > 0
    reach.flat[:: players + 1] = True
    for _ in range(players.bit_length()):
        reach = reach @ reach
    holding = [{int(i) for i in reach[:, player].nonzero()[0]} for player in range(players)]
    return [top for top in holding if len(top) < players]
