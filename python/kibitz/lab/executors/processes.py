"""Processes of this machine. They are spawned: a fork of a process with threads may hang.

What a worker needs is sent to it. It runs the user's script again only if games or planners are defined in
that very script; so a script of three lines, the interpreter and a notebook need nothing special.

Each worker writes its own file and reports afterwards. When one dies, the end of its file tells what
it had finished; the rest of its batch is lost and played again. A worker says in shared memory
since when which seat has been thinking, so that one that never answers can be killed.
"""

from __future__ import annotations

import contextlib
import io
import multiprocessing
import os
import pickle
import signal
import sys
import threading
import time
from collections.abc import Iterator
from multiprocessing.connection import Connection, wait
from multiprocessing.sharedctypes import RawArray
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any, NamedTuple

from kibitz.lab.episodes import Job, Playing
from kibitz.lab.executors import Events, Finished, Lost, NewFile, NextBatch, leave_if_repeated
from kibitz.lab.executors.batches import TRIES
from kibitz.lab.record import Fault
from kibitz.lab.results import tail
from kibitz.lab.store import Sink

GRACE = 1.0
"""Seconds beyond a planner's time before its process is killed: most notice that they are late."""

NOTHING = object()
_SPAWN = multiprocessing.get_context("spawn")


class Processes:
    """Plays in several processes of this machine."""

    batch_seconds = 0.2

    def __init__(self, playing: Playing, new_file: NewFile, jobs: int) -> None:
        self.workers = jobs
        self._playing, self._new_file = playing, new_file
        self._limit = playing.move_seconds

    def run(self, next_batch: NextBatch) -> Events:
        """Plays until there is nothing left; a worker that dies is replaced."""
        leave_if_repeated()
        parcel = pack(self._playing)
        if parcel.own and not _main_file():
            raise ValueError(
                f"{parcel.own} is defined in the interpreter, from where other processes cannot get it: "
                f"put it into a module, or use one job{' and no move_seconds' * (self._limit is not None)}"
            )
        workers: list[_Worker] = []
        orderly = False
        stillborn = 0
        try:
            while True:
                for worker in workers:
                    if worker.ready and not worker.batch and (batch := next_batch()):
                        worker.send(batch)
                # A worker is started when there is work for it, and not before.
                while len(workers) < self.workers and (batch := next_batch()):
                    workers.append(_Worker(parcel, self._new_file()))
                    workers[-1].send(batch)
                if not any(worker.batch for worker in workers):
                    break
                for worker in self._heard(workers):
                    yield from worker.events()
                    if worker.gone:
                        workers.remove(worker)
                    stillborn = 0 if worker.ready else stillborn + worker.gone
                    if not worker.ready and (stillborn == TRIES or (worker.process.exitcode or 0) > 0):
                        raise RuntimeError(_stillborn(parcel))
                for worker in [each for each in workers if self._late(each)]:
                    yield from worker.kill(self._limit or 0.0)
                    workers.remove(worker)
            orderly = True
        finally:
            for worker in workers:
                worker.leave(orderly)
            for worker in workers:
                worker.process.join()

    def _heard(self, workers: list[_Worker]) -> list[_Worker]:
        """The workers that have said something, or have died."""
        handles: dict[Any, _Worker] = {}
        for worker in workers:
            handles[worker.connection] = handles[worker.process.sentinel] = worker
        timeout = None if self._limit is None else min(1.0, max(0.05, self._limit / 4))
        return list(
            {id(handles[handle]): handles[handle] for handle in wait(list(handles), timeout)}.values()
        )

    def _late(self, worker: _Worker) -> bool:
        if self._limit is None or not worker.batch:
            return False
        since = float(worker.heart[1])
        return since > 0 and time.monotonic() - since > self._limit + GRACE


class _Worker:
    """One process, seen from the first one."""

    def __init__(self, parcel: Parcel, file: Path | None) -> None:
        self.file = file
        self.size = 0
        """Bytes of its file that have been reported."""
        self.batch: list[Job] = []
        self.ready = self.gone = False
        # Whose planner is thinking (-1: the rules), and since when (0: nothing is under way).
        self.heart = RawArray("d", 2)
        self.connection, theirs = _SPAWN.Pipe()
        arguments = theirs, parcel.content, file, self.heart
        self.process = _SPAWN.Process(target=_serve, args=arguments, daemon=True)
        with contextlib.nullcontext() if parcel.own else _without_script():
            self.process.start()
        theirs.close()

    def send(self, batch: list[Job]) -> None:
        self.batch = batch
        self.heart[1] = 0
        with contextlib.suppress(OSError):  # it has died, which is noticed anyway
            self.connection.send(batch)

    def events(self) -> Iterator[Finished | Lost]:
        """What it has said; all that is left of it where it has died."""
        while (said := self._said()) is not NOTHING:
            if isinstance(said, BaseException):
                raise said
            self.ready = True
            if said is not None:
                records, seconds, self.size = said
                self.batch = []
                yield Finished(records, seconds)
        if not self.process.is_alive():
            yield from self._remains(None)

    def _said(self) -> Any:
        """What is the next to be taken in; NOTHING where it is silent, or dead."""
        with contextlib.suppress(EOFError, OSError):
            if self.connection.poll():
                return self.connection.recv()
        return NOTHING

    def kill(self, limit: float) -> Iterator[Finished | Lost]:
        """Ends it because a planner does not answer."""
        seat = int(self.heart[0])
        self.process.kill()
        self.process.join()
        if seat >= 0:
            what = f"no answer after {limit + GRACE:g} s; {limit:g} s are allowed for a move"
            yield from self._remains(Fault("overtime", seat, what))
        else:
            what = f"the rules have not answered for {limit + GRACE:g} s"
            yield from self._remains(Fault("endless", None, what))

    def _remains(self, fault: Fault | None) -> Iterator[Finished | Lost]:
        self.gone = True
        self.process.join()
        self.connection.close()
        written = [] if self.file is None else tail(self.file, self.size)
        lost = self.batch[len(written) :]
        if written:
            yield Finished(written, [0.0] * len(written))
        if lost:
            thinking = int(self.heart[0]) if self.heart[1] > 0 else -1
            suspects = 1 if self.file is not None else len(lost)
            yield Lost(lost, suspects, fault, seat=thinking if thinking >= 0 else None)

    def leave(self, orderly: bool) -> None:
        """Lets it finish its file, or ends it at once."""
        if orderly:
            with contextlib.suppress(OSError):
                self.connection.send(None)
        else:
            self.process.terminate()
        self.connection.close()


class Parcel(NamedTuple):
    """What is sent to a worker."""

    content: bytes
    own: str | None
    """The name of a class or function in it that the user's script itself defines, if there is one."""


class _Packer(pickle.Pickler):
    """Notices what is found in the user's script only."""

    own: str | None = None

    def reducer_override(self, thing: Any) -> Any:
        """Asked about everything that is not a plain value; goes on as always."""
        if isinstance(thing, type | FunctionType) and thing.__module__ == "__main__":
            self.own = thing.__qualname__
        return NotImplemented


def pack(playing: Playing) -> Parcel:
    """Makes the parcel here: later, a failure would come from another process. ValueError, then."""
    file = io.BytesIO()
    packer = _Packer(file)
    try:
        packer.dump(playing)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise ValueError(
            f"this cannot be sent to another process ({error}): games and planners must come from a "
            "module, or use one job"
        ) from error
    return Parcel(file.getvalue(), packer.own)


def _main_file() -> str | None:
    """The user's script; None in the interpreter, in a notebook, and where it comes from stdin."""
    file = getattr(sys.modules["__main__"], "__file__", None)
    return file if file is not None and Path(file).is_file() else None


_SCRIPT = threading.Lock()


@contextlib.contextmanager
def _without_script() -> Iterator[None]:
    """Processes that are started meanwhile do not run the user's script again, as all others would.

    Python has no switch for it: what a new process runs is looked up in `__main__` when it is started.
    """
    with _SCRIPT:
        script = sys.modules["__main__"]
        sys.modules["__main__"] = ModuleType("__main__")
        try:
            yield
        finally:
            sys.modules["__main__"] = script


def _stillborn(parcel: Parcel) -> str:
    """Why a process may have died before it could play."""
    if parcel.own is None:
        return "a process died before it could play; one job needs no other process"
    return (
        f"a process died before it could play: it runs {_main_file()} to find {parcel.own} there, so that "
        'script must keep its own work under if __name__ == "__main__"; one job always works'
    )


def _serve(connection: Connection, content: bytes, file: Path | None, heart: Any) -> None:
    """A worker's life."""
    # Ctrl-C reaches every process of the terminal; only the first one is to answer it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_die_with_parent, daemon=True).start()
    sink = None
    try:
        playing: Playing = pickle.loads(content)
        sink = None if file is None else Sink(file)
        connection.send(None)
        while (batch := connection.recv()) is not None:
            connection.send(_play(batch, playing, sink, heart))
    except (EOFError, BrokenPipeError):
        pass
    except Exception as error:
        with contextlib.suppress(OSError):
            connection.send(_sendable(error))
    finally:
        if sink is not None:
            with contextlib.suppress(OSError):
                sink.close()


def _play(batch: list[Job], playing: Playing, sink: Sink | None, heart: Any) -> tuple[Any, ...]:
    def watch(seat: int | None) -> None:
        heart[0], heart[1] = -1 if seat is None else seat, time.monotonic()

    records, seconds = [], []
    for job in batch:
        begin = time.monotonic()
        watch(None)
        record, played = playing.play(job, watch)
        if sink is not None:
            sink.put(record, played)
        records.append(record)
        seconds.append(time.monotonic() - begin)
    heart[1] = 0
    return records, seconds, 0 if sink is None else sink.writer.size


def _die_with_parent() -> None:
    """A worker whose coordinator is killed must not go on, not even inside a planner that never answers."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _sendable(error: Exception) -> Exception:
    try:
        pickle.loads(pickle.dumps(error))
        return error
    except Exception:
        return RuntimeError(f"{type(error).__name__}: {error}")
