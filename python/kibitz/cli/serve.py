"""A player on the network, for game managers that speak the published protocol (GDL and GDL-II).

It answers INFO, PREVIEW, START, PLAY, STOP and ABORT over HTTP, plays several matches at once, and keeps
to the clocks that each manager sets, with a margin that it measures. It listens on this machine only
unless --host says otherwise: whoever can reach it can have it play. Ctrl-C ends it. The extra `web` is
needed.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from kibitz.cli import _load, _network, _options
from kibitz.cli._errors import UserError

if TYPE_CHECKING:
    from kibitz import Game
    from kibitz.ggp.seat import Chosen

EXAMPLES = {
    "kibitz serve --ggp 9147": "a planner that suits each game plays, as long as each clock allows",
    "kibitz serve --ggp 9147 --planner 'uct(backup=mixmax(0.25))'": "always this one",
    "kibitz serve --ggp 9147 --host 0.0.0.0 --name Rook": "for managers on other machines",
}

NODES = 2_000_000
"""Of the tree of one match, so that many matches have room: some 160 MB."""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments."""
    port = _options.whole(0, 65535)
    help_port = "the port to listen on; 0 takes any that is free, and says which"
    parser.add_argument("--ggp", type=port, metavar="PORT", required=True, help=help_port)
    parser.add_argument("--planner", metavar="P", help=f"{_options.PLANNER} (default: what suits the game)")
    parser.add_argument(
        "--host",
        default="127.0.0.1",
        metavar="ADDRESS",
        help="the address to listen on (default 127.0.0.1)",
    )
    parser.add_argument(
        "--name", default="kibitz", metavar="NAME", help="what INFO says it is called (default kibitz)"
    )
    _options.count(parser, "--matches", "matches at once", most=1024, default=64)
    _options.seed(parser)


def run(options: argparse.Namespace) -> None:
    """Serves until Ctrl-C."""
    import asyncio

    _network.check()
    from kibitz.ggp.player import Player
    from kibitz.ggp.server import serve

    if not options.name.isprintable() or set(options.name) & set(" ();") or not options.name:
        raise UserError(f"--name: {options.name!r} must be one word without brackets")
    planner = chosen(options.planner) if options.planner else suitable
    player = Player(planner, name=options.name, matches=options.matches, seed=options.seed)
    _network.log_lines()
    asyncio.run(serve(player, options.host, options.ggp))


def chosen(text: str) -> str | Chosen:
    """The planner that was asked for: its spec, or what makes a new one of a user's own for each match."""
    from kibitz.planners import Cheat

    planner = _load.planner(text)
    if isinstance(planner, Cheat) and planner.cheats:
        raise UserError(f"{text} must be told the true state, which no game manager does")
    make = _load.maker(text)
    return make if isinstance(make, str) else lambda _: make()


def suitable(game: Game) -> str:
    """The planner that suits a game, without a budget of time: the clock is one."""
    return f"{'uct' if game.info.perfect_information else 'pomcp'}(nodes={NODES})"
