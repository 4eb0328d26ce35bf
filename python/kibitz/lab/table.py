"""Episodes as one file, a Parquet table with a seal.

Nobody looks at a checksum in Parquet: of tables with a few bytes damaged, one in twelve is read as other
episodes, and some end the process. So a digest of all the rest lies between columns and footer, where
readers of Parquet do not look, and what does not agree with it is not read. A table without a seal (an
earlier version's, or somebody else's) is read by another process first, which may die of it.
"""

from __future__ import annotations

import hashlib
import io
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from kibitz import _files
from kibitz.lab._seal import DAMAGED

if TYPE_CHECKING:
    import polars as pl

LARGEST = 8 << 30
"""Bytes of a table that is still read."""
SEAL = b"kibitz sha256:"
_SIZE = len(SEAL) + hashlib.sha256().digest_size
_WORD = b"PAR1"
"""What Parquet begins and ends with."""
_END = 4 + len(_WORD)
"""Bytes after the footer: its length, and the word."""


def write(frame: pl.DataFrame, path: str | os.PathLike[str]) -> None:
    """Writes the table, with a seal; waits for the disk."""
    file = io.BytesIO()
    frame.write_parquet(file)
    content = file.getvalue()
    place = _footer(content)
    seal = SEAL + hashlib.sha256(content).digest()
    _files.write(path, content[:place] + seal + content[place:], sync=True)


def read(path: str | os.PathLike[str]) -> pl.DataFrame:
    """The table; ValueError, with a sentence, where it is damaged or something else.

    >>> import tempfile, polars
    >>> from kibitz.lab import table
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     table.write(polars.DataFrame({"a": [1, 2]}), f"{folder}/a.parquet")
    ...     table.read(f"{folder}/a.parquet")["a"].to_list()
    [1, 2]
    """
    return read_sealed(path)[0]


def read_sealed(path: str | os.PathLike[str]) -> tuple[pl.DataFrame, bool]:
    """The same, and whether it has a seal."""
    import polars as pl

    content = _files.read(path, LARGEST)
    if len(content) < 2 * _END or not content.startswith(_WORD) or not content.endswith(_WORD):
        raise ValueError(f"{path} cannot be read: it is no Parquet table, or not the whole of one")
    place = _footer(content)
    seal = content[max(place - _SIZE, 0) : place]
    if not seal.startswith(SEAL):
        return _elsewhere(content, Path(path)), False
    digest = hashlib.sha256(content[: place - _SIZE])
    digest.update(content[place:])
    if seal[len(SEAL) :] != digest.digest():
        raise ValueError(f"{path} is damaged: it {DAMAGED}")
    return pl.read_parquet(content), True


def _footer(content: bytes) -> int:
    """Where the footer of a Parquet file begins; 0 where it says nonsense."""
    return max(0, len(content) - _END - int.from_bytes(content[-_END : -len(_WORD)], "little"))


_READER = """
import os, polars, sys
out = os.fdopen(os.dup(1), "wb")
try:
    polars.read_parquet(sys.stdin.buffer.read()).write_ipc(out)
except polars.exceptions.PolarsError as error:
    sys.exit("kibitz: " + " ".join(str(error).split())[:200])
"""


def _elsewhere(content: bytes, path: Path) -> pl.DataFrame:
    import polars as pl

    done = subprocess.run([sys.executable, "-c", _READER], input=content, capture_output=True, check=False)
    if done.returncode != 0:
        _, known, why = done.stderr.decode(errors="replace").rpartition("kibitz: ")
        why = why.strip() if known else "it is damaged, or no table"
        raise ValueError(f"{path} cannot be read: {why}")
    return pl.read_ipc(done.stdout)
