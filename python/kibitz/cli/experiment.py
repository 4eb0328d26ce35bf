"""Experiments: games, planners and budgets in a file; stopped and resumed at will.

`run` plays what a TOML file describes into a folder, by default results/NAME, and shows how it stands.
Ctrl-C, a crash or a power cut lose nothing that was counted: the same command goes on, and ends with
the same figures, with any number of jobs. `check` finds the mistakes in a file without playing;
`example` prints a file with comments to start from.

A planner that raises, moves illegally or takes too long costs the episode, not the run: such faults
are counted by themselves. --strict stops at the first one.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from kibitz.cli import _load, _options
from kibitz.cli._errors import UserError
from kibitz.cli._terminal import Progress, duration, paint

if TYPE_CHECKING:
    from kibitz.lab.cells import Plan
    from kibitz.lab.results import Results
    from kibitz.lab.run import Coordinator, Live

EXAMPLES = {
    "kibitz experiment example > budgets.toml": "a file to start from",
    "kibitz experiment check budgets.toml": "all mistakes in it, with their lines",
    "kibitz experiment run budgets.toml --jobs 4": "play it on four processors, or go on with it",
    "kibitz experiment run budgets.toml --cluster 10.0.0.7:6379": "the same on a Ray cluster",
}

FILE = """\
# Every two planners meet on every game. kibitz experiment run FILE plays it into results/NAME.

[experiment]
name = "budgets"                # also the folder's name
games = ["connect-four", "kuhn-poker"]
planners = [
    "pomcp(simulations=[100, 400])",  # a list makes one planner of each value
    "random",
]
episodes = 200                  # games of each planner in each pairing; whole deals are played
seed = 0                        # or seeds = [0, 1, 2]: each makes cells of its own

# Everything below can be left out.
seats = "rotate"                # every deal in all seatings; "fixed"; or [[0, 1]], planners by number
replays = "first"               # keep one episode of each cell move by move; "all" or "none"
move_seconds = 10               # who thinks longer has lost the episode to a fault
# max_steps = 500               # leave an episode after so many steps; it counts as it stood
# against = ["flat-mc"]         # every one of planners meets every one of these instead
# meet = "all"                  # all planners at one table, as in kibitz match

# Parameters for every planner that takes them and does not say them itself, one cell a value:
# [experiment.budgets]
# simulations = [100, 1000]

# A cell may end early, on the deals in order; episodes is then the most:
# [experiment.stop]
# width = 0.1                   # when the 95 % interval of every win rate is that narrow,
# elo0 = 0                      # or when the test between elo0 and elo1 is decided
# elo1 = 20
# alpha = 0.05
# beta = 0.05

# Pairings of one's own, beside or instead of the product above:
# [[pairing]]
# planners = ["uct(simulations=1000)", "minimax(depth=4)"]
# games = ["connect-four"]
# episodes = 50
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments."""
    parser.add_argument("action", choices=["run", "check", "example"], help="what to do")
    parser.add_argument("file", nargs="?", type=Path, metavar="FILE", help="the experiment, a TOML file")
    parser.add_argument("--out", type=Path, metavar="DIR", help="where results go (default results/NAME)")
    _options.count(
        parser, "--jobs", "processes (default: one for each processor); 1 plays in this one", most=1024
    )
    parser.add_argument("--cluster", metavar="ADDRESS", help="play on a Ray cluster; local starts one here")
    parser.add_argument("--strict", action="store_true", help="stop at the first fault")
    _options.as_json(parser)


def run(options: argparse.Namespace) -> int:
    """Does what was asked for."""
    if options.action == "example":
        print(FILE, end="")
        return 0
    if options.file is None:
        raise UserError(f"which file? kibitz experiment {options.action} FILE")
    plan = _plan(options.file)
    if plan is None:
        return 2
    if options.action == "check":
        return _check(plan, options)
    return _run(plan, options)


def _plan(path: Path) -> Plan | None:
    """The experiment in a file, ready to be played; None where mistakes have been printed."""
    from kibitz.lab.cells import resolve_toml
    from kibitz.lab.document import ExperimentError

    try:
        return resolve_toml(path, _load)
    except ExperimentError as error:
        print(f"kibitz: {error}", file=sys.stderr)
        return None


def _check(plan: Plan, options: argparse.Namespace) -> int:
    from kibitz.lab.cells import plain_cell
    from kibitz.lab.reports import columns

    episodes = sum(cell.episodes for cell in plan.cells)
    if options.json:
        _options.print_json({"cells": [plain_cell(cell) for cell in plan.cells], "episodes": episodes})
        return 0
    rows = [["game", "planners", "seed", "episodes"]]
    rows += [
        [cell.game, " v ".join(cell.planners), str(cell.seed), str(cell.episodes)] for cell in plan.cells
    ]
    print("\n".join(columns(rows)))
    most = "at most " if plan.experiment.stop is not None else ""
    cells = f"{len(plan.cells)} cell{'s' * (len(plan.cells) != 1)}"
    print(f"\n{plan.experiment.name}: {cells}, {most}{episodes} episodes; no mistakes.")
    return 0


def _run(plan: Plan, options: argparse.Namespace) -> int:
    from kibitz.lab.executors import processors
    from kibitz.lab.results import open_results
    from kibitz.lab.run import Coordinator, FaultError

    # A command has this machine to itself; a cluster knows best how much room it has.
    jobs = options.jobs or (None if options.cluster else processors())
    directory = options.out or Path("results") / plan.experiment.name
    coordinator = Coordinator(plan, directory, jobs=jobs, cluster=options.cluster, strict=options.strict)
    stopped: str | None = None
    code = 0
    try:
        with Progress(lambda: live_table(coordinator), elsewhere=lambda: progress(coordinator)):
            coordinator.play()
    except KeyboardInterrupt:
        stopped, code = "stopped", 130
    except FaultError as error:
        stopped, code = str(error), 2
    results = open_results(directory)
    if options.json:
        _options.print_json(results.to_json())
    else:
        _print(results, coordinator)
    if stopped is not None:
        again = "; the same command goes on" if code == 130 else ""
        played = len(results.frame()) + results.beyond
        left = f"{played} of {sum(live.total for live in coordinator.cells)} episodes are done"
        print(f"{stopped}: {left}{again}" if code == 130 else f"kibitz: {stopped}", file=sys.stderr)
    return code


def _print(results: Results, coordinator: Coordinator) -> None:
    from kibitz.lab import report
    from kibitz.lab.reports.whole import ahead
    from kibitz.lab.results import unchecked

    played = coordinator.clock.done
    what = f"{played} episodes in {duration(coordinator.clock.elapsed)}"
    if coordinator.before:
        what += f", {coordinator.before} were there already"
    head = f"{results.experiment.name}: {what if played else 'nothing was left to play'}"
    print(paint(head, "bold") + "\n")
    if len(results.frame()):
        print(report(results))
        print()
    if results.unsealed:
        print(f"Not checked: {unchecked(results.unsealed)}.")
    if results.beyond:
        print(f"{results.beyond} more do not count, {ahead(results)}.")
    print(f"{results.directory} holds all of it: kibitz report {results.directory} --html page.html")


def progress(coordinator: Coordinator) -> str:
    """How far the run is, in a line."""
    clock = coordinator.clock
    at_most = "at most " if coordinator.plan.experiment.stop is not None else ""
    done = sum(live.done for live in coordinator.cells)
    total = sum(live.done if live.over else live.total for live in coordinator.cells)
    line = f"{done} of {at_most}{total} episodes"
    if clock.done:
        rate = clock.rate
        speed = f"{rate:.1f} a second" if rate >= 1 else f"{duration(1 / rate)} each"
        line += f", {speed}, {at_most}{duration((total - done) / rate)} left"
    else:
        line += f", {duration(clock.elapsed)} so far"
    if faults := sum(live.faults for live in coordinator.cells):
        line += f", {faults} faults"
    return line


def live_table(coordinator: Coordinator) -> str:
    """How all cells stand, with the intervals as they narrow."""
    from kibitz.lab.reports import columns

    rows = [["game", "planners", "done", "first one's", "95 %", "faults", ""]]
    rows += [_live_row(live) for live in coordinator.cells]
    if not any(live.faults for live in coordinator.cells):
        rows = [[*row[:5], *row[6:]] for row in rows]
    return "\n".join([progress(coordinator), *columns(rows)])


def _live_row(live: Live) -> list[str]:
    from kibitz.lab.reports import percent, span
    from kibitz.lab.statistics import confidence_sequence

    cell, games = live.cell, live.games[0]
    done = "done" if live.over else f"{100 * live.done / live.total:.0f} %"
    if not games:
        figures = ["", ""]
    elif cell.players > 1:
        # Watched while it changes, and as if all games of a deal had ended alike: never too narrow.
        deals = live.deals
        whole, part = divmod(deals * live.wins[0] / games, 1)
        alike = [[1.0]] * int(whole) + [[part]] * (whole < deals) + [[0.0]] * (deals - int(whole) - 1)
        figures = [percent(live.wins[0], games), span(*confidence_sequence(alike, 0.0, 1.0))]
    else:
        figures = [f"{live.returns[0] / games:+.3f}", ""]
    rule = live.rule.words() if live.rule is not None and games else ""
    return [cell.game, " v ".join(cell.planners), done, *figures, str(live.faults), rule]
