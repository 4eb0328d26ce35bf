"""Small games as plain tables: data that can be printed, pasted, changed piece by piece and played.

A table lists nodes. A node says who moves and what each step from there leads to, pays and tells;
a step without `to` ends the game. Everything in `plain` is JSON, and what is nothing is left out.

>>> import kibitz as kb
>>> from kibitz.testing.differential.tables import Table
>>> pennies = Table.of({"players": 2, "zero_sum": True, "nodes": [{"who": [0, 1], "steps": [
...     {"do": ["h", "h"], "pays": [1, -1]}, {"do": ["h", "t"], "pays": [-1, 1]},
...     {"do": ["t", "h"], "pays": [-1, 1]}, {"do": ["t", "t"], "pays": [1, -1]}]}]})
>>> kb.solve(pennies.rules()).value
[0.0, 0.0]
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from kibitz.rules import CHANCE, OVER, Rules

END = -1
"""The number of the node where every game ends; it is not in the list."""

View = tuple[tuple[str, str], ...]
"""What a player has done and been told, in words: ("acted", ...) and ("observed", ...), oldest first."""

State = tuple[int, tuple[str | None, ...]]
"""A node, and what the step that led there has told."""


@dataclass(frozen=True)
class Step:
    """What one joint action, or one outcome of chance, brings."""

    do: tuple[str, ...]
    """An action for each mover, in the order of the players, or the name of an outcome."""
    to: int
    """The node that it leads to, or `END`."""
    pays: tuple[float, ...]
    """A reward for each player."""
    tells: tuple[str | None, ...]
    """What each player is told; None for nothing. Not used where nothing is hidden."""
    p: float = 1.0
    """The probability of an outcome."""


@dataclass(frozen=True)
class Node:
    """A state: who moves, and what may happen."""

    who: tuple[int, ...]
    """The movers, ascending; empty where chance moves."""
    steps: tuple[Step, ...]
    hopes: tuple[float, ...] | None = None
    """What the evaluator says to each player; an evaluator is there if every node has it."""

    def legal(self, player: int) -> list[str]:
        """What a mover may do."""
        place = self.who.index(player)
        return list(dict.fromkeys(step.do[place] for step in self.steps))


@dataclass(frozen=True)
class Position:
    """A node as it was come to, with all that has to do with the way."""

    node: int
    views: tuple[View, ...]
    weight: float = 1.0
    """What a reward counts here: the discount factor to the power of the players' moves so far."""
    earned: tuple[float, ...] = ()


@dataclass(frozen=True)
class Table:
    """A game: its nodes, the first of which is where it begins."""

    players: int
    nodes: tuple[Node, ...]
    discount: float = 1.0
    zero_sum: bool = False
    """A promise about returns; single steps need not balance."""
    hidden: bool = False
    """Whether players are told what `tells` says; else everybody sees everything."""
    hashed: bool = False
    """Whether the game tells equal states by a key."""

    @staticmethod
    def of(plain: dict[str, Any]) -> Table:
        """The table of what `plain` has written."""
        players = int(plain["players"])

        def step(each: dict[str, Any]) -> Step:
            return Step(
                do=tuple(each["do"]),
                to=each.get("to", END),
                pays=tuple(map(float, each.get("pays", [0] * players))),
                tells=tuple(each.get("tells", [None] * players)),
                p=float(each.get("p", 1)),
            )

        def node(each: dict[str, Any]) -> Node:
            hopes = each.get("hopes")
            steps = tuple(map(step, each["steps"]))
            return Node(tuple(each["who"]), steps, None if hopes is None else tuple(map(float, hopes)))

        return Table(
            players=players,
            nodes=tuple(map(node, plain["nodes"])),
            discount=float(plain.get("discount", 1)),
            zero_sum=bool(plain.get("zero_sum", False)),
            hidden=bool(plain.get("hidden", False)),
            hashed=bool(plain.get("hashed", False)),
        )

    @property
    def plain(self) -> dict[str, Any]:
        """The same as JSON; what is nothing is left out."""

        def number(value: float) -> float:
            return int(value) if value == int(value) else value

        def step(each: Step) -> dict[str, Any]:
            known: dict[str, Any] = {"do": [*each.do]}
            if each.p != 1:
                known["p"] = each.p
            if each.to != END:
                known["to"] = each.to
            if any(each.pays):
                known["pays"] = [number(value) for value in each.pays]
            if self.hidden and any(told is not None for told in each.tells):
                known["tells"] = [*each.tells]
            return known

        def node(each: Node) -> dict[str, Any]:
            known: dict[str, Any] = {"who": [*each.who], "steps": [step(one) for one in each.steps]}
            if each.hopes is not None:
                known["hopes"] = [number(value) for value in each.hopes]
            return known

        plain: dict[str, Any] = {"players": self.players}
        if self.discount != 1:
            plain["discount"] = self.discount
        for name in ("zero_sum", "hidden", "hashed"):
            if getattr(self, name):
                plain[name] = True
        plain["nodes"] = [node(each) for each in self.nodes]
        return plain

    def text(self) -> str:
        """The same as a Python literal, a line for each step."""
        head = {name: value for name, value in self.plain.items() if name != "nodes"}
        lines = [repr(head)[:-1] + ', "nodes": [']
        for node in self.plain["nodes"]:
            rest = {name: value for name, value in node.items() if name != "steps"}
            lines.append("    " + repr(rest)[:-1] + ', "steps": [')
            lines += [f"        {step!r}," for step in node["steps"]]
            lines.append("    ]},")
        return "\n".join([*lines, "]}"]).replace("'", '"')

    def told(self, node: Node, step: Step, player: int) -> str | None:
        """What a player is told by a step, in the words of the core."""
        if self.hidden:
            return step.tells[player]
        if not node.who:
            return step.do[0]
        return ", ".join(
            f"player {mover + 1} {action}" for mover, action in zip(node.who, step.do, strict=True)
        )

    def begin(self) -> Position:
        """Where every game begins."""
        return Position(0, ((),) * self.players, 1.0, (0.0,) * self.players)

    def after(self, here: Position, step: Step) -> Position:
        """What a step leads to."""
        node = self.nodes[here.node]
        views = list(here.views)
        for mover, action in zip(node.who, step.do, strict=False):
            views[mover] += (("acted", action),)
        for player in range(self.players):
            told = self.told(node, step, player)
            if told is not None:
                views[player] += (("observed", told),)
        earned = tuple(sum_ + here.weight * paid for sum_, paid in zip(here.earned, step.pays, strict=True))
        return Position(step.to, tuple(views), here.weight * self.factor(node), earned)

    def factor(self, node: Node) -> float:
        """By how much a step from a node discounts what follows: chance takes no time."""
        return self.discount if node.who else 1.0

    def positions(self) -> Iterator[Position]:
        """Every position that can be come to, endings included; those of probability 0 are left out."""
        open_ends = [self.begin()]
        while open_ends:
            here = open_ends.pop()
            yield here
            if here.node != END:
                steps = self.nodes[here.node].steps
                open_ends += [self.after(here, step) for step in steps if step.p > 0]

    @cached_property
    def reach(self) -> list[Position]:
        """All of `positions`, once."""
        return [*self.positions()]

    @cached_property
    def returns(self) -> tuple[float, float]:
        """The lowest and the highest return of any player."""
        paid = [value for here in self.reach if here.node == END for value in here.earned]
        return min(paid), max(paid)

    @cached_property
    def longest(self) -> int:
        """The most steps of a game."""
        known = {END: 0}
        for number in reversed(self.order()):
            known[number] = 1 + max(known[step.to] for step in self.nodes[number].steps)
        return known[0]

    def order(self) -> list[int]:
        """The nodes that can be come to, each before those that it leads to; ValueError for a circle."""
        done: list[int] = []
        state: dict[int, int] = {}

        def visit(number: int) -> None:
            if number == END or state.get(number) == 2:
                return
            if state.get(number) == 1:
                raise ValueError("a game of a table must end: there is a way round in a circle")
            state[number] = 1
            for step in self.nodes[number].steps:
                visit(step.to)
            state[number] = 2
            done.append(number)

        visit(0)
        return done[::-1]

    @cached_property
    def flaw(self) -> str | None:
        """What keeps it from being a game that is as it says, in a sentence; None if nothing does."""
        try:
            order = self.order()
        except ValueError as error:
            return str(error)
        for number in order:
            node = self.nodes[number]
            if not node.steps:
                return f"node {number} leads nowhere"
            if len({step.do for step in node.steps}) != len(node.steps):
                return f"node {number} says twice what the same actions do"
            if node.who:
                wanted = 1
                for mover in node.who:
                    wanted *= len(node.legal(mover))
                if wanted != len(node.steps):
                    return f"node {number} does not say what every joint action does"
            elif abs(sum(step.p for step in node.steps) - 1) > 1e-9:
                return f"the outcomes of node {number} do not add up to 1"
        legal: dict[tuple[int, View], list[str]] = {}
        for here in self.reach:
            if here.node == END:
                if self.zero_sum and abs(sum(here.earned)) > 1e-9:
                    return f"returns {here.earned} do not add up to 0"
                continue
            node = self.nodes[here.node]
            for mover in node.who:
                known = legal.setdefault((mover, here.views[mover]), sorted(node.legal(mover)))
                if known != sorted(node.legal(mover)):
                    return f"player {mover + 1} does not know what it may do in node {here.node}"
        return None

    def tidied(self) -> Table:
        """The same without the nodes that cannot be come to, numbered as they come."""
        number = {old: new for new, old in enumerate(self.order())}
        number[END] = END
        nodes = [
            replace(
                self.nodes[old],
                steps=tuple(replace(step, to=number[step.to]) for step in self.nodes[old].steps),
            )
            for old in number
            if old != END
        ]
        return replace(self, nodes=tuple(nodes))

    def rules(self) -> TableRules:
        """The game, to be played."""
        seen = HiddenRules if self.hidden else TableRules
        parts: list[type] = [_Hashed] if self.hashed else []
        parts += [_Judged] if all(node.hopes is not None for node in self.nodes) else []
        kind: Any = type(seen.__name__, (*parts, seen), {}) if parts else seen
        made: TableRules = kind(self)
        return made


class TableRules(Rules[State]):
    """The rules of a table in which everybody sees everything. A state is the number of a node, and what
    the step that led there has told each player."""

    def __init__(self, table: Table) -> None:
        if table.flaw is not None:
            raise ValueError(f"this table is no game: {table.flaw}")
        self.table = table
        self.players, self.discount, self.zero_sum = table.players, table.discount, table.zero_sum
        self.min_return, self.max_return = table.returns
        self.horizon = table.longest
        self._legal = [{mover: node.legal(mover) for mover in node.who} for node in table.nodes]
        self._turns = [
            node.who if len(node.who) > 1 else node.who[0] if node.who else CHANCE for node in table.nodes
        ]
        self._chance = [[(step.do[0], step.p) for step in node.steps] for node in table.nodes]
        self._steps = [
            {step.do: ((step.to, step.tells if table.hidden else ()), step.pays) for step in node.steps}
            for node in table.nodes
        ]

    def initial(self) -> State:
        """The first node."""
        return 0, (None,) * self.players if self.table.hidden else ()

    def turn(self, state: State) -> int | tuple[int, ...]:
        """Who moves."""
        return OVER if state[0] == END else self._turns[state[0]]

    def chance(self, state: State) -> list[tuple[str, float]]:
        """The outcomes."""
        return self._chance[state[0]]

    def legal(self, state: State, player: int) -> Sequence[str]:
        """What the node's steps begin with."""
        return self._legal[state[0]][player]

    def step(self, state: State, joint: tuple[Any, ...]) -> tuple[State, Sequence[float]]:
        """What the table says; an action that is not in it is an error of whoever chose it."""
        known = self._steps[state[0]].get(joint)
        if known is None:
            raise ValueError(f"node {state[0]}: {joint} is not legal, only {[*self._steps[state[0]]]}")
        return known

    def text(self, state: State, viewer: int | None) -> str:
        """The number of the node, to those who may know it."""
        return str(state[0]) if viewer is None or not self.table.hidden else "a table"


class HiddenRules(TableRules):
    """The rules of a table in which players are told what it says."""

    def observe(self, after: State, joint: tuple[Any, ...], player: int) -> str | None:  # noqa: ARG002
        """What the last step has told."""
        return after[1][player]


class _Hashed:
    def key(self, state: State) -> int:
        """The node: its future is the same whatever led there."""
        return state[0]


class _Judged:
    table: Table

    def evaluate(self, state: State) -> Sequence[float]:
        """What the table says; at the end nothing is still to come."""
        hopes = None if state[0] == END else self.table.nodes[state[0]].hopes
        return hopes or (0.0,) * self.table.players
