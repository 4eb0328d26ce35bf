"""What is written down of one episode: one line of JSON, the same in matches and experiments.

Stored records are untrusted: `Record.from_json` takes nothing for granted and answers what does not
fit with a sentence, and so a line that does not agree with its seal.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Literal, cast, get_args

from kibitz._core import __version__
from kibitz.lab._checked import Fields, below, each, flag, number, optional, text, whole
from kibitz.lab._seal import check_seal, sealed
from kibitz.lab.seating import Seating

SCHEMA = 1
"""Raised when a record's meaning changes; lines of another schema are refused."""

LONGEST_LINE = 1 << 20
"""More bytes than this is no record."""

FaultKind = Literal["raised", "illegal", "overtime", "endless", "died"]
"""A planner or game raised; an illegal move; more time than allowed; no end within the cap; the
process died again and again."""


@dataclass(frozen=True, slots=True)
class Fault:
    """Why an episode came to nothing."""

    kind: FaultKind
    seat: int | None
    """Whose planner it was; None where the game is to blame, or nobody knows."""
    what: str
    """For people: the exception, the move, the time."""


@dataclass(frozen=True, slots=True)
class Record:
    """One episode. Everything that is a tuple has one entry for each seat, unless it says otherwise."""

    episode: int
    """The number of the deal: chance's stream is the same in each episode with this number and seed."""
    seating: Seating
    """The number of the planner on each seat."""
    returns: tuple[float, ...]
    """What each seat got; with a fault, as it stood then; empty where nobody knows."""
    steps: int
    seconds: tuple[float, ...]
    """How long each seat's planner thought."""
    over: bool = True
    """False where it was cut off."""
    moves: tuple[int, ...] = ()
    """How often each seat chose."""
    slowest: tuple[float, ...] = ()
    """Seconds of its longest choice."""
    simulations: tuple[int, ...] = ()
    """How many it ran, all choices together."""
    transitions: tuple[int, ...] = ()
    """Steps of the game's model that it made, all choices together; empty where nobody counted."""
    cpu: tuple[float, ...] = ()
    """Seconds of processor time that it took, all its threads together; empty where nobody looked."""
    busy: tuple[float, ...] = ()
    """Where its budget is time: of its `seconds`, those for which the thread that chose had a processor,
    fewer where others wanted it too; else 0. Empty where nobody looked."""
    fault: Fault | None = None
    seed: int = 0
    game: str = ""
    """The game's spec."""
    planners: tuple[str, ...] = ()
    """The planners that `seating` counts, in the order of their cell."""
    cell: str = ""
    """The id of the cell of an experiment; empty in a match."""
    version: str = __version__

    @property
    def key(self) -> tuple[str, int, Seating]:
        """What makes it this episode and no other."""
        return self.cell, self.episode, self.seating

    def to_json(self) -> str:
        """One line, without its end.

        >>> from kibitz.lab.record import Record
        >>> record = Record(12, (1, 0), (1.0, -1.0), steps=21, seconds=(0.5, 0.0))
        >>> Record.from_json(record.to_json()) == record
        True
        """
        fault = self.fault and {"kind": self.fault.kind, "seat": self.fault.seat, "what": self.fault.what}
        plain = {
            "schema": SCHEMA,
            "cell": self.cell,
            "game": self.game,
            "planners": self.planners,
            "seating": self.seating,
            "seed": self.seed,
            "episode": self.episode,
            "returns": self.returns or None,
            "steps": self.steps,
            "over": self.over,
            "moves": self.moves,
            "seconds": [round(value, 6) for value in self.seconds],
            "slowest": [round(value, 6) for value in self.slowest],
            "simulations": self.simulations,
            "transitions": self.transitions,
            "cpu": [round(value, 6) for value in self.cpu],
            "busy": [round(value, 6) for value in self.busy],
            "fault": fault,
            "version": self.version,
        }
        return sealed(json.dumps(plain, ensure_ascii=False))

    @classmethod
    def from_json(cls, line: str | bytes) -> Record:
        """The record that a line holds; ValueError, with a sentence, if it holds none.

        >>> from kibitz.lab.record import Record
        >>> Record.from_json('{"schema": 99}')
        Traceback (most recent call last):
        ValueError: a record of schema 99; this version of kibitz reads schema 1
        """
        if len(line) > LONGEST_LINE:
            raise ValueError(f"a line of {len(line)} bytes is no record")
        check_seal(line if isinstance(line, bytes) else line.encode(errors="replace"))
        try:
            plain = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise ValueError(f"not JSON: {error}") from None
        fields = Fields(plain, "")
        if (schema := fields.get("schema", whole)) != SCHEMA:
            raise ValueError(f"a record of schema {schema}; this version of kibitz reads schema {SCHEMA}")
        planners = fields.get("planners", each(text))
        seating = fields.get("seating", each(below(len(planners)) if planners else whole))
        fault = fields.get("fault", optional(_fault))
        seats = len(seating)
        if fault is not None and fault.seat is not None and fault.seat >= seats:
            raise ValueError(f"fault.seat must be below {seats}")
        # Only an episode with a fault may know nothing of what each seat did.
        returns = fields.get("returns", optional(each(number, seats))) or []
        if not returns and fault is None:
            raise ValueError("returns are missing")
        seconds = fields.get("seconds", each(number))
        moves = fields.get("moves", each(whole))
        slowest = fields.get("slowest", each(number))
        simulations = fields.get("simulations", each(whole))
        # Records of earlier versions lack them.
        transitions = fields.get("transitions", each(whole)) if "transitions" in fields.plain else []
        if len(transitions) not in (0, len(moves)):
            raise ValueError("transitions must have one entry for each seat")
        cpu = fields.get("cpu", each(number)) if "cpu" in fields.plain else []
        if len(cpu) not in (0, len(moves)):
            raise ValueError("cpu must have one entry for each seat")
        busy = fields.get("busy", each(number)) if "busy" in fields.plain else []
        if len(busy) not in (0, len(moves)):
            raise ValueError("busy must have one entry for each seat")
        efforts = {len(moves), len(slowest), len(simulations)}
        if efforts not in ({0}, {seats}) or (len(seconds) != seats and (seconds or fault is None)):
            raise ValueError("seconds, moves, slowest and simulations must have one entry for each seat")
        return cls(
            episode=fields.get("episode", whole),
            seating=tuple(seating),
            returns=tuple(returns),
            steps=fields.get("steps", whole),
            seconds=tuple(seconds),
            over=fields.get("over", flag),
            moves=tuple(moves),
            slowest=tuple(slowest),
            simulations=tuple(simulations),
            transitions=tuple(transitions),
            cpu=tuple(cpu),
            busy=tuple(busy),
            fault=fault,
            seed=fields.get("seed", whole),
            game=fields.get("game", text),
            planners=tuple(planners),
            cell=fields.get("cell", text),
            version=fields.get("version", text),
        )


def _fault(plain: Any, where: str) -> Fault:
    fields = Fields(plain, where)
    kind = fields.get("kind", text)
    if kind not in get_args(FaultKind):
        raise ValueError(f"{where}.kind must be one of {', '.join(get_args(FaultKind))}")
    return Fault(cast(FaultKind, kind), fields.get("seat", optional(whole)), fields.get("what", text))
