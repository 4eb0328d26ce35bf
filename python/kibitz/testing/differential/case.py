"""One small game with all that is compared about it: the game itself, its views, and the references."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from random import Random

from kibitz import _core
from kibitz.games import load
from kibitz.testing.differential.references import (
    BackwardInduction,
    BestReply,
    RandomPlay,
    Range,
    Spread,
    posteriors,
)
from kibitz.testing.differential.tables import END, Table, View

DOUBT = 1e-10
"""How probable it may be that a right answer is called wrong, in a single comparison of random figures."""


@dataclass(frozen=True)
class Difference:
    """What something says of a game, and what is true."""

    check: str
    """What was compared: it is found by this name again."""
    says: str
    should: str
    code: str
    """An expression, or lines, that show it where `game` is the game."""

    def __str__(self) -> str:
        return f"{self.check} says {self.says}, and it should be {self.should}"


@dataclass(frozen=True)
class Decision:
    """An information set."""

    player: int
    seen: View
    view: _core.View
    legal: list[str]
    nodes: Mapping[int, float]
    """How probable each node is there, others doing anything legal."""
    reach: float
    """How probable it is to be met by a player who does what leads there, others doing anything legal."""
    histories: int
    """How many lead there."""
    number: int
    """Which one it is of the game's tree."""

    def follows(self, other: Decision) -> bool:
        """Whether its player has decided there before."""
        after = self.seen[len(other.seen) :]
        met = self.player == other.player and self.seen[: len(other.seen)] == other.seen
        return met and after[:1] != () and after[0][0] == "acted"

    @property
    def code(self) -> str:
        """An expression for its view."""
        return f"GameTree(game, 10**6).view({self.number})"


class Case:
    """A table, its game, and what is true of it."""

    def __init__(self, table: Table, seed: int | str = 0) -> None:
        self.table = table
        self.seed = seed
        self.game = load(table.rules())

    def rng(self, name: str) -> Random:
        """A stream for one comparison."""
        return Random(f"{self.seed} {name}")

    @cached_property
    def tree(self) -> _core.GameTree:
        """The whole game as the core writes it out."""
        return _core.GameTree(self.game, 1_000_000)

    @cached_property
    def posteriors(self) -> dict[tuple[int, View], dict[int, float]]:
        """By enumeration of histories."""
        return posteriors(self.table)

    @cached_property
    def decisions(self) -> list[Decision]:
        """All information sets that the core and the reference agree on."""
        found = []
        histories: Counter[tuple[int, View]] = Counter(
            (mover, here.views[mover])
            for here in self.table.reach
            if here.node != END
            for mover in self.table.nodes[here.node].who
        )
        for number in range(len(self.tree.sets)):
            view = self.tree.view(number)
            seen = tuple((kind, words) for kind, _, words in view.events)
            nodes = self.posteriors.get((view.player, seen))
            if nodes is not None:
                reach = sum(nodes.values())
                share = {node: p / reach for node, p in nodes.items()}
                legal = view.names()
                count = histories[view.player, seen]
                found.append(Decision(view.player, seen, view, legal, share, reach, count, number))
        return found

    def some(self, name: str, count: int, *, choices: int = 1) -> list[Decision]:
        """Some of the decisions between at least so many actions: the first, the rarest and any others."""
        known = [each for each in self.decisions if len(each.legal) >= choices]
        if len(known) <= count:
            return known
        rng = self.rng(name)
        first = known.pop(0)
        rare = min(known, key=lambda each: each.reach)
        known.remove(rare)
        return [first, rare, *rng.sample(known, count - 2)]

    def before(self, here: Decision, name: str) -> list[Decision]:
        """The decisions that its player has made before; none, half of the time: then it sits down late."""
        if self.rng(name).random() < 0.5:
            return []
        return sorted(filter(here.follows, self.decisions), key=lambda each: len(each.seen))

    @cached_property
    def in_turn(self) -> bool:
        """Whether no two players ever move at once."""
        return all(len(node.who) < 2 for node in self.table.nodes)

    @cached_property
    def open(self) -> bool:
        """Whether everybody sees everything and players move in turn."""
        return self.in_turn and not self.table.hidden

    @cached_property
    def duel(self) -> bool:
        """Whether two have opposite interests."""
        return self.table.players == 2 and self.table.zero_sum

    @cached_property
    def certain(self) -> bool:
        """Whether chance never has a choice after the first decision of a player."""
        late = {0} if self.table.nodes[0].who else set()
        for number in self.table.order():
            node = self.table.nodes[number]
            if number in late or node.who:
                if not node.who and sum(step.p > 0 for step in node.steps) > 1:
                    return False
                late |= {step.to for step in node.steps}
        return True

    @cached_property
    def scale(self) -> float:
        """How far returns are apart, from whatever node on: with a discount, from later ones further."""
        return (
            max(
                spread.high - spread.low
                for number in self.table.order()
                for spread in self.random_play.at(number)
            )
            or 1.0
        )

    @cached_property
    def spread(self) -> float:
        """The same in units of what the game says of itself, which planners explore by."""
        low, high = self.table.returns
        return self.scale / (high - low) if high > low else 1.0

    @cached_property
    def random_play(self) -> RandomPlay:
        """What random play comes to."""
        return RandomPlay(self.table)

    @cached_property
    def alone(self) -> BestReply:
        """The values of a game of one player."""
        return BestReply(self.table)

    @cached_property
    def backward(self) -> BackwardInduction:
        """Values where everybody sees everything."""
        return BackwardInduction(self.table)

    @cached_property
    def backward_loosely(self) -> BackwardInduction:
        """The same for those who do not tell small differences."""
        return BackwardInduction(self.table, slack=0.1 * self.scale)

    def surely(self, player: int) -> BackwardInduction:
        """What a player can make sure of."""
        return BackwardInduction(self.table, against=player)

    def seen_through(self, here: Decision) -> dict[str, Spread] | None:
        """The value of each action to who knows the state and sees everything, over the states that may be.

        None where players who are indifferent leave it open.
        """
        found: dict[str, list[tuple[float, Spread]]] = {action: [] for action in here.legal}
        backward = self.surely(here.player) if self.duel else self.backward
        for node, p in here.nodes.items():
            for action, values in backward.actions(node).items():
                value = values[here.player]
                if value.high - value.low > 1e-9:
                    return None
                found[action].append((p, Spread(value.low, value.low**2, value.low, value.low)))
        return {action: Spread.mixed(parts) for action, parts in found.items()}

    def optimal(self, here: Decision, *, loosely: bool = False) -> dict[str, Range] | None:
        """The value of each action under best play, where that is a matter of looking ahead."""
        if self.table.players == 1:
            return {action: Range(value, value) for action, value in self.alone.actions[here.seen].items()}
        if not self.open:
            return None
        [node] = here.nodes
        if self.duel:
            judged = self.surely(here.player).actions(node)
        else:
            judged = (self.backward_loosely if loosely else self.backward).actions(node)
        return {action: values[here.player] for action, values in judged.items()}


def bernstein(n: float, spread: Spread, doubt: float = DOUBT) -> float:
    """How far the mean of n draws may be from its expectation, but for a probability of `doubt`.

    Bernstein's inequality: P(|mean - m| >= t) <= 2 exp(-n t^2 / (2 v + 2 w t / 3)).
    """
    if n <= 0:
        return math.inf
    log = math.log(2 / doubt) / n
    third = log * (spread.high - spread.low) / 3
    return third + math.sqrt(third**2 + 2 * log * spread.variance) + 1e-9 * (1 + abs(spread.mean))


def share(p: float) -> Spread:
    """Whether something of that probability happens."""
    return Spread(p, p, 0.0, 1.0)


def best(judged: Iterable[Range]) -> float:
    """What the best of some actions is worth at least."""
    return max(each.low for each in judged)
