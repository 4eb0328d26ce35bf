"""The searches of a reproduction: what planners make of a position, against how long they think.

A search of n simulations is the beginning of a longer one with the same seed: the points of a line show
how one search goes on. There may be many starts, with a search or several from each.
"""

from __future__ import annotations

import json
import random
import re
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, NamedTuple

from kibitz import _files, games
from kibitz._core import Referee, unknown
from kibitz.advice import advise
from kibitz.equilibria import exploitability
from kibitz.lab.curves import Line, Measured, Point
from kibitz.lab.measures import Played
from kibitz.lab.reproductions import REPEATED, Reproduction, Search, Shown, Target
from kibitz.lab.statistics.agreement import Figure
from kibitz.lab.statistics.intervals import clopper_pearson, mean_interval
from kibitz.lab.sweep import with_parameter
from kibitz.planners import planner as find_planner

if TYPE_CHECKING:
    from kibitz._core import Decision, Game, View


class Searched(NamedTuple):
    """A search that was made."""

    decision: Decision
    cpu: float
    """Seconds of processor time."""


OF_A_SEARCH: dict[Shown, Callable[[Decision, float], float]] = {
    "CPU seconds": lambda _, cpu: cpu,
    "CPU microseconds a simulation": lambda decision, cpu: 1e6 * cpu / decision.simulations,
    "nodes a simulation": lambda decision, _: decision.nodes / decision.simulations,
    "edges a simulation": lambda decision, _: decision.edges / decision.simulations,
    "depth": lambda decision, _: decision.depth or 0.0,
    "thousands of steps": lambda decision, _: (decision.transitions or 0) / 1000,
    "steps a simulation": lambda decision, _: (decision.transitions or 0) / decision.simulations,
}
"""What a search costs; it is the same for all players."""


def measure_all(
    reproduction: Reproduction,
    scale: float = 1.0,
    on_search: Callable[[str], object] | None = None,
    *,
    seed: int = 0,
) -> list[Measured]:
    """All panels of searches, with so many times the simulations, or the starts where there are several;
    ValueError for what cannot be searched.

    `on_search` is told which panel is worked on. Another seed has other starts and other searches.

    >>> from kibitz.lab.reproductions import load
    >>> from kibitz.lab.searches import measure_all
    >>> [line.planner for line in measure_all(load("king-up-convergence"), 0.001)[0].lines]
    ['player 1', 'player 2', 'player 3']
    """
    # Everything is found before anything is searched, and nothing is searched twice.
    find, decide = cache(_find), cache(_decide)
    found = [_Searching(search, find, scale, seed) for search in reproduction.searches]
    measured = []
    for number, searching in enumerate(found, 1):
        if on_search is not None:
            on_search(f"{searching.search.title}, {number} of {len(found)}")
        lines = tuple(searching.lines(reproduction.confidence, decide))
        measured.append(Measured(searching.search, lines, reproduction.confidence))
    return measured


def end_of(target: Target, measured: list[Measured]) -> Played:
    """What the longest searches of a line come to: of the figure's planner, and of its player."""
    panel = next(each for each in measured if each.curve.title == target.search)
    planners = list(panel.curve.planners)
    if target.planner is not None and target.planner not in planners:
        raise ValueError(f"'{target.name}': {unknown('planner of a search', target.planner, planners)}")
    each = len(panel.lines) // len(planners)
    if (player := target.player or 0) >= each:
        raise ValueError(f"'{target.name}': '{target.search}' has no line of player {player}, from 0")
    first = 0 if target.planner is None else each * planners.index(target.planner)
    last = panel.lines[first + player].points[-1]
    return Played(last.figure, last.games)


def save(measured: list[Measured], folder: Path) -> Path:
    """Writes the points into a file of a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "searches.json"
    _files.write(path, json.dumps([each.to_json() for each in measured], indent=1) + "\n")
    return path


SAMPLES = 2**32
"""How many there are; each may take as many of the 2**64 seeds."""


def sample(seed: int, count: int) -> range:
    """So many seeds in place of those from 0 on, such that no two samples have one in common.

    >>> from kibitz.lab.searches import sample
    >>> sample(0, 3), sample(7, 3)
    (range(0, 3), range(21, 24))
    """
    if not 0 <= seed < SAMPLES:
        raise ValueError(f"the seed of a sample is a whole number from 0 to {SAMPLES - 1}, not {seed}")
    return range(seed * count, (seed + 1) * count)


Find = Callable[[str, str | None, tuple[str, ...], int | None, int], tuple["Game", "View"]]
Decide = Callable[["Game", "View", str, int], Searched]


def _decide(game: Game, view: View, planner: str, seed: int) -> Searched:
    begun = time.process_time()
    decision = advise(game, view, planner, seed=seed)
    return Searched(decision, time.process_time() - begun)


class _Searching:
    """A panel, with its game and the positions that are searched."""

    def __init__(self, search: Search, find: Find, scale: float, seed: int = 0) -> None:
        self.search = search
        several = search.starts > 1
        starts = max(2, round(search.starts * scale)) if several else 1
        repeated = search.measure in REPEATED
        self.amounts = sorted({_scaled(at, 1.0 if several or repeated else scale) for at in search.at})
        self.seeds = sample(seed, max(2, round(search.searches * scale)) if repeated else search.searches)
        about = search.game, search.position, search.moves, search.player
        try:
            self.starts = [find(*about, start) for start in sample(seed, starts)]
            for planner in search.planners:
                for at in search.at:
                    find_planner(_spec(search, planner, at))
        except (ValueError, OSError) as error:
            raise ValueError(f"'{search.title}': {error}") from None
        self.game = self.starts[0][0]
        count = self.game.info.players
        self.players = tuple(range(count)) if search.players is None else search.players
        if max(self.players) >= count:
            raise ValueError(f"'{search.title}': {search.game} has {count} players, who count from 0")

    def lines(self, confidence: float, decide: Decide) -> Iterator[Line]:
        """A line for each planner, or for each player that it expects something for."""
        search = self.search
        for planner in search.planners:
            found = [(at, self._found(_spec(search, planner, at), decide)) for at in self.amounts]
            if search.within is not None:
                yield Line(planner, tuple(self._settled(found, search.within, confidence)))
                continue
            for number in range(len(found[0][1][0])):
                summary = _share if search.measure == "choice" else self._mean
                points = [
                    Point(at, summary([row[number] for row in rows], confidence), len(rows))
                    for at, rows in found
                ]
                yield Line(self._name(planner, number), tuple(points))

    def _mean(self, values: list[float], confidence: float) -> Figure:
        """With Student's interval; searches from one start hang together, where there are several starts.

        One search, and searches that all came to the same, do not tell how far others may be.
        """
        each = max(1, len(values) // len(self.starts)) if len(self.starts) > 1 else 1
        groups = [values[i : i + each] for i in range(0, len(values), each)]
        return Figure(fmean(values), mean_interval(groups, confidence))

    def _settled(
        self, found: list[tuple[float, list[list[float]]]], within: float, confidence: float
    ) -> Iterator[Point]:
        """The share of starts where every search is, for every player, near the mean of their ends."""
        each, starts = self.search.searches, len(self.starts)
        _, last = found[-1]
        ends = [
            [fmean(of) for of in zip(*last[i * each : (i + 1) * each], strict=True)] for i in range(starts)
        ]
        for at, rows in found:
            near = [
                all(abs(value - end) <= within for value, end in zip(row, ends[i // each], strict=True))
                for i, row in enumerate(rows)
            ]
            settled = sum(all(near[i * each : (i + 1) * each]) for i in range(starts))
            yield Point(at, Figure(settled / starts, clopper_pearson(settled, starts, confidence)), starts)

    def _name(self, planner: str, number: int) -> str:
        """Planners, players or both, whatever there are several of."""
        if self.search.measure != "expected return" or len(self.players) == 1:
            return planner
        player = self.game.player_name(self.players[number])
        return player if len(self.search.planners) == 1 else f"{planner}, {player}"

    def _found(self, planner: str, decide: Decide) -> list[list[float]]:
        """For each start and seed what the search comes to: a value for each line, or each player."""
        measure, seeds = self.search.measure, self.seeds
        if measure == "exploitability":
            found = [exploitability(self.game, planner, visits=True, seed=seed) for seed in seeds]
            return [[each.mean] for each in found]
        if measure == "exploitability of play":
            return [[exploitability(self.game, planner, samples=len(seeds), seed=seeds[0]).mean]]
        searched = [decide(game, view, planner, seed) for game, view in self.starts for seed in seeds]
        if not searched[0].decision.simulations:
            raise ValueError(f"'{self.search.title}': {planner} makes no simulations")
        if measure == "choice":
            named = dict(zip(self.starts[0][1].names(), self.starts[0][1].legal(), strict=True))
            if self.search.action not in named:
                what = unknown("action", self.search.action or "", list(named))
                raise ValueError(f"'{self.search.title}': {what}")
            return [[float(each.decision.action == named[self.search.action])] for each in searched]
        if measure not in ("expected return", "settled"):
            return [[OF_A_SEARCH[measure](*each)] for each in searched]
        if not searched[0].decision.values:
            raise ValueError(f"'{self.search.title}': {planner} does not say what players may expect")
        return [[each.decision.values[player] for player in self.players] for each in searched]


def _find(
    spec: str, position: str | None, moves: tuple[str, ...], player: int | None, start: int
) -> tuple[Game, View]:
    """The game, and what the one who searches knows in the position."""
    with tempfile.TemporaryDirectory() as folder:
        if position is not None:
            path = Path(folder) / "position.txt"
            _files.write(path, _drawn(position, start) + "\n")
            spec = with_parameter(spec, "position", json.dumps(str(path)))
        game = games.load(spec)
    referee = Referee(game, start)
    for move in moves:
        if len(referee.movers) != 1:
            raise ValueError(f"before '{move}' nobody is on turn alone: moves must be one player's each")
        names = dict(
            zip(
                referee.view(referee.movers[0]).names(),
                referee.view(referee.movers[0]).legal(),
                strict=True,
            )
        )
        if move not in names:
            raise ValueError(unknown("move", move, list(names)))
        referee.apply([names[move]])
    if referee.over:
        raise ValueError("the game is over there")
    player = referee.movers[0] if player is None else player
    if player not in referee.movers:
        raise ValueError(f"player {player} is not on turn there; they count from 0")
    return game, referee.view(player)


def _drawn(position: str, start: int) -> str:
    """The text of a position, with one of each `{a|b|c}`.

    >>> from kibitz.lab.searches import _drawn
    >>> [_drawn("votes: {0|1} {0|1}", start) for start in range(3)]
    ['votes: 1 1', 'votes: 0 1', 'votes: 1 1']
    """
    rng = random.Random(start)

    def one(found: re.Match[str]) -> str:
        options = found[1].split("|")
        return options[int(rng.random() * len(options))]

    return re.sub(r"\{([^{}]*)\}", one, position)


def _scaled(at: float, scale: float) -> float:
    """So many times an amount; whole numbers stay whole, and above 0."""
    return float(max(1, round(at * scale))) if at == round(at) else at * scale


def _spec(search: Search, planner: str, at: float) -> str:
    return with_parameter(planner, search.parameter, int(at) if at == round(at) else at)


def _share(values: list[float], confidence: float) -> Figure:
    """Of ones among zeros, with Clopper and Pearson's interval."""
    count = round(sum(values))
    return Figure(count / len(values), clopper_pearson(count, len(values), confidence))
