"""Reads the file of a reproduction, and lists all that is wrong with it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields
from typing import Any, TypeVar, get_args

from kibitz._core import parse_spec, unknown
from kibitz.lab._checked import each, number, text, whole
from kibitz.lab._toml_lines import Path as Place
from kibitz.lab.document import Reader, one_of, positive, whole_from
from kibitz.lab.reproductions import (
    COSTS,
    DRAWN,
    FROM_REPLAYS,
    MOST_CURVES,
    MOST_SEATS,
    SHARES,
    UNPLAYED,
    Claim,
    Column,
    Curve,
    Grid,
    Measure,
    Order,
    Ordered,
    Published,
    Reproduction,
    Search,
    Shown,
    Style,
    Target,
)
from kibitz.lab.standings import Ties
from kibitz.lab.statistics import Interval
from kibitz.lab.statistics.agreement import Better

T = TypeVar("T")
MOST_POINTS = 200
"""More points than this on a line are a mistake."""


class ReproductionReader(Reader):
    """Reads the tables of a reproduction; those of its experiment are read elsewhere."""

    def reproduction(self, plain: Mapping[str, Any], name: str) -> Reproduction:
        """All but what is played, by the name of the file."""
        known = {
            *(
                "reproduction",
                "figure",
                "curve",
                "search",
                "order",
                "experiment",
                "pairing",
                "grid",
                "column",
            )
        }
        self.known(plain, known, (), "table")
        place: Place = ("reproduction",)
        table = self.table(plain.get("reproduction", {}), place)
        self.known(table, {"title", "source", "where", "about", "minutes", "confidence"}, place)
        for key in ("title", "source", "where"):
            if key not in table:
                self.wrong(place, f"[reproduction] needs a {key}")
        figures = plain.get("figure", [])
        if not isinstance(figures, list) or not (figures or {"search", "order", "grid"} & {*plain}):
            self.wrong(("figure",), "it needs at least one [[figure]], a published number to compare with")
            figures = []
        targets = [
            target for i, each in enumerate(figures) for target in self._targets(each, ("figure", i))
        ]
        return Reproduction(
            name=name,
            title=self.get(table, "title", place, text) or "",
            source=self.get(table, "source", place, text) or "",
            where=self.get(table, "where", place, text) or "",
            about=" ".join((self.get(table, "about", place, _words) or "").split()),
            minutes=self.get(table, "minutes", place, positive),
            confidence=self.get(table, "confidence", place, _confidence) or 0.95,
            targets=tuple(targets),
            curves=self._panels(plain, "curve", self._curve),
            searches=self._panels(plain, "search", self._search),
            orders=self._panels(plain, "order", self._order),
            grid=self._grid(plain) if "grid" in plain else None,
        )

    def _grid(self, plain: Mapping[str, Any]) -> Grid | None:
        place: Place = ("grid",)
        table = self.table(plain["grid"], place)
        self.known(table, {field.name for field in fields(Grid)} - {"columns"}, place)
        games = self.several(table, "games", place, text) or ()
        of = self.get(table, "of", place, whole_from(1, 10_000))
        if {"experiment", "pairing"} & {*plain}:
            self.wrong(place, "a [grid] says what is played: leave out [experiment] and [[pairing]]")
        if not games or of is None:
            self.wrong(
                place, "a [grid] needs games = [...] and of = ..., the plays behind a published figure"
            )
            return None
        found = plain.get("column", [])
        if not isinstance(found, list) or not found:
            self.wrong(("column",), "a [grid] needs a [[column]] for each planner")
            found = []
        columns = tuple(self._column(each, ("column", i), games) for i, each in enumerate(found))
        given: dict[str, Any] = {
            "episodes": self.get(table, "episodes", place, whole_from(1, 1000)),
            "tolerance": self.get(table, "tolerance", place, positive),
        }
        return Grid(games, columns, of, **{key: value for key, value in given.items() if value is not None})

    def _column(self, plain: Any, place: Place, games: tuple[str, ...]) -> Column:
        table = self.table(plain, place)
        self.known(table, {field.name for field in fields(Column)}, place)
        found: dict[str, Any] = {
            "name": self.get(table, "name", place, text),
            "planner": self.get(table, "planner", place, text),
            "window": self.get(table, "window", place, positive),
            "budget": self.get(table, "budget", place, one_of("transitions", "simulations")),
            "unit": self.get(table, "unit", place, positive),
            "paper": self.several(table, "paper", place, number),
            "total": self.get(table, "total", place, number),
            "points": self.get(table, "points", place, number),
            "table": self.get(table, "table", place, text),
            "games": self.several(table, "games", place, text) or games,
        }
        for strange in {*found["games"]} - {*games}:
            self.wrong((*place, "games"), unknown("game", strange, games))
        for key in ("name", "planner"):
            if key not in table:
                self.wrong(place, f"a [[column]] needs {key} = ...")
        if found["paper"] and len(found["paper"]) != len(found["games"]):
            self.wrong((*place, "paper"), f"paper has a number for each of the {len(found['games'])} games")
        missing: dict[str, Any] = {"name": "", "planner": "random"}
        return Column(**(missing | {key: value for key, value in found.items() if value is not None}))

    def _panels(self, plain: Mapping[str, Any], key: str, read: Callable[[Any, Place], T]) -> tuple[T, ...]:
        panels = plain.get(key, [])
        if not isinstance(panels, list) or len(panels) > MOST_CURVES:
            self.wrong((key,), f"write a [[{key}]] for each panel, at most {MOST_CURVES}")
            return ()
        return tuple(read(each, (key, i)) for i, each in enumerate(panels))

    def _targets(self, plain: Any, place: Place) -> Iterator[Target]:
        """A figure; with a list of published values, one for each seat from the first on."""
        table = self.table(plain, place)
        if not isinstance(table.get("paper"), list):
            yield self._target(table, place)
            return
        if "player" in table or "interval" in table or len(table["paper"]) > MOST_SEATS:
            self.wrong(place, "a list of values has one for each seat, and neither player nor interval")
            return
        for seat, value in enumerate(table["paper"]):
            name = f"{table.get('name', '')}, player {seat + 1}"
            yield self._target({**table, "name": name, "paper": value, "player": seat}, place)

    def _target(self, table: Mapping[str, Any], place: Place) -> Target:
        self.known(table, {field.name for field in fields(Target)}, place)
        found: dict[str, Any] = {
            "name": self.get(table, "name", place, text),
            "measure": self.get(table, "measure", place, one_of(*get_args(Measure))),
            "paper": self.get(table, "paper", place, number),
            "tolerance": self.get(table, "tolerance", place, number),
            "better": self.get(table, "better", place, one_of(*get_args(Better))),
            "interval": self.get(table, "interval", place, _interval),
            "confidence": self.get(table, "confidence", place, number),
            "error": self.get(table, "error", place, number),
            "games": self.get(table, "games", place, whole),
            "game": self.get(table, "game", place, text),
            "planner": self.get(table, "planner", place, text),
            "against": self.get(table, "against", place, text),
            "pairing": self.get(table, "pairing", place, text),
            "search": self.get(table, "search", place, text),
            "player": self.get(table, "player", place, whole),
            "ties": self.get(table, "ties", place, one_of(*get_args(Ties))),
            "scale": self.get(table, "scale", place, positive),
            "action": self.get(table, "action", place, text),
            "seconds": self.get(table, "seconds", place, positive),
            "policy": self.get(table, "policy", place, one_of("random", "preferred", "greedy")),
            "playouts": self.get(table, "playouts", place, whole),
        }
        for key in ("name", "measure", "paper", "tolerance"):
            if key not in table:
                self.wrong(place, f"a [[figure]] needs {key} = ...")
        missing: dict[str, Any] = {"name": "", "measure": "exact value", "paper": 0.0, "tolerance": 0.0}
        target = Target(**(missing | {key: value for key, value in found.items() if value is not None}))
        self._check_target(target, place)
        return target

    def _check_target(self, target: Target, place: Place) -> None:
        """What cannot be, whatever is played."""
        if target.measure == "playout win rate" and not (target.playouts or target.games):
            self.wrong(place, "a playout win rate needs playouts = ..., how many, or games = ...")
        if target.measure in SHARES and not 0 <= target.paper <= 1:
            self.wrong((*place, "paper"), f"a share is from 0 to 1, not {target.paper:g}")
        if target.measure in COSTS and not (target.planner and target.against and target.game):
            self.wrong(place, f"{target.measure} needs game, planner and against")
        if target.measure == "heuristic seconds" and not target.game:
            self.wrong(place, "heuristic seconds need a game")
        if target.tolerance < 0:
            self.wrong((*place, "tolerance"), f"a tolerance is 0 or more, not {target.tolerance:g}")
        if not 0 < target.confidence < 1:
            self.wrong(
                (*place, "confidence"), f"a confidence is between 0 and 1, not {target.confidence:g}"
            )
        if target.error is not None and target.error < 0:
            self.wrong((*place, "error"), f"a standard error is 0 or more, not {target.error:g}")
        if target.interval is not None and not target.interval.low <= target.paper <= target.interval.high:
            self.wrong((*place, "interval"), "the interval does not hold the published value")
        if target.measure == "action frequency" and target.action is None:
            self.wrong(place, "an action frequency needs action = ..., the action's name")
        if target.measure == "end of a search" and target.search is None:
            self.wrong(place, "the end of a search needs search = ..., the title of a [[search]]")
        if target.measure in SHARES and target.scale != 1:
            self.wrong((*place, "scale"), "a share has no scale")

    def _curve(self, plain: Any, place: Place) -> Curve:
        table = self.table(plain, place)
        self.known(table, {field.name for field in fields(Curve)}, place)
        found: dict[str, Any] = {
            "title": self.get(table, "title", place, text),
            "planners": self.several(table, "planners", place, text),
            "parameter": self.get(table, "parameter", place, text),
            "measure": self.get(table, "measure", place, one_of(*DRAWN)),
            "game": self.get(table, "game", place, text),
            "against": self.get(table, "against", place, text),
            "style": self.get(table, "style", place, one_of(*get_args(Style))),
        }
        for key in ("title", "planners"):
            if key not in table:
                self.wrong(place, f"a [[curve]] needs {key} = ...")
        found["paper"] = self._published(table, place)
        missing: dict[str, Any] = {"title": "", "planners": ()}
        curve = Curve(**(missing | {key: value for key, value in found.items() if value is not None}))
        self._check_panel(curve, place)
        return curve

    def _order(self, plain: Any, place: Place) -> Order:
        table = self.table(plain, place)
        self.known(table, {field.name for field in fields(Order)}, place)
        found: dict[str, Any] = {
            "title": self.get(table, "title", place, text),
            "planners": self.several(table, "planners", place, text),
            "claim": self.get(table, "claim", place, one_of(*get_args(Claim))),
            "game": self.get(table, "game", place, text),
            "measure": self.get(table, "measure", place, one_of(*get_args(Ordered))),
            "players": self.several(table, "players", place, whole),
        }
        order = Order(**({"title": "", "planners": ()} | {k: v for k, v in found.items() if v is not None}))
        if "title" not in table or len(order.planners) < 2:
            self.wrong(
                place, "an [[order]] needs title = ... and planners = [...], two or more, the best first"
            )
        if len(order.players) not in (0, len(order.planners)):
            self.wrong((*place, "players"), "players has one seat for each planner, from 0")
        return order

    def _search(self, plain: Any, place: Place) -> Search:
        table = self.table(plain, place)
        self.known(table, {field.name for field in fields(Search)}, place)
        found: dict[str, Any] = {
            "title": self.get(table, "title", place, text),
            "game": self.get(table, "game", place, text),
            "planners": self.several(table, "planners", place, text),
            "at": self.get(table, "at", place, _amounts),
            "measure": self.get(table, "measure", place, one_of(*get_args(Shown))),
            "parameter": self.get(table, "parameter", place, text),
            "position": self.get(table, "position", place, _lines),
            "starts": self.get(table, "starts", place, whole_from(1, 100_000)),
            "within": self.get(table, "within", place, positive),
            "moves": self.several(table, "moves", place, text),
            "action": self.get(table, "action", place, text),
            "player": self.get(table, "player", place, whole),
            "players": self.several(table, "players", place, whole),
            "searches": self.get(table, "searches", place, whole_from(1, 10_000)),
        }
        for key in ("title", "game", "planners", "at"):
            if key not in table:
                self.wrong(place, f"a [[search]] needs {key} = ...")
        found["paper"] = self._published(table, place)
        missing: dict[str, Any] = {"title": "", "game": "", "planners": (), "at": ()}
        search = Search(**(missing | {key: value for key, value in found.items() if value is not None}))
        self._check_panel(search, place)
        if search.measure.startswith("exploitability") and (
            search.moves or search.player is not None or search.starts > 1
        ):
            self.wrong(
                place, "an exploitability is that of the whole game: leave out moves, player and starts"
            )
        if (search.measure == "choice") != (search.action is not None):
            self.wrong(place, 'measure = "choice" and action = ..., the action\'s name, go together')
        settles = search.measure == "settled"
        if settles != (search.within is not None):
            self.wrong(place, 'measure = "settled" and within = ... go together')
        if settles and search.searches < 2:
            self.wrong(place, "to tell what has settled takes searches = 2 or more")
        return search

    def _published(self, table: Mapping[str, Any], place: Place) -> tuple[Published, ...]:
        paper = table.get("paper", [])
        if not isinstance(paper, list):
            self.wrong((*place, "paper"), "paper must be a list of points, {at = ..., value = ...} each")
            paper = []
        return tuple(self._point(each, (*place, "paper", i)) for i, each in enumerate(paper))

    def _point(self, plain: Any, place: Place) -> Published:
        table = self.table(plain, place)
        self.known(table, {field.name for field in fields(Published)}, place)
        if "value" not in table:
            self.wrong(place, "a point of the paper needs value = ...")
        found: dict[str, Any] = {
            "value": self.get(table, "value", place, number),
            "at": self.get(table, "at", place, positive),
            "error": self.get(table, "error", place, positive),
            "name": self.get(table, "name", place, text),
        }
        given = {key: value for key, value in found.items() if value is not None}
        return Published(**({"value": 0.0} | given))

    def _check_panel(self, curve: Curve | Search, place: Place) -> None:
        """What cannot be, whatever is played."""
        for i, planner in enumerate(curve.planners):
            where = (*place, "planners", i)
            try:
                given = {key for key, _ in parse_spec(planner)[1]}
            except ValueError as error:
                self.wrong(where, str(error))
                continue
            if curve.parameter in given:
                self.wrong(where, f"'{planner}' must leave out {curve.parameter}, which is the x axis")
        for i, point in enumerate(curve.paper):
            if curve.measure == "win rate" and not 0 <= point.value <= 1:
                self.wrong((*place, "paper", i, "value"), f"a share is from 0 to 1, not {point.value:g}")

    def check(self, reproduction: Reproduction) -> None:
        """Whether the figures fit what is played."""
        experiment = reproduction.experiment
        places: list[tuple[Place, Target | Curve]] = [
            *((("figure", i), each) for i, each in enumerate(reproduction.targets)),
            *((("curve", i), each) for i, each in enumerate(reproduction.curves)),
        ]
        for i, order in enumerate(reproduction.orders):
            if experiment is None:
                self.wrong(("order", i), "an order needs an [experiment] that is played")
            elif order.game is None and len(experiment.games) != 1:
                self.wrong(("order", i), "say which game = ... it is about")
        for place, target in places:
            if target.measure == "end of a search":
                titles = [search.title for search in reproduction.searches]
                if isinstance(target, Target) and target.search and target.search not in titles:
                    self.wrong(place, unknown("search", target.search, titles))
                continue
            if target.measure not in UNPLAYED and experiment is None:
                self.wrong(place, f"a {target.measure} needs an [experiment] that is played")
            if target.game is None and (experiment is None or len(experiment.games) != 1):
                self.wrong(place, "say which game = ... it is about")
            if target.measure in FROM_REPLAYS and experiment and experiment.replays != "all":
                self.wrong(place, f'an {target.measure} is read from replays: write replays = "all"')


def _words(plain: Any, where: str) -> str:
    """A text of several lines."""
    if not isinstance(plain, str):
        raise ValueError(f"{where} must be a text")
    return text(plain.replace("\n", " "), where)


def _confidence(plain: Any, where: str) -> float:
    value = number(plain, where)
    if not 0 < value < 1:
        raise ValueError(f"{where} must be between 0 and 1")
    return value


def _interval(plain: Any, where: str) -> Interval:
    return Interval(*each(number, 2)(plain, where))


def _lines(plain: Any, where: str) -> str:
    """A text of several lines, each of them printable."""
    if not isinstance(plain, str):
        raise ValueError(f"{where} must be a text")
    return "\n".join(text(line, where) for line in plain.splitlines())


def _amounts(plain: Any, where: str) -> tuple[float, ...]:
    """The points of an axis: a list, or where it begins and ends and how many there are between.

    >>> from kibitz.lab.reproductions._reader import _amounts
    >>> _amounts({"from": 10, "to": 1000, "points": 3}, "at")
    (10.0, 100.0, 1000.0)
    """
    if isinstance(plain, dict):
        if set(plain) != {"from", "to", "points"}:
            raise ValueError(f"{where} must be a list, or {{from = ..., to = ..., points = ...}}")
        low, high = positive(plain["from"], where), positive(plain["to"], where)
        points = whole_from(2, MOST_POINTS)(plain["points"], where)
        steps = [low * (high / low) ** (i / (points - 1)) for i in range(points)]
        return tuple(sorted({float(round(step)) if step >= 1 else step for step in steps}))
    amounts = each(positive)(plain, where)
    if not 1 <= len(amounts) <= MOST_POINTS:
        raise ValueError(f"{where} must have 1 to {MOST_POINTS} points, not {len(amounts)}")
    return tuple(sorted(set(amounts)))
