"""What small games are worth, and what may be known in them, found out in the plainest way.

Everything here follows every history of a `Table` one by one, in Python, and shares no code with the
core: what is right can be seen by reading it. Values count from the position that is asked about on,
as planners' do; discounted by moves of players, not of chance.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from kibitz.testing.differential.tables import END, Node, Position, Step, Table, View

Mix = Mapping[str, float]
"""The probability of each action."""
Policy = Callable[[int, View, list[str]], Mix]
"""What a player does by what it has done and seen; the legal actions are given."""
Sets = dict[View, dict[str, float]]
"""A number for each action of each information set of a player."""


def uniformly(_player: int, _view: View, legal: list[str]) -> Mix:
    """Anything legal."""
    return {action: 1 / len(legal) for action in legal}


def posteriors(table: Table) -> dict[tuple[int, View], dict[int, float]]:
    """For each player and view in which it decides: how probable each node is, others doing anything legal.

    The probabilities of a view add up to how often it is met by a player who does what leads there.
    """
    found: dict[tuple[int, View], dict[int, float]] = defaultdict(lambda: defaultdict(float))

    def follow(here: Position, player: int, p: float) -> None:
        if here.node == END:
            return
        node = table.nodes[here.node]
        if player in node.who:
            found[player, here.views[player]][here.node] += p
        for step, q in _ways(table, here, uniformly, free=player):
            follow(table.after(here, step), player, p * q)

    for player in range(table.players):
        follow(table.begin(), player, 1.0)
    return {key: dict(nodes) for key, nodes in found.items()}


def _ways(
    table: Table, here: Position, policy: Policy, *, free: int | None = None
) -> Iterable[tuple[Step, float]]:
    """The steps from here and their probabilities, if any; the actions of player `free` count as given."""
    node = table.nodes[here.node]
    mixes = {
        mover: policy(mover, here.views[mover], node.legal(mover)) for mover in node.who if mover != free
    }
    for step in node.steps:
        p = step.p
        for mover, action in zip(node.who, step.do, strict=False):
            p *= mixes[mover].get(action, 0.0) if mover in mixes else 1.0
        if p > 0:
            yield step, p


# Random play.


@dataclass(frozen=True)
class Spread:
    """How a random return is distributed, as far as an inequality needs to know."""

    mean: float
    square: float
    """The mean of its square."""
    low: float
    high: float

    @property
    def variance(self) -> float:
        """How far it strays."""
        return max(0.0, self.square - self.mean**2)

    def later(self, paid: float, factor: float) -> Spread:
        """The same behind a step that pays and discounts."""
        square = paid**2 + 2 * paid * factor * self.mean + factor**2 * self.square
        return Spread(
            paid + factor * self.mean, square, paid + factor * self.low, paid + factor * self.high
        )

    @staticmethod
    def mixed(parts: Iterable[tuple[float, Spread]]) -> Spread:
        """One of several, by probabilities that need not add up to 1."""
        known = [(p, part) for p, part in parts if p > 0]
        total = sum(p for p, _ in known)
        return Spread(
            sum(p * part.mean for p, part in known) / total,
            sum(p * part.square for p, part in known) / total,
            min(part.low for _, part in known),
            max(part.high for _, part in known),
        )


NOTHING = Spread(0.0, 0.0, 0.0, 0.0)


class RandomPlay:
    """What random play comes to: everybody chooses uniformly among the legal actions."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.known: dict[int, list[Spread]] = {END: [NOTHING] * table.players}

    def at(self, number: int) -> list[Spread]:
        """Each player's return from a node on."""
        if number not in self.known:
            node = self.table.nodes[number]
            self.known[number] = [
                self._mixed(node, node.steps, player) for player in range(self.table.players)
            ]
        return self.known[number]

    def after(self, nodes: Mapping[int, float], player: int) -> dict[str, Spread]:
        """A player's return after each of its actions in one of some nodes, by their probabilities."""
        found: dict[str, list[tuple[float, Spread]]] = defaultdict(list)
        for number, p in nodes.items():
            node = self.table.nodes[number]
            place = node.who.index(player)
            for action in node.legal(player):
                steps = [step for step in node.steps if step.do[place] == action]
                found[action].append((p, self._mixed(node, steps, player)))
        return {action: Spread.mixed(parts) for action, parts in found.items()}

    def _mixed(self, node: Node, steps: Iterable[Step], player: int) -> Spread:
        factor = self.table.factor(node)
        return Spread.mixed(
            (step.p, self.at(step.to)[player].later(step.pays[player], factor)) for step in steps
        )


def one_step(table: Table, nodes: Mapping[int, float], player: int) -> dict[str, Spread]:
    """The reward of each action and of chance right after it, and what the evaluator says then.

    Others who move at once move at random.
    """

    def settle(number: int) -> Spread:
        if number == END:
            return NOTHING
        node = table.nodes[number]
        if node.who:
            hope = 0.0 if node.hopes is None else node.hopes[player]
            return Spread(hope, hope**2, hope, hope)
        return Spread.mixed((step.p, settle(step.to).later(step.pays[player], 1.0)) for step in node.steps)

    found: dict[str, list[tuple[float, Spread]]] = defaultdict(list)
    for number, p in nodes.items():
        node = table.nodes[number]
        place = node.who.index(player)
        for action in node.legal(player):
            parts = [
                (1.0, settle(step.to).later(step.pays[player], table.discount))
                for step in node.steps
                if step.do[place] == action
            ]
            found[action].append((p, Spread.mixed(parts)))
    return {action: Spread.mixed(parts) for action, parts in found.items()}


# Best play.


@dataclass(frozen=True)
class Range:
    """From the least to the most that a value may be."""

    low: float
    high: float

    def holds(self, value: float, slack: float = 1e-9) -> bool:
        """Whether a value may be that."""
        return self.low - slack <= value <= self.high + slack

    def __str__(self) -> str:
        return f"{self.low:.6g}" if self.high - self.low < 1e-9 else f"{self.low:.6g} to {self.high:.6g}"


class BackwardInduction:
    """What players who see everything and move in turn get, each being out for its own return.

    Who is indifferent, or nearly so (by `slack`), may do any of what it is indifferent to: values are
    ranges. `against` has every other player do what is worst for one of them instead.
    """

    def __init__(self, table: Table, *, slack: float = 1e-9, against: int | None = None) -> None:
        self.table, self.slack, self.against = table, slack, against
        self.known: dict[int, list[Range]] = {END: [Range(0.0, 0.0)] * table.players}

    def at(self, number: int) -> list[Range]:
        """Each player's value of a node."""
        if number not in self.known:
            node = self.table.nodes[number]
            if not node.who:
                self.known[number] = self._chance(node)
            else:
                judged = [*self.actions(number).values()]
                sign, player = 1, node.who[0]
                if self.against is not None and player != self.against:
                    sign, player = -1, self.against
                least = max(min(sign * each[player].low, sign * each[player].high) for each in judged)
                open_to = [
                    each
                    for each in judged
                    if max(sign * each[player].low, sign * each[player].high) >= least - self.slack
                ]
                self.known[number] = [
                    Range(min(each[i].low for each in open_to), max(each[i].high for each in open_to))
                    for i in range(self.table.players)
                ]
        return self.known[number]

    def actions(self, number: int) -> dict[str, list[Range]]:
        """Each player's value of each action of the one who moves in a node."""
        node = self.table.nodes[number]
        assert len(node.who) == 1
        return {step.do[0]: self._behind(node, step) for step in node.steps}

    def _behind(self, node: Node, step: Step) -> list[Range]:
        factor = self.table.factor(node)
        return [
            Range(paid + factor * below.low, paid + factor * below.high)
            for paid, below in zip(step.pays, self.at(step.to), strict=True)
        ]

    def _chance(self, node: Node) -> list[Range]:
        parts = [(step.p, self._behind(node, step)) for step in node.steps if step.p > 0]
        return [
            Range(sum(p * each[i].low for p, each in parts), sum(p * each[i].high for p, each in parts))
            for i in range(self.table.players)
        ]


class BestReply:
    """What is best for one player who knows what the others do: dynamic programming over what it may know.

    For a single player that is the value of the game.
    """

    def __init__(self, table: Table, player: int = 0, policy: Policy = uniformly) -> None:
        self.table, self.player, self.policy = table, player, policy
        self.actions: Sets = {}
        """By view: the value of each action, from there on."""
        self.value, self.opening = self._settle([(table.begin(), 1.0)])

    def _settle(self, held: list[tuple[Position, float]]) -> tuple[float, list[View]]:
        """What is to come in some positions, by their probabilities, and what is decided next."""
        total = 0.0
        decisions: dict[View, list[tuple[Position, float]]] = defaultdict(list)
        open_ends = [*held]
        while open_ends:
            here, p = open_ends.pop()
            if here.node == END:
                continue
            node = self.table.nodes[here.node]
            if self.player in node.who:
                decisions[here.views[self.player]].append((here, p))
                continue
            for step, q in _ways(self.table, here, self.policy):
                total += p * q * here.weight * step.pays[self.player]
                open_ends.append((self.table.after(here, step), p * q))
        for view, positions in decisions.items():
            total += self._decide(view, positions)
        return total, [*decisions]

    def _decide(self, view: View, held: list[tuple[Position, float]]) -> float:
        node = self.table.nodes[held[0][0].node]
        totals = {}
        for action in node.legal(self.player):
            total, onward = 0.0, []
            for here, p in held:
                node = self.table.nodes[here.node]
                place = node.who.index(self.player)
                for step, q in _ways(self.table, here, self.policy, free=self.player):
                    if step.do[place] == action:
                        total += p * q * here.weight * step.pays[self.player]
                        onward.append((self.table.after(here, step), p * q))
            totals[action] = total + self._settle(onward)[0]
        weight = sum(p * here.weight for here, p in held)
        self.actions[view] = {action: total / weight for action, total in totals.items()}
        return max(totals.values())


def worth(table: Table, policy: Policy) -> list[float]:
    """What each player gets if all do as is said."""
    totals = [0.0] * table.players
    open_ends = [(table.begin(), 1.0)]
    while open_ends:
        here, p = open_ends.pop()
        if here.node == END:
            totals = [total + p * paid for total, paid in zip(totals, here.earned, strict=True)]
            continue
        open_ends += [(table.after(here, step), p * q) for step, q in _ways(table, here, policy)]
    return totals


def equilibrium(table: Table, *, only: tuple[int, View, str] | None = None) -> float:
    """The first player's value of a zero-sum game of two: the linear program over the sequence form.

    With `only`, a player is made to choose one action at one view.
    """
    import numpy as np
    from scipy.optimize import linprog

    # A sequence is the last action of a player, with the view it was chosen at; None for no action yet.
    sequences: list[dict[Any, int]] = [{None: 0}, {None: 0}]
    sets: list[dict[View, tuple[int, list[int]]]] = [{}, {}]
    pays: dict[tuple[int, int], float] = defaultdict(float)
    open_ends = [(table.begin(), 1.0, (0, 0))]
    while open_ends:
        here, p, last = open_ends.pop()
        if here.node == END:
            pays[last] += p * here.earned[0]
            continue
        node = table.nodes[here.node]
        for mover in node.who:
            view = here.views[mover]
            if view not in sets[mover]:
                onward = []
                for action in node.legal(mover):
                    onward.append(len(sequences[mover]))
                    sequences[mover][view, action] = onward[-1]
                sets[mover][view] = last[mover], onward
        for step in node.steps:
            if step.p > 0:
                now = list(last)
                for mover, action in zip(node.who, step.do, strict=False):
                    now[mover] = sequences[mover][here.views[mover], action]
                open_ends.append((table.after(here, step), p * step.p, (now[0], now[1])))
    sizes = [len(own) for own in sequences]
    matrix = np.zeros(sizes)
    for (row, column), paid in pays.items():
        matrix[row, column] += paid
    plans = []
    for player in (0, 1):
        rows = np.zeros((1 + len(sets[player]), sizes[player]))
        rows[0, 0] = 1
        for number, (parent, onward) in enumerate(sets[player].values(), start=1):
            rows[number, parent] = -1
            rows[number, onward] = 1
        plans.append(rows)
    me = 0 if only is None else only[0]
    if me == 1:
        matrix = -matrix.T
    own, other = plans[me], plans[1 - me]
    # Most of y[0] with own @ x = e, x >= 0 and other.T @ y <= matrix.T @ x.
    n, m = own.shape[1], other.shape[0]
    bounds: list[tuple[float | None, float | None]] = [(0, None)] * n + [(None, None)] * m
    if only is not None:
        bounds[sequences[me][only[1], only[2]]] = (1, 1)
    result = linprog(
        np.concatenate([np.zeros(n), [-1.0], np.zeros(m - 1)]),
        A_ub=np.hstack([-matrix.T, other.T]),
        b_ub=np.zeros(matrix.shape[1]),
        A_eq=np.hstack([own, np.zeros((own.shape[0], m))]),
        b_eq=np.eye(own.shape[0])[0],
        bounds=bounds,
    )
    if result.fun is None:
        raise ArithmeticError(f"the linear program was not solved: {result.message}")
    value = -float(result.fun)
    return value if me == 0 else -value
