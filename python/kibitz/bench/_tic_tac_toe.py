"""Tic-tac-toe as anybody would write it in Python: the rules that OpenSpiel's `python_tic_tac_toe` has."""

from __future__ import annotations

from typing import Any

import kibitz as kb

LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]


class TicTacToe(kb.Rules[tuple[str, int]]):
    """Three in a row. A state is the board, and who moves next or `kb.OVER`."""

    players, zero_sum, horizon = 2, True, 9

    def initial(self) -> tuple[str, int]:
        """An empty board."""
        return ".........", 0

    def turn(self, state: tuple[str, int]) -> int:
        """As the state says."""
        return state[1]

    def legal(self, state: tuple[str, int], player: int) -> list[int]:  # noqa: ARG002
        """The empty cells."""
        return [cell for cell, mark in enumerate(state[0]) if mark == "."]

    def step(self, state: tuple[str, int], joint: tuple[Any, ...]) -> tuple[tuple[str, int], Any]:
        """Puts a mark, and looks for three in a row."""
        board, player = state
        cell, mark = joint[0], "xo"[player]
        board = board[:cell] + mark + board[cell + 1 :]
        if any(board[a] == board[b] == board[c] == mark for a, b, c in LINES):
            return (board, kb.OVER), (1, -1) if player == 0 else (-1, 1)
        return (board, 1 - player if "." in board else kb.OVER), None
