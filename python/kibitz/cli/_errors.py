"""From an exception to the sentence that the person at the keyboard gets."""

from __future__ import annotations

import os
import sys
import traceback
from pathlib import Path


class UserError(Exception):
    """What the user did wrong, in a sentence."""


def sentence(error: BaseException) -> tuple[bool, str]:
    """Whether it is a mistake of the user's (and not one of ours), and the sentence for it.

    >>> from kibitz.cli._errors import UserError, sentence
    >>> sentence(UserError("there is no such game"))
    (True, 'there is no such game')
    """
    from kibitz import GameFault

    words = " ".join(str(error).split())
    if isinstance(error, ValueError) and str(error).startswith("error["):
        # What is wrong with a rules file is shown with its lines.
        words = f"the rules cannot be played\n\n{str(error).rstrip()}"
    place = users_line(error.__cause__ or error)
    where = f" ({place})" if place else ""
    if isinstance(error, GameFault):
        return True, words + where
    if isinstance(error, OSError) and error.strerror is not None:
        name = f"{os.fsdecode(error.filename)}: " if isinstance(error.filename, str | bytes) else ""
        return True, name + error.strerror
    if place and not isinstance(error, UserError):
        return True, f"{type(error).__name__}: {words}{where}"
    # The core and the face raise these for what they were given, with a sentence.
    if isinstance(error, UserError | ValueError | IndexError | OSError | ImportError | RecursionError):
        return True, words or type(error).__name__
    return False, f"{type(error).__name__}: {words}; this is a fault in kibitz (KIBITZ_DEBUG=1 shows where)"


def users_line(error: BaseException) -> str | None:
    """File and line in the user's own code where it happened, if it happened there."""
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        if _is_users(frame.filename):
            return f"{_short(frame.filename)}, line {frame.lineno}"
    return None


def _is_users(name: str) -> bool:
    path = Path(name)
    ours = Path(__file__).resolve().parent.parent
    if not path.exists() or path.resolve().is_relative_to(ours):
        return False
    libraries = [Path(os.__file__).resolve().parent, Path(sys.prefix).resolve() / "lib"]
    return not any(path.resolve().is_relative_to(library) for library in libraries) and path.suffix == ".py"


def _short(name: str) -> str:
    try:
        return str(Path(name).resolve().relative_to(Path.cwd()))
    except ValueError:
        return name
