"""One match as a player sees it: the rules, what was told so far, and a planner that answers.

Everything here blocks, and is called by one thread at a time. Rules come from the network: they are read
within limits, as any rules file is, and never evaluated.
"""

from __future__ import annotations

import logging
import random
import time
from collections.abc import Callable, Mapping

from kibitz import planners
from kibitz._core import Game, Planner, RulesFile, Told
from kibitz.advice import for_seconds
from kibitz.ggp import messages
from kibitz.ggp.clocks import Processors
from kibitz.ggp.messages import Start, brief

log = logging.getLogger("kibitz.ggp")

Chosen = Callable[[Game], "str | planners.AnyPlanner"]
"""Says which planner is to play a game: its spec, or a new one."""

FOR_RULES = 0.5
"""Of the start clock, for grounding: where that is not enough, a reasoner plays the rules as they are."""
FOR_HISTORIES = 0.3
"""Of the time to think, for finding out what may have happened where something is hidden."""


FOR_CHOICE = 0.1
"""Of a unit of a game's time in real time, for a decision of a planner that has no budget of its own."""
NEVER = 2**63
"""Ticks that never go by."""


class GameClock:
    """What time it is in a match in real time, as far as a player can know: messages take a while, so
    that the one that says the latest time for when it came is right.

    >>> from kibitz.ggp.seat import GameClock
    >>> clock = GameClock(10.0, now=lambda: 105.0)
    >>> clock.heard(0.0, arrived=100.0)
    >>> clock.now(), clock.seconds(2.0)
    (0.5, 15.0)
    """

    def __init__(self, unit: float, now: Callable[[], float] = time.monotonic) -> None:
        self._unit, self._monotonic = max(unit, 1e-6), now
        self._begin: float | None = None

    def heard(self, told: float, arrived: float) -> None:
        """It was so late in the match, in units, when a message was sent that came at a time."""
        begin = arrived - told * self._unit
        self._begin = begin if self._begin is None else min(self._begin, begin)

    def now(self) -> float:
        """Units since the beginning."""
        return 0.0 if self._begin is None else max(0.0, self._monotonic() - self._begin) / self._unit

    def seconds(self, until: float) -> float:
        """Seconds until it is so late; less than none where it was before."""
        return (until - self.now()) * self._unit


class Seat:
    """A player's seat in one match.

    >>> from kibitz.ggp.messages import Start, Told
    >>> from kibitz.ggp.seat import Seat
    >>> from kibitz.lang import FOLDER
    >>> rules = (FOLDER / "tic-tac-toe.kif").read_text()
    >>> seat = Seat(Start("match.1", "XPLAYER", rules, 10, 10), "random", seed=1)
    >>> seat.begin()
    >>> seat.turn(Told("match.1", None), seconds=1).startswith("(mark")
    True
    """

    def __init__(
        self,
        start: Start,
        planner: str | Chosen,
        *,
        seed: int = 0,
        limits: Mapping[str, float] | None = None,
        processors: Processors | None = None,
    ) -> None:
        self.start, self._processors = start, processors or Processors()
        self._planner, self._seed, self._limits = planner, seed, dict(limits or {})
        self._random = random.Random(seed)
        self.choices: list[str] = []
        """What may be done now; what there is to choose from at random if nothing better comes in time."""
        self.answered: str | None = None
        """The last answer; whoever sends it says so."""
        self.made: int | None = None
        """In real time: the number of the move that was sent last, until it is known what came of it."""
        self._looked = 0
        """In real time: the tick for which its planner was asked last."""
        self._says_moves = False
        """Whether the manager says so where percepts are told."""
        self.late = False
        """Whether the manager played something else than the last answer: it came too late."""

    def begin(self) -> None:
        """Reads the rules and has the planner begin; ValueError, with a sentence, where that cannot be."""
        seconds = max(0.1, FOR_RULES * self.start.start_clock)
        limits = {"seconds": min(seconds, 20.0)} | self._limits
        file = RulesFile(f"{NAME}.kif", list(limits.items()))
        self.game = game = Game.from_rules(file, [self.start.rules.encode()])
        self._role, self._player = _role(game, self.start.role)
        self.told = Told(game, self._player, self._seed)
        chosen = self._planner if isinstance(self._planner, str) else self._planner(game)
        self.clock = GameClock(self.start.play_clock)
        if isinstance(chosen, str):
            # Its own budget, if it has one, or all the time that there is; where time goes by, a part of
            # its unit.
            share = FOR_CHOICE if game.tick is not None else 1.0
            chosen = for_seconds(chosen, max(0.01, share * self.start.play_clock))
        self._chooser = planners.planner(chosen)
        planners.sit(self._chooser, game, self._player, self._seed)
        self.choices = self.told.moves

    @property
    def turns(self) -> int:
        """How many turns it knows of."""
        return self.told.turns

    def fits(self, told: messages.Told) -> bool:
        """Whether a message may be of the next turn: this player did in it what it answered last.

        A message of the protocol for open games has no number; one that comes twice is told by this.
        """
        if told.moves is None:
            return self.answered is None
        if self.told.hidden:
            return True  # what is perceived may well be the same again
        own = told.moves[self._role] if self._role < len(told.moves) else None
        return own is not None and self.answered is not None and messages.same(own, self.answered)

    def turn(self, told: messages.Told, seconds: float) -> str:
        """What to answer to PLAY, within about so many seconds: always something legal, as far as can be
        known."""
        end = time.monotonic() + seconds
        self.hear(told, end)
        if not self.choices:
            return messages.NIL
        return self.choices[0] if len(self.choices) == 1 else self._choose(end)

    def hear(self, told: messages.Told, end: float) -> None:
        """Takes in what happened, before a time; what cannot have happened is logged, and passed over."""
        try:
            self._take_in(told, end)
        except ValueError as error:
            log.warning("%s: %s; passed over", self.start.match, brief(str(error), messages.LONGEST))
        self.choices = self.told.moves

    def _take_in(self, told: messages.Told, end: float) -> None:
        if told.moves is None or (self.told.hidden and told.last):
            return
        if not self.told.hidden:
            if told.turn is not None:
                raise ValueError("percepts were told, and these rules hide nothing")
            self.told.moved(told.moves)
            own: str | None = told.moves[self._role]
        else:
            while told.turn is not None and self.told.turns < told.turn - 1:
                log.warning("%s: a turn was missed", self.start.match)
                self.told.heard(None, [])
            own = self.answered if told.own is None else told.own
            with self._processors.share(end) as seconds:
                trouble = self.told.heard(own, told.moves, FOR_HISTORIES * seconds)
            if trouble:
                log.warning("%s: %s", self.start.match, trouble)
        if self.answered is not None and own is not None:
            self.late = not messages.same(own, self.answered)

    def _choose(self, end: float) -> str:
        view = self.told.view()
        try:
            with self._processors.share(end) as seconds:
                if isinstance(self._chooser, Planner):
                    name = self._chooser.act(view, seconds=seconds).name
                else:
                    name = planners.ask(self._chooser, view).name
        except Exception as error:
            # Whatever a planner does, the match goes on.
            log.warning("%s: the planner failed: %s", self.start.match, brief(str(error), messages.LONGEST))
            return self.any()
        if name in self.choices:
            return name
        log.warning("%s: the planner chose %s, which may not be legal", self.start.match, name)
        return self.any()

    def any(self) -> str:
        """Any legal move."""
        return self._random.choice(self.choices)

    # In real time

    def happened(self, told: messages.Told, arrived: float) -> None:
        """Takes in what happened at the message's time; what cannot have happened is logged, and passed
        over."""
        tick, time_told = self.game.tick or 1.0, told.time or 0.0
        at = max(0, round(time_told / tick))
        if at < self.told.now:
            log.warning(
                "%s: the manager's clock has gone back to %g; passed over", self.start.match, time_told
            )
            at = self.told.now
        self.clock.heard(time_told, arrived)
        if told.moves is None:
            self.made = None
            return
        if at < self._looked:
            # The planner took it that nothing had happened until then: it begins anew.
            planners.sit(self._chooser, self.game, self._player, self._seed)
            self._looked = at
        if self.told.hidden:
            self._perceived(at, list(told.moves))
            return
        moves = [None if messages.same(move, messages.NIL) else move for move in told.moves]
        try:
            self.told.happened(at, moves)
        except ValueError as error:
            log.warning("%s: %s; passed over", self.start.match, brief(str(error), messages.LONGEST))

    def _perceived(self, at: int, heard: list[str]) -> None:
        """Takes in percepts. Our manager says first what the player did, if that is what it is told of;
        others do not, and a move that was sent and not refused was made."""
        own, percepts = self.made, heard
        if heard and heard[0].lower().startswith("(does "):
            self._says_moves = True
            self.made, percepts = None, heard[1:]
        elif self._says_moves:
            own = None  # it is still on its way
        else:
            self.made = None
        nothing = [word.lower() for word in percepts] == ["nil"]
        trouble = self.told.heard_at(at, own, None if nothing else percepts, FOR_HISTORIES)
        if trouble:
            log.warning("%s: %s", self.start.match, trouble)

    def instant(self) -> tuple[str | None, float | None]:
        """A move for now, or none; and for how many seconds to do nothing before looking again, None: until
        something is told."""
        tick = self.game.tick or 1.0
        now = max(self.told.now, int(self.clock.now() / tick))
        view = self.told.view_at(now)
        if view.legal():
            self._looked = now
            seconds = max(0.01, FOR_CHOICE * self.start.play_clock)
            try:
                if isinstance(self._chooser, Planner):
                    decision = self._chooser.act(view, seconds=seconds)
                else:
                    decision = planners.ask(self._chooser, view)
            except Exception as error:
                log.warning(
                    "%s: the planner failed: %s", self.start.match, brief(str(error), messages.LONGEST)
                )
                return self._random.choice(view.names()), None
            if decision.ticks is None:
                self.made = decision.action
                return decision.name, None
            until: int | None = now + decision.ticks
        else:
            until = self.told.due(now)
        if until is None or until >= NEVER:
            return None, None
        return None, max(0.0, self.clock.seconds(until * tick))


NAME = "rules"
"""What findings call the rules."""


def _role(game: Game, name: str) -> tuple[int, int]:
    """The place of a role in the order of the rules, and its player."""
    for place, (role, player) in enumerate(game.roles):
        if player is not None and messages.same(role, name):
            return place, player
    known = ", ".join(role for role, player in game.roles if player is not None)
    raise ValueError(f"there is no role {brief(name)}; there are {brief(known, messages.LONGEST)}")
