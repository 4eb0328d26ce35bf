"""Where a published figure is found among the cells that were played, and what ours comes to."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from statistics import stdev
from typing import TYPE_CHECKING, Any, NamedTuple

from kibitz._core import parse_spec, unknown
from kibitz.lab.experiment import own_name
from kibitz.lab.reproductions import FROM_REPLAYS, Curve, Reproduction, Target
from kibitz.lab.standings import counted, win_shares
from kibitz.lab.statistics import Interval, clopper_pearson, mean_and_error, mean_of_deals
from kibitz.lab.statistics.agreement import Figure

if TYPE_CHECKING:
    from kibitz._core import Game
    from kibitz.lab.cells import Cell
    from kibitz.lab.record import Record
    from kibitz.lab.replay import Replay
    from kibitz.lab.results import Results
    from kibitz.lab.standings import Seat, Standing


def game_of(reproduction: Reproduction, target: Target | Curve) -> str:
    """The game that it is about: its own, or the experiment's only one."""
    if target.game is not None:
        return target.game
    assert reproduction.experiment is not None  # the reader has seen to it
    return str(reproduction.experiment.games[0])


def find(reproduction: Reproduction, target: Target, cells: tuple[Cell, ...]) -> tuple[Cell, int]:
    """The cell that a figure is of, and the number of the planner in it."""
    if target.pairing is not None:
        return _at_the_table(reproduction, target, cells)
    game = plain(game_of(reproduction, target))
    found = []
    for cell in cells:
        planners = [plain(planner) for planner in cell.planners]
        own = planners[0] if target.planner is None else plain(target.planner)
        met = target.against is None or plain(target.against) in planners
        if plain(cell.game) == game and own in planners and met:
            found.append((cell, planners.index(own)))
    if not found:
        whose, what = target.planner or "any planner", game_of(reproduction, target)
        there = ", ".join(dict.fromkeys(planner for cell in cells for planner in cell.planners))
        raise ValueError(f"'{target.name}': {whose} does not play {what} here; there are {there}")
    if len(found) > 1 and target.planner is not None:
        raise ValueError(
            f"'{target.name}' may be of {len(found)} cells; game, planner and against must leave one"
        )
    return found[0]


def _at_the_table(reproduction: Reproduction, target: Target, cells: tuple[Cell, ...]) -> tuple[Cell, int]:
    """The cell of a pairing that has a name, and the number of the planner on the figure's seat in it."""
    pairings = () if reproduction.experiment is None else reproduction.experiment.pairings
    named = {
        pairing.name: [plain(own_name(planner)) for planner in pairing.planners] for pairing in pairings
    }
    if target.pairing not in named:
        known = [name for name in named if name is not None]
        raise ValueError(f"'{target.name}': {unknown('pairing', str(target.pairing), known)}")
    game, planners = plain(game_of(reproduction, target)), named[target.pairing]
    for cell in cells:
        if plain(cell.game) == game and [plain(planner) for planner in cell.planners] == planners:
            break
    else:
        raise ValueError(f"'{target.name}': {target.pairing} is several cells, or none of this game")
    seat = target.player or 0
    if seat >= cell.players:
        raise ValueError(f"'{target.name}': {cell.game} has no player {seat}; they count from 0")
    sitting = {seating[seat] for seating in cell.seats or ()}
    if len(sitting) != 1:
        raise ValueError(f"'{target.name}': a figure of a pairing's seat needs seats = \"fixed\"")
    return cell, sitting.pop()


def plain(spec: str) -> tuple[str, tuple[Any, ...]]:
    """A spec in a form in which spaces and the order of parameters do not matter.

    >>> from kibitz.lab.measures import plain
    >>> plain("uct( playout=random,simulations=5)") == plain("uct(simulations=5, playout=random)")
    True
    """
    name, arguments = parse_spec(spec)
    return name, tuple(sorted((key, repr(value)) for key, value in arguments))


class Played(NamedTuple):
    """What our games come to."""

    figure: Figure
    games: int
    spread: float | None = None
    """The standard deviation of returns."""
    cpu: float | None = None
    """Seconds of processor time a game, where somebody looked."""
    limits: tuple[float, float] = (-math.inf, math.inf)
    """The bounds of returns."""

    def published(self, target: Target, confidence: float) -> Figure:
        """The paper's figure, whose returns are taken to vary as ours where it does not say."""
        return target.published(self.spread, confidence, self.figure.value, self.limits)


def played(target: Target, results: Results, cell: Cell, planner: int, confidence: float = 0.95) -> Played:
    """Our figure, with the interval that covers so much, and what it rests on."""
    if target.measure in FROM_REPLAYS:
        return _from_replays(target, results, cell, planner, confidence)
    result = results.result(cell, target.ties, confidence)
    cpu = result.standings[planner].cpu
    # Of a pairing's seat, or of the planner wherever it sits.
    by_seat = target.pairing is not None and bool(result.seats)
    entry: Standing | Seat = result.seats[target.player or 0] if by_seat else result.standings[planner]
    if target.measure == "CPU milliseconds a move":
        return _cpu_a_move(results, cell, planner, confidence)
    if target.measure == "win rate":
        share = entry.wins / entry.games if entry.games else math.nan
        return Played(Figure(share, entry.win_rate), entry.games, cpu=cpu)
    around = entry.return_interval or Interval(-math.inf, math.inf)
    limits = results.games[cell.game].limits
    ours = Played(Figure(entry.mean_return, around), entry.games, entry.spread, cpu, limits)
    return _times(ours, target.scale)


def _cpu_a_move(results: Results, cell: Cell, planner: int, confidence: float) -> Played:
    """The processor time of a planner's moves: the mean over its games of the mean over its moves."""
    deals: dict[int, list[float]] = {}
    for record in results.records(cell):
        for number, cpu, moves in zip(record.seating, record.cpu, record.moves, strict=False):
            if number == planner and moves:
                deals.setdefault(record.episode, []).append(1000 * cpu / moves)
    values = [value for deal in deals.values() for value in deal]
    if not values:
        return Played(Figure(math.nan), 0)
    groups, limits = list(deals.values()), (0.0, math.inf)
    around = mean_of_deals(groups, limits, confidence, sequential=results.sequential(cell))
    return Played(Figure(mean_and_error(groups)[0], around), len(values), limits=limits)


def _times(ours: Played, scale: float) -> Played:
    """The same in the publication's unit."""
    if scale == 1:
        return ours
    interval, spread = ours.figure.interval, ours.spread
    ends = None if interval is None else Interval(*sorted(scale * end for end in interval))
    limits = [scale * end for end in ours.limits]
    return ours._replace(
        figure=Figure(scale * ours.figure.value, ends),
        spread=None if spread is None else abs(scale) * spread,
        limits=(min(limits), max(limits)),
    )


def played_out(target: Target, game: Game, scale: float, confidence: float, seed: int = 0) -> Played:
    """The share of playouts that the player wins, as `played` gives it."""
    count = max(2, round(scale * (target.playouts or target.games or 0)))
    begun = time.process_time()
    outcomes = game.playout_returns(count, seed, target.policy)
    cpu = (time.process_time() - begun) / count
    player, ties = target.player or 0, target.ties
    wins = math.fsum(win_shares(returns, game.info, ties)[player] * times for returns, times in outcomes)
    return Played(_share(wins, count, confidence), count, cpu=cpu)


def _share(wins: float, games: int, confidence: float) -> Figure:
    """A share with the interval to claim with; half a win widens it on both sides."""
    if games == 0:
        return Figure(math.nan, Interval(0.0, 1.0))
    low = clopper_pearson(math.floor(wins), games, confidence)
    high = clopper_pearson(math.ceil(wins), games, confidence)
    return Figure(wins / games, Interval(low.low, high.high))


def _from_replays(target: Target, results: Results, cell: Cell, planner: int, confidence: float) -> Played:
    """The mean over games, with deals as the unit, of what only their moves tell."""
    deals: dict[int, list[float]] = {}
    facts = results.games[cell.game]
    frequency = target.measure == "action frequency"
    for record in results.records(cell):
        outcome = counted(record, facts)
        if record.fault is not None and outcome is not None and not frequency:
            assert record.fault.seat is not None
            for number, value in zip(record.seating, outcome.returns, strict=True):
                if number != planner:
                    continue
                if number == record.seating[record.fault.seat] and (value is None or facts.discount != 1):
                    # The worst that is declared is of discounted returns; nobody knows that of plain sums.
                    return Played(Figure(math.nan, Interval(-math.inf, math.inf)), 0)
                if value is not None:
                    deals.setdefault(record.episode, []).append(value)
    for record, kept in _replays(results, cell):
        values = _chosen(target, record, kept, planner) if frequency else _sums(record, kept, planner)
        deals.setdefault(record.episode, []).extend(values)
    values = [value for deal in deals.values() for value in deal]
    if not values:
        return Played(Figure(math.nan, Interval(-math.inf, math.inf)), 0)
    # The bounds that a game declares are those of discounted returns.
    limits = (0.0, 1.0) if frequency else facts.limits if facts.discount == 1 else (-math.inf, math.inf)
    groups, mean = list(deals.values()), mean_and_error(list(deals.values()))[0]
    around = mean_of_deals(groups, limits, confidence, sequential=results.sequential(cell))
    spread = stdev(values) if len(values) > 1 else None
    cpu = results.result(cell).standings[planner].cpu
    ours = Played(Figure(mean, around), len(values), spread, cpu, limits)
    return ours if frequency else _times(ours, target.scale)


def _sums(record: Record, kept: Replay, planner: int) -> list[float]:
    """A planner's plain sums of rewards, one for each of its seats."""
    seats = [seat for seat, number in enumerate(record.seating) if number == planner]
    return [math.fsum(step.rewards[seat] for step in kept.steps) for seat in seats]


def _chosen(target: Target, record: Record, kept: Replay, planner: int) -> list[float]:
    """Whether a planner chose the action, as 1 or 0; nothing where it could not choose."""
    player = target.player or 0
    moved = [step for step in kept.steps if player in step.movers]
    if record.seating[player] != planner or not moved:
        return []
    return [float(any(step.names[step.movers.index(player)] == target.action for step in moved))]


def _replays(results: Results, cell: Cell) -> Iterator[tuple[Record, Replay]]:
    """The games of a cell that came to an end, move by move."""
    from kibitz.lab import replay
    from kibitz.lab.results import REPLAYS

    for record in results.records(cell):
        if record.fault is None:
            seating = "-".join(map(str, record.seating))
            path = results.directory / REPLAYS / f"{cell.id}-{record.episode}-{seating}.json"
            kept = replay.load(path)
            if (kept.seed, kept.episode, kept.returns) != (record.seed, record.episode, [*record.returns]):
                raise ValueError(f"{path} is a replay of another game than the one that was counted")
            yield record, kept
