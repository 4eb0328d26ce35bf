"""Playing an episode: the referee holds the truth, the planners are asked in turn."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike

from kibitz import _core
from kibitz._arguments import checked
from kibitz._core import Decision, Game, Info, Planner, Referee, State, View
from kibitz.games import load
from kibitz.planners import AnyPlanner, decide, planner, sit
from kibitz.rules import AnyGame


@dataclass(frozen=True)
class Step:
    """One step of an episode."""

    movers: tuple[int, ...]
    """Who moved; empty where chance did."""
    joint: tuple[int, ...]
    """One action for each mover, or chance's outcome."""
    names: tuple[str, ...]
    """The same in words."""
    rewards: tuple[float, ...]
    """What each player was paid."""
    state: State = field(repr=False)
    """The truth after the step."""
    decisions: tuple[Decision, ...] = field(default=(), repr=False)
    """The movers' reasons. In real time what each of them decided last, be it to wait; empty where
    somebody was not asked."""
    returns: tuple[float, ...] = ()
    """What each player has got so far, discounted by the game's discount factor."""
    elapsed: int = 0
    """How many ticks went by before it: none in a game of turns."""


@dataclass(frozen=True)
class Episode:
    """One game from the beginning to the end; a notebook shows the final position."""

    game: Game
    planners: tuple[str, ...]
    """The spec of each seat's planner."""
    seed: int
    episode: int
    returns: list[float]
    """Discounted by the game's discount factor."""
    steps: list[Step] = field(repr=False)
    state: State = field(repr=False)
    """The truth at the end."""
    over: bool
    """False where `max_steps` cut it off."""

    @property
    def decisions(self) -> list[Decision]:
        """All decisions of all players in order (in real time, those that a step came of)."""
        each = {id(decision): decision for step in self.steps for decision in step.decisions}
        return list(each.values())

    def svg(self) -> str | None:
        """The final position as a picture, if the game draws one."""
        return self.state.svg()

    def _repr_svg_(self) -> str | None:
        return self.svg()

    def save(self, path: str | PathLike[str]) -> None:
        """Writes a replay, as `kibitz watch --save` does: `kibitz replay PATH` shows it again.

        >>> import tempfile
        >>> import kibitz as kb
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     kb.play("tic-tac-toe", "random").save(f"{folder}/game.json")
        ...     kb.lab.replay.load(f"{folder}/game.json").game
        'tic-tac-toe'
        """
        from kibitz.lab import replay

        replay.save(self, path)

    def text(self) -> str:
        """All steps in words, the final position and the returns.

        >>> import kibitz as kb
        >>> print(kb.play("tic-tac-toe", "random", max_steps=1).text().splitlines()[-1])
        cut off after 1 step
        """
        names = [self.game.player_name(player) for player in range(len(self.returns))]
        lines = []
        for number, step in enumerate(self.steps, 1):
            who = [names[mover] for mover in step.movers] or ["chance"]
            moves = ", ".join(f"{name}: {action}" for name, action in zip(who, step.names, strict=True))
            lines.append(f"{number:4}  {moves}")
        lines += ["", self.state.text(), ""]
        if self.over:
            lines.append(
                ", ".join(f"{name} gets {value:g}" for name, value in zip(names, self.returns, strict=True))
            )
        else:
            lines.append(f"cut off after {len(self.steps)} step{'s' * (len(self.steps) != 1)}")
        return "\n".join(lines)


@checked("game", "planners")
def play(
    game: AnyGame,
    planners: str | AnyPlanner | Sequence[str | AnyPlanner],
    *,
    seed: int = 0,
    episode: int = 0,
    max_steps: int | None = None,
    on_move: Callable[[Step], object] | None = None,
) -> Episode:
    """Plays one episode; a single spec plays all seats.

    The same seed and episode give the same result, today and next year. `max_steps` (chance's
    included) breaks off a long game, in the middle of chance's draws if need be; one that need not end is
    left where the rest hardly counts (`enough_steps`). A game in which only chance moves, without end, is
    a GameFault. `on_move` is called after each step.

    >>> import kibitz as kb
    >>> kb.play("tic-tac-toe", "random", seed=7).over
    True
    """
    if max_steps is not None and not 0 <= max_steps < 2**64:
        raise ValueError(f"max_steps is a whole number from 0 to 2**64 - 1, not {max_steps}")
    game = load(game)
    seats = seated(game, planners)
    seat_seed(seed, episode, 0)  # refuses what is no seed before anything begins
    max_steps = enough_steps(game.info) if max_steps is None else max_steps
    referee = Referee(game, seed, episode, max_steps=max_steps)
    begin(referee, seats, seed, episode)
    steps: list[Step] = []

    def record(taken: Iterable[Step]) -> None:
        for step in taken:
            steps.append(step)
            if on_move is not None:
                on_move(step)

    record(steps_of(referee.opening(), game.initial()))
    for done in drive(referee, seats):
        record(done.steps)
    referee.check_left()
    specs = tuple(chooser.spec for chooser in seats)
    return Episode(game, specs, seed, episode, referee.returns, steps, referee.state, referee.over)


@dataclass(frozen=True)
class Round:
    """A turn of the players: what the movers knew and decided, and what came of it."""

    before: State = field(repr=False)
    """The truth in which they decided."""
    views: list[View] = field(repr=False)
    decisions: list[Decision]
    steps: list[Step]
    """The movers' step, and what chance drew after it."""


def begin(referee: Referee, seats: Sequence[AnyPlanner], seed: int, episode: int = 0) -> None:
    """Has the planners begin on their seats, each with a seed of its own.

    >>> import kibitz as kb
    >>> from kibitz.episode import begin, drive
    >>> referee, seats = kb.Referee(kb.load("tic-tac-toe")), [kb.planner("random") for _ in range(2)]
    >>> begin(referee, seats, seed=1)
    >>> len(next(drive(referee, seats)).decisions)
    1
    """
    for seat, chooser in enumerate(seats):
        sit(chooser, referee.seat(seat), seat, seat_seed(seed, episode, seat))


def drive(referee: Referee, seats: Sequence[AnyPlanner]) -> Iterator[Round]:
    """Plays an episode on, round by round, with planners that have begun, to its end or its limit.

    >>> import kibitz as kb
    >>> from kibitz.episode import begin, drive
    >>> referee, seats = kb.Referee(kb.load("kuhn-poker"), 1), [kb.planner("random") for _ in range(2)]
    >>> begin(referee, seats, seed=1)
    >>> [done.decisions[0].name for done in drive(referee, seats)]
    ['bet', 'bet']
    """
    latest: dict[int, Decision] = {}
    while referee.goes_on:
        before = referee.state
        views: list[View] = []
        decisions: list[Decision] = []

        def choose(
            player: int, views: list[View] = views, decisions: list[Decision] = decisions
        ) -> Decision:
            views.append(referee.view(player))
            latest[player] = decide(seats[player], referee, player, views[-1])
            decisions.append(latest[player])
            return latest[player]

        reports = referee.round(choose)
        yield Round(before, views, decisions, list(steps_of(reports, before, latest)))


Report = tuple[State, list[int], list[float], list[float], int]
"""One step as the referee reports it: the state after it, the joint action, the rewards, the returns so
far, and how many ticks went by before it."""


def steps_of(
    reports: Sequence[Report], before: State, decisions: Mapping[int, Decision] | Sequence[Decision] = ()
) -> Iterator[Step]:
    """The referee's reports on what happened after `before`, with names and the movers' reasons: by
    their numbers, or of all of them in order.

    >>> import kibitz as kb
    >>> from kibitz.episode import steps_of
    >>> game = kb.load("kuhn-poker")
    >>> [step.names for step in steps_of(kb.Referee(game, seed=1).opening(), game.initial())]
    [('J',), ('Q',)]
    """
    for state, joint, rewards, returns, elapsed in reports:
        movers = tuple(before.movers)
        # Nobody moves where chance does, and, in real time, where something happens by itself.
        who: tuple[int | None, ...] = movers if movers or not joint else (None,)
        names = tuple(before.action_name(p, a) for p, a in zip(who, joint, strict=True))
        if not movers:
            chosen: tuple[Decision, ...] = ()
        elif not isinstance(decisions, Mapping):
            chosen = tuple(decisions)
        else:
            chosen = tuple(decisions[mover] for mover in movers if mover in decisions)
            chosen = chosen if len(chosen) == len(movers) else ()
        paid = tuple(rewards), tuple(returns)
        yield Step(movers, tuple(joint), names, paid[0], state, chosen, paid[1], elapsed)
        before = state


def enough_steps(info: Info) -> int | None:
    """After how many steps to leave a game that need not end; None for a game that ends by itself.

    Where rewards are discounted, that is where all that is still to come counts for less than a
    thousandth, if every move is followed by a draw of chance.

    >>> import kibitz as kb
    >>> from kibitz.episode import enough_steps
    >>> enough_steps(kb.load("tiger").info), enough_steps(kb.load("tic-tac-toe").info)
    (270, None)
    """
    return info.enough_steps


def seated(game: Game, planners: str | AnyPlanner | Sequence[str | AnyPlanner]) -> list[AnyPlanner]:
    """One planner for each seat; a single spec is repeated.

    >>> import kibitz as kb
    >>> from kibitz.episode import seated
    >>> [planner.spec for planner in seated(kb.load("tic-tac-toe"), "random")]
    ['random', 'random']
    """
    players = game.info.players
    several: list[str | AnyPlanner]
    if isinstance(planners, str):
        several = [planners]
    elif not isinstance(planners, Sequence):
        several = [planner(planners)]
    else:
        several = list(planners)
    if len(several) == 1 and isinstance(several[0], str | Planner):
        # Each seat has a planner of its own: they must not share what they remember.
        spec = several[0] if isinstance(several[0], str) else several[0].spec
        several = [several[0], *[spec] * (players - 1)]
    if len(several) != players:
        raise ValueError(f"{game.spec} has {players} players, but {len(several)} planners were given")
    seats = [planner(each) for each in several]
    if len({id(seat) for seat in seats}) < len(seats):
        raise ValueError("one planner cannot sit on two seats; give its spec instead")
    return seats


def seat_seed(seed: int, episode: int, seat: int) -> int:
    """The seed of one seat's planner in one episode.

    >>> from kibitz.episode import seat_seed
    >>> seat_seed(7, 42, 0) == seat_seed(7, 42, 0) != seat_seed(7, 42, 1)
    True
    """
    for what, number in (("seed", seed), ("number of an episode", episode)):
        if not 0 <= number < 2**64:
            raise ValueError(f"a {what} is a whole number from 0 to 2**64 - 1, not {number}")
    return _core.episode_seed(seed, episode, f"seat {seat}")
