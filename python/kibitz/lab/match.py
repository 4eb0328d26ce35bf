"""Matches: planners on the same deals with the seats rotated, and what the games come to.

`play_games` plays and yields records, `summarise` makes figures of any records, and `match` does
both. Somebody who stops in the middle summarises what there is.
"""

from __future__ import annotations

import contextlib
import time
from collections import Counter
from collections.abc import Callable, Generator, Sequence

from kibitz._arguments import checked
from kibitz._core import Game
from kibitz.games import load
from kibitz.lab.cells import Cell
from kibitz.lab.episodes import Job, Playing
from kibitz.lab.executors import Lost, executor
from kibitz.lab.executors.batches import TRIES, Batches
from kibitz.lab.experiment import Maker
from kibitz.lab.record import Record
from kibitz.lab.seating import deals_for
from kibitz.lab.standings import MatchResult, Seat, Standing, summarise, win_shares
from kibitz.rules import AnyGame

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
    "whole_deals",
    "win_shares",
]


@checked("game", planners="a list of specs, or of classes and functions that make planners")
def match(
    game: AnyGame,
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


def plan(
    game: Game, planners: Sequence[Maker], *, games: int, seed: int = 0, max_steps: int | None = None
) -> Playing:
    """What a match plays: an experiment of one cell, in which a fault is an exception.

    >>> import kibitz as kb
    >>> from kibitz.lab.match import plan
    >>> plan(kb.load("tic-tac-toe"), ["uct", "random"], games=5).cells[0].deals
    3
    """
    if not planners:
        raise ValueError("a match needs at least one planner")
    if games < 1:
        raise ValueError(f"a match needs at least one game, not {games}")
    names, seats = tuple(labels(planners)), game.info.players
    cell = Cell("", game.spec, names, seed, seats, deals_for(games, len(planners), seats))
    makers = dict(zip(names, planners, strict=True))
    return Playing((cell,), {game.spec: game}, makers, max_steps, catch=False)


@checked(planners="a list of specs, or of classes and functions that make planners")
def play_games(
    game: Game,
    planners: Sequence[Maker],
    *,
    games: int,
    seed: int = 0,
    jobs: int = 1,
    max_steps: int | None = None,
) -> Generator[Record, None, None]:
    """The games of a match as they finish, in order with one job.

    >>> import kibitz as kb
    >>> first = next(kb.lab.play_games(kb.load("kuhn-poker"), ["uct", "random"], games=10))
    >>> first.episode, first.seating
    (0, (0, 1))
    """
    playing = plan(game, planners, games=games, seed=seed, max_steps=max_steps)
    if jobs < 1:
        raise ValueError(f"a match needs at least one job, not {jobs}")
    cell = playing.cells[0]
    place = executor(playing, lambda: None, jobs=min(jobs, cell.episodes))
    left = (
        Job(0, deal, number) for deal in range(cell.deals) for number in range(len(cell.seatings(deal)))
    )
    batches = Batches(left, place.batch_seconds)
    with contextlib.closing(place.run(batches.next)) as events:
        for event in events:
            if isinstance(event, Lost):
                batches.lost(event.jobs, event.suspects)
                if max(batches.losses.values()) >= TRIES:
                    raise RuntimeError(f"a process died {TRIES} times while it played the same game")
                continue
            for record, seconds in zip(event.records, event.seconds, strict=True):
                batches.took(Job(0, record.episode, 0), seconds)
                yield record


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


def whole_deals(cell: Cell, records: Sequence[Record]) -> list[Record]:
    """Of games that were stopped in the middle, those on the deals before the first that is not complete.

    Where several are played at once, what ends first is no fair sample. Those of the first deal count
    in any case.

    >>> from kibitz.lab import Record
    >>> from kibitz.lab.cells import Cell
    >>> from kibitz.lab.match import whole_deals
    >>> cell = Cell("", "tic-tac-toe", ("a", "b"), seed=0, players=2, deals=9)
    >>> there = [(0, (0, 1)), (0, (1, 0)), (2, (0, 1)), (2, (1, 0))]
    >>> records = [Record(deal, seating, (1.0, -1.0), 5, (0.0, 0.0)) for deal, seating in there]
    >>> [record.episode for record in whole_deals(cell, records)]
    [0, 0]
    """
    there = Counter(record.episode for record in records)
    deals = 0
    while deals < cell.deals and there[deals] == len(cell.seatings(deals)):
        deals += 1
    return [record for record in records if record.episode < max(1, deals)]


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
