"""Who sits where: every deal is played in all seatings, so that neither seat nor deal is luck."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, islice

FEW = 24
"""Where there are more ways than this to seat the same planners, they only move around the table."""

Seating = tuple[int, ...]
"""The number of the planner on each seat."""


def seatings(planners: int, seats: int) -> list[Seating]:
    """The seatings in which each deal is played, such that every planner sits on every seat equally often.

    One planner plays against itself. Too few planners sit on several seats, as evenly as can be;
    of too many, every choice plays. In a game of one each plays alone.

    >>> from kibitz.lab.seating import seatings
    >>> seatings(2, 2)
    [(0, 1), (1, 0)]
    >>> seatings(2, 1)
    [(0,), (1,)]
    >>> seatings(3, 2)
    [(0, 1), (1, 0), (0, 2), (2, 0), (1, 2), (2, 1)]
    >>> seatings(2, 3)
    [(0, 0, 1), (0, 1, 0), (1, 0, 0), (0, 1, 1), (1, 0, 1), (1, 1, 0)]
    """
    if planners < 1 or seats < 1:
        raise ValueError("a match needs at least one planner and one seat")
    each, more = divmod(seats, planners)
    found: dict[Seating, None] = {}
    for chosen in combinations(range(planners), more):
        table = sorted([*range(planners)] * each + [*chosen])
        found.update(dict.fromkeys(_around(table)))
    return list(found)


def _around(table: list[int]) -> list[Seating]:
    """All orders of a table, or its rotations where there are too many."""
    orders = list(islice(_orders(table), FEW + 1))
    if len(orders) <= FEW:
        return orders
    return [(*table[turn:], *table[:turn]) for turn in range(len(table))]


def _orders(table: list[int]) -> Iterator[Seating]:
    """The different orders of a table, on which a planner may sit more than once."""
    if not table:
        yield ()
    for first in sorted(set(table)):
        rest = table.copy()
        rest.remove(first)
        yield from ((first, *others) for others in _orders(rest))


def deals_for(games: int, planners: int, seats: int) -> int:
    """How many deals give every planner at least so many games.

    >>> from kibitz.lab.seating import deals_for
    >>> deals_for(200, planners=2, seats=2)
    100
    >>> deals_for(200, planners=3, seats=2)
    50
    """
    table = seatings(planners, seats)
    own = sum(0 in seating for seating in table)
    return -(-games // own)
