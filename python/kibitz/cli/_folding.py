"""What is wider than the terminal goes on below, broken between words; files and pipes get it as it is."""

from __future__ import annotations

import contextlib
import re
import sys
from collections.abc import Iterator
from typing import Any, TextIO, cast

from kibitz.cli._terminal import is_terminal, width

STYLE = re.compile(r"\x1b\[[0-9;]*m")
MOVES = re.compile(r"[\r\x1b](?!\[[0-9;]*m)")
"""What draws on the screen by itself: the cursor is put somewhere."""
INDENT = 2
"""By how much more the rest of a line is indented."""


def fold(line: str, room: int) -> list[str]:
    """A line as lines that fit into so many columns; words longer than that stay whole.

    >>> from kibitz.cli._folding import fold
    >>> fold("  one two three", 10)
    ['  one two', '    three']
    """
    if len(STYLE.sub("", line)) <= room or MOVES.search(line):
        return [line]
    indent = len(line) - len(line.lstrip(" "))
    later = " " * min(indent + INDENT, room // 2)
    lines, now, seen = [], "", 0
    for word in re.findall(r" *[^ ]+", line):
        size = len(STYLE.sub("", word))
        if seen + size > room and now.strip():
            lines.append(now)
            word = later + word.lstrip(" ")
            now, seen = "", 0
            size = len(STYLE.sub("", word))
        now += word
        seen += size
    return [*lines, now]


class Folded:
    """A stream that folds lines on their way to a terminal."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._begun = False
        """Whether the line that we are in has begun."""

    def write(self, text: str) -> int:
        """Writes it; what begins a line is folded."""
        first, *others = text.split("\n")
        lines = [first if self._begun else "\n".join(fold(first, width()))]
        lines += ["\n".join(fold(line, width())) for line in others]
        self._stream.write("\n".join(lines))
        self._begun = bool(others[-1]) if others else self._begun or bool(first)
        return len(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


@contextlib.contextmanager
def folded() -> Iterator[None]:
    """What is printed meanwhile is folded, where a person is looking at it."""
    before = sys.stdout, sys.stderr
    for name, stream in zip(("stdout", "stderr"), before, strict=True):
        if stream is not None and is_terminal(stream):
            setattr(sys, name, cast(TextIO, Folded(stream)))
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before
