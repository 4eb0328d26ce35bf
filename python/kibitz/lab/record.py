"""What is written down of one episode: one line of JSON, the same in matches and experiments.

Stored records are untrusted: `Record.from_json` takes nothing for granted and answers what does not
fit with a sentence.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import Any, Literal, get_args

from kibitz._core import __version__
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
            "fault": fault,
            "version": self.version,
        }
        return json.dumps(plain, ensure_ascii=False)

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
        try:
            plain = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise ValueError(f"not JSON: {error}") from None
        if not isinstance(plain, dict):
            raise ValueError("not a record")
        if plain.get("schema") != SCHEMA:
            what = json.dumps(plain.get("schema"))[:40]
            raise ValueError(f"a record of schema {what}; this version of kibitz reads schema {SCHEMA}")
        seating = _several(plain, "seating", int)
        planners = _several(plain, "planners", str)
        if any(not 0 <= number < max(1, len(planners)) for number in seating) and planners:
            raise ValueError("'seating' counts planners that the record does not name")
        fault = _fault(plain.get("fault"))
        returns = () if plain.get("returns") is None and fault else _several(plain, "returns", float)
        if len(returns) != len(seating) and not fault:
            raise ValueError("'returns' and 'seating' are of different length")
        return cls(
            episode=_one(plain, "episode", int),
            seating=seating,
            returns=returns,
            steps=_one(plain, "steps", int),
            seconds=_several(plain, "seconds", float),
            over=_one(plain, "over", bool),
            moves=_several(plain, "moves", int),
            slowest=_several(plain, "slowest", float),
            simulations=_several(plain, "simulations", int),
            fault=fault,
            seed=_one(plain, "seed", int),
            game=_one(plain, "game", str),
            planners=planners,
            cell=_one(plain, "cell", str),
            version=_one(plain, "version", str),
        )


def _fits(value: object, kind: type) -> bool:
    if kind is float:
        return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    if kind is int:
        return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**64
    return isinstance(value, kind)


def _one(plain: dict[str, Any], key: str, kind: type) -> Any:
    value = plain.get(key)
    if not _fits(value, kind):
        raise ValueError(f"'{key}' is missing or not what it should be")
    return float(value) if kind is float else value


def _several(plain: dict[str, Any], key: str, kind: type) -> tuple[Any, ...]:
    values = plain.get(key)
    if not isinstance(values, list) or not all(_fits(value, kind) for value in values):
        raise ValueError(f"'{key}' is missing or not what it should be")
    return tuple(float(value) for value in values) if kind is float else tuple(values)


def _fault(plain: object) -> Fault | None:
    if plain is None:
        return None
    if isinstance(plain, dict):
        kind, seat, what = plain.get("kind"), plain.get("seat"), plain.get("what")
        if kind in get_args(FaultKind) and isinstance(what, str) and (seat is None or _fits(seat, int)):
            return Fault(kind, seat, what)
    raise ValueError("'fault' is not what it should be")
