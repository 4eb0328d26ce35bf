"""What several benchmarks ask of the peers and of us."""

from __future__ import annotations

import math
from typing import Any

import kibitz as kb
from kibitz.bench._measure import Row, Scale, Work, race

C = math.sqrt(2)
"""The exploration constant of both sides where returns are from -1 to 1."""


def our_search(game: kb.Game, spec: str) -> Work:
    """Simulations of one decision at the start of the game, with a fresh planner state each time."""
    planner = kb.planner(spec)
    referee = kb.Referee(game, 1)
    seat = referee.movers[0]
    view = referee.view(seat)

    def decide(number: int) -> float:
        planner.start(game, seat, number)
        return float(planner.act(view).simulations)

    return decide


def uct(simulations: int, playouts: int = 1) -> str:
    """Plain UCT: OpenSpiel's constant counts in returns from -1 to 1, ours in spreads of returns."""
    more = f", playouts={playouts}" if playouts > 1 else ""
    return f"uct(simulations={simulations}, exploration={C / 2}, playout=random{more})"


def our_playouts(game: kb.Game, count: int, batch: int = 1) -> Work:
    """Random games from the start, so many at a time."""

    def play(number: int) -> float:
        game.playouts(count, number, batch=batch)
        return float(count)

    return play


def playouts_beside_spiel(
    scale: Scale, name: str, theirs: str, *, benchmark: str, count: int, batch: int = 1, required: float
) -> Row:
    """Random games of ours, so many a turn, beside OpenSpiel's rollouts."""
    return race(
        our_playouts(kb.load(name), count, batch),
        spiel_rollouts(theirs, scale.simulations // 10),
        scale,
        benchmark=benchmark,
        work=f"random playouts, {name}",
        unit="1/s",
        peer_name="OpenSpiel's C++ rollouts",
        required=required,
    )


def search_beside_spiel(
    scale: Scale,
    work: str,
    search: Work,
    theirs: str,
    *,
    benchmark: str,
    unit: str,
    required: float,
    note: str = "",
) -> Row:
    """A search of ours beside OpenSpiel's in C++ with one rollout a leaf."""
    return race(
        search,
        spiel_search(theirs, scale.simulations),
        scale,
        benchmark=benchmark,
        work=work,
        unit=unit,
        peer_name="OpenSpiel's C++ MCTSBot",
        required=required,
        note=note,
    )


def spiel_rollouts(name: str, count: int) -> Work:
    """OpenSpiel's rollouts in C++: a search of one simulation evaluates the root with `count` of them."""
    import pyspiel

    game = pyspiel.load_game(name)
    state = game.new_initial_state()

    def roll(number: int) -> float:
        evaluator = pyspiel.RandomRolloutEvaluator(count, number + 1)
        pyspiel.MCTSBot(game, evaluator, C, 1, 1000, False, number + 1, False).mcts_search(state)
        return float(count)

    return roll


def spiel_games(name: str, count: int) -> Work:
    """Random games in C++, for games that its search refuses."""
    import pyspiel

    game = pyspiel.load_game(name)
    bots = [pyspiel.make_uniform_random_bot(player, 1) for player in range(game.num_players())]

    def play(number: int) -> float:
        for seed in range(count):
            pyspiel.evaluate_bots(game.new_initial_state(), bots, count * number + seed)
        return float(count)

    return play


def spiel_search(name: str, simulations: int) -> Work:
    """OpenSpiel's MCTS in C++ with one rollout a leaf."""
    import pyspiel

    game = pyspiel.load_game(name)
    state = game.new_initial_state()

    def search(number: int) -> float:
        evaluator = pyspiel.RandomRolloutEvaluator(1, number + 1)
        bot = pyspiel.MCTSBot(game, evaluator, C, simulations, 1000, False, number + 1, False)
        return float(bot.mcts_search(state).explore_count)

    return search


def pomcp(agent: Any, belief: list[Any], *, simulations: int, depth: int, constant: float) -> Work:
    """pomdp-py's POMCP, deciding from the first belief each time."""
    import pomdp_py

    def decide(_: int) -> float:
        agent.set_belief(pomdp_py.Particles(list(belief)), prior=True)
        agent.tree = None
        planner = pomdp_py.POMCP(
            max_depth=depth,
            discount_factor=0.95,
            num_sims=simulations,
            exploration_const=constant,
            rollout_policy=agent.policy_model,
        )
        planner.plan(agent)
        return float(planner.last_num_sims)

    return decide
