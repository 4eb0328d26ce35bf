"""The curves of a reproduction: what planners reach in a game as one of their parameters grows."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from kibitz._core import parse_spec
from kibitz.lab.measures import game_of, plain, played
from kibitz.lab.reproductions import COST, Curve, Reproduction, Search, Target
from kibitz.lab.statistics.agreement import Figure

if TYPE_CHECKING:
    from kibitz.lab.cells import Cell
    from kibitz.lab.results import Results


@dataclass(frozen=True)
class Point:
    """What was reached with one value of the parameter."""

    at: float
    figure: Figure
    games: int
    """Or searches."""


@dataclass(frozen=True)
class Line:
    """What one planner reached."""

    planner: str
    """Or whose expected return it is, in a panel of searches."""
    points: tuple[Point, ...]
    """In the order of the x axis; those without a game are left out."""


@dataclass(frozen=True)
class Measured:
    """One panel, with ours as far as it has been played."""

    curve: Curve | Search
    lines: tuple[Line, ...]
    confidence: float = 0.95
    """What the intervals cover."""

    def to_json(self) -> dict[str, Any]:
        """As plain lists and dicts; an interval that has no end is null."""

        def values(figure: Figure) -> dict[str, Any]:
            known = figure.interval is not None and all(map(math.isfinite, figure.interval))
            return {"value": figure.value, "interval": list(figure.interval or ()) if known else None}

        about = asdict(self.curve)
        about["planners"] = [
            {
                "planner": line.planner,
                "points": [
                    {"at": point.at, **values(point.figure), "games": point.games} for point in line.points
                ],
            }
            for line in self.lines
        ]
        about["paper"] = [
            {"name": each.name, "at": each.at, **values(each.figure(self.confidence))}
            for each in self.curve.paper
        ]
        return about


def cells_of(
    reproduction: Reproduction, curve: Curve, planner: str, cells: tuple[Cell, ...]
) -> list[tuple[float, Cell, int]]:
    """Where a line's points are: the value of the parameter, the cell, and the planner's number in it.

    ValueError where there are none, or several for one value.
    """
    if curve.parameter == COST:
        return [(0.0, *place) for place in _of_the_name(reproduction, curve, planner, cells)]
    game, own = game_of(reproduction, curve), plain(planner)
    opponent = None if curve.against is None else plain(curve.against)
    found: dict[float, tuple[Cell, int]] = {}
    for cell in cells:
        met = opponent is None or opponent in map(plain, cell.planners)
        if plain(cell.game) != plain(game) or not met:
            continue
        for number, each in enumerate(cell.planners):
            if plain(each) == opponent:
                continue
            name, parameters = plain(each)
            others = tuple(pair for pair in parameters if pair[0] != curve.parameter)
            at = dict(parse_spec(each)[1]).get(curve.parameter)
            if (name, others) != own or isinstance(at, bool) or not isinstance(at, int | float):
                continue
            if float(at) in found:
                raise ValueError(
                    f"'{curve.title}': {each} is in several cells of {game}; say against = ..., "
                    "and one seed is all that a curve can show"
                )
            found[float(at)] = cell, number
    if not found:
        raise ValueError(
            f"'{curve.title}': {planner} does not play {game} here with {curve.parameter}=... of its own"
        )
    return [(at, *found[at]) for at in sorted(found)]


def _of_the_name(
    reproduction: Reproduction, curve: Curve, planner: str, cells: tuple[Cell, ...]
) -> list[tuple[Cell, int]]:
    """Where planners of a name play the game, with the parameters that are given."""
    game, (name, given) = plain(game_of(reproduction, curve)), plain(planner)
    found = []
    for cell in cells:
        for number, each in enumerate(cell.planners):
            other, parameters = plain(each)
            if plain(cell.game) == game and other == name and {*given} <= {*parameters}:
                found.append((cell, number))
    if not found:
        raise ValueError(f"'{curve.title}': no {planner} plays {game_of(reproduction, curve)} here")
    return found


def measure(reproduction: Reproduction, curve: Curve, results: Results) -> Measured:
    """A panel's lines, as far as the results go."""
    target = Target(curve.title, curve.measure, math.nan, 0.0)
    lines = []
    for planner in curve.planners:
        points = []
        for at, cell, number in cells_of(reproduction, curve, planner, results.cells):
            figure, games, _, cpu, _ = played(target, results, cell, number, reproduction.confidence)
            if curve.parameter == COST:
                at = float(f"{cpu or 0.0:.3g}")
            if games and (curve.parameter != COST or at > 0):
                points.append(Point(at, figure, games))
        lines.append(Line(planner, tuple(sorted(points, key=lambda point: point.at))))
    return Measured(curve, tuple(lines), reproduction.confidence)
