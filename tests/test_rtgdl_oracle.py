"""Real-time rules against clingo: updates by definition 1 of rtGDL, from the text of the rules."""

from __future__ import annotations

import random
import re
from decimal import Decimal

import pytest

import kibitz as kb
from kibitz.lang import FOLDER, shipped_rules

pytest.importorskip("clingo", reason="clingo is not installed: nobody to compare the rules' machines with")

from kibitz.lang.asp import Program, terms

TICK = Decimal("0.000001")
UPDATES = 40
"""Updates of a game that are compared..."""
EPISODES = 10
"""...in no more than so many episodes."""

Timed = tuple[Decimal | None, str]
"""A fact with its lifetime; None is for ever."""

# What chance makes after a while is told to nobody, and so not to this test either.
FILES = [
    entry.name
    for entry in shipped_rules()
    if entry.name.startswith("real-time-") and "whack-a-mole" not in entry.name
]


def plain(text: str) -> str:
    """A text with its decimals written in one way."""
    shorter = re.sub(r"(?<![\w.-])(\d+)\.(\d*?)0*(?![\w.])", r"\1.\2", text)
    return re.sub(r"\.(?=[\s()]|$)", "", shorter).lower()


def held(facts: list[str]) -> set[Timed]:
    found: set[Timed] = set()
    for fact in facts:
        name, between, lifetime = fact.rpartition(" for ")
        found.add((Decimal(lifetime), plain(name)) if between else (None, plain(fact)))
    return found


def true(state: set[Timed]) -> list[str]:
    return [f"(true {'infinity' if left is None else plain(str(left))} {fact})" for left, fact in state]


def shown(term: object) -> str:
    return f"({' '.join(shown(part) for part in term)})" if isinstance(term, list) else str(term)


def given(atoms: set[str], keyword: str) -> set[Timed]:
    """The facts of `init` or `next`."""
    found: set[Timed] = set()
    for atom in atoms:
        term = terms(atom)[0]
        if isinstance(term, list) and term[0] == keyword:
            lifetime, fact = term[1], shown(term[2])
            found.add((None if lifetime == "infinity" else Decimal(str(lifetime)), fact))
    return found


def lapsed(state: set[Timed], elapsed: Decimal) -> tuple[set[Timed], list[str]]:
    """The paper's mu(S, t), and what has expired."""
    kept = {
        (left if left is None else left - elapsed, fact)
        for left, fact in state
        if left is None or left > elapsed
    }
    return kept, [f"(expired {fact})" for left, fact in state if left is not None and left <= elapsed]


@pytest.mark.parametrize("name", FILES)
def test_updates_are_those_of_the_definition(name: str) -> None:
    text = (FOLDER / name).read_text("utf-8")
    program, game = Program(plain(text)), kb.load(name)
    roles = dict(game.roles)
    compared = 0
    for seed in range(EPISODES):
        rng = random.Random(seed)
        referee = kb.Referee(game, seed=seed)
        before, expired = game.initial(), list[str]()
        assert held(before.facts) == given(program.follows([]), "init")

        def choose(
            player: int, rng: random.Random = rng, referee: kb.Referee = referee
        ) -> int | kb.Decision:
            if rng.random() < 0.6:
                ticks = rng.choice([100_000, 450_000, 500_000, 1_000_001])
                return kb.Decision(referee.view(player), kb.WAIT, ticks=ticks)
            return rng.choice(referee.state.legal(player))

        steps = referee.opening()
        while compared < UPDATES * (seed + 1) / EPISODES:
            for after, joint, _, returns, ticks in steps:
                who = before.movers
                does = []
                for player, action in (
                    zip(who, joint, strict=True) if not before.chance else [(None, joint[0])]
                ):
                    if action != kb.WAIT:
                        role = next(role for role, own in roles.items() if own == player)
                        does.append(f"(does {role} {plain(before.action_name(player, action))})")
                kept, gone = lapsed(held(before.facts), ticks * TICK)
                assert does or gone, "nothing has happened"
                # Of the state itself: its facts, and what expired on the way to it.
                atoms = program.follows([*true(held(before.facts)), *expired])
                said = {atom for atom in atoms if atom.startswith("(legal ")}
                own = {
                    f"(legal {role} {plain(before.action_name(player, action))})"
                    for role, player in roles.items()
                    if player is not None and player in who
                    for action in before.legal(player)
                }
                if not before.chance:
                    assert own == said
                assert "terminal" not in atoms
                assert held(after.facts) == given(program.follows([*true(kept), *gone, *does]), "next")
                before, expired = after, gone
                compared += 1
                if after.over:
                    atoms = program.follows([*true(held(after.facts)), *expired])
                    assert "terminal" in atoms
                    for role, player in roles.items():
                        if player is not None:
                            assert f"(goal {role} {returns[player]:g})" in atoms
            if referee.over:
                break
            steps = referee.round(choose)
    assert compared >= 8
