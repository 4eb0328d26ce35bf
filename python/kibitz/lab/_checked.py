"""Reading JSON that may hold anything: each reader takes a value and where it stood.

What does not fit is answered with a sentence that names the place.

>>> from kibitz.lab._checked import Fields, each, whole
>>> Fields({"joint": [3, "x"]}, "steps[4]").get("joint", each(whole))
Traceback (most recent call last):
ValueError: steps[4].joint[1] must be a whole number from 0 to 2**64 - 1
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar, cast

T = TypeVar("T")


class Fields:
    """The fields of an object, asked for one by one."""

    def __init__(self, plain: Any, where: str) -> None:
        if not isinstance(plain, dict):
            raise ValueError(f"{where or 'the whole'} must be an object, not {kind(plain)}")
        self.plain, self.where = cast(dict[str, Any], plain), where

    def get(self, name: str, read: Callable[[Any, str], T]) -> T:
        """One field, read and checked."""
        place = f"{self.where}.{name}" if self.where else name
        if name not in self.plain:
            raise ValueError(f"{place} is missing")
        return read(self.plain[name], place)


def kind(plain: Any) -> str:
    """What it is, in JSON's words."""
    names = {dict: "an object", list: "a list", str: "a text", bool: "true or false", type(None): "null"}
    return names.get(type(plain), "a number")


def whole(plain: Any, where: str) -> int:
    """A whole number that fits 64 bits."""
    if isinstance(plain, bool) or not isinstance(plain, int) or not 0 <= plain < 2**64:
        raise ValueError(f"{where} must be a whole number from 0 to 2**64 - 1")
    return plain


def below(end: int) -> Callable[[Any, str], int]:
    """A whole number below `end`."""

    def read(plain: Any, where: str) -> int:
        if whole(plain, where) >= end:
            raise ValueError(f"{where} must be below {end}")
        return int(plain)

    return read


def number(plain: Any, where: str) -> float:
    """A finite number."""
    if isinstance(plain, bool) or not isinstance(plain, int | float):
        raise ValueError(f"{where} must be a number, not {kind(plain)}")
    if not abs(plain) < 1e300:
        raise ValueError(f"{where} must be a number of a size that can be")
    return float(plain)


def text(plain: Any, where: str) -> str:
    """A text, made printable."""
    if not isinstance(plain, str):
        raise ValueError(f"{where} must be a text, not {kind(plain)}")
    return printable(plain)


def flag(plain: Any, where: str) -> bool:
    """True or false."""
    if not isinstance(plain, bool):
        raise ValueError(f"{where} must be true or false, not {kind(plain)}")
    return plain


def optional(read: Callable[[Any, str], T]) -> Callable[[Any, str], T | None]:
    """What `read` reads, or null."""
    return lambda plain, where: None if plain is None else read(plain, where)


def each(read: Callable[[Any, str], T], count: int | None = None) -> Callable[[Any, str], list[T]]:
    """A list of what `read` reads."""

    def read_all(plain: Any, where: str) -> list[T]:
        if not isinstance(plain, list):
            raise ValueError(f"{where} must be a list, not {kind(plain)}")
        items: Sequence[Any] = plain
        if count is not None and len(items) != count:
            raise ValueError(f"{where} must have {count} entries, not {len(items)}")
        return [read(item, f"{where}[{index}]") for index, item in enumerate(items)]

    return read_all


def printable(words: str) -> str:
    """Without the signs that a terminal would obey instead of showing.

    >>> from kibitz.lab._checked import printable
    >>> printable("uct\\x1b[2J")
    'uct [2J'
    """
    return words if words.isprintable() else "".join(sign if sign.isprintable() else " " for sign in words)
