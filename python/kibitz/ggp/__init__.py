"""General game playing over the network: a player, and a game manager, that speak the published protocol.

From the lowest to the highest: `messages` (what is said), `clocks` (how much of a play clock can be
thought), `seat` (one match as a player sees it), `player` (all matches of a player), `server` (the player
on a port); `line` (a remote player as its manager sees it), `manager` (one match), `record` (matches in
the field's JSON and XML). `kibitz serve` and `kibitz host` are their commands; docs/protocol.md has the
messages.

The extra `web` brings what they are made with: Starlette and uvicorn on the player's side, httpx on the
manager's.
"""

from __future__ import annotations

from urllib.parse import urlsplit


def needed() -> str:
    """What to say where the extra is missing."""
    return "this needs the extra 'web' (Starlette, uvicorn, httpx): pip install 'kibitz[web]'"


def is_address(text: str) -> bool:
    """Whether a word names a player on the network.

    >>> from kibitz.ggp import is_address
    >>> is_address("http://127.0.0.1:9147"), is_address("uct(simulations=5)")
    (True, False)
    """
    return text.lower().startswith(("http://", "https://"))


def checked(address: str) -> str:
    """The address of a player; ValueError, with a sentence, for anything else.

    >>> from kibitz.ggp import checked
    >>> checked("localhost:9147")
    Traceback (most recent call last):
    ValueError: 'localhost:9147' is no address of a player; one is http://127.0.0.1:9147
    """
    try:
        parts = urlsplit(address)
        right = is_address(address) and bool(parts.hostname) and parts.port != 0
    except ValueError:
        right = False
    if not right or not address.isprintable() or " " in address:
        raise ValueError(f"{address!r} is no address of a player; one is http://127.0.0.1:9147")
    return address
