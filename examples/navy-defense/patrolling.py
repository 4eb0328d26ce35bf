"""How much the Navy ship patrols, though no goal says so: rounds about the middle, and squares visited.

python examples/navy-defense/patrolling.py [GAMES]
"""

from __future__ import annotations

import math
import sys
from statistics import mean, stdev

import kibitz as kb

GAME = "navy-defense(size=7, cargo=4)"
PLANNERS = (
    "static",
    "random",
    "hindsight(belief=particles(30, weights=none))",
    "hindsight(belief=particles(300), model=true)",
    "patrol",
)
MOVES = {"stay": (0, 0), "north": (0, 1), "east": (1, 0), "south": (0, -1), "west": (-1, 0)}


def course(episode: kb.Episode) -> list[tuple[int, int]]:
    """The squares that the Navy ship was on, as column and row from 0."""
    places: list[tuple[int, int]] = []
    for step in episode.steps:
        name = step.names[0]
        if not places and name.startswith("navy "):
            places.append((ord(name[5]) - ord("a"), int(name[6:]) - 1))
        elif step.movers:
            x, y = MOVES[name]
            places.append((places[-1][0] + x, places[-1][1] + y))
    return places


def rounds(places: list[tuple[int, int]], size: int) -> float:
    """How often a course goes round the middle of the board, either way: 1.5 is once and a half.

    >>> square = [(0, 0), (0, 1), (0, 2), (1, 2), (2, 2), (2, 1), (2, 0), (1, 0), (0, 0)]
    >>> rounds(square, 3), rounds([(0, 0), (0, 1), (0, 0)], 3)
    (1.0, 0.0)
    """
    middle = (size - 1) / 2
    angle, before = 0.0, None
    for x, y in places:
        if (x, y) == (middle, middle):
            continue
        now = math.atan2(y - middle, x - middle)
        if before is not None:
            angle += math.remainder(now - before, 2 * math.pi)
        before = now
    return round(abs(angle) / (2 * math.pi), 9)


def main(games: int) -> None:
    """Prints means with their 95 % intervals."""
    game = kb.load(GAME)
    print(f"{GAME}, {games} games each")
    for planner in PLANNERS:
        courses = [course(kb.play(game, [planner], seed=seed)) for seed in range(games)]
        found = {
            "rounds": [rounds(places, 7) for places in courses],
            "squares": [float(len(set(places))) for places in courses],
        }
        told = ", ".join(
            f"{mean(each):.2f} ± {1.96 * stdev(each) / math.sqrt(games):.2f} {what}"
            for what, each in found.items()
        )
        print(f"{planner}: {told}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100)
