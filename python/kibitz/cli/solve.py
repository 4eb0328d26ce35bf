"""The exact value of a small game, and the best first action; or an equilibrium by regret minimisation.

Says which method was used and how many states it took. Games that are too large, or of a kind that
cannot be solved, are refused. With --method regrets are minimised instead, iteration by iteration, by
cfr, cfr+, external-sampling or outcome-sampling; Ctrl-C ends that, and what there is is shown and saved.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from kibitz.cli import _equilibrium, _load, _options
from kibitz.cli._errors import UserError
from kibitz.cli._terminal import Progress, Timer, duration, in_columns, paint

if TYPE_CHECKING:
    from kibitz import Game

EXAMPLES = {
    "kibitz solve tic-tac-toe": "a draw, whatever the first move",
    "kibitz solve kuhn-poker": "the first player loses an eighteenth of a chip a deal",
    "kibitz solve 'klondike(thoughtful=true)' --deal 7": "a way to win, or that there is none",
    "kibitz solve leduc-poker --method cfr+ --iterations 1000 --save leduc.json": "an equilibrium to play",
    "kibitz solve openspiel:liars_dice --method external-sampling --iterations 100000": "by samples",
    "kibitz solve 'breakthrough(rows=5, columns=4)' --max-states 50000000": "with more room",
}


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments."""
    _options.game(parser)
    _options.count(parser, "--max-states", "give up beyond so many states, or nodes", default=5_000_000)
    _options.count(
        parser,
        "--deal",
        "solve one deal: what chance does before the first move in a game with this seed",
        least=0,
    )
    parser.add_argument(
        "--method",
        metavar="METHOD",
        help="minimise regrets by cfr, cfr+, external-sampling or outcome-sampling",
    )
    _options.count(parser, "--iterations", "with --method: how many (default 1000)")
    parser.add_argument(
        "--save",
        type=Path,
        metavar="FILE",
        help="with --method: keep the strategy in a file, for the planner tabular(file=FILE)",
    )
    _options.count(
        parser, "--seed", "with --method: what samples are drawn from (default 0)", least=0, most=2**64 - 1
    )
    _options.as_json(parser)


def run(options: argparse.Namespace) -> int | None:
    """Solves the game."""
    game = _load.game(options.game)
    if options.method is None:
        for name in ("iterations", "save", "seed"):
            if getattr(options, name) is not None:
                raise UserError(
                    f"--{name} goes with --method: kibitz solve GAME --method cfr+ --{name} ..."
                )
        _exactly(options, game)
        return None
    if options.deal is not None:
        raise UserError("--deal does not go with --method: regrets are minimised over all deals")
    return _equilibrium.run(
        game,
        method=options.method,
        iterations=1000 if options.iterations is None else options.iterations,
        max_nodes=options.max_states,
        seed=options.seed or 0,
        save=options.save,
        json=options.json,
    )


def _exactly(options: argparse.Namespace, game: Game) -> None:
    from kibitz.exact import solve

    timer = Timer()
    with Progress(lambda: f"solving {game.spec}, {duration(timer.seconds)} so far"):
        solution = solve(game, max_states=options.max_states, deal=options.deal)
    if options.json:
        _options.print_json(
            {
                "game": game.spec,
                "value": solution.value,
                "action": solution.action,
                "method": solution.method,
                "states": solution.states,
                "seconds": timer.seconds,
                "table": [{"action": name, "value": value} for name, value in solution.table],
                "strategy": solution.strategy,
                "line": solution.line,
            }
        )
        return
    print(paint(game.spec, "bold") + (f", deal {options.deal}" if options.deal is not None else ""))
    if not solution.value:
        print(
            f"  unknown: neither a way to the best return nor a proof that there is none, in "
            f"{solution.states:,} states ({duration(timer.seconds)}); try a larger --max-states"
        )
        return
    for player, value in enumerate(solution.value):
        print(f"  {game.player_name(player)} gets {value:+.6g}")
    if solution.action is None and solution.strategy:
        print("  an equilibrium begins with")
        for seen, mix in solution.strategy.items():
            shares = ", ".join(f"{name} {share:.0%}" for name, share in mix.items() if share > 1e-6)
            print(f"    {paint(shares, 'bold', 'green')}  seeing {seen.splitlines()[0]}")
    if solution.line:
        print(f"  a way in {len(solution.line)} moves:")
        longest = max(map(len, solution.line))
        numbered = [f"{n:4}. {move:{longest}}" for n, move in enumerate(solution.line, start=1)]
        print("\n".join(in_columns(numbered)))
    elif solution.action is not None:
        print(f"  best first action: {paint(solution.action, 'bold', 'green')}")
    print(f"  by {solution.method}, {solution.states:,} states, {duration(timer.seconds)}")
    if solution.table:
        print()
        longest = max(len(name) for name, _ in solution.table)
        print("\n".join(in_columns([f"{name:{longest}} {value:+.4g}" for name, value in solution.table])))
