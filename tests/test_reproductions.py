"""Each reproduction that comes with the package, at a tiny size."""

from __future__ import annotations

import math
import re
from pathlib import Path

import pytest

from kibitz.lab.reproduce import reproduce
from kibitz.lab.reproductions import FOLDER, Reproduction, load, names

NEEDED = {"connect-four-openspiel": "pyspiel"}
LONG = {
    "tiger-pomcp",
    "pomcp-table",
    "norns-figure-3",
    "klondike-planners",
    "klondike-table-1",
    "klondike-table-2",
    "poker-exploitability",
    "nested-table-2",
    "nested-table-3",
    "nested-table-4",
    "nested-table-4-states",
}
"""Even two games a figure take long: they are played with a hundredth of the simulations, worlds, steps or
time, and what is searched is searched once."""
READ = {
    "gvgai-modifications",
    "heuristics-table-1",
    "heuristics-table-2",
    "heuristics-table-3",
    "nested-table-4",
    *(f"iw-table-{table}" for table in range(1, 7)),
}
"""Many games of many rules files: these are read here, and run by `kibitz reproduce`."""
COARSE = {"king-up-table-4.2", "king-up-table-4.3", "duelyst-figure-2-11"}
"""Points are few: two games often come to the same. And 16 seconds are so much more than a few
milliseconds that two games tell."""


def hurried(name: str, folder: Path) -> Reproduction:
    """A reproduction that thinks less."""
    text = (FOLDER / f"{name}.toml").read_text(encoding="utf-8")

    def less(found: re.Match[str]) -> str:
        return re.sub(r"\d+", lambda number: str(2 + int(number[0]) // 100), found[0])

    def sooner(found: re.Match[str]) -> str:
        return re.sub(r"\d+", lambda number: str(int(number[0]) / 100), found[0])

    amount = r" ?= ?(\d+|\[[\d, ]+\])"
    fewer = re.sub(r"(?:simulations|worlds|transitions)" + amount, less, text)
    fewer = re.sub("milliseconds" + amount, sooner, fewer)
    fewer = re.sub(r"^searches = \d+", "searches = 1", fewer, flags=re.MULTILINE)
    path = folder / f"{name}.toml"
    path.write_text(fewer, encoding="utf-8")
    return load(path)


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.slow) if name in LONG else name
        for name in names()
        if name not in READ
    ],
)
def test_every_reproduction_runs(name: str, tmp_path: Path) -> None:
    if name in NEEDED:
        pytest.importorskip(NEEDED[name], reason="open_spiel is not installed (the extra 'bench' has it)")
    reproduction = hurried(name, tmp_path) if name in LONG else load(name)
    assert reproduction.minutes is not None
    assert reproduction.about
    comparison = reproduce(reproduction, scale=1e-9, directory=tmp_path / "out", jobs=1)
    assert comparison.complete
    for curve in comparison.curves:
        assert all(line.points for line in curve.lines)
    for row, target in zip(comparison.rows, reproduction.targets, strict=True):
        assert math.isfinite(row.ours.value)
        if target.measure == "exact value":
            assert row.verdict == "agrees", row
        elif target.measure == "end of a search":
            assert row.games is not None
            assert row.games > 1
        else:
            assert row.games in (1, 2)
            # Two hurried games may be equally bad, which is told at once.
            assert name in LONG | COARSE or row.verdict == "cannot tell yet", row


@pytest.mark.parametrize("name", sorted(READ))
def test_the_longest_reproductions_can_be_read(name: str) -> None:
    reproduction = load(name)
    assert reproduction.minutes is not None
    assert reproduction.targets or reproduction.grid


@pytest.mark.slow
def test_the_bear_is_intimidated(tmp_path: Path) -> None:
    rows = reproduce(load("posg-bear"), scale=0.3, directory=tmp_path / "out", jobs=1).rows
    assert [row.ours.value for row in rows[:2]] == pytest.approx([-0.32, -0.4])
    assert [row.games for row in rows[2:]] == [120, 120]
    assert all(row.ours.value > 0.85 for row in rows[2:])
