"""Lists inside specs: `uct(simulations=[100, 400])` is two planners."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from kibitz._core import parse_spec

MOST = 1_000
"""A spec that makes more than this many is a mistake."""


def sweep(spec: str) -> list[str]:
    """All specs that a spec with lists in it stands for; ValueError for one that cannot be read.

    >>> from kibitz.lab.sweep import sweep
    >>> sweep("uct(simulations=[100, 400], playout=[random, greedy])")[:2]
    ['uct(simulations=100, playout=random)', 'uct(simulations=100, playout=greedy)']
    >>> sweep("random")
    ['random']
    """
    found = list(islice(_expand(spec), MOST + 1))
    if len(found) > MOST:
        raise ValueError(f"'{spec}' makes more than {MOST} of them")
    return found


def _expand(spec: str) -> Iterator[str]:
    begin = _find(spec, "[")
    if begin is None:
        yield spec
        return
    end = _closing(spec, begin)
    for item in _items(spec[begin + 1 : end]):
        yield from _expand(spec[:begin] + item + spec[end + 1 :])


def _find(spec: str, sign: str) -> int | None:
    """Where the sign stands first, quoted texts apart."""
    return next((place for place, letter in _unquoted(spec) if letter == sign), None)


def _unquoted(spec: str) -> Iterator[tuple[int, str]]:
    quote = ""
    escaped = False
    for place, letter in enumerate(spec):
        if quote:
            if not escaped and letter == quote:
                quote = ""
            escaped = letter == "\\" and not escaped
        elif letter in "\"'":
            quote = letter
        else:
            yield place, letter


def _closing(spec: str, begin: int) -> int:
    depth = 0
    for place, letter in _unquoted(spec):
        if place >= begin:
            depth += (letter == "[") - (letter == "]")
            if depth == 0:
                return place
    raise ValueError(f"in '{spec}', column {begin + 1}: this list has no ]")


def _items(inside: str) -> Iterator[str]:
    """The items of a list; commas inside parentheses or deeper lists belong to an item."""
    depth = start = 0
    for place, letter in _unquoted(inside):
        depth += (letter in "([") - (letter in ")]")
        if letter == "," and depth == 0:
            yield _item(inside[start:place])
            start = place + 1
    if inside[start:].strip() or start == 0:
        yield _item(inside[start:])


def _item(item: str) -> str:
    if not item.strip():
        raise ValueError("a list in a spec has an item that is empty")
    return item.strip()


def with_parameter(spec: str, key: str, value: object) -> str:
    """The spec with one more parameter; one that it has already stays as it is.

    >>> from kibitz.lab.sweep import with_parameter
    >>> with_parameter("uct", "simulations", 100), with_parameter("uct(exploration=1)", "simulations", 100)
    ('uct(simulations=100)', 'uct(exploration=1, simulations=100)')
    >>> with_parameter("uct(simulations=5)", "simulations", 100)
    'uct(simulations=5)'
    """
    spec = spec.rstrip()
    _, arguments = parse_spec(spec)
    if any(name == key for name, _ in arguments):
        return spec
    if not spec.endswith(")"):
        return f"{spec}({key}={value})"
    inside = spec[:-1].rstrip()
    return f"{inside}{'' if inside.endswith(('(', ',')) else ', '}{key}={value})"
