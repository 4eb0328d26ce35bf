"""How fast rules files are played, a line a file and machine in the format of gdl-perf.

`game;engine;version;ok;error;ms;stateChanges;rollouts`, without a line of headings, so that what reads
the results of other engines reads ours. The time is the processor's, on one thread, and that of
playing alone: reading, grounding and compiling are done before. A state change is a joint move; a
rollout is a game to its end (or to 10,000 joint moves).
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from kibitz import GameFault, __version__, _core, lang

FIELDS = ("game", "engine", "version", "ok", "error", "ms", "stateChanges", "rollouts")
ENGINES = {"kibitz-single": 1, "kibitz-lanes": 1024}
"""What plays, and how many games at a time at least."""
LONGEST = 200
"""Characters of an error; a line should stay one."""
TURN = 0.2
"""Seconds between two looks at the clock, about."""


@dataclass(frozen=True)
class Result:
    """One line."""

    game: str
    engine: str
    version: str = __version__
    error: str = ""
    ms: int = 0
    changes: int = 0
    rollouts: int = 0

    def __str__(self) -> str:
        ok = "false" if self.error else "true"
        figures = ("", "", "") if self.error else (self.ms, self.changes, self.rollouts)
        fields = (self.game, self.engine, self.version, ok, self.error, *figures)
        return ";".join(_plain(str(field)) for field in fields)


def _plain(text: str) -> str:
    """Without what would end a field or a line."""
    words = " ".join(text.replace(";", ",").split())
    return words if len(words) <= LONGEST else words[: LONGEST - 3] + "..."


def files(paths: Sequence[str]) -> list[str]:
    """The rules files that are meant: a folder stands for all that are directly in it.

    >>> from kibitz.bench._gdl import files
    >>> files(["tic-tac-toe.kif"])
    ['tic-tac-toe.kif']
    """
    found: list[str] = []
    for path in paths:
        if Path(path).is_dir():
            found += map(str, lang.in_folder(Path(path)))
            continue
        lang.read(path)  # refuses what is no rules file, before anything is measured
        found.append(path)
    return found


def measure(path: str, seconds: float, seed: int = 0) -> Iterator[Result]:
    """Plays a file's games on each machine for so long."""
    name = Path(path).name
    game, why = None, ""
    try:
        game = lang.load(path)
    except ValueError as error:
        why = " ".join(str(error).splitlines()[:2])  # what is wrong first, and where
    for engine, batch in ENGINES.items():
        if game is None:
            yield Result(name, engine, error=why)
            continue
        machine = game.machine or {}
        version = f"{__version__} ({machine['machine']})"
        if batch > 1 and machine["machine"] != "network":
            yield Result(name, engine, version, error=f"no network: {machine['why']}")
            continue
        try:
            yield Result(name, engine, version, "", *_play(game, batch, seconds, seed))
        except GameFault as fault:
            yield Result(name, engine, version, error=str(fault))


def _play(game: _core.Game, batch: int, seconds: float, seed: int) -> tuple[int, int, int]:
    """Milliseconds, joint moves and games."""
    count = batch
    changes = rollouts = 0
    game.playouts(1, seed, batch=batch)  # memory is made ready
    began = time.process_time()
    while True:
        before = time.process_time()
        changes += game.playouts(count, seed + rollouts, batch=count if batch > 1 else 1)[1]
        rollouts += count
        now = time.process_time()
        if now - began >= seconds:
            return round(1000 * (now - began)), changes, rollouts
        if now - before < TURN / 2:
            count *= 2


def main(paths: Sequence[str], seconds: float) -> int:
    """Measures files and folders, and prints a line as soon as it is known."""
    if _core.debug_build:
        print(
            "this is a debug build, whose speed says nothing; 'make build' makes a release", file=sys.stderr
        )
        return 2
    wanted = files(paths)
    print(";".join(FIELDS), file=sys.stderr)
    for path in wanted:
        for result in measure(path, seconds):
            print(result, flush=True)
    return 0
