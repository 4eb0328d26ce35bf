"""Klondike as a person meets it: at the terminal, and from a file."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

import kibitz as kb
from kibitz.cli import main

FIGURE_2 = Path(__file__).parent.parent / "examples" / "klondike" / "figure-2.txt"


def from_file(path: Path, options: str = "") -> kb.Game:
    return kb.load(f'klondike(position="{path}"{options})')


def test_looking_ahead_prefers_the_right_king() -> None:
    game = from_file(FIGURE_2)
    decision = kb.advise(game, kb.Referee(game, seed=1).view(0), "uct(simulations=2000)", seed=1)
    values = {row.name: row.value or 0.0 for row in decision.table}
    assert decision.name != "K♣ to column 4"
    assert values["K♦ to column 4"] > 0.9
    assert values["K♣ to column 4"] < 0.7


def test_a_game_at_the_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    typed = "9h up\nkd 4\nqc-kd\nu\nQC KD\nh\nq\n"
    monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
    main(["play", f'klondike(position="{FIGURE_2}")', "--seed", "1", "--hint", "uct(simulations=100)"])
    out = capsys.readouterr().out
    assert "no move is called '9h up'; there are:" in out
    assert "[K♦] Q♦ J♣ [K♣]" in out
    assert "Taken back." in out
    assert "100 simulations" in out


def test_ordinary_moves(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("kd 4\nt\nKd 4\nq\n"))
    main(["play", f'klondike(position="{FIGURE_2}", moves=ordinary)', "--seed", "1"])
    out = capsys.readouterr().out
    assert "no move is called 'kd 4'; there are: J♥ to Q♠, J♦ to Q♠, turn" in out
    assert "waste       7♣ Q♣ [K♦]" in out
    assert "waste       7♣ [Q♣]" in out


def test_mistakes_in_files(tmp_path: Path) -> None:
    file = tmp_path / "deal.txt"
    for text, sentence in {
        "deck: Ah 2h\ncolumn 3: Ah": "line 2: A♥ is there already, in line 1",
        "column 3: 5h": "these cards are nowhere, and there is no '\\?\\?' for them: A♥, A♦",
        FIGURE_2.read_text().replace(
            "?? Jd", "7s | Jd"
        ): "7♠ is face down: write '\\?\\?', or play with thoughtful",
        "x" * 30_000: "it has more than 20000 bytes",
    }.items():
        file.write_text(text)
        with pytest.raises(ValueError, match=sentence):
            from_file(file)
    file.write_bytes(b"\xff\xfe")
    with pytest.raises(ValueError, match="it is not UTF-8 text"):
        from_file(file)
    with pytest.raises(ValueError, match="it is not a regular file"):
        from_file(tmp_path)
    with pytest.raises(ValueError, match="is no position: it cannot be read"):
        from_file(tmp_path / "none.txt")
