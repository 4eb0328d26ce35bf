"""Commands in processes of their own: streams, signals, terminals."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import faulty
from cli_runs import KIBITZ, begin, in_terminal
from effort import PATIENCE, wait_until, wait_until_at_work


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
