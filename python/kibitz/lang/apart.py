"""Work on many rules files, each in a process of its own, with limits of time and memory.

A module that does so has a command `python -m MODULE FILE ...`, with the arguments of `parser`, that calls
`run`: with `--one` it prints what it found out about one file as JSON; without, it calls itself so for
each file, and never fails because one of them does.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

from kibitz import _files
from kibitz.lang import in_folder

Result = TypeVar("Result")

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


def parser(module: str, about: str | None) -> argparse.ArgumentParser:
    """The arguments that every such command has; its own module says what it is about.

    >>> from kibitz.lang import apart
    >>> apart.parser("kibitz.lang.survey", "How rules fare.").parse_args(["games", "--jobs", "2"]).jobs
    2
    """
    arguments = argparse.ArgumentParser(
        prog=f"python -m {module}", description=(about or "").partition("\n")[0]
    )
    arguments.add_argument(
        "paths", nargs="+", type=Path, metavar="PATH", help="rules files, or folders of them"
    )
    arguments.add_argument("--memory", type=float, default=4, help="GiB for each file (default 4)")
    arguments.add_argument("--seed", type=int, default=0, help="for the random games (default 0)")
    arguments.add_argument("--jobs", type=int, default=1, help="files at a time (default 1)")
    arguments.add_argument("--json", type=Path, metavar="FILE", help="keep the results, one a line")
    arguments.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    return arguments


def run(
    module: str,
    options: argparse.Namespace,
    *keys: str,
    one: Callable[[str], Result],
    kind: Callable[..., Result],
    lost: str,
    told: Callable[[Result, str], object],
) -> list[Result] | None:
    """What `one` finds out about each file, in a process of its own; None where this is such a process.

    `keys` are the arguments and switches that it wants beside those of `parser`, with `seconds` among
    them. It gives a dataclass of that `kind`, which begins with file, result and why; `lost` is the
    result where a process says nothing. Each is `told` when it comes, with its number.
    """
    if options.one:
        limit_memory(options.memory)
        print(json.dumps(vars(one(str(options.paths[0])))))
        return None
    paths = files(options.paths)
    given = {key: getattr(options, key) for key in (*keys, "seed", "memory")}
    words = [
        f"--{key}" if value is True else f"--{key}={value}"
        for key, value in given.items()
        if value is not False
    ]
    results: list[Result] = []
    with contextlib.ExitStack() as stack:
        kept = stack.enter_context(options.json.open("w")) if options.json else None
        found = each(module, paths, words, seconds=2 * options.seconds, jobs=options.jobs)
        for number, (file, about) in enumerate(found, 1):
            result = kind(**about) if isinstance(about, dict) else kind(str(file), lost, about)
            results.append(result)
            told(result, f"{number}/{len(paths)}")
            if kept:
                with _files.naming(options.json):
                    kept.write(json.dumps(vars(result)) + "\n")
                    kept.flush()
    return results


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
