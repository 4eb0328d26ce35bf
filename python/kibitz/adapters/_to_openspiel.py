"""Games of Kibitz as games of OpenSpiel, in Python: what its algorithms and its tests see of them.

Actions keep the game's numbers, and outcomes of chance are numbered by their places. A player's information
state is what it has done and been told, oldest first; its observation is the position as it sees it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from kibitz._core import Game, State, View
from kibitz.adapters import openspiel

SURVEY = 200
"""Random games that are looked at for how many actions and outcomes there are."""

_made: dict[tuple[str, int | None, int], Any] = {}
"""What was exported, by spec, length and identity; OpenSpiel registers a name once."""


@dataclass
class Sizes:
    """What OpenSpiel wants to know of a game before it is played."""

    actions: int = 1
    outcomes: int = 0
    at_once: bool = False
    steps: int = 1
    chances: int = 0
    longest: set[int] = field(default_factory=set)


def export(game: Game, longest: int | None, survey: int) -> Any:
    """The game of OpenSpiel; ValueError, with a sentence, where it cannot be one."""
    key = (game.spec, longest, id(game.rules) if game.rules is not None else 0)
    if key not in _made:
        if reason := _refusal(game, longest):
            raise ValueError(f"{game.spec} cannot be a game of OpenSpiel: it {reason}")
        _made[key] = _registered(game, longest, _look(game, longest, survey))
    return _made[key]


def _refusal(game: Game, longest: int | None) -> str | None:
    if game.tick is not None:
        return "is played in real time"
    if game.info.discount != 1:
        return "discounts what is paid, which OpenSpiel does not know"
    if game.info.horizon is None and longest is None:
        return "may last for ever; say after how many steps it ends: longest=..."
    return None


def _look(game: Game, longest: int | None, survey: int) -> Sizes:
    found, rng = Sizes(), Random(0)
    limit = min(each for each in (longest, game.info.horizon) if each is not None)
    found.steps = limit
    for _ in range(survey):
        state, steps, chances = game.initial(), 0, 0
        while not state.over and steps < limit:
            if state.chance:
                try:
                    outcomes = state.outcomes()
                except ValueError as error:
                    raise ValueError(f"{game.spec} cannot be a game of OpenSpiel: {error}") from None
                found.outcomes = max(found.outcomes, len(outcomes))
                joint = [rng.choice(outcomes)[0]]
                chances += 1
            else:
                legal = [state.legal(mover) for mover in state.movers]
                found.actions = max(found.actions, *(max(each) + 1 for each in legal))
                found.at_once |= len(legal) > 1
                joint = [rng.choice(each) for each in legal]
            state, _ = state.step(joint)
            steps += 1
        found.chances = max(found.chances, chances)
    if found.actions > MOST_ACTIONS:
        raise ValueError(
            f"{game.spec} cannot be a game of OpenSpiel: its actions have numbers up to "
            f"{found.actions - 1:,}, and tables for so many are beyond its algorithms"
        )
    return found


MOST_ACTIONS = 1_000_000
"""OpenSpiel's algorithms keep a number for each; rules files that were not ground have far more."""


def seen(view: View) -> str:
    """The information state of a view's player, as exported games write it."""
    words = [_deed(what) if kind == "acted" else _told(key, what) for kind, key, what in view.events]
    return _line(view.player, words)


def _deed(name: str) -> str:
    return f"> {name}"


def _told(key: int, words: str) -> str:
    # Words may be the same where keys differ.
    return f"{words} [{key:x}]"


def _line(player: int, words: Sequence[str]) -> str:
    return "; ".join([f"player {player}", *words])


def _registered(game: Game, longest: int | None, sizes: Sizes) -> Any:
    spiel = openspiel._spiel()
    info = game.info
    kinds = spiel.GameType
    name = "kibitz_" + re.sub(r"\W+", "_", game.spec).strip("_").lower()
    if name in spiel.registered_names():
        name += f"_{len(_made)}"
    chance = kinds.ChanceMode.EXPLICIT_STOCHASTIC if sizes.outcomes else kinds.ChanceMode.DETERMINISTIC
    perfect = info.perfect_information
    zero_sum = info.zero_sum and info.players > 1
    at_once = sizes.at_once or bool(info.simultaneous)
    kind = kinds(
        short_name=name,
        long_name=f"{game.spec} of Kibitz",
        dynamics=kinds.Dynamics.SIMULTANEOUS if at_once else kinds.Dynamics.SEQUENTIAL,
        chance_mode=chance,
        information=kinds.Information.PERFECT_INFORMATION
        if perfect
        else kinds.Information.IMPERFECT_INFORMATION,
        utility=kinds.Utility.ZERO_SUM if zero_sum else kinds.Utility.GENERAL_SUM,
        reward_model=kinds.RewardModel.TERMINAL if info.paid_at_end else kinds.RewardModel.REWARDS,
        max_num_players=info.players,
        min_num_players=info.players,
        provides_information_state_string=True,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=False,
    )
    facts = spiel.GameInfo(
        num_distinct_actions=sizes.actions,
        max_chance_outcomes=sizes.outcomes,
        num_players=info.players,
        min_utility=info.min_return,
        max_utility=info.max_return,
        utility_sum=0.0 if zero_sum else None,
        max_game_length=sizes.steps,
    )

    class Exported(spiel.Game):  # type: ignore[misc, name-defined]
        """A game of Kibitz."""

        def __init__(self, params: Any = None) -> None:
            super().__init__(kind, facts, params or {})

        def new_initial_state(self, _words: str | None = None) -> Any:
            return position(self)

        def max_chance_nodes_in_history(self) -> int:
            return sizes.steps if sizes.outcomes else 0

        def make_py_observer(self, wanted: Any = None, params: Any = None) -> Observer:  # noqa: ARG002
            wanted = spiel.IIGObservationType(perfect_recall=False) if wanted is None else wanted
            alone = wanted.private_info == spiel.PrivateInfoType.SINGLE_PLAYER
            return Observer(wanted.perfect_recall, wanted.public_info, alone, perfect)

    position = _states(spiel, game, sizes, longest)
    spiel.register_game(kind, Exported)
    return spiel.load_game(name)


@dataclass
class Observer:
    """What a player sees, in words: OpenSpiel's protocol of an observer without a tensor."""

    recall: bool
    public: bool
    """Whether what all see is part of it."""
    private: bool
    """Whether what the player alone sees is."""
    perfect: bool
    """Whether nothing is hidden."""
    tensor: None = None
    dict: dict[str, Any] = field(default_factory=dict)

    def set_from(self, state: Any, player: int) -> None:
        """There is no tensor to set."""

    def string_from(self, state: Any, player: int) -> str | None:
        """What it has done and been told, or what it sees now; None where that is not told apart."""
        if self.perfect and not self.public:
            return ""
        if not (self.perfect or self.private):
            return None
        return _line(player, state.words[player]) if self.recall else str(state.now.text(player))


def _states(spiel: Any, game: Game, sizes: Sizes, longest: int | None) -> Any:
    """The class of the game's states."""
    players = range(game.info.players)
    ids = spiel.PlayerId

    class Position(spiel.State):  # type: ignore[misc]
        """A state of an exported game. Values only: OpenSpiel copies what is in it."""

        def __init__(self, of: Any) -> None:
            super().__init__(of)
            self.now: State = game.initial()
            self.words: tuple[tuple[str, ...], ...] = ((),) * len(players)
            self.paid: tuple[float, ...] = (0.0,) * len(players)
            self.last: tuple[float, ...] = self.paid
            self.steps = 0

        def current_player(self) -> int:
            if self.is_terminal():
                return int(ids.TERMINAL)
            if self.now.chance:
                return int(ids.CHANCE)
            movers = self.now.movers
            return int(ids.SIMULTANEOUS) if len(movers) > 1 else movers[0]

        def is_terminal(self) -> bool:
            return self.now.over or self.steps == longest

        def _legal_actions(self, player: int) -> list[int]:
            legal = sorted(self.now.legal(player)) if player in self.now.movers else []
            if legal and legal[-1] >= sizes.actions:
                raise ValueError(f"an action came up that {SURVEY} random games had not: raise survey")
            return legal

        def chance_outcomes(self) -> list[tuple[int, float]]:
            return [(place, p) for place, (_, p) in enumerate(self.now.outcomes())]

        def _apply_action(self, action: int) -> None:
            if self.now.chance:
                self._go([self.now.outcomes()[action][0]])
            else:
                self._go([action])

        def _apply_actions(self, actions: Sequence[int]) -> None:
            self._go([actions[mover] for mover in self.now.movers])

        def _go(self, joint: list[int]) -> None:
            before = self.now
            movers = [] if before.chance else before.movers
            done = dict(zip(movers, joint, strict=False))
            self.now, rewards = before.step(joint)
            self.last = tuple(rewards)
            self.paid = tuple(sum(pair) for pair in zip(self.paid, rewards, strict=True))
            self.steps += 1
            words = []
            for player in players:
                line = self.words[player]
                if player in done:
                    line += (_deed(before.action_name(player, done[player])),)
                key, told = self.now.observation(before, joint, player)
                words.append(line if key == 0 else (*line, _told(key, told)))
            self.words = tuple(words)

        def _action_to_string(self, player: int, action: int) -> str:
            if player == ids.CHANCE:
                return self.now.action_name(None, self.now.outcomes()[action][0])
            return self.now.action_name(player, action)

        def returns(self) -> list[float]:
            return list(self.paid)

        def rewards(self) -> list[float]:
            return list(self.last)

        def __str__(self) -> str:
            return self.now.text()

    return Position
