"""What commands say to mistakes: one sentence."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from cli_runs import ROOT, TREASURE


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
