"""Games of Kibitz as environments of PettingZoo: `env` for players in turn (AEC), `parallel_env` for all
at once.

An observation is a dict of the vector `observation` and of `action_mask`, which says what is legal. In
place of an action that is not, a legal one is drawn, and the agent's info says `illegal`. Where several
players move at once, the AEC environment asks one after the other, and nobody sees what the others chose
before all have.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from kibitz.adapters import NO_GYM

try:
    from gymnasium.spaces import Box, Dict, Discrete
    from gymnasium.utils import seeding
    from pettingzoo import AECEnv, ParallelEnv
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(NO_GYM, name=error.name) from None

from kibitz._core import Game, Referee
from kibitz.adapters._environment import BINS, SURVEY, Encoder, limit, seed_of
from kibitz.games import load
from kibitz.rules import AnyGame

Observation = dict[str, NDArray[np.int8]]


class _Table:
    """What both kinds of environments are made of: an episode, and how players see it."""

    def __init__(
        self,
        game: AnyGame,
        *,
        max_steps: int | None = None,
        bins: int = BINS,
        survey: int = SURVEY,
        idle: bool,
    ) -> None:
        self.game: Game = load(game)
        self.max_steps = limit(self.game, max_steps)
        self.encoder = Encoder(self.game, bins=bins, survey=survey)
        self.agents = [f"player_{seat}" for seat in range(self.game.info.players)]
        self.seats = {agent: seat for seat, agent in enumerate(self.agents)}
        self.idle = idle
        """Whether there is one more action, to do nothing while others move."""
        self.actions = {agent: Discrete(self.width) for agent in self.agents}
        self.spaces = {agent: self._space() for agent in self.agents}
        self.rng, _ = seeding.np_random()
        self._referee: Referee | None = None

    @property
    def width(self) -> int:
        """How many actions there are."""
        return self.encoder.actions + self.idle

    def _space(self) -> Dict:
        mask = Box(0, 1, (self.width,), np.int8)
        return Dict({"observation": Box(0, 1, (self.encoder.size,), np.int8), "action_mask": mask})

    @property
    def referee(self) -> Referee:
        if self._referee is None:
            raise ValueError("no episode has begun: call reset")
        return self._referee

    def begin(self, seed: int | None) -> dict[str, float]:
        """A new episode; what is paid before the first decision."""
        if seed is not None:
            self.rng, _ = seeding.np_random(seed)
        self._referee = Referee(self.game, seed_of(self.rng), max_steps=self.max_steps)
        return self.paid(self._referee.opening())

    def paid(self, reports: list[Any]) -> dict[str, float]:
        """What each player got in some steps."""
        return {
            agent: float(sum(rewards[seat] for _, _, rewards, _, _ in reports))
            for agent, seat in self.seats.items()
        }

    def observe(self, agent: str) -> Observation:
        view = self.referee.view(self.seats[agent])
        mask = self.encoder.mask(view)
        if self.idle:
            mask = np.append(mask, np.int8(not mask.any()))
        return {"observation": self.encoder.observation(self.referee, view), "action_mask": mask}

    def choice(self, agent: str, action: int) -> tuple[int, bool]:
        """The game's number of what a mover chooses, and whether it had to be drawn instead."""
        view = self.referee.view(self.seats[agent])
        mask = self.encoder.mask(view)
        illegal = not (0 <= action < len(mask) and mask[action])
        return self.encoder.action(action, mask, self.rng), illegal

    @property
    def ended(self) -> tuple[bool, bool]:
        """Whether the game is over, or cut off."""
        return self.referee.over, not self.referee.over and not self.referee.goes_on

    def copy(self) -> _Table:
        twin: _Table = object.__new__(type(self))
        twin.__dict__ |= self.__dict__
        twin._referee = None if self._referee is None else self._referee.copy()
        twin.rng = np.random.Generator(type(self.rng.bit_generator)())
        twin.rng.bit_generator.state = self.rng.bit_generator.state
        twin.actions = {agent: Discrete(self.width) for agent in self.agents}
        twin.spaces = {agent: self._space() for agent in self.agents}
        return twin


class _AtTable:
    """What both kinds of environment have."""

    metadata: dict[str, Any] = {"render_modes": ["ansi"]}  # noqa: RUF012

    def __init__(self, table: _Table, render_mode: str | None = None) -> None:
        super().__init__()
        self.table = table
        self.render_mode = render_mode
        self.metadata = {**type(self).metadata, "name": table.game.spec}
        self.possible_agents = list(table.agents)
        self.agents: list[str] = []

    def observation_space(self, agent: str) -> Dict:
        """Of the vector and the mask."""
        return self.table.spaces[agent]

    def action_space(self, agent: str) -> Discrete:
        """The game's actions, numbered; where all are asked at once, also one that does nothing."""
        return self.table.actions[agent]

    def render(self) -> str | None:
        """The truth in plain characters."""
        return self.table.referee.state.text() if self.render_mode == "ansi" else None

    def close(self) -> None:
        """There is nothing to close."""

    def copy(self) -> Self:
        """Another environment in the same moment of the same episode, with the same luck to come."""
        twin: Self = object.__new__(type(self))
        kept = {
            key: value.copy() if isinstance(value, dict | list) else value
            for key, value in vars(self).items()
        }
        twin.__dict__ |= kept
        twin.table = self.table.copy()
        return twin

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self.copy()

    def __str__(self) -> str:
        return f"kibitz {self.table.game.spec}"


class Turns(_AtTable, AECEnv[str, Observation, Any]):
    """Players who are asked in turn.

    >>> from kibitz.adapters.pettingzoo import env
    >>> game = env("tic-tac-toe")
    >>> game.reset(seed=1)
    >>> game.agent_selection, int(game.last()[0]["action_mask"].sum())
    ('player_0', 9)
    """

    metadata: dict[str, Any] = {**_AtTable.metadata, "is_parallelizable": False}  # noqa: RUF012

    def observe(self, agent: str) -> Observation:
        """What an agent sees."""
        return self.table.observe(agent)

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:  # noqa: ARG002
        """Begins an episode."""
        paid = self.table.begin(seed)
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = paid
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._chosen: dict[int, int] = {}
        self._mark()

    def step(self, action: Any) -> None:
        """Takes what the selected agent chooses; once all movers have chosen, the game goes on."""
        agent, table = self.agent_selection, self.table
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        self._cumulative_rewards[agent] = 0.0
        number, illegal = table.choice(agent, int(action))
        self.infos[agent] = {"illegal": True} if illegal else {}
        self._chosen[table.seats[agent]] = number
        self._clear_rewards()
        movers = table.referee.movers
        if len(self._chosen) == len(movers):
            joint = [self._chosen[mover] for mover in movers]
            self._chosen = {}
            self.rewards = table.paid(table.referee.apply(joint))
        self._mark()
        self._accumulate_rewards()

    def _mark(self) -> None:
        """Who is asked next, and who is done."""
        over, cut = self.table.ended
        self.terminations = dict.fromkeys(self.agents, over)
        self.truncations = dict.fromkeys(self.agents, cut)
        waiting = [mover for mover in self.table.referee.movers if mover not in self._chosen]
        if not over and not cut:
            self.agent_selection = self.possible_agents[waiting[0]]
        else:
            self.agent_selection = self.agents[0]


class AtOnce(_AtTable, ParallelEnv[str, Observation, Any]):
    """Players who are asked all at once: who does not move has one legal action, the last, which does
    nothing.

    >>> from kibitz.adapters.pettingzoo import parallel_env
    >>> game = parallel_env("rock-paper-scissors")
    >>> observations, _ = game.reset(seed=1)
    >>> sorted(observations)
    ['player_0', 'player_1']
    """

    def reset(
        self,
        seed: int | None = None,
        options: dict[str, Any] | None = None,  # noqa: ARG002
    ) -> tuple[dict[str, Observation], dict[str, dict[str, Any]]]:
        """Begins an episode."""
        self._owed = self.table.begin(seed)
        self.agents = list(self.possible_agents)
        return self._observed(), {agent: {} for agent in self.agents}

    def step(
        self, actions: dict[str, Any]
    ) -> tuple[
        dict[str, Observation],
        dict[str, float],
        dict[str, bool],
        dict[str, bool],
        dict[str, dict[str, Any]],
    ]:
        """Takes what all choose; what those chose who do not move does not count."""
        table, agents = self.table, self.agents
        infos: dict[str, dict[str, Any]] = {agent: {} for agent in agents}
        joint = []
        for mover in table.referee.movers:
            agent = self.possible_agents[mover]
            number, illegal = table.choice(agent, int(actions[agent]))
            joint.append(number)
            if illegal:
                infos[agent]["illegal"] = True
        paid = table.paid(table.referee.apply(joint))
        rewards = {agent: paid[agent] + self._owed.pop(agent, 0.0) for agent in agents}
        over, cut = table.ended
        observed = self._observed()
        if over or cut:
            self.agents = []
        return observed, rewards, dict.fromkeys(agents, over), dict.fromkeys(agents, cut), infos

    def _observed(self) -> dict[str, Observation]:
        return {agent: self.table.observe(agent) for agent in self.agents}


def env(
    game: AnyGame,
    *,
    max_steps: int | None = None,
    bins: int = BINS,
    survey: int = SURVEY,
    render_mode: str | None = None,
) -> Turns:
    """An AEC environment of any game. `max_steps` counts all steps of the game, chance's included.

    >>> from kibitz.adapters.pettingzoo import env
    >>> env("kuhn-poker").possible_agents
    ['player_0', 'player_1']
    """
    return Turns(_Table(game, max_steps=max_steps, bins=bins, survey=survey, idle=False), render_mode)


def parallel_env(
    game: AnyGame,
    *,
    max_steps: int | None = None,
    bins: int = BINS,
    survey: int = SURVEY,
    render_mode: str | None = None,
) -> AtOnce:
    """A parallel environment of any game; one in which players move at once is what it is made for.

    >>> from kibitz.adapters.pettingzoo import parallel_env
    >>> parallel_env("kuhn-poker").action_space("player_0").n
    np.int64(3)
    """
    return AtOnce(_Table(game, max_steps=max_steps, bins=bins, survey=survey, idle=True), render_mode)
