"""Published tables of wins: games in rows, planners in columns, and the sum of each column judged.

What a planner may look at for a decision is published as a window of time. It is played as so many ticks
of the game's model as the Java framework of March 2015 managed in that time (`FRAMEWORK`, and scaled for
games in which it was not measured), or, where somebody asks for that, as time. The games are those of a
folder in GVG-AI's naming (`zelda.txt`, `zelda_lvl0.txt`, ...), or else the video games that come with the
package, for which nothing is published.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kibitz.lab.experiment import Experiment, Pairing
from kibitz.lab.measures import plain
from kibitz.lab.standings import counted, win_shares
from kibitz.lab.statistics import clopper_pearson
from kibitz.lab.statistics.agreement import Figure, Verdict, games_to_tell, judge
from kibitz.lab.sweep import with_parameter

if TYPE_CHECKING:
    from kibitz.lab.cells import Cell
    from kibitz.lab.reproductions import Column, Reproduction
    from kibitz.lab.results import Results

FRAMEWORK = {
    "aliens": 15_500,
    "boulderdash": 7_700,
    "butterflies": 25_000,
    "chase": 23_000,
    "digdug": 7_100,
    "frogs": 10_000,
    "pacman": 4_200,
    "realportals": 10_000,
    "sokoban": 40_000,
    "zelda": 35_000,
}
"""Copy and advance, in ticks a second of one processor, of the Java framework of March 2015: measured."""
SCALED = {
    "bait": 24_000,
    "boloadventures": 7_200,
    "brainman": 30_000,
    "camelRace": 23_000,
    "chipschallenge": 14_000,
    "eggomania": 29_000,
    "firecaster": 27_000,
    "firestorms": 11_000,
    "infection": 6_200,
    "missilecommand": 26_000,
    "modality": 24_000,
    "overload": 32_000,
    "painter": 19_000,
    "portals": 23_000,
    "realsokoban": 29_000,
    "seaquest": 20_000,
    "survivezombies": 21_000,
    "thecitadel": 13_000,
    "whackamole": 21_000,
    "zenpuzzle": 54_000,
}
"""The same of other games, in which it was not measured: our own speed there, divided by how many times as
fast as the framework we are in those above (93, the geometric mean of 48 to 219)."""
USUAL = 22_000
"""The same for any other game: about the middle of those."""
MOST_LEVELS = 5
"""The papers' levels."""


@dataclass(frozen=True)
class Setting:
    """What is played, where the table leaves that open."""

    rules: Path | None = None
    """The folder with the games' files."""
    window: float | None = None
    """Of the table, only columns with this window, in milliseconds, and those that have none."""
    clock: bool = False
    """Windows are time, not ticks."""

    @property
    def suffix(self) -> str:
        """What tells the folders of results apart."""
        parts = ["" if self.rules else "-own", f"-{self.window:g}ms" if self.window else ""]
        return "".join([*parts, "-clock" if self.clock else ""])


@dataclass(frozen=True)
class Entry:
    """What a column's planner came to in some games."""

    wins: float
    games: int
    """How many were played, at all levels."""
    points: float
    """The sum of scores."""
    paper: float | None
    """Of so many games, the published wins."""
    paper_points: float | None = None
    """And the published points."""


@dataclass(frozen=True)
class Total:
    """A column beside the published one."""

    column: Column
    entries: dict[str, Entry]
    """By game."""
    whole: Entry
    ours: Figure
    paper: Figure | None
    """Shares of the games; None where nothing is published."""
    verdict: Verdict | None
    needed: int | None

    @property
    def name(self) -> str:
        """With its window."""
        return self.column.title

    def to_json(self) -> dict[str, Any]:
        """As plain lists and dicts."""
        entries = {game: asdict(entry) for game, entry in self.entries.items()}
        names = {"column": self.name, "planner": self.column.planner}
        return {**names, "by_game": entries, **asdict(self.whole)}


def ticks(game: str, milliseconds: float) -> int:
    """How many ticks of a game the framework managed in this time, at least one.

    >>> from kibitz.lab.grids import ticks
    >>> ticks("zelda", 40), ticks("a-game-of-mine", 1000)
    (1400, 22000)
    """
    rate = FRAMEWORK.get(game) or SCALED.get(game, USUAL)
    return max(1, round(milliseconds / 1000 * rate))


def planner_of(column: Column, game: str, setting: Setting) -> str:
    """The column's planner in a game, with its budget.

    >>> from kibitz.lab.grids import Setting, planner_of
    >>> from kibitz.lab.reproductions import Column
    >>> column = Column("OLMCTS", "olmcts", window=40, budget="simulations", unit=10)
    >>> planner_of(column, "zelda", Setting()), planner_of(column, "zelda", Setting(clock=True))
    ('olmcts(simulations=140)', 'olmcts(milliseconds=40.0)')
    """
    if column.window is None:
        return column.planner
    if setting.clock:
        return with_parameter(column.planner, "milliseconds", float(column.window))
    units = max(1, round(ticks(game, column.window) / column.unit))
    return with_parameter(column.planner, column.budget, units)


def _columns(reproduction: Reproduction, setting: Setting) -> list[Column]:
    assert reproduction.grid is not None
    columns = reproduction.grid.columns
    chosen = [each for each in columns if setting.window in (None, each.window) or each.window is None]
    if setting.rules is None:
        # The same games stand for those of all tables.
        chosen = [replace(each, games=()) for each in chosen if each.table == chosen[0].table]
    if not any(each.window == setting.window for each in chosen) and setting.window is not None:
        there = ", ".join(f"{each:g}" for each in sorted({c.window for c in columns if c.window}))
        raise ValueError(f"{reproduction.name} has no window of {setting.window:g} ms; there are {there}")
    return chosen


def games_of(reproduction: Reproduction, setting: Setting) -> dict[str, list[str]]:
    """The specs of each game's levels."""
    from kibitz import lang

    assert reproduction.grid is not None
    if setting.rules is None:
        own = [entry.name for entry in lang.shipped_rules() if entry.name.endswith(".vgdl")]
        return {name[:-5]: [f"{name}(level={n}, wait=false)" for n in range(3)] for name in own}
    found, needed = {}, ", ".join(reproduction.grid.games)
    for game in reproduction.grid.games:
        if not any((setting.rules / f"{game}{end}").is_file() for end in (".vgdl", ".txt")):
            raise ValueError(
                f"{setting.rules} has no {game}.txt; the table needs {needed} in GVG-AI's naming: "
                "NAME.txt, with levels NAME_lvl0.txt and so on"
            )
        levels = [n for n in range(MOST_LEVELS) if (setting.rules / f"{game}_lvl{n}.txt").is_file()]
        if not levels:
            raise ValueError(f"{setting.rules} has no level of {game}, such as {game}_lvl0.txt")
        folder = setting.rules.resolve()
        found[game] = [f"{folder}/{game}.vgdl(level={n}, wait=false)" for n in levels]
    return found


def filled(reproduction: Reproduction, setting: Setting, scale: float = 1.0) -> Reproduction:
    """The same with what is played; ValueError where the setting does not fit."""
    grid = reproduction.grid
    if grid is None:
        if setting != Setting():
            raise ValueError(
                f"{reproduction.name} plays no video games: it takes no rules, window or clock"
            )
        return reproduction
    own = (
        reproduction.name
        if reproduction.setting is None
        else reproduction.name.removesuffix(setting.suffix)
    )
    pairings = []
    levels = games_of(reproduction, setting)
    for column in _columns(reproduction, setting):
        for game in column.games or levels:
            planner = planner_of(column, game, setting)
            pairings.append(Pairing((planner,), games=tuple(levels[game])))
    episodes = max(1, round(grid.episodes * scale))
    experiment = Experiment(own, pairings=pairings, episodes=episodes, replays="none")
    return replace(reproduction, name=own + setting.suffix, experiment=experiment, setting=setting)


def measure(reproduction: Reproduction, results: Results) -> list[Total]:
    """Each column's wins, as far as the results go."""
    setting = reproduction.setting or Setting()
    games = games_of(reproduction, setting)
    cells = {(cell.game, plain(cell.planners[0])): cell for cell in results.cells}
    return [
        _total(reproduction, column, games, cells, results) for column in _columns(reproduction, setting)
    ]


def _total(
    reproduction: Reproduction,
    column: Column,
    games: dict[str, list[str]],
    cells: dict[tuple[str, Any], Cell],
    results: Results,
) -> Total:
    from kibitz.planners import planner as named

    grid, setting = reproduction.grid, reproduction.setting or Setting()
    assert grid is not None
    published = dict(zip(column.games, column.paper, strict=False)) if setting.rules else {}
    entries = {}
    for game, levels in games.items():
        if column.games and game not in column.games:
            continue
        name = plain(named(planner_of(column, game, setting)).spec)
        won = [one for level in levels for one in _outcomes(results, cells[level, name])]
        wins, points = math.fsum(win for win, _ in won), math.fsum(score for _, score in won)
        paper = published[game] / grid.of * len(won) if game in published else None
        entries[game] = Entry(wins, len(won), points, paper)
    played = sum(entry.games for entry in entries.values())
    wins = math.fsum(entry.wins for entry in entries.values())
    points = math.fsum(entry.points for entry in entries.values())
    total = column.total if column.total is not None else sum(column.paper)
    most = grid.of * len(column.games or games)
    known = setting.rules is not None and bool(column.paper or column.total is not None)
    whole = Entry(
        wins,
        played,
        points,
        total / most * played if known else None,
        column.points / most * played if column.points is not None and known else None,
    )
    shown = reproduction.confidence
    share = wins / played if played else math.nan
    ours = Figure(share, clopper_pearson(wins, played, shown) if played else None)
    if not known:
        return Total(column, entries, whole, ours, None, None, None)
    theirs = Figure(total / most, clopper_pearson(total, most, shown))
    verdict = judge(ours, theirs, tolerance=grid.tolerance, better="higher")
    needed = None
    if verdict == "cannot tell yet" and played:
        needed = games_to_tell(ours, theirs, played, tolerance=grid.tolerance)
    return Total(column, entries, whole, ours, theirs, verdict, needed)


def _outcomes(results: Results, cell: Cell) -> Iterator[tuple[float, float]]:
    """Whether each game was won, and its score."""
    facts = results.games[cell.game]
    for record in results.records(cell):
        outcome = counted(record, facts)
        if outcome is None:
            continue
        win = win_shares(outcome.places, facts)[0]
        value = outcome.returns[0]
        score = 0.0 if value is None or record.fault else value - math.copysign(facts.outcome or 0.0, value)
        yield win, score


def lines(totals: list[Total]) -> list[list[str]]:
    """A table for each window, as lines: wins, and in brackets the paper's, for as many games as ours."""
    from kibitz.lab.reports.text import columns

    parts: dict[tuple[str | None, float | None], list[Total]] = {}
    for total in totals:
        parts.setdefault((total.column.table, total.column.window), []).append(total)
    tables = []
    for (table, window), each in parts.items():
        games = each[0].entries
        words = ["without a window" if window is None else f"{window:g} ms"]
        head = [", ".join([table, *words] if table else words), "games"]
        rows = [[*head, *(total.column.name for total in each)]]
        for game in games:
            cells = [_cell(total.entries[game]) for total in each]
            rows.append([game, str(games[game].games), *cells])
        rows.append(["all", str(each[0].whole.games), *(_cell(total.whole) for total in each)])
        if any(total.column.points is not None for total in each):
            points = (_bracketed(total.whole.points, total.whole.paper_points) for total in each)
            rows.append(["points", str(each[0].whole.games), *points])
        tables.append(columns(rows))
    return tables


def _cell(entry: Entry) -> str:
    return _bracketed(entry.wins, entry.paper)


def _bracketed(ours: float, paper: float | None) -> str:
    return f"{ours:g}" if paper is None else f"{ours:g} ({paper:.1f})"
