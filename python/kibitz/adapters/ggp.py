"""Players on the network as planners: `ggp:http://127.0.0.1:9147` sits on a seat of any game made of rules.

For the player it is a match like any other, refereed by us: it is told what its seat may know, and never
the truth. `ggp:http://...(play=5, start=30)` sets its clocks. The extra `web` is needed.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
import re
import uuid
import weakref
from concurrent.futures import ThreadPoolExecutor

from kibitz import PlannerBase, _core
from kibitz._core import Decision, Game, State, View
from kibitz._core import Told as Outside
from kibitz.ggp import checked, messages, needed
from kibitz.ggp.messages import Told

START, PLAY = 30.0, 10.0
"""The clocks, unless others are asked for."""


def planner(address: str) -> Remote:
    """The planner that `ggp:ADDRESS` names; ValueError, with a sentence, where it is no address.

    >>> import kibitz as kb
    >>> kb.planner("ggp:http://127.0.0.1:9147(play=2)").spec
    'ggp:http://127.0.0.1:9147(play=2)'
    """
    match = re.fullmatch(r"([^()]+?)\s*(\(.*\))?", address.strip())
    if match is None:
        raise ValueError(f"{address!r} is no address of a player; one is http://127.0.0.1:9147")
    clocks = {"start": START, "play": PLAY}
    for key, value in _core.parse_spec("ggp" + (match[2] or ""))[1]:
        if key not in clocks:
            raise ValueError(f"ggp: {_core.unknown('parameter', key, list(clocks))}")
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= 1e6:
            raise ValueError(f"ggp: {key} should be a number of seconds, not {value!r}")
        clocks[key] = float(value)
    made = Remote(match[1], **clocks)
    made._spec = f"ggp:{address.strip()}"
    return made


class Remote(PlannerBase):
    """A player on the network, asked by the published protocol."""

    def __init__(self, url: str, *, start: float = START, play: float = PLAY) -> None:
        self.url, self._clocks = checked(url), (start, play)
        self._end: weakref.finalize[[str, str], Remote] | None = None

    def start(self, game: Game, seat: int, seed: int) -> None:
        """Sends START; ValueError where the game has no rules to send, or the player does not take it."""
        try:
            from kibitz.ggp.line import Late
            from kibitz.ggp.manager import rules_of
        except ModuleNotFoundError:
            raise ValueError(needed()) from None
        if self._end is not None:
            self._end()
        super().start(game, seat, seed)
        rules, self._random = rules_of(game), random.Random(seed)
        self._match = f"kibitz.{uuid.uuid4().hex[:12]}"
        roles = [player for _, player in game.roles]
        self._role = roles.index(seat)
        self._outside = Outside(game, seat, seed)
        self._state, self._seen, self._turn = game.initial(), 0, 0
        self._last: Told = Told(self._match, None, turn=0 if self._outside.hidden else None)
        self._sent = False
        role = game.roles[self._role][0]
        message = messages.start(self._match, role, rules, *self._clocks)
        try:
            answer = _ask(self.url, message, self._clocks[0])
        except Late as late:
            raise ValueError(f"{self.url} is not ready: {late}") from None
        if answer.upper() != messages.READY:
            raise ValueError(f"{self.url} answered {messages.brief(answer)} to START, and not READY")
        # It is told when nobody can ask it any more: planners hear nothing of the end of a game.
        self._end = weakref.finalize(self, _abort, self.url, self._match)

    def act(self, view: View) -> Decision:
        """Tells it what happened, and asks for its move; a random one where that is late or illegal."""
        from kibitz.ggp.line import Late

        self._catch_up(view)
        names = dict(zip(view.names(), view.legal(), strict=True))
        try:
            answer = self._play()
            for name, action in names.items():
                if messages.same(name, answer):
                    return Decision(view, action, notes=[f"{self.url} answered"])
            why = f"illegal: {messages.brief(answer)}"
        except Late as late:
            why = str(late)
        chosen = self._random.choice(list(names))
        return Decision(view, names[chosen], notes=[f"{self.url}: {why}; {chosen} at random"])

    def _play(self) -> str:
        self._sent = True
        return _ask(self.url, messages.told(self._last), self._clocks[1], self._turn)

    def _catch_up(self, view: View) -> None:
        """Tells it all turns but the last, which `act` tells: in those it had no choice."""
        from kibitz.ggp.line import Late

        own: str | None = None
        steps: list[tuple[State, list[int], list[float], list[float], int]] = []
        before = self._state
        for kind, _, words in view.events[self._seen :]:
            if kind == "acted":
                own = words
            if kind != "observed":
                continue
            if not self._sent:
                with contextlib.suppress(Late):
                    self._play()
            if self._outside.hidden:
                did = self._outside.moves[0] if own is None else own
                heard = tuple(words.split(", ")) if words != "nothing" else ()
                self._outside.heard(did, heard)
                self._tell(Told(self._match, heard, turn=self._turn + 1, own=did))
            else:
                joint = _joint(self._state, words)
                self._state, _ = self._state.step(joint)
                steps.append((self._state, joint, [], [], 0))
                if not self._state.within_turn:
                    from kibitz.ggp.manager import turn_of

                    self._tell(Told(self._match, tuple(turn_of(before, steps).moves)))
                    steps, before = [], self._state
            own = None
        self._seen = len(view.events)

    def _tell(self, told: Told) -> None:
        self._last, self._sent = told, False
        self._turn += 1


def _joint(state: State, words: str) -> list[int]:
    """The joint action that a player was told of in words, where nothing is hidden."""
    if state.chance:
        return [state.find_action(None, words)]
    joint, rest = [], words
    for mover in state.movers:
        rest = rest.removeprefix(", ").removeprefix(f"{state.game.player_name(mover)} ")
        known = {state.action_name(mover, action): action for action in state.legal(mover)}
        fitting = [name for name in known if rest == name or rest.startswith(f"{name}, ")]
        if not fitting:
            raise ValueError(f"{words} is nothing that happens here")
        name = max(fitting, key=len)
        joint.append(known[name])
        rest = rest.removeprefix(name)
    return joint


def _ask(url: str, message: str, seconds: float, turn: int | None = None) -> str:
    """Asks it, from wherever: a notebook has a loop of its own that must not be waited for."""
    from kibitz.ggp.line import Line, client

    async def ask() -> str:
        async with client([url]) as using:
            return await Line(url, using).ask(message, seconds, turn=turn)

    with ThreadPoolExecutor(1) as thread:
        return thread.submit(lambda: asyncio.run(ask())).result()


def _abort(url: str, match: str) -> None:
    with contextlib.suppress(Exception):
        _ask(url, messages.abort(match), 1.0)
