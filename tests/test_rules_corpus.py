"""Rules that come with the package beside the originals that they are named after, where those are at hand.

Random games are played by both: the same players choose, among the same moves, and get the same scores.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from pathlib import Path

import pytest

import kibitz as kb

CORPUS = Path(__file__).parents[2] / "shared" / "corpus" / "gdl"

Form = Callable[[list[str]], str]


def swapped(words: list[str]) -> str:
    """They have the column first, we the row."""
    pairs = zip(words[1::2], words[2::2], strict=True)
    return " ".join([words[0], *(f"{row} {column}" for column, row in pairs)])


def chinook(words: list[str]) -> str:
    """(oddjump a 1 b 2 c 3) is (jump 1 1 3 3); what is jumped over goes without saying."""
    kind = re.sub("^(odd|even)", "", words[0])
    places = [
        f"{row} {'abcdefgh'.index(column) + 1}"
        for column, row in zip(words[1::2], words[2::2], strict=True)
    ]
    return " ".join([kind, *places[:1], *places[-1:]] if places else [kind])


def criss_cross(words: list[str]) -> str:
    """(move a3 b3) is (move 3 1 3 2)."""
    return " ".join([words[0], *(f"{place[1]} {'abcdef'.index(place[0]) + 1}" for place in words[1:])])


def ghost_maze(words: list[str]) -> str:
    """(move nowhere) is to stay."""
    return {"dropSlime": "slime", "nowhere": "stay"}.get(words[-1], f"go {words[-1]}")


PAIRS: list[tuple[str, str, Form, int]] = [
    ("battle.kif", "battle.kif", swapped, 30),
    ("chinook.kif", "chinook.kif", chinook, 60),
    ("criss-cross.kif", "crisscross.kif", criss_cross, 200),
    ("ghost-maze.kif", "ghostMaze2p.kif", ghost_maze, 60),
    ("skirmish.kif", "skirmish.kif", " ".join, 12),
]


def legal(state: kb.State, player: int, form: Form) -> dict[str, int]:
    """A player's moves, by what they are called."""
    actions = state.legal(player)
    names = [re.findall(r"[\w-]+", state.action_name(player, action)) for action in actions]
    forms = dict(zip(map(form, names), actions, strict=True))
    assert len(forms) == len(actions)
    return forms


@pytest.mark.parametrize(("name", "original", "form", "games"), PAIRS, ids=[pair[0] for pair in PAIRS])
def test_the_same_as_the_original(name: str, original: str, form: Form, games: int) -> None:
    if not (CORPUS / original).exists():
        pytest.skip(f"the original, {original}, is not here")
    ours, theirs = kb.load(name), kb.load(str(CORPUS / original))
    rng = random.Random(8)
    scores = set()
    for _ in range(games):
        state, other = ours.initial(), theirs.initial()
        rewards: list[float] = []
        while not other.over:
            assert not state.over
            # Where nobody has a choice, somebody is asked all the same, and not always the same one.
            moves = {player: legal(state, player, " ".join) for player in state.movers}
            others = {player: legal(other, player, form) for player in other.movers}
            if any(len(own) > 1 for own in others.values()):
                assert {player: set(own) for player, own in moves.items()} == {
                    player: set(own) for player, own in others.items()
                }
            else:
                assert all(len(own) == 1 for own in moves.values())
            chosen = {player: rng.choice(sorted(own)) for player, own in others.items()}
            joint = [
                own[chosen[player]] if len(own) > 1 else min(own.values()) for player, own in moves.items()
            ]
            state, rewards = state.step(joint)
            other, paid = other.step([own[chosen[player]] for player, own in others.items()])
        assert state.over
        assert rewards == paid
        scores.add(tuple(rewards))
    assert len(scores) > 1
