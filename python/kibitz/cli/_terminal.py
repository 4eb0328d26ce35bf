"""What the commands share for writing on a terminal: colours, bars, progress."""

from __future__ import annotations

import os
import shutil
import sys
import textwrap
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import Self, TextIO

_STYLES = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "cyan": "36"}


def is_terminal(stream: TextIO | None = None) -> bool:
    """Whether a person is looking."""
    stream = sys.stdout if stream is None else stream
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def paint(text: str, *styles: str, stream: TextIO | None = None) -> str:
    """The text in colours, on a terminal that may have them (https://no-color.org).

    >>> from kibitz.cli._terminal import paint
    >>> paint("not on a terminal", "bold")
    'not on a terminal'
    """
    if not text or os.environ.get("NO_COLOR") or not is_terminal(stream):
        return text
    return f"\x1b[{';'.join(_STYLES[style] for style in styles)}m{text}\x1b[0m"


def sign(fancy: str, plain: str) -> str:
    """A sign, or its stand-in where the terminal cannot write it."""
    try:
        fancy.encode(sys.stdout.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return plain
    return fancy


def width() -> int:
    """Columns of the terminal."""
    return shutil.get_terminal_size((100, 24)).columns


def rule(title: str) -> str:
    """A line across the terminal with a title in it."""
    dash = sign("─", "-")
    line = f"{dash * 2} {title} "
    return paint(line + dash * max(0, min(width(), 100) - len(line)), "cyan")


def bar(share: float, length: int) -> str:
    """A bar that is `share` of `length` columns long.

    >>> from kibitz.cli._terminal import bar
    >>> len(bar(0.5, 10))
    5
    """
    eighths = round(max(0.0, min(1.0, share)) * length * 8)
    if sign("█▏", "") == "":
        return "#" * (eighths // 8)
    return "█" * (eighths // 8) + " ▏▎▍▌▋▊▉"[eighths % 8].strip()


def in_columns(cells: Sequence[str], indent: str = "  ") -> list[str]:
    """Short texts side by side, as many as fit.

    >>> from kibitz.cli._terminal import in_columns
    >>> in_columns(["a", "b"])
    ['  a   b']
    """
    longest = max((len(cell) for cell in cells), default=0) + 3
    each = max(1, (min(width(), 100) - len(indent)) // longest)
    rows = [cells[begin : begin + each] for begin in range(0, len(cells), each)]
    return [indent + "".join(cell.ljust(longest) for cell in row).rstrip() for row in rows]


def wrapped(text: str, first: str = "  ", later: str = "  ", most: int = 100) -> list[str]:
    """A text in lines that fit on the terminal, broken between words; its paragraphs stay apart.

    >>> from kibitz.cli._terminal import wrapped
    >>> wrapped("one two")
    ['  one two']
    """
    room = max(20, min(width(), most))
    lines: list[str] = []
    for number, paragraph in enumerate(text.split("\n\n")):
        lines += [""] * (number > 0)
        lines += textwrap.wrap(
            paragraph,
            room,
            initial_indent=later if number else first,
            subsequent_indent=later,
            break_long_words=False,
            break_on_hyphens=False,
        )
    return lines


def in_rows(rows: Mapping[str, str], indent: str = "  ") -> list[str]:
    """Names, each with what belongs to it beside it; it goes on below itself, or, where there is little
    room, below the name.

    >>> from kibitz.cli._terminal import in_rows
    >>> in_rows({"a": "one", "long": "two"})
    ['  a     one', '  long  two']
    """
    longest = max((len(name) for name in rows), default=0)
    beside = width() - len(indent) - longest - 2 >= NARROW
    lines = []
    for name, words in rows.items():
        if beside:
            first = f"{indent}{name.ljust(longest)}  "
            lines += wrapped(words, first, " " * len(first), 110) or [first.rstrip()]
        else:
            lines += [f"{indent}{name}", *wrapped(words, indent + "  ", indent + "  ")]
    return lines


NARROW = 36
"""Columns that words need beside something else."""


def duration(seconds: float) -> str:
    """A time for people.

    >>> from kibitz.cli._terminal import duration
    >>> [duration(s) for s in (0.0321, 4.2, 75, 7300)]
    ['32 ms', '4.2 s', '1 min 15 s', '2 h 1 min']
    """
    if seconds < 0.9995:
        return f"{1000 * seconds:.0f} ms"
    if seconds < 10:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


def _cut(line: str, room: int) -> str:
    """As many words of a line as there is room for."""
    if len(line) <= room:
        return line
    kept = line[: room + 1].rpartition(" ")[0].rstrip()
    return kept if kept else line[:room]


class Progress:
    """A line, or several, on stderr about work that takes longer than two seconds.

    On a terminal they are written over; elsewhere there is a new one twice a minute, which
    `elsewhere` describes if that is to be something shorter.
    """

    FIRST, TERMINAL, ELSEWHERE = 2.0, 0.3, 30.0

    def __init__(
        self,
        describe: Callable[[], str],
        *,
        elsewhere: Callable[[], str] | None = None,
        stream: TextIO | None = None,
        first: float | None = None,
    ) -> None:
        self._stream = sys.stderr if stream is None else stream
        self._over = is_terminal(self._stream)
        self._describe = describe if self._over or elsewhere is None else elsewhere
        self._first = self.FIRST if first is None else first
        self._shown: list[str] = []
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._tick, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end.set()
        self._thread.join()
        if self._shown:
            self._stream.write(self._back() + "\r")
            self._stream.flush()

    def _back(self) -> str:
        """What takes away the lines that are there, and leads to where they began."""
        if len(self._shown) > 1:
            return f"\r\x1b[{len(self._shown) - 1}A\x1b[J"
        return "\r" + " " * len(self._shown[0]) + "\r" if self._shown else "\r"

    def _tick(self) -> None:
        pause = self._first if self._over else max(self._first, self.ELSEWHERE)
        while not self._end.wait(pause):
            text = self._describe()
            if self._over:
                columns, rows = shutil.get_terminal_size((80, 24))
                lines = [_cut(line, max(20, columns - 1)) for line in text.splitlines()[: max(1, rows - 1)]]
                self._stream.write(self._back() + "\n".join(lines))
                self._shown = lines
            else:
                self._stream.write(text + "\n")
            self._stream.flush()
            pause = self.TERMINAL if self._over else self.ELSEWHERE


class Timer:
    """Seconds since it was made."""

    def __init__(self) -> None:
        self._begin = time.monotonic()

    @property
    def seconds(self) -> float:
        """How many."""
        return time.monotonic() - self._begin
