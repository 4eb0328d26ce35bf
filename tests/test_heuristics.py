"""Action heuristics: what rules and games offer, and the parts of a search that go by them.

The regression itself is held against a step of the rules in `crates/kibitz-lang/src/gdl/regress/tests.rs`.
"""

from __future__ import annotations

from collections.abc import Sequence

import pytest

import kibitz as kb
from kibitz.cli import main
from kibitz.lab import costs
from kibitz.lab.reproductions import load
from kibitz.lang import survey

PLANNERS = [
    "uct(simulations=200, playout=heuristic)",
    "uct(simulations=200, playout=random, selection=heuristic)",
    "uct(simulations=200, playout=heuristic(0.02), selection=heuristic(k=5))",
    "uct(simulations=200, playout=epsilon(0.4, playout=heuristic))",
]


def after(game: kb.Game, *moves: str) -> kb.Referee:
    """A game in which these moves were made."""
    referee = kb.Referee(game)
    for move in moves:
        [mover] = referee.movers
        names = {referee.state.action_name(mover, action): action for action in referee.state.legal(mover)}
        referee.apply([names[move]])
    return referee


def test_a_win_in_one_step_is_certain() -> None:
    game = kb.load("tic-tac-toe.kif")
    referee = after(game, "(mark 1 1)", "(mark 1 2)", "(mark 2 2)", "(mark 1 3)")
    names = [referee.state.action_name(0, action) for action in referee.state.legal(0)]
    values = referee.state.action_values(0)
    assert values is not None
    worth = dict(zip(names, values, strict=True))
    assert max(worth, key=lambda name: worth[name]) == "(mark 3 3)"
    assert worth.pop("(mark 3 3)") > 0.9 > 5 * max(worth.values())


@pytest.mark.parametrize("planner", PLANNERS)
def test_searches_go_by_it(planner: str) -> None:
    game = kb.load("connect-four.kif(rows=4, columns=5)")
    referee = after(game, "(drop 1)", "(drop 2)", "(drop 1)", "(drop 2)", "(drop 1)", "(drop 2)")
    decision = kb.advise(game, referee.view(0), planner, seed=4)
    assert decision.name == "(drop 1)"
    assert len(decision.heuristic) == len(decision.table)
    assert decision.heuristic[0] == max(decision.heuristic) > 0.9
    assert "heuristic" in decision.table_text().splitlines()[0]
    again = kb.advise(game, referee.view(0), planner, seed=4)
    assert [(row.name, row.visits) for row in again.table] == [
        (row.name, row.visits) for row in decision.table
    ]


def test_who_has_an_evaluator_needs_no_rules() -> None:
    game = kb.load("klondike")
    assert game.info.capabilities["evaluator"]
    view = kb.Referee(game, seed=1).view(0)
    assert kb.advise(game, view, "uct(simulations=20, playout=heuristic, depth=10)").simulations == 20


class Sum(kb.Rules[int]):
    """Whoever reaches 5 wins; the heuristic says to take steps of two."""

    players = 2
    min_return, max_return = -1.0, 1.0
    zero_sum = True
    wrong = False

    def initial(self) -> int:
        return 0

    def turn(self, state: int) -> object:
        return kb.OVER if state % 100 >= 5 else state // 100

    def legal(self, state: int, player: int) -> list[int]:
        return [1, 2]

    def step(self, state: int, joint: Sequence[int]) -> tuple[int, list[float]]:
        player, total = divmod(state, 100)
        total += joint[0]
        won = float(total >= 5)
        return 100 * (1 - player) + total, [won, -won] if player == 0 else [-won, won]

    def action_values(self, state: int, player: int, actions: Sequence[int]) -> list[float]:
        return [action / (1 if self.wrong else 2) for action in actions]


def test_a_game_in_python_has_its_own() -> None:
    game = kb.load(Sum())
    assert game.info.capabilities["action heuristic"]
    assert game.initial().action_values(0) == [0.5, 1.0]
    decision = kb.advise(game, kb.Referee(game).view(0), "uct(simulations=50, playout=heuristic)")
    assert sorted(decision.heuristic) == [0.5, 1.0]


def test_nonsense_is_named() -> None:
    class Wrong(Sum):
        wrong = True

    game = kb.load(Wrong())
    with pytest.raises(kb.GameFault, match=r"action_values returned .*from 0 to 1, one for each of the 2"):
        game.initial().action_values(0)


def test_who_has_none_is_refused() -> None:
    game = kb.load("tic-tac-toe")
    for planner in ("uct(playout=heuristic)", "uct(selection=heuristic)"):
        with pytest.raises(
            ValueError, match=r"needs an action heuristic \(or an evaluator\), which this game lacks"
        ):
            kb.advise(game, kb.Referee(game).view(0), planner)


@pytest.mark.parametrize("limit", ["heuristic_steps", "heuristic_products"])
def test_a_goal_that_is_too_large_is_told_and_the_search_goes_on(limit: str) -> None:
    game = kb.load(f"tic-tac-toe.kif(limit.{limit}=20)")
    assert all(not found and f"limit.{limit}" in why for found, why in game.heuristics)
    assert game.initial().action_values(0) is None
    for planner in PLANNERS[:3]:
        decision = kb.advise(game, kb.Referee(game).view(0), planner)
        assert decision.simulations == 200
        assert not decision.heuristic
    assert game.flaw is not None
    assert "has no action heuristic, since " in game.flaw
    assert "go on without" in game.flaw


def test_info_shows_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["info", "tic-tac-toe.kif", "--heuristic"]) == 0
    shown = capsys.readouterr().out
    assert "goal 100: 92 products of 9 facts" in shown
    assert "(mark 2 2) 0.0037" in shown


def test_the_survey_counts_it() -> None:
    found = survey.survey("tic-tac-toe.kif", games=1, heuristics=True)
    assert found.heuristic
    assert "1 of 1 networks get an action heuristic (100.0%)" in survey.summary([found])


@pytest.mark.parametrize("number", [1, 2, 3])
def test_the_tables_are_there(number: int) -> None:
    reproduction = load(f"heuristics-table-{number}")
    assert len(reproduction.targets) == (70 if number == 3 else 84)


def test_costs_are_relative() -> None:
    once, twice = (f"uct(simulations=100, playouts={playouts}, playout=heuristic)" for playouts in (1, 4))
    slower = costs.relative_simulations("tic-tac-toe.kif", twice, once, scale=0.3)
    assert slower.figure.value < 0.9
    share = costs.share_of_time("tic-tac-toe.kif", twice, once, scale=0.3)
    assert 0.1 < share.figure.value < 1


@pytest.mark.parametrize(
    ("name", "shown"), [("pentago", "pentago.kif"), ("tiger", "tiger"), ("nogo", "nogo")]
)
def test_info_knows_the_games(name: str, shown: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Rules that come with kibitz may be named as elsewhere, and games that are no rules file as well."""
    assert main(["info", name]) == 0
    out = capsys.readouterr().out
    assert out.splitlines()[0] == shown
    assert ("machine" in out) == shown.endswith(".kif")
