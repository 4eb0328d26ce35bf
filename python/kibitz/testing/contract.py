"""What the checks of games and of planners share."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field


class ContractError(AssertionError):
    """A game or a planner breaks the contract; the message says how and where."""


@dataclass
class Report:
    """What was checked, and how often."""

    subject: str
    """The game, or the planner and the game."""
    counts: Counter[str] = field(default_factory=Counter)
    """How often each thing was checked. A count of zero says that it never came up."""
    refused: str | None = None
    """Why the planner would not play this game, if so; then nothing was checked."""

    @property
    def passed(self) -> bool:
        """True: what fails raises `ContractError` instead. False where the planner refused."""
        return self.refused is None

    def __str__(self) -> str:
        if self.refused is not None:
            return f"{self.subject}: refused ({self.refused})"
        counts = ", ".join(f"{count} {what}" for what, count in self.counts.items())
        return f"{self.subject}: passed ({counts})"
