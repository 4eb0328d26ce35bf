"""The playthroughs that are kept, and what to do where a game plays otherwise."""

from __future__ import annotations

from pathlib import Path

from kibitz.testing.playthrough import playthrough

GOLDEN = Path(__file__).parent / "golden"
WRITE = "python -m kibitz.testing.playthrough --write tests/golden"


def check_golden(name: str) -> None:
    """The game plays as it is kept."""
    file = GOLDEN / f"{name}.txt"
    assert file.exists(), f"{name} has no golden playthrough yet: {WRITE}"
    assert playthrough(name) == file.read_text(encoding="utf-8"), f"if this is meant: {WRITE}"
