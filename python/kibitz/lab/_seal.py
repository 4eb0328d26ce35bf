"""Seals: the checksums that stored results carry, so that a digit that was changed since is noticed.

Against accidents: whoever changes something on purpose can make another. A line of JSON has its seal as
its last field; tables (`table`) and configurations (`results`) have theirs elsewhere. What earlier versions
wrote has none, and is read.
"""

from __future__ import annotations

import hashlib

DAMAGED = "is not what was written (its checksum differs)"
_FIELD = b', "seal": "'
"""What a line's seal begins with; inside a text of JSON its quotes would have a backslash."""


def seal(content: bytes) -> str:
    """The checksum of a content.

    >>> from kibitz.lab._seal import seal
    >>> seal(b"{}")
    '44136fa355b3678a'
    """
    return hashlib.sha256(content).hexdigest()[:16]


def sealed(line: str) -> str:
    """A line of JSON, an object, with its seal.

    >>> from kibitz.lab._seal import sealed
    >>> sealed('{"steps": 5}')
    '{"steps": 5, "seal": "49bd0f4419034a28"}'
    """
    return f'{line[:-1]}{_FIELD.decode()}{seal(line.encode())}"}}'


def check_seal(line: bytes) -> bool:
    """Whether a line has a seal; ValueError where the line does not agree with it.

    >>> from kibitz.lab._seal import check_seal, sealed
    >>> line = sealed('{"steps": 5}').encode()
    >>> check_seal(line), check_seal(b"{}")
    (True, False)
    >>> check_seal(line.replace(b"5", b"6", 1))
    Traceback (most recent call last):
    ValueError: the line is not what was written (its checksum differs)
    """
    line = line.rstrip()
    end = line.rfind(_FIELD)
    if end < 0:
        return False
    if line[end:] != _FIELD + seal(line[:end] + b"}").encode() + b'"}':
        raise ValueError(f"the line {DAMAGED}")
    return True
