"""Weights of a game's features, learned from games that planners play.

What comes of a position is taken to be decided by chance, with odds whose logarithm is a sum of the
features by weights; the weights are those under which what came of all positions is likeliest, but for a
penalty on large ones (logistic regression with ridge, by Newton's method).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import cycle, islice, permutations

import numpy as np

from kibitz import _files
from kibitz._arguments import checked
from kibitz._core import Game
from kibitz.episode import play
from kibitz.games import load


@dataclass(frozen=True)
class Weights:
    """What each feature weighs."""

    names: tuple[str, ...]
    values: tuple[float, ...]
    errors: tuple[float, ...]
    """Standard errors, as if positions of one game had nothing to do with each other: they are larger."""
    positions: int
    loss: float
    """The mean of minus the logarithm of how likely what came of a position was taken to be."""

    def text(self) -> str:
        """As a file for `evaluator=linear(FILE)`."""
        lines = [f"{value:.6g} {name}" for name, value in zip(self.names, self.values, strict=True)]
        return "\n".join([f"# learned from {self.positions} positions, loss {self.loss:.4f}", *lines, ""])

    def save(self, file: str | os.PathLike[str]) -> None:
        """Writes that file."""
        _files.write(file, self.text())


@checked("game")
def weigh(
    game: str | Game,
    planners: Sequence[str],
    *,
    games: int = 200,
    seed: int = 0,
    ridge: float = 1.0,
    progress: Callable[[int], object] | None = None,
) -> Weights:
    """Learns weights from games of two planners at a time, each of them on both seats in turn.

    Positions are those at the beginning of a player's turn. The game is one of two players who
    get opposite returns and has features.
    """
    game = load(game)
    if game.info.players != 2 or not game.info.zero_sum or game.initial().features(0) is None:
        raise ValueError(f"{game.spec} needs features and two players whose returns add up to zero")
    names = tuple(name for name, _ in game.initial().features(0) or [])
    seatings = list(permutations(planners, 2)) if len(planners) > 1 else [(planners[0], planners[0])]
    rows: list[list[float]] = []
    results: list[float] = []
    for number, seating in enumerate(islice(cycle(seatings), games)):
        episode = play(game, list(seating), seed=seed, episode=number)
        spread = game.info.max_return - game.info.min_return
        result = (episode.returns[0] - game.info.min_return) / spread
        mover: tuple[int, ...] = ()
        for step in episode.steps:
            now = tuple(step.state.movers)
            if len(now) == 1 and now != mover:
                rows.append([value for _, value in step.state.features(0) or []])
                results.append(result)
            mover = now or mover
        if progress is not None:
            progress(number + 1)
    return _fit(names, np.array(rows), np.array(results), ridge)


def _fit(names: tuple[str, ...], x: np.ndarray, y: np.ndarray, ridge: float) -> Weights:
    """Newton's method; features are put on one scale for the penalty."""
    scale = np.maximum(x.std(axis=0), 1e-9)
    z = x / scale
    weights = np.zeros(z.shape[1])
    hessian = np.eye(z.shape[1])
    for _ in range(50):
        p = 1.0 / (1.0 + np.exp(-z @ weights))
        gradient = z.T @ (p - y) + ridge * weights
        hessian = (z * (p * (1 - p))[:, None]).T @ z + ridge * np.eye(z.shape[1])
        step = np.linalg.solve(hessian, gradient)
        weights -= step
        if np.abs(step).max() < 1e-9:
            break
    p = np.clip(1.0 / (1.0 + np.exp(-z @ weights)), 1e-12, 1 - 1e-12)
    loss = float(-(y * np.log(p) + (1 - y) * np.log(1 - p)).mean())
    errors = np.sqrt(np.diag(np.linalg.inv(hessian))) / scale
    values = tuple(float(value) for value in weights / scale)
    return Weights(names, values, tuple(float(error) for error in errors), len(y), loss)
