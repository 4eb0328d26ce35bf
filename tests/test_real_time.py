"""Planning in real time: waiting is a choice, thinking costs time of the game; replays, the terminal."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

import kibitz as kb
from kibitz.cli._live import Beat, Leave, Live, Pace, can_be_live
from kibitz.cli._table import rounds_again
from kibitz.episode import begin, drive
from kibitz.lab import replay
from kibitz.testing import check_game
from typist import Typist

State = tuple[float | None, str]


class Bell(kb.Rules[State]):
    """A bell rings after a second of a hundred ticks. Whoever presses first then has won; who presses
    before has lost."""

    name = "bell-in-time"
    players, zero_sum, simultaneous, tick = 2, True, True, 0.01

    def initial(self) -> State:
        return 100, ""

    def turn(self, state: State) -> int | tuple[int, ...]:
        return kb.OVER if state[1] == "over" else (0, 1)

    def legal(self, state: State, player: int) -> list[str]:
        return ["press"]

    def step(self, state: State, joint: tuple[Any, ...]) -> tuple[State, list[float]]:
        pressed = [action is not None for action in joint]
        if not any(pressed):
            return (None, "rung"), [0.0, 0.0]
        wins = 1.0 if state[1] == "rung" else -1.0
        paid = [0.0, 0.0] if all(pressed) else [wins, -wins] if pressed[0] else [-wins, wins]
        return (None, "over"), paid

    def timing(self, state: State) -> float | None:
        return math.inf if state[0] is None else state[0]

    def pass_time(self, state: State, ticks: int) -> State:
        return None if state[0] is None else state[0] - ticks, state[1]


QUICK = "uct(simulations=200, quantum=0.5)"
SLOW = "uct(simulations=200, quantum=0.5, thinks=0.05)"


@pytest.mark.parametrize(
    ("planners", "last", "returns"),
    [
        ((QUICK, QUICK), 0, [0.0, 0.0]),
        ((SLOW, QUICK), 0, [-1.0, 1.0]),
        ((SLOW, "uct(simulations=200, quantum=0.5, thinks=simulations/2000)"), 5, [1.0, -1.0]),
        (("omniscient(planner=uct(simulations=200), quantum=0.5)", SLOW), 0, [1.0, -1.0]),
    ],
)
def test_who_thinks_for_longer_comes_later(
    planners: tuple[str, str], last: int, returns: list[float]
) -> None:
    episode = kb.play(Bell(), planners, seed=3)
    assert [step.elapsed for step in episode.steps] == [100, last]
    assert episode.returns == returns


@pytest.mark.parametrize(
    "planner",
    [
        "random",
        "nmc(level=1)",
        "flat-mc(simulations=50)",
        "pomcp(simulations=50)",
        "is-mcts(simulations=50)",
    ],
)
def test_every_planner_plays(planner: str) -> None:
    spec = planner.removesuffix(")") + (", " if "(" in planner else "(") + "quantum=0.25)"
    one, other = (kb.play(Bell(), spec, seed=5) for _ in range(2))
    assert one.over
    assert [(step.elapsed, step.names) for step in one.steps] == [
        (step.elapsed, step.names) for step in other.steps
    ]


def test_what_is_for_real_time_only_is_refused_elsewhere() -> None:
    for parameter in ("quantum=1", "thinks=0.5", "waits=clear(1)"):
        with pytest.raises(ValueError, match="this is a game of turns"):
            kb.play("tic-tac-toe", f"uct(simulations=10, {parameter})")


def test_replays_keep_the_times(tmp_path: Path) -> None:
    episode = kb.play(Bell(), SLOW, seed=3)
    replay.save(episode, tmp_path / "game.json")
    kept = replay.load(tmp_path / "game.json")
    assert [move.elapsed for move in kept.steps] == [100, 5]
    turns = list(rounds_again(kept, list(kept.frames(kb.load(Bell())))))
    assert [turn.at for turn in turns] == [1.0, 1.05]
    assert turns[-1].happened == ("player 1: press", "player 2: press")
    assert [choice.decision.name for choice in turns[0].choices] == ["wait", "wait"]


def play_live(keys: list[tuple[float, str]], other: str, clock: float = 1.0) -> tuple[kb.Referee, Typist]:
    game = kb.load(Bell())
    assert can_be_live(game)
    typist = Typist(keys)
    person = Live(typist, lambda text: None, 0.05, now=lambda: typist.time)
    person.unit = 1 / (clock * (game.tick or 1.0))
    referee = kb.Referee(game)
    seats: list[Any] = [person, kb.planner(other)]
    begin(referee, seats, 0)
    for _ in drive(referee, seats):
        pass
    return referee, typist


def test_a_person_plays_at_once() -> None:
    # The bell rings after two seconds by this clock, and the other one needs another while.
    keys = [(2.03, "1")]
    referee, typist = play_live(keys, "uct(simulations=100, quantum=0.5, thinks=0.4)", clock=2.0)
    assert referee.returns == [1.0, -1.0]
    assert typist.time == pytest.approx(2.03)
    assert 100 <= referee.now <= 104


def test_a_person_may_pause_and_leave() -> None:
    with pytest.raises(Leave):
        play_live([(0.1, "p"), (50.0, "p"), (50.1, "q")], SLOW)


def test_a_pace_waits_for_the_clock() -> None:
    typist = Typist([(0.4, "x")])
    pace = Pace(kb.load(Bell()), 2.0, Beat(typist, now=lambda: typist.time))
    drawn: list[int] = []
    pace.keep(50, lambda: drawn.append(1))
    assert typist.time == pytest.approx(1.0)
    assert drawn == [1]
    pace.keep(50)
    assert typist.time == pytest.approx(1.0)


RULES = ("real-time-chicken.kif", "real-time-race.kif", "real-time-dodge.kif")


@pytest.mark.parametrize("rules", RULES)
def test_rules_files_are_played_by_the_clock(rules: str) -> None:
    spec = "flat-mc(simulations=10, depth=20, quantum=1, thinks=0.1)"
    one, other = (kb.play(rules, spec, seed=2, max_steps=60) for _ in range(2))
    assert [(step.elapsed, step.names) for step in one.steps] == [
        (step.elapsed, step.names) for step in other.steps
    ]
    assert any(step.elapsed for step in one.steps)


def test_only_chance_that_takes_its_time_hides_something() -> None:
    games = ["chicken", "connect-four", "dodge", "race", "respawn", "tic-tac-toe", "whack-a-mole"]
    hide = [game for game in games if not kb.load(f"real-time-{game}.kif").info.perfect_information]
    assert hide == ["whack-a-mole"]


def test_a_game_in_python_keeps_the_contract() -> None:
    class Here(Bell):
        name = "bell-to-check"
        perfect_information = True

    report = check_game(Here(), episodes=3, max_steps=20)
    assert report.passed


def test_rules_are_read_as_papers_print_them(tmp_path: Path) -> None:
    text = """role(alice). role(bob). place(here). place(there).
    init(2.5, lamp). init(infinity, at(here)).
    legal(R, go(X)) ⇐ role(R) ∧ place(X) ∧ true(infinity, at(Y)) ∧ X ≠ Y.
    gone ⇐ does(R, go(X)).
    next(T, lamp) ⇐ true(T, lamp).
    next(infinity, at(X)) ⇐ does(R, go(X)) ∨ (true(infinity, at(X)) ∧ ¬gone).
    terminal ⇐ expired(lamp).
    goal(R, 100) ⇐ role(R)."""
    plain = text
    for symbol, word in (("⇐", "<="), ("∧", "&"), ("∨", "|"), ("¬", "~"), ("X ≠ Y", "distinct(X, Y)")):
        plain = plain.replace(symbol, word)
    played = []
    for name, rules in ("printed", text), ("plain", plain):
        file = tmp_path / f"{name}.gdl"
        file.write_text(rules, encoding="utf-8")
        episode = kb.play(str(file), "random", seed=4)
        played.append([(step.elapsed, step.names, step.state.facts) for step in episode.steps])
        assert episode.returns == [100.0, 100.0]
    assert played[0] == played[1]
    assert sum(elapsed for elapsed, *_ in played[0]) == 2_500_000
