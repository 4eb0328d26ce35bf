"""Random games from the start, on one thread."""

from __future__ import annotations

from collections.abc import Iterator

import kibitz as kb
from kibitz.bench import _peers
from kibitz.bench._measure import Row, Scale, Work, race

PAIRS = [("connect-four", "connect_four"), ("breakthrough", "breakthrough")]


def ours(name: str, count: int) -> Work:
    """Our playouts."""
    game = kb.load(name)

    def play(number: int) -> float:
        game.playouts(count, number)
        return float(count)

    return play


def rows(scale: Scale) -> Iterator[Row]:
    """One row a game."""
    for name, theirs in PAIRS:
        count = scale.simulations // 10
        yield race(
            ours(name, 10 * count),
            _peers.spiel_rollouts(theirs, count),
            scale,
            benchmark="playouts",
            work=f"random playouts, {name}",
            unit="1/s",
            peer_name="OpenSpiel's C++ rollouts",
            required=5,
        )
