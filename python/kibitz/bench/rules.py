"""Games played from rules files, on one thread, beside OpenSpiel's hand-written games.

Our rules against their C++: random games in lanes, states a second of the machine that holds one
state, UCT with one playout a leaf, and with many. Rules that OpenSpiel lacks, or has in another form,
are measured in lanes against one game at a time. Last, how long it is from the file to the first move.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator

import kibitz as kb
from kibitz import lang
from kibitz.bench import _peers
from kibitz.bench._measure import Row, Scale, Work, race

PAIRS = [
    ("tic-tac-toe.kif", "tic_tac_toe"),
    ("connect-four.kif", "connect_four"),
    ("breakthrough.kif", "breakthrough"),
]
LONE = ["reversi.kif", "checkers.kif"]
LEAVES = [256, 1024]
"""Playouts a leaf."""
LANES = 16
"""As many times as the simulations of a move are played in lanes: what is left at the end of a batch is
then little."""
READY = [
    ("tic-tac-toe.kif", 1.0),
    ("connect-four.kif", 1.0),
    ("breakthrough.kif", 5.0),
    ("checkers.kif", 5.0),
]
"""How many seconds may pass before the first move."""


def rows(scale: Scale) -> Iterator[Row]:
    """All of it."""
    yield from _lanes(scale)
    yield from _states(scale)
    yield from _uct(scale)
    for name, most in READY:
        yield _first_move(name, most, scale)


def _lanes(scale: Scale) -> Iterator[Row]:
    many = LANES * scale.simulations
    for name, theirs in PAIRS:
        yield _peers.playouts_beside_spiel(
            scale, name, theirs, benchmark="rules", count=many, batch=many, required=50
        )
    for name in LONE:
        game = kb.load(name)
        yield race(
            _peers.our_playouts(game, many, many),
            _peers.our_playouts(game, scale.simulations // 50),
            scale,
            benchmark="rules",
            work=f"random playouts, {name}",
            unit="1/s",
            peer_name="our own, one game at a time",
            required=20,
        )


def _states(scale: Scale) -> Iterator[Row]:
    """Both sides play the same games at random, which therefore have the same mean length."""
    count = scale.simulations // 10
    for name, theirs in PAIRS:
        game = kb.load(name)
        length = game.playouts(scale.simulations, 0, batch=scale.simulations)[1] / scale.simulations
        yield race(
            _times(length, _peers.our_playouts(game, count)),
            _times(length, _peers.spiel_rollouts(theirs, count)),
            scale,
            benchmark="rules",
            work=f"legal and next, one state, {name}",
            unit="states/s",
            peer_name="OpenSpiel's C++ rollouts",
            required=0.5,
            note=f"{length:.2f} states a game",
        )


def _uct(scale: Scale) -> Iterator[Row]:
    for name, theirs in PAIRS[1:]:
        game = kb.load(name)
        one = _peers.our_search(game, _peers.uct(scale.simulations))
        yield _peers.search_beside_spiel(
            scale, f"UCT, {name}", one, theirs, benchmark="rules", unit="simulations/s", required=3
        )
        for playouts in LEAVES:
            leaves = max(1, scale.simulations // playouts)
            many = _peers.our_search(game, _peers.uct(leaves, playouts))
            yield _peers.search_beside_spiel(
                scale,
                f"UCT, {playouts} playouts a leaf, {name}",
                _times(playouts, many),
                theirs,
                benchmark="rules",
                unit="playouts/s",
                required=20,
                note="its simulations have one playout each",
            )


def _times(factor: float, work: Work) -> Work:
    """The same work, counted in other units."""
    return lambda number: factor * work(number)


def _first_move(name: str, most: float, scale: Scale) -> Row:
    """From the file to the first player's moves."""
    took = []
    for _ in range(scale.turns):
        began = time.process_time()
        state = lang.load(name).initial()
        state.legal(state.movers[0])
        took.append(max(time.process_time() - began, 1e-9))
    ratios = sorted(most / seconds for seconds in took)
    return Row(
        "rules",
        f"from the file to the first move, {name}",
        "s",
        statistics.median(took),
        most,
        statistics.median(ratios),
        ratios[0],
        ratios[-1],
        1,
        "what is promised",
    )
