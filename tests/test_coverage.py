"""Intervals and verdicts keep what they promise, in simulated games whose truth is known.

The same cases at full size: `kibitz bench statistics`.
"""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from kibitz.bench.statistics import CASES, Case, keep
from kibitz.lab import Record, clopper_pearson, summarise
from kibitz.lab.standings import GameFacts, Seat, Standing
from kibitz.lab.statistics import Interval, bounded_mean, confidence_sequence, mean_of_deals
from kibitz.lab.statistics.agreement import Figure, games_to_tell, judge

RUNS = 100


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_promises_are_kept(case: Case) -> None:
    # What is looked at again and again takes longer to simulate.
    kept = keep(case, 0.95, RUNS // 3 if case.name.startswith(("fifty", "after")) else RUNS)
    assert kept.interval.high >= 0.95, kept


def test_the_docs_have_a_row_of_each_case() -> None:
    page = (Path(__file__).parent.parent / "docs" / "statistics.md").read_text("utf-8")
    table = page.split("\n|---|---:|---:|\n")[1].splitlines()
    rows = [line.split("|")[1].strip() for line in table if line.startswith("|")]
    assert rows == [case.name for case in CASES]


def test_one_game_a_deal_is_clopper_and_pearsons() -> None:
    for won, games in (0, 7), (3, 10), (10, 10):
        deals = [[1.0]] * won + [[0.0]] * (games - won)
        for level in 0.95, 0.99:
            assert bounded_mean(deals, 0, 1, level) == pytest.approx(clopper_pearson(won, games, level))
    # Games that repeat their deal add nothing.
    assert bounded_mean([[1.0] * 6] * 3 + [[0.0] * 6] * 7, 0, 1) == pytest.approx(clopper_pearson(3, 10))


@pytest.mark.parametrize("interval", [bounded_mean, confidence_sequence])
def test_no_width_is_zero_and_no_end_beyond_the_bounds(interval) -> None:  # type: ignore[no-untyped-def]
    for groups in [[[50.0]]] * 2 + [[[50.0]] * 30, [[0.0, 100.0]] * 9, [[100.0]] * 5, [[99.0], [1.0]]]:
        low, high = interval(groups, 0.0, 100.0)
        assert 0 <= low < high <= 100
        # The scale does not matter, nor does the side.
        assert interval([[x / 50 - 1 for x in g] for g in groups], -1, 1) == pytest.approx(
            (low / 50 - 1, high / 50 - 1), abs=1e-6
        )
        assert interval([[100 - x for x in g] for g in groups], 0, 100) == pytest.approx(
            (100 - high, 100 - low), abs=1e-6
        )
    assert interval([], 0, 1) == (0, 1)
    with pytest.raises(ValueError, match="not within 0 and 1"):
        interval([[0.5], [2.0]], 0, 1)
    with pytest.raises(ValueError, match="the lower one first"):
        interval([[0.5]], 1, 0)


def test_without_bounds_equal_deals_tell_nothing() -> None:
    nowhere = (-math.inf, math.inf)
    assert mean_of_deals([[1.0]] * 50, nowhere) == nowhere
    assert mean_of_deals([[1.0], [2.0]], nowhere, sequential=True) == nowhere
    assert math.isfinite(mean_of_deals([[1.0], [2.0]], nowhere).low)
    # A game whose returns are beyond what it declares is believed no more.
    assert mean_of_deals([[5.0], [6.0]], (0.0, 1.0)) == mean_of_deals([[5.0], [6.0]], nowhere)


def games(*deals: tuple[float, float]) -> list[Record]:
    """Each deal in both seatings; the first planner's returns, from 0 to 1."""
    return [
        Record(deal, seating, (mine, 1 - mine) if seating == (0, 1) else (1 - mine, mine), 1, (0.0, 0.0))
        for deal, both in enumerate(deals)
        for seating, mine in zip(((0, 1), (1, 0)), both, strict=True)
    ]


FACTS = GameFacts("simulated", ("first", "second"), 0.0, 1.0)


def test_win_rate_and_return_of_the_same_games_agree() -> None:
    result = summarise(FACTS, ["a", "b"], games(*[(1.0, 0.0)] * 11, *[(1.0, 1.0)] * 3))
    rows: list[Standing | Seat] = [*result.standings, *result.seats]
    for row in rows:
        assert row.return_interval is not None
        assert row.return_interval == pytest.approx(row.win_rate)
        assert row.return_interval.low < row.mean_return < row.return_interval.high
    # Both seatings the same, so that the first seat always wins: a deal is one win of its seat, not two.
    same = summarise(FACTS, ["a", "b"], games(*[(1.0, 0.0)] * 14))
    assert same.seats[0].win_rate == pytest.approx(clopper_pearson(14, 14))


def test_the_spread_is_that_of_single_returns() -> None:
    (row, _) = summarise(FACTS, ["a", "b"], games(*[(1.0, 0.0)] * 50)).standings
    assert row.standard_error == 0
    assert row.spread == pytest.approx(0.5, abs=0.01)


def test_every_interval_has_the_confidence_that_its_head_says() -> None:
    facts = GameFacts("simulated", ("first", "second"), 0.0, 1.0)
    records = [
        Record(deal, pair, (1.0, 0.0) if (deal + sum(pair)) % 3 else (0.0, 1.0), 1, (0.0, 0.0))
        for deal in range(30)
        for pair in ((0, 1), (1, 0), (0, 2), (2, 0), (1, 2), (2, 1))
    ]
    narrow, wide = (summarise(facts, [*"abc"], records, confidence=level) for level in (0.95, 0.99))
    assert str(narrow).splitlines()[0].count("95 %") == 3
    assert str(wide).splitlines()[0].count("99 %") == 3
    assert "95 %" not in str(wide)
    for once, more in zip(narrow.standings, wide.standings, strict=True):
        assert once.elo is not None
        assert more.elo is not None
        assert more.elo.low < once.elo.low < once.elo.high < more.elo.high
    # Ratings of a run that is not complete are looked at on the way, as all else.
    (first, *_) = summarise(facts, [*"abc"], records, complete=False).standings
    assert first.elo is not None
    assert narrow.standings[0].elo is not None
    assert first.elo.low < narrow.standings[0].elo.low
    assert first.win_rate == pytest.approx(
        summarise(facts, [*"abc"], records, sequential=True).standings[0].win_rate
    )


def test_few_or_unequal_deals_are_rough() -> None:
    many = games(*[(1.0, 0.0), (0.5, 1.0)] * 6)
    assert "rough" not in str(summarise(FACTS, ["a", "b"], many))
    assert "rough: the games of a are worth 8 deals" in str(summarise(FACTS, ["a", "b"], many[:16]))
    lopsided = [record for record in many for _ in range(100 if record.episode == 0 else 1)]
    assert "are worth 1.2 deals" in str(summarise(FACTS, ["a", "b"], lopsided))


def test_three_equal_games_tell_nothing_yet() -> None:
    facts = GameFacts("alone", ("player",), 0.0, 100.0)
    records = [Record(deal, (0,), (100.0,), 1, (0.0,)) for deal in range(3)]
    (row,) = summarise(facts, ["a"], records).standings
    figure = Figure(row.mean_return, row.return_interval)
    assert judge(figure, Figure(50.0), tolerance=5.0, better="higher") == "cannot tell yet"
    needed = games_to_tell(figure, Figure(50.0), 3, tolerance=5.0)
    assert needed is not None
    assert 4 <= needed < 30


def test_how_many_games_would_tell() -> None:
    def needed(value: float, half: float, paper: float | None = None, tolerance: float = 1.0) -> int | None:
        published = Figure(10.0, None if paper is None else Interval(10 - paper, 10 + paper))
        ours = Figure(value, Interval(value - half, value + half))
        return games_to_tell(ours, published, 100, tolerance=tolerance)

    assert needed(10.0, 2.0) == 400  # to agree
    assert needed(10.5, 2.0) == 1600
    assert needed(13.0, 4.0) == needed(7.0, 4.0) == 400  # to differ
    assert needed(13.0, 4.0, paper=1.2) == 625

    # What is far only on one side, for what was not seen, narrows with the number of games itself: a prize
    # of a hundred, won once in two hundred games, beside a paper's 3.
    def prize(games: float) -> Figure:
        return Figure(0.5, Interval(*(100 * end for end in clopper_pearson(games / 200, games))))

    right = next(games for games in range(200, 1000) if prize(games).interval.high < 2)  # type: ignore[union-attr]
    assert games_to_tell(prize(200), Figure(3.0), 200, tolerance=1.0) == pytest.approx(right, rel=0.05)
    # A loss of 2,000 that may come, but never did, in a hundred and sixty games.
    tiger = Figure(18.57, Interval(-27.69, 24.04)), Figure(19.3714)
    to_tell = games_to_tell(*tiger, 160, tolerance=0.97)
    assert to_tell is not None
    assert 80_000 < to_tell < 400_000
    # No number would: the paper's own interval is too wide, or the figure is right at the tolerance.
    assert needed(13.0, 4.0, paper=2.0) is None
    assert needed(11.0, 1.0) is None
    assert needed(10.0, math.inf) is None
