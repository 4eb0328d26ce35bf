"""What an experiment came to: tables here, or a page, CSV, LaTeX and pictures.

Takes a folder that `kibitz experiment run` has filled, complete or not, or a single file of episodes
(.parquet or .jsonl). Figures are put together by game: win rates with intervals over deals, mean
returns with their standard error, Elo where more than two planners met, time and simulations a move.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from kibitz import _files
from kibitz.cli._terminal import paint

EXAMPLES = {
    "kibitz report results/budgets": "tables in the terminal",
    "kibitz report results/budgets --html report.html": "a page with tables, plots and games in it",
    "kibitz report results/budgets --csv figures.csv --latex table.tex": "for programs and for papers",
    "kibitz report results/budgets --svg pictures --png pictures": "every plot as a file",
}


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments."""
    parser.add_argument(
        "results", type=Path, metavar="DIR|FILE", help="a results folder, or a file of episodes"
    )
    parser.add_argument("--html", type=Path, metavar="OUT", help="write one page that needs nothing else")
    parser.add_argument("--csv", type=Path, metavar="OUT", help="write a line for each game and planner")
    parser.add_argument("--latex", type=Path, metavar="OUT", help="write tables for a paper (booktabs)")
    parser.add_argument("--png", type=Path, metavar="DIR", help="write the plots into a folder")
    parser.add_argument("--svg", type=Path, metavar="DIR", help="the same as vector graphics")


def run(options: argparse.Namespace) -> None:
    """Writes what was asked for, and prints the tables; in this order, for a pipe may close early."""
    from kibitz.lab import report

    made = report(options.results)
    written: list[Path] = []
    for path, content in (options.html, made.html), (options.csv, made.csv), (options.latex, made.latex):
        if path is not None:
            _files.write(path, content())
            written.append(path)
    if options.svg is not None:
        written += made.save_plots(options.svg, "svg")
    if options.png is not None:
        written += made.save_plots(options.png, "png")
    print(made)
    if unfinished := made.about.get("unfinished"):
        print("\n" + paint(f"Not complete: {unfinished}.", "yellow"))
    if unchecked := made.about.get("not checked"):
        print("\n" + paint(f"Not checked: {unchecked}.", "yellow"))
    if written:
        print("\nwritten: " + ", ".join(map(str, written)))
