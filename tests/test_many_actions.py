"""A hundred thousand legal actions: a decision takes time in proportion; limits and Ctrl-C are heard."""

from __future__ import annotations

import os
import signal
import threading
from pathlib import Path
from typing import Any

import pytest

import kibitz as kb
from effort import work_below

MANY = 100_000


class Needle(kb.Rules[tuple[int, ...]]):
    """One of many actions pays; three moves."""

    players, horizon, min_return, max_return = 1, 3, 0.0, 3.0
    actions = range(MANY)

    def initial(self) -> tuple[int, ...]:
        return ()

    def turn(self, state: tuple[int, ...]) -> int:
        return kb.OVER if len(state) >= 3 else len(state) % self.players

    def legal(self, state: tuple[int, ...], player: int) -> list[int]:
        return list(self.actions)

    def step(self, state: tuple[int, ...], joint: tuple[int, ...]) -> tuple[Any, Any]:
        paid = float(joint[0] == self.actions[-1])
        return state + joint, (paid if self.players == 1 else (paid, 0.0))


class HiddenNeedle(Needle):
    """Two players who do not see what the other does."""

    players = 2

    def observe(self, after: Any, joint: Any, player: int) -> None:
        return None


def haystack(folder: Path) -> str:
    """The same as rules, with one move."""
    numbers = range(round(MANY**0.5))
    path = folder / "haystack.kif"
    path.write_text(
        "(role searcher) "
        + " ".join(f"(number {n})" for n in numbers)
        + " (init (step 1)) (succ 1 2) (succ 2 3)\n"
        "(<= (legal searcher (look ?x ?y)) (number ?x) (number ?y))\n"
        "(<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))\n"
        "(<= (next found) (does searcher (look 7 7))) (<= (next found) (true found))\n"
        "(<= terminal (true (step 3)))\n"
        "(<= (goal searcher 100) (true found)) (<= (goal searcher 0) (not (true found)))\n"
    )
    return str(path)


@pytest.mark.parametrize(
    "spec",
    ["uct", "flat-mc", "uct(tree=outcomes)", "one-step", "hindsight", "nmc", "expectimax"],
)
def test_time_is_heard(spec: str) -> None:
    game = kb.load(Needle())
    view = kb.Referee(game).view(0)
    with work_below(3):  # it was 8 to 20 seconds
        kb.advise(game, view, spec, seconds=0.1)


@pytest.mark.parametrize("spec", ["pomcp", "is-mcts", "norns", "hyperplay"])
def test_time_is_heard_where_much_is_hidden(spec: str) -> None:
    game = kb.load(HiddenNeedle())
    referee = kb.Referee(game)
    planners = [kb.planner(spec), kb.planner(spec)]
    for seat, planner in enumerate(planners):
        planner.start(game, seat, 0)
    while not referee.over:
        mover = referee.movers[0]
        with work_below(4):
            decision = planners[mover].act(referee.view(mover), seconds=0.1)
        referee.apply([decision.action])


def test_time_is_heard_in_rules(tmp_path: Path) -> None:
    game = kb.load(haystack(tmp_path))
    view = kb.Referee(game).view(0)
    for spec in "uct", "flat-mc":
        with work_below(3):
            kb.advise(game, view, spec, seconds=0.1)


@pytest.mark.parametrize("kind", ["python", "rules"])
def test_ctrl_c_is_heard(kind: str, tmp_path: Path) -> None:
    game = kb.load(Needle()) if kind == "python" else kb.load(haystack(tmp_path))
    view = kb.Referee(game).view(0)
    timer = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with work_below(3), pytest.raises(KeyboardInterrupt):
        kb.advise(game, view, "uct(simulations=1000000000)")


def test_no_action_is_left_out() -> None:
    """A tree holds all of them, not the first so many."""
    rules = Needle()
    rules.actions = range(70_000)
    game = kb.load(rules)
    view = kb.Referee(game).view(0)
    decision = kb.advise(game, view, "uct(horizon=1, simulations=75000)")
    assert sum(row.visits for row in decision.table) == 75_000
    assert all(row.visits > 0 for row in decision.table)
    assert decision.best == "69999"


def test_a_table_of_all_actions_is_checked_in_no_time() -> None:
    game = kb.load(Needle())
    view = kb.Referee(game).view(0)
    rows = [(action, 0.0, None, 1) for action in view.legal()]
    with work_below(3):
        assert len(kb.Decision(view, rows[-1][0], rows).table) == MANY
