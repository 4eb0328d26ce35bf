"""Commands as people give them: in this process, in one of their own, on a terminal of its own."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from effort import PATIENCE

ROOT = Path(__file__).parent.parent
TREASURE = str(ROOT / "examples" / "treasure.py")
KIBITZ = [sys.executable, "-m", "kibitz"]


class Ran:
    """What a command printed, and its exit code."""

    def __init__(self, code: int, out: str, err: str) -> None:
        self.code, self.out, self.err = code, out, err

    @property
    def json(self) -> Any:
        return json.loads(self.out)


def begin(*words: str, **environment: str) -> subprocess.Popen[str]:
    """Starts a command in a session of its own, that a signal can be sent to."""
    return subprocess.Popen(
        [*KIBITZ, *words],
        env={**os.environ, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def in_terminal(words: list[str], typed: str = "", prompt: str = "", **environment: str) -> tuple[int, str]:
    """Runs a command on a terminal of its own, and types once the prompt is there."""
    pty = pytest.importorskip("pty")
    pid, terminal = pty.fork()
    if pid == 0:
        os.environ.update({"TERM": "xterm", "COLUMNS": "100", "LINES": "40", **environment})
        os.execv(sys.executable, [*KIBITZ, *words])
    output = ""
    end = time.monotonic() + PATIENCE
    try:
        while time.monotonic() < end:
            if select.select([terminal], [], [], 0.2)[0]:
                output += os.read(terminal, 65536).decode(errors="replace")
            if typed and prompt in output:
                time.sleep(0.3)  # until it listens
                os.write(terminal, typed.encode())
                typed = ""
        os.kill(pid, signal.SIGKILL)
    except OSError:  # the other side has gone
        pass
    os.close(terminal)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), output
