"""Random games from the start, on one thread."""

from __future__ import annotations

from collections.abc import Iterator

from kibitz.bench import _peers
from kibitz.bench._measure import Row, Scale

PAIRS = [("connect-four", "connect_four"), ("breakthrough", "breakthrough")]


def rows(scale: Scale) -> Iterator[Row]:
    """One row a game."""
    for name, theirs in PAIRS:
        yield _peers.playouts_beside_spiel(
            scale, name, theirs, benchmark="playouts", count=scale.simulations, required=5
        )
