"""A Ray cluster. Workers on other machines cannot write to this disk, and need not share one.

They send finished records back, and this process writes them, into one file for each worker, before
they count. What dies with a node is therefore the batch that was under way there, which is played
again elsewhere. Kibitz, of the same version, and the modules of one's own games and planners must be
installed on all nodes.
"""

from __future__ import annotations

import contextlib
import importlib
import logging
import os
import socket
import sys
import time
from pathlib import Path
from typing import Any

from kibitz._core import __version__
from kibitz.lab import replay
from kibitz.lab.episodes import Job, Playing
from kibitz.lab.executors import Events, Finished, Lost, NewFile, NextBatch
from kibitz.lab.executors.processes import GRACE, pack
from kibitz.lab.record import Fault, Record
from kibitz.lab.store import Sink

STARTING = 120.0
"""Seconds within which a node must have room for the first worker."""
DEAF = 10.0
"""Seconds beyond a planner's time after which a worker that does not even say so is given up."""


class OnRay:
    """Plays on the nodes of a cluster; `local` starts one on this machine."""

    batch_seconds = 1.0

    def __init__(self, playing: Playing, new_file: NewFile, *, address: str, jobs: int | None) -> None:
        # Ray would report to its makers over the network.
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        try:
            ray: Any = importlib.import_module("ray")
        except ImportError:
            raise ValueError("a cluster needs ray: pip install 'kibitz[cluster]'") from None
        pack(playing)  # to see whether it can be sent
        self._ray = ray
        self._playing, self._new_file = playing, new_file
        self._limit = playing.move_seconds
        self._own = not ray.is_initialized()
        if self._own:
            _connect(ray, address)
        self.workers = jobs or max(1, int(ray.cluster_resources().get("CPU", 1)))

    def run(self, next_batch: NextBatch) -> Events:
        """Plays until there is nothing left; a worker that dies is replaced, on whichever node has room."""
        shared = self._ray.put(self._playing)
        # Two calls at once: while one plays, the other one answers how that is going.
        player = self._ray.remote(num_cpus=1, max_restarts=0, max_concurrency=2)(Player)
        workers: list[_Worker] = []
        begin = time.monotonic()
        try:
            while True:
                while len(workers) < self.workers:
                    workers.append(_Worker(player.remote(shared), self._new_file()))
                for worker in workers:
                    if worker.ready and not worker.batch and (batch := next_batch()):
                        worker.send(batch)
                if not any(worker.batch for worker in workers):
                    if any(worker.ready for worker in workers):
                        return
                    if time.monotonic() - begin > STARTING:
                        raise ValueError(f"no node of the cluster has had room for {STARTING:g} s")
                yield from self._wait(workers)
                begin = time.monotonic() if any(worker.ready for worker in workers) else begin
        finally:
            for worker in workers:
                self._end(worker)
            if self._own:
                self._ray.shutdown()

    def _wait(self, workers: list[_Worker]) -> Events:
        """Waits until somebody answers, and takes in the answers."""
        waiting = {worker.answer: worker for worker in workers if worker.answer is not None}
        answered, _ = self._ray.wait(list(waiting), num_returns=1, timeout=1.0)
        for worker in [waiting[answer] for answer in answered]:
            yield from self._take(worker, workers)
        if self._limit is not None:
            for worker in [each for each in workers if each.batch]:
                yield from self._check(worker, workers, self._limit)

    def _take(self, worker: _Worker, workers: list[_Worker]) -> Events:
        from ray.exceptions import RayError, RayTaskError

        try:
            said = self._ray.get(worker.answer)
        except RayTaskError as error:
            raise error.cause from None
        except RayError:  # the worker has died, or its node
            workers.remove(worker)
            self._end(worker)
            if worker.batch:
                yield Lost(worker.batch, suspects=len(worker.batch))
            return
        worker.answer = None
        if not worker.ready:
            if said != __version__:
                raise ValueError(
                    f"a node has kibitz {said}, but this is {__version__}; they must be the same"
                )
            worker.ready = True
            return
        if worker.sink is not None:
            for record, _, kept in said:
                worker.sink.put(record, kept)
        worker.batch = []
        yield Finished([record for record, _, _ in said], [seconds for _, seconds, _ in said])

    def _check(self, worker: _Worker, workers: list[_Worker], limit: float) -> Events:
        """Ends a worker in which a planner does not answer."""
        from ray.exceptions import RayError

        number, seat, seconds = 0, -1, 0.0
        if worker.pulse is None:
            worker.pulse, worker.asked = worker.actor.pulse.remote(), time.monotonic()
        if self._ray.wait([worker.pulse], timeout=0)[0]:
            with contextlib.suppress(RayError):  # its death is noticed elsewhere
                number, seat, seconds = self._ray.get(worker.pulse)
            worker.pulse = None
        elif time.monotonic() - worker.asked > limit + DEAF:
            seconds = limit + DEAF
        if seconds <= limit + GRACE or not worker.batch:
            return
        workers.remove(worker)
        self._end(worker)
        culprit, others = worker.batch[number], [*worker.batch[:number], *worker.batch[number + 1 :]]
        late = f"no answer after {seconds:.1f} s; {limit:g} s are allowed for a move"
        fault = Fault("overtime", seat, late) if seat >= 0 else Fault("endless", None, late)
        yield Lost([culprit, *others], suspects=1, fault=fault)

    def _end(self, worker: _Worker) -> None:
        if worker.sink is not None:
            worker.sink.close()
        with contextlib.suppress(Exception):
            self._ray.kill(worker.actor)


class _Worker:
    """One actor, seen from here."""

    def __init__(self, actor: Any, file: Path | None) -> None:
        self.actor = actor
        self.sink = None if file is None else Sink(file)
        self.batch: list[Job] = []
        self.ready = False
        self.answer: Any = actor.version.remote()
        """What is awaited."""
        self.pulse: Any = None
        self.asked = 0.0

    def send(self, batch: list[Job]) -> None:
        self.batch = batch
        self.answer = self.actor.play.remote(batch)


class Player:
    """What lives on a node."""

    def __init__(self, playing: Playing) -> None:
        self._playing = playing
        self._number, self._seat, self._since = 0, -1, 0.0

    def version(self) -> str:
        """Of kibitz, there."""
        return __version__

    def play(self, batch: list[Job]) -> list[tuple[Record, float, replay.Replay | None]]:
        """Plays a batch; each record with its time, and with a replay where one is to be kept."""
        said = []
        for number, job in enumerate(batch):
            begin = time.monotonic()
            self._number = number
            self._watch(None)
            record, played = self._playing.play(job, self._watch)
            said.append((record, time.monotonic() - begin, None if played is None else replay.of(played)))
        self._since = 0.0
        return said

    def _watch(self, seat: int | None) -> None:
        self._seat, self._since = -1 if seat is None else seat, time.monotonic()

    def pulse(self) -> tuple[int, int, float]:
        """Which job of the batch is played, whose planner thinks (-1: the rules), for how long."""
        since = self._since
        return self._number, self._seat, time.monotonic() - since if since else 0.0


def _reach(address: str) -> None:
    """Ray itself tries for many minutes; OSError at once where nobody listens."""
    host, colon, port = address.removeprefix("ray://").rpartition(":")
    if colon and port.isdigit():
        socket.create_connection((host.strip("[]"), int(port)), timeout=5).close()


def _connect(ray: Any, address: str) -> None:
    quiet = {"logging_level": logging.ERROR, "log_to_driver": False, "namespace": "kibitz"}
    # What can be imported here can be imported there, as far as the files are there too.
    paths = os.pathsep.join(path for path in sys.path if path)
    environment = {"env_vars": {"PYTHONPATH": paths, "RAY_USAGE_STATS_ENABLED": "0"}}
    try:
        _reach(address)
        if address == "local":
            ray.init(include_dashboard=False, runtime_env=environment, **quiet)
        else:
            ray.init(address=address, runtime_env=environment, **quiet)
    except (RuntimeError, ValueError, OverflowError, OSError) as error:
        words = " ".join(str(error).split())[:200]
        raise ValueError(f"there is no Ray cluster at {address} that answers ({words})") from None
