"""Where episodes are played: in this process, in others on this machine, or on a Ray cluster.

An executor is given batches of jobs and says which were finished and which were lost. It decides
nothing: the same jobs give the same records everywhere. `batches` makes the batches, `inline`,
`processes` and `ray` are the three executors.
"""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable, Generator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from kibitz.lab.episodes import Job, Playing
from kibitz.lab.record import Fault, Record

NewFile = Callable[[], Path | None]
"""Names the file of the next worker; None where records are not to be written."""


@dataclass(frozen=True)
class Finished:
    """Episodes that were played and, where they are stored, written."""

    records: list[Record]
    seconds: list[float]
    """How long each took."""


@dataclass(frozen=True)
class Lost:
    """Jobs that a worker took with it."""

    jobs: list[Job]
    suspects: int
    """How many of them, from the first on, may have been what killed it."""
    fault: Fault | None = None
    """What the first one did, where that is known: it took too long."""
    seat: int | None = None
    """Whose planner was thinking in the first one when the worker died, where that is known."""


Events = Generator[Finished | Lost, None, None]
NextBatch = Callable[[], list[Job]]
"""The next jobs to be played together; none for now where the list is empty."""


class Executor(Protocol):
    """Plays jobs somewhere."""

    workers: int
    batch_seconds: float
    """How much work is best handed out at once: a batch's cost is small beside it."""

    def run(self, next_batch: NextBatch) -> Events:
        """Plays until there is no batch left; closing the generator stops all workers."""


def executor(
    playing: Playing, new_file: NewFile, *, jobs: int | None = None, cluster: str | None = None
) -> Executor:
    """The executor for so many jobs; by default for one, and on a cluster for as many as it has room for.

    One job plays in this process, unless planners have a time limit: only another process can be
    ended from outside.
    """
    if cluster is not None:
        from kibitz.lab.executors.ray import OnRay

        return OnRay(playing, new_file, address=cluster, jobs=jobs)
    jobs = 1 if jobs is None else jobs
    if jobs == 1 and playing.move_seconds is None:
        from kibitz.lab.executors.inline import Inline

        return Inline(playing, new_file)
    from kibitz.lab.executors.processes import Processes

    return Processes(playing, new_file, jobs)


def leave_if_repeated() -> None:
    """Ends a worker that is only running its script again, to find classes there, and comes to this point.

    Whoever started it says why: that script must keep its own work apart.
    """
    if getattr(multiprocessing.current_process(), "_inheriting", False):
        raise SystemExit(1)


def processors() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
