"""A person at the terminal, who can sit on any seat."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from kibitz import _core
from kibitz._core import Decision, Game, View
from kibitz.planners import PlannerBase


class Human(PlannerBase):
    """A person at the terminal: is shown what the seat may know, and asked for each move."""

    name = "human"

    def start(self, game: Game, seat: int, seed: int) -> None:
        """Refuses, with a sentence, where there is no terminal."""
        if not (sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty()):
            raise ValueError("human needs a terminal: a person must be able to read and to type")
        super().start(game, seat, seed)

    def act(self, view: View) -> Decision:
        """Shows the position and asks until the answer is a legal action."""
        print(view.text().rstrip())
        names = view.names()
        print("  " + ", ".join(names))
        while True:
            try:
                answer = input(f"{view.game.player_name(view.player)}> ")
            except EOFError:
                raise KeyboardInterrupt from None
            try:
                return Decision(view, view.legal()[find(names, answer)])
            except ValueError as mistake:
                print(mistake)


def find(names: Sequence[str], answer: str) -> int:
    """Which of some moves a person means: by its name, the beginning of it, or its place in the list.

    Capitals, spaces and brackets do not matter, and of each word the beginning will do. Where that is
    enough to tell which move is meant, words may be left out, hyphens join the others, and suits may be
    typed as letters.

    >>> from kibitz.planners.human import find
    >>> names = ["north", "check 1", "check 2", "7♥ to 8♠", "(mark 1 1)"]
    >>> [find(names, answer) for answer in ("N", "c 2", "3", "7h-8s", "mark 1 1", "1 1")]
    [0, 2, 2, 3, 4, 4]
    >>> find(names, "chekc 2")
    Traceback (most recent call last):
    ValueError: no move is called 'chekc 2'; did you mean check 2?
    """
    words = _words(answer)
    if not words:
        raise ValueError("type a move's name or number")
    known = list(enumerate(map(_words, names)))
    typed = answer.lower().split()
    for exact in [place for place, name in enumerate(names) if name.lower().split() == typed]:
        return exact
    if answer.strip().isdecimal() and not is_numeric(names):
        place = int(answer)
        if not 1 <= place <= len(names):
            raise ValueError(f"there is no move number {place}: they go from 1 to {len(names)}")
        return place - 1
    for test in (_equal, _joined, _wordwise, _plain):
        found = [place for place, name in known if test(words, name)]
        if len(found) == 1:
            return found[0]
        if found:
            some = ", ".join(names[place] for place in found[:6]) + (", ..." if len(found) > 6 else "")
            raise ValueError(f"'{answer.strip()}' may be any of {some}")
    sentence = _core.unknown("move", answer.strip(), names)
    raise ValueError(sentence.replace("unknown move", "no move is called", 1))


def is_numeric(names: Sequence[str]) -> bool:
    """Whether moves are called by numbers, so that places in the list would mislead."""
    return any(name.strip().isdecimal() for name in names)


_BRACKETS = str.maketrans("()", "  ")


def _words(text: str) -> list[str]:
    """The words, without brackets, unless these are all there is."""
    return text.lower().translate(_BRACKETS).split() or text.lower().split()


_AS_TYPED = str.maketrans({"♥": "h", "♦": "d", "♣": "c", "♠": "s", "-": " ", ">": " ", "→": " "})


def _plain(words: list[str], name: list[str]) -> bool:
    """Whether the words, as keyboards have them, begin some words of the name in their order."""
    typed, meant = (" ".join(part).translate(_AS_TYPED).split() for part in (words, name))
    left = iter(meant)
    return bool(typed) and all(any(part.startswith(word) for part in left) for word in typed)


def _equal(words: list[str], name: list[str]) -> bool:
    return words == name


def _joined(words: list[str], name: list[str]) -> bool:
    return " ".join(name).startswith(" ".join(words))


def _wordwise(words: list[str], name: list[str]) -> bool:
    return len(words) == len(name) and all(
        part.startswith(word) for word, part in zip(words, name, strict=True)
    )
