"""Options that several commands share, and the kinds of numbers they take."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

N = TypeVar("N", int, float)


def whole(least: int, most: int | None = None) -> Callable[[str], int]:
    """Reads a whole number in a range.

    >>> from kibitz.cli._options import whole
    >>> whole(1)("1_000")
    1000
    """

    limits = f"{least} or more" if most is None else f"{least} to {most}"
    return _within(int, "a whole number", least, float("inf") if most is None else most, limits)


def number(least: float, most: float, kind: str = "a number") -> Callable[[str], float]:
    """Reads a number in a range.

    >>> from kibitz.cli._options import number
    >>> number(0, 1)("0.25")
    0.25
    """

    return _within(float, kind, least, most, f"{least:g} to {most:g}")


def _within(
    convert: Callable[[str], N], kind: str, least: float, most: float, limits: str
) -> Callable[[str], N]:
    def read(text: str) -> N:
        try:
            value = convert(text)
        except ValueError:
            raise argparse.ArgumentTypeError(f"expected {kind}, not '{text}'") from None
        if not least <= value <= most:
            raise argparse.ArgumentTypeError(f"{text} is out of range: {limits}")
        return value

    return read


seconds = number(0, 1e6, "a number of seconds")


GAME = "a game: a name as `kibitz games` lists them, name(key=value, ...), or a Python file with your own"
PLANNER = "a planner: a name as `kibitz planners` lists them, name(key=value, ...), or a Python file"


def languages() -> str:
    """The languages that rules may be written in, for a help text."""
    from kibitz import lang

    return " or ".join(language.summary for language in lang.languages())


def game(parser: argparse.ArgumentParser) -> None:
    """Declares GAME."""
    parser.add_argument("game", metavar="GAME", help=GAME)
    rules(parser)


def rules(parser: argparse.ArgumentParser) -> None:
    """Declares --rules."""
    about = "a folder with rules files, found by name; NAME.txt with NAME_lvl0.txt too, as GVG-AI has them"
    parser.add_argument("--rules", dest="folder", type=Path, metavar="FOLDER", help=about)


def look_in_folder(options: argparse.Namespace) -> None:
    """Games that are named are those of the folder that --rules names."""
    folder = getattr(options, "folder", None)
    if folder is None:
        return
    from kibitz import lang

    for key in ("game", "files"):
        if isinstance(named := getattr(options, key, None), list):
            setattr(options, key, [lang.of_folder(each, folder) for each in named])
        elif named is not None:
            setattr(options, key, lang.of_folder(named, folder))


def seed(parser: argparse.ArgumentParser, default: int | None = 0, meaning: str = "0") -> None:
    """Declares --seed."""
    about = f"the same seed gives the same game (default: {meaning})"
    parser.add_argument("--seed", type=whole(0, 2**64 - 1), default=default, metavar="N", help=about)


def count(
    parser: argparse.ArgumentParser,
    flag: str,
    about: str,
    *,
    least: int = 1,
    most: int | None = None,
    default: int | None = None,
) -> None:
    """Declares an option that takes a whole number; a default is told."""
    told = about if default is None else f"{about} (default {default})"
    parser.add_argument(flag, type=whole(least, most), default=default, metavar="N", help=told)


def clock(parser: argparse.ArgumentParser) -> None:
    """Declares --clock."""
    about = "in real time: seconds that a unit of the game's time takes (default 1); 0: as fast as it goes"
    parser.add_argument("--clock", type=number(0, 3600), default=1.0, metavar="S", help=about)


def save(parser: argparse.ArgumentParser) -> None:
    """Declares --save."""
    parser.add_argument(
        "--save", type=Path, metavar="FILE", help="keep the game in a file, for `kibitz replay FILE`"
    )


def details(parser: argparse.ArgumentParser) -> None:
    """Declares --details."""
    parser.add_argument("--details", action="store_true", help="with the counters of beliefs and models")


def as_json(parser: argparse.ArgumentParser) -> None:
    """Declares --json."""
    parser.add_argument("--json", action="store_true", help="write JSON, for programs")


def print_json(value: Any, *, indent: int | None = 2) -> None:
    """Writes JSON that every reader understands: a number that is none becomes null."""
    print(json.dumps(_finite(value), indent=indent, ensure_ascii=False, allow_nan=False))


def _finite(value: Any) -> Any:
    if isinstance(value, float) and not abs(value) < float("inf"):
        return None
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return value
