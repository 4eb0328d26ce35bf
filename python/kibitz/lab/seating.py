"""Who sits where: every deal is played in all seatings, so that neither seat nor deal is luck."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from itertools import combinations
from typing import TYPE_CHECKING

from kibitz._core import Bits

if TYPE_CHECKING:
    from kibitz._stream import Stream

FEW = 24
"""Up to so many ways to seat the same planners, every deal is played in all of them."""

MANY = 50_000
"""Up to so many, the deals of a match go through all of them in turn; beyond, each deal draws."""

Seating = tuple[int, ...]
"""The number of the planner on each seat."""


def seatings(planners: int, seats: int, deal: int = 0) -> list[Seating]:
    """The seatings in which a deal is played, such that every planner sits on every seat equally often.

    One planner plays against itself. Too few planners sit on several seats, as evenly as can be;
    of too many, every choice plays. In a game of one each plays alone.

    Where there are more than `FEW` orders of the same planners, a deal is played in the rotations of
    one order only, and the next deal in those of another, until all orders have been played equally
    often; then it begins again.

    >>> from kibitz.lab.seating import seatings
    >>> seatings(2, 2)
    [(0, 1), (1, 0)]
    >>> seatings(2, 1)
    [(0,), (1,)]
    >>> seatings(3, 2)
    [(0, 1), (1, 0), (0, 2), (2, 0), (1, 2), (2, 1)]
    >>> seatings(2, 3)
    [(0, 0, 1), (0, 1, 0), (1, 0, 0), (0, 1, 1), (1, 0, 1), (1, 1, 0)]
    >>> every_order = {order for deal in range(24) for order in seatings(5, 5, deal)}
    >>> len(seatings(5, 5)), len(every_order)
    (5, 120)
    """
    if planners < 1 or seats < 1:
        raise ValueError("a match needs at least one planner and one seat")
    each, more = divmod(seats, planners)
    found: list[Seating] = []
    for chosen in combinations(range(planners), more):
        table = tuple(sorted([*range(planners)] * each + [*chosen]))
        found += _at(table, deal)
    return found


def _at(table: Seating, deal: int) -> list[Seating]:
    """The orders of a table in which a deal is played."""
    count = _count(table)
    if count <= FEW:
        return list(_orders(table))
    if count <= MANY:
        copies = Counter(table)
        names = sorted(copies, key=lambda planner: (copies[planner], planner))
        rounds = _rounds(tuple(copies[name] for name in names))
        return _rotations(tuple(names[number] for number in rounds[deal % len(rounds)]))
    stream = _stream(deal)
    while True:
        turns = _rotations(tuple(stream.sample(table, len(table))))
        if len(turns) == len(table):  # among so many, hardly any repeats itself
            return turns


def _count(table: Seating) -> int:
    """How many orders a table has."""
    count = math.factorial(len(table))
    for copies in Counter(table).values():
        count //= math.factorial(copies)
    return count


def _orders(table: Seating) -> Iterator[Seating]:
    """The different orders of a table, on which a planner may sit more than once."""
    if not table:
        yield ()
    for first in sorted({*table}):
        place = table.index(first)
        yield from ((first, *others) for others in _orders(table[:place] + table[place + 1 :]))


def _rotations(order: Seating) -> list[Seating]:
    """The same order begun on each seat; an order that repeats itself has fewer of them than seats."""
    return list(dict.fromkeys((*order[turn:], *order[:turn]) for turn in range(len(order))))


@lru_cache(maxsize=16)
def _rounds(copies: tuple[int, ...]) -> list[Seating]:
    """One of all orders that are rotations of each other, in an order that favours nobody.

    `copies` says on how many seats each planner sits, the rarest first: each round begins with it.
    """
    table = tuple(number for number, seats in enumerate(copies) for _ in range(seats))
    rounds = [(0, *others) for others in _orders(table[1:])]
    if copies[0] > 1:
        rounds = [order for order in rounds if order == min(_rotations(order))]
    _stream(0).shuffle(rounds)
    return rounds


def _stream(number: int) -> Stream:
    """The same draws for everybody, today and next year."""
    from kibitz._stream import Stream

    return Stream(Bits(number))


def deals_for(games: int, planners: int, seats: int) -> int:
    """How many deals give every planner at least so many games.

    >>> from kibitz.lab.seating import deals_for
    >>> deals_for(200, planners=2, seats=2)
    100
    >>> deals_for(200, planners=3, seats=2)
    50
    """
    each, more = divmod(seats, planners)
    table = tuple(sorted([*range(planners)] * each))
    if more or not FEW < _count(table) <= MANY:
        own = sum(0 in seating for seating in seatings(planners, seats))
        return -(-games // own)
    # Orders that repeat themselves around the table give a deal fewer games than the others do.
    whole, games = divmod(games, _count(table))
    deals = whole * len(_rounds((each,) * planners))
    while games > 0:
        games -= len(_at(table, deals))
        deals += 1
    return deals


def varies(planners: int, seats: int) -> bool:
    """Whether the seatings differ from deal to deal.

    >>> from kibitz.lab.seating import varies
    >>> varies(2, 2), varies(5, 5)
    (False, True)
    """
    each, more = divmod(seats, planners)
    return _count(tuple(range(planners)) * each + tuple(range(more))) > FEW


def games_in(deals: int, planners: int, seats: int) -> int:
    """How many games so many deals are, from the first on.

    >>> from kibitz.lab.seating import games_in
    >>> games_in(100, planners=2, seats=2)
    200
    """
    each, more = divmod(seats, planners)
    table = tuple(sorted([*range(planners)] * each))
    if more or not FEW < _count(table) <= MANY:
        return deals * len(seatings(planners, seats))
    whole, rest = divmod(deals, len(_rounds((each,) * planners)))
    return whole * _count(table) + sum(len(_at(table, deal)) for deal in range(rest))
