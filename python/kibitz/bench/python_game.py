"""UCT on the same game written in Python for either side."""

from __future__ import annotations

from collections.abc import Iterator

import kibitz as kb
from kibitz.bench import _peers
from kibitz.bench._measure import Row, Scale, Work, race
from kibitz.bench._tic_tac_toe import TicTacToe


def theirs(simulations: int) -> Work:
    """OpenSpiel's MCTS in Python."""
    import numpy as np
    import pyspiel
    from open_spiel.python.algorithms import mcts
    from open_spiel.python.games import tic_tac_toe  # noqa: F401

    game = pyspiel.load_game("python_tic_tac_toe")
    state = game.new_initial_state()

    def search(number: int) -> float:
        random = np.random.RandomState(number)
        evaluator = mcts.RandomRolloutEvaluator(1, random)
        bot = mcts.MCTSBot(game, _peers.C, simulations, evaluator, solve=False, random_state=random)
        return float(bot.mcts_search(state).explore_count)

    return search


def rows(scale: Scale) -> Iterator[Row]:
    """One row."""
    simulations = max(scale.simulations // 10, 10)
    yield race(
        _peers.our_search(kb.load(TicTacToe()), _peers.uct(simulations)),
        theirs(simulations),
        scale,
        benchmark="python_game",
        work="UCT, tic-tac-toe in Python",
        unit="simulations/s",
        peer_name="OpenSpiel's Python MCTS",
        required=2,
    )
