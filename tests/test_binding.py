"""The binding: registries, specs, states, the referee, views, planners, and Ctrl-C."""

from __future__ import annotations

import itertools
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

import kibitz as kb
from effort import PATIENCE, work_below, work_of_children
from kibitz import _core
from kibitz.episode import seat_seed, seated
from python_games import Coin, TicTacToe
from tables import cases


def test_a_release_build() -> None:
    assert not _core.debug_build, "build with make: speeds are of no use in a debug build"


def test_registries_fill_themselves() -> None:
    games = {entry.name: entry for entry in _core.games()}
    assert {"tic-tac-toe", "kuhn-poker", "tiger"} <= games.keys()
    planners = {entry.name: entry for entry in _core.planners()}
    assert {"random", "uct", "pomcp"} <= planners.keys()
    for entry in [*games.values(), *planners.values()]:
        assert entry.summary
        assert all(param.doc and param.kind and param.default for param in entry.params)


def test_specs() -> None:
    name, arguments = _core.parse_spec("uct(5, deep=true, c=1e-1, playout=greedy(epsilon=0.5), note='a b')")
    assert name == "uct"
    assert arguments == [
        ("", 5),
        ("deep", True),
        ("c", 0.1),
        ("playout", "greedy(epsilon=0.5)"),
        ("note", "a b"),
    ]
    with pytest.raises(ValueError, match="column 4"):
        _core.parse_spec("uct)")


@pytest.mark.parametrize(
    ("spec", "sentence"),
    [
        ("tictactoe", "did you mean tic-tac-toe"),
        ("tic-tac-toe(rows=3)", "takes no parameters"),
        ("", "expected a name"),
        ("mygame.py", "import it yourself"),
        ("folder/mygame.py", "import it yourself"),
        ("openspeil:kuhn_poker", "unknown adapter 'openspeil'"),
        ("\0", "expected a name"),
        ("(" * 5000, "at most"),
    ],
)
def test_wrong_games(spec: str, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        kb.load(spec)


@cases(
    "spec sentence",
    """
    utc | did you mean .*uct
    uct(simulation=5) | did you mean simulations
    uct(simulations=0) | simulations
    uct(simulations=many) | simulations
    """,
)
def test_wrong_planners(spec: str, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        kb.planner(spec)


def test_states() -> None:
    game = kb.load("tic-tac-toe")
    assert repr(game) == "<Game tic-tac-toe>"
    state = game.initial()
    assert state.game is game
    assert (state.over, state.chance, state.movers) == (False, False, [0])
    assert state.legal(0) == sorted(state.legal(0))
    assert len(state.legal(0)) == 9
    assert state.legal(1) == []
    action = state.find_action(0, "b2")
    assert state.action_name(0, action) == "b2"
    after, rewards = state.step([action])
    assert rewards == [0.0, 0.0]
    assert after.movers == [1]
    assert state.movers == [0], "states are values"
    assert state.hash() != after.hash()
    assert after.text() != state.text()
    picture = after.svg()
    assert picture is not None
    assert picture.startswith("<svg")
    assert after._repr_svg_() == picture
    assert after.value is None


def test_wrong_steps() -> None:
    state = kb.load("tic-tac-toe").initial()
    after, _ = state.step([state.find_action(0, "b2")])
    with pytest.raises(ValueError, match=r"is not a legal action of o; legal are 0 \(\w+\), "):
        after.step([state.find_action(0, "b2")])
    with pytest.raises(ValueError, match="expected one action for each of the 1 movers, but found 2"):
        state.step([0, 1])
    with pytest.raises(ValueError, match="no legal action is called 'z9'"):
        state.find_action(0, "z9")
    with pytest.raises(ValueError, match="nobody waits"):
        state.find_action(1, "b2")
    with pytest.raises(ValueError, match="not chance's turn"):
        state.draw(0)
    with pytest.raises(IndexError, match="there is no player 2: tic-tac-toe has 2"):
        state.legal(2)
    with pytest.raises(IndexError):
        state.text(7)
    with pytest.raises((OverflowError, TypeError)):
        state.step([-1])
    with pytest.raises(ValueError, match="different games"):
        after.observation(kb.load("tic-tac-toe").initial(), [0], 0)
    over = kb.play("tic-tac-toe", "random").state
    with pytest.raises(ValueError, match="over"):
        over.step([0])


def test_chance_is_listed_and_drawn() -> None:
    deal = kb.load("kuhn-poker").initial()
    assert deal.chance
    outcomes = deal.outcomes()
    assert sum(probability for _, probability in outcomes) == pytest.approx(1)
    assert deal.draw(3) == deal.draw(3)
    assert {deal.draw(seed) for seed in range(100)} == {outcome for outcome, _ in outcomes}


def test_counting() -> None:
    game = kb.load("tic-tac-toe")
    assert [game.perft(depth) for depth in range(10)][-1] == 255168
    means, steps = game.playouts(1000, seed=3)
    assert game.playouts(1000, seed=3) == (means, steps)
    assert means[0] == -means[1]
    assert 5000 <= steps <= 9000
    with pytest.raises(ValueError, match="did you mean random"):
        game.playouts(1, seed=0, policy="randon")
    assert game.playouts(0, seed=0) == ([0.0, 0.0], 0)


def test_the_referee_tells_each_player_its_own() -> None:
    game = kb.load("kuhn-poker")
    referee = kb.Referee(game, seed=1, episode=3)
    assert len(referee.opening()) == referee.steps > 0
    views = [referee.view(player) for player in (0, 1)]
    assert views[0].events != views[1].events, "each sees its own card only"
    assert views[1].legal() == []
    assert views[0].key != views[1].key
    action, name = views[0].legal()[0], views[0].names()[0]
    steps = referee.apply([action])
    assert steps[0][1] == [action]
    assert referee.view(0).events[-2] == ("acted", action, name)
    assert referee.view(1).events[-1][0] == "observed"
    with pytest.raises(ValueError, match="is not a legal action"):
        referee.apply([99])
    assert referee.steps == len(referee.opening()) + 1
    again = kb.Referee(game, seed=1, episode=3)
    assert again.view(0).events == views[0].events


def test_a_planner_must_be_started_and_asked_in_turn() -> None:
    game = kb.load("tic-tac-toe")
    view = kb.Referee(game).view(0)
    planner = kb.Planner("uct")
    with pytest.raises(RuntimeError, match="not started"):
        planner.act(view)
    planner.start(game, 1, 0)
    with pytest.raises(ValueError, match="plays seat 1, but the view is of 0"):
        planner.act(view)
    with pytest.raises(ValueError, match="not the turn of player 1"):
        planner.act(kb.Referee(game).view(1))
    with pytest.raises(IndexError):
        planner.start(game, 2, 0)


def test_decisions() -> None:
    game = kb.load("tic-tac-toe")
    planner = kb.Planner("uct(simulations=500)")
    planner.start(game, 0, 7)
    decision = planner.act(kb.Referee(game).view(0))
    assert decision.name == decision.best == decision.table[0].name
    assert sum(row.visits for row in decision.table) == decision.simulations == 500
    assert len(decision.table) == 9
    assert decision.seconds > 0
    assert decision.nodes > 9
    assert decision.line[0] == (0, decision.name)
    lines = decision.table_text().splitlines()
    assert lines[0].split() == ["action", "value", "visits"]
    assert len({len(line) for line in lines}) == 1
    assert "±" in lines[1]


def test_the_same_seed_gives_the_same_game() -> None:
    def played(seed: int, episode: int = 0) -> list[Any]:
        played = kb.play("kuhn-poker", "pomcp(simulations=50)", seed=seed, episode=episode)
        return [step.names for step in played.steps]

    assert played(5) == played(5)
    with pytest.raises(ValueError, match="a seed is a whole number from 0"):
        played(-1)
    assert len({str(played(5, episode)) for episode in range(10)}) > 1


def test_episodes() -> None:
    seen: list[kb.Step] = []
    episode = kb.play("kuhn-poker", ["uct(simulations=20)", "random"], seed=2, on_move=seen.append)
    assert episode.planners == ("uct(simulations=20)", "random")
    assert seen == episode.steps
    assert episode.over
    assert sum(episode.returns) == pytest.approx(0)
    assert [step.movers for step in episode.steps][:2] == [(), ()]
    assert len(episode.decisions) == sum(bool(step.movers) for step in episode.steps)
    text = episode.text()
    assert "chance: " in text
    assert text.splitlines()[-1].count(" gets ") == 2
    assert "Episode(" in repr(episode)
    short = kb.play("tic-tac-toe", "random", max_steps=2)
    assert (short.over, len(short.steps)) == (False, 2)
    assert short._repr_svg_() == short.svg() == short.state.svg()


def test_seats() -> None:
    game = kb.load("tic-tac-toe")
    assert [seat.spec for seat in seated(game, "uct")] == ["uct", "uct"]
    planner = kb.Planner("uct")
    assert [seat.spec for seat in seated(game, planner)] == ["uct", "uct"]
    with pytest.raises(ValueError, match="has 2 players, but 3 planners were given"):
        seated(game, ["uct"] * 3)
    with pytest.raises(ValueError, match="cannot sit on two seats"):
        seated(game, [planner, planner])
    with pytest.raises(TypeError, match="expected a planner"):
        kb.planner(7)  # type: ignore[arg-type]
    seeds = {seat_seed(*numbers) for numbers in itertools.product((0, 1), repeat=3)}
    assert len(seeds) == 8


class Last(kb.PlannerBase):
    """Takes the last legal action, or the one that is `back` before it."""

    name = "last-of-the-tests"
    params = {"back": "How many to go back."}  # noqa: RUF012

    def __init__(self, *, back: int = 0) -> None:
        self.back = back

    def act(self, view: kb.View) -> kb.Decision:
        actions = view.legal()
        table = [(action, float(action), None, 1) for action in reversed(actions)]
        return kb.Decision(view, actions[-1 - self.back % len(actions)], table, ["by a rule"])


def test_planners_written_in_python() -> None:
    episode = kb.play("tic-tac-toe", ["last-of-the-tests(back=1)", "last-of-the-tests"])
    assert episode.planners == ("last-of-the-tests(back=1)", "last-of-the-tests")
    decision = episode.decisions[0]
    assert decision.notes == ["by a rule"]
    assert decision.action == 7
    assert decision.table[0].value == 8.0
    entry = next(entry for entry in kb.list_planners() if entry.name == "last-of-the-tests")
    assert entry.summary.startswith("Takes the last")
    assert [(p.name, p.kind, p.default, p.doc) for p in entry.params] == [
        ("back", "int", "0", "How many to go back.")
    ]
    with pytest.raises(ValueError, match="did you mean back"):
        kb.planner("last-of-the-tests(bakc=1)")
    with pytest.raises(ValueError, match="did you mean last-of-the-tests"):
        kb.planner("last-of-the-test")
    with pytest.raises(ValueError, match="not one of the view's legal actions"):
        kb.Decision(kb.Referee(kb.load("tic-tac-toe")).view(0), 99)


def test_exceptions_of_python_planners_propagate() -> None:
    class Lost(kb.PlannerBase):
        def act(self, view: kb.View) -> kb.Decision:
            raise LookupError("lost")

    with pytest.raises(LookupError, match="lost"):
        kb.play("tic-tac-toe", [Lost(), "random"])


def test_advice_takes_the_time_it_is_given() -> None:
    game = kb.load("connect-four")
    view = kb.Referee(game).view(0)
    with work_below(1):
        decision = kb.advise(game, view, "uct", seconds=0.2)
    assert decision.simulations > 0
    assert decision.seconds > 0.15
    assert kb.advise(game, view, "uct(simulations=10)", seconds=5).simulations == 10
    planner = kb.Planner("uct(simulations=100_000_000)")
    planner.start(game, 0, 0)
    with work_below(1):
        assert planner.act(view, seconds=0.1).simulations > 0


@contextmanager
def interrupted_after(seconds: float) -> Iterator[None]:
    """Ctrl-C after a while."""
    timer = threading.Timer(seconds, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    try:
        with work_below(seconds + 1.0):
            yield
    finally:
        timer.cancel()


@pytest.mark.skipif(sys.platform == "win32", reason="sends a signal")
@pytest.mark.parametrize("game", ["connect-four", "python"])
def test_interrupting_a_search(game: str) -> None:
    rules = kb.load(TicTacToe() if game == "python" else game)
    planner = kb.Planner("uct(simulations=1_000_000_000)")
    planner.start(rules, 0, 0)
    view = kb.Referee(rules).view(0)
    with interrupted_after(0.3), pytest.raises(KeyboardInterrupt):
        planner.act(view)


@pytest.mark.skipif(sys.platform == "win32", reason="sends a signal")
@pytest.mark.parametrize("game", ["connect-four", "python"])
def test_interrupting_counts(game: str) -> None:
    rules = kb.load(TicTacToe() if game == "python" else game)
    with interrupted_after(0.3), pytest.raises(KeyboardInterrupt):
        rules.perft(30) if game != "python" else [rules.perft(9) for _ in range(99)]
    with interrupted_after(0.3), pytest.raises(KeyboardInterrupt):
        rules.playouts(1_000_000_000, seed=0)


def test_the_gil_is_released() -> None:
    game = kb.load("connect-four")
    view = kb.Referee(game).view(0)
    planner = kb.Planner("uct(milliseconds=1000)")
    planner.start(game, 0, 0)
    searching = threading.Thread(target=planner.act, args=(view,))
    searching.start()
    for _ in range(3):
        time.sleep(0.001)
    assert searching.is_alive()  # while it searches, others get their turns
    searching.join()


def test_a_planner_is_used_by_one_thread_at_a_time() -> None:
    asked, answer = threading.Event(), threading.Event()

    class Thoughtful(TicTacToe):
        def step(self, state: Any, joint: Any) -> Any:
            asked.set()
            answer.wait(PATIENCE)
            return super().step(state, joint)

    game = kb.load(Thoughtful())
    view = kb.Referee(game).view(0)
    planner = kb.Planner("uct(simulations=20)")
    planner.start(game, 0, 0)
    searching = threading.Thread(target=planner.act, args=(view,))
    searching.start()
    assert asked.wait(PATIENCE)
    with pytest.raises(RuntimeError, match="busy in another thread"):
        planner.act(view)
    answer.set()
    searching.join()
    assert planner.act(view).simulations > 0


def test_threads_share_a_python_game() -> None:
    game = kb.load(Coin())
    results: list[str] = []

    def advise() -> None:
        for seed in range(5):
            view = kb.Referee(game, seed).view(0)
            results.append(kb.advise(game, view, "pomcp(simulations=500)", seed=seed).best)

    threads = [threading.Thread(target=advise) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == ["peek"] * 20


def test_importing_is_quick_and_loads_no_extras() -> None:
    code = "import sys, kibitz; print(*sys.modules)"
    before = work_of_children()
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert work_of_children() - before < 1.0
    modules = set(loaded.stdout.split())
    assert not modules & {"numpy", "scipy", "pyspiel", "pomdp_py", "torch", "random", "kibitz.cli"}
