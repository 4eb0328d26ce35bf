"""On which line of a TOML file each key and each item of a list stands.

The standard library reads TOML but forgets where it read it. This walks over a document that it has
read already, and therefore takes it to be right.

>>> from kibitz.lab._toml_lines import lines
>>> lines('[a]\\nb = [\\n  1,\\n  2,\\n]')["a", "b", 1]
4
"""

from __future__ import annotations

import re
from collections import Counter

Path = tuple[str | int, ...]

_BLANK = re.compile(r"(?:\s|#[^\n]*)*")
_KEY = re.compile(r"[ \t]*(?:\"((?:[^\"\\]|\\.)*)\"|'([^']*)'|([A-Za-z0-9_-]+))[ \t]*")
_TEXT = re.compile(r'"""(?:[^\\]|\\.)*?"{3,5}|\'\'\'.*?\'{3,5}|"(?:[^"\\]|\\.)*"|\'[^\']*\'', re.DOTALL)
_BARE = re.compile(r"[^,\]}#\n]*")


def lines(document: str) -> dict[Path, int]:
    """The line, counted from 1, of every table, key and item."""
    return _Walk(document.replace("\r\n", "\n")).found


class _Walk:
    def __init__(self, document: str) -> None:
        self.document, self.at = document, 0
        self.line, self.counted = 1, 0
        self.found: dict[Path, int] = {}
        tables: Counter[Path] = Counter()
        table: Path = ()
        self.blank()
        while self.at < len(document):
            if self.skip("[["):
                table = self.key(())
                table = (*table, tables[table])
                tables[table[:-1]] += 1
                self.note(table)
                self.skip("]]")
            elif self.skip("["):
                table = self.key(())
                self.note(table)
                self.skip("]")
            else:
                self.pair(table)
            self.blank()

    def skip(self, sign: str) -> bool:
        if found := self.document.startswith(sign, self.at):
            self.at += len(sign)
        return found

    def blank(self) -> None:
        match = _BLANK.match(self.document, self.at)
        self.at = match.end() if match else self.at

    def note(self, path: Path) -> None:
        self.line += self.document.count("\n", self.counted, self.at)
        self.counted = self.at
        self.found.setdefault(path, self.line)

    def key(self, path: Path) -> Path:
        """A key, which may have dots."""
        while match := _KEY.match(self.document, self.at):
            self.at = match.end()
            path = (*path, next(part for part in match.groups() if part is not None))
            if not self.skip("."):
                break
        return path

    def pair(self, table: Path) -> None:
        path = self.key(table)
        for length in range(len(table) + 1, len(path) + 1):
            self.note(path[:length])
        if not self.skip("="):
            self.at = len(self.document)  # it cannot be: leave rather than stand still
        self.value(path)

    def value(self, path: Path) -> None:
        self.blank()
        if self.skip("["):
            item = 0
            self.blank()
            while self.at < len(self.document) and not self.skip("]"):
                self.note((*path, item))
                self.value((*path, item))
                item += 1
                self.blank()
                self.skip(",")
                self.blank()
        elif self.skip("{"):
            self.blank()
            while self.at < len(self.document) and not self.skip("}"):
                self.pair(path)
                self.blank()
                self.skip(",")
                self.blank()
        else:
            match = _TEXT.match(self.document, self.at) or _BARE.match(self.document, self.at)
            self.at = match.end() if match else len(self.document)
