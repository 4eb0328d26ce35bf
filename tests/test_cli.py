"""Every command as a user meets it: what it prints, what it refuses, and how it stops."""

from __future__ import annotations

import doctest
import importlib
import io
import json
import os
import pkgutil
import re
import select
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import faulty
import kibitz as kb
import kibitz.cli
import kibitz.lab
import kibitz.testing
from effort import PATIENCE, wait_until, wait_until_at_work, work_below
from kibitz.cli import commands, main
from kibitz.cli._terminal import Progress, bar, duration, in_columns
from kibitz.planners.human import find

ROOT = Path(__file__).parent.parent
TREASURE = str(ROOT / "examples" / "treasure.py")
KIBITZ = [sys.executable, "-m", "kibitz"]


class Ran:
    """What a command printed, and its exit code."""

    def __init__(self, code: int, out: str, err: str) -> None:
        self.code, self.out, self.err = code, out, err

    @property
    def json(self) -> Any:
        return json.loads(self.out)


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Any:
    def run(*words: str, typed: str = "") -> Ran:
        monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
        code = main(words)
        return Ran(code, *capsys.readouterr())

    return run


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


# Mistakes


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["wacth"], "did you mean watch?"),
        (["games", "kuhn-pokr"], "did you mean kuhn-poker?"),
        (["planners", "ucct"], "did you mean uct?"),
        (["games", "breakthrough(row=5)"], "did you mean rows?"),
        (["games", "breakthrough(rows=500)"], "out of range"),
        (["games", "breakthrough(rows=5"], "expected ',' or ')'"),
        (["watch", "nothing-like-it"], "unknown game"),
        (["watch", "tic-tac-toe", "--planner", "uct(simulations=0)"], "0 is out of range"),
        (["watch", "tic-tac-toe", "--planner", "uct(exploratoin=1)"], "did you mean exploration?"),
        (["watch", "kuhn-poker", "--planner", "sparse-uct"], "perfect information"),
        (["match", "kuhn-poker", "random", "sparse-uct"], "perfect information"),
        (["watch", "tic-tac-toe", *["--planner", "random"] * 3], "2 seats"),
        (["watch", "tiger", *["--planner", "random"] * 2], "one seat"),
        (["watch", "tic-tac-toe", "--planner", "human"], "needs a terminal"),
        (["match", "tic-tac-toe", "human", "random"], "needs a terminal"),
        (["match", "tic-tac-toe"], "required"),
        (["match", "tic-tac-toe", "random", "--games", "0"], "0 is out of range"),
        (["match", "tic-tac-toe", "random", "--games", "many"], "expected a whole number"),
        (["match", "tic-tac-toe", "random", "--jobs", "0"], "0 is out of range"),
        (["play", "tic-tac-toe", "--seat", "7"], "no seat '7'"),
        (["watch", "tic-tac-toe", "--seed", "-1"], "out of range"),
        (["watch", "tic-tac-toe", "--delay", "-1"], "out of range"),
        (["watch", "tic-tac-toe", "--colour"], "unrecognized arguments"),
        (["play", "no/such/file.py"], "there is no file no/such/file.py"),
        (["play", "examples/tresure.py"], "did you mean examples/treasure.py?"),
        (["play", "examples/own_planner.py"], "defines no game"),
        (["watch", "tiger", "--planner", "examples/treasure.py"], "defines no planner"),
        (["play", "examples/treasure.py:Tresure"], "did you mean Treasure?"),
        (["play", "examples/treasure.py(bench=3)"], "did you mean beach?"),
        (["play", "examples/treasure.py(1, 2)"], "at most 1 parameters"),
        (["watch", "tic-tac-toe", "--svg", "/dev/null/x"], "/dev/null"),
        (["solve", "connect-four", "--max-states", "1000"], "too large"),
    ],
)
def test_mistakes_are_one_sentence(
    run: Any, monkeypatch: pytest.MonkeyPatch, words: list[str], sentence: str
) -> None:
    monkeypatch.chdir(ROOT)
    ran = run(*words)
    assert ran.code == 2
    assert sentence in ran.err
    assert ran.err.startswith("kibitz: ")
    assert ran.err.count("\n") == 1
    assert "Traceback" not in ran.err + ran.out


BROKEN = {
    "step": ("step raised|ZeroDivisionError", "def step(self, s, joint):\n        return 1 / 0, None"),
    "legal": ("no legal|no action|empty|nothing", "def legal(self, s, p):\n        return []"),
    "turn": ("turn", "def turn(self, s):\n        return 'me'"),
}


@pytest.mark.parametrize("kind", BROKEN)
def test_faults_of_own_games_are_sentences(run: Any, tmp_path: Path, kind: str) -> None:
    sentence, method = BROKEN[kind]
    file = tmp_path / "broken.py"
    file.write_text(
        "import kibitz as kb\n"
        "class Broken(kb.Rules[int]):\n"
        "    def initial(self): return 0\n"
        "    def turn(self, s): return 0 if s < 2 else kb.OVER\n"
        "    def legal(self, s, p): return [0, 1]\n"
        "    def step(self, s, joint): return s + 1, 0\n"
        f"    {method}\n"
    )
    ran = run("watch", str(file), "--planner", "random")
    assert ran.code == 2
    assert re.search(sentence, ran.err)
    assert "Traceback" not in ran.err


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("def x(:", "line 1"),
        ("1 / 0", "line 1.*ZeroDivisionError"),
        ("import nowhere_to_be_found", "nowhere_to_be_found"),
        ("x = 1", "defines no game"),
        ("raise SystemExit(3)", "left the program"),
        ("import kibitz as kb\nclass A(kb.Rules[int]): pass", "initial"),
        (
            "import kibitz as kb\nclass A(kb.Rules[int]): pass\nclass B(kb.Rules[int]): pass",
            "several games.*:A.*:B",
        ),
        (
            "import kibitz as kb\nclass A(kb.Rules[int]):\n    def __init__(self): raise OSError('no ink')",
            "no ink",
        ),
    ],
)
def test_files_that_are_no_games(run: Any, tmp_path: Path, text: str, sentence: str) -> None:
    file = tmp_path / "mine.py"
    file.write_text(text)
    ran = run("games", str(file))
    assert ran.code == 2
    assert re.search(sentence, ran.err), ran.err
    assert ran.err.count("\n") == 1


def test_faults_of_own_planners_are_sentences(run: Any, tmp_path: Path) -> None:
    file = tmp_path / "slip.py"
    file.write_text(
        "import kibitz as kb\n"
        "class Slip(kb.PlannerBase):\n"
        "    def act(self, view):\n"
        "        return {}['what']\n"
    )
    ran = run("watch", "tic-tac-toe", "--planner", str(file))
    assert ran.code == 2
    assert re.search(r"KeyError: 'what' \(.*slip.py, line 4\)", ran.err)


def test_a_file_never_stands_in_for_a_module(run: Any, tmp_path: Path) -> None:
    (tmp_path / "random.py").write_text(Path(TREASURE).read_text())
    assert run("games", str(tmp_path / "random.py"), "--json").json["players"] == 2
    import random

    assert random.random() < 1


def test_debug_shows_the_traceback(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KIBITZ_DEBUG", "1")
    with pytest.raises(ValueError, match="unknown game"):
        run("games", "nothing-like-it")


# Streams, signals, terminals


def test_closed_and_broken_outputs() -> None:
    shell = f"{sys.executable} -m kibitz games"
    closed = subprocess.run(f"{shell} >&-", shell=True, capture_output=True, text=True)
    assert closed.returncode == 2
    assert closed.stderr.startswith("kibitz: ")
    full = subprocess.run(f"{shell} > /dev/full", shell=True, capture_output=True, text=True)
    assert full.returncode == 2
    assert full.stderr == "kibitz: the standard output: No space left on device\n"
    watch = f"{sys.executable} -m kibitz watch connect-four --planner random"
    broken = subprocess.run(f"{watch} | head -1", shell=True, capture_output=True, text=True)
    assert broken.stderr == ""
    assert broken.stdout.count("\n") == 1


def test_other_encodings() -> None:
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    words = [*KIBITZ, "watch", "kuhn-poker", "--planner", "pomcp(simulations=50)"]
    done = subprocess.run(words, env=environment, capture_output=True, text=True)
    assert done.returncode == 0
    assert "+-" in done.stdout
    assert "#" in done.stdout


def begin(*words: str, **environment: str) -> subprocess.Popen[str]:
    """Starts a command in a session of its own, that a signal can be sent to."""
    return subprocess.Popen(
        [*KIBITZ, *words],
        env={**os.environ, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_interrupted_match_sums_up(jobs: str, tmp_path: Path) -> None:
    words = ["match", "tic-tac-toe", "faulty:Slowish", "random", "--games", "100000", "--jobs", jobs]
    process = begin(*words, **faulty.holding(tmp_path))
    wait_until(lambda: len(faulty.held(tmp_path)) == int(jobs), process)
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert re.search(r"stopped after [1-9]\d* of 100000 games", err)
    assert "Traceback" not in err
    assert "The first seat" in out


def test_interrupted_elsewhere() -> None:
    process = begin("watch", "connect-four", "--planner", "uct(simulations=1000000000)")
    wait_until_at_work(process, 2.0)
    os.killpg(process.pid, signal.SIGINT)
    _, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert err.strip() == "stopped"


def in_terminal(words: list[str], typed: str = "", prompt: str = "", **environment: str) -> tuple[int, str]:
    """Runs a command on a terminal of its own, and types once the prompt is there."""
    pty = pytest.importorskip("pty")
    pid, terminal = pty.fork()
    if pid == 0:
        os.environ.update({"TERM": "xterm", "COLUMNS": "100", "LINES": "40", **environment})
        os.execv(sys.executable, [*KIBITZ, *words])
    output = ""
    end = time.monotonic() + PATIENCE
    try:
        while time.monotonic() < end:
            if select.select([terminal], [], [], 0.2)[0]:
                output += os.read(terminal, 65536).decode(errors="replace")
            if typed and prompt in output:
                time.sleep(0.3)  # until it listens
                os.write(terminal, typed.encode())
                typed = ""
        os.kill(pid, signal.SIGKILL)
    except OSError:  # the other side has gone
        pass
    os.close(terminal)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), output


def test_colours_only_on_a_terminal() -> None:
    words = ["watch", "kuhn-poker", "--planner", "pomcp(simulations=50)"]
    assert "\x1b[" in in_terminal(words)[1]
    assert "\x1b[" not in in_terminal(words, NO_COLOR="1")[1]
    assert "\x1b[" not in in_terminal(words, TERM="dumb")[1]
    assert "\x1b[" not in subprocess.run([*KIBITZ, *words], capture_output=True, text=True).stdout


def test_human_in_watch() -> None:
    code, out = in_terminal(
        ["watch", "tic-tac-toe", "--planner", "human", "--steps", "2"],
        typed="b2\nnowhere\na1\n",
        prompt="x> ",
    )
    assert code == 0
    assert "no move is called 'nowhere'" in out
    assert "o: a1" in out


def test_interrupted_at_the_prompt() -> None:
    code, out = in_terminal(["play", "tic-tac-toe", "--with", "random"], typed="\x03", prompt="your move> ")
    assert code == 130
    assert "Traceback" not in out


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
