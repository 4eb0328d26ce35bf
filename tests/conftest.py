"""What all tests rely on."""

from __future__ import annotations

import io
import os
import signal
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from cli_runs import Ran

# A job that a shell starts in the background ignores Ctrl-C, and so would all that the tests start.
signal.signal(signal.SIGINT, signal.default_int_handler)
# What is printed into a pipe is not folded, whatever the terminal that tests are started in.
os.environ.pop("COLUMNS", None)


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Callable[..., Ran]:
    """Runs a command in this process."""
    from cli_runs import Ran
    from kibitz.cli import main

    def run(*words: str, typed: str = "") -> Ran:
        monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
        return Ran(main(words), *capsys.readouterr())

    return run
