"""Work spread over processes. They are spawned: a fork of a process with threads may hang."""

from __future__ import annotations

import multiprocessing
import pickle
import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from itertools import islice
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")


def in_processes(work: Callable[[T], R], pieces: Sequence[T], jobs: int) -> Iterator[R]:
    """The results of `work` for each piece, as they are ready; leaving early stops the processes.

    >>> from kibitz.lab.pool import in_processes
    >>> list(in_processes(abs, [-1], jobs=1))
    [1]
    """
    _check_sendable((work, *pieces[:1]))
    pool = ProcessPoolExecutor(
        max_workers=min(jobs, len(pieces)),
        mp_context=multiprocessing.get_context("spawn"),
        initializer=_ignore_interrupt,
    )
    done = False
    try:
        left = iter(pieces)
        # A few pieces wait for each process: enough to keep it busy, little to throw away.
        running: set[Future[R]] = {pool.submit(work, piece) for piece in islice(left, 2 * jobs)}
        while running:
            finished, running = wait(running, return_when=FIRST_COMPLETED)
            running |= {pool.submit(work, piece) for piece in islice(left, len(finished))}
            for future in finished:
                yield future.result()
        done = True
    except BrokenProcessPool as error:
        raise RuntimeError(
            "a process died; a script that uses several jobs must keep its own work under "
            'if __name__ == "__main__", and one job always works'
        ) from error
    finally:
        if not done:
            for process in list((pool._processes or {}).values()):
                process.terminate()
        pool.shutdown(wait=True, cancel_futures=True)


def _check_sendable(piece: object) -> None:
    """Tries it here: inside the pool a failure would come late, from another thread."""
    try:
        pickle.dumps(piece)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise ValueError(
            f"this cannot be sent to another process ({error}): games and planners must come from a "
            "module, or use one job"
        ) from error


def _ignore_interrupt() -> None:
    """Ctrl-C reaches every process of the terminal; only the first one is to answer it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
