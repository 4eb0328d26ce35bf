"""POMCP on a public game tree, and selection by regret, from Python and on games of every kind."""

from __future__ import annotations

import re

import pytest

import kibitz as kb

SELECTIONS = ["ucb1", "regret-matching", "regret-matching-plus"]


@pytest.mark.parametrize("selection", SELECTIONS)
@pytest.mark.parametrize(
    "game",
    [
        "rock-paper-scissors",
        "kuhn-poker",
        "leduc-poker",
        "liars-dice",
        "king-up",
        "king-up(players=4, set_rounds=1)",
        "tic-tac-toe",
        "bidding-tic-tac-toe.kif",
        "rock-sample",
    ],
)
def test_it_plays_every_game_with_public_moves(game: str, selection: str) -> None:
    rules = kb.load(game)
    spec = f"pomcp-pgt(simulations=30, selection={selection})"
    players = [kb.planner(spec) for _ in range(rules.info.players)]
    first, again = (kb.play(rules, players, seed=3, max_steps=30) for _ in range(2))
    assert [step.joint for step in first.steps] == [step.joint for step in again.steps]


def test_it_plays_games_of_openspiel() -> None:
    pytest.importorskip("pyspiel")
    players = [kb.planner("pomcp-pgt(simulations=50)") for _ in range(2)]
    assert sum(kb.play("openspiel:leduc_poker", players, seed=1).returns) == 0


def test_hidden_moves_are_refused_in_a_sentence() -> None:
    rules = kb.load("kriegspiel-tic-tac-toe.kif")
    players = [kb.planner("pomcp-pgt"), kb.planner("random")]
    with pytest.raises(ValueError, match=r"needs moves that everybody sees, but here .* does not see what"):
        kb.play(rules, players, seed=1)


@pytest.mark.parametrize(
    ("spec", "what"),
    [
        ("pomcp-pgt(backup=max)", "goes with observers=all, backup=mean"),
        ("uct(selection=regret-matching, expansion=partial)", "selection=regret-matching goes with"),
        ("pomcp-pgt(selection=regret-matching(2))", "2 is out of range: 0 to 1"),
        ("pomcp-pgt(selection=regret)", "regret-matching"),
        ("pomcp(belief=tree(opponents=search))", "does not go with belief=tree"),
        (
            "hindsight(belief=exact(opponents=search))",
            "goes by the tree of a search, and here there is none",
        ),
        (
            "ff-replan(belief=exact(opponents=search))",
            "goes by the tree of a search, and here there is none",
        ),
    ],
)
def test_what_does_not_go_together(spec: str, what: str) -> None:
    with pytest.raises(ValueError, match=re.escape(what)):
        kb.play("leduc-poker", [kb.planner(spec), kb.planner("random")], seed=1)


def search(game: str, spec: str) -> kb.Decision:
    rules = kb.load(game)
    view = kb.Referee(rules, seed=2).view(0)
    return kb.advise(rules, view, spec)


def test_values_are_what_all_players_expect() -> None:
    values = search("king-up", "pomcp-pgt(simulations=2000)").values
    assert len(values) == 3
    assert all(0 < value < 0.44 for value in values)
    zero_sum = search("leduc-poker", "pomcp-pgt(simulations=500)").values
    assert sum(zero_sum) == pytest.approx(0)


def exploitability(spec: str) -> float:
    """What could be gained against how often each hand was shown."""
    shown = {row.name: row.visits for row in search("rock-paper-scissors", spec).table}
    rock, paper, scissors = (shown[hand] / sum(shown.values()) for hand in ("rock", "paper", "scissors"))
    return max(scissors - paper, rock - scissors, paper - rock)


def test_regret_minimisation_mixes() -> None:
    spec = "pomcp-pgt(simulations={}, selection=regret-matching-plus)"
    assert exploitability(spec.format(20_000)) < 0.03
    # Drawn by that strategy, not the best of it.
    actions = {
        kb.advise(view.game, view, spec.format(300), seed=seed).name
        for view in [kb.Referee(kb.load("rock-paper-scissors")).view(0)]
        for seed in range(20)
    }
    assert actions == {"rock", "paper", "scissors"}


@pytest.mark.parametrize("belief", ["exact", "particles", "hypergames"])
def test_beliefs_may_go_by_what_the_search_has_others_do(belief: str) -> None:
    spec = f"pomcp-pgt(simulations=100, belief={belief}(opponents=search(0.1)))"
    players = [kb.planner(spec), kb.planner("random")]
    decisions = [kb.play("leduc-poker", players, seed=seed).decisions for seed in range(5)]
    assert not any("at random" in note for game in decisions for each in game for note in each.notes)


def test_a_belief_of_its_own_has_no_search_to_go_by() -> None:
    with pytest.raises(ValueError, match="here there is none"):
        kb.Belief(kb.load("king-up"), "exact(opponents=search)")
