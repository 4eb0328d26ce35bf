"""What the past costs: NORNS' simulations a second, and presents from its tree beside particles."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

import kibitz as kb
from kibitz.bench import _peers
from kibitz.bench._measure import Row, Scale, Work, race
from kibitz.episode import drive

GAMES = {
    "mastermind": "mastermind.kif",
    "number guessing to 16": "number-guessing.kif(numbers=16, questions=4)",
}
LONG = ("rock-sample", [1, 10, 30])
"""A game and after how many of its moves presents are drawn."""
PRESENTS = 1000
"""How many are drawn before every move of a whole game."""


def rows(scale: Scale) -> Iterator[Row]:
    """Simulations on rules, by histories and by particles; and presents as a game grows longer."""
    for name, spec in GAMES.items():
        game = kb.load(spec)
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
    game = kb.load(name)
    for moves in lengths:
        views = _game_so_far(game, moves)
        long = f"{moves} move{'s' * (moves > 1)}, {game.spec}"
        for work, presents, note in (
            (f"a present after {long}", _presents, ""),
            (f"{PRESENTS:,} presents a move, {long}", _whole_game, "each move taken in on the way"),
        ):
            yield race(
                presents(game, "tree", views, scale),
                presents(game, "particles(1000)", views, scale),
                scale,
                benchmark="beliefs",
                work=work,
                unit="1/s",
                peer_name="particles(1000); ours is the tree of histories",
                note=note,
            )


def _game_so_far(game: kb.Game, moves: int) -> list[kb.View]:
    """What a player of random moves sees before each of them and after the last."""
    for seed in range(100):
        referee, mover = kb.Referee(game, seed), kb.planner("random")
        mover.start(game, 0, seed)
        views = [referee.view(0)]
        for _ in islice(drive(referee, [mover]), moves):
            views.append(referee.view(0))
        if not referee.over:
            return views
    raise ValueError(f"{game.spec} never lasts {moves} moves")


def _presents(game: kb.Game, kind: str, views: list[kb.View], scale: Scale) -> Work:
    """Draws presents from a belief that is up to date."""
    belief = kb.Belief(game, kind, seed=1)
    belief.update(views[-1])
    count = max(scale.simulations // 10, 10)

    def draw(_: int) -> float:
        for _ in range(count):
            belief.sample()
        return float(count)

    return draw


def _whole_game(game: kb.Game, kind: str, views: list[kb.View], scale: Scale) -> Work:
    """Follows a game from its beginning and draws presents before every move, as a planner does."""
    count = min(PRESENTS, scale.simulations)

    def follow(number: int) -> float:
        belief = kb.Belief(game, kind, seed=number)
        for view in views:
            belief.update(view)
            for _ in range(count):
                belief.sample()
        return float(count * len(views))

    return follow
