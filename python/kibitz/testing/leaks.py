"""Whether anything that a player, its belief or its planner is given depends on what it must not know.

Two histories that look the same to a player must give it the same view (events, legal actions and
their numbers and order, text, picture), the same belief and, by the same seed, the same decision.
And a belief must not hold the truth more often than the exact posterior does.
"""

from __future__ import annotations

import math
import pickle
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, Final

from kibitz._core import Belief, Game, GameFault, Referee, State, View
from kibitz.games import load
from kibitz.planners import Cheat, planner
from kibitz.rules import AnyGame
from kibitz.testing.contract import ContractError, Report
from kibitz.testing.walk import Walk, random_walk, twin

PLANNERS: Final = (
    "random",
    "pomcp(simulations=30)",
    "is-mcts(simulations=30)",
    "hindsight(worlds=3, horizon=1)",
)
"""What decides in both of two histories; those that refuse a game are left out."""

BELIEFS: Final = ("auto", "particles(200, weights=kept)", "hypergames(100)", "tree", "resampling")
"""What is asked in both of two histories, and compared with the exact posterior."""

ROUGH: Final = ("auto", "particles", "hypergames")
"""Those that may miss the truth where it is rare; none may hold it too often."""

LIMIT: Final = 1000
"""Where there are more histories than this, they are not all gone through."""

LISTING: Final = ("tree", "hypergames")
"""Beliefs that go through many histories."""

SURE: Final = 1e-9
"""What is less probable than this is no accident, even when it is looked for after each position."""

DRAWS: Final = 4
"""How many samples of a belief are compared, or counted, in one position."""


def check_leaks(
    game: AnyGame,
    *,
    episodes: int = 20,
    seed: int = 0,
    max_steps: int = 60,
    planners: Sequence[str] = PLANNERS,
    beliefs: Sequence[str] = BELIEFS,
    seconds: float = math.inf,
    told: Callable[[Report], object] | None = None,
) -> Report:
    """Plays at random, looks for pairs of histories that a player cannot tell apart, and compares.

    The report counts the pairs, the beliefs and the decisions that were compared, and the samples of
    beliefs that were held against the exact posterior. `ContractError` says what leaks, and where.
    `told` is called after each position; after so many `seconds` no new one is begun, and nothing more is
    asked about the last one.

    >>> from kibitz.testing import check_leaks
    >>> check_leaks("kuhn-poker", episodes=3).counts["pairs"] > 0
    True
    """
    game = load(game)
    end = time.monotonic() + seconds
    checker = _Checker(game, Random(seed), planners, beliefs, end)
    try:
        for _ in range(0 if game.info.perfect_information else episodes):
            for walk in random_walk(game, checker.rng, max_steps):
                if time.monotonic() > end:
                    break
                checker.state(walk)
                checker.shares_are_right()
                if told is not None:
                    told(checker.report)
            else:
                checker.report.counts["episodes"] += 1
    except GameFault as fault:
        raise ContractError(str(fault)) from fault
    return checker.report


Sampler = Callable[[int], bool]
"""Draws a state by a seed, and says whether it is the true one."""


@dataclass
class _Share:
    """How often samples of a belief were the truth, beside how often they should have been."""

    drawn: int = 0
    hits: int = 0
    expected: float = 0.0

    def accident(self, rough: bool) -> float:
        """Chernoff's bound on the probability of so many hits, or more (unless it is rough, or fewer)."""
        hits, mean = self.hits, self.expected
        if rough and hits <= mean:
            return 1.0
        return math.exp(hits - mean - (hits * math.log(hits / mean) if hits else 0.0))


class _Checker:
    def __init__(
        self, game: Game, rng: Random, planners: Sequence[str], beliefs: Sequence[str], end: float
    ) -> None:
        self.game, self.rng, self.end = game, rng, end
        self.planners = [spec for spec in planners if _plays(spec, game)]
        self.beliefs = [kind for kind in beliefs if _holds(kind, game)]
        self.report = Report(game.spec)
        for what in ("episodes", "pairs", "beliefs", "decisions", "samples"):
            self.report.counts[what] = 0
        self.shares: dict[str, _Share] = {}
        self.tried: Counter[int] = Counter()

    def state(self, walk: Walk) -> None:
        """Everything that can be said about one position."""
        if walk.state.over or walk.state.chance:
            return
        for player in range(self.game.info.players):
            # Positions deep in a game are many and alike: the first of each depth count most.
            self.tried[walk.steps] += 1
            if player in walk.state.movers:
                self.share(walk, player)
            if self.rng.random() > 3 / self.tried[walk.steps] ** 0.5:
                continue
            other = twin(walk, player, self.rng)
            if other is not None:
                self.report.counts["pairs"] += 1
                self.pair(walk, other, player)

    def demand(self, holds: bool, what: str) -> None:
        if not holds:
            raise ContractError(f"{self.game.spec}: {what}")

    def same(self, one: Any, other: Any, what: str, walks: tuple[Walk, Walk], player: int) -> None:
        if one != other:
            who = self.game.player_name(player)
            raise ContractError(
                f"{self.game.spec}: {what} of {who} depends on what it cannot know: {_short(one, other)} "
                f"({walks[0].where()}; and {walks[1].where()}, which look the same to {who})"
            )

    def pair(self, walk: Walk, other: Walk, player: int) -> None:
        """Two histories that the player cannot tell apart."""
        seed = self.rng.getrandbits(32)
        # All of one history before the other: rules may remember what they were asked last.
        kinds = self.kinds(walk, player)
        one, two = (list(self.given(each, player, kinds, seed)) for each in (walk, other))
        # Time may have run out for one of them.
        for (what, part), (_, other_part) in zip(one, two, strict=False):
            self.same(part, other_part, what, (walk, other), player)

    def given(self, walk: Walk, player: int, kinds: list[str], seed: int) -> Iterator[tuple[str, Any]]:
        """All that a player is given, and what beliefs and planners make of it, with words for errors."""
        view = view_of(self.game, walk, player)
        yield "what was told (events)", view.events
        yield (
            "the list of legal actions (numbers, names, order)",
            list(zip(view.legal(), view.names(), strict=True)),
        )
        yield "the text", view.text()
        yield "the picture", view.svg()
        yield "the key of the view", view.key
        if player not in walk.state.movers:
            return
        for kind in kinds:
            if time.monotonic() > self.end:
                return
            self.report.counts["beliefs"] += 1
            yield f"the belief '{kind}'", _answer(_believed, view, kind, seed)
        for spec in self.planners:
            if time.monotonic() > self.end:
                return
            self.report.counts["decisions"] += 1
            yield f"the decision by {spec}", _answer(_decided, view, spec, seed)

    def kinds(self, walk: Walk, player: int) -> list[str]:
        """The beliefs that are not too dear here."""
        if histories(walk, player) <= LIMIT:
            return self.beliefs
        return [kind for kind in self.beliefs if not kind.startswith(LISTING)]

    def share(self, walk: Walk, player: int) -> None:
        """Counts how often beliefs draw the truth."""
        if self.report.counts["samples"] > 4000 or self.rng.random() > 0.5:
            return
        if histories(walk, player) > LIMIT:
            return
        view = view_of(self.game, walk, player)
        posterior = _posterior(view, walk.state)
        if not posterior or posterior > 0.95:
            return
        for name, draws, draw in self.samplers(view, walk, player):
            share = self.shares.setdefault(name, _Share())
            for _ in range(draws):
                try:
                    hit = draw(self.rng.getrandbits(32))
                except ValueError:
                    break
                self.report.counts["samples"] += 1
                share.drawn += 1
                share.hits += hit
                share.expected += posterior

    def samplers(self, view: View, walk: Walk, player: int) -> Iterator[tuple[str, int, Sampler]]:
        """All that imagines the present, beliefs and a peer's own, and how often to ask it."""
        truth = _identity(walk.state)

        def sampler(kind: str) -> Sampler:
            return lambda seed: _identity(_belief(view, kind, seed).sample()) == truth

        for kind in self.beliefs:
            yield f"the belief '{kind}'", DRAWS, sampler(kind)
        resamples = getattr(self.game.rules, "resamples_the_truth", None)
        if resamples is not None:
            state = walk.state.value
            yield "OpenSpiel's own resampling", 25, lambda seed: resamples(state, player, Random(seed))

    def shares_are_right(self) -> None:
        """No belief holds the truth more often, or more seldom, than the exact posterior."""
        for name, share in self.shares.items():
            rough = any(f"'{kind}" in name for kind in ROUGH)
            often = f"{share.hits} of {share.drawn} samples of {name} are the truth"
            self.demand(
                share.accident(rough) > SURE,
                f"{often}, where the exact posterior expects {share.expected:.1f}",
            )


def view_of(game: Game, walk: Walk, player: int) -> View:
    """What a player knows after a walk, told by a referee that has seen nothing else.

    >>> import kibitz as kb
    >>> from kibitz.testing.leaks import view_of
    >>> from kibitz.testing.walk import Walk
    >>> game = kb.load("tic-tac-toe")
    >>> len(view_of(game, Walk.begin(game), 0).legal())
    9
    """
    return Referee.after(fresh(game), walk.joints, walk.game).view(player)


def histories(walk: Walk, player: int) -> float:
    """How many ways chance and the others could have gone, were none of it seen.

    >>> import kibitz as kb
    >>> from random import Random
    >>> from kibitz.testing.leaks import histories
    >>> from kibitz.testing.walk import random_walk
    >>> *_, dealt = random_walk(kb.load("kuhn-poker"), Random(1), 2)
    >>> histories(dealt, 0)
    6.0
    """
    ways, state = 1.0, walk.game.initial()
    for joint in walk.joints:
        if not state.chance:
            ways *= math.prod(len(state.legal(mover)) for mover in state.movers if mover != player)
        elif walk.game.info.capabilities["explicit chance"]:
            ways *= len(state.outcomes())
        else:
            return math.inf
        state, _ = state.step(joint)
    return ways


def fresh(game: Game) -> Game:
    """The same game as one that has just been loaded, where its past could matter.

    >>> import kibitz as kb
    >>> from kibitz.testing.leaks import fresh
    >>> fresh(kb.load("tic-tac-toe")).spec
    'tic-tac-toe'
    """
    if game.rules is not None:
        return game.apart()
    machine = game.machine
    if machine is not None and machine["machine"] == "reasoner":
        copy = pickle.loads(pickle.dumps(game))
        assert isinstance(copy, Game)
        return copy
    return game


def _plays(spec: str, game: Game) -> bool:
    """Whether a planner plays the game, and by what it knows."""
    chooser = planner(spec)
    try:
        chooser.start(game, 0, 0)
    except ValueError:
        return False
    return not (isinstance(chooser, Cheat) and chooser.cheats)


def _holds(kind: str, game: Game) -> bool:
    """Whether the game has what a kind of belief needs."""
    try:
        Belief(game, kind)
    except ValueError:
        return False
    return True


def _answer(ask: Callable[[View, str, int], Any], view: View, what: str, seed: int) -> Any:
    """The answer, or the sentence in which it is refused: it must be the same, too."""
    try:
        return ask(view, what, seed)
    except ValueError as error:
        return str(error)


def _belief(view: View, kind: str, seed: int) -> Belief:
    belief = Belief(view.game, kind, seed)
    belief.update(view)
    return belief


def _believed(view: View, kind: str, seed: int) -> list[str]:
    belief = _belief(view, kind, seed)
    return [belief.sample().text() for _ in range(DRAWS)]


def _posterior(view: View, truth: State) -> float | None:
    """The exact probability of the truth, where few states are possible."""
    try:
        states = _belief(view, f"exact({LIMIT})", 0).states(LIMIT)
    except ValueError:
        return None
    if states is None:
        return None
    return math.fsum(share for state, share in states if _identity(state) == _identity(truth))


def _identity(state: State) -> object:
    """What tells states apart: the game's hash where it has one, else all that it shows."""
    number = state.hash()
    return state.text() if number is None else number


def _decided(view: View, spec: str, seed: int) -> Any:
    """A decision with its evidence."""
    chooser = planner(spec)
    chooser.start(view.game, view.player, seed)
    decision = chooser.act(view)
    return decision.name, sorted((row.name, row.visits, repr(row.value)) for row in decision.table)


def _short(one: Any, other: Any) -> str:
    """Where two answers differ, short enough to read."""
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        for first, second in zip(one, other, strict=False):
            if first != second:
                return _short(first, second)
        return f"{len(one)} entries against {len(other)}"
    first, second = repr(one), repr(other)
    at = next((i for i, (a, b) in enumerate(zip(first, second, strict=False)) if a != b), 0)
    begin = max(0, at - 30)
    return f"{first[begin : at + 40]} against {second[begin : at + 40]}"
