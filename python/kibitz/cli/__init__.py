"""The `kibitz` command. One module of this package is one command; nothing else needs editing.

A command's module has a docstring (its first line is the summary, the rest the description),
`EXAMPLES` (command lines with what they do), `arguments(parser)` and `run(options)`, which returns
the exit code. It imports what is heavy when it runs, not before. Modules that begin with an
underscore hold what commands share.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import inspect
import os
import pkgutil
import sys
from collections.abc import Sequence
from typing import Any, NoReturn, Protocol, cast

from kibitz.cli import _folding, _load, _options
from kibitz.cli._errors import UserError, sentence

BAD_INPUT, INTERRUPTED, BUG = 2, 130, 1


class Command(Protocol):
    """What a command's module has."""

    EXAMPLES: dict[str, str]

    def arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declares what can be written after the command's name."""

    def run(self, options: argparse.Namespace) -> int | None:
        """Does it; None is success."""


def main(argv: Sequence[str] | None = None) -> int:
    """Runs a command line and returns its exit code: 0, 2 for a mistake of the user's, 130 for Ctrl-C.

    >>> from kibitz.cli import main
    >>> main(["games", "tic-tac-tow"])
    2
    """
    words = list(sys.argv[1:] if argv is None else argv)
    # JSON is for programs, on a terminal as well.
    with contextlib.nullcontext() if "--json" in words else _folding.folded():
        return _main(words)


def _main(words: list[str]) -> int:
    try:
        if sys.stdout is None:
            raise UserError("there is nowhere to write to: the standard output is closed")
        _write_what_can_be_written()
        code = _run(words)
        sys.stdout.flush()
        for flaw in _load.flaws():
            _say(f"note: {flaw}")
        return code
    except KeyboardInterrupt:
        _say("stopped")
        return INTERRUPTED
    except BrokenPipeError:
        # Whoever read our output (head, less) has had enough. Python flushes once more at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return BAD_INPUT
    except Exception as error:
        if os.environ.get("KIBITZ_DEBUG"):
            raise
        expected, what = sentence(error)
        _say(f"kibitz: {what}")
        return BAD_INPUT if expected else BUG


def _run(words: list[str]) -> int:
    known = commands()
    name, rest = (words[0], words[1:]) if words else ("--help", [])
    if name == "help" and rest:
        name, rest = rest[0], ["--help"]
    if name in ("-h", "--help", "help"):
        print(_overview(known))
        return 0
    if name in ("-V", "--version"):
        from kibitz import __version__

        print(f"kibitz {__version__}")
        return 0
    if name not in known:
        from kibitz._core import unknown

        raise UserError(f"{unknown('command', name, known)} (kibitz --help says what there is)")
    command = load(name)
    parser = _parser(name, command)
    try:
        options = parser.parse_args(rest)
    except SystemExit as leave:  # after --help
        return int(leave.code or 0)
    _options.look_in_folder(options)
    return command.run(options) or 0


def commands() -> list[str]:
    """The names of all commands, none of which is imported.

    >>> from kibitz.cli import commands
    >>> "watch" in commands()
    True
    """
    names = [module.name for module in pkgutil.iter_modules(__path__)]
    return sorted(name.replace("_", "-") for name in names if not name.startswith("_"))


def load(name: str) -> Command:
    """The module of a command."""
    return cast(Command, importlib.import_module(f"{__name__}.{name.replace('-', '_')}"))


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise UserError(f"{message} ({self.prog} --help says how it is used)")

    def format_help(self) -> str:
        from kibitz import list_games, list_planners
        from kibitz.cli._terminal import in_columns

        parts = [super().format_help()]
        asked = {action.dest for action in self._actions}
        for kind, entries in ("game", list_games), ("planner", list_planners):
            if asked & {kind, f"{kind}s"}:
                parts += [f"{kind}s:", *in_columns([entry.name for entry in entries()]), ""]
        return "\n".join(parts)


def _parser(name: str, command: Command) -> argparse.ArgumentParser:
    from kibitz.cli._folding import fold
    from kibitz.cli._terminal import width, wrapped

    examples = "".join(
        "\n".join([*fold(f"  {line}", width()), *wrapped(what, " " * 6, " " * 6), ""])
        for line, what in command.EXAMPLES.items()
    )
    parser = _Parser(
        prog=f"kibitz {name}",
        description="\n".join(wrapped(inspect.getdoc(command) or "", "", "", 108)),
        epilog=f"examples:\n{examples}",
        formatter_class=_Help,
    )
    command.arguments(parser)
    return parser


class _Help(argparse.RawDescriptionHelpFormatter):
    def __init__(self, prog: str, **keywords: Any) -> None:
        super().__init__(prog, max_help_position=30, **keywords)


def _overview(known: list[str]) -> str:
    from kibitz.cli._terminal import in_rows, wrapped

    lines = ["usage: kibitz COMMAND ...", "", "Plays any game whose rules it is given, and says why.", ""]
    lines += in_rows({name: (inspect.getdoc(load(name)) or "").partition("\n")[0] for name in known})
    lines += [
        "",
        *wrapped(
            "Games and planners are written as name(key=value, ...), in quotes because of the shell.",
            "",
            "",
        ),
        *wrapped(
            "kibitz COMMAND --help has the details and examples; kibitz demo shows what it is about.",
            "",
            "",
        ),
    ]
    return "\n".join(lines)


def _write_what_can_be_written() -> None:
    """A terminal that lacks a sign gets a question mark, not a crash."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="replace")


def _say(what: str) -> None:
    """Prints on stderr, whatever has happened to the streams."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        sys.stdout.flush()
    with contextlib.suppress(OSError, ValueError, AttributeError):
        print(what, file=sys.stderr, flush=True)
