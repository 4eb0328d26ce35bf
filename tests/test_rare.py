"""What is seldom is not forgotten: beliefs hold unlikely pasts, and find them when they turn out true."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

import kibitz as kb

PARTICLES = [f"particles(100, weights={weights})" for weights in ("even", "kept", "none")]


class Coin(kb.Rules[str]):
    """A biased coin that nobody sees, and one decision."""

    players, horizon, min_return, max_return = 1, 2, 0.0, 1.0
    tails = 0.05

    def initial(self) -> str:
        return "start"

    def turn(self, state: str) -> int:
        return {"start": kb.CHANCE, "end": kb.OVER}.get(state, 0)

    def chance(self, state: str) -> list[tuple[str, float]]:
        return [("heads", 1 - self.tails), ("tails", self.tails)]

    def legal(self, state: str, player: int) -> list[str]:
        return ["guess heads", "guess tails"]

    def step(self, state: str, joint: tuple[str, ...]) -> tuple[str, float | None]:
        return (joint[0], None) if state == "start" else ("end", float(joint[0] == f"guess {state}"))

    def observe(self, after: str, joint: tuple[str, ...], player: int) -> str | None:
        return None


class DrawnCoin(Coin):
    """The same; how likely its sides are is not said."""

    chance = kb.Rules.chance

    def draw(self, state: str, rng: Random) -> str:
        return "tails" if rng.random() < self.tails else "heads"


def test_a_bag_with_room_for_all_histories_has_them_all() -> None:
    game = kb.load(Coin())
    view = kb.Referee(game).view(0)
    drawn: Counter[str] = Counter()
    for seed in range(1000):
        belief = kb.Belief(game, "hypergames(100)", seed=seed)
        belief.update(view)
        assert (belief.size, belief.notes) == (2, [])
        drawn[belief.sample().value] += 1
    assert 25 <= drawn["tails"] <= 80  # 50 are due; three and a half standard errors


def test_a_bag_that_may_lack_some_says_so() -> None:
    game = kb.load(DrawnCoin())
    belief = kb.Belief(game, "hypergames(100)", seed=1)
    belief.update(kb.Referee(game).view(0))
    assert "not all could be listed" in belief.notes[0]
    # One that is full is all that was asked for.
    full = kb.Belief(game, "hypergames(1)", seed=1)
    full.update(kb.Referee(game).view(0))
    assert (full.size, full.notes) == (1, [])


def test_a_full_bag_becomes_complete_when_there_is_room_again() -> None:
    game = kb.load("kuhn-poker")
    small, large = (kb.Belief(game, f"hypergames({count})", seed=3) for count in (1, 100))
    referee = kb.Referee(game, seed=1)
    while not referee.over:
        mover = referee.movers[0]
        if mover == 0:
            for belief, size in (small, 1), (large, 2):
                belief.update(referee.view(0))
                assert (belief.size, belief.notes) == (size, [])
        referee.apply([referee.state.legal(mover)[0]])


class Alarm(kb.Rules[Any]):
    """Chance draws a fault, or none, and then whether a bell rings; only the bell is heard.

    A bell without a fault is rarer than one with it. The player is asked `quiet` times before the bell may
    ring, and what it may do after the bell is something else.
    """

    players, horizon, min_return, max_return = 1, 20, 0.0, 1.0
    faulty, rings = 0.1, {False: 0.001, True: 0.003}
    quiet = 0

    def initial(self) -> Any:
        return ("start", None, 0)

    def turn(self, state: Any) -> int:
        return {"start": kb.CHANCE, "bell": kb.CHANCE, "end": kb.OVER}.get(state[0], 0)

    def chance(self, state: Any) -> list[tuple[bool, float]]:
        p = self.faulty if state[0] == "start" else self.rings[state[1]]
        return [(True, p), (False, 1 - p)]

    def legal(self, state: Any, player: int) -> list[str]:
        return ["repair", "go on"] if state[0] == "rung" else ["wait"]

    def step(self, state: Any, joint: tuple[Any, ...]) -> tuple[Any, float | None]:
        phase, fault, asked = state
        if phase == "start":
            return ("asked" if self.quiet else "bell", joint[0], 0), None
        if phase == "bell":
            return ("rung" if joint[0] else "silent", fault, asked), None
        if phase == "asked":
            return ("asked" if asked + 1 < self.quiet else "bell", fault, asked + 1), None
        return ("end", fault, asked), float((joint[0] == "repair") == fault)

    def observe(self, after: Any, joint: tuple[Any, ...], player: int) -> str | None:
        return "ring" if after[0] == "rung" else None


class CertainAlarm(Alarm):
    """The bell rings if, and only if, there is a fault, which is very rare."""

    faulty, rings, quiet = 0.0005, {False: 0.0, True: 1.0}, 3


class DrawnAlarm(Alarm):
    """How likely anything is is not said."""

    chance = kb.Rules.chance
    rings = {False: 0.01, True: 0.03}  # noqa: RUF012

    def draw(self, state: Any, rng: Random) -> bool:
        return rng.random() < (self.faulty if state[0] == "start" else self.rings[state[1]])


def after_the_bell(game: kb.Game) -> kb.View:
    """What the player knows in an episode in which the bell rings."""
    for episode in range(100_000):
        referee = kb.Referee(game, 0, episode)
        while len(referee.view(0).legal()) == 1 and not referee.over:
            referee.apply([referee.state.legal(0)[0]])
        if not referee.over:
            return referee.view(0)
    raise AssertionError("the bell never rings")


def beliefs(rules: Alarm, kind: str, count: int) -> Iterator[kb.Belief]:
    """So many, each from a seed of its own, that have heard the bell."""
    game = kb.load(rules)
    view = after_the_bell(game)
    for seed in range(count):
        belief = kb.Belief(game, kind, seed=seed)
        belief.update(view)
        yield belief


@pytest.mark.parametrize("kind", PARTICLES)
def test_particles_find_what_a_rare_observation_needs(kind: str) -> None:
    faults = 0
    for belief in beliefs(Alarm(), kind, 200):
        phase, fault, _ = belief.sample().value
        assert phase == "rung"
        assert not any("agree" in note for note in belief.notes)
        faults += fault
    # A quarter is due: .1 * .003 / (.1 * .003 + .9 * .001).
    assert 29 <= faults <= 71


@pytest.mark.parametrize("kind", PARTICLES)
def test_particles_go_back_as_far_as_they_must(kind: str) -> None:
    for belief in beliefs(CertainAlarm(), kind, 40):
        assert belief.sample().value[:2] == ("rung", True)


@pytest.mark.parametrize("kind", PARTICLES)
def test_what_cannot_be_listed_is_tried_again(kind: str) -> None:
    for belief in beliefs(DrawnAlarm(), kind, 20):
        assert belief.sample().value[0] == "rung"


@pytest.mark.parametrize("spec", ["pomcp", "is-mcts", "hindsight", "one-step"])
def test_planners_do_not_guess_after_a_rare_observation(spec: str) -> None:
    game = kb.load(CertainAlarm())
    view = after_the_bell(game)
    for seed in range(5):
        advice = kb.advise(game, view, spec if spec != "pomcp" else "pomcp(simulations=100)", seed=seed)
        assert advice.best == "repair"
        assert not any("random" in note for note in advice.notes)
