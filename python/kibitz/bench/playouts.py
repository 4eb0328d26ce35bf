"""Random games from the start, on one thread."""

from __future__ import annotations

from collections.abc import Iterator

import kibitz as kb
from kibitz.bench import _peers
from kibitz.bench._measure import Row, Scale, race

PAIRS = [("connect-four", "connect_four"), ("breakthrough", "breakthrough")]


def rows(scale: Scale) -> Iterator[Row]:
    """One row a game."""
    for name, theirs in PAIRS:
        count = scale.simulations // 10
        yield race(
            _peers.our_playouts(kb.load(name), 10 * count),
            _peers.spiel_rollouts(theirs, count),
            scale,
            benchmark="playouts",
            work=f"random playouts, {name}",
            unit="1/s",
            peer_name="OpenSpiel's C++ rollouts",
            required=5,
        )
