"""Whether a measured figure agrees with a published one."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from kibitz.lab.statistics.intervals import Interval

Verdict = Literal["agrees", "better", "worse", "differs", "cannot tell yet"]
Better = Literal["higher", "lower", "neither"]


@dataclass(frozen=True, slots=True)
class Figure:
    """A value and its 95 % interval; without an interval it is taken to be exact."""

    value: float
    interval: Interval | None = None


def difference(ours: Figure, theirs: Figure) -> Interval:
    """The interval of ours minus theirs, two independent figures (Zou and Donner 2008).

    What each interval reaches beyond its value, on the side that counts, is added like the legs of a
    right triangle; with two symmetric intervals this is the usual normal interval.

    >>> from kibitz.lab.statistics import Interval
    >>> from kibitz.lab.statistics.agreement import Figure, difference
    >>> difference(Figure(10.0, Interval(7.0, 13.0)), Figure(8.0, Interval(4.0, 12.0)))
    Interval(low=-3.0, high=7.0)
    """
    below, above = _reach(ours)
    their_below, their_above = _reach(theirs)
    gap = ours.value - theirs.value
    return Interval(gap - math.hypot(below, their_above), gap + math.hypot(above, their_below))


def _reach(figure: Figure) -> tuple[float, float]:
    if figure.interval is None:
        return 0.0, 0.0
    return max(0.0, figure.value - figure.interval.low), max(0.0, figure.interval.high - figure.value)


def judge(ours: Figure, theirs: Figure, *, tolerance: float, better: Better = "neither") -> Verdict:
    """What two figures say about each other; differences up to `tolerance` do not matter.

    It *agrees* where the whole interval of the difference lies within the tolerance, and is *better*
    or *worse* (or just *differs*, where neither direction is better) where the whole interval lies
    beyond it. Otherwise more games must be played: a wide interval never agrees by being wide.

    >>> from kibitz.lab.statistics import Interval
    >>> from kibitz.lab.statistics.agreement import Figure, judge
    >>> judge(Figure(18.4, Interval(17.9, 18.9)), Figure(17.3), tolerance=0.5, better="higher")
    'better'
    >>> judge(Figure(18.4, Interval(12.9, 23.9)), Figure(17.3), tolerance=0.5, better="higher")
    'cannot tell yet'
    """
    if not tolerance >= 0:
        raise ValueError(f"a tolerance is 0 or more, not {tolerance:g}")
    low, high = difference(ours, theirs)
    if not (math.isfinite(ours.value) and math.isfinite(theirs.value)):
        return "cannot tell yet"
    if -tolerance <= low and high <= tolerance:
        return "agrees"
    if low <= tolerance and high >= -tolerance:
        return "cannot tell yet"
    if better == "neither":
        return "differs"
    return "better" if (low > tolerance) == (better == "higher") else "worse"


def games_to_tell(ours: Figure, theirs: Figure, games: int, *, tolerance: float) -> int | None:
    """About how many games would tell, where `games` cannot, if the figures stay as they are.

    An interval narrows with the square root of the games; what it reaches farther on one side than on the
    other, for what was not seen yet, narrows with their number. None where no number would do, because
    the published interval alone is too wide, or where nothing is known yet of how far ours would reach.

    >>> from kibitz.lab.statistics import Interval
    >>> from kibitz.lab.statistics.agreement import Figure, games_to_tell
    >>> games_to_tell(Figure(18.0, Interval(16.0, 20.0)), Figure(17.0), 100, tolerance=0.5)
    1600
    """
    gap = ours.value - theirs.value
    beyond = abs(gap) > tolerance
    needed = 0.0
    # Beyond it, only the side towards the published figure counts; within, both do.
    for side in (1, -1):
        if beyond and side == math.copysign(1, gap):
            continue
        room = abs(tolerance - side * gap) if not beyond else abs(gap) - tolerance
        own, narrower = _reach(ours)[1 if side > 0 else 0], min(_reach(ours))
        published = _reach(theirs)[0 if side > 0 else 1]
        if not math.isfinite(own) or not published < room:
            return None
        left = math.sqrt(room * room - published * published)
        # At n games: narrower sqrt(games / n) + (own - narrower) games / n = left.
        root = 2 * left / (narrower + math.sqrt(narrower**2 + 4 * (own - narrower) * left)) if own else 1.0
        needed = max(needed, games / root**2)
    return max(games + 1, math.ceil(needed)) if math.isfinite(needed) else None
