"""Games from rules files, in the languages that `languages` lists: GDL, for one.

A file's name is a game's spec, wherever a game is asked for. Rules that come with the package are
found by their name alone. A file is data: it is read within limits and never run as code. What it takes,
and a limit that is changed for it, stands in brackets after its name: `chess.kif(limit.seconds=120)`.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from kibitz import _core, _files
from kibitz._core import Entry, Finding, Game, ParamDoc, RulesFile, RulesMachine

FOLDER = Path(__file__).parent / "rules"
"""Where the rules that come with the package are."""


class Language(NamedTuple):
    """A language of rules."""

    name: str
    summary: str
    """What to write, after "rules in": dialects and notations with their suffixes."""
    suffixes: list[str]
    """What names of its files end in."""


def languages() -> list[Language]:
    """The languages that rules may be written in.

    >>> from kibitz.lang import languages
    >>> [language.suffixes for language in languages() if language.name == "GDL"]
    [['.kif', '.gdl']]
    """
    return [Language(*about) for about in _core.rules_languages()]


def is_rules(spec: str) -> bool:
    """Whether a spec names a rules file.

    >>> from kibitz.lang import is_rules
    >>> is_rules("games/chess.kif"), is_rules("breakthrough.kif(rows=6)"), is_rules("chess")
    (True, True, False)
    """
    return _core.is_rules(spec)


def in_folder(folder: Path) -> list[Path]:
    """The rules files that are directly in a folder, sorted.

    >>> from kibitz.lang import FOLDER, in_folder
    >>> any(file.name == "tic-tac-toe.kif" for file in in_folder(FOLDER))
    True
    """
    endings = tuple(suffix for language in languages() for suffix in language.suffixes)
    return sorted(each for each in folder.iterdir() if each.name.lower().endswith(endings))


def games_in(folder: str | Path) -> dict[str, Path]:
    """The games whose rules are directly in a folder, by name, in the naming of GVG-AI too: `zelda.txt`
    where there is a level `zelda_lvl0.txt`.

    >>> from kibitz.lang import FOLDER, games_in
    >>> games_in(FOLDER)["tic-tac-toe"].name
    'tic-tac-toe.kif'
    """
    folder = Path(folder).expanduser()
    try:
        levels = [file.with_name(f"{file.stem}_lvl0.txt") for file in sorted(folder.iterdir())]
        there = {file.stem: file for file in in_folder(folder)}
    except OSError as error:
        raise ValueError(f"{folder} cannot be read: {error.strerror}") from None
    named = (level.with_name(level.name.replace("_lvl0", "")) for level in levels if level.is_file())
    return {file.stem: file for file in named} | there


def of_folder(spec: str, folder: str | Path) -> str:
    """The spec of a game in a folder: `zelda(level=1)` is `FOLDER/zelda.txt(level=1)`; ValueError with the
    nearest right names for one that is not there.

    >>> from kibitz.lang import FOLDER, of_folder
    >>> of_folder("breakthrough(rows=6)", FOLDER).rpartition("/")[2]
    'breakthrough.kif(rows=6)'
    """
    name, bracket, rest = spec.partition("(")
    games = games_in(folder)
    known = games | {file.name: file for file in games.values()}
    if name not in known:
        raise ValueError(f"{folder}: {_core.unknown('game', name, list(games))}")
    return f"{known[name]}{bracket}{rest}"


def limits() -> list[ParamDoc]:
    """The limits that a file is read and run within, each with its usual value.

    >>> from kibitz.lang import limits
    >>> [limit.default for limit in limits() if limit.name == "limit.seconds"]
    ['20']
    """
    return _core.rules_limits()


def load(spec: str, *, limits: Mapping[str, float] | None = None) -> Game:
    """The game of a rules file, or of rules that come with the package.

    Values in brackets replace those of the file's facts of the same name (a comment behind the fact,
    `(rows 8) ; 3 to 10`, says which may be given), or change a limit (`limit.seconds=60`); so do `limits`,
    by names without `limit.`. Rules that take too long to ground are run without it, which is slower.
    ValueError with all that is wrong with the file.

    >>> from kibitz.lang import load
    >>> load("tic-tac-toe.kif").player_name(0)
    'xplayer'
    """
    return Game.from_rules(*read(spec, limits))


def machine(
    spec: str, *, machine: str | None = None, limits: Mapping[str, float] | None = None
) -> RulesMachine:
    """What runs the rules of a file, bare: facts, all roles' moves, scores and percepts in its own words.

    `machine` is one of `read(spec)[0].machines`: `network`, `reasoner`, or the network of one way of
    grounding; None for the one that `load` would choose.

    >>> from kibitz.lang import machine
    >>> state = machine("tic-tac-toe.kif").initial()
    >>> [len(moves) for moves in state.legal], state.terminal
    ([9, 1], False)
    """
    return RulesMachine(*read(spec, limits), machine)


def check(spec: str, *, limits: Mapping[str, float] | None = None) -> list[Finding]:
    """What is wrong with a rules file, errors and warnings, in the order of the file.

    >>> from kibitz.lang import check
    >>> check("tic-tac-toe.kif")
    []
    """
    return _core.check_rules(*read(spec, limits))


def read(spec: str, limits: Mapping[str, float] | None = None) -> tuple[RulesFile, list[bytes]]:
    """The file that a spec means, and what it and the files beside it say.

    >>> from kibitz.lang import read
    >>> file, [data] = read("breakthrough.kif(rows=6)")
    >>> file.path, file.language, b"(rows 8)" in data
    ('breakthrough.kif', 'GDL', True)
    """
    file = RulesFile(spec, list((limits or {}).items()))
    path = Path(file.path)
    shipped = FOLDER / path.name
    if not path.exists() and path.name == str(path) and shipped.is_file():
        path = shipped
    # GVG-AI's folders call rules and levels alike: `zelda.vgdl` is `zelda.txt` there.
    if not path.exists() and path.with_suffix(".txt").is_file():
        path = path.with_suffix(".txt")
    content = [_content(path, file.most_bytes)]
    content += [_content(path.with_name(name), file.most_bytes, path) for name in file.beside]
    return file, content


def _content(path: Path, most: int, needed_by: Path | None = None) -> bytes:
    try:
        # No more than one byte too many, so that the core sees what is too large.
        return _files.read(path, most, beyond=True)
    except OSError as error:
        if needed_by is not None:
            there = sorted(file.name for file in path.parent.glob(f"*{path.suffix}") if file != needed_by)
            alike = [name for name in there if name.startswith(f"{needed_by.stem}_")]
            what = _core.unknown("file", path.name, alike) if alike else error.strerror
            raise ValueError(f"{needed_by.name} needs {path.name} beside it: {what}") from None
        near = path.name == str(path)
        shipped = [file.name for file in in_folder(FOLDER)]
        what = _core.unknown("rules file", str(path), shipped) if near else error.strerror
        raise ValueError(f"{path} cannot be read: {what}") from None


def shipped(name: str) -> str | None:
    """The file that comes with the package and is called so, whatever its language.

    >>> from kibitz.lang import shipped
    >>> shipped("peg-solitaire"), shipped("no-such-game")
    ('peg-solitaire.kif', None)
    """
    return next((file.name for file in in_folder(FOLDER) if file.stem == name), None)


def shipped_rules() -> list[Entry]:
    """The rules that come with the package.

    >>> from kibitz.lang import shipped_rules
    >>> any(entry.name == "tic-tac-toe.kif" for entry in shipped_rules())
    True
    """
    return [_core.describe_rules(RulesFile(file.name), file.read_bytes()) for file in in_folder(FOLDER)]
