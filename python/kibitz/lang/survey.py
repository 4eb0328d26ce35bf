"""How rules files fare, one by one: `python -m kibitz.lang.survey FOLDER`.

Each file is checked, made ready and played at random, in a process of its own with limits of time
and memory. It is *played* (all games were), *cut short* (there was no time for all), *refused* by
the checker, or *failed* (a limit was hit), and the reason is told. With `--heuristics` goals are
regressed as well, and it is told which files get an action heuristic by that.
"""

from __future__ import annotations

import os
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from kibitz import _files
from kibitz.lang import apart, check, load, trial


@dataclass
class Surveyed:
    """How one file fared; times in seconds, memory in MiB."""

    file: str
    result: str
    """`played`, `cut short`, `refused` or `failed`."""
    why: str = ""
    machine: str = ""
    ready: float = 0.0
    """Until the first move."""
    seconds: float = 0.0
    """For the games."""
    lengths: list[int] = field(default_factory=list)
    flaws: list[str] = field(default_factory=list)
    """What is wrong with the games that were played."""
    memory: float | None = None
    """The most that the process had."""
    heuristic: bool | None = None
    """Whether somebody gets an action heuristic, where goals were regressed,"""
    regressing: float = 0.0
    """how long that took,"""
    regressed: list[str] = field(default_factory=list)
    """and what came of each player's."""


def survey(
    spec: str, *, games: int = 20, seconds: float = 60.0, seed: int = 0, heuristics: bool = False
) -> Surveyed:
    """Checks a file and plays random games by its rules; regresses its goals, if that is asked for.

    >>> from kibitz.lang.survey import survey
    >>> survey("tic-tac-toe.kif", games=3).result
    'played'
    """
    found = Surveyed(spec, "played")
    try:
        errors = [finding for finding in check(spec) if finding.severity == "error"]
        if errors:
            first = errors[0]
            found.result = "refused"
            found.why = f"{first.code}: {first.message} (line {first.line}, column {first.column})"
            return found
        games_played = trial.play(spec, games, seconds=seconds, seed=seed)
    except ValueError as error:
        found.result, found.why = "failed", " ".join(str(error).split())
        return found
    found.machine, found.why, found.ready = games_played.machine, games_played.why or "", games_played.ready
    found.seconds, found.lengths = games_played.seconds, games_played.lengths
    found.flaws = [f"{flaw.code}: {flaw.message}" for flaw in games_played.flaws]
    if games_played.cut_short:
        found.result = "cut short"
    if heuristics and found.machine == "network":
        game = load(spec)
        begun = time.perf_counter()
        told = game.heuristics
        found.regressing = time.perf_counter() - begun
        found.heuristic = any(is_found for is_found, _ in told)
        found.regressed = [about for _, about in told]
    found.memory = apart.peak_memory()
    return found


def main(argv: Sequence[str] | None = None) -> int:
    """Surveys all files of some folders; the exit code is 1 if one is cut short or failed."""
    module = "kibitz.lang.survey"
    parser = apart.parser(module, __doc__)
    parser.add_argument("--games", type=int, default=20, help="random games of each file (default 20)")
    parser.add_argument(
        "--seconds", type=float, default=60, help="begin no game of a file after so long (default 60)"
    )
    parser.add_argument(
        "--heuristics", action="store_true", help="regress goals: who gets an action heuristic"
    )
    parser.add_argument("--table", type=Path, metavar="FILE", help="keep them as a table in Markdown")
    options = parser.parse_args(argv)
    results = apart.run(
        module,
        options,
        "games",
        "seconds",
        "heuristics",
        one=lambda spec: survey(
            spec,
            games=options.games,
            seconds=options.seconds,
            seed=options.seed,
            heuristics=options.heuristics,
        ),
        kind=Surveyed,
        lost="failed",
        told=lambda one, number: print(f"{number} {' | '.join(_row(one))}", flush=True),
    )
    if results is None:
        return 0
    if options.table:
        _files.write(options.table, table(results))
    print(summary(results))
    return 1 if any(one.result in ("cut short", "failed") for one in results) else 0


def summary(results: Sequence[Surveyed]) -> str:
    """How many files fared how, in a sentence."""
    counts = Counter(one.result for one in results)
    machines = Counter(one.machine for one in results if one.machine)
    parts = [f"{count} {result}" for result, count in counts.most_common()]
    parts += [f"{count} by the {machine}" for machine, count in machines.most_common()]
    networks = [one for one in results if one.machine == "network" and one.memory is not None]
    if networks:
        largest = max(networks, key=lambda one: one.memory or 0)
        parts.append(f"no network took more than {largest.memory:.0f} MiB ({_name(largest)})")
    if regressed := [one for one in results if one.heuristic is not None]:
        got = sum(bool(one.heuristic) for one in regressed)
        longest = max(one.regressing for one in regressed)
        large = sum("(limit.heuristic" in " ".join(one.regressed) for one in regressed if not one.heuristic)
        share = f"{got} of {len(regressed)} networks get an action heuristic ({got / len(regressed):.1%})"
        parts.append(f"{share}, in {longest:.1f} s at most")
        parts.append(f"{large} have goals too large to regress ({large / len(regressed):.1%})")
    return f"{len(results)} files: {', '.join(parts)}"


def table(results: Sequence[Surveyed]) -> str:
    """All of it as a page in Markdown.

    >>> from kibitz.lang.survey import Surveyed, table
    >>> print(table([Surveyed("draughts.kif", "refused", "unbalanced: a bracket")]).splitlines()[-1])
    | draughts.kif | refused |  |  |  |  |  | unbalanced: a bracket |
    """
    head = ["file", "result", "machine", "ready, s", "MiB", "games, s", "steps", "why, or what is wrong"]
    rows = [head, ["---"] * len(head), *(_row(one) for one in results)]
    return f"{summary(results)}\n\n" + "\n".join(f"| {' | '.join(row)} |" for row in rows) + "\n"


def _row(one: Surveyed) -> list[str]:
    words = [_name(one), one.result, one.machine, "", "", "", "", ""]
    if one.machine:
        words[3] = f"{one.ready:.1f}"
        words[5] = f"{len(one.lengths)} in {one.seconds:.1f}"
        words[6] = f"{min(one.lengths)} to {max(one.lengths)}"
    if one.memory is not None:
        words[4] = f"{one.memory:.0f}"
    none = [] if one.heuristic is not False else [f"no heuristic: {one.regressed[0]}"]
    words[7] = "; ".join(part for part in (one.why, *one.flaws, *none) if part).replace("|", "\\|")
    return words


def _name(one: Surveyed) -> str:
    return os.path.basename(one.file)


if __name__ == "__main__":
    sys.exit(main())
