"""Published figures beside ours: plays what a reproduction says, measures, and judges.

`scaled` makes it smaller, `kibitz.lab.run` plays it into a results folder (and goes on there after an
interruption), `compare` reads the folder.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kibitz import _files
from kibitz._core import unknown
from kibitz.lab import costs, curves, grids, orders, searches
from kibitz.lab.document import Mistake
from kibitz.lab.measures import Played, find, game_of, played, played_out
from kibitz.lab.reproductions import COSTS, SHARES, UNPLAYED, Reproduction, Target
from kibitz.lab.statistics.agreement import Figure, Verdict, games_to_tell, judge

if TYPE_CHECKING:
    import polars as pl

    from kibitz.exact import Solution
    from kibitz.lab.cells import Cell
    from kibitz.lab.experiment import Experiment
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
    cpu: float | None = None
    """Our seconds of processor time a game, where somebody looked,"""
    seconds: float | None = None
    """and the published seconds."""
    tolerance: float = 0.0
    """A difference up to this does not matter."""
    needed: int | None = None
    """Where it cannot be told yet: about how many games would tell; None where no number is known."""

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
    seed: int | None
    """Of which sample; None: its own."""
    rows: list[Row]
    complete: bool = True
    """False where it was stopped before all games were played."""
    directory: Path | None = None
    curves: list[curves.Measured] = field(default_factory=list)
    """What its picture shows, as far as the results go."""
    unsealed: tuple[Path, ...] = ()
    """Files of results without a checksum, as earlier versions wrote them."""
    orders: list[list[orders.Rank]] = field(default_factory=list)
    """The pairs of each published order."""
    totals: list[grids.Total] = field(default_factory=list)
    """The columns of a published table of wins."""

    def to_json(self) -> dict[str, Any]:
        """As plain lists and dicts."""
        about = self.reproduction
        return {
            "name": about.name,
            "title": about.title,
            "source": about.source,
            "where": about.where,
            "scale": self.scale,
            "seed": self.seed,
            "confidence": about.confidence,
            "complete": self.complete,
            "directory": None if self.directory is None else str(self.directory),
            "unsealed": list(map(str, self.unsealed)),
            "figures": [row.to_json() for row in self.rows],
            "curves": [each.to_json() for each in self.curves],
            "orders": [
                {"title": order.title, "claim": order.claim, "pairs": [rank.to_json() for rank in ranks]}
                for order, ranks in zip(self.reproduction.orders, self.orders, strict=False)
            ],
            "columns": [total.to_json() for total in self.totals],
        }

    def frame(self) -> pl.DataFrame:
        """A row for each published figure, and for each pair of an order: ours is then the difference."""
        import polars as pl

        names = ("figure", "paper", "paper_low", "paper_high", "ours", "low", "high", "games", "verdict")
        rows: list[tuple[Any, ...]] = [
            (
                row.name, row.paper.value, *(row.paper.interval or (None, None)),
                row.ours.value, *(row.ours.interval or (None, None)), row.games, row.verdict,
            )
            for row in self.rows
        ]  # fmt: skip
        for order, ranks in zip(self.reproduction.orders, self.orders, strict=False):
            for rank in ranks:
                what, found = f"{order.title}: {rank.first}, {rank.second}", rank.difference
                rows.append(
                    (what, None, None, None, found.mean, *found.interval, found.deals, rank.verdict)
                )
        kinds = dict.fromkeys(names, pl.Float64) | {"figure": pl.String, "verdict": pl.String}
        return pl.DataFrame(rows, schema=kinds | {"games": pl.Int64}, orient="row")

    def __str__(self) -> str:
        from kibitz.lab.reports.text import columns
        from kibitz.lab.results import unchecked

        cover = f"{100 * self.reproduction.confidence:g} %"
        head = ["figure", "paper", cover, "ours", cover, "games", "tolerance", "verdict"]
        table = [head, *(_cells(row) for row in self.rows)]
        if any(row.seconds is not None for row in self.rows):
            for line, row in zip(table, [None, *self.rows], strict=True):
                line[-1:-1] = ["paper s/game", "CPU s/game"] if row is None else _costs(row)
        lines = columns(table) if self.rows else []
        notes = list(dict.fromkeys(row.note for row in self.rows if row.note))
        if self.unsealed:
            notes.append(f"Not checked: {unchecked(self.unsealed)}.")
        points = columns([_HEAD_OF_POINTS, *_points(self.curves)]) if self.curves else []
        ranked = [
            [f"{order.title}:", *orders.lines(ranks)]
            for order, ranks in zip(self.reproduction.orders, self.orders, strict=False)
        ]
        grid = grids.lines(self.totals) if self.totals else []
        return "\n\n".join("\n".join(part) for part in (*grid, lines, *ranked, notes, points) if part)

    def save_pictures(self, folder: str | os.PathLike[str]) -> list[Path]:
        """Draws the curves and the orders, as far as they go, into two files of a folder each.

        ModuleNotFoundError where matplotlib is missing.
        """
        from kibitz.lab.reports.plots import png, svg

        about = self.reproduction
        source = f"{about.source}: {about.where}"
        pictures = {}
        if any(line.points for curve in self.curves for line in curve.lines):
            from kibitz.lab.reports.curves import draw

            pictures["curves"] = draw(self.curves, about.title, source)
        ranked = [pair for pair in zip(about.orders, self.orders, strict=False) if pair[1]]
        if any(sample for _, ranks in ranked for rank in ranks for sample in rank.samples):
            from kibitz.lab.reports import violins

            pictures["orders"] = violins.draw(ranked, about.title, source, about.confidence)
        folder = Path(folder)
        paths = []
        for name, picture in pictures.items():
            folder.mkdir(parents=True, exist_ok=True)
            for form, content in ("png", png(picture)), ("svg", svg(picture).encode()):
                paths.append(folder / f"{name}.{form}")
                _files.write(paths[-1], content)
        return paths


_HEAD_OF_POINTS = ["curve", "of", "at", "value", "interval", "games"]
MANY_POINTS, FEW_POINTS = 10, 4
"""Of more points of a line than this, about so many are printed."""


def _points(measured: list[curves.Measured]) -> Iterator[list[str]]:
    """A row for each point of each curve, ours and the paper's."""
    for each in measured:
        share = each.curve.measure == "win rate"
        for line in each.lines:
            for point in _some(line.points):
                value = _words(point.figure, share)
                yield [each.curve.title, line.planner, f"{point.at:,.10g}", *value, f"{point.games:,}"]
        for published in each.curve.paper:
            at = "" if published.at is None else f"{published.at:,.10g}"
            yield [
                each.curve.title,
                published.name,
                at,
                *_words(published.figure(each.confidence), share),
                "",
            ]


def _some(points: tuple[curves.Point, ...]) -> tuple[curves.Point, ...]:
    """Of many points a few, the last among them: the picture has all."""
    return points if len(points) <= MANY_POINTS else points[:: -(len(points) // FEW_POINTS)][::-1]


def _costs(row: Row) -> list[str]:
    return ["" if value is None else f"{value:,.3g}" for value in (row.seconds, row.cpu)]


def _cells(row: Row) -> list[str]:
    games = "exact" if row.games is None else f"{row.games:,}"
    tolerance = f"± {100 * row.tolerance:.3g} %" if row.share else f"± {row.tolerance:.3g}"
    told = "" if row.needed is None else f": about {_rounded(row.needed):,} games would"
    figures = *_words(row.paper, row.share), *_words(row.ours, row.share)
    return [row.name, *figures, games, tolerance, row.verdict + told]


def _rounded(games: int) -> int:
    """Two digits are as much as is known of it."""
    return int(float(f"{games:.2g}"))


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
        if share:
            # As many digits as the interval is worth.
            low, high = figure.interval or (0.0, 1.0)
            return f"{100 * value:.{2 if high - low < 0.02 else 1}f}"
        if figure.interval is None:
            return f"{value:.6g}"
        return f"{value:.{4 if figure.interval.high - figure.interval.low < 0.02 else 2}f}"

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


def resampled(experiment: Experiment, seed: int | None) -> Experiment:
    """The experiment with other seeds, as many as it has; with its own where no seed is given.

    >>> from kibitz.lab import Experiment
    >>> from kibitz.lab.reproduce import resampled
    >>> resampled(Experiment("a", games=["tiger"], planners=["pomcp"], seeds=[5, 6]), 7).seeds
    (14, 15)
    """
    if seed is None:
        return experiment
    return replace(experiment, seeds=tuple(searches.sample(seed, len(experiment.seeds))))


def folder(reproduction: Reproduction, scale: float, seed: int | None = None) -> Path:
    """Where the results go unless told otherwise: another size or sample has another folder.

    >>> from kibitz.lab.reproduce import folder
    >>> from kibitz.lab.reproductions import load
    >>> folder(load("posg-bear"), 0.1).name, folder(load("posg-bear"), 1, seed=7).name
    ('posg-bear@0.1', 'posg-bear-seed-7')
    """
    name = reproduction.name if scale == 1 else f"{reproduction.name}@{scale:g}"
    return Path("results") / "reproductions" / (name if seed is None else f"{name}-seed-{seed}")


def compare(
    reproduction: Reproduction,
    results: Results | None,
    *,
    scale: float = 1.0,
    seed: int | None = None,
    searched: list[curves.Measured] | None = None,
) -> Comparison:
    """Every published figure beside ours, as far as the results and searches go.

    `scale` and `seed` say what was played and searched, and are those of the playouts that are made here.

    >>> from kibitz.lab.reproduce import compare
    >>> from kibitz.lab.reproductions import load
    >>> exact = compare(load("posg-bear"), None).rows[0]
    >>> round(exact.ours.value, 9), exact.verdict
    (-0.32, 'agrees')
    """
    from kibitz.lab.reports.text import hurried

    rows = []
    shown = reproduction.confidence
    for target in reproduction.targets:
        ours, games, note = Played(Figure(math.nan), 0), None, ""
        if target.measure == "exact value":
            ours = Played(_exact(reproduction, target), 0)
        elif target.measure == "playout win rate":
            ours = _played_out(reproduction, target, scale, seed)
            games = ours.games
        elif target.measure in COSTS or target.measure == "heuristic seconds":
            ours = _cost(reproduction, target, scale, seed)
            games = ours.games
        elif target.measure == "end of a search":
            ours = ours if searched is None else searches.end_of(target, searched)
            games = ours.games
        else:
            if results is not None:
                cell, planner = find(reproduction, target, results.cells)
                ours = played(target, results, cell, planner, shown)
                result = results.result(cell)
                blamed = sum(row.faults for row in result.standings)
                note = _note(target, ours.published(target, shown), blamed, result.faults - blamed)
                if (standing := result.standings[planner]).hurried:
                    note = f"{note} {hurried(standing, standing.planner)}".lstrip()
            games = ours.games
        paper = ours.published(target, shown)
        verdict = judge(ours.figure, paper, tolerance=target.tolerance, better=target.better)
        needed = None
        if verdict == "cannot tell yet" and games:
            needed = games_to_tell(ours.figure, paper, games, tolerance=target.tolerance)
        share = target.measure in SHARES
        others = ours.cpu, target.seconds, target.tolerance, needed
        rows.append(Row(target.name, paper, ours.figure, games, verdict, share, note, *others))
    totals = [] if results is None or reproduction.grid is None else grids.measure(reproduction, results)
    tolerance = reproduction.grid.tolerance if reproduction.grid else 0.0
    for total in totals:
        if total.paper is not None and total.verdict is not None:
            note = "" if results is None or results.complete else "Not all games have been played yet."
            found = total.paper, total.ours, total.whole.games, total.verdict
            rows.append(
                Row(total.name, *found, share=True, note=note, tolerance=tolerance, needed=total.needed)
            )
    complete = results.complete if results is not None else reproduction.experiment is None
    complete = complete and (searched is not None or not reproduction.searches)
    directory = results.directory if results is not None else None
    measured = (
        []
        if results is None
        else [curves.measure(reproduction, each, results) for each in reproduction.curves]
    )
    unsealed = results.unsealed if results is not None else ()
    measured += searched or []
    ranks = (
        [] if results is None else [orders.measure(reproduction, it, results) for it in reproduction.orders]
    )
    return Comparison(
        reproduction, scale, seed, rows, complete, directory, measured, unsealed, ranks, totals
    )


def _note(target: Target, paper: Figure, blamed: int, left_out: int) -> str:
    """What somebody who reads the verdict ought to know."""
    lost = "are left out" if target.measure == "action frequency" else "count as lost by who is to blame"
    fates = [f"{blamed} {lost}"] * bool(blamed)
    fates += [f"{left_out} are left out, nobody being to blame"] * bool(left_out)
    if fates:
        what = f"of the games that came to nothing {' and '.join(fates)}"
        return f"{target.name}: {what}; kibitz report says why."
    if paper.interval is not None and paper.interval.high - paper.interval.low > 2 * target.tolerance:
        return (
            f"{target.name}: the paper's own interval is wider than the tolerance of {target.tolerance:g}."
        )
    return ""


@lru_cache(maxsize=8)
def _solution(game: str) -> Solution:
    from kibitz.exact import solve

    return solve(game)


def _exact(reproduction: Reproduction, target: Target) -> Figure:
    game = game_of(reproduction, target)
    solution = _solution(game)
    if target.action is None:
        player = target.player or 0
        if player >= len(solution.value):
            raise ValueError(f"'{target.name}': {game} has no player {player}; they count from 0")
        return Figure(solution.value[player])
    table = dict(solution.table)
    if target.action not in table:
        raise ValueError(f"'{target.name}': {unknown('first action', target.action, list(table))}")
    return Figure(table[target.action])


def _played_out(reproduction: Reproduction, target: Target, scale: float, seed: int | None) -> Played:
    from kibitz import games

    game = games.load(game_of(reproduction, target))
    return played_out(target, game, scale, reproduction.confidence, searches.sample(seed or 0, 1)[0])


def _cost(reproduction: Reproduction, target: Target, scale: float, seed: int | None) -> Played:
    game = game_of(reproduction, target)
    if target.measure == "heuristic seconds":
        return Played(Figure(costs.heuristic_seconds(game)), 1)
    if target.planner is None or target.against is None:
        raise ValueError(f"'{target.name}': {target.measure} needs planner and against")
    of = costs.share_of_time if target.measure == "share of time" else costs.relative_simulations
    sample, shown = searches.sample(seed or 0, 1)[0], reproduction.confidence
    return of(game, target.planner, target.against, scale=scale, seed=sample, confidence=shown)


def check(reproduction: Reproduction, cells: tuple[Cell, ...]) -> None:
    """Whether every figure and every curve can be had; ExperimentError lists the others."""
    mistakes = []
    for number, target in enumerate(reproduction.targets):
        try:
            if target.measure == "exact value":
                _exact(reproduction, target)
            elif target.measure not in UNPLAYED:
                find(reproduction, target, cells)
        except ValueError as error:
            mistakes.append(Mistake(("figure", number), str(error)))
    for number, curve in enumerate(reproduction.curves):
        for i, planner in enumerate(curve.planners):
            try:
                curves.cells_of(reproduction, curve, planner, cells)
            except ValueError as error:
                mistakes.append(Mistake(("curve", number, "planners", i), str(error)))
    for number, order in enumerate(reproduction.orders):
        try:
            orders.places(reproduction, order, cells)
        except ValueError as error:
            mistakes.append(Mistake(("order", number, "planners"), str(error)))
    if mistakes and reproduction.experiment is not None:
        raise reproduction.experiment.error(mistakes)


def reproduce(
    reproduction: Reproduction,
    *,
    scale: float = 1.0,
    seed: int | None = None,
    jobs: int | None = None,
    directory: str | os.PathLike[str] | None = None,
    on_progress: Callable[[Coordinator], object] | None = None,
    on_search: Callable[[str], object] | None = None,
) -> Comparison:
    """Plays and searches a reproduction, or goes on where it was interrupted, and compares.

    Another `seed` is another sample: other deals, other choices, other searches. `jobs`, `directory` and
    `on_progress` are those of `kibitz.lab.run`; `on_search` is told which panel is searched.

    >>> import tempfile
    >>> from kibitz.lab.reproduce import reproduce
    >>> from kibitz.lab.reproductions import load
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     rows = reproduce(load("rps-equilibrium"), scale=0.002, directory=folder).rows
    >>> rows[0].verdict, rows[1].verdict
    ('agrees', 'cannot tell yet')
    """
    if reproduction.grid is not None:
        reproduction = grids.filled(reproduction, reproduction.setting or grids.Setting(), scale)
    directory = Path(folder(reproduction, scale, seed) if directory is None else directory)
    # Searches first: they are short, and what cannot be searched is told before anything is played.
    searched = searches.measure_all(reproduction, scale, on_search, seed=seed or 0)
    results = None
    if reproduction.experiment is not None:
        from kibitz.lab.cells import resolve
        from kibitz.lab.run import run

        # A grid's levels are played at least once, and not twice: there are many of them.
        whole = reproduction.experiment
        sized = whole if reproduction.grid is not None else scaled(whole, scale)
        plan = resolve(resampled(sized, seed))
        check(reproduction, plan.cells)
        results = run(plan, directory, jobs=jobs, on_progress=on_progress)
    comparison = compare(reproduction, results, scale=scale, seed=seed, searched=searched)
    if searched:
        searches.save(searched, directory)
        comparison = replace(comparison, directory=directory)
    return comparison
