"""One episode move by move, with everything that a spectator wants to see: live, or from a file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kibitz.cli import _explain
from kibitz.cli._terminal import paint, rule

if TYPE_CHECKING:
    from kibitz import AnyPlanner, Decision, Game, Referee, State, Step, View
    from kibitz.lab.replay import Frame, Replay


@dataclass(frozen=True)
class Choice:
    """What one mover knew and decided."""

    player: int
    planner: str
    position: str
    """As the mover saw it."""
    decision: _explain.Explained
    belief: tuple[str, ...] = ()
    """What may be, as far as the mover could know; where the game is not replayed."""


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
    at: float | None = None
    """In real time: when it was, in the game's own unit of time."""
    happened: tuple[str, ...] = ()
    """In real time: who did what; nobody, where something happened by itself."""


@dataclass(frozen=True, kw_only=True)
class LiveRound(Round):
    """A turn that has just been played, with what a replay keeps of it."""

    steps: list[Step]


def rounds(
    referee: Referee, seats: Sequence[AnyPlanner], seed: int, episode: int = 0
) -> Iterator[LiveRound]:
    """Starts the planners and plays the episode to its end, or to the referee's limit."""
    from kibitz.episode import begin, drive

    game = referee.game
    begin(referee, seats, seed, episode)
    for number, done in enumerate(drive(referee, seats), 1):
        choices = [
            _choice(view, seats, chosen) for view, chosen in zip(done.views, done.decisions, strict=True)
        ]
        told = {}
        for choice, view in zip(choices, done.views, strict=True):
            events = referee.view(choice.player).events[len(view.events) :]
            told[choice.player] = news(
                game, choice, [what for kind, _, what in events if kind == "observed"]
            )
        rewards = [sum(step.rewards[player] for step in done.steps) for player in range(game.info.players)]
        at = None if game.tick is None else referee.now * game.tick
        happened = tuple(words for step in done.steps for words in deeds(game, step.movers, step.names))
        yield LiveRound(
            number, done.before, choices, told, rewards, referee.state, at, happened, steps=done.steps
        )


def deeds(game: Game, movers: Sequence[int], names: Sequence[str]) -> list[str]:
    """Who did what in a step, without those who waited.

    >>> import kibitz as kb
    >>> from kibitz.cli._table import deeds
    >>> deeds(kb.load("tic-tac-toe"), [0, 1], ["wait", "5"])
    ['o: 5']
    """
    each = zip(movers, names, strict=False)
    return [f"{game.player_name(mover)}: {name}" for mover, name in each if name != "wait"]


def _choice(view: View, seats: Sequence[AnyPlanner], decision: Decision) -> Choice:
    belief = tuple(_explain.belief_lines(view))
    return Choice(view.player, seats[view.player].spec, view.text(), decision, belief)


def rounds_again(replay: Replay, frames: Sequence[Frame]) -> Iterator[Round]:
    """The turns of a replay: the movers' step, with chance's draws after it."""
    from kibitz.lab.replay import turns

    now = 0
    number = 0
    for turn in turns(frames):
        first = turn[0]
        game = first.before.game
        now += sum(frame.move.elapsed for frame in turn)
        # Where nobody moved chance did, or, in real time, something happened by itself.
        if not first.move.movers and game.tick is None:
            continue
        number += 1
        choices = [
            Choice(mover, replay.planners[mover], first.before.text(mover), reasons)
            for mover, reasons in zip(
                first.move.movers, first.move.decisions, strict=bool(first.move.decisions)
            )
        ]
        told = {
            choice.player: news(game, choice, [frame.told[choice.player] for frame in turn])
            for choice in choices
        }
        rewards = [sum(frame.move.rewards[player] for frame in turn) for player in range(game.info.players)]
        at = None if game.tick is None else now * game.tick
        happened = tuple(deeds(game, first.move.movers, first.move.names))
        yield Round(number, first.before, choices, told, rewards, turn[-1].after, at, happened)


def news(game: Game, choice: Choice, words: Sequence[str]) -> list[str]:
    """What a player was told since its choice, without the echo of that choice."""
    echo = {"", choice.decision.name, f"{game.player_name(choice.player)} {choice.decision.name}"}
    return [told for told in words if told not in echo]


def headline(game: Game, planners: Sequence[str], seed: int, episode: int = 0) -> str:
    """What is played, and by whom.

    >>> import kibitz as kb
    >>> from kibitz.cli._table import headline
    >>> headline(kb.load("tiger"), ["pomcp"], seed=3)
    'tiger, seed 3; listener: pomcp'
    """
    deal = f"seed {seed}" + (f", episode {episode}" if episode else "")
    players = ", ".join(f"{game.player_name(seat)}: {spec}" for seat, spec in enumerate(planners))
    return f"{paint(game.spec, 'bold')}, {deal}; {players}"


def show(done: Round, truth: bool, *, details: bool = False) -> None:
    """One turn for people: what was known, the reasons, the choice, and what came of it."""
    game = done.before.game
    time = "" if done.at is None else f", at {done.at:g}"
    for choice in done.choices:
        print(rule(f"move {done.number}: {game.player_name(choice.player)}, {choice.planner}{time}"))
        print((done.before.text() if truth else choice.position).rstrip())
        print("\n".join(["", *choice.belief]))
        lines = _explain.table(choice.decision)
        lines += _explain.facts(choice.decision, game, choice.player, details=details)
        print("\n".join(lines) + "\n" * bool(lines))
    for choice in done.choices:
        told = done.told[choice.player]
        news = f"; is told: {', '.join(told)}" if told else ""
        paid = done.rewards[choice.player]
        earned = f"; is paid {paid:+.12g}" if paid else ""
        print(paint(f"{game.player_name(choice.player)}: {choice.decision.name}", "bold") + news + earned)
    if done.at is not None:
        what = ", ".join(done.happened) or "something happens by itself"
        print(paint(f"at {done.at:g}: {what}", "bold"))
    print(flush=True)


def show_end(state: State, returns: Sequence[float], title: str) -> None:
    """The final position and who got what."""
    print(rule(title))
    print(state.text().rstrip())
    print("\n" + paint(outcome(state.game, returns), "bold"))


def outcome(game: Game, returns: Sequence[float]) -> str:
    """Who got what, in a sentence.

    >>> import kibitz as kb
    >>> from kibitz.cli._table import outcome
    >>> outcome(kb.load("tic-tac-toe"), [1.0, -1.0])
    'x gets +1, o gets -1'
    """
    # A video game that is won pays ten million and its score: all digits count.
    each = [f"{game.player_name(player)} gets {value:+.12g}" for player, value in enumerate(returns)]
    return ", ".join(each)
