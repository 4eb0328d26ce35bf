"""OpenSpiel's search as a planner."""

from __future__ import annotations

import pytest

import kibitz as kb
from tables import cases


@pytest.fixture
def spiel() -> None:
    pytest.importorskip("pyspiel", reason="open_spiel is not installed (the extra 'bench' has it)")


@pytest.mark.usefixtures("spiel")
@pytest.mark.parametrize("game", ["connect-four", "tic-tac-toe", "openspiel:connect_four", "openspiel:pig"])
def test_openspiels_search_keeps_the_contract(game: str) -> None:
    from kibitz.testing import check_planner

    report = check_planner("openspiel-mcts(simulations=40)", game, positions=4, max_steps=30)
    assert report.passed, str(report)


@pytest.mark.usefixtures("spiel")
def test_openspiels_search_sees_the_same_position() -> None:
    # Red threatens to connect four in the first column: whoever sees the position blocks it.
    game = kb.load("connect-four")
    referee = kb.Referee(game)
    for column in (0, 6, 0, 6, 0):
        referee.apply([column])
    for planner in "openspiel-mcts(simulations=2000)", "uct(simulations=2000)":
        chooser = kb.planner(planner)
        chooser.start(game, 1, 3)
        decision = chooser.act(referee.view(1))
        assert decision.name == "1"
        assert 1990 <= sum(row.visits for row in decision.table) <= 2000


@pytest.mark.usefixtures("spiel")
@cases(
    "game planner sentence",
    """
    kuhn-poker | openspiel-mcts | plays connect-four, tic-tac-toe and OpenSpiel's games
    openspiel:kuhn_poker | openspiel-mcts | perfect information
    openspiel:goofspiel | openspiel-mcts | take turns
    tic-tac-toe | openspiel-mcts(simulations=1) | simulations is a number from 2
    tic-tac-toe | openspiel-mcts(simulations=2.5) | simulations should be a whole number
    tic-tac-toe | openspiel-mcts(exploration=far) | exploration should be a number
    tic-tac-toe | openspiel-mcts(solve=1) | solve should be true or false, not 1
    tic-tac-toe | openspiel-mcts(rolouts=2) | did you mean rollouts
    """,
)
def test_openspiels_search_says_what_it_needs(game: str, planner: str, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        kb.play(game, planner)
