"""A player on a port: HTTP in front of `player`, by Starlette and uvicorn.

Nobody waits for anybody: who connects and says nothing, or says half of it, is dropped after a while, and
what is larger than a message may be is refused before it is read.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import socket
from collections.abc import AsyncIterator

import h11
import uvicorn
from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

from kibitz.ggp import messages
from kibitz.ggp.messages import Malformed
from kibitz.ggp.player import Player, Silent

log = logging.getLogger("kibitz.ggp")

SILENCE = 20.0
"""Seconds after which somebody is dropped who has not said all of a message."""
CONNECTIONS = 512
"""So many at once; others are refused."""


def application(player: Player, *, most: int = messages.MOST_BYTES, silence: float = SILENCE) -> Starlette:
    """The player as an ASGI application: POST of a message, anywhere."""

    async def answer(request: Request) -> Response:
        who = request.client.host if request.client else "somebody"
        try:
            text = await _body(request, most, silence)
            reply = await player.answer(text, _number(request.headers.get(messages.TURN)))
        except _Refused as refused:
            status, why = refused.status, str(refused)
        except Malformed as error:
            status, why = 400, f"no message: {error}"
        except Silent as error:
            return Response(f"{error}\n", 503, media_type="text/plain")  # the log has it
        except ClientDisconnect:
            log.warning("%s went away in the middle of a message", who)
            return Response(status_code=400)
        else:
            return Response(reply, media_type=messages.ACL)
        log.warning("%s: %s", who, why)
        # Of what is left of the message, nothing is read.
        return Response(f"{why}\n", status, {"Connection": "close"}, media_type="text/plain")

    return Starlette(routes=[Route("/{path:path}", answer, methods=["POST"])])


class _Refused(Exception):  # noqa: N818 -- what it is
    def __init__(self, status: int, why: str) -> None:
        super().__init__(why)
        self.status = status


async def _body(request: Request, most: int, silence: float) -> str:
    too_large = _Refused(413, f"a message of more than {most} bytes")
    size = request.headers.get("content-length", "0")
    if not size.isdecimal() or int(size) > most:
        raise too_large
    content = bytearray()
    try:
        async with asyncio.timeout(silence):
            async for part in request.stream():
                content += part
                if len(content) > most:
                    raise too_large
    except TimeoutError:
        raise _Refused(408, f"half a message, and nothing more for {silence:g} seconds") from None
    return content.decode("utf-8", "replace")


def _number(text: str | None) -> int | None:
    return (
        int(text) if text is not None and text.isascii() and text.isdecimal() and len(text) < 10 else None
    )


class _Impatient(H11Protocol):
    """Drops who has not said what they want within a while; uvicorn itself waits for ever for a first
    request."""

    silence = SILENCE

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._patience: asyncio.TimerHandle | None = None
        self._wait()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._wait()

    def eof_received(self) -> bool:  # type: ignore[override]
        """Whether to keep the way back open: somebody may say all and no more, and wait for the answer."""
        return self._asked() and self.conn.their_state is not h11.SEND_BODY

    def connection_lost(self, exc: Exception | None) -> None:
        if self._patience is not None:
            self._patience.cancel()
        super().connection_lost(exc)

    def _wait(self) -> None:
        """Waits for a request to begin; once it has, `_body` waits for the rest."""
        asked = self._asked()
        if asked and self._patience is not None:
            self._patience.cancel()
            self._patience = None
        elif not asked and self._patience is None:
            self._patience = self.loop.call_later(self.silence, self._drop)

    def _asked(self) -> bool:
        """Whether a request has begun and is not answered."""
        cycle: RequestResponseCycle | None = self.cycle
        return cycle is not None and not cycle.response_complete

    def _drop(self) -> None:
        self._patience = None
        if not self._asked() and not self.transport.is_closing():
            log.warning("somebody was connected for %g seconds and said nothing; dropped", self.silence)
            self.transport.close()


@contextlib.asynccontextmanager
async def serving(
    player: Player,
    *,
    host: str = "127.0.0.1",
    port: int = 0,
    most: int = messages.MOST_BYTES,
    silence: float = SILENCE,
) -> AsyncIterator[tuple[uvicorn.Server, int]]:
    """The player on a port (0: any that is free), which is given with the server, as long as the context
    lasts."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.create_server((host, port), family=family)
    protocol = type("Impatient", (_Impatient,), {"silence": silence})
    config = uvicorn.Config(
        application(player, most=most, silence=silence),
        http=protocol,
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        limit_concurrency=CONNECTIONS,
        timeout_graceful_shutdown=1,
    )
    server = uvicorn.Server(config)
    running = asyncio.create_task(server.serve(sockets=[listener]))
    try:
        while not server.started and not running.done():
            await asyncio.sleep(0.005)
        yield server, listener.getsockname()[1]
    finally:
        server.should_exit = True
        with contextlib.suppress(asyncio.CancelledError):
            await running
        player.close()


async def serve(player: Player, host: str, port: int, ready: asyncio.Event | None = None) -> None:
    """Serves until Ctrl-C."""
    async with serving(player, host=host, port=port) as (server, bound):
        log.info("listening on http://%s:%d", host, bound)
        if ready is not None:
            ready.set()
        while not server.should_exit:
            await asyncio.sleep(0.1)
