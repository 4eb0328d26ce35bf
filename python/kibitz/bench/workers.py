"""What a second worker brings: ours with two against ours with one.

By the clock on the wall, which counts only where two cores are idle; so the machine's load is noted,
and the same is worked out from processor time, as if each worker had a core to itself.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator

import kibitz as kb
from kibitz.bench import _peers
from kibitz.bench._measure import Row, Scale, Work, race


def doubled(work: Work) -> Work:
    """What two idle cores would do in a second of which one does half."""
    return lambda number: 2 * work(number)


def rows(scale: Scale) -> Iterator[Row]:
    """Two trees, and one tree for both."""
    game = kb.load("breakthrough")
    spec = _peers.uct(10 * scale.simulations)
    alone = _peers.our_search(game, spec)
    for parallel in ("root", "tree"):
        together = _peers.our_search(game, f"{spec[:-1]}, workers=2, parallel={parallel})")
        work = f"two workers, parallel={parallel}, breakthrough"
        load = (
            f"{os.getloadavg()[0]:.1f} of {os.cpu_count()} cores busy" if hasattr(os, "getloadavg") else ""
        )
        yield race(
            together,
            alone,
            scale,
            benchmark="workers",
            work=work,
            unit="simulations/s",
            peer_name="one worker, by the wall clock",
            required=1.7,
            note=load,
            clock=time.perf_counter,
        )
        yield race(
            doubled(together),
            alone,
            scale,
            benchmark="workers",
            work=work,
            unit="simulations/s",
            peer_name="one worker, if each had a core",
        )
