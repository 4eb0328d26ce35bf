"""Exact values of small games, to judge planners by.

>>> import kibitz as kb
>>> solution = kb.solve("tiger")
>>> solution.action, round(solution.value[0], 2)
('listen', 19.37)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from kibitz import _core
from kibitz._arguments import checked
from kibitz.games import load

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from scipy.sparse import csr_array

    from kibitz.equilibria.strategy import Strategy
    from kibitz.rules import AnyGame


@dataclass(frozen=True, kw_only=True)
class Solution:
    """The value of a game and how to begin."""

    value: list[float]
    """The expected return of each player under best play; empty if a game's own solver did not find out."""
    action: str | None
    """A best first action; None if the first decision is not the same in every case, or is mixed."""
    method: str
    states: int
    """How many states (or beliefs) were looked at."""
    table: list[tuple[str, float]]
    """The value of each first action to the player who chooses it, best first."""
    strategy: dict[str, dict[str, float]] = field(default_factory=dict)
    """In equilibrium: the probabilities of the first player's actions, by what it sees then."""
    line: list[str] = field(default_factory=list)
    """All moves of a way to that value, where one way is all there is to it."""

    plans: Callable[[], Strategy] | None = field(default=None, repr=False, compare=False)
    """Makes the policy."""

    @cached_property
    def policy(self) -> Strategy | None:
        """In equilibrium: what both players do wherever they may come to; it plays, is evaluated and saved.

        >>> import kibitz as kb
        >>> policy = kb.solve("kuhn-poker").policy
        >>> [round(value, 4) for value in policy.evaluate()]
        [-0.0556, 0.0556]
        """
        return None if self.plans is None else self.plans()

    def _repr_html_(self) -> str:
        from kibitz._notebook import solution

        return solution(self)


@checked("game")
def solve(game: AnyGame, *, max_states: int = 5_000_000, deal: int | None = None) -> Solution:
    """Solves a game exactly: by looking ahead, over beliefs, or for an equilibrium.

    With a deal, what chance does before the first move is drawn as in an episode with that seed, and the
    game is solved from there on.

    Raises ValueError, with a sentence, for a game that is too large or of no kind that can be
    solved.

    >>> import kibitz as kb
    >>> round(kb.solve("kuhn-poker").value[0], 6)  # minus one eighteenth
    -0.055556
    >>> kb.solve("klondike(thoughtful=true)", deal=1).value  # there is a way to win
    [1.0]
    """
    game = load(game)
    solution = _solve(game, max_states, deal)
    game.demand_declared(solution.value, "the value", 1e-6)
    return solution


def _solve(game: _core.Game, max_states: int, deal: int | None) -> Solution:
    alone = _core.solve_alone(game, max_states, deal)
    if alone is not None:
        value, action, method, states, table, line = alone
        return Solution(value=value, action=action, method=method, states=states, table=table, line=line)
    if deal is not None:
        raise ValueError("a single deal can be solved only if the players move in turn")
    if game.info.players != 2:
        raise ValueError(_OPPOSITE)
    return _equilibrium(game, _core.GameTree(game, max_states))


_OPPOSITE = (
    "an equilibrium is computed exactly for two players with opposite interests only; regrets can be "
    "minimised in any game: kb.equilibrium, or kibitz solve --method cfr"
)


class _Form:
    """A game of two in sequence form: what pairs of sequences pay, and which sequences go on from which.

    A sequence is a place in a strategy: a player's last action, or that it has not acted yet.
    """

    def __init__(self, tree: _core.GameTree) -> None:
        import numpy as np
        from scipy.sparse import coo_array

        places, chance, returns = tree.endings
        paid = np.array(returns).reshape(-1, 2)
        totals = paid.sum(axis=1)
        if totals.max() - totals.min() > 1e-9:
            raise ValueError(_OPPOSITE)
        self.total = float(totals[0])
        """What both players get together, however it ends."""
        self.begin = tree.beginnings
        self.size = self.begin[1], tree.width - self.begin[1]
        """How many sequences each has."""
        rows, columns = (np.array(places).reshape(-1, 2) - self.begin).T
        self.pays = coo_array((np.array(chance) * paid[:, 0], (rows, columns)), shape=self.size).tocsr()
        """To the first player."""
        self.sets: list[list[tuple[int, range]]] = [[], []]
        """The sequence that leads to each information set, and those that go on from it."""
        for parent, (player, first, actions) in zip(tree.parents, tree.sets, strict=True):
            begin = self.begin[player]
            self.sets[player].append((parent - begin, range(first - begin, first - begin + len(actions))))

    def own(self, player: int, value: float) -> float:
        """What a player gets where the first gets this value."""
        return (value if player == 0 else self.total - value) + 0.0  # no negative zero

    def constraints(self, player: int) -> csr_array[np.float64]:
        """The rows "empty sequence = 1" and, for each information set, "what goes on = what led there"."""
        from scipy.sparse import coo_array

        entries = [(0, 0, 1.0)]
        for row, (parent, onward) in enumerate(self.sets[player], start=1):
            entries.append((row, parent, -1.0))
            entries.extend((row, sequence, 1.0) for sequence in onward)
        rows, columns, values = zip(*entries, strict=True)
        shape = (1 + len(self.sets[player]), self.size[player])
        return coo_array((values, (rows, columns)), shape=shape).tocsr()


def _policy(game: _core.Game, tree: _core.GameTree, form: _Form) -> Strategy:
    """Behaviour strategies of both players: each action's share of what leads to its information set."""
    from kibitz.equilibria.strategy import tabulate

    plans = [_linear_program(form, player=player)[1] for player in (0, 1)]
    profile = [0.0] * tree.width
    for parent, (player, first, actions) in zip(tree.parents, tree.sets, strict=True):
        begin = form.begin[player]
        reached = float(plans[player][parent - begin])
        for place in range(first, first + len(actions)):
            share = max(0.0, float(plans[player][place - begin]))
            profile[place] = share / reached if reached > 1e-9 else 1 / len(actions)
        total = sum(profile[first : first + len(actions)])
        for place in range(first, first + len(actions)):
            profile[place] /= total
    return tabulate(game, tree, profile, method="linear programming over the sequence form")


def _equilibrium(game: _core.Game, tree: _core.GameTree) -> Solution:
    form = _Form(tree)
    value, plan = _linear_program(form)
    table: list[tuple[str, float]] = []
    strategy: dict[str, dict[str, float]] = {}
    action = None
    sets, opening = tree.sets, tree.opening
    if opening:
        player = sets[opening[0]][0]
        if player == 1:
            _, plan = _linear_program(form, player=1)
        first = [number for number in opening if sets[number][0] == player]
        for number in first:
            _, begin, actions = sets[number]
            view = tree.view(number)
            onward = range(begin - form.begin[player], begin - form.begin[player] + len(actions))
            names = view.names(actions)
            strategy[view.text()] = {
                name: float(plan[s]) + 0.0 for name, s in zip(names, onward, strict=True)
            }
        if len(first) == 1:
            forced = [
                form.own(player, _linear_program(form, player=player, forced=sequence)[0])
                for sequence in onward
            ]
            table = sorted(zip(names, forced, strict=True), key=lambda row: -row[1])
        certain = {name for mix in strategy.values() for name, share in mix.items() if share > 1e-6}
        action = certain.pop() if len(certain) == 1 else None
    return Solution(
        value=[form.own(player, value) for player in (0, 1)],
        action=action,
        method="linear programming over the sequence form",
        states=tree.nodes,
        table=table,
        strategy=strategy,
        plans=lambda: _policy(game, tree, form),
    )


def _linear_program(
    form: _Form, *, player: int = 0, forced: int | None = None
) -> tuple[float, NDArray[np.float64]]:
    """Player 0's value, and an equilibrium plan of `player` (made to begin with sequence `forced`).

    The plan x weighs the player's sequences: 1 for the empty one, and what goes on from an
    information set adds up to what led to it. Against the best answer the player gets the most y
    with y's constraints F'y <= A'x (von Stengel 1996, section 4).
    """
    import numpy as np
    from scipy.optimize import linprog
    from scipy.sparse import bmat, coo_array

    other = 1 - player
    own_constraints = form.constraints(player)
    other_constraints = form.constraints(other)
    # Rows are the player's own sequences, and the payoffs its own.
    matrix: Any = form.pays if player == 0 else -form.pays.T
    own, answers = form.size[player], other_constraints.shape[0]
    bounds: list[tuple[float | None, float | None]] = [(0, None)] * own + [(None, None)] * answers
    if forced is not None:
        bounds[forced] = (1, 1)
    own_start = np.zeros(own_constraints.shape[0])
    own_start[0] = 1
    objective = np.zeros(own + answers)
    objective[own] = -1  # maximise the value of the other side's empty sequence
    # Typed as Any: SciPy takes sparse matrices here, its stubs do not know it.
    answered: Any = bmat([[-matrix.T, other_constraints.T]])
    planned: Any = bmat([[own_constraints, coo_array((own_constraints.shape[0], answers))]])
    result = linprog(
        objective,
        A_ub=answered,
        b_ub=np.zeros(form.size[other]),
        A_eq=planned,
        b_eq=own_start,
        bounds=bounds,
        method="highs",
    )
    if result.x is None or result.fun is None:
        raise ValueError(f"the linear program was not solved: {result.message}")
    value = -float(result.fun)
    return (value if player == 0 else -value), np.asarray(result.x[:own], dtype=float)
