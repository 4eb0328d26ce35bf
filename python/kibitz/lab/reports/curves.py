"""The picture of a reproduction's curves: a panel each, ours in colour, the published points in black."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from kibitz.lab.reports.names import BUDGETS, clip
from kibitz.lab.reports.plots import COLOURS, INK, MARKERS, Point, amounts_axis, blank, draw_line, style
from kibitz.lab.reproductions import COST
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
        for each, axes in zip(measured, every, strict=True):
            _panel(axes, each, planners, published)
        handles = {
            label: handle
            for axes in every
            for handle, label in zip(*axes.get_legend_handles_labels(), strict=True)
        }
        # Ours first, in the order of the file.
        entries = [label for label in (*map(clip, planners), *published) if label in handles]
        figure.legend(
            [handles[label] for label in entries],
            entries,
            title="\n".join(textwrap.wrap(title, int(11 * width))),
            title_fontsize=11,
            loc="outside upper center",
            # About thirteen letters go into an inch, and the lines before them need half of one.
            ncols=max(1, min(len(entries), int(width / (0.5 + max(map(len, entries)) / 13)))),
        )
        cover = max((each.confidence for each in measured), default=0.95)
        words = f"Published: {caption}. Bars: {100 * cover:g} % intervals."
        figure.supxlabel("\n".join(textwrap.wrap(words, int(15 * width))), fontsize=8)
        return figure


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
