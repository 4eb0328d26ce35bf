"""How many of OpenSpiel's games load, pass through our referee, and are played by one of our planners.

Each game is tried in a process of its own, so that one that hangs or dies costs a row only.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import kibitz as kb
from kibitz.adapters import openspiel
from kibitz.episode import drive

PLANNER = "pomcp(simulations=20)"
WALKS = 5
"""Random games that each game must pass."""


@dataclass
class Row:
    """What became of one game."""

    name: str
    information: str = ""
    hides: bool = False
    """Whether not everybody is told everything."""
    loads: bool = False
    walks: bool = False
    """Whether random games pass through the referee and pay what OpenSpiel says."""
    plays: str = "no"
    """yes; no; or slow, if time ran out before the game was over."""
    moves: int = 0
    """Decisions that the planner took."""
    blind: int = 0
    """Those among them that were random, because no state explained what had been seen."""
    inconsistent: int = 0
    """Those that were taken with particles none of which agrees with all that had been seen."""
    seconds: float = 0.0
    """Of processor time, for those decisions."""
    views: str = ""
    """Of a game that hides something: exact, if our views and their information states tell the same
    histories apart; finer, if our views remember more."""
    peer: str = ""
    """Of a game that hides something: whether OpenSpiel's own IS-MCTS moves in it; yes, no or dies."""
    why: str = ""
    """Why not."""


def try_game(
    name: str,
    *,
    planner: str = PLANNER,
    seconds: float = 60.0,
    report: Callable[[Row], object] = lambda _: None,
) -> Row:
    """Loads a game, walks through it at random, and lets a planner play it once in all seats.

    `report` is told what is known so far before anything that may take long.

    >>> from kibitz.adapters._openspiel_survey import try_game
    >>> try_game("kuhn_poker").plays  # doctest: +SKIP
    'yes'
    """
    row = Row(name)
    try:
        kind = openspiel._types(name)[name]
        row.information = kind.information.name.partition("_INFO")[0].lower().replace("_", " ")
        game = kb.load(f"openspiel:{name}")
        row.loads = True
        rules = game.rules
        assert isinstance(rules, openspiel.OpenSpielGame)
        row.hides = not rules.perfect_information
        report(row)
        known: dict[tuple[int, int], str] = {}
        told: dict[tuple[int, str], int] = {}
        finer = False
        began = time.process_time()
        for episode in range(WALKS):
            finer |= walk(game, episode, known, told)
            if time.process_time() - began > seconds / 4:
                break
        row.walks = True
        if row.hides and rules.kind.provides_information_state_string:
            row.views = "finer" if finer else "exact"
        report(row)
        play(game, planner, seconds, row)
    except (ValueError, RuntimeError, AssertionError) as error:
        row.why = " ".join(str(error).split())
    return row


def walk(
    game: kb.Game,
    episode: int,
    known: dict[tuple[int, int], str],
    told: dict[tuple[int, str], int],
) -> bool:
    """One random game; true if a view was met that says more than the information state.

    AssertionError if a view says less, if the returns are not OpenSpiel's, or if the game is longer
    or pays more than it said.
    """
    rules = game.rules
    assert isinstance(rules, openspiel.OpenSpielGame)
    rng = random.Random(episode)
    referee = kb.Referee(game, 1, episode)
    finer = False
    while not referee.over:
        for mover in referee.movers:
            if not isinstance(rules, openspiel.HidingGame):
                break
            view, words = referee.view(mover).key, rules.words(referee.state.value, mover)
            assert known.setdefault((mover, view), words) == words, "one view, two information states"
            finer |= told.setdefault((mover, words), view) != view
        referee.apply([rng.choice(referee.state.legal(mover)) for mover in referee.movers])
    final = referee.state.value.now.state.returns()
    assert all(abs(ours - theirs) < 1e-6 for ours, theirs in zip(referee.returns, final, strict=True)), (
        f"the rewards add up to {referee.returns}, but OpenSpiel returns {final}"
    )
    info = game.info
    assert info.horizon is None or referee.steps <= info.horizon, (
        f"a game took {referee.steps} steps, but OpenSpiel promises at most {info.horizon}"
    )
    low, high = info.min_return - 1e-6, info.max_return + 1e-6
    assert all(low <= value <= high for value in final), (
        f"a game paid {final}, but OpenSpiel promises {info.min_return:g} to {info.max_return:g}"
    )
    return finer


def play(game: kb.Game, planner: str, seconds: float, row: Row) -> None:
    """One game of the planner against itself, for at most so many seconds of processor time."""
    referee = kb.Referee(game, 7)
    seats = [kb.planner(planner) for _ in range(game.info.players)]
    for seat, chooser in enumerate(seats):
        chooser.start(referee.seat(seat), seat, seat)
    began = time.process_time()
    for done in drive(referee, seats):
        for view, decision in zip(done.views, done.decisions, strict=True):
            row.moves += 1
            row.blind += len(view.legal()) > 1 and not decision.simulations
            row.inconsistent += dict(decision.counters).get("inconsistencies", 0) > 0
        row.seconds = time.process_time() - began
        if row.seconds > seconds and not referee.over:
            row.plays, row.why = "slow", f"not over after {row.moves} moves in {row.seconds:.0f} s"
            return
    row.plays = "yes"


def peer_moves(name: str) -> bool:
    """Whether OpenSpiel's IS-MCTS, with as many simulations, chooses the first move of a game.

    On some games it takes the whole process with it.
    """
    import pyspiel

    openspiel._types(name)
    try:
        state = pyspiel.load_game(name).new_initial_state()
        openspiel.draw(state, random.Random(1))
        pyspiel.ISMCTSBot(1, pyspiel.RandomRolloutEvaluator(1, 1), 1.0, 20).step(state)
    except pyspiel.SpielError:
        return False
    return True


def survey(names: Sequence[str], *, planner: str, seconds: float) -> list[Row]:
    """Tries each game in a process of its own; prints each row as soon as it is there."""
    rows = []
    for name in names:
        arguments = ["--one", name, "--planner", planner, "--seconds", str(seconds)]
        found, finished = _apart(arguments, 6 * seconds)
        row = Row(**found) if found else Row(name)
        if finished == "late":
            row.plays, row.why = "slow", f"the first moves took more than {6 * seconds:.0f} s"
        elif finished == "dead":
            row.why = "the process died"
        if row.hides:
            moves, finished = _apart(["--peer", name], seconds)
            row.peer = {"late": "slow", "dead": "dies"}.get(finished, "yes" if moves else "no")
        rows.append(row)
        print(line(row), flush=True)
    return rows


def _apart(arguments: Sequence[str], seconds: float) -> tuple[Any, str]:
    """What another process of this program printed last, and how it ended: done, late or dead."""
    command = [sys.executable, "-m", "kibitz.adapters.openspiel", *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        try:
            printed, _ = process.communicate(timeout=seconds)
            end = "dead" if process.returncode else "done"
        except subprocess.TimeoutExpired:
            process.kill()
            printed, _ = process.communicate()
            end = "late"
    lines = [line for line in printed.splitlines() if line]
    return (json.loads(lines[-1]) if lines else None), end


def line(row: Row) -> str:
    """A row for people."""
    loads, walks = ("yes" if good else "no" for good in (row.loads, row.walks))
    moves, blind, inconsistent = (
        f"{count:{form}}" if row.moves else ""
        for count, form in (
            (row.moves, ""),
            (row.blind / max(row.moves, 1), ".0%"),
            (row.inconsistent / max(row.moves, 1), ".0%"),
        )
    )
    return (
        f"{row.name:34} {row.information:10} {loads:5} {walks:6} {row.plays:5} {moves:>5} "
        f"{blind:>6} {inconsistent:>6} {row.views:6} {row.peer:4} {row.why}"
    ).rstrip()


def total(rows: Sequence[Row]) -> str:
    """The sum of it."""
    hidden = [row for row in rows if row.hides]
    played, slow = ([row for row in rows if row.plays == how] for how in ("yes", "slow"))
    return (
        f"{len(rows)} games: {sum(row.loads for row in rows)} load, {sum(row.walks for row in rows)} pass "
        f"random games, {len(played)} were played to the end, {len(slow)} stopped by the clock.\n"
        f"{len(hidden)} of them hide something: {sum(row.hides for row in played)} were played to the "
        f"end, {sum(row.hides for row in slow)} stopped by the clock; OpenSpiel's IS-MCTS moves in "
        f"{sum(row.peer == 'yes' for row in hidden)}.\n"
        f"Of {sum(row.moves for row in hidden)} decisions there, {sum(row.blind for row in hidden)} were "
        f"taken at random, because no state explained what had been seen, and "
        f"{sum(row.inconsistent for row in hidden)} with particles none of which agrees with all of it."
    )


def main(arguments: Sequence[str]) -> int:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m kibitz.adapters.openspiel", description=__doc__)
    parser.add_argument("--survey", nargs="*", metavar="GAME", help="these games, or all of them")
    parser.add_argument("--one", metavar="GAME", help="one game in this process, as JSON")
    parser.add_argument("--peer", metavar="GAME", help="whether OpenSpiel's IS-MCTS moves in one game")
    parser.add_argument("--planner", default=PLANNER, help="who plays (default: %(default)s)")
    parser.add_argument("--seconds", type=float, default=60.0, help="for each game (default: %(default)s)")
    options = parser.parse_args(arguments)
    if options.one is not None:

        def report(row: Row) -> None:
            print(json.dumps(asdict(row)), flush=True)

        report(try_game(options.one, planner=options.planner, seconds=options.seconds, report=report))
        return 0
    if options.peer is not None:
        print(json.dumps(peer_moves(options.peer)))
        return 0
    if options.survey is None:
        parser.print_help()
        return 2
    try:
        names = options.survey or openspiel.names()
    except ModuleNotFoundError as error:
        print(error, file=sys.stderr)
        return 1
    print(
        f"{'game':34} {'information':10} loads random plays moves  blind inconsistent views  peer why not"
    )
    rows = survey(names, planner=options.planner, seconds=options.seconds)
    print(total(rows))
    return 0
