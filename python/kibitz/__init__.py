"""Hand it the rules of a game, and it plays that game well, says why, and measures how well.

>>> import kibitz as kb
>>> game = kb.load("tic-tac-toe")
>>> episode = kb.play(game, "random", seed=7)
>>> len(episode.returns)
2
"""

from typing import TYPE_CHECKING, Any

from kibitz import games, planners
from kibitz._core import (
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
from kibitz.lab.match import MatchResult, match
from kibitz.planners import AnyPlanner, PlannerBase, list_planners, planner
from kibitz.rules import CHANCE, OVER, Rules

if TYPE_CHECKING:
    from kibitz.lab import match

__all__ = [
    "CHANCE",
    "OVER",
    "AnyPlanner",
    "Decision",
    "Entry",
    "Episode",
    "Game",
    "GameFault",
    "Info",
    "Judgement",
    "MatchResult",
    "Planner",
    "PlannerBase",
    "Referee",
    "Rules",
    "Solution",
    "State",
    "Step",
    "View",
    "__version__",
    "advise",
    "games",
    "list_games",
    "list_planners",
    "load",
    "match",
    "match",
    "planner",
    "planners",
    "play",
    "solve",
]


def __getattr__(name: str) -> Any:
    # What few programs need is imported when it is first asked for.
    if name == "match":
        from kibitz.lab import match

        return match
    raise AttributeError(f"module 'kibitz' has no attribute {name!r}")
