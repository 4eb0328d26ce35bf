"""Reproductions by seat, and those that search positions instead of playing."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path

import pytest

import kibitz as kb
from kibitz.cli import main
from kibitz.lab import ExperimentError
from kibitz.lab.reproduce import compare, reproduce
from kibitz.lab.reproductions import load, names
from kibitz.lab.results import open_results
from kibitz.lab.searches import _find, _Searching, measure_all
from kibitz.lab.standings import win_shares
from kibitz.lab.statistics import mean_interval
from tables import cases


def figure(name: str, measure: str, *more: str, tolerance: float = 0.05) -> str:
    """A figure of all seats."""
    lines = f'name = "{name}"', f'measure = "{measure}"', 'pairing = "random, random, thinker"', *more
    return "\n".join(["", "[[figure]]", *lines, f"tolerance = {tolerance}", ""])


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
"""
    + figure("wins", "win rate", "paper = [0.3, 0.2, 0.5]", "games = 1000", 'ties = "lowest seat"')
    + figure("shared wins", "win rate", "paper = [0.3, 0.2, 0.5]")
    + figure("points", "mean return", "paper = [10, 11, 12]", "games = 1000", "scale = 50", tolerance=1)
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


@cases(
    "old new expected",
    r"""
    pairing = "random, random, thinker" | pairing = "random, random, thinkr" | unknown pairing
    seats = "fixed" |  | needs seats = "fixed"
    paper = [0.3, 0.2, 0.5] | paper = [0.3, 0.2, 0.5, 0.1] | has no player 3
    paper = [0.3, 0.2, 0.5] | paper = [0.3, 0.2, 0.5]\nplayer = 1 | one for each seat
    paper = [0.3, 0.2, 0.5] | paper = [0.3, "x", 0.5] | paper must be a number
    ties = "lowest seat" | ties = "none" | ties must be "shared" or "lowest seat"
    ties = "lowest seat" | scale = 2 | a share has no scale
    """,
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
    referee.apply([dict(zip(referee.view(0).names(), referee.view(0).legal(), strict=True))["a1"]])
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


@cases(
    "old new expected",
    r"""
    moves = ["a1"] | moves = ["z9"] | 'after a corner': unknown move 'z9'
    moves = ["a1"] | player = 1 | player 1 is not on turn there
    moves = ["a1"] | players = [2] | has 2 players
    moves = ["a1"] | position = "x" | 'after a corner'
    game = "tic-tac-toe" | game = "tic-tac-tow" | did you mean tic-tac-toe
    planners = ["uct"] | planners = ["ucb"] | unknown planner 'ucb'
    planners = ["uct"] | planners = ["uct(simulations=5)"] | must leave out simulations
    at = [10, 100] | at = [] | at must have 1 to 200 points
    at = [10, 100] | at = [0] | must be more than 0
    at = [10, 100] | at = {from = 1} | from = ..., to = ..., points = ...
    at = [10, 100] |  | needs at = ...
    search = "after a corner" | search = "after a corer" | did you mean after a corner
    search = "after a corner" |  | needs search = ...
    player = 1\npaper | player = 2\npaper | has no line of player 2
    player = 1\npaper | planner = "pomcp"\npaper | unknown planner of a search 'pomcp'
    moves = ["a1"] | moves = ["a1"]\nmeasure = "exploitability" | leave out moves, player and starts
    moves = ["a1"] | starts = 3\nmeasure = "exploitability of play" | leave out moves, player and starts
    """,
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


STARTS = (
    HEAD
    + """
[[search]]
title = "settled"
game = "king-up"
position = '''
votes: {0|1} {0|1} {0|1}
pieces: {A3|A4} {B0|} C2
mover: {1|2|3}
'''
planners = ["pomcp-pgt(playout=random)"]
measure = "settled"
within = 0.02
at = [10, 300]
starts = 40
searches = 2

[[search]]
title = "expected"
game = "leduc-poker"
planners = ["pomcp"]
players = [0]
at = [50]
starts = 40
searches = 2
"""
)


def test_many_starts(file: Path) -> None:
    file.write_text(STARTS)
    settled, expected = measure_all(load(file), scale=0.25)
    assert [(point.at, point.games) for point in settled.lines[0].points] == [(10, 10), (300, 10)]
    # The same by hand, of what anybody can make: ten starts, two searches of each.
    found = _Searching(load(file).searches[0], _find, 0.25).starts
    texts = {
        referee.state.text()
        for referee in (kb.Referee(game, start) for start, (game, _) in enumerate(found))
    }
    assert len(texts) > 5
    assert {view.player for _, view in found} == {0, 1, 2}
    for at, point in zip((10, 300), settled.lines[0].points, strict=True):
        count = 0
        for game, view in found:
            values, ends = (
                [
                    kb.advise(game, view, f"pomcp-pgt(simulations={n}, playout=random)", seed=i).values
                    for i in (0, 1)
                ]
                for n in (at, 300)
            )
            ends = [(first + second) / 2 for first, second in zip(*ends, strict=True)]
            count += all(
                abs(value - end) <= 0.02 for row in values for value, end in zip(row, ends, strict=True)
            )
        assert point.figure.value == pytest.approx(count / 10)
        interval = point.figure.interval
        assert interval is not None
        assert interval.low < count / 10 <= interval.high
    assert settled.lines[0].points[0].figure.value < settled.lines[0].points[1].figure.value
    # Other measures are means over all starts: other cards are dealt in each.
    (point,) = expected.lines[0].points
    game = kb.load("leduc-poker")
    views = [kb.Referee(game, start).view(0) for start in range(10)]
    made = [
        kb.advise(game, view, "pomcp(simulations=50)", seed=i).values[0] for view in views for i in (0, 1)
    ]
    assert (point.at, point.games) == (50, 20)
    assert point.figure.value == pytest.approx(sum(made) / 20)
    # The starts are the unit: searches of one start hang together.
    starts = [made[i : i + 2] for i in range(0, 20, 2)]
    assert point.figure.interval == pytest.approx(mean_interval(starts))


def test_a_search_alone_or_always_the_same_has_no_verdict(file: Path, tmp_path: Path) -> None:
    file.write_text(SEARCH.replace("searches = 3", "searches = 1"))
    (row,) = reproduce(load(file), directory=tmp_path / "out").rows
    assert (row.games, row.verdict) == (1, "cannot tell yet")
    alike = _Searching(load(file).searches[0], _find, 1.0)._mean([0.25] * 9, 0.95)
    assert (alike.value, alike.interval) == (0.25, (-math.inf, math.inf))


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("within = 0.02", "", "go together"),
        ('measure = "settled"', "", "go together"),
        ("searches = 2", "", "takes searches = 2 or more"),
        ("starts = 40", "starts = 0", "starts must be"),
        ("{B0|}", "{B0|B9}", "'settled'"),
    ],
)
def test_starts_that_cannot_be(file: Path, old: str, new: str, expected: str) -> None:
    file.write_text(STARTS.replace(old, new, 1))
    with pytest.raises(ValueError, match=re.escape(expected)):
        measure_all(load(file))


def test_random_starts_of_the_paper_s_game(tmp_path: Path) -> None:
    """Section 4.2.1 in small: of five starts at least four settle."""
    comparison = reproduce(load("king-up-random-starts"), scale=0.005, directory=tmp_path / "out")
    assert [(row.games, row.ours.value >= 0.8) for row in comparison.rows] == [(5, True)] * 2
    assert all(len(each.lines) == 2 for each in comparison.curves)


def test_the_states_of_the_appendix_are_those_of_the_examples() -> None:
    searches = load("king-up-convergence").searches
    names = [f"4.{number}" for number in range(1, 13)]
    folder = Path(__file__).parent.parent / "examples" / "king-up"
    for name, search in zip([*names, "4.12-set"], searches, strict=True):
        assert search.title.startswith(f"Figure {name.removesuffix('-set')}")
        lines = (folder / f"figure-{name}.txt").read_text(encoding="utf-8").splitlines()
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
    # Another seed has other searches.
    assert measure_all(load(file), seed=0) == [given, depth]
    given_too, depth_too = measure_all(load(file), seed=5)
    spec = "flat-mc(simulations=5)"
    alike = kb.exploitability("kuhn-poker", spec, samples=3, seed=15).mean
    assert given_too.lines[0].points[0].figure.value == alike
    assert depth_too.lines[1] != depth.lines[1]
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
