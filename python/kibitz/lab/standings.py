"""What some episodes come to: the one summary that matches, experiments and reports share.

Episodes with a fault count in no mean and no win rate; they are counted by themselves.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from itertools import permutations
from typing import Any, Literal, NamedTuple

from kibitz._core import Game, Info
from kibitz.lab.record import Record
from kibitz.lab.statistics import Interval, Rating, bradley_terry, mean_and_error, wilson

Ties = Literal["shared", "lowest seat"]
"""Who wins where several have the best return: each a part of it, or the one that sits first."""


@dataclass(frozen=True)
class GameFacts:
    """What a summary needs to know of a game; stored with results, so that nothing has to be loaded."""

    spec: str
    players: tuple[str, ...]
    """Their names."""
    min_return: float
    max_return: float
    discount: float = 1.0
    perfect_information: bool = True

    @classmethod
    def of(cls, game: Game) -> GameFacts:
        """The facts of a game.

        >>> import kibitz as kb
        >>> from kibitz.lab.standings import GameFacts
        >>> GameFacts.of(kb.load("tic-tac-toe")).players
        ('x', 'o')
        """
        info = game.info
        names = tuple(game.player_name(player) for player in range(info.players))
        limits = info.min_return, info.max_return
        return cls(game.spec, names, *limits, info.discount, info.perfect_information)


@dataclass(frozen=True)
class Standing:
    """How one planner fared."""

    planner: str
    games: int
    """On how many seats it has played, in episodes without a fault."""
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
    faults: int = 0
    """Episodes that came to nothing through this planner."""
    moves: int = 0
    """How often it chose; zero where that was not written down."""
    simulations: int = 0
    """How many it ran in all."""
    transitions: int = 0
    """Steps of the game's model that it made in all; zero where nobody counted."""
    slowest: float = 0.0
    """Seconds of its longest choice."""
    cpu: float | None = None
    """Seconds of processor time a game; None where nobody looked."""

    @property
    def seconds_a_move(self) -> float | None:
        """Thinking time a move."""
        return self.seconds * self.games / self.moves if self.moves else None

    @property
    def simulations_a_move(self) -> float | None:
        """Simulations a move."""
        return self.simulations / self.moves if self.moves else None

    @property
    def transitions_a_move(self) -> float | None:
        """Steps of the game's model a move; None where nobody counted."""
        return self.transitions / self.moves if self.moves and self.transitions else None


class Meeting(NamedTuple):
    """How one planner fared against another, on any two seats of a game."""

    planner: int
    against: int
    games: int
    score: float
    """Games in which it got more, and half of those in which both got the same."""


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
    """Empty where `summarise` was told not to keep them."""
    complete: bool = True
    """False where it was stopped before all games were played."""
    games: int = 0
    """How many games were played, those with a fault included."""
    faults: int = 0
    """How many of them came to nothing, whoever's fault it was."""
    cut: int = 0
    """How many were left unfinished after so many steps; they count as they stood."""
    meetings: list[Meeting] = field(default_factory=list)
    """Every two planners that have met, both ways round."""

    def to_json(self) -> dict[str, Any]:
        """Everything as plain lists and dicts."""
        plain = asdict(self)
        plain["standings"] = [_plain(standing) for standing in self.standings]
        plain["seats"] = [_plain(seat) for seat in self.seats]
        plain["meetings"] = [meeting._asdict() for meeting in self.meetings]
        return plain

    def __str__(self) -> str:
        from kibitz.lab.reports import match_table

        return match_table(self)


def _plain(row: Standing | Seat) -> dict[str, Any]:
    plain = asdict(row)
    if row.win_rate is not None:
        plain["win_rate"] = {"share": row.wins / row.games if row.games else None, **row.win_rate._asdict()}
    if isinstance(row, Standing) and row.elo is not None:
        plain["elo"] = row.elo._asdict()
    return plain


def summarise(
    game: Game | GameFacts,
    planners: Sequence[str],
    records: Iterable[Record],
    *,
    seed: int = 0,
    complete: bool = True,
    keep: bool = True,
    ties: Ties = "shared",
) -> MatchResult:
    """The figures of some games, in whatever order they were played.

    Without `keep` the records must come in order, deal by deal; none of them stays in memory. `ties` says
    who wins where several have the best return.

    >>> import kibitz as kb
    >>> game = kb.load("tic-tac-toe")
    >>> won = kb.lab.Record(0, (0, 1), (1.0, -1.0), steps=5, seconds=(0.1, 0.1))
    >>> kb.lab.summarise(game, ["a", "b"], [won]).standings[0].wins
    1.0
    """
    facts = GameFacts.of(game) if isinstance(game, Game) else game
    kept = sorted(records, key=lambda record: (record.episode, record.seating)) if keep else []
    tally = _Tally(facts, ties)
    for record in kept if keep else records:
        tally.add(record)
    several = len(facts.players) > 1
    winnable = several or any(entry.wins for entry in tally.planners.values())
    elo = bradley_terry(tally.scores, len(planners)) if tally.scores and len(planners) > 2 else None
    standings = []
    for number, name in enumerate(planners):
        entry = tally.planners[number]
        rate = wilson(entry.wins, entry.games) if winnable else None
        seconds = entry.seconds / entry.games if entry.games else 0.0
        figures = entry.games, entry.wins, rate, *entry.mean(), seconds
        rating = elo[number] if elo else None
        cpu = entry.cpu / entry.timed if entry.timed else None
        effort = entry.moves, entry.simulations, entry.transitions, entry.slowest, cpu
        standings.append(Standing(name, *figures, rating, tally.blamed[number], *effort))
    seats = [
        Seat(facts.players[seat], entry.games, entry.wins, wilson(entry.wins, entry.games), *entry.mean())
        for seat, entry in sorted(tally.seats.items())
        if several
    ]
    counts = tally.games, tally.faults, tally.cut
    meetings = [
        Meeting(*pair, tally.met[pair], tally.scores[pair])
        for pair in sorted(tally.met)
        if pair[0] != pair[1]
    ]
    return MatchResult(
        facts.spec, tuple(planners), seed, tally.deals, standings, seats, kept, complete, *counts, meetings
    )


class _Entry:
    """The returns of one planner or seat, by deal."""

    def __init__(self) -> None:
        self.games = 0
        self.wins = 0.0
        self.seconds = 0.0
        self.moves = self.simulations = self.transitions = 0
        self.slowest = self.cpu = 0.0
        self.timed = 0
        self.deal = -1
        self.returns: list[tuple[float, ...]] = []

    def add(self, deal: int, value: float, wins: float, seconds: float) -> None:
        self.games += 1
        self.wins += wins
        self.seconds += seconds
        if deal != self.deal:
            self.returns.append((value,))
            self.deal = deal
        else:
            self.returns[-1] += (value,)

    def add_effort(self, record: Record, seat: int) -> None:
        self.moves += record.moves[seat]
        self.simulations += record.simulations[seat]
        self.transitions += record.transitions[seat] if record.transitions else 0
        self.slowest = max(self.slowest, record.slowest[seat])
        if record.cpu:
            self.cpu += record.cpu[seat]
            self.timed += 1

    def mean(self) -> tuple[float, float | None]:
        return mean_and_error(self.returns)


class _Tally:
    """Counts episodes as they come, deal by deal."""

    def __init__(self, facts: GameFacts, ties: Ties) -> None:
        self.facts, self.ties = facts, ties
        self.games = self.deals = self.faults = self.cut = 0
        self.planners: defaultdict[int, _Entry] = defaultdict(_Entry)
        self.seats: defaultdict[int, _Entry] = defaultdict(_Entry)
        self.blamed: Counter[int] = Counter()
        self.met: Counter[tuple[int, int]] = Counter()
        self.scores: defaultdict[tuple[int, int], float] = defaultdict(float)
        self._deal = -1

    def add(self, record: Record) -> None:
        self.games += 1
        self.deals += record.episode != self._deal
        self._deal = record.episode
        if record.fault is not None:
            self.faults += 1
            if record.fault.seat is not None:
                self.blamed[record.seating[record.fault.seat]] += 1
            return
        self.cut += not record.over
        wins = win_shares(record.returns, self.facts, self.ties)
        for seat, value in enumerate(record.returns):
            figures = record.episode, value, wins[seat], record.seconds[seat]
            self.planners[record.seating[seat]].add(*figures)
            self.seats[seat].add(*figures)
            if record.moves:
                self.planners[record.seating[seat]].add_effort(record, seat)
        # Every two seats of a game count as a game between their planners.
        entrants = list(zip(record.seating, record.returns, strict=True)) if len(wins) > 1 else []
        for (i, mine), (j, theirs) in permutations(entrants, 2):
            self.scores[i, j] += (mine > theirs) + (mine == theirs) / 2
            self.met[i, j] += 1


def win_shares(returns: Sequence[float], facts: Info | GameFacts, ties: Ties = "shared") -> list[float]:
    """Each seat's part of the win: the best return alone is one, shared by k it is 1/k, unless the lowest
    of their seats takes it.

    In a game of one, a win is the best return that there can be.

    >>> import kibitz as kb
    >>> from kibitz.lab.standings import win_shares
    >>> win_shares([0.0, 0.0], kb.load("tic-tac-toe").info)
    [0.5, 0.5]
    >>> win_shares([0.0, 0.0], kb.load("tic-tac-toe").info, "lowest seat")
    [1.0, 0.0]
    """
    best = max(returns) if len(returns) > 1 else facts.max_return
    close = [value >= best - 1e-9 * max(1.0, abs(best)) for value in returns]
    if ties == "lowest seat" and any(close):
        return [float(seat == close.index(True)) for seat in range(len(close))]
    return [1 / sum(close) if one else 0.0 for one in close]
