"""Plain UCT with one random playout a leaf, on one thread."""

from __future__ import annotations

from collections.abc import Iterator

import kibitz as kb
from kibitz.bench import _peers
from kibitz.bench._measure import Row, Scale

PAIRS = [
    ("tic-tac-toe", "tic_tac_toe", 2),
    ("connect-four", "connect_four", 5),
    ("breakthrough", "breakthrough", 5),
]


def rows(scale: Scale) -> Iterator[Row]:
    """One row a game."""
    for name, theirs, required in PAIRS:
        search = _peers.our_search(kb.load(name), _peers.uct(scale.simulations))
        yield _peers.search_beside_spiel(
            scale, f"UCT, {name}", search, theirs, benchmark="uct", unit="simulations/s", required=required
        )
