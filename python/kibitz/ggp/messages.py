"""The messages between a game manager and its players: read, bounded, and written.

A message is a list in prefix notation, in any letter case. A list is read as the texts of its elements,
without going into them: rules stay one text, however large they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

READY, DONE, BUSY, NIL = "READY", "DONE", "BUSY", "NIL"
"""What players answer where no move is asked for. BUSY: this message is for no match that is played
here."""

ACL = "text/acl"
"""The type of all contents."""
TURN = "Kibitz-Turn"
"""A header that our manager adds: which turn a message is of, so that one which is sent again is known."""

MOST_BYTES = 16 << 20
"""Of a message."""
MOST_WORDS = 10_000
"""Of a list of moves or percepts."""
LONGEST = 200
"""Characters of a match's name, and of what the log shows of anything."""


class Malformed(ValueError):  # noqa: N818 -- what the message is
    """No message of the protocol, in a sentence."""


_PARTS = re.compile(r";[^\r\n]*|[()]|[^\s();]+")


def elements(text: str) -> list[str]:
    """The elements of a list, each as it is written.

    >>> from kibitz.ggp.messages import elements
    >>> elements("( PLAY match.1 (NOOP (MARK 1 1)) )")
    ['PLAY', 'match.1', '(NOOP (MARK 1 1))']
    """
    found: list[str] = []
    depth = begin = end = 0
    for part in _PARTS.finditer(text):
        if part[0][0] == ";":
            continue
        if end:
            raise Malformed("there is something after the closing bracket")
        if part[0] == "(":
            depth += 1
            if depth == 2:
                begin = part.start()
        elif part[0] == ")":
            depth -= 1
            if depth == 1:
                found.append(text[begin : part.end()])
            elif depth == 0:
                end = part.end()
            elif depth < 0:
                raise Malformed("there is a closing bracket too many")
        elif depth == 1:
            found.append(part[0])
        elif depth == 0:
            raise Malformed("it is not a list in brackets")
    if not end:
        raise Malformed("a closing bracket is missing" if depth else "it is empty")
    return found


def term(text: str) -> str:
    """A term in the usual spacing; Malformed for anything that is not exactly one.

    >>> from kibitz.ggp.messages import term
    >>> term(" ( MARK  1 1 )")
    '(MARK 1 1)'
    """
    words: list[str] = []
    depth = 0
    for part in _PARTS.finditer(text):
        word = part[0]
        if word[0] == ";":
            continue
        if words and depth == 0:
            raise Malformed("there is something after the term")
        depth += {"(": 1, ")": -1}.get(word, 0)
        if depth < 0:
            raise Malformed("there is a closing bracket too many")
        space = words and word != ")" and words[-1] != "("
        words.append(f" {word}" if space else word)
        if len(words) > MOST_WORDS:
            raise Malformed(f"a term has more than {MOST_WORDS} words")
    if depth or not words:
        raise Malformed("a closing bracket is missing" if depth else "it is empty")
    return "".join(words)


def terms(text: str) -> list[str]:
    """The terms of a list; none for NIL.

    >>> from kibitz.ggp.messages import terms
    >>> terms("(noop (mark 1 1))"), terms("NIL")
    (['noop', '(mark 1 1)'], [])
    """
    if text.strip().lower() == "nil":
        return []
    found = elements(text)
    if len(found) > MOST_WORDS:
        raise Malformed(f"a list has more than {MOST_WORDS} elements")
    return [term(each) for each in found]


def same(one: str, other: str) -> bool:
    """Whether two terms are the same in any letter case.

    >>> from kibitz.ggp.messages import same
    >>> same("(Mark 1 1)", "( MARK 1 1 )")
    True
    """
    return term(one).lower() == term(other).lower()


@dataclass(frozen=True, slots=True)
class Info:
    """Is anybody there?"""


@dataclass(frozen=True, slots=True)
class Preview:
    """Rules, and so many seconds to look at them; no match comes of it."""

    rules: str
    clock: float


@dataclass(frozen=True, slots=True)
class Start:
    """A match begins."""

    match: str
    role: str
    rules: str
    """Without the brackets around them."""
    start_clock: float
    play_clock: float


@dataclass(frozen=True, slots=True)
class Told:
    """A turn of a match is over, and what a player is told of it. `last` only: the match is over too.

    Where nothing is hidden, `moves` are all roles', in the order of the rules. Where something is, they
    are what the player perceived, and `own` what it did; `turn` counts from 0.
    """

    match: str
    moves: tuple[str, ...] | None
    """None: nothing has happened yet."""
    turn: int | None = None
    own: str | None = None
    time: float | None = None
    """Where time goes by: since the beginning, in play clocks."""
    last: bool = False


@dataclass(frozen=True, slots=True)
class Abort:
    """A match is broken off."""

    match: str


Message = Info | Preview | Start | Told | Abort


def read(text: str) -> Message:
    """The message that a text is; Malformed for anything else.

    >>> from kibitz.ggp.messages import read
    >>> read("( PLAY match.1 (NOOP (MARK 1 1)) )").moves
    ('NOOP', '(MARK 1 1)')
    >>> read("(play match.1 3 (bid 2) ((seen 4)))").own
    '(bid 2)'
    """
    kind, *rest = elements(text) or [""]
    kind = kind.lower()
    if kind not in _SIZES:
        raise Malformed(f"{brief(kind)} is no kind of message; there are {', '.join(_SIZES).upper()}")
    sizes = _SIZES[kind]
    if len(rest) not in sizes:
        many = " or ".join(map(str, sizes))
        raise Malformed(f"{kind.upper()} has {many} arguments, and not {len(rest)}")
    if kind == "info":
        return Info()
    if kind == "preview":
        return Preview(_rules(rest[0]), _seconds(rest[1]))
    match = rest[0]
    if match.startswith("(") or len(match) > LONGEST:
        raise Malformed(f"{brief(match)} is no name of a match")
    if kind == "start":
        _, role, rules, start_clock, play_clock = rest[:5]
        return Start(match, term(role), _rules(rules), _seconds(start_clock), _seconds(play_clock))
    if kind == "abort":
        return Abort(match)
    return _told(match, rest[1:], last=kind == "stop")


_SIZES = {
    "info": (0,),
    "preview": (2,),
    # What else a manager may say when a match begins is not known, and does no harm.
    "start": (5, 6, 7, 8),
    "play": (2, 3, 4),
    "stop": (2, 3, 4),
    "abort": (1,),
}


def _told(match: str, rest: list[str], last: bool) -> Told:
    if len(rest) < 3:
        time = _number(rest[1]) if len(rest) == 2 else None
        return Told(match, _happened(rest[0]), time=time, last=last)
    turn, own, percepts = rest
    number = _number(turn)
    if number != int(number) or number < 0:
        raise Malformed(f"{brief(turn)} is no number of a turn")
    if number == 0:
        return Told(match, None, turn=0, last=last)
    did = None if own.lower() == "nil" else term(own)
    return Told(match, tuple(terms(percepts)), turn=int(number), own=did, last=last)


def _happened(text: str) -> tuple[str, ...] | None:
    return None if text.lower() == "nil" else tuple(terms(text))


def _rules(text: str) -> str:
    if not text.startswith("("):
        raise Malformed(f"rules are a list, and not {brief(text)}")
    return text[1:-1]


def _number(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not abs(value) <= 1e9:
        raise Malformed(f"{brief(text)} is no number")
    return value


def _seconds(text: str) -> float:
    value = _number(text)
    if value < 0:
        raise Malformed(f"a clock of {value:g} seconds")
    return value


def brief(text: str, most: int = 60) -> str:
    """What the log shows of somebody's text: the beginning, printable, on one line.

    >>> from kibitz.ggp.messages import brief
    >>> brief("one\\ntwo")
    "'one\\\\ntwo'"
    """
    return repr(text if len(text) <= most else text[:most] + "...")


def start(match: str, role: str, rules: str, start_clock: float, play_clock: float) -> str:
    """START, of rules in prefix notation.

    >>> from kibitz.ggp.messages import start
    >>> start("match.1", "WHITE", "(ROLE WHITE) (ROLE BLACK)", 90, 10)
    '( START match.1 WHITE ((ROLE WHITE) (ROLE BLACK)) 90 10 )'
    """
    return f"( START {match} {role} ({rules}) {start_clock:g} {play_clock:g} )"


def told(message: Told) -> str:
    """PLAY or STOP, in the form that the message needs.

    >>> from kibitz.ggp.messages import Told, told
    >>> told(Told("match.1", ("NOOP", "(MARK 1 1)")))
    '( PLAY match.1 (NOOP (MARK 1 1)) )'
    >>> told(Told("match.1", ("(seen 4)",), turn=3, own="(bid 2)", last=True))
    '( STOP match.1 3 (bid 2) ((seen 4)) )'
    >>> told(Told("match.1", None))
    '( PLAY match.1 NIL )'
    """
    listed = NIL if message.moves is None else f"({' '.join(message.moves)})"
    parts = ["STOP" if message.last else "PLAY", message.match]
    if message.turn is not None:
        parts += [str(message.turn), message.own or NIL]
    parts.append(listed)
    if message.time is not None:
        parts.append(f"{message.time:.15g}")
    return f"( {' '.join(parts)} )"


def abort(match: str) -> str:
    """ABORT."""
    return f"( ABORT {match} )"


def prefix(rules: Iterable[object]) -> Iterator[str]:
    """Terms as `kibitz.lang.asp` reads them, in prefix notation.

    >>> from kibitz.ggp.messages import prefix
    >>> list(prefix([["role", "white"]]))
    ['(role white)']
    """
    for each in rules:
        yield f"({' '.join(prefix(each))})" if isinstance(each, list) else str(each)
