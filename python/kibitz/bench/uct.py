"""Plain UCT with one random playout a leaf, on one thread."""

from __future__ import annotations

from collections.abc import Iterator

import kibitz as kb
from kibitz.bench import _peers
from kibitz.bench._measure import Row, Scale, race

PAIRS = [
    ("tic-tac-toe", "tic_tac_toe", 2),
    ("connect-four", "connect_four", 5),
    ("breakthrough", "breakthrough", 5),
]


def rows(scale: Scale) -> Iterator[Row]:
    """One row a game."""
    for name, theirs, required in PAIRS:
        yield race(
            _peers.our_search(kb.load(name), _peers.uct(scale.simulations)),
            _peers.spiel_search(theirs, scale.simulations),
            scale,
            benchmark="uct",
            work=f"UCT, {name}",
            unit="simulations/s",
            peer_name="OpenSpiel's C++ MCTSBot",
            required=required,
        )
