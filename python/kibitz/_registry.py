"""Games and planners written in Python register themselves here as their classes are defined."""

from __future__ import annotations

import functools
import importlib
import inspect
import pkgutil
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any, Literal

from kibitz import _arguments, _core

Kind = Literal["game", "planner"]

_classes: dict[Kind, dict[str, type[Any]]] = {"game": {}, "planner": {}}
_native: dict[Kind, Callable[[], list[_core.Entry]]] = {"game": _core.games, "planner": _core.planners}


@functools.cache
def native(kind: Kind) -> dict[str, _core.Entry]:
    """What is written in Rust, by name: it stays the same, and to describe all of it takes a while."""
    return {entry.name: entry for entry in _native[kind]()}


def define(kind: Kind, cls: type[Any]) -> None:
    """Looks at a class as it is defined, and registers it if it has a name of its own.

    TypeError or ValueError for a wrong attribute: whoever defines it is told the line.
    """
    words = cls.__dict__.get("params", {})
    if not isinstance(words, Mapping) or not all(
        isinstance(each, str) for each in (*words, *words.values())
    ):
        wanted = "a dict from the names of parameters to what they mean"
        raise TypeError(f"{cls.__name__}.params should be {wanted}, not {words!r}")
    name = cls.__dict__.get("name")
    if name is None:
        return
    if not isinstance(name, str):
        raise TypeError(f"{cls.__name__}.name should be a text, not {name!r}")
    add(kind, name, cls)


def add(kind: Kind, name: str, cls: type[Any]) -> None:
    """Registers a class; defining it again (a notebook's cell run twice) replaces it."""
    try:
        word, arguments = _core.parse_spec(name)
    except ValueError:
        word, arguments = "", []
    if word != name or arguments:
        raise ValueError(f"{name!r} cannot be a {kind}'s name; use letters, digits and '-'")
    if name in native(kind):
        raise ValueError(f"there is a {kind} called {name!r} already; {cls.__name__} needs another name")
    _classes[kind][name] = cls


def modules(package: ModuleType) -> list[str]:
    """The names of the modules in a package, which need not have been imported."""
    names = (module.name for module in pkgutil.iter_modules(package.__path__))
    return [name for name in names if not name.startswith("_")]


def discover(kind: Kind) -> None:
    """Imports the package's own Python games or planners, so that they register."""
    package = importlib.import_module(f"kibitz.{kind}s")
    for name in modules(package):
        importlib.import_module(f"{package.__name__}.{name}")


def find(kind: Kind, spec: str) -> Callable[[], Any] | None:
    """What makes the Python class that a spec asks for; None for a native one.

    ValueError for an unknown name, with the nearest ones, or for a wrong parameter.
    """
    name, arguments = _core.parse_spec(spec)
    if name not in _classes[kind]:
        if name in native(kind) or (kind == "planner" and name in _core.old_planners()):
            return None
        discover(kind)
        if name not in _classes[kind]:
            raise ValueError(_core.unknown(kind, name, [*native(kind), *_classes[kind]]))
    cls = _classes[kind][name]
    named = bound(cls, name, arguments)
    return lambda: cls(**named)


def bound(cls: type[Any], name: str, arguments: list[tuple[str, Any]]) -> dict[str, Any]:
    """The parameters of a class, as a spec gives them; ValueError for what it does not take, or not so."""
    positional = [value for key, value in arguments if not key]
    named = {key: value for key, value in arguments if key}
    known = [param.name for param in params(cls)]
    for key in named:
        if key not in known:
            what = _core.unknown("parameter", key, known) if known else "it takes no parameters"
            raise ValueError(f"{name}: {what}")
    if len(positional) > len(known):
        raise ValueError(f"{name} takes at most {len(known)} parameters")
    named = dict(zip(known, positional, strict=False)) | named
    declared = inspect.signature(cls.__init__).parameters
    for key, value in named.items():
        hint = _arguments.meaning(declared[key].annotation, cls.__init__)
        if not _arguments.fits(value, hint):
            raise ValueError(f"{name}: {key} should be {_arguments.kind(hint)}, not {value!r}")
    return named


def params(cls: type[Any]) -> list[_core.ParamDoc]:
    """The parameters of a class's constructor; a class may document them in a dict `params`."""
    if cls.__init__ is object.__init__:
        return []
    words: dict[str, str] = getattr(cls, "params", {})
    found = []
    for name, parameter in list(inspect.signature(cls.__init__).parameters.items())[1:]:
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        kind = parameter.annotation if isinstance(parameter.annotation, str) else ""
        if not kind and parameter.annotation is not parameter.empty:
            kind = getattr(parameter.annotation, "__name__", str(parameter.annotation))
        default = "" if parameter.default is parameter.empty else str(parameter.default)
        found.append(_core.ParamDoc(name, kind, default, None, words.get(name, "")))
    return found


def entries(kind: Kind) -> list[_core.Entry]:
    """All that is registered, native or not, by name."""
    discover(kind)
    own = [
        _core.Entry(name, (inspect.getdoc(cls) or "").partition("\n")[0], params(cls))
        for name, cls in _classes[kind].items()
    ]
    return sorted([*native(kind).values(), *own], key=lambda entry: entry.name)
