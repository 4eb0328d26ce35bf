"""Where only chance moves, everything ends all the same, and says why."""

from __future__ import annotations

import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import kibitz as kb
from effort import work_below
from kibitz.planners import list_planners

LIMIT = "chance has moved 10000 times in a row .* which is the limit"

RULES = """(role walker) (role random)
(init (at start))
(way left) (way right)
(legal walker wait)
(<= (legal random (take ?w)) (way ?w))
(<= (next (at ?w)) (does random (take ?w)))
(<= terminal (true (at goal)))
(goal walker 100) (goal random 0)
"""


class OnlyChance(kb.Rules[int]):
    """Nobody ever moves but chance."""

    players, min_return, max_return = 1, 0.0, 1.0

    def initial(self) -> int:
        return 0

    def turn(self, state: int) -> int:
        return kb.CHANCE

    def chance(self, state: int) -> list[tuple[int, float]]:
        return [(0, 0.5), (1, 0.5)]

    def legal(self, state: int, player: int) -> list[str]:
        return ["stay", "go"]

    def step(self, state: int, joint: tuple[Any, ...]) -> tuple[int, Any]:
        return state + 1, 0.0


class Promise(OnlyChance):
    """The same, though it is said to end soon."""

    horizon = 3


class Door(OnlyChance):
    """The player stays, or goes to where only chance moves."""

    def turn(self, state: int) -> int:
        return 0 if state == 0 else kb.OVER if state < 0 else kb.CHANCE

    def step(self, state: int, joint: tuple[Any, ...]) -> tuple[int, Any]:
        return (-1, 0.5) if joint[0] == "stay" else (state + 1, 0.0)


class HiddenDoor(Door):
    """And sees nothing of it."""

    def observe(self, after: int, joint: tuple[Any, ...], player: int) -> None:
        return None


class Trapdoor(HiddenDoor):
    """Chance decides in secret whether the player is ever asked."""

    def turn(self, state: int) -> int:
        return 0 if state == -2 else kb.OVER if state == -1 else kb.CHANCE

    def step(self, state: int, joint: tuple[Any, ...]) -> tuple[int, Any]:
        if state == -2:
            return -1, 0.5
        return (-2 if state == 0 and joint[0] else state + 1), 0.0


class LongDeal(OnlyChance):
    """Chance moves more often than most games let it, and says so."""

    horizon = 20_001

    def turn(self, state: int) -> int:
        return kb.CHANCE if state < 20_000 else 0 if state == 20_000 else kb.OVER


@contextmanager
def within(seconds: float, megabytes: int = 100) -> Iterator[None]:
    """Neither work nor memory is spent without end."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with work_below(seconds):
        yield
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < megabytes * 1024


@contextmanager
def allowing(*reasons: str) -> Iterator[None]:
    """What is asked for may be refused for one of these reasons."""
    try:
        yield
    except ValueError as refused:
        if not any(reason in str(refused) for reason in reasons):
            raise


@pytest.fixture(params=["rules", "python"])
def game(request: pytest.FixtureRequest, tmp_path: Path) -> kb.Game:
    if request.param == "python":
        return kb.load(OnlyChance())
    path = tmp_path / "walk.kif"
    path.write_text(RULES)
    return kb.load(str(path))


def test_steps_of_chance_count(game: kb.Game) -> None:
    with within(20):
        for steps in 0, 50:
            episode = kb.play(game, "random", max_steps=steps)
            assert (len(episode.steps), episode.over) == (steps, False)
        assert len(kb.play(game, "random").steps) == 10_000
        assert kb.match(game, ["random"], games=2, max_steps=50) is not None


def test_a_stretch_of_chance_has_a_limit(game: kb.Game) -> None:
    with within(20):
        with pytest.raises(kb.GameFault, match=LIMIT):
            kb.Referee(game)
        with pytest.raises(ValueError, match=LIMIT):
            kb.solve(game)
        assert game.playouts(3, seed=1)[1] < 100_000


def test_a_promise_to_end_is_not_believed() -> None:
    with within(20), pytest.raises(kb.GameFault, match=LIMIT):
        kb.play(Promise(), "random")


def test_a_game_that_needs_more_says_so() -> None:
    with within(60):
        episode = kb.play(LongDeal(), "random")
        assert (episode.over, len(episode.steps)) == (True, 20_001)


def test_the_referee_stops_where_it_is_told_to() -> None:
    referee = kb.Referee(kb.load(OnlyChance()), max_steps=7)
    assert (referee.steps, len(referee.opening()), referee.over, referee.movers) == (7, 7, False, [])
    with pytest.raises(ValueError, match="while chance moved"):
        referee.apply([0])
    door = kb.Referee(kb.load(Door()), max_steps=5)
    go = dict(zip(door.view(0).names(), door.view(0).legal(), strict=True))["go"]
    assert len(door.apply([go])) == door.steps == 5
    with pytest.raises(ValueError, match="max_steps is a whole number"):
        kb.play(Door(), "random", max_steps=-1)


NOT_ASKED = "human", "tabular", "openspiel-mcts", "openspiel-ismcts", "openspiel-cfr", "omniscient"


@pytest.mark.parametrize("rules", [Door, HiddenDoor, Trapdoor])
def test_planners_answer_in_time(rules: type[kb.Rules[Any]]) -> None:
    game = kb.load(rules())
    view = next(view for view in map(view_of(game), range(20)) if view is not None)
    for name in (entry.name for entry in list_planners() if entry.name not in NOT_ASKED):
        with within(5), allowing("needs", "without end", "alone"):
            assert kb.advise(game, view, name, seconds=0.1).best in ("stay", "go")


def view_of(game: kb.Game) -> Any:
    """What the player knows when it is asked in an episode, if it ever is."""

    def find(episode: int) -> kb.View | None:
        try:
            return kb.Referee(game, 0, episode).view(0)
        except kb.GameFault:
            return None

    return find


@pytest.mark.parametrize("kind", ["exact(100)", "tree(1000)", "hypergames(10)", "particles(10)"])
def test_beliefs_end(kind: str) -> None:
    game = kb.load(Trapdoor())
    view = next(view for view in map(view_of(game), range(20)) if view is not None)
    with within(20):
        belief = kb.Belief(game, kind)
        with allowing("without end", "more than 100 states"):
            belief.update(view)
            assert belief.sample().value == -2
