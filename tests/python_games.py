"""Small games written in Python, which the tests share."""

from __future__ import annotations

from random import Random
from typing import Any

import kibitz as kb

LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]

Board = tuple[int, ...]


class TicTacToe(kb.Rules[tuple[Board, int]]):
    """Three in a row."""

    players, zero_sum, horizon = 2, True, 9

    def initial(self) -> tuple[Board, int]:
        return (0,) * 9, 0

    def turn(self, state: tuple[Board, int]) -> int:
        board, mover = state
        over = 0 not in board or any(board[a] and board[a] == board[b] == board[c] for a, b, c in LINES)
        return kb.OVER if over else mover

    def legal(self, state: tuple[Board, int], player: int) -> list[int]:
        return [cell for cell, mark in enumerate(state[0]) if not mark]

    def step(self, state: tuple[Board, int], joint: tuple[Any, ...]) -> Any:
        board, mover = state
        cell = joint[0]
        board = (*board[:cell], mover + 1, *board[cell + 1 :])
        won = any(board[a] == board[b] == board[c] == mover + 1 for a, b, c in LINES)
        return (board, 1 - mover), ((1, -1) if mover == 0 else (-1, 1)) if won else None

    def key(self, state: tuple[Board, int]) -> tuple[Board, int]:
        return state

    def text(self, state: tuple[Board, int], viewer: int | None) -> str:
        return "".join(".xo"[mark] for mark in state[0])


class Coin(kb.Rules[str]):
    """A hidden coin: guess it, or pay a little to peek. Single player, chance, hidden information."""

    min_return, max_return = -1.2, 1.0

    def initial(self) -> str:
        return "toss"

    def turn(self, state: str) -> int:
        return {"toss": kb.CHANCE, "done": kb.OVER}.get(state, 0)

    def chance(self, state: str) -> list[tuple[str, float]]:
        return [("heads", 0.75), ("tails", 0.25)]

    def legal(self, state: str, player: int) -> list[str]:
        return ["heads", "tails"] if state.startswith("peeked") else ["heads", "tails", "peek"]

    def step(self, state: str, joint: tuple[Any, ...]) -> tuple[str, float]:
        if state == "toss":
            return joint[0], 0
        if joint[0] == "peek":
            return f"peeked {state}", -0.2
        return "done", 1.0 if state.endswith(joint[0]) else -1.0

    def observe(self, after: str, joint: tuple[Any, ...], player: int) -> str | None:
        return after if joint[0] == "peek" else None

    def resample(self, events: list[tuple[str, Any]], player: int, rng: Random) -> str:
        if events:
            assert [event[0] for event in events] == ["acted", "observed"]
            return str(events[1][1])
        return "heads" if rng.random() < 0.75 else "tails"


class Pennies(kb.Rules[str]):
    """Matching pennies: both show a side at once."""

    players, zero_sum = 2, True

    def initial(self) -> str:
        return "show"

    def turn(self, state: str) -> int | tuple[int, ...]:
        return (0, 1) if state == "show" else kb.OVER

    def legal(self, state: str, player: int) -> tuple[str, ...]:
        return ("heads", "tails")

    def step(self, state: str, joint: tuple[Any, ...]) -> tuple[str, list[int]]:
        return "over", [1, -1] if joint[0] == joint[1] else [-1, 1]


class Walk(kb.Rules[int]):
    """A random walk that is drawn, not listed; each move pays one, discounted by half."""

    discount, min_return, max_return = 0.5, 0.0, 2.0

    def __init__(self, length: int = 4) -> None:
        self.length = length

    def initial(self) -> int:
        return 0

    def turn(self, state: int) -> int:
        return kb.OVER if state >= 2 * self.length else 0 if state % 2 == 0 else kb.CHANCE

    def legal(self, state: int, player: int) -> range:
        return range(1)

    def draw(self, state: int, rng: Random) -> int:
        return rng.choice([7, 8, 9])

    def step(self, state: int, joint: tuple[Any, ...]) -> tuple[int, int]:
        return state + 1, 1 - state % 2


Errand = tuple[int, int, int, tuple[int, int]]
"""Turns, mover, actions left, and how far each has come."""


class Errands(kb.Rules[Errand]):
    """A turn is up to three actions: short steps, long ones, which take some luck, or the end of it."""

    name = "errands"
    players, perfect_information, zero_sum, paid_at_end = 2, True, True, True
    simultaneous = False
    feature_weights = {"lead": 0.5, "balance": 0.1}  # noqa: RUF012

    def initial(self) -> Errand:
        return 0, 0, 3, (0, 0)

    def turn(self, state: Errand) -> int:
        return kb.OVER if state[0] == 6 else state[1]

    def legal(self, state: Errand, player: int) -> list[str]:
        return ["stop", *(["left 1", "left 2", "right 1"] if state[2] else [])]

    def step(self, state: Errand, joint: tuple[str, ...]) -> tuple[Errand, list[float]]:
        turn, mover, left, way = state
        if joint[0] == "stop":
            after = turn + 1, 1 - mover, 3, way
            won = float(way[0] > way[1]) - float(way[0] < way[1]) if turn == 5 else 0.0
            return after, [won, -won]
        steps = {"left 1": 1, "left 2": 2 if way[mover] % 2 else 0, "right 1": 1}[joint[0]]
        moved = (way[0] + steps, way[1]) if mover == 0 else (way[0], way[1] + steps)
        return (turn, mover, left - 1, moved), [0.0, 0.0]

    def key(self, state: Errand) -> Errand:
        return state

    def evaluate(self, state: Errand) -> list[float]:
        lead = (state[3][0] - state[3][1]) / 50
        return [lead, -lead]

    def factors(self, state: Errand, player: int, action: str) -> list[int]:
        return [] if action == "stop" else [["left", "right"].index(action.split()[0])]

    def end_turn(self, state: Errand, player: int) -> str:
        return "stop"

    def features(self, state: Errand, player: int) -> list[float]:
        lead = state[3][player] - state[3][1 - player]
        return [lead, state[3][player] % 2 - state[3][1 - player] % 2]
