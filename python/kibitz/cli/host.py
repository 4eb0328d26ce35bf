"""A game manager: matches between players on the network and planners here, by the published protocol.

A player is an address (http://127.0.0.1:9147) or a planner, in the order of the roles; one is enough for
all. An answer that is late or illegal becomes a random legal move, which is logged and counted. Matches
can be kept as replays and in the field's JSON and XML. The extra `web` is needed for players on the
network.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from kibitz import _files
from kibitz.cli import _load, _network, _options
from kibitz.cli._errors import UserError

if TYPE_CHECKING:
    from kibitz import Game
    from kibitz.ggp.manager import Played, Setting
    from kibitz.lab.experiment import Maker

EXAMPLES = {
    "kibitz host tic-tac-toe.kif --players http://127.0.0.1:9147 uct": "a remote player against one here",
    "kibitz host connect-four.kif --players http://127.0.0.1:9147 flat-mc --games 20 --at-once 4": (
        "twenty games, four at a time"
    ),
    "kibitz host mastermind.kif --players http://127.0.0.1:9147 --play 2 --save matches/": (
        "hidden information; replay, JSON and XML of the match in a folder"
    ),
}


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments."""
    parser.add_argument("rules", metavar="RULES", help=f"a file with rules in {_options.languages()}")
    parser.add_argument(
        "--players",
        nargs="+",
        required=True,
        metavar="P",
        help="an address or a planner for each role that is not chance's; one alone plays all",
    )
    clock = _options.number(0.01, 1e6, "a number of seconds")
    parser.add_argument(
        "--start", type=clock, default=30.0, metavar="S", help="the start clock (default 30)"
    )
    parser.add_argument("--play", type=clock, default=10.0, metavar="S", help="the play clock (default 10)")
    _options.count(parser, "--games", "matches to play", most=10**6, default=1)
    _options.count(parser, "--at-once", "of which so many at a time", most=1024, default=1)
    parser.add_argument(
        "--percepts-only",
        action="store_true",
        help="where something is hidden: PLAY has percepts only, without the turn and the last move",
    )
    parser.add_argument(
        "--match", default="kibitz", metavar="NAME", help="what matches are called: NAME.1, ..."
    )
    _options.seed(parser)
    parser.add_argument(
        "--save", type=Path, metavar="DIR", help="keep each match in a folder: replay, JSON, XML"
    )
    _options.as_json(parser)


def run(options: argparse.Namespace) -> int:
    """Plays the matches; 1 if an answer of somebody was late or illegal."""
    import asyncio

    _network.check()
    from kibitz.ggp import checked, is_address
    from kibitz.ggp.manager import rules_of

    game = _load.game(options.rules)
    rules_of(game)
    players = options.players * (game.info.players if len(options.players) == 1 else 1)
    if len(players) != game.info.players:
        raise UserError(f"{game.spec} has {game.info.players} players, and {len(players)} are named")
    makers = {player: checked(player) if is_address(player) else _load.maker(player) for player in players}
    if not options.match or not options.match.isprintable() or set(options.match) & set(" ();/"):
        raise UserError(f"--match: {options.match!r} must be one word without brackets")
    if options.save:
        options.save.mkdir(parents=True, exist_ok=True)
    _network.log_lines(quiet=True)
    return asyncio.run(_all(game, players, makers, options))


async def _all(
    game: Game, players: list[str], makers: dict[str, Maker], options: argparse.Namespace
) -> int:
    import asyncio

    from kibitz.ggp.manager import Setting, play

    room = asyncio.Semaphore(options.at_once)
    done: list[Played] = []

    async def one(number: int) -> None:
        setting = Setting(
            match=f"{options.match}.{number + 1}",
            start_clock=options.start,
            play_clock=options.play,
            seed=options.seed,
            episode=number,
            percepts_only=options.percepts_only,
        )
        async with room:
            made = [makers[player] for player in players]
            played = await play(game, [each if isinstance(each, str) else each() for each in made], setting)
        done.append(played)
        if options.save:
            keep(played, options.save)
        tell(played, setting, options.json)

    await asyncio.gather(*(one(number) for number in range(options.games)))
    forfeits = sum(played.record.forfeits for played in done)
    if not options.json and options.games > 1:
        summary(game, players, done, forfeits)
    return 1 if forfeits else 0


def keep(played: Played, folder: Path) -> None:
    """Writes a match into a folder."""
    from kibitz.lab import replay

    name = played.record.match
    replay.save(played.episode, folder / f"{name}.replay.json")
    _files.write(folder / f"{name}.json", played.record.json() + "\n")
    _files.write(folder / f"{name}.xml", played.record.xml() + "\n")


def tell(played: Played, setting: Setting, as_json: bool) -> None:
    """A line for a match."""
    record = played.record
    if as_json:
        print(record.json(), flush=True)
        return
    scores = zip(record.roles, record.goals, strict=True)
    players = dict(zip(record.roles, record.players, strict=True))
    each = ", ".join(
        f"{role} ({players[role]}) {goal:g}" for role, goal in scores if players[role] != "random"
    )
    wrong = f"; {record.forfeits} answers late or illegal" if record.forfeits else ""
    cut = "" if record.completed else "; left unfinished"
    print(f"{setting.match}: {len(record.moves)} turns: {each}{wrong}{cut}", flush=True)


def summary(game: Game, players: list[str], done: list[Played], forfeits: int) -> None:
    """What all matches came to."""
    print()
    for seat, player in enumerate(players):
        mean = sum(played.episode.returns[seat] for played in done) / len(done)
        print(f"{game.player_name(seat)} ({player}): {mean:.1f} on average")
    print(f"{len(done)} matches, {forfeits} answers late or illegal")
