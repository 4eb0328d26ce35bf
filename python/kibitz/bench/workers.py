"""What a second worker brings, by the clock on the wall: ours with two against ours with one."""

from __future__ import annotations

import time
from collections.abc import Iterator

import kibitz as kb
from kibitz.bench import _peers
from kibitz.bench._measure import Row, Scale, race


def rows(scale: Scale) -> Iterator[Row]:
    """Two trees, and one tree for both."""
    game = kb.load("breakthrough")
    alone = _peers.uct(10 * scale.simulations)
    for parallel in ("root", "tree"):
        together = f"{alone[:-1]}, workers=2, parallel={parallel})"
        yield race(
            _peers.our_search(game, together),
            _peers.our_search(game, alone),
            scale,
            benchmark="workers",
            work=f"two workers, parallel={parallel}, breakthrough",
            unit="simulations/s",
            peer_name="one worker, by the wall clock",
            required=1.7,
            clock=time.perf_counter,
        )
