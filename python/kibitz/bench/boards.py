"""Random games on boards of five by five, on one thread, beside published figures and OpenSpiel's.

The published figures are those of Cazenave, Saffidine, Schofield and Thielscher, Nested Monte Carlo Search
for Two-Player Games (table 3 of the workshop's version): thousands of playouts a second on a 3 GHz core of
2015. OpenSpiel has breakthrough, and misère as a transformation of any game.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterator

import kibitz as kb
from kibitz.bench import _peers
from kibitz.bench._measure import Row, Scale, rate

PUBLISHED = {
    "breakthrough(5, 5)": 1_641_000,
    "breakthrough(5, 5, misere=true)": 1_369_000,
    "knightthrough(5, 5)": 1_632_000,
    "knightthrough(5, 5, misere=true)": 1_337_000,
    "domineering(5, 5)": 1_406_000,
    "domineering(5, 5, misere=true)": 1_419_000,
    "nogo(5, 5)": 397_000,
    "nogo(5, 5, misere=true)": 409_000,
    "atarigo(5, 5)": 123_000,
}
"""Random playouts a second."""
SPIEL = {
    "breakthrough(5, 5)": "breakthrough(rows=5,columns=5)",
    "breakthrough(5, 5, misere=true)": "misere(game=breakthrough(rows=5,columns=5))",
}


def rows(scale: Scale) -> Iterator[Row]:
    """One row a game, and one more for each that OpenSpiel has."""
    for name, published in PUBLISHED.items():
        work = _peers.our_playouts(kb.load(name), 10 * scale.simulations)
        work(0)
        ours = statistics.median(rate(work, scale.seconds, 1000 * turn) for turn in range(scale.turns))
        yield Row(
            "boards",
            f"random playouts, {name}",
            "1/s",
            ours,
            published,
            ours / published,
            required=1,
            peer_name="the paper's, on a 3 GHz core of 2015",
        )
    for name, theirs in SPIEL.items():
        yield _peers.playouts_beside_spiel(
            scale, name, theirs, benchmark="boards", count=scale.simulations, required=10
        )
