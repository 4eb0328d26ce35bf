"""The benchmarks at a tiny scale: that everything runs and says what it should, not how fast."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from typing import Any

import pytest

import kibitz as kb
from kibitz import _core, bench
from kibitz.bench import _gdl, _measure, _table, beliefs, memory
from kibitz.cli import main

PEERS = {
    "boards": "pyspiel",
    "cfr": "pyspiel",
    "klondike": "pyspiel",
    "memory": "pyspiel",
    "playouts": "pyspiel",
    "rules": "pyspiel",
    "uct": "pyspiel",
    "python_game": "pyspiel",
    "pomcp": "pomdp_py",
}


def test_a_debug_build_is_refused(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(_core, "debug_build", True)
    assert bench.main([]) == 2
    assert "debug build" in capsys.readouterr().err


@pytest.fixture
def release(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_core, "debug_build", False)


def test_a_misspelt_benchmark_is_answered_with_the_nearest(
    release: None, capsys: pytest.CaptureFixture[str]
) -> None:
    assert bench.main(["playout"]) == 2
    assert "did you mean playouts?" in capsys.readouterr().err


@pytest.mark.parametrize("name", bench.modules())
def test_each_benchmark_runs(release: None, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    peer = PEERS.get(name)
    if peer and importlib.util.find_spec(peer) is None:
        pytest.skip(f"{peer} is not installed (the extra 'bench' has it)")
    assert bench.main([name], json=True, scale=bench.TINY) == 0
    rows: list[dict[str, Any]] = json.loads(capsys.readouterr().out)
    assert rows
    for row in rows:
        assert row["benchmark"] == name
        assert row["ours"] is not None
        if row["ratio"] is not None:
            assert 0 < row["low"] <= row["ratio"] <= row["high"] if row["low"] else row["ratio"] > 0


def test_a_missing_peer_is_said_and_the_rest_goes_on(
    release: None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    assert bench.main(["uct", "workers"], scale=bench.TINY) == 0
    printed = capsys.readouterr().out
    assert "left out: pyspiel is not installed" in printed
    assert "two workers" in printed


def test_pomcp_says_that_its_peer_is_missing(
    release: None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == "pomdp_py"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "pomdp_py", None)
    assert bench.main(["pomcp"], scale=bench.TINY) == 0
    assert "left out: pomdp_py" in capsys.readouterr().out


def test_hidden_information_is_measured_in_one_run(
    release: None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    # What needs no peer is there without one.
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    assert bench.main(["beliefs", "memory"], scale=bench.TINY) == 0
    printed = capsys.readouterr().out
    for expected in (
        "NORNS, mastermind [simulations/s]",
        "NORNS, number guessing to 16 [simulations/s]",
        "a present after 1 move, rock-sample",
        "a present after 10 moves, rock-sample",
        "a present after 30 moves, rock-sample",
        "1,000 presents a move, 30 moves, rock-sample",
        "a history of the past, battleship",
        "a node of NORNS, mastermind",
        "a belief of NORNS(tree=belief), mastermind",
        "left out: pyspiel is not installed",
    ):
        assert expected in printed


def test_presents_are_drawn_after_as_many_moves_as_the_row_says() -> None:
    game = kb.load("rock-sample")
    views = beliefs._game_so_far(game, 30)
    assert len(views) == 31
    seen = [len(view.events) for view in views]
    assert seen == sorted({*seen})  # each has more to take in than the one before
    with pytest.raises(ValueError, match="never lasts 30 moves"):
        beliefs._game_so_far(kb.load("exploding-bomb.kif"), 30)


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the system does not say")
def test_memory_is_that_of_the_tree_whatever_the_parent_has() -> None:
    ballast = b"x" * (100 << 20)
    histories = memory.apart("histories", "mastermind.kif(colours=6)", 20_000)
    tree = memory.apart("search", "connect-four", "uct(simulations=50000)")
    del ballast
    assert histories["nodes"] == 6**4 + 1
    assert histories["kept"] > 100 * histories["nodes"]
    assert tree["grown"] >= 0.9 * tree["kept"] > 0
    assert 0.8 * tree["bytes"] < tree["kept"] < 3 * tree["bytes"]


def test_a_race_takes_turns_and_gives_the_median() -> None:
    now, order = [0.0], []

    def side(name: str, costs: list[float]) -> _measure.Work:
        def work(number: int) -> float:
            order.append(name)
            now[0] += costs[number // 1000]
            return 100.0

        return work

    scale = _measure.Scale(turns=3, seconds=0.0, simulations=1, nodes=1)
    row = _measure.race(
        side("ours", [1, 2, 4]),
        side("peer", [10, 10, 10]),
        scale,
        benchmark="b",
        work="w",
        unit="1/s",
        peer_name="p",
        required=5,
        clock=lambda: now[0],
    )
    assert order == ["ours", "peer", "peer", "ours", "ours", "peer"]
    assert (row.ours, row.peer, row.ratio, row.low, row.high) == (50, 10, 5, 2.5, 10)
    assert row.verdict == "good"
    assert "good" in _table.line(row)


def test_the_verdict_decides_the_exit_code(
    release: None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from kibitz.bench import workers

    for ratio, code in ((2.0, 0), (1.5, 1)):
        row = bench.Row("workers", "w", "1/s", ratio, 1.0, ratio, ratio, ratio, required=1.7)
        monkeypatch.setattr(workers, "rows", lambda _, row=row: iter([row]))
        assert bench.main(["workers"]) == code


def test_numbers_are_short() -> None:
    assert [_table.number(value) for value in (None, 0.5, 999.0, 12_345.0, 3e6, 2e9)] == [
        "-",
        "0.5",
        "999",
        "12.3 k",
        "3 M",
        "2 G",
    ]


def test_rules_files_are_measured_in_the_format_of_gdl_perf(
    release: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rules = tmp_path / "rules"
    rules.mkdir()
    (rules / "bad.kif").write_text("(role x\n(role; y)\n")
    (rules / "stuck.kif").write_text("(role x)\n(<= (legal x go) (true p))\n(<= terminal (true q))\n")
    (rules / "notes.txt").write_text("no rules")
    assert main(["bench", "gdl", "tic-tac-toe.kif", str(rules), "--seconds", "0.01"]) == 0
    out, err = capsys.readouterr()
    assert err == ";".join(_gdl.FIELDS) + "\n"
    lines = [line.split(";") for line in out.splitlines()]
    assert all(len(line) == len(_gdl.FIELDS) for line in lines)
    assert [line[:2] for line in lines] == [
        [name, engine]
        for name in ("tic-tac-toe.kif", "bad.kif", "stuck.kif")
        for engine in ("kibitz-single", "kibitz-lanes")
    ]
    for single in lines[:2]:
        ok, error, ms, changes, rollouts = single[3:]
        assert (ok, error) == ("true", "")
        assert int(ms) >= 10
        assert 5 <= int(changes) / int(rollouts) <= 9  # moves of a game of tic-tac-toe
    assert all(line[3] == "false" and line[4] and line[5:] == ["", "", ""] for line in lines[2:])
    assert "bad.kif:1:1" in lines[2][4]


def test_both_machines_play_games_of_the_same_length() -> None:
    lengths = []
    for result in _gdl.measure("connect-four.kif", 0.2):
        lengths.append(result.changes / result.rollouts)
    assert lengths == pytest.approx([21.2, 21.2], abs=0.5)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["gdl"], "say which rules files"),
        (["gdl", "nowhere.kif"], "nowhere.kif cannot be read"),
        (["gdl", "tic-tac-toe.kif", "--json"], "not JSON"),
        (["uct", "--seconds", "3"], "--seconds goes with gdl only"),
    ],
)
def test_what_gdl_cannot_do_is_said(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["bench", *words]) == 2
    assert said in capsys.readouterr().err
