"""How tests speak of time: work is what the processor has done, and who waits has a long patience.

What a clock on the wall says depends on the neighbours, so that no test may turn on it.
"""

from __future__ import annotations

import os
import resource
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

PATIENCE = 120.0
"""Seconds after which something is taken to hang: much more than anything takes."""


@contextmanager
def work_below(seconds: float) -> Iterator[None]:
    """At most so much of the processor's time is taken, by this process."""
    begin = time.process_time()
    yield
    assert time.process_time() - begin < seconds


def work_of_children() -> float:
    """The processor's time, in seconds, of the processes that this one has started and waited for."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def wait_until(condition: Callable[[], object], process: subprocess.Popen[str] | None = None) -> None:
    """Waits, but not for ever, and not for what a process does that has ended."""
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, "it has waited in vain"
        if process is not None and process.poll() is not None:
            raise AssertionError(f"it was over before it could be stopped: {process.communicate()}")
        time.sleep(0.01)


def wait_until_at_work(process: subprocess.Popen[str], seconds: float) -> None:
    """Until a process has worked for so long by its own clock, however busy the machine is."""

    def works() -> bool:
        fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK") >= seconds

    wait_until(works, process)
