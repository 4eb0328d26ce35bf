"""Published tables and figures, each as one TOML file of this folder; docs/reproductions.md has the keys.

A file says where the figures are published, what to play (the same tables as an experiment file), and
what to compare with which of them. Nothing else needs editing: a file in this folder is listed.
"""

from __future__ import annotations

import math
import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from kibitz._core import unknown
from kibitz.lab.document import Mistake, read_document
from kibitz.lab.experiment import Experiment, from_plain
from kibitz.lab.standings import Ties
from kibitz.lab.statistics import Interval, clopper_pearson
from kibitz.lab.statistics.agreement import Better, Figure
from kibitz.lab.statistics.intervals import normal_quantile

if TYPE_CHECKING:
    from kibitz.lab.grids import Setting

FOLDER = Path(__file__).parent

Measure = Literal[
    "exact value",
    "win rate",
    "mean return",
    "undiscounted return",
    "action frequency",
    "playout win rate",
    "end of a search",
    "relative simulations",
    "share of time",
    "heuristic seconds",
    "CPU milliseconds a move",
]
Shown = Literal[
    "expected return",
    "settled",
    "exploitability",
    "exploitability of play",
    "CPU seconds",
    "CPU microseconds a simulation",
    "nodes a simulation",
    "edges a simulation",
    "depth",
    "steps a simulation",
    "thousands of steps",
    "choice",
]
"""What a panel of searches may show."""
Claim = Literal["better", "all better", "alike"]
"""What an order says of two planners."""
SHARES = ("win rate", "action frequency", "playout win rate", "share of time")
"""Measures from 0 to 1."""
COSTS = ("relative simulations", "share of time")
"""Processor time of a planner beside that of another one."""
UNPLAYED = ("exact value", "playout win rate", "end of a search", *COSTS, "heuristic seconds")
"""Measures that need no experiment."""
Style = Literal["lines", "heat map"]
"""How a curve's panel is drawn."""
Ordered = Literal["mean return", "CPU seconds", "CPU milliseconds a move"]
"""What an order is by: more return, or less processor time a game or a move."""
DRAWN = ("mean return", "undiscounted return", "win rate")
"""Measures that a curve may show."""
FROM_REPLAYS = ("undiscounted return", "action frequency")
"""Measures that need every game move by move."""
REPEATED = ("thousands of steps", "choice")
"""What a panel shows of many searches alike: a smaller scale makes fewer of them, none of them shorter."""
COST = "CPU seconds"
"""In place of a parameter: a curve's x axis shows what a game costs."""
MOST_CURVES = 15
"""More panels than this make a picture nobody can read."""
MOST_SEATS = 64
"""No table has more."""


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
    pairing: str | None = None
    """Instead of those two: the name of a pairing with fixed seats, of which `player` is one."""
    search: str | None = None
    """Of the end of a search: the title of its panel."""
    player: int | None = None
    """Of an exact value or a search: whose; of an action's frequency or a pairing: on which seat. From 0,
    which is the default."""
    ties: Ties = "shared"
    """Of a win rate: who wins where several have the best return."""
    scale: float = 1.0
    """Of returns: ours are multiplied by it, to have the paper's unit."""
    action: str | None = None
    """Of an exact value: after which first action; of a frequency: which one."""
    seconds: float | None = None
    """The published time of a game."""
    policy: str = "random"
    """Of playouts: random, preferred or greedy (`Game.playouts`);"""
    playouts: int | None = None
    """how many at full size; by default as many as `games`."""

    def published(
        self,
        spread: float | None = None,
        shown: float = 0.95,
        mean: float = math.nan,
        limits: tuple[float, float] = (-math.inf, math.inf),
    ) -> Figure:
        """The paper's value with the interval that covers so much, as far as the paper gives one.

        `spread` and `mean` are those of our own returns, `limits` the bounds of the game's, in the paper's
        unit: where only a number of games is published, its returns are taken to vary as ours do.

        >>> from kibitz.lab.reproductions import Target
        >>> Target("wins", "win rate", 0.5, 0.05, games=100).published().interval.low < 0.41
        True
        """
        z = normal_quantile(0.5 + shown / 2)
        if self.interval is not None:
            scale = z / normal_quantile(0.5 + self.confidence / 2)
            return self._within(limits, *(scale * (end - self.paper) for end in self.interval))
        if self.games and self.measure in SHARES and self.error is None:
            return Figure(self.paper, clopper_pearson(self.paper * self.games, self.games, shown))
        error = self.error
        low, high = limits
        if (
            error is None
            and self.games
            and spread is not None
            and -math.inf < low <= self.paper <= high < math.inf
        ):
            # Clopper and Pearson's, with as many games as vary as much where all returns are at the bounds.
            most = (mean - low) * (high - mean)
            games = self.games * (most / spread**2 if spread > 0 and most > 0 else 1.0)
            part = (self.paper - low) / (high - low) if high > low else 0.0
            ends = clopper_pearson(part * games, games, shown)
            return Figure(self.paper, Interval(*(low + (high - low) * end for end in ends)))
        if error is None and self.games and spread is not None:
            error = spread / math.sqrt(self.games)
        if error is not None:
            return self._within(limits, -z * error, z * error)
        return Figure(self.paper)

    def _within(self, limits: tuple[float, float], below: float, above: float) -> Figure:
        """The paper's value and how far it may be off, not farther than what is measured can be."""
        low, high = (0.0, 1.0) if self.measure in SHARES else limits
        if not low <= self.paper <= high:
            low, high = -math.inf, math.inf
        return Figure(self.paper, Interval(max(low, self.paper + below), min(high, self.paper + above)))


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
    style: Style = "lines"
    """A line for each planner, or a row of a heat map."""


@dataclass(frozen=True)
class Order:
    """Planners that play the same deals, in the published order."""

    title: str
    planners: tuple[str, ...]
    """The best first; by default each is compared with the next."""
    claim: Claim = "better"
    """What is published: that each is better than the next, that all are better than the last, or that the
    first and each other are alike."""
    game: str | None = None
    """By default the experiment's, if it has only one."""
    measure: Ordered = "mean return"
    """What they are compared by."""
    players: tuple[int, ...] = ()
    """On which seat, from 0, one for each planner; nothing for on all of them."""


@dataclass(frozen=True)
class Search:
    """One panel of searches in a position: what they come to, against how long they are."""

    title: str
    game: str
    planners: tuple[str, ...]
    """A line each, without the parameter; or a line for each player whose expected return is shown."""
    at: tuple[float, ...]
    """The values of the parameter at full size."""
    measure: Shown = "expected return"
    """What the y axis shows."""
    parameter: str = "simulations"
    """What the x axis shows."""
    position: str | None = None
    """The text of a file for the game's parameter `position`. Of what is written `{a|b|c}` one is drawn."""
    starts: int = 1
    """How many positions are searched at full size, with other draws in the text and other deals each."""
    within: float | None = None
    """Of the share of starts that have settled: how near the end an expected return has to be."""
    moves: tuple[str, ...] = ()
    """What is played first, from there."""
    action: str | None = None
    """Of a choice: how often which action is chosen."""
    player: int | None = None
    """Who searches, from 0; by default who is on turn."""
    players: tuple[int, ...] | None = None
    """Whose expected returns are shown; by default everybody's."""
    searches: int = 1
    """How many with seeds of their own there are at each point; the mean (of a choice, the share) is shown,
    with its interval. Of
    the exploitability of play: how often a planner is asked at each information set."""
    paper: tuple[Published, ...] = ()


@dataclass(frozen=True)
class Column:
    """A planner's column of a published table of wins."""

    name: str
    planner: str
    """Without its budget."""
    window: float | None = None
    """The published milliseconds a decision; None where the planner has no budget."""
    budget: str = "transitions"
    """Which parameter the window becomes,"""
    unit: float = 1.0
    """and how many ticks of the model one of it takes."""
    paper: tuple[float, ...] = ()
    """The published wins, game by game; nothing where only the total is known."""
    total: float | None = None
    """Their published sum, where it is not that of `paper`."""
    points: float | None = None
    """The published sum of scores."""
    table: str | None = None
    """Of several tables, which one it is a column of,"""
    games: tuple[str, ...] = ()
    """and the games of that one, where they are not all."""

    @property
    def title(self) -> str:
        """With its table and window."""
        window = None if self.window is None else f"{self.window:g} ms"
        return ", ".join(part for part in (self.table, self.name, window) if part is not None)


@dataclass(frozen=True)
class Grid:
    """A published table of wins: games in rows, planners in columns."""

    games: tuple[str, ...]
    """Video games, by the names of their files in GVG-AI's folder."""
    columns: tuple[Column, ...]
    of: int
    """How many plays of a game the published figures rest on, all levels together."""
    episodes: int = 1
    """How often each level is played at full size."""
    tolerance: float = 0.05
    """A difference of shares up to this does not matter."""


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
    """The panels of its picture, if it has one,"""
    searches: tuple[Search, ...] = ()
    """and those that are searched, not played."""
    orders: tuple[Order, ...] = ()
    """Who is published to be better than whom."""
    grid: Grid | None = None
    """A table of wins in video games,"""
    setting: Setting | None = None
    """and what of it is played (`kibitz.lab.grids.filled`)."""


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
    from kibitz.lab.reproductions._reader import ReproductionReader

    plain, source = read_document(path)
    mistakes: list[Mistake] = []
    reader = ReproductionReader(mistakes)
    reproduction = reader.reproduction(plain, Path(path).stem)
    if "experiment" in plain or "pairing" in plain:
        tables = {key: table for key, table in plain.items() if key in ("experiment", "pairing")}
        experiment = from_plain(tables, mistakes, name=reproduction.name)
        reproduction = replace(reproduction, experiment=replace(experiment, source=source))
    reader.check(reproduction)
    if mistakes:
        raise source.error(mistakes)
    return reproduction
