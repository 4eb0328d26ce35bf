"""What commands on the network share: the extra that they need, and their log."""

from __future__ import annotations

import importlib.util

from kibitz.cli._errors import UserError


def check() -> None:
    """UserError where the extra `web` is missing."""
    from kibitz.ggp import needed

    if any(importlib.util.find_spec(name) is None for name in ("starlette", "uvicorn", "httpx")):
        raise UserError(needed())


def log_lines(*, quiet: bool = False) -> None:
    """Has the log written to the standard error, a line for each thing; `quiet`: only what is wrong."""
    import logging

    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("%(asctime)s  %(message)s", "%H:%M:%S"))
    for name, least in (
        ("kibitz.ggp", logging.WARNING if quiet else logging.INFO),
        ("uvicorn.error", logging.WARNING),
    ):
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = [handler], False
        logger.setLevel(least)
