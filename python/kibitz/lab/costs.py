"""What planners cost: processor time beside another planner's, and seconds until a game is ready for one.

Both planners decide in the same positions, of random games, one after the other, so that a machine that
does something else meanwhile slows both down.
"""

from __future__ import annotations

import math
import random
import time
from collections.abc import Iterator
from statistics import stdev
from typing import TYPE_CHECKING

from kibitz import games
from kibitz._core import Referee
from kibitz.advice import advise
from kibitz.lab.measures import Played
from kibitz.lab.statistics import Interval
from kibitz.lab.statistics.agreement import Figure
from kibitz.lab.statistics.intervals import student_quantile

if TYPE_CHECKING:
    from kibitz._core import Game, View

POSITIONS = 30
"""At full size."""


def relative_simulations(
    spec: str, planner: str, against: str, *, scale: float = 1.0, seed: int = 0, confidence: float = 0.95
) -> Played:
    """How many simulations `planner` makes while `against` makes one.

    >>> from kibitz.lab.costs import relative_simulations
    >>> same = "uct(simulations=50, playout=random)"
    >>> relative_simulations("tic-tac-toe", same, same, scale=0.1).figure.value > 0
    True
    """
    game = games.load(spec)
    positions = max(3, round(POSITIONS * scale))
    times = []
    for number, view in enumerate(_positions(game, positions, seed)):
        pair = [_seconds(game, view, each, number) for each in (planner, against)]
        times.append(pair)
    ours, theirs = (sum(column) for column in zip(*times, strict=True))
    logs = [math.log(other / own) for own, other in times]
    half = student_quantile(0.5 + confidence / 2, len(logs) - 1) * stdev(logs) / math.sqrt(len(logs))
    ratio = theirs / ours
    return Played(Figure(ratio, Interval(ratio * math.exp(-half), ratio * math.exp(half))), positions)


def share_of_time(
    spec: str, planner: str, against: str, *, scale: float = 1.0, seed: int = 0, confidence: float = 0.95
) -> Played:
    """The share of `planner`'s time that `against`, which does the same without it, does not need."""
    found = relative_simulations(spec, planner, against, scale=scale, seed=seed, confidence=confidence)
    value, interval = found.figure.value, found.figure.interval
    low, high = (value, value) if interval is None else (interval.low, interval.high)
    ends = Interval(max(0.0, 1 - high), max(0.0, 1 - low))
    return Played(Figure(max(0.0, 1 - value), ends), found.games)


def heuristic_seconds(spec: str) -> float:
    """Until a game that was just loaded has its action heuristic.

    >>> from kibitz.lab.costs import heuristic_seconds
    >>> heuristic_seconds("tic-tac-toe.kif") < 60
    True
    """
    game = games.load(spec)
    begun = time.process_time()
    told = game.heuristics
    seconds = time.process_time() - begun
    return seconds if any(found for found, _ in told) else math.nan


def _seconds(game: Game, view: View, planner: str, seed: int) -> float:
    begun = time.process_time()
    decision = advise(game, view, planner, seed=seed)
    return (time.process_time() - begun) / max(1, decision.simulations)


def _positions(game: Game, count: int, seed: int) -> Iterator[View]:
    """Positions with a choice, one of each of some random games."""
    for episode in range(count):
        rng, referee = random.Random(f"{seed} {episode}"), Referee(game, seed, episode)
        kept, seen = None, 0
        while not referee.over:
            for player in referee.movers:
                if len(referee.state.legal(player)) > 1:
                    seen += 1
                    if rng.randrange(seen) == 0:
                        kept = referee.view(player)
            referee.apply([rng.choice(referee.state.legal(player)) for player in referee.movers])
        if kept is not None:
            yield kept
