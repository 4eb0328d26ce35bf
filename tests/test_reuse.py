"""The tree that is kept from move to move: cut down where it is large, never thrown away."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

import kibitz as kb

Table = list[tuple[str, int, float | None]]


def decisions(game: str, planner: str, seat: int = 0) -> tuple[list[Table], list[int]]:
    """What a planner finds at each of its moves, with the sizes of its tree; others move at random."""
    rules = kb.load(game)
    referee, player, others = kb.Referee(rules, seed=5), kb.planner(planner), random.Random(5)
    player.start(rules, seat, 5)
    found, sizes = [], []
    while not referee.over:
        joint = []
        for mover in referee.movers:
            view = referee.view(mover)
            if mover != seat:
                joint.append(others.choice(view.legal()))
                continue
            decision = player.act(view)
            found.append([(row.name, row.visits, row.value) for row in decision.table])
            sizes.append(decision.nodes)
            joint.append(decision.action)
        referee.apply(joint)
    return found, sizes


NUMBERS = "number-guessing.kif(numbers=16, questions=4)"
POSITION = Path(__file__).parent.parent / "examples" / "king-up" / "figure-4.10.txt"
VOTE = f'king-up(position="{POSITION}")'
"""Three vote, at once, as soon as a piece is on the top."""


@pytest.mark.parametrize(
    ("game", "planner", "seat", "nodes"),
    [
        (NUMBERS, "norns(simulations=1000, {})", 0, 1700),
        (NUMBERS, "norns(simulations=1000, grow=inf, {})", 0, 10_000),
        ("mastermind.kif", "norns(simulations=1000, backup=max, {})", 0, 1700),
        ("connect-four", "uct(simulations=1000, {})", 1, 1900),
        ("connect-four.kif", "uct(simulations=1000, {})", 1, 1900),
        ("leduc-poker", "pomcp(simulations=1000, {})", 0, 400),
        ("king-up", "pomcp-pgt(simulations=1000, {})", 1, 1900),
        (VOTE, "pomcp-pgt(simulations=3000, selection=regret-matching, {})", 0, 6000),
        (VOTE, "pomcp-pgt(simulations=3000, selection=regret-matching, {})", 2, 6000),
        ("bidding-tic-tac-toe.kif", "uct(simulations=1000, exploration=1.4142, {})", 0, 1900),
        ("bidding-tic-tac-toe.kif", "uct(simulations=1000, exploration=1.4142, {})", 1, 1900),
    ],
)
def test_a_tree_that_is_cut_down_decides_as_the_whole_one(
    game: str, planner: str, seat: int, nodes: int
) -> None:
    # More than half of the nodes that it may have: cut down before the next move.
    whole, sizes = decisions(game, planner.format("nodes=10000000"), seat)
    pruned, smaller = decisions(game, planner.format(f"nodes={nodes}"), seat)
    assert max(sizes[:-1]) > nodes // 2
    assert max(smaller) < nodes
    assert pruned == whole
    # It matters that it was kept.
    afresh, _ = decisions(game, planner.format("reuse=false"), seat)
    assert afresh != whole


def test_a_tree_without_room_begins_anew() -> None:
    _, sizes = decisions("connect-four", "uct(simulations=100000, nodes=300)")
    assert max(sizes) < 400
    assert min(sizes) > 0
