"""OpenSpiel's information set Monte-Carlo tree search in C++ as an opponent, to measure ours against."""

from __future__ import annotations

from typing import Any

from kibitz._core import Decision, Game, View, episode_seed
from kibitz.adapters import openspiel
from kibitz.planners import PlannerBase


class OpenSpielIsMcts(PlannerBase):
    """OpenSpiel's ISMCTSBot (C++): a tree over what the player on turn knows, in worlds that it draws.

    It plays OpenSpiel's games with something hidden (`openspiel:leduc_poker`) in which players take turns,
    as far as OpenSpiel can draw what a player does not see. With `exploration` e its constant uct_c is e
    times the game's spread of returns, as in `is-mcts`.
    """

    name = "openspiel-ismcts"
    params = {  # noqa: RUF012
        "simulations": "Simulations a move.",
        "exploration": "Exploration constant of UCB1, in units of the game's spread of returns.",
        "worlds": "Worlds that are drawn at most for a move; -1 is one for each simulation.",
    }

    def __init__(self, simulations: int = 1_000, exploration: float = 1.0, worlds: int = -1) -> None:
        for what, value, least in (("simulations", simulations, 1), ("worlds", worlds, -1)):
            if not least <= value < 2**31 or value == 0:
                raise ValueError(f"{self.name}: {what} is a whole number from 1 on, not {value!r}")
        if not 0 <= exploration <= 10**6:
            raise ValueError(f"{self.name}: exploration is a number from 0 to 1e6, not {exploration!r}")
        self.simulations, self.exploration, self.worlds = simulations, exploration, worlds

    def start(self, game: Game, seat: int, seed: int) -> None:
        """Refuses, in a sentence, what ISMCTSBot cannot play or OpenSpiel does not have."""
        super().start(game, seat, seed)
        spiel = openspiel._spiel()
        self._position = openspiel.Tracker(game, self.name)
        theirs = self._position.theirs
        if game.info.perfect_information:
            raise ValueError(f"{self.name} needs a game with something hidden, which {game.spec} is not")
        if theirs.get_type().dynamics.name != "SEQUENTIAL":
            raise ValueError(
                f"{self.name} needs a game in which players take turns; {game.spec} is not one"
            )
        if not openspiel.resamples(theirs):
            raise ValueError(f"{self.name} needs worlds, and OpenSpiel draws none of {game.spec}")
        bot, rollouts = (1 + episode_seed(seed, 0, name) % (2**31 - 2) for name in ("bot", "rollouts"))
        self._bot = spiel.ISMCTSBot(
            bot,
            spiel.RandomRolloutEvaluator(1, rollouts),
            self.exploration * game.info.spread,
            self.simulations,
            self.worlds,
            spiel.ISMCTSFinalPolicyType.NORMALIZED_VISIT_COUNT,
            False,
            False,
        )

    def act(self, view: View) -> Decision:
        """Searches from what the player knows, and takes what was visited most."""
        policy: list[tuple[Any, float]] = self._bot.get_policy(self._position.at(view))
        ours = {self.game.action_value(action): action for action in view.legal()}
        table = [
            (ours[action], None, None, round(share * self.simulations))
            for action, share in policy
            if action in ours
        ]
        best = max(table, key=lambda row: row[3])
        return Decision(view, best[0], table)
