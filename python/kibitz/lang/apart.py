"""Work on many rules files, each in a process of its own, with limits of time and memory.

A module that does so has a command `python -m MODULE --one FILE ...`, which prints what it found out
about one file as JSON; `each` calls it for many files and never fails because one of them does.
"""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from kibitz.lang import in_folder

GRACE = 60.0
"""Seconds beyond its time that a process has, to start and to end."""


def files(paths: Sequence[Path]) -> list[Path]:
    """Files as they are, and the rules files of folders, sorted.

    >>> from kibitz.lang import FOLDER, apart
    >>> any(file.name == "tic-tac-toe.kif" for file in apart.files([FOLDER]))
    True
    """
    found: list[Path] = []
    for path in paths:
        found += in_folder(path) if path.is_dir() else [path]
    return found


def each(
    module: str, paths: Sequence[Path], words: Sequence[str], *, seconds: float, jobs: int = 1
) -> Iterator[tuple[Path, dict[str, Any] | str]]:
    """What the module's command prints about each file, in order; a sentence where it prints nothing."""
    with ThreadPoolExecutor(jobs) as pool, contextlib.ExitStack() as stack:
        stack.callback(pool.shutdown, wait=False, cancel_futures=True)
        found = pool.map(lambda path: _one(module, path, words, seconds), paths)
        yield from zip(paths, found, strict=True)


def _one(module: str, path: Path, words: Sequence[str], seconds: float) -> dict[str, Any] | str:
    command = [sys.executable, "-m", module, "--one", str(path), *words]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=seconds + GRACE)
    except subprocess.TimeoutExpired:
        return "it did not end in time"
    try:
        printed = json.loads(done.stdout)
    except ValueError:
        printed = None
    if isinstance(printed, dict):
        return printed
    last = done.stderr.strip().splitlines()[-1:] or [f"it ended with code {done.returncode}"]
    return last[0]


def limit_memory(gib: float) -> None:
    """This process gets no more memory than that, where the system can be told so."""
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        most = int(gib * 2**30)
        resource.setrlimit(resource.RLIMIT_AS, (most, most))


def peak_memory() -> float | None:
    """The most memory, in MiB, that this process ever had; None where the system does not say."""
    # On Linux, what the other system call says counts the process that started this one as well.
    with contextlib.suppress(OSError, ValueError):
        told = Path("/proc/self/status").read_text(encoding="ascii", errors="replace")
        for line in told.splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) / 2**10
    try:
        import resource
    except ImportError:
        return None
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    # In bytes on macOS, in KiB elsewhere.
    return most / 2**20 if sys.platform == "darwin" else most / 2**10
