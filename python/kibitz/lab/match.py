"""Matches: planners on the same deals with the seats rotated, and what the games come to.

`play_games` plays and yields records, `summarise` makes figures of any records, and `match` does
both. Somebody who stops in the middle summarises what there is.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from kibitz._core import Game
from kibitz.episode import play
from kibitz.games import load
from kibitz.lab.record import Record
from kibitz.lab.seating import Seating, deals_for, seatings
from kibitz.lab.standings import MatchResult, Seat, Standing, summarise, win_shares
from kibitz.planners import AnyPlanner
from kibitz.rules import Rules

__all__ = [
    "Clock",
    "Maker",
    "MatchResult",
    "Seat",
    "Standing",
    "labels",
    "match",
    "plan",
    "play_games",
    "summarise",
    "win_shares",
]

Maker = str | Callable[[], AnyPlanner]
"""A planner's spec, or what makes a new planner: each seat of each game has one of its own."""


def match(
    game: str | Game | Rules[Any],
    planners: Sequence[Maker],
    *,
    games: int = 100,
    seed: int = 0,
    jobs: int = 1,
    max_steps: int | None = None,
    on_game: Callable[[Record], object] | None = None,
) -> MatchResult:
    """Plays a match: each planner gets at least `games` games, every deal is played in all seatings.

    In a game of one, every planner plays the same deals. A planner is a spec or a function that
    makes one. A game that need not end is left after `max_steps`, or where the rest hardly counts
    (see `kb.play`). The same seed gives the same result with any number of `jobs` (processes), as long
    as the planners' budgets are simulations. `on_game` is called after each game.

    >>> import kibitz as kb
    >>> result = kb.match("tic-tac-toe", ["uct(simulations=50)", "random"], games=20, seed=1)
    >>> result.games, result.standings[0].mean_return > result.standings[1].mean_return
    (20, True)
    """
    game = load(game)
    records = []
    for record in play_games(game, planners, games=games, seed=seed, jobs=jobs, max_steps=max_steps):
        records.append(record)
        if on_game is not None:
            on_game(record)
    return summarise(game, labels(planners), records, seed=seed)


@dataclass(frozen=True)
class Deal:
    """A piece of work: one deal in all seatings, or in some of them. It can be sent to another process."""

    game: Game
    planners: tuple[Maker, ...]
    seed: int
    episode: int
    seatings: tuple[Seating, ...]
    max_steps: int | None = None

    def play(self) -> list[Record]:
        """Plays all of it."""
        return list(self.games())

    def games(self) -> Iterator[Record]:
        """Plays it, game by game."""
        for seating in self.seatings:
            makers = [self.planners[number] for number in seating]
            chosen = [maker if isinstance(maker, str) else maker() for maker in makers]
            played = play(self.game, chosen, seed=self.seed, episode=self.episode, max_steps=self.max_steps)
            seconds = [0.0] * len(seating)
            for step in played.steps:
                for mover, decision in zip(step.movers, step.decisions, strict=False):
                    seconds[mover] += decision.seconds
            returns, steps = tuple(played.returns), len(played.steps)
            yield Record(self.episode, seating, returns, steps, tuple(seconds), played.over)


def plan(
    game: Game, planners: Sequence[Maker], *, games: int, seed: int = 0, max_steps: int | None = None
) -> list[Deal]:
    """The work of a match, in pieces that may be done in any order and anywhere.

    >>> import kibitz as kb
    >>> from kibitz.lab.match import plan
    >>> [deal.episode for deal in plan(kb.load("tic-tac-toe"), ["uct", "random"], games=5)]
    [0, 1, 2]
    """
    if not planners:
        raise ValueError("a match needs at least one planner")
    if games < 1:
        raise ValueError(f"a match needs at least one game, not {games}")
    seats = game.info.players
    table = tuple(seatings(len(planners), seats))
    deals = range(deals_for(games, len(planners), seats))
    return [Deal(game, tuple(planners), seed, episode, table, max_steps) for episode in deals]


def play_games(
    game: Game,
    planners: Sequence[Maker],
    *,
    games: int,
    seed: int = 0,
    jobs: int = 1,
    max_steps: int | None = None,
) -> Generator[Record, None, None]:
    """The games of a match as they finish: in order with one job, deal by deal with several.

    >>> import kibitz as kb
    >>> first = next(kb.lab.play_games(kb.load("kuhn-poker"), ["uct", "random"], games=10))
    >>> first.episode, first.seating
    (0, (0, 1))
    """
    deals = plan(game, planners, games=games, seed=seed, max_steps=max_steps)
    if jobs < 1:
        raise ValueError(f"a match needs at least one job, not {jobs}")
    if jobs == 1 or len(deals) == 1:
        for deal in deals:
            yield from deal.games()
        return
    from kibitz.lab.pool import in_processes

    for records in in_processes(Deal.play, deals, jobs):
        yield from records


def labels(planners: Sequence[Maker]) -> list[str]:
    """The planners' names for people; the second of the same name is marked.

    >>> from kibitz.lab.match import labels
    >>> labels(["uct", "uct", "random"])
    ['uct', 'uct #2', 'random']
    """
    seen: Counter[str] = Counter()
    names = []
    for maker in planners:
        name = maker if isinstance(maker, str) else getattr(maker, "__name__", type(maker).__name__)
        seen[name] += 1
        names.append(name if seen[name] == 1 else f"{name} #{seen[name]}")
    return names


class Clock:
    """How far a match is: done, rate, and how long the rest will take."""

    def __init__(self, total: int, now: Callable[[], float] = time.monotonic) -> None:
        self.total, self.done, self._now = total, 0, now
        self._begin = now()

    @property
    def elapsed(self) -> float:
        """Seconds since the beginning."""
        return self._now() - self._begin

    @property
    def rate(self) -> float:
        """Games a second."""
        return self.done / self.elapsed if self.elapsed > 0 else 0.0

    @property
    def left(self) -> float | None:
        """Seconds that the rest will take, as it looks now."""
        return (self.total - self.done) / self.rate if self.rate > 0 else None
