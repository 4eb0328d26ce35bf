"""What games there are, and what each one is like.

Without a name: all games, or those that are asked for, one line each. With a name: its rules in words, its
parameters, facts and capabilities.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from kibitz.cli import _listing, _load, _options
from kibitz.cli._errors import UserError
from kibitz.cli._terminal import in_rows

if TYPE_CHECKING:
    from kibitz import Entry, Game

EXAMPLES = {
    "kibitz games": "all games",
    "kibitz games --hidden --players 2 --language gdl": "some of them",
    "kibitz games rock-sample": "its rules in words, what can be set, and what planners can use",
    "kibitz games 'breakthrough(rows=5)'": "the same with other parameters",
    "kibitz games --json": "everything, for programs",
}

HIDDEN_HELP = "only games in which something is hidden"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments."""
    _listing.arguments(_options.GAME)(parser)
    secrets = parser.add_mutually_exclusive_group()
    secrets.add_argument("--hidden", action="store_true", help=HIDDEN_HELP)
    secrets.add_argument(
        "--open", action="store_true", help="only games in which everybody sees everything"
    )
    _options.count(parser, "--players", "only games of so many players", most=32)
    parser.add_argument(
        "--language",
        metavar="WORD",
        help="only games written in rust, python, gdl or vgdl; openspiel lists OpenSpiel's",
    )


def run(options: argparse.Namespace) -> None:
    """Lists the games, or describes one."""
    import kibitz as kb

    entries = kb.list_games()
    if options.name is None:
        entries = _chosen(entries, options)
        if not entries and not options.json:
            raise UserError("there is no such game; kibitz games lists all")
        _listing.overview(entries, "game", options.json)
        return
    game = _load.game(options.name)
    info, words = facts(game), kb.games.words(game)
    entry = _listing.entry_for(options.name, entries, game.rules, game.spec)
    if options.json:
        _options.print_json({**_listing.plain(entry), "spec": game.spec, "words": words, **info})
        return
    _listing.heading(entry, words)
    keys = ("players", "moves", "returns", "discount", "horizon", "information")
    rows = {key: _words(info, key) for key in keys}
    there = [key for key, has in info["capabilities"].items() if has]
    lacking = [key for key, has in info["capabilities"].items() if not has]
    rows["offers"] = ", ".join(there) or "the bare rules"
    lines = in_rows(rows | ({"lacks": ", ".join(lacking)} if lacking else {}))
    print("\n".join([*lines, "", f"  kibitz play {_listing.quoted(options.name)}"]))


def _chosen(entries: list[Entry], options: argparse.Namespace) -> list[Entry]:
    """The games that were asked for."""
    from kibitz import _core

    language = (options.language or "").lower()
    if language == "openspiel":
        from kibitz.adapters import openspiel

        entries = openspiel.entries()
    elif language:
        known = ["gdl", "openspiel", "python", "rust", "vgdl"]
        if language not in known:
            raise UserError(_core.unknown("language", language, known))
        entries = [entry for entry in entries if _language(entry) == language]
    if not (options.hidden or options.open or options.players):
        return entries
    found = []
    for entry in entries:
        players, hidden = _kind(entry) if language != "openspiel" else openspiel.kind(entry.name)
        if options.players not in (None, players) or (options.hidden and not hidden):
            continue
        if not (options.open and hidden):
            found.append(entry)
    return found


def _language(entry: Entry) -> str:
    """What a game that comes with the package is written in."""
    from kibitz import _core, lang

    if lang.is_rules(entry.name):
        return lang.read(entry.name)[0].language.lower()
    return "rust" if entry.name in {native.name for native in _core.games()} else "python"


def _kind(entry: Entry) -> tuple[int, bool]:
    """How many players there are, and whether something is hidden, without grounding rules for it."""
    from kibitz import games, lang

    if lang.is_rules(entry.name) and "reasoner" in lang.read(entry.name)[0].machines:
        machine = lang.machine(entry.name, machine="reasoner")
        return len([role for role in machine.roles if role != "random"]), machine.has_percepts
    info = games.load(entry.name).info
    return info.players, not info.perfect_information


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
