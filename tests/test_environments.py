"""Games as environments of Gymnasium and PettingZoo: their own tests, and what they do not test."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import kibitz as kb

gymnasium = pytest.importorskip("gymnasium", reason="kibitz[gym] is not installed")
pytest.importorskip("pettingzoo", reason="kibitz[gym] is not installed")

from gymnasium.utils.env_checker import check_env  # noqa: E402
from pettingzoo.test import (  # noqa: E402
    api_test,
    parallel_api_test,
    parallel_seed_test,
    seed_test,
)

from kibitz.adapters.gymnasium import Environment, register  # noqa: E402
from kibitz.adapters.pettingzoo import env, parallel_env  # noqa: E402

ALONE = ("tiger", "klondike", "navy-defense", "rock-garden", "monty-hall")
SEVERAL = ("tic-tac-toe", "leduc-poker", "king-up", "liars-dice", "rock-paper-scissors", "mastermind")


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    """Advice of the checkers is not ours to take everywhere: dicts of observations are their own custom."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


@pytest.mark.parametrize("name", ALONE)
def test_a_game_of_one_passes_gymnasiums_check(name: str) -> None:
    check_env(Environment(name, max_steps=200, survey=5), skip_render_check=True)


@pytest.mark.parametrize("name", ["leduc-poker", "rock-paper-scissors"])
def test_a_seat_among_opponents_passes_it_too(name: str) -> None:
    check_env(Environment(name, player=1, opponents="random", survey=5), skip_render_check=True)


@pytest.mark.parametrize("name", SEVERAL)
def test_players_in_turn_pass_pettingzoos_tests(name: str) -> None:
    def make() -> Any:
        return env(name, max_steps=300, survey=10)

    api_test(make(), num_cycles=60)
    seed_test(make, num_cycles=60)


@pytest.mark.parametrize("name", SEVERAL)
def test_players_at_once_pass_pettingzoos_tests(name: str) -> None:
    def make() -> Any:
        return parallel_env(name, max_steps=300, survey=10)

    parallel_api_test(make(), num_cycles=60)
    parallel_seed_test(make, num_cycles=60)


def test_every_game_by_name_has_an_id() -> None:
    for name, spec in ("leduc-poker", "leduc-poker"), ("peg-solitaire", "peg-solitaire.kif"):
        with gymnasium.envs.registration.namespace("kibitz"):
            register()
        there = gymnasium.make(f"kibitz/{name}-v0", survey=2)
        assert there.unwrapped.game.spec == spec


def test_the_returns_are_the_games() -> None:
    for name in ("tiger", "navy-defense", "leduc-poker"):
        there = Environment(name, survey=20, max_steps=100)
        for seed in range(10):
            _, info = there.reset(seed=seed)
            paid, done = 0.0, False
            while not done:
                action = np.flatnonzero(info["action_mask"])[0]
                _, reward, over, cut, info = there.step(action)
                paid, done = paid + reward, over or cut
                assert "illegal" not in info
            if there.game.info.discount == 1:
                assert paid == pytest.approx(there.referee.returns[0])


@pytest.mark.parametrize("make", [env, parallel_env])
def test_a_copy_goes_on_by_itself_with_the_same_luck(make: Callable[..., Any]) -> None:
    first = make("leduc-poker")
    first.reset(seed=4)

    def some_step(table: Any) -> None:
        if isinstance(table, type(env("tic-tac-toe"))):
            table.step(int(np.flatnonzero(table.last()[0]["action_mask"])[-1]))
        else:
            masks = {agent: table.table.observe(agent)["action_mask"] for agent in table.agents}
            table.step({agent: int(np.flatnonzero(mask)[-1]) for agent, mask in masks.items()})

    some_step(first)
    second = copy.deepcopy(first)
    before = first.table.referee.steps
    some_step(second)
    assert (first.table.referee.steps, second.table.referee.steps > before) == (before, True)
    some_step(first)
    while first.agents and not any(getattr(first, "terminations", {}).values()):
        some_step(first)
        some_step(second)
    assert first.table.referee.state == second.table.referee.state
    assert first.table.referee.returns == second.table.referee.returns


def test_a_gymnasium_environment_is_copied_too() -> None:
    first = Environment("tiger")
    first.reset(seed=1)
    second = first.copy()
    for _ in range(3):
        first.step(np.int64(0))
    again = [second.step(0)[1] for _ in range(5)]
    third = Environment("tiger")
    third.reset(seed=1)
    assert again == [third.step(0)[1] for _ in range(5)]
    with pytest.raises(ValueError, match="what they have in mind stays theirs"):
        Environment("tic-tac-toe").copy()


def test_an_environment_tells_no_secrets() -> None:
    # The other's card is not in what a player sees: equal views give equal vectors.
    first = env("kuhn-poker")
    seen: dict[str, set[bytes]] = {}
    for seed in range(20):
        first.reset(seed=seed)
        view = first.table.referee.view(0)
        seen.setdefault(view.text(), set()).add(first.observe("player_0")["observation"].tobytes())
    assert len(seen) == 3
    assert all(len(vectors) == 1 for vectors in seen.values())
    assert len(set.union(*seen.values())) == 3


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"player": 2}, "there is no player 2"),
        ({"opponents": ["random", "random"]}, "has 1 other seats, but 2 opponents"),
        ({"opponents": "uctt"}, "did you mean uct"),
        ({"max_steps": 0}, "max_steps is a whole number from 1 on"),
        ({"render_mode": "human"}, "render_mode is 'ansi' or None"),
        ({"bins": 0}, "bins and survey are whole numbers from 1 on"),
    ],
)
def test_what_cannot_be_is_refused(arguments: dict[str, Any], told: str) -> None:
    with pytest.raises(ValueError, match=told):
        Environment("tic-tac-toe", **arguments)


def test_a_step_before_and_after_an_episode_is_refused() -> None:
    there = Environment("tic-tac-toe")
    with pytest.raises(ValueError, match="call reset"):
        there.step(np.int64(0))
    with pytest.raises(ValueError, match="call reset"):
        env("tic-tac-toe").observe("player_0")
    assert kb.load("tic-tac-toe").info.players == 2
