"""The video games that come with the package: what they cover, and that each level can be won.

`golden/vgdl_wins.json` holds a won game of each level, as a seed and moves:
`python tests/test_vgdl_games.py` looks for those that are missing, with one planner after the other.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest

import kibitz as kb
from kibitz.lang import FOLDER, games_in

WINS = Path(__file__).parent / "golden" / "vgdl_wins.json"
GAMES = sorted(name for name, file in games_in(FOLDER).items() if file.suffix == ".vgdl")
LEVELS = [f"{name}.vgdl(level={level})" for name in GAMES for level in range(3)]
WON = 1_000_000
"""Less than a win pays, and more than any score."""
LETTERS = {"wait": ".", "up": "u", "down": "d", "left": "l", "right": "r", "use": "s"}

CLASSES = {
    "Conveyor",
    "Flicker",
    "Immovable",
    "OrientedFlicker",
    "Passive",
    "Resource",
    "ResourcePack",
    "Spreader",
    "Missile",
    "ErraticMissile",
    "RandomMissile",
    "Walker",
    "WalkerJumper",
    "Chaser",
    "Fleeing",
    "RandomInertial",
    "RandomNPC",
    "AlternateChaser",
    "RandomAltChaser",
    "Bomber",
    "Portal",
    "SpawnPoint",
    "SpriteProducer",
    "Door",
    "MovingAvatar",
    "HorizontalAvatar",
    "VerticalAvatar",
    "FlakAvatar",
    "OrientedAvatar",
    "ShootAvatar",
    "MissileAvatar",
}
EFFECTS = {
    "stepBack",
    "turnAround",
    "killSprite",
    "transformTo",
    "transformToSingleton",
    "wrapAround",
    "changeResource",
    "killIfHasLess",
    "killIfHasMore",
    "cloneSprite",
    "flipDirection",
    "reverseDirection",
    "undoAll",
    "spawnIfHasMore",
    "pullWithIt",
    "wallStop",
    "collectResource",
    "killIfOtherHasMore",
    "killIfFromAbove",
    "teleportToExit",
    "bounceForward",
    "attractGaze",
}
TERMINATIONS = ["SpriteCounter", "MultiSpriteCounter", "Timeout"]


def rules(name: str) -> str:
    text = (FOLDER / f"{name}.vgdl").read_text()
    return "\n".join(line.partition("#")[0] for line in text.splitlines())


def test_there_are_twelve_games_of_three_levels() -> None:
    assert len(GAMES) >= 12
    assert all((FOLDER / f"{name}_lvl{level}.txt").is_file() for name in GAMES for level in range(3))


def test_they_cover_the_ontology_of_2015() -> None:
    assert (len(CLASSES), len(EFFECTS), len(TERMINATIONS)) == (31, 22, 3)
    words = {word for name in GAMES for word in re.split(r"[\s>]+", rules(name))}
    assert set(CLASSES) - words == set()
    assert set(EFFECTS) - words == set()
    assert set(TERMINATIONS) - words == set()


def play(spec: str, won: dict[str, Any]) -> kb.Referee:
    """A won game once more, by its seed and moves."""
    referee = kb.Referee(kb.load(spec), won["seed"])
    names = {letter: name for name, letter in LETTERS.items()}
    for letter in won["moves"]:
        referee.apply([referee.state.find_action(0, names[letter])])
    return referee


@pytest.mark.parametrize("spec", LEVELS)
def test_each_level_can_be_won(spec: str) -> None:
    won = json.loads(WINS.read_text())[spec]
    referee = play(spec, won)
    assert referee.over
    assert referee.returns == [won["return"]]
    assert won["return"] > WON


PLANNERS = [
    "iw(transitions=2000)",
    "uct(simulations=100)",
    "iw(2, transitions=20000)",
    "uct(simulations=600)",
]
LONGEST = 1_000
"""Steps of a game that is looked for."""


def solve(spec: str) -> dict[str, Any] | None:
    """A way to win a game of known states without chance: the shortest to the next point, and so on."""
    seen, row = set(), [(kb.load(spec).initial(), "", 0.0)]
    while row:
        further = []
        for before, moves, paid in row:
            for action in before.legal(0):
                after, rewards = before.step([action])
                name = moves + LETTERS[before.action_name(0, action)]
                then = (after, name, paid + sum(rewards))
                if after.over:
                    if sum(rewards) > WON:
                        return {"seed": 0, "by": "breadth first", "return": then[2], "moves": name}
                    continue
                # The last line is the tick and the score.
                board = after.text().rstrip().rpartition("\n")[0]
                if board not in seen:
                    seen.add(board)
                    further.append(then)
        best = max((paid for _, _, paid in further), default=0.0)
        better = best > max(paid for _, _, paid in row)
        row = [then for then in further if then[2] == best] if better else further
    return None


def look(spec: str, seeds: int = 4) -> dict[str, Any] | None:
    """A game that some planner wins."""
    if spec.startswith("crate-store"):
        return solve(spec)
    for planner in PLANNERS:
        for seed in range(seeds):
            episode = kb.play(spec, planner, seed=seed, max_steps=LONGEST)
            names = [step.names[0] for step in episode.steps if step.movers]
            if episode.over and episode.returns[0] > WON:
                moves = "".join(LETTERS[name] for name in names)
                return {"seed": seed, "by": planner, "return": episode.returns[0], "moves": moves}
    return None


if __name__ == "__main__":
    found = json.loads(WINS.read_text()) if WINS.is_file() else {}
    for spec in sys.argv[1:] or [spec for spec in LEVELS if spec not in found]:
        if won := look(spec):
            found[spec] = won
        print(spec, won and (won["by"], won["seed"], won["return"], len(won["moves"])), flush=True)
        ordered = {key: found[key] for key in sorted(found)}
        WINS.write_text(json.dumps(ordered, indent=0) + "\n")
