"""What a player must not know reaches neither its view nor its belief nor its decisions."""

from __future__ import annotations

import json
import pickle
from typing import Any

import pytest

import kibitz as kb
from kibitz import _core, lang
from kibitz.cli import main
from kibitz.testing import ContractError, check_leaks
from python_games import Coin

NATIVE = [each.name for each in _core.games() if not kb.load(each.name).info.perfect_information]
ADAPTED = ["openspiel:kuhn_poker", "openspiel:liars_dice", "openspiel:dark_chess(board_size=4)",
           "openspiel:phantom_ttt", "openspiel:battleship(board_width=2,board_height=2,ship_sizes=[1],"
           "ship_values=[1],num_shots=2)"]  # fmt: skip


def hidden_rules() -> list[str]:
    """The rules files that come with the package and hide something."""
    return sorted(file.name for file in lang.FOLDER.glob("*.kif") if "sees" in file.read_text())


@pytest.mark.parametrize("name", [*NATIVE, *hidden_rules(), *ADAPTED])
def test_nothing_leaks_in_any_game_that_comes_with_it(name: str) -> None:
    if name.startswith("openspiel:"):
        pytest.importorskip("pyspiel")
    check_leaks(name, episodes=2, max_steps=20, seconds=2)


@pytest.mark.parametrize("name", ["monty-hall", "kriegspiel-tic-tac-toe"])
def test_nothing_leaks_where_rules_are_reasoned_with(name: str) -> None:
    report = check_leaks(f"{name}.kif(limit.seconds=0)", episodes=2, max_steps=8, seconds=4)
    assert report.counts["pairs"] > 0


def test_two_tosses_are_told_apart_by_exact_beliefs_only() -> None:
    report = check_leaks(Coin(), episodes=10)
    assert report.counts["pairs"] > 0
    assert report.counts["samples"] > 0


class Dealt(kb.Rules[tuple[Any, ...]]):
    """Two hands of twenty cards, dealt one by one; then both say what they like, and everybody hears it."""

    players, perfect_information, horizon = 2, False, 48
    cards = range(40)

    def initial(self) -> tuple[Any, ...]:
        return ()

    def turn(self, state: tuple[Any, ...]) -> int:
        return kb.CHANCE if len(state) < 40 else len(state) % 2 if len(state) < 48 else kb.OVER

    def chance(self, state: tuple[Any, ...]) -> Any:
        left = [card for card in self.cards if card not in state]
        return [(card, 1 / len(left)) for card in left]

    def legal(self, state: tuple[Any, ...], player: int) -> Any:
        return [f"word {number}" for number in range(30)]

    def step(self, state: tuple[Any, ...], joint: tuple[Any, ...]) -> Any:
        return (*state, joint[0]), None

    def observe(self, after: tuple[Any, ...], joint: tuple[Any, ...], player: int) -> Any:
        return None if len(after) <= 40 and len(after) % 2 != player else joint[0]

    def text(self, state: tuple[Any, ...], viewer: int | None) -> str:
        return str(state if viewer is None else state[1 - viewer : 40 : 2])


class Peeping(Dealt):
    """Which cards were dealt first is shown to all, but late."""

    def text(self, state: tuple[Any, ...], viewer: int | None) -> str:
        return super().text(state, viewer) + str(state[:2] if len(state) == 47 else "")


def test_what_leaks_late_in_a_game_of_many_cards_is_found() -> None:
    options: Any = {"episodes": 3, "planners": (), "beliefs": ()}
    assert check_leaks(Dealt(), **options).counts["pairs"] > 10
    with pytest.raises(ContractError, match=r"the text of player . depends"):
        check_leaks(Peeping(), **options)


class Secret(kb.Rules[tuple[int, ...]]):
    """Chance hides one of four numbers; the player guesses twice, with nothing to go by."""

    min_return, max_return, horizon = 0.0, 2.0, 3

    def initial(self) -> tuple[int, ...]:
        return ()

    def turn(self, state: tuple[int, ...]) -> int:
        return (kb.CHANCE, 0, 0, kb.OVER)[len(state)]

    def chance(self, state: tuple[int, ...]) -> Any:
        return [(number, 0.25) for number in range(4)]

    def legal(self, state: tuple[int, ...], player: int) -> Any:
        return [0, 1, 2, 3]

    def step(self, state: tuple[int, ...], joint: tuple[int, ...]) -> Any:
        return (*state, joint[0]), float(bool(state) and joint[0] == state[0])

    def observe(self, after: tuple[int, ...], joint: Any, player: int) -> Any:
        return None if len(after) == 1 else joint[0]

    def text(self, state: tuple[int, ...], viewer: int | None) -> str:
        return str(state if viewer is None else state[1:])


def test_a_game_that_keeps_its_secret() -> None:
    counts = check_leaks(Secret()).counts
    assert min(counts["pairs"], counts["beliefs"], counts["decisions"], counts["samples"]) > 10


class Shown(Secret):
    def text(self, state: tuple[int, ...], viewer: int | None) -> str:
        return str(state)


class Drawn(Secret):
    def svg(self, state: tuple[int, ...], viewer: int | None) -> str:
        return f'<svg xmlns="http://www.w3.org/2000/svg"><text>{state}</text></svg>'


class Allowed(Secret):
    def legal(self, state: tuple[int, ...], player: int) -> Any:
        return [0, 1, 2, 3, 4][: 4 + (state[0] == 2)]


class Named(Secret):
    def action_name(self, state: tuple[int, ...], player: int | None, action: int) -> str:
        return f"{'the' if state[:1] == (action,) else 'a'} number {action}"


class Told(Secret):
    """The same is told, but in other words."""

    def observation_name(self, observation: Any, player: int) -> str:
        return str(observation)

    def action_name(self, state: tuple[int, ...], player: int | None, action: int) -> str:
        return f"{action}{'!' if len(state) == 2 and action == state[0] else ''}"


class Remembered(Secret):
    """Its resampling has kept the truth."""

    def __init__(self) -> None:
        self.truth: tuple[int, ...] = ()

    def text(self, state: tuple[int, ...], viewer: int | None) -> str:
        if viewer is not None:
            self.truth = state
        return super().text(state, viewer)

    def resample(self, events: Any, player: int, rng: Any) -> Any:
        return self.truth


@pytest.mark.parametrize(
    ("rules", "what"),
    [
        (Shown, "the text of player 1 depends on what it cannot know"),
        (Drawn, "the picture of player 1 depends"),
        (Allowed, "the list of legal actions .* depends"),
        (Named, "(events|legal actions).* depends"),
        (Told, "legal actions.* depends"),
        (Remembered, "resampling.* depends"),
    ],
)
def test_what_leaks_is_found(rules: type[Secret], what: str) -> None:
    with pytest.raises(ContractError, match=what):
        check_leaks(rules())


def test_a_belief_that_holds_the_truth_too_often_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    class Peer(Secret):
        def resamples_the_truth(self, state: Any, player: int, rng: Any) -> bool:
            return True

    with pytest.raises(
        ContractError, match=r"(\d+) of \1 samples of OpenSpiel's own resampling are the truth"
    ):
        check_leaks(Peer())


def test_a_view_is_the_same_by_a_copy_of_the_game() -> None:
    game = kb.load("monty-hall.kif(limit.seconds=0)")
    for seed in range(10):
        kb.play(game, "random", seed=seed)
    copy = pickle.loads(pickle.dumps(game))
    for seed in range(5):
        one, other = kb.Referee(game, seed).view(0), kb.Referee(copy, seed).view(0)
        assert (one.legal(), one.names(), one.events, one.key) == (
            other.legal(),
            other.names(),
            other.events,
            other.key,
        )


class TestCommand:
    def test_it_says_what_was_compared(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["check", "--leaks", "kuhn-poker", "--json"]) == 0
        (found,) = json.loads(capsys.readouterr().out)
        assert found["leaks"]["pairs"] > 0
        assert main(["check", "--leaks", "tic-tac-toe"]) == 0
        assert "every player sees everything" in capsys.readouterr().out

    def test_it_finds_what_openspiel_lets_out(self, capsys: pytest.CaptureFixture[str]) -> None:
        pytest.importorskip("pyspiel")
        assert main(["check", "--leaks", "openspiel:colored_trails", "--seconds", "60"]) == 2
        assert "samples of OpenSpiel's own resampling are the truth" in capsys.readouterr().out
