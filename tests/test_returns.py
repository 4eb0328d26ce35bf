"""What a game pays is what it declares: else the step is named, wherever the game comes from."""

import math
from pathlib import Path
from typing import Any

import pytest

import kibitz as kb
from kibitz.lab import Experiment, run


class Pays(kb.Rules[int]):
    """One step after the other, each with its rewards."""

    def __init__(self, rewards: list[Any], **declared: Any) -> None:
        self.rewards = rewards
        self.__dict__.update(declared)

    def initial(self) -> int:
        return 0

    def turn(self, state: int) -> int:
        return kb.OVER if state == len(self.rewards) else state % self.players

    def legal(self, state: int, player: int) -> list[str]:
        return ["on"]

    def step(self, state: int, joint: Any) -> tuple[int, Any]:
        return state + 1, self.rewards[state]


BAD = {
    "nan": (Pays([0, math.nan]), r"Pays\.step's rewards: it returned nan.*for \('on',\) in the state 1"),
    "infinite": (Pays([0, math.inf]), r"it returned inf; .* in the state 1"),
    "one of two": (Pays([(0, math.nan)], players=2), r"\(0, nan\); it should be 2 finite numbers"),
    "sum": (Pays([1e308, 1e308, -1e308, -1e308]), r"step 2 .*player 1: on.* player 0 is inf"),
    "high": (Pays([0, 0, 1.5]), r"step 3 .* player 0 is 1.5, but the game declares -1 to 1"),
    "low": (Pays([-1, -1]), r"step 2 .* player 0 is -2, but the game declares -1 to 1"),
    "second": (Pays([(0, 7)], players=2), r"step 1 .* player 1 is 7, but the game declares -1 to 1"),
    "discounted": (Pays([1, 1], discount=0.5), r"step 2 .* player 0 is 1.5, but"),
    "not balanced": (Pays([(1, 0)], players=2, zero_sum=True), r"step 1 .* add up to 1, but .* zero-sum"),
}


@pytest.mark.parametrize("planner", ["random", "uct(simulations=5)"])
@pytest.mark.parametrize("case", BAD)
def test_a_game_in_python_names_the_step(case: str, planner: str) -> None:
    game, words = BAD[case]
    with pytest.raises(kb.GameFault, match=words) as raised:
        kb.play(game, planner)
    simulated = f"in a simulation of {planner}" in str(raised.value)
    assert simulated or "of the episode" in str(raised.value)


@pytest.mark.parametrize(
    "game",
    [
        Pays([-3, 3]),  # costs may come first
        Pays([1, 0.5], discount=0.5, max_return=1.25),
        Pays([0.1] * 10),  # which add up to a little less than 1
        Pays([(2, -1), (-1, 0)], players=2, zero_sum=True),
    ],
)
def test_what_is_paid_on_the_way_is_not_the_return(game: Pays) -> None:
    assert kb.play(game, "random").over


class ForEver(Pays):
    """A reward at every step, without end."""

    def turn(self, state: int) -> int:
        return 0

    def step(self, state: int, joint: Any) -> tuple[int, Any]:
        return state + 1, self.rewards[0]


def test_a_game_without_end_is_judged_where_the_rest_does_not_count() -> None:
    assert kb.play(ForEver([1], discount=0.9, max_return=10), "random").returns[0] > 9.9
    with pytest.raises(kb.GameFault, match=r"player 0 is 9\.99999, but the game declares -1 to 9"):
        kb.play(ForEver([1], discount=0.9, max_return=9), "random")
    assert kb.play(ForEver([1], discount=0.9), "random", max_steps=3).returns[0] > 2


def test_a_failed_step_has_not_happened() -> None:
    referee = kb.Referee(kb.load(BAD["high"][0]))
    for _ in range(2):
        referee.apply([referee.view(0).legal()[0]])
    with pytest.raises(kb.GameFault):
        referee.apply([referee.view(0).legal()[0]])
    assert (referee.steps, referee.over, referee.returns) == (2, False, [0.0])


def test_solving_finds_no_value_that_is_declared_impossible() -> None:
    with pytest.raises(kb.GameFault, match="the value of player 0 is 5, but the game declares -1 to 1"):
        kb.solve(Pays([5]))


def test_it_is_a_fault_of_the_game_in_an_experiment(tmp_path: Path) -> None:
    experiment = Experiment("bad", games=[BAD["high"][0]], planners=["random"], episodes=1)
    (record,) = run(experiment, tmp_path).records()
    assert record.fault is not None
    assert record.fault.seat is None
    assert "step 3" in record.fault.what


RULES = """
(role you) (init (at 0)) (legal you on)
(<= (next (at 1)) (true (at 0))) (<= (next (at 2)) (true (at 1)))
(<= terminal (true (at 2)))
(worth {score}) (<= (goal you ?score) (worth ?score))
"""


@pytest.mark.parametrize("machine", ["", "(limit.seconds=0)"], ids=["network", "reasoner"])
@pytest.mark.parametrize("score", ["150", "-5", "nan", "inf", "-inf", "1e3", "abc", "(f 3)"])
def test_scores_of_rules_are_not_bent(score: str, machine: str, tmp_path: Path) -> None:
    file = tmp_path / "bad.kif"
    file.write_text(RULES.format(score=score))
    game = kb.load(f"{file}{machine}")
    with pytest.raises(kb.GameFault, match=r"you has a score.* that is no number from 0 to 100 .*step 2"):
        kb.play(game, "random")
    for planner in ("flat-mc(simulations=1000)", "uct(simulations=3)", "expectimax(depth=5)"):
        with pytest.raises(kb.GameFault, match="that is no number from 0 to 100"):
            kb.play(game, planner)


@pytest.mark.parametrize("score", ["0", "100", "50.5"])
def test_scores_of_rules_that_are_some(score: str, tmp_path: Path) -> None:
    (tmp_path / "good.kif").write_text(RULES.format(score=score))
    for machine in ("", "(limit.seconds=0)"):
        game = kb.load(f"{tmp_path / 'good.kif'}{machine}")
        assert kb.play(game, "flat-mc(simulations=300)").returns == [float(score)]


def test_returns_beyond_what_is_declared_are_found_where_strategies_are_looked_for() -> None:
    class Lavish(kb.Rules[int]):
        """Pays 2.25 somewhere, which no best strategy may come to."""

        min_return, max_return, horizon, perfect_information = 0.0, 1.0, 1, False

        def initial(self) -> int:
            return 0

        def turn(self, state: int) -> int:
            return kb.OVER if state else 0

        def legal(self, state: int, player: int) -> list[str]:
            return ["plain", "lavish"]

        def step(self, state: int, joint: tuple[str, ...]) -> tuple[int, float]:
            return 1, 2.25 if joint[0] == "lavish" else 0.5

    with pytest.raises(kb.GameFault, match=r"return of player 0 is 2\.25, but the game declares 0 to 1"):
        kb.equilibrium(Lavish(), iterations=5)
