"""Hand it the rules of a game, and it plays that game well, says why, and measures how well.

>>> import kibitz as kb
>>> game = kb.load("tic-tac-toe")
>>> episode = kb.play(game, "random", seed=7)
>>> len(episode.returns)
2
"""

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
    "planner",
    "planners",
    "play",
    "solve",
]
