"""What a large tree takes: a million simulations of connect four, each in a process of its own."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import kibitz as kb
from kibitz.bench import _peers
from kibitz.bench._measure import Row, Scale

EDGE = 24
"""Bytes of an edge in the core."""
MOST = 64.0
"""What a node and its edge may take."""


def peak() -> int:
    """The most memory that this process has had, in bytes."""
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else 1024 * most


def present() -> int:
    """The memory that this process has now, in bytes; 0 where the system does not say."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()
    except OSError:
        return 0


def grow(side: str, simulations: int) -> dict[str, float]:
    """By how much a search makes this process grow, and what our planner says of its tree."""
    if side == "peer":
        search = _peers.spiel_search("connect_four", simulations)
        before = peak()
        search(1)
        return {"grown": peak() - before}
    game = kb.load("connect-four")
    planner = kb.planner(_peers.uct(simulations))
    planner.start(game, 0, 1)
    view = kb.Referee(game, 1).view(0)
    before, now = peak(), present()
    decision = planner.act(view)
    kept = present() - now
    return {
        "grown": peak() - before,
        "kept": kept,
        "bytes": decision.bytes,
        "nodes": decision.nodes,
        "edges": decision.edges,
    }


def apart(side: str, simulations: int) -> dict[str, float]:
    """The same in a fresh process, where nothing was freed before that could be used again."""
    command = [sys.executable, "-m", "kibitz.bench.memory", side, str(simulations)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    figures: dict[str, float] = json.loads(done.stdout)
    return figures


def rows(scale: Scale) -> Iterator[Row]:
    """The most memory that a simulation costs beside the peer's, and bytes for a node with its edges."""
    import pyspiel  # noqa: F401  # says what is missing before a process is started

    ours, theirs = apart("ours", scale.nodes), apart("peer", scale.nodes)
    mine, other = ours["grown"] / scale.nodes, theirs["grown"] / scale.nodes
    yield Row(
        "memory",
        "most memory in a search, connect-four",
        "bytes a simulation",
        mine,
        other,
        other / mine if mine else None,
        peer_name="OpenSpiel's C++ MCTSBot",
        note=f"{scale.nodes:,} simulations",
    )
    # Nodes with their share of the index, and edges: every node is reached by one edge; the other
    # edges are actions that were not tried yet.
    node = (ours["bytes"] - EDGE * ours["edges"]) / ours["nodes"]
    yield Row(
        "memory",
        "a node and its edge, connect-four",
        "bytes",
        node + EDGE,
        MOST,
        MOST / (node + EDGE),
        required=1.0,
        peer_name="the most that it may be",
        note=f"{ours['nodes']:,.0f} nodes",
    )
    kept = ours["kept"] / ours["nodes"]
    yield Row(
        "memory",
        "the whole tree, untried actions included, connect-four",
        "bytes a node",
        ours["bytes"] / ours["nodes"],
        note=f"the process keeps {kept:.0f} bytes a node",
    )


if __name__ == "__main__":
    print(json.dumps(grow(sys.argv[1], int(sys.argv[2]))))
