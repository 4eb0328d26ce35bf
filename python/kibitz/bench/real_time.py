"""Games in real time from rules files (rtGDL), one state at a time, and how late decisions are.

No peer has the language: networks are compared with our reasoner.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator

import kibitz as kb
from kibitz import lang
from kibitz._core import Planner
from kibitz.bench._measure import Row, Scale, rate

REASONER = "(limit.ground_rules=1)"
"""Rules that may not be ground are run by the reasoner."""
THINKS, LATE = 0.04, 0.05
"""Seconds that a planner is given for a decision, and after which it is late."""


def rows(scale: Scale) -> Iterator[Row]:
    """Events a second: moves, what expires, and what chance draws; then lateness."""
    for entry in lang.shipped_rules():
        if entry.name.startswith("real-time-"):
            yield _events(entry.name, scale)
    yield _lateness("real-time-race.kif", scale)


def _events(name: str, scale: Scale) -> Row:
    games = [kb.load(name), kb.load(name + REASONER)]
    rates = []
    for game, share in zip(games, (100, 10_000), strict=True):
        count = max(1, scale.simulations // share)

        def events(turn: int, game: kb.Game = game, count: int = count) -> int:
            return game.playouts(count, turn)[1]

        rates.append([rate(events, scale.seconds, turn) for turn in range(scale.turns)])
    ours, peer = rates
    ratios = [one / other for one, other in zip(ours, peer, strict=True)]
    return Row(
        "real_time",
        f"events, {name}",
        "events/s",
        statistics.median(ours),
        statistics.median(peer),
        statistics.median(ratios),
        min(ratios),
        max(ratios),
        peer_name="our reasoner",
        note="random games, everybody moves as soon as it may",
    )


def _lateness(name: str, scale: Scale) -> Row:
    """The 99.9th percentile of how long a decision takes."""
    game, took = kb.load(name), list[float]()
    count = max(1, scale.simulations // 5) if scale.seconds else 20
    seed = 0
    while len(took) < count:
        planner, referee = kb.planner("uct"), kb.Referee(game, seed)
        assert isinstance(planner, Planner)
        planner.start(game, 0, seed)
        referee.opening()
        while referee.goes_on and len(took) < count:
            referee.advance(referee.now + 500_000)
            if not referee.view(0).legal():
                continue
            begin = time.perf_counter()
            decision = planner.act(referee.view(0), seconds=THINKS)
            took.append(time.perf_counter() - begin)
            if decision.ticks is None:
                referee.submit(0, decision)
        seed += 1
    took.sort()
    late = sum(seconds > LATE for seconds in took)
    worst = took[min(len(took) - 1, int(0.999 * len(took)))]
    return Row(
        "real_time",
        f"a decision of {1000 * THINKS:.0f} ms, 99.9th percentile, {name}",
        "ms",
        1000 * worst,
        note=f"{late} of {len(took)} took more than {1000 * LATE:.0f} ms of the wall clock",
    )
