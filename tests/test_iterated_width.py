"""Iterated width where states are known and have atoms, and open-loop search beside closed-loop search.

`python tests/test_iterated_width.py` prints how the planners fare in puzzles.
"""

from __future__ import annotations

import random
import statistics
from collections import deque
from collections.abc import Iterator
from pathlib import Path

import pytest

import kibitz as kb
from kibitz.planners import decide
from rule_texts import GOAL

SOLVED = (1, 2, 3, 4, 5, 6, 7, 8, 0)


def neighbours(board: tuple[int, ...]) -> Iterator[tuple[int, tuple[int, ...]]]:
    """The tile that can be slid, and what comes of it."""
    hole = board.index(0)
    for other in range(9):
        if abs(hole // 3 - other // 3) + abs(hole % 3 - other % 3) == 1:
            after = list(board)
            after[hole], after[other] = after[other], 0
            yield board[other], tuple(after)


def distances(most: int) -> dict[tuple[int, ...], int]:
    """How far boards are from the solved one."""
    found, queue = {SOLVED: 0}, deque([SOLVED])
    while queue:
        board = queue.popleft()
        for _, after in neighbours(board):
            if after not in found and found[board] < most:
                found[after] = found[board] + 1
                queue.append(after)
    return found


class EightPuzzle(kb.Rules[tuple[int, ...]]):
    """Slide tiles until they are in order: one reward, in the end."""

    players = 1
    min_return, max_return = 0.0, 1.0
    perfect_information = True
    atom_count = 81

    def __init__(self, start: tuple[int, ...]) -> None:
        self.start = start

    def initial(self) -> tuple[int, ...]:
        return self.start

    def turn(self, state: tuple[int, ...]) -> int:
        return kb.OVER if state == SOLVED else 0

    def legal(self, state: tuple[int, ...], player: int) -> list[int]:
        return sorted(tile for tile, _ in neighbours(state))

    def step(self, state: tuple[int, ...], joint: tuple[int, ...]) -> tuple[tuple[int, ...], float]:
        after = dict(neighbours(state))[joint[0]]
        return after, float(after == SOLVED)

    def atoms(self, state: tuple[int, ...]) -> list[int]:
        return [9 * cell + tile for cell, tile in enumerate(state)]


def played(start: tuple[int, ...], planner: str, most: int) -> int | None:
    """After how many moves it is solved, if that is within so many."""
    referee, player = kb.Referee(kb.load(EightPuzzle(start)), seed=1), kb.planner(planner)
    player.start(referee.seat(0), 0, 1)
    for moves in range(1, most + 1):
        referee.apply([decide(player, referee, 0).action])
        if referee.over:
            return moves
    return None


def test_easy_eight_puzzles_are_solved_in_the_fewest_moves() -> None:
    far = distances(10)
    rng = random.Random(1)
    for distance in (2, 5, 8, 10):
        start = rng.choice(sorted(board for board, moves in far.items() if moves == distance))
        assert played(start, "iw(2, samples=0, transitions=4000)", distance) == distance
        # Each atom alone has been true long before the last tile is in its place.
        if distance > 5:
            assert played(start, "iw(1, samples=0, transitions=4000)", distance) is None


def test_rules_files_have_atoms_too() -> None:
    better = [
        kb.play("peg-solitaire.kif", planner, seed=2).returns[0]
        for planner in ("iw(2, transitions=3000)", "random")
    ]
    assert better[0] > better[1]
    solved = kb.play("crate-store.vgdl", "iw(3/2, transitions=3000)", seed=1)
    assert solved.returns[0] > 0


@pytest.mark.parametrize(
    ("planner", "game", "why"),
    [
        ("iw", "tic-tac-toe", "one player and nothing hidden"),
        ("rollout-iw", "klondike", "declares none; try brfs"),
        ("iw(3/2)", "eight-puzzle.kif", "which atoms are about the piece"),
        ("iw(3)", "eight-puzzle.kif", "unknown width '3'"),
        ("mcts", "tiger", "needs perfect information"),
        ("olmcts(transpositions=true)", "eight-puzzle.kif", "transpositions needs"),
        ("olmcts(workers=2, parallel=tree)", "eight-puzzle.kif", "a tree for each thread"),
        ("uct(selection=reversal-penalty)", "eight-puzzle.kif", "normalise=true"),
    ],
)
def test_what_does_not_fit_is_refused_in_a_sentence(planner: str, game: str, why: str) -> None:
    with pytest.raises(ValueError, match=why.replace("(", r"\(")):
        kb.play(game, planner, seed=1)


class Call(kb.Rules[tuple[str, int]]):
    """A coin is thrown and shown; then it is called. There is an action besides that only tails offers."""

    players = 1
    min_return, max_return = 0.0, 1.0

    def initial(self) -> tuple[str, int]:
        return "", 0

    def turn(self, state: tuple[str, int]) -> int:
        return {0: 0, 1: kb.CHANCE, 2: 0, 3: kb.OVER}[state[1]]

    def legal(self, state: tuple[str, int], player: int) -> list[str]:
        if state[1] == 0:
            return ["throw"]
        return ["heads", "tails"] + ["pass"] * (state[0] == "tails")

    def chance(self, state: tuple[str, int]) -> list[tuple[str, float]]:
        return [("heads", 0.5), ("tails", 0.5)]

    def step(self, state: tuple[str, int], joint: tuple[str, ...]) -> tuple[tuple[str, int], float]:
        coin, time = state
        return (joint[0] if time == 1 else coin, time + 1), float(time == 2 and joint[0] == coin)


@pytest.mark.parametrize("expansion", ["all", "partial"])
def test_an_open_loop_knows_no_better_than_a_sequence_of_actions(expansion: str) -> None:
    values = {}
    for tree in ("state", "open-loop"):
        spec = f"uct(tree={tree}, simulations=4000, expansion={expansion}, choice=value)"
        advice = kb.advise(Throw(), kb.Referee(kb.load(Throw())).view(0), spec)
        values[tree] = advice.table[0].value
    assert values["state"] == pytest.approx(1, abs=0.03)
    # All calls are worth a half, but for the one that is worth nothing.
    assert values["open-loop"] == pytest.approx(0.5, abs=0.06)


class Throw(Call):
    """The same, with something to decide at the root."""

    def legal(self, state: tuple[str, int], player: int) -> list[str]:
        return ["throw", "toss"] if state[1] == 0 else super().legal(state, player)


class Shifted(Throw):
    """The same, for a hundred times as much, in a range that says nothing."""

    min_return, max_return = -1e7, 1e7

    def step(self, state: tuple[str, int], joint: tuple[str, ...]) -> tuple[tuple[str, int], float]:
        after, reward = super().step(state, joint)
        return after, 100 * reward


def test_normalised_values_do_not_depend_on_the_unit() -> None:
    def visits(rules: kb.Rules[tuple[str, int]], spec: str) -> list[int]:
        game = kb.load(rules)
        advice = kb.advise(game, kb.Referee(game).view(0), spec, seed=3)
        return [row.visits for row in advice.table]

    normalised = "olmcts(simulations=400)"
    assert visits(Throw(), normalised) == visits(Shifted(), normalised)
    plain = "olmcts(simulations=400, normalise=false)"
    assert visits(Throw(), plain) != visits(Shifted(), plain)


def test_who_is_penalised_for_going_back_sees_more_of_the_world(tmp_path: Path) -> None:
    rows = ["w" * 16, "wA" + "." * 13 + "w", *["w" + "." * 14 + "w"] * 11]
    rows += ["w" + "." * 13 + "ww", "w" + "." * 12 + "wgw", "w" * 16]  # nobody comes to the goal
    (tmp_path / "room.txt").write_text(GOAL)
    (tmp_path / "room_lvl0.txt").write_text("\n".join(rows))
    game = kb.load(f"{tmp_path}/room.vgdl(wait=false)")  # in the framework's naming
    places = []
    for planner in ("mcts(simulations=200)", "mcts(simulations=200, selection=reversal-penalty)"):
        places.append(0)
        for seed in range(5):
            referee, player = kb.Referee(game, seed=seed), kb.planner(planner)
            player.start(referee.seat(0), 0, seed)
            seen = set()
            for _ in range(60):
                referee.apply([decide(player, referee, 0).action])
                seen.add(next(at for at in enumerate(referee.state.text().splitlines()) if "A" in at[1]))
            places[-1] += len(seen)
    assert places[1] > 1.3 * places[0], places


PLANNERS = ["iw(1)", "iw(3/2)", "iw(2)", "rollout-iw", "brfs", "one-look", "random"]
GAMES = 20


def shown(planner: str) -> Iterator[str]:
    """How a planner fares with its usual budget: a row of the table in docs/vgdl.md."""
    far = distances(10)
    for distance in (5, 10):
        starts = random.Random(1).sample(sorted(board for board in far if far[board] == distance), GAMES)
        try:
            yield str(sum(played(start, planner, 20) is not None for start in starts))
        except ValueError:
            yield "–"
    try:
        scores = [kb.play("peg-solitaire.kif", planner, seed=seed).returns[0] for seed in range(GAMES)]
        yield f"{statistics.mean(scores):.1f} ± {1.96 * statistics.stdev(scores) / GAMES**0.5:.1f}"
    except ValueError:
        yield "–"
    for level in range(3):
        game = f"crate-store.vgdl(level={level})"
        won = [kb.play(game, planner, seed=seed, max_steps=300).returns[0] for seed in range(GAMES)]
        yield str(sum(each > 1_000_000 for each in won))


if __name__ == "__main__":
    for planner in PLANNERS:
        print(f"| `{planner}` | {' | '.join(shown(planner))} |", flush=True)
