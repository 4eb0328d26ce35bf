"""Finding planners: those of the core by spec, those written in Python by name or as objects.

A planner written in Python is one module in this folder with a subclass of `PlannerBase` that has a
`name`; nothing else needs editing.
"""

from __future__ import annotations

import importlib
import operator
from collections.abc import Callable, Mapping
from types import FunctionType, MethodType
from typing import Any, ClassVar, Protocol, SupportsFloat, SupportsIndex, TypeVar, runtime_checkable

from kibitz import _core, _registry
from kibitz._arguments import shown
from kibitz._blame import place
from kibitz._core import Decision, Entry, Game, Planner, Referee, State, View
from kibitz.games import load
from kibitz.rules import AnyGame


@runtime_checkable
class AnyPlanner(Protocol):
    """What chooses actions for one seat of one game, in Rust or in Python."""

    @property
    def spec(self) -> str:
        """How it is asked for."""

    def start(self, game: Game, seat: int, seed: int) -> None:
        """Prepares for an episode; ValueError where the game lacks what it needs."""

    def act(self, view: View) -> Decision:
        """Chooses an action."""


@runtime_checkable
class Cheat(Protocol):
    """What may be told the true state before it acts: `omniscient`, which says so in its help."""

    @property
    def cheats(self) -> bool:
        """Whether it must be told."""

    def tell(self, truth: State) -> None:
        """Tells it the true state, for one decision."""


class PlannerFault(TypeError):  # noqa: N818 -- as GameFault
    """A planner written in Python broke the contract: what it takes or answers is not what it should be."""


class PlannerBase:
    """A planner written in Python. A subclass with a `name` can be asked for by that name.

    The constructor's parameters are the spec's: `mine(depth=3)` makes `Mine(depth=3)`. Everything
    random is drawn from the seed that `start` is given.

    >>> import kibitz as kb
    >>> class First(kb.PlannerBase):
    ...     '''Always takes the first legal action.'''
    ...     name = "first-action"
    ...     def act(self, view):
    ...         return kb.Decision(view, view.legal()[0])
    >>> kb.play("tic-tac-toe", "first-action").returns
    [1.0, -1.0]
    """

    name: ClassVar[str | None] = None
    params: ClassVar[dict[str, str]] = {}
    """What each parameter means, in a sentence."""

    game: Game
    seat: int
    seed: int
    _spec: str | None = None

    def __init_subclass__(cls, **keywords: Any) -> None:
        super().__init_subclass__(**keywords)
        _registry.define("planner", cls)

    @property
    def spec(self) -> str:
        """How it was asked for."""
        return self._spec or self.name or type(self).__name__

    def start(self, game: Game, seat: int, seed: int) -> None:
        """Prepares for an episode and keeps what it is given."""
        self.game, self.seat, self.seed = game, seat, seed

    def act(self, view: View) -> Decision:  # noqa: ARG002 -- what every planner is given
        """Chooses one of `view.legal()`, or, where players may choose at any instant, `kibitz.WAIT`."""
        raise PlannerFault(f"{_named(type(self))} has no method act: nothing chooses")


def planner(spec: str | AnyPlanner, *, model: AnyGame | None = None, **parameters: object) -> AnyPlanner:
    """A new planner by spec, `name(key=value, ...)`, or name and keywords; a planner is returned as it is.

    `model` is what the planner takes the game for, if that is not the game itself: another game with the
    same players, actions and observations, which may go on in another way. In a spec it is `model=...`.
    `ggp:http://127.0.0.1:9147` is a player on the network.
    ValueError, with the nearest right ones, for a misspelt name or parameter.

    >>> import kibitz as kb
    >>> kb.planner("pomcp", simulations=100, belief="particles(30)").spec
    'pomcp(simulations=100, belief=particles(30))'
    """
    if not isinstance(spec, str):
        if parameters:
            raise ValueError(
                f"{next(iter(parameters))} goes with a planner's name, and {shown(spec)} is made already"
            )
        if model is not None:
            raise ValueError(f"a model goes with a planner's spec, and {shown(spec)} is made already")
        if isinstance(spec, type) or not isinstance(spec, AnyPlanner):
            raise TypeError(f"expected a planner or its spec, not {shown(spec)}")
        if not isinstance(spec.spec, str):
            raise PlannerFault(
                f"{_named(type(spec))} has {spec.spec!r} as its spec, which should be a text"
            )
        return spec
    spec = with_parameters(spec, parameters)
    if prefixed := _core.split_prefix(spec):
        if model is not None:
            raise ValueError(f"{spec} is not here: it is given no model")
        return _adapted(*prefixed)
    make = _registry.find("planner", spec)
    if make is None:
        return Planner(spec, _model(spec) if model is None else load(model))
    if model is not None:
        raise ValueError(f"{spec} is written in Python: it is given a model where it is made")
    made = make()
    assert isinstance(made, PlannerBase)
    made._spec = spec
    return made


def with_parameters(spec: str, parameters: Mapping[str, object]) -> str:
    """A spec with more parameters, whose values are Python's.

    >>> from kibitz.planners import with_parameters
    >>> with_parameters("uct(depth=3)", {"exploration": 0.7, "reuse": True})
    'uct(depth=3, exploration=0.7, reuse=true)'
    """
    if not parameters:
        return spec
    given = ", ".join(f"{key}={_as_written(key, value)}" for key, value in parameters.items())
    begin = spec.rstrip()
    if not begin.endswith(")"):
        return f"{begin}({given})"
    begin = begin[:-1].rstrip()
    return f"{begin}{given})" if begin.endswith("(") else f"{begin}, {given})"


def _as_written(key: str, value: object) -> str:
    """A value as specs have it."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, AnyPlanner | Game):
        return value.spec
    if isinstance(value, str):
        try:
            _core.parse_spec(value)
        except ValueError:
            return f"'{value}'" if '"' in value else f'"{value}"'
        return value
    if isinstance(value, SupportsIndex):
        return str(operator.index(value))
    if isinstance(value, SupportsFloat):
        return repr(float(value))
    raise TypeError(f"{key} should be a number, a text, true or false, or a planner, not {shown(value)}")


def _adapted(prefix: str, rest: str) -> AnyPlanner:
    made = importlib.import_module("kibitz.adapters").find(prefix, "planner")(rest)
    assert isinstance(made, AnyPlanner)
    return made


def _model(spec: str) -> Game | None:
    """The game that a spec names as a planner's model, where that is not one that the core knows."""
    written = dict(_core.parse_spec(spec)[1]).get("model")
    if not isinstance(written, str) or written == "believed":
        return None
    native = {entry.name for entry in _core.games()}
    return None if written.partition("(")[0] in native else load(written)


def decide(chooser: AnyPlanner, referee: Referee, player: int, view: View | None = None) -> Decision:
    """What a planner does in an episode that is played here: one that cheats is told the truth.

    `view` is what the referee says the player knows, where that is at hand. Whoever has no referee, and
    asks a planner to act on a view alone, cannot tell it: there a planner that cheats refuses to play.

    >>> import kibitz as kb
    >>> from kibitz.planners import decide
    >>> game = kb.load("kuhn-poker")
    >>> referee, cheat = kb.Referee(game, seed=1), kb.planner("omniscient")
    >>> cheat.start(game, 0, 0)
    >>> decide(cheat, referee, 0).notes
    ['was told the true state']
    """
    if isinstance(chooser, Cheat) and chooser.cheats:
        chooser.tell(referee.state)
    return ask(chooser, referee.view(player) if view is None else view)


def sit(chooser: AnyPlanner, game: Game, seat: int, seed: int) -> None:
    """Has a planner begin on a seat; PlannerFault, with file and line, if it cannot be called so.

    >>> import kibitz as kb
    >>> from kibitz.planners import ask, sit
    >>> game, chooser = kb.load("tic-tac-toe"), kb.planner("random")
    >>> sit(chooser, game, 0, seed=1)
    >>> ask(chooser, kb.Referee(game).view(0)).simulations
    0
    """
    _call(chooser.start, game, seat, seed)


def ask(chooser: AnyPlanner, view: View) -> Decision:
    """What a planner decides; PlannerFault, with file and line, if that is no decision."""
    decision: object = _call(chooser.act, view)
    if not isinstance(decision, Decision):
        who = _named(chooser.act, f"{type(chooser).__name__}.act")
        raise PlannerFault(f"{who} {ANSWERED} {shown(decision)}; it should return a kibitz.Decision")
    return decision


ANSWERED = "answered"
"""What `ask` says where there is no decision."""

T = TypeVar("T")


def _call(method: Callable[..., T], *arguments: object) -> T:
    try:
        return method(*arguments)
    except TypeError as error:
        # Nothing of it has run: it takes other arguments.
        here = error.__traceback__
        if isinstance(method, MethodType | FunctionType) and here is not None and here.tb_next is None:
            where = place(method)
            raise PlannerFault(f"{error}" + (f" ({where})" if where else "")) from None
        raise


def _named(thing: Any, name: str | None = None) -> str:
    where = place(thing)
    return (name or thing.__name__) + (f" ({where})" if where else "")


def list_planners() -> list[Entry]:
    """All planners that can be asked for by name, with their parameters.

    >>> import kibitz as kb
    >>> any(planner.name == "random" for planner in kb.list_planners())
    True
    """
    return _registry.entries("planner")
