"""What a second worker brings: ours with two against ours with one.

By the clock on the wall, which says something only while two cores are free: where they are not, there
is no verdict. The same is worked out from processor time, as if each worker had a core to itself.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace

import kibitz as kb
from kibitz.bench import _peers
from kibitz.bench._measure import Row, Scale, Work, race

FREE = 1.8
"""So many cores must be free for a verdict."""

SPIN = """
import time
began = time.perf_counter()
while time.perf_counter() - began < {seconds}:
    pass
print(time.process_time() / (time.perf_counter() - began))
"""


def free_cores(seconds: float) -> float:
    """How much of two cores two idle loops get."""
    command = [sys.executable, "-S", "-c", SPIN.format(seconds=seconds)]
    loops = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    return sum(float(loop.communicate()[0]) for loop in loops)


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
        before = free_cores(scale.seconds)
        row = race(
            together,
            alone,
            scale,
            benchmark="workers",
            work=work,
            unit="simulations/s",
            peer_name="one worker, by the wall clock",
            clock=time.perf_counter,
        )
        free = min(before, free_cores(scale.seconds))
        yield (
            replace(row, required=1.7)
            if free >= FREE
            else replace(row, note=f"no verdict: only {free:.1f} cores were free")
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
