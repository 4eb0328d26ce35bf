"""The benchmarks at a tiny scale: that everything runs and says what it should, not how fast."""

from __future__ import annotations

import importlib.util
import json
from typing import Any

import pytest

from kibitz import _core, bench
from kibitz.bench import _measure, _table

PEERS = {
    "memory": "pyspiel",
    "playouts": "pyspiel",
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
    monkeypatch.setitem(__import__("sys").modules, "pyspiel", None)
    assert bench.main(["uct", "workers"], scale=bench.TINY) == 0
    printed = capsys.readouterr().out
    assert "left out: pyspiel is not installed" in printed
    assert "two workers" in printed


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
