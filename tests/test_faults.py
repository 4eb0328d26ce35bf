"""Faults, for real: processes and nodes that are killed, disks that are full, planners that go wrong."""

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import faulty
import kibitz as kb
from effort import PATIENCE, wait_until
from kibitz.lab import Experiment, Results, run
from kibitz.lab.executors.batches import TRIES
from kibitz.lab.results import open_results

# Each has processes of its own: two at once are enough for one machine.
pytestmark = pytest.mark.xdist_group("processes")

KIBITZ = [sys.executable, "-m", "kibitz"]
TIMES = ["seconds", "slowest", "cpu", "busy"]
KILLS = TRIES - 1
"""One more, and a game that happened to be hit every time would be blamed for it."""


def slow_experiment() -> Experiment:
    """Takes a second or two on two processors: long enough to interfere."""
    planners = [faulty.Slowish, "uct(simulations=20)"]
    return Experiment("slow", games=["tic-tac-toe"], planners=planners, episodes=120)


def figures(results: Results) -> pl.DataFrame:
    """All that must not depend on how a run went."""
    return results.frame().drop(TIMES)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> pl.DataFrame:
    return figures(run(slow_experiment(), tmp_path_factory.mktemp("undisturbed"), jobs=1))


def test_a_killed_worker_loses_nothing(
    tmp_path: Path, undisturbed: pl.DataFrame, monkeypatch: pytest.MonkeyPatch
) -> None:
    kills = tmp_path / "kills"
    kills.mkdir()
    for number in range(KILLS):
        (kills / str(number)).touch()
    monkeypatch.setenv(faulty.KILL, str(kills))
    lost: list[int] = []
    results = run(
        slow_experiment(),
        tmp_path / "run",
        jobs=2,
        on_progress=lambda coordinator: lost.append(coordinator.lost),
    )
    assert not list(kills.iterdir())
    assert lost[-1] >= KILLS
    assert results.faults == 0
    assert figures(results).equals(undisturbed)


FILE = """
[experiment]
name = "slow"
games = ["tic-tac-toe"]
planners = ["faulty:Slowish", "uct(simulations=20)"]
episodes = 120
"""


def begin(folder: Path, hold: Path | None = None) -> subprocess.Popen[str]:
    """Starts a run in a process of its own, or goes on with it; `hold`: workers stop in the middle."""
    (folder / "slow.toml").write_text(FILE)
    environment = {**os.environ, **faulty.holding(hold or folder)}
    if hold is None:
        del environment[faulty.HOLD]
    words = [*KIBITZ, "experiment", "run", "slow.toml", "--jobs", "2", "--json"]
    return subprocess.Popen(
        words, cwd=folder, env=environment, stdout=-1, stderr=-1, text=True, start_new_session=True
    )


def written(folder: Path) -> int:
    return sum(path.read_bytes().count(b"\n") for path in folder.glob("results/slow/episodes/*.jsonl"))


def held(folder: Path, process: subprocess.Popen[str] | None = None) -> list[int]:
    """Waits until both workers have played something, and stand in the middle of a game."""
    wait_until(lambda: len(faulty.held(folder)) == 2, process)
    return faulty.held(folder)


def is_running(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"  # what is dead and not waited for does not run


def same_games(ours: pl.DataFrame, theirs: pl.DataFrame) -> bool:
    """Whether the same was played, whatever the planners were called."""
    names = ["cell", "planners"]
    return ours.drop(names).equals(theirs.drop(names))


@pytest.mark.skipif(sys.platform != "linux", reason="whether a process runs is asked the Linux way")
def test_a_killed_coordinator_loses_nothing(tmp_path: Path, undisturbed: pl.DataFrame) -> None:
    before = 0
    for turn in "once", "twice":
        hold = tmp_path / turn
        hold.mkdir()
        process = begin(tmp_path, hold)
        workers = held(hold, process)
        process.kill()
        process.communicate()
        assert before < written(tmp_path) < 120
        before = written(tmp_path)
        # The workers follow: nobody writes any more.
        wait_until(lambda workers=workers: not any(map(is_running, workers)))
        assert written(tmp_path) == before
    out, err = begin(tmp_path).communicate(timeout=PATIENCE)
    assert json.loads(out)["complete"], err
    results = open_results(tmp_path / "results/slow")
    assert same_games(figures(results), undisturbed)


def test_ctrl_c_and_again(tmp_path: Path, undisturbed: pl.DataFrame) -> None:
    hold = tmp_path / "hold"
    hold.mkdir()
    process = begin(tmp_path, hold)
    held(hold, process)
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert "the same command goes on" in err
    assert "Traceback" not in err
    assert 0 < json.loads(out)["episodes"] < 120
    out, err = begin(tmp_path).communicate(timeout=PATIENCE)
    assert json.loads(out)["complete"], err
    assert same_games(figures(open_results(tmp_path / "results/slow")), undisturbed)


def faults_of(planner: Any, folder: Path, **settings: Any) -> list[kb.lab.Fault]:
    """Two games with the planner and two without it: the faults of the first."""
    experiment = Experiment(
        "faults",
        games=settings.pop("games", ["tic-tac-toe"]),
        planners=[planner, "random"],
        episodes=2,
        pairings=[kb.lab.Pairing(("random", "uct(simulations=5)"), games=("tic-tac-toe",))],
        **settings,
    )
    apart = planner is faulty.Killer or experiment.move_seconds is not None
    results = run(experiment, folder, jobs=2 if apart else 1)
    assert results.complete
    assert len(results.frame()) == 4
    whole = list(results.records(results.cells[-1]))
    assert all(record.fault is None for record in whole)
    found = list(results.records(results.cells[0]))
    table = results.result(results.cells[0])
    assert table.faults == sum(record.fault is not None for record in found)
    return [record.fault for record in found if record.fault is not None]


@pytest.mark.parametrize(
    ("planner", "kind", "words"),
    [
        (faulty.Raises, "raised", "KeyError: 'no such move'"),
        (faulty.Illegal, "illegal", "77 is not one of the view's legal actions"),
        (faulty.Stale, "illegal", "is not legal now"),
        (faulty.NoDecision, "illegal", "answered 3"),
        (faulty.Slow, "overtime", "0.5 s are allowed"),
        (faulty.Never, "overtime", "no answer after"),
        ("uct(simulations=1000000000)", "overtime", "0.5 s are allowed"),
        (faulty.Killer, "died", "died 3 times"),
    ],
)
def test_planners_that_go_wrong(planner: Any, kind: str, words: str, tmp_path: Path) -> None:
    # Long enough for the other planner, whatever else the machine does meanwhile.
    limit = 0.5 if kind == "overtime" else None
    faults = faults_of(planner, tmp_path, move_seconds=limit)
    assert [fault.kind for fault in faults] == [kind] * 2
    assert all(words in fault.what for fault in faults)
    assert [fault.seat for fault in faults] == [0, 1]


@pytest.mark.parametrize(
    ("game", "kind", "words"),
    [
        (faulty.Endless(), "endless", "not over after 500 steps"),
        (faulty.Stuck(), "endless", "the rules have not answered"),
        (faulty.Broken(), "raised", "ZeroDivisionError: the rules are wrong"),
    ],
)
def test_games_that_go_wrong(
    game: Any, kind: str, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kibitz.lab.episodes.ENDLESS", 500)
    limit = 0.5 if isinstance(game, faulty.Stuck) else None
    faults = faults_of("random", tmp_path, games=[game], move_seconds=limit)
    assert faults
    assert {fault.kind for fault in faults} == {kind}
    assert all(words in fault.what and fault.seat is None for fault in faults)


def test_what_had_been_paid_before_a_fault(tmp_path: Path) -> None:
    experiment = Experiment("broken", games=[faulty.Broken()], planners=["random"], episodes=1)
    (record,) = run(experiment, tmp_path, jobs=1).records()
    assert record.returns == (2.0,)
    assert record.steps == 2


def test_strict_stops(tmp_path: Path) -> None:
    experiment = Experiment(
        "strict", games=["tic-tac-toe"], planners=["random", faulty.Raises], episodes=1000
    )
    with pytest.raises(kb.lab.FaultError, match=r"Raises on seat [12] of tic-tac-toe: raised: KeyError"):
        run(experiment, tmp_path, jobs=2, strict=True)
    assert 0 < len(open_results(tmp_path).frame()) < 1000
    # It is recorded, so a strict run stops again, and another one goes on.
    with pytest.raises(kb.lab.FaultError):
        run(experiment, tmp_path, jobs=1, strict=True)


def test_a_full_disk_is_said(tmp_path: Path) -> None:
    (tmp_path / "full.toml").write_text(
        '[experiment]\ngames = ["tic-tac-toe"]\nplanners = ["random"]\nepisodes = 500\nreplays = "none"'
    )
    # No file may grow beyond this, which is what a full disk feels like to a program.
    code = "import resource, runpy, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (9000, 9000)); "
    code += "sys.argv[0] = 'kibitz'; runpy.run_module('kibitz', run_name='__main__')"
    for jobs in ("1", "2"):
        words = [
            sys.executable,
            "-c",
            code,
            "experiment",
            "run",
            "full.toml",
            "--jobs",
            jobs,
            "--out",
            jobs,
        ]
        done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, timeout=PATIENCE)
        assert done.returncode == 2
        assert "Traceback" not in done.stderr
        assert done.stderr.count("\n") == 1
        assert f"{jobs}/episodes/000" in done.stderr
        assert "File too large" in done.stderr
        # What was whole is there, and counts where no deal before it is missing.
        results = open_results(tmp_path / jobs)
        assert 5 < len(results.frame()) + results.beyond < 500


def test_an_unwritable_folder_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("something else")
    with pytest.raises(ValueError, match="a file is in the way"):
        run(slow_experiment(), tmp_path / "file")
    with pytest.raises(ValueError, match="a file is in the way"):
        run(slow_experiment(), tmp_path / "file" / "below")
    if os.access("/proc/1", os.F_OK):
        with pytest.raises(OSError, match="/proc/kibitz"):
            run(slow_experiment(), "/proc/kibitz")


# The size of a Ray node is what is asked for, not what the machine has: two on one machine will do.
NODES = """
import sys, time
import ray
from ray.cluster_utils import Cluster

cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
node = cluster.add_node(num_cpus=1)
cluster.wait_for_nodes()
raylet = node.all_processes["raylet"][0].process.pid
print(cluster.address, raylet, flush=True)
sys.stdin.read()
cluster.shutdown()
"""


@pytest.fixture
def two_nodes(tmp_path: Path) -> Iterator[tuple[str, int]]:
    """A Ray cluster of two nodes: its address, and the process to kill for the second node to die.

    Workers stop and wait in the middle of a game until there is a file `go` beside those of the test.
    """
    pytest.importorskip("ray", reason="ray is not installed here (the extra cluster)")
    environment = {**os.environ, **faulty.holding(tmp_path), "RAY_USAGE_STATS_ENABLED": "0"}
    process = subprocess.Popen(
        [sys.executable, "-c", NODES],
        stdin=-1,
        stdout=-1,
        stderr=subprocess.DEVNULL,
        text=True,
        env=environment,
    )
    assert process.stdout is not None
    address, raylet = process.stdout.readline().split()
    yield address, int(raylet)
    process.communicate("")


def children(parent: int) -> list[int]:
    """The processes that a process has started."""
    listed = subprocess.run(["ps", "-A", "-o", "pid=,ppid="], capture_output=True, text=True, check=True)
    pairs = [tuple(map(int, line.split())) for line in listed.stdout.splitlines()]
    return [process for process, its_parent in pairs if its_parent == parent]


@pytest.mark.slow
def test_a_killed_ray_node_loses_nothing(
    tmp_path: Path,
    two_nodes: tuple[str, int],
    undisturbed: pl.DataFrame,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    address, raylet = two_nodes
    monkeypatch.setattr("kibitz.lab.executors.ray.OnRay.batch_seconds", 0.1)

    def interfere() -> None:
        held(tmp_path)
        for process in [raylet, *children(raylet)]:
            os.kill(process, signal.SIGKILL)
        (tmp_path / "go").touch()

    lost: list[int] = []
    killer = threading.Thread(target=interfere)
    killer.start()
    results = run(
        slow_experiment(),
        tmp_path / "ray",
        cluster=address,
        on_progress=lambda coordinator: lost.append(coordinator.lost),
    )
    killer.join()
    assert (tmp_path / "go").exists()
    assert lost[-1] > 0
    assert results.faults == 0
    assert figures(results).equals(undisturbed)
