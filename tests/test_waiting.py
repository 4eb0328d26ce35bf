"""Games in Python in which players may choose at any instant, and planners in Python that wait."""

from __future__ import annotations

import math
from typing import Any

import pytest

import kibitz as kb

QUIET, RUNG, DONE = range(3)


class Bell(kb.Rules[tuple[int, int]]):
    """A bell rings after five ticks. Whoever presses first then has won; who presses before has lost."""

    players, zero_sum, simultaneous = 2, True, True

    def initial(self) -> tuple[int, int]:
        return QUIET, 5

    def turn(self, state: tuple[int, int]) -> int | tuple[int, ...]:
        return kb.OVER if state[0] == DONE else (0, 1)

    def legal(self, state: tuple[int, int], player: int) -> list[str]:
        return ["press"]

    def step(self, state: tuple[int, int], joint: tuple[Any, ...]) -> tuple[tuple[int, int], list[float]]:
        pressed = [action is not None for action in joint]
        if not any(pressed):
            return (RUNG, 0), [0.0, 0.0]
        wins = 1.0 if state[0] == RUNG else -1.0
        return (DONE, 0), [0.0, 0.0] if all(pressed) else [wins, -wins] if pressed[0] else [-wins, wins]

    def timing(self, state: tuple[int, int]) -> float | None:
        return state[1] if state[0] == QUIET else math.inf

    def pass_time(self, state: tuple[int, int], ticks: int) -> tuple[int, int]:
        return state[0], state[1] - ticks


class Patient(kb.PlannerBase):
    """Presses after so many ticks, or when it is told something."""

    def __init__(self, ticks: int | None = None) -> None:
        self.ticks = ticks
        self.asked = 0

    def act(self, view: kb.View) -> kb.Decision:
        self.asked += 1
        seen = [event for event in view.events if event[0] == "observed"]
        if seen or self.asked > 1:
            return kb.Decision(view, view.legal()[0])
        return kb.Decision(view, kb.WAIT, ticks=self.ticks, notes=["not yet"])


@pytest.mark.parametrize(
    ("ticks", "returns", "elapsed"),
    [
        ((None, 9), [0.0, 0.0], [5, 0]),  # both are told of the bell
        ((None, 2), [1.0, -1.0], [2]),  # too early
        ((4, None), [-1.0, 1.0], [4]),
    ],
)
def test_who_waits_is_asked_again(ticks: tuple[Any, Any], returns: list[float], elapsed: list[int]) -> None:
    episode = kb.play(Bell(), [Patient(each) for each in ticks])
    assert episode.returns == returns
    assert [step.elapsed for step in episode.steps] == elapsed


def test_a_step_says_who_waited() -> None:
    first, second = kb.play(Bell(), [Patient(), Patient()]).steps
    assert first.joint == (kb.WAIT, kb.WAIT)
    assert first.names == ("wait", "wait")
    assert second.names == ("press", "press")
    assert [decision.ticks for decision in first.decisions] == [2**64 - 1] * 2
    assert [decision.best for decision in first.decisions] == ["wait", "wait"]


def test_in_a_game_of_turns_nobody_waits() -> None:
    with pytest.raises(ValueError, match="a game of turns, in which nobody can wait"):
        kb.play("tic-tac-toe", [Patient(), "random"])


def test_ticks_go_with_waiting() -> None:
    view = kb.Referee(kb.load(Bell())).view(0)
    with pytest.raises(TypeError, match="goes with WAIT"):
        kb.Decision(view, view.legal()[0], ticks=3)
    with pytest.raises(TypeError, match="a whole number from 1 on"):
        kb.Decision(view, kb.WAIT, ticks=0)


def test_everybody_waiting_for_ever_is_said() -> None:
    class Silent(kb.PlannerBase):
        def act(self, view: kb.View) -> kb.Decision:
            return kb.Decision(view, kb.WAIT)

    with pytest.raises(ValueError, match="everybody waits at tick 5"):
        kb.play(Bell(), [Silent(), Silent()])


def test_time_that_is_none_is_a_fault() -> None:
    class Odd(Bell):
        def timing(self, state: tuple[int, int]) -> Any:
            return "soon"

    with pytest.raises(kb.GameFault, match="timing returned 'soon'; expected a whole number of ticks"):
        kb.play(Odd(), [Patient(), Patient()])
