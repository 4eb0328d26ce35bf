"""Klondike: playouts beside OpenSpiel's, the cost of a game played with UCT, and a large tree of it."""

from __future__ import annotations

import time
from collections.abc import Iterator

import kibitz as kb
from kibitz.bench import _peers
from kibitz.bench._measure import FULL, Row, Scale, race
from kibitz.bench.memory import apart

UCT = "uct(simulations={}, grow=inf, exploration=1, choice=value, reuse=false)"
"""As in the paper by Bjarnason, Fern and Tadepalli."""
TRAJECTORIES = 1000
GAMES = 20
SECONDS = 1.0
"""What a game may cost."""
DEALS = 100
DECIDED = 95
"""How many of them the solver is to decide, all cards known, in `PATIENCE` seconds each."""
PATIENCE = 5.0
GIB = 1 << 30


def rows(scale: Scale) -> Iterator[Row]:
    """Playouts a second, seconds a game, bytes of a tree."""
    full = scale == FULL
    count = scale.simulations // 100 or 1
    yield race(
        _peers.our_playouts(kb.load("klondike"), 20 * count),
        _peers.spiel_games("solitaire", count),
        scale,
        benchmark="klondike",
        work="random playouts, klondike",
        unit="1/s",
        peer_name="OpenSpiel's C++ random games of solitaire",
        required=20,
        note="their rules differ: each turn of the deck is a move there",
    )
    spec, games = UCT.format(TRAJECTORIES if full else scale.simulations), GAMES if full else 1
    cost = _cost(spec, games)
    yield Row(
        "klondike",
        f"UCT, {TRAJECTORIES:,} trajectories a move",
        "CPU s/game",
        cost,
        SECONDS,
        SECONDS / cost,
        required=1.0,
        peer_name="the most that it may be",
        note=f"{games} games",
    )
    deals = DEALS if full else 3
    decided = _decided(deals)
    yield Row(
        "klondike",
        f"deals decided within {PATIENCE:g} s each, all cards known",
        "%",
        100 * decided / deals,
        DECIDED,
        100 * decided / deals / DECIDED,
        required=1.0,
        peer_name="the least that it is to be",
        note=f"{deals} deals",
    )
    nodes = 2 * scale.nodes
    spec = f"uct(simulations=1000000000, nodes={nodes}, grow=inf, exploration=1)"
    tree = apart("search", "klondike", spec)
    yield Row(
        "klondike",
        "most memory in the search of a large tree",
        "MiB",
        tree["grown"] / (1 << 20),
        GIB / (1 << 20),
        GIB / max(tree["grown"], 1),
        required=1.0,
        peer_name="the most that it may be",
        note=f"{tree['nodes']:,.0f} nodes, {tree['bytes'] / tree['nodes']:.0f} bytes each",
    )


def _decided(deals: int) -> int:
    """How many of the first deals are won or proven lost in time."""
    decided = 0
    for deal in range(deals):
        begun = time.process_time()
        solution = kb.solve("klondike(thoughtful=true)", deal=deal, max_states=4_000_000)
        decided += bool(solution.value) and time.process_time() - begun <= PATIENCE
    return decided


def _cost(spec: str, games: int) -> float:
    """Processor time of a game."""
    game = kb.load("klondike")
    begun = time.process_time()
    for seed in range(games):
        kb.play(game, [kb.planner(spec)], seed=seed)
    return (time.process_time() - begun) / games
