"""What intervals and verdicts promise beside what they keep: simulated games whose truth is known.

A row is the share of simulated experiments in which an interval covers the truth, or a verdict is not
false, beside the nominal level: a ratio that is below 1 by more than chance is a broken promise.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterator
from itertools import combinations, permutations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kibitz.bench._measure import FULL, Row, Scale
from kibitz.lab.cells import Cell
from kibitz.lab.experiment import Stop
from kibitz.lab.record import Fault, Record
from kibitz.lab.reproductions import Target
from kibitz.lab.standings import GameFacts, MatchResult, Standing, summarise
from kibitz.lab.statistics import (
    Interval,
    Sprt,
    bounded_mean,
    bradley_terry,
    clopper_pearson,
    confidence_sequence,
    paired_difference,
)
from kibitz.lab.statistics.agreement import Figure, judge
from kibitz.lab.statistics.ratings import ELO
from kibitz.lab.statistics.sprt import expected_score
from kibitz.lab.stopping import rule_for

LEVELS = (0.95, 0.99)
RUNS = 2_000
"""Experiments of a case at full size."""

Draws = np.random.Generator


class Case(NamedTuple):
    """Something that is promised."""

    name: str
    holds: Callable[[Draws, float], bool]
    """One simulated experiment, at a level: whether the promise was kept."""
    levels: tuple[float, ...] = LEVELS


class Kept(NamedTuple):
    """How often it was kept."""

    name: str
    level: float
    share: float
    interval: Interval
    """Of the share, at 99.9 %."""


def keep(case: Case, level: float, runs: int, seed: int = 0) -> Kept:
    """How often a promise is kept in so many experiments.

    >>> from kibitz.bench.statistics import CASES, keep
    >>> keep(CASES[0], 0.95, 20).share > 0.7
    True
    """
    draws = np.random.default_rng(seed)
    kept = sum(case.holds(draws, level) for _ in range(runs))
    return Kept(case.name, level, kept / runs, clopper_pearson(kept, runs, 0.999))


def rows(scale: Scale) -> Iterator[Row]:
    """All cases at all levels."""
    runs = RUNS if scale == FULL else 5
    for case in CASES:
        for level in case.levels:
            kept = keep(case, level, runs)
            low, high = (end / level for end in kept.interval)
            yield Row(
                "statistics",
                f"{case.name}, {100 * level:g} %",
                "share kept",
                ours=kept.share,
                peer=level,
                ratio=kept.share / level,
                low=low,
                high=high,
                peer_name="the nominal level",
                note="" if high >= 1 else "BROKEN: less than promised",
            )


def _facts(seats: int, high: float = 1.0) -> GameFacts:
    return GameFacts("simulated", tuple(f"player {seat}" for seat in range(seats)), 0.0, high)


def _table(
    seats: int, deals: int, level: float, play: Callable[[tuple[int, ...]], list[float]]
) -> MatchResult:
    """A match of as many planners as seats: every deal in all seatings."""
    records = [
        Record(deal, seating, tuple(play(seating)), steps=1, seconds=(0.0,) * seats)
        for deal in range(deals)
        for seating in permutations(range(seats))
    ]
    names = [f"planner {number}" for number in range(seats)]
    return summarise(_facts(seats), names, records, confidence=level)


def _suits(seats: int, deals: int) -> Case:
    """Equal planners; each deal suits one of them, which wins it in every seating."""

    def holds(draws: Draws, level: float) -> bool:
        lucky = iter(draws.integers(seats, size=deals).repeat(math.factorial(seats)))

        def play(seating: tuple[int, ...]) -> list[float]:
            winner = next(lucky)
            return [float(planner == winner) for planner in seating]

        standing = _table(seats, deals, level, play).standings[0]
        return _covers(standing.win_rate, 1 / seats) and _covers(standing.return_interval, 1 / seats)

    return Case(f"win rate and return, {deals} deals that suit one of {seats} planners", holds)


def _seat(seats: int, deals: int) -> Case:
    """The deal alone decides which seat wins, as between equal planners without chance of their own."""

    def holds(draws: Draws, level: float) -> bool:
        lucky = iter(draws.integers(seats, size=deals).repeat(math.factorial(seats)))

        def play(seating: tuple[int, ...]) -> list[float]:
            winner = next(lucky)
            return [float(seat == winner) for seat, _ in enumerate(seating)]

        first = _table(seats, deals, level, play).seats[0]
        return _covers(first.win_rate, 1 / seats) and _covers(first.return_interval, 1 / seats)

    return Case(f"first seat, {deals} deals that suit one of {seats} seats", holds)


def _alone(values: NDArray[np.floating], level: float, high: float = 1.0) -> MatchResult:
    """Somebody plays alone, a game a deal."""
    records = [Record(deal, (0,), (float(value),), 1, (0.0,)) for deal, value in enumerate(values)]
    return summarise(_facts(1, high), ["alone"], records, confidence=level)


def _rare(games: int, prize: float) -> Case:
    """A prize of 100 that is seldom won, beside a paper's figure that is the truth."""

    def holds(draws: Draws, level: float) -> bool:
        played = _alone(100.0 * (draws.random(games) < prize), level, 100.0).standings[0]
        figure = Figure(played.mean_return, played.return_interval)
        verdict = judge(figure, Figure(100 * prize), tolerance=0.1, better="higher")
        return _covers(played.return_interval, 100 * prize) and verdict in ("agrees", "cannot tell yet")

    return Case(f"verdict on a rare prize (p = {prize:g}, {games} games)", holds)


def _is_open(ours: Standing, target: Target, level: float, high: float) -> bool:
    """Whether the verdict on two figures of the same thing is that nobody can tell them apart yet."""
    published = target.published(ours.spread, level, ours.mean_return, (0.0, high))
    figure = Figure(ours.mean_return, ours.return_interval)
    return judge(figure, published, tolerance=0.0) == "cannot tell yet"


def _two_rare(ours: int, paper: int) -> Case:
    """The same beside a paper's mean of its own games."""

    def holds(draws: Draws, level: float) -> bool:
        played = _alone(100.0 * (draws.random(ours) < 0.01), level, 100.0).standings[0]
        mean = float(100 * (draws.random(paper) < 0.01).mean())
        return _is_open(played, Target("prize", "mean return", mean, 0.0, games=paper), level, 100.0)

    return Case(f"verdict on a rare prize, {ours} games beside a paper's {paper}", holds)


def _skewed(games: int) -> Case:
    def holds(draws: Draws, level: float) -> bool:
        return _covers(_alone(draws.beta(0.1, 1.0, games), level).standings[0].return_interval, 0.1 / 1.1)

    return Case(f"skewed returns, {games} games", holds)


def _groups(count: int) -> Case:
    """Groups of 1 to 30 games that hang together."""

    def holds(draws: Draws, level: float) -> bool:
        middles = 0.5 + draws.normal(scale=0.3, size=count)
        sizes = draws.integers(1, 31, size=count)
        groups = [
            [float(x) for x in np.clip(draws.normal(middle, 0.2, size), 0.0, 1.0)]
            for middle, size in zip(middles, sizes, strict=True)
        ]
        return _covers(bounded_mean(groups, 0.0, 1.0, level), 0.5)

    return Case(f"mean of {count} groups of 1 to 30", holds)


def _spread(games: int) -> Case:
    """A paper's mean of as many games, unpaired, of the same planners; ours on paired deals."""

    def holds(draws: Draws, level: float) -> bool:
        paper = float(draws.normal(0.5, 0.2 / math.sqrt(games)))
        deals = draws.normal(0.0, 0.2, games // 2).clip(-0.5, 0.5)
        records = [
            Record(deal, seating, (0.5 + sign * luck, 0.5 - sign * luck), 1, (0.0, 0.0))
            for deal, luck in enumerate(map(float, deals))
            for seating, sign in (((0, 1), 1), ((1, 0), 1))
        ]
        ours = summarise(_facts(2), ["a", "b"], records, confidence=level).standings[0]
        return _is_open(ours, Target("mean", "mean return", paper, 0.0, games=games), level, 1.0)

    return Case(f"verdict beside a paper's {games} games, ours paired", holds)


def _looks(chance: float) -> Case:
    """Fifty looks while games come in."""

    def holds(draws: Draws, level: float) -> bool:
        games = [[float(won)] for won in draws.random(500) < chance]
        looks = (confidence_sequence(games[:count], 0.0, 1.0, level) for count in range(10, 501, 10))
        return all(_covers(look, chance) for look in looks)

    return Case(f"fifty looks at a share of {chance:g}", holds)


def _stopped(stop: Stop, name: str, chance: float) -> Case:
    """Until the rule says that it is enough: the interval that is shown then."""

    def holds(draws: Draws, level: float) -> bool:
        facts, cell = _facts(2), Cell("", "simulated", ("a", "b"), 0, 2, 400)
        rule = rule_for(stop, cell, facts)
        assert rule is not None
        records: list[Record] = []
        for deal in range(cell.deals):
            both = [
                Record(deal, seating, tuple(float((seat == 0) == won) for seat in seating), 1, (0.0, 0.0))
                for seating, won in zip(cell.seatings(deal), draws.random(2) < chance, strict=True)
            ]
            records += both
            if rule.enough(both):
                break
        result = summarise(facts, ["a", "b"], records, confidence=level, sequential=True)
        return _covers(result.standings[0].win_rate, chance)

    return Case(f"after a stop by {name}, a share of {chance:g}", holds)


def _crashes(deals: int) -> Case:
    """One of three planners raises where it would have lost, and got the worst return, anyway."""

    def holds(draws: Draws, level: float) -> bool:
        records = []
        for deal in range(deals):
            for seating in permutations(range(3)):
                best = int(draws.integers(3))
                returns = tuple(float(planner == best) for planner in seating)
                fault = Fault("raised", seating.index(0), "I was losing") if best else None
                records.append(Record(deal, seating, returns, 1, (0.0,) * 3, fault=fault))
        table = summarise(_facts(3), ["quitter", "a", "b"], records, confidence=level)
        # Of the others' returns nobody knows what they would have been: 1 / 3 is among it.
        quitter, *others = table.standings
        return _covers(quitter.win_rate, 1 / 3) and all(
            _covers(row.return_interval, 1 / 3) for row in [quitter, *others]
        )

    return Case(f"a planner that raises when it loses to 2 others, {deals} deals", holds)


def _paired(deals: int) -> Case:
    """Two who play alone on the same deals, of which one gets a tenth more."""

    def holds(draws: Draws, level: float) -> bool:
        luck = draws.beta(0.5, 1.5, deals) * 0.8
        first: dict[Hashable, list[float]] = {
            deal: [float(x) + 0.1 + 0.1 * draws.uniform(-1, 1)] for deal, x in enumerate(luck)
        }
        second: dict[Hashable, list[float]] = {deal: [float(x)] for deal, x in enumerate(luck)}
        found = paired_difference(first, second, confidence=level, limits=(0.0, 1.0))
        return _covers(found.interval, 0.1)

    return Case(f"difference of two planners on the same {deals} deals", holds)


def _elo(truth: tuple[float, ...], deals: int, *, luck: float = 0.0, looks: int = 1) -> Case:
    """Each two on every deal, in both seatings, both of which the deal decides with a chance of `luck`."""
    middle = sum(truth) / len(truth)

    def holds(draws: Draws, level: float) -> bool:
        played: list[dict[tuple[int, int], float]] = []
        kept = True
        for deal in range(1, deals + 1):
            scores: dict[tuple[int, int], float] = {}
            for i, j in combinations(range(len(truth)), 2):
                expected = expected_score(truth[i] - truth[j])
                won = 2.0 * (draws.random() < expected) if draws.random() < luck else None
                score = float((draws.random(2) < expected).sum()) if won is None else won
                scores[i, j], scores[j, i] = score, 2 - score
            played.append(scores)
            if deal % (deals // looks) == 0:
                rated = bradley_terry(played, len(truth), confidence=level, sequential=looks > 1)
                kept = kept and rated[-1].low <= truth[-1] - middle <= rated[-1].high
        return kept

    each = ", ".join(f"{elo:g}" for elo in truth)
    name = f"Elo of planners at {each}, {deals} deals"
    return Case(name if looks == 1 else f"after each of {looks} looks, {name}", holds)


def _ranked(truth: tuple[float, ...], games: int) -> Case:
    """A table of as many seats as planners, which ends with a ranking (Plackett and Luce's model)."""
    middle, seats = sum(truth) / len(truth), len(truth)

    def holds(draws: Draws, level: float) -> bool:
        deals = []
        for _ in range(games):
            order = np.argsort(-(draws.gumbel(size=seats) + np.array(truth) / ELO))
            deals.append({(int(a), int(b)): 2 / seats for a, b in combinations(order, 2)})
        rated = bradley_terry(deals, seats, confidence=level)[-1]
        return rated.low <= truth[-1] - middle <= rated.high

    return Case(f"Elo at a table of {seats}, {games} games", holds)


def _test(share: float, stop: Stop) -> Case:
    """The sequential test, where its first hypothesis is true: it must not accept the second."""

    def holds(draws: Draws, level: float) -> bool:
        assert stop.elo0 is not None
        assert stop.elo1 is not None
        test = Sprt(elo0=stop.elo0, elo1=stop.elo1, alpha=1 - level)
        return not any(test.add(float(both)).accepted == "H1" for both in draws.binomial(2, share, 300))

    return Case(f"SPRT from {stop.elo0:g} to {stop.elo1:g} Elo, a share of {share:g}", holds)


def _covers(interval: Interval | None, truth: float) -> bool:
    return interval is None or interval.low <= truth <= interval.high


CASES = (
    _suits(2, 40),
    _suits(3, 20),
    _suits(4, 12),
    _seat(2, 40),
    _seat(3, 20),
    _seat(4, 12),
    _rare(30, 0.01),
    _rare(300, 0.01),
    _two_rare(300, 10),
    _two_rare(30, 300),
    _skewed(30),
    _groups(5),
    _groups(30),
    _spread(200),
    _looks(0.5),
    _looks(0.02),
    _stopped(Stop(width=0.3), "width", 0.5),
    _stopped(Stop(width=0.2), "width", 0.97),
    _stopped(Stop(elo0=0, elo1=60), "SPRT", 0.5),
    _test(0.5, Stop(elo0=0, elo1=150)),
    _paired(30),
    _crashes(20),
    _elo((0, 100, 300), 20),
    _elo((0, 0, 600), 20, luck=0.7),
    _ranked((0, 50, 100, 200), 40),
    _elo((0, 0, 200), 100, luck=0.5, looks=10),
)
"""All that is promised."""
