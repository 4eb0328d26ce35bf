"""What some episodes come to: the one summary that matches, experiments and reports share.

A crash never pays: who is to blame for an episode that came to nothing gets the worst return that the
game declares (`counted`), here, in stopping rules and in ratings. Episodes for which nobody is to blame
count in no mean and no win rate; they are counted by themselves.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from itertools import permutations
from statistics import stdev
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from kibitz._core import Game, Info
from kibitz.lab.record import Record
from kibitz.lab.statistics import Interval, Rating, mean_and_error, mean_of_deals
from kibitz.lab.statistics.bounded import worth
from kibitz.lab.statistics.ratings import in_fields
from kibitz.lab.statistics.ties import points, same

if TYPE_CHECKING:
    import polars as pl

ALONE = 0.9
"""Who has less of a processor than this did not have it alone."""

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
    """Infinite where nobody knows."""
    discount: float = 1.0
    perfect_information: bool = True
    zero_sum: bool = False
    outcome: float | None = None
    """In a game of one with a score: what a win adds to the return, and a loss takes from it."""

    @property
    def limits(self) -> tuple[float, float]:
        """Between what returns lie."""
        return self.min_return, self.max_return

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
        return cls(
            game.spec, names, *limits, info.discount, info.perfect_information, info.zero_sum, info.outcome
        )


@dataclass(frozen=True)
class Standing:
    """How one planner fared."""

    planner: str
    games: int
    """On how many seats it has played, in episodes that count."""
    wins: float
    """Games with the best return; a shared best counts as a part. In a game of one: with the best
    return there can be."""
    win_rate: Interval | None
    """The interval of the share of wins, over deals; None in a game of one that nobody ever won."""
    mean_return: float
    """Of the games whose return is known; NaN where it was to blame for one whose worst return is not."""
    standard_error: float | None
    """Of the mean return, over deals."""
    return_interval: Interval | None
    """Of the mean return, over deals and within the game's bounds; None where nothing can be said."""
    spread: float | None
    """The standard deviation of single returns; None for fewer than two."""
    deals: float
    """How many deals of equal size its games are worth."""
    seconds: float
    """Thinking time a game."""
    elo: Rating | None = None
    """Where more than two planners have met, directly or through others, in a game that pays nothing but
    won, drawn and lost."""
    faults: int = 0
    """Episodes that came to nothing through this planner; they count with the worst return."""
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
    processor: float | None = None
    """Where its budget is time: the share of its thinking time for which it had a processor."""
    left_out: int = 0
    """On how many seats it has played in episodes that do not count, nobody being to blame."""

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

    @property
    def hurried(self) -> bool:
        """Whether it thinks for so many milliseconds, and others used the processor meanwhile."""
        return self.processor is not None and self.processor < ALONE


class Meeting(NamedTuple):
    """How one planner fared against another, on any two seats of a game."""

    planner: int
    against: int
    games: int
    score: float
    """Games in which it got more, and half of those in which both got the same."""
    margin: float | None = None
    """By how much more it got, in the mean; None where nobody knows."""


@dataclass(frozen=True)
class Seat:
    """How one seat fared, whoever sat on it."""

    player: str
    games: int
    wins: float
    win_rate: Interval
    mean_return: float
    standard_error: float | None
    return_interval: Interval | None
    spread: float | None
    deals: float


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
    won_or_lost: bool = True
    """Whether the game paid nothing but won, drawn and lost. Where it pays more, the mean return is what
    counts, and there are no ratings: they would only ask who got more, not how much."""
    confidence: float = 0.95
    """What the intervals of win rates and returns cover."""
    sequential: bool = False
    """Whether the results had a say in when to stop, or are looked at on the way: intervals are then
    confidence sequences, which hold all the same."""

    def to_json(self) -> dict[str, Any]:
        """Everything as plain lists and dicts."""
        plain = asdict(self)
        plain["standings"] = [_plain(standing) for standing in self.standings]
        plain["seats"] = [_plain(seat) for seat in self.seats]
        plain["meetings"] = [meeting._asdict() for meeting in self.meetings]
        return plain

    def frame(self) -> pl.DataFrame:
        """A row for each planner; `.to_pandas()` where pandas and pyarrow are installed."""
        from kibitz.lab.reports import report

        return report(self).frame()

    def _repr_html_(self) -> str:
        from kibitz.lab.reports import report
        from kibitz.lab.reports.html import fragment

        return fragment(report(self).blocks, pictures=False)

    def __str__(self) -> str:
        from kibitz.lab.reports import match_table

        return match_table(self)


def _plain(row: Standing | Seat) -> dict[str, Any]:
    plain = asdict(row)
    if row.win_rate is not None:
        plain["win_rate"] = {"share": row.wins / row.games if row.games else None, **row.win_rate._asdict()}
    if row.return_interval is not None:
        plain["return_interval"] = row.return_interval._asdict()
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
    confidence: float = 0.95,
    sequential: bool = False,
) -> MatchResult:
    """The figures of some games, in whatever order they were played.

    Without `keep` the records must come in order, deal by deal; none of them stays in memory. `ties` says
    who wins where several have the best return, `confidence` what intervals cover, and `sequential` that
    the results had a say in how many deals there are, as they may where it is not `complete`.

    >>> import kibitz as kb
    >>> game = kb.load("tic-tac-toe")
    >>> won = kb.lab.Record(0, (0, 1), (1.0, -1.0), steps=5, seconds=(0.1, 0.1))
    >>> kb.lab.summarise(game, ["a", "b"], [won]).standings[0].wins
    1.0
    """
    facts = GameFacts.of(game) if isinstance(game, Game) else game
    sequential = sequential or not complete
    kept = sorted(records, key=lambda record: (record.episode, record.seating)) if keep else []
    tally = _Tally(facts, ties, rated=len(planners) > 2)
    for record in kept if keep else records:
        tally.add(record)
    several = len(facts.players) > 1
    winnable = several or facts.outcome is not None or any(entry.wins for entry in tally.planners.values())
    elo: list[Rating | None] = [None] * len(planners)
    if tally.won_or_lost:
        elo = in_fields(tally.scores, len(planners), confidence=confidence, sequential=sequential)
    standings = []
    for number, name in enumerate(planners):
        entry = tally.planners[number]
        won, mean, error, around, spread, deals = entry.figures(facts.limits, confidence, sequential)
        rate = won if winnable else None
        seconds = entry.seconds / entry.games if entry.games else 0.0
        figures = entry.games, entry.wins, rate, mean, error, around, spread, deals, seconds
        cpu = entry.cpu / entry.timed if entry.timed else None
        processor = min(1.0, entry.busy / entry.watched) if entry.watched else None
        effort = entry.moves, entry.simulations, entry.transitions, entry.slowest, cpu, processor
        faults, left_out = tally.blamed[number], tally.left_out[number]
        standings.append(Standing(name, *figures, elo[number], faults, *effort, left_out))
    seats = [
        Seat(
            facts.players[seat],
            entry.games,
            entry.wins,
            *entry.figures(facts.limits, confidence, sequential),
        )
        for seat, entry in sorted(tally.seats.items())
        if several
    ]
    counts = tally.games, tally.faults, tally.cut
    meetings = [
        Meeting(*pair, met.games, met.score, met.margin / met.paid if met.paid else None)
        for pair, met in sorted(tally.met.items())
    ]
    return MatchResult(
        facts.spec, tuple(planners), seed, tally.deals, standings, seats, kept, complete, *counts, meetings,
        tally.won_or_lost, confidence, sequential,
    )  # fmt: skip


class _Entry:
    """The returns and wins of one planner or seat, by deal."""

    def __init__(self) -> None:
        self.games = 0
        self.wins = 0.0
        self.seconds = 0.0
        self.moves = self.simulations = self.transitions = 0
        self.slowest = self.cpu = self.busy = self.watched = 0.0
        self.timed = 0
        self.deal = -1
        self.returns: list[tuple[float | None, ...]] = []
        self.blamed = False
        """Whether it was to blame for a game whose worst return is not known."""
        self.shares: list[tuple[float, ...]] = []

    def add(self, deal: int, value: float | None, wins: float, seconds: float) -> None:
        self.games += 1
        self.wins += wins
        self.seconds += seconds
        if deal != self.deal:
            self.returns.append(())
            self.shares.append(())
            self.deal = deal
        self.shares[-1] += (wins,)
        self.returns[-1] += (value,)

    def add_effort(self, record: Record, seat: int) -> None:
        self.moves += record.moves[seat]
        self.simulations += record.simulations[seat]
        self.transitions += record.transitions[seat] if record.transitions else 0
        self.slowest = max(self.slowest, record.slowest[seat])
        if record.cpu:
            self.cpu += record.cpu[seat]
            self.timed += 1
        if record.busy and record.busy[seat]:
            self.busy += record.busy[seat]
            self.watched += record.seconds[seat]

    def figures(
        self, limits: tuple[float, float], confidence: float, sequential: bool
    ) -> tuple[Interval, float, float | None, Interval | None, float | None, float]:
        """The interval of wins; the mean return, its error and interval, the spread; equal deals."""
        rate = mean_of_deals(self.shares, (0.0, 1.0), confidence, sequential=sequential)
        returns = [[value for value in deal if value is not None] for deal in self.returns]
        values = [value for deal in returns for value in deal]
        mean, error = mean_and_error(returns)
        if self.blamed:
            mean, error = math.nan, None

        def around(unknown: float) -> Interval:
            filled = [[unknown if value is None else value for value in deal] for deal in self.returns]
            return mean_of_deals(filled, limits, confidence, sequential=sequential)

        # What nobody knows may have been anything from the one bound to the other.
        low, high = -math.inf, math.inf
        if len(values) == self.games:
            low, high = around(0.0)
        elif all(map(math.isfinite, limits)):
            low, high = around(limits[0]).low, around(limits[1]).high
        known = bool(values) and math.isfinite(low) and math.isfinite(high)
        spread = stdev(values) if len(values) > 1 else None
        deals = worth([*map(len, self.shares)])
        return rate, mean, error, Interval(low, high) if known else None, spread, deals


class _Met:
    """How one planner fared against another."""

    def __init__(self) -> None:
        self.games = self.paid = 0
        self.score = self.margin = 0.0

    def add(self, score: float, mine: float | None, theirs: float | None) -> None:
        self.games += 1
        self.score += score
        if mine is not None and theirs is not None:
            self.paid += 1
            self.margin += mine - theirs


class _Tally:
    """Counts episodes as they come, deal by deal."""

    def __init__(self, facts: GameFacts, ties: Ties, *, rated: bool) -> None:
        self.facts, self.ties, self.rated = facts, ties, rated
        self.games = self.deals = self.faults = self.cut = 0
        self.planners: defaultdict[int, _Entry] = defaultdict(_Entry)
        self.seats: defaultdict[int, _Entry] = defaultdict(_Entry)
        self.blamed: Counter[int] = Counter()
        self.left_out: Counter[int] = Counter()
        self.met: defaultdict[tuple[int, int], _Met] = defaultdict(_Met)
        self.scores: list[defaultdict[tuple[int, int], float]] = []
        """Who beat whom, by deal; only where it is rated."""
        self.won_or_lost = True
        self._drawn: float | None = None
        self._deal = -1

    def add(self, record: Record) -> None:
        self.games += 1
        if record.episode != self._deal:
            self.deals += 1
            if self.rated:
                self.scores.append(defaultdict(float))
        self._deal = record.episode
        if record.fault is not None:
            self.faults += 1
            if record.fault.seat is not None:
                self.blamed[record.seating[record.fault.seat]] += 1
        outcome = counted(record, self.facts)
        if outcome is None:
            self.left_out.update(record.seating)
            return
        self.cut += record.fault is None and not record.over
        wins = win_shares(outcome.places, self.facts, self.ties)
        for seat, value in enumerate(outcome.returns):
            seconds = record.seconds[seat] if record.seconds else 0.0
            figures = record.episode, value, wins[seat], seconds
            self.planners[record.seating[seat]].add(*figures)
            self.seats[seat].add(*figures)
            if value is None and record.fault is not None and record.fault.seat is not None:
                guilty = record.seating[record.fault.seat] == record.seating[seat]
                self.planners[record.seating[seat]].blamed |= guilty
                self.seats[seat].blamed |= guilty
            if record.moves:
                self.planners[record.seating[seat]].add_effort(record, seat)
        if record.fault is None:
            self.won_or_lost = self.won_or_lost and self._is_result(record.returns)
        # A ranking of k is k - 1 choices, the first among all, and so on: so much weigh its pairs together.
        weight = 2 / len(wins)
        for one, other in permutations(range(len(wins)), 2):
            i, j = pair = record.seating[one], record.seating[other]
            if i != j:
                score = points(outcome.places[one], outcome.places[other])
                if self.rated:
                    self.scores[-1][pair] += weight * score
                self.met[pair].add(score, outcome.returns[one], outcome.returns[other])

    def _is_result(self, returns: Sequence[float]) -> bool:
        """Whether these returns are won, drawn or lost: the best and the worst, or all that of a draw."""
        first, worst, best = returns[0], self.facts.min_return, self.facts.max_return
        if len(returns) == 1 or not all(same(value, first) for value in returns):
            return all(same(value, worst) or same(value, best) for value in returns)
        if self._drawn is None:
            self._drawn = first
        # Where all can have the best together, or now more and now less, it is no draw.
        return same(first, self._drawn) and not same(first, best)


class Outcome(NamedTuple):
    """What an episode counts as, seat by seat."""

    returns: tuple[float | None, ...]
    """None where nobody knows what the seat would have got."""
    places: tuple[float, ...]
    """Who has more did better: the returns, where all of them are known."""


def counted(record: Record, facts: GameFacts) -> Outcome | None:
    """What an episode counts as; None where it came to nothing and nobody is to blame.

    A planner that is to blame has lost, with the worst return that the game declares, on all its seats. The
    others have won; in a zero-sum game they share what it lost, elsewhere nobody knows their returns.

    >>> import kibitz as kb
    >>> from kibitz.lab.standings import GameFacts, counted
    >>> fault = kb.lab.Fault("raised", 1, "ValueError: I was losing")
    >>> broken = kb.lab.Record(0, (0, 1), (), steps=3, seconds=(), fault=fault)
    >>> counted(broken, GameFacts.of(kb.load("tic-tac-toe"))).returns
    (1.0, -1.0)
    """
    if record.fault is None:
        return Outcome(record.returns, record.returns)
    if record.fault.seat is None:
        return None
    blamed = [planner == record.seating[record.fault.seat] for planner in record.seating]
    others = blamed.count(False)
    worst = facts.min_return if math.isfinite(facts.min_return) else None
    rest = None
    if facts.zero_sum and others and worst is not None:
        rest = min(facts.max_return, -worst * blamed.count(True) / others)
    returns = tuple(worst if own else rest for own in blamed)
    # On all seats it has not beaten anybody, and in a game of one it has not got the best there can be.
    places = tuple(float(not own) for own in blamed) if others else (-math.inf,) * len(blamed)
    return Outcome(returns, places)


def win_shares(returns: Sequence[float], facts: Info | GameFacts, ties: Ties = "shared") -> list[float]:
    """Each seat's part of the win: the best return alone is one, shared by k it is 1/k, unless the lowest
    of their seats takes it.

    In a game of one, a win is the best return that there can be, or, beside a score, one above zero.

    >>> import kibitz as kb
    >>> from kibitz.lab.standings import win_shares
    >>> win_shares([0.0, 0.0], kb.load("tic-tac-toe").info)
    [0.5, 0.5]
    >>> win_shares([0.0, 0.0], kb.load("tic-tac-toe").info, "lowest seat")
    [1.0, 0.0]
    """
    if len(returns) == 1 and facts.outcome is not None:
        return [float(returns[0] > 0)]
    best = max(returns) if len(returns) > 1 else facts.max_return
    close = [math.isfinite(best) and (value >= best or same(value, best)) for value in returns]
    if ties == "lowest seat" and any(close):
        return [float(seat == close.index(True)) for seat in range(len(close))]
    return [1 / sum(close) if one else 0.0 for one in close]
