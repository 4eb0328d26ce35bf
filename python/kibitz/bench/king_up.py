"""King UP: random games from the start, on one thread. Nobody else has the game, so there is no peer."""

from __future__ import annotations

import statistics
from collections.abc import Iterator

import kibitz as kb
from kibitz.bench import _peers
from kibitz.bench._measure import Row, Scale, rate

GAMES = {"king-up": "the paper's size", "king-up(full=true)": "13 pieces, three rounds"}


def rows(scale: Scale) -> Iterator[Row]:
    """One row a size of the game."""
    for name, size in GAMES.items():
        work = _peers.our_playouts(kb.load(name), scale.simulations)
        rates = [rate(work, scale.seconds, turn) for turn in range(scale.turns)]
        yield Row("king_up", f"random playouts, {name}", "1/s", statistics.median(rates), note=size)
