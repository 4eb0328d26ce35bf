"""How two sides are measured against each other."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

Work = Callable[[int], float]
"""Does a piece of work, given its number, and says how many units it was."""

Clock = Callable[[], float]


@dataclass(frozen=True)
class Scale:
    """How much is measured."""

    turns: int
    """How often each side is measured; the medians count."""
    seconds: float
    """How long a turn takes at least."""
    simulations: int
    """Simulations a move."""
    nodes: int
    """Simulations for the large tree whose memory is measured."""


FULL = Scale(turns=7, seconds=0.5, simulations=10_000, nodes=1_000_000)
TINY = Scale(turns=1, seconds=0.0, simulations=50, nodes=2_000)


@dataclass(frozen=True)
class Row:
    """One comparison."""

    benchmark: str
    work: str
    """What was done."""
    unit: str = ""
    ours: float | None = None
    peer: float | None = None
    """The medians of the rates (or of whatever the unit says)."""
    ratio: float | None = None
    """By how much ours is better, the median over the turns."""
    low: float | None = None
    high: float | None = None
    """The lowest and highest ratio of a turn."""
    required: float | None = None
    """The ratio that we promise."""
    peer_name: str = ""
    note: str = ""

    @property
    def verdict(self) -> str:
        """good, short, or nothing where nothing is promised."""
        if self.required is None or self.ratio is None:
            return ""
        return "good" if self.ratio >= self.required else "short"


def rate(work: Work, seconds: float, first: int, clock: Clock = time.process_time) -> float:
    """Units a second, over as many pieces of work as fit in the time, and at least one."""
    units, number, began = 0.0, first, clock()
    while True:
        units += work(number)
        number += 1
        spent = clock() - began
        if spent >= seconds:
            # A clock may be too coarse for a tiny piece of work.
            return units / max(spent, 1e-9)


def race(
    ours: Work,
    peer: Work,
    scale: Scale,
    *,
    benchmark: str,
    work: str,
    unit: str,
    peer_name: str,
    required: float | None = None,
    note: str = "",
    clock: Clock = time.process_time,
) -> Row:
    """Measures both sides in turns: ours, theirs, theirs, ours, and so on."""
    if scale.seconds:
        ours(0), peer(0)  # whatever is slow the first time only
    rates: dict[Literal["ours", "peer"], list[float]] = {"ours": [], "peer": []}
    for turn in range(scale.turns):
        sides: list[tuple[Literal["ours", "peer"], Work]] = [("ours", ours), ("peer", peer)]
        for side, function in sides if turn % 2 == 0 else reversed(sides):
            rates[side].append(rate(function, scale.seconds, 1000 * turn, clock))
    ratios = sorted(a / b for a, b in zip(rates["ours"], rates["peer"], strict=True))
    return Row(
        benchmark,
        work,
        unit,
        statistics.median(rates["ours"]),
        statistics.median(rates["peer"]),
        statistics.median(ratios),
        ratios[0],
        ratios[-1],
        required,
        peer_name,
        note,
    )
