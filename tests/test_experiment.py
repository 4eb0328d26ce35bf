"""Experiments: the file, its mistakes, its cells, and figures that do not depend on how they were made."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import faulty
import kibitz as kb
from kibitz.cli import main
from kibitz.lab import Experiment, ExperimentError, Pairing, Results, Stop, read_toml, run
from kibitz.lab._toml_lines import lines
from kibitz.lab.cells import resolve, resolve_toml
from kibitz.lab.experiment import from_plain, to_plain
from kibitz.lab.results import open_results, read_file
from kibitz.lab.run import Coordinator, Live
from kibitz.lab.statistics import sprt
from kibitz.lab.sweep import sweep, with_parameter

ROOT = Path(__file__).parent.parent


def figures(results: Results) -> pl.DataFrame:
    return results.frame().drop("seconds", "slowest", "cpu", "busy")


def test_sweeps() -> None:
    assert sweep("a(x=[1, 2], y=[u(1, 2), 'v,[']))")[1] == "a(x=1, y='v,['))"
    assert sweep("a(x=b(c=[1, [2, 3]]))") == ["a(x=b(c=1))", "a(x=b(c=2))", "a(x=b(c=3))"]
    for wrong in ("a(x=[1", "a(x=[])", "a(x=[1,,2])"):
        with pytest.raises(ValueError, match=r"list"):
            sweep(wrong)
    with pytest.raises(ValueError, match="more than 1000"):
        sweep("a(" + ", ".join(f"p{i}=[0, 1]" for i in range(40)) + ")")
    assert with_parameter("uct()", "simulations", 5) == "uct(simulations=5)"


@given(
    st.lists(st.integers(0, 99), min_size=1, max_size=5),
    st.lists(st.integers(0, 99), min_size=1, max_size=5),
)
def test_sweeps_are_products(first: list[int], second: list[int]) -> None:
    expected = [f"a(x={x}, y={y})" for x in first for y in second]
    assert sweep(f"a(x={first}, y={second})") == expected


TOML = '''# a comment with [brackets] and "quotes"
[experiment]
name = "all"   # the name
games = ["tic-tac-toe", """kuhn-\\
   poker"""]
planners = [
    "uct(simulations=[10, 20])",  # two

    'random',
]
"episodes" = 8
seeds = [0,
         7]
stop.width = 0.5
[experiment.budgets]
exploration = [0.5, 1.0]
[[pairing]]
planners = ["random", "uct"]
[[pairing]]
planners = ["random"]
episodes = 2
'''


def test_lines_of_everything() -> None:
    found = lines(TOML)
    assert found["experiment", "games", 1] == 4
    assert found["experiment", "planners", 1] == 9
    assert found["experiment", "episodes"] == 11
    assert found["experiment", "seeds", 1] == 13
    assert found["experiment", "stop", "width"] == 14
    assert found["experiment", "budgets", "exploration"] == 16
    assert found["pairing", 1, "episodes"] == 21
    assert lines(TOML.replace("\n", "\r\n")) == found


def test_file_and_dataclass_say_the_same(tmp_path: Path) -> None:
    path = tmp_path / "all.toml"
    path.write_text(TOML)
    same = Experiment(
        "all",
        games=("tic-tac-toe", "kuhn-poker"),
        planners=("uct(simulations=[10, 20])", "random"),
        episodes=8,
        seeds=(0, 7),
        stop=Stop(width=0.5),
        budgets={"exploration": (0.5, 1.0)},
        pairings=(Pairing(("random", "uct")), Pairing(("random",), episodes=2)),
    )
    assert read_toml(path) == same
    mistakes: list[Any] = []
    assert from_plain(json.loads(json.dumps(to_plain(same))), mistakes) == same
    assert not mistakes
    # Two games and two seeds: uct(10) v uct(20) and each v random with two values of exploration,
    # uct v random with two, random alone with itself.
    assert len(same.cells()) == 2 * 2 * (3 * 2 + 2 + 1)
    assert {cell.deals for cell in same.cells()} == {4, 2}


def test_the_example_is_right(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["experiment", "example"]) == 0
    example = capsys.readouterr().out
    path = tmp_path / "example.toml"
    path.write_text(example)
    assert len(resolve_toml(path).cells) == 6
    # What is commented out is right too, as far as it goes together.
    bare = re.sub(r"^# (?=[a-z\[])", "", example, flags=re.MULTILINE)
    for left_out in ("width", "meet"):
        bare = re.sub(rf"^{left_out}.*\n", "", bare, flags=re.MULTILINE)
    kept = [line for line in bare.splitlines() if re.match(r'[a-z_0-9]+ = |\[|\]|    "|$', line)]
    path.write_text("\n".join(kept))
    experiment = resolve_toml(path).experiment
    assert experiment.stop == Stop(elo0=0, elo1=20)
    assert experiment.budgets
    assert experiment.against == ("flat-mc",)
    assert experiment.pairings[0].episodes == 50


WRONG = """[experiment]
name = "a/b"
gmes = ["tic-tac-toe"]
planners = [
    "uct(simulatons=[1, 2])",
    "sparse-uct",
    "randm",
    "human",
]
games = ["kuhn-poker", "tic-tac-tow", 3]
seats = [[0, 3]]
episodes = 0
move_seconds = -1
replays = "some"
seed = -5
[experiment.budgets]
depht = [1]
[experiment.stop]
width = 0.1
elo1 = 5
[[pairing]]
planner = ["random"]
[experimnt]
"""


def test_all_mistakes_at_once_with_their_lines(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "wrong.toml"
    path.write_text(WRONG)
    assert main(["experiment", "run", str(path), "--out", str(tmp_path / "out")]) == 2
    said = capsys.readouterr().err
    assert not (tmp_path / "out").exists()
    for line, words in (
        (2, "name becomes a folder's"),
        (3, "unknown key 'gmes'; did you mean games?"),
        (5, "unknown parameter 'simulatons'; did you mean simulations?"),
        (6, "sparse-uct cannot play kuhn-poker"),
        (7, "unknown planner 'randm'; did you mean random?"),
        (8, "a person cannot take part"),
        (10, "unknown game 'tic-tac-tow'; did you mean tic-tac-toe?"),
        (10, "games must be a text, not a number"),
        (11, "there is no planner 3 among 2"),
        (12, "episodes must be from 1 to"),
        (13, "move_seconds must be more than 0"),
        (14, 'replays must be "first" or "all" or "none"'),
        (15, "seed must be a whole number from 0"),
        (17, "no planner takes depht"),
        (18, "either a width, or elo0 and elo1"),
        (21, "a pairing needs planners"),
        (22, "unknown key 'planner'; did you mean planners?"),
        (23, "unknown table 'experimnt'; did you mean experiment?"),
    ):
        assert re.search(rf"line {line}: .*{re.escape(words)}", said), (line, words, said)
    assert "Traceback" not in said


POKER = "[experiment]\ngames = ['kuhn-poker']\n"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", "names no games"),
        ("[experiment", "line 1"),
        ("[experiment]\nname = 'a'\ngames = [", "line 3"),
        ("experiment = 3", "experiment must be a table"),
        ("[experiment]\ngames = []", "games is an empty list"),
        ("[experiment]\ngames = ['tiger']\nseed = 1\nseeds = [2]", "either seed or seeds"),
        ("[pairing]\nplanners = ['random']", "two brackets"),
        ("[experiment]\ngames = ['tiger']\nplanners = ['random']\nseats = 'left'", "seats must be"),
        ("[experiment]\ngames = ['kuhn-poker']\nplanners = ['random']\nseats = 'fixed'", "not 1 on 2"),
        (
            "[experiment]\ngames = ['kuhn-poker']\nplanners = ['random', 'uct']\nseats = [[0, 0]]",
            "has no seat",
        ),
        (
            "[experiment]\ngames = ['tiger']\nplanners = ['random']\nstop = {elo0 = 0, elo1 = 5}",
            "game of two",
        ),
        ("[experiment]\ngames = ['own.py']\nplanners = ['random']", "no file own.py"),
    ],
)
def test_one_mistake_is_said(
    content: str, words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "wrong.toml"
    path.write_text(content)
    assert main(["experiment", "check", str(path)]) == 2
    assert words in capsys.readouterr().err


@given(
    st.text(max_size=60) | st.from_regex(r"(\[|\]|=|\"|'|#|\n|a|\.|,|\{|\}|[0-9]){0,30}", fullmatch=True)
)
def test_any_text_is_answered_with_a_sentence(text: str) -> None:
    import tomllib

    try:
        document = tomllib.loads(text)
    except ValueError:
        return
    lines(text)
    mistakes: list[Any] = []
    from_plain(document, mistakes)
    assert all(mistake.what for mistake in mistakes)


def test_files_that_are_none(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read_toml(tmp_path / "none.toml")
    path = tmp_path / "big.toml"
    path.write_bytes(b"#" * (2 << 20))
    with pytest.raises(ValueError, match="larger than"):
        read_toml(path)
    path.write_bytes(b"\n\xff")
    with pytest.raises(ExperimentError, match="line 2: this is not UTF-8"):
        read_toml(path)
    path.write_text("a = " + "[" * 5_000)
    with pytest.raises(ValueError):  # noqa: PT011 -- either of two sentences
        read_toml(path)


def test_who_meets_whom() -> None:
    def met(**keywords: Any) -> list[tuple[str, ...]]:
        return [cell.planners for cell in Experiment("a", games=["kuhn-poker"], **keywords).cells()]

    three = ["random", "uct", "flat-mc"]
    assert met(planners=three) == [("random", "uct"), ("random", "flat-mc"), ("uct", "flat-mc")]
    assert met(planners=three[:2], against=three[2:]) == [("random", "flat-mc"), ("uct", "flat-mc")]
    assert met(planners=three, meet="all") == [tuple(three)]
    assert met(planners=["uct"]) == [("uct",)]
    alone = Experiment("a", games=["tiger"], planners=["random", "pomcp"]).cells()
    assert [cell.planners for cell in alone] == [("random",), ("pomcp",)]
    fixed = Experiment("a", games=["kuhn-poker"], planners=["random", "uct"], seats="fixed", episodes=5)
    assert [(cell.deals, list(cell.seatings(3))) for cell in fixed.cells()] == [(5, [(0, 1)])]


def test_ids_name_what_is_played() -> None:
    base = Experiment("a", games=["tic-tac-toe"], planners=["uct", "random"])
    (cell,) = base.cells()
    again = Experiment("b", games=["tic-tac-toe"], planners=["uct( )", "random"], episodes=7).cells()[0]
    assert again.id == cell.id
    for other in ({"seeds": (1,)}, {"max_steps": 3}, {"seats": "fixed"}, {"move_seconds": 1.0}):
        assert (
            Experiment("a", games=["tic-tac-toe"], planners=["uct", "random"], **other).cells()[0].id
            != cell.id
        )


def mixed() -> Experiment:
    """Two seats and one, hidden and not, a stopping rule that some cells meet."""
    return Experiment(
        "mixed",
        games=["tic-tac-toe", "kuhn-poker", "tiger"],
        planners=["pomcp(simulations=[5, 20])", "random"],
        episodes=30,
        max_steps=20,
        stop=Stop(width=0.4),
    )


def test_jobs_and_interruptions_do_not_change_the_result(tmp_path: Path) -> None:
    at_once = run(mixed(), tmp_path / "1", jobs=1)
    assert at_once.complete
    assert figures(run(mixed(), tmp_path / "2", jobs=2)).equals(figures(at_once))
    # Stopped every few episodes.
    rounds = 0
    while True:

        def stop(coordinator: Coordinator) -> None:
            if coordinator.clock.done >= 25:
                raise KeyboardInterrupt

        try:
            rounds += 1
            pieces = run(mixed(), tmp_path / "3", jobs=1, on_progress=stop)
            break
        except KeyboardInterrupt:
            continue
    assert rounds > 3
    assert figures(pieces).equals(figures(at_once))
    wins = [[row.wins for row in at_once.result(cell).standings] for cell in at_once.cells]
    assert wins == [[row.wins for row in pieces.result(cell).standings] for cell in pieces.cells]


def test_what_ends_first_is_no_fair_sample(tmp_path: Path) -> None:
    """Of a cell that is not complete the deals before the first gap count, however many ended after it."""
    experiment = Experiment("gap", games=["kuhn-poker"], planners=["random", "uct"], episodes=20)
    whole = run(experiment, tmp_path, jobs=1)
    (cell,) = whole.cells
    records = list(whole.records())
    late = {(3, (1, 0)), (7, (0, 1))}
    ended = [each for each in records if (each.episode, each.seating) not in late]
    table = tmp_path / "episodes.parquet"
    frame = read_file(table)
    keys = list(zip(frame["episode"], map(tuple, frame["seating"]), strict=True))
    frame.filter(pl.Series([key not in late for key in keys])).write_parquet(table)
    results = open_results(tmp_path)
    assert list(results.records()) == [each for each in records if each.episode < 3]
    assert (results.beyond, results.complete) == (12, False)
    shown = results.result(cell)
    assert (shown.games, shown.sequential) == (6, True)
    assert "what ends first is no fair sample" in str(kb.lab.report(results).about)
    # So while it is watched, in whatever order games end.
    plan = resolve(experiment)
    live = Live(plan.cells[0], plan, results.games[cell.game])
    for each in reversed(ended):
        live.add(each)
    assert (live.done, live.deals, live.games) == (18, 3, [6, 6])
    assert live.wins == [row.wins for row in shown.standings]
    for each in records:
        live.add(each)
    assert (live.done, live.deals, live.over) == (20, 10, True)
    assert live.wins == [row.wins for row in whole.result(cell).standings]


def test_a_width_stops_where_it_is_reached(tmp_path: Path) -> None:
    experiment = Experiment(
        "width", games=["kuhn-poker"], planners=["random", "uct"], episodes=400, stop=Stop(width=0.25)
    )
    results = run(experiment, tmp_path, jobs=2)
    first, second = results.result(results.cells[0]).standings
    assert results.complete
    assert first.games < 400

    def width(standing: kb.lab.Standing) -> float:
        assert standing.win_rate is not None
        return standing.win_rate.high - standing.win_rate.low

    # The interval that is shown is the one that stopped it, and holds after that.
    assert results.result(results.cells[0]).sequential
    assert width(first) <= 0.25
    assert width(second) <= 0.25
    assert "decided by their results" in str(results.result(results.cells[0]))
    assert "decided by their results" in str(kb.lab.report(results))
    # One deal less would not have been enough.
    last = results.frame()["episode"].max()
    before = [record for record in results.records() if record.episode != last]
    less = kb.lab.summarise(kb.load("kuhn-poker"), ["a", "b"], before, sequential=True)
    assert max(map(width, less.standings)) > 0.25


def test_a_test_stops_where_it_is_decided(tmp_path: Path) -> None:
    experiment = Experiment(
        "sprt",
        games=["tic-tac-toe"],
        planners=["uct(simulations=50)", "random"],
        episodes=1000,
        stop=Stop(elo0=0, elo1=50),
    )
    results = run(experiment, tmp_path, jobs=1)
    scores: dict[int, float] = {}
    for record in results.records():
        wins = kb.lab.standings.win_shares(record.returns, kb.load("tic-tac-toe").info)
        scores[record.episode] = scores.get(record.episode, 0.0) + wins[record.seating.index(0)]
    verdict = sprt(scores.values(), elo0=0, elo1=50)
    assert verdict.accepted == "H1"
    assert verdict.pairs == len(scores) < 500
    assert results.complete


def test_own_planners_and_games_in_other_processes(tmp_path: Path) -> None:
    experiment = Experiment(
        "own",
        games=[faulty.Broken()],
        planners=[faulty.First, kb.planner("random"), faulty.Slowish()],
        episodes=2,
        max_steps=2,
    )
    results = run(experiment, tmp_path / "two", jobs=2)
    assert [cell.planners for cell in results.cells] == [("First",), ("random",), ("Slowish",)]
    assert results.faults == 0
    assert figures(run(experiment, tmp_path / "one", jobs=1)).equals(figures(results))
    unsendable = Experiment("own", games=["tiger"], planners=[lambda: kb.planner("random")], episodes=2)
    with pytest.raises(ValueError, match="cannot be sent to another process"):
        run(unsendable, tmp_path / "three", jobs=2)
    assert run(unsendable, tmp_path / "four", jobs=1).complete


def test_a_file_of_ones_own_from_the_command_line(tmp_path: Path) -> None:
    (tmp_path / "own.toml").write_text(
        "[experiment]\ngames = ['tic-tac-toe']\nepisodes = 4\nreplays = 'all'\n"
        f"planners = ['{ROOT}/examples/own_planner.py:Committee(size=[1, 2])', 'random']\n"
        "[experiment.budgets]\nsimulations = [5]\n"
    )
    words = [sys.executable, "-m", "kibitz", "experiment", "run", "own.toml", "--jobs", "2", "--json"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stderr
    out = json.loads(done.stdout)
    assert out["complete"]
    assert out["episodes"] == 12
    assert "Committee(size=1, simulations=5)" in out["cells"][0]["planners"][0]
    assert len(os.listdir(tmp_path / "results/own/replays")) == 12
    # The Python functions, whose specs may come from anywhere, run no files.
    with pytest.raises(ExperimentError, match=r"own_planner\.py"):
        resolve(read_toml(tmp_path / "own.toml"))


def test_what_people_see(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "small.toml"
    path.write_text(
        "[experiment]\ngames = ['tic-tac-toe']\nplanners = ['uct(simulations=9)', 'random']\nepisodes = 6"
    )
    assert main(["experiment", "check", str(path)]) == 0
    assert "1 cell, 6 episodes; no mistakes." in capsys.readouterr().out
    words = ["experiment", "run", str(path), "--out", str(tmp_path / "out"), "--jobs", "1"]
    assert main(words) == 0
    out = capsys.readouterr().out
    assert out.startswith("small: 6 episodes in")
    assert "win rate" in out
    assert main(words) == 0
    assert "nothing was left to play" in capsys.readouterr().out
    assert len(list((tmp_path / "out/replays").iterdir())) == 1


def test_the_live_table(tmp_path: Path) -> None:
    from kibitz.cli.experiment import live_table, progress

    seen: list[str] = []

    def look(coordinator: Coordinator) -> None:
        seen.append(live_table(coordinator))

    coordinator = Coordinator(mixed(), tmp_path, jobs=1)
    assert progress(coordinator).startswith("0 of at most")
    coordinator.play(look)
    assert "a second" in seen[10]
    assert ", to be 0.4" in seen[10]
    assert "tic-tac-toe" in seen[-1]
    assert "done" in seen[-1]
    assert re.match(r"\d+ of at most \d+ episodes, ", seen[-1])


def test_mistakes_of_the_caller(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="at least one job"):
        run(mixed(), tmp_path, jobs=0)
    with pytest.raises(ValueError, match=r"Ray cluster|needs ray"):
        run(mixed(), tmp_path / "ray", cluster="127.0.0.1:1")


def test_light_imports() -> None:
    code = "import sys, kibitz.lab; print([m for m in ('polars', 'matplotlib', 'ray') if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "[]\n"
