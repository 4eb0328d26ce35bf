"""Matches: planners on the same deals with the seats rotated, and what the games come to.

`play_games` plays and yields records, `summarise` makes figures of any records, and `match` does
both. Somebody who stops in the middle summarises what there is.
"""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from kibitz._core import Game, Info
from kibitz.episode import play
from kibitz.games import load
from kibitz.lab.record import Record
from kibitz.lab.seating import Seating, deals_for, seatings
from kibitz.lab.statistics import Interval, Rating, bradley_terry, mean_and_error, wilson
from kibitz.planners import AnyPlanner
from kibitz.rules import Rules

Maker = str | Callable[[], AnyPlanner]
"""A planner's spec, or what makes a new planner: each seat of each game has one of its own."""


@dataclass(frozen=True)
class Standing:
    """How one planner fared."""

    planner: str
    games: int
    """On how many seats it has played."""
    wins: float
    """Games with the best return; a shared best counts as a part. In a game of one: with the best
    return there can be."""
    win_rate: Interval | None
    """Wilson's 95 % interval of the share of wins; None in a game of one that nobody ever won."""
    mean_return: float
    standard_error: float | None
    """Of the mean return, over deals."""
    seconds: float
    """Thinking time a game."""
    elo: Rating | None = None
    """Where more than two planners have met."""


@dataclass(frozen=True)
class Seat:
    """How one seat fared, whoever sat on it."""

    player: str
    games: int
    wins: float
    win_rate: Interval
    mean_return: float
    standard_error: float | None


@dataclass(frozen=True)
class MatchResult:
    """What a match came to; printing it shows the table."""

    game: str
    planners: tuple[str, ...]
    seed: int
    deals: int
    standings: list[Standing]
    """In the order in which the planners were given."""
    seats: list[Seat]
    """Empty in a game of one."""
    records: list[Record] = field(repr=False)
    complete: bool = True
    """False where it was stopped before all games were played."""

    @property
    def games(self) -> int:
        """How many games were played."""
        return len(self.records)

    def to_json(self) -> dict[str, Any]:
        """Everything as plain lists and dicts."""
        plain = asdict(self)
        plain["standings"] = [_plain(standing) for standing in self.standings]
        plain["seats"] = [_plain(seat) for seat in self.seats]
        return plain

    def __str__(self) -> str:
        from kibitz.lab.report import match_table

        return match_table(self)


def _plain(row: Standing | Seat) -> dict[str, Any]:
    plain = asdict(row)
    if row.win_rate is not None:
        plain["win_rate"] = {"share": row.wins / row.games if row.games else None, **row.win_rate._asdict()}
    if isinstance(row, Standing) and row.elo is not None:
        plain["elo"] = row.elo._asdict()
    return plain


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


def summarise(
    game: Game, planners: Sequence[str], records: Iterable[Record], *, seed: int = 0, complete: bool = True
) -> MatchResult:
    """The figures of some games, in whatever order they were played.

    >>> import kibitz as kb
    >>> game = kb.load("tic-tac-toe")
    >>> won = kb.lab.Record(0, (0, 1), (1.0, -1.0), steps=5, seconds=(0.1, 0.1))
    >>> kb.lab.summarise(game, ["a", "b"], [won]).standings[0].wins
    1.0
    """
    records = sorted(records, key=lambda record: (record.episode, record.seating))
    info = game.info
    by_planner = _entries(records, info, lambda record, seat: record.seating[seat])
    by_seat = _entries(records, info, lambda _, seat: seat)
    winnable = info.players > 1 or any(entry.wins for entry in by_planner.values())
    elo = _elo(records, len(planners)) if info.players > 1 and len(planners) > 2 and records else None
    standings = []
    for number, name in enumerate(planners):
        entries = by_planner[number]
        count = len(entries)
        rate = wilson(entries.wins, count) if winnable else None
        seconds = entries.seconds / count if count else 0.0
        rating = elo[number] if elo else None
        standings.append(Standing(name, count, entries.wins, rate, *entries.mean(), seconds, rating))
    seats = [
        Seat(game.player_name(seat), len(entry), entry.wins, wilson(entry.wins, len(entry)), *entry.mean())
        for seat, entry in sorted(by_seat.items())
        if info.players > 1
    ]
    deals = len({record.episode for record in records})
    return MatchResult(game.spec, tuple(planners), seed, deals, standings, seats, records, complete)


class _Entries:
    """The returns of one planner or seat, by deal."""

    def __init__(self) -> None:
        self.wins = 0.0
        self.seconds = 0.0
        self.returns: dict[int, list[float]] = defaultdict(list)

    def __len__(self) -> int:
        return sum(len(group) for group in self.returns.values())

    def mean(self) -> tuple[float, float | None]:
        return mean_and_error(list(self.returns.values()))


def _entries(
    records: list[Record], info: Info, key: Callable[[Record, int], int]
) -> defaultdict[int, _Entries]:
    entries: defaultdict[int, _Entries] = defaultdict(_Entries)
    for record in records:
        wins = win_shares(record.returns, info)
        for seat, value in enumerate(record.returns):
            entry = entries[key(record, seat)]
            entry.wins += wins[seat]
            entry.seconds += record.seconds[seat]
            entry.returns[record.episode].append(value)
    return entries


def win_shares(returns: Sequence[float], info: Info) -> list[float]:
    """Each seat's part of the win: the best return alone is one, shared by k it is 1/k.

    In a game of one, a win is the best return that there can be.

    >>> import kibitz as kb
    >>> from kibitz.lab.match import win_shares
    >>> win_shares([0.0, 0.0], kb.load("tic-tac-toe").info)
    [0.5, 0.5]
    """
    best = max(returns) if len(returns) > 1 else info.max_return
    close = [value >= best - 1e-9 * max(1.0, abs(best)) for value in returns]
    return [1 / sum(close) if one else 0.0 for one in close]


def _elo(records: list[Record], planners: int) -> list[Rating]:
    """Every two seats of a game count as a game between their planners."""
    scores: defaultdict[tuple[int, int], float] = defaultdict(float)
    for record in records:
        entrants = list(zip(record.seating, record.returns, strict=True))
        for i, mine in entrants:
            for j, theirs in entrants:
                scores[i, j] += (mine > theirs) + (mine == theirs) / 2
    return bradley_terry(scores, planners)


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
