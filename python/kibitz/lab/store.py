"""The folder that holds an experiment's results: written so that nothing that counted is ever lost.

    experiment.json         what is played, by which version, on which machine, with a seal; written first
    episodes/0001.jsonl     one file for each worker that ever ran, a line an episode, with a seal
    episodes.parquet        all of them in order, once the experiment is complete, under a seal (`table`)
    replays/...             the episodes that are kept move by move

A line is written with one system call before its episode counts, so that killing any process loses
no counted episode; every few seconds, and when a worker ends, the disk is waited for too, which is
what a power cut takes. A worker's file is never opened again for writing: only its last line can
be torn, and a torn line is an episode that is played again. `results`
reads all of it again.
"""

from __future__ import annotations

import contextlib
import json
import os
import platform
import time
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from kibitz import _files
from kibitz._core import __version__
from kibitz.lab import table
from kibitz.lab.cells import Plan, plain_cell
from kibitz.lab.experiment import to_plain
from kibitz.lab.record import SCHEMA, Record
from kibitz.lab.results import (
    CONFIGURATION,
    EPISODES,
    REPLAYS,
    TABLE,
    Results,
    StoreError,
    files,
    open_results,
    read,
    read_configuration,
    seal_of,
)

if TYPE_CHECKING:
    from kibitz.episode import Episode
    from kibitz.lab.replay import Replay

__all__ = ["Results", "Sink", "Store", "StoreError", "Writer", "configuration", "open", "read"]

open = open_results  # noqa: A001 -- read as `store.open`
LOCK = ".lock"
SYNC = 5.0
"""Seconds after which a worker waits for the disk."""


class Writer:
    """Appends records to one worker's file; OSError, with the file's name, where that fails."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.size = 0
        """Bytes written."""
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND, 0o644)
        self._synced = time.monotonic()

    def write(self, record: Record) -> None:
        """The record is with the operating system when this returns."""
        left = memoryview(record.to_json().encode() + b"\n")
        with _files.naming(self.path):
            while left:
                written = os.write(self._file, left)
                self.size += written
                left = left[written:]
            if time.monotonic() - self._synced > SYNC:
                os.fsync(self._file)
                self._synced = time.monotonic()

    def close(self) -> None:
        """Waits for the disk; a file that nothing was written to goes away."""
        if self._file >= 0:
            with _files.naming(self.path):
                os.fsync(self._file)
                os.close(self._file)
            self._file = -1
            if self.size == 0:
                self.path.unlink(missing_ok=True)


class Sink:
    """Where one worker's episodes go: its own file, and a file for each replay."""

    def __init__(self, file: Path) -> None:
        self.writer = Writer(file)
        self._replays = file.parent.parent / REPLAYS

    def put(self, record: Record, played: Episode | Replay | None = None) -> None:
        """Keeps an episode; a replay first, so that an episode that counts has its replay."""
        if played is not None:
            from kibitz.lab import replay

            seating = "-".join(map(str, record.seating))
            replay.save(played, self._replays / f"{record.cell}-{record.episode}-{seating}.json")
        self.writer.write(record)

    def close(self) -> None:
        """Waits for the disk."""
        self.writer.close()


class Store:
    """A results folder that is being filled. Only one process may fill it at a time."""

    def __init__(self, directory: str | os.PathLike[str], plan: Plan) -> None:
        self.directory = Path(directory)
        self.plan = plan
        self._number = 0
        self._lock: int | None = None

    def __enter__(self) -> Self:
        _make_folder(self.directory)
        self._refuse_strangers()
        self._lock = _lock(self.directory)
        try:
            self._claim()
            _make_folder(self.directory / EPISODES)
            if self.plan.experiment.replays != "none":
                _make_folder(self.directory / REPLAYS)
            numbers = [int(path.stem) for path in files(self.directory) if path.stem.isdigit()]
            self._number = max(numbers, default=0)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def _refuse_strangers(self) -> None:
        # The lock, and what was being written when a run was killed, are nobody's.
        there = [path.name for path in self.directory.iterdir() if not path.name.startswith(".")]
        if there and CONFIGURATION not in there:
            raise StoreError(f"{self.directory} holds other files ({there[0]}); choose another folder")

    def _claim(self) -> None:
        """Writes the configuration, or finds the same one there; StoreError for another one."""
        wanted = configuration(self.plan)
        path = self.directory / CONFIGURATION
        if not path.exists():
            sealed = wanted | {"seal": seal_of(wanted)}
            _files.write(path, json.dumps(sealed, indent=1, ensure_ascii=False), sync=True)
            return
        there = read_configuration(self.directory)
        here = json.loads(json.dumps(wanted))
        for spec, facts in (there.get("games") or {}).items():
            if spec in here["games"]:  # what an earlier version did not write down of a game cannot differ
                known = here["games"][spec]
                here["games"][spec] = {key: value for key, value in known.items() if key in facts}
        for key in ("experiment", "cells", "games"):
            if what := _difference(there.get(key), here[key], key):
                raise StoreError(
                    f"{self.directory} holds another experiment ({what}); choose another folder"
                )
        if there.get("version") != __version__:
            raise StoreError(
                f"{self.directory} was begun with kibitz {there.get('version')}, this is {__version__}: "
                "their episodes cannot be mixed; choose another folder"
            )

    def new_file(self) -> Path:
        """The file of the next worker."""
        self._number += 1
        return self.directory / EPISODES / f"{self._number:04}.jsonl"

    def compact(self) -> None:
        """All episodes into one file; the workers' files go only when it is safely there."""
        lines = files(self.directory)
        if not lines:
            return
        table.write(read(self.directory), self.directory / TABLE)
        _sync_folder(self.directory)
        for path in lines:
            path.unlink(missing_ok=True)
        with contextlib.suppress(OSError):
            (self.directory / EPISODES).rmdir()


def _lock(directory: Path) -> int | None:
    """Keeps a second run out until this process ends, however it ends."""
    file = os.open(directory / LOCK, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except ImportError:  # a system without it
        pass
    except BlockingIOError:
        os.close(file)
        raise StoreError(f"another run is writing into {directory}; wait for it, or stop it") from None
    except OSError:  # a file system without it
        pass
    return file


def _make_folder(path: Path) -> None:
    try:
        path.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError) as error:
        blamed = error.filename if isinstance(error, NotADirectoryError) else path
        raise StoreError(f"{blamed} cannot be a folder for results: a file is in the way") from None


def _sync_folder(path: Path) -> None:
    with contextlib.suppress(OSError):  # some systems cannot
        handle = os.open(path, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def configuration(plan: Plan) -> dict[str, Any]:
    """What `experiment.json` holds: all that decides about the result, and where it was made."""
    return {
        "schema": SCHEMA,
        "version": __version__,
        "experiment": to_plain(plan.experiment),
        "cells": [plain_cell(cell) for cell in plan.cells],
        "games": {spec: asdict(facts) for spec, facts in plan.facts().items()},
        "machine": {
            "cores": os.cpu_count(),
            "python": platform.python_version(),
            "platform": platform.platform(),
        },
    }


def _difference(there: Any, here: Any, where: str = "") -> str | None:
    """The first thing in which two configurations differ, in words."""
    if isinstance(there, dict) and isinstance(here, dict):
        for key in dict.fromkeys([*there, *here]):
            if found := _difference(there.get(key), here.get(key), key):
                return found
        return None
    if there == here:
        return None
    if isinstance(there, list) and isinstance(here, list) and len(there) == len(here):
        differences = (_difference(one, other, where) for one, other in zip(there, here, strict=True))
        return next(each for each in differences if each)
    shown = [json.dumps(value, ensure_ascii=False)[:60] for value in (there, here)]
    return f"{where}: {shown[0]} there, {shown[1]} here"
