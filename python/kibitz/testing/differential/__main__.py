"""The command: `python -m kibitz.testing.differential --games 1000`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from kibitz.cli._terminal import Progress
from kibitz.testing.differential.checks import CHECKS
from kibitz.testing.differential.run import Found, Outcome, compare


def main(argv: Sequence[str] | None = None) -> int:
    """Compares on many games; the exit code is 1 if anything differs."""
    parser = argparse.ArgumentParser(
        prog="python -m kibitz.testing.differential",
        description="Compares kibitz with plain references on random small games.",
    )
    parser.add_argument("--games", type=int, default=1000, help="how many random games (default 1000)")
    parser.add_argument("--seed", type=int, default=0, help="of the games (default 0)")
    parser.add_argument(
        "--dear", type=int, metavar="N", help="of the checks that take long, N for each game (default: all)"
    )
    parser.add_argument(
        "--only", action="append", metavar="TEXT", help="only checks whose names have this in them"
    )
    parser.add_argument("--count", action="store_true", help="count differences, and make none smaller")
    parser.add_argument("--times", action="store_true", help="say how long each check took")
    options = parser.parse_args(argv)
    wanted = [name for name in CHECKS if not options.only or any(part in name for part in options.only)]
    outcome = Outcome()
    with Progress(lambda: f"{outcome.games} of {options.games} games compared"):
        try:
            compare(
                games=options.games,
                seed=options.seed,
                checks=wanted,
                dear=options.dear,
                shrinking=not options.count,
                told=_show,
                outcome=outcome,
            )
        except KeyboardInterrupt:
            print("interrupted: this is what there is so far")
    for name in wanted:
        count, failed = outcome.compared[name], outcome.failed[name]
        took = f", {outcome.seconds[name]:.1f} s" if options.times else ""
        print(f"{name}: {count} games, {failed or 'none'} of them different{took}")
    print(f"{outcome.games} games, {len(outcome.failed)} of {len(wanted)} checks found differences")
    return 1 if outcome.differences else 0


def _show(found: Found) -> None:
    print(f"{found}\n", flush=True)


if __name__ == "__main__":
    sys.exit(main())
