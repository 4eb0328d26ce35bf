"""Pictures of results: score against budget, who beats whom, how returns are spread, time a move.

Drawn with matplotlib on figures of their own, without a display. Colours are Okabe and Ito's, which
colour-blind people tell apart; markers differ too. The same results give the same SVG.
"""

from __future__ import annotations

import io
import math
import re
import warnings
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from kibitz.lab.reports.figures import Block, Line
from kibitz.lab.reports.names import clip

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.image import AxesImage

COLOURS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#7f7f7f")
MARKERS = "os^Dvp*XP"
SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
INK, GRID = "#222222", "#bbbbbb"
FEW = 6
"""Up to so many different returns are counted, more make a violin."""
FEW_PANELS = 4
"""Of more budgets than this, the largest have a matrix."""
UNKNOWN = math.nan, math.nan
"""The ends of an interval that cannot be told yet: there is no bar then, not one without a width."""
MOST = 16
"""More planners than this make a picture nobody can read."""


def plots(block: Block) -> dict[str, Callable[[], Figure]]:
    """The pictures that a game's results give rise to, by name; each is drawn when it is called."""
    found: dict[str, Callable[[], Figure]] = {}
    if not any(line.standing.games for line in block.lines):
        return found
    if block.sweep:
        found["budget"] = lambda: against_budget(block)
    if any(len(panel.columns) > 1 for panel in _panels(block)):
        found["matrix" if block.result.won_or_lost else "margins"] = lambda: win_matrix(block)
    found["returns"] = lambda: spread(block)
    if any(line.standing.seconds_a_move for line in block.lines):
        found["time"] = lambda: time_a_move(block)
    return found


TITLES = {
    "budget": "Score against budget",
    "matrix": "Who beats whom",
    "margins": "Who gets more than whom",
    "returns": "Returns",
    "time": "Time a move",
}


def against_budget(block: Block) -> Figure:
    """A line for each planner over its budgets, with 95 % intervals."""
    groups: defaultdict[tuple[str, str], list[Line]] = defaultdict(list)
    for line in block.lines:
        if line.standing.games and line.budget is not None:
            groups[line.family, line.budget.kind].append(line)
    colours = _colours(block)
    kinds = [kind for _, kind in groups]
    kind = max(set(kinds), key=lambda each: (kinds.count(each), each))
    with style():
        figure, (axes,) = blank(6.4, 4.0)
        shown = [(family, rows) for (family, each), rows in groups.items() if each == kind][:MOST]
        for number, (family, rows) in enumerate(shown):
            rows = sorted(rows, key=lambda line: line.budget or ("", 0))
            points = [Point(line.budget.amount, *_score(line, block)) for line in rows if line.budget]
            aside = number - (len(shown) - 1) / 2
            dashes = ("-", "--", ":")[number // len(COLOURS) % 3]
            look = {"color": colours[family], "marker": MARKERS[number % len(MARKERS)], "linestyle": dashes}
            draw_line(axes, points, clip(family), aside=aside, **look)
        amounts_axis(
            axes, sorted({line.budget.amount for _, rows in shown for line in rows if line.budget})
        )
        axes.set_xlabel(f"{kind} a move")
        if block.several and block.result.won_or_lost:
            axes.set_ylabel("win rate")
            axes.yaxis.set_major_formatter(lambda value, _: f"{100 * value:.0f} %")
            axes.axhline(
                1 / len(block.facts.players), color=GRID, linewidth=1, linestyle=(0, (4, 3)), zorder=0
            )
            axes.set_ylim(-0.03, 1.03)
        else:
            axes.set_ylabel("mean return")
            _reference(axes, block)
        axes.grid(axis="y")
        axes.legend(loc="best")
        return figure


class Point(NamedTuple):
    """A value with its interval, over an amount."""

    amount: float
    value: float
    low: float
    high: float


def draw_line(axes: Axes, points: Sequence[Point], label: str, *, aside: float = 0.0, **look: Any) -> None:
    """A line through points with their intervals, a little `aside` of others over the same amounts."""
    # Intervals at the same amount stand beside each other, not on top of each other.
    amounts = [(1 + 0.025 * aside) * point.amount for point in points]
    below = [point.value - point.low for point in points]
    above = [point.high - point.value for point in points]
    look = {"capsize": 3, "linewidth": 1.8} | look
    axes.errorbar(amounts, [point.value for point in points], yerr=[below, above], label=label, **look)


def amounts_axis(axes: Axes, ticks: list[float]) -> None:
    """An x axis with a tick at every amount; in powers, where they go far."""
    if ticks[0] > 0 and ticks[-1] / ticks[0] >= 4:
        axes.set_xscale("log")
    axes.set_xticks(_spaced(ticks), _amounts(_spaced(ticks)))
    axes.minorticks_off()


def _amounts(ticks: list[float]) -> list[str]:
    """Amounts in words; powers of ten as such where they would be long.

    >>> from kibitz.lab.reports.plots import _amounts
    >>> _amounts([1024, 4096]), _amounts([10, 100000])
    (['1,024', '4,096'], ['10¹', '10⁵'])
    """
    words = [f"{tick:,.10g}" for tick in ticks]
    if max(map(len, words)) > 6 and all(re.fullmatch("1[0,]*", word) for word in words):
        return ["10" + str(word.count("0")).translate(SUPERSCRIPTS) for word in words]
    return words


def _spaced(ticks: list[float]) -> list[float]:
    """Budgets far enough from each other for their names to stand side by side."""
    if len(ticks) <= 8:
        return ticks
    return ticks[:: -(-len(ticks) // 8)]


def _reference(axes: Axes, block: Block) -> None:
    """In a game of one, planners without a budget are lines to compare with."""
    for line in block.lines:
        if line.budget is None and line.standing.games:
            axes.axhline(
                line.standing.mean_return, color=INK, linewidth=1.2, linestyle=":", label=clip(line.name)
            )


def _score(line: Line, block: Block) -> tuple[float, float, float]:
    """The win rate, or the mean return where a game pays more than won or lost, with its interval."""
    row = line.standing
    if block.several and block.result.won_or_lost and row.win_rate is not None:
        return row.wins / row.games, row.win_rate.low, row.win_rate.high
    return row.mean_return, *(row.return_interval or UNKNOWN)


class Panel(NamedTuple):
    """A part of the win-rate matrix: planners that may have met."""

    title: str
    rows: list[Line]
    columns: list[Line]


def win_matrix(block: Block) -> Figure:
    """Heat maps: how often the planner of a row gets more than that of a column, or by how much.

    By how much where the game pays more than won or lost: who wins many small pots may lose the large ones.
    """
    panels = _panels(block)
    margins = [abs(meeting.margin or 0.0) for meeting in block.result.meetings]
    most = None if block.result.won_or_lost else max(margins, default=0.0) or 1.0
    with style():
        down = max(len(clip(line.caption, 32)) for panel in panels for line in panel.rows)
        across = max(len(clip(line.caption, 32)) for panel in panels for line in panel.columns)
        rows = max(len(panel.rows) for panel in panels)
        columns = sum(len(panel.columns) for panel in panels)
        width = 0.62 * columns + 0.085 * down + 0.35 * len(panels) + 1.4
        height = 0.62 * rows + 0.056 * across + 1.1
        figure, every = blank(max(width, 3.2), max(height, 2.4), len(panels))
        for number, (panel, axes) in enumerate(zip(panels, every, strict=True)):
            picture = _heat(axes, panel, block, most, names=number == 0)
        bar = figure.colorbar(picture, ax=every, fraction=0.04, pad=0.02, shrink=0.7)
        if most is None:
            bar.ax.set_yticks([0, 0.25, 0.5, 0.75, 1], ["0 %", "25 %", "50 %", "75 %", "100 %"])
        bar.outline.set_visible(False)
        return figure


def _heat(axes: Axes, panel: Panel, block: Block, most: float | None, *, names: bool) -> AxesImage:
    """One panel: shares of games, or margins up to `most`."""
    import numpy as np

    shape = len(panel.rows), len(panel.columns)
    shares, games = np.full(shape, np.nan), np.zeros(shape, dtype=int)
    row_of = {line.number: index for index, line in enumerate(panel.rows)}
    column_of = {line.number: index for index, line in enumerate(panel.columns)}
    for meeting in block.result.meetings:
        if meeting.planner in row_of and meeting.against in column_of:
            at = row_of[meeting.planner], column_of[meeting.against]
            if most is None:
                shares[at] = meeting.score / meeting.games
            elif meeting.margin is not None:
                shares[at] = meeting.margin
            games[at] = meeting.games
    low, high = (0.0, 1.0) if most is None else (-most, most)
    picture = axes.imshow(shares, cmap="PuOr", vmin=low, vmax=high)
    across = [_caption(line, panel) for line in panel.columns]
    axes.set_xticks(range(len(across)), across, rotation=40, ha="right", rotation_mode="anchor")
    axes.set_yticks(range(len(panel.rows)), [_caption(line, panel) if names else "" for line in panel.rows])
    axes.tick_params(length=0)
    for row, column in zip(*np.nonzero(games), strict=True):
        value = shares[row, column]
        ink = "white" if abs((value - low) / (high - low) - 0.5) > 0.33 else "#1a1a1a"
        size: dict[str, Any] = {"ha": "center", "va": "center", "color": ink}
        words = f"{100 * value:.0f}" if most is None else f"{value:+.2g}"
        axes.text(column, row - 0.08, words, fontsize=10, **size)
        axes.text(column, row + 0.28, f"n={games[row, column]:,}", fontsize=6, **size)
    for spine in axes.spines.values():
        spine.set_visible(False)
    axes.set_title(panel.title, fontsize=10)
    axes.set_xlabel("against")
    return picture


def _caption(line: Line, panel: Panel) -> str:
    """Where a panel is about one budget, it is in the title already."""
    return clip(line.family if panel.title else line.caption, 32)


def _panels(block: Block) -> list[Panel]:
    """One matrix of all, or one for each budget where planners met at the same budget only."""
    budget = {line.number: line.budget for line in block.lines}
    opponents: defaultdict[int, set[int]] = defaultdict(set)
    apart = True
    for meeting in block.result.meetings:
        opponents[meeting.planner].add(meeting.against)
        both = budget[meeting.planner], budget[meeting.against]
        apart = apart and (None in both or both[0] == both[1])
    lines = [line for line in block.lines if line.number in opponents]
    budgets = sorted({line.budget for line in lines if line.budget is not None})
    if apart and len(budgets) > 1:
        every = [[line for line in lines if line.budget in (each, None)] for each in budgets[-FEW_PANELS:]]
        return [
            Panel(str(each), group[:MOST], group[:MOST])
            for each, group in zip(budgets[-FEW_PANELS:], every, strict=True)
        ]
    # Where most have met only a few, the few are the columns.
    few = [line for line in lines if len(opponents[line.number]) > 1]
    if 0 < 2 * len(few) < len(lines):
        common = {line.number for line in few}
        rows = [line for line in lines if opponents[line.number] & common]
        return [Panel("", rows[:MOST], few[:MOST])]
    return [Panel("", lines[:MOST], lines[:MOST])] if lines else []


def _colours(block: Block) -> dict[str, str]:
    """A colour for each planner, whatever its budget."""
    families = list(dict.fromkeys(line.family for line in block.lines))
    return {family: COLOURS[number % len(COLOURS)] for number, family in enumerate(families)}


def spread(block: Block) -> Figure:
    """How the returns are spread, with the mean and its 95 % interval.

    A violin for each planner; where there are only a few different returns, the share of each.
    """
    lines = [line for line in block.lines if line.standing.games][:MOST]
    values = {line.number: block.returns(line.number) for line in lines}
    kinds = sorted({value for each in values.values() for value in each})
    with style():
        figure, axes = _rows_figure(lines)
        if len(kinds) <= FEW:
            _shares(axes, [values[line.number] for line in lines], kinds)
            return figure
        colours = _colours(block)
        for place, line in enumerate(lines):
            colour = colours[line.family]
            if len({*values[line.number]}) > 1:
                violin = axes.violinplot(
                    [values[line.number]], [place], orientation="horizontal", widths=0.8, showextrema=False
                )
                for body in cast(Any, violin["bodies"]):
                    body.set(facecolor=colour, alpha=0.35, edgecolor=colour)
            row = line.standing
            low, high = row.return_interval or UNKNOWN
            reach = [[row.mean_return - low], [high - row.mean_return]]
            axes.errorbar(
                row.mean_return, place, xerr=reach, color=INK, marker="o", markersize=5, capsize=3
            )
        axes.set_xlabel("return (dot: mean with its 95 % interval)")
        axes.grid(axis="x")
        return figure


def _shares(axes: Axes, values: Sequence[Sequence[float]], kinds: Sequence[float]) -> None:
    """A bar for each planner, divided into how often it got what."""
    import matplotlib as mpl

    shades = mpl.colormaps["cividis"]
    counts = [Counter(each) for each in values]
    begin = [0.0] * len(values)
    for index, kind in enumerate(kinds):
        shade = shades(0.1 + 0.85 * index / max(1, len(kinds) - 1))
        ink = "white" if index < len(kinds) / 2 else "#1a1a1a"
        shares = [count[kind] / len(each) for count, each in zip(counts, values, strict=True)]
        axes.barh(range(len(values)), shares, 0.66, begin, color=shade, label=f"{kind:g}")
        for place, share in enumerate(shares):
            if share >= 0.07:
                text = f"{100 * share:.0f} %"
                where = begin[place] + share / 2
                axes.text(where, place, text, ha="center", va="center", color=ink, fontsize=8)
        begin = [left + share for left, share in zip(begin, shares, strict=True)]
    axes.set_xlim(0, 1)
    axes.xaxis.set_major_formatter(lambda value, _: f"{100 * value:.0f} %")
    axes.set_xlabel("share of games")
    axes.legend(title="return", loc="center left", bbox_to_anchor=(1.01, 0.5))


def time_a_move(block: Block) -> Figure:
    """The mean time a move of each planner, and its slowest move."""
    lines = [line for line in block.lines if line.standing.seconds_a_move][:MOST]
    colours = _colours(block)
    with style():
        figure, axes = _rows_figure(lines)
        for place, line in enumerate(lines):
            row = line.standing
            colour = colours[line.family]
            mean = row.seconds_a_move or 0.0
            slowest = max(row.slowest, mean)
            axes.plot([mean, slowest], [place, place], color=colour, linewidth=2, alpha=0.5)
            axes.plot(mean, place, marker="o", markersize=8, color=colour)
            axes.plot(slowest, place, marker="|", markersize=10, color=colour)
        axes.set_xscale("log")
        axes.xaxis.set_major_formatter(lambda value, _: _short_time(value))
        axes.minorticks_off()
        axes.set_xlabel("time a move (dot: mean, bar: slowest)")
        axes.grid(axis="x")
        return figure


def _short_time(seconds: float) -> str:
    for unit, size in ("s", 1.0), ("ms", 1e-3), ("µs", 1e-6):
        if seconds >= 0.999 * size:
            return f"{seconds / size:,.3g} {unit}"
    return f"{seconds / 1e-9:.3g} ns"


def _rows_figure(lines: Sequence[Line]) -> tuple[Figure, Axes]:
    """Axes with a row for each planner, the first on top."""
    names = [clip(line.caption) for line in lines]
    width = 4.4 + 0.075 * max(map(len, names))
    figure, (axes,) = blank(width, 0.9 + 0.48 * len(lines))
    axes.set_yticks(range(len(lines)), names)
    axes.set_ylim(len(lines) - 0.4, -0.6)
    axes.tick_params(axis="y", length=0)
    return figure, axes


def blank(
    width: float, height: float, panels: int = 1, across: int | None = None
) -> tuple[Figure, list[Axes]]:
    """A figure of so many panels, `across` of them (by default all) side by side."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    across = across or panels
    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    down = -(-panels // across)
    return figure, [figure.add_subplot(down, across, number + 1) for number in range(panels)]


@contextmanager
def style() -> Iterator[None]:
    """How all pictures look."""
    import matplotlib as mpl

    settings: dict[str, Any] = {
        "font.family": "DejaVu Sans", "font.size": 10, "axes.labelsize": 10, "xtick.labelsize": 9,
        "ytick.labelsize": 9, "legend.fontsize": 9, "legend.frameon": False, "text.color": INK,
        "axes.labelcolor": INK, "axes.edgecolor": INK, "xtick.color": INK, "ytick.color": INK,
        "axes.linewidth": 0.8, "axes.spines.top": False, "axes.spines.right": False, "grid.color": GRID,
        "grid.linewidth": 0.6, "grid.alpha": 0.6, "axes.axisbelow": True, "text.parse_math": False,
        "svg.hashsalt": "kibitz", "svg.fonttype": "path", "axes.unicode_minus": True,
    }  # fmt: skip
    with mpl.rc_context(cast(Any, settings)), warnings.catch_warnings():
        # A sign that the font lacks becomes a box; that is no news to the person at the keyboard.
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        yield


def svg(figure: Figure, *, inline: bool = False) -> str:
    """A figure as SVG, without dates; `inline` for a page, whose colour of text it takes."""
    out = io.StringIO()
    with style():
        figure.savefig(out, format="svg", transparent=inline, metadata={"Date": None, "Creator": "kibitz"})
    text = out.getvalue()
    if not inline:
        return text
    text = text[text.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    return text.replace(INK, "currentColor")


def png(figure: Figure) -> bytes:
    """A figure as PNG."""
    out = io.BytesIO()
    with style():
        figure.savefig(out, format="png", dpi=160, facecolor="white", metadata={"Software": "kibitz"})
    return out.getvalue()
