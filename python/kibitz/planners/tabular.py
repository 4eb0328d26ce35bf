"""Plays a strategy from a file, as `kibitz solve GAME --method cfr+ --save FILE` writes it."""

from __future__ import annotations

from kibitz._core import Bits, Decision, Game, View
from kibitz._stream import Stream
from kibitz.equilibria.strategy import load_once
from kibitz.planners import PlannerBase


class Tabular(PlannerBase):
    """Plays a strategy from a file: draws from the probabilities that it has for what was done and seen.

    `kibitz solve GAME --method cfr+ --save FILE` and `Strategy.save` write such files. What is not in the
    table is played uniformly, with a note.
    """

    name = "tabular"
    params = {"file": "The strategy: a file that `kibitz solve --save` has written."}  # noqa: RUF012

    def __init__(self, file: str = "") -> None:
        self.strategy = load_once(str(file)) if file else None

    def start(self, game: Game, seat: int, seed: int) -> None:
        """Refuses a game that the strategy is not for."""
        if self.strategy is None:
            raise ValueError(f"{self.name} needs a file with a strategy: {self.name}(file=...)")
        self.strategy.demand(game)
        super().start(game, seat, seed)
        self._random = Stream(Bits(seed))

    def act(self, view: View) -> Decision:
        """Draws an action."""
        mix = self.strategy.at(view) if self.strategy else None
        actions = view.legal()
        if mix is None:
            return Decision(
                view, self._random.choice(actions), notes=["a move at random: the table has no such view"]
            )
        weights = [mix[name] for name in view.names()]
        return Decision(view, self._random.choices(actions, weights)[0])
