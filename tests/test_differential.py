"""Our native games beside OpenSpiel's, move by move.

Actions correspond by name. Each pair of games has two functions that bring a name of ours and a name
of theirs to the same form; the form of an action depends on the action and its player only (not on
whether a piece is taken, say), so it is looked up once.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

import kibitz as kb

pyspiel = pytest.importorskip("pyspiel", reason="open_spiel is not installed (the extra 'bench' has it)")

GAMES = 1000
"""Random games for each pair."""


@dataclass
class Pair:
    """The same game twice."""

    ours: str
    theirs: str
    depth: int
    """To which perft counts are compared."""
    our_form: Callable[[str], str]
    their_form: Callable[[str], str]
    forms: dict[tuple[bool, int, int], str] = field(default_factory=dict)

    def our_name(self, state: kb.State, player: int | None, action: int) -> str:
        key = (True, -1 if player is None else player, action)
        if key not in self.forms:
            self.forms[key] = self.our_form(state.action_name(player, action))
        return self.forms[key]

    def their_name(self, state: Any, player: int | None, action: int) -> str:
        who = -1 if player is None else player
        key = (False, who, action)
        if key not in self.forms:
            self.forms[key] = self.their_form(state.action_to_string(who, action))
        return self.forms[key]


def breakthrough(rows: int, columns: int, depth: int, misere: bool = False) -> Pair:
    """White goes first here and black there: the board is turned over; '-', 'x' and '*' do not matter."""
    size = f"rows={rows},columns={columns}"
    theirs = f"breakthrough({size})"

    def turned(name: str) -> str:
        return re.sub(r"\d", lambda row: str(rows + 1 - int(row.group())), name.replace("*", ""))

    return Pair(
        f"breakthrough({size},misere={str(misere).lower()})",
        f"misere(game={theirs})" if misere else theirs,
        depth,
        lambda name: re.sub("[-x]", "", name),
        turned,
    )


def tic_tac_toe(name: str) -> str:
    """x(0,2) is c1: a row and a column, counted from zero."""
    row, column = re.findall(r"\d", name)
    return "abc"[int(column)] + str(int(row) + 1)


def kuhn_card(name: str) -> str:
    """Deal:0 is the jack."""
    return re.sub(r"Deal:(\d)", lambda card: "JQK"[int(card.group(1))], name).lower()


def leduc_card(name: str) -> str:
    """Two cards of each rank, the lowest first: outcome 3 is the second queen."""
    cards = ["Js", "Jh", "Qs", "Qh", "Ks", "Kh"]
    return re.sub(r"Chance outcome:(\d)", lambda card: cards[int(card.group(1))], name).lower()


def liars_dice(dice: int, sides: int, depth: int) -> Pair:
    """A bid is called 2-3 on both sides, and a die by its face."""
    ours, theirs = f"liars-dice(2, {dice}, {sides})", f"liars_dice(numdice={dice},dice_sides={sides})"
    return Pair(ours, theirs, depth, str, lambda name: name.replace("Roll ", "").lower())


PAIRS = [
    Pair("tic-tac-toe", "tic_tac_toe", 7, str, tic_tac_toe),
    Pair("connect-four", "connect_four", 6, str, lambda name: str(int(name[1:]) + 1)),
    breakthrough(8, 8, 3),
    breakthrough(6, 6, 4),
    breakthrough(5, 5, 5),
    breakthrough(5, 5, 5, misere=True),
    Pair("kuhn-poker", "kuhn_poker", 9, str.lower, kuhn_card),
    Pair("leduc-poker", "leduc_poker", 20, str.lower, leduc_card),
    liars_dice(1, 6, 4),
    liars_dice(2, 3, 6),
    liars_dice(1, 3, 12),
    Pair("rock-paper-scissors", "matrix_rps", 2, str.lower, str.lower),
]


def identify(pair: Pair) -> str:
    return pair.ours


def perft(state: Any, depth: int) -> int:
    if depth == 0 or state.is_terminal():
        return 1
    if state.is_simultaneous_node():
        count = 0
        for first in state.legal_actions(0):
            for second in state.legal_actions(1):
                after = state.clone()
                after.apply_actions([first, second])
                count += perft(after, depth - 1)
        return count
    actions = state.legal_actions()
    if depth == 1:
        return len(actions)
    return sum(perft(state.child(action), depth - 1) for action in actions)


@pytest.mark.parametrize("pair", PAIRS, ids=identify)
def test_perft(pair: Pair) -> None:
    theirs = pyspiel.load_game(pair.theirs).new_initial_state()
    assert kb.load(pair.ours).perft(pair.depth) == perft(theirs, pair.depth)


def follow(pair: Pair, state: kb.State, joint: list[int], theirs: Any) -> None:
    """Checks that both sides to move have the same choices, and takes our step there."""
    assert state.chance == theirs.is_chance_node()
    if state.chance:
        ours = {pair.our_name(state, None, a): p for a, p in state.outcomes()}
        assert ours == pytest.approx(
            {pair.their_name(theirs, None, a): p for a, p in theirs.chance_outcomes()}
        )
    simultaneous = theirs.is_simultaneous_node()
    assert state.movers == ([0, 1] if simultaneous else [] if state.chance else [theirs.current_player()])
    chosen = []
    for player, action in zip([None] if state.chance else state.movers, joint, strict=True):
        legal = theirs.legal_actions() if player is None else theirs.legal_actions(player)
        found = {pair.their_name(theirs, player, other): other for other in legal}
        assert len(found) == len(legal)
        if player is not None:
            assert found.keys() == {pair.our_name(state, player, other) for other in state.legal(player)}
        chosen.append(found[pair.our_name(state, player, action)])
    if simultaneous:
        theirs.apply_actions(chosen)
    else:
        theirs.apply_action(chosen[0])


@pytest.mark.parametrize("pair", PAIRS, ids=identify)
def test_random_games(pair: Pair) -> None:
    """The same choices, the same end, the same returns, and views that are information states."""
    ours, theirs = kb.load(pair.ours), pyspiel.load_game(pair.theirs)
    remembers = theirs.get_type().provides_information_state_string
    hides = not ours.info.perfect_information
    rng = random.Random(1)
    known: dict[tuple[int, int], str] = {}
    told: dict[tuple[int, str], int] = {}
    for episode in range(GAMES):
        referee, other = kb.Referee(ours, 3, episode), theirs.new_initial_state()
        state, reports = ours.initial(), referee.opening()
        while True:
            for after, joint, *_ in reports:
                follow(pair, state, joint, other)
                state = after
            assert referee.over == other.is_terminal()
            # Where nothing is hidden a view is the whole history: once a game is enough.
            for player in range(2) if hides or referee.over else ():
                words = other.information_state_string(player) if remembers else other.history_str()
                view = referee.view(player).key
                assert known.setdefault((player, view), words) == words
                # At a showdown we show the cards; there is no decision left that it could matter to.
                if not (hides and referee.over):
                    assert told.setdefault((player, words), view) == view
            if referee.over:
                break
            reports = referee.apply([rng.choice(state.legal(mover)) for mover in referee.movers])
        assert referee.returns == pytest.approx(other.returns())
    assert len(told) > 1


def test_the_bounds_are_theirs() -> None:
    for pair in PAIRS:
        ours, theirs = kb.load(pair.ours).info, pyspiel.load_game(pair.theirs)
        assert (ours.min_return, ours.max_return) == (theirs.min_utility(), theirs.max_utility()), pair.ours
        assert ours.horizon is not None
        assert ours.horizon <= theirs.max_game_length() + theirs.max_chance_nodes_in_history(), pair.ours
