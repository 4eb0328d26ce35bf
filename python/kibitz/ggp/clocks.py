"""How much of a play clock can be spent on thinking: what is kept is measured, not guessed, and who thinks
at the same time as others has a share of the processors."""

from __future__ import annotations

import contextlib
import math
import os
import threading
import time
from collections.abc import Callable, Iterator

SHARE = 0.05
"""Of a clock, for the way of a message there and back."""
LEAST, FIRST = 0.1, 0.2
"""Seconds that are kept in any case, and the lateness that is assumed at first."""
SAFETY = 1.5
"""So much more is kept than the worst that was seen lately."""
MEMORY = 60.0
"""Seconds after which what was seen counts for about a third of what it did."""
MOST, APART = 4.0, 1.0
"""Times as much is kept after misses, at most; and what comes within so many seconds is one miss."""
PATIENCE = 0.9
"""Of the time that there is to think, who waits for a processor waits so long at most."""


class Margin:
    """What is kept of a clock: the worst lateness seen lately, and more; twice as much after a miss.

    Lateness is by how much an answer was ready after the time that the planner was given. It is shared by
    all matches of a player: what makes one late makes others late.

    >>> from kibitz.ggp.clocks import Margin
    >>> margin = Margin(now=lambda: 0.0)
    >>> margin.kept(10.0)
    0.8
    >>> margin.answered(late=1.0)
    >>> margin.kept(10.0)
    2.0
    """

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now, self._at = now, now()
        self._worst, self._missed = FIRST, 1.0
        self._last_miss = -math.inf

    def kept(self, clock: float) -> float:
        """The seconds of a clock that are not for thinking."""
        self._fade()
        late = max(LEAST, SAFETY * self._worst)
        return min(self._missed * (late + SHARE * clock), 0.9 * clock)

    def thinking(self, clock: float) -> float:
        """The seconds of a clock that are."""
        return clock - self.kept(clock)

    def answered(self, late: float) -> None:
        """An answer was ready so long after the time for thinking."""
        self._fade()
        self._worst = max(self._worst, late)

    def missed(self) -> None:
        """The manager took an answer for late: it played another move than was answered."""
        self._fade()
        if self._at - self._last_miss > APART:
            self._missed, self._last_miss = min(MOST, 2 * self._missed), self._at

    def _fade(self) -> None:
        now = self._now()
        left = math.exp(-max(0.0, now - self._at) / MEMORY)
        self._at = now
        self._missed = 1 + (self._missed - 1) * left
        self._worst *= left


class Processors:
    """Lets no more planners think at once than there are processors: each has its share of the time.

    Many that think at once would all be late, and so would be whoever sends their answers.

    >>> from kibitz.ggp.clocks import Processors
    >>> with Processors(1).share(time.monotonic() + 10) as seconds:
    ...     9 < seconds <= 10
    True
    """

    def __init__(self, count: int | None = None) -> None:
        self._count = count or os.cpu_count() or 1
        self._free = threading.Semaphore(self._count)
        self._lock = threading.Lock()
        self._asking = 0

    @contextlib.contextmanager
    def share(self, end: float) -> Iterator[float]:
        """For how many seconds to think, by somebody who must be done at a time; waits until there is
        room."""
        with self._lock:
            self._asking += 1
        # Rather crowded than late: others may have much longer clocks.
        alone = self._free.acquire(timeout=PATIENCE * max(0.0, end - time.monotonic()))
        try:
            yield max(0.0, end - time.monotonic()) * min(1.0, self._count / max(1, self._asking))
        finally:
            if alone:
                self._free.release()
            with self._lock:
                self._asking -= 1
