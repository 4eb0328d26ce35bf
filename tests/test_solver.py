"""`solver=true`: what a tree search proves is true, is played, and ends the search."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest

import kibitz as kb
from tables import cases

SMALL = [
    "tic-tac-toe",
    "breakthrough(4, 3)",
    "breakthrough(4, 3, true)",
    "knightthrough(4, 4)",
    "domineering(4, 4, true)",
    "nogo(3, 3)",
    "atarigo(3, 3)",
    "breakthrough.kif(rows=4, columns=3)",
    "tic-tac-toe.kif",
    "peg-solitaire.kif",
]


def solve(
    state: kb.State, known: dict[tuple[int, tuple[int, ...]], tuple[float, ...]]
) -> tuple[float, ...]:
    """What each player gets when all play their best from here: backward induction, in a few lines."""
    key = (state.hash(), tuple(state.movers))
    if key not in known:
        [mover] = state.movers
        best: tuple[float, ...] | None = None
        for action in state.legal(mover):
            after, rewards = state.step([action])
            values = solve(after, known) if after.movers else tuple(rewards)
            if best is None or values[mover] > best[mover]:
                best = values
        assert best is not None
        known[key] = best
    return known[key]


@pytest.mark.parametrize("name", [name for name in SMALL if "solitaire" not in name])
def test_what_is_proved_is_true(name: str) -> None:
    game, known, rng = kb.load(name), {}, random.Random(3)
    proofs = ended = 0
    for seed in range(25):
        referee, state = kb.Referee(game, seed), game.initial()
        for _ in range(rng.randrange(6)):
            action = rng.choice(state.legal(state.movers[0]))
            after, _ = state.step([action])
            if not after.movers:
                break
            state = after
            referee.apply([action])
        [mover] = state.movers
        legal = state.legal(mover)
        if len(legal) == 1:
            continue
        worth = {}
        for action in legal:
            after, rewards = state.step([action])
            worth[action] = (solve(after, known) if after.movers else tuple(rewards))[mover]
        simulations = rng.choice([30, 300, 3000, 100_000])
        spec = (
            f"uct(simulations={simulations}, solver=true, transpositions={rng.choice(['true', 'false'])})"
        )
        planner = kb.planner(spec)
        planner.start(game, mover, seed)
        decision = planner.act(referee.view(mover))
        proved = [row for row in decision.table if row.error == 0 and row.value in set(worth.values())]
        proofs += len(proved)
        if decision.simulations < simulations:
            # It ended because the root is proved: the choice is the best there is.
            ended += 1
            assert worth[decision.action] == max(worth.values())
            assert decision.table[0].value == pytest.approx(max(worth.values()))
        if simulations == 100_000:
            assert decision.simulations < simulations  # draws are proved as well
    assert proofs
    assert ended


@pytest.mark.parametrize(
    "spec",
    [
        "sparse-uct(simulations=30000, solver=true)",
        "hop-uct(simulations=30000, trees=2, solver=true)",
        "ensemble-uct(simulations=30000, trees=2, solver=true)",
        "ensemble-sparse-uct(simulations=30000, trees=2, solver=true)",
        "mcts(simulations=30000, solver=true)",
        "uct(simulations=30000, grow=3, solver=true)",
    ],
)
def test_all_that_search_known_states_may_prove(spec: str) -> None:
    """Simulations that add more than one state, and outcomes that are few, are no hindrance."""
    for name, depth in (("tic-tac-toe", 3), ("breakthrough(4, 3)", 4), ("nogo(3, 3)", 2)):
        game, known, rng = kb.load(name), {}, random.Random(5)
        for seed in range(4):
            referee, state = kb.Referee(game, seed), game.initial()
            for _ in range(depth):
                action = rng.choice(state.legal(state.movers[0]))
                state, _ = state.step([action])
                referee.apply([action])
            [mover] = state.movers
            if len(state.legal(mover)) == 1:
                continue
            planner = kb.planner(spec)
            planner.start(game, mover, seed)
            decision = planner.act(referee.view(mover))
            assert decision.simulations < 30000  # it was proved
            assert decision.table[0].value == pytest.approx(solve(state, known)[mover])


def test_chance_proves_nothing() -> None:
    """Behind a coin nothing is certain.

    What is proved beside it is taken, though visited no more: where it was preferred, the coin was tossed.
    """

    class Coin(kb.Rules[int]):
        """Take a fifth, or toss a coin for all or nothing."""

        min_return, paid_at_end, perfect_information = -1.0, True, True

        def initial(self) -> int:
            return 0

        def turn(self, state: int) -> int:
            return (0, kb.CHANCE, kb.OVER)[state]

        def legal(self, state: int, player: int) -> list[str]:
            return ["take", "toss"]

        def chance(self, state: int) -> list[tuple[int, float]]:
            return [(1, 0.5), (-1, 0.5)]

        def step(self, state: int, joint: Sequence[object]) -> tuple[int, list[float] | None]:
            if state == 0:
                return (2, [0.2]) if joint[0] == "take" else (1, None)
            return 2, [float(joint[0])]  # type: ignore[arg-type]

    game = kb.load(Coin())
    for spec in ("uct(simulations=500, solver=true)", "sparse-uct(simulations=500, width=99, solver=true)"):
        decision = kb.advise(game, kb.Referee(game, 1).view(0), spec, seed=1)
        assert decision.name == "take"
        assert decision.table[0].value == pytest.approx(0.2)
        assert decision.simulations == 500


def test_a_win_that_is_seen_is_made_and_a_loss_avoided() -> None:
    """After few simulations, where the most visited action is another."""
    game = kb.load("tic-tac-toe")
    for moves, best in (("a1 b1 a2 b2", "a3"), ("a1 b2 c1", "b1")):
        referee = kb.Referee(game, 1)
        for name in moves.split():
            [mover] = referee.movers
            referee.apply(
                [dict(zip(referee.view(mover).names(), referee.view(mover).legal(), strict=True))[name]]
            )
        [mover] = referee.movers
        for seed in range(20):
            planner = kb.planner("uct(simulations=60, solver=true)")
            planner.start(game, mover, seed)
            decision = planner.act(referee.view(mover))
            assert decision.table[0].name == best


def test_it_plays_better_for_the_same_simulations() -> None:
    solver, plain = "uct(simulations=200, solver=true)", "uct(simulations=200)"
    won = 0.0
    for seed in range(200):
        players = [solver, plain] if seed % 2 else [plain, solver]
        returns = kb.play("breakthrough(5, 5)", players, seed=seed).returns
        won += returns[0 if seed % 2 else 1] > 0
    assert won > 105


@pytest.mark.parametrize("parallel", ["root", "tree", "leaf"])
def test_with_workers_and_trees(parallel: str) -> None:
    playouts = 2 if parallel == "leaf" else 1
    spec = f"uct(simulations=5000, solver=true, workers=2, parallel={parallel}, playouts={playouts})"
    episode = kb.play("tic-tac-toe", [spec, "uct(trees=3, solver=true)"], seed=1)
    assert episode.returns == [0, 0]


@cases(
    "game spec sentence",
    """
    kuhn-poker | uct(solver=true) | solver needs perfect information
    bidding-tic-tac-toe.kif | uct(solver=true) | solver needs
    klondike | uct(solver=true, backup=max) | solver goes with
    tic-tac-toe | uct(solver=true, backup=max) | solver goes with
    tic-tac-toe | uct(solver=true, selection=rave) | solver goes with
    tic-tac-toe | flat-mc(solver=true) | solver goes with
    tic-tac-toe | outcome-uct(solver=true, playout=random) | solver needs
    """,
)
def test_elsewhere_it_is_refused(game: str, spec: str, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        kb.play(game, [spec] * kb.load(game).info.players, seed=1)
