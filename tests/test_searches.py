"""Reproductions by seat, and those that search positions instead of playing."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import kibitz as kb
from kibitz.cli import main
from kibitz.lab import ExperimentError
from kibitz.lab.reproduce import compare, reproduce
from kibitz.lab.reproductions import load, names
from kibitz.lab.results import open_results
from kibitz.lab.searches import measure_all
from kibitz.lab.standings import win_shares

HEAD = """
[reproduction]
title = "A title"
source = "somebody"
where = "somewhere"
"""

SEATS = (
    HEAD
    + """
[experiment]
games = ["king-up"]
episodes = 30
seats = "fixed"

[[pairing]]
name = "thinker, random, random"
planners = ["flat-mc(simulations=20)", "random", "random"]

[[pairing]]
name = "random, random, thinker"
planners = ["random", "random", "flat-mc(simulations=20)"]

[[figure]]
name = "wins"
measure = "win rate"
pairing = "random, random, thinker"
paper = [0.3, 0.2, 0.5]
games = 1000
tolerance = 0.05
ties = "lowest seat"

[[figure]]
name = "shared wins"
measure = "win rate"
pairing = "random, random, thinker"
paper = [0.3, 0.2, 0.5]
tolerance = 0.05

[[figure]]
name = "points"
measure = "mean return"
pairing = "random, random, thinker"
paper = [10, 11, 12]
games = 1000
scale = 50
tolerance = 1
"""
)

SEARCH = (
    HEAD
    + """
[[search]]
title = "after a corner"
game = "tic-tac-toe"
moves = ["a1"]
planners = ["uct"]
at = [10, 100]
searches = 3
paper = [{value = 0}]

[[search]]
title = "nodes"
game = "tic-tac-toe"
planners = ["uct", "uct(exploration=0)"]
measure = "nodes a simulation"
at = {from = 10, to = 1000, points = 3}

[[figure]]
name = "o holds"
measure = "end of a search"
search = "after a corner"
player = 1
paper = 0
tolerance = 2
"""
)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "mine.toml"


def test_figures_of_seats_are_those_of_the_games(file: Path, tmp_path: Path) -> None:
    file.write_text(SEATS)
    rows = reproduce(load(file), directory=tmp_path / "out", jobs=1).rows
    assert [row.name for row in rows[:3]] == ["wins, player 1", "wins, player 2", "wins, player 3"]
    results = open_results(tmp_path / "out")
    (cell,) = [each for each in results.cells if each.planners[0] == "random"]
    records = list(results.records(cell))
    assert len(records) == 30
    facts = results.games[cell.game]
    for seat in range(3):
        returns = [record.returns for record in records]
        first = sum(each.index(max(each)) == seat for each in returns) / 30
        shared = sum(win_shares(each, facts)[seat] for each in returns) / 30
        points = sum(50 * each[seat] for each in returns) / 30
        assert rows[seat].ours.value == pytest.approx(first)
        assert rows[3 + seat].ours.value == pytest.approx(shared)
        assert rows[6 + seat].ours.value == pytest.approx(points)
        interval, published = rows[6 + seat].ours.interval, rows[6 + seat].paper.interval
        assert interval is not None
        assert published is not None
        assert interval.low < points < interval.high
        # The paper's thousand games are taken to vary as ours do, in points.
        assert 0.1 < published.high - published.low < interval.high - interval.low
    # Some games are tied, or the test would say nothing.
    assert rows[0].ours.value > rows[3].ours.value


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ('pairing = "random, random, thinker"', 'pairing = "random, random, thinkr"', "unknown pairing"),
        ('seats = "fixed"', "", 'needs seats = "fixed"'),
        ("paper = [0.3, 0.2, 0.5]", "paper = [0.3, 0.2, 0.5, 0.1]", "has no player 3"),
        ("paper = [0.3, 0.2, 0.5]", "paper = [0.3, 0.2, 0.5]\nplayer = 1", "one for each seat"),
        ("paper = [0.3, 0.2, 0.5]", 'paper = [0.3, "x", 0.5]', "paper must be a number"),
        ('ties = "lowest seat"', 'ties = "none"', 'ties must be "shared" or "lowest seat"'),
        ('ties = "lowest seat"', "scale = 2", "a share has no scale"),
    ],
)
def test_figures_of_seats_that_cannot_be(
    file: Path, tmp_path: Path, old: str, new: str, expected: str
) -> None:
    file.write_text(SEATS.replace(old, new, 1))
    with pytest.raises(ExperimentError, match=re.escape(expected)):
        reproduce(load(file), directory=tmp_path / "out", jobs=1)
    assert not (tmp_path / "out").exists()


def test_searches_are_those_that_anybody_can_make(file: Path, tmp_path: Path) -> None:
    file.write_text(SEARCH)
    told: list[str] = []
    comparison = reproduce(load(file), directory=tmp_path / "out", on_search=told.append)
    assert told == ["after a corner, 1 of 2", "nodes, 2 of 2"]
    corner, nodes = comparison.curves
    assert [line.planner for line in corner.lines] == ["x", "o"]
    assert [line.planner for line in nodes.lines] == ["uct", "uct(exploration=0)"]
    assert [point.at for point in nodes.lines[0].points] == [10, 100, 1000]
    game = kb.load("tic-tac-toe")
    referee = kb.Referee(game)
    referee.apply([{name: action for action, name in referee.view(0).legal}["a1"]])
    for point, simulations in zip(corner.lines[1].points, (10, 100), strict=True):
        made = [
            kb.advise(game, referee.view(1), f"uct(simulations={simulations})", seed=i).values[1]
            for i in range(3)
        ]
        assert point.figure.value == pytest.approx(sum(made) / 3)
        assert point.games == 3
    assert comparison.complete
    (row,) = comparison.rows
    assert row.ours == corner.lines[1].points[-1].figure
    assert (row.games, row.verdict) == (3, "agrees")
    stored = json.loads((tmp_path / "out" / "searches.json").read_text())
    assert stored == json.loads(json.dumps([each.to_json() for each in comparison.curves]))
    assert not compare(load(file), None).complete


def test_a_scale_makes_searches_shorter(file: Path, tmp_path: Path) -> None:
    file.write_text(SEARCH)
    comparison = reproduce(load(file), scale=0.1, directory=tmp_path / "out")
    assert [point.at for point in comparison.curves[0].lines[0].points] == [1, 10]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ('moves = ["a1"]', 'moves = ["z9"]', "'after a corner': unknown move 'z9'"),
        ('moves = ["a1"]', "player = 1", "player 1 is not on turn there"),
        ('moves = ["a1"]', "players = [2]", "has 2 players"),
        ('moves = ["a1"]', 'position = "x"', "'after a corner'"),
        ('game = "tic-tac-toe"', 'game = "tic-tac-tow"', "did you mean tic-tac-toe"),
        ('planners = ["uct"]', 'planners = ["ucb"]', "unknown planner 'ucb'"),
        ('planners = ["uct"]', 'planners = ["uct(simulations=5)"]', "must leave out simulations"),
        ("at = [10, 100]", "at = []", "at must have 1 to 200 points"),
        ("at = [10, 100]", "at = [0]", "must be more than 0"),
        ("at = [10, 100]", "at = {from = 1}", "from = ..., to = ..., points = ..."),
        ("at = [10, 100]", "", "needs at = ..."),
        ('search = "after a corner"', 'search = "after a corer"', "did you mean after a corner"),
        ('search = "after a corner"', "", "needs search = ..."),
        ("player = 1\npaper", "player = 2\npaper", "has no line of player 2"),
        ("player = 1\npaper", 'planner = "pomcp"\npaper', "unknown planner of a search 'pomcp'"),
        (
            'moves = ["a1"]',
            'moves = ["a1"]\nmeasure = "exploitability"',
            "leave out moves and player",
        ),
        (
            'moves = ["a1"]',
            'moves = ["a1"]\nmeasure = "exploitability of play"',
            "leave out moves and player",
        ),
    ],
)
def test_searches_that_cannot_be(file: Path, tmp_path: Path, old: str, new: str, expected: str) -> None:
    assert old in SEARCH
    file.write_text(SEARCH.replace(old, new, 1))
    with pytest.raises(ValueError, match=re.escape(expected)):
        reproduce(load(file), directory=tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_the_command_draws_searches(file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("matplotlib")
    file.write_text(SEARCH)
    assert main(["reproduce", str(file), "--out", str(tmp_path / "out")]) == 0
    out = capsys.readouterr().out
    assert "after a corner" in out
    assert f"The searches are in {tmp_path / 'out'}." in out
    assert (tmp_path / "out" / "curves.svg").read_text().count("<g") > 10


def test_the_states_of_the_appendix_are_those_of_the_examples() -> None:
    searches = load("king-up-convergence").searches
    assert len(searches) == 12
    folder = Path(__file__).parent.parent / "examples" / "king-up"
    for number, search in enumerate(searches, 1):
        assert search.title.startswith(f"Figure 4.{number}:")
        lines = (folder / f"figure-4.{number}.txt").read_text(encoding="utf-8").splitlines()
        assert (search.position or "").splitlines() == [line for line in lines if not line.startswith("#")]


def test_visits_as_a_strategy() -> None:
    def of(planner: str, visits: bool) -> float:
        return kb.exploitability("rock-paper-scissors", planner, visits=visits, samples=1).mean

    # One answer is a pure strategy, which always can be beaten; the visits behind it are nearly even.
    mixing = "pomcp-pgt(simulations=5000, selection=regret-matching)"
    assert of(mixing, visits=False) == pytest.approx(1)
    assert of(mixing, visits=True) < 0.1
    assert of("random", visits=True) == pytest.approx(1)  # it counts none


def test_exploitability_of_play_is_that_of_the_answers(file: Path) -> None:
    file.write_text(
        HEAD
        + """
[[search]]
title = "given away"
game = "kuhn-poker"
planners = ["flat-mc"]
measure = "exploitability of play"
at = [5, 50]
searches = 3

[[search]]
title = "depth"
game = "kuhn-poker"
planners = ["flat-mc", "uct"]
measure = "depth"
at = [5, 50]
"""
    )
    given, depth = measure_all(load(file))
    for point in given.lines[0].points:
        spec = f"flat-mc(simulations={point.at:.0f})"
        assert point.figure.value == kb.exploitability("kuhn-poker", spec, samples=3).mean
    flat, tree = ([point.figure.value for point in line.points] for line in depth.lines)
    assert flat == [1, 1]  # one move, and a playout
    assert tree[0] < tree[1]


@pytest.mark.parametrize("name", [name for name in names() if name.startswith("king-up-table")])
def test_the_published_win_rates_add_up_to_one(name: str) -> None:
    targets = load(name).targets
    for pairing in {target.pairing for target in targets}:
        rates = [each.paper for each in targets if each.pairing == pairing and each.measure == "win rate"]
        assert len(rates) == 3
        assert sum(rates) == pytest.approx(1, abs=0.0011)
