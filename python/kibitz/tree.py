"""Search trees to be walked, looked at and kept: what a decision was made of.

>>> import kibitz as kb
>>> view = kb.Referee("tic-tac-toe").view(0)
>>> tree = kb.advise("tic-tac-toe", view, "uct(simulations=200)").tree
>>> tree.player, sum(branch.visits for branch in tree.branches)
('x', 200)
>>> reply = tree["b2"].nodes[0]
>>> reply.player
'o'
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING, Any

from kibitz._notebook import bar

if TYPE_CHECKING:
    from kibitz._core import Decision

MOST = 2000
"""Nodes that are looked up at most; those with the most visits come first."""


Nodes = list[tuple[int, int, list[tuple[str, int, float | None, list[tuple[str, int]]]]]]
"""As the core gives them: whose, visits, and edges (name, visits, value, what is told and comes next)."""


@dataclass(frozen=True)
class Branch:
    """An action that was tried, and the decisions that it led to."""

    name: str
    visits: int
    value: float | None
    """What who takes it may expect from there on; None where nothing was kept."""
    error: float | None
    """The standard error of that, which is kept at the root only."""
    nodes: tuple[Tree, ...] = field(repr=False)
    """By what is told on the way: `Tree.told`."""


class Tree:
    """A decision in a search tree, with all that comes after it; the present one is the root.

    Where searches find the same position in several ways, so does this: it is shared, not copied.
    """

    def __init__(self, kept: _Kept, place: int = 0, told: str = "") -> None:
        self._kept, self._place = kept, place
        self.told = told
        """What the player was told since the decision before; empty at the root, or where nothing was."""
        player, visits, _ = kept.nodes[place]
        self.player = kept.players[player]
        """Whose decision it is."""
        self.visits = visits

    @property
    def branches(self) -> tuple[Branch, ...]:
        """The actions, the most visited first."""
        kept = self._kept
        errors = kept.errors if self._place == 0 else {}
        return tuple(
            Branch(
                name, visits, value, errors.get(name), tuple(Tree(kept, at, told) for told, at in children)
            )
            for name, visits, value, children in kept.nodes[self._place][2]
        )

    def __iter__(self) -> Iterator[Branch]:
        return iter(self.branches)

    def __getitem__(self, name: str) -> Branch:
        for branch in self.branches:
            if branch.name == name:
                return branch
        from kibitz._core import unknown

        raise KeyError(unknown("action", name, [branch.name for branch in self.branches]))

    def walk(self, *, least: int = 1) -> Iterator[tuple[tuple[str, ...], Tree]]:
        """All decisions with at least so many visits, each once, with actions that lead there.

        >>> import kibitz as kb
        >>> view = kb.Referee("tic-tac-toe").view(0)
        >>> tree = kb.advise("tic-tac-toe", view, "uct(simulations=50)").tree
        >>> [len(path) for path, node in tree.walk()][0]
        0
        """
        stack: list[tuple[tuple[str, ...], Tree]] = [((), self)]
        seen: set[int] = set()
        while stack:
            path, node = stack.pop()
            if node._place in seen:
                continue
            seen.add(node._place)
            yield path, node
            for branch in reversed(node.branches):
                later = [child for child in branch.nodes if child.visits >= least]
                stack += [((*path, branch.name), child) for child in reversed(later)]

    def to_json(self) -> list[dict[str, Any]]:
        """As plain lists and dicts: the decisions, this one first; they name each other by places."""
        nodes = [node for _, node in self.walk()]
        places = {node._place: number for number, node in enumerate(nodes)}
        return [
            {
                "player": node.player,
                "visits": node.visits,
                "branches": [
                    {
                        "action": branch.name,
                        "visits": branch.visits,
                        "value": branch.value,
                        "error": branch.error,
                        "nodes": [
                            {"told": child.told, "node": places[child._place]} for child in branch.nodes
                        ],
                    }
                    for branch in node.branches
                ],
            }
            for node in nodes
        ]

    def dot(self, *, least: int = 2) -> str:
        """As a graph for Graphviz, of decisions and actions with at least so many visits.

        >>> import kibitz as kb
        >>> view = kb.Referee("tic-tac-toe").view(0)
        >>> print(kb.advise("tic-tac-toe", view, "uct(simulations=9)").tree.dot()[:9])
        digraph {
        """
        lines = ["digraph {", "  node [shape=box];"]
        for _, node in self.walk(least=least):
            words = f"{node.player}\n{node.visits:,}"
            lines.append(f"  n{node._place} [label={json.dumps(words)}];")
            for branch in node.branches:
                for child in branch.nodes:
                    if child.visits < least:
                        continue
                    told = f"\n{child.told}" if child.told else ""
                    words = f"{branch.name} {_value(branch)}{told}"
                    lines.append(f"  n{node._place} -> n{child._place} [label={json.dumps(words)}];")
        return "\n".join([*lines, "}"])

    def text(self, *, least: int = 2, depth: int = 3, rows: int = 6) -> str:
        """As an indented table of the most visited actions.

        >>> import kibitz as kb
        >>> view = kb.Referee("tic-tac-toe").view(0)
        >>> tree = kb.advise("tic-tac-toe", view, "uct(simulations=90)").tree
        >>> tree.text(depth=1).splitlines()[0]
        'x, 90 visits'
        """
        return "\n".join(self._lines("", least, depth, rows))

    def _lines(self, indent: str, least: int, depth: int, rows: int) -> Iterator[str]:
        told = f" is told {self.told}" if self.told else ""
        yield f"{indent}{self.player}{told}, {self.visits:,} visits"
        shown = [branch for branch in self.branches if branch.visits >= least]
        for branch in shown[:rows]:
            yield f"{indent}  {branch.name}  {_value(branch)}  {branch.visits:,}"
            if depth > 1:
                for child in branch.nodes:
                    if child.visits >= least:
                        yield from child._lines(indent + "    ", least, depth - 1, rows)
        if len(shown) > rows:
            yield f"{indent}  and {len(shown) - rows} more"

    def __str__(self) -> str:
        return self.text()

    def _repr_html_(self) -> str:
        return f'<div style="line-height:1.5">{_html(self, 3, 12)}</div>'


def _value(branch: Branch) -> str:
    if branch.value is None:
        return "?"
    return f"{branch.value:.3f}" + ("" if branch.error is None else f" ± {branch.error:.3f}")


def _html(node: Tree, depth: int, rows: int) -> str:
    """An indented table that folds: what has most visits first, with bars."""
    parts = []
    most = max((branch.visits for branch in node.branches), default=0) or 1
    shown = [branch for branch in node.branches if branch.visits > 0]
    for branch in shown[:rows]:
        about = (
            f"{escape(branch.name)} <small>{_value(branch)}, {branch.visits:,}</small> "
            f"{bar(branch.visits / most)}"
        )
        children = [child for child in branch.nodes if child.visits > 1] if depth > 1 else []
        inner = "".join(
            f"<div><small>{escape(child.player)}{': ' + escape(child.told) if child.told else ''}</small>"
            f"{_html(child, depth - 1, 6)}</div>"
            for child in children[:rows]
        )
        if inner:
            parts.append(f"<details><summary>{about}</summary>{inner}</details>")
        else:
            parts.append(f'<div style="padding-left:1.1em">{about}</div>')
    if len(shown) > rows:
        parts.append(f"<div><small>and {len(shown) - rows} more</small></div>")
    return f'<div style="margin-left:1.2em">{"".join(parts)}</div>'


def of(decision: Decision, most: int = MOST) -> Tree | None:
    """The tree that a decision was made of; None where its planner has none.

    ValueError once the planner has decided again.
    """
    nodes = decision.grown(most)
    if not nodes:
        return None
    errors = {row.name: row.error for row in decision.table}
    return Tree(_Kept(nodes, decision.players, errors))


@dataclass(frozen=True)
class _Kept:
    """What all decisions of a tree share."""

    nodes: Nodes
    players: list[str]
    errors: dict[str, float | None]
