"""Games from rules files: GDL and GDL-II, in prefix (`.kif`) or infix (`.gdl`) notation.

A file's name is a game's spec, wherever a game is asked for. Rules that come with the package are
found by their name alone. A file is data: it is read within limits and never run as code. A limit can be
changed for a file, in brackets after its name: `chess.kif(limit.seconds=120)`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from kibitz import _core, _files
from kibitz._core import Entry, Finding, Game, ParamDoc, RulesMachine

SUFFIXES = (".kif", ".gdl")
FOLDER = Path(__file__).parent / "rules"
"""Where the rules that come with the package are."""
_SPEC = re.compile(r"(?P<path>.*\.(?:kif|gdl))\s*(?:\((?P<facts>.*)\))?\s*", re.DOTALL | re.IGNORECASE)
_FACT = r"(?:^|(?<=\r))\(\s*(?P<key>{key})\s+(?P<value>[^\s()?]+)\s*\)[ \t]*(?:;[^\r\n]*)?(?=\r|$)"
"""A fact with one argument, alone on a line, whichever way lines end."""
_LIMIT = "limit."


def is_rules(spec: str) -> bool:
    """Whether a spec names a rules file.

    >>> from kibitz.lang import is_rules
    >>> is_rules("games/chess.kif"), is_rules("breakthrough.kif(rows=6)"), is_rules("chess")
    (True, True, False)
    """
    return _SPEC.fullmatch(spec) is not None


def limits() -> list[ParamDoc]:
    """The limits that a file is read and run within, each with its usual value.

    >>> from kibitz.lang import limits
    >>> [limit.default for limit in limits() if limit.name == "limit.seconds"]
    ['20']
    """
    return [
        ParamDoc(f"limit.{name}", "number", f"{usual:,.0f}", f"up to {most:,.0f}", summary)
        for name, usual, most, summary in _core.rules_limits()
    ]


def load(spec: str, *, limits: Mapping[str, float] | None = None) -> Game:
    """The game of a rules file, or of rules that come with the package.

    Values in brackets replace those of the file's facts of the same name, or change a limit
    (`limit.seconds=60`); so do `limits`, by names without `limit.`. Rules that take too long to ground
    are run without grounding, which is slower. ValueError with all that is wrong with the file.

    >>> from kibitz.lang import load
    >>> load("tic-tac-toe.kif").player_name(0)
    'xplayer'
    """
    name, data, changed = read(spec, limits)
    return Game.from_rules(name, data, spec, changed)


def machine(
    spec: str, *, machine: str | None = None, limits: Mapping[str, float] | None = None
) -> RulesMachine:
    """What runs the rules of a file, bare: facts, all roles' moves, scores and percepts in its own words.

    `machine` is one of `kibitz._core.rules_machines()`: `network`, `reasoner`, or the network of one way of
    grounding; None for the one that `load` would choose.

    >>> from kibitz.lang import machine
    >>> state = machine("tic-tac-toe.kif").initial()
    >>> [len(moves) for moves in state.legal], state.terminal
    ([9, 1], False)
    """
    name, data, changed = read(spec, limits)
    return RulesMachine(name, data, machine, changed)


def check(spec: str, *, limits: Mapping[str, float] | None = None) -> list[Finding]:
    """What is wrong with a rules file, errors and warnings, in the order of the file.

    >>> from kibitz.lang import check
    >>> check("tic-tac-toe.kif")
    []
    """
    return _core.check_rules(*read(spec, limits))


def read(
    spec: str, limits: Mapping[str, float] | None = None
) -> tuple[str, bytes, list[tuple[str, float]]]:
    """The name of the file that a spec means, its content with the facts in it, and changed limits."""
    match = _SPEC.fullmatch(spec)
    if match is None:
        raise ValueError(f"{spec!r} is not a rules file: its name must end in .kif or .gdl")
    path = Path(match["path"])
    arguments = _core.parse_spec(f"rules({match['facts'] or ''})")[1]
    facts = [(key, value) for key, value in arguments if not key.startswith(_LIMIT)]
    changed = {key.removeprefix(_LIMIT): value for key, value in arguments if key.startswith(_LIMIT)}
    changed |= limits or {}
    for key, value in changed.items():
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise ValueError(f"{path.name}: {_LIMIT}{key}={value} is not a number")
    [(usual, most)] = [(usual, most) for key, usual, most, _ in _core.rules_limits() if key == "bytes"]
    largest = int(min(max(changed.get("bytes", usual), 0), most))
    shipped = FOLDER / path.name
    if not path.exists() and path.name == str(path) and shipped.is_file():
        data = shipped.read_bytes()
    else:
        try:
            # No more than one byte too many, so that the core sees what is too large.
            data = _files.read(path, largest, beyond=True)
        except OSError as error:
            shipped_names = [entry.name for entry in shipped_rules()]
            near = path.name == str(path)
            what = _core.unknown("rules file", str(path), shipped_names) if near else error.strerror
            raise ValueError(f"{path} cannot be read: {what}") from None
    return path.name, _with_facts(path.name, data, facts), list(changed.items())


def _with_facts(name: str, data: bytes, facts: list[tuple[str, object]]) -> bytes:
    text = data.decode("utf-8", "surrogateescape")
    for key, value in facts:
        found = list(re.finditer(_FACT.format(key=re.escape(key)), text, re.MULTILINE | re.IGNORECASE))
        if len(found) != 1:
            known = sorted(_parameters(text))
            what = "takes no values" if not known else _core.unknown("fact", key, known)
            raise ValueError(
                f"{name}: {what}; a value in brackets replaces that of a fact such as ({key} 8)"
            )
        if not re.fullmatch(r"[\w.+-]+", str(value)):
            raise ValueError(f"{name}: {key}={value} is not a name or a number")
        begin, end = found[0].span("value")
        text = text[:begin] + str(value) + text[end:]
    return text.encode("utf-8", "surrogateescape")


def _parameters(text: str) -> dict[str, str]:
    """The facts that stand once in a file, alone on a line, and have one argument, a number."""
    found = list(re.finditer(_FACT.format(key=r"[A-Za-z][\w-]*"), text, re.MULTILINE))
    names = [fact["key"] for fact in found]
    once = [fact for fact in found if names.count(fact["key"]) == 1]
    return {fact["key"]: fact["value"] for fact in once if fact["value"].isdigit()}


def shipped_rules() -> list[Entry]:
    """The rules that come with the package.

    >>> from kibitz.lang import shipped_rules
    >>> any(entry.name == "tic-tac-toe.kif" for entry in shipped_rules())
    True
    """
    entries = []
    for file in sorted(FOLDER.iterdir()):
        if file.suffix in SUFFIXES:
            text = file.read_text(encoding="utf-8")
            summary = text.partition("\n")[0].lstrip("; ").strip()
            params = [
                ParamDoc(key, "number", value, None, "a fact of the rules")
                for key, value in _parameters(text).items()
            ]
            entries.append(Entry(file.name, summary, params))
    return entries
