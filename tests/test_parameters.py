"""Every parameter of every planner, and of every part of one, is read, or refused in a sentence."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from typing import Any

import pytest

import kibitz as kb
from kibitz import _core
from kibitz._core import ParamDoc
from kibitz.planners import decide
from python_games import Errands

State = tuple[int, int, str]


DOORS = ["door 1", "door 2", "door 3"]


class Doors(kb.Rules[State]):
    """Four corridors of five places to walk about in, with doors that pay, or are the end, by chance."""

    name = "doors-by-chance"
    min_return, max_return, atom_count, perfect_information = -1.0, 4.0, 28, True

    def initial(self) -> State:
        return 0, 0, ""

    def turn(self, state: State) -> int:
        corridor, _, door = state
        return kb.OVER if corridor > 3 else kb.CHANCE if door else 0

    def legal(self, state: State, player: int) -> list[str]:
        place = state[1]
        return [*DOORS, *(["ahead"] if place < 4 else []), *(["back"] if place else [])]

    def chance(self, state: State) -> list[tuple[str, float]]:
        opens = 0.3 + 0.1 * state[1] + 0.05 * DOORS.index(state[2])
        return [("opens", opens), ("stays shut", 1 - opens)]

    def step(self, state: State, joint: tuple[str, ...]) -> tuple[State, float]:
        corridor, place, door = state
        if door:
            return ((corridor + 1, 0, ""), 1.0) if joint[0] == "opens" else ((4, place, ""), -1.0)
        if joint[0] in ("back", "ahead"):
            return (corridor, place + (1 if joint[0] == "ahead" else -1), ""), 0.0
        return (corridor, place, joint[0]), 0.0

    def key(self, state: State) -> State:
        return state

    def evaluate(self, state: State) -> float:
        return (3 * state[1] + 7 * state[0] + 2 * len(state[2])) % 5 / 5

    def atoms(self, state: State) -> list[int]:
        corridor, place, door = state
        return [corridor * 5 + place, *([25 + DOORS.index(door)] if door else [])]


GAMES = (
    "tic-tac-toe",
    "tiger",
    "kuhn-poker",
    "rock-sample(4, 3)",
    "rock-paper-scissors",
    "monty-hall.kif",
    "bear",
    "doors-by-chance",
    Errands.name,
)
"""Between them they have nearly all that a planner may need."""
OF_ONE_GAME = {
    "starter-ai": "duelyst",
    "openspiel-cfr": "kuhn-poker",
    "openspiel-ismcts": "openspiel:leduc_poker",
} | dict.fromkeys(("patrol", "reactive", "static"), "navy-defense")
"""Planners that play one game only, or write out all of it first."""
MORE_GAMES = {"turn-search": ("duelyst",)}
"""Where else a planner is tried, since all that it reads matters in no small game."""
BASES = {
    "simulations": "simulations=60",
    "replies": "worlds=3",
    "worlds": "worlds=3, horizon=5",
    "samples": "samples=5",
    "depth": "depth=3",
    "level": "horizon=20",
    "horizon": "horizon=8",
}
"""A small budget, by the first of these parameters that a planner has."""
OF_PARTS = {
    "regret-matching": "simulations=100",
    "regret-matching-plus": "simulations=100",
    "reversal-penalty": "simulations=100, exploration=0.1, normalise=true",
}
"""What a search with a part needs, where the usual one refuses it."""
SEARCHES = (
    "tree=belief",
    "tree=outcomes, playout=random",
    "tree=public",
    "tree=action-observation, observers=one",
    "grow=0, selection=uniform",
    "grow=inf",
    "width=2",
    "playout=evaluator",
    "playout=solver(5)",
    "playout=greedy, depth=2",
    "selection=regret-matching",
    "selection=regret-matching-plus",
    "selection=progressive-bias",
    "selection=rave",
    "workers=2, parallel=leaf, playouts=2",
    "macro_actions=repeat(2)",
    "evaluator=solver(5)",
    "transitions=500, simulations=none",
    "expansion=action-tree",
    "horizon=turn",
)
"""Choices that make other parameters of a tree search superfluous."""
VALUES: dict[str, list[str]] = {
    "simulations": ["30"],
    "milliseconds": ["1"],
    "transitions": ["40", "20"],
    "nodes": ["10", "1"],
    "states": ["1000", "10", "1"],
    "workers": ["2"],
    "trees": ["2"],
    "parallel": ["tree, workers=2", "leaf, workers=2, playouts=4"],
    "evaluator": ["solver(7)"],
    "planner": ["random", "one-step"],
    "belief": ["particles(20)", "exact(10)", "hypergames", "tree", "resampling"],
    "macro_actions": ["irreversible", "repeat(2)"],
    "selection": ["uniform", "regret-matching", "regret-matching-plus", "progressive-bias", "rave"],
    "playout": [
        "random",
        "preferred",
        "greedy",
        "evaluator",
        "solver(3)",
        "mast",
        "ngram",
        "cut(1)",
        "turn",
        "epsilon",
        "nmc",
    ],
    "limit": ["1", "3", "10"],
}
"""Values to try where one that is made up would not do."""
SAME = {
    *((name, "workers") for name in ("hop-uct", "ensemble-uct", "ensemble-sparse-uct")),
}
"""What is read and changes nothing but the time it takes: threads share the trees out."""
WHERE = {
    "transpositions": ["simulations=300"],  # two ways to one state take a while
    "until_decided": ["exploration=0.01"],  # where much is explored, nothing is ever decided
    # In the end all agree.
    "choice": ["simulations=7, exploration=3", "simulations=23, exploration=0.1", "simulations=7"],
    "ties": ["simulations=1", "simulations=1, trees=2"],  # what was never tried is as good
    "normalise": ["exploration=1", "playout=evaluator"],  # where not all that a game pays is seen
    "solver": ["evaluator=solver(7)"],  # where evaluators judge games that end soon
}
"""What else to ask for where a parameter would change nothing otherwise."""
UNTRIED = {
    "milliseconds": "it depends on the machine",
    "file": "a planner that is a file needs one",
    "insist": "what it lets begin does not end",
}


def values(param: ParamDoc) -> list[str]:
    """Values that are not the default."""
    if param.name in VALUES:
        return [value for value in VALUES[param.name] if value != param.default]
    if param.kind == "true or false":
        return ["false" if param.default == "true" else "true"]
    if " | " in param.kind:
        words = re.sub(r"\([^)]*\)", "", param.kind).split(" | ")
        return [word for word in words if word not in (param.default, "none", "file", "auto")]
    numbers = ["1", "2", "3", "0.5", "0.001", "7", "100"]
    return [number for number in numbers if number != param.default]


@functools.cache
def decisions(spec: str, game: str) -> str | None:
    """What a planner decides at the first decisions of a game, and why; None where it is refused."""
    shown = []
    try:
        planner = kb.planner(spec)
        referee = kb.Referee(kb.load(game), seed=3)
        for _ in range(5):
            while not referee.over and not referee.movers:
                referee.advance()
            if referee.over:
                break
            player = referee.movers[0]
            if not shown:
                planner.start(referee.seat(player), player, 5)
                first = player
            if player == first:
                decision = decide(planner, referee, player)
                rows = [(row.action, row.visits, row.value, row.error) for row in decision.table]
                shown.append(
                    f"{decision.action} {rows} {decision.simulations} {decision.nodes} {decision.edges} "
                    f"{decision.transitions} {decision.belief} {decision.notes} {decision.counters}"
                )
            referee.apply([referee.view(mover).legal()[0] for mover in referee.movers])
    except ValueError:
        return None
    return "\n".join(shown)


def is_read(usual: str, changed: str) -> bool:
    """Whether a change of a planner changes what it does in some game, or is refused in all others."""
    played, refused = False, True
    planner = usual.partition("(")[0]
    only = OF_ONE_GAME.get(planner)
    for game in (*GAMES, *MORE_GAMES.get(planner, ())) if only is None else (only,):
        before = decisions(usual, game)
        if before is None:
            continue
        played = True
        after = decisions(changed, game)
        if after is not None and after != before:
            return True
        refused = refused and after is None
    assert played, f"{usual} plays none of the games here: its parameters would not be tried"
    return refused


def call(name: str, *arguments: str) -> str:
    """A planner with its arguments, a later one in place of an earlier one of the same name."""
    given: dict[str, str] = {}
    for argument in arguments:
        for part in re.split(r", (?![^(]*\))", argument):
            if part:
                key, _, value = part.partition("=")
                given[key] = value
    return f"{name}({', '.join(f'{key}={value}' for key, value in given.items())})"


def planners() -> Iterator[Any]:
    for entry in kb.list_planners():
        names = [param.name for param in entry.params]
        base = next((BASES[name] for name in BASES if name in names), "")
        for param in entry.params:
            if param.name not in UNTRIED and (entry.name, param.name) not in SAME:
                yield pytest.param(entry.name, base, param, id=f"{entry.name}-{param.name}")


def searches() -> Iterator[Any]:
    (uct,) = (entry for entry in kb.list_planners() if entry.name == "uct")
    for search in SEARCHES:
        for param in uct.params:
            same = (call("uct", f"simulations=60, {search}"), param.name) in SAME
            if param.name not in UNTRIED and f"{param.name}=" not in search and not same:
                yield pytest.param("uct", f"simulations=60, {search}", param, id=f"{search}-{param.name}")


@pytest.mark.parametrize(("planner", "base", "param"), [*planners(), *searches()])
def test_a_parameter_changes_something_or_is_refused(planner: str, base: str, param: ParamDoc) -> None:
    usual = call(planner, base)
    bases = [usual, *(call(planner, base, more) for more in WHERE.get(param.name, []))]
    read = any(
        is_read(spec, call(planner, spec.partition("(")[2][:-1], f"{param.name}={value}"))
        for spec in bases
        if spec == usual or any(decisions(spec, game) for game in GAMES)
        for value in values(param)
    )
    assert read, f"{usual}: {param.name} is accepted and changes nothing"


PARTS = {
    "playouts": "playout",
    "selections": "selection",
    "evaluators": "evaluator",
    "macro-actions": "macro_actions",
}


def parts() -> Iterator[Any]:
    for kind, name in PARTS.items():
        for part in _core.parts(kind) or []:
            for param in part.params:
                if param.name in UNTRIED:
                    continue
                yield pytest.param(name, part.name, param, id=f"{part.name}-{param.name}")


@pytest.mark.parametrize(("kind", "part", "param"), list(parts()))
def test_a_parameter_of_a_part_changes_something_or_is_refused(
    kind: str, part: str, param: ParamDoc
) -> None:
    planner = functools.partial(call, "uct", OF_PARTS.get(part, "simulations=100, exploration=0.1"))
    usual = planner(f"{kind}={part}")
    changed = [planner(f"{kind}={part}({param.name}={value})") for value in values(param)]
    assert any(is_read(usual, other) for other in changed), (
        f"{part}: {param.name} is accepted and changes nothing"
    )


@pytest.mark.parametrize("more", ["", ", paired=false"])
@pytest.mark.parametrize("states", [20, 300, 3000, 1_000_000])
def test_hindsight_looks_at_no_more_states_than_it_may(states: int, more: str) -> None:
    game = kb.load("connect-four")
    decision = kb.advise(
        game, kb.Referee(game).view(0), f"hindsight(worlds=10, horizon=3, states={states}{more})"
    )
    # A world that has been begun is ended.
    assert decision.nodes <= 1.1 * states + 60
    assert ("for want of states" in " ".join(decision.notes)) == (states <= 3000)


def test_what_becomes_of_workers_that_a_game_has_no_use_for_is_said() -> None:
    class Coin(kb.Rules[int]):
        """Heads or tails."""

        players, horizon, min_return, max_return = 1, 1, 0.0, 1.0

        def initial(self) -> int:
            return 0

        def turn(self, state: int) -> int:
            return kb.OVER if state else 0

        def legal(self, state: int, player: int) -> list[str]:
            return ["heads", "tails"]

        def step(self, state: int, joint: tuple[str, ...]) -> tuple[int, float]:
            return 1, float(joint[0] == "heads")

    game = kb.load(Coin())
    view = kb.Referee(game).view(0)
    for parallel in "root", "tree":
        notes = kb.advise(game, view, f"uct(simulations=20, workers=3, parallel={parallel})").notes
        assert any("one worker instead of 3" in note for note in notes)
    assert not any("worker" in note for note in kb.advise(game, view, "uct(simulations=20)").notes)
