"""Whether a planner keeps the contract: legal, deterministic, in time, and blind to what is hidden."""

from __future__ import annotations

import math
import time
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator
from random import Random

from kibitz import _core
from kibitz._arguments import checked
from kibitz._core import Decision, Game, Planner, Referee, View
from kibitz.episode import play
from kibitz.games import load
from kibitz.planners import AnyPlanner, Cheat, ask, planner, sit
from kibitz.rules import AnyGame
from kibitz.testing.contract import ContractError, Report

ENDLESS = {"simulations": 10**9, "worlds": 10**6}
"""Budgets that nobody uses up, by the name of the parameter."""


@checked("game")
def check_planner(
    planner: str | Callable[[], AnyPlanner],
    game: AnyGame,
    *,
    best: str | Collection[str] | None = None,
    positions: int = 8,
    seconds: float = 0.1,
    patience: float = 1.0,
    deterministic: bool = True,
    seed: int = 0,
    max_steps: int = 200,
) -> Report:
    """Checks a planner on a game: a spec, or a function that makes a new one.

    That it chooses legal actions and gives sound reasons; that the same seed gives the same
    decision (say `deterministic=False` for one that goes by the clock); that the same view gives
    the same decision whatever the hidden truth is; that it stops in time: after `seconds`, a
    planner of the core is given `patience` more. Where told, that it plays (one of) the `best`
    first actions. A planner that refuses the game, or cheats, is reported, not blamed.

    >>> from kibitz.testing import check_planner
    >>> print(str(check_planner("random", "tic-tac-toe")).partition(" (")[0])
    random on tic-tac-toe: passed
    >>> print(check_planner("uct(simulations=2000)", "connect-four", best="4").passed)
    True
    """
    checker = _Checker(planner, load(game), seed)
    first = checker.new()
    try:
        sit(first, checker.game, 0, seed)
    except ValueError as refusal:
        checker.report.refused = str(refusal)
        return checker.report
    if isinstance(first, Cheat) and first.cheats:
        checker.report.refused = f"{checker.name} cheats: it acts on the truth, not on a view"
        return checker.report
    for view in checker.positions(positions, max_steps):
        checker.sound(view)
        if deterministic:
            checker.same_seed(view)
    if deterministic:
        checker.same_episode(max_steps)
        checker.blind(positions, max_steps)
    checker.in_time(seconds, patience)
    if best is not None:
        checker.best({best} if isinstance(best, str) else {*best})
    return checker.report


class _Checker:
    def __init__(self, maker: str | Callable[[], AnyPlanner], game: Game, seed: int) -> None:
        self.maker, self.game, self.seed = maker, game, seed
        self.name = maker if isinstance(maker, str) else getattr(maker, "__name__", repr(maker))
        self.report = Report(f"{self.name} on {game.spec}")
        for what in ("decisions", "repetitions", "hidden truths", "stops"):
            self.report.counts[what] = 0

    def demand(self, holds: bool, what: str) -> None:
        if not holds:
            raise ContractError(f"{self.report.subject}: {what}")

    def new(self) -> AnyPlanner:
        return planner(self.maker if isinstance(self.maker, str) else self.maker())

    def fresh(self, seat: int, seed: int) -> AnyPlanner:
        """A planner that has just sat down."""
        made = self.new()
        sit(made, self.game, seat, seed)
        return made

    def act(self, view: View, seed: int) -> Decision:
        self.report.counts["decisions"] += 1
        return ask(self.fresh(view.player, seed), view)

    def positions(self, count: int, max_steps: int) -> Iterator[View]:
        """Positions of random games, from all seats and of all lengths."""
        for number in range(count):
            rng = Random(f"{self.seed} position {number}")
            views = [view for view, _ in _random_game(self.game, self.seed + number, rng, max_steps)]
            if views:
                yield rng.choice(views)

    def sound(self, view: View) -> None:
        """A legal action, and reasons that are numbers."""
        decision = self.act(view, self.seed)
        legal = dict(zip(view.legal(), view.names(), strict=True))
        self.demand(decision.action in legal, f"it chose {decision.action}, which is not legal")
        self.demand(decision.name == legal[decision.action], "a decision has another action's name")
        rows = decision.table
        actions = [row.action for row in rows]
        self.demand(len({*actions}) == len(actions), "its table has an action twice")
        self.demand(all(action in legal for action in actions), "its table has an illegal action")
        for row in rows:
            self.demand(row.value is None or math.isfinite(row.value), f"{row.name} is worth {row.value}")
            self.demand(
                row.error is None or row.error >= 0, f"{row.name} has the standard error {row.error}"
            )
        self.demand(decision.seconds >= 0, "a decision took less than no time")

    def same_seed(self, view: View) -> None:
        self.report.counts["repetitions"] += 1
        first, second = self.act(view, self.seed), self.act(view, self.seed)
        what = _difference(first, second)
        self.demand(what is None, f"the same seed in the same position gives another {what}")

    def same_episode(self, max_steps: int) -> None:
        """The same holds for a planner that remembers, over a whole game."""
        moves = []
        for _ in range(2):
            seats = [self.new() for _ in range(self.game.info.players)]
            played = play(self.game, seats, seed=self.seed, max_steps=min(max_steps, 60))
            moves.append([step.names for step in played.steps])
        self.report.counts["repetitions"] += 1
        self.demand(moves[0] == moves[1], "the same seed gives another game")

    def blind(self, count: int, max_steps: int) -> None:
        """The same view gives the same decision, whatever the truth behind it is."""
        if self.game.info.perfect_information:
            return
        alike: defaultdict[tuple[int, int], dict[str, View]] = defaultdict(dict)
        for number in range(60):
            rng = Random(f"{self.seed} blind {number % 20}")
            for view, truth in _random_game(self.game, self.seed + number, rng, min(max_steps, 30)):
                alike[view.player, view.key].setdefault(truth, view)
        groups = [list(group.values()) for group in alike.values() if len(group) > 1]
        Random(self.seed).shuffle(groups)
        for views in groups[:count]:
            one, other = views[0], views[-1]
            what = _difference(self.act(one, self.seed), self.act(other, self.seed))
            self.report.counts["hidden truths"] += 1
            sees = f"it sees what is hidden: the same view gives another {what} where the truth is another"
            self.demand(what is None, f"{sees}, in\n{one.text}")

    def in_time(self, seconds: float, patience: float) -> None:
        """It stops when it is told to, and when its own budget of time is used up."""
        view = next(self.positions(1, 50), None)
        spec = self.maker if isinstance(self.maker, str) else None
        entry = next((e for e in _core.planners() if spec and e.name == _core.parse_spec(spec)[0]), None)
        if view is None or spec is None or entry is None:
            return
        known = {param.name for param in entry.params}
        endless = {name: most for name, most in ENDLESS.items() if name in known}
        if not endless:
            return
        told = Planner(_with(spec, **endless))
        told.start(self.game, view.player, self.seed)
        self.stops(lambda: told.act(view, seconds=seconds), seconds, patience)
        if "milliseconds" in known:
            clocked = Planner(_with(spec, **endless, milliseconds=1000 * seconds))
            clocked.start(self.game, view.player, self.seed)
            self.stops(lambda: clocked.act(view), seconds, patience)

    def stops(self, work: Callable[[], Decision], seconds: float, patience: float) -> None:
        begin = time.monotonic()
        work()
        took = time.monotonic() - begin
        self.report.counts["stops"] += 1
        self.demand(took < seconds + patience, f"it took {took:.2f} s where {seconds:g} s were allowed")

    def best(self, names: set[str]) -> None:
        """The known optimum of the first position."""
        referee = Referee(self.game, self.seed)
        view = referee.view(referee.movers[0])
        wrong = names - set(view.names())
        self.demand(not wrong, f"{', '.join(sorted(wrong))} is not a legal first action")
        decision = self.act(view, self.seed)
        self.demand(
            decision.name in names,
            f"it plays {decision.name}, but best is {' or '.join(sorted(names))}\n{decision.table_text()}",
        )


def _random_game(game: Game, seed: int, rng: Random, max_steps: int) -> Iterator[tuple[View, str]]:
    """Each mover's view along a random game, with the whole truth in words."""
    referee = Referee(game, seed % 2**64)
    while not referee.over and referee.steps <= max_steps:
        truth = referee.state.text()
        views = [referee.view(mover) for mover in referee.movers]
        for view in views:
            yield view, truth
        referee.apply([rng.choice(view.legal()) for view in views])


def _difference(one: Decision, other: Decision) -> str | None:
    """In what two decisions differ, the time they took aside."""
    facts: dict[str, Callable[[Decision], object]] = {
        "action": lambda decision: decision.action,
        "table": lambda decision: [
            (row.action, row.value, row.error, row.visits) for row in decision.table
        ],
        "number of simulations": lambda decision: decision.simulations,
        "belief": lambda decision: decision.belief,
        "expected line": lambda decision: decision.line,
    }
    return next((what for what, fact in facts.items() if fact(one) != fact(other)), None)


def _with(spec: str, **changes: float) -> str:
    """A spec with some parameters changed."""
    name, arguments = _core.parse_spec(spec)
    kept = {key: value for key, value in arguments if key} | changes
    positional = [_written(value) for key, value in arguments if not key]
    named = [f"{key}={_written(value)}" for key, value in kept.items()]
    return f"{name}({', '.join([*positional, *named])})"


def _written(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
