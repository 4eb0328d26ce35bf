"""Games that do not wait, in a terminal: keys are read while the clock runs, and what was pressed last
is done.

`Live` sits on a seat like any planner. The clock and the keyboard are handed to it, so that tests need
neither.
"""

from __future__ import annotations

import os
import select
import sys
import time
from collections.abc import Callable, Iterator
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
PAUSES = "p: pause   .: one tick   s: slow motion   q: leave"
HELP = f"arrows and space: play   {PAUSES}"
GLANCE = 0.05
"""Seconds for which nothing is done in a game in real time before it is looked at again."""


def can_be_live(game: Game) -> bool:
    """Whether a game is in real time, or for one player whose actions are those that keys stand for.

    >>> import kibitz as kb
    >>> from kibitz.cli._live import can_be_live
    >>> can_be_live(kb.load("crate-store")), can_be_live(kb.load("rock-sample"))
    (True, False)
    """
    if game.tick is not None:
        return True
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


class Beat:
    """A clock that somebody at the keyboard can stop and slow down."""

    def __init__(self, keyboard: Keyboard, now: Callable[[], float] = time.monotonic) -> None:
        self.keyboard, self.now = keyboard, now
        self.paused = self.slow = False
        self.due: float | None = None
        """When what is waited for is over."""

    def keys(self, length: float) -> Iterator[str | None]:
        """The keys that are pressed, as they are, until so many seconds after the last wait; Leave where
        the person wants that. What came late is not made up for."""
        length *= SLOWER if self.slow else 1
        now = self.now()
        self.due = max(now, (now if self.due is None else self.due) + length)
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
                return
            if key is not None:
                yield key

    def marks(self) -> str:
        """What to say of it."""
        marks = [word for word, on in (("paused", self.paused), ("slow motion", self.slow)) if on]
        return f"   [{', '.join(marks)}]" if marks else ""


class Pace:
    """Has a game in real time go on no faster than a clock: a unit of its time takes so many seconds."""

    def __init__(self, game: Game, seconds: float, beat: Beat) -> None:
        self.tick, self.beat = (game.tick or 0.0) * seconds, beat
        self.at = 0

    def keep(self, now: int, draw: Callable[[], object] = lambda: None) -> None:
        """Waits until it is that tick of the game; `draw` is called for each key that is pressed
        meanwhile."""
        for _ in self.beat.keys((now - self.at) * self.tick):
            draw()
        self.at = now


class Live:
    """Somebody at the keyboard, who is given a tick's time for each move. In a game in real time a tick
    is as short as a glance, and what is pressed is done at once."""

    spec = "human"

    def __init__(
        self,
        keyboard: Keyboard,
        draw: Callable[[str], object],
        tick: float,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self.draw, self.tick, self.now = draw, tick, now
        self.beat = Beat(keyboard, now)
        self.unit: float | None = None
        """Ticks of a game in real time in a second."""
        self.over = 0.0
        """The part of a tick that has gone by already."""

    def start(self, game: Game, seat: int, seed: int) -> None:
        """Needs no preparation."""

    def act(self, view: View) -> Decision:
        """What was pressed last while the tick ran, or nothing; Leave where the person wants that."""
        from kibitz import WAIT, Decision

        actions = keys_of(view)
        chosen, begun = "wait", self.now()
        self.draw(self.screen(view))
        for key in self.beat.keys(self.tick):
            if key in actions:
                chosen = key or "wait"
                if view.may_wait:
                    break
            self.draw(self.screen(view))
        if not view.may_wait:
            return Decision(view, actions.get(chosen, next(iter(actions.values()))))
        unit, seconds = self.unit or 1.0, self.tick
        acts = chosen in actions
        if acts:
            # It took as long as it took; what comes next comes after it.
            self.beat.due = now = self.now()
            seconds = max(0.0, now - begun) / (SLOWER if self.beat.slow else 1)
        self.over += unit * seconds
        ticks = int(self.over)
        self.over -= ticks
        if acts:
            return Decision(view, actions[chosen], takes=ticks)
        return Decision(view, WAIT, ticks=max(1, ticks))

    def screen(self, view: View) -> str:
        """The position, and what can be pressed."""
        text = f"{view.text().rstrip()}\n\n"
        if view.may_wait:
            pressed: dict[int, list[str]] = {}
            for key, action in keys_of(view).items():
                pressed.setdefault(action, []).append(key)
            each = zip(view.legal(), view.names(), strict=True)
            text += "   ".join(f"{'/'.join(pressed[action])}: {name}" for action, name in each) + "\n"
            return f"{text}{PAUSES}{self.beat.marks()}\n"
        return f"{text}{HELP}{self.beat.marks()}\n"


def keys_of(view: View) -> dict[str, int]:
    """What each key does: an action that is called like an arrow key or space, and in real time the
    others by their numbers."""
    named = dict(zip(view.names(), view.legal(), strict=True))
    if not view.may_wait:
        return named
    keys: dict[str, int] = {}
    for number, (name, action) in enumerate(named.items(), 1):
        words = name.strip("()").lower().split()
        keys.update({word: action for word in words[-1:] if word in ACTIONS and word not in keys})
        if number <= 9:
            keys[str(number)] = action
    return keys
