"""How much of a play clock can be spent on thinking: what is left over is measured, not guessed."""

from __future__ import annotations

SHARE = 0.05
"""Of a clock, for the way of a message there and back."""
LEAST, FIRST = 0.05, 0.2
"""Seconds that are kept in any case, and before anything was measured."""
SAFETY = 1.5
"""So much more is kept than the worst that was seen lately."""
FADES = 0.9
"""What was seen before counts so much after each turn."""


class Margin:
    """What is kept of a clock: the worst lateness seen lately, and more; twice as much after a miss.

    Lateness is by how much an answer was ready after the time that the planner was given. It is shared by
    all matches of a player: what makes one late makes others late.

    >>> from kibitz.ggp.clocks import Margin
    >>> margin = Margin()
    >>> margin.thinking(10.0) == 10 - 0.2 - 0.5
    True
    >>> margin.answered(0.01)
    >>> margin.thinking(10.0) > 9.25
    True
    """

    def __init__(self) -> None:
        self._worst: float | None = None
        self._missed = 1.0

    def kept(self, clock: float) -> float:
        """The seconds of a clock that are not for thinking."""
        late = FIRST if self._worst is None else SAFETY * self._worst
        return min(self._missed * (max(LEAST, late) + SHARE * clock), 0.9 * clock)

    def thinking(self, clock: float) -> float:
        """The seconds of a clock that are."""
        return clock - self.kept(clock)

    def answered(self, late: float) -> None:
        """An answer was ready so long after the time for thinking."""
        before = 0.0 if self._worst is None else FADES * self._worst
        self._worst = max(before, late, 0.0)
        self._missed = max(1.0, self._missed * FADES)

    def missed(self) -> None:
        """The manager took an answer for late: it played another move than was answered."""
        self._missed = min(8.0, 2 * self._missed)
