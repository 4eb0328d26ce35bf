"""Tests for games and planners, yours included.

`check_game` walks through a game at random and checks everything that the contract promises;
`check_planner` does the same for a planner on a game, and `check_leaks` looks for what depends on
something that a player must not know. All return a report that says what was
checked, and raise `ContractError`, an `AssertionError`, with a precise sentence.

>>> import kibitz as kb
>>> from kibitz.testing import check_game, check_planner
>>> check_game("kuhn-poker").passed
True
>>> check_planner("uct(simulations=100)", "tic-tac-toe").passed
True

In a test of your own game:

>>> class Guess(kb.Rules[tuple[int, ...]]):
...     '''Guess a number that chance has chosen.'''
...     min_return, max_return, horizon, perfect_information = 0, 1, 2, False
...     def initial(self):
...         return ()
...     def turn(self, state):
...         return (kb.CHANCE, 0, kb.OVER)[len(state)]
...     def chance(self, state):
...         return [(1, 0.5), (2, 0.5)]
...     def legal(self, state, player):
...         return [1, 2]
...     def step(self, state, joint):
...         after = (*state, joint[0])
...         return after, float(len(after) == 2 and after[0] == after[1])
...     def observe(self, after, joint, player):
...         return joint[0] if len(after) == 2 else None
...     def text(self, state, viewer):
...         return str(state if viewer is None else state[1:])
>>> print(check_game(Guess(), episodes=20).counts["twins"] > 0)
True

`playthrough` writes down every call along one game, to be kept and compared; `signatures` gives
one number for each planner that changes when its play does. Both are commands, too:
`python -m kibitz.testing.playthrough GAME` and `python -m kibitz.testing.signatures`. `differential` holds
solvers, beliefs and planners against plain references on random small games:
`python -m kibitz.testing.differential`.
"""

from kibitz.testing.contract import ContractError, Report
from kibitz.testing.games import check_game
from kibitz.testing.leaks import check_leaks
from kibitz.testing.planners import check_planner

__all__ = ["ContractError", "Report", "check_game", "check_leaks", "check_planner"]
