"""Random small games, for comparing whatever claims to solve, believe or plan with plain references.

One to three players; chance anywhere, certain and rare outcomes among it; hidden and simultaneous
moves; steps that tell some players something, part of it or nothing; rewards at any step, discounted
or not; zero-sum returns whose steps do not balance; legal sets that differ; states that several
histories lead to.

>>> from kibitz.testing.differential.random_games import random_table
>>> table = random_table(7)
>>> table == random_table(7), table.flaw
(True, None)
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import product
from random import Random

from kibitz.testing.differential.tables import END, Node, Step, Table, View

REWARDS = (-2.0, -1.5, -1.0, -0.5, -0.25, 0.25, 0.5, 1.0, 1.5, 2.0)
"""Sums and halves of these are exact, so that equal values are equal."""
COARSE = (-1.0, 1.0)
CHANCES = ((0.5, 0.5), (0.25, 0.75), (0.5, 0.25, 0.25), (0.125, 0.5, 0.375), (0.9, 0.1))
RARE = ((0.95, 0.05), (0.99, 0.01), (0.999, 0.001), (0.5, 0.499, 0.001))
CERTAIN = ((1.0,),)
TOLD = ("x", "y", "z")


@dataclass(frozen=True)
class Shape:
    """What a random game is like; every number without a unit is a probability."""

    players: int
    depth: int
    """The most steps of a game."""
    nodes: int
    """About the most nodes of a table."""
    width: int
    """The most actions of a player at once."""
    chance: float
    """That chance moves at a node."""
    rare: float
    """That chance has a rare outcome."""
    together: float
    """That several move at once."""
    hidden: bool
    silent: float
    """That a player is told nothing at all of what happens at a node, if anything is hidden."""
    vague: float
    """That a player is told a part of it, or of some of it nothing."""
    paid: float
    """That a step before the last pays."""
    zero_sum: bool
    balanced: bool
    """Whether every step of a zero-sum game adds up to zero."""
    discount: float
    ends: float
    """That a step ends the game early."""
    meets: float
    """That a step leads to where another one leads."""
    again: float
    """That the same player moves once more, where others could."""
    coarse: bool
    """Whether a reward is 1 or -1 only: then much is equal that would else differ a little."""
    hashed: bool
    judged: bool
    """Whether there is an evaluator; what it says is anything."""

    @staticmethod
    def draw(rng: Random) -> Shape:
        """Any; one in eight is a matrix game, which would seldom come about by chance."""
        shape = Shape._any(rng)
        if rng.random() >= 0.125:
            return shape
        together = rng.random() < 0.5
        return replace(
            shape,
            players=2,
            depth=1 if together else 2,
            nodes=12,
            chance=0.0,
            together=float(together),
            hidden=True,
            silent=1.0,
            paid=0.0,
            zero_sum=True,
            balanced=True,
            ends=0.0,
            again=0.0,
        )

    @staticmethod
    def _any(rng: Random) -> Shape:
        players = rng.choice((1, 1, 2, 2, 2, 3))
        hidden = rng.random() < 0.65
        depth = rng.choice((2, 3, 3, 4, 5, 6))
        return Shape(
            players=players,
            depth=depth,
            nodes=rng.choice((6, 12, 24, 48)),
            width=rng.choice((2, 2, 3)),
            chance=rng.choice((0.0, 0.2, 0.4)),
            rare=rng.choice((0.0, 0.0, 0.5)),
            together=rng.choice((0.0, 0.0, 0.3, 0.6)) if players > 1 else 0.0,
            hidden=hidden,
            silent=rng.choice((0.0, 0.3, 0.6, 1.0)),
            vague=rng.choice((0.0, 0.3, 0.6)),
            paid=rng.choice((0.0, 0.3, 1.0)),
            zero_sum=players > 1 and rng.random() < 0.65,
            balanced=rng.random() < 0.5,
            discount=rng.choice((1.0, 1.0, 0.9, 0.5)),
            ends=rng.choice((0.0, 0.1, 0.3)),
            meets=rng.choice((0.0, 0.0, 0.3)),
            again=rng.choice((0.0, 0.3, 0.6)),
            coarse=rng.random() < 0.3,
            hashed=rng.random() < 0.3,
            judged=rng.random() < 0.3,
        )


def random_table(seed: int | str, shape: Shape | None = None) -> Table:
    """A random game: the same for the same seed, of a shape that is drawn as well unless it is given."""
    rng = Random(f"table {seed}")
    return _Growth(rng, shape or Shape.draw(rng)).table()


@dataclass
class _Bud:
    """A node that is not written down yet, and the views that players may have there."""

    views: list[tuple[View, ...]]
    debt: float
    """By how much all players' returns so far differ from zero, as a reward would count here."""
    last: int
    """Who moved last."""


class _Growth:
    """Nodes are written down step by step, so that all that leads to one is known: who has the same view
    has the same legal actions."""

    def __init__(self, rng: Random, shape: Shape) -> None:
        self.rng, self.shape = rng, shape
        self.nodes: list[Node] = []
        self.legal: dict[tuple[int, View], tuple[str, ...]] = {}

    def table(self) -> Table:
        shape = self.shape
        # What nobody is told makes it hidden, whoever moves.
        self.plain = Table(shape.players, (), shape.discount, shape.zero_sum, shape.hidden, shape.hashed)
        layer = [_Bud([((),) * shape.players], 0.0, self.rng.randrange(shape.players))]
        for depth in range(shape.depth):
            layer = self._grow(layer, depth)
        return Table(
            players=shape.players,
            nodes=tuple(self.nodes),
            discount=shape.discount,
            zero_sum=shape.zero_sum,
            hidden=shape.hidden,
            hashed=shape.hashed,
        )

    def _grow(self, layer: list[_Bud], depth: int) -> list[_Bud]:
        """Writes down the nodes of one layer; those that they lead to are numbered right after them."""
        self.next: list[_Bud] = []
        self.first = len(self.nodes) + len(layer)
        self.final = depth + 1 == self.shape.depth
        for bud in layer:
            self.nodes.append(self._node(bud))
        return self.next

    def _node(self, bud: _Bud) -> Node:
        rng, shape = self.rng, self.shape
        movers = self._movers(bud)
        if movers:
            legal = [self._legal(mover, bud) for mover in movers]
            ways = [(joint, 1.0) for joint in product(*legal)]
        else:
            kinds = RARE if rng.random() < shape.rare else CERTAIN if rng.random() < 0.15 else CHANCES
            ways = [((name,), p) for name, p in zip("hts", rng.choice(kinds), strict=False)]
        draft = Node(movers, ())
        tells = [self._tells(movers, [do for do, _ in ways]) for _ in range(shape.players)]
        steps = []
        for (do, p), told in zip(ways, zip(*tells, strict=True), strict=True):
            to, child = self._lead(movers[-1] if movers else bud.last)
            pays = self._pays(bud.debt, 0.0 if child is None else child.debt, self.plain.factor(draft))
            step = Step(do, to, pays, tuple(told), p)
            steps.append(step)
            if child is not None:
                child.views += [self._views(views, draft, step) for views in bud.views]
        hopes = tuple(rng.choice(REWARDS) for _ in range(shape.players)) if shape.judged else None
        return Node(movers, tuple(steps), hopes)

    def _movers(self, bud: _Bud) -> tuple[int, ...]:
        """Who moves: players who know what they may do, or chance."""
        rng, shape = self.rng, self.shape
        if rng.random() < shape.chance:
            return ()
        able = [
            player
            for player in range(shape.players)
            if len({self.legal.get((player, views[player]), ()) for views in bud.views} - {()}) < 2
        ]
        if not able:
            return ()
        if len(able) > 1 and rng.random() < shape.together:
            return tuple(sorted(rng.sample(able, rng.randint(2, len(able)))))
        others = [player for player in able if player != bud.last]
        if others and (bud.last not in able or rng.random() >= shape.again):
            return (rng.choice(others),)
        return (bud.last,)

    def _legal(self, player: int, bud: _Bud) -> tuple[str, ...]:
        known = [self.legal.get((player, views[player])) for views in bud.views]
        legal = next((each for each in known if each is not None), None)
        if legal is None:
            names = "abcd" if player == 0 or self.rng.random() < 0.5 else "bcda"
            count = self.rng.randint(1 if self.rng.random() < 0.3 else 2, self.shape.width)
            begin = self.rng.randint(0, len(names) - count)
            legal = tuple(self.rng.sample(names[begin : begin + count], count))
        for views in bud.views:
            self.legal[player, views[player]] = legal
        return legal

    def _tells(self, movers: tuple[int, ...], ways: list[tuple[str, ...]]) -> list[str | None]:
        """What a player is told by each step from a node."""
        rng, shape = self.rng, self.shape
        if not shape.hidden or rng.random() < shape.silent:
            return [None] * len(ways)
        if rng.random() >= shape.vague:
            return ["+".join(do) for do in ways]
        kind = rng.choice(("classes", "some", "one", "signal"))
        if kind == "signal":  # that something happened, not what
            return [rng.choice(TOLD)] * len(ways)
        if kind == "one" and len(movers) > 1:  # what one of several did
            place = rng.randrange(len(movers))
            return [do[place] for do in ways]
        if kind == "classes":
            return [rng.choice(TOLD[:2]) for _ in ways]
        return [rng.choice((None, *TOLD[:2])) for _ in ways]

    def _lead(self, last: int) -> tuple[int, _Bud | None]:
        """Where a step leads: to the end, to a node that others lead to, or to a new one."""
        rng, shape = self.rng, self.shape
        full = self.first + len(self.next) >= shape.nodes
        if self.final or rng.random() < shape.ends:
            return END, None
        few = [place for place, bud in enumerate(self.next) if len(bud.views) < 3]
        if few and rng.random() < shape.meets:
            place = rng.choice(few)
        elif full:
            return END, None
        else:
            owed = shape.zero_sum and not shape.balanced and rng.random() < 0.5
            self.next.append(_Bud([], rng.choice(REWARDS) if owed else 0.0, last))
            place = len(self.next) - 1
        return self.first + place, self.next[place]

    def _pays(self, debt: float, after: float, factor: float) -> tuple[float, ...]:
        """Rewards; where returns add up to zero, so that what is owed becomes what is owed afterwards."""
        rng, shape = self.rng, self.shape
        often = shape.paid if not self.final else 0.9
        amounts = COARSE if shape.coarse else REWARDS
        pays = [rng.choice(amounts) if rng.random() < often else 0.0 for _ in range(shape.players)]
        if shape.zero_sum:
            last = rng.randrange(shape.players)
            pays[last] = 0.0
            pays[last] = factor * after - debt - sum(pays)
        return tuple(pays)

    def _views(self, views: tuple[View, ...], node: Node, step: Step) -> tuple[View, ...]:
        after = list(views)
        for mover, action in zip(node.who, step.do, strict=False):
            after[mover] += (("acted", action),)
        for player in range(self.shape.players):
            told = self.plain.told(node, step, player)
            if told is not None:
                after[player] += (("observed", told),)
        return tuple(after)
