"""Published tables of wins in video games: games in rows, planners in columns, windows of time as ticks."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from kibitz.cli import main
from kibitz.lab.grids import Setting, filled, ticks
from kibitz.lab.reproduce import reproduce
from kibitz.lab.reproductions import load
from kibitz.lang import FOLDER

TABLE = """
[reproduction]
title = "Two games"
source = "Somebody, Something (2015)"
where = "table 1"
minutes = 1
about = "A small table."

[grid]
games = ["zelda", "aliens"]
of = 5
episodes = 1

[[column]]
name = "IW(1)"
planner = "iw(1)"
window = 1
paper = [5, 0]

[[column]]
name = "MCTS"
planner = "mcts"
window = 4
budget = "simulations"
unit = 10
paper = [0, 5]

[[column]]
name = "random"
planner = "random"
paper = [0, 0]
"""


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "table.toml"
    path.write_text(TABLE, encoding="utf-8")
    return path


@pytest.fixture
def rules(tmp_path: Path) -> Path:
    """Two games of ours under the names of others, with two levels and with one."""
    folder = tmp_path / "rules"
    folder.mkdir()
    for name, ours, levels in (("zelda", "crate-store", (0, 1)), ("aliens", "goose-chase", (2,))):
        shutil.copy(FOLDER / f"{ours}.vgdl", folder / f"{name}.txt")
        for level in levels:
            shutil.copy(FOLDER / f"{ours}_lvl{level}.txt", folder / f"{name}_lvl{level}.txt")
    return folder


def test_a_window_is_so_many_ticks_of_each_game(table: Path, rules: Path) -> None:
    whole = filled(load(str(table)), Setting(rules=rules))
    assert whole.experiment is not None
    planners = [pairing.planners for pairing in whole.experiment.pairings]
    assert (ticks("zelda", 1), ticks("aliens", 1)) == (35, 16)
    for spec in ("iw(1)", "mcts"):
        assert any(spec[:3] in str(each) for each in planners)
    # 4 ms are 140 ticks of one game and 62 of the other, and a simulation counts as ten.
    assert sum("simulations=14" in str(each) for each in planners) == 1
    assert sum("simulations=6" in str(each) for each in planners) == 1
    levels = [len(pairing.games) for pairing in whole.experiment.pairings]
    assert levels == [2, 1] * 3


def test_wins_stand_beside_the_papers_for_as_many_games(table: Path, rules: Path, tmp_path: Path) -> None:
    found = reproduce(
        filled(load(str(table)), Setting(rules=rules, window=1)), directory=tmp_path / "out", jobs=1
    )
    assert found.complete
    width, luck = found.totals
    assert (width.column.planner, luck.column.planner) == ("iw(1)", "random")
    assert {game: entry.games for game, entry in width.entries.items()} == {"zelda": 2, "aliens": 1}
    # Five of five are two of two, and the share is that of all games.
    assert [entry.paper for entry in width.entries.values()] == [2.0, 0.0]
    assert width.whole.paper == pytest.approx(1.5)
    assert width.paper is not None
    assert width.paper.value == 0.5
    assert luck.entries["zelda"].wins == 0  # nobody stores all crates by chance
    assert luck.verdict in ("agrees", "cannot tell yet")


def test_what_is_not_there_is_named(table: Path, rules: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (rules / "aliens_lvl2.txt").unlink()
    assert main(["reproduce", str(table), "--rules", str(rules)]) == 2
    assert "has no level of aliens, such as aliens_lvl0.txt" in capsys.readouterr().err
    (rules / "aliens.txt").unlink()
    assert main(["reproduce", str(table), "--rules", str(rules)]) == 2
    assert "has no aliens.txt; the table needs zelda, aliens" in capsys.readouterr().err
    assert main(["reproduce", str(table), "--window", "40"]) == 2
    assert "has no window of 40 ms; there are 1, 4" in capsys.readouterr().err
    assert main(["reproduce", "tiger-pomcp", "--window", "40"]) == 2
    assert "plays no video games" in capsys.readouterr().err


def test_the_command_prints_it(
    table: Path, rules: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["reproduce", str(table), "--rules", str(rules), "--window", "1", "--jobs", "1"]
    assert main([*arguments, "--out", str(tmp_path / "out")]) == 0
    text = capsys.readouterr().out
    assert "zelda" in text
    assert "(2.0)" in text
    assert main([*arguments, "--out", str(tmp_path / "out"), "--json"]) == 0
    (width, _) = json.loads(capsys.readouterr().out)["columns"]
    assert (width["games"], width["by_game"]["zelda"]["games"]) == (3, 2)
