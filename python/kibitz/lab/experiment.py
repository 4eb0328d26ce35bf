"""An experiment: which planners play which games how often. A TOML file and a dataclass say the same.

`read_toml` reads the file; `cells.resolve` makes the cells of what it says. All mistakes are found
before the first episode is played, and all of them are listed at once.
"""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

from kibitz._arguments import demand
from kibitz.games import load
from kibitz.lab._checked import number, text, whole
from kibitz.lab._toml_lines import Path as Place
from kibitz.lab.document import (
    ExperimentError,
    Mistake,
    Reader,
    Source,
    kind_of,
    one_of,
    positive,
    read_document,
    whole_from,
)
from kibitz.lab.seating import Seating
from kibitz.planners import AnyPlanner
from kibitz.rules import AnyGame

if TYPE_CHECKING:
    from kibitz.lab.cells import Cell

Maker = str | Callable[[], AnyPlanner]
"""A planner's spec, or what makes a new planner: each seat of each game has one of its own."""
Seats = Literal["rotate", "fixed"] | tuple[Seating, ...]
Meet = Literal["pairs", "all"]
Replays = Literal["first", "all", "none"]
Value = int | float | str | bool

MOST_EPISODES = 10**9
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


@dataclass(frozen=True)
class Stop:
    """When a cell may end before all of its episodes: an interval that is narrow enough, or a test.

    It is decided on the deals in the order of their numbers, never on the order in which they happen
    to finish: the same rule stops at the same deal with any number of workers.
    """

    width: float | None = None
    """How wide the 95 % interval of every planner may still be. It is a confidence sequence, which holds
    though it decides when to stop."""
    of: Literal["win rate", "return"] | None = None
    """Which interval; by default the win rate's, and the mean return's in a game of one."""
    elo0: float | None = None
    """SPRT: H0 says that the first planner is stronger by so much,"""
    elo1: float | None = None
    """and H1 that it is by so much."""
    alpha: float = 0.05
    """How often H1 may be accepted though H0 is true."""
    beta: float = 0.05
    """How often H0 may be accepted though H1 is true."""
    least: int = 10
    """Deals before which no interval is believed."""


@dataclass(frozen=True)
class Pairing:
    """Planners that meet, beside or instead of the product of `planners`."""

    planners: tuple[Maker | AnyPlanner, ...]
    games: tuple[AnyGame, ...] | None = None
    """By default all of the experiment."""
    episodes: int | None = None
    seats: Seats | None = None
    name: str | None = None
    """What a reproduction's figures call it by."""


@dataclass(frozen=True)
class Experiment:
    """What is to be played. `kibitz experiment example` shows the same as a file, with comments.

    >>> import kibitz as kb
    >>> experiment = kb.lab.Experiment("budgets", games=["tic-tac-toe"], episodes=40,
    ...     planners=["uct(simulations=[10, 100])"], against=["random"])
    >>> [cell.planners for cell in experiment.cells()]
    [('uct(simulations=10)', 'random'), ('uct(simulations=100)', 'random')]
    """

    name: str
    games: Sequence[AnyGame] = ()
    planners: Sequence[Maker | AnyPlanner] = ()
    """Every two of them meet; in a game of one each plays alone."""
    against: Sequence[Maker | AnyPlanner] = ()
    """Where given, every one of `planners` meets every one of these instead."""
    meet: Meet = "pairs"
    """`all`: all planners are at one table, as in `kibitz match`."""
    pairings: Sequence[Pairing] = ()
    episodes: int = 100
    """Games that each planner of a cell plays at least: whole deals are played. With a stopping rule,
    the most."""
    stop: Stop | None = None
    seeds: Sequence[int] = (0,)
    """Each makes cells of its own."""
    budgets: Mapping[str, Sequence[Value]] = field(default_factory=dict)
    """Parameters that every planner gets that takes them and does not say them itself, one cell a value."""
    seats: Seats = "rotate"
    """`rotate`: every deal in all seatings; `fixed`: the first planner on the first seat and so on; or
    the seatings themselves, each the number of the planner (from 0) on every seat."""
    max_steps: int | None = None
    """An episode is left after so many steps, chance's included, and counts as it stood."""
    move_seconds: float | None = None
    """Who thinks longer about a move has lost the episode to a fault."""
    replays: Replays = "first"
    """Which episodes are kept move by move: one of each cell, all, or none."""
    source: Source | None = field(default=None, compare=False, repr=False)
    """The file it was read from."""

    def __post_init__(self) -> None:
        _name(self.name, "the name of an experiment")
        for each in fields(self):
            value = getattr(self, each.name)
            if isinstance(value, list):
                object.__setattr__(self, each.name, tuple(value))
            elif isinstance(value, str) and str(each.type).startswith("Sequence"):
                raise TypeError(
                    f"Experiment: {each.name} should be a list, such as [{value!r}], not {value!r}"
                )
        for name in ("episodes", "max_steps", "move_seconds"):
            hint = {"episodes": int, "max_steps": int | None, "move_seconds": float | None}[name]
            demand(getattr(self, name), hint, f"Experiment: {name}")

    def cells(self) -> list[Cell]:
        """The cells, checked; ExperimentError lists what is wrong."""
        from kibitz.lab.cells import resolve

        return list(resolve(self).cells)

    def error(self, mistakes: Sequence[Mistake]) -> ExperimentError:
        """The mistakes, with their lines where it was read from a file."""
        source = self.source or Source(f"the experiment '{self.name}'", {})
        return source.error(mistakes)


def read_toml(path: str | os.PathLike[str]) -> Experiment:
    """The experiment that a file describes; ExperimentError for a file with mistakes."""
    plain, source = read_document(path)
    mistakes: list[Mistake] = []
    experiment = from_plain(plain, mistakes, Path(path).stem)
    if mistakes:
        raise source.error(mistakes)
    return replace(experiment, source=source)


# What each table may hold, and how it is read.
_STOP = {each.name for each in fields(Stop)}
_PAIRING = {each.name for each in fields(Pairing)}
_EXPERIMENT = ({each.name for each in fields(Experiment)} - {"pairings", "source"}) | {"seed"}


def from_plain(plain: Mapping[str, Any], mistakes: list[Mistake], name: str = "experiment") -> Experiment:
    """The experiment in a document that was read from TOML or JSON; adds to `mistakes` what is wrong.

    >>> from kibitz.lab.experiment import from_plain
    >>> wrong = []
    >>> _ = from_plain({"experiment": {"gmes": ["tiger"], "episodes": "many"}}, wrong)
    >>> [mistake.what for mistake in wrong]
    ["unknown key 'gmes'; did you mean games?", 'episodes must be a whole number, not a text']
    """
    return _Reader(mistakes).experiment(plain, name)


def to_plain(experiment: Experiment) -> dict[str, Any]:
    """The experiment as `from_plain` reads it; games and planners that are objects by their names."""
    table: dict[str, Any] = {
        "name": experiment.name,
        "games": [_game_name(game) for game in experiment.games],
        "planners": [own_name(planner) for planner in experiment.planners],
        "against": [own_name(planner) for planner in experiment.against],
        "meet": experiment.meet,
        "episodes": experiment.episodes,
        "stop": experiment.stop and asdict(experiment.stop),
        "seeds": list(experiment.seeds),
        "budgets": {key: list(values) for key, values in experiment.budgets.items()},
        "seats": _plain_seats(experiment.seats),
        "max_steps": experiment.max_steps,
        "move_seconds": experiment.move_seconds,
        "replays": experiment.replays,
    }
    pairings = [
        {
            "planners": [own_name(planner) for planner in pairing.planners],
            "games": pairing.games and [_game_name(game) for game in pairing.games],
            "episodes": pairing.episodes,
            "seats": pairing.seats and _plain_seats(pairing.seats),
            "name": pairing.name,
        }
        for pairing in experiment.pairings
    ]
    return {"experiment": _said(table), "pairing": [_said(pairing) for pairing in pairings]}


def _said(table: dict[str, Any]) -> dict[str, Any]:
    """Without what is left open: TOML has no word for nothing."""
    return {
        key: _said(value) if isinstance(value, dict) else value
        for key, value in table.items()
        if value is not None and value != []
    }


def _plain_seats(seats: Seats) -> str | list[list[int]]:
    return seats if isinstance(seats, str) else [list(seating) for seating in seats]


def _game_name(game: AnyGame) -> str:
    return game if isinstance(game, str) else load(game).spec


def own_name(planner: Maker | AnyPlanner) -> str:
    """The name of a planner that is a spec, an object, a class or a function.

    >>> import kibitz as kb
    >>> from kibitz.lab.experiment import own_name
    >>> own_name("uct"), own_name(kb.planner("random")), own_name(lambda: kb.planner("random"))
    ('uct', 'random', '<lambda>')
    """
    if isinstance(planner, str):
        return planner
    if isinstance(planner, AnyPlanner) and not isinstance(planner, type):
        return planner.spec
    made: Any = planner.func if isinstance(planner, functools.partial) else planner
    name = getattr(made, "name", None) if isinstance(made, type) else None
    return str(name or getattr(made, "__qualname__", type(planner).__name__))


class _Reader(Reader):
    def experiment(self, plain: Mapping[str, Any], name: str) -> Experiment:
        self.known(plain, {"experiment", "pairing"}, (), "table")
        table = self.table(plain.get("experiment", {}), ("experiment",))
        self.known(table, _EXPERIMENT, ("experiment",))
        place = ("experiment",)
        if "seed" in table and "seeds" in table:
            self.wrong((*place, "seed"), "say either seed or seeds, not both")
        seeds = self.several(table, "seeds", place, whole) or self.several(table, "seed", place, whole)
        pairings = plain.get("pairing", [])
        if not isinstance(pairings, list):
            self.wrong(("pairing",), "write [[pairing]] with two brackets: there may be several")
            pairings = []
        found: dict[str, Any] = {
            "name": self.get(table, "name", place, _name) or name,
            "games": self.several(table, "games", place, text),
            "planners": self.several(table, "planners", place, text),
            "against": self.several(table, "against", place, text),
            "meet": self.get(table, "meet", place, one_of(*get_args(Meet))),
            "pairings": self._pairings(pairings),
            "episodes": self.get(table, "episodes", place, whole_from(1, MOST_EPISODES)),
            "stop": self._stop(table["stop"], (*place, "stop")) if "stop" in table else None,
            "seeds": seeds,
            "budgets": self._budgets(table.get("budgets", {}), (*place, "budgets")),
            "seats": self._seats(table, place),
            "max_steps": self.get(table, "max_steps", place, whole_from(1, 10**9)),
            "move_seconds": self.get(table, "move_seconds", place, positive),
            "replays": self.get(table, "replays", place, one_of(*get_args(Replays))),
        }
        return Experiment(**{key: value for key, value in found.items() if value not in (None, ())})

    def _pairings(self, plain: list[Any]) -> tuple[Pairing, ...]:
        found = [self._pairing(table, ("pairing", number)) for number, table in enumerate(plain)]
        return tuple(pairing for pairing in found if pairing.planners)

    def _pairing(self, plain: Any, place: Place) -> Pairing:
        table = self.table(plain, place)
        self.known(table, _PAIRING, place)
        planners = self.several(table, "planners", place, text) or ()
        if not planners:
            self.wrong(place, "a pairing needs planners = [...]")
        return Pairing(
            planners,
            self.several(table, "games", place, text),
            self.get(table, "episodes", place, whole_from(1, MOST_EPISODES)),
            self._seats(table, place),
            self.get(table, "name", place, text),
        )

    def _stop(self, plain: Any, place: Place) -> Stop:
        table = self.table(plain, place)
        self.known(table, _STOP, place)
        found: dict[str, Any] = {
            key: self.get(table, key, place, read)
            for key, read in {
                "width": positive,
                "of": one_of("win rate", "return"),
                "elo0": number,
                "elo1": number,
                "alpha": number,
                "beta": number,
                "least": whole_from(1, MOST_EPISODES),
            }.items()
        }
        return Stop(**{key: value for key, value in found.items() if value is not None})

    def _budgets(self, plain: Any, place: Place) -> dict[str, tuple[Value, ...]]:
        table = self.table(plain, place)
        read = {key: self.several(table, key, place, _value) for key in table}
        return {key: values for key, values in read.items() if values}

    def _seats(self, table: Mapping[str, Any], place: Place) -> Seats | None:
        plain = table.get("seats")
        if isinstance(plain, list):
            rows = self.several(table, "seats", place, lambda each, where: _seating(each, where)) or ()
            return tuple(rows)
        return self.get(table, "seats", place, one_of("rotate", "fixed"))


def _name(plain: Any, where: str) -> str:
    if not NAME.fullmatch(text(plain, where)):
        raise ValueError(f"{where} becomes a folder's: use letters, digits, '-', '_' and '.'")
    return str(plain)


def _value(plain: Any, where: str) -> Value:
    if not isinstance(plain, Value):
        raise ValueError(f"{where} must be a list of numbers or words, not {kind_of(plain)}")
    return plain


def _seating(plain: Any, where: str) -> Seating:
    if not isinstance(plain, list):
        raise ValueError(f"{where} must be a list of seatings such as [[0, 1], [1, 0]]")
    return tuple(whole(each, where) for each in plain)
