"""Matches in the forms that the field keeps them in: JSON and XML, as game managers and viewers exchange
them."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any
from xml.sax.saxutils import escape

from kibitz.ggp import messages


@dataclass
class Record:
    """A match as it went: a row for each turn, with a move or an error for each role (chance's included).

    >>> from kibitz.ggp.record import Record
    >>> record = Record("match.1", "tic-tac-toe.kif", ["white", "black"], ["a", "b"], 10, 5, started=0)
    >>> record.turn(["(mark 1 1)", "noop"], ["", ""], ["(cell 1 1 x)"], at=7)
    >>> record.plain()["moves"]
    [['(mark 1 1)', 'noop']]
    >>> record.xml().partition("</action>")[2].partition("</move>")[0]
    '<action>noop</action>'
    """

    match: str
    game: str
    roles: list[str]
    players: list[str]
    """The name of each role's player."""
    start_clock: float
    play_clock: float
    started: int
    """Milliseconds since 1970."""
    moves: list[list[str]] = field(default_factory=list)
    errors: list[list[str]] = field(default_factory=list)
    """What was wrong with each role's answer; empty where nothing was."""
    states: list[list[str]] = field(default_factory=list)
    times: list[int] = field(default_factory=list)
    """When each state began."""
    goals: list[float] = field(default_factory=list)
    """Each role's score; none before the end."""
    completed: bool = False
    aborted: bool = False

    def state(self, facts: list[str], at: int) -> None:
        """Adds a state."""
        self.states.append(facts)
        self.times.append(at)

    def turn(self, moves: list[str], errors: list[str], facts: list[str], at: int) -> None:
        """Adds a turn and the state after it."""
        self.moves.append(moves)
        self.errors.append(errors)
        self.state(facts, at)

    @property
    def forfeits(self) -> int:
        """How many answers were late or illegal."""
        return sum(bool(error) for errors in self.errors for error in errors)

    def plain(self) -> dict[str, Any]:
        """What the JSON says."""
        plain: dict[str, Any] = {
            "matchId": self.match,
            "startTime": self.started,
            "gameMetaURL": self.game,
            "gameName": self.game,
            "gameRoleNames": self.roles,
            "playerNamesFromHost": self.players,
            "previewClock": -1,
            "startClock": _number(self.start_clock),
            "playClock": _number(self.play_clock),
            "isCompleted": self.completed,
            "isAborted": self.aborted,
            "scrambled": False,
            "states": [f"( {''.join(fact + ' ' for fact in facts)})" for facts in self.states],
            "stateTimes": self.times,
            "moves": self.moves,
            "errors": self.errors,
        }
        if self.goals:
            plain["goalValues"] = [_number(goal) for goal in self.goals]
        return plain

    def json(self) -> str:
        """The match as JSON."""
        return json.dumps(self.plain(), ensure_ascii=False, allow_nan=False)

    def xml(self) -> str:
        """The match as XML."""
        parts = ["<match>"]
        for key, value in self.plain().items():
            if key == "states":
                parts += [_tag("herstory", "".join(_tag("state", _facts(facts)) for facts in self.states))]
            elif key == "moves":
                parts.append(_tag("history", "".join(_tag("move", _actions(row)) for row in self.moves)))
            elif key == "errors":
                rows = (_tag("errors", _each("error", row)) for row in self.errors)
                parts.append(_tag("errorHistory", "".join(rows)))
            else:
                parts.append(_each(key, value if isinstance(value, list) else [value]))
        return "".join([*parts, "</match>"])


def _number(value: float) -> float:
    return int(value) if value == int(value) else value


def _tag(name: str, content: str) -> str:
    return f"<{name}>{content}</{name}>"


def _each(name: str, values: list[Any]) -> str:
    words = {True: "true", False: "false"}
    return "".join(
        _tag(name, escape(words[value] if isinstance(value, bool) else str(value))) for value in values
    )


def _facts(facts: list[str]) -> str:
    return "".join(_tag("fact", _written(fact)) for fact in facts)


def _actions(moves: list[str]) -> str:
    return "".join(_tag("action", _written(move)) for move in moves)


def _written(term: str) -> str:
    """A term as relation and arguments.

    >>> from kibitz.ggp.record import _written
    >>> _written("(mark 1 (pair a b))")[:41]
    '<relation>mark</relation><argument>1</arg'
    """
    if not term.startswith("("):
        return escape(term)
    head, *arguments = messages.elements(term)
    rest = (_tag("argument", _written(argument)) for argument in arguments)
    return _tag("relation", escape(head)) + "".join(rest)
