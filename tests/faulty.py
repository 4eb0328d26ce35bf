"""Planners and games that go wrong, each in one way. Importable, so that other processes find them."""

import contextlib
import os
import signal
import time
from pathlib import Path
from typing import Any

import kibitz as kb


class First(kb.PlannerBase):
    """Takes the first legal action: the base of all that go wrong now and then."""

    def act(self, view: kb.View) -> kb.Decision:
        return kb.Decision(view, view.legal()[0])


class Raises(First):
    def act(self, view: kb.View) -> kb.Decision:
        raise KeyError("no such move")


class Illegal(First):
    def act(self, view: kb.View) -> kb.Decision:
        return kb.Decision(view, 77)


class Stale(First):
    """Answers with what it decided about an earlier view."""

    first: kb.Decision | None = None

    def act(self, view: kb.View) -> kb.Decision:
        self.first = self.first or super().act(view)
        return self.first


class NoDecision(First):
    def act(self, view: kb.View) -> Any:
        return 3


class Slow(First):
    def act(self, view: kb.View) -> kb.Decision:
        time.sleep(0.8)
        return super().act(view)


class Never(First):
    def act(self, view: kb.View) -> kb.Decision:
        while True:
            pass


class Killer(First):
    """Takes its process along."""

    def act(self, view: kb.View) -> kb.Decision:
        os.kill(os.getpid(), signal.SIGKILL)
        raise AssertionError


HOLD, KILL = "KIBITZ_TEST_HOLD", "KIBITZ_TEST_KILL"
BUSY = 30
"""The move at which a process is held or killed: it has finished some games by then, and is in one."""


def holding(folder: Path) -> dict[str, str]:
    """The environment in which each process stops where it is busiest, until the folder has a file `go`."""
    paths = str(Path(__file__).parent), *filter(None, [os.environ.get("PYTHONPATH")])
    return {"PYTHONPATH": os.pathsep.join(paths), HOLD: str(folder)}


def held(folder: Path) -> list[int]:
    """The processes that have stopped so."""
    return [int(path.name) for path in folder.iterdir() if path.name.isdigit()]


class Slowish(First):
    """Slow enough for somebody to interfere, who may have each process held or killed in the middle.

    Where the environment names a folder for it, each process is held there, or kills itself as long as
    there are files in the folder, of which it takes one along.
    """

    moves = 0

    def act(self, view: kb.View) -> kb.Decision:
        Slowish.moves += 1
        if Slowish.moves == BUSY:
            self._interfere()
        time.sleep(0.004)
        return kb.Decision(view, view.legal()[self.seed % len(view.legal())])

    def _interfere(self) -> None:
        if folder := os.environ.get(HOLD):
            Path(folder, str(os.getpid())).touch()
            while not Path(folder, "go").exists():
                time.sleep(0.01)
        for path in Path(os.environ[KILL]).iterdir() if KILL in os.environ else ():
            with contextlib.suppress(FileNotFoundError):  # another process was quicker
                path.unlink()
                os.kill(os.getpid(), signal.SIGKILL)


class Endless(kb.Rules[int]):
    """Goes on for ever, and says that it ends."""

    min_return, max_return, horizon = 0.0, 1.0, 5

    def initial(self) -> int:
        return 0

    def turn(self, state: int) -> int:
        return 0

    def legal(self, state: int, player: int) -> range:
        return range(2)

    def step(self, state: int, joint: Any) -> tuple[int, float]:
        return state + 1, 0.0


class Stuck(Endless):
    """Its rules never answer."""

    def step(self, state: int, joint: Any) -> tuple[int, float]:
        while state > 1:
            pass
        return state + 1, 0.0


class Broken(Endless):
    """Its rules fail after a few steps."""

    def step(self, state: int, joint: Any) -> tuple[int, float]:
        if state == 2:
            raise ZeroDivisionError("the rules are wrong")
        return state + 1, 1.0
