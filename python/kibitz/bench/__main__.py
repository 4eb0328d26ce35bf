"""`python -m kibitz.bench`, for when there is no command line to hand."""

from __future__ import annotations

import argparse
import sys

from kibitz import bench


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m kibitz.bench", description=bench.__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"any of {', '.join(bench.modules())}")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    parser.add_argument(
        "--smoke", action="store_true", help="a tiny run that only checks that everything works"
    )
    options = parser.parse_args()
    return bench.main(options.names, options.json, scale=bench.TINY if options.smoke else bench.FULL)


if __name__ == "__main__":
    sys.exit(main())
