"""Makes a game that shows a difference as small as it can be and still show it.

Greedy: whatever can be left out or made plainer, is, as long as the table stays a game that is as it says
and the same check still finds a difference.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace

from kibitz.testing.differential.case import Difference
from kibitz.testing.differential.tables import END, Node, Step, Table

LONGEST = 60.0
"""Seconds after which it is small enough."""


def shrink(
    table: Table,
    difference: Difference,
    examine: Callable[[Table], Difference | None],
    *,
    seconds: float = LONGEST,
) -> tuple[Table, Difference]:
    """The smallest table that was found, and what is different there."""
    deadline = time.monotonic() + seconds
    smaller = True
    while smaller and time.monotonic() < deadline:
        smaller = False
        for candidate in _plainer(table):
            if time.monotonic() > deadline:
                break
            try:
                candidate = candidate.tidied()
            except ValueError:
                continue
            if candidate.flaw is not None or candidate == table:
                continue
            found = examine(candidate)
            if found is not None:
                table, difference, smaller = candidate, found, True
                break
    return table, difference


def _plainer(table: Table) -> Iterator[Table]:
    """Tables that are simpler in one thing, the largest steps first."""
    nodes = table.nodes
    if table.players > 1:
        for player in reversed(range(table.players)):
            if all(player not in node.who for node in nodes):
                yield _without_player(table, player)
    for number in range(1, len(nodes)):
        yield _redirected(table, number, END)
    for number, node in enumerate(nodes):
        for step in node.steps:
            # What leads here leads on from here: the node is left out.
            yield _redirected(table, number, step.to)
            if number == 0 and step.to != END:
                yield replace(table, nodes=(nodes[step.to], *nodes[1:]))
    for player in range(table.players):
        for action in sorted({do for node in nodes if player in node.who for do in node.legal(player)}):
            yield _without_action(table, range(len(nodes)), player, action)
            for number, node in enumerate(nodes):
                if player in node.who and action in node.legal(player):
                    yield _without_action(table, [number], player, action)
    for number, node in enumerate(nodes):
        if len(node.who) > 1:
            for mover in node.who:
                yield _with_node(table, number, _alone(node, mover))
        if not node.who:
            for step in node.steps if len(node.steps) > 1 else ():
                yield _with_node(table, number, _without_outcome(node, step))
            even = tuple(replace(step, p=1 / len(node.steps)) for step in node.steps)
            yield _with_node(table, number, replace(node, steps=even))
    if table.discount != 1:
        yield replace(table, discount=1.0)
        if table.discount != 0.5:
            yield replace(table, discount=0.5)
    for name in ("hashed", "hidden", "zero_sum"):
        if getattr(table, name):
            yield replace(table, **{name: False})  # type: ignore[arg-type]
    if all(node.hopes is not None for node in nodes):
        yield replace(table, nodes=tuple(replace(node, hopes=None) for node in nodes))
    for number, node in enumerate(nodes):
        for place, step in enumerate(node.steps):
            for changed in _plainer_steps(step):
                yield _with_step(table, number, place, changed)
    if table.zero_sum:
        yield from _balanced(table)
    for number, node in enumerate(nodes):
        if node.hopes is not None and any(node.hopes):
            yield _with_node(table, number, replace(node, hopes=(0.0,) * table.players))


def _plainer_steps(step: Step) -> Iterator[Step]:
    if step.to != END:
        yield replace(step, to=END)
    if any(step.pays):
        yield replace(step, pays=(0.0,) * len(step.pays))
        total = sum(step.pays)
        for player, paid in enumerate(step.pays):
            pays = list(step.pays)
            pays[player] = 0.0
            yield replace(step, pays=tuple(pays))
            # All that returns add up to, paid to one.
            alone = tuple(total if other == player else 0.0 for other in range(len(pays)))
            if step.pays != alone:
                yield replace(step, pays=alone)
            if paid not in (0.0, 1.0, -1.0):
                pays[player] = 1.0 if paid > 0 else -1.0
                yield replace(step, pays=tuple(pays))
                if len(pays) == 2:
                    pays[1 - player] = total - pays[player]
                    yield replace(step, pays=tuple(pays))
    if any(told is not None for told in step.tells):
        yield replace(step, tells=(None,) * len(step.tells))
        for player, told in enumerate(step.tells):
            for other in (None, "x"):
                if told not in (None, other):
                    tells = list(step.tells)
                    tells[player] = other
                    yield replace(step, tells=tuple(tells))


def _balanced(table: Table) -> Iterator[Table]:
    """Pays at once, to the first player, what steps to a node leave open."""
    debts = {0: 0.0}
    for number in table.order():
        node = table.nodes[number]
        for step in node.steps:
            debts[step.to] = (debts.get(number, 0.0) + sum(step.pays)) / table.factor(node)
    for at, debt in debts.items():
        if at in (0, END) or abs(debt) < 1e-12:
            continue
        nodes = []
        for number, node in enumerate(table.nodes):
            steps = []
            for step in node.steps:
                paid = step.pays[0]
                paid -= debt * table.factor(node) if step.to == at else 0.0
                paid += debt if number == at else 0.0
                steps.append(replace(step, pays=(paid, *step.pays[1:])))
            nodes.append(replace(node, steps=tuple(steps)))
        yield replace(table, nodes=tuple(nodes))


def _with_node(table: Table, number: int, node: Node) -> Table:
    return replace(table, nodes=(*table.nodes[:number], node, *table.nodes[number + 1 :]))


def _with_step(table: Table, number: int, place: int, step: Step) -> Table:
    node = table.nodes[number]
    steps = (*node.steps[:place], step, *node.steps[place + 1 :])
    return _with_node(table, number, replace(node, steps=steps))


def _redirected(table: Table, number: int, to: int) -> Table:
    """What led to one node leads to another."""
    nodes = [
        replace(
            node, steps=tuple(replace(step, to=to) if step.to == number else step for step in node.steps)
        )
        for node in table.nodes
    ]
    return replace(table, nodes=tuple(nodes))


def _without_action(table: Table, numbers: range | list[int], player: int, action: str) -> Table:
    nodes = list(table.nodes)
    for number in numbers:
        node = nodes[number]
        if player in node.who and len(node.legal(player)) > 1:
            place = node.who.index(player)
            steps = tuple(step for step in node.steps if step.do[place] != action)
            nodes[number] = replace(node, steps=steps)
    return replace(table, nodes=tuple(nodes))


def _alone(node: Node, mover: int) -> Node:
    """The node where one of several does the first thing it may, and does not move any more."""
    place = node.who.index(mover)
    first = node.legal(mover)[0]
    steps = tuple(
        replace(step, do=step.do[:place] + step.do[place + 1 :])
        for step in node.steps
        if step.do[place] == first
    )
    return replace(node, who=node.who[:place] + node.who[place + 1 :], steps=steps)


def _without_outcome(node: Node, left_out: Step) -> Node:
    steps = [step for step in node.steps if step is not left_out]
    total = sum(step.p for step in steps)
    if total <= 0:
        return node
    return replace(node, steps=tuple(replace(step, p=step.p / total) for step in steps))


def _without_player(table: Table, player: int) -> Table:
    """The game of the others, where one has nothing to say in it."""

    def less(values: tuple[float, ...]) -> tuple[float, ...]:
        return values[:player] + values[player + 1 :]

    nodes = []
    for node in table.nodes:
        steps = tuple(
            replace(step, pays=less(step.pays), tells=step.tells[:player] + step.tells[player + 1 :])
            for step in node.steps
        )
        who = tuple(other - (other > player) for other in node.who)
        nodes.append(Node(who, steps, None if node.hopes is None else less(node.hopes)))
    return replace(table, players=table.players - 1, nodes=tuple(nodes), zero_sum=False)
