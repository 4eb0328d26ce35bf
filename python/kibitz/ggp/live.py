"""A match in real time as its player sees it: a message may come at any time, and so may the answer.

An answer to PLAY is a move, made when it arrives. Who has nothing to do now does not answer yet; when
the next PLAY comes, the one before is answered NIL. So there is always one that can be answered.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from concurrent.futures import Executor
from typing import TYPE_CHECKING

from kibitz.ggp import messages
from kibitz.ggp.messages import Told

if TYPE_CHECKING:
    from kibitz.ggp.seat import Seat

log = logging.getLogger("kibitz.ggp")

KEPT = 64
"""Answers that are kept for who asks again."""
EARLY = 256
"""Messages that are kept until those before them have come."""
GRACE = 2.0
"""Seconds after which a move is made again of which nothing was heard."""


class Live:
    """Hears messages in the order of their numbers, thinks all the time, and answers when there is
    something to do."""

    def __init__(self, seat: Seat, pool: Executor) -> None:
        self.seat, self._pool = seat, pool
        self._answers: dict[int, asyncio.Future[str]] = {}
        self._early: dict[int, tuple[Told, float]] = {}
        self._next = 0
        self._text = ""
        self._inbox: deque[tuple[Told, float]] = deque()
        self._news = asyncio.Event()
        self._thinking = asyncio.create_task(self._think())

    async def play(self, told: Told, text: str, number: int | None, arrived: float) -> str:
        """The answer to a message, which may take long: the same for one that comes twice."""
        if number is None:
            again = text == self._text and self._next - 1 in self._answers
            number = self._next - 1 if again else self._next
        if number not in self._answers:
            if number < self._next or len(self._early) >= EARLY:
                return messages.NIL  # it was answered long ago, or others before it were lost
            self._answers[number] = asyncio.get_running_loop().create_future()
            self._early[number] = (told, arrived)
            self._text = text
            self._in_order()
        return await asyncio.shield(self._answers[number])

    def _in_order(self) -> None:
        while self._next in self._early:
            self._inbox.append(self._early.pop(self._next))
            self._answer(messages.NIL)
            self._next += 1
            self._answers.pop(self._next - KEPT, None)
            self._news.set()

    def _answer(self, text: str) -> bool:
        """Answers the last message that was heard, unless it is answered."""
        answer = self._answers.get(self._next - 1)
        if answer is None or answer.done():
            return False
        answer.set_result(text)
        return True

    def end(self) -> None:
        """The match is over."""
        self._thinking.cancel()
        for answer in self._answers.values():
            if not answer.done():
                answer.set_result(messages.NIL)

    async def _think(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            if not self._next:
                await self._news.wait()
            self._news.clear()
            while self._inbox:
                await loop.run_in_executor(self._pool, self.seat.happened, *self._inbox.popleft())
            try:
                move, seconds = await loop.run_in_executor(self._pool, self.seat.instant)
            except Exception as error:
                what = messages.brief(" ".join(str(error).split()), messages.LONGEST)
                log.warning("%s: it can do nothing: %s", self.seat.start.match, what)
                move, seconds = None, None
            if self._news.is_set():
                continue  # what was chosen was for another moment
            if move is not None:
                self._answer(move)
                seconds = GRACE
            if seconds is None:
                await self._news.wait()
            else:
                try:
                    await asyncio.wait_for(self._news.wait(), seconds)
                except TimeoutError:
                    continue
