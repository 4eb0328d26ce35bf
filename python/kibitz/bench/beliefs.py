"""What the past costs: NORNS' simulations a second, and a present drawn from its tree or from particles."""

from __future__ import annotations

from collections.abc import Iterator

import kibitz as kb
from kibitz.bench import _peers
from kibitz.bench._measure import Row, Scale, Work, race

GAMES = ["mastermind.kif", "number-guessing.kif(numbers=16, questions=4)"]
LONG = ("rock-sample", [1, 10, 30])
"""A game and after how many of its moves presents are drawn."""


def rows(scale: Scale) -> Iterator[Row]:
    """Simulations on rules, by histories and by particles; and presents as a game grows longer."""
    for name in GAMES:
        game = kb.load(name)
        yield race(
            _peers.our_search(game, f"norns(simulations={scale.simulations})"),
            _peers.our_search(game, f"pomcp(simulations={scale.simulations})"),
            scale,
            benchmark="beliefs",
            work=f"NORNS, {name}",
            unit="simulations/s",
            peer_name="our own POMCP, a thousand particles",
        )
    name, lengths = LONG
    for moves in lengths:
        yield race(
            _presents(name, "tree", moves, scale),
            _presents(name, "particles(1000)", moves, scale),
            scale,
            benchmark="beliefs",
            work=f"presents after {moves} moves, {name}",
            unit="1/s",
            peer_name="particles, which are up to date",
            note="from the tree of histories",
        )


def _presents(name: str, kind: str, moves: int, scale: Scale) -> Work:
    """Draws presents after so many random moves."""
    game = kb.load(name)
    referee, mover = kb.Referee(game, 1), kb.planner("random")
    mover.start(game, 0, 1)
    view = referee.view(0)
    for _ in range(moves):
        referee.apply([mover.act(view).action])
        if referee.over:
            break
        view = referee.view(0)
    belief = kb.Belief(game, kind, seed=1)
    belief.update(view)
    count = max(scale.simulations // 10, 10)

    def draw(_: int) -> float:
        for _ in range(count):
            belief.sample()
        return float(count)

    return draw
