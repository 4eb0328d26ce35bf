"""What games there are, and what each one is like.

Without a name: all games, one line each. With a name: its parameters, facts and capabilities.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from kibitz.cli import _listing, _load, _options
from kibitz.cli._terminal import paint

if TYPE_CHECKING:
    from kibitz import Game

EXAMPLES = {
    "kibitz games": "all games",
    "kibitz games rock-sample": "what can be set, and what planners can use",
    "kibitz games 'breakthrough(rows=5)'": "the same with other parameters",
    "kibitz games --json": "everything, for programs",
}

arguments = _listing.arguments(_options.GAME)


def run(options: argparse.Namespace) -> None:
    """Lists the games, or describes one."""
    import kibitz as kb

    entries = kb.list_games()
    if options.name is None:
        _listing.overview(entries, "game", options.json)
        return
    game = _load.game(options.name)
    info = facts(game)
    entry = _listing.entry_for(options.name, entries, game.rules, game.spec)
    if options.json:
        _options.print_json({**_listing.plain(entry), "spec": game.spec, **info})
        return
    _listing.heading(entry)
    for key in ("players", "moves", "returns", "discount", "horizon", "information"):
        print(f"  {key:12} {_words(info, key)}")
    there = [key for key, has in info["capabilities"].items() if has]
    lacking = [key for key, has in info["capabilities"].items() if not has]
    print(f"  {'offers':12} {', '.join(there) or 'the bare rules'}")
    if lacking:
        print(f"  {'lacks':12} {paint(', '.join(lacking), 'dim')}")
    print(f"\n  kibitz play {_listing.quoted(options.name)}")


def facts(game: Game) -> dict[str, Any]:
    """The facts about a game, for programs."""
    info = game.info
    return {
        "players": info.players,
        "player_names": [game.player_name(player) for player in range(info.players)],
        "min_return": info.min_return,
        "max_return": info.max_return,
        "discount": info.discount,
        "horizon": info.horizon,
        "perfect_information": info.perfect_information,
        "zero_sum": info.zero_sum,
        "paid_at_end": info.paid_at_end,
        "simultaneous": info.simultaneous,
        "capabilities": info.capabilities,
    }


def _words(info: dict[str, Any], key: str) -> str:
    if key == "players":
        return f"{info['players']}: {', '.join(info['player_names'])}"
    if key == "returns":
        zero = ", always adding up to zero" if info["zero_sum"] and info["players"] > 1 else ""
        when = ", paid at the end" if info["paid_at_end"] else ""
        return f"{info['min_return']:g} to {info['max_return']:g}{zero}{when}"
    if key == "moves":
        if info["simultaneous"] is None:
            return "not known whether players ever move at once"
        return "several players may move at once" if info["simultaneous"] else "one player at a time"
    if key == "discount":
        return "none" if info["discount"] == 1 else f"{info['discount']:g} a move"
    if key == "horizon":
        return (
            "none: a game may last for ever"
            if info["horizon"] is None
            else f"at most {info['horizon']} steps"
        )
    return "perfect: everybody knows everything" if info["perfect_information"] else "hidden"
