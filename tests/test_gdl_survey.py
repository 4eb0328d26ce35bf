"""How many rules files fare: each in a process of its own."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kibitz.lang import apart, survey

GAME = """(role you) (init (step 1)) (succ 1 2) (succ 2 3) (legal you go)
(<= (next (step ?n)) (true (step ?m)) (succ ?m ?n)) (goal you 50)
"""


def test_a_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.kif").write_text(GAME + "(<= terminal (true (step 3)))")
    (tmp_path / "b.kif").write_text(GAME + "(<= terminal (true (step ?m))")
    (tmp_path / "c.kif").write_text(GAME + "(<= terminal (true (step 4)))")
    (tmp_path / "notes.txt").write_text("no rules")
    kept, table = tmp_path / "kept.jsonl", tmp_path / "table.md"
    words = [str(tmp_path), "--games", "3", "--seconds", "5", "--json", str(kept), "--table", str(table)]
    assert survey.main(words) == 0
    played, refused, stuck = (survey.Surveyed(**json.loads(line)) for line in kept.read_text().splitlines())
    assert (played.result, played.machine, played.lengths, played.flaws) == (
        "played",
        "network",
        [2] * 3,
        [],
    )
    assert played.memory is None or 5 < played.memory < 500
    assert (refused.result, refused.machine) == ("refused", "")
    assert refused.why.startswith("unbalanced: ")
    assert "(line 3, column 1)" in refused.why
    assert (stuck.result, stuck.flaws) == ("played", ["no-end: a game has not ended after 5000 steps"])
    out = capsys.readouterr().out
    assert "3 files: 2 played, 1 refused, 2 by the network" in out
    assert table.read_text().startswith("3 files: ")
    assert len(table.read_text().splitlines()) == 7


def test_games_without_end_in_the_time(tmp_path: Path) -> None:
    path = tmp_path / "a.kif"
    path.write_text(GAME + "(<= terminal (true (step 4)))")
    found = survey.survey(str(path), games=10**6, seconds=0.05)
    assert found.result == "cut short"


def test_a_process_that_says_nothing() -> None:
    path = Path("tic-tac-toe.kif")
    [(same, about)] = apart.each("kibitz.lang.survey", [path], ["--no-such-option"], seconds=5)
    assert same == path
    assert isinstance(about, str)
    assert "--no-such-option" in about
