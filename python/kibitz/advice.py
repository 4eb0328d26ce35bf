"""Advice in a position: the best action, and the evidence for every other one."""

from __future__ import annotations

from kibitz import _core
from kibitz._arguments import checked
from kibitz._core import Decision, Planner, View
from kibitz.games import load
from kibitz.planners import AnyPlanner, ask, planner, sit, with_parameters
from kibitz.rules import AnyGame


@checked("game", adviser="a planner or its spec", view="a view, as Referee.view gives it")
def advise(
    game: AnyGame,
    view: View,
    adviser: str | AnyPlanner,
    *,
    seconds: float | None = None,
    seed: int = 0,
) -> Decision:
    """What a planner would do in a position, and why.

    `view` is what the player on turn knows (`Referee.view` gives it), `game` the rules that the
    planner believes in: usually the view's own game. With `seconds` it takes that long, unless its
    spec sets a budget that is spent earlier.

    >>> import kibitz as kb
    >>> game = kb.load("tic-tac-toe")
    >>> advice = kb.advise(game, kb.Referee(game).view(0), "random")
    >>> advice.best == advice.name
    True
    """
    if isinstance(adviser, str) and seconds is not None:
        adviser = for_seconds(adviser, seconds)
    chosen = planner(adviser)
    sit(chosen, load(game).apart(), view.player, seed)
    if isinstance(chosen, Planner):
        return chosen.act(view, seconds=seconds)
    return ask(chosen, view)


def for_seconds(spec: str, seconds: float) -> str:
    """The spec with that budget, if the planner takes one and none was asked for."""
    name, arguments = _core.parse_spec(spec)
    known = [param.name for entry in _core.planners() if entry.name == name for param in entry.params]
    given = {key for key, _ in arguments}
    if "milliseconds" not in known or "" in given or given & {"simulations", "milliseconds"}:
        return spec
    return with_parameters(spec, {"milliseconds": 1000 * seconds})
