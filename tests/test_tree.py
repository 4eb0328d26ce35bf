"""Search trees: what a decision was made of, walked, drawn and kept."""

from __future__ import annotations

import json

import pytest

import kibitz as kb
from kibitz.tree import Tree


def grown(game: str, planner: str, *, seed: int = 0, player: int = 0) -> tuple[kb.Decision, Tree]:
    """A decision at the beginning of a game, and its tree."""
    decision = kb.advise(game, kb.Referee(game, seed=seed).view(player), planner, seed=seed)
    tree = decision.tree
    assert tree is not None
    return decision, tree


@pytest.mark.parametrize(
    ("game", "planner"),
    [
        ("tic-tac-toe", "uct(simulations=300)"),
        ("leduc-poker", "pomcp(simulations=300)"),
        ("leduc-poker", "is-mcts(simulations=300)"),
        ("tiger", "pomcp(simulations=300)"),
        ("navy-defense", "pomcp(simulations=300, depth=10)"),
        ("rock-paper-scissors", "uct(simulations=100)"),
        ("king-up", "is-mcts(simulations=200)"),
        ("breakthrough.kif", "uct(simulations=100)"),
    ],
)
def test_the_root_is_the_decisions_table(game: str, planner: str) -> None:
    decision, tree = grown(game, planner)
    table = {row.name: row for row in decision.table}
    assert {branch.name for branch in tree} == set(table)
    for branch in tree:
        assert branch.visits == table[branch.name].visits
        if branch.visits:
            assert branch.value == pytest.approx(table[branch.name].value)
            assert branch.error == table[branch.name].error


def test_children_are_the_replies_and_their_visits_add_up() -> None:
    _, tree = grown("tic-tac-toe", "uct(simulations=500)")
    assert tree.player == "x"
    for branch in tree:
        assert [child.player for child in branch.nodes] == ["o"] * (branch.visits > 1)
        for child in branch.nodes:
            assert child.visits <= branch.visits
            assert {reply.name for reply in child} <= {other.name for other in tree} - {branch.name}
    assert tree["b2"].name == "b2"
    with pytest.raises(KeyError, match="did you mean"):
        tree["b22"]


def test_chances_outcomes_are_told_apart_by_what_is_seen() -> None:
    _, tree = grown("tiger", "pomcp(simulations=500)")
    heard = {child.told for child in tree["listen"].nodes}
    assert heard == {"hear left", "hear right"}


def test_others_secrets_are_not_in_it() -> None:
    # After a bet the other decides by its own card: the tree has a node for each that it may have.
    _, tree = grown("kuhn-poker", "pomcp(simulations=500)", seed=1)
    own = kb.Referee("kuhn-poker", seed=1).view(0)
    for branch in tree:
        players = {child.player for child in branch.nodes}
        assert players <= {"player 2"}
        assert len(branch.nodes) <= 2, "the two cards that the other may have"
    assert own.text()


def test_it_is_walked_and_written() -> None:
    _, tree = grown("tic-tac-toe", "uct(simulations=400)")
    paths = [path for path, _ in tree.walk()]
    assert paths[0] == ()
    assert len(paths) > 10
    assert len([1 for _ in tree.walk(least=20)]) < len(paths)
    plain = json.loads(json.dumps(tree.to_json()))
    assert len(plain) == len(paths)
    assert plain[0]["player"] == "x"
    dot = tree.dot(least=10)
    assert dot.startswith("digraph {")
    assert dot.count("->") > 3
    assert "<details>" in tree._repr_html_()
    assert "x, 400 visits" in str(tree)


def test_a_tree_belongs_to_the_last_decision() -> None:
    game = kb.load("tic-tac-toe")
    referee, planner = kb.Referee(game), kb.planner("uct", simulations=50)
    planner.start(referee.seat(0), 0, 1)
    first = planner.act(referee.view(0))
    assert first.tree is not None
    second = planner.act(referee.view(0))
    with pytest.raises(ValueError, match="has moved on: ask for a decision's tree before"):
        first.tree  # noqa: B018 -- it is asked for
    assert second.tree is not None


def test_who_has_no_tree_shows_none() -> None:
    view = kb.Referee("tic-tac-toe").view(0)
    assert kb.advise("tic-tac-toe", view, "random").tree is None
    assert kb.Decision(view, 0).tree is None


def test_looking_changes_nothing() -> None:
    def moves(look: bool) -> list[str]:
        game = kb.load("leduc-poker")
        referee, planner = kb.Referee(game, seed=3), kb.planner("pomcp", simulations=80)
        planner.start(referee.seat(0), 0, 7)
        other = kb.planner("random")
        other.start(referee.seat(1), 1, 8)
        done = []
        while not referee.over:
            mover = referee.movers[0]
            decision = (planner, other)[mover].act(referee.view(mover))
            if look and mover == 0:
                assert decision.tree is not None
            done.append(decision.name)
            referee.apply([decision])
        return done

    assert moves(True) == moves(False)
