"""What the reasoner says of a game depends on nothing that it has derived before."""

import threading
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import kibitz as kb

BOXES = 12
STEPS = [f"t{n}" for n in range(14)]

SHUT = f"""(role random) (role guesser)
{" ".join(f"(box {n})" for n in range(BOXES))}
{" ".join(f"(after {one} {two})" for one, two in pairwise(STEPS))}
(init (at t0))
(<= (next (at ?y)) (true (at ?x)) (after ?x ?y))
(<= (legal random (put ?n)) (true (at t0)) (box ?n))
(<= (legal random pass) (not (true (at t0))) (not (true (at t11))))
(<= (legal random (open ?n)) (true (at t11)) (true (in ?n)))
(<= (legal guesser pass) (not (true (at t12))))
(<= (legal guesser (open ?n)) (true (at t12)) (box ?n))
(<= (next (in ?n)) (does random (put ?n)))
(<= (next (in ?n)) (true (in ?n)))
(<= (next won) (does guesser (open ?n)) (true (in ?n)))
(<= (sees guesser knock) (does random (open ?n)))
(<= terminal (true (at t13)))
(<= (goal guesser 100) (true won))
(<= (goal guesser 0) (not (true won)))
(goal random 0)
"""
"""Something is put into a box, and long after that chance looks where it is; nobody else knows."""


@pytest.fixture
def shut(tmp_path: Path) -> str:
    path = tmp_path / "shut.kif"
    path.write_text(SHUT)
    return f"{path}(limit.seconds=0)"


def story(game: kb.Game, seed: int, planner: str) -> list[Any]:
    """All that there is to see of an episode: numbers and names, states, and what everybody was told."""
    players = game.info.players
    referee = kb.Referee(game, seed=seed)
    minds = [kb.planner(planner) for _ in range(players)]
    for seat, mind in enumerate(minds):
        mind.start(game, seat, seed + seat)
    told: list[Any] = []
    while not referee.over and referee.steps < 60:
        views = [referee.view(seat) for seat in range(players)]
        told.append([(view.legal(), view.names(), view.events, view.key, view.text()) for view in views])
        told.append((referee.state.hash(), referee.state.text()))
        referee.apply([minds[seat].act(views[seat]).action for seat in referee.movers])
    return [*told, referee.returns]


def test_the_order_of_moves_does_not_tell_what_was_met_first(shut: str) -> None:
    used = kb.load(shut)
    won = {"used": 0, "fresh": 0}
    for seed in range(36):
        for name, game in (("used", used), ("fresh", kb.load(shut))):
            referee = kb.Referee(game, seed=seed)
            while not referee.over:
                referee.apply([referee.view(seat).legal()[0] for seat in referee.movers])
            won[name] += referee.returns[0] > 0
    # One in twelve is honest: ten or more of 36 would come once in two thousand times.
    assert won["used"] == won["fresh"] < 10


def test_equal_views_are_equal_whatever_was_played(shut: str) -> None:
    views = set()
    used = kb.load(shut)
    for seed in range(8):
        for game in (used, kb.load(shut)):
            referee = kb.Referee(game, seed=seed)
            view = referee.view(0)
            views.add((*map(tuple, (view.legal(), view.names(), view.events)), view.key, view.text()))
            kb.play(game, ["pomcp(simulations=20)"], seed=seed)
    assert len(views) == 1
    (only,) = views
    assert sorted(only[1]) == sorted(f"(open {n})" for n in range(BOXES))


@pytest.mark.parametrize(
    ("name", "planner"),
    [
        ("kriegspiel-tic-tac-toe", "pomcp(simulations=20)"),
        ("mastermind", "random"),
        ("monty-hall", "is-mcts(simulations=30)"),
        ("tic-tac-toe", "uct(simulations=20)"),
        ("bidding-tic-tac-toe", "uct(simulations=20)"),
        ("number-guessing", "norns(simulations=30)"),
    ],
)
def test_the_same_seed_gives_the_same_episode(name: str, planner: str) -> None:
    spec = f"{name}.kif(limit.seconds=0)"
    used = kb.load(spec)
    for seed in range(3):
        fresh = kb.load(spec)
        assert (fresh.machine or {}).get("machine") == "reasoner"
        assert story(used, seed, planner) == story(fresh, seed, planner)
        story(used, seed + 100, "random")


def test_what_other_threads_play_does_not_matter(shut: str) -> None:
    used = kb.load(shut)
    alone = story(kb.load(shut), 1, "pomcp(simulations=50)")
    stop = threading.Event()

    def play() -> None:
        seed = 10
        while not stop.is_set():
            seed += 1
            story(used, seed, "random")

    other = threading.Thread(target=play)
    other.start()
    try:
        for _ in range(3):
            assert story(used, 1, "pomcp(simulations=50)") == alone
    finally:
        stop.set()
        other.join()
