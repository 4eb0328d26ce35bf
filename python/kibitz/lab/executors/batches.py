"""Batches: tiny episodes travel together, so that handing them out costs little beside playing them."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator

from kibitz.lab.episodes import Job

MOST = 1_000
"""Jobs in a batch."""
TRIES = 3
"""How often a job may be lost with its worker before it counts as what killed it."""
WEIGHT = 0.2
"""How much a new measurement counts against the earlier ones."""


class Batches:
    """Hands out jobs in order, as many at once as take about `seconds`.

    What was lost with a worker is handed out again, first of all and each job alone: if it was a job
    that killed its worker, the others are not to suffer for it again.

    >>> from kibitz.lab.episodes import Job
    >>> from kibitz.lab.executors.batches import Batches
    >>> batches = Batches((Job(0, episode, 0) for episode in range(9)), seconds=0.1)
    >>> len(batches.next())  # nothing is known yet
    1
    >>> batches.took(Job(0, 0, 0), 0.02)
    >>> len(batches.next())
    5
    """

    def __init__(self, jobs: Iterator[Job], seconds: float) -> None:
        self._jobs, self._seconds = jobs, seconds
        self._again: deque[Job] = deque()
        self._took: dict[int, float] = {}
        self.losses: Counter[Job] = Counter()
        """How often a job was lost when it might have been to blame."""

    def next(self) -> list[Job]:
        """The next batch; empty where there is none for now."""
        if self._again:
            return [self._again.popleft()]
        batch: list[Job] = []
        expected = 0.0
        while not batch or (expected < self._seconds * 0.999 and len(batch) < MOST):
            job = next(self._jobs, None)
            if job is None:
                break
            batch.append(job)
            expected += self._took.get(job.cell, self._seconds)
        return batch

    def took(self, job: Job, seconds: float) -> None:
        """Learns how long a job took."""
        before = self._took.get(job.cell, seconds)
        self._took[job.cell] = (1 - WEIGHT) * before + WEIGHT * seconds

    def lost(self, jobs: list[Job], suspects: int) -> None:
        """Takes jobs back."""
        self.losses.update(jobs[:suspects])
        self._again.extend(jobs)

    def forget(self, job: Job) -> None:
        """Does not hand out a job again."""
        self._again.remove(job)
