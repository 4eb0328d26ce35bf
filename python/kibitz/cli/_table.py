"""One episode move by move, with everything that a spectator wants to see."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kibitz import AnyPlanner, Decision, Game, Referee, State, View


@dataclass(frozen=True)
class Choice:
    """What one mover knew and decided."""

    player: int
    view: View
    decision: Decision


@dataclass(frozen=True)
class Round:
    """One turn: the movers' choices, and what came of them."""

    number: int
    before: State
    choices: list[Choice]
    told: dict[int, list[str]]
    """What each mover was told by it, but for what it did itself."""
    rewards: list[float]
    state: State


def rounds(referee: Referee, seats: Sequence[AnyPlanner], seed: int, episode: int = 0) -> Iterator[Round]:
    """Starts the planners and plays the episode to its end."""
    from kibitz.episode import seat_seed

    game = referee.game
    for seat, planner in enumerate(seats):
        planner.start(game, seat, seat_seed(seed, episode, seat))
    number = 0
    while not referee.over:
        number += 1
        before = referee.state
        views = [referee.view(player) for player in referee.movers]
        choices = [Choice(view.player, view, seats[view.player].act(view)) for view in views]
        steps = referee.apply([choice.decision.action for choice in choices])
        told = {choice.player: news(referee.view(choice.player), choice) for choice in choices}
        rewards = [sum(step[2][player] for step in steps) for player in range(game.info.players)]
        yield Round(number, before, choices, told, rewards, referee.state)


def news(view: View, choice: Choice) -> list[str]:
    """What a player was told since its choice, without the echo of that choice."""
    echo = {choice.decision.name, f"{view.game.player_name(choice.player)} {choice.decision.name}"}
    events = view.events[len(choice.view.events) :]
    return [words for kind, _, words in events if kind == "observed" and words not in echo]


def outcome(game: Game, returns: Sequence[float]) -> str:
    """Who got what, in a sentence.

    >>> import kibitz as kb
    >>> from kibitz.cli._table import outcome
    >>> outcome(kb.load("tic-tac-toe"), [1.0, -1.0])
    'x gets +1, o gets -1'
    """
    each = [f"{game.player_name(player)} gets {value:+g}" for player, value in enumerate(returns)]
    return ", ".join(each)
