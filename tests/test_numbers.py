"""The numbers of a Python game's actions and observations: by value, and a table for each seat."""

from __future__ import annotations

import enum
import subprocess
import sys
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any, ClassVar

import pytest

import kibitz as kb

NUMBERS = 60
COLLIDING = ("a28702", "a94044")
"""Two texts with one hash."""


class Box:
    """Equal to none but itself, and says nothing of itself."""

    def __init__(self, number: int) -> None:
        self.number = number


class Alike(Box):
    """So do all of them, in the same words."""

    def __repr__(self) -> str:
        return "a box"


class Unseen(kb.Rules[tuple[Any, Any]]):
    """Chance hides something that nobody is told; guess it."""

    min_return, max_return, horizon = 0.0, 1.0, 2

    def __init__(self, kind: str) -> None:
        make: Any = {
            "whole": int,
            "text": "box {}".format,
            "pair": lambda number: (number, "x"),
            "object": Box,
            "part": lambda number: Fraction(number, 7),
            "alike": Alike,
        }[kind]
        self.values: list[Any] = [make(number) for number in range(NUMBERS)]

    def initial(self) -> tuple[Any, Any]:
        return None, None

    def turn(self, state: tuple[Any, Any]) -> int:
        return kb.CHANCE if state[0] is None else kb.OVER if state[1] is not None else 0

    def draw(self, state: tuple[Any, Any], rng: Any) -> Any:
        return rng.choice(self.values)

    def legal(self, state: tuple[Any, Any], player: int) -> Any:
        return self.values

    def step(self, state: tuple[Any, Any], joint: tuple[Any, ...]) -> Any:
        if state[0] is None:
            return (joint[0], None), None
        return (state[0], joint[0]), float(joint[0] == state[0])

    def observe(self, after: Any, joint: Any, player: int) -> Any:
        return None


class Listed(Unseen):
    """The same with outcomes whose order depends on what was hidden before."""

    horizon = 3

    def turn(self, state: tuple[Any, Any]) -> int:
        return kb.CHANCE if len(state) < 3 or state[2] is None else super().turn(state[:2])

    def initial(self) -> Any:
        return None, None, None

    def draw(self, state: Any, rng: Any) -> Any:
        return rng.choice(self.values if state[0] is None else [state[0], *self.values])

    def step(self, state: Any, joint: tuple[Any, ...]) -> Any:
        if state[0] is None:
            return (joint[0], None, None), None
        if state[2] is None:
            return (state[0], None, joint[0]), None
        return (state[0], joint[0], state[2]), float(joint[0] == state[0])


class Peeking(kb.PlannerBase):
    """Looks for what the true episode has come to in all that it is given."""

    def act(self, view: kb.View) -> kb.Decision:
        """The one legal action that stands out, if there is one."""
        for game in (self.game, view.game):
            known = []
            for number in view.legal():
                try:
                    game.action_value(number)
                except ValueError:
                    continue
                known.append(number)
            if 0 < len(known) < len(view.legal()):
                return kb.Decision(view, known[0])
        return kb.Decision(view, view.legal()[0])


class Lowest(kb.PlannerBase):
    def act(self, view: kb.View) -> kb.Decision:
        return kb.Decision(view, min(number for number in view.legal()))


@pytest.mark.parametrize("kind", ["whole", "text", "pair", "object", "part"])
@pytest.mark.parametrize("rules", [Unseen, Listed])
def test_numbers_and_their_order_tell_nothing_of_what_chance_drew(rules: type[Unseen], kind: str) -> None:
    players = (Lowest, Peeking, lambda: "random", lambda: "pomcp(simulations=20)")
    for make in players:
        won = sum(kb.play(rules(kind), make(), seed=3, episode=n).returns[0] for n in range(80))
        assert won <= 8, make  # by guessing 1.3; nine or more come in 1 of 20,000 runs


def test_values_that_only_their_order_could_tell_apart_are_refused() -> None:
    with pytest.raises(kb.GameFault, match=r"Unseen\.(draw|legal) returned .*a box, which reads like"):
        kb.play(Unseen("alike"), "random")
    twins = [object(), object()]
    with pytest.raises(kb.GameFault, match=r"Choose\.legal returned the action <object .* reads like"):
        kb.play(Choose(twins), "random")
    assert kb.play(Choose(twins[:1]), "random").returns == [1.0]


def test_numbers_that_are_equal_are_one_action() -> None:
    for one, other in (
        (Fraction(1, 2), 0.5),
        (Decimal(3), 3),
        (Fraction(4), 4),
        ((Decimal(3), "x"), (3, "x")),
    ):
        for first, second in ((one, other), (other, one)):
            kept = kb.load(Choose([first]))
            assert kept.initial().legal(0) == kb.load(Choose([second])).initial().legal(0)
            with pytest.raises(kb.GameFault, match="legal returned an action twice"):
                kb.load(Choose([first, second])).initial().legal(0)


def test_objects_that_lead_round_in_a_circle_have_numbers() -> None:
    one, other = Box(1), Box(2)
    one.next, other.next = other, one  # type: ignore[attr-defined]
    assert len(kb.load(Choose([one, other])).initial().legal(0)) == 2


def test_two_hashes_with_one_number_do_not_tell_which_was_met_first() -> None:
    class Twice(Unseen):
        """The hidden value is one of two with one hash."""

        def __init__(self) -> None:
            self.values = list(COLLIDING)

    views = [kb.Referee(kb.load(Twice()), seed).view(0) for seed in range(20)]
    assert len({str((view.legal(), view.names())) for view in views}) == 1


def test_views_are_the_same_whatever_the_game_has_played() -> None:
    used = kb.load(Unseen("text"))
    for seed in range(20):
        kb.play(used, "random", seed=seed)
    for seed in range(5):
        fresh = kb.Referee(kb.load(Unseen("text")), seed).view(0)
        old = kb.Referee(used, seed).view(0)
        assert (fresh.legal(), fresh.names(), fresh.key) == (old.legal(), old.names(), old.key)
        assert (
            kb.play(used, "random", seed=seed).returns
            == kb.play(Unseen("text"), "random", seed=seed).returns
        )


def test_moves_are_listed_as_people_look_for_them() -> None:
    view = kb.Referee(kb.load(Unseen("text"))).view(0)
    assert view.names() == [f"box {number}" for number in range(NUMBERS)]


class Colour(enum.Enum):
    RED = 1
    BLUE = 2


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


@dataclass(frozen=True)
class Move:
    row: int
    what: frozenset[str]


class Choose(kb.Rules[Any]):
    """One decision among values of many kinds."""

    def __init__(self, values: list[Any]) -> None:
        self.values = values

    def initial(self) -> Any:
        return ()

    def turn(self, state: Any) -> int:
        return kb.OVER if state else 0

    def legal(self, state: Any, player: int) -> Any:
        return self.values

    def step(self, state: Any, joint: tuple[Any, ...]) -> Any:
        return joint, float(joint[0] is self.values[-1])


KINDS: list[Any] = [
    7, -3, True, 2.5, 2**70, "text", b"bytes", None, (1, "a"), frozenset(["p", "q"]),
    Colour.RED, Level.HIGH, Move(3, frozenset(["x", "y", "z"])), range(3),
]  # fmt: skip


def test_values_of_all_kinds_come_back_as_they_were() -> None:
    game = kb.load(Choose(KINDS))
    state = game.initial()
    got = [game.action_value(action) for action in state.legal(0)]
    assert sorted(map(repr, got)) == sorted(map(repr, KINDS))
    assert all(any(value is kind for kind in KINDS) or value == 7 for value in got)


def test_numbers_are_the_same_in_every_process() -> None:
    code = "import test_numbers as t, kibitz as kb; print(kb.load(t.Choose(t.KINDS)).initial().legal(0))"
    runs = [
        subprocess.run(
            [sys.executable, "-c", code], env={"PYTHONPATH": path, "PYTHONHASHSEED": str(salt)},
            capture_output=True, text=True, check=True,
        ).stdout
        for salt in (1, 2)
        for path in [":".join([*sys.path, __file__.rpartition("/")[0]])]
    ]  # fmt: skip
    assert runs[0] == runs[1] == f"{kb.load(Choose(KINDS)).initial().legal(0)}\n"


def test_two_values_with_one_hash_are_two_actions() -> None:
    one, other = COLLIDING
    first = kb.load(Choose([one])).initial().legal(0)
    assert first == kb.load(Choose([other])).initial().legal(0), "these two no longer collide"
    game = kb.load(Choose([one, other]))
    view = kb.Referee(game).view(0)
    assert view.names() == [one, other]
    for planner in ("uct(simulations=50)", "expectimax"):
        assert kb.play(Choose([one, other]), planner).returns == [1.0]
    assert kb.advise(game, view, "expectimax").best == other


def test_a_number_that_could_mean_two_actions_is_refused() -> None:
    class Late(Choose):
        """The referee comes to the second text before the seat does."""

        horizon, perfect_information = 2, False

        def turn(self, state: Any) -> int:
            return (kb.CHANCE, 0, kb.OVER)[len(state)]

        def chance(self, state: Any) -> Any:
            return [(COLLIDING[1], 1.0)]

        def step(self, state: Any, joint: tuple[Any, ...]) -> Any:
            return (*state, joint[0]), 0.0

        def observe(self, after: Any, joint: Any, player: int) -> Any:
            return None

    values = [COLLIDING[0], "z"]
    referee = kb.Referee(kb.load(Late(values)))
    view = referee.view(0)
    number = view.find_action(COLLIDING[0])
    assert kb.Decision(view, number).name == COLLIDING[0]
    with pytest.raises(ValueError, match=r"two actions of Late, 'a\d+' and 'a\d+', have one number"):
        referee.apply([number])
    referee.apply([kb.Decision(view, number).action])
    assert referee.over


def test_the_referee_of_a_given_history() -> None:
    game = kb.load("kuhn-poker")
    state = game.initial()
    joints = []
    for name in ("J", "K", "bet"):
        action = state.find_action(state.movers[0] if state.movers else None, name)
        joints.append([action])
        state, _ = state.step([action])
    referee = kb.Referee.after(game, joints)
    assert referee.state.text() == state.text()
    assert referee.movers == [1]
    assert [words for _, _, words in referee.view(1).events][-1] == "player 1 bet"
    with pytest.raises(ValueError, match="is not a legal action"):
        kb.Referee.after(game, [[99]])


def test_solutions_and_strategies_name_the_actions_that_they_are_of() -> None:
    """Whatever the order of hashes is."""

    class Poor(kb.Rules[str]):
        """The first of five words is worth most, the others less and less."""

        players, zero_sum, horizon, min_return, max_return = 2, True, 2, -9.0, 9.0
        words: ClassVar[list[str]] = ["pear", "apple", "fig", "quince", "plum"]

        def initial(self) -> str:
            return ""

        def turn(self, state: str) -> int:
            return {"": 0, "over": kb.OVER}.get(state, 1)

        def legal(self, state: str, player: int) -> list[str]:
            return self.words if player == 0 else ["yes", "no"]

        def step(self, state: str, joint: tuple[str, ...]) -> Any:
            if state == "":
                return joint[0], None
            worth = 5.0 - self.words.index(state) + (joint[0] == "no")
            return "over", (worth, -worth)

        def observe(self, after: str, joint: Any, player: int) -> Any:
            return None

    game = kb.load(Poor())
    solution = kb.solve(game)
    assert solution.table == [(word, pytest.approx(5 - place)) for place, word in enumerate(Poor.words)]
    assert solution.action == "pear"
    found = kb.equilibrium(game, iterations=200)
    mix = next(mix for (player, _), mix in found.strategy.mixes.items() if player == 0)
    assert mix["pear"] > 0.9
    assert kb.exploitability(game, found.strategy).values[0] == pytest.approx(5, abs=0.2)
