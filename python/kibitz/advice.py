"""Advice in a position: the best action, and the evidence for every other one."""

from __future__ import annotations

from typing import Any

from kibitz._core import Decision, Game, Planner, View
from kibitz.games import load
from kibitz.planners import AnyPlanner, planner
from kibitz.rules import Rules


def advise(
    game: str | Game | Rules[Any],
    view: View,
    adviser: str | AnyPlanner,
    *,
    seconds: float | None = None,
    seed: int = 0,
) -> Decision:
    """What a planner would do in a position, and why.

    `view` is what the player on turn knows (`Referee.view` gives it), `game` the rules that the
    planner believes in: usually the view's own game. After `seconds` it answers with what it has.

    >>> import kibitz as kb
    >>> game = kb.load("tic-tac-toe")
    >>> advice = kb.advise(game, kb.Referee(game).view(0), "random")
    >>> advice.best == advice.name
    True
    """
    chosen = planner(adviser)
    chosen.start(load(game), view.player, seed)
    if isinstance(chosen, Planner):
        return chosen.act(view, seconds=seconds)
    return chosen.act(view)
