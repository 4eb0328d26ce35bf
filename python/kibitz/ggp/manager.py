"""A game manager: one match between players of which some are remote and some are here.

In every turn every role moves, as the protocol has it: a remote player is asked even where it has no
choice. Whose answer is late or illegal moves at random, legally, and the log and the match's record say
so.
"""

from __future__ import annotations

import asyncio
import logging
import random
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import httpx

from kibitz import planners
from kibitz._core import Decision, Game, Planner, Referee, State
from kibitz.advice import for_seconds
from kibitz.episode import Episode, Report, Step, enough_steps, seat_seed, steps_of
from kibitz.ggp import is_address, messages
from kibitz.ggp.clocks import Processors
from kibitz.ggp.line import Late, Line
from kibitz.ggp.messages import Told
from kibitz.ggp.record import Record

log = logging.getLogger("kibitz.ggp")

LOCAL = 0.1
"""Of the play clock is kept by planners that play here."""
PROCESSORS = Processors()
"""What they share."""


@dataclass(frozen=True)
class Turn:
    """A turn of the rules: a move of each role, and what each player was told."""

    moves: list[str]
    percepts: list[list[str]]
    """Of each player; empty where nothing is hidden."""
    after: State = field(repr=False)


def by_turns(reports: Sequence[Report]) -> list[list[Report]]:
    """A referee's steps by turns of the rules: the players' step and chance's are one turn."""
    split: list[list[Report]] = [[]]
    for report in reports:
        split[-1].append(report)
        if not report[0].within_turn:
            split.append([])
    return split[:-1]


def turn_of(before: State, steps: Sequence[Report]) -> Turn:
    """The turn that these steps make up, in which every role moves.

    >>> import kibitz as kb
    >>> from kibitz.ggp.manager import turn_of
    >>> game = kb.load("tic-tac-toe.kif")
    >>> turn_of(game.initial(), kb.Referee(game).apply([4])).moves
    ['(mark 2 2)', 'noop']
    """
    game = before.game
    roles = game.roles
    place = {player: role for role, (_, player) in enumerate(roles)}
    # Who has no choice moves all the same.
    moves = [(before.role_moves(role) or [messages.NIL])[0] for role in range(len(roles))]
    for after, joint, *_ in steps:
        if before.movers:
            for mover, action in zip(before.movers, joint, strict=True):
                moves[place[mover]] = before.action_name(mover, action)
        elif None in place:
            moves[place[None]] = before.action_name(None, joint[0])
        before = after
    hidden = not game.info.perfect_information
    percepts = [before.percepts(player) for player in range(game.info.players)] if hidden else []
    return Turn(moves, percepts, before)


def rules_of(game: Game) -> str:
    """The rules of a game in prefix notation, as START has them; ValueError where they are not GDL."""
    from kibitz.lang.asp import infix_terms

    if game.machine is None or not game.roles:
        raise ValueError(f"{game.spec} has no rules to send: only games made of rules in GDL can be hosted")
    made: Any = game.__reduce__()[1]
    file, data = made
    text: str = file.applied(data)[0]
    if file.path.lower().endswith(".gdl"):
        return " ".join(messages.prefix(infix_terms(text)))
    return text


@dataclass(frozen=True)
class Setting:
    """What a match is played with."""

    match: str = "match.1"
    start_clock: float = 30.0
    play_clock: float = 10.0
    seed: int = 0
    episode: int = 0
    percepts_only: bool = False
    """Where something is hidden: PLAY has percepts in place of moves, and neither the turn nor the last
    move."""


@dataclass(frozen=True)
class Played:
    """A match that was played."""

    record: Record
    episode: Episode


async def play(
    game: Game,
    players: Sequence[str | planners.AnyPlanner],
    setting: Setting,
    using: httpx.AsyncClient | None = None,
) -> Played:
    """Plays a match between players, each an address, a planner or its spec, in the order of the seats."""
    from kibitz.ggp.line import client

    if len(players) != game.info.players:
        raise ValueError(f"{game.spec} has {game.info.players} players, and {len(players)} are named")
    async with using or client(player for player in players if isinstance(player, str)) as shared:
        if game.tick is None:
            return await Match(game, players, setting, shared).play()
        from kibitz.ggp.timed import TimedMatch

        return await TimedMatch(game, players, setting, shared).play()


class Match:
    """A match that is played turn by turn."""

    def __init__(
        self,
        game: Game,
        players: Sequence[str | planners.AnyPlanner],
        setting: Setting,
        using: httpx.AsyncClient,
    ) -> None:
        self.game, self.setting = game, setting
        self.players = [player if isinstance(player, str) else player.spec for player in players]
        """What they are called."""
        self.referee = Referee(game, setting.seed, setting.episode, max_steps=enough_steps(game.info))
        self.hidden = not game.info.perfect_information
        self.random = random.Random(seat_seed(setting.seed, setting.episode, game.info.players))
        seeds = [seat_seed(setting.seed, setting.episode, seat) for seat in range(len(players))]
        self.lines: dict[int, Line] = {}
        self.local: dict[int, planners.AnyPlanner] = {}
        for seat, player in enumerate(players):
            if isinstance(player, str) and is_address(player):
                self.lines[seat] = Line(player, using)
            elif isinstance(player, str):
                self.local[seat] = planners.planner(for_seconds(player, (1 - LOCAL) * setting.play_clock))
            else:
                self.local[seat] = player
        for seat, chooser in self.local.items():
            planners.sit(chooser, self.referee.seat(seat), seat, seeds[seat])
        self.roles = game.roles
        self.role = {player: role for role, (_, player) in enumerate(self.roles)}
        self.rules = rules_of(game) if self.lines else ""
        names = ["random" if player is None else self.players[player] for _, player in self.roles]
        clocks = setting.start_clock, setting.play_clock
        roles = [role for role, _ in self.roles]
        self.record = Record(setting.match, game.spec, roles, names, *clocks, started=milliseconds())
        self.steps: list[Step] = []
        self.number = 0
        """How many turns are over."""
        self.last: Turn | None = None
        self.errors: dict[int, str] = {}
        """What was wrong with the answers of this turn, by seats."""

    def name(self, seat: int) -> str:
        """What the match is called to a player: who plays several seats must be able to tell them apart."""
        url = self.players[seat]
        several = [other for other in self.lines if self.players[other] == url]
        return (
            self.setting.match
            if len(several) == 1
            else f"{self.setting.match}.{self.roles[self.role[seat]][0]}"
        )

    async def play(self) -> Played:
        """Plays the match."""
        before = self.game.initial()
        self.record.state(self._facts(before), milliseconds())
        try:
            await self._begin()
            await self._turns()
            self.record.completed = self.referee.over
            self.record.goals = self._goals()
            await self._end()
        except BaseException:
            self.record.aborted = True
            await self._abort()
            raise
        game, setting, referee = self.game, self.setting, self.referee
        specs = tuple(self.players)
        left = referee.returns, self.steps, referee.state, referee.over
        return Played(self.record, Episode(game, specs, setting.seed, setting.episode, *left))

    async def _turns(self) -> None:
        """Plays to the end."""
        before = self.game.initial()
        # Turns in which no player has a choice: they are over, and remote players are told all the same.
        decided = by_turns(self.referee.opening())
        while decided or self.referee.goes_on:
            decisions = await self._ask(before, choice=not decided)
            if not decided:
                decided = by_turns(self.referee.apply(decisions))
            steps = decided.pop(0)
            self.steps += steps_of(steps, before, decisions)
            self.last = turn_of(before, steps)
            self._write(self.last)
            self.number, before = self.number + 1, self.last.after

    def _facts(self, state: State) -> list[str]:
        """What holds, as records have it."""
        return state.facts

    def _goals(self) -> list[float]:
        returns = self.referee.returns
        return [0.0 if player is None else returns[player] for _, player in self.roles]

    def _write(self, turn: Turn) -> None:
        errors = [self.errors.get(-1 if player is None else player, "") for _, player in self.roles]
        self.record.turn(turn.moves, errors, self._facts(turn.after), milliseconds())
        self.errors = {}

    async def _begin(self) -> None:
        clocks = self.setting.start_clock, self.setting.play_clock

        async def begin(seat: int, line: Line) -> None:
            role = self.roles[self.role[seat]][0]
            message = messages.start(self.name(seat), role, self.rules, *clocks)
            try:
                answer = await line.ask(message, clocks[0])
                if answer.upper() != messages.READY:
                    log.warning("%s: %s answered %s to START", self.setting.match, line.url, answer)
            except Late as late:
                log.warning("%s: %s is not ready: %s", self.setting.match, line.url, late)

        await asyncio.gather(*(begin(seat, line) for seat, line in self.lines.items()))

    def _told(self, seat: int, stop: bool = False) -> str:
        match, number, last = self.name(seat), self.number, self.last
        if not self.hidden:
            moves = None if last is None else tuple(last.moves)
            return messages.told(Told(match, moves, last=stop))
        heard = None if last is None else tuple(last.percepts[seat])
        if self.setting.percepts_only:
            return messages.told(Told(match, heard, last=stop))
        own = None if last is None else last.moves[self.role[seat]]
        return messages.told(Told(match, heard, turn=number, own=own, last=stop))

    async def _ask(self, before: State, choice: bool) -> list[Decision]:
        """Asks all who must be asked at once; the decisions of those who have a choice."""
        movers = before.movers if choice else []
        remote = [self._remote(seat, before, seat in movers) for seat in self.lines]
        here = [self._here(seat) for seat in movers if seat in self.local]
        decided = await asyncio.gather(*remote, *here)
        return [
            decision for _, decision in sorted(decided, key=lambda each: each[0]) if decision is not None
        ]

    async def _remote(self, seat: int, before: State, choice: bool) -> tuple[int, Decision | None]:
        line, begin, number = self.lines[seat], time.monotonic(), self.number
        legal = before.role_moves(self.role[seat])
        message = self._told(seat)
        chosen, note = None, ""
        try:
            answer = await line.ask(message, self.setting.play_clock, turn=number)
            chosen = next((name for name in legal if messages.same(name, answer)), None)
            note = f"answered in {time.monotonic() - begin:.3f} s"
            if chosen is None:
                self.errors[seat] = f"illegal: {messages.brief(answer)}"
        except Late as late:
            self.errors[seat] = str(late)
        if chosen is None:
            chosen = self.random.choice(legal)
            note = f"{self.errors[seat]}; {chosen} at random"
            log.warning("%s: turn %d: %s: %s", self.setting.match, number, line.url, note)
        if not choice:
            return seat, None
        action = before.find_action(seat, chosen)
        return seat, Decision(self.referee.view(seat), action, notes=[f"{line.url}: {note}"])

    async def _here(self, seat: int) -> tuple[int, Decision | None]:
        chooser, view = self.local[seat], self.referee.view(seat)
        end = time.monotonic() + (1 - LOCAL) * self.setting.play_clock

        def think() -> Decision:
            with PROCESSORS.share(end) as seconds:
                if isinstance(chooser, Planner) and not chooser.cheats:
                    return chooser.act(view, seconds=seconds)
                return planners.decide(chooser, self.referee, seat, view)

        return seat, await asyncio.to_thread(think)

    async def _end(self) -> None:
        async def end(seat: int, line: Line) -> None:
            try:
                # In real time a play clock may be very short.
                seconds = max(self.setting.play_clock, 1.0)
                await line.ask(self._told(seat, stop=True), seconds, turn=self.number)
            except Late as late:
                log.warning("%s: %s was not told the end: %s", self.setting.match, line.url, late)

        await asyncio.gather(*(end(seat, line) for seat, line in self.lines.items()))

    async def _abort(self) -> None:
        async def end(seat: int, line: Line) -> None:
            try:
                await line.ask(messages.abort(self.name(seat)), 1.0)
            except Late as late:
                log.warning("%s: %s was not told of the end: %s", self.setting.match, line.url, late)

        await asyncio.gather(*(end(seat, line) for seat, line in self.lines.items()))


def milliseconds() -> int:
    """Since 1970."""
    return round(1000 * time.time())
