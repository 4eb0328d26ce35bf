"""Experiments from a plain script, from stdin and from the interpreter: no ceremony is asked for."""

import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import kibitz as kb

EXPERIMENT = """
import kibitz as kb
experiment = kb.lab.Experiment("short", games=["tic-tac-toe"], planners=["random"], episodes=3{more})
print("played", len(kb.lab.run(experiment, "out"{jobs}).frame()))
"""

OWN = """
import kibitz as kb
class Mine(kb.PlannerBase):
    def act(self, view):
        return kb.Decision(view, view.legal()[0])

experiment = kb.lab.Experiment("own", games=["tic-tac-toe"], planners=[Mine], episodes=2)
print("played", len(kb.lab.run(experiment, "out"{jobs}).frame()))
"""


def run(script: str, how: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Runs a script as a file, from stdin, or as if it were typed in."""
    (folder / "script.py").write_text(script)
    words = {"file": ["script.py"], "stdin": ["-"], "typed": ["-i", "-q"]}[how]
    given = None if how == "file" else script
    return subprocess.run(
        [sys.executable, *words], input=given, cwd=folder, capture_output=True, text=True, timeout=60
    )


@pytest.mark.parametrize("how", ["file", "stdin", "typed"])
@pytest.mark.parametrize(
    ("more", "jobs"), [("", ""), ("", ", jobs=2"), (", move_seconds=9", "")], ids=["plain", "jobs", "limit"]
)
def test_three_lines_are_enough(how: str, more: str, jobs: str, tmp_path: Path) -> None:
    done = run(EXPERIMENT.format(more=more, jobs=jobs), how, tmp_path)
    assert done.stdout.split() == ["played", "3"], done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("how", ["file", "stdin", "typed"])
def test_own_planners_need_nothing_either(how: str, tmp_path: Path) -> None:
    done = run(OWN.format(jobs=""), how, tmp_path)
    assert done.stdout.split() == ["played", "2"], done.stderr


def test_own_planners_in_several_processes_need_a_guard(tmp_path: Path) -> None:
    done = run(OWN.format(jobs=", jobs=2"), "file", tmp_path)
    assert done.returncode == 1
    assert done.stderr.count("Traceback") == 1  # the caller's, and no other process's
    assert "script.py to find Mine there" in done.stderr
    assert 'if __name__ == "__main__"' in done.stderr
    done = run(OWN.format(jobs=", jobs=2"), "stdin", tmp_path)
    assert "ValueError: Mine is defined in the interpreter" in done.stderr
    assert "put it into a module, or use one job" in done.stderr


def test_one_process_is_the_default_everywhere(tmp_path: Path) -> None:
    assert inspect.signature(kb.match).parameters["jobs"].default == 1
    workers: list[int] = []
    experiment = kb.lab.Experiment("short", games=["tic-tac-toe"], planners=["random"], episodes=1)
    kb.lab.run(experiment, tmp_path, on_progress=lambda coordinator: workers.append(coordinator.workers))
    assert workers == [1]
