"""The games on boards of squares: held against OpenSpiel's go where they are like it, and their sizes."""

from __future__ import annotations

import random

import pytest

import kibitz as kb
from kibitz.testing import check_game

NINE = [
    "breakthrough",
    "breakthrough(misere=true)",
    "knightthrough",
    "knightthrough(misere=true)",
    "domineering",
    "domineering(misere=true)",
    "nogo",
    "nogo(misere=true)",
    "atarigo",
]


@pytest.mark.parametrize("size", [5, 9])
def test_atarigo_is_go_until_the_first_stone_is_captured(size: int) -> None:
    pyspiel = pytest.importorskip(
        "pyspiel", reason="open_spiel is not installed (the extra 'bench' has it)"
    )
    game, go = kb.load(f"atarigo({size}, {size})"), pyspiel.load_game(f"go(board_size={size})")
    rng = random.Random(size)
    captured = 0
    for _ in range(1000 if size == 5 else 200):
        state, theirs, rewards = game.initial(), go.new_initial_state(), [0.0, 0.0]
        stones = 0
        while state.movers:
            [mover] = state.movers
            assert mover == theirs.current_player()
            named = {state.action_name(mover, action): action for action in state.legal(mover)}
            # Go leaves out the column i, calls a stone "B c3" and lets players pass.
            other = {
                theirs.action_to_string(mover, action).split()[1].lower(): action
                for action in theirs.legal_actions()
            }
            other.pop("pass")
            columns = "abcdefghjklm"
            other = {
                "abcdefghijkl"[columns.index(name[0])] + name[1:]: action for name, action in other.items()
            }
            assert named.keys() == other.keys()
            name = rng.choice(sorted(named))
            state, rewards = state.step([named[name]])
            theirs.apply_action(other[name])
            stones += 1
            board = str(theirs).split("\n\n", 1)[-1]
            left = sum(board.count(stone) for stone in "XO")
            if left < stones:
                captured += 1
                assert not state.movers
                assert rewards == [1.0 - 2 * mover, 2 * mover - 1.0]
            else:
                # Who can do nothing but pass has lost.
                passing = theirs.legal_actions() == [go.num_distinct_actions() - 1]
                assert (not state.movers) == passing
    assert captured > 100


@pytest.mark.parametrize("name", NINE)
def test_the_contract_is_kept(name: str) -> None:
    assert check_game(name, episodes=6).passed


@pytest.mark.parametrize("name", ["nogo(9, 9)", "domineering(11, 11)", "atarigo(8, 16)"])
def test_the_contract_is_kept_on_boards_of_other_sizes(name: str) -> None:
    assert check_game(name, episodes=2).passed


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("nogo(rows=0)", "nogo: rows: 0 is out of range: 2 to 16"),
        ("atarigo(12, 12)", "atarigo: 12 rows of 12 are 144 squares; a board has at most 128"),
        ("domineering(columns=17)", "out of range: 2 to 16"),
        ("knightthrough(rows=9)", "out of range: 3 to 8"),
        ("atarigo(misere=true)", "unknown parameter 'misere'"),
        ("nogo.kif(rows=0)", "nogo.kif: rows: 0 is out of range: 1 to 9"),
        ("domineering.kif(columns=99)", "domineering.kif: columns: 99 is out of range: 1 to 10"),
        ("breakthrough.kif(rows=many)", "breakthrough.kif: rows: many is out of range: 3 to 10"),
        ("knightthrough.kif(misere=2)", "knightthrough.kif: misere: 2 is out of range: 0 or 1"),
        ("reversi.kif(size=5)", "reversi.kif: size: 5 is out of range: 4, 6 or 8"),
    ],
)
def test_boards_that_do_not_fit_are_refused(name: str, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence.replace("(", r"\(").replace(")", r"\)")):
        kb.load(name)


@pytest.mark.parametrize("name", ["breakthrough", "knightthrough", "domineering", "nogo"])
def test_misere_changes_who_wins_and_nothing_else(name: str) -> None:
    size = "5, 5" if name.endswith("through") else "4, 4"
    plain, misere = kb.load(f"{name}({size})"), kb.load(f"{name}({size}, true)")
    assert [plain.perft(depth) for depth in range(4)] == [misere.perft(depth) for depth in range(4)]
    rng = random.Random(2)
    for _ in range(100):
        state, other, rewards, others = plain.initial(), misere.initial(), [0.0, 0.0], [0.0, 0.0]
        while state.movers:
            action = rng.choice(state.legal(state.movers[0]))
            (state, rewards), (other, others) = state.step([action]), other.step([action])
        assert not other.movers
        assert others == [-reward for reward in rewards] != [0.0, 0.0]
