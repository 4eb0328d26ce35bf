"""What environments for reinforcement learning need of a game: vectors, masks and numbered actions."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING
from zlib import crc32

import numpy as np

from kibitz._core import Game, Referee, View

if TYPE_CHECKING:
    from numpy.typing import NDArray

BINS = 256
"""Places in a vector of what a player sees, where the game numbers nothing itself."""
LATEST = 8
"""Of so many of the last events."""
SURVEY = 100
"""Random games that are looked at for their actions."""
LONGEST = 300
"""Moves of each."""


class Encoder:
    """How a game's views and actions become vectors and numbers from 0 on.

    An observation is a vector of zeros and ones. In a game without secrets that numbers what may be true
    (its atoms), it says what is true, and where there are several players, who sees it. Elsewhere it says
    what the player sees: each character of the view's text with its place, and each of the latest events,
    fall into one of `bins` places by a hash, which two of them may share.

    Actions keep the game's numbers where these are small; otherwise those that come up in `survey` random
    games are numbered in their order.

    >>> import kibitz as kb
    >>> from kibitz.adapters._environment import Encoder
    >>> encoder = Encoder(kb.load("tic-tac-toe"))
    >>> encoder.actions
    9
    """

    def __init__(self, game: Game, *, bins: int = BINS, survey: int = SURVEY) -> None:
        if bins < 1 or survey < 1:
            raise ValueError("bins and survey are whole numbers from 1 on")
        self.game = game
        self.by_atoms = game.atom_count > 0 and game.info.perfect_information
        players = game.info.players
        self.size = game.atom_count + (players if players > 1 else 0) if self.by_atoms else bins
        seen = sorted(_actions(game, survey))
        dense = seen[-1] < 16 * len(seen) + 64 if seen else False
        self.numbers = list(range(seen[-1] + 1)) if dense else seen
        self.places = {number: place for place, number in enumerate(self.numbers)}

    @property
    def actions(self) -> int:
        """How many actions there are to choose among."""
        return max(1, len(self.numbers))

    def observation(self, referee: Referee, view: View) -> NDArray[np.int8]:
        """What the player of a view sees."""
        vector = np.zeros(self.size, np.int8)
        if self.by_atoms:
            vector[referee.state.atoms() or []] = 1
            if self.game.info.players > 1:
                vector[self.game.atom_count + view.player] = 1
            return vector
        for row, line in enumerate(view.text().splitlines()):
            for column, sign in enumerate(line):
                if sign != " ":
                    vector[crc32(f"{row} {column} {sign}".encode()) % self.size] = 1
        for back, (kind, _, words) in enumerate(reversed(view.events[-LATEST:])):
            vector[crc32(f"{back} {kind} {words}".encode()) % self.size] = 1
        return vector

    def mask(self, view: View) -> NDArray[np.int8]:
        """Which actions are legal."""
        mask = np.zeros(self.actions, np.int8)
        legal = view.legal()
        known = [self.places[action] for action in legal if action in self.places]
        if legal and not known:
            raise ValueError(
                f"nothing that is legal here came up in the random games by which {self.game.spec}'s "
                "actions were numbered; raise survey"
            )
        mask[known] = 1
        return mask

    def action(self, place: int, mask: NDArray[np.int8], rng: np.random.Generator) -> int:
        """The game's number of an action; in place of one that is not legal, a legal one."""
        if not (0 <= place < self.actions and mask[place]):
            place = int(rng.choice(np.flatnonzero(mask)))
        return self.numbers[place]


def _actions(game: Game, survey: int) -> set[int]:
    """The numbers of all actions that come up in some random games, as seats have them."""
    found: set[int] = set()
    for seed in range(survey):
        referee, rng = Referee(game, seed, max_steps=10 * LONGEST), Random(seed)
        for _ in range(LONGEST):
            if not referee.goes_on:
                break
            joint = []
            for mover in referee.movers:
                legal = referee.view(mover).legal()
                found.update(legal)
                joint.append(rng.choice(legal))
            referee.apply(joint)
    return found


def limit(game: Game, max_steps: int | None) -> int | None:
    """After how many steps an episode is cut off."""
    if max_steps is not None and max_steps < 1:
        raise ValueError("max_steps is a whole number from 1 on")
    return game.info.enough_steps if max_steps is None else max_steps


def seed_of(rng: np.random.Generator) -> int:
    """The seed of a referee."""
    return int(rng.integers(2**63))
