"""What players and managers of the protocol are tested with: raw bytes, and stand-ins for others."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest

for package in ("starlette", "uvicorn", "httpx"):
    pytest.importorskip(package, reason=f"{package} is not installed (the extra 'web' has it)")

from kibitz.ggp.player import Player  # noqa: E402
from kibitz.ggp.server import serving  # noqa: E402


def run(work: Callable[[int], Awaitable[Any]], planner: str = "random", **keywords: Any) -> Any:
    """Works with a player on a port."""

    async def all_of_it() -> Any:
        async with serving(Player(planner), **keywords) as (_, port):
            return await work(port)

    return asyncio.run(all_of_it())


async def raw(port: int, request: bytes, *, close: bool = True) -> bytes:
    """What comes back for these bytes."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(request)
    if close:
        writer.write_eof()
    try:
        return await asyncio.wait_for(reader.read(), 20)
    except ConnectionError:
        return b""  # dropped in the middle of it
    finally:
        writer.close()


def post(content: bytes, **headers: str) -> bytes:
    """A message as game managers send it, to the byte."""
    more = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    head = (
        "POST / HTTP/1.0\r\nAccept: text/delim\r\nHost: 127.0.0.1\r\nSender: GAMESERVER\r\n"
        f"Receiver: PLAYER\r\n{more}Content-Type: text/acl\r\nContent-Length: {len(content)}\r\n\r\n"
    )
    return head.encode() + content


async def say(port: int, message: str) -> str:
    """The content of the answer, which has the protocol's type."""
    head, _, content = (await raw(port, post(message.encode()))).partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 200 OK\r\n")
    assert b"content-type: text/acl" in head.lower()
    assert b"content-length: %d\r\n" % len(content) in head.lower() + b"\r\n"
    return content.decode()


@asynccontextmanager
async def answering(answer: Callable[[str], bytes]) -> AsyncIterator[str]:
    """A player that answers what it likes, without HTTP if it likes."""

    async def carry(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        size = int(head.lower().partition(b"content-length: ")[2].split(b"\r\n")[0])
        writer.write(answer((await reader.readexactly(size)).decode()))
        writer.close()

    server = await asyncio.start_server(carry, "127.0.0.1", 0)
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"


def http(content: str) -> bytes:
    head = f"HTTP/1.0 200 OK\r\nContent-Type: text/acl\r\nContent-Length: {len(content)}\r\n\r\n"
    return (head + content).encode()
