"""The picture of a reproduction's curves: a panel each, ours in colour, the published points in black."""

from __future__ import annotations

import math
import textwrap
from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from kibitz.lab.reports.names import BUDGETS, Spec, clip, read
from kibitz.lab.reports.plots import COLOURS, INK, MARKERS, Point, amounts_axis, blank, draw_line, style
from kibitz.lab.reproductions import COST, Curve
from kibitz.lab.statistics.agreement import Figure as Value

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from kibitz.lab.curves import Measured

ACROSS = 3
"""Panels side by side."""
WIDE, HIGH = 3.6, 3.1
"""Inches of a panel."""
PUBLISHED = "XP*Dv^"
"""Markers of what was published; ours have a line through them."""
DASHES = ("--", ":", "-.")


def draw(measured: Sequence[Measured], title: str, caption: str) -> Figure:
    """All curves; the legend above, where they come from below."""
    planners = list(dict.fromkeys(line.planner for each in measured for line in each.lines))
    published = list(dict.fromkeys(point.name for each in measured for point in each.curve.paper))
    across = min(len(measured), ACROSS)
    down = -(-len(measured) // across)
    with style():
        width = max(WIDE * across, 5.4)
        figure, every = blank(width, HIGH * down + 1.2, len(measured), across)
        heat = [each for each in measured if _is_heat(each)]
        values = [point.figure.value for each in heat for line in each.lines for point in line.points]
        for each, axes in zip(measured, every, strict=True):
            if _is_heat(each):
                _heat_map(axes, each, min(values, default=0.0), max(values, default=1.0))
            else:
                _panel(axes, each, planners, published)
        handles = {
            label: handle
            for axes in every
            for handle, label in zip(*axes.get_legend_handles_labels(), strict=True)
        }
        # Ours first, in the order of the file.
        entries = [label for label in (*map(clip, planners), *published) if label in handles]
        about = "\n".join(textwrap.wrap(title, int(11 * width)))
        if entries:
            figure.legend(
                [handles[label] for label in entries],
                entries,
                title=about,
                title_fontsize=11,
                loc="outside upper center",
                # About thirteen letters go into an inch, and the lines before them need half of one.
                ncols=max(1, min(len(entries), int(width / (0.5 + max(map(len, entries)) / 13)))),
            )
        else:
            figure.suptitle(about, fontsize=11)
        cover = max((each.confidence for each in measured), default=0.95)
        bars = "" if len(heat) == len(measured) else f" Bars: {100 * cover:g} % intervals."
        words = f"Published: {caption}.{bars}"
        figure.supxlabel("\n".join(textwrap.wrap(words, int(15 * width))), fontsize=8)
        return figure


def _is_heat(measured: Measured) -> bool:
    return isinstance(measured.curve, Curve) and measured.curve.style == "heat map"


def _heat_map(axes: Axes, measured: Measured, low: float, high: float) -> None:
    """A row for each planner, a column for each value of the parameter, figures in the cells."""
    import numpy as np

    lines = measured.lines
    columns = sorted({point.at for line in lines for point in line.points})
    cells = np.full((len(lines), len(columns)), np.nan)
    for row, line in enumerate(lines):
        for point in line.points:
            cells[row, columns.index(point.at)] = point.figure.value
    axes.imshow(cells, cmap="cividis", vmin=low, vmax=max(high, low + 1e-9), origin="lower", aspect="auto")
    for row, column in zip(*np.nonzero(~np.isnan(cells)), strict=True):
        value = cells[row, column]
        ink = "#1a1a1a" if value - low > 0.6 * (high - low) else "white"
        axes.text(column, row, f"{value:.4g}", ha="center", va="center", color=ink, fontsize=8)
    axes.set_xticks(range(len(columns)), [f"{at:,.10g}" for at in columns])
    axes.set_yticks(range(len(lines)), _apart([line.planner for line in lines]))
    axes.tick_params(length=0)
    for spine in axes.spines.values():
        spine.set_visible(False)
    axes.set_title(clip(f"{measured.curve.title}: {measured.curve.measure}", 48), fontsize=10)
    axes.set_xlabel(measured.curve.parameter)


def _apart(planners: Sequence[str]) -> list[str]:
    """What tells planners apart: names, and among the same names the parameters that not all have.

    >>> from kibitz.lab.reports.curves import _apart
    >>> _apart(["hindsight(worlds=3, horizon=1)", "hindsight(worlds=3, horizon=5)"])
    ['horizon=1', 'horizon=5']
    >>> _apart(["patrol(clockwise)", "patrol(counterclockwise)", "hindsight(worlds=3)"])
    ['patrol(clockwise)', 'patrol(counterclockwise)', 'hindsight']
    >>> _apart([f"hindsight(belief=particles({n}, weights=none))" for n in (10, 30)])
    ['belief=particles(10)', 'belief=particles(30)']
    """
    specs = [read(planner) for planner in planners]
    alike: defaultdict[str, list[Spec]] = defaultdict(list)
    for spec in specs:
        alike[spec.name].append(spec)
    labels = []
    for spec in specs:
        group = alike[spec.name]
        own = frozenset.intersection(*(frozenset(each.parameters) for each in group))
        given = [
            (key, _value_apart(value, [dict(each.parameters).get(key, "") for each in group]))
            for key, value in spec.parameters
            if (key, value) not in own
        ]
        told = ", ".join(f"{key}={value}" if key else value for key, value in given)
        labels.append(told if told and len(alike) == 1 else spec.name + (f"({told})" if told else ""))
    return [clip(label, 30) for label in labels]


def _value_apart(value: str, others: Sequence[str]) -> str:
    """A parameter's value, without what all values of the same name have."""
    if "(" not in value:
        return value
    spec = read(value)
    alike = [each for each in map(read, {*others}) if each.name == spec.name]
    return spec.text(frozenset.intersection(*(frozenset(each.parameters) for each in alike)))


def _panel(axes: Axes, measured: Measured, planners: list[str], published: list[str]) -> None:
    """One game: a line for each planner, and what was published of it."""
    curve = measured.curve
    for place, line in enumerate(measured.lines):
        if not line.points:
            continue
        number = planners.index(line.planner)
        look: dict[str, Any] = {
            "color": COLOURS[number % len(COLOURS)],
            "marker": MARKERS[number % len(MARKERS)],
        }
        aside = 2 * (place - (len(measured.lines) - 1) / 2)
        points = [_point(point.at, point.figure) for point in line.points]
        draw_line(axes, points, clip(line.planner), aside=aside, **look)
    for point in curve.paper:
        number = published.index(point.name)
        if point.at is None:
            dashes = DASHES[number % len(DASHES)]
            axes.axhline(point.value, color=INK, linewidth=1.2, linestyle=dashes, label=point.name)
        else:
            look = {"color": INK, "marker": PUBLISHED[number % len(PUBLISHED)], "markersize": 8}
            figure = point.figure(measured.confidence)
            draw_line(axes, [_point(point.at, figure)], point.name, linestyle="none", **look)
    ours = {point.at for line in measured.lines for point in line.points}
    ticks = ours | {point.at for point in curve.paper if point.at is not None}
    if curve.parameter == COST:
        axes.set_xscale("log")
        axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
        axes.xaxis.set_minor_formatter("")
    elif ticks:
        amounts_axis(axes, sorted(ticks))
    axes.set_title(clip(curve.title, 48), fontsize=10)
    per = " a move" if curve.parameter in BUDGETS else " a game" if curve.parameter == COST else ""
    axes.set_xlabel(curve.parameter + per)
    axes.set_ylabel(curve.measure)
    if curve.measure == "win rate":
        axes.yaxis.set_major_formatter(lambda value, _: f"{100 * value:.0f} %")
    axes.grid(axis="y")


def _point(at: float, figure: Value) -> Point:
    """With a bar, where the interval has two ends."""
    if figure.interval is None or not all(map(math.isfinite, figure.interval)):
        return Point(at, figure.value, math.nan, math.nan)
    return Point(at, figure.value, *figure.interval)
