"""Reading what an experiment has come to. A results folder is untrusted: bounded, checked, never run.

Checked means: what carries a seal agrees with it, every record can be one, and it is one of its cell, in
its game, by its planners, in one of its seatings.
"""

from __future__ import annotations

import io
import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, get_args

from kibitz import _files
from kibitz.lab import table
from kibitz.lab._checked import Fields, each, flag, number, optional, text, whole
from kibitz.lab._seal import DAMAGED, check_seal, seal
from kibitz.lab.cells import Cell
from kibitz.lab.document import Mistake
from kibitz.lab.experiment import Experiment, Stop, from_plain
from kibitz.lab.record import SCHEMA, Fault, FaultKind, Record
from kibitz.lab.standings import GameFacts, MatchResult, Ties, summarise
from kibitz.lab.stopping import rule_for

if TYPE_CHECKING:
    import polars as pl

CONFIGURATION, EPISODES, TABLE, REPLAYS = "experiment.json", "episodes", "episodes.parquet", "replays"
LARGEST = 256 * 2**20
"""Bytes of a configuration that is still read."""
LARGEST_LINES = 8 << 30
"""Bytes of a worker's file."""


class StoreError(ValueError):
    """What is wrong with a results folder, in a sentence."""


def files(directory: Path) -> list[Path]:
    """The workers' files, oldest first."""
    return sorted((directory / EPISODES).glob("*.jsonl"))


def read_configuration(directory: Path) -> dict[str, Any]:
    """What `experiment.json` holds; StoreError where it is missing or something else."""
    path = directory / CONFIGURATION
    try:
        content = _files.read(path, LARGEST)
    except (FileNotFoundError, NotADirectoryError):
        raise StoreError(f"{directory} holds no results of an experiment: no {CONFIGURATION}") from None
    except ValueError as error:
        raise StoreError(str(error)) from None
    try:
        plain = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise StoreError(f"{path} is not JSON: {error}") from None
    if not isinstance(plain, dict):
        raise StoreError(f"{path} is no configuration of an experiment")
    if plain.get("schema") != SCHEMA:
        found = json.dumps(plain.get("schema"))[:40]
        raise StoreError(f"{path} has schema {found}; this version of kibitz reads schema {SCHEMA}")
    if "seal" in plain and plain["seal"] != seal_of(plain):
        raise StoreError(f"{path} {DAMAGED}")
    return plain


def seal_of(configuration: Mapping[str, Any]) -> str:
    """The checksum of a configuration: its own field `seal`, which earlier versions did not write."""
    content = {key: value for key, value in configuration.items() if key != "seal"}
    return seal(json.dumps(content, sort_keys=True).encode())


OPTIONAL = ("transitions", "cpu", "busy")
"""What earlier versions did not write down."""


def _schema() -> dict[str, Any]:
    import polars as pl

    numbers, wholes = pl.List(pl.Float64), pl.List(pl.UInt64)
    return {
        "schema": pl.UInt64,
        "cell": pl.String,
        "game": pl.String,
        "planners": pl.List(pl.String),
        "seating": wholes,
        "seed": pl.UInt64,
        "episode": pl.UInt64,
        "returns": numbers,
        "steps": pl.UInt64,
        "over": pl.Boolean,
        "moves": wholes,
        "seconds": numbers,
        "slowest": numbers,
        "simulations": wholes,
        "transitions": wholes,
        "cpu": numbers,
        "busy": numbers,
        "fault": pl.Struct({"kind": pl.String, "seat": pl.UInt64, "what": pl.String}),
        "version": pl.String,
    }


class Stored(NamedTuple):
    """What one file holds."""

    path: Path
    frame: pl.DataFrame
    sealed: bool
    """Whether a checksum says that it is what was written; earlier versions did without."""

    def place(self, row: int) -> str:
        """Where a row of the table stands in the file."""
        return f"{self.path}, {'row' if self.path.suffix == '.parquet' else 'line'} {row + 1}"


def read(directory: str | os.PathLike[str]) -> pl.DataFrame:
    """All episodes that were played, each once, in order; StoreError where a line is no record, or one of
    another experiment.

    A last line that was torn off is left out. Where an episode is there twice (a worker outlived its
    coordinator), the first counts; both hold the same game.
    """
    directory = Path(directory)
    cells = _cells_of(directory)
    return _joined(_stored(directory, cells), cells)


def _stored(directory: Path, cells: Sequence[Cell]) -> list[Stored]:
    """Every file of a folder, each record one of its cell."""
    whole_table = directory / TABLE
    parts = [_read_table(whole_table)] if whole_table.exists() else []
    parts += [_read_lines(path) for path in files(directory)]
    known = {cell.id: cell for cell in cells}
    for part in parts:
        _check_cells(part, known)
    return parts


def _joined(parts: Sequence[Stored], cells: Sequence[Cell]) -> pl.DataFrame:
    import polars as pl

    frame = pl.concat([pl.DataFrame(schema=_schema()), *(part.frame for part in parts)])
    order = {cell.id: number for number, cell in enumerate(cells)}
    return (
        frame.unique(["cell", "episode", "seating"], keep="first", maintain_order=True)
        .with_columns(pl.col("cell").replace_strict(order, return_dtype=pl.UInt32).alias("order"))
        .sort("order", "episode", "seating", maintain_order=True)
        .drop("order")
    )


def _cells_of(directory: Path) -> tuple[Cell, ...]:
    try:
        return tuple(Fields(read_configuration(directory), "").get("cells", each(_read_cell)))
    except StoreError:
        raise
    except ValueError as error:
        raise StoreError(f"{directory / CONFIGURATION}: {error}") from None


def _check_cells(part: Stored, cells: Mapping[str, Cell]) -> None:
    """StoreError, with its place, for the first record that is none of its cell's."""
    about = part.frame.select("cell", "game", "seed", "planners", "episode", "seating")
    for row, (name, game, seed, planners, episode, seating) in enumerate(about.iter_rows()):
        cell = cells.get(name)
        if cell is None:
            what = f"an episode of a cell {_shown(name)}, which {CONFIGURATION} does not have"
        elif game != cell.game:
            what = f"an episode of {_shown(game)}; its cell {name} plays {cell.game}"
        elif seed != cell.seed:
            what = f"an episode of seed {seed}; its cell {name} has seed {cell.seed}"
        elif tuple(planners) != cell.planners:
            what = f"an episode of {_shown(planners)}; in its cell {name} play {_shown(cell.planners)}"
        elif episode >= cell.deals:
            what = f"an episode on deal {episode}; its cell {name} has {cell.deals}, from 0"
        elif tuple(seating) not in (right := cell.seatings(episode)):
            those = ", ".join(str(list(one)) for one in right[:6]) + ", …" * (len(right) > 6)
            what = f"nobody sits as in {seating} on deal {episode} of its cell {name}, but as in {those}"
        else:
            continue
        raise StoreError(f"{part.place(row)}: {what}")


def _shown(value: str | Sequence[str]) -> str:
    return json.dumps(value, ensure_ascii=False)[:100]


def read_file(path: str | os.PathLike[str]) -> pl.DataFrame:
    """The episodes of `open_file` alone."""
    return open_file(path).frame


def open_file(path: str | os.PathLike[str]) -> Stored:
    """The episodes in a single file, a table (.parquet) or a worker's lines, without its folder.

    What its cells are nobody says, but each has one game, one seed and the same planners.
    """
    path = Path(path)
    if not path.is_file():
        raise StoreError(f"there is no file {path}")
    part = _read_table(path) if path.suffix == ".parquet" else _read_lines(path)
    columns = ["cell", "game", "seed", "planners"]
    first: dict[str, tuple[Any, ...]] = {}
    for row, (cell, *own) in enumerate(part.frame.select(columns).iter_rows()):
        if cell and first.setdefault(cell, tuple(own)) != tuple(own):
            raise StoreError(
                f"{part.place(row)}: an episode of another game than others of its cell {cell}, or of "
                f"another seed, or by other planners: {_shown(own[0])}, seed {own[1]}, {_shown(own[2])}"
            )
    return part


def _read_table(path: Path) -> Stored:
    import polars as pl

    try:
        frame, sealed = table.read_sealed(path)
    except OSError as error:
        raise StoreError(f"{path} cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise StoreError(str(error)) from None
    for name, before in zip(OPTIONAL, ("simulations", *OPTIONAL), strict=False):
        if name not in frame.columns:  # an earlier version's
            after = frame.columns.index(before) + 1 if before in frame.columns else 0
            frame = frame.insert_column(after, pl.lit(None, _schema()[name]).alias(name))
    if dict(frame.schema) != _schema():
        raise StoreError(f"{path} does not hold episodes as this version of kibitz writes them")
    if not _sound(frame):
        raise StoreError(f"{path} holds episodes that cannot be")
    return Stored(path, frame, sealed)


def _read_lines(path: Path) -> Stored:
    import polars as pl

    try:
        content = _files.read(path, LARGEST_LINES)
    except ValueError as error:
        raise StoreError(str(error)) from None
    content = content[: content.rfind(b"\n") + 1]  # without a torn line
    sealed = _check_seals(path, content)
    try:
        frame = pl.read_ndjson(content, schema=_schema())
        if len(frame) == content.count(b"\n") and _sound(frame):
            return Stored(path, frame, sealed)
    except pl.exceptions.PolarsError:
        pass
    # Something is wrong: line by line it can be said what and where.
    for count, line in enumerate(content.split(b"\n")[:-1], 1):
        try:
            Record.from_json(line)
        except ValueError as error:
            raise StoreError(f"{path}, line {count}: {error}") from None
    raise StoreError(f"{path} cannot be read as episodes")


def _check_seals(path: Path, content: bytes) -> bool:
    """Whether the lines have seals; one worker wrote them, so that either all have or none has."""
    without = first = None
    for count, line in enumerate(io.BytesIO(content), 1):
        try:
            if check_seal(line):
                first = first or count
            else:
                without = without or count
        except ValueError as error:
            raise StoreError(f"{path}, line {count}: {error}") from None
    if first and without:
        raise StoreError(f"{path}, line {without}: it has no checksum, but line {first} has one")
    return without is None


def _sound(frame: pl.DataFrame) -> bool:
    """Whether all rows can be records: nothing is missing, and everything has one entry a seat."""
    import polars as pl

    if not len(frame):
        return True
    needed = [name for name in frame.columns if name not in ("fault", "returns", *OPTIONAL)]
    seats = pl.col("seating").list.len()
    kinds = list(get_args(FaultKind))
    fault = pl.col("fault")
    what = fault.struct.field("what")
    fine = [
        pl.all_horizontal(pl.col(needed).is_not_null()),
        pl.col("schema") == SCHEMA,
        seats > 0,
        pl.col("seating").list.max() < pl.col("planners").list.len(),
        (pl.col("returns").list.len() == seats).fill_null(fault.is_not_null()),
        ((pl.col("seconds").list.len() == seats) | fault.is_not_null()),
        # Either all three are known of each seat, or nothing is.
        *(pl.col(name).list.len() == pl.col("moves").list.len() for name in ("slowest", "simulations")),
        (pl.col("moves").list.len() == 0) | (pl.col("moves").list.len() == seats),
        *(
            (pl.col(name).list.len().fill_null(0) == 0) | (pl.col(name).list.len() == seats)
            for name in OPTIONAL
        ),
        *(
            pl.col(name).list.eval(pl.element().is_not_null()).list.all().fill_null(True)
            for name in OPTIONAL
        ),
        *(
            pl.col(name).list.eval(pl.element().is_finite().fill_null(False)).list.all().fill_null(True)
            for name in ("cpu", "busy")
        ),
        *(
            pl.col(name).list.eval(pl.element().is_not_null()).list.all()
            for name in ("planners", "seating", "moves", "simulations")
        ),
        *(
            pl.col(name).list.eval(pl.element().is_finite().fill_null(False)).list.all()
            for name in ("seconds", "slowest")
        ),
        fault.is_null() | (fault.struct.field("kind").is_in(kinds) & what.is_not_null()),
        (fault.struct.field("seat") < seats).fill_null(True),
        (pl.col("returns").list.eval(pl.element().is_finite().fill_null(False)).list.all()).fill_null(True),
    ]
    return bool(frame.select(pl.all_horizontal(fine).fill_null(False).all()).item())


def tail(path: Path, offset: int) -> list[Record]:
    """The whole records in a file from a place on; none where there is no such file."""
    try:
        with path.open("rb") as file:
            file.seek(offset)
            content = file.read()
    except FileNotFoundError:
        return []
    return [Record.from_json(line) for line in content[: content.rfind(b"\n") + 1].split(b"\n")[:-1]]


def unchecked(files: Sequence[Path]) -> str:
    """A sentence on files without a checksum; empty where there are none."""
    if not files:
        return ""
    names = ", ".join(path.name for path in files[:4]) + ", …" * (len(files) > 4)
    return f"{names} without a checksum: what was changed in there would not be noticed"


@dataclass(frozen=True)
class Results:
    """What a folder holds: the experiment and the episodes that count."""

    directory: Path
    experiment: Experiment
    cells: tuple[Cell, ...]
    games: Mapping[str, GameFacts]
    version: str
    machine: Mapping[str, Any]
    episodes: pl.DataFrame
    """Those that count, in the order of cells, deals and seatings."""
    beyond: int
    """How many more were played on later deals than those that count: after a stopping rule had been
    satisfied, or, while a cell is played, after a deal that is not complete."""
    finished: Mapping[str, bool]
    """Of each cell, by its id, whether it is complete."""
    unsealed: tuple[Path, ...] = ()
    """Files without a checksum, as earlier versions wrote them: what was changed in them goes unnoticed."""

    @property
    def complete(self) -> bool:
        """Whether nothing is left to play."""
        return all(self.finished.values())

    @property
    def faults(self) -> int:
        """Episodes that came to nothing."""
        return int(self.episodes["fault"].is_not_null().sum())

    def frame(self) -> pl.DataFrame:
        """The episodes that count, a row each; `.to_pandas()` where pandas and pyarrow are installed."""
        return self.episodes

    def records(self, cell: Cell | str | None = None) -> Iterator[Record]:
        """The episodes that count, of all cells or of one, one after the other."""
        frame = self.episodes
        if cell is not None:
            frame = self._by_cell.get(cell if isinstance(cell, str) else cell.id, frame.clear())
        return records_of(frame)

    def sequential(self, cell: Cell) -> bool:
        """Whether a cell's figures had a say in when it stops, or are looked at before it does."""
        return self.experiment.stop is not None or not self.finished[cell.id]

    def result(self, cell: Cell, ties: Ties = "shared", confidence: float = 0.95) -> MatchResult:
        """What a cell has come to; printing it shows the table. `ties`, `confidence`: see `summarise`."""
        from kibitz.lab.match import labels

        return summarise(
            self.games[cell.game],
            labels(cell.planners),
            self.records(cell),
            seed=cell.seed,
            complete=self.finished[cell.id],
            keep=False,
            ties=ties,
            confidence=confidence,
            sequential=self.sequential(cell),
        )

    @cached_property
    def _by_cell(self) -> dict[str, pl.DataFrame]:
        parts = self.episodes.partition_by("cell", as_dict=True, maintain_order=True)
        return {str(key[0]): part for key, part in parts.items()}

    def to_json(self) -> dict[str, Any]:
        """The figures of all cells as plain lists and dicts."""
        return {
            "experiment": self.experiment.name,
            "complete": self.complete,
            "episodes": len(self.episodes),
            "faults": self.faults,
            "directory": str(self.directory),
            "unsealed": list(map(str, self.unsealed)),
            "version": self.version,
            "cells": [
                {"id": cell.id, "budget": dict(cell.budget), **self.result(cell).to_json()}
                for cell in self.cells
            ],
        }


def open_results(directory: str | os.PathLike[str]) -> Results:
    """The results in a folder, complete or not; StoreError, with a sentence, where there are none."""
    import polars as pl

    directory = Path(directory)
    plain = read_configuration(directory)
    try:
        experiment, cells, games = _checked(plain)
    except (ValueError, TypeError) as error:
        raise StoreError(f"{directory / CONFIGURATION}: {error}") from None
    stored = _stored(directory, cells)
    frame = _joined(stored, cells)
    counted, finished = [frame.clear()], {}
    parts = {key[0]: part for key, part in frame.partition_by("cell", as_dict=True).items()}
    for cell in cells:
        part = parts.get(cell.id, frame.clear())
        deals, done = _progress(cell, experiment.stop, games[cell.game], part)
        finished[cell.id] = done
        counted.append(part.filter(pl.col("episode") < deals))
    whole_frame = pl.concat(counted)
    version, machine = str(plain.get("version")), plain.get("machine")
    machine = machine if isinstance(machine, dict) else {}
    beyond = len(frame) - len(whole_frame)
    unsealed = (directory / CONFIGURATION,) * ("seal" not in plain)
    unsealed += tuple(part.path for part in stored if not part.sealed)
    return Results(
        directory, experiment, cells, games, version, machine, whole_frame, beyond, finished, unsealed
    )


def _progress(cell: Cell, stop: Stop | None, facts: GameFacts, frame: pl.DataFrame) -> tuple[int, bool]:
    """How many deals of a cell count, and whether it is complete.

    While it is not, those before the first that is not: where several are played at once, short games are
    the first to end, so that among those that have ended there would be too many of them.
    """
    rule = rule_for(stop, cell, facts)
    if rule is None and len(frame) >= cell.episodes:
        return cell.deals, True
    whole = 0
    for deal in _deals(records_of(frame)):
        if deal[0].episode != whole or len(deal) < len(cell.seatings(whole)):
            break
        whole += 1
        if (rule is not None and rule.enough(deal)) or whole == cell.deals:
            return whole, True
    return max(1, whole), False


def _deals(records: Iterable[Record]) -> Iterator[list[Record]]:
    for _, group in groupby(records, key=lambda record: record.episode):
        yield list(group)


def records_of(frame: pl.DataFrame) -> Iterator[Record]:
    """The rows of a table of episodes as records."""
    for row in frame.iter_rows(named=True):
        fault = row["fault"]
        yield Record(
            episode=row["episode"],
            seating=tuple(row["seating"]),
            returns=tuple(row["returns"] or ()),
            steps=row["steps"],
            seconds=tuple(row["seconds"]),
            over=row["over"],
            moves=tuple(row["moves"]),
            slowest=tuple(row["slowest"]),
            simulations=tuple(row["simulations"]),
            transitions=tuple(row["transitions"] or ()),
            cpu=tuple(row["cpu"] or ()),
            busy=tuple(row["busy"] or ()),
            fault=None if fault is None or fault["kind"] is None else Fault(**fault),
            seed=row["seed"],
            game=row["game"],
            planners=tuple(row["planners"]),
            cell=row["cell"],
            version=row["version"],
        )


def _checked(plain: Mapping[str, Any]) -> tuple[Experiment, tuple[Cell, ...], dict[str, GameFacts]]:
    """The parts of a configuration that came from a file; ValueError for what cannot be."""
    mistakes: list[Mistake] = []
    fields = Fields(plain, "")
    experiment = from_plain(Fields(fields.plain.get("experiment"), "experiment").plain, mistakes)
    if mistakes:
        raise ValueError(str(mistakes[0]))
    games = {}
    for spec, facts in Fields(fields.plain.get("games"), "games").plain.items():
        of = Fields(facts, f"games.{spec}")
        names = tuple(of.get("players", each(text)))
        limits = of.get("min_return", number), of.get("max_return", number)
        # Earlier versions did not write down whether it is zero-sum.
        zero_sum = of.get("zero_sum", flag) if "zero_sum" in of.plain else False
        discount, perfect = of.get("discount", number), of.get("perfect_information", flag)
        outcome = of.get("outcome", number) if of.plain.get("outcome") is not None else None
        games[spec] = GameFacts(spec, names, *limits, discount, perfect, zero_sum, outcome)
    cells = tuple(fields.get("cells", each(_read_cell)))
    for cell in cells:
        if cell.game not in games or len(games[cell.game].players) != cell.players:
            raise ValueError(f"cell {cell.id} plays a game that is not listed")
    return experiment, cells, games


def _read_cell(plain: Any, where: str) -> Cell:
    of = Fields(plain, where)
    planners = tuple(of.get("planners", each(text)))
    seats = of.get("seats", optional(each(each(whole))))
    players, deals = of.get("players", whole), of.get("deals", whole)
    if not 1 <= players <= 64 or not 1 <= len(planners) <= 10_000 or deals > 10**9:
        raise ValueError(f"{where} is no cell")
    fixed = None if seats is None else tuple(tuple(seating) for seating in seats)
    if fixed is not None and any(
        len(seating) != players or max(seating) >= len(planners) for seating in fixed
    ):
        raise ValueError(f"{where}.seats cannot be")
    budget = of.plain.get("budget")
    return Cell(
        of.get("id", text),
        of.get("game", text),
        planners,
        of.get("seed", whole),
        players,
        deals,
        fixed,
        dict(budget) if isinstance(budget, dict) else {},
    )
