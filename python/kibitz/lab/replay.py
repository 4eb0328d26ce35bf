"""Replays: an episode in a file, and the same episode again, position by position.

A replay holds the moves and the reasons for them, not the positions: those come from playing the
recorded moves, chance's included, through the game once more. A replay may come from anywhere. It
is bounded and checked when it is read, nothing in it is run, and a game that no longer fits the
moves is answered with a sentence.
"""

from __future__ import annotations

import base64
import binascii
import json
import math
import os
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kibitz import __version__, _files
from kibitz._core import Game, State, read_history, write_history
from kibitz.games import load as load_game
from kibitz.lab._checked import Fields, below, each, flag, number, optional, printable, text, whole
from kibitz.rules import WAIT, AnyGame

if TYPE_CHECKING:
    from kibitz import Decision, Episode, Step

SCHEMA = 2
"""Who moved, and what, is a history as bytes; in schema 1 it stood in each step."""
LARGEST = 64 * 2**20
"""Bytes of a file that is still read."""
IN_HISTORY = ("movers", "joint", "elapsed")
"""What a history says of a step."""
ROWS = 10
"""How many actions of a decision are kept: the best, and the chosen one."""


@dataclass(frozen=True, slots=True)
class Row:
    """The evidence for one action."""

    action: int
    name: str
    value: float | None
    error: float | None
    visits: int


@dataclass(frozen=True, slots=True)
class Reasons:
    """A decision as it is kept: what `kibitz.Decision` says, of the best actions only."""

    action: int
    name: str
    table: list[Row]
    actions: int
    """How many there were to choose from."""
    simulations: int
    nodes: int
    seconds: float
    belief: int | None
    line: list[tuple[int, str]]
    notes: list[str]
    transitions: int | None = None
    depth: float | None = None
    counters: list[tuple[str, float]] = field(default_factory=list)
    reused: int = 0
    """How many visits of its actions were of earlier decisions."""


@dataclass(frozen=True, slots=True)
class Move:
    """One step: of the movers, or of chance where there are none."""

    movers: list[int]
    joint: list[int]
    names: list[str]
    rewards: list[float]
    decisions: list[Reasons]
    elapsed: int = 0
    """How many ticks went by before it."""


@dataclass(frozen=True, slots=True)
class Frame:
    """One step played again, with the positions around it."""

    number: int
    """From 1."""
    move: Move
    before: State = field(repr=False)
    after: State = field(repr=False)
    told: list[str]
    """What each player was told by it; empty where nothing."""


@dataclass(frozen=True)
class Replay:
    """An episode as a file holds it."""

    game: str
    planners: list[str]
    """The spec of each seat's planner."""
    seed: int
    episode: int
    returns: list[float]
    over: bool
    steps: list[Move] = field(repr=False)
    version: str = __version__
    """Of Kibitz, when it was recorded."""

    @property
    def history(self) -> bytes:
        """Who moved, what and when, as bytes: what `kibitz.Referee.from_history` reads.

        >>> import kibitz as kb
        >>> from kibitz.lab import replay
        >>> kept = replay.of(kb.play("kuhn-poker", "random", seed=1))
        >>> kb.Referee.from_history(kept.load_game(), kept.history).returns == kept.returns
        True
        """
        return self.history_until(len(self.steps))

    def history_until(self, steps: int) -> bytes:
        """The same of its first steps only."""
        # Nobody moves where chance does, and, in real time, where something happens by itself.
        rows = [
            (move.elapsed, move.movers if move.movers or not move.joint else None, move.joint)
            for move in self.steps[:steps]
        ]
        return write_history(len(self.planners), rows)

    def load_game(self, game: AnyGame | None = None) -> Game:
        """The game it was played in; one that was not loaded by its name must be handed in.

        >>> import kibitz as kb
        >>> from kibitz.lab import replay
        >>> replay.of(kb.play("tic-tac-toe", "random")).load_game().spec
        'tic-tac-toe'
        """
        try:
            found = load_game(self.game if game is None else game)
        except ValueError as error:
            if game is not None:
                raise
            raise ValueError(
                f"this replay is of the game '{self.game}', which must be given (game=..., or --game in a "
                f"command): {error}"
            ) from error
        if found.info.players != len(self.planners):
            raise ValueError(
                f"this replay has {len(self.planners)} seats, but {found.spec} has {found.info.players}"
            )
        return found

    def frames(self, game: AnyGame | None = None) -> Iterator[Frame]:
        """Plays it again, step by step; ValueError where the game no longer fits the moves.

        >>> import kibitz as kb
        >>> from kibitz.lab import replay
        >>> kept = replay.of(kb.play("kuhn-poker", "random", seed=1))
        >>> [frame.move.names[0] for frame in kept.frames()][:2]  # the cards
        ['J', 'Q']
        """
        game = self.load_game(game)
        state = game.initial()
        for count, move in enumerate(self.steps, 1):
            try:
                state = state.later(move.elapsed) if move.elapsed else state
                joint = _fitting(state, move)
                after, rewards = state.step(joint)
                if not all(
                    math.isclose(*pair, abs_tol=1e-9) for pair in zip(rewards, move.rewards, strict=True)
                ):
                    raise ValueError(f"it pays {rewards}, not {move.rewards}")
                told = [after.observation(state, joint, player)[1] for player in range(game.info.players)]
            except (ValueError, OverflowError) as error:
                raise ValueError(
                    f"step {count} does not fit {game.spec} of kibitz {__version__} any more; it was "
                    f"recorded with kibitz {self.version}: {error}"
                ) from error
            yield Frame(count, move, state, after, told)
            state = after
        if state.over != self.over:
            ends = "is over there" if state.over else "goes on from there"
            raise ValueError(f"the last step does not end the game as it was recorded: {game.spec} {ends}")


def turns(frames: Iterable[Frame]) -> list[list[Frame]]:
    """The frames by turns: the movers' step and what chance drew after it.

    What chance drew before the first move is a turn of its own.

    >>> import kibitz as kb
    >>> from kibitz.lab import replay
    >>> kept = replay.of(kb.play("kuhn-poker", "random", seed=1))
    >>> [len(turn) for turn in replay.turns(kept.frames())][:2]
    [2, 1]
    """
    grouped: list[list[Frame]] = []
    for frame in frames:
        if frame.move.movers or not grouped:
            grouped.append([])
        grouped[-1].append(frame)
    return grouped


def _fitting(state: State, move: Move) -> list[int]:
    """The recorded actions as this game numbers them: by name, for numbers may have changed."""
    if list(state.movers) != move.movers:
        who = ", ".join(state.game.player_name(mover) for mover in state.movers)
        raise ValueError("the game is over before it" if state.over else f"{who or 'chance'} is to move")
    joint = []
    who_moves: list[int | None] = [*move.movers] if move.movers or not move.joint else [None]
    for player, action, name in zip(who_moves, move.joint, move.names, strict=True):
        if action == WAIT:
            joint.append(action)
            continue
        known = player is None or action in state.legal(player)
        same = known and printable(state.action_name(player, action)) == name
        joint.append(action if same else state.find_action(player, name))
    return joint


def of(episode: Episode) -> Replay:
    """What is kept of an episode.

    >>> import kibitz as kb
    >>> from kibitz.lab import replay
    >>> replay.of(kb.play("tic-tac-toe", "uct(simulations=20)")).steps[0].decisions[0].actions
    9
    """
    return Replay(
        game=printable(episode.game.spec),
        planners=[printable(spec) for spec in episode.planners],
        seed=episode.seed,
        episode=episode.episode,
        returns=list(episode.returns),
        over=episode.over,
        steps=[_move(step) for step in episode.steps],
    )


def _move(step: Step) -> Move:
    names = [printable(name) for name in step.names]
    decisions = [_reasons(decision) for decision in step.decisions]
    return Move(list(step.movers), list(step.joint), names, list(step.rewards), decisions, step.elapsed)


def _reasons(decision: Decision) -> Reasons:
    table = decision.table
    kept = [row for rank, row in enumerate(table) if rank < ROWS or row.action == decision.action]
    return Reasons(
        action=decision.action,
        name=printable(decision.name),
        table=[
            Row(row.action, printable(row.name), _finite(row.value), _finite(row.error), row.visits)
            for row in kept
        ],
        actions=len(table),
        simulations=decision.simulations,
        nodes=decision.nodes,
        seconds=decision.seconds,
        belief=decision.belief,
        line=[(player, printable(name)) for player, name in decision.line],
        notes=[printable(note) for note in decision.notes],
        transitions=decision.transitions,
        depth=decision.depth,
        counters=[(printable(name), value) for name, value in decision.counters if math.isfinite(value)],
        reused=reused(decision),
    )


def reused(decision: Decision) -> int:
    """How many visits of its actions were of earlier decisions: those of a tree that was kept.

    >>> import kibitz as kb
    >>> from kibitz.lab.replay import reused
    >>> game = kb.load("tic-tac-toe")
    >>> reused(kb.advise(game, kb.Referee(game).view(0), "uct(simulations=20)"))
    0
    """
    visits = sum(row.visits for row in decision.table) if decision.nodes else 0
    return max(visits - decision.simulations, 0)


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None


def save(episode: Episode | Replay, path: str | os.PathLike[str]) -> None:
    """Writes an episode into a file; the file is whole or not there, whatever happens meanwhile.

    >>> import tempfile, kibitz as kb
    >>> from kibitz.lab import replay
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     replay.save(kb.play("tic-tac-toe", "random", seed=7), f"{folder}/game.json")
    ...     replay.load(f"{folder}/game.json").planners
    ['random', 'random']
    """
    kept = episode if isinstance(episode, Replay) else of(episode)
    plain = {"schema": SCHEMA, **asdict(kept)}
    plain["history"] = base64.b64encode(kept.history).decode("ascii")
    for step in plain["steps"]:
        for told in IN_HISTORY:
            del step[told]
    content = json.dumps(plain, ensure_ascii=False, allow_nan=False)
    _files.write(path, content + "\n")


def load(path: str | os.PathLike[str]) -> Replay:
    """Reads a file that `save` has written; ValueError, with a sentence, for anything else."""
    path = Path(path)
    content = _files.read(path, LARGEST)
    try:
        plain = json.loads(content.decode("utf-8"), parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path} is no replay: it is not JSON ({error})") from error
    try:
        return _replay(plain)
    except ValueError as error:
        raise ValueError(f"{path} is no replay: {error}") from error


def _no_number(word: str) -> None:
    raise ValueError(f"{word} is no number of JSON")


def _replay(plain: Any) -> Replay:
    fields = Fields(plain, "")
    schema = fields.get("schema", whole)
    if schema not in (1, SCHEMA):
        raise ValueError(
            f"it has schema {schema}, and this is kibitz {__version__}, which reads schemas 1 and {SCHEMA}"
        )
    planners = fields.get("planners", each(text))
    players = len(planners)
    if schema == 1:
        steps = fields.get("steps", each(lambda step, where: _read_old_move(step, where, players)))
    else:
        steps = _read_moves(fields, players)
    return Replay(
        game=fields.get("game", text),
        planners=planners,
        seed=fields.get("seed", whole),
        episode=fields.get("episode", whole),
        returns=fields.get("returns", each(number, players)),
        over=fields.get("over", flag),
        steps=steps,
        version=fields.get("version", text),
    )


def _read_moves(fields: Fields, players: int) -> list[Move]:
    """The history, and with each of its steps what else is kept of it."""
    history = fields.get("history", text)
    try:
        counted, rows = read_history(base64.b64decode(history, validate=True))
    except (binascii.Error, ValueError) as error:
        raise ValueError(f"history: {error}") from error
    if counted != players:
        raise ValueError(f"history: it is of {counted} players, and there are {players} planners")
    several = fields.get("steps", each(lambda step, where: (step, where), len(rows)))
    timed = any(elapsed for elapsed, _, _ in rows)
    return [
        _read_move(step, where, players, row, timed=timed)
        for (step, where), row in zip(several, rows, strict=True)
    ]


def _read_old_move(plain: Any, where: str, players: int) -> Move:
    """A step of schema 1, which says who moved, and what."""
    fields = Fields(plain, where)
    movers = fields.get("movers", each(below(players)))
    if movers != sorted(set(movers)):
        raise ValueError(f"{where}.movers must be in order, and each only once")
    joint = fields.get("joint", each(below(2**32), len(movers) or 1))
    return _read_move(plain, where, players, (0, movers or None, joint))


def _read_move(
    plain: Any,
    where: str,
    players: int,
    played: tuple[int, list[int] | None, list[int]],
    *,
    timed: bool = False,
) -> Move:
    fields = Fields(plain, where)
    elapsed, who, joint = played
    movers = who or []
    several = len(joint)
    decisions = fields.get("decisions", each(lambda item, place: _read_reasons(item, place, players)))
    # In real time something may happen before somebody was asked.
    if len(decisions) != len(movers) and (decisions or not timed):
        raise ValueError(f"{where}.decisions must have {len(movers)} entries, not {len(decisions)}")
    return Move(
        movers=movers,
        joint=joint,
        names=fields.get("names", each(text, several)),
        rewards=fields.get("rewards", each(number, players)),
        decisions=decisions,
        elapsed=elapsed,
    )


def _read_reasons(plain: Any, where: str, players: int) -> Reasons:
    fields = Fields(plain, where)
    return Reasons(
        action=fields.get("action", whole),
        name=fields.get("name", text),
        table=fields.get("table", each(_read_row)),
        actions=fields.get("actions", whole),
        simulations=fields.get("simulations", whole),
        nodes=fields.get("nodes", whole),
        seconds=fields.get("seconds", number),
        belief=fields.get("belief", optional(whole)),
        line=fields.get("line", each(lambda item, place: _read_expected(item, place, players))),
        notes=fields.get("notes", each(text)),
        # Replays of earlier versions lack them.
        transitions=fields.get("transitions", optional(whole)) if "transitions" in fields.plain else None,
        depth=fields.get("depth", optional(number)) if "depth" in fields.plain else None,
        counters=fields.get("counters", each(_read_counter)) if "counters" in fields.plain else [],
        reused=fields.get("reused", whole) if "reused" in fields.plain else 0,
    )


def _read_counter(plain: Any, where: str) -> tuple[str, float]:
    if not isinstance(plain, list) or len(plain) != 2:
        raise ValueError(f"{where} must be a name and a number")
    return text(plain[0], f"{where}[0]"), number(plain[1], f"{where}[1]")


def _read_row(plain: Any, where: str) -> Row:
    fields = Fields(plain, where)
    return Row(
        action=fields.get("action", whole),
        name=fields.get("name", text),
        value=fields.get("value", optional(number)),
        error=fields.get("error", optional(number)),
        visits=fields.get("visits", whole),
    )


def _read_expected(plain: Any, where: str, players: int) -> tuple[int, str]:
    if not isinstance(plain, list) or len(plain) != 2:
        raise ValueError(f"{where} must be a player and an action")
    return below(players)(plain[0], where), text(plain[1], where)
