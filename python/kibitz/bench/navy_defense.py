"""Navy Defense: random games, and decisions by hindsight optimization. There is no peer that has it."""

from __future__ import annotations

import statistics
from collections.abc import Iterator

import kibitz as kb
from kibitz.bench import _peers
from kibitz.bench._measure import Row, Scale, rate

GAME = "navy-defense(size=7, cargo=4)"
HINDSIGHT = "hindsight(worlds=30, horizon=5, belief=particles(30, weights=none))"


def rows(scale: Scale) -> Iterator[Row]:
    """Whole random games a second, and decisions a second along whole games."""
    game = kb.load(GAME)
    work = _peers.our_playouts(game, scale.simulations)
    rates = [rate(work, scale.seconds, turn) for turn in range(scale.turns)]
    yield Row("navy_defense", f"random playouts, {GAME}", "1/s", statistics.median(rates))

    def steps(turn: int) -> int:
        return game.playouts(scale.simulations, turn)[1]

    rates = [rate(steps, scale.seconds, turn) for turn in range(scale.turns)]
    note = "decisions and what chance draws"
    yield Row("navy_defense", "the same, steps of the game", "1/s", statistics.median(rates), note=note)

    def decide(turn: int) -> int:
        episode = kb.play(game, [HINDSIGHT], seed=turn)
        return sum(1 for step in episode.steps if step.movers)

    rates = [rate(decide, scale.seconds, turn) for turn in range(scale.turns)]
    note = "30 particles, 30 worlds, horizon 5"
    yield Row("navy_defense", "hindsight, decisions on 7x7", "1/s", statistics.median(rates), note=note)
