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

PORT = 9147
"""Where players of this field usually listen."""


def needed() -> str:
    """What to say where the extra is missing."""
    return "this needs the extra 'web' (Starlette, uvicorn, httpx): pip install 'kibitz[web]'"
