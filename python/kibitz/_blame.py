"""Whose mistake it was, and where: file and line of the user's own code."""

from __future__ import annotations

import inspect
import os
import sys
import traceback
from pathlib import Path


def place(thing: object) -> str | None:
    """File and line where the user's own function, method or class is defined; None for all others.

    >>> from kibitz._blame import place
    >>> print(place(print), place(place))
    None None
    """
    try:
        if isinstance(thing, type):
            name, line = inspect.getsourcefile(thing), inspect.getsourcelines(thing)[1]
        else:
            code = inspect.unwrap(getattr(thing, "__func__", thing)).__code__  # type: ignore[arg-type]
            name, line = code.co_filename, code.co_firstlineno
    except (AttributeError, OSError, TypeError, ValueError):
        return None
    return f"{_short(name)}, line {line}" if name is not None and _is_users(name) else None


def users_line(error: BaseException) -> str | None:
    """File and line in the user's own code where it happened, if it happened there."""
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        if _is_users(frame.filename):
            return f"{_short(frame.filename)}, line {frame.lineno}"
    return None


def _is_users(name: str) -> bool:
    path = Path(name)
    ours = Path(__file__).resolve().parent
    if not path.exists() or path.resolve().is_relative_to(ours):
        return False
    libraries = [Path(os.__file__).resolve().parent, Path(sys.prefix).resolve() / "lib"]
    return not any(path.resolve().is_relative_to(library) for library in libraries) and path.suffix == ".py"


def _short(name: str) -> str:
    try:
        return str(Path(name).resolve().relative_to(Path.cwd()))
    except ValueError:
        return name
