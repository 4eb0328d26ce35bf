"""Games and planners as they are named on the command line.

Beside the specs that `kibitz.load` and `kibitz.planner` know, a user may name a Python file of his
own, `treasure.py`, `treasure.py:Treasure` or `module:Treasure`, parameters included. Naming it is
asking for it to be run; the Python functions, whose specs may come from anywhere, refuse files.
"""

from __future__ import annotations

import difflib
import functools
import importlib
import importlib.util
import os
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, TypeVar, cast

from kibitz._blame import users_line
from kibitz.cli._errors import UserError
from kibitz.cli._terminal import Progress, Timer, duration

if TYPE_CHECKING:
    from kibitz import AnyPlanner, Game
    from kibitz.lab.match import Maker


T = TypeVar("T")


def game(text: str) -> Game:
    """The game that a word of the command line means.

    >>> from kibitz.cli import _load
    >>> _load.game("tic-tac-toe").spec
    'tic-tac-toe'
    """
    from kibitz import games

    if make := _own(text, "game"):
        rules = _guarded(make, text)
        try:
            return games.wrap(rules, text)
        except TypeError as error:  # a method is missing
            raise UserError(f"{text}: {error}") from error
    timer = Timer()
    # Rules are read, checked and grounded, which may take its time, and can be interrupted.
    with Progress(lambda: f"reading {text}, {duration(timer.seconds)} so far (Ctrl-C stops)", first=1.0):
        found = games.load(text)
    _loaded.append(found)
    return found


_loaded: list[Game] = []


def flaws() -> list[str]:
    """What the rules of games that were loaded left open, as far as that came up; each is told once."""
    found = [(game.spec, game.flaw) for game in _loaded if game.flaw]
    _loaded.clear()
    return [f"{spec}: {flaw} (`kibitz check --play` shows where)" for spec, flaw in found]


def maker(text: str) -> Maker:
    """What makes the planner that a word of the command line means; checked, but not yet made."""
    import kibitz as kb

    if make := _own(text, "planner"):
        _guarded(make, text)
        return make
    return kb.planner(text).spec


def planner(text: str) -> AnyPlanner:
    """The planner that a word of the command line means.

    >>> from kibitz.cli import _load
    >>> _load.planner("random").spec
    'random'
    """
    import kibitz as kb

    if make := _own(text, "planner"):
        made = _guarded(make, text)
        made._spec = text
        return kb.planner(made)
    return kb.planner(text)


def default_planner(game: Game) -> str:
    """A planner that suits a game and answers within about a second."""
    budget = "simulations=5000, milliseconds=1000"
    if game.info.perfect_information:
        return f"uct({budget})"
    # Rules pay at the end only, and those for one player seldom leave more than some thousand states open.
    alone = game.info.players == 1 and game.machine is not None
    return f"norns({budget}, tree=belief)" if alone else f"pomcp({budget})"


def _own(text: str, kind: str) -> Callable[[], Any] | None:
    """What makes an instance of the user's own class; None for everything that is not a file or module."""
    from kibitz import PlannerBase, Rules, _core, _registry

    try:
        where, class_name, arguments = _core.parse_class(text)
    except ValueError:
        return None
    if where.endswith(".py"):
        module = _run(Path(where))
    elif class_name is not None and _is_module(where):
        module = _guarded(functools.partial(importlib.import_module, where), where)
    else:
        return None
    base: type[Any] = Rules if kind == "game" else PlannerBase
    cls = _class(module, where, class_name, base, kind)
    return functools.partial(cast(Callable[..., Any], cls), **_registry.bound(cls, where, arguments))


def _is_module(where: str) -> bool:
    """Whether there is such a module; an adapter's name (`openspiel:...`) goes first."""
    adapters = Path(__file__).parent.parent / "adapters"
    if (adapters / f"{where}.py").exists() or (adapters / where).is_dir():
        return False
    if not all(part.isidentifier() for part in where.split(".")):
        return False
    _also_from(Path.cwd())
    try:
        return importlib.util.find_spec(where) is not None
    except (ImportError, ValueError):
        return False


def _run(path: Path) -> ModuleType:
    """Imports the user's file."""
    path = path.expanduser()
    if not path.is_file():
        folder = path.parent
        others = [other.name for other in folder.glob("*.py")] if folder.is_dir() else []
        near = difflib.get_close_matches(path.name, others, n=1)
        hint = f"; did you mean {folder / near[0]}?" if near else ""
        raise UserError(f"there is no file {path}{hint}")
    full = path.resolve()
    name = path.stem
    for module in list(sys.modules.values()):
        if getattr(module, "__file__", None) == str(full):
            return module
    # Its neighbours can be imported from it, and it from other processes; but never does it, or
    # its neighbours, stand in for a module that is there already.
    _also_from(full.parent)
    try:
        found = importlib.util.find_spec(name)
    except (ImportError, ValueError):
        found = None
    if found is None or found.origin is None or Path(found.origin).resolve() != full:
        name = f"_{name}_{abs(hash(str(full))):x}"
    spec = importlib.util.spec_from_file_location(name, full)
    if spec is None or spec.loader is None:
        raise UserError(f"{path} cannot be imported as Python")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        _guarded(functools.partial(spec.loader.exec_module, module), str(path))
    except BaseException:
        del sys.modules[name]
        raise
    return module


def _also_from(folder: Path) -> None:
    if str(folder) not in sys.path:
        sys.path.append(str(folder))


def _guarded(work: Callable[[], T], where: str) -> T:
    """Runs the user's code; what it raises becomes a sentence with the place."""
    try:
        return work()
    except UserError:
        raise
    except SyntaxError as error:
        raise UserError(f"{_name(error.filename, where)}, line {error.lineno}: {error.msg}") from error
    except OSError as error:
        if users_line(error) is None:
            raise UserError(f"{where} cannot be read: {error.strerror or error}") from error
        raise UserError(f"{users_line(error)}: {error}") from error
    except Exception as error:
        raise UserError(f"{users_line(error) or where}: {type(error).__name__}: {error}") from error
    except SystemExit as error:
        raise UserError(f"{where} left the program when it was imported") from error


def _name(file: str | None, where: str) -> str:
    return where if file is None or Path(file).name == Path(where).name else os.path.relpath(file)


def _class(module: ModuleType, where: str, name: str | None, base: type[Any], kind: str) -> type[Any]:
    from kibitz import _core

    own = {
        key: value
        for key, value in vars(module).items()
        if isinstance(value, type)
        and issubclass(value, base)
        and value.__module__ == module.__name__
        and not key.startswith("_")
    }
    if name is not None:
        # A class without the base will do if it has the methods, which is seen when it is used.
        if isinstance(chosen := getattr(module, name, None), type):
            return chosen
        if own:
            raise UserError(f"{where}: {_core.unknown('class', name, list(own))}")
        raise UserError(f"{where} has no class {name}")
    if len(own) == 1:
        return next(iter(own.values()))
    if own:
        each = ", ".join(f"{where}:{key}" for key in own)
        raise UserError(f"{where} defines several {kind}s; say which: {each}")
    raise UserError(f"{where} defines no {kind}: a {kind} is a subclass of kibitz.{base.__name__}")
