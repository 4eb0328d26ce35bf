"""Random walks through a game, with what each player has seen on the way."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random

from kibitz._core import Game, State

Event = tuple[str, int]
"""("acted", action), ("observed", key) or, in real time, ("passed", ticks)."""


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
        if not movers and not before.chance:
            # Something happens by itself, and not before then.
            events = [_later(seen, before.due or 0) for seen in events]
        for mover, action in zip(movers, joint, strict=False):
            events[mover] += (("acted", action),)
        for player in range(len(events)):
            key, _ = after.observation(before, joint, player)
            if key:
                events[player] += (("observed", key),)
        returns = [total + self.weight * paid for total, paid in zip(self.returns, rewards, strict=True)]
        # Nobody moves where, in real time, something happens by itself.
        who: list[int | None] = [None] if before.chance else [*movers]
        weight = self.weight * (1.0 if before.chance else self.game.info.discount)
        names = [before.action_name(player, action) for player, action in zip(who, joint, strict=True)]
        name = "+".join(names) or "time goes by"
        return Walk(self.game, after, events, returns, [*self.joints, joint], [*self.names, name], weight)

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


def _later(events: tuple[Event, ...], ticks: int) -> tuple[Event, ...]:
    """What was seen, so many ticks later."""
    if not ticks:
        return events
    if events and events[-1][0] == "passed":
        return (*events[:-1], ("passed", events[-1][1] + ticks))
    return (*events, ("passed", ticks))


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

    Goes back to some step, lets chance or the others choose anew there, and from there on lets them do
    what they did, as far as that is possible, or anything else, as long as the player is told the same.

    >>> import kibitz as kb
    >>> from random import Random
    >>> from kibitz.testing.walk import random_walk, twin
    >>> *_, dealt = random_walk(kb.load("kuhn-poker"), Random(1), 2)
    >>> other = twin(dealt, 0, Random(1))
    >>> other.events[0] == dealt.events[0], other.state.text() == dealt.state.text()
    (True, False)
    """
    way = [Walk.begin(walk.game)]
    for joint in walk.joints:
        way.append(way[-1].step(joint))
    turns = [at for at, here in enumerate(way[:-1]) if here.state.movers != [player]]
    rng.shuffle(turns)
    search = _Twins(walk, player, rng, budget)
    for tries, at in enumerate(turns):
        # Where much was dealt, what came after it goes with few other deals, most of them much alike.
        other = search.other(way[at], alike=tries > 0 or rng.random() < 0.5)
        if other is not None or search.budget <= 0:
            return other
    return None


class _Twins:
    """Looks for histories that look the same to a player, depth first."""

    def __init__(self, walk: Walk, player: int, rng: Random, budget: int) -> None:
        self.walk, self.player, self.rng, self.budget = walk, player, rng, budget
        self.wanted = walk.events[player]
        self.truth = walk.state.text()
        self.moves = player in walk.state.movers

    def other(self, begin: Walk, alike: bool) -> Walk | None:
        """One that is another from `begin` on, or from there on at random."""
        begun = begin.steps
        share = self.budget // 2 if not alike else max(20, 3 * (self.walk.steps - begun))
        open_ends = [self.ways(begin, alike, first=False)]
        while open_ends and share > 0 and self.budget > 0:
            here = next(open_ends[-1], None)
            if here is None:
                open_ends.pop()
                continue
            self.budget -= 1
            share -= 1
            seen = here.events[self.player]
            if seen != self.wanted[: len(seen)]:
                continue
            if len(seen) == len(self.wanted) and (self.player in here.state.movers) == self.moves:
                if here.state.text() != self.truth:
                    return here
                if self.moves:
                    continue
            if not here.state.over and here.steps <= self.walk.steps:
                open_ends.append(self.ways(here, alike, first=alike))
        return None

    def ways(self, here: Walk, alike: bool, first: bool, most: int = 6) -> Iterator[Walk]:
        """Some ways to go on with the player's own action; what was done in truth comes first or last."""
        state, player = here.state, self.player
        done = self.walk.joints[here.steps] if here.steps < self.walk.steps else None
        if state.chance:
            if not self.walk.game.info.capabilities["explicit chance"]:
                yield from (here.step([state.draw(self.rng.getrandbits(63))]) for _ in range(most))
                return
            joints = [[outcome] for outcome, probability in state.outcomes() if probability > 0]
            self.rng.shuffle(joints)
        else:
            joints = self.choices(here, done if alike else None)
        if done in joints:
            joints.remove(done)
            joints.insert(0 if first else len(joints), done)
        found = 0
        for joint in joints:
            after = here.step(joint)
            seen = after.events[player]
            found += seen == self.wanted[: len(seen)]
            yield after
            if found == most:
                return

    def choices(self, here: Walk, done: list[int] | None, most: int = 6) -> list[list[int]]:
        """Joint actions in which the player does what it did, and the others something."""
        state, player = here.state, self.player
        fixed: int | None = None
        if player in state.movers:
            seen = len(here.events[player])
            if seen >= len(self.wanted) or self.wanted[seen][0] != "acted":
                return []
            fixed = self.wanted[seen][1]
        legal = [[fixed] if mover == player else state.legal(mover) for mover in state.movers]
        joints = []
        for _ in range(most):
            joint = [choice for choices in legal if (choice := self.rng.choice(choices)) is not None]
            if joint not in joints:
                joints.append(joint)
        if done is not None and len(done) == len(legal) and done not in joints:
            possible = all(choice in choices for choice, choices in zip(done, legal, strict=True))
            joints += [done] * possible
        return joints
