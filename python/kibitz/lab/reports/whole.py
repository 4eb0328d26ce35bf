"""A report: made of a match, of stored results or of bare records, and written in any form."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from kibitz import __version__, _files
from kibitz._arguments import checked
from kibitz.lab._checked import printable
from kibitz.lab.record import Record
from kibitz.lab.reports.figures import Block, blocks
from kibitz.lab.reports.html import fragment, report_html
from kibitz.lab.reports.names import read
from kibitz.lab.reports.plots import plots, png, svg
from kibitz.lab.reports.tables import as_csv, as_frame, as_latex
from kibitz.lab.reports.text import report_text
from kibitz.lab.results import (
    REPLAYS,
    Results,
    open_file,
    open_results,
    read_configuration,
    records_of,
    unchecked,
)
from kibitz.lab.standings import GameFacts, MatchResult

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True)
class Report:
    """What some results come to; printing it shows tables, a notebook shows pictures too."""

    title: str
    blocks: list[Block] = field(repr=False)
    """One for each game."""
    about: Mapping[str, str] = field(repr=False)
    """Where it comes from: versions, seeds, machine."""
    configuration: Any = field(default=None, repr=False)
    """The experiment that was run, if it was one."""
    replays: list[Path] = field(default_factory=list, repr=False)
    """Saved games, one of each pairing."""

    def __str__(self) -> str:
        return report_text(self.blocks)

    def _repr_html_(self) -> str:
        return fragment(self.blocks)

    def html(self) -> str:
        """A page that needs nothing else."""
        return report_html(self.title, self.blocks, self.about, self.configuration, self.replays)

    def csv(self) -> str:
        """A line for each game and planner."""
        return as_csv(self.blocks)

    def frame(self) -> pl.DataFrame:
        """A row for each game and planner; `.to_pandas()` where pandas and pyarrow are installed."""
        return as_frame(self.blocks)

    def latex(self) -> str:
        """A table for each game, for documents that use booktabs."""
        return as_latex(self.blocks)

    def save_plots(self, folder: str | os.PathLike[str], form: Literal["svg", "png"]) -> list[Path]:
        """Writes all pictures into a folder; the files that were written."""
        folder = Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        written: list[Path] = []
        for block in self.blocks:
            for name, draw in plots(block).items():
                path = _free(folder, f"{_file_name(block.facts.spec)}-{name}", form, written)
                _files.write(path, svg(draw()) if form == "svg" else png(draw()))
                written.append(path)
        return written


def _file_name(spec: str) -> str:
    """A game's spec as a part of a file's name."""
    return re.sub(r"[^A-Za-z0-9.]+", "-", spec).strip("-.")[:80] or "game"


def _free(folder: Path, name: str, form: str, taken: list[Path]) -> Path:
    path, number = folder / f"{name}.{form}", 1
    while path in taken:
        number += 1
        path = folder / f"{name}-{number}.{form}"
    return path


@checked(results="a folder or a file of results, or what a match or an experiment came to")
def report(results: Results | MatchResult | Iterable[Record] | str | os.PathLike[str]) -> Report:
    """A report on stored results, on the directory or file that holds them, on a match, or on records.

    >>> import kibitz as kb
    >>> result = kb.match("tic-tac-toe", ["uct(simulations=50)", "random"], games=4)
    >>> print(str(kb.lab.report(result)).splitlines()[2].split()[:2])
    ['planner', 'games']
    """
    if isinstance(results, str | os.PathLike):
        path = Path(results)
        if not path.is_dir():
            stored = open_file(path)
            made = _report(path.name, list(records_of(stored.frame)))
            if stored.sealed:
                return made
            return replace(made, about=dict(made.about) | {"not checked": unchecked([path])})
        results = open_results(path)
    if isinstance(results, Results):
        return _of_results(results)
    if isinstance(results, MatchResult):
        game, planners, seed = results.game, results.planners, results.seed
        records = [
            record if record.planners else replace(record, game=game, planners=planners, seed=seed)
            for record in results.records
        ]
        return _report(f"{results.game}: a match", records, sequential=results.sequential)
    return _report("Results", list(results))


def _of_results(results: Results) -> Report:
    sequential = any(map(results.sequential, results.cells))
    made = _report(results.experiment.name, list(results.records()), results.games, sequential)
    about = dict(made.about)
    machine = {name: printable(str(value))[:200] for name, value in results.machine.items()}
    about["machine"] = ", ".join(f"{name} {value}" for name, value in machine.items())
    if not results.complete:
        left = sum(not done for done in results.finished.values())
        about["unfinished"] = f"{left} of {len(results.finished)} cells have games still to play"
    if results.beyond:
        about["not counted"] = f"{results.beyond:,} games {ahead(results)}"
    if results.unsealed:
        about["not checked"] = unchecked(results.unsealed)
    configuration = read_configuration(results.directory)
    return replace(made, about=about, configuration=configuration, replays=_pairings(results))


def ahead(results: Results) -> str:
    """Which games of a folder do not count.

    >>> import tempfile, kibitz as kb
    >>> from kibitz.lab.reports.whole import ahead
    >>> experiment = kb.lab.Experiment("small", games=["tic-tac-toe"], planners=["random"], episodes=4)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     ahead(kb.lab.run(experiment, folder))
    'played after a stopping rule was satisfied'
    """
    if results.complete:
        return "played after a stopping rule was satisfied"
    return "on deals after one that is not complete: what ends first is no fair sample"


def _pairings(results: Results) -> list[Path]:
    """A saved game of each pairing: the first of the last cell that has one, which has most to think."""
    first: dict[str, tuple[int, str, Path]] = {}
    for path in (results.directory / REPLAYS).glob("*.json"):
        name, _, rest = path.stem.partition("-")
        episode, _, seating = rest.partition("-")
        if episode.isdecimal():
            found = int(episode[:20]), seating, path
            first[name] = min(first.get(name, found), found)
    chosen: dict[tuple[str, ...], Path] = {}
    for cell in results.cells:
        if cell.id in first:
            families = sorted(read(planner).family.text() for planner in cell.planners)
            chosen[cell.game, *families] = first[cell.id][2]
    return list(chosen.values())


def _report(
    title: str,
    records: list[Record],
    facts: Mapping[str, GameFacts] | None = None,
    sequential: bool = False,
) -> Report:
    if not records:
        raise ValueError("there is nothing to report on: no episode that counts has been played")
    return Report(printable(title), blocks(records, facts, sequential=sequential), _about(records))


def _about(records: list[Record]) -> dict[str, str]:
    versions = sorted({printable(record.version) for record in records})
    seeds = sorted({record.seed for record in records})
    shown = ", ".join(map(str, seeds[:20])) + (", …" if len(seeds) > 20 else "")
    return {
        "played with": "kibitz " + ", ".join(versions),
        "reported by": f"kibitz {__version__}",
        "seeds": shown,
    }
