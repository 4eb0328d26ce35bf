"""The rules of games in words: what a person reads before the first move.

Rules files say it in the comment that they begin with, below its first line; games in Python in the
docstring of their class, below its first line. Those that come with the package and say nothing have a text
of that name in the folder `in_words`.
"""

from __future__ import annotations

import inspect
import itertools
import os
import re
from pathlib import Path

from kibitz import _core, lang
from kibitz.rules import AnyGame

FOLDER = Path(__file__).parent / "in_words"
COMMENT = re.compile(r"[;#%]+ ?(.*)")
"""A line of a comment, in any language of rules."""


def of(game: AnyGame) -> str:
    """Paragraphs with an empty line between them; nothing, where nobody has written any."""
    from kibitz.games import load

    if isinstance(game, str) and not _core.split_prefix(game):
        # Rules need not be grounded to be read.
        name = game if lang.is_rules(game) else _core.spec_name(game)
        native = name in {entry.name for entry in _core.games()}
        if lang.is_rules(game) or (not native and (name := lang.shipped(name) or "")):
            return _of_file(name)
    game = load(game)
    if game.rules is not None:
        return _of_class(type(game.rules))
    return _of_file(game.spec) if game.machine is not None else _shipped(_core.spec_name(game.spec))


def _of_class(cls: type[object]) -> str:
    # The classes of adapters and of tests speak of themselves, not of a game.
    where = cls.__module__.split(".")
    if where[0] == "kibitz" and where[1:2] != ["games"]:
        return ""
    own = cls.__dict__.get("__doc__") or ""
    return _paragraphs(inspect.cleandoc(own).splitlines()[1:])


def _of_file(spec: str) -> str:
    try:
        file, [data, *_] = lang.read(spec)
    except ValueError:  # it was there when the game was loaded
        return ""
    lines = data.decode("utf-8", errors="replace").splitlines()
    head = [COMMENT.fullmatch(line.strip()) for line in lines]
    found = [match[1] for match in itertools.takewhile(lambda match: match is not None, head) if match]
    if text := _paragraphs(found[1:]):
        return text
    path = Path(file.path)
    ours = path.parent.resolve() == lang.FOLDER.resolve() or not (os.path.exists(path) or path.parent.name)
    return _shipped(path.stem) if ours else ""


def _shipped(name: str) -> str:
    file = FOLDER / f"{name}.txt"
    return _paragraphs(file.read_text(encoding="utf-8").splitlines()) if file.is_file() else ""


def _paragraphs(lines: list[str]) -> str:
    """Lines put together, up to those that are empty; what is indented is left as it is."""
    parts: list[str] = []
    for line in [*lines, ""]:
        if not line.strip():
            parts.append("")
        elif parts and parts[-1] and not line.startswith(" "):
            parts[-1] += f" {line.strip()}"
        elif parts:
            parts[-1] += f"\n{line}" if parts[-1] else line.strip()
        else:
            parts.append(line.strip())
    return "\n\n".join(part for part in parts if part)
