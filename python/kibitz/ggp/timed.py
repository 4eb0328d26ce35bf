"""A game manager in real time: choices come when they come, and are judged by what is then.

Everybody is told what somebody did and when; what happens by itself nobody is told of. Who sent what was
not legal when it came is told NIL, and nobody else is told anything. Where something is hidden, who
moved is told what it perceives, and others where they perceive something else than if nothing had happened.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Sequence

from kibitz import planners
from kibitz._core import Decision, Planner, State, View
from kibitz.episode import Report, Step, steps_of
from kibitz.ggp import messages
from kibitz.ggp.line import Late
from kibitz.ggp.manager import Match, milliseconds
from kibitz.ggp.messages import Told
from kibitz.rules import WAIT

log = logging.getLogger("kibitz.ggp")

LONG = 3600.0
"""Seconds that an answer may take: as long as there is nothing to do."""
DRAWN = " after "
"""Between a move of chance and the time that it takes, in the name of such a draw."""
STILL = 60.0
"""Seconds, and as many play clocks, after which a match is left in which nobody does anything and
nothing happens."""


class TimedMatch(Match):
    """A match that is refereed by a clock: a unit of the rules' time takes a play clock."""

    async def _turns(self) -> None:
        loop = asyncio.get_running_loop()
        self.zero = loop.time()
        self.unit = (self.game.tick or 1.0) * self.setting.play_clock
        """Seconds of a tick."""
        self.inbox: asyncio.Queue[tuple[int, str | Decision]] = asyncio.Queue()
        self.woken = {seat: asyncio.Event() for seat in self.local}
        self.numbers = dict.fromkeys(self.lines, 0)
        self.refused = 0
        """How many moves were not legal when they came."""
        self.told = dict.fromkeys(range(self.game.info.players), 0)
        """How many things each seat had been told of when it was told last."""
        self.tasks: set[asyncio.Task[None]] = set()
        self.before = self.game.initial()
        self.stepped = 0
        """When the last step was."""
        self.drawn: tuple[int, str] | None = None
        """What chance is about to do, and when."""
        self.final: dict[int, list[str]] = {}
        """What each remote player is told of the last step, if the match ends with it."""
        try:
            for seat in self.lines:
                self._send(seat, None, 0)
            self._take(self.referee.opening())
            for seat in self.local:
                self._begin_task(self._think(seat))
            await self._go_on()
        finally:
            for task in self.tasks:
                task.cancel()
            await asyncio.gather(*self.tasks, return_exceptions=True)

    def tick(self) -> int:
        """What time it is."""
        return max(self.referee.now, int((asyncio.get_running_loop().time() - self.zero) / self.unit))

    async def _go_on(self) -> None:
        referee, still = self.referee, STILL * (1 + self.setting.play_clock)
        while referee.goes_on:
            due = referee.due
            seconds = still if due is None else max(0.0, (due - self.tick()) * self.unit)
            arrived: list[tuple[int, str | Decision]] = []
            with contextlib.suppress(TimeoutError):
                arrived.append(await asyncio.wait_for(self.inbox.get(), seconds))
            if not arrived and due is None:
                log.warning("%s: nobody does anything; left", self.setting.match)
                return
            while not self.inbox.empty():
                arrived.append(self.inbox.get_nowait())
            now = self.tick()
            self._take(referee.advance(now))
            for seat, choice in arrived:
                self._submit(seat, choice, now)
            self._take(referee.advance(now))
            if arrived:
                await asyncio.sleep(0)

    def _submit(self, seat: int, choice: str | Decision, now: int) -> None:
        if not choice or not self.referee.goes_on:
            return
        try:
            if isinstance(choice, Decision):
                self.referee.submit(seat, choice)
            else:
                state = self.referee.state
                if seat not in state.movers:
                    raise ValueError(f"{choice} is not legal now")
                self.referee.submit(seat, state.find_action(seat, choice))
        except ValueError as illegal:
            who, what = self.players[seat], messages.brief(str(illegal), messages.LONGEST)
            log.info("%s: at %g: %s: %s", self.setting.match, self._time(now), who, what)
            self.refused += 1
            if seat in self.lines:
                self._send(seat, None, now)
            else:
                self.woken[seat].set()

    def _facts(self, state: State) -> list[str]:
        written = []
        for fact in state.facts:
            name, has_end, lifetime = fact.rpartition(" for ")
            written.append(f"(true {lifetime} {name})" if has_end else f"(true infinity {fact})")
        return written

    def _time(self, tick: int) -> float:
        return tick * (self.game.tick or 1.0)

    def _take(self, reports: Sequence[Report]) -> None:
        """What happened, step by step: it is written down, and told."""
        for report, step in zip(reports, steps_of(reports, self.before), strict=True):
            self.stepped += report[4]
            if self._draws(step):
                self.before = step.state
                self.steps.append(step)
                continue
            moves = [messages.NIL] * len(self.roles)
            for mover, name, action in zip(step.movers, step.names, step.joint, strict=False):
                if action != WAIT:
                    moves[self.role[mover]] = name
            if not step.movers and step.names:
                moves[self.role[None]] = step.names[0]
            if self.drawn is not None and self.drawn[0] <= self.stepped:
                # Otherwise it is wasted.
                if self.drawn[1] in self.before.role_moves(self.role[None]):
                    moves[self.role[None]] = self.drawn[1]
                self.drawn = None
            self.before = step.state
            self.steps.append(step)
            self.record.turn(moves, [""] * len(moves), self._facts(step.state), milliseconds())
            moved = {seat for seat in self.lines if moves[self.role[seat]] != messages.NIL}
            for seat in self.lines:
                learns = self._learns(seat, moves)
                told = moves
                if self.hidden:
                    told = self._perceives(seat, step, seat in moved)
                self.final[seat] = told
                # What ends the match is told by STOP.
                if (learns or seat in moved) and not step.state.over:
                    self._send(seat, told, self.stepped)
        for seat in self.local:
            if self._heard(seat):
                self.woken[seat].set()

    def _draws(self, step: Step) -> bool:
        """Whether a step only says what chance will do, or when: it is a move once it is made."""
        if step.movers or not step.names:
            return False
        move, after, wait = step.names[0].partition(DRAWN)
        if after:
            self.drawn = (self.stepped + round(float(wait) / (self.game.tick or 1.0)), move)
            return True
        # When it will be is drawn next.
        state = step.state
        return state.chance and state.action_name(None, state.draw(0)).startswith(move + DRAWN)

    def _learns(self, seat: int, moves: Sequence[str]) -> bool:
        """Whether a remote player is told of a step."""
        if not self.hidden:
            return any(move != messages.NIL for move in moves)
        return self._heard(seat)

    def _perceives(self, seat: int, step: Step, moved: bool) -> list[str]:
        """What a remote player is told where something is hidden: its own move first, if it made one,
        and NIL after it where it perceives nothing then."""
        kinds = [kind for kind, _, _ in self.referee.view(seat).events if kind != "passed"]
        role = self.roles[self.role[seat]][0]
        each = zip(step.movers, step.names, strict=False)
        own = [name for mover, name in each if mover == seat and moved]
        perceives = not moved or kinds[-1:] == ["observed"]
        heard = step.state.percepts(seat) if perceives else [messages.NIL]
        return [f"(does {role} {name})" for name in own] + heard

    def _heard(self, seat: int) -> bool:
        """Whether a seat has acted, or was told of something, since this was asked last."""
        heard = sum(kind != "passed" for kind, _, _ in self.referee.view(seat).events)
        before, self.told[seat] = self.told[seat], heard
        return heard > before

    def _told(self, seat: int, stop: bool = False) -> str:
        moves = tuple(self.final.get(seat) or [messages.NIL] * len(self.roles))
        self.number = self.numbers[seat]
        return messages.told(Told(self.name(seat), moves, time=self._time(self.stepped), last=stop))

    def _send(self, seat: int, moves: Sequence[str] | None, at: int) -> None:
        number = self.numbers[seat]
        self.numbers[seat] += 1
        told = Told(self.name(seat), None if moves is None else tuple(moves), time=self._time(at))
        self._begin_task(self._ask_one(seat, messages.told(told), number))

    def _begin_task(self, work: object) -> None:
        task: asyncio.Task[None] = asyncio.create_task(work)  # type: ignore[arg-type]
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    async def _ask_one(self, seat: int, message: str, number: int) -> None:
        line = self.lines[seat]
        try:
            answer = await line.ask(message, LONG, turn=number)
        except Late as late:
            log.warning("%s: %s: %s", self.setting.match, line.url, late)
            return
        if answer.upper() not in (messages.NIL, messages.BUSY, messages.READY, messages.DONE):
            self.inbox.put_nowait((seat, answer))

    async def _think(self, seat: int) -> None:
        """A planner that plays here, all the time."""
        chooser, woken = self.local[seat], self.woken[seat]

        def think(view: View) -> Decision:
            if isinstance(chooser, Planner) and not chooser.cheats:
                return chooser.act(view, seconds=max(0.01, 0.1 * self.setting.play_clock))
            return planners.decide(chooser, self.referee, seat, view)

        while True:
            woken.clear()
            now = self.tick()
            self._take(self.referee.advance(now))
            view = self.referee.view(seat)
            seconds: float | None = None
            if view.legal():
                decision = await asyncio.to_thread(think, view)
                if decision.ticks is None:
                    self.inbox.put_nowait((seat, decision))
                else:
                    seconds = max(0.0, (now + decision.ticks - self.tick()) * self.unit)
            elif (due := self.referee.due) is not None:
                seconds = max(0.001, (due - self.tick()) * self.unit)
            elif not self.referee.goes_on:
                self.inbox.put_nowait((seat, ""))  # so that this is seen
                return
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(woken.wait(), seconds)
