"""What a search wants: returns, a lead over the others, or to be the first."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import kibitz as kb
from tables import cases

AIMS = ["return", "lead", "win"]
TOP = """
cards: ABCD CDEF EFGA
votes: 1 0 0
pieces: A1 B2 C3 E5 F4
mover: 1
"""
"""E on the top scores 10 for the second player, who has 17 with C and F; the others have 6 and 15."""


def advise(game: str, spec: str, player: int = 0, seed: int = 1) -> kb.Decision:
    rules = kb.load(game)
    return kb.advise(rules, kb.Referee(rules, seed=2).view(player), spec, seed=seed)


@pytest.mark.parametrize("aim", AIMS)
def test_values_are_of_what_is_wanted(aim: str) -> None:
    values = advise("king-up", f"pomcp-pgt(simulations=500, aim={aim})").values
    assert sum(values) == pytest.approx({"lead": 0, "win": 1}.get(aim, sum(values)))
    assert any(value < 0 for value in values) == (aim == "lead")


@pytest.mark.parametrize("planner", ["uct", "pomcp", "is-mcts", "flat-mc", "ensemble-uct(trees=3)"])
def test_a_win_goes_with_every_tree(planner: str) -> None:
    name, _, rest = planner.partition("(")
    spec = f"{name}(simulations=50, aim=win{', ' + rest if rest else ')'}"
    found = advise("king-up", spec)
    assert all(0 <= row.value <= 1 for row in found.table if row.value is not None)


@pytest.mark.parametrize("game", ["tic-tac-toe.kif", "liars-dice"])
def test_of_two_the_winner_is_the_one_who_gets_more(game: str) -> None:
    shares = advise(game, "uct(simulations=400, aim=win, reuse=false)").values
    assert sum(shares) == pytest.approx(1)
    assert all(0 < share < 1 for share in shares)


def test_an_end_in_the_tree_counts_once(tmp_path: Path) -> None:
    path = tmp_path / "top.txt"
    path.write_text(TOP)
    # All cards are known to their owners only, but the first player sees that 6 points win in no deal.
    game = f'king-up(position="{path}")'
    found = advise(game, "pomcp-pgt(simulations=2000, aim=win)")
    value = {row.name: row.value or 0.0 for row in found.table}
    assert found.name == "no"
    assert value["yes"] == 0
    assert value["no"] > 0.1


@cases(
    "game spec what",
    """
    tiger | pomcp(aim=lead) | aim=lead needs several players
    king-up(full=true) | pomcp-pgt(aim=win) | aim=win needs a game that pays at its end only
    king-up | pomcp-pgt(aim=win, playouts=2) | aim=win goes with single playouts
    liars-dice | pomcp(aim=win, backup=max) | aim=win goes with single playouts
    king-up | pomcp-pgt(aim=fame) | lead, return, win
    """,
)
def test_what_cannot_be_wanted(game: str, spec: str, what: str) -> None:
    with pytest.raises(ValueError, match=re.escape(what)):
        advise(game, spec)


def test_who_wants_to_win_wins_more_often() -> None:
    wants = [
        "pomcp-pgt(simulations=100, aim=win, exploration=0.4, belief=exact)",
        "pomcp-pgt(simulations=100, playout=random, belief=exact)",
    ]
    first, second = kb.match("king-up", wants, games=300, seed=1).standings
    assert first.wins / first.games > second.wins / second.games + 0.05
