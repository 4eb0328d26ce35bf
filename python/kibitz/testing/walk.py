"""Random walks through a game, with what each player has seen on the way."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random

from kibitz._core import Game, State

Event = tuple[str, int]
"""("acted", action) or ("observed", key)."""


@dataclass
class Walk:
    """One way from the beginning of a game to a state."""

    game: Game
    state: State
    events: list[tuple[Event, ...]]
    """What each player has done and been told."""
    returns: list[float]
    joints: list[list[int]] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    weight: float = 1.0

    @staticmethod
    def begin(game: Game) -> Walk:
        """Where every walk begins."""
        players = game.info.players
        return Walk(game, game.initial(), [()] * players, [0.0] * players)

    @property
    def steps(self) -> int:
        """How many steps were taken, chance's included."""
        return len(self.joints)

    def step(self, joint: list[int]) -> Walk:
        """The walk that goes on with these actions; this one stays as it is."""
        before = self.state
        movers = before.movers
        after, rewards = before.step(joint)
        events = list(self.events)
        for mover, action in zip(movers, joint, strict=False):
            events[mover] += (("acted", action),)
        for player in range(len(events)):
            key, _ = after.observation(before, joint, player)
            if key:
                events[player] += (("observed", key),)
        returns = [total + self.weight * paid for total, paid in zip(self.returns, rewards, strict=True)]
        weight = self.weight * (self.game.info.discount if movers else 1.0)
        who: list[int | None] = [*movers] or [None]
        names = [before.action_name(player, action) for player, action in zip(who, joint, strict=True)]
        return Walk(
            self.game, after, events, returns, [*self.joints, joint], [*self.names, "+".join(names)], weight
        )

    def random_joint(self, rng: Random) -> list[int]:
        """Random legal actions of the movers, or a draw of chance."""
        if self.state.chance:
            return [self.state.draw(rng.getrandbits(63))]
        return [rng.choice(self.state.legal(mover)) for mover in self.state.movers]

    def where(self) -> str:
        """How to get here, in words."""
        if not self.names:
            return "at the beginning"
        early = "... " if len(self.names) > 15 else ""
        return f"after {early}{', '.join(self.names[-15:])}"


def random_walk(game: Game, rng: Random, max_steps: int) -> Iterator[Walk]:
    """Every state of a random game, the first and the last included.

    >>> import kibitz as kb
    >>> from random import Random
    >>> from kibitz.testing.walk import random_walk
    >>> [walk.steps for walk in random_walk(kb.load("kuhn-poker"), Random(1), 99)][:3]
    [0, 1, 2]
    """
    walk = Walk.begin(game)
    yield walk
    while not walk.state.over and walk.steps < max_steps:
        walk = walk.step(walk.random_joint(rng))
        yield walk


def twin(walk: Walk, player: int, rng: Random, budget: int = 400) -> Walk | None:
    """Another truth that looks the same to a player, if one is found within so many steps.

    Goes back to the beginning and lets chance and the others choose anew, as long as the player
    is told the same.

    >>> import kibitz as kb
    >>> from random import Random
    >>> from kibitz.testing.walk import random_walk, twin
    >>> *_, dealt = random_walk(kb.load("kuhn-poker"), Random(1), 2)
    >>> other = twin(dealt, 0, Random(1))
    >>> other.events[0] == dealt.events[0], other.state.text() == dealt.state.text()
    (True, False)
    """
    wanted = walk.events[player]
    truth = walk.state.text()
    moves = player in walk.state.movers
    open_ends = [Walk.begin(walk.game)]
    while open_ends and budget > 0:
        here = open_ends.pop()
        if here.events[player] == wanted and (player in here.state.movers) == moves:
            if here.state.text() != truth:
                return here
            if moves:
                continue
        if here.state.over or here.steps > walk.steps:
            continue
        for joint in _joints(here, player, wanted, rng):
            budget -= 1
            after = here.step(joint)
            seen = after.events[player]
            if seen == wanted[: len(seen)]:
                open_ends.append(after)
    return None


def _joints(
    walk: Walk, player: int, wanted: tuple[Event, ...], rng: Random, most: int = 6
) -> list[list[int]]:
    """Some ways to go on, the player's own action being given."""
    state = walk.state
    if state.chance:
        if not walk.game.info.capabilities["explicit chance"]:
            return [[state.draw(rng.getrandbits(63))] for _ in range(most)]
        outcomes = [[outcome] for outcome, probability in state.outcomes() if probability > 0]
        rng.shuffle(outcomes)
        # An outcome that the player is told must be found among all of them.
        told = [joint for joint in outcomes[:64] if _fits(walk, joint, player, wanted)]
        return told[:most]
    fixed: int | None = None
    if player in state.movers:
        seen = len(walk.events[player])
        if seen >= len(wanted) or wanted[seen][0] != "acted":
            return []
        fixed = wanted[seen][1]
    if state.movers == [player]:
        return [[fixed]] if fixed is not None else []
    joints = []
    for _ in range(most):
        choices = [fixed if mover == player else rng.choice(state.legal(mover)) for mover in state.movers]
        joint = [choice for choice in choices if choice is not None]
        if joint not in joints:
            joints.append(joint)
    return joints


def _fits(walk: Walk, joint: list[int], player: int, wanted: tuple[Event, ...]) -> bool:
    after, _ = walk.state.step(joint)
    key, _ = after.observation(walk.state, joint, player)
    seen = len(walk.events[player])
    return key == 0 or wanted[seen : seen + 1] == (("observed", key),)
