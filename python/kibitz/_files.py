"""Files that users name: only regular ones are read, and no more of them than makes sense; what is written
is whole or not there, and what fails names the file."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Iterator
from pathlib import Path

MIB = 1 << 20


def read(path: str | os.PathLike[str], most: int, *, beyond: bool = False) -> bytes:
    """All of a regular file of at most so many bytes.

    ValueError, with a sentence, for what is larger (or, where `beyond` is asked for, its beginning and one
    byte too many), and for devices and pipes; OSError, with its name, for what cannot be read.

    >>> from kibitz._files import read
    >>> read("/dev/zero", 100)
    Traceback (most recent call last):
    ValueError: /dev/zero is not read: it is a device, not a regular file
    """
    kind = os.stat(os.fspath(path)).st_mode
    if stat.S_ISDIR(kind):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), os.fspath(path))
    if not stat.S_ISREG(kind):
        what = "a device" if stat.S_ISCHR(kind) or stat.S_ISBLK(kind) else "a pipe or a socket"
        raise ValueError(f"{os.fspath(path)} is not read: it is {what}, not a regular file")
    with naming(path), open(path, "rb") as file:
        content = file.read(most + 1)
    if len(content) > most and not beyond:
        limit = f"{most // MIB} MiB" if most >= MIB else f"{most} bytes"
        raise ValueError(f"{os.fspath(path)} is larger than {limit}, so it is not read")
    return content


def write(path: str | os.PathLike[str], content: str | bytes, *, sync: bool = False) -> None:
    """Writes a file: what was there before stays until the new one is complete. OSError, with its name.

    `sync` waits for the disk, so that not even a power cut leaves half of it. A device or a pipe is written
    to as it is.

    >>> import tempfile
    >>> from kibitz._files import read, write
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write(f"{folder}/words.txt", "how are you")
    ...     read(f"{folder}/words.txt", 100)
    b'how are you'
    """
    # A link stays one: what it leads to is written.
    target = Path(os.path.realpath(path))
    if isinstance(content, str):
        content = content.encode()
    with naming(path):
        if target.exists() and not target.is_file():
            target.write_bytes(content)
            return
        beside = target.with_name(f".{target.name}.{os.getpid()}")
        try:
            with beside.open("wb") as file:
                file.write(content)
                file.flush()
                if sync:
                    os.fsync(file.fileno())
            beside.replace(target)
        except BaseException:
            with contextlib.suppress(OSError):
                beside.unlink(missing_ok=True)
            raise


@contextlib.contextmanager
def naming(path: str | os.PathLike[str]) -> Iterator[None]:
    """Whatever the system refuses meanwhile is about this file: a full disk does not say so by itself."""
    try:
        yield
    except OSError as error:
        if error.errno is None:
            raise
        raise OSError(error.errno, os.strerror(error.errno), os.fspath(path)) from None
