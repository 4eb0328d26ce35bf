"""The curves of reproductions: what a [[curve]] says, what is measured, printed and drawn."""

from __future__ import annotations

import json
import math
import re
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from kibitz.cli import main
from kibitz.lab import ExperimentError, Interval
from kibitz.lab.curves import Line, Measured, Point
from kibitz.lab.reports.curves import draw
from kibitz.lab.reports.plots import png
from kibitz.lab.reproduce import compare, reproduce
from kibitz.lab.reproductions import Curve, Published, load
from kibitz.lab.statistics.agreement import Figure
from tables import cases

BOMB = """
[reproduction]
title = "Exploding bomb"
source = "nobody (1900)"
where = "nowhere"

[experiment]
games = ["exploding-bomb.kif"]
planners = ["norns(simulations=[5, 50])", "norns(simulations=[5], tree=belief)", "random"]
episodes = 6

[[figure]]
name = "fifty"
measure = "mean return"
planner = "norns(simulations=50)"
paper = 90
tolerance = 1

[[curve]]
title = "the bomb"
planners = ["norns", "norns(tree=belief)"]
paper = [
    {at = 100, value = 90, error = 2},
    {value = 66.7, name = "level"},
]
"""


@pytest.fixture
def bomb(tmp_path: Path) -> Path:
    path = tmp_path / "bomb.toml"
    path.write_text(BOMB)
    return path


def test_a_curve_has_the_figures_of_its_cells(bomb: Path, tmp_path: Path) -> None:
    comparison = reproduce(load(bomb), directory=tmp_path / "out", jobs=1)
    (measured,) = comparison.curves
    norns, belief = measured.lines
    assert (norns.planner, belief.planner) == ("norns", "norns(tree=belief)")
    assert [point.at for point in norns.points] == [5, 50]
    assert [point.at for point in belief.points] == [5]
    assert norns.points[1].figure == comparison.rows[0].ours
    assert norns.points[1].games == 6
    lines = str(comparison).splitlines()
    table = [line.split() for line in lines if line.startswith("the bomb")]
    assert [row[2:4] for row in table[:2]] == [["norns", "5"], ["norns", "50"]]
    assert ["the", "bomb", "paper", "100", "90.00", "86.08", "to", "93.92"] in table
    assert ["the", "bomb", "level", "66.7"] in table


def test_a_curve_by_cost_joins_the_planners_of_a_name(bomb: Path, tmp_path: Path) -> None:
    bomb.write_text(BOMB.replace('title = "the bomb"', 'title = "the bomb"\nparameter = "CPU seconds"'))
    comparison = reproduce(load(bomb), directory=tmp_path / "out", jobs=1)
    every, belief = comparison.curves[0].lines
    # All of them are called norns; one with tree=belief.
    assert (len(every.points), len(belief.points)) == (3, 1)
    costs = [point.at for point in every.points]
    assert costs == sorted(costs)
    assert costs[0] > 0
    assert belief.points[0] in every.points
    assert comparison.save_pictures(tmp_path)
    bomb.write_text(
        bomb.read_text().replace('planners = ["norns", "norns(tree=belief)"]', 'planners = ["uct"]')
    )
    with pytest.raises(ValueError, match="no uct plays"):
        reproduce(load(bomb), directory=tmp_path / "none", jobs=1)


def test_the_command_draws_them(
    bomb: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    command = ["reproduce", str(bomb), "--jobs", "1", "--out", str(tmp_path / "out")]
    assert main(command) == 0
    png, svg = tmp_path / "out" / "curves.png", tmp_path / "out" / "curves.svg"
    assert f"The pictures are in {png} and {svg}." in capsys.readouterr().out
    assert png.read_bytes().startswith(b"\x89PNG")
    assert ElementTree.fromstring(svg.read_text()).tag.endswith("svg")
    # The same results give the same picture, and the folder is still one to go on in.
    before = svg.read_bytes()
    assert main([*command, "--json"]) == 0
    plain = json.loads(capsys.readouterr().out)
    assert svg.read_bytes() == before
    assert plain["pictures"] == [str(png), str(svg)]
    (curve,) = plain["curves"]
    assert curve["parameter"] == "simulations"
    assert [[point["at"] for point in line["points"]] for line in curve["planners"]] == [[5, 50], [5]]
    assert curve["planners"][0]["points"][1]["value"] == plain["figures"][0]["ours"]["value"]
    assert curve["paper"][1] == {"name": "level", "at": None, "value": 66.7, "interval": None}
    # Without matplotlib the figures are there all the same.
    png.unlink()
    for name in [name for name in sys.modules if name.partition(".")[0] == "matplotlib"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert main(command) == 0
    out, err = capsys.readouterr()
    assert err.strip() == "no pictures: matplotlib is not installed"
    assert "the bomb" in out
    assert not png.exists()


def test_a_folder_that_cannot_be_written_is_said(
    bomb: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "out").mkdir()
    assert main(["reproduce", str(bomb), "--jobs", "1", "--out", str(tmp_path / "out")]) == 0
    (tmp_path / "out" / "curves.png").unlink()
    (tmp_path / "out" / "curves.png").mkdir()
    capsys.readouterr()
    assert main(["reproduce", str(bomb), "--jobs", "1", "--out", str(tmp_path / "out")]) == 0
    assert "no pictures: " in capsys.readouterr().err


def test_an_unfinished_run_draws_what_there_is(
    bomb: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    bomb.write_text(BOMB.replace("simulations=[5, 50]", "simulations=[5, 200000]").replace("=50)", "=5)"))

    def stop(_: object) -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr("kibitz.cli.match.progress", stop)
    assert main(["reproduce", str(bomb), "--jobs", "1", "--json", "--out", str(tmp_path / "out")]) == 130
    plain = json.loads(capsys.readouterr().out)
    assert not plain["complete"]
    played = [point["games"] for line in plain["curves"][0]["planners"] for point in line["points"]]
    assert sum(played) < 18
    assert all(played)
    assert all(Path(path).exists() for path in plain["pictures"])
    assert bool(plain["pictures"]) == bool(played)


def test_before_anything_is_played_there_is_no_picture(bomb: Path, tmp_path: Path) -> None:
    comparison = compare(load(bomb), None)
    assert comparison.curves == []
    assert comparison.save_pictures(tmp_path / "none") == []
    assert not (tmp_path / "none").exists()


def test_a_heat_map_has_a_row_for_each_planner(bomb: Path, tmp_path: Path) -> None:
    bomb.write_text(BOMB.replace('title = "the bomb"', 'title = "the bomb"\nstyle = "heat map"'))
    comparison = reproduce(load(bomb), directory=tmp_path / "out", jobs=1)
    _, svg = comparison.save_pictures(tmp_path)
    # A figure for each cell that was played, and no lines.
    drawn = draw(comparison.curves, "title", "caption")
    (axes,) = drawn.axes
    played = sum(len(line.points) for line in comparison.curves[0].lines)
    assert len(axes.texts) == played == 3
    assert not axes.lines
    assert [label.get_text() for label in axes.get_yticklabels()] == ["norns", "tree=belief"]
    assert ElementTree.fromstring(svg.read_text()).tag.endswith("svg")
    bomb.write_text(BOMB.replace('title = "the bomb"', 'title = "the bomb"\nstyle = "heatmap"'))
    with pytest.raises(ExperimentError, match="heat map"):
        load(bomb)


def test_mistakes_are_listed_with_their_lines(bomb: Path) -> None:
    curve = """
[[curve]]
titel = "x"
planners = ["norns(simulations=4)", "norns("]
measure = "exact value"
paper = [
    {at = 0, value = 1},
    {at = 1, valu = 1},
    7,
]

[[curve]]
title = "shares"
planners = []
measure = "win rate"
paper = [{value = 3}]

[[curve]]
title = "replays"
planners = ["norns"]
measure = "undiscounted return"
paper = 3
"""
    first = BOMB.count("\n") + 1
    bomb.write_text(BOMB + curve)
    with pytest.raises(ExperimentError) as caught:
        load(bomb)
    words = str(caught.value)
    for line, expected in (
        (1, "a [[curve]] needs title"),
        (2, "unknown key 'titel'; did you mean title?"),
        (3, "'norns(simulations=4)' must leave out simulations, which is the x axis"),
        (4, 'measure must be "mean return" or "undiscounted return" or "win rate"'),
        (6, "at must be more than 0"),
        (7, "unknown key 'valu'; did you mean value?"),
        (7, "a point of the paper needs value"),
        (8, "must be a table, not a number"),
        (13, "planners is an empty list"),
        (15, "a share is from 0 to 1, not 3"),
        (17, "an undiscounted return is read from replays"),
        (21, "paper must be a list of points"),
    ):
        assert re.search(rf"line {first + line}: .*{re.escape(expected)}", words), (line, expected, words)
    bomb.write_text(BOMB + 15 * '[[curve]]\ntitle = "x"\nplanners = ["norns"]\n')
    with pytest.raises(ExperimentError, match="at most 15"):
        load(bomb)


@cases(
    "old new expected",
    r"""
    , "norns(tree=belief)"] | , "pomcp"] | pomcp does not play exploding-bomb.kif
    title = "the bomb" | title = "the bomb"\nparameter = "depth" | with depth=...
    episodes = 6 | episodes = 6\nseeds = [1, 2] | is in several cells
    """,
)
def test_curves_of_nothing_are_refused_before_anything_is_played(
    bomb: Path, tmp_path: Path, old: str, new: str, expected: str
) -> None:
    bomb.write_text(BOMB.replace(old, new))
    with pytest.raises(ExperimentError, match=re.escape(expected)) as caught:
        reproduce(load(bomb), directory=tmp_path / "out", jobs=1)
    assert all(mistake.line for mistake in caught.value.mistakes)
    assert not (tmp_path / "out").exists()


def test_curves_in_a_game_of_two_say_whom_they_met(tmp_path: Path) -> None:
    path = tmp_path / "two.toml"
    path.write_text(
        BOMB[: BOMB.index("[experiment]")]
        + """
[experiment]
games = ["tic-tac-toe"]
planners = ["uct(simulations=[2, 40])"]
against = ["random", "one-step"]
episodes = 8

[[figure]]
name = "x"
measure = "win rate"
planner = "uct(simulations=40)"
against = "random"
paper = 1
tolerance = 1

[[curve]]
title = "wins"
planners = "uct"
against = "random"
measure = "win rate"
"""
    )
    comparison = reproduce(load(path), directory=tmp_path / "out", jobs=1)
    (line,) = comparison.curves[0].lines
    assert [point.at for point in line.points] == [2, 40]
    assert line.points[1].figure == comparison.rows[0].ours
    assert "%" in str(comparison).splitlines()[-1]
    # An opponent of the same kind is no point of the curve.
    text = path.read_text()
    path.write_text(
        text.replace('"one-step"', '"uct(simulations=9)"').replace(
            'against = "random"\nmeasure', 'against = "uct(simulations=9)"\nmeasure'
        )
    )
    comparison = reproduce(load(path), directory=tmp_path / "same", jobs=1)
    assert [point.at for point in comparison.curves[0].lines[0].points] == [2, 40]
    path.write_text(text.replace('against = "random"\nmeasure', "measure"))
    with pytest.raises(ExperimentError, match="several cells"):
        reproduce(load(path), directory=tmp_path / "again", jobs=1)


def test_many_panels_and_odd_points_can_be_drawn() -> None:
    def panel(number: int) -> Measured:
        points = Published(2.0, at=1e6, error=0.1), Published(1.5), Published(1.0, at=3.0, name="other")
        curve = Curve(
            "a title that is long enough to be cut off at the end of a panel", ("p",), paper=points
        )
        alone = Point(10.0, Figure(1.0, Interval(-math.inf, math.inf)), 1)
        lines = Line("p", (alone, Point(1e5, Figure(2.0, Interval(1.0, 3.0)), 9))), Line(f"q{number}", ())
        return Measured(curve, lines)

    figure = draw([panel(number) for number in range(5)], "many", "somebody")
    assert len(figure.axes) == 5
    assert png(figure).startswith(b"\x89PNG")
    labels = [text.get_text() for text in figure.legends[0].get_texts()]
    assert labels == ["p", "paper", "other"]
    assert panel(0).to_json()["planners"][0]["points"][0]["interval"] is None
