"""Reports: the figures are those of the one summary, in every form; and nothing hostile gets through."""

from __future__ import annotations

import csv
import io
import json
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import kibitz as kb
from kibitz.cli import main
from kibitz.lab import Experiment, Fault, Record, replay
from kibitz.lab.reports import Report
from kibitz.lab.reports.figures import blocks
from kibitz.lab.reports.names import Budget, clip, read, shorten
from kibitz.lab.reports.page import table as page_table
from kibitz.lab.reports.plots import plots, png, svg
from kibitz.lab.reports.text import table
from kibitz.lab.results import open_results, read_file
from test_replay import read_page

BAD = "<script>alert(1)</script>\"'&$_{x}$\x1b[2J"


def record(
    returns: tuple[float, ...], planners: tuple[str, ...] = ("uct", "random"), **more: Any
) -> Record:
    seats = len(returns) or 2
    known: dict[str, Any] = {
        "episode": 0, "seating": tuple(range(seats)), "steps": 5, "seconds": (0.2,) * seats,
        "moves": (4,) * seats, "slowest": (0.1,) * seats, "simulations": (400,) * seats,
        "game": "tic-tac-toe", "seed": 0,
    }  # fmt: skip
    return Record(returns=returns, planners=planners, **{**known, **more})


def several(
    game: str, planners: tuple[str, ...], deals: int, *, seed: int = 0, cell: str = "c"
) -> list[Record]:
    """Games as an experiment would record them, with returns that are made up but fixed."""
    found = []
    for deal in range(deals):
        for seating in ((0, 1), (1, 0)):
            first = 1.0 if (deal * 7 + seating[0] * 3 + seed) % 3 else -1.0
            found.append(
                record(
                    (first, -first),
                    planners,
                    game=game,
                    episode=deal,
                    seating=seating,
                    seed=seed,
                    cell=cell,
                )
            )
    return found


@pytest.fixture(scope="module")
def swept() -> Report:
    records = []
    for simulations in (100, 200, 400):
        planners = (
            f"uct(simulations={simulations}, exploration=0.7)",
            "pomcp(simulations=100, exploration=0.7)",
        )
        records += several("tic-tac-toe", planners, 6, cell=str(simulations))
    return kb.lab.report(records)


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from kibitz.lab.run import run

    folder = tmp_path_factory.mktemp("results") / "small"
    experiment = Experiment(
        "small",
        games=["tic-tac-toe", "rock-sample(4, 4)"],
        planners=["flat-mc", "random"],
        budgets={"simulations": [5, 20]},
        episodes=4,
        seeds=[0, 1],
    )
    run(experiment, folder, jobs=1)
    return folder


# Figures


def test_figures_are_those_of_the_match() -> None:
    result = kb.match("tic-tac-toe", ["uct(simulations=30)", "random", "flat-mc(simulations=30)"], games=12)
    block = kb.lab.report(result).blocks[0]
    assert {line.standing.planner: line.standing for line in block.lines} == {
        standing.planner: standing for standing in result.standings
    }
    assert block.result.meetings == result.meetings
    assert block.head == f"{result.games} games on {result.deals} deals, seed 0"


def test_cells_of_the_same_game_are_put_together() -> None:
    same = several("tic-tac-toe", ("uct", "random"), 3) + several(
        "tic-tac-toe", ("random", "uct"), 3, seed=1
    )
    block = kb.lab.report(same).blocks[0]
    assert {line.name: line.standing.games for line in block.lines} == {"uct": 12, "random": 12}
    assert block.seeds == [0, 1]
    assert block.result.deals == 6


def test_the_same_deal_in_several_cells_is_one_deal() -> None:
    together = several("tic-tac-toe", ("uct", "random"), 3, cell="a") + several(
        "tic-tac-toe", ("flat-mc", "random"), 3, cell="b"
    )
    assert kb.lab.report(together).blocks[0].result.deals == 3


def test_games_apart() -> None:
    both = several("tic-tac-toe", ("uct", "random"), 2) + several("connect-four", ("uct", "random"), 3)
    assert [(block.facts.spec, block.result.games) for block in blocks(both)] == [
        ("tic-tac-toe", 4),
        ("connect-four", 6),
    ]


def test_a_planner_against_itself() -> None:
    block = kb.lab.report(several("tic-tac-toe", ("uct", "uct"), 2)).blocks[0]
    assert sorted(line.name for line in block.lines) == ["uct", "uct #2"]


def test_faults_are_shown_and_count_as_lost() -> None:
    broken = record(
        (), seconds=(), moves=(), slowest=(), simulations=(), fault=Fault("raised", 1, "ValueError: no")
    )
    made = kb.lab.report(
        [record((1.0, -1.0)), broken, broken, replace(broken, fault=Fault("endless", None, "cap"))]
    )
    block = made.blocks[0]
    assert block.result.faults == 3
    assert {line.name: (line.standing.games, line.standing.faults) for line in block.lines} == {
        "uct": (3, 0),
        "random": (3, 2),
    }
    assert "2 games count as lost, with the worst return: random raised (ValueError: no)" in str(made)
    assert "1 game left out: the game did not end (cap)" in str(made)
    assert "could move a planner's figures by up to 25.0 % of their range" in str(made)
    assert "ValueError: no" in made.html()


def test_nothing_but_faults(tmp_path: Path) -> None:
    broken = record((), seconds=(), moves=(), slowest=(), simulations=(), fault=Fault("died", None, ""))
    made = kb.lab.report([broken])
    assert "1 game left out" in str(made)
    read_page(made.html())
    assert made.csv().count("\n") == 3
    assert made.save_plots(tmp_path, "svg") == []


def test_games_that_cannot_be_loaded() -> None:
    made = kb.lab.report([record((3.0,), ("mine.py",), game="examples/none.py", seating=(0,))])
    assert made.blocks[0].facts.players == ("player 1",)


@pytest.mark.parametrize(
    ("records", "answer"),
    [
        ([], "nothing to report on"),
        ([record((1.0, -1.0), ())], "do not name their planners"),
        ([record((1.0, -1.0)), record((1.0,), seating=(0,))], "not of one game"),
    ],
)
def test_records_that_do_not_fit(records: list[Record], answer: str) -> None:
    with pytest.raises(ValueError, match=answer):
        kb.lab.report(records)


# Names


def test_budgets() -> None:
    assert read("uct(simulations=100, nodes=5)").budget == Budget("simulations", 100)
    assert read("uct(milliseconds=5)").budget == Budget("milliseconds", 5)
    assert read("random").budget is None
    assert read("uct(simulations=none)").budget is None
    assert read("uct(simulations=100, exploration=2) #2").family.text() == "uct(exploration=2) #2"


def test_short_names_stay_different() -> None:
    long = ["pomcp(simulations=100, exploration=20)", "pomcp(simulations=100, exploration=30)", "random"]
    assert shorten(long).short == ["pomcp(exploration=20)", "pomcp(exploration=30)", "random"]
    assert shorten(long).common == "all with simulations=100"
    assert shorten(["uct(simulations=100, exploration=20)"]).common == ""
    assert shorten(["uct", "random"]).short == ["uct", "random"]
    mixed = [
        "pomcp(playout=random, simulations=100)",
        "pomcp(playout=random, simulations=200)",
        "uct(simulations=3)",
    ]
    assert shorten(mixed).short == [
        "pomcp(simulations=100)",
        "pomcp(simulations=200)",
        "uct(simulations=3)",
    ]
    assert shorten(mixed).common == "pomcp with playout=random"
    twice = ["pomcp(simulations=100, exploration=20)", "pomcp(simulations=100, exploration=20) #2"]
    assert shorten(twice).short == ["pomcp", "pomcp #2"]
    assert clip("x" * 100).count("x") == 38


def test_budgets_have_a_column_in_a_sweep(swept: Report) -> None:
    text = str(swept)
    assert "\nall with exploration=0.7\n" in text
    assert re.search(r"^uct +400 simulations +12 ", text, re.MULTILINE)
    rows = [line.split() for line in text.splitlines() if line.startswith("uct ")]
    assert [row[1] for row in rows] == ["100", "200", "400"]


def test_columns_without_figures_are_left_out() -> None:
    block = kb.lab.report([record((1.0, -1.0), simulations=(0, 0))]).blocks[0]
    head = table([], solo=False)[0]
    assert "faults" not in head
    assert "sims/move" not in str(kb.lab.report([record((1.0, -1.0), simulations=(0, 0))]))
    assert block.lines[0].standing.seconds_a_move == pytest.approx(0.05)


# Forms


def test_csv(swept: Report) -> None:
    rows = list(csv.DictReader(io.StringIO(swept.csv())))
    assert len(rows) == 4
    for row, line in zip(rows, swept.blocks[0].lines, strict=True):
        standing = line.standing
        assert row["planner"] == standing.planner
        assert float(row["win_rate"]) == pytest.approx(standing.wins / standing.games)
        assert standing.win_rate is not None
        assert float(row["win_low"]) == pytest.approx(standing.win_rate.low)
        assert float(row["mean_return"]) == pytest.approx(standing.mean_return)
    formula = kb.lab.report([record((1.0, -1.0), ("=cmd()", "random"))])
    assert "'=cmd()" in formula.csv()


def test_latex(swept: Report) -> None:
    tex = swept.latex()
    rows = [line for line in tex.splitlines() if line.endswith(r"\\")]
    assert len(rows) == 5
    assert len({row.count(" & ") for row in rows}) == 1
    assert re.search(r"\$-\d", tex)
    hostile = kb.lab.report([record((1.0, -1.0), (r"a_b%#&\input{x}", "random"))]).latex()
    assert r"a\_b\%\#\&\textbackslash{}input\{x\}" in hostile


def test_page(swept: Report) -> None:
    page = swept.html()
    tags = read_page(page).tags
    assert tags.count("table") == 1
    assert tags.count("tr") == 5
    assert tags.count("svg") == len(plots(swept.blocks[0])) == 3
    assert "<metadata" not in page
    assert "take deals as the unit" in page
    assert "currentColor" in page
    assert "kibitz " + kb.__version__ in page


def test_notebook(swept: Report) -> None:
    fragment = swept._repr_html_()
    assert fragment.count("<table") == 1
    assert fragment.count("data:image/svg+xml") == 3
    assert "<script" not in fragment


def test_hostile_names_are_only_names(tmp_path: Path) -> None:
    games = several(BAD, (BAD, "uct(simulations=10)"), 4)
    broken = replace(games[0], returns=(), fault=Fault("raised", 0, BAD))
    made = kb.lab.report([*games, broken])
    page = made.html()
    assert "alert(1)</script>" not in page
    assert read_page(page).tags.count("script") == 1
    assert "<script" not in made._repr_html_()
    assert "\x1b" not in str(made) + made.csv() + made.latex() + page
    written = made.save_plots(tmp_path / "plots", "svg")
    assert all(path.parent == tmp_path / "plots" for path in written)
    assert all(re.fullmatch(r"[A-Za-z0-9.-]+", path.name) for path in written)
    assert all("<script" not in path.read_text() for path in written)


# Plots


def test_plots_are_the_same_each_time(swept: Report) -> None:
    block = swept.blocks[0]
    assert list(plots(block)) == ["budget", "returns", "time"]
    for draw in plots(block).values():
        picture = svg(draw())
        assert picture == svg(draw())
        assert "date" not in picture.lower()
        assert png(draw()).startswith(b"\x89PNG")


def test_plots_leave_no_trace(swept: Report) -> None:
    import matplotlib as mpl

    before = dict(mpl.rcParams)
    for draw in plots(swept.blocks[0]).values():
        svg(draw())
    assert dict(mpl.rcParams) == before


def test_matrix_where_all_have_met() -> None:
    games = [
        game
        for pair in (("uct", "random"), ("uct", "flat-mc"), ("flat-mc", "random"))
        for game in several("tic-tac-toe", pair, 4, cell="-".join(pair))
    ]
    block = kb.lab.report(games).blocks[0]
    assert list(plots(block)) == ["matrix", "returns", "time"]
    axes = plots(block)["matrix"]().axes[0]
    shown = [text.get_text() for text in axes.texts]
    assert shown.count("n=8") == 6
    both = [int(text) for text in shown if text.isdecimal()]
    assert sum(both) == pytest.approx(300, abs=3)  # each pair's shares add up to 100


def test_intervals_are_in_the_picture(swept: Report) -> None:
    block = swept.blocks[0]
    axes = plots(block)["budget"]().axes[0]
    assert axes.get_xscale() == "log"
    first = next(line for line in block.lines if line.family == "uct")
    drawn = axes.containers[0].lines[2][0].get_segments()[0]  # type: ignore[attr-defined]
    assert first.standing.win_rate is not None
    assert drawn[:, 1] == pytest.approx(list(first.standing.win_rate))


def test_returns_of_many_kinds_are_violins() -> None:
    games = [
        record((value / 7,), ("pomcp",), game="tiger", seating=(0,), episode=value) for value in range(20)
    ]
    axes = plots(kb.lab.report(games).blocks[0])["returns"]().axes[0]
    assert len(axes.collections) >= 1
    few = [
        record((value % 2,), ("pomcp",), game="tiger", seating=(0,), episode=value) for value in range(20)
    ]
    axes = plots(kb.lab.report(few).blocks[0])["returns"]().axes[0]
    assert [bar.get_width() for bar in axes.patches] == [0.5, 0.5]


def test_many_planners_and_one_value() -> None:
    games = [
        record((0.0,), (f"random #{number}",), game="tiger", seating=(0,), cell=str(number))
        for number in range(40)
    ]
    for draw in plots(kb.lab.report(games).blocks[0]).values():
        assert svg(draw())


def test_importing_is_cheap() -> None:
    code = (
        "import sys, kibitz.lab; print([name for name in ('polars', 'matplotlib') if name in sys.modules])"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert out.strip() == "[]"


# Stored results and the command


def test_directory(directory: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "report.html"
    words = [
        str(directory),
        "--html",
        str(out),
        "--csv",
        str(tmp_path / "a.csv"),
        "--latex",
        str(tmp_path / "a.tex"),
    ]
    assert main(["report", *words, "--svg", str(tmp_path / "plots"), "--png", str(tmp_path / "plots")]) == 0
    text = capsys.readouterr().out
    assert text.startswith("tic-tac-toe: ")
    assert "rock-sample(4, 4): " in text
    page = out.read_text()
    assert read_page(page).tags.count("h1") == 1
    for part in (
        "A game of each pairing",
        "resolved configuration",
        "machine",
        "seeds",
        "flat-mc(simulations=5)",
    ):
        assert part in page
    assert page.count('class="replay"') >= 2
    assert (tmp_path / "a.csv").read_text().startswith("game,planner")
    assert r"\toprule" in (tmp_path / "a.tex").read_text()
    kinds = {path.suffix for path in (tmp_path / "plots").iterdir()}
    assert kinds == {".svg", ".png"}


def test_single_files(directory: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", str(directory)]) == 0
    whole = capsys.readouterr().out
    assert main(["report", str(directory / "episodes.parquet")]) == 0
    assert capsys.readouterr().out == whole
    lines = tmp_path / "episodes.jsonl"
    lines.write_text("".join(each.to_json() + "\n" for each in open_results(directory).records()))
    assert main(["report", str(lines)]) == 0
    assert capsys.readouterr().out == whole


def test_unfinished_results_say_so(
    directory: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(directory, copy)
    frame = read_file(copy / "episodes.parquet")
    frame.head(len(frame) - 1).write_parquet(copy / "episodes.parquet")
    assert main(["report", str(copy)]) == 0
    assert "Not complete: 1 of " in capsys.readouterr().out
    assert "games still to play" in kb.lab.report(copy).html()


def test_replays_that_cannot_be_shown(directory: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(directory, copy)
    kept = sorted((copy / "replays").glob("*.json"))
    assert kept
    for path in kept:
        path.write_text("{}")
    page = kb.lab.report(copy).html()
    assert "Some saved games cannot be shown" in page
    assert "schema is missing" in page


@pytest.mark.parametrize("content", ["", "{}\n", '{"schema": 99}\n', "\x00\x01\n", "[" * 5000 + "\n"])
@pytest.mark.parametrize("name", ["a.jsonl", "a.parquet"])
def test_bad_files(content: str, name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / name).write_text(content)
    assert main(["report", str(tmp_path / name)]) == 2
    err = capsys.readouterr().err
    assert err.startswith("kibitz: ")
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    "change",
    [
        {"moves": [1]},
        {"simulations": []},
        {"slowest": [0.1]},
        {"seconds": [0.1]},
        {"moves": [None, 1]},
        {"returns": [None, 1.0]},
        {"seconds": [None, 1.0]},
        {"planners": ["uct", None]},
        {"seating": [0, 7]},
        {"fault": {"kind": "raised", "seat": 9, "what": ""}},
        {"fault": {"kind": "bored", "seat": 0, "what": ""}},
    ],
)
def test_records_that_cannot_be(
    change: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    import polars as pl

    plain = {**json.loads(record((1.0, -1.0)).to_json()), **change}
    lines = tmp_path / "a.jsonl"
    lines.write_text(record((1.0, -1.0)).to_json() + "\n")
    schema = read_file(lines).schema
    lines.write_text(json.dumps(plain) + "\n")
    pl.DataFrame([plain], schema=schema).write_parquet(tmp_path / "a.parquet")
    for path, answer in (lines, "line 1"), (tmp_path / "a.parquet", "cannot be"):
        assert main(["report", str(path)]) == 2
        assert answer in capsys.readouterr().err


def test_bad_directories(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", str(tmp_path)]) == 2
    assert "no experiment.json" in capsys.readouterr().err
    assert main(["report", str(tmp_path / "none")]) == 2
    assert "there is no file" in capsys.readouterr().err
    (tmp_path / "experiment.json").write_text(json.dumps({"schema": 1}))
    assert main(["report", str(tmp_path)]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_nowhere_to_write(directory: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", str(directory), "--html", str(tmp_path / "none" / "a.html")]) == 2
    assert "No such file" in capsys.readouterr().err
    (tmp_path / "file").write_text("")
    assert main(["report", str(directory), "--svg", str(tmp_path / "file")]) == 2
    assert "exists" in capsys.readouterr().err.lower()


def test_replays_are_those_of_the_records(directory: Path) -> None:
    specs = {cell.planners for cell in open_results(directory).cells}
    for path in (directory / "replays").glob("*.json"):
        kept = replay.load(path)
        assert any({*kept.planners} <= {*planners} for planners in specs)
        assert len(list(kept.frames())) == len(kept.steps)


def test_each_pairing_has_a_game_of_its_own(tmp_path: Path) -> None:
    planners = ["random", "uct(simulations=5)", "flat-mc(simulations=5)"]
    kb.lab.run(
        Experiment("pairs", games=["tic-tac-toe"], planners=planners, episodes=2), tmp_path / "out", jobs=1
    )
    kept = [replay.load(path).planners for path in (tmp_path / "out" / "replays").glob("*.json")]
    assert sorted(map(sorted, kept)) == [
        ["flat-mc(simulations=5)", "random"],
        ["flat-mc(simulations=5)", "uct(simulations=5)"],
        ["random", "uct(simulations=5)"],
    ]


def test_whose_games_do_not_count_has_no_rating() -> None:
    names = ("a", "b", "c", "d")
    won = [
        record((1.0, -1.0), names, seating=seating, episode=deal)
        for deal in range(3)
        for seating in ((0, 1), (1, 2), (0, 2))
    ]
    rows = kb.lab.summarise(kb.load("tic-tac-toe"), names, won).standings
    assert all(row.elo is not None for row in rows[:3])
    assert (rows[3].games, rows[3].elo) == (0, None)


def test_intervals_stand_below_their_figures() -> None:
    page = page_table(
        ["planner", "wins", "95 %", "Elo", "95 %"], [["a", "50 %", "40 to 60", "+1", "0 to 2"]]
    )
    assert page.count("<td") == 3
    assert '<td data-head="wins">50 % <small>40 to 60</small></td>' in page
    assert '<td data-head="Elo">+1 <small>0 to 2</small></td>' in page


def test_beliefs_without_a_picture_are_listed() -> None:
    kept = replay.of(kb.play("tiger", "pomcp(simulations=20)", seed=1, max_steps=4))
    page = kb.lab.reports.replay_page(kept, belief="exact")
    assert "what listener may believe: exact" in page
    assert "probability" in page
