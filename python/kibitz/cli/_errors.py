"""From an exception to the sentence that the person at the keyboard gets."""

from __future__ import annotations

import errno
import os

from kibitz._blame import users_line


class UserError(Exception):
    """What the user did wrong, in a sentence."""


def sentence(error: BaseException) -> tuple[bool, str]:
    """Whether it is a mistake of the user's (and not one of ours), and the sentence for it.

    >>> from kibitz.cli._errors import UserError, sentence
    >>> sentence(UserError("there is no such game"))
    (True, 'there is no such game')
    """
    from kibitz import GameFault, PlannerFault

    words = " ".join(str(error).split())
    if isinstance(error, ValueError) and str(error).startswith("error["):
        # What is wrong with a rules file is shown with its lines.
        words = f"the rules cannot be played\n\n{str(error).rstrip()}"
    place = users_line(error.__cause__ or error)
    where = f" ({place})" if place else ""
    if isinstance(error, GameFault | PlannerFault):
        return True, words if place and place in words else words + where
    if isinstance(error, OSError) and error.strerror is not None:
        name = f"{os.fsdecode(error.filename)}: " if isinstance(error.filename, str | bytes) else ""
        if not name and error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO):
            name = "the standard output: "  # every other file has its name
        return True, name + error.strerror
    if place and not isinstance(error, UserError):
        return True, f"{type(error).__name__}: {words}{where}"
    # The core and the face raise these for what they were given, with a sentence.
    if isinstance(error, UserError | ValueError | IndexError | OSError | ImportError | RecursionError):
        return True, words or type(error).__name__
    return False, f"{type(error).__name__}: {words}; this is a fault in kibitz (KIBITZ_DEBUG=1 shows where)"
