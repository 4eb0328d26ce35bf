"""Whoever types while a game goes on."""

from __future__ import annotations


class Typist:
    """Presses keys at given times, and is the clock as well."""

    def __init__(self, keys: list[tuple[float, str]]) -> None:
        self.time = 0.0
        self.keys = keys

    def read(self, seconds: float) -> str | None:
        if self.keys and self.keys[0][0] <= self.time + seconds:
            self.time = max(self.time, self.keys[0][0])
            return self.keys.pop(0)[1]
        if seconds >= 3600:
            raise AssertionError("paused for ever")
        self.time += seconds
        return None
