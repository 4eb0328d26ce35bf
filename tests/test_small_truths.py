"""What is certain of games of a few lines: values, streams and nodes that must not be mixed up."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any, ClassVar

import pytest

import kibitz as kb
from kibitz.planners import decide


def values(game: kb.Game, spec: str, seat: int = 0, seed: int = 0) -> dict[str, float]:
    """What a planner says of the first actions."""
    table = kb.advise(game, kb.Referee(game).view(seat), spec, seed=seed).table
    return {row.name: row.value for row in table if row.value is not None}


class UnseenCoin(kb.Rules[tuple[str, ...]]):
    """The first does anything, a coin is tossed that nobody sees, and the second guesses it."""

    players, zero_sum, horizon = 2, True, 3

    def initial(self) -> tuple[str, ...]:
        return ()

    def turn(self, state: tuple[str, ...]) -> int:
        return (0, kb.CHANCE, 1, kb.OVER)[len(state)]

    def chance(self, state: tuple[str, ...]) -> list[tuple[str, float]]:
        return [("heads", 0.5), ("tails", 0.5)]

    def legal(self, state: tuple[str, ...], player: int) -> list[str]:
        return ["wait", "wink"] if player == 0 else ["heads", "tails"]

    def step(self, state: tuple[str, ...], joint: tuple[str, ...]) -> Any:
        state = (*state, joint[0])
        return state, None if len(state) < 3 else (-1, 1) if state[1] == state[2] else (1, -1)

    def observe(self, after: tuple[str, ...], joint: tuple[str, ...], player: int) -> None:
        return None


@pytest.mark.parametrize(
    "spec",
    [
        "lifted-hyperplay(worlds=400, planner=random)",
        "hindsight(worlds=400, planner=random, horizon=9)",
        "hindsight(worlds=400, others=random)",
        "hyperplay(worlds=400, planner=random, horizon=9)",
    ],
)
def test_who_plays_at_random_cannot_guess_what_chance_does(spec: str) -> None:
    game = kb.load(UnseenCoin())
    for seed in (0, 1):
        # Five standard errors.
        assert all(abs(value) < 0.25 for value in values(game, spec, seed=seed).values())


class Corridor(kb.Rules[int]):
    """Two who are asked in a certain order, alone or at once; one of them is told something on the way.

    A node of one's own and one where the other decides had the same key here.
    """

    players, horizon = 2, 5
    WAYS: ClassVar[dict[int, tuple[Any, dict[tuple[str, ...], int]]]] = {
        0: (0, {("b",): 1, ("a",): 9}),
        1: (1, {("z",): 2}),
        2: (1, {("y",): 3}),
        3: ((0, 1), {("b", "x"): 4}),
        4: (0, {("c",): 9}),
        9: (kb.OVER, {}),
    }

    def initial(self) -> int:
        return 0

    def turn(self, state: int) -> Any:
        return self.WAYS[state][0]

    def legal(self, state: int, player: int) -> list[str]:
        turn, ways = self.WAYS[state]
        place = 0 if isinstance(turn, int) else turn.index(player)
        return list(dict.fromkeys(joint[place] for joint in ways))

    def step(self, state: int, joint: Sequence[str]) -> Any:
        return self.WAYS[state][1][tuple(joint)], None

    def observe(self, after: int, joint: Sequence[str], player: int) -> str | None:
        return "0" if after == 3 and player == 0 else None


@pytest.mark.parametrize("spec", ["is-mcts(simulations=30)", "pomcp(simulations=30, observers=one)"])
def test_no_node_is_taken_for_another(spec: str) -> None:
    game = kb.load(Corridor())
    for seed in range(5):
        assert set(values(game, spec, seed=seed)) == {"a", "b"}


class Unbalanced(kb.Rules[tuple[int, ...]]):
    """Random trees of a zero-sum game whose steps pay both players anything: only the returns balance."""

    players, zero_sum, horizon, min_return, max_return = 2, True, 4, -20.0, 20.0

    def __init__(self, seed: int, discount: float) -> None:
        self.seed, self.discount = seed, discount
        self._drawn: dict[Any, int] = {}

    def _draw(self, state: tuple[int, ...], what: str) -> int:
        if (state, what) not in self._drawn:
            self._drawn[state, what] = Random(f"{self.seed} {state} {what}").randrange(1000)
        return self._drawn[state, what]

    def initial(self) -> tuple[int, ...]:
        return ()

    def turn(self, state: tuple[int, ...]) -> int:
        if len(state) == 4:
            return kb.OVER
        return (kb.CHANCE, 0, 1, 0, 1)[self._draw(state, "turn") % 5] if state else self.seed % 2

    def chance(self, state: tuple[int, ...]) -> list[tuple[int, float]]:
        return [(0, 0.25), (1, 0.75)]

    def legal(self, state: tuple[int, ...], player: int) -> list[int]:
        return list(range(2 + self._draw(state, "legal") % 2))

    def step(self, state: tuple[int, ...], joint: tuple[int, ...]) -> Any:
        after = (*state, joint[0])
        first, second = self.paid(after)
        if len(after) == 4:
            # The last step makes up for what all others have paid both.
            weights = [self.weight(after[:length]) for length in range(4)]
            owed = sum(weights[length] * sum(self.paid(after[: length + 1])) for length in range(3))
            second = -first - owed / weights[3]
        return after, (first, second)

    def paid(self, after: tuple[int, ...]) -> tuple[float, float]:
        return self._draw(after, "first") / 500 - 1, self._draw(after, "second") / 500 - 1

    def weight(self, state: tuple[int, ...]) -> float:
        moves = [length for length in range(len(state)) if self.turn(state[:length]) != kb.CHANCE]
        return self.discount ** len(moves)

    def worth(self, state: tuple[int, ...]) -> dict[int, tuple[float, float]]:
        """What each action, or outcome, brings both players who go on for themselves."""
        turn, found = self.turn(state), {}
        for action in [0, 1] if turn == kb.CHANCE else self.legal(state, turn):
            after, paid = self.step(state, (action,))
            below = self.value(after)
            weight = 1.0 if turn == kb.CHANCE else self.discount
            found[action] = (paid[0] + weight * below[0], paid[1] + weight * below[1])
        return found

    def value(self, state: tuple[int, ...]) -> tuple[float, float]:
        turn = self.turn(state)
        if turn == kb.OVER:
            return 0.0, 0.0
        worth = self.worth(state)
        if turn == kb.CHANCE:
            first, second = (sum(p * worth[o][who] for o, p in self.chance(state)) for who in (0, 1))
            return first, second
        return max(worth.values(), key=lambda both: both[turn])


@pytest.mark.parametrize("seed", range(16))
def test_zero_sum_is_about_returns(seed: int) -> None:
    rules = Unbalanced(seed, discount=(1.0, 0.5)[seed % 4 // 2])
    game, mover = kb.load(rules), seed % 2
    worth = {str(action): both[mover] for action, both in rules.worth(()).items()}
    solution = kb.solve(game)
    assert "alpha-beta" in solution.method
    assert solution.value == pytest.approx(rules.value(()))
    assert dict(solution.table) == pytest.approx(worth)
    assert values(game, "minimax(depth=9)", mover) == pytest.approx(worth)
    found = values(game, "uct(simulations=1500, backup=max)", mover)
    # What an action is worth by its mean is near after so many simulations; how near depends on chance.
    assert found == pytest.approx(worth, abs=0.15)


class Later(kb.Rules[tuple[str, ...]]):
    """Discount 0.5: who waits is paid 1 by what comes after its move, and 2 by its own next move."""

    players, horizon, discount, min_return, max_return = 2, 3, 0.5, -5.0, 5.0

    def __init__(self, then: int, alone: bool) -> None:
        self.then, self.players = then, 1 if alone else 2

    def initial(self) -> tuple[str, ...]:
        return ()

    def turn(self, state: tuple[str, ...]) -> int:
        over = len(state) == 3 or state == ("take",)
        return kb.OVER if over else (0, self.then, 0)[len(state)]

    def chance(self, state: tuple[str, ...]) -> list[tuple[str, float]]:
        return [("pay", 1.0)]

    def legal(self, state: tuple[str, ...], player: int) -> list[str]:
        return (["wait", "take"], ["pay"], ["go"])[len(state)]

    def step(self, state: tuple[str, ...], joint: tuple[str, ...]) -> Any:
        paid = {"wait": 0.0, "take": 1.75, "pay": 1.0, "go": 2.0}[joint[0]]
        return (*state, joint[0]), paid if self.players == 1 else (paid, -paid / 2)


PLANNERS = [
    "expectimax(depth=9)", "flat-mc", "uct", "uct(backup=max)", "pomcp", "norns", "is-mcts", "pomcp-pgt",
    "outcome-uct(playout=random)", "hindsight", "hindsight(others=random)", "hindsight(planner=expectimax)",
    "hindsight(planner=uct(simulations=50))", "hindsight(planner=nmc)", "hindsight(planner=random)",
    "hyperplay", "hyperplay(planner=expectimax)", "hyperplay(future=fixed, planner=none)",
    "lifted-hyperplay(planner=random)", "ff-replan", "nmc", "nmc(level=2)", "hop-uct", "sparse-uct",
    "omniscient", "omniscient(planner=nmc)", "uct(playout=solver(100))", "minimax(depth=9)", "one-step",
]  # fmt: skip


@pytest.mark.parametrize("spec", PLANNERS)
@pytest.mark.parametrize("then", ["chance", "another"])
def test_what_is_paid_after_a_move_is_discounted(spec: str, then: str) -> None:
    rules = Later(kb.CHANCE if then == "chance" else 1, alone=then == "chance")
    unfit = ["minimax"] if then == "chance" else ["backup=max", "solver"]
    if any(word in spec for word in unfit):
        pytest.skip("not a game for it")
    game = kb.load(rules)
    referee, chooser = kb.Referee(game), kb.planner(spec)
    chooser.start(game, 0, 0)
    found = {row.name: row.value for row in decide(chooser, referee, 0).table}
    # Chance's step is not a move: after it the own next move counts as much.
    wait = 0.5 + 0.5 * 2 if then == "chance" else 0.5 + 0.25 * 2
    if spec == "one-step":
        wait = 0.5 if then == "chance" else 0.0
    assert found == pytest.approx({"take": 1.75, "wait": wait})


class Pennies(kb.Rules[str]):
    """Matching pennies with a way out that costs 0.3. The second does not see what the first has shown."""

    players, zero_sum, horizon = 2, True, 3

    def __init__(self, steps: tuple[Any, ...], told: str = "nothing") -> None:
        self.steps, self.told = steps, told

    def initial(self) -> str:
        return ""

    def turn(self, state: str) -> Any:
        return self.steps[len(state)] if len(state) < len(self.steps) and "o" not in state else kb.OVER

    def legal(self, state: str, player: int) -> list[str]:
        if self.told == "half" and player == 0:
            return ["h", "t", "H", "T", "o"]
        return ["h", "t", "o"] if player == 0 and not state else ["h", "t"]

    def step(self, state: str, joint: tuple[str, ...]) -> Any:
        if joint[0] == "o":
            return "o", (-0.3, 0.3)
        state += "".join(joint)
        if len(state) < sum(len(step) if isinstance(step, tuple) else 1 for step in self.steps):
            return state, None
        return "o", (1, -1) if state[0].lower() == state[-1] else (-1, 1)

    def observe(self, after: str, joint: tuple[str, ...], player: int) -> str | None:
        # How large the penny is, and nothing else.
        return str(joint[0].isupper()) if self.told == "half" else None


@pytest.mark.parametrize(
    "spec", ["uct", "pomcp", "norns", "uct(selection=uniform)", "is-mcts(selection=uniform)"]
)
@pytest.mark.parametrize(
    "rules",
    [
        pytest.param(Pennies(((0, 1),)), id="at once"),
        pytest.param(Pennies((0, 1)), id="unseen"),
        pytest.param(Pennies((0, 0, 1)), id="twice unseen"),
        pytest.param(Pennies((0, 1), told="half"), id="half unseen"),
    ],
)
def test_searches_do_not_fall_into_step(rules: Pennies, spec: str) -> None:
    game = kb.load(rules)
    for seed in range(6):
        found = values(game, spec, seed=seed)
        assert found.pop("o") == pytest.approx(-0.3)
        # Whoever fell into step with itself was sure of +1 or -1.
        assert all(abs(value) < 0.3 for value in found.values()), found


def test_public_trees_do_not_fall_into_step() -> None:
    game = kb.load("rock-paper-scissors")
    for selection in ("uniform", "regret-matching"):
        found = values(game, f"pomcp-pgt(selection={selection})")
        assert all(abs(value) < 0.3 for value in found.values()), (selection, found)


def test_strides_are_refused_where_moves_are_discounted() -> None:
    class Hasty(Later):
        """A stride may be several moves, each of which would have to be discounted."""

        def key(self, state: tuple[str, ...]) -> tuple[str, ...]:
            return state

    game = kb.load(Hasty(kb.CHANCE, alone=True))
    with pytest.raises(ValueError, match="not discounted"):
        kb.advise(game, kb.Referee(game).view(0), "macro-uct")
