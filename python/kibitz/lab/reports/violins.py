"""The picture of a reproduction's orders: how what planners get, or take, is spread; a panel each."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from statistics import fmean, quantiles
from typing import TYPE_CHECKING, Any, cast

from kibitz.lab.reports.curves import _apart
from kibitz.lab.reports.plots import COLOURS, INK, blank, style
from kibitz.lab.statistics import mean_interval

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from kibitz.lab.orders import Rank
    from kibitz.lab.reproductions import Order

WIDE, HIGH = 1.1, 3.6
"""Inches of a violin, and of a panel."""


def draw(orders: Sequence[tuple[Order, list[Rank]]], title: str, caption: str, confidence: float) -> Figure:
    """A panel for each order, below each other: means with intervals, dashes at the quartiles."""
    with style():
        most = max(len(order.planners) for order, _ in orders)
        width = max(WIDE * most + 1.2, 6.0)
        figure, panels = blank(width, HIGH * len(orders) + 1.0, len(orders), 1)
        for (order, ranks), axes in zip(orders, panels, strict=True):
            _panel(axes, order, ranks, confidence)
        figure.suptitle("\n".join(textwrap.wrap(title, int(11 * width))), fontsize=11)
        words = (
            f"Published: {caption}. White: means with {100 * confidence:g} % intervals; dashes: quartiles."
        )
        figure.supxlabel("\n".join(textwrap.wrap(words, int(15 * width))), fontsize=8)
        return figure


def _panel(axes: Axes, order: Order, ranks: list[Rank], confidence: float) -> None:
    samples: dict[str, tuple[float, ...]] = {}
    for seat in (0, 1):
        for rank in ranks:
            samples.setdefault((rank.first, rank.second)[seat], rank.samples[seat])
    for place, values in enumerate(samples.values()):
        if len({*values}) < 2:
            continue
        violin = axes.violinplot([values], [place], widths=0.85, showextrema=False)
        colour = COLOURS[place % len(COLOURS)]
        for body in cast(Any, violin["bodies"]):
            body.set(facecolor=colour, alpha=0.8, edgecolor=INK)
        for part in quantiles(values, n=4):
            axes.plot([place - 0.25, place + 0.25], [part, part], color=INK, linewidth=0.9, linestyle="--")
        mean = fmean(values)
        low, high = mean_interval([[value] for value in values], confidence)
        reach = [[mean - low], [high - mean]]
        axes.errorbar(place, mean, yerr=reach, color="white", marker="o", markersize=4, linewidth=3)
    axes.set_xticks(range(len(samples)), _apart(list(samples)), rotation=20, ha="right", fontsize=8)
    axes.set_ylabel("return" if order.measure == "mean return" else "CPU seconds a game")
    axes.set_title(order.title, fontsize=10)
    axes.grid(axis="y")
