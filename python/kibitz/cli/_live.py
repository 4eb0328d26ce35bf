"""Playing at a steady tick: keys are read while the clock runs, and what was pressed last is done.

`Live` sits on a seat like any planner. The clock and the keyboard are handed to it, so that tests need
neither.
"""

from __future__ import annotations

import os
import select
import sys
import time
from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING, Protocol, Self

if TYPE_CHECKING:
    from kibitz import Decision, Game, View

ARROWS = {"A": "up", "B": "down", "C": "right", "D": "left"}
"""What a terminal sends after ESC [ or ESC O."""
ACTIONS = {"wait", "use", *ARROWS.values()}
"""The names of actions that keys stand for."""
SLOWER = 4
"""How many times longer a tick is in slow motion."""
HELP = "arrows and space: play   p: pause   .: one tick   s: slow motion   q: leave"


def can_be_live(game: Game) -> bool:
    """Whether a game is for one player whose actions are those that keys stand for.

    >>> import kibitz as kb
    >>> from kibitz.cli._live import can_be_live
    >>> can_be_live(kb.load("crate-store")), can_be_live(kb.load("rock-sample"))
    (True, False)
    """
    if game.info.players != 1:
        return False
    state = game.initial()
    if state.over or list(state.movers) != [0]:
        return False
    names = {state.action_name(0, action) for action in state.legal(0)}
    return "wait" in names and names <= ACTIONS


class Keyboard(Protocol):
    """Where keys come from."""

    def read(self, seconds: float) -> str | None:
        """The next key, if one is pressed within so many seconds: an action's name, or a character."""


class Terminal:
    """The keys of this terminal, one by one; and its screen, which is as before when we leave."""

    def __init__(self) -> None:
        self._pending = ""

    def __enter__(self) -> Self:
        import termios
        import tty

        self._file = sys.stdin.fileno()
        self._before = termios.tcgetattr(self._file)
        tty.setcbreak(self._file)
        sys.stdout.write("\x1b[?1049h\x1b[?25l")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        import termios

        termios.tcsetattr(self._file, termios.TCSADRAIN, self._before)
        sys.stdout.write("\x1b[?25h\x1b[?1049l")
        sys.stdout.flush()

    def draw(self, text: str) -> None:
        """Shows a text in place of what was there."""
        lines = text.replace("\n", "\x1b[K\r\n")
        sys.stdout.write(f"\x1b[H{lines}\x1b[J")
        sys.stdout.flush()

    def read(self, seconds: float) -> str | None:
        """The next key, if there is one in time."""
        if not self._pending:
            ready, _, _ = select.select([self._file], [], [], max(0.0, seconds))
            if not ready:
                return None
            data = os.read(self._file, 1024)
            if not data:
                return "q"
            self._pending = data.decode(errors="replace")
        key, self._pending = first_key(self._pending)
        return key


def first_key(text: str) -> tuple[str, str]:
    """The first key of what a terminal has sent, and the rest.

    >>> from kibitz.cli._live import first_key
    >>> first_key("\\x1b[A "), first_key(" q"), first_key("\\x1b")
    (('up', ' '), ('use', 'q'), ('', ''))
    """
    if text[:2] in ("\x1b[", "\x1bO"):
        return ARROWS.get(text[2:3], ""), text[3:]
    if text[0] == "\x1b":
        return "", text[1:]
    return ("use" if text[0] == " " else text[0].lower()), text[1:]


class Leave(Exception):  # noqa: N818 -- what a person wants
    """A person leaves the game."""


class Live:
    """Somebody at the keyboard, who is given a tick's time for each move."""

    spec = "human"

    def __init__(
        self,
        keyboard: Keyboard,
        draw: Callable[[str], object],
        tick: float,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self.keyboard, self.draw, self.tick, self.now = keyboard, draw, tick, now
        self.paused = self.slow = False
        self.due: float | None = None
        """When the tick that runs is over."""

    def start(self, game: Game, seat: int, seed: int) -> None:
        """Needs no preparation."""

    def act(self, view: View) -> Decision:
        """What was pressed last while the tick ran, or nothing; Leave where the person wants that."""
        from kibitz import Decision

        actions = dict(zip(view.names(), view.legal(), strict=True))
        chosen = "wait"
        length = self.tick * (SLOWER if self.slow else 1)
        now = self.now()
        # Ticks follow one another steadily; a tick that came late is not made up for.
        self.due = max(now, (now if self.due is None else self.due) + length)
        self.draw(self.screen(view))
        while self.paused or self.now() < self.due:
            key = self.keyboard.read(3600 if self.paused else self.due - self.now())
            if key == "q":
                raise Leave
            if key == "s":
                self.slow = not self.slow
            elif key == "p":
                self.paused = not self.paused
                self.due = self.now() + length
            elif key == "." and self.paused:
                break
            elif key in actions:
                chosen = key
            if key is not None:
                self.draw(self.screen(view))
        return Decision(view, actions.get(chosen, next(iter(actions.values()))))

    def screen(self, view: View) -> str:
        """The position, and what can be pressed."""
        marks = [word for word, on in (("paused", self.paused), ("slow motion", self.slow)) if on]
        return f"{view.text().rstrip()}\n\n{HELP}{'   [' + ', '.join(marks) + ']' if marks else ''}\n"
