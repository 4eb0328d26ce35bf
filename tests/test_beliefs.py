"""Beliefs from Python: what may be, given what a player has seen."""

from __future__ import annotations

import re
from collections import Counter

import pytest

import kibitz as kb


def kuhn_view(seed: int) -> kb.View:
    """The second player's view of a deal after the first has bet."""
    referee = kb.Referee(kb.load("kuhn-poker"), seed=seed)
    referee.apply([referee.state.find_action(0, "bet")])
    return referee.view(1)


@pytest.mark.parametrize("kind", ["auto", "exact", "particles(400)", "tree", "resampling", "hypergames"])
def test_presents_fit_the_view(kind: str) -> None:
    view = kuhn_view(5)
    belief = kb.Belief(view.game, kind, seed=1)
    belief.update(view)
    seen: Counter[str] = Counter()
    for _ in range(600):
        state = belief.sample()
        assert state.text(1) == view.text()
        assert state.movers == [1]
        seen[state.text()] += 1
    # Two cards are left for the other player, equally likely whatever it did.
    assert len(seen) == 2
    assert min(seen.values()) > 240


def test_the_exact_belief_is_bayes_rule() -> None:
    """After growls from one side, 0.85^n against 0.15^n."""
    game = kb.load("tiger")
    referee = kb.Referee(game, seed=3)
    belief = kb.Belief(game, "exact")
    lead = 0
    for _ in range(4):
        belief.update(referee.view(0))
        states = Counter(belief.sample().text() for _ in range(4000))
        expected = 0.85 ** abs(lead) / (0.85 ** abs(lead) + 0.15 ** abs(lead))
        assert max(states.values()) / 4000 == pytest.approx(expected, abs=0.04)
        referee.apply([referee.state.find_action(0, "listen")])
        lead += 1 if "left" in referee.view(0).events[-1][2] else -1


def test_a_known_state_is_one_state() -> None:
    game = kb.load("connect-four")
    referee = kb.Referee(game)
    belief = kb.Belief(game)
    for column in "4435":
        mover = referee.movers[0]
        referee.apply([referee.state.find_action(mover, column)])
    belief.update(referee.view(0))
    assert belief.size == 1
    assert belief.sample().hash() == referee.state.hash()


def test_mistakes_are_sentences() -> None:
    game = kb.load("kuhn-poker")
    with pytest.raises(ValueError, match="did you mean particles"):
        kb.Belief(game, "particle(10)")
    with pytest.raises(ValueError, match="call update first"):
        kb.Belief(game).sample()
    with pytest.raises(ValueError, match="another game"):
        kb.Belief(kb.load("tiger")).update(kuhn_view(1))
    with pytest.raises(ValueError, match="resampling, which this game lacks"):
        kb.Belief(kb.load("bear"), "resampling")
    rocks = kb.load("rock-sample")
    with pytest.raises(ValueError, match="more than 10 states"):
        kb.Belief(rocks, "exact(10)").update(kb.Referee(rocks).view(0))


class Deal(kb.Rules[tuple[int, ...]]):
    """Twenty cards, dealt in turn to two players; then the first says something about its hand."""

    players, horizon = 2, 21
    silent, plays_cards = False, False

    def initial(self) -> tuple[int, ...]:
        return ()

    def turn(self, state: tuple[int, ...]) -> int:
        return kb.CHANCE if len(state) < 20 else 0 if len(state) == 20 else kb.OVER

    def chance(self, state: tuple[int, ...]) -> list[tuple[int, float]]:
        left = [card for card in range(20) if card not in state]
        return [(card, 1 / len(left)) for card in left]

    def legal(self, state: tuple[int, ...], player: int) -> list[int]:
        return sorted(self.hand(state, player)) if self.plays_cards else [100, 101]

    def step(self, state: tuple[int, ...], joint: tuple[int, ...]) -> tuple[tuple[int, ...], None]:
        return (*state, joint[0]), None

    def hand(self, state: tuple[int, ...], player: int) -> tuple[int, ...]:
        return state[player:20:2]

    def observe(self, after: tuple[int, ...], joint: tuple[int, ...], player: int) -> object:
        told = len(after) == 20 if self.silent else len(after) <= 20
        return self.hand(after, player) if told else None


class SilentDeal(Deal):
    """The same, but the hands are told all at once."""

    silent = True


class SilentCards(SilentDeal):
    """Here what is legal depends on the hand, too."""

    plays_cards = True


def test_a_long_deal_is_met_card_by_card() -> None:
    game = kb.Game.python(Deal(), "deal")
    referee = kb.Referee(game, seed=1)
    belief = kb.Belief(game, "particles(100)", seed=2)
    belief.update(referee.view(0))
    hand = referee.state.value[0:20:2]
    others = Counter()
    for _ in range(200):
        state = belief.sample().value
        assert state[0:20:2] == hand
        others[state[1:20:2]] += 1
    assert len(others) > 5
    assert not belief.notes


def test_what_cannot_be_met_is_come_near_to() -> None:
    referee = kb.Referee(kb.Game.python(SilentDeal(), "silent deal"), seed=1)
    planner = kb.planner("pomcp(simulations=50)")
    planner.start(referee.game, 0, 3)
    decision = planner.act(referee.view(0))
    assert decision.simulations == 50
    assert "nearest differ in 1 observation" in decision.notes[0]


def test_who_can_explain_nothing_moves_at_random() -> None:
    referee = kb.Referee(kb.Game.python(SilentCards(), "silent cards"), seed=1)
    for spec in "pomcp", "one-step":
        planner = kb.planner(spec)
        planner.start(referee.game, 0, 3)
        decision = planner.act(referee.view(0))
        assert decision.action in referee.state.legal(0)
        assert re.match(
            "a move at random: none of 1000? particles explains what player 1", decision.notes[0]
        )
    with pytest.raises(
        ValueError, match="none of 1000 particles explains what player 1 has seen; more of them"
    ):
        kb.Belief(referee.game).update(referee.view(0))


GUESSING = "number-guessing.kif(numbers=16, questions=4)"


def views_of(spec: str, planner: str, seed: int) -> list[kb.View]:
    """The views that a lone player has in one game."""
    game = kb.load(spec)
    referee, player = kb.Referee(game, seed), kb.planner(planner)
    player.start(game, 0, seed)
    views = []
    while not referee.over:
        views.append(referee.view(0))
        referee.apply([player.act(views[-1]).action])
    return views


@pytest.mark.parametrize("spec", ["mastermind.kif", GUESSING, "monty-hall.kif", "rock-sample(4, 4)"])
def test_the_tree_of_histories_is_the_exact_filter(spec: str) -> None:
    """Chi-squared of the states that it draws, step after step; at the level of one in a million."""
    views = views_of(spec, "random", 3)
    game = views[0].game
    tree, exact = kb.Belief(game, "tree", seed=1), kb.Belief(game, "exact")
    for view in views[:6]:
        tree.update(view)
        exact.update(view)
        states = exact.states(100_000)
        assert states is not None
        draws = 40 * len(states)
        seen = Counter(tree.sample().hash() for _ in range(draws))
        assert set(seen) <= {state.hash() for state, _ in states}
        squares = sum((seen[state.hash()] - draws * p) ** 2 / (draws * p) for state, p in states)
        freedom = max(1, len(states) - 1)
        assert squares < freedom + 5 * (2 * freedom) ** 0.5 + 25
        # All that is left of the tree is the same distribution.
        left = tree.states(100_000)
        assert left is not None
        assert {state.hash(): p for state, p in left} == pytest.approx(
            {state.hash(): p for state, p in states}
        )
    counters = dict(tree.counters)
    assert counters["restarts"] <= counters["removed"]
    assert counters["transitions"] < counters["histories"] + counters["removed"] + 1
