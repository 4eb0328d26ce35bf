"""Compares kibitz with plain references on random small games: `python -m kibitz.testing.differential`.

Every solver, belief and planner is asked about random games of one to three players, and what it says
is held against enumeration, dynamic programming and linear programs written in the plainest way. A game
that shows a difference is made as small as it can be and still show it, and printed as a few lines that
can be run.

* `tables.py`: small games as plain data. `random_games.py`: random ones.
* `references.py`: what they are worth and what may be known in them, without a line of the core.
* `case.py`: one game with all references. `checks.py`: the register of comparisons; `solvers.py`,
  `beliefs.py` and `planners.py`: the comparisons. To add one is to add a function there, or a line.
* `shrink.py` makes games smaller; `run.py` puts all of it together.

>>> from kibitz.testing.differential import compare, random_table
>>> compare(games=3, seed=1, checks=["kb.solve", "belief exact"]).differences
[]
>>> random_table(7).rules().players
1
"""

from kibitz.testing.differential.random_games import Shape, random_table
from kibitz.testing.differential.run import Found, Outcome, compare
from kibitz.testing.differential.tables import Table

__all__ = ["Found", "Outcome", "Shape", "Table", "compare", "random_table"]
