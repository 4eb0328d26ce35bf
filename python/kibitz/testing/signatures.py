"""One number for each planner that changes when its search changes, and else stays as it is.

    python -m kibitz.testing.signatures                        prints them
    python -m kibitz.testing.signatures --write FILE           keeps them, to be compared

A signature is made of the decisions, visits included (or, where a planner simulates nothing, how many
states it looked at), in fixed positions of a few games. A change that was meant to be a mere tidying
up must leave it as it is.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from kibitz import _core, _files
from kibitz._core import Decision, Planner, Referee
from kibitz.games import load
from kibitz.planners import decide

GAMES = ("tic-tac-toe", "connect-four", "kuhn-poker", "rock-sample", "tiger")
"""Fixed: another game here is another signature for everybody."""
OTHERS = ("navy-defense(size=4, cargo=4)", "eight-puzzle.kif")
"""For planners that play none of these.

In this Navy Defense a ship is hit within three moves, which is what tells some planners apart."""
TURNS = {"hillclimb": ("duelyst",), "rollout": ("duelyst",)}
"""For planners that are the same where a turn is one move."""
SEEDS = (1, 2)
BUDGETS = {
    "simulations": "simulations=200",
    "depth": "depth=4",
    "samples": "samples=20",
    "worlds": "worlds=2, horizon=3",
}
"""What a planner may spend, by the name of one of its parameters. The first that it has is enough."""


def signature(spec: str) -> str:
    """The signature of a planner.

    >>> from kibitz.testing.signatures import signature
    >>> signature("random") == signature("random") != signature("uct(simulations=50)")
    True
    """
    text = "\n".join(_decisions(spec))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def signatures() -> dict[str, str]:
    """The signatures of all native planners, by spec."""
    return {spec: signature(spec) for spec in specs()}


def specs() -> list[str]:
    """Every native planner with a small budget.

    >>> from kibitz.testing.signatures import specs
    >>> "uct(simulations=200)" in specs()
    True
    """
    found = []
    for entry in _core.planners():
        budget = next((p.name for p in entry.params if p.name in BUDGETS), None)
        found.append(f"{entry.name}({BUDGETS[budget]})" if budget else entry.name)
    return found


def _decisions(spec: str) -> list[str]:
    usual = list(_decided(spec, (*GAMES, *TURNS.get(_core.spec_name(spec), ()))))
    refused = all(line.endswith(": refused") for line in usual)
    return [*usual, *_decided(spec, OTHERS)] if refused else usual


def _decided(spec: str, games: Sequence[str]) -> Iterator[str]:
    for name in games:
        for seed in SEEDS:
            for referee in _positions(name, seed):
                planner, player = Planner(spec), referee.movers[0]
                try:
                    planner.start(referee.seat(player), player, seed)
                except ValueError:
                    yield f"{name}: refused"
                    continue
                yield f"{name}: {_shown(decide(planner, referee, player))}"


def _shown(decision: Decision) -> str:
    rows = ", ".join(f"{row.action} {row.visits}" for row in decision.table)
    # Without simulations there are no visits either: the states looked at tell searches apart.
    by_states = decision.nodes and not decision.simulations
    spent = f"{decision.nodes} states" if by_states else f"{decision.simulations} simulations"
    return f"{decision.action} of {rows}, {spent}"


def _positions(game: str, seed: int) -> Iterator[Referee]:
    """The first position, and the one after three moves."""
    referee = Referee(load(game), seed)
    for number in range(4):
        if referee.over:
            return
        if number in (0, 3):
            yield referee
        views = [referee.view(mover) for mover in referee.movers]
        draw = _core.episode_seed(seed, number, "signature")
        referee.apply([view.legal()[(draw >> 8 * view.player) % len(view.legal())] for view in views])


def main(argv: Sequence[str] | None = None) -> None:
    """The command."""
    parser = argparse.ArgumentParser(
        prog="python -m kibitz.testing.signatures",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--write", type=Path, metavar="FILE", help="keep them in a file")
    options = parser.parse_args(argv)
    text = json.dumps(signatures(), indent=2) + "\n"
    if options.write is None:
        print(text, end="")
    else:
        _files.write(options.write, text)
        print(options.write)


if __name__ == "__main__":
    main()
