"""Our games as OpenSpiel's, by its own tests; and its bots as opponents."""

from __future__ import annotations

import unittest
from typing import Any

import pytest

import kibitz as kb

pyspiel = pytest.importorskip("pyspiel", reason="open_spiel is not installed (the extra 'bench' has it)")

from kibitz.adapters import openspiel  # noqa: E402

SEVERAL = ["kuhn-poker", "leduc-poker", "tic-tac-toe", "rock-paper-scissors", "king-up(players=2)", "bear"]
"""Perfect information, chance, hidden information, several at once."""


class Count(kb.Rules[int]):
    """Two count up in turn to four; each step pays who takes it."""

    players = 2
    max_return = 10.0

    def initial(self) -> int:
        return 0

    def turn(self, state: int) -> int:
        return state % 2 if state < 4 else kb.OVER

    def legal(self, state: int, player: int) -> list[int]:
        return [1]

    def step(self, state: int, joint: tuple[int, ...]) -> Any:
        return state + 1, ((1.0, 0.0) if state % 2 == 0 else (0.0, 1.0))


@pytest.mark.parametrize("spec", SEVERAL)
def test_random_games(spec: str) -> None:
    game = openspiel.export(spec)
    pyspiel.random_sim_test(game, num_sims=5, serialize=False, verbose=False)
    assert openspiel.export(spec) is game, "a game is registered once"
    assert pyspiel.load_game(game.get_type().short_name).num_players() == kb.load(spec).info.players


@pytest.mark.parametrize("ours", ["kuhn-poker", pytest.param("leduc-poker", marks=pytest.mark.slow)])
def test_best_responses_agree_with_openspiels_own_game(ours: str) -> None:
    # Uniform play is worth the same, and what can be gained against it.
    exported, own = openspiel.export(ours), pyspiel.load_game(ours.replace("-", "_"))
    gains = [pyspiel.nash_conv(game, pyspiel.UniformRandomPolicy(game)) for game in (exported, own)]
    assert gains[0] == pytest.approx(gains[1], abs=1e-9)
    uniform = kb.Strategy(game=ours, mixes={})
    assert kb.exploitability(ours, uniform).nash_conv == pytest.approx(gains[0], abs=1e-9)


def test_rewards_on_the_way_and_what_never_ends() -> None:
    game = openspiel.export(Count(), longest=4)
    pyspiel.random_sim_test(game, num_sims=2, serialize=False, verbose=False)
    state = game.new_initial_state()
    for _ in range(3):
        state.apply_action(state.legal_actions()[0])
    assert state.returns() == [2.0, 1.0]
    assert state.rewards() == [1.0, 0.0]
    short = openspiel.export("mastermind", longest=3)
    state = short.new_initial_state()
    while not state.is_terminal():
        state.apply_action(state.legal_actions()[0])
    assert state.move_number() <= 3


def test_information_states_tell_no_more_than_views() -> None:
    game = openspiel.export("kuhn-poker")
    found = {}
    for first in range(3):
        for second in range(2):
            state = game.new_initial_state()
            state.apply_action(first)
            state.apply_action(second)
            found.setdefault(state.information_state_string(0), set()).add(first)
    assert len(found) == 3
    assert all(len(cards) == 1 for cards in found.values())


@pytest.mark.parametrize(
    ("spec", "why"),
    [
        ("tiger", "discounts what is paid"),
        ("real-time-chicken.kif", "is played in real time"),
        ("mastermind", "may last for ever"),
    ],
)
def test_what_cannot_be_exported_is_refused(spec: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        openspiel.export(spec)


@pytest.mark.slow
@pytest.mark.parametrize("spec", SEVERAL)
def test_openspiels_api_test(spec: str) -> None:
    from open_spiel.integration_tests import api_test

    game = openspiel.export(spec)
    names = {"game": game, "game_name": game.get_type().short_name}
    case = type("Case", (api_test.EnforceAPIOnPartialTreeBase,), names)
    result = unittest.TestResult()
    unittest.defaultTestLoader.loadTestsFromTestCase(case).run(result)
    assert result.testsRun >= 5
    assert not result.failures + result.errors


@pytest.mark.parametrize(("game", "method"), [("openspiel:kuhn_poker", "cfr"), ("kuhn-poker", "cfr+")])
def test_openspiels_cfr_can_hardly_be_exploited(game: str, method: str) -> None:
    planner = f"openspiel-cfr(iterations=100, method={method})"
    assert kb.exploitability(game, planner, samples=150).mean < 0.15
    assert kb.exploitability(game, "random", samples=150).mean > 0.3


def test_openspiels_is_mcts_plays() -> None:
    result = kb.match("openspiel:leduc_poker", ["openspiel-ismcts(simulations=100)", "random"], games=60)
    assert result.standings[0].wins > result.standings[1].wins
    game = kb.load("openspiel:kuhn_poker")
    decision = kb.advise(game, kb.Referee(game, seed=1).view(0), "openspiel-ismcts(simulations=100)")
    assert 95 <= sum(row.visits for row in decision.table) <= 105


@pytest.mark.parametrize(
    ("game", "planner", "why"),
    [
        ("tic-tac-toe", "openspiel-ismcts", "plays OpenSpiel's games"),
        ("openspiel:tic_tac_toe", "openspiel-ismcts", "something hidden"),
        ("openspiel:phantom_ttt", "openspiel-ismcts", "OpenSpiel draws none"),
        ("rock-paper-scissors", "openspiel-cfr", "take turns"),
        ("tic-tac-toe", "openspiel-cfr", "more than 50,000 histories"),
        ("kuhn-poker", "openspiel-cfr(method=mccfr)", r"method is one of cfr, cfr\+"),
        ("kuhn-poker", "openspiel-ismcts(simulations=0)", "a whole number from 1 on"),
    ],
)
def test_bots_refuse_what_they_cannot_play(game: str, planner: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        kb.play(game, planner)


def test_what_is_listed_is_not_refused_by_its_kind() -> None:
    openspiel.export("kuhn-poker")
    names = {entry.name.partition(":")[2] for entry in openspiel.entries()}
    assert {"kuhn_poker", "tic_tac_toe"} <= names
    assert not {"morpion_solitaire", "kibitz_kuhn_poker"} & names
