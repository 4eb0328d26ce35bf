"""Published figures beside ours: the verdicts, the files, the results, the command, and orders."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from statistics import stdev
from typing import Any

import pytest

import kibitz as kb
from kibitz.cli import main
from kibitz.lab import ExperimentError, Interval, clopper_pearson
from kibitz.lab.reproduce import compare, folder, reproduce, resampled, scaled
from kibitz.lab.reproductions import Target, load, names, read
from kibitz.lab.results import open_results, read_file
from kibitz.lab.statistics.agreement import Figure, difference, judge
from reproduction_texts import tic_tac_toe
from tables import cases

# Verdicts


def about(value: float, half: float) -> Figure:
    return Figure(value, Interval(value - half, value + half))


@pytest.mark.parametrize(
    ("ours", "paper", "better", "verdict"),
    [
        # A published mean alone counts as exact; the tolerance is one.
        (about(10.2, 0.5), Figure(10.0), "higher", "agrees"),
        (about(12.0, 0.5), Figure(10.0), "higher", "better"),
        (about(8.0, 0.5), Figure(10.0), "higher", "worse"),
        (about(12.0, 0.5), Figure(10.0), "lower", "worse"),
        (about(8.0, 0.5), Figure(10.0), "lower", "better"),
        (about(12.0, 0.5), Figure(10.0), "neither", "differs"),
        (about(10.2, 3.0), Figure(10.0), "higher", "cannot tell yet"),
        # Surely higher, but perhaps by less than matters.
        (about(11.2, 0.5), Figure(10.0), "higher", "cannot tell yet"),
        # The paper's interval counts too: 0.8 and 0.6 make 1.0.
        (about(12.1, 0.6), about(10.0, 0.8), "higher", "better"),
        (about(11.9, 0.6), about(10.0, 0.8), "higher", "cannot tell yet"),
        (about(10.0, 0.6), about(10.0, 0.7), "higher", "agrees"),
        (about(10.0, 0.0), about(10.0, 1.5), "higher", "cannot tell yet"),
        # Exact against exact.
        (Figure(10.9), Figure(10.0), "neither", "agrees"),
        (Figure(11.1), Figure(10.0), "neither", "differs"),
        # Nothing played.
        (Figure(math.nan), Figure(10.0), "higher", "cannot tell yet"),
        (Figure(10.0, Interval(-math.inf, math.inf)), Figure(10.0), "higher", "cannot tell yet"),
    ],
)
def test_verdicts(ours: Figure, paper: Figure, better: str, verdict: str) -> None:
    assert judge(ours, paper, tolerance=1.0, better=better) == verdict  # type: ignore[arg-type]


def test_a_difference_of_lopsided_intervals_uses_the_sides_that_count() -> None:
    ours, paper = Figure(0.9, Interval(0.6, 0.95)), Figure(0.5, Interval(0.46, 0.9))
    low, high = difference(ours, paper)
    assert low == pytest.approx(0.4 - math.hypot(0.3, 0.4))
    assert high == pytest.approx(0.4 + math.hypot(0.05, 0.04))
    with pytest.raises(ValueError, match="0 or more"):
        judge(ours, paper, tolerance=-1)


def test_what_a_paper_gives_becomes_a_95_percent_interval() -> None:
    def interval(**keys: object) -> Interval | None:
        return Target("x", "win rate", 0.5, 0.1, **keys).published().interval  # type: ignore[arg-type]

    assert interval() is None
    assert interval(error=0.1) == pytest.approx((0.304, 0.696), abs=1e-3)
    assert interval(games=10) == pytest.approx((0.1871, 0.8129), abs=5e-5)
    assert interval(interval=Interval(0.4, 0.6)) == pytest.approx((0.4, 0.6))
    narrower = interval(interval=Interval(0.4, 0.6), confidence=0.99)
    assert narrower == pytest.approx((0.5 - 0.1 * 1.96 / 2.5758, 0.5 + 0.1 * 1.96 / 2.5758), abs=1e-4)
    # No share is above 1, and no return beyond the game's bounds.
    assert Target("x", "win rate", 0.98, 0.1, error=0.03).published().interval == pytest.approx(
        (0.98 - 0.0588, 1.0), abs=1e-3
    )
    most = Target("x", "mean return", 9.5, 0.1, error=1.0).published(limits=(0.0, 10.0)).interval
    assert most == pytest.approx((9.5 - 1.96, 10.0), abs=1e-3)
    # A mean with n but without its spread: the returns are taken to vary as ours do.
    mean = Target("x", "mean return", 0.5, 0.1, games=100)
    assert mean.published().interval is None
    assert mean.published(spread=2.0).interval == pytest.approx((0.5 - 0.392, 0.5 + 0.392), abs=1e-3)
    # In a game from 0 to 1 that is won or lost as often, a game is a game; half the spread makes it four.
    for spread, games in (0.5, 100), (0.25, 400), (0.0, 100):
        bounded = mean.published(spread=spread, mean=0.5, limits=(0.0, 1.0))
        assert bounded.interval == pytest.approx(clopper_pearson(games // 2, games))


# Files

SMALL = f"""{tic_tac_toe("uct(simulations=30)", 40)}
[[figure]]
name = "it is a draw"
measure = "exact value"
paper = 0
tolerance = 1e-9

[[figure]]
name = "uct wins"
measure = "win rate"
paper = 0.5
tolerance = 0.1
better = "higher"

[[figure]]
name = "random gets"
measure = "mean return"
planner = "random"
paper = 0.0
games = 10
tolerance = 0.1
better = "higher"
"""


@pytest.fixture
def small(tmp_path: Path) -> Path:
    path = tmp_path / "small.toml"
    path.write_text(SMALL)
    return path


def test_a_file_of_ones_own(small: Path, tmp_path: Path) -> None:
    comparison = reproduce(load(str(small)), directory=tmp_path / "out", jobs=1)
    draw, uct, random = comparison.rows
    assert (draw.ours.value, draw.games, draw.verdict) == (0, None, "agrees")
    assert (uct.games, uct.verdict) == (40, "better")
    assert (random.games, random.verdict) == (40, "worse")
    assert uct.ours.interval is not None
    assert uct.ours.interval.low < uct.ours.value < uct.ours.interval.high
    assert comparison.complete
    # The figures are those of a match, which plays the same games.
    standings = kb.match("tic-tac-toe", ["uct(simulations=30)", "random"], games=40).standings
    assert uct.ours.value == standings[0].wins / 40
    assert random.ours.value == pytest.approx(standings[1].mean_return)
    assert "better" in str(comparison)
    # The paper gives ten games and no spread: its interval reaches beyond the tolerance.
    assert random.paper.interval is not None
    assert random.paper.interval.high == pytest.approx(-random.paper.interval.low)
    assert "wider than the tolerance" in random.note
    assert random.note in str(comparison)


def test_undiscounted_returns(tmp_path: Path) -> None:
    path = tmp_path / "plain.toml"
    text = """
[reproduction]
title = "Rocks"
source = "nobody"
where = "nowhere"

[experiment]
games = ["rock-sample(3, 2)"]
planners = ["random"]
episodes = 6
replays = "all"

[[figure]]
name = "discounted"
measure = "mean return"
paper = 0
tolerance = 1

[[figure]]
name = "plain"
measure = "undiscounted return"
paper = 0
games = 10
tolerance = 1
"""
    path.write_text(text)
    comparison = reproduce(load(path), directory=tmp_path / "out", jobs=1)
    discounted, plain = comparison.rows
    played = [kb.play("rock-sample(3, 2)", "random", episode=episode) for episode in range(6)]
    totals = [sum(step.rewards[0] for step in each.steps) for each in played]
    assert plain.ours.value == pytest.approx(sum(totals) / 6)
    assert discounted.ours.value == pytest.approx(sum(each.returns[0] for each in played) / 6)
    assert plain.games == 6
    assert plain.ours.interval is not None
    half = 2.570582 * stdev(totals) / math.sqrt(6)  # Student's t with 5 degrees of freedom
    assert plain.ours.interval.high - plain.ours.value == pytest.approx(half, rel=1e-5)
    # The paper's ten games are taken to vary as ours do.
    assert plain.paper.interval is not None
    assert plain.paper.interval.high == pytest.approx(1.959964 * stdev(totals) / math.sqrt(10), rel=1e-5)
    path.write_text(text.replace('replays = "all"', ""))
    with pytest.raises(ExperimentError, match="an undiscounted return is read from replays"):
        load(path)


def test_it_goes_on_in_its_folder(small: Path, tmp_path: Path) -> None:
    first = reproduce(load(str(small)), directory=tmp_path / "out", jobs=1)
    table = tmp_path / "out" / "episodes.parquet"
    before = table.stat().st_mtime_ns
    again = reproduce(load(str(small)), directory=tmp_path / "out", jobs=1)
    assert again.to_json() == first.to_json()
    assert table.stat().st_mtime_ns == before
    with pytest.raises(ValueError, match="another experiment"):
        reproduce(load(str(small)), directory=tmp_path / "out", scale=0.5, jobs=1)


def test_mistakes_are_listed_with_their_lines(tmp_path: Path) -> None:
    path = tmp_path / "wrong.toml"
    path.write_text(
        '[reproduction]\ntitle = "A"\nsorce = "B"\nwhere = "C"\n\n[experiment]\ngmes = ["tiger"]\n\n'
        '[[figure]]\nname = "x"\nmeasure = "win rates"\npaper = 3\ntolerance = -1\n\n'
        '[[figure]]\nname = "y"\nmeasure = "win rate"\npaper = 3\ninterval = [4, 5]\n'
    )
    with pytest.raises(ExperimentError) as caught:
        read(path)
    words = str(caught.value)
    for expected in (
        "line 3: unknown key 'sorce'; did you mean source?",
        "needs a source",
        "line 7: unknown key 'gmes'; did you mean games?",
        'line 11: measure must be "exact value" or "win rate"',
        "line 13: a tolerance is 0 or more",
        "line 18: a share is from 0 to 1, not 3",
        "line 19: the interval does not hold the published value",
        "a [[figure]] needs tolerance",
        "say which game",
    ):
        assert expected in words


@cases(
    "old new expected",
    r"""
    planner = "random" | planner = "flat-mc" | flat-mc does not play tic-tac-toe here; there are uct
    measure = "mean return" | measure = "action frequency" | needs action
    [[figure]] | [[figures]] | did you mean figure
    measure = "exact value" | measure = "exact value"\naction = "a9" | unknown first action 'a9'
    measure = "exact value" | measure = "exact value"\nplayer = 2 | no player 2
    planners = ["uct(simulations=30)"] | planners = ["uct(simulatons=30)"] | did you mean simulations
    measure = "mean return" | measure = "action frequency"\naction = "b2" | write replays = "all"
    """,
)
def test_figures_that_fit_nothing_are_refused(
    small: Path, tmp_path: Path, old: str, new: str, expected: str
) -> None:
    small.write_text(SMALL.replace(old, new, 1))
    with pytest.raises(ValueError, match=re.escape(expected)):
        reproduce(load(str(small)), directory=tmp_path / "out", jobs=1, scale=0.1)
    assert not (tmp_path / "out").exists()  # before anything is played


def test_unknown_names() -> None:
    with pytest.raises(ValueError, match="did you mean posg-bear"):
        load("posg-beer")
    with pytest.raises(FileNotFoundError):
        load("nowhere.toml")


def test_scales() -> None:
    experiment = load("tiger-pomcp").experiment
    assert experiment is not None
    assert scaled(experiment, 0.5).episodes == experiment.episodes // 2
    assert scaled(experiment, 1e-9).episodes == 2
    with pytest.raises(ValueError, match="a scale"):
        scaled(experiment, 0)
    assert folder(load("tiger-pomcp"), 1.0) == Path("results/reproductions/tiger-pomcp")


# Results


def test_a_replay_of_another_game_is_refused(tmp_path: Path) -> None:
    """What is counted from replays is of the games that were counted."""
    about = load("rps-equilibrium")
    reproduce(about, scale=0.001, directory=tmp_path)
    first, second, *_ = sorted((tmp_path / "replays").iterdir())
    first.write_bytes(second.read_bytes())
    with pytest.raises(ValueError, match="is a replay of another game than the one that was counted"):
        reproduce(about, scale=0.001, directory=tmp_path)


def test_games_that_came_to_nothing_are_said_to_count_as_they_do(small: Path, tmp_path: Path) -> None:
    small.write_text(
        small.read_text().replace('against = ["random"]', 'against = ["random"]\nmove_seconds = 1e-9')
    )
    wins = reproduce(load(str(small)), scale=0.1, directory=tmp_path / "results", jobs=1).rows[1]
    assert re.search(r"nothing \d+ count as lost by who is to blame; kibitz report", wins.note)
    assert "left out" not in wins.note


def test_results_without_a_checksum_are_said(small: Path, tmp_path: Path) -> None:
    results = tmp_path / "results"
    assert "checksum" not in str(reproduce(load(str(small)), directory=results))
    table = results / "episodes.parquet"
    read_file(table).write_parquet(table)
    again = reproduce(load(str(small)), directory=results)
    assert "Not checked: episodes.parquet without a checksum" in str(again)
    assert again.to_json()["unsealed"] == [str(table)]


def test_before_anything_is_played_only_exact_figures_are_there() -> None:
    rows = compare(load("tiger-pomcp"), None).rows
    assert [row.verdict for row in rows] == ["agrees", "cannot tell yet"]
    assert not compare(load("tiger-pomcp"), None).complete


# The command


def test_the_command_lists(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["reproduce"]) == 0
    listed = capsys.readouterr().out
    assert all(name in listed for name in names())
    assert main(["reproduce", "--json"]) == 0
    assert [each["name"] for each in json.loads(capsys.readouterr().out)] == names()


def test_the_command_reproduces(
    small: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["reproduce", str(small), "--jobs", "1"]) == 0
    out = capsys.readouterr().out
    assert "uct wins" in out
    assert "results/reproductions/small" in out
    assert main(["reproduce", str(small), "--jobs", "1", "--json", "--scale", "0.1", "--out", "here"]) == 0
    plain = json.loads(capsys.readouterr().out)
    assert plain["figures"][0]["verdict"] == "agrees"
    assert plain["figures"][1]["games"] == 4
    assert plain["directory"] == "here"


def test_another_seed_is_another_sample(
    small: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    small.write_text(SMALL + PLAYOUTS[PLAYOUTS.index("[[figure]]") :])

    def reproduced(*options: str) -> dict[str, Any]:
        assert main(["reproduce", str(small), "--jobs", "1", "--json", *options]) == 0
        plain = json.loads(capsys.readouterr().out)
        for figure in plain["figures"]:
            del figure["cpu"]
        return dict(plain)

    own, other = reproduced(), reproduced("--seed", "7")
    assert (own["seed"], other["seed"]) == (None, 7)
    assert [Path(each["directory"]).name for each in (own, other)] == ["small", "small-seed-7"]
    played = [open_results(each["directory"]).frame() for each in (own, other)]
    assert [frame["seed"].unique().to_list() for frame in played] == [[0], [7]]
    # What was computed is the same, what was played or played out is not.
    values = [[figure["ours"]["value"] for figure in each["figures"]] for each in (own, other)]
    assert [one == two for one, two in zip(*values, strict=True)] == [True, False, False, False]
    assert played[0]["steps"].to_list() != played[1]["steps"].to_list()
    # The same again is there already; and two samples are never mixed.
    assert reproduced("--seed", "7") == other
    assert main(["reproduce", str(small), "--seed", "8", "--out", other["directory"]]) == 2
    assert "holds another experiment (seeds: 7 there, 8 here)" in capsys.readouterr().err
    assert main(["reproduce", str(small), "--seed", "7"]) == 0
    assert "everybody: everywhere, seed 7, " in capsys.readouterr().out


def test_samples_have_no_seed_in_common() -> None:
    several = kb.lab.Experiment("a", games=["tiger"], planners=["pomcp"], seeds=[3, 5, 8])
    assert resampled(several, None) is several
    taken = [seed for sample in range(20) for seed in resampled(several, sample).seeds]
    assert len(set(taken)) == 60
    with pytest.raises(ValueError, match="from 0 to 4294967295, not -1"):
        resampled(several, -1)


def test_ctrl_c_sums_up_and_the_same_command_goes_on(
    small: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    small.write_text(SMALL.replace("simulations=30", "simulations=3000"))
    command = ["reproduce", str(small), "--jobs", "1", "--json", "--out"]
    assert main([*command, str(tmp_path / "whole")]) == 0
    whole = json.loads(capsys.readouterr().out)

    def stop(_: object) -> str:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("kibitz.cli.match.progress", stop)
        assert main([*command, str(tmp_path / "parts")]) == 130
    partly = capsys.readouterr()
    assert "the same command goes on" in partly.err
    assert 0 < json.loads(partly.out)["figures"][1]["games"] < 40
    assert main([*command, str(tmp_path / "parts")]) == 0
    again = json.loads(capsys.readouterr().out)
    for row in [*again["figures"], *whole["figures"]]:
        row["cpu"] = None
    assert again["figures"] == whole["figures"]


def test_confidence_and_costs(tmp_path: Path) -> None:
    path = tmp_path / "sure.toml"
    text = SMALL.replace("[reproduction]", "[reproduction]\nconfidence = 0.99", 1)
    path.write_text(text.replace('measure = "win rate"', 'measure = "win rate"\nseconds = 12.5', 1))
    sure = reproduce(read(path), directory=tmp_path / "sure", jobs=1)
    path.write_text(SMALL)
    usual = reproduce(read(path), directory=tmp_path / "usual", jobs=1)
    assert "99 %" in str(sure)
    assert "95 %" in str(usual)
    for wide, narrow in zip(sure.rows, usual.rows, strict=True):
        if narrow.games is None:
            continue
        assert wide.ours.value == narrow.ours.value
        assert wide.ours.interval is not None
        assert narrow.ours.interval is not None
        assert wide.ours.interval.low < narrow.ours.interval.low
        assert wide.cpu is not None
        assert wide.cpu > 0
    assert [row.seconds for row in sure.rows if row.seconds] == [12.5]
    assert "CPU s/game" in str(sure)
    assert "CPU s/game" not in str(usual)


PLAYOUTS = """
[reproduction]
title = "Playouts"
source = "Nobody"
where = "nowhere"

[[figure]]
name = "the first player of tic-tac-toe"
game = "tic-tac-toe"
measure = "playout win rate"
paper = 0.6485
games = 20000
tolerance = 0.02
"""


def test_playouts_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "playouts.toml"
    path.write_text(PLAYOUTS)
    (row,) = reproduce(read(path)).rows
    # 58.5 % wins, and half of the 12.7 % draws.
    assert row.verdict == "agrees"
    assert row.games == 20_000
    outcomes = kb.load("tic-tac-toe").playout_returns(1000, 3)
    assert sum(times for _, times in outcomes) == 1000
    assert {tuple(returns) for returns, _ in outcomes} == {(1.0, -1.0), (0.0, 0.0), (-1.0, 1.0)}
    means, _ = kb.load("tic-tac-toe").playouts(1000, 3)
    assert means[0] == pytest.approx(sum(returns[0] * times for returns, times in outcomes) / 1000)
    path.write_text(PLAYOUTS.replace("games = 20000\n", ""))
    with pytest.raises(ValueError, match="needs playouts"):
        read(path)
    path.write_text(PLAYOUTS.replace("[[figure]]", "confidence = 1.5\n\n[[figure]]"))
    with pytest.raises(ValueError, match="between 0 and 1"):
        read(path)


def test_ctrl_c_before_the_first_game(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def stop(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("kibitz.lab.reproduce.reproduce", stop)
    assert main(["reproduce", "posg-bear", "--out", str(tmp_path / "none")]) == 130
    assert capsys.readouterr().err.strip() == "stopped"


@pytest.mark.parametrize("words", [["posg-beer"], ["posg-bear", "--scale", "0"], ["nowhere.toml"]])
def test_mistakes_on_the_command_line(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["reproduce", *words]) == 2
    assert len(capsys.readouterr().err.strip().splitlines()) == 1


# Orders by seat, and by time


SEATS = """
[[figure]]
name = "time"
measure = "CPU milliseconds a move"
planner = "uct(simulations=30)"
paper = 1000
tolerance = 1

[[order]]
title = "going first is better"
planners = ["uct(simulations=30)", "uct(simulations=30)"]
players = [0, 1]

[[order]]
title = "who does little takes little time"
measure = "CPU milliseconds a move"
planners = ["flat-mc(simulations=1)", "uct(simulations=30)"]
"""


def test_orders_by_seat_and_by_time_a_move(tmp_path: Path) -> None:
    path = tmp_path / "seats.toml"
    text = (
        tic_tac_toe("uct(simulations=30)", 40).replace(
            'planners = ["', 'planners = ["flat-mc(simulations=1)", "'
        )
        + SEATS
    )
    path.write_text(text)
    found = reproduce(load(path), directory=tmp_path / "out", jobs=1)
    (by_seat,), (by_time,) = found.orders
    results = open_results(tmp_path / "out")
    (cell,) = (cell for cell in results.cells if cell.planners == ("uct(simulations=30)", "random"))
    records = list(results.records(cell))
    own = [[record.returns[seat] for record in records if record.seating[seat] == 0] for seat in range(2)]
    means = [math.fsum(returns) / len(returns) for returns in own]
    assert by_seat.means == pytest.approx(means)
    assert by_seat.difference.mean == pytest.approx(means[0] - means[1])
    assert by_seat.first == "uct(simulations=30) as player 1"
    assert by_time.verdict == "as published"
    seats = [record.seating.index(0) for record in records]
    times = [
        1000 * record.cpu[seat] / record.moves[seat] for record, seat in zip(records, seats, strict=True)
    ]
    (row,) = found.rows
    assert row.ours.value == pytest.approx(math.fsum(times) / len(times))
    assert row.verdict == "differs"
    path.write_text(text.replace("players = [0, 1]", "players = [0, 2]"))
    with pytest.raises(ExperimentError, match="tic-tac-toe has no player 2"):
        reproduce(load(path), directory=tmp_path / "other", jobs=1)
    path.write_text(text.replace("players = [0, 1]", "players = [0]"))
    with pytest.raises(ExperimentError, match="one seat for each planner"):
        load(path)
