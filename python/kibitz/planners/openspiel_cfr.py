"""OpenSpiel's counterfactual regret minimisation in C++ as an opponent, to measure ours against."""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from kibitz._core import Bits, Decision, Game, GameTree, View
from kibitz._stream import Stream
from kibitz.adapters import _to_openspiel, openspiel
from kibitz.planners import PlannerBase

MOST = 50_000
"""Histories of a game of ours at most."""
METHODS = {"cfr": "CFRSolver", "cfr+": "CFRPlusSolver"}


class OpenSpielCfr(PlannerBase):
    """Plays the average policy that OpenSpiel's CFRSolver or CFRPlusSolver (C++) has found.

    It plays small games in which players take turns: OpenSpiel's (`openspiel:leduc_poker`), and ours of up
    to 50,000 histories, which are handed to OpenSpiel as games in Python. Each is solved once for all
    episodes.
    """

    name = "openspiel-cfr"
    params = {  # noqa: RUF012
        "iterations": "Iterations, before the first move.",
        "method": "cfr or cfr+.",
    }

    def __init__(self, iterations: int = 100, method: str = "cfr+") -> None:
        if not 1 <= iterations <= 10**7:
            raise ValueError(f"{self.name}: iterations is a number from 1 to 1e7, not {iterations!r}")
        if method not in METHODS:
            raise ValueError(f"{self.name}: method is one of {', '.join(METHODS)}, not {method!r}")
        self.iterations, self.method = iterations, method

    def start(self, game: Game, seat: int, seed: int) -> None:
        """Solves the game, unless it has been solved; refuses what CFR cannot solve."""
        super().start(game, seat, seed)
        hosted = isinstance(game.rules, openspiel.OpenSpielGame)
        self._position = openspiel.Tracker(game, self.name) if hosted else None
        if not hosted and not _fits(game):
            raise ValueError(
                f"{self.name} goes through a whole game in each iteration, and {game.spec} has more than "
                f"{MOST:,} histories"
            )
        theirs = self._position.theirs if self._position else openspiel.export(game)
        if theirs.get_type().dynamics.name != "SEQUENTIAL":
            raise ValueError(
                f"{self.name} needs a game in which players take turns; {game.spec} is not one"
            )
        if theirs.get_type().chance_mode.name == "SAMPLED_STOCHASTIC":
            raise ValueError(f"{self.name} needs chance with probabilities, which {game.spec} lacks")
        self._policy = _solved(_Key(theirs), self.method, self.iterations)
        self._random = Stream(Bits(seed))

    def act(self, view: View) -> Decision:
        """Draws an action from the policy."""
        number: Callable[[int], Any] = operator.index
        if self._position is not None:
            known = str(self._position.at(view).information_state_string(view.player))
            number = self.game.action_value
        else:
            known = _to_openspiel.seen(view)
        shares = dict(self._policy.get_state_policy(known))
        actions = view.legal()
        weights = [shares.get(number(action), 0.0) for action in actions]
        if not sum(weights):
            note = ["a move at random: the policy has no such information state"]
            return Decision(view, self._random.choice(actions), notes=note)
        return Decision(view, self._random.choices(actions, weights)[0])


def _fits(game: Game) -> bool:
    """Whether the game is small enough to be gone through in Python."""
    try:
        return GameTree(game, MOST).nodes <= MOST
    except ValueError:
        return False


class _Key:
    """A game as a key: OpenSpiel's games are equal where they say the same of themselves."""

    def __init__(self, game: Any) -> None:
        self.game = game

    def __hash__(self) -> int:
        return hash(str(self.game))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Key) and str(self.game) == str(other.game)


@lru_cache(maxsize=8)
def _solved(key: _Key, method: str, iterations: int) -> Any:
    solver = getattr(openspiel._spiel(), METHODS[method])(key.game)
    for _ in range(iterations):
        solver.evaluate_and_update_policy()
    return solver.tabular_average_policy()
