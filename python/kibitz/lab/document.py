"""Reading a TOML file that people write: every mistake is found, and said with its line.

`read_document` reads it, a `Reader` takes it apart key by key and goes on after a mistake.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from kibitz import _files
from kibitz._core import unknown
from kibitz.lab._checked import number
from kibitz.lab._toml_lines import Path as Place
from kibitz.lab._toml_lines import lines

LARGEST = 1 << 20
"""Bytes of a file that is still read."""

T = TypeVar("T")


@dataclass(frozen=True)
class Mistake:
    """One thing that is wrong with an experiment."""

    place: Place
    """The keys that lead to it, as in the file."""
    what: str
    line: int | None = None

    def __str__(self) -> str:
        where = f"line {self.line}: " if self.line is not None else ""
        return where + self.what


class ExperimentError(ValueError):
    """All that is wrong with an experiment."""

    def __init__(self, mistakes: Sequence[Mistake], source: str = "the experiment") -> None:
        different = dict.fromkeys(mistakes)
        self.mistakes = sorted(different, key=lambda mistake: mistake.line or 0)
        self.source = source
        several = len(self.mistakes) > 1
        count = f" has {len(self.mistakes)} mistakes:" if several else ":"
        super().__init__("\n".join([f"{source}{count}", *(f"  {mistake}" for mistake in self.mistakes)]))


@dataclass(frozen=True)
class Source:
    """Where an experiment was read, so that mistakes found later can still name the line."""

    name: str
    lines: Mapping[Place, int]

    def error(self, mistakes: Sequence[Mistake]) -> ExperimentError:
        """The mistakes with their lines."""
        placed = [Mistake(mistake.place, mistake.what, self._line(mistake.place)) for mistake in mistakes]
        return ExperimentError(placed, self.name)

    def _line(self, place: Place) -> int | None:
        while place and place not in self.lines:
            place = place[:-1]
        return self.lines.get(place)


def read_document(path: str | os.PathLike[str]) -> tuple[dict[str, Any], Source]:
    """What a TOML file holds, and where; ExperimentError for one that cannot be read as TOML."""
    path = Path(path)
    content = _files.read(path, LARGEST)
    try:
        document = content.decode("utf-8")
        plain = tomllib.loads(document)
        source = Source(str(path), lines(document))
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise ExperimentError([Mistake((), "this is not UTF-8", line)], str(path)) from None
    except tomllib.TOMLDecodeError as error:
        raise _syntax(error, document, str(path)) from None
    except RecursionError:
        raise ValueError(f"{path} has lists in lists without end") from None
    return plain, source


def _syntax(error: ValueError, document: str, name: str) -> ExperimentError:
    """What the standard library says, with the line in front."""
    words = str(error)
    place = re.search(r" \(at (?:line (\d+), column (\d+)|end of document)\)$", words)
    if place is None:
        return ExperimentError([Mistake((), words)], name)
    what = words[: place.start()]
    if place[1] is None:
        last = document.rstrip().count("\n") + 1
        return ExperimentError([Mistake((), f"{what}, but the file ends", last)], name)
    return ExperimentError([Mistake((), f"column {place[2]}: {what}", int(place[1]))], name)


class Reader:
    """Reads tables key by key, and goes on after a mistake."""

    def __init__(self, mistakes: list[Mistake]) -> None:
        self.mistakes = mistakes

    def wrong(self, place: Place, what: str) -> None:
        """Notes a mistake."""
        self.mistakes.append(Mistake(place, what))

    def table(self, plain: Any, place: Place) -> Mapping[str, Any]:
        """A table; an empty one where there is something else."""
        if isinstance(plain, dict):
            return plain
        self.wrong(place, f"{place[-1]} must be a table, not {kind_of(plain)}")
        return {}

    def known(self, table: Mapping[str, Any], known: set[str], place: Place, kind: str = "key") -> None:
        """Notes the keys that mean nothing, with the nearest that do."""
        for key in table:
            if key not in known:
                self.wrong((*place, key), unknown(kind, key, sorted(known)))

    def get(
        self, table: Mapping[str, Any], key: str, place: Place, read: Callable[[Any, str], T]
    ) -> T | None:
        """One value, read and checked; None where it is missing or wrong."""
        return self.read(table[key], key, (*place, key), read) if key in table else None

    def several(
        self, table: Mapping[str, Any], key: str, place: Place, read: Callable[[Any, str], T]
    ) -> tuple[T, ...] | None:
        """A list; a single item may stand without its brackets."""
        if key not in table:
            return None
        plain = table[key] if isinstance(table[key], list) else [table[key]]
        if not plain:
            self.wrong((*place, key), f"{key} is an empty list")
        items = [self.read(each, key, (*place, key, i), read) for i, each in enumerate(plain)]
        return tuple(item for item in items if item is not None)

    def read(self, plain: Any, key: str, place: Place, read: Callable[[Any, str], T]) -> T | None:
        """What `read` makes of a value; None, and a mistake more, where it refuses."""
        try:
            return read(plain, key)
        except ValueError as error:
            self.wrong(place, str(error))
            return None


def kind_of(plain: object) -> str:
    """What it is, in TOML's words."""
    names: dict[type, str] = {dict: "a table", list: "a list", str: "a text", bool: "true or false"}
    return names.get(type(plain), "a number" if isinstance(plain, int | float) else "a time")


def whole_from(least: int, most: int) -> Callable[[Any, str], int]:
    """Reads a whole number in a range."""

    def read(plain: Any, where: str) -> int:
        if isinstance(plain, bool) or not isinstance(plain, int):
            raise ValueError(f"{where} must be a whole number, not {kind_of(plain)}")
        if not least <= plain <= most:
            raise ValueError(f"{where} must be from {least} to {most}, not {plain}")
        return plain

    return read


def positive(plain: Any, where: str) -> float:
    """Reads a number above zero."""
    if number(plain, where) <= 0:
        raise ValueError(f"{where} must be more than 0, not {plain}")
    return float(plain)


def one_of(*words: str) -> Callable[[Any, str], Any]:
    """Reads one of some words."""

    def read(plain: Any, where: str) -> str:
        if plain not in words:
            each = " or ".join(f'"{word}"' for word in words)
            raise ValueError(f"{where} must be {each}")
        return str(plain)

    return read
