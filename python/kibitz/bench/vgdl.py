"""Video games: copies of a state, each taken a tick on, a second of processor time.

The games are GVG-AI's own where the folder with its files is given in KIBITZ_VGDL (in the framework's
naming: `aliens.txt`, `aliens_lvl0.txt`), beside what the Java framework of March 2015 was measured to do
on a machine like ours; else those that come with the package, beside nothing. What is copied are
positions on the way of a random game. `one-look` does it: it copies the state for each sample.
"""

from __future__ import annotations

import os
import random
import statistics
import time
from collections.abc import Iterator

import kibitz as kb
from kibitz import lang
from kibitz.bench._measure import Row, Scale, Work

FRAMEWORK = {
    "aliens": 15_500,
    "boulderdash": 7_700,
    "butterflies": 25_000,
    "chase": 23_000,
    "digdug": 7_100,
    "frogs": 10_000,
    "pacman": 4_200,
    "realportals": 10_000,
    "sokoban": 40_000,
    "zelda": 35_000,
}
"""Copy and advance, in ticks a second, of the Java framework."""
POSITIONS = 4
"""Positions of a random game that are measured, so many ticks apart:"""
APART = 15


def rows(scale: Scale) -> Iterator[Row]:
    """One row a game."""
    folder = os.environ.get("KIBITZ_VGDL")
    if folder is None:
        for entry in lang.shipped_rules():
            if entry.name.endswith(".vgdl"):
                yield _row(kb.load(entry.name), entry.name, None, scale)
        return
    for name, framework in FRAMEWORK.items():
        yield _row(kb.load(f"{folder}/{name}.txt"), name, framework, scale)


def _row(game: kb.Game, name: str, framework: float | None, scale: Scale) -> Row:
    work = _copies(game, scale)
    rates = []
    for turn in range(scale.turns):
        began, units = time.process_time(), 0.0
        while units == 0.0 or time.process_time() - began < scale.seconds:
            units += work(turn)
        rates.append(units / max(time.process_time() - began, 1e-9))
    ratios = sorted(rate / framework for rate in rates) if framework else [None]
    return Row(
        "vgdl",
        f"copy and advance, {name}",
        "ticks/s",
        statistics.median(rates),
        framework,
        statistics.median(rates) / framework if framework else None,
        ratios[0],
        ratios[-1],
        20 if framework else None,
        "the Java framework of 2015, as quoted" if framework else "nobody",
    )


def _copies(game: kb.Game, scale: Scale) -> Work:
    rng = random.Random(1)
    referee = kb.Referee(game, seed=1)
    views = [referee.view(0)]
    while len(views) < POSITIONS:
        for _ in range(APART):
            if not referee.over:
                referee.apply([rng.choice(referee.state.legal(0))])
        if referee.over:
            break
        views.append(referee.view(0))
    samples = min(10_000, max(1, scale.simulations // 4))

    def work(number: int) -> float:
        total = 0
        for view in views:
            total += kb.advise(game, view, f"one-look(samples={samples})", seed=number).transitions or 0
        return float(total)

    return work
