"""Games in real time from rules files (rtGDL), one state at a time. No peer has the language."""

from __future__ import annotations

import statistics
from collections.abc import Iterator

import kibitz as kb
from kibitz import lang
from kibitz.bench._measure import Row, Scale, rate


def rows(scale: Scale) -> Iterator[Row]:
    """Events a second: moves, what expires, and what chance draws."""
    for entry in lang.shipped_rules():
        if entry.name.startswith("real-time-"):
            yield _row(entry.name, scale)


def _row(name: str, scale: Scale) -> Row:
    game = kb.load(name)
    count = max(1, scale.simulations // 100)

    def events(turn: int) -> int:
        return game.playouts(count, turn)[1]

    rates = [rate(events, scale.seconds, turn) for turn in range(scale.turns)]
    note = "random games, everybody moves as soon as it may"
    return Row("real_time", f"events, {name}", "events/s", statistics.median(rates), note=note)
