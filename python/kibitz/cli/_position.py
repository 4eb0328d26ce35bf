"""What a person is shown before a move: the legal moves, folded where there are many, and the position.

Rules files that hide something draw nothing themselves: there, it is what one did and was told, and a
board of what is certain or likely.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING

from kibitz.cli._terminal import in_columns, paint, sign, width, wrapped

if TYPE_CHECKING:
    from kibitz import Belief, Game, View

MANY = 40
"""So many moves are listed one by one; more are folded."""
LARGE, GROUPS = 12, 20
"""A group of more moves is split further, while there are no more groups."""
LATEST = 30
"""Own moves that are shown of a longer history."""
STATES = 2000
"""A belief of more states is made of particles."""
CERTAIN, LIKELY = 0.9995, 0.5


def moves(names: Sequence[str], *, every: bool = False) -> list[str]:
    """The legal moves in columns; many as groups that share their first words, unless every one is wanted.

    >>> from kibitz.cli._position import moves
    >>> len(moves([f"move {piece} {to}" for piece in "ab" for to in range(40)]))
    2
    """
    from kibitz.planners.human import is_numeric

    if len(names) > MANY and not every:
        groups = folded(names)
        dots = sign("…", "...")
        shown = [first if count == 1 else f"{first} {dots} ({count:,})" for first, count in groups[:MANY]]
        more = [f"  and {len(groups) - MANY:,} groups more"] if len(groups) > MANY else []
        hint = f"  {len(names):,} moves: type one, or its beginning; ? lists all"
        return [*in_columns(shown), *more, paint(hint, "dim")]
    numbered = not is_numeric(names)
    digits = len(str(len(names)))
    cells = [f"{n:{digits}} {name}" if numbered else name for n, name in enumerate(names, 1)]
    return in_columns(cells)


def folded(names: Sequence[str]) -> list[tuple[str, int]]:
    """Groups of moves that share their first words: few, but the largest split further while that stays so.

    >>> from kibitz.cli._position import folded
    >>> folded(["(guess 1 1)", "(guess 1 2)", "(guess 2 1)"])
    [('guess 1', 2), ('(guess 2 1)', 1)]
    >>> folded([f"play {card} at {cell}" for card in "ab" for cell in range(20)] + ["end"])
    [('play a at', 20), ('play b at', 20), ('end', 1)]
    """
    words = [name.translate({ord("("): " ", ord(")"): " "}).split() for name in names]
    groups = _split(words, list(range(len(names))))
    for group in sorted(groups, key=len, reverse=True):
        parts = _split(words, group) if len(group) > LARGE else [group]
        if len(groups) + len(parts) - 1 <= GROUPS:
            at = groups.index(group)
            groups[at : at + 1] = parts
    shown = []
    for group in groups:
        shared = _shared([words[place] for place in group])
        shown.append((names[group[0]] if len(group) == 1 else " ".join(shared), len(group)))
    return shown


def _shared(words: Sequence[list[str]]) -> list[str]:
    """The words that all begin with."""
    first, last = min(words), max(words)
    count = next((at for at, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), len(first))
    return first[:count]


def _split(words: Sequence[list[str]], group: Sequence[int]) -> list[list[int]]:
    """The moves of a group by the first word in which they differ."""
    count = len(_shared([words[place] for place in group]))
    parts: defaultdict[tuple[str, ...], list[int]] = defaultdict(list)
    for place in group:
        parts[tuple(words[place][: count + 1])].append(place)
    return list(parts.values())


class Memory:
    """What a player did and was told, and what that makes likely, in games that show nothing of it."""

    def __init__(self, game: Game) -> None:
        rules = game.rules
        # Languages in which nobody is told anything but by the rules: what there is to draw is a belief.
        percepts = game.machine is not None and game.machine["language"].endswith("-II")
        silent = percepts or (rules is not None and not _draws(rules))
        self.silent = silent and not game.info.perfect_information
        self._belief: Belief | None = None

    def position(self, view: View) -> list[str]:
        """The position as the player sees it."""
        if not self.silent:
            drawn = view.text().rstrip().splitlines()
            wide = max(map(len, drawn), default=0)
            hint = f"(this picture is {wide} columns wide, and the terminal has {width()})"
            return [*drawn, "", *wrapped(paint(hint, "dim"))] if wide > width() else drawn
        return [*history(view), *self._board(view)]

    def forget(self) -> None:
        """The next view need not go on from the last."""
        self._belief = None

    def _board(self, view: View) -> list[str]:
        likely = self.likely(view)
        drawn = board(likely)
        if drawn:
            key = "what is certain, paler what is likely, ? where it is open"
            return ["", *drawn, paint(f"  {key}", "dim")]
        sure = [fact for fact, p in likely.items() if p >= CERTAIN]
        return ["", paint("  certain: " + ", ".join(sure[:12]), "dim")] if sure else []

    def likely(self, view: View) -> dict[str, float]:
        """How likely each fact is, as far as the player can know."""
        import kibitz as kb

        for kind in (f"exact({STATES})", f"particles({STATES})"):
            try:
                if self._belief is None:
                    self._belief = kb.Belief(view.game, kind)
                self._belief.update(view)
                return dict(self._belief.marginals(STATES) or [])
            except ValueError:
                self._belief = None
        return {}


def _draws(rules: object) -> bool:
    """Whether rules written in Python say what a position looks like."""
    from kibitz.rules import Rules

    text = getattr(type(rules), "text", None)
    return text is not None and text is not getattr(Rules, "text", None)


def history(view: View) -> list[str]:
    """What the player did and was told so far, a line for each of its moves.

    >>> import kibitz as kb
    >>> from kibitz.cli._position import history
    >>> referee = kb.Referee("kriegspiel-tic-tac-toe", seed=1)
    >>> history(referee.view(0))
    ['  (nothing has happened yet)']
    """
    lines: list[list[str]] = []
    for kind, _, words in view.events:
        if kind == "acted":
            lines.append([words])
        elif kind == "observed" and words:
            if not lines:
                lines.append(["(before)"])
            lines[-1].append(words)
    if lines and lines[0] == ["(before)", "nothing"]:
        del lines[0]
    shown = [
        f"{done}{sign(' → ', ' -> ')}{'; '.join(told)}" if told else done for done, *told in lines[-LATEST:]
    ]
    first = len(lines) - len(shown) + 1
    numbered = [f"  {number:3} {line}" for number, line in enumerate(shown, first)]
    skipped = [f"  ({first - 1} earlier)"] if first > 1 else []
    return [*skipped, *numbered] or ["  (nothing has happened yet)"]


PLACED = re.compile(r"\(([^\s()]+) ([^\s()]+) ([^\s()]+) ([^\s()]+)\)")
EMPTY = {"b", "blank", "empty", "e"}


def board(likely: dict[str, float]) -> list[str]:
    """A board of the facts that give a value to a place, such as `(cell 1 2 x)`; empty where there is none.

    >>> from kibitz.cli._position import board
    >>> open_ = {"(cell 2 1 b)": 0.6, "(cell 2 1 o)": 0.4, "(cell 2 2 o)": 0.3}
    >>> board({"(cell 1 1 x)": 1.0, "(cell 1 2 b)": 1.0, **open_})
    ['  1  x ?', '  2  . ?', '', '     1 2']
    """
    places: defaultdict[str, dict[tuple[str, str], dict[str, float]]] = defaultdict(dict)
    for fact, p in likely.items():
        if match := PLACED.fullmatch(fact):
            relation, x, y, value = match.groups()
            places[relation].setdefault((x, y), {})[value] = p
    if not places:
        return []
    # The relation that says most about places.
    cells = max(places.values(), key=len)
    columns = sorted({x for x, _ in cells}, key=_natural)
    rows = sorted({y for _, y in cells}, key=_natural)
    if min(len(columns), len(rows)) < 2 or len(cells) < len(columns) * len(rows) // 2:
        return []
    if 2 * len(columns) + 6 > width():
        return []

    def cell(x: str, y: str) -> str:
        values = cells.get((x, y), {})
        value, p = max(values.items(), key=lambda pair: pair[1], default=("", 0.0))
        if p < LIKELY:
            return "?" if values else " "
        shown = "." if value in EMPTY else value[0]
        if p >= CERTAIN:
            return shown
        pale = paint(shown, "dim")
        return "?" if pale == shown else pale  # nothing is paler here

    edge = max(map(len, rows))
    lines = [f"  {y:>{edge}}  {' '.join(cell(x, y) for x in columns)}" for y in rows]
    return [*lines, "", f"  {'':{edge}}  {' '.join(x[-1] for x in columns)}"]


def _natural(word: str) -> tuple[int, int, str]:
    return (0, int(word), "") if word.isdecimal() else (1, 0, word)
