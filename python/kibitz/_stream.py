"""The random numbers that rules written in Python draw from. Imported when first needed."""

import random

from kibitz._core import Bits


class Stream(random.Random):
    """A `random.Random` fed by the core's portable generator: the same seed, the same draws."""

    def __init__(self, bits: Bits) -> None:
        self._bits = bits
        super().__init__(0)

    def random(self) -> float:
        """A uniform real from 0 up to, but not including, 1."""
        return self._bits.random()

    def getrandbits(self, k: int, /) -> int:
        """A whole number of `k` random bits."""
        return self._bits.getrandbits(k)

    def seed(self, a: object = None, version: int = 2) -> None:
        """Does nothing: the core seeds the stream."""
