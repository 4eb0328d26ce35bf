"""Playing one episode of a cell, and what goes wrong in it.

`Playing` is all that a worker needs: games and planners of every cell. It can be sent to another
process. A fault becomes a part of the record; where faults are not to be recorded (in a match) the
exception passes through.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from kibitz._core import Decision, Game, GameFault, Planner, State, View
from kibitz.episode import Episode, Step, enough_steps, play
from kibitz.lab.cells import Cell, new_planner
from kibitz.lab.experiment import Maker, Replays
from kibitz.lab.record import Fault, FaultKind, Record
from kibitz.planners import ANSWERED, Cheat, PlannerFault, ask, sit

if TYPE_CHECKING:
    from kibitz.planners import AnyPlanner

ENDLESS = 10_000
"""Steps after which a game that says it ends, but does not, is left; more where it says it is longer."""
ILLEGAL = "is not one of the view's legal actions"
"""What `kibitz.Decision` answers to an illegal action."""
BY_TIME = "milliseconds"
"""What is in the spec of a planner whose budget is time."""
LONGEST_WORDS = 500
"""Letters of an exception that are kept."""


T = TypeVar("T")


class Job(NamedTuple):
    """One episode: the number of the cell, of the deal, and of the seating among the deal's."""

    cell: int
    episode: int
    seating: int


Watch = Callable[[int | None], object]
"""Is told whose planner thinks from now on; None: none does."""


@dataclass(frozen=True)
class Playing:
    """The cells of an experiment with all that it takes to play them."""

    cells: tuple[Cell, ...]
    games: Mapping[str, Game]
    """By the cells' names for them,"""
    makers: Mapping[str, Maker]
    """and so the planners."""
    max_steps: int | None = None
    move_seconds: float | None = None
    replays: Replays = "none"
    catch: bool = True
    """False: a fault raises."""

    def play(self, job: Job, watch: Watch = lambda _: None) -> tuple[Record, Episode | None]:
        """Plays an episode; the whole of it comes along where a replay is to be kept."""
        cell, blank = self.cells[job.cell], self._blank(job)
        makers = [self.makers[cell.planners[number]] for number in blank.seating]
        record, played = _Episode(self, blank, self.games[cell.game], watch).run(makers)
        keep = self.replays == "all" or (self.replays == "first" and self._first(job))
        return record, played if keep else None

    def _first(self, job: Job) -> bool:
        """Whether it is the first game of these planners with each other."""
        if job.episode:
            return False
        seatings = [sorted(seating) for seating in self.cells[job.cell].seatings(0)]
        return seatings.index(seatings[job.seating]) == job.seating

    def fault(self, job: Job, fault: Fault) -> Record:
        """The record of an episode of which nothing but its fault is known."""
        return replace(self._blank(job), fault=fault)

    def _blank(self, job: Job) -> Record:
        cell = self.cells[job.cell]
        return Record(
            job.episode,
            cell.seatings(job.episode)[job.seating],
            returns=(),
            steps=0,
            seconds=(),
            over=False,
            seed=cell.seed,
            game=cell.game,
            planners=cell.planners,
            cell=cell.id,
        )


class _Wrong(Exception):  # noqa: N818 -- never leaves this module
    """Ends an episode."""

    def __init__(self, kind: FaultKind, seat: int | None, what: str) -> None:
        super().__init__(what)
        self.fault = Fault(kind, seat, what[:LONGEST_WORDS])


class _Episode:
    """One episode under way."""

    def __init__(self, playing: Playing, blank: Record, game: Game, watch: Watch) -> None:
        self.playing, self.blank, self.game, self.watch = playing, blank, game, watch
        seats = game.info.players
        self.moves, self.simulations, self.transitions = [0] * seats, [0] * seats, [0] * seats
        self.seconds, self.slowest, self.cpu = [0.0] * seats, [0.0] * seats, [0.0] * seats
        self.busy = [0.0] * seats
        self.chosen: dict[int, tuple[View, Decision]] = {}
        self.steps = 0
        self.returns = [0.0] * seats

    def run(self, makers: Sequence[Maker]) -> tuple[Record, Episode | None]:
        cap = self.playing.max_steps or _cap(self.game)
        fault: Fault | None = None
        played: Episode | None = None
        try:
            seats = [self._seat(seat, maker) for seat, maker in enumerate(makers)]
            number = self.blank.episode
            played = play(
                self.game, seats, seed=self.blank.seed, episode=number, max_steps=cap, on_move=self.note
            )
            self.returns = played.returns
            if self._endless(played):
                raise _Wrong("endless", None, f"the game was not over after {len(played.steps)} steps")
        except _Wrong as wrong:
            fault = wrong.fault
        except Exception as error:
            if not self.playing.catch:
                raise
            # What planners raise has been dealt with: either a move was illegal, or the rules failed.
            fault = self._illegal() or Fault("raised", None, words(error))
        record = replace(
            self.blank,
            returns=tuple(self.returns),
            steps=self.steps,
            over=played is not None and played.over,
            moves=tuple(self.moves),
            seconds=tuple(self.seconds),
            slowest=tuple(self.slowest),
            simulations=tuple(self.simulations),
            transitions=tuple(self.transitions),
            cpu=tuple(self.cpu),
            busy=tuple(self.busy),
            fault=fault,
        )
        return record, played if fault is None else None

    def _endless(self, played: Episode) -> bool:
        """Whether it ran into the cap, and nobody had asked for one."""
        asked = self.playing.max_steps is not None or self.game.info.discount < 1
        return self.playing.catch and not played.over and not asked

    def _illegal(self) -> Fault | None:
        """Whose last move was illegal: a decision about an earlier view, for example."""
        for seat, (view, decision) in self.chosen.items():
            if all(action != decision.action for action in view.legal()):
                return Fault("illegal", seat, f"action {decision.action} is not legal now")
        return None

    def _seat(self, seat: int, maker: Maker) -> _Watched:
        try:
            return _Watched(new_planner(maker), seat, self)
        except Exception as error:
            if not self.playing.catch:
                raise
            raise _Wrong("raised", seat, words(error)) from error

    def note(self, step: Step) -> None:
        """Keeps what each seat has got so far."""
        self.steps += 1
        for mover, decision in zip(step.movers, step.decisions, strict=bool(step.decisions)):
            self.simulations[mover] += decision.simulations
            self.transitions[mover] += decision.transitions or 0
        self.returns = list(step.returns)


class _Watched:
    """A planner that is timed, and whose faults are its own."""

    def __init__(self, planner: AnyPlanner, seat: int, episode: _Episode) -> None:
        self._planner, self._seat, self._episode = planner, seat, episode
        self._limit = episode.playing.move_seconds
        self._by_time = BY_TIME in str(getattr(planner, "spec", ""))

    @property
    def spec(self) -> str:
        return self._planner.spec

    @property
    def cheats(self) -> bool:
        return isinstance(self._planner, Cheat) and self._planner.cheats

    def tell(self, truth: State) -> None:
        if isinstance(self._planner, Cheat):
            self._planner.tell(truth)

    def start(self, game: Game, seat: int, seed: int) -> None:
        self._timed(lambda: sit(self._planner, game, seat, seed))

    def act(self, view: View) -> Decision:
        # A planner of the core looks at the clock itself, and gives up; it is late all the same.
        if self._limit is not None and isinstance(self._planner, Planner):
            native, limit = self._planner, self._limit
            decision, seconds, busy = self._timed(lambda: native.act(view, limit))
        else:
            decision, seconds, busy = self._timed(lambda: ask(self._planner, view))
        episode, seat = self._episode, self._seat
        episode.moves[seat] += 1
        episode.seconds[seat] += seconds
        episode.busy[seat] += busy
        episode.slowest[seat] = max(episode.slowest[seat], seconds)
        if self._limit is not None and seconds >= self._limit:
            raise _Wrong("overtime", seat, f"{seconds:.3f} s for a move; {self._limit:g} s are allowed")
        if episode.playing.catch:
            episode.chosen[seat] = view, decision
        return decision

    def _timed(self, work: Callable[[], T]) -> tuple[T, float, float]:
        """What came of it, how many seconds it took, and how many of them this thread had a processor."""
        episode, seat = self._episode, self._seat
        episode.watch(seat)
        begin, cpu = time.perf_counter(), time.process_time()
        # The clock of a thread is slow to read, so that it is looked at only where it matters.
        busy = time.thread_time() if self._by_time else 0.0
        try:
            done = work()
            busy = time.thread_time() - busy if self._by_time else 0.0
            return done, time.perf_counter() - begin, busy
        except Exception as error:
            if not episode.playing.catch:
                raise
            illegal = ILLEGAL in str(error) or (isinstance(error, PlannerFault) and ANSWERED in str(error))
            kind: FaultKind = "illegal" if illegal else "raised"
            # The rules that fail inside a planner's simulation are not the planner's fault.
            raise _Wrong(kind, None if isinstance(error, GameFault) else seat, words(error)) from error
        finally:
            episode.cpu[seat] += time.process_time() - cpu
            episode.watch(None)


def _cap(game: Game) -> int:
    """After how many steps an episode is left, whatever the game says of itself."""
    horizon = game.info.horizon
    return enough_steps(game.info) or max(ENDLESS, 2 * (horizon or 0))


def words(error: BaseException) -> str:
    """An exception in a line, with the user's own where a game written in Python failed."""
    cause = error.__cause__ if isinstance(error, GameFault) and error.__cause__ is not None else error
    return f"{type(cause).__name__}: {' '.join(str(cause).split())}"[:LONGEST_WORDS]
