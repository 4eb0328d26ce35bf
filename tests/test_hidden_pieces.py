"""Python games that say what they hide: pieces that go their own ways, outcomes that are called out."""

from __future__ import annotations

import random
from itertools import product
from typing import Any

import pytest

import kibitz as kb

Rats = tuple[int, tuple[int, ...], int]
HOLES = 5


class Listening(kb.Rules[Rats]):
    """Rats run about behind a wall, each by itself; those at its hole squeak, and one may be guessed at."""

    min_return, max_return, horizon = 0.0, 1.0, 30
    rats = 2

    def initial(self) -> Rats:
        return 0, (), 0  # placed, rats, moves

    def turn(self, state: Rats) -> int:
        placed, _, moves = state
        return kb.CHANCE if placed < 2 else kb.OVER if moves >= 9 else 0

    def legal(self, state: Rats, player: int) -> list[str]:
        return ["listen", "guess"]

    def chance(self, state: Rats) -> list[tuple[tuple[int, ...], float]]:
        placed, rats, _ = state
        if placed == 0:
            places = [[(hole, 1 / HOLES) for hole in range(HOLES)]] * self.rats
        else:
            places = [[(max(rat - 1, 0), 0.5), (min(rat + 1, HOLES - 1), 0.5)] for rat in rats]
        outcomes: dict[tuple[int, ...], float] = {(): 1.0}
        for each in places:  # one rat after the other: all together would be too many
            before, outcomes = outcomes, {}
            for (where, p), (place, q) in product(before.items(), each):
                now = tuple(sorted((*where, place)))
                outcomes[now] = outcomes.get(now, 0.0) + p * q
        return list(outcomes.items())

    def step(self, state: Rats, joint: tuple[Any, ...]) -> tuple[Rats, float]:
        placed, rats, moves = state
        if placed < 2:
            return (2, joint[0], moves), 0.0
        return (1, rats, moves + 1), float(joint[0] == "guess" and 0 in rats) / 9

    def observe(self, after: Rats, joint: tuple[Any, ...], player: int) -> str | None:
        placed, rats, moves = after
        return None if placed < 2 or moves == 0 else "squeak" if 0 in rats else "quiet"

    def key(self, state: Rats) -> Rats:
        return state


class ByPieces(Listening):
    """The same, which says that rats go their own ways."""

    def piece_prior(self, events: list[tuple[str, Any]]) -> tuple[int, list[Any]]:
        alone: list[tuple[Rats, float]] = [((2, (hole,), 0), 1 / HOLES) for hole in range(HOLES)]
        return 0, [(1.0, [alone] * self.rats)]

    def split(self, state: Rats) -> list[Rats]:
        placed, rats, moves = state
        return [(placed, (rat,), moves) for rat in rats]

    def join(self, pieces: list[Rats]) -> Rats:
        placed, _, moves = pieces[0]
        return placed, tuple(sorted(rat for _, rats, _ in pieces for rat in rats)), moves

    def piece_done(self, before: Rats, after: Rats, observation: str) -> bool:
        return 0 in after[1]

    def done_together(self, before: Rats, done: list[bool], observation: str) -> bool:
        return any(done) == (observation == "squeak")


def test_pieces_are_believed_as_all_their_places_together() -> None:
    told = set()
    for seed in range(4):
        games = [kb.load(Listening()), kb.load(ByPieces())]
        beliefs = [kb.Belief(game, "exact") for game in games]
        referees = [kb.Referee(game, seed) for game in games]
        rng = random.Random(seed)
        while not referees[0].over:
            if not referees[0].movers:
                for referee in referees:
                    referee.advance()
                continue
            found = []
            for referee, belief in zip(referees, beliefs, strict=True):
                belief.update(referee.view(0))
                states = belief.states()
                assert states is not None
                found.append({state.value: p for state, p in states})
            one, other = found
            assert one.keys() == other.keys()
            for state, p in one.items():
                assert other[state] == pytest.approx(p, abs=1e-12)
            assert "states of pieces" in dict(beliefs[1].counters)
            told.add(len(one))
            move = rng.randrange(2)
            for referee in referees:
                referee.apply([("listen", "guess")[move]])
    assert len(told) > 2


def test_more_pieces_than_can_be_listed_together() -> None:
    many = type("Many", (ByPieces,), {"rats": 12})()
    game = kb.load(many)
    referee, belief = kb.Referee(game, 1), kb.Belief(game, "exact(100000)")
    for _ in range(3):
        while not referee.movers:
            referee.advance()
        belief.update(referee.view(0))
        referee.apply(["listen"])
    assert (belief.size or 0) > 100_000


@pytest.mark.parametrize("missing", ["key", "piece_prior", "join", "piece_done", "done_together"])
def test_half_an_ability_is_none(missing: str) -> None:
    with pytest.raises(TypeError, match=f"none of the name {missing}"):
        kb.load(type("Half", (ByPieces,), {missing: None})())


@pytest.mark.parametrize(
    ("method", "answer", "complaint"),
    [
        ("piece_prior", 7, "piece_prior returned 7; it should return None, or how many"),
        ("split", 7, "split returned 7"),
        ("piece_done", [], "piece_done returned .*, which is not hashable"),
    ],
)
def test_a_wrong_answer_is_the_games_fault(method: str, answer: Any, complaint: str) -> None:
    methods: dict[str, Any] = {method: lambda self, *rest: answer}
    methods["resample"] = lambda self, events, player, rng: (2, (0, 0), 0)
    if method == "split":
        methods["piece_prior"] = lambda self, events: None  # so that states are drawn
    game = kb.load(type("Wrong", (ByPieces,), methods)())
    referee, belief = kb.Referee(game, 1), kb.Belief(game, "exact")

    def follow() -> None:
        for _ in range(3):
            while not referee.movers:
                referee.advance()
            belief.update(referee.view(0))
            referee.apply(["listen"])

    with pytest.raises(kb.GameFault, match=complaint):
        follow()


class Lottery(kb.Rules[tuple[int, int]]):
    """A draw of one number of very many, which is called out; but not how often it has been won."""

    min_return, max_return, horizon = 0.0, 1.0, 12

    def initial(self) -> tuple[int, int]:
        return 0, 0

    def turn(self, state: tuple[int, int]) -> int:
        rounds, _ = state
        return kb.OVER if rounds >= 6 else kb.CHANCE if rounds % 2 else 0

    def legal(self, state: tuple[int, int], player: int) -> list[str]:
        return ["odd", "even"]

    def draw(self, state: tuple[int, int], rng: Any) -> int:
        return int(rng.randrange(10**9))

    def step(self, state: tuple[int, int], joint: tuple[Any, ...]) -> tuple[tuple[int, int], float]:
        rounds, drawn = state
        return (rounds + 1, joint[0] if rounds % 2 else drawn), 0.0

    def observe(self, after: tuple[int, int], joint: tuple[Any, ...], player: int) -> int | None:
        return joint[0] if isinstance(joint[0], int) else None

    def key(self, state: tuple[int, int]) -> tuple[int, int]:
        return state


class Called(Lottery):
    def shown(self, state: tuple[int, int], observation: int) -> int:
        return observation


def last_belief(rules: Lottery) -> list[tuple[int, int]]:
    game = kb.load(rules)
    referee, belief = kb.Referee(game, 3), kb.Belief(game, "exact")
    for _ in range(2):
        belief.update(referee.view(0))
        referee.apply(["odd"])
        referee.advance()
    belief.update(referee.view(0))
    states = belief.states()
    assert states is not None
    assert states[0][0].value == referee.state.value
    return [state.value for state, _ in states]


def test_what_was_called_out_was_drawn() -> None:
    assert len(last_belief(Called())) == 1
    with pytest.raises(ValueError, match="explicit chance"):
        last_belief(Lottery())
