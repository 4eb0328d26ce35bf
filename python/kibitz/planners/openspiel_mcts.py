"""OpenSpiel's Monte-Carlo tree search in C++ as an opponent, to measure ours against."""

from __future__ import annotations

from typing import Any, Final

from kibitz._core import Belief, Decision, Game, View, episode_seed
from kibitz.adapters import openspiel
from kibitz.planners import PlannerBase

SAME: Final = {"connect-four": "connect_four", "tic-tac-toe": "tic_tac_toe"}
"""Our native games that OpenSpiel has with the same numbers for the same actions."""

MEGABYTES: Final = 1_000


class OpenSpielMcts(PlannerBase):
    """OpenSpiel's MCTSBot (C++): UCT with random rollouts, most visits; a new tree for each move.

    It plays OpenSpiel's games of perfect information in which players take turns and are paid at the
    end (`openspiel:connect_four`), and those of ours that OpenSpiel has with the same actions.

    With `exploration` e its constant uct_c is e times the game's spread of returns, so that the same
    number means the same as in `uct`. Even without `solve` it knows an end of the game when it has
    reached it once: such an action gets no exploration bonus any more, and a won one is played.
    """

    name = "openspiel-mcts"
    params = {  # noqa: RUF012
        "simulations": "Simulations a move, 2 or more.",
        "exploration": "Exploration constant of UCB1, in units of the game's spread of returns.",
        "rollouts": "Random rollouts from each leaf; their mean counts as one simulation.",
        "solve": "Whether proven wins and losses are backed up (MCTS-Solver).",
    }

    def __init__(
        self, simulations: int = 1_000, exploration: float = 1.0, rollouts: int = 1, solve: bool = False
    ) -> None:
        self._check("simulations", simulations, 2, 2**31 - 1)
        self._check("exploration", exploration, 0, 10**6)
        self._check("rollouts", rollouts, 1, 2**31 - 1)
        self.simulations, self.exploration = simulations, exploration
        self.rollouts, self.solve = rollouts, solve

    def _check(self, what: str, value: float, least: int, most: int) -> None:
        if not least <= value <= most:
            raise ValueError(f"{self.name}: {what} is a number from {least} to {most}, not {value!r}")

    def start(self, game: Game, seat: int, seed: int) -> None:
        """Refuses, in a sentence, what MCTSBot cannot play or OpenSpiel does not have."""
        super().start(game, seat, seed)
        spiel = openspiel._spiel()
        rules = game.rules
        if isinstance(rules, openspiel.OpenSpielGame):
            self._theirs = rules.game
        elif game.spec in SAME:
            self._theirs = spiel.load_game(SAME[game.spec])
        else:
            ours = ", ".join(SAME)
            raise ValueError(
                f"{self.name} plays {ours} and OpenSpiel's games (openspiel:...), not {game.spec}"
            )
        kind = self._theirs.get_type()
        if not game.info.perfect_information:
            raise ValueError(f"{self.name} needs a game of perfect information, which {game.spec} is not")
        if kind.dynamics.name != "SEQUENTIAL" or kind.reward_model.name != "TERMINAL":
            raise ValueError(
                f"{self.name} needs a game in which players take turns and are paid at the end; "
                f"{game.spec} is not one"
            )
        # Two streams of its own, neither seeded with 0, which would mean "by the clock".
        bot, rollouts = (1 + episode_seed(seed, 0, name) % (2**31 - 2) for name in ("bot", "rollouts"))
        evaluator = spiel.RandomRolloutEvaluator(self.rollouts, rollouts)
        constant = self.exploration * game.info.spread
        self._bot = spiel.MCTSBot(
            self._theirs, evaluator, constant, self.simulations, MEGABYTES, self.solve, bot, False
        )
        self._belief = Belief(game, "exact") if rules is not None else None

    def act(self, view: View) -> Decision:
        """Searches from the present position."""
        root = self._bot.mcts_search(self._state(view))
        ours = {self.game.action_value(action): action for action in view.legal()}
        table = [
            (ours[child.action], child.total_reward / child.explore_count, None, child.explore_count)
            for child in root.children
            if child.explore_count
        ]
        return Decision(view, ours[root.best_child().action], table)

    def _state(self, view: View) -> Any:
        """OpenSpiel's state where the view is: nothing is hidden."""
        if self._belief is not None:
            self._belief.update(view)
            position = self._belief.sample().value
            assert isinstance(position, openspiel.Position)
            return position.now.state
        state, theirs = self.game.initial(), self._theirs.new_initial_state()
        for kind, _, words in view.events:
            if kind == "observed":  # "red 4", the mover's own included
                mover = state.movers[0]
                name = words.removeprefix(self.game.player_name(mover) + " ")
                action = state.find_action(mover, name)
                theirs.apply_action(action)
                state, _ = state.step([action])
        return theirs
