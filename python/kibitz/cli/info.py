"""What kind of game it is, and of a rules file, which machine runs it.

Says who plays, whether players move in turns or at once, whether something is hidden or left to
chance, and what the rules were turned into. Whether players ever move at once is seen in a few
random games where the rules leave it open, and so are their lengths and scores. --limits lists what
a file is held to, and how to change it.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from kibitz.cli import _listing, _load, _options
from kibitz.cli._errors import UserError
from kibitz.cli._terminal import Progress, Timer, duration, in_rows, paint

if TYPE_CHECKING:
    from kibitz import Game

EXAMPLES = {
    "kibitz info mygame.kif": "roles, kind, machine, first moves",
    "kibitz info 'breakthrough.kif(rows=6)'": "rules that come with kibitz, with other values",
    "kibitz info 'chess.kif(limit.seconds=120)'": "with more time for grounding",
    "kibitz info tic-tac-toe.kif --heuristic": "what the goal alone says of the first moves",
    "kibitz info --limits": "what a file is held to, and how to change it",
    "kibitz info mygame.kif --json": "the same, for programs",
}

GAMES, STEPS, SECONDS, MOVES = 20, 2000, 2.0, 5
HEURISTIC_MOVES = 10


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments."""
    parser.add_argument(
        "file", nargs="?", metavar="FILE", help=f"rules in {_options.languages()}, or any other game"
    )
    parser.add_argument("--limits", action="store_true", help="list the limits that files are held to")
    parser.add_argument(
        "--heuristic",
        action="store_true",
        help="the action heuristic: the goal regressed by one step, and what it says of the first moves",
    )
    _options.as_json(parser)


def run(options: argparse.Namespace) -> int:
    """Describes the file's game."""
    from kibitz import Entry, lang

    if options.limits:
        summary = "What a rules file is held to; changed in brackets after its name, in every command."
        entry = Entry("limits", summary, lang.limits())
        _options.print_json(_listing.plain(entry)) if options.json else _listing.heading(entry)
        return 0
    if options.file is None:
        raise UserError("which file? kibitz info FILE, or kibitz info --limits")
    file = _rules(options.file)
    timer = Timer()
    try:
        with Progress(lambda: f"reading {file}, {duration(timer.seconds)} so far"):
            game = lang.load(file) if lang.is_rules(file) else _load.game(file)
    except ValueError as error:
        # All that is wrong, in lines of their own.
        print(str(error).rstrip(), file=sys.stderr)
        return 2
    about = _about(game, timer.seconds)
    if options.heuristic:
        timer = Timer()
        with Progress(lambda: f"regressing goals, {duration(timer.seconds)} so far"):
            told = game.heuristics
        about["heuristic"] = _heuristic(game, told, timer.seconds)
    if options.json:
        _options.print_json(about)
    else:
        _print(file, about)
    return 0


@dataclass
class _Sample:
    """What a few random games show."""

    games: int = 0
    unfinished: int = 0
    steps: list[int] = field(default_factory=list)
    scores: list[set[float]] = field(default_factory=list)
    at_once: bool = False
    chance: bool = False
    fault: str | None = None


def _rules(spec: str) -> str:
    """A game as it is asked for; of rules files that come with kibitz the name may do."""
    from kibitz import _core, lang

    name = spec.partition("(")[0].strip()
    if lang.is_rules(spec) or name in [entry.name for entry in _core.games()]:
        return spec
    file = lang.shipped(name)
    return spec.replace(name, file, 1) if file else spec


def _about(game: Game, seconds: float) -> dict[str, Any]:
    sample = _sample(game)
    declared = game.info.simultaneous
    at_once = sample.at_once if declared is None else declared
    players = [game.player_name(player) for player in range(game.info.players)]
    return {
        "file": game.spec,
        "players": players,
        "moves": "alone" if len(players) == 1 else "at once" if at_once else "in turns",
        "simultaneous": declared,
        "hidden": not game.info.perfect_information,
        "chance": sample.chance,
        "machine": game.machine,
        "seconds": seconds,
        "first_moves": _first_moves(game),
        "sample": {
            "games": sample.games,
            "unfinished": sample.unfinished,
            "steps": sample.steps,
            "scores": [sorted(scores) for scores in sample.scores],
            "fault": sample.fault,
            "flaw": game.flaw,
        },
    }


def _sample(game: Game) -> _Sample:
    from kibitz import GameFault

    sample = _Sample(scores=[set() for _ in range(game.info.players)])
    rng = random.Random(0)
    end = time.monotonic() + SECONDS
    try:
        while sample.games < GAMES and (not sample.games or time.monotonic() < end):
            _play(game, sample, rng, end)
    except GameFault as fault:
        sample.fault = str(fault)
    return sample


def _play(game: Game, sample: _Sample, rng: random.Random, end: float) -> None:
    state = game.initial()
    returns = [0.0] * game.info.players
    steps = 0
    while not state.over and steps < STEPS and time.monotonic() < end:
        if state.chance:
            sample.chance = True
            joint = [state.draw(rng.getrandbits(60))]
        else:
            sample.at_once |= len(state.movers) > 1
            joint = [rng.choice(state.legal(player)) for player in state.movers]
        state, rewards = state.step(joint)
        returns = [sum(pair) for pair in zip(returns, rewards, strict=True)]
        steps += 1
    sample.games += 1
    if not state.over:
        sample.unfinished += 1
        return
    sample.steps.append(steps)
    for scores, value in zip(sample.scores, returns, strict=True):
        scores.add(value)


def _first_moves(game: Game) -> dict[str, list[str]]:
    state = game.initial()
    if state.over or state.chance:
        return {}
    return {
        game.player_name(player): [state.action_name(player, action) for action in state.legal(player)]
        for player in state.movers
    }


def _heuristic(game: Game, told: list[tuple[bool, str]], seconds: float) -> dict[str, Any]:
    state = game.initial()
    first = {}
    for player in () if state.over or state.chance else state.movers:
        values = state.action_values(player)
        if values is not None:
            names = [state.action_name(player, action) for action in state.legal(player)]
            first[game.player_name(player)] = dict(
                sorted(zip(names, values, strict=True), key=lambda pair: -pair[1])
            )
    players = [game.player_name(player) for player in range(game.info.players)]
    about = {
        who: {"found": found, "about": words} for who, (found, words) in zip(players, told, strict=True)
    }
    return {"seconds": seconds, "players": about, "first_moves": first}


def _heuristic_rows(heuristic: dict[str, Any]) -> dict[str, str]:
    rows = {"heuristic": f"made in {duration(heuristic['seconds'])}"}
    for who, each in heuristic["players"].items():
        rows[f"{who}'s"] = each["about"] if each["found"] else f"none: {each['about']}"
    for who, values in heuristic["first_moves"].items():
        shown = [f"{name} {value:.4f}" for name, value in values.items()]
        more = f", ... ({len(shown)} in all)" if len(shown) > HEURISTIC_MOVES else ""
        rows[f"{who} would like"] = ", ".join(shown[:HEURISTIC_MOVES]) + more
    return rows


def _print(file: str, about: dict[str, Any]) -> None:
    print(paint(file, "bold"))
    sample, players = about["sample"], about["players"]
    rows = {"players": f"{len(players)}: {', '.join(players)}", "kind": _kind(about)}
    if about["machine"]:
        rows["machine"] = about["machine"]["text"]
        if about["machine"]["why"]:
            rows["why"] = about["machine"]["why"]
        rows["ready in"] = f"{duration(about['seconds'])} (reading, checking, grounding, compiling)"
    for player, moves in about["first_moves"].items():
        shown = ", ".join(moves[:MOVES]) + (f", ... ({len(moves)} in all)" if len(moves) > MOVES else "")
        rows[f"{player} begins" if len(about["first_moves"]) == 1 else f"{player}'s first"] = shown
    steps = sample["steps"]
    seen = f"{sample['games']} random game{'' if sample['games'] == 1 else 's'}"
    if steps:
        rows["length"] = f"{min(steps)} to {max(steps)} steps in {seen}"
        for player, scores in zip(players, sample["scores"], strict=True):
            rows[f"{player} scored"] = ", ".join(f"{score:g}" for score in scores)
    if sample["unfinished"]:
        rows["unfinished"] = f"{sample['unfinished']} of {seen}, which were cut short"
    if sample["fault"]:
        rows["fault"] = f"{sample['fault']} (kibitz check {file} --play 20 says more)"
    if sample["flaw"]:
        rows["flaw"] = f"{sample['flaw']} (kibitz check {file} --play 20 says more)"
    if "heuristic" in about:
        rows |= _heuristic_rows(about["heuristic"])
    print("\n".join(in_rows(rows)))


def _kind(about: dict[str, Any]) -> str:
    moves = {
        "alone": "single player",
        "in turns": "players move in turns",
        "at once": "players move at once",
    }
    guessed = about["moves"] == "in turns" and about["simultaneous"] is None
    return ", ".join(
        [
            moves[about["moves"]] + (", as far as seen" if guessed else ""),
            "something is hidden" + (f" ({about['machine']['language']})" if about["machine"] else "")
            if about["hidden"]
            else "nothing is hidden",
            "with chance" if about["chance"] else "no chance",
        ]
    )
