"""What trees take, each grown in a process of its own: of histories, of NORNS' search, of connect four."""

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
HISTORIES = (
    ("a history of the past, battleship", "battleship", 100),
    ("a history of the past, mastermind, 6 colours", "mastermind.kif(colours=6)", 50),
)
"""Games whose past is drawn: so many times fewer presents than simulations of the large tree."""
SEARCHES = (
    ("a node of NORNS, mastermind", "mastermind.kif", "norns(simulations={})", 10),
    (
        "a node of NORNS, number guessing to 16",
        "number-guessing.kif(numbers=16, questions=4)",
        "norns(simulations={})",
        10,
    ),
    (
        "a belief of NORNS(tree=belief), mastermind",
        "mastermind.kif",
        "norns(simulations={}, tree=belief)",
        1000,
    ),
)
"""What is searched, and how: so many times fewer simulations than the large tree has."""


def peak() -> int:
    """The most memory that this process has had, in bytes."""
    try:
        # Where it is, better than getrusage, which goes on from what the parent process had.
        status = Path("/proc/self/status").read_text()
        return 1024 * int(status.partition("VmHWM:")[2].split()[0])
    except (OSError, IndexError):
        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return most if sys.platform == "darwin" else 1024 * most


def present() -> int:
    """The memory that this process has now, in bytes; 0 where the system does not say."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()
    except OSError:
        return 0


def peer(simulations: int) -> dict[str, float]:
    """By how much the peer's search makes this process grow."""
    search = _peers.spiel_search("connect_four", simulations)
    before = peak()
    search(1)
    return {"grown": peak() - before}


def search(name: str, spec: str) -> dict[str, float]:
    """By how much our search makes this process grow, and what the planner says of its tree."""
    game, planner = kb.load(name), kb.planner(spec)
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


def histories(name: str, presents: int) -> dict[str, float]:
    """By how much a belief-state tree makes this process grow while presents are drawn from it."""
    game = kb.load(name)
    belief = kb.Belief(game, "tree", seed=1)
    belief.update(kb.Referee(game, 1).view(0))
    now = present()
    for _ in range(presents):
        belief.sample()
    return {"kept": present() - now, "nodes": dict(belief.counters)["histories"]}


def apart(*words: str | int) -> dict[str, float]:
    """One of the above in a fresh process, where nothing was freed before that could be used again."""
    command = [sys.executable, "-m", "kibitz.bench.memory", *map(str, words)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    figures: dict[str, float] = json.loads(done.stdout)
    return figures


def rows(scale: Scale) -> Iterator[Row]:
    """Bytes for a node of each kind of tree, and what a simulation costs at most beside the peer's."""
    for what, name, fewer in HISTORIES:
        yield _kept(what, apart("histories", name, scale.nodes // fewer))
    for what, name, spec, fewer in SEARCHES:
        yield _kept(what, apart("search", name, spec.format(scale.nodes // fewer)))
    import pyspiel  # noqa: F401  # says what is missing before a process is started

    ours = apart("search", "connect-four", _peers.uct(scale.nodes))
    theirs = apart("peer", scale.nodes)
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


def _kept(what: str, figures: dict[str, float]) -> Row:
    """What the process keeps for a node."""
    note = f"{figures['nodes']:,.0f} of them"
    if figures["kept"] <= 0:
        # Too few to be seen, or a system without /proc.
        return Row("memory", what, "bytes", 0.0, note=f"{note}; the process did not grow")
    return Row("memory", what, "bytes", figures["kept"] / figures["nodes"], note=note)


if __name__ == "__main__":
    kind, *words = sys.argv[1:]
    if kind == "peer":
        print(json.dumps(peer(int(words[0]))))
    elif kind == "search":
        print(json.dumps(search(*words)))
    else:
        print(json.dumps(histories(words[0], int(words[1]))))
