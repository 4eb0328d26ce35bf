"""Games and players of others: one module an adapter. `NAME:rest` asks for `NAME.load(rest)`, a game, or
for `NAME.planner(rest)`. The other way round, `gymnasium` and `pettingzoo` make environments of our
games."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any, Literal

from kibitz import _core, _registry

ENVIRONMENTS = ("gymnasium", "pettingzoo")
"""Adapters that nothing is asked of by name."""
NO_GYM = "environments need the extra 'gym' (Gymnasium, PettingZoo): pip install 'kibitz[gym]'"


def find(prefix: str, kind: Literal["game", "planner"]) -> Callable[[str], Any]:
    """What makes games, or planners, of an adapter; ValueError where there is none.

    >>> from kibitz.adapters import find
    >>> find("ggp", "game")
    Traceback (most recent call last):
    ValueError: ggp has planners, and no games
    """
    all_there = _registry.modules(importlib.import_module("kibitz.adapters"))
    known = [name for name in all_there if name not in ENVIRONMENTS]
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


def __getattr__(name: str) -> object:
    """Adapters are imported when they are first asked for: they need packages that not everybody has."""
    if name in _registry.modules(importlib.import_module("kibitz.adapters")):
        return importlib.import_module(f"kibitz.adapters.{name}")
    raise AttributeError(f"module 'kibitz.adapters' has no attribute {name!r}")
