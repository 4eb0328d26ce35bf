"""OpenSpiel's games as games of Kibitz: `openspiel:leduc_poker`, `openspiel:kuhn_poker(players=3)`.

What a player is told by a step is how its information state string (its observation string,
where there is no other) has changed; nothing if it has not. So a view always determines the
information state, and the two say the same wherever OpenSpiel's strings forget nothing. In a game
that is declared to be of perfect information everybody sees every joint action.

`python -m kibitz.adapters.openspiel --survey` tries every game that OpenSpiel has.
"""

from __future__ import annotations

import logging
import math
import re
import sys
from collections import Counter
from collections.abc import Sequence
from random import Random
from typing import Any, Final

from kibitz import _core
from kibitz._core import Game
from kibitz.rules import CHANCE, OVER, AnyGame, Rules

MISSING: Final = "open_spiel is not installed; 'pip install kibitz[bench]' installs it with the other peers"

_HIDING: Final = frozenset({"python_hangman"})
"""Declared to be of perfect information although chance draws something that nobody is told."""

_CRASHING: Final = frozenset({"morpion_solitaire"})
"""A copy of a state shares memory with it that both free (OpenSpiel 2.0.2)."""

_BLANK: Final = "(nothing yet)"

_NOBODY: Final = 0
"""What OpenSpiel wants in a joint action for players who have nothing to choose."""


class Moment:
    """A state of OpenSpiel, with what was asked of it so far: each question is put once."""

    __slots__ = ("names", "state", "turn", "words")

    def __init__(self, state: Any, players: int) -> None:
        self.state = state
        self.turn: int | tuple[int, ...] | None = None
        self.words: list[str | None] = [None] * players
        self.names: dict[int, dict[int, str]] = {}


class Position:
    """The present and the moment before it, which tells what the last step has changed."""

    __slots__ = ("before", "now")

    def __init__(self, now: Moment, before: Moment | None) -> None:
        self.now = now
        self.before = before

    def __str__(self) -> str:
        return str(self.now.state)

    def __repr__(self) -> str:
        return f"Position({self.now.state.history_str()!r})"


class OpenSpielGame(Rules[Position]):
    """A game of OpenSpiel in which everybody sees every joint action and every outcome."""

    perfect_information = True

    def __init__(self, game: Any) -> None:
        self.game = game
        kind = game.get_type()
        self.kind = kind
        self.players = game.num_players()
        self.min_return, self.max_return = game.min_utility(), game.max_utility()
        self.horizon = _horizon(game)
        self.zero_sum = kind.utility.name == "ZERO_SUM"
        self.paid_at_end = kind.reward_model.name == "TERMINAL"
        self.simultaneous = {"SEQUENTIAL": False, "SIMULTANEOUS": True}.get(kind.dynamics.name)

    def initial(self) -> Position:
        """OpenSpiel's initial state."""
        return Position(Moment(self.game.new_initial_state(), self.players), None)

    def turn(self, state: Position) -> int | tuple[int, ...]:
        """Of a simultaneous node, the players who have a legal action."""
        now = state.now
        if now.turn is None:
            now.turn = self._turn(now.state)
        return now.turn

    def _turn(self, state: Any) -> int | tuple[int, ...]:
        if state.is_terminal():
            return OVER
        player: int = state.current_player()
        if player >= 0:
            return player
        if state.is_chance_node():
            return CHANCE
        movers = tuple(p for p in range(self.players) if state.legal_actions(p))
        if not movers:
            raise ValueError("nobody has a legal action, but OpenSpiel does not say that the game is over")
        return movers

    def legal(self, state: Position, player: int) -> Sequence[int]:
        """OpenSpiel's numbers."""
        legal: list[int] = state.now.state.legal_actions(player)
        return legal

    def step(self, state: Position, joint: tuple[Any, ...]) -> tuple[Position, Sequence[float] | None]:
        """On a clone; the rewards are by how much the returns have grown."""
        before = state.now
        after = before.state.clone()
        turn = self.turn(state)
        if isinstance(turn, tuple):
            chosen = dict(zip(turn, joint, strict=True))
            after.apply_actions([chosen.get(player, _NOBODY) for player in range(self.players)])
        else:
            after.apply_action(joint[0])
        return Position(Moment(after, self.players), before), self._rewards(before.state, after)

    def _rewards(self, before: Any, after: Any) -> Sequence[float] | None:
        if self.paid_at_end:
            final: list[float] | None = after.returns() if after.is_terminal() else None
            return final
        earlier = before.returns() if before.move_number() else [0.0] * self.players
        return [new - old for new, old in zip(after.returns(), earlier, strict=True)]

    def chance(self, state: Position) -> Sequence[tuple[Any, float]]:
        """OpenSpiel's outcomes with their probabilities."""
        outcomes: list[tuple[int, float]] = state.now.state.chance_outcomes()
        return outcomes

    def text(self, state: Position, viewer: int | None) -> str:  # noqa: ARG002
        """The state as OpenSpiel writes it."""
        return str(state) or _BLANK

    def action_name(self, state: Position, player: int | None, action: Any) -> str:
        """OpenSpiel's, with the action's number where several legal actions are called the same."""
        return _names(state.now, -1 if player is None else player)[action]

    def key(self, state: Position) -> Any:
        """The history: no two states are wrongly taken to be the same."""
        return tuple(state.now.state.history())


class HidingGame(OpenSpielGame):
    """A game of OpenSpiel with something that not everybody sees, and observations only."""

    perfect_information = False

    def __init__(self, game: Any) -> None:
        super().__init__(game)
        self._remembers = self.kind.provides_information_state_string
        self._resamples = True

    def words(self, state: Position, player: int) -> str:
        """OpenSpiel's information state (or observation) string of a player."""
        return self.words_at(state.now, player)

    def words_at(self, moment: Moment, player: int) -> str:
        """The same, of a moment."""
        words = moment.words[player]
        if words is None:
            state = moment.state
            ask = state.information_state_string if self._remembers else state.observation_string
            words = moment.words[player] = str(ask(player))
        return words

    def observe(
        self,
        after: Position,
        joint: tuple[Any, ...],  # noqa: ARG002
        player: int,
    ) -> tuple[int, str] | None:
        """How much of what the player knew stays as it was, and what comes after that."""
        assert after.before is not None
        old, new = self.words_at(after.before, player), self.words_at(after.now, player)
        if new == old:
            return None
        return (len(old), new[len(old) :]) if new.startswith(old) else (0, new)

    def resamples_the_truth(self, state: Position, player: int, rng: Random) -> bool:
        """Whether OpenSpiel's own resampling of what a player cannot see draws the true state.

        Nothing here plays by it; `kibitz check --leaks` tells how far it can be trusted.
        ValueError where the game does not resample.
        """
        truth = state.now.state
        if not self._resamples:
            raise ValueError("OpenSpiel does not resample this game")
        try:
            drawn = truth.resample_from_infostate(player, rng.random)
        except (_spiel().SpielError, RuntimeError) as error:
            self._resamples = False  # each refusal is a line on the terminal
            raise ValueError(_sentence(error)) from None
        return bool(drawn.history() == truth.history())

    def observation_name(self, observation: tuple[int, str], player: int) -> str:  # noqa: ARG002
        """What is new, in one line."""
        return " ".join(observation[1].split())

    def text(self, state: Position, viewer: int | None) -> str:
        """What OpenSpiel shows the viewer; an observation, if there is one, is easier on the eye."""
        if viewer is None:
            return str(state) or _BLANK
        if self.kind.provides_observation_string:
            return str(state.now.state.observation_string(viewer)) or _BLANK
        return self.words_at(state.now, viewer) or _BLANK


class RememberingGame(HidingGame):
    """A game of OpenSpiel with something that not everybody sees, and information states."""

    def view_key(self, state: Position, player: int) -> str:
        """The information state string."""
        return self.words_at(state.now, player)


class SampledGame(HidingGame):
    """A game of OpenSpiel that draws chance's outcomes itself: an outcome here is the seed it is given."""

    chance = None  # type: ignore[assignment]  # the core takes the game to have no such method

    def __init__(self, game: Any) -> None:
        super().__init__(game)
        self.perfect_information = self.kind.information.name == "PERFECT_INFORMATION"
        self._parameters = dict(game.get_parameters())

    def draw(self, state: Position, rng: Random) -> int:  # noqa: ARG002
        """A seed."""
        return rng.getrandbits(31)

    def words_at(self, moment: Moment, player: int) -> str:
        """Everything, where nothing is hidden: seeds that lead to the same state are the same to all."""
        return str(moment.state) if self.perfect_information else super().words_at(moment, player)

    def step(self, state: Position, joint: tuple[Any, ...]) -> tuple[Position, Sequence[float] | None]:
        """At a chance node, in a copy of the game that has the seed."""
        if self.turn(state) != CHANCE:
            return super().step(state, joint)
        before = state.now.state
        game = _spiel().load_game(self.kind.short_name, self._parameters | {"rng_seed": joint[0]})
        after = game.deserialize_state(before.serialize()) if before.history() else game.new_initial_state()
        after.apply_action(after.chance_outcomes()[0][0])
        return Position(Moment(after, self.players), state.now), self._rewards(before, after)

    def action_name(self, state: Position, player: int | None, action: Any) -> str:
        """OpenSpiel's; of chance, the seed."""
        return f"seed {action}" if player is None else super().action_name(state, player, action)

    def key(self, state: Position) -> Any:
        """The whole state in words, since the history does not say what was drawn."""
        return (tuple(state.now.state.history()), str(state))


def entries() -> list[_core.Entry]:
    """OpenSpiel's games that need no parameters and can be loaded; ImportError without it."""
    kinds = sorted(_spiel().registered_games(), key=lambda kind: kind.short_name)
    named = [
        kind
        for kind in kinds
        if kind.default_loadable
        and kind.short_name not in _CRASHING
        and not kind.short_name.startswith("kibitz_")  # ours, which `export` has registered
        and kind.dynamics.name != "MEAN_FIELD"
    ]
    return [_core.Entry(f"openspiel:{kind.short_name}", kind.long_name, []) for kind in named]


def kind(spec: str) -> tuple[int, bool]:
    """How many players a game of OpenSpiel has, unless told otherwise, and whether something is hidden."""
    game = _spiel().load_game(spec.partition(":")[2])
    return game.num_players(), game.get_type().information.name != "PERFECT_INFORMATION"


def load(rest: str) -> Game:
    """The game of OpenSpiel that `rest` names, with parameters as OpenSpiel writes them.

    ValueError, in a sentence, for an unknown game or parameter and for a game that lacks what a
    game of Kibitz needs; ModuleNotFoundError if OpenSpiel is not installed.

    >>> import kibitz as kb
    >>> kb.load("openspiel:kuhn_poker(players=3)").info.players  # doctest: +SKIP
    3
    """
    text, name, parameters = _core.outline(rest)
    types = _types(name)
    if name not in types:
        raise ValueError(_core.unknown("OpenSpiel game", name, sorted(types)))
    known = sorted(types[name].parameter_specification)
    for key, _ in parameters:
        if key and key not in known:
            what = _core.unknown("parameter", key, known) if known else "it takes no parameters"
            raise ValueError(f"openspiel:{name}: {what}")
    spiel = _spiel()
    try:
        game = spiel.load_game(text)
        state = game.new_initial_state()
    except spiel.SpielError as error:
        raise ValueError(f"openspiel:{text}: OpenSpiel says: {_sentence(error)}") from None
    reason = _refusal(game, state)
    if reason:
        raise ValueError(f"openspiel:{text} {reason}")
    return Game.python(_rules(game), f"openspiel:{text}")


def export(game: AnyGame, *, longest: int | None = None, survey: int = 200) -> Any:
    """The other way round: a game of ours as a `pyspiel.Game`, which is also registered with OpenSpiel.

    Its actions have the game's numbers; how many there are is seen in `survey` random games. A game that
    may last for ever is ended after `longest` steps. ValueError, with a sentence, for games in real time,
    with a discount, or whose chance has no explicit probabilities.

    >>> from kibitz.adapters import openspiel
    >>> openspiel.export("kuhn-poker").num_distinct_actions()  # doctest: +SKIP
    2
    """
    from kibitz import games
    from kibitz.adapters import _to_openspiel

    return _to_openspiel.export(games.load(game), longest, survey)


class Tracker:
    """States of OpenSpiel in which a player may be, as far as it knows: bots are asked there."""

    def __init__(self, game: Game, who: str) -> None:
        if not isinstance(game.rules, OpenSpielGame):
            raise ValueError(f"{who} plays OpenSpiel's games (openspiel:...), not {game.spec}")
        self.theirs = game.rules.game
        self._game = game
        self._belief: _core.Belief | None = None

    def at(self, view: _core.View) -> Any:
        """Such a state."""
        if self._belief is None:
            self._belief = _core.Belief(self._game, "exact")
        try:
            self._belief.update(view)
        except ValueError:  # too many to list
            self._belief = _core.Belief(self._game, "particles(1000)")
            self._belief.update(view)
        position = self._belief.sample().value
        assert isinstance(position, Position)
        return position.now.state


def resamples(game: Any) -> bool:
    """Whether OpenSpiel draws what a player of one of its games does not see."""
    state, rng = game.new_initial_state(), Random(0)
    draw(state, rng)
    try:
        state.resample_from_infostate(state.current_player(), rng.random)
    except (_spiel().SpielError, RuntimeError):
        return False
    return True


def names() -> list[str]:
    """All games that OpenSpiel loads without parameters.

    >>> "kuhn_poker" in names()  # doctest: +SKIP
    True
    """
    return sorted(name for name, kind in _types("").items() if kind.default_loadable)


def _rules(game: Any) -> OpenSpielGame:
    kind = game.get_type()
    if kind.chance_mode.name == "SAMPLED_STOCHASTIC":
        return SampledGame(game)
    if kind.information.name != "IMPERFECT_INFORMATION" and kind.short_name not in _HIDING:
        return OpenSpielGame(game)
    return RememberingGame(game) if kind.provides_information_state_string else HidingGame(game)


def _refusal(game: Any, state: Any) -> str | None:
    """Why this game cannot be one of ours, as the end of a sentence that begins with its name."""
    kind = game.get_type()
    hides = kind.information.name == "IMPERFECT_INFORMATION"
    if kind.dynamics.name == "MEAN_FIELD":
        return "is a mean-field game: its rewards depend on a whole population, not on the players' moves"
    if kind.short_name in _CRASHING:
        return "crashes OpenSpiel when a state is copied and played on"
    if not 1 <= game.num_players() <= 32:
        return f"has {game.num_players()} players; Kibitz plays games of 1 to 32"
    if not (math.isfinite(game.min_utility()) and math.isfinite(game.max_utility())):
        return "does not bound its returns, so that a planner has no scale for them"
    if hides and not (kind.provides_information_state_string or kind.provides_observation_string):
        return "hides something from its players, but does not say what they see"
    if kind.chance_mode.name == "SAMPLED_STOCHASTIC" and "rng_seed" not in kind.parameter_specification:
        return "draws chance's outcomes itself and has no parameter rng_seed to draw them reproducibly"
    try:
        draw(state, Random(0))
        if not state.is_terminal():
            state.legal_actions(0)
    except _spiel().SpielError as error:
        return f"lacks what a game needs; OpenSpiel says: {_sentence(error)}"
    return None


def draw(state: Any, rng: Random) -> None:
    """Lets chance move on a state of OpenSpiel until somebody else does, or for a long while."""
    for _ in range(10_000):
        if not state.is_chance_node():
            break
        outcomes, weights = zip(*state.chance_outcomes(), strict=True)
        state.apply_action(rng.choices(outcomes, weights)[0])


def _horizon(game: Any) -> int | None:
    """Moves and outcomes together."""
    try:
        moves, outcomes = int(game.max_game_length()), int(game.max_chance_nodes_in_history())
    except _spiel().SpielError:
        return None
    if game.get_type().dynamics.name == "SIMULTANEOUS" and outcomes:
        # Chance settles each player's move, and who goes first; OpenSpiel's own bound forgets that.
        outcomes = max(outcomes, moves * (game.num_players() + 1))
    horizon = moves + outcomes
    return horizon if 1 <= horizon < 2**32 else None


def _names(moment: Moment, who: int) -> dict[int, str]:
    """What all that `who` may do is called, each name once."""
    if who not in moment.names:
        state = moment.state
        legal = [action for action, _ in state.chance_outcomes()] if who < 0 else state.legal_actions(who)
        names = {action: state.action_to_string(who, action).strip() for action in legal}
        count = Counter(names.values())
        unclear = {name for name in count if count[name] > 1 or not name}
        moment.names[who] = {a: f"{name} ({a})" if name in unclear else name for a, name in names.items()}
    return moment.names[who]


def _sentence(error: Exception) -> str:
    """What OpenSpiel complains about, without the place in its sources."""
    return " ".join(re.sub(r"^\S+\.(cc|h):\d+ ", "", str(error)).split())[:200]


def _spiel() -> Any:
    try:
        import pyspiel
    except ImportError:
        raise ModuleNotFoundError(MISSING) from None
    return pyspiel


def _types(name: str) -> dict[str, Any]:
    """The registered types by name. Games in Python, which take a while to import, only if needed."""
    spiel = _spiel()
    if name not in spiel.registered_names():
        import open_spiel.python.games  # noqa: F401

        _quieten()
    return {kind.short_name: kind for kind in spiel.registered_games()}


def _quieten() -> None:
    """OpenSpiel's Python games repeat a warning with every state that is made; once is enough."""
    logger, seen = logging.getLogger("absl"), set[str]()

    def new(record: logging.LogRecord) -> bool:
        message = record.getMessage()
        repeated = message in seen
        seen.add(message)
        return not repeated

    if not logger.filters:
        logger.addFilter(new)


if __name__ == "__main__":
    from kibitz.adapters._openspiel_survey import main

    sys.exit(main(sys.argv[1:]))
