"""Regret minimisation, with an eye on how near an equilibrium it has come."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from kibitz import _core
from kibitz._arguments import checked
from kibitz._core import Game, RegretSolver
from kibitz.equilibria.strategy import Strategy, tabulate
from kibitz.games import load
from kibitz.rules import AnyGame

METHODS = tuple(RegretSolver.methods())
"""What regrets can be minimised by."""

SECONDS = 2.0
"""After so many there is something to tell, however few iterations were done."""

GAMES = 10_000
"""Games by which values are estimated where the game is too large; fewer, if they take too long."""

FULL = (
    "there was no room for all information sets that were met: what is beyond them is played uniformly "
    "(a larger max_nodes, --max-states, makes room)"
)


@dataclass(frozen=True, kw_only=True)
class Checkpoint:
    """How far it has come."""

    iterations: int
    seconds: float
    nash_conv: float | None
    """What all players together could still gain by changing their own strategy alone; None where the game
    is too large to say."""
    exploitability: float | None
    """The same for a player, on average."""


class Equilibrium:
    """Average strategies of all players, and what they are worth."""

    def __init__(
        self,
        game: Game,
        solver: RegretSolver,
        method: str,
        *,
        curve: list[Checkpoint],
        estimate: tuple[list[float], list[float]] | None,
        interrupted: bool,
    ) -> None:
        self.game = game
        self.method = method
        self.iterations = solver.iterations
        self.curve = curve
        """How exploitability fell."""
        self.interrupted = interrupted
        """Whether Ctrl-C ended it before all iterations were done."""
        self.nodes = solver.nodes
        """How many histories the game has; None where it was not written out."""
        self._solver = solver
        worth = solver.worth()
        self.values = None if worth is None else worth[0]
        """What each player gets by these strategies; None where the game is too large to say."""
        self.best_responses = None if worth is None else worth[1]
        """What each would get by answering the others best."""
        self.estimate = estimate
        """Where the game is too large: each player's mean return in some games, and standard errors."""
        self.notes = [FULL] if solver.full else []
        """What one should know about it."""

    def _repr_html_(self) -> str:
        from html import escape

        from kibitz import _notebook

        head = (
            f"<p><b>{escape(self.game.spec)}</b>: {escape(self.method)}, {self.iterations:,} iterations</p>"
        )
        if self.values is None or self.best_responses is None:
            return head
        return head + _notebook.worth(self.values, self.best_responses, "; ".join(self.notes))

    @property
    def nash_conv(self) -> float | None:
        """What all players together could gain by changing their own strategy alone."""
        return self.curve[-1].nash_conv

    @property
    def exploitability(self) -> float | None:
        """The same for a player, on average: for two with opposite interests, how far from the value a
        strategy may fall."""
        return self.curve[-1].exploitability

    @property
    def sets(self) -> int:
        """How many information sets there are, or were met."""
        return len(self._solver.sets)

    @functools.cached_property
    def strategy(self) -> Strategy:
        """The table of what everybody does; it can be saved, loaded and played."""
        profile = self._solver.average()
        return tabulate(
            self.game, self._solver, profile, method=self.method, iterations=self._solver.iterations
        )

    def __repr__(self) -> str:
        far = "" if self.exploitability is None else f", exploitability {self.exploitability:.3g}"
        return f"<Equilibrium of {self.game.spec}, {self.method}, {self.iterations} iterations{far}>"


@checked("game")
def equilibrium(
    game: AnyGame,
    *,
    method: str = "cfr+",
    iterations: int = 1000,
    seed: int = 0,
    epsilon: float = 0.6,
    alternating: bool = True,
    max_nodes: int = 5_000_000,
    progress: Callable[[Checkpoint], None] | None = None,
    keep_on_interrupt: bool = False,
) -> Equilibrium:
    """Minimises regrets; in games of two with opposite interests the averages come near an equilibrium.

    Methods are `cfr`, `cfr+`, `external-sampling` and `outcome-sampling`. The first two need the whole
    game, of at most `max_nodes` nodes; the others sample, with `seed`, and where the game is larger they
    keep only the information sets that they meet, of at most `max_nodes` actions. `epsilon` is how often
    outcome sampling tries anything; with `alternating=False` all players of cfr and cfr+ learn at once.
    `progress` is told after 1, 2, 5, 10, ... iterations, and every two seconds, how far it has come. With
    `keep_on_interrupt`, Ctrl-C ends the work and what there is counts.

    ValueError, with a sentence, for an unknown method and for a game that does not suit it.

    >>> import kibitz as kb
    >>> found = kb.equilibrium("kuhn-poker", method="cfr+", iterations=1000)
    >>> round(found.values[0], 4), found.exploitability < 1e-3
    (-0.0556, True)
    """
    game = load(game)
    if method not in METHODS:
        raise ValueError(_core.unknown("method", method, METHODS))
    if iterations < 1:
        raise ValueError(f"iterations: at least 1, not {iterations}")
    if max_nodes < 1:
        raise ValueError(f"max_nodes: at least 1, not {max_nodes}")
    began = time.monotonic()
    solver = RegretSolver(
        game, method, seed=seed, epsilon=epsilon, alternating=alternating, max_nodes=max_nodes
    )
    curve: list[Checkpoint] = []
    estimate = None
    interrupted = False

    def look() -> Checkpoint:
        now = _checkpoint(solver, time.monotonic() - began)
        if progress is not None:
            progress(now)
        return now

    try:
        for target in _milestones(iterations):
            while solver.iterations < target:
                solver.run(target - solver.iterations, seconds=SECONDS)
                now = look()
            curve.append(now)
        estimate = solver.estimate(GAMES, seconds=SECONDS)
    except KeyboardInterrupt:
        if not keep_on_interrupt or not solver.iterations:
            raise
        interrupted = True
        if not curve or curve[-1].iterations != solver.iterations:
            curve.append(_checkpoint(solver, time.monotonic() - began))
    return Equilibrium(game, solver, method, curve=curve, estimate=estimate, interrupted=interrupted)


def _checkpoint(solver: RegretSolver, seconds: float) -> Checkpoint:
    worth = solver.worth()
    if worth is None:
        return Checkpoint(
            iterations=solver.iterations, seconds=seconds, nash_conv=None, exploitability=None
        )
    values, best = worth
    nash_conv = sum(best) - sum(values)
    return Checkpoint(
        iterations=solver.iterations,
        seconds=seconds,
        nash_conv=nash_conv,
        exploitability=nash_conv / len(values),
    )


def _milestones(last: int) -> Iterator[int]:
    """1, 2, 5, 10, 20 and so on, and the last.

    >>> from kibitz.equilibria.solving import _milestones
    >>> [*_milestones(60)]
    [1, 2, 5, 10, 20, 50, 60]
    """
    unit = 1
    while True:
        for number in (unit, 2 * unit, 5 * unit):
            if number >= last:
                yield last
                return
            yield number
        unit *= 10
