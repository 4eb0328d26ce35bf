"""A remote player as its manager sees it: messages over a network that loses, cuts and garbles some of
them."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Iterable
from typing import Any

import httpx

from kibitz.ggp import checked, messages
from kibitz.ggp.messages import Malformed, brief

log = logging.getLogger("kibitz.ggp")

LARGEST = 64 * 1024
"""Bytes of an answer that are read."""
AGAIN = 0.02
"""Seconds before a message is sent again, at first; twice as long each time."""
LONGEST_PAUSE = 1.0


class Late(Exception):  # noqa: N818 -- what it is
    """There was no answer in time; why, in a sentence."""


def client(addresses: Iterable[str] = ()) -> httpx.AsyncClient:
    """What the lines to some players share. Each message has a connection of its own, as players expect."""
    limits = httpx.Limits(max_connections=None, max_keepalive_connections=0)
    # To read the certificates of the world takes a while, and most players have none.
    secure = any(address.lower().startswith("https") for address in addresses)
    return httpx.AsyncClient(
        limits=limits, timeout=None, trust_env=False, follow_redirects=False, verify=secure
    )


class Line:
    """Asks one player. What fails on the way is sent again while there is time: players answer it once."""

    def __init__(self, url: str, using: httpx.AsyncClient) -> None:
        self.url = checked(url)
        self._client = using
        self.repeats = 0
        """How often something was sent again."""

    async def ask(self, message: str, seconds: float, *, turn: int | None = None) -> str:
        """The player's answer, as one term; Late where there is none so many seconds after it was sent."""
        clock, sent = time.monotonic, False
        end = clock() + seconds
        headers = {
            "Accept": "text/delim",
            "Sender": "GAMESERVER",
            "Receiver": "PLAYER",
            "Content-Type": messages.ACL,
            "Connection": "close",
        }
        if turn is not None:
            headers[messages.TURN] = str(turn)
        pause, why = AGAIN, "there was no answer"
        while (left := end - clock()) > 0:
            try:
                async with asyncio.timeout(left) as timer:

                    async def seen(event: str, _: Any, timer: asyncio.Timeout = timer) -> None:
                        nonlocal end, sent
                        # What we ourselves take to send it is not the player's time.
                        if event == "http11.send_request_body.complete" and not sent:
                            sent, end = True, clock() + seconds
                            timer.reschedule(asyncio.get_running_loop().time() + seconds)

                    return messages.term(await self._send(message, headers, seen))
            except TimeoutError:
                break
            except (httpx.HTTPError, httpx.StreamError, Malformed, OSError) as error:
                why = str(error) or type(error).__name__
            self.repeats += 1
            await asyncio.sleep(min(pause, max(0.0, end - clock())))
            pause = min(2 * pause, LONGEST_PAUSE)
        raise Late(f"no answer within {seconds:g} s ({brief(why, messages.LONGEST)})")

    async def _send(
        self, message: str, headers: dict[str, str], seen: Callable[[str, Any], Awaitable[None]]
    ) -> str:
        request = self._client.stream(
            "POST", self.url, content=message.encode(), headers=headers, extensions={"trace": seen}
        )
        content = bytearray()
        async with request as response:
            async for part in response.aiter_bytes():
                content += part
                if len(content) > LARGEST:
                    raise Malformed(f"an answer of more than {LARGEST} bytes")
        text = content.decode("utf-8", "replace")
        if response.status_code != 200:
            raise Malformed(f"status {response.status_code}: {text.strip()}")
        return text
