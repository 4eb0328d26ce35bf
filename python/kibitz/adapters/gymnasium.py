"""Games of Kibitz as environments of Gymnasium: one seat learns, planners sit on the others.

`gymnasium.make("kibitz/tiger-v0")` works once both packages are installed: every game that can be loaded by
name has an id. Parameters go along: `gymnasium.make("kibitz/leduc-poker-v0", opponents="is-mcts")`.
Observations are vectors of zeros and ones, `info["action_mask"]` and `action_masks()` say what is legal;
in place of an action that is not, a legal one is drawn, and `info["illegal"]` says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kibitz.adapters import NO_GYM

try:
    import gymnasium
    from gymnasium.spaces import Box, Discrete
except ModuleNotFoundError:
    raise ModuleNotFoundError(NO_GYM, name="gymnasium") from None

from kibitz._core import Decision, Referee
from kibitz.adapters._environment import BINS, SURVEY, Encoder, limit, seed_of
from kibitz.games import list_games, load
from kibitz.planners import AnyPlanner, decide, planner, sit
from kibitz.rules import AnyGame

Vector = NDArray[np.int8]


class Environment(gymnasium.Env[Vector, np.int64]):
    """A seat of a game, to be learned.

    `opponents` sit on the other seats: one spec for all, or one for each in order. Steps are the seat's own
    decisions, `max_steps` counts all steps of the game.

    >>> from kibitz.adapters.gymnasium import Environment
    >>> environment = Environment("tic-tac-toe")
    >>> _, info = environment.reset(seed=1)
    >>> int(info["action_mask"].sum())
    9
    """

    metadata: dict[str, Any] = {"render_modes": ["ansi"], "render_fps": 1}  # noqa: RUF012

    def __init__(
        self,
        game: AnyGame,
        *,
        player: int = 0,
        opponents: str | Sequence[str] = "random",
        max_steps: int | None = None,
        bins: int = BINS,
        survey: int = SURVEY,
        render_mode: str | None = None,
    ) -> None:
        self.game = load(game)
        players = self.game.info.players
        if not 0 <= player < players:
            raise ValueError(f"there is no player {player}: {self.game.spec} has {players}, counted from 0")
        others = [opponents] * (players - 1) if isinstance(opponents, str) else list(opponents)
        if len(others) != players - 1:
            raise ValueError(
                f"{self.game.spec} has {players - 1} other seats, but {len(others)} opponents were given"
            )
        if render_mode not in (None, "ansi"):
            raise ValueError(f"render_mode is 'ansi' or None, not {render_mode!r}")
        self.player = player
        self.render_mode = render_mode
        self.max_steps = limit(self.game, max_steps)
        self.encoder = Encoder(self.game, bins=bins, survey=survey)
        seats = [seat for seat in range(players) if seat != player]
        self.opponents: dict[int, AnyPlanner] = {
            seat: planner(spec) for seat, spec in zip(seats, others, strict=True)
        }
        self.observation_space = Box(0, 1, (self.encoder.size,), np.int8)
        self.action_space = Discrete(self.encoder.actions)
        self._referee: Referee | None = None
        self._owed = 0.0

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Vector, dict[str, Any]]:
        """Begins an episode, and goes on to the seat's first decision."""
        super().reset(seed=seed, options=options)
        self._referee = Referee(self.game, seed_of(self.np_random), max_steps=self.max_steps)
        for seat, other in self.opponents.items():
            sit(other, self._referee.seat(seat), seat, seed_of(self.np_random))
        # What is paid before the first decision comes with the first step.
        self._owed = self._go_on(None)
        return self._observation(), self._info()

    def step(self, action: np.int64) -> tuple[Vector, float, bool, bool, dict[str, Any]]:
        """Does what the seat has chosen, and goes on to its next decision."""
        referee = self.referee
        if not referee.goes_on:
            raise ValueError("the episode is over: call reset")
        mask = self.action_masks()
        illegal = not (0 <= int(action) < self.encoder.actions and mask[int(action)])
        paid, self._owed = self._owed, 0.0
        paid += self._go_on(self.encoder.action(int(action), mask, self.np_random))
        info = self._info() | ({"illegal": True} if illegal else {})
        ended = referee.over, not referee.over and not referee.goes_on
        return self._observation(), paid, *ended, info

    def render(self) -> str | None:
        """The position as the seat sees it, in plain characters."""
        return self.referee.view(self.player).text() if self.render_mode == "ansi" else None

    def action_masks(self) -> Vector:
        """Which actions are legal."""
        return self.encoder.mask(self.referee.view(self.player))

    def copy(self) -> Environment:
        """Another environment in the same moment of the same episode, with the same luck to come.

        ValueError where others play: what they have in mind cannot be copied.
        """
        if self.opponents:
            raise ValueError(
                "an environment with opponents cannot be copied: what they have in mind stays theirs"
            )
        twin: Environment = object.__new__(type(self))
        twin.__dict__ |= self.__dict__
        twin._referee = None if self._referee is None else self._referee.copy()
        if self._np_random is not None:
            twin._np_random = np.random.Generator(type(self._np_random.bit_generator)())
            twin._np_random.bit_generator.state = self._np_random.bit_generator.state
        twin.action_space = Discrete(self.encoder.actions)
        return twin

    def __deepcopy__(self, memo: dict[int, Any]) -> Environment:
        return self.copy()

    @property
    def referee(self) -> Referee:
        """Who holds the truth of the episode."""
        if self._referee is None:
            raise ValueError("no episode has begun: call reset")
        return self._referee

    def _go_on(self, action: int | None) -> float:
        """Plays up to the seat's next decision; what it is paid meanwhile."""
        referee, paid = self.referee, 0.0

        def choose(seat: int) -> int | Decision:
            if seat != self.player:
                return decide(self.opponents[seat], referee, seat)
            assert action is not None
            return action

        while referee.goes_on and (action is not None or self.player not in referee.movers):
            own = self.player in referee.movers
            paid += sum(rewards[self.player] for _, _, rewards, _, _ in referee.round(choose))
            action = None if own else action
        return paid

    def _observation(self) -> Vector:
        return self.encoder.observation(self.referee, self.referee.view(self.player))

    def _info(self) -> dict[str, Any]:
        return {"action_mask": self.action_masks()}


def register() -> None:
    """Gives every game that can be loaded by name an id: what Gymnasium calls as it begins."""
    names = {entry.name.partition(".")[0]: entry.name for entry in reversed(list_games())}
    native = {entry.name for entry in list_games()}
    for name, asked in names.items():
        gymnasium.register(
            id=f"{name}-v0",
            entry_point="kibitz.adapters.gymnasium:Environment",
            kwargs={"game": name if name in native else asked},
        )
