"""Published figures beside ours: plays what a reproduction says, measures, and judges.

`scaled` makes it smaller, `kibitz.lab.run` plays it into a results folder (and goes on there after an
interruption), `compare` reads the folder.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from pathlib import Path
from statistics import stdev
from typing import TYPE_CHECKING, Any

from kibitz._core import parse_spec, unknown
from kibitz.lab.document import Mistake
from kibitz.lab.reproductions import Reproduction, Target
from kibitz.lab.statistics import Interval, clopper_pearson
from kibitz.lab.statistics.agreement import Figure, Verdict, judge
from kibitz.lab.statistics.intervals import student_quantile

if TYPE_CHECKING:
    from kibitz.exact import Solution
    from kibitz.lab.cells import Cell
    from kibitz.lab.experiment import Experiment
    from kibitz.lab.record import Record
    from kibitz.lab.replay import Replay
    from kibitz.lab.results import Results
    from kibitz.lab.run import Coordinator


@dataclass(frozen=True)
class Row:
    """One published figure beside ours."""

    name: str
    paper: Figure
    ours: Figure
    """NaN where there are no games yet."""
    games: int | None
    """How many games ours rests on; None where it was computed."""
    verdict: Verdict
    share: bool = False
    """Whether it is a share, to be shown in percent."""
    note: str = ""

    def to_json(self) -> dict[str, Any]:
        """As plain lists and dicts."""
        plain = asdict(self)
        for key in ("paper", "ours"):
            plain[key]["interval"] = plain[key]["interval"] and list(plain[key]["interval"])
        return plain


@dataclass(frozen=True)
class Comparison:
    """A published table beside ours; printing it shows both."""

    reproduction: Reproduction
    scale: float
    rows: list[Row]
    complete: bool = True
    """False where it was stopped before all games were played."""
    directory: Path | None = None

    def to_json(self) -> dict[str, Any]:
        """As plain lists and dicts."""
        about = self.reproduction
        return {
            "name": about.name,
            "title": about.title,
            "source": about.source,
            "where": about.where,
            "scale": self.scale,
            "complete": self.complete,
            "directory": None if self.directory is None else str(self.directory),
            "figures": [row.to_json() for row in self.rows],
        }

    def __str__(self) -> str:
        from kibitz.lab.reports.text import columns

        head = ["figure", "paper", "95 %", "ours", "95 %", "games", "verdict"]
        lines = columns([head, *(_cells(row) for row in self.rows)])
        notes = list(dict.fromkeys(row.note for row in self.rows if row.note))
        return "\n".join([*lines, *([""] if notes else []), *notes])


def _cells(row: Row) -> list[str]:
    games = "exact" if row.games is None else f"{row.games:,}"
    return [row.name, *_words(row.paper, row.share), *_words(row.ours, row.share), games, row.verdict]


def _words(figure: Figure, share: bool) -> tuple[str, str]:
    """A figure and its interval for people.

    >>> from kibitz.lab.statistics import Interval
    >>> from kibitz.lab.statistics.agreement import Figure
    >>> from kibitz.lab.reproduce import _words
    >>> _words(Figure(0.5, Interval(0.41, 0.59)), True)
    ('50.0 %', '41.0 to 59.0')
    >>> _words(Figure(-0.32), False)
    ('-0.32', '')
    """

    def words(value: float) -> str:
        if not math.isfinite(value):
            return "-"
        return (
            f"{100 * value:.1f}" if share else f"{value:.6g}" if figure.interval is None else f"{value:.2f}"
        )

    value = words(figure.value) + (" %" if share and math.isfinite(figure.value) else "")
    if figure.interval is None or not all(map(math.isfinite, figure.interval)):
        return value, ""
    return value, f"{words(figure.interval.low)} to {words(figure.interval.high)}"


def scaled(experiment: Experiment, scale: float) -> Experiment:
    """The experiment with so many times the episodes, at least two each.

    >>> from kibitz.lab import Experiment
    >>> from kibitz.lab.reproduce import scaled
    >>> scaled(Experiment("a", games=["tiger"], planners=["pomcp"], episodes=1000), 0.1).episodes
    100
    """
    if not 0 < scale <= 1000:
        raise ValueError(f"a scale is above 0 and up to 1000, 1 being the full size, not {scale:g}")

    def fewer(episodes: int) -> int:
        return max(2, round(episodes * scale))

    pairings = tuple(
        pairing if pairing.episodes is None else replace(pairing, episodes=fewer(pairing.episodes))
        for pairing in experiment.pairings
    )
    return replace(experiment, episodes=fewer(experiment.episodes), pairings=pairings)


def folder(reproduction: Reproduction, scale: float) -> Path:
    """Where the results go unless told otherwise: another size has another folder.

    >>> from kibitz.lab.reproduce import folder
    >>> from kibitz.lab.reproductions import load
    >>> folder(load("posg-bear"), 0.1).name
    'posg-bear@0.1'
    """
    name = reproduction.name if scale == 1 else f"{reproduction.name}@{scale:g}"
    return Path("results") / "reproductions" / name


def compare(reproduction: Reproduction, results: Results | None, *, scale: float = 1.0) -> Comparison:
    """Every published figure beside ours, as far as the results go.

    >>> from kibitz.lab.reproduce import compare
    >>> from kibitz.lab.reproductions import load
    >>> exact = compare(load("posg-bear"), None).rows[0]
    >>> round(exact.ours.value, 9), exact.verdict
    (-0.32, 'agrees')
    """
    rows = []
    for target in reproduction.targets:
        games: int | None = 0
        spread: float | None = None
        ours, note = Figure(math.nan), ""
        if target.measure == "exact value":
            ours, games = _exact(reproduction, target), None
        elif results is not None:
            cell, planner = _find(reproduction, target, results.cells)
            ours, games, spread = _played(target, results, cell, planner)
            note = _note(target, target.published(spread), results.result(cell).faults)
        paper = target.published(spread)
        verdict = judge(ours, paper, tolerance=target.tolerance, better=target.better)
        share = target.measure in ("win rate", "action frequency")
        rows.append(Row(target.name, paper, ours, games, verdict, share, note))
    complete = results.complete if results is not None else reproduction.experiment is None
    return Comparison(reproduction, scale, rows, complete, results.directory if results else None)


def _note(target: Target, paper: Figure, faults: int) -> str:
    """What somebody who reads the verdict ought to know."""
    if faults:
        return f"{target.name}: {faults} games came to nothing and are left out; kibitz report says why."
    if paper.interval is not None and paper.interval.high - paper.interval.low > 2 * target.tolerance:
        return (
            f"{target.name}: the paper's own interval is wider than the tolerance of {target.tolerance:g}."
        )
    return ""


def _game(reproduction: Reproduction, target: Target) -> str:
    if target.game is not None:
        return target.game
    assert reproduction.experiment is not None  # the reader has seen to it
    return str(reproduction.experiment.games[0])


@lru_cache(maxsize=8)
def _solution(game: str) -> Solution:
    from kibitz.exact import solve

    return solve(game)


def _exact(reproduction: Reproduction, target: Target) -> Figure:
    game = _game(reproduction, target)
    solution = _solution(game)
    if target.action is None:
        if target.player >= len(solution.value):
            raise ValueError(f"'{target.name}': {game} has no player {target.player}; they count from 0")
        return Figure(solution.value[target.player])
    table = dict(solution.table)
    if target.action not in table:
        raise ValueError(f"'{target.name}': {unknown('first action', target.action, list(table))}")
    return Figure(table[target.action])


def check(reproduction: Reproduction, cells: tuple[Cell, ...]) -> None:
    """Whether every figure can be had, exactly or from one cell; ExperimentError lists the others."""
    mistakes = []
    for number, target in enumerate(reproduction.targets):
        try:
            if target.measure == "exact value":
                _exact(reproduction, target)
            else:
                _find(reproduction, target, cells)
        except ValueError as error:
            mistakes.append(Mistake(("figure", number), str(error)))
    if mistakes and reproduction.experiment is not None:
        raise reproduction.experiment.error(mistakes)


def _find(reproduction: Reproduction, target: Target, cells: tuple[Cell, ...]) -> tuple[Cell, int]:
    """The cell that a figure is of, and the number of the planner in it."""
    game = _plain(_game(reproduction, target))
    found = []
    for cell in cells:
        planners = [_plain(planner) for planner in cell.planners]
        own = planners[0] if target.planner is None else _plain(target.planner)
        met = target.against is None or _plain(target.against) in planners
        if _plain(cell.game) == game and own in planners and met:
            found.append((cell, planners.index(own)))
    if not found:
        whose = target.planner or "any planner"
        played = ", ".join(dict.fromkeys(planner for cell in cells for planner in cell.planners))
        raise ValueError(
            f"'{target.name}': {whose} does not play {_game(reproduction, target)} here; there are {played}"
        )
    if len(found) > 1 and target.planner is not None:
        raise ValueError(
            f"'{target.name}' may be of {len(found)} cells; game, planner and against must leave one"
        )
    return found[0]


def _plain(spec: str) -> tuple[str, tuple[Any, ...]]:
    """A spec in a form in which spaces and the order of parameters do not matter."""
    name, arguments = parse_spec(spec)
    return name, tuple(sorted((key, repr(value)) for key, value in arguments))


def _played(target: Target, results: Results, cell: Cell, planner: int) -> tuple[Figure, int, float | None]:
    """Our figure, the number of games that it rests on, and the standard deviation of returns."""
    if target.measure == "action frequency":
        chosen, games = _frequency(target, results, cell, planner)
        return _share(chosen, games), games, None
    if target.measure == "undiscounted return":
        return _undiscounted(results, cell, planner)
    result = results.result(cell)
    standing = result.standings[planner]
    if target.measure == "win rate":
        return _share(standing.wins, standing.games), standing.games, None
    if standing.standard_error is None:
        return Figure(standing.mean_return, Interval(-math.inf, math.inf)), standing.games, None
    half = student_quantile(0.975, result.deals - 1) * standing.standard_error
    mean = standing.mean_return
    spread = standing.standard_error * math.sqrt(standing.games)
    return Figure(mean, Interval(mean - half, mean + half)), standing.games, spread


def _share(wins: float, games: int) -> Figure:
    """A share with the interval to claim with; half a win widens it on both sides."""
    if games == 0:
        return Figure(math.nan, Interval(0.0, 1.0))
    low, high = clopper_pearson(math.floor(wins), games), clopper_pearson(math.ceil(wins), games)
    return Figure(wins / games, Interval(low.low, high.high))


def _undiscounted(results: Results, cell: Cell, planner: int) -> tuple[Figure, int, float | None]:
    """The mean of a planner's plain sums of rewards, as `_played` gives it: from the replays."""
    deals: dict[int, list[float]] = {}
    for record, kept in _replays(results, cell):
        for seat, number in enumerate(record.seating):
            if number == planner:
                total = math.fsum(step.rewards[seat] for step in kept.steps)
                deals.setdefault(record.episode, []).append(total)
    games = sum(map(len, deals.values()))
    if games == 0:
        return Figure(math.nan), 0, None
    # Games on the same deal hang together: what counts is how the deals differ.
    means = [math.fsum(totals) / len(totals) for totals in deals.values()]
    mean = math.fsum(means) / len(means)
    if len(means) == 1:
        return Figure(mean, Interval(-math.inf, math.inf)), games, None
    error = stdev(means) / math.sqrt(len(means))
    half = student_quantile(0.975, len(means) - 1) * error
    return Figure(mean, Interval(mean - half, mean + half)), games, error * math.sqrt(games)


def _frequency(target: Target, results: Results, cell: Cell, planner: int) -> tuple[int, int]:
    """In how many games a planner chose the action, and in how many it could choose: from the replays."""
    chosen = games = 0
    for record, kept in _replays(results, cell):
        if record.seating[target.player] != planner:
            continue
        moved = [step for step in kept.steps if target.player in step.movers]
        games += bool(moved)
        chosen += any(step.names[step.movers.index(target.player)] == target.action for step in moved)
    return chosen, games


def _replays(results: Results, cell: Cell) -> Iterator[tuple[Record, Replay]]:
    """The games of a cell that came to an end, move by move."""
    from kibitz.lab import replay
    from kibitz.lab.results import REPLAYS

    for record in results.records(cell):
        if record.fault is None:
            seating = "-".join(map(str, record.seating))
            name = f"{cell.id}-{record.episode}-{seating}.json"
            yield record, replay.load(results.directory / REPLAYS / name)


def reproduce(
    reproduction: Reproduction,
    *,
    scale: float = 1.0,
    jobs: int | None = None,
    directory: str | os.PathLike[str] | None = None,
    on_progress: Callable[[Coordinator], object] | None = None,
) -> Comparison:
    """Plays a reproduction, or goes on with it where it was interrupted, and compares.

    `jobs`, `directory` and `on_progress` are those of `kibitz.lab.run`.

    >>> import tempfile
    >>> from kibitz.lab.reproduce import reproduce
    >>> from kibitz.lab.reproductions import load
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     rows = reproduce(load("rps-equilibrium"), scale=0.002, directory=folder, jobs=1).rows
    >>> rows[0].verdict, rows[1].verdict
    ('agrees', 'cannot tell yet')
    """
    if reproduction.experiment is None:
        return compare(reproduction, None, scale=scale)
    from kibitz.lab.cells import resolve
    from kibitz.lab.run import run

    plan = resolve(scaled(reproduction.experiment, scale))
    check(reproduction, plan.cells)
    directory = folder(reproduction, scale) if directory is None else directory
    results = run(plan, directory, jobs=jobs, on_progress=on_progress)
    return compare(reproduction, results, scale=scale)
