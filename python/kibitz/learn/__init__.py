"""Networks that judge the states of a game, taught by playing against oneself.

A game must say what is true of its states (rules files do; so does Klondike between its moves that cannot
be undone). A network learns what states are worth from what becomes of them, and from what a search that
judges by it says of them (TD(λ)); any search then judges its leaves by it: `uct(evaluator=FILE)`.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable
from dataclasses import dataclass

from kibitz import _core, _files
from kibitz._arguments import checked
from kibitz._core import Game
from kibitz.games import load

__all__ = ["Net", "Progress", "teach"]


@dataclass(frozen=True, slots=True)
class Progress:
    """What a round of games has come to."""

    games: int
    """How many games were played so far."""
    mean: float
    """The first player's mean return in this round, from 0 (the worst possible) to 1."""
    loss: float
    """The mean cross entropy between what the network said and what came of it."""


LARGEST = 1 << 28
"""Bytes of a file with a network that is still read."""


@dataclass(frozen=True, slots=True)
class Net:
    """A network, to be saved and asked by searches."""

    data: bytes

    def save(self, file: str | os.PathLike[str]) -> None:
        """Writes the file that `evaluator=FILE` reads; what was there before stays until it is complete."""
        _files.write(file, self.data)

    @staticmethod
    def load(file: str | os.PathLike[str]) -> Net:
        """Reads such a file, to go on from it."""
        return Net(_files.read(file, LARGEST))


@checked("game")
def teach(
    game: str | Game,
    *,
    games: int = 20_000,
    macro_actions: bool = False,
    units: int = 64,
    trust: float = 0.5,
    explore: float = 0.02,
    transitions: int = 0,
    rate: float = 1e-3,
    threads: int = 1,
    seed: int = 0,
    start: Net | None = None,
    progress: Callable[[Progress, Net], None] | None = None,
    strides: bool | None = None,
) -> Net:
    """Teaches a network a game by so many games against itself.

    `macro_actions`: states are those between moves that cannot be undone, as `macro_actions=irreversible`
    searches them (`strides` was its name; it goes with the next version).
    `units`: of the first hidden layer (32 to 256). `trust`: how much what came of a state counts, beside
    what the next one was taken to be worth (λ). `explore`: how often any action is taken. `transitions`:
    steps of the game that a search makes before each move (`outcome-uct`, judging by the network as it is);
    by default it looks at all outcomes of the next move. A search is slower and may teach more: best as a
    second course, by `start`. `rate`: how large steps are at the beginning; they fall to a tenth. After
    each round (a fiftieth of the games, at most 1,000) `progress` is called. `Net.save` writes the file
    that a search is given: `uct(evaluator=FILE)`.

    >>> import kibitz as kb
    >>> net = kb.learn.teach("tic-tac-toe.kif", games=100, units=32)
    >>> net.data[:10]
    b'kibitz net'
    """
    if strides is not None:
        warnings.warn("strides is called macro_actions now", FutureWarning, stacklevel=3)
        macro_actions = strides
    if games < 1:
        raise ValueError(f"games={games}: a network learns from at least one game")
    each = max(1, min(1000, games // 50))
    self_play = _core.SelfPlay(
        load(game),
        macro_actions=macro_actions,
        round=each,
        units=units,
        trust=trust,
        explore=explore,
        transitions=transitions,
        threads=threads,
        seed=seed,
        net=None if start is None else start.data,
    )
    rounds = -(-games // each)
    for number in range(rounds):
        made = self_play.round(rate * (1 - 0.9 * number / rounds))
        if progress is not None:
            progress(Progress(*made), Net(self_play.net()))
    return Net(self_play.net())
