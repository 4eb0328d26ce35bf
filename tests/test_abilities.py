"""What a Python game offers beyond its rules reaches planners as what a native game offers does."""

from __future__ import annotations

from typing import Any

import pytest

import kibitz as kb


class Race(kb.Rules[int]):
    """From 0 to 6 by steps of one or two; one more than 6 pays nothing. The best is 6 of 6."""

    min_return, max_return, horizon, paid_at_end = 0.0, 1.0, 8, True
    atom_count = 9

    def initial(self) -> int:
        return 0

    def turn(self, state: int) -> int:
        return kb.OVER if state >= 6 else 0

    def legal(self, state: int, player: int) -> list[str]:
        return ["one", "two"]

    def step(self, state: int, joint: tuple[Any, ...]) -> tuple[int, float]:
        after = state + (1 if joint[0] == "one" else 2)
        return after, float(after == 6)

    def key(self, state: int) -> int:
        return state


class Able(Race):
    def judge(self, state: int, effort: int, rng: Any) -> float:
        return float(state <= 6)

    def prove(self, state: int, states: int) -> tuple[float, list[str]]:
        return 1.0, ["one"] * (6 - state)

    def atoms(self, state: int) -> list[int]:
        return [state]

    def facts(self, state: int) -> list[str]:
        return [f"at {state}"]

    def action_key(self, state: int, player: int, action: str) -> str:
        return action

    def play_out_many(self, state: int, count: int, depth: int, rng: Any) -> float:
        return 0.25 * count


def advise(rules: Any, planner: str) -> Any:
    return kb.advise(rules, kb.Referee(kb.load(rules)).view(0), planner)


def offers(rules: Any) -> set[str]:
    return {name for name, there in kb.load(rules).info.capabilities.items() if there}


def test_to_be_there_is_to_be_declared() -> None:
    always = {"explicit chance", "state hash"}
    assert offers(Race()) == always
    own = {"solver", "proofs", "atoms", "facts", "action keys", "playouts in batches"}
    assert offers(Able()) == always | own


def test_a_python_game_can_offer_all_that_a_native_one_can() -> None:
    methods = {name for name, there in vars(kb.Rules).items() if callable(there) and name[0] != "_"}
    missing = methods - {"draw", *vars(Able), *vars(Race)}  # who lists outcomes need not draw them
    others = dict.fromkeys(missing, lambda *_: None)
    everything = type("Everything", (Able,), {"symmetries": 1, "feature_weights": {"all": 1.0}, **others})
    assert offers(everything()) == set(kb.load("tic-tac-toe").info.capabilities)


def test_a_solver_in_python_judges_leaves() -> None:
    decision = advise(Able(), "uct(simulations=2, playout=solver(5))")
    assert all(row.value == 1.0 for row in decision.table)
    solution = kb.solve(Able())
    assert solution.value == [1.0]


def test_batches_in_python_are_asked_for_returns() -> None:
    assert kb._core.parts("playouts")
    decision = advise(Able(), "flat-mc(simulations=40)")
    assert [row.value for row in decision.table] == [0.25, 0.25]
    decision = advise(Race(), "flat-mc(simulations=40)")
    assert [row.value for row in decision.table] != [0.25, 0.25]


def test_atoms_in_python_are_what_a_network_learns_from() -> None:
    network = kb.learn.teach(Able(), games=300, seed=1)
    assert network is not None


@pytest.mark.parametrize(
    ("name", "answer", "complaint"),
    [
        ("atoms", lambda self, state: [9], "atoms returned 9, which is not from 0 to atom_count - 1"),
        ("judge", lambda self, state, effort, rng: "much", "judge returned 'much'"),
        ("action_key", lambda self, state, player, action: 1 / 0, "action_key raised"),
        (
            "play_out_many",
            lambda self, state, count, depth, rng: float("nan"),
            "play_out_many returned nan",
        ),
    ],
)
def test_a_wrong_answer_is_the_games_fault(name: str, answer: Any, complaint: str) -> None:
    rules = type("Wrong", (Able,), {name: answer})()
    planner = {
        "atoms": "uct(simulations=20)",
        "judge": "uct(simulations=20, playout=solver(5))",
        "action_key": "uct(simulations=20, playout=mast)",
        "play_out_many": "flat-mc(simulations=20)",
    }[name]
    with pytest.raises(kb.GameFault, match=complaint):
        kb.learn.teach(rules, games=2, seed=1) if name == "atoms" else advise(rules, planner)


def test_counts_are_asked_for() -> None:
    with pytest.raises(ValueError, match="atom_count should be a whole number"):
        kb.load(type("Uncounted", (Able,), {"atom_count": None})())


class Doors(kb.Rules[tuple[int, int]]):
    """A corridor of three places to walk about in, and a door at its end."""

    min_return, max_return, horizon = 0.0, 1.0, 60

    def initial(self) -> tuple[int, int]:
        return 0, 0

    def turn(self, state: tuple[int, int]) -> int:
        return kb.OVER if state[1] else 0

    def legal(self, state: tuple[int, int], player: int) -> list[str]:
        return ["left", "right", "door"]

    def step(self, state: tuple[int, int], joint: tuple[Any, ...]) -> tuple[tuple[int, int], float]:
        place, _ = state
        if joint[0] == "door":
            return (place, 1), float(place == 2)
        return (min(max(place + (1 if joint[0] == "right" else -1), 0), 2), 0), 0.0

    def key(self, state: tuple[int, int]) -> tuple[int, int]:
        return state

    def macro_actions(self) -> kb.Rules[Any]:
        return DoorsOnly()


class DoorsOnly(kb.Rules[tuple[int, int]]):
    """The same, where one goes through the door of a place at once."""

    min_return, max_return, horizon = 0.0, 1.0, 1

    def initial(self) -> tuple[int, int]:
        return 0, 0

    def turn(self, state: tuple[int, int]) -> int:
        return kb.OVER if state[1] else 0

    def legal(self, state: tuple[int, int], player: int) -> list[str]:
        return ["leave at 0", "leave at 1", "leave at 2"]

    def step(self, state: tuple[int, int], joint: tuple[Any, ...]) -> tuple[tuple[int, int], float]:
        place = int(joint[0][-1])
        return (place, 1), float(place == 2)

    def key(self, state: tuple[int, int]) -> tuple[int, int]:
        return state

    def enter(self, state: tuple[int, int]) -> tuple[int, int]:
        return state

    def spell(self, state: tuple[int, int], action: str) -> list[str]:
        way = int(action[-1]) - state[0]
        return ["right" if way > 0 else "left"] * abs(way) + ["door"]


def test_macro_actions_in_python_are_spelled_in_moves() -> None:
    episode = kb.play(Doors(), "uct(simulations=60, macro_actions=irreversible)", seed=1)
    assert [step.names for step in episode.steps] == [("right",), ("right",), ("door",)]
    assert episode.returns == [1.0]


class Biased(Race):
    """Its players believe that two steps are one."""

    def planning_model(self) -> kb.Rules[Any]:
        return Believed()


class Believed(Race):
    def step(self, state: int, joint: tuple[Any, ...]) -> tuple[int, float]:
        return state + 1, float(joint[0] == "two" and state == 0)


def test_what_players_imagine_may_be_another_game() -> None:
    first = kb.play(Biased(), "uct(simulations=50)", seed=1).steps[0]
    assert first.names == ("two",)
    knowing = kb.play(Biased(), "uct(simulations=400, model=true)", seed=1)
    assert knowing.returns == [1.0]


def test_any_planner_can_be_given_another_model() -> None:
    believing = kb.planner("uct(simulations=50)", model=Believed())
    assert kb.play(Race(), [believing], seed=1).steps[0].names == ("two",)
    with pytest.raises(ValueError, match="model=true would have no effect"):
        kb.play(Race(), "uct(model=true)")
    with pytest.raises(ValueError, match="has 2 players, and this game has 1"):
        kb.play(Race(), "uct(model=tic-tac-toe)")
    with pytest.raises(ValueError, match="hides something, unlike this game"):
        kb.play("tic-tac-toe", "pomcp(model=kuhn-poker)")
    with pytest.raises(ValueError, match="unknown game 'tac-tic-toe'; did you mean tic-tac-toe"):
        kb.planner("uct(model=tac-tic-toe)")
    with pytest.raises(ValueError, match="made already"):
        kb.planner(believing, model="tic-tac-toe")
    small = kb.play("breakthrough", "uct(simulations=5, model=breakthrough)", seed=2)
    assert small.returns == kb.play("breakthrough", "uct(simulations=5)", seed=2).returns


def test_a_rules_file_can_be_the_model() -> None:
    planner = kb.planner("uct(simulations=20, model=connect-four.kif)")
    with pytest.raises(ValueError, match="has 2 players, and this game has 1"):
        kb.play(Race(), [planner])
