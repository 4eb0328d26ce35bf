"""Facts of rules files as words."""

from __future__ import annotations

import re

import kibitz as kb

Fact = tuple[str, ...]
Facts = frozenset[Fact]


def words_of(name: str) -> list[str]:
    """(move 1 2) as words."""
    return re.findall(r"[\w-]+", name)


def facts_of(state: kb.State) -> Facts:
    return frozenset(tuple(words_of(line)) for line in state.facts)


def cells(facts: Facts, name: str = "cell") -> dict[tuple[int, ...], str]:
    return {tuple(map(int, fact[1:-1])): fact[-1] for fact in facts if fact[0] == name}
