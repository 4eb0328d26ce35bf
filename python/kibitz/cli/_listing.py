"""Lists of what is registered, made from what each thing says about itself."""

from __future__ import annotations

import argparse
import contextlib
import inspect
import shlex
import textwrap
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from kibitz.cli._options import as_json, print_json
from kibitz.cli._terminal import NARROW, in_rows, paint, width, wrapped

if TYPE_CHECKING:
    from kibitz import Entry
    from kibitz._core import ParamDoc


def arguments(what: str) -> Callable[[argparse.ArgumentParser], None]:
    """Declares the arguments of a command that lists all, or describes one that is named."""

    def declare(parser: argparse.ArgumentParser) -> None:
        parser.add_argument("name", nargs="?", metavar="NAME", help=what)
        as_json(parser)

    return declare


def overview(entries: Sequence[Entry], kind: str, as_json: bool) -> None:
    """One line for each."""
    if as_json:
        print_json([plain(entry) for entry in entries])
        return
    longest = max(len(entry.name) for entry in entries)
    room = min(width(), 140) - longest - 2
    for entry in entries:
        # On a narrow terminal the words go below the name.
        indent = longest + 2 if room >= NARROW else 4
        first, *others = textwrap.wrap(entry.summary, max(NARROW, min(width(), 140) - indent)) or [""]
        if room >= NARROW:
            print(f"{paint(entry.name.ljust(longest), 'bold')}  {first}".rstrip())
        else:
            print(paint(entry.name, "bold"))
            others.insert(0, first)
        for line in others:
            print(" " * indent + line)
    print(paint(f"\nkibitz {kind}s NAME says more about one.", "dim"))


def heading(entry: Entry, words: str = "") -> None:
    """Name, summary, the rules in words, and parameters."""
    print(paint(entry.name, "bold"))
    print("\n".join(wrapped(entry.summary)))
    if words:
        print("\n".join(["", *wrapped(words)]))
    if entry.needs:
        print(f"  It needs {entry.needs}.")
    print()
    if not entry.params:
        return
    print("  parameters:")
    rows = {}
    for param in entry.params:
        kind = param.kind + (f", {param.range}" if param.range else "")
        rows[_written(param)] = f"{param.doc} ({kind})" if param.doc else f"({kind})" if kind else ""
    longest = max(map(len, rows))
    for line in in_rows(rows, "    "):
        name = line[4 : 4 + longest].rstrip()
        print(line.replace(name, paint(name, "bold"), 1) if name in rows else line)
    print()


def _written(param: ParamDoc) -> str:
    """A parameter with its default; a long number is cut short."""
    default = param.default
    if len(default) > 12:
        with contextlib.suppress(ValueError):
            default = f"{float(default):.4g}"
    return f"{param.name}={default}" if default else param.name


def plain(entry: Entry) -> dict[str, Any]:
    """An entry for programs."""
    params = [
        {key: getattr(param, key) for key in ("name", "kind", "default", "range", "doc")}
        for param in entry.params
    ]
    return {"name": entry.name, "summary": entry.summary, "needs": entry.needs, "params": params}


def entry_for(spec: str, entries: Sequence[Entry], thing: object, name: str) -> Entry:
    """The entry of what a word of the command line means: a registered one, or the user's own."""
    from kibitz import _core

    with contextlib.suppress(ValueError):  # a file is no spec
        spec = _core.parse_spec(spec)[0]
    return next((entry for entry in entries if entry.name == spec), None) or entry_of(thing, name)


def entry_of(thing: object, name: str) -> Entry:
    """The entry of something that is not registered: the user's own game or planner, or an adapter's."""
    from kibitz import Entry, _registry

    if thing is None:
        return Entry(name, "", [])
    summary = (inspect.getdoc(type(thing)) or "").partition("\n")[0]
    # An adapter's class is made by the adapter; what it takes is nothing that a spec could say.
    ours = type(thing).__module__.partition(".")[0] == "kibitz"
    return Entry(name, summary, [] if ours else _registry.params(type(thing)))


def quoted(word: str) -> str:
    """A word as the shell needs it."""
    return shlex.quote(word)
