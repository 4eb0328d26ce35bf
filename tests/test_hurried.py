"""Budgets in milliseconds: whoever had less of a processor than alone is told of."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest

import kibitz as kb
from kibitz.lab import Experiment, Record, report, run, summarise
from kibitz.lab.reproduce import reproduce
from kibitz.lab.reproductions import load
from kibitz.lab.results import TABLE, open_results
from reproduction_texts import tic_tac_toe

# One at a time keeps a processor busy for itself.
pytestmark = pytest.mark.xdist_group("processes")

TIMED, COUNTED = "uct(milliseconds=5)", "uct(simulations=20)"


@pytest.fixture
def crowded() -> Iterator[None]:
    """A processor that somebody else is busy on, all the time."""
    if not hasattr(os, "sched_setaffinity"):
        pytest.skip("this system cannot bind a process to a processor")
    before = os.sched_getaffinity(0)
    only = {min(before)}
    with subprocess.Popen([sys.executable, "-c", "while True: pass"]) as other:
        try:
            os.sched_setaffinity(other.pid, only)
            os.sched_setaffinity(0, only)
            yield
        finally:
            os.sched_setaffinity(0, before)
            other.kill()


def test_who_shares_a_processor_is_told(crowded: None, tmp_path: Path) -> None:
    result = kb.match("tic-tac-toe", [TIMED, COUNTED], games=10)
    timed, counted = result.standings
    assert timed.processor is not None
    assert 0 < timed.processor < 0.9
    assert timed.hurried
    assert not counted.hurried
    said = f"{TIMED} had {100 * timed.processor:.0f} % of the processor: budgets in milliseconds are not"
    assert said in str(result)
    assert said in str(report(result))
    assert "had" not in report(result).csv()
    assert f"{100 * timed.processor:.0f} " in report(result).latex()
    # The same of what was stored, and of a reproduction.
    experiment = Experiment("hurried", games=["tic-tac-toe"], planners=[TIMED, COUNTED], episodes=6)
    results = run(experiment, tmp_path / "results")
    assert "of the processor: budgets in milliseconds" in str(report(results))
    (tmp_path / "own.toml").write_text(
        f"""{tic_tac_toe(TIMED, 6)}
[[figure]]
name = "uct wins"
measure = "win rate"
paper = 0.5
tolerance = 0.1
"""
    )
    comparison = reproduce(load(str(tmp_path / "own.toml")), directory=tmp_path / "reproduced")
    assert "of the processor: budgets in milliseconds" in str(comparison)


def games(*busy: float) -> list[Record]:
    known = {"steps": 5, "moves": (3, 2), "slowest": (0.1, 0.1), "simulations": (9, 9), "cpu": (1.0, 1.0)}
    return [
        Record(deal, (0, 1), (1.0, -1.0), seconds=(0.2, 0.2), busy=(share, 0.0), **known)  # type: ignore[arg-type]
        for deal, share in enumerate(busy)
    ]


def test_only_budgets_of_time_are_hurried() -> None:
    game = kb.load("tic-tac-toe")
    planners = [TIMED, COUNTED]
    timed, counted = summarise(game, planners, games(0.1, 0.18)).standings
    assert timed.processor == pytest.approx(0.7)
    assert counted.processor is None
    assert (timed.hurried, counted.hurried) == (True, False)
    alone = summarise(game, planners, games(0.19, 0.2))
    assert not any(row.hurried for row in alone.standings)
    assert "processor" not in str(alone)
    # Nobody looked, as in earlier versions: nothing is said.
    silent = [Record(0, (0, 1), (1.0, -1.0), steps=5, seconds=(0.2, 0.2))]
    assert [row.processor for row in summarise(game, planners, silent).standings] == [None, None]


def test_results_of_earlier_versions_are_read(tmp_path: Path) -> None:
    experiment = Experiment("small", games=["tic-tac-toe"], planners=[TIMED, COUNTED], episodes=4)
    frame = run(experiment, tmp_path).frame()
    for seating, busy in frame.select("seating", "busy").iter_rows():
        assert [value > 0 for value in busy] == [planner == 0 for planner in seating]
    frame.drop("busy").write_parquet(tmp_path / TABLE)
    earlier = open_results(tmp_path)
    assert earlier.frame().equals(frame.with_columns(pl.lit(None, frame.schema["busy"]).alias("busy")))
    assert earlier.result(earlier.cells[0]).standings[0].processor is None
