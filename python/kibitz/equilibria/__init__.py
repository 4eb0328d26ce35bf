"""Equilibria by regret minimisation: strategies as tables, and how far anybody's play is from one.

`solving.py` has `kb.equilibrium`, `strategy.py` tables that are saved, loaded and played (by the planner
`tabular`), `exploiting.py` has `kb.exploitability`, of such a table or of what a planner does.
"""

from kibitz.equilibria.exploiting import Exploitability, exploitability
from kibitz.equilibria.solving import Checkpoint, Equilibrium, equilibrium
from kibitz.equilibria.strategy import Strategy

__all__ = ["Checkpoint", "Equilibrium", "Exploitability", "Strategy", "equilibrium", "exploitability"]
