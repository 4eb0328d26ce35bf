"""Regret minimisation and IS-MCTS in small poker games, beside OpenSpiel's solvers and its bot in C++."""

from __future__ import annotations

from collections.abc import Iterator

import kibitz as kb
from kibitz.bench import _peers
from kibitz.bench._measure import Row, Scale, Work, race

GAMES = [("kuhn-poker", "kuhn_poker"), ("leduc-poker", "leduc_poker")]
METHODS = [
    ("CFR", "cfr", "CFRSolver"),
    ("CFR+", "cfr+", "CFRPlusSolver"),
    ("external sampling", "external-sampling", "ExternalSamplingMCCFRSolver"),
]
BATCH = 100
"""Iterations between two looks at the clock; ours does them in one call."""
FASTER = 5
"""How much faster than OpenSpiel's solvers ours are to be, and than its IS-MCTS."""
FASTER_SEARCH = 3
EXPLORATION = 0.7
"""Of both sides' UCB1, in units of the spread of returns."""


def rows(scale: Scale) -> Iterator[Row]:
    """Iterations a second, and simulations of one decision."""
    for game, theirs in GAMES:
        for name, method, solver in METHODS:
            batch = BATCH if scale.seconds else 2
            yield race(
                _ours(game, method, batch * (100 if game == "kuhn-poker" else 10)),
                _theirs(theirs, solver, batch),
                scale,
                benchmark="cfr",
                work=f"{name}, {game}",
                unit="iterations/s",
                peer_name=f"OpenSpiel's C++ {solver}",
                required=FASTER,
            )
    for game, theirs in GAMES:
        yield race(
            _peers.our_search(
                kb.load(game), f"is-mcts(simulations={scale.simulations}, exploration={EXPLORATION})"
            ),
            _bot(theirs, scale.simulations),
            scale,
            benchmark="cfr",
            work=f"IS-MCTS, {game}",
            unit="simulations/s",
            peer_name="OpenSpiel's C++ ISMCTSBot",
            required=FASTER_SEARCH if game == "leduc-poker" else None,
        )


def _ours(game: str, method: str, batch: int) -> Work:
    from kibitz._core import RegretSolver

    solver = RegretSolver(kb.load(game), method)

    def run(_: int) -> float:
        solver.run(batch)
        return float(batch)

    return run


def _theirs(name: str, solver: str, batch: int) -> Work:
    import pyspiel

    made = getattr(pyspiel, solver)(pyspiel.load_game(name))
    step = getattr(made, "evaluate_and_update_policy", None) or made.run_iteration

    def run(_: int) -> float:
        for _ in range(batch):
            step()
        return float(batch)

    return run


def _bot(name: str, simulations: int) -> Work:
    """A decision right after the deal, with a world for each simulation and one rollout a leaf."""
    import pyspiel

    game = pyspiel.load_game(name)
    constant = EXPLORATION * (game.max_utility() - game.min_utility())
    state = game.new_initial_state()
    while state.is_chance_node():
        state.apply_action(state.legal_actions()[0])

    def decide(number: int) -> float:
        evaluator = pyspiel.RandomRolloutEvaluator(1, number + 1)
        final = pyspiel.ISMCTSFinalPolicyType.MAX_VISIT_COUNT
        bot = pyspiel.ISMCTSBot(number + 1, evaluator, constant, simulations, -1, final, False, False)
        bot.step(state)
        return float(simulations)

    return decide
