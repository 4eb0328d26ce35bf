"""A seat that is refereed elsewhere knows what it would know if it sat here: its view is the referee's."""

import random

import pytest

import kibitz as kb
from kibitz._core import Told

HIDDEN = "kriegspiel-tic-tac-toe.kif", "monty-hall.kif", "number-guessing.kif", "exploding-bomb.kif"
OPEN = "tic-tac-toe.kif", "bidding-tic-tac-toe.kif", "connect-four.kif"


def play(name: str, seed: int) -> int:
    """Plays at random, tells the seats in words what happens, and compares what they know; the turns."""
    from kibitz.ggp.manager import by_turns, turn_of

    game, choose = kb.load(name), random.Random(seed)
    referee, before = kb.Referee(game, seed), game.initial()
    players = range(game.info.players)
    role = {player: place for place, (_, player) in enumerate(game.roles)}
    seats = [Told(game, player, seed) for player in players]
    reports, turns = referee.opening(), 0
    while True:
        for steps in by_turns(reports):
            turn = turn_of(before, steps)
            before, turns = turn.after, turns + 1
            for player, seat in enumerate(seats):
                if not seat.hidden:
                    seat.moved([move.upper() for move in turn.moves])
                elif not before.over:
                    assert seat.heard(turn.moves[role[player]].upper(), turn.percepts[player][::-1]) is None
        if referee.over:
            return turns
        for player, seat in enumerate(seats):
            here, there = referee.view(player), seat.view()
            assert [event[:2] for event in there.events] == [event[:2] for event in here.events]
            assert (there.legal(), there.names()) == (here.legal(), here.names())
            assert seat.moves == before.role_moves(role[player])
        reports = referee.apply([choose.choice(referee.view(mover).legal()) for mover in referee.movers])


@pytest.mark.parametrize("name", HIDDEN + OPEN)
def test_what_is_told_in_words_makes_the_same_view(name: str) -> None:
    pytest.importorskip("httpx", reason="httpx is not installed (the extra 'web' has it)")
    assert all(play(name, seed) > 1 for seed in range(4))


def test_what_cannot_have_happened_changes_nothing() -> None:
    seat = Told(kb.load("tic-tac-toe.kif"), 0)
    for moves in (["(mark 9 9)", "noop"], ["(mark 1 1)", "(mark 1 2)"], ["(mark 1 1)"], ["", "("]):
        with pytest.raises(ValueError, match=r"no legal move|roles"):
            seat.moved(moves)
    assert (seat.turns, len(seat.moves)) == (0, 9)
    with pytest.raises(ValueError, match="everybody is told all moves"):
        seat.heard("noop", [])


def test_what_nothing_explains_is_said_and_the_seat_goes_on() -> None:
    seat = Told(kb.load("kriegspiel-tic-tac-toe.kif"), 0)
    assert seat.heard("(mark 2 2)", ["(no such percept)"]) == (
        "no state explains one observation, which is passed over: "
        "the model and the game that is played disagree"
    )
    for _ in range(12):
        seat.heard(seat.moves[0], ["(no such percept)"])
        assert seat.moves


def test_only_rules_have_roles() -> None:
    with pytest.raises(ValueError, match="tic-tac-toe has no roles"):
        Told(kb.load("tic-tac-toe"), 0)
    with pytest.raises(IndexError):
        Told(kb.load("tic-tac-toe.kif"), 2)
    assert kb.load("tic-tac-toe").roles == []
    assert kb.load("monty-hall.kif").roles == [("candidate", 0), ("random", None)]
