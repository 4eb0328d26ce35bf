"""Published tables and figures, each as one TOML file of this folder; docs/reproductions.md has the keys.

A file says where the figures are published, what to play (the same tables as an experiment file), and
what to compare with which of them. Nothing else needs editing: a file in this folder is listed.
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, Literal, get_args

from kibitz._core import parse_spec, unknown
from kibitz.lab._checked import each, number, text, whole
from kibitz.lab._toml_lines import Path as Place
from kibitz.lab.document import Mistake, Reader, one_of, positive, read_document
from kibitz.lab.experiment import Experiment, from_plain
from kibitz.lab.statistics import Interval, wilson
from kibitz.lab.statistics.agreement import Better, Figure
from kibitz.lab.statistics.intervals import normal_quantile

FOLDER = Path(__file__).parent

Measure = Literal[
    "exact value", "win rate", "mean return", "undiscounted return", "action frequency", "playout win rate"
]
SHARES = ("win rate", "action frequency", "playout win rate")
"""Measures from 0 to 1."""
UNPLAYED = ("exact value", "playout win rate")
"""Measures that need no experiment."""
DRAWN = ("mean return", "undiscounted return", "win rate")
"""Measures that a curve may show."""
FROM_REPLAYS = ("undiscounted return", "action frequency")
"""Measures that need every game move by move."""
COST = "CPU seconds"
"""In place of a parameter: a curve's x axis shows what a game costs."""
MOST_CURVES = 12
"""More panels than this make a picture nobody can read."""


@dataclass(frozen=True)
class Target:
    """One published number and how ours is measured."""

    name: str
    """What it is, for people."""
    measure: Measure
    paper: float
    """The published value; shares (win rates, frequencies) as numbers from 0 to 1."""
    tolerance: float
    """A difference up to this does not matter."""
    better: Better = "neither"
    interval: Interval | None = None
    """The published interval,"""
    confidence: float = 0.95
    """and what it was said to cover."""
    error: float | None = None
    """Or the published standard error."""
    games: int | None = None
    """Or how many games the published value rests on: an interval for a share; for a mean, one that takes
    the returns to vary as ours do."""
    game: str | None = None
    """By default the experiment's, if it has only one."""
    planner: str | None = None
    """Whose figure; by default the experiment's first."""
    against: str | None = None
    """Whom it met; only needed where it met several."""
    player: int = 0
    """Of an exact value: whose; of an action's frequency: on which seat, from 0."""
    action: str | None = None
    """Of an exact value: after which first action; of a frequency: which one."""
    seconds: float | None = None
    """The published time of a game."""
    policy: str = "random"
    """Of playouts: random, preferred or greedy (`Game.playouts`);"""
    playouts: int | None = None
    """how many at full size; by default as many as `games`."""

    def published(self, spread: float | None = None, shown: float = 0.95) -> Figure:
        """The paper's value with the interval that covers so much, as far as the paper gives one.

        `spread` is the standard deviation of our own returns.

        >>> from kibitz.lab.reproductions import Target
        >>> Target("wins", "win rate", 0.5, 0.05, games=100).published().interval.low < 0.41
        True
        """
        z = normal_quantile(0.5 + shown / 2)
        if self.interval is not None:
            scale = z / normal_quantile(0.5 + self.confidence / 2)
            low, high = (self.paper + scale * (end - self.paper) for end in self.interval)
            return Figure(self.paper, Interval(low, high))
        if self.games and self.measure in SHARES and self.error is None:
            return Figure(self.paper, wilson(self.paper * self.games, self.games, shown))
        error = self.error
        if error is None and self.games and spread is not None:
            error = spread / math.sqrt(self.games)
        if error is not None:
            return Figure(self.paper, Interval(self.paper - z * error, self.paper + z * error))
        return Figure(self.paper)


@dataclass(frozen=True)
class Published:
    """A point of a published curve, or a level that it is said to reach."""

    value: float
    at: float | None = None
    """Where on the x axis; None where the publication does not say, which is drawn as a line across."""
    error: float | None = None
    """The published standard error."""
    name: str = "paper"
    """What it is called in the legend."""

    def figure(self, confidence: float = 0.95) -> Figure:
        """The value with the interval that covers so much, where there is one."""
        if self.error is None:
            return Figure(self.value)
        half = normal_quantile(0.5 + confidence / 2) * self.error
        return Figure(self.value, Interval(self.value - half, self.value + half))


@dataclass(frozen=True)
class Curve:
    """One panel of a published picture: what some planners reach in a game, against a parameter."""

    title: str
    planners: tuple[str, ...]
    """A line each, without the parameter."""
    parameter: str = "simulations"
    """What the x axis shows. With `CPU seconds`, that is the processor time of a game, and a line joins
    all planners of a name (with the parameters that it gives)."""
    measure: Measure = "mean return"
    """What the y axis shows."""
    game: str | None = None
    """By default the experiment's, if it has only one."""
    against: str | None = None
    """Whom the planners met; only needed where they met several."""
    paper: tuple[Published, ...] = ()


@dataclass(frozen=True)
class Reproduction:
    """A published table or figure."""

    name: str
    title: str
    source: str
    """The paper."""
    where: str
    """Its table, figure or section."""
    targets: tuple[Target, ...]
    about: str = ""
    """What to know before believing it: how ours differs from theirs."""
    minutes: float | None = None
    """How long the full size takes on one processor, about."""
    confidence: float = 0.95
    """What the intervals that are shown and compared cover."""
    experiment: Experiment | None = None
    """None where everything is computed exactly."""
    curves: tuple[Curve, ...] = ()
    """The panels of its picture, if it has one."""


def names() -> list[str]:
    """What can be reproduced.

    >>> from kibitz.lab.reproductions import names
    >>> "posg-bear" in names()
    True
    """
    return sorted(path.stem for path in FOLDER.glob("*.toml"))


def load(name: str | os.PathLike[str]) -> Reproduction:
    """A reproduction by its name, or from a file of one's own; ValueError for neither.

    >>> from kibitz.lab.reproductions import load
    >>> load("posg-bear").targets[0].paper
    -0.32
    """
    if isinstance(name, str) and not name.endswith(".toml"):
        if name not in names():
            raise ValueError(unknown("reproduction", name, names()))
        return read(FOLDER / f"{name}.toml")
    return read(name)


def read(path: str | os.PathLike[str]) -> Reproduction:
    """What a file describes; ExperimentError lists all mistakes in it, with their lines."""
    plain, source = read_document(path)
    mistakes: list[Mistake] = []
    reader = _Reader(mistakes)
    reproduction = reader.reproduction(plain, Path(path).stem)
    if "experiment" in plain or "pairing" in plain:
        tables = {key: table for key, table in plain.items() if key in ("experiment", "pairing")}
        experiment = from_plain(tables, mistakes, name=reproduction.name)
        reproduction = replace(reproduction, experiment=replace(experiment, source=source))
    reader.check(reproduction)
    if mistakes:
        raise source.error(mistakes)
    return reproduction


class _Reader(Reader):
    def reproduction(self, plain: Mapping[str, Any], name: str) -> Reproduction:
        self.known(plain, {"reproduction", "figure", "curve", "experiment", "pairing"}, (), "table")
        place: Place = ("reproduction",)
        table = self.table(plain.get("reproduction", {}), place)
        self.known(table, {"title", "source", "where", "about", "minutes", "confidence"}, place)
        for key in ("title", "source", "where"):
            if key not in table:
                self.wrong(place, f"[reproduction] needs a {key}")
        figures = plain.get("figure", [])
        if not isinstance(figures, list) or not figures:
            self.wrong(("figure",), "it needs at least one [[figure]], a published number to compare with")
            figures = []
        curves = plain.get("curve", [])
        if not isinstance(curves, list) or len(curves) > MOST_CURVES:
            self.wrong(("curve",), f"write a [[curve]] for each panel, at most {MOST_CURVES}")
            curves = []
        return Reproduction(
            name=name,
            title=self.get(table, "title", place, text) or "",
            source=self.get(table, "source", place, text) or "",
            where=self.get(table, "where", place, text) or "",
            about=" ".join((self.get(table, "about", place, _words) or "").split()),
            minutes=self.get(table, "minutes", place, positive),
            confidence=self.get(table, "confidence", place, _confidence) or 0.95,
            targets=tuple(self._target(each, ("figure", i)) for i, each in enumerate(figures)),
            curves=tuple(self._curve(each, ("curve", i)) for i, each in enumerate(curves)),
        )

    def _target(self, plain: Any, place: Place) -> Target:
        table = self.table(plain, place)
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
            "player": self.get(table, "player", place, whole),
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
        }
        for key in ("title", "planners"):
            if key not in table:
                self.wrong(place, f"a [[curve]] needs {key} = ...")
        paper = table.get("paper", [])
        if not isinstance(paper, list):
            self.wrong((*place, "paper"), "paper must be a list of points, {at = ..., value = ...} each")
            paper = []
        found["paper"] = tuple(self._point(each, (*place, "paper", i)) for i, each in enumerate(paper))
        missing: dict[str, Any] = {"title": "", "planners": ()}
        curve = Curve(**(missing | {key: value for key, value in found.items() if value is not None}))
        self._check_curve(curve, place)
        return curve

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

    def _check_curve(self, curve: Curve, place: Place) -> None:
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
        for place, target in places:
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
