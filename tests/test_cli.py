"""Every command as a user meets it: what it prints, what it refuses, and how it stops."""

from __future__ import annotations

import doctest
import importlib
import io
import json
import pkgutil
import re
import shlex
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import kibitz as kb
import kibitz.cli
import kibitz.lab
import kibitz.testing
from cli_runs import ROOT, TREASURE
from effort import wait_until, work_below
from kibitz.cli import commands
from kibitz.cli._terminal import Progress, bar, duration, in_columns
from kibitz.planners.human import find

# What there is


def test_overview_lists_every_command(run: Any) -> None:
    for words in ([], ["--help"], ["help"]):
        ran = run(*words)
        assert ran.code == 0
        assert all(f"  {name} " in ran.out for name in commands())
    assert {"games", "planners", "play", "watch", "match", "solve", "bench", "demo"} <= {*commands()}


@pytest.mark.parametrize("name", commands())
def test_help_has_examples(run: Any, name: str) -> None:
    ran = run(name, "--help")
    assert ran.code == 0
    assert f"usage: kibitz {name}" in ran.out
    assert "examples:" in ran.out
    assert run("help", name).out == ran.out


def test_help_names_what_is_registered(run: Any) -> None:
    assert "kuhn-poker" in run("match", "--help").out
    assert "pomcp" in run("match", "--help").out


def test_help_is_quick() -> None:
    code = "import sys; from kibitz.cli import main; main(['--help']); print(sorted(sys.modules))"
    modules = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout
    assert not re.search(r"'(numpy|scipy|multiprocessing|asyncio)'", modules)


def test_version(run: Any) -> None:
    assert run("--version").out == f"kibitz {kb.__version__}\n"


def test_games(run: Any) -> None:
    lines = run("games").out.splitlines()
    assert any(line.startswith("kuhn-poker ") for line in lines)
    ran = run("games", "rock-sample")
    assert "layout=0" in ran.out
    assert "hidden" in ran.out
    assert "resampling" in ran.out
    listed = run("games", "--json").json
    assert [entry["name"] for entry in listed] == sorted(entry["name"] for entry in listed)
    one = run("games", "breakthrough(rows=5)", "--json").json
    assert one["spec"] == "breakthrough(rows=5)"
    assert one["players"] == 2
    assert {param["name"] for param in one["params"]} >= {"rows", "columns"}


def test_planners(run: Any) -> None:
    assert "human" in run("planners").out
    ran = run("planners", "uct")
    assert "exploration=0.7 " in ran.out
    assert "UCB1" in ran.out
    names = [param["name"] for param in run("planners", "pomcp", "--json").json["params"]]
    assert "simulations" in names


def test_own_files(run: Any) -> None:
    assert "beach=12" in run("games", TREASURE).out
    assert run("games", f"{TREASURE}:Treasure(beach=5)", "--json").json["horizon"] == 6
    assert "Members of the committee" in run("planners", str(ROOT / "examples" / "own_planner.py")).out


def test_own_modules(run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mygames.py").write_text(Path(TREASURE).read_text())
    monkeypatch.chdir(tmp_path)
    assert run("games", "mygames:Treasure", "--json").json["players"] == 2
    assert run("games", "mygames.py", "--json").json["players"] == 2
    (tmp_path / "with a space.py").write_text(Path(TREASURE).read_text())
    assert run("games", "with a space.py", "--json").json["players"] == 2


# Playing


def test_play_to_the_end(run: Any) -> None:
    ran = run(
        "play",
        "tic-tac-toe",
        "--with",
        "random",
        "--seed",
        "3",
        typed="b2\na1\nc3\na3\nc1\n1\n1\n1\n1\n1\n",
    )
    assert ran.code == 0
    assert "you are x against random" in ran.out
    assert re.search(r"x gets [+-]\d.*(you win|you lose|a draw)", ran.out)


def test_play_shows_only_what_the_seat_may_know(run: Any) -> None:
    ran = run("play", "kuhn-poker", "--with", "random", "--seed", "3", typed="q\n")
    assert "player 1: K   player 2: ?" in ran.out
    assert "You left the game" in ran.out
    other = run("play", "kuhn-poker", "--with", "random", "--seat", "2", "--seed", "3", typed="q\n")
    assert "player 1: ?   player 2: J" in other.out


def test_play_by_prefix_number_and_mistake(run: Any) -> None:
    ran = run("play", "rock-sample", typed="NOR\nchekc 2\nc\n99\n?\n2\n/q\n")
    assert "did you mean check 2" in ran.out
    assert "'c' may be any of check 1, check 2" in ran.out
    assert "there is no move number 99" in ran.out
    assert "take back" in ran.out
    assert ran.code == 0


def test_hint(run: Any) -> None:
    ran = run("play", "tiger", "--seed", "3", "--hint", "pomcp(simulations=300)", typed="h\nq\n")
    assert re.search(r"listen +[+-]\d+\.\d+ ± ", ran.out)
    assert "300 simulations" in ran.out


def test_take_back(run: Any) -> None:
    ran = run("play", "tic-tac-toe", "--with", "random", "--seed", "1", typed="u\na1\nu\nb2\nc1\nu\nu\nq\n")
    assert "nothing to take back" in ran.out
    assert ran.out.count("Taken back") == 3
    boards = re.findall(r" 3 .*\n 2 .*\n 1 .*\n", ran.out)
    assert boards[0] == boards[-1]  # all moves were taken back
    assert boards[-2].count("x") == 1


def test_take_back_deals_the_same_cards(run: Any) -> None:
    ran = run("play", "kuhn-poker", "--seat", "2", "--with", "random", "--seed", "8", typed="u\nq\n")
    assert len({*re.findall(r"player 2: (\w)", ran.out)}) == 1


def test_simultaneous_moves(run: Any) -> None:
    ran = run("play", "rock-paper-scissors", "--with", "random", typed="rock\n")
    assert ran.code == 0
    assert "The game is over" in ran.out


def test_seats_have_names(run: Any) -> None:
    assert "you are o" in run("play", "tic-tac-toe", "--seat", "o", "--with", "random", typed="q\n").out
    assert "1 (x), 2 (o)" in run("play", "tic-tac-toe", "--seat", "3", typed="q\n").err


names = st.lists(st.text("abcdefg -", min_size=1, max_size=8).filter(str.strip), min_size=1, max_size=8)


@given(names.map(lambda found: list({" ".join(name.split()).lower(): name for name in found}.values())))
def test_every_name_and_number_finds_its_move(found: list[str]) -> None:
    for place, name in enumerate(found):
        assert find(found, name) == place
        assert find(found, f"  {name.upper()} ") == place
        assert find(found, str(place + 1)) == place


def test_numeric_names_come_before_numbers() -> None:
    names = ["3", "2", "1"]
    assert [find(names, name) for name in "123"] == [2, 1, 0]
    with pytest.raises(ValueError, match="no move is called '7'"):
        find(names, "7")


# Watching


def test_watch_explains(run: Any) -> None:
    ran = run("watch", "kuhn-poker", "--planner", "pomcp(simulations=200)", "--seed", "3")
    assert ran.code == 0
    assert re.search(r"pass +[+-]\d\.\d+ ± \d\.\d+ +\d+ █", ran.out)
    assert "200 simulations in" in ran.out
    assert "belief of" in ran.out
    assert "player 1 gets" in ran.out


def test_watch_hides_and_shows(run: Any) -> None:
    words = ["watch", "kuhn-poker", "--planner", "random", "--seed", "3"]
    assert "player 1: K   player 2: ?" in run(*words).out
    assert "?" not in run(*words, "--truth").out


def test_watch_json(run: Any) -> None:
    words = ["watch", "tic-tac-toe", "--planner", "uct(simulations=20)", "--planner", "random", "--json"]
    *moves, end = [json.loads(line) for line in run(*words).out.splitlines()]
    assert end["over"]
    assert len(end["returns"]) == 2
    assert [move["move"] for move in moves] == list(range(1, len(moves) + 1))
    choice = moves[0]["choices"][0]
    assert choice["planner"] == "uct(simulations=20)"
    assert sum(row["visits"] for row in choice["decision"]["table"]) == 20


def test_watch_svg(run: Any, tmp_path: Path) -> None:
    run("watch", "tic-tac-toe", "--planner", "random", "--svg", str(tmp_path / "new"))
    files = sorted((tmp_path / "new").iterdir())
    assert files[0].name == "000.svg"
    assert len(files) >= 6
    assert files[-1].read_text().startswith("<svg")
    ran = run("watch", TREASURE, "--svg", str(tmp_path))
    assert ran.code == 2
    assert "no pictures" in ran.err


def test_watch_is_reproducible_and_can_stop(run: Any) -> None:
    words = ["watch", "tiger", "--planner", "random", "--steps", "3", "--seed", "5"]
    assert run(*words).out == run(*words).out
    assert "left after 3 moves" in run(*words).out


def test_watch_leaves_an_endless_game_where_play_does(run: Any) -> None:
    ran = run("watch", "tiger", "--planner", "random", "--seed", "5", "--json")
    end = json.loads(ran.out.splitlines()[-1])
    played = kb.play("tiger", "random", seed=5)
    assert (end["steps"], end["returns"]) == (len(played.steps), played.returns)
    assert "left after 135 moves" in run("watch", "tiger", "--planner", "random", "--seed", "5").out


# Matches


def test_match(run: Any) -> None:
    ran = run("match", "tic-tac-toe", "uct(simulations=50)", "random", "--games", "20")
    assert ran.code == 0
    assert "20 games on 10 deals" in ran.out
    assert re.search(r"uct\(simulations=50\) +20 +\d+\.\d % +\d+\.\d to \d+\.\d", ran.out)
    assert "The first seat (x) wins" in ran.out
    assert "Elo" not in ran.out


def test_match_json_and_elo(run: Any) -> None:
    words = ["match", "tic-tac-toe", "uct(simulations=30)", "random", "flat-mc(simulations=30)"]
    result = run(*words, "--games", "8", "--json").json
    assert result["complete"]
    assert len(result["records"]) == 12
    for rating in (standing["elo"] for standing in result["standings"]):
        # An end that is null is open: who lost nothing may be any stronger.
        assert rating["low"] is None or rating["low"] < rating["elo"]
        assert rating["high"] is None or rating["elo"] < rating["high"]
    assert result["standings"][1]["win_rate"]["share"] < 0.5
    assert "Elo" in run(*words, "--games", "4").out


def test_match_with_a_file_in_processes(run: Any) -> None:
    words = [
        "match",
        TREASURE + "(beach=4)",
        "random",
        str(ROOT / "examples" / "own_planner.py") + "(simulations=5)",
    ]
    one, two = (run(*words, "--games", "4", "--jobs", jobs, "--json").json for jobs in "12")
    assert [r["returns"] for r in one["records"]] == [r["returns"] for r in two["records"]]


def test_match_of_one_player(run: Any) -> None:
    ran = run("match", "rock-sample", "pomcp(simulations=30)", "random", "--games", "3", "--steps", "40")
    assert "mean return" in ran.out
    assert "first seat" not in ran.out


def test_match_breaks_off(run: Any) -> None:
    ran = run("match", "tiger", "random", "--games", "3", "--steps", "1")
    assert "3 games were left unfinished after" in ran.out


def test_endless_games_are_left(run: Any) -> None:
    assert "left after 135 moves" in run("watch", "tiger", "--planner", "random").out
    assert "2 games were left unfinished after" in run("match", "tiger", "random", "--games", "2").out


# Solving, benchmarks, demo


def test_solve(run: Any) -> None:
    ran = run("solve", "tic-tac-toe")
    assert ran.code == 0
    assert "x gets +0" in ran.out
    assert run("solve", "tiger", "--json").json["action"] == "listen"
    assert "too large" in run("solve", "tic-tac-toe", "--max-states", "10").err


def test_bench_is_found_or_says_so(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    import types

    calls = []
    fake = types.ModuleType("kibitz.bench")
    fake.main = lambda names, as_json: calls.append((names, as_json))  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "kibitz.bench", fake)
    assert run("bench", "playouts", "--json").code == 0
    assert calls == [(["playouts"], True)]
    monkeypatch.setitem(sys.modules, "kibitz.bench", None)
    ran = run("bench")
    assert ran.code == 2
    assert "benchmarks are not part of this installation" in ran.err


def test_demo(run: Any) -> None:
    with work_below(15):
        ran = run("demo")
    assert ran.code == 0
    assert re.search(r"rock 1  .*50 % good", ran.out)
    assert "the sensor says good" in ran.out
    assert "it digs: +10" in ran.out
    assert "it leaves the map" in ran.out
    tries = ran.out[ran.out.index("Try next:") :]
    assert len(re.findall(r"^  kibitz ", tries, re.MULTILINE)) == 3


def test_progress_line() -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    stream = Terminal()
    with Progress(lambda: "half done", stream=stream, first=0.01):
        wait_until(lambda: "\rhalf done" in stream.getvalue())
    assert stream.getvalue().endswith("\r")
    quiet = io.StringIO()
    with Progress(lambda: "half done", stream=quiet, first=0.01):
        time.sleep(0.05)
    assert quiet.getvalue() == ""


@given(st.floats(0, 1), st.integers(1, 40))
def test_bars_fit(share: float, length: int) -> None:
    assert len(bar(share, length)) <= length


@given(st.lists(st.text("xyz", max_size=30), max_size=30))
def test_columns_keep_every_cell(cells: list[str]) -> None:
    assert " ".join(in_columns(cells)).split() == " ".join(cells).split()


@given(st.floats(0, 1e6))
def test_durations_are_short(seconds: float) -> None:
    assert len(duration(seconds)) <= 12


word = st.text("abcdefghijklmnopqrstuvwxyz", min_size=1, max_size=6).filter(
    lambda w: w not in ("true", "false", "inf")
)
value = st.one_of(
    st.booleans(),
    st.integers(-(2**62), 2**62),
    st.floats(-1e6, 1e6, allow_nan=False),
    st.text("abc xyz", max_size=5),
)


@given(word, st.dictionaries(word, value, max_size=5))
def test_specs_survive_writing(name: str, arguments: dict[str, Any]) -> None:
    written = [f"{key}={json.dumps(item)}" for key, item in arguments.items()]
    assert kb._core.parse_spec(f"{name}({', '.join(written)})") == (name, list(arguments.items()))


@pytest.mark.parametrize(
    "module",
    [
        module.name
        for package in (kibitz.cli, kibitz.lab, kibitz.testing)
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
    ]
    + ["kibitz.cli", "kibitz.lab", "kibitz.testing", "kibitz.planners.human"],
)
def test_docstrings_hold(module: str) -> None:
    failed, _ = doctest.testmod(
        importlib.import_module(module), optionflags=doctest.IGNORE_EXCEPTION_DETAIL
    )
    assert not failed


WORDS = ("pictures", "external-sampling", "tabular", "gdl")
"""Words of examples that are neither games nor planners."""


@pytest.mark.parametrize("line", [line for name in commands() for line in kibitz.cli.load(name).EXAMPLES])
def test_examples_name_what_there_is(line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from kibitz.cli import _load

    monkeypatch.chdir(ROOT)
    command, *words = shlex.split(line.removeprefix("kibitz "))
    assert command in commands()
    if command in ("bench", "experiment", "replay", "report", "reproduce"):
        return  # their words are files and names of their own
    if "--rules" in words:
        return  # a folder that the reader has, and games in it
    games = {entry.name for entry in kb.list_games()} | {*kibitz.lang.games_in(kibitz.lang.FOLDER)}
    for word in words:
        name = word.partition("(")[0]
        if kb._core.parts(name) is not None:
            continue  # the parts of a search
        if name in games or word.endswith(".py"):
            _load.game(word)
        elif command == "planners" and kb._core.parts(name) is not None:
            continue
        elif re.match(r"[a-z][a-z-]+$", name) and name not in WORDS:
            _load.planner(word)
