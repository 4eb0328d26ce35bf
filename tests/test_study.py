"""The balance report of a game, on games whose balance is known."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import kibitz as kb
from kibitz.cli import main
from kibitz.lab.study import study


class Rigged(kb.Rules[tuple[int, ...]]):
    """Both choose once; the first always wins, unless it gives up, which nobody should."""

    players, zero_sum, paid_at_end = 2, True, True

    def initial(self) -> tuple[int, ...]:
        return ()

    def turn(self, state: tuple[int, ...]) -> int:
        return len(state) if len(state) < 2 else kb.OVER

    def legal(self, state: tuple[int, ...], player: int) -> list[int]:
        return [0, 1, 2]

    def step(self, state: tuple[int, ...], joint: tuple[int, ...]) -> Any:
        after = (*state, *joint)
        won = (-1, 1) if after[0] == 2 else (1, -1)
        return after, won if len(after) == 2 else None

    def action_name(self, state: tuple[int, ...], player: int | None, action: int) -> str:
        return ["left", "right", "give up"][action]


def test_an_edge_is_found_and_what_is_never_good() -> None:
    found = study(Rigged(), games=30, simulations=64)
    play, chance = found.plays
    assert play.shares[0].value == 1
    assert play.shares[0].low > 0.5
    assert chance.shares[0].value < 1
    assert play.length == [2, 2, 2]
    assert (play.branching, play.widest, play.forced) == (3, 3, 0)
    assert [(move.player, move.name) for move in found.moves if move.regret] == [("player 1", "give up")]
    assert any("player 1 has the edge" in words for words in found.verdicts())
    assert found.sight is None
    assert "give up" in str(found)
    assert json.loads(json.dumps(found.to_json()))["players"] == found.players
    assert found.frame()["player"].to_list()[:2] == found.players
    assert "<h2>" in found.html()
    assert "give up" in found._repr_html_()


def test_seeing_helps_where_something_is_hidden() -> None:
    found = study("kuhn-poker", games=60, simulations=32)
    assert found.hidden
    assert found.sight is not None
    assert found.sight.gain.low > 0


def test_a_game_of_one_has_returns_and_no_edge() -> None:
    found = study("tiger", games=4, simulations=16)
    assert found.plays[0].shares == []
    assert found.plays[0].draws is None
    assert not any("edge" in words for words in found.verdicts())


def test_it_is_a_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "study.html"
    words = ["study", "tic-tac-toe", "--games", "4", "--simulations", "16"]
    assert main([*words, "--html", str(page)]) == 0
    assert "what thinking longer is worth" in capsys.readouterr().out
    assert page.read_text().startswith("<!doctype html>")
    assert main([*words, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["complete"]
    assert main(["study", "tic-tac-toe", "--games", "1"]) == 2
    assert main(["study", "tic-tac-tow"]) == 2


def test_what_cannot_be_studied_is_refused() -> None:
    with pytest.raises(ValueError, match="at least 2 games, and 16 simulations"):
        study("tic-tac-toe", games=1)
    with pytest.raises(ValueError, match="did you mean"):
        study("tic-tac-toe", planner="uctt", games=2)
