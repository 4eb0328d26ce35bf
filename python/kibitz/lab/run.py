"""Runs an experiment: hands out episodes, takes in records, and knows when it is enough.

What is counted does not depend on the order in which episodes finish: a run with any number of
workers, on any executor, with any number of interruptions, ends with the same figures.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator
from pathlib import Path

from kibitz._arguments import checked
from kibitz.lab.cells import Cell, Loader, Plan, resolve
from kibitz.lab.episodes import Job, Playing
from kibitz.lab.executors import Finished, Lost, executor, leave_if_repeated
from kibitz.lab.executors.batches import TRIES, Batches
from kibitz.lab.experiment import Experiment
from kibitz.lab.match import Clock
from kibitz.lab.record import Fault, Record
from kibitz.lab.results import Results, open_results, read, records_of
from kibitz.lab.standings import GameFacts, counted, win_shares
from kibitz.lab.stopping import rule_for
from kibitz.lab.store import Sink, Store


class FaultError(RuntimeError):
    """An episode came to nothing, and the run was to stop at that."""


@checked()
def run(
    experiment: Experiment | Plan,
    directory: str | os.PathLike[str],
    *,
    jobs: int | None = None,
    cluster: str | None = None,
    strict: bool = False,
    on_progress: Callable[[Coordinator], object] | None = None,
) -> Results:
    """Plays what is left of an experiment and returns what it came to.

    Run again after an interruption, it goes on; the result is that of a run without one. `jobs` are
    processes, by default one, which is this one; `cluster` is the address of a Ray cluster, or `local`, and
    there all processors are used by default.
    `strict` stops at the first fault (FaultError). `on_progress` is called after each batch.

    >>> import tempfile, kibitz as kb
    >>> experiment = kb.lab.Experiment("small", games=["tic-tac-toe"], planners=["random"], episodes=4)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     results = kb.lab.run(experiment, folder)
    ...     len(results.frame()), results.complete
    (4, True)
    """
    coordinator = Coordinator(experiment, directory, jobs=jobs, cluster=cluster, strict=strict)
    coordinator.play(on_progress)
    return open_results(directory)


class Live:
    """A cell while it is played: what is done, and how it stands, for whoever watches."""

    def __init__(self, cell: Cell, plan: Plan, facts: GameFacts) -> None:
        self.cell, self.facts = cell, facts
        self.total = cell.episodes
        self.done = self.faults = 0
        self.over = False
        """Whether nothing of it is left to play, or to wait for."""
        self.games = [0] * len(cell.planners)
        self.wins = [0.0] * len(cell.planners)
        self.returns = [0.0] * len(cell.planners)
        self.rule = rule_for(plan.experiment.stop, cell, facts)
        # All deals before this one are complete, and count; of later ones, the episodes that are there.
        self._complete = 0
        self._ahead: dict[int, dict[int, Record]] = {}

    @property
    def deals(self) -> int:
        """How many deals its figures rest on."""
        return self._complete

    def has(self, deal: int, seating: int) -> bool:
        """Whether an episode has been played."""
        return deal < self._complete or seating in self._ahead.get(deal, ())

    def add(self, record: Record) -> int | None:
        """Takes in an episode; the number of its seating, or None if it was there already."""
        table = self.cell.seatings(record.episode)
        seating = table.index(record.seating)
        if self.has(record.episode, seating):
            return None
        self.done += 1
        self.faults += record.fault is not None
        self._ahead.setdefault(record.episode, {})[seating] = record
        while not self.over and len(self._ahead.get(self._complete, ())) == len(
            self.cell.seatings(self._complete)
        ):
            deal = self._ahead.pop(self._complete)
            self._complete += 1
            whole = [deal[number] for number in sorted(deal)]
            for each in whole:
                self._tally(each)
            self.over = self.rule is not None and self.rule.enough(whole)
            self.over = self.over or self._complete == self.cell.deals
        return seating

    def _tally(self, record: Record) -> None:
        if (outcome := counted(record, self.facts)) is None:
            return
        wins = win_shares(outcome.places, self.facts)
        for seat, planner in enumerate(record.seating):
            self.games[planner] += 1
            self.wins[planner] += wins[seat]
            self.returns[planner] += outcome.returns[seat] or 0.0


class Coordinator:
    """One run of an experiment in a folder."""

    def __init__(
        self,
        experiment: Experiment | Plan,
        directory: str | os.PathLike[str],
        *,
        jobs: int | None = None,
        cluster: str | None = None,
        strict: bool = False,
        loader: Loader | None = None,
    ) -> None:
        self.plan = experiment if isinstance(experiment, Plan) else resolve(experiment, loader)
        if jobs is not None and jobs < 1:
            raise ValueError(f"an experiment needs at least one job, not {jobs}")
        self.directory = Path(directory)
        self._jobs, self._cluster, self._strict = jobs, cluster, strict
        facts = self.plan.facts()
        self.cells = [Live(cell, self.plan, facts[cell.game]) for cell in self.plan.cells]
        self._numbers = {cell.id: number for number, cell in enumerate(self.plan.cells)}
        self.workers = 0
        self.before = 0
        """Episodes that earlier runs have played."""
        self.lost = 0
        """Episodes that were lost with a worker, and played again."""
        self.clock = Clock(total=sum(live.total for live in self.cells))

    def play(self, on_progress: Callable[[Coordinator], object] | None = None) -> None:
        """Plays what is left; Ctrl-C leaves everything that was finished on disk."""
        leave_if_repeated()
        with Store(self.directory, self.plan) as store:
            for record in records_of(read(self.directory)):
                self._add(record)
            self.before = sum(live.done for live in self.cells)
            self.clock = Clock(total=sum(live.total - live.done for live in self.cells if not live.over))
            if not all(live.over for live in self.cells):
                self._play(store, on_progress)
            store.compact()

    def _play(self, store: Store, on_progress: Callable[[Coordinator], object] | None) -> None:
        experiment = self.plan.experiment
        playing = Playing(
            self.plan.cells,
            self.plan.games,
            self.plan.makers,
            experiment.max_steps,
            experiment.move_seconds,
            experiment.replays,
        )
        place = executor(playing, store.new_file, jobs=self._jobs, cluster=self._cluster)
        self.workers = place.workers
        batches = Batches(self._left(), place.batch_seconds)
        own = _Late(store)
        events = place.run(batches.next)
        with contextlib.closing(events), contextlib.closing(own):
            for event in events:
                if isinstance(event, Lost):
                    for record in self._lost(event, batches, playing):
                        own.put(record)
                        self._take(record)
                else:
                    self._finished(event, batches)
                if on_progress is not None:
                    on_progress(self)
                if all(live.over for live in self.cells):
                    break

    def _left(self) -> Iterator[Job]:
        """The episodes that are still to be played, deal by deal through all cells."""
        for deal in range(max(live.cell.deals for live in self.cells)):
            for number, live in enumerate(self.cells):
                for seating in range(len(live.cell.seatings(deal))):
                    # It may be over by the time the next job is asked for.
                    if deal < live.cell.deals and not live.over and not live.has(deal, seating):
                        yield Job(number, deal, seating)

    def _finished(self, event: Finished, batches: Batches) -> None:
        for record, seconds in zip(event.records, event.seconds, strict=True):
            if (job := self._take(record)) is not None and seconds > 0:
                batches.took(job, seconds)

    def _lost(self, event: Lost, batches: Batches, playing: Playing) -> Iterator[Record]:
        """Has lost episodes played again; the records of those that are given up."""
        jobs = event.jobs
        if event.fault is not None:
            yield playing.fault(jobs[0], event.fault)
            jobs = jobs[1:]
        self.lost += len(jobs)
        batches.lost(jobs, 0 if event.fault is not None else event.suspects)
        # Only a job that was alone with its worker can be to blame for sure.
        if len(event.jobs) == 1 and event.fault is None and batches.losses[jobs[0]] >= TRIES:
            batches.forget(jobs[0])
            what = f"its process died {TRIES} times while it was played"
            yield playing.fault(jobs[0], Fault("died", event.seat, what))

    def _take(self, record: Record) -> Job | None:
        job = self._add(record)
        self.clock.done += job is not None
        return job

    def _add(self, record: Record) -> Job | None:
        number = self._numbers[record.cell]
        seating = self.cells[number].add(record)
        if record.fault is not None and self._strict:
            raise FaultError(_sentence(record))
        return None if seating is None else Job(number, record.episode, seating)


class _Late:
    """The coordinator's own file, for episodes of which only it can say what became of them."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._sink: Sink | None = None

    def put(self, record: Record) -> None:
        if self._sink is None:
            self._sink = Sink(self._store.new_file())
        self._sink.put(record)

    def close(self) -> None:
        if self._sink is not None:
            self._sink.close()


def _sentence(record: Record) -> str:
    """Which episode came to nothing, and why."""
    fault = record.fault
    assert fault is not None
    if fault.seat is None:
        who = record.game
    else:
        who = f"{record.planners[record.seating[fault.seat]]} on seat {fault.seat + 1} of {record.game}"
    place = f"deal {record.episode} of cell {record.cell}, seed {record.seed}"
    return f"stopped at a fault: {who}: {fault.kind}: {fault.what} ({place})"
