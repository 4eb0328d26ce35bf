"""Beliefs from Python: what may be, given what a player has seen."""

from __future__ import annotations

from collections import Counter

import pytest

import kibitz as kb


def kuhn_view(seed: int) -> kb.View:
    """The second player's view of a deal after the first has bet."""
    referee = kb.Referee(kb.load("kuhn-poker"), seed=seed)
    referee.apply([referee.state.find_action(0, "bet")])
    return referee.view(1)


@pytest.mark.parametrize("kind", ["auto", "exact", "particles(400)", "resampling"])
def test_presents_fit_the_view(kind: str) -> None:
    view = kuhn_view(5)
    belief = kb.Belief(view.game, kind, seed=1)
    belief.update(view)
    seen: Counter[str] = Counter()
    for _ in range(600):
        state = belief.sample()
        assert state.text(1) == view.text
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
