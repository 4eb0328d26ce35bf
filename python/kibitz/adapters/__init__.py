"""Games and players of others: one module an adapter. `NAME:rest` asks for `NAME.load(rest)`, a game, or
for `NAME.planner(rest)`."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any, Literal

from kibitz import _core, _registry


def find(prefix: str, kind: Literal["game", "planner"]) -> Callable[[str], Any]:
    """What makes games, or planners, of an adapter; ValueError where there is none.

    >>> from kibitz.adapters import find
    >>> find("ggp", "game")
    Traceback (most recent call last):
    ValueError: ggp has planners, and no games
    """
    known = _registry.modules(importlib.import_module("kibitz.adapters"))
    if prefix not in known:
        raise ValueError(_core.unknown("adapter", prefix, known))
    module = importlib.import_module(f"kibitz.adapters.{prefix}")
    names = {"game": "load", "planner": "planner"}
    make = getattr(module, names[kind], None)
    if make is None:
        other = "planner" if kind == "game" else "game"
        raise ValueError(f"{prefix} has {other}s, and no {kind}s")
    found: Callable[[str], Any] = make
    return found
