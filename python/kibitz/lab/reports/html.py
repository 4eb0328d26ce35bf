"""A report as one page that needs nothing else: tables, pictures, games, and how it was made."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

from kibitz.lab import replay as replays
from kibitz.lab.reports.figures import Block
from kibitz.lab.reports.page import document, image, table
from kibitz.lab.reports.plots import TITLES, plots, svg
from kibitz.lab.reports.replays import replay_section
from kibitz.lab.reports.text import block_table, notes, troubles

MOST_REPLAYS, MOST_TURNS = 24, 120
"""How many games a report shows, and how many turns of each."""
WIDE = 7.6
"""Inches from which a picture goes across the page."""


def report_html(
    title: str, blocks: Sequence[Block], about: Mapping[str, str], configuration: Any, kept: Sequence[Path]
) -> str:
    """The whole page."""
    games = sum(block.result.games for block in blocks)
    faults = sum(block.result.faults for block in blocks)
    left_out = (
        f"; {faults:,} came to nothing: lost by who is to blame, left out where nobody is" if faults else ""
    )
    one = len(blocks) == 1
    parts = [
        f"<h1>{escape(title)}</h1>",
        f'<p class="dim">{games:,} games of {"one game" if one else f"{len(blocks)} games"}{left_out}</p>',
    ]
    for block in blocks:
        parts += _block(block)
    parts += _replays(kept)
    parts += _about(about, configuration)
    return document(title, parts)


def fragment(blocks: Sequence[Block], *, pictures: bool = True) -> str:
    """The tables and pictures for a notebook, which has a style of its own."""
    parts = []
    for block in blocks:
        head, *rows = block_table(block)
        parts.append(f"<h3>{escape(block.facts.spec)}</h3><p>{escape(block.head)}</p>{table(head, rows)}")
        if pictures:
            parts += [image(svg(draw()), TITLES[name]) for name, draw in plots(block).items()]
    return "\n".join(parts)


def _block(block: Block) -> Iterator[str]:
    yield f"<h2>{escape(block.facts.spec)}</h2>"
    common = f"; {escape(block.common)}" if block.common else ""
    yield f'<p class="dim">{escape(block.head)}{common}</p>'
    head, *rows = block_table(block)
    yield table(head, rows)
    yield from (f'<p class="dim">{escape(note)}</p>' for note in notes(block))
    if block.troubles:
        each = "".join(f"<li>{escape(words)}</li>" for words in troubles(block))
        yield f'<ul class="fault">{each}</ul>'
    pictures = []
    for name, draw in plots(block).items():
        figure = draw()
        wide = ' class="across"' if figure.get_figwidth() > WIDE else ""
        picture = svg(figure, inline=True)
        pictures.append(f"<figure{wide}>{picture}<figcaption>{TITLES[name]}</figcaption></figure>")
    pictures.sort(key=lambda picture: picture.startswith("<figure class"))
    yield f'<div class="plots">{"".join(pictures)}</div>'
    if any(line.name != line.standing.planner for line in block.lines):
        specs = "".join(f'<li class="spec">{escape(line.standing.planner)}</li>' for line in block.lines)
        yield f"<details><summary>The planners in full</summary><ul>{specs}</ul></details>"


def _replays(kept: Sequence[Path]) -> Iterator[str]:
    failed = []
    if kept:
        yield "<h2>A game of each pairing</h2>"
    for path in kept[:MOST_REPLAYS]:
        try:
            replay = replays.load(path)
            section = replay_section(replay, most=MOST_TURNS)
        except (ValueError, OSError) as error:
            failed.append(f"{path.name}: {error}")
            continue
        against = " – ".join(f'<span class="spec">{escape(spec)}</span>' for spec in replay.planners)
        deal = f"seed {replay.seed}, episode {replay.episode}"
        yield (
            f"<details><summary>{escape(replay.game)}: {against} "
            f'<span class="dim">{deal}</span></summary>{section}</details>'
        )
    if len(kept) > MOST_REPLAYS:
        yield f'<p class="dim">and {len(kept) - MOST_REPLAYS} more, which kibitz replay shows</p>'
    if failed:
        words = "; ".join(failed[:3]) + (f"; and {len(failed) - 3} more" if len(failed) > 3 else "")
        yield f'<p class="note">Some saved games cannot be shown: {escape(words)}</p>'


def _about(about: Mapping[str, str], configuration: Any) -> Iterator[str]:
    yield "<h2>How this was made</h2>"
    items = "".join(f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>" for name, value in about.items())
    yield f"<dl>{items}</dl>"
    yield (
        '<p class="dim">A win is the best return alone; k who share it have 1/k each. Intervals cover 95 % '
        "and take deals as the unit: games on the same deal hang together. Those of win rates and mean "
        "returns lie within the bounds of the game; Elo is Bradley and Terry’s.</p>"
    )
    if configuration is not None:
        text = json.dumps(configuration, indent=2, ensure_ascii=False, default=str)
        yield f"<details><summary>The resolved configuration</summary><pre>{escape(text)}</pre></details>"
