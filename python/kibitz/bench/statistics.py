"""What intervals and verdicts promise beside what they keep: simulated games whose truth is known.

A row is the share of simulated experiments in which an interval covers the truth, or a verdict is not
false, beside the nominal level: a ratio that is below 1 by more than chance is a broken promise.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from itertools import permutations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kibitz.bench._measure import FULL, Row, Scale
from kibitz.lab.cells import Cell
from kibitz.lab.experiment import Stop
from kibitz.lab.record import Record
from kibitz.lab.reproductions import Target
from kibitz.lab.standings import GameFacts, MatchResult, summarise
from kibitz.lab.statistics import Interval, bounded_mean, clopper_pearson, confidence_sequence
from kibitz.lab.statistics.agreement import Figure, judge
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


def _two_rare(ours: int, paper: int) -> Case:
    """The same beside a paper's mean of its own games."""

    def holds(draws: Draws, level: float) -> bool:
        played = _alone(100.0 * (draws.random(ours) < 0.01), level, 100.0).standings[0]
        mean = float(100 * (draws.random(paper) < 0.01).mean())
        target = Target("prize", "mean return", mean, 0.0, games=paper)
        published = target.published(played.spread, level, played.mean_return, (0.0, 100.0))
        figure = Figure(played.mean_return, played.return_interval)
        return judge(figure, published, tolerance=0.0) == "cannot tell yet"

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
        target = Target("mean", "mean return", paper, 0.0, games=games)
        published = target.published(ours.spread, level, ours.mean_return, (0.0, 1.0))
        figure = Figure(ours.mean_return, ours.return_interval)
        return judge(figure, published, tolerance=0.0) == "cannot tell yet"

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
)
"""All that is promised."""
