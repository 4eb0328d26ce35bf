"""From an experiment to its cells: every game, planner and seat is tried before anything is played.

A cell is one game, one set of planners, one budget and one seed: the unit that has a result.
"""

from __future__ import annotations

import copy
import functools
import hashlib
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations, product
from pathlib import Path as FilePath
from typing import Any, Protocol, cast

from kibitz import games as game_registry
from kibitz import planners as planner_registry
from kibitz._arguments import demand
from kibitz._core import Game, Planner, parse_spec, spec_name
from kibitz.lab._toml_lines import Path as Place
from kibitz.lab.document import Mistake, read_document
from kibitz.lab.experiment import (
    Experiment,
    Maker,
    Pairing,
    Seats,
    Value,
    from_plain,
    own_name,
)
from kibitz.lab.seating import Seating, deals_for, games_in, seatings, varies
from kibitz.lab.standings import GameFacts
from kibitz.lab.statistics import Sprt
from kibitz.lab.sweep import sweep, with_parameter
from kibitz.planners import AnyPlanner
from kibitz.rules import AnyGame

MOST_CELLS = 100_000


class Loader(Protocol):
    """What games and planners are found with; the command line's also runs the user's own files."""

    def game(self, text: str, /) -> Game:
        """The game of a spec."""

    def maker(self, text: str, /) -> Maker:
        """What makes the planner of a spec."""


class Named:
    """Finds what has a name; files are refused, as `kibitz.load` refuses them."""

    def game(self, text: str, /) -> Game:
        """The game of a spec."""
        return game_registry.load(text)

    def maker(self, text: str, /) -> Maker:
        """The planner's spec, in its usual form."""
        return planner_registry.planner(text).spec


@dataclass(frozen=True)
class Cell:
    """One game, one set of planners, one budget, one seed."""

    id: str
    """A short hash of all that decides about its episodes."""
    game: str
    planners: tuple[str, ...]
    seed: int
    players: int
    deals: int
    """At most, where there is a stopping rule."""
    seats: tuple[Seating, ...] | None = None
    """The seatings of every deal; None where they rotate."""
    budget: Mapping[str, Value] = field(default_factory=dict)
    """The values of the experiment's `budgets` in this cell."""

    def seatings(self, deal: int) -> Sequence[Seating]:
        """In which seatings a deal is played."""
        return _seatings(len(self.planners), self.players, deal) if self.seats is None else self.seats

    @property
    def episodes(self) -> int:
        """How many all of its deals have together."""
        if self.seats is not None:
            return self.deals * len(self.seats)
        return games_in(self.deals, len(self.planners), self.players)


def _seatings(planners: int, players: int, deal: int) -> tuple[Seating, ...]:
    return _at_deal(planners, players, deal if _varies(planners, players) else 0)


_varies = functools.lru_cache(maxsize=256)(varies)


@functools.lru_cache(maxsize=256)
def _at_deal(planners: int, players: int, deal: int) -> tuple[Seating, ...]:
    return tuple(seatings(planners, players, deal))


@dataclass(frozen=True)
class Plan:
    """An experiment that can be played: it was checked, and everything in it was found."""

    experiment: Experiment
    cells: tuple[Cell, ...]
    games: Mapping[str, Game]
    makers: Mapping[str, Maker]
    """By the planners' names in the cells."""

    def facts(self) -> dict[str, GameFacts]:
        """What summaries need to know of each game."""
        return {spec: GameFacts.of(game) for spec, game in self.games.items()}


def resolve(experiment: Experiment, loader: Loader | None = None) -> Plan:
    """Finds and tries everything that an experiment names; ExperimentError lists all that is wrong.

    >>> import kibitz as kb
    >>> kb.lab.Experiment("a", games=["tic-tac-tow"], planners=["pomcp(simulatons=5)"]).cells()
    Traceback (most recent call last):
    kibitz.lab.document.ExperimentError: the experiment 'a' has 2 mistakes:
      pomcp: unknown parameter 'simulatons'; did you mean simulations?
      unknown game 'tic-tac-tow'; did you mean tic-tac-toe?
    """
    return _resolved(experiment, loader, [])


def resolve_toml(path: str | os.PathLike[str], loader: Loader | None = None) -> Plan:
    """The same for a file: its own mistakes are listed together with those of what it names."""
    plain, source = read_document(path)
    mistakes: list[Mistake] = []
    experiment = from_plain(plain, mistakes, FilePath(path).stem)
    return _resolved(replace(experiment, source=source), loader, mistakes)


def _resolved(experiment: Experiment, loader: Loader | None, mistakes: list[Mistake]) -> Plan:
    resolver = _Resolver(experiment, Named() if loader is None else loader)
    resolver.run()
    mistakes += resolver.mistakes
    if mistakes:
        raise experiment.error(mistakes)
    return Plan(experiment, tuple(resolver.cells.values()), resolver.games, resolver.makers)


@dataclass(frozen=True)
class _Entrant:
    """A planner of the file, where it stands, before budgets."""

    spec: str
    maker: Maker | None
    """None: to be found by its spec."""
    place: Place


class _Resolver:
    def __init__(self, experiment: Experiment, loader: Loader) -> None:
        self.experiment, self.loader = experiment, loader
        self.mistakes: list[Mistake] = []
        self.games: dict[str, Game] = {}
        self.makers: dict[str, Maker] = {}
        self.cells: dict[str, Cell] = {}
        self._found: dict[str, str | None] = {}
        self._tried: set[tuple[str, str]] = set()
        self._used: set[str] = set()
        self._parameters: dict[str, set[str]] = {}

    def wrong(self, place: Place, what: str) -> None:
        self.mistakes.append(Mistake(place, what))

    def run(self) -> None:
        top = ("experiment",)
        planners = self._entrants(self.experiment.planners, (*top, "planners"))
        against = self._entrants(self.experiment.against, (*top, "against"))
        games = self._games(self.experiment.games, (*top, "games"))
        pairings = self.experiment.pairings
        needed = bool(self.experiment.planners) or not pairings or not all(each.games for each in pairings)
        if needed and not self.experiment.games:
            self.wrong(top, "it names no games; write games = [...]")
        if not self.experiment.planners and not self.experiment.pairings:
            self.wrong(top, "it names no planners; write planners = [...] or a [[pairing]]")
        if self.experiment.against and not self.experiment.planners:
            self.wrong((*top, "against"), "against needs planners that meet these")
        self._check_stop()
        for game, place in games:
            for entrants in self._meetings(planners, against, game.info.players):
                seats = (self.experiment.seats, (*top, "seats"))
                self._add(game, place, entrants, seats, self.experiment.episodes)
        for number, pairing in enumerate(self.experiment.pairings):
            self._pairing(pairing, ("pairing", number), games)
        for key in self.experiment.budgets:
            if key not in self._used and (self.experiment.planners or self.experiment.pairings):
                self.wrong((*top, "budgets", key), f"no planner takes {key} and leaves it open")
        if len(self.cells) > MOST_CELLS:
            self.wrong(top, f"it has {len(self.cells)} cells; {MOST_CELLS} are the most")

    def _pairing(self, pairing: Pairing, place: Place, games: list[tuple[Game, Place]]) -> None:
        groups = [
            self._entrants([each], (*place, "planners"), i) for i, each in enumerate(pairing.planners)
        ]
        own = games if pairing.games is None else self._games(pairing.games, (*place, "games"))
        seats: tuple[Seats, Place] = self.experiment.seats, ("experiment", "seats")
        if pairing.seats is not None:
            seats = pairing.seats, (*place, "seats")
        episodes = pairing.episodes or self.experiment.episodes
        for (game, where), entrants in product(own, product(*groups)):
            self._add(game, where, entrants, seats, episodes)

    def _meetings(
        self, planners: list[_Entrant], against: list[_Entrant], players: int
    ) -> Iterator[Sequence[_Entrant]]:
        if self.experiment.meet == "all":
            everybody = [*planners, *against]
            yield from [everybody] if everybody else []
        elif players == 1:
            yield from ([each] for each in [*planners, *against])
        elif against:
            yield from product(planners, against)
        elif len(planners) == 1:
            yield planners
        else:
            yield from combinations(planners, 2)

    def _games(self, named: Iterable[AnyGame], place: Place) -> list[tuple[Game, Place]]:
        found = []
        for number, each in enumerate(named):
            where = (*place, number)
            try:
                if isinstance(each, str):
                    loaded = [self.loader.game(spec) for spec in sweep(each)]
                else:
                    loaded = [game_registry.load(each)]
            except Exception as error:
                self.wrong(where, _words(error))
                continue
            for game in loaded:
                known = self.games.setdefault(game.spec, game)
                if known.rules is not game.rules and not isinstance(each, str):
                    self.wrong(where, f"two different games are called {game.spec}")
                found.append((game, where))
        return found

    def _entrants(
        self, named: Iterable[Maker | AnyPlanner], place: Place, first: int = 0
    ) -> list[_Entrant]:
        found = []
        for number, each in enumerate(named, first):
            where = (*place, number)
            if isinstance(each, str):
                try:
                    found += [_Entrant(spec, None, where) for spec in sweep(each)]
                except ValueError as error:
                    self.wrong(where, str(error))
            else:
                found.append(_Entrant(own_name(each), _own(each), where))
        for entrant, budget in product(found, self._budgets()):
            self._name(entrant, budget)  # even if there is no game to try it on
        return found

    def _budgets(self) -> Iterator[dict[str, Value]]:
        budgets = self.experiment.budgets
        for values in product(*budgets.values()):
            yield dict(zip(budgets, values, strict=True))

    def _add(
        self,
        game: Game,
        where: Place,
        entrants: Sequence[_Entrant],
        seats: tuple[Seats, Place],
        episodes: int,
    ) -> None:
        """Adds the cells of one game and one set of planners, for every budget and seed."""
        seated: list[tuple[tuple[str, ...], dict[str, Value]]] = []
        for budget in self._budgets():
            names = [self._name(entrant, budget, game) for entrant in entrants]
            planners = tuple(name for name in names if name is not None)
            if len(planners) == len(entrants):
                taken = {key: budget[key] for key in budget if any(key in self._open(e) for e in entrants)}
                seated.append((planners, taken))
        self._fits_stop(game, where, len(entrants))
        try:
            fixed = _fixed(seats[0], len(entrants), game.info.players)
        except ValueError as error:
            self.wrong(seats[1], f"{game.spec}: {error}")
            return
        for (planners, taken), seed in product(seated, self.experiment.seeds):
            deals = _deals(episodes, planners, fixed, game.info.players)
            self._cell(game, planners, seed, deals, fixed, taken)

    def _cell(
        self,
        game: Game,
        planners: tuple[str, ...],
        seed: int,
        deals: int,
        fixed: tuple[Seating, ...] | None,
        budget: dict[str, Value],
    ) -> None:
        limits = self.experiment.max_steps, self.experiment.move_seconds
        decides = json.dumps([game.spec, planners, seed, fixed, *limits])
        name = hashlib.sha256(decides.encode()).hexdigest()[:12]
        self.cells.setdefault(
            name, Cell(name, game.spec, planners, seed, game.info.players, deals, fixed, budget)
        )

    def _name(self, entrant: _Entrant, budget: Mapping[str, Value], game: Game | None = None) -> str | None:
        """The planner's name with the budget, once it has been made and has tried the game."""
        spec = entrant.spec
        for key in [key for key in budget if key in self._open(entrant)]:
            self._used.add(key)
            spec = with_parameter(spec, key, budget[key])
        if spec not in self._found:
            self._found[spec] = self._make(spec, entrant)
        name = self._found[spec]
        if name is not None and game is not None and (name, game.spec) not in self._tried:
            self._tried.add((name, game.spec))
            self._try(name, game, entrant.place)
        return name

    def _open(self, entrant: _Entrant) -> set[str]:
        """The parameters that a planner takes and that its spec leaves open."""
        if entrant.maker is not None:
            return set()
        try:
            name, arguments = parse_spec(entrant.spec)
            if name not in self._parameters:
                self._parameters[name] = self._takes(name, entrant.spec)
        except Exception:
            return set()  # making it says what is wrong
        return self._parameters[name] - {key for key, _ in arguments}

    def _takes(self, name: str, spec: str) -> set[str]:
        known = {entry.name: entry for entry in planner_registry.list_planners()}
        if name in known:
            return {param.name for param in known[name].params}
        return _own_parameters(self.loader.maker(spec))

    def _make(self, spec: str, entrant: _Entrant) -> str | None:
        """Finds a planner and makes one; its name, or None where that failed."""
        if spec_name(spec) == "human":
            self.wrong(entrant.place, "a person cannot take part in an experiment; kibitz match asks one")
            return None
        try:
            maker = entrant.maker or self.loader.maker(spec)
            new_planner(maker)
        except Exception as error:
            self.wrong(entrant.place, _words(error))
            return None
        name = maker if isinstance(maker, str) else spec
        known = self.makers.setdefault(name, maker)
        if entrant.maker is not None and known is not maker:
            self.wrong(entrant.place, f"two different planners are called {name}")
        return name

    def _try(self, name: str, game: Game, place: Place) -> None:
        try:
            for seat in range(game.info.players):
                planner_registry.sit(new_planner(self.makers[name]), game, seat, 0)
        except Exception as error:
            self.wrong(place, f"{name} cannot play {game.spec}: {_words(error)}")

    def _check_stop(self) -> None:
        stop = self.experiment.stop
        if stop is None:
            return
        place = ("experiment", "stop")
        test = stop.elo0 is not None or stop.elo1 is not None
        if (stop.width is not None) == test:
            self.wrong(place, "a stopping rule is either a width, or elo0 and elo1")
        elif test and (stop.elo0 is None or stop.elo1 is None):
            self.wrong(place, "the test needs both elo0 and elo1")
        elif stop.elo0 is not None and stop.elo1 is not None:
            try:
                Sprt(elo0=stop.elo0, elo1=stop.elo1, alpha=stop.alpha, beta=stop.beta)
            except ValueError as error:
                self.wrong(place, str(error))

    def _fits_stop(self, game: Game, where: Place, planners: int) -> None:
        stop = self.experiment.stop
        if stop is not None and stop.elo0 is not None and (game.info.players, planners) != (2, 2):
            what = f"{planners} planner{'s' * (planners != 1)} in {game.spec}"
            self.wrong(where, f"the test by Elo is for two planners in a game of two, not for {what}")


def new_planner(maker: Maker) -> AnyPlanner:
    """A new planner.

    >>> from kibitz.lab.cells import new_planner
    >>> new_planner("random").spec
    'random'
    """
    demand(maker, Maker, "a planner", "its spec, or a class or function that makes it")
    return planner_registry.planner(maker if isinstance(maker, str) else maker())


def _own(given: Callable[[], AnyPlanner] | AnyPlanner) -> Maker:
    """What makes the planners of one that was handed over as an object, a class or a function."""
    if isinstance(given, Planner):
        return given.spec
    if isinstance(given, AnyPlanner) and not isinstance(given, type):
        return functools.partial(copy.deepcopy, given)
    return cast(Maker, given)


def _own_parameters(maker: Maker) -> set[str]:
    from kibitz import _registry

    made = maker.func if isinstance(maker, functools.partial) else maker
    return {param.name for param in _registry.params(made)} if isinstance(made, type) else set()


def _fixed(seats: Seats, planners: int, players: int) -> tuple[Seating, ...] | None:
    """The seatings of every deal; None where they rotate; ValueError for seats that cannot be."""
    if seats == "rotate":
        return None
    if seats == "fixed":
        if planners != players:
            raise ValueError(f"fixed seats need as many planners as seats, not {planners} on {players}")
        return (tuple(range(players)),)
    for seating in seats:
        if len(seating) != players:
            raise ValueError(f"a seating of {len(seating)} does not fit a game of {players}")
        if absent := [number for number in seating if not 0 <= number < planners]:
            raise ValueError(f"there is no planner {absent[0]} among {planners} (the first is 0)")
    if never := {*range(planners)} - {number for seating in seats for number in seating}:
        raise ValueError(f"planner {min(never)} has no seat (the first is 0)")
    if len({*seats}) < len(seats):
        raise ValueError("the same seating is there twice")
    return tuple(tuple(seating) for seating in seats)


def _deals(episodes: int, planners: Sequence[str], fixed: tuple[Seating, ...] | None, players: int) -> int:
    """How many deals give every planner at least so many episodes."""
    if fixed is None:
        return deals_for(episodes, len(planners), players)
    least = min(sum(number in seating for seating in fixed) for number in range(len(planners)))
    return -(-episodes // least)


def _words(error: BaseException) -> str:
    """What went wrong, in a line."""
    words = " ".join(str(error).split())
    sentences = ValueError, TypeError, OSError
    return words if isinstance(error, sentences) and words else f"{type(error).__name__}: {words}"


def plain_cell(cell: Cell) -> dict[str, Any]:
    """A cell for JSON."""
    return {
        "id": cell.id,
        "game": cell.game,
        "planners": list(cell.planners),
        "seed": cell.seed,
        "players": cell.players,
        "deals": cell.deals,
        "seats": None if cell.seats is None else [list(seating) for seating in cell.seats],
        "budget": dict(cell.budget),
    }
