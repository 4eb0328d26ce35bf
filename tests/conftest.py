"""What all tests rely on."""

from __future__ import annotations

import signal

# A job that a shell starts in the background ignores Ctrl-C, and so would all that the tests start.
signal.signal(signal.SIGINT, signal.default_int_handler)
