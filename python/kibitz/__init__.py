"""Hand it the rules of a game, and it plays that game well, says why, and measures how well.

>>> import kibitz as kb
>>> game = kb.load("tic-tac-toe")
>>> episode = kb.play(game, "random", seed=7)
>>> len(episode.returns)
2
"""

from typing import TYPE_CHECKING

from kibitz import games, planners
from kibitz._core import (
    Belief,
    Decision,
    Entry,
    Game,
    GameFault,
    Info,
    Judgement,
    Planner,
    Referee,
    State,
    View,
    __version__,
)
from kibitz.advice import advise
from kibitz.episode import Episode, Step, play
from kibitz.exact import Solution, solve
from kibitz.games import list_games, load
from kibitz.planners import AnyPlanner, PlannerBase, PlannerFault, list_planners, planner
from kibitz.rules import CHANCE, OVER, WAIT, AnyGame, Rules

if TYPE_CHECKING:
    from kibitz import adapters, equilibria, lab, learn, testing
    from kibitz.equilibria import Equilibrium, Exploitability, Strategy, equilibrium, exploitability
    from kibitz.lab.match import MatchResult, match

__all__ = [
    "CHANCE",
    "OVER",
    "WAIT",
    "AnyGame",
    "AnyPlanner",
    "Belief",
    "Decision",
    "Entry",
    "Episode",
    "Equilibrium",
    "Exploitability",
    "Game",
    "GameFault",
    "Info",
    "Judgement",
    "MatchResult",
    "Planner",
    "PlannerBase",
    "PlannerFault",
    "Referee",
    "Rules",
    "Solution",
    "State",
    "Step",
    "Strategy",
    "View",
    "__version__",
    "adapters",
    "advise",
    "equilibria",
    "equilibrium",
    "exploitability",
    "games",
    "lab",
    "learn",
    "list_games",
    "list_planners",
    "load",
    "match",
    "planner",
    "planners",
    "play",
    "solve",
    "testing",
]


def __dir__() -> list[str]:
    """What there is, also what is imported only when it is asked for."""
    return sorted({*globals(), *__all__})


def __getattr__(name: str) -> object:
    """What only some need is imported when it is first asked for."""
    import importlib

    if name in ("adapters", "equilibria", "lab", "learn", "testing"):
        return importlib.import_module(f"kibitz.{name}")
    if name in ("MatchResult", "match"):
        return getattr(importlib.import_module("kibitz.lab.match"), name)
    if name in ("Equilibrium", "Exploitability", "Strategy", "equilibrium", "exploitability"):
        return getattr(importlib.import_module("kibitz.equilibria"), name)
    raise AttributeError(f"module 'kibitz' has no attribute {name!r}")
