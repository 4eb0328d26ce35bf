"""Statistics against published values, against SciPy, and against what they promise; fair seatings."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from kibitz.lab.seating import FEW, deals_for, seatings
from kibitz.lab.statistics import (
    Sprt,
    bootstrap_mean,
    clopper_pearson,
    friedman,
    mann_whitney,
    mean_interval,
    paired_difference,
    sprt,
    wilcoxon,
)
from kibitz.lab.statistics.sprt import expected_score, log_likelihood_ratio


def singles(values: list[float]) -> list[list[float]]:
    return [[value] for value in values]


# Intervals of means


def test_student_interval_is_scipys() -> None:
    values = [4.1, 5.6, 3.2, 9.9, 5.0, 4.4]
    theirs = stats.ttest_1samp(values, 0.0).confidence_interval(0.9)
    assert mean_interval(singles(values), 0.9) == pytest.approx((theirs.low, theirs.high))
    assert mean_interval([[1.0, 2.0]]) == (-math.inf, math.inf)
    assert mean_interval([]) == (-math.inf, math.inf)


def test_bootstrap_is_scipys_where_deals_have_one_game() -> None:
    values = [float(x) for x in np.random.default_rng(1).exponential(size=60)]
    theirs = stats.bootstrap((values,), np.mean, n_resamples=9_999, rng=np.random.default_rng(5))
    low, high = theirs.confidence_interval
    # The same method on the same draws.
    assert bootstrap_mean(singles(values), seed=5) == pytest.approx((low, high), abs=1e-9)
    assert bootstrap_mean(singles(values), seed=5) == bootstrap_mean(singles(values), seed=5)
    assert bootstrap_mean(singles(values), seed=5) != bootstrap_mean(singles(values), seed=6)


def test_bootstrap_of_many_is_students() -> None:
    values = [float(x) for x in np.random.default_rng(1).normal(3.0, size=2_000)]
    boot, student = bootstrap_mean(singles(values), resamples=2_000), mean_interval(singles(values))
    assert boot == pytest.approx(student, abs=0.01)


def test_bootstrap_draws_deals_not_games() -> None:
    deals = singles([float(x) for x in np.random.default_rng(2).normal(size=50)])
    thrice = [group * 3 for group in deals]
    assert bootstrap_mean(thrice) == pytest.approx(bootstrap_mean(deals))
    alone = bootstrap_mean([[value] for group in thrice for value in group])
    assert alone.high - alone.low < 0.7 * (bootstrap_mean(thrice).high - bootstrap_mean(thrice).low)


def test_bootstrap_of_next_to_nothing() -> None:
    assert bootstrap_mean([[1.0], []]) == (-math.inf, math.inf)
    # Equal values tell nothing of how far others may be.
    for interval in bootstrap_mean, mean_interval:
        assert interval([[2.0], [2.0, 2.0], [2.0]]) == (-math.inf, math.inf)
    with pytest.raises(ValueError, match="between 0 and 1"):
        bootstrap_mean([[1.0], [2.0]], confidence=95)


def test_intervals_cover_as_often_as_they_say() -> None:
    draws = np.random.default_rng(3)
    samples = [[float(x) for x in draws.exponential(size=40)] for _ in range(400)]
    for interval in mean_interval, bootstrap_mean:
        options = {"resamples": 500} if interval is bootstrap_mean else {}
        covered = sum(
            low <= 1.0 <= high for low, high in (interval(singles(s), **options) for s in samples)
        )
        assert clopper_pearson(covered, len(samples), 0.999).high > 0.92, interval
        assert covered < len(samples)


# Paired differences and rank tests


def test_paired_difference_is_the_paired_t_test() -> None:
    # Student's own data (1908): hours of sleep gained with two drugs by the same ten patients.
    first = [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0]
    second = [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4]
    ours = paired_difference(dict(enumerate(singles(first))), dict(enumerate(singles(second))))
    assert ours.deals == 10
    assert ours.mean == pytest.approx(-1.58)
    assert ours.error is not None
    assert ours.mean / ours.error == pytest.approx(-4.0621, abs=5e-5)  # the published t
    assert ours.interval == pytest.approx((-2.4598858, -0.7001142), abs=1e-6)
    theirs = stats.ttest_rel(first, second).confidence_interval()
    assert ours.interval == pytest.approx((theirs.low, theirs.high))


def test_paired_difference_counts_a_deal_once() -> None:
    one = {0: [1.0], 1: [3.0], 2: [2.0]}
    none = {0: [0.0], 1: [0.0], 2: [0.0]}
    thrice = {deal: values * 3 for deal, values in one.items()}
    assert paired_difference(thrice, none) == paired_difference(one, none)
    assert paired_difference({0: [1.0]}, {1: [1.0]}).deals == 0
    assert paired_difference({0: [1.0]}, {0: [0.5]}).interval == (-math.inf, math.inf)
    # Always a point more: how much surer that makes depends on what could have been.
    point = {deal: [1.0] for deal in range(30)}
    nothing = {deal: [0.0] for deal in range(30)}
    assert paired_difference(point, nothing).interval == (-math.inf, math.inf)
    low, high = paired_difference(point, nothing, limits=(0.0, 3.0)).interval
    assert 0 < low < 1 < high < 3


def test_wilcoxon_published() -> None:
    # Hollander and Wolfe, Nonparametric Statistical Methods, table 3.1: depression scores.
    before = [1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30]
    after = [0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29]
    ours = wilcoxon(before, after)
    assert ours.p_value == pytest.approx(0.03906, abs=5e-6)
    assert min(ours.statistic, 45 - ours.statistic) == 5


def test_mann_whitney_published() -> None:
    # Hollander and Wolfe, table 4.1: permeability; W = 35, two-sided p = 0.2544.
    at_term = [0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46]
    earlier = [1.15, 0.88, 0.90, 0.74, 1.21]
    ours = mann_whitney(at_term, earlier)
    assert ours.statistic == 35
    assert ours.p_value == pytest.approx(0.2544, abs=5e-5)
    assert ours.deals == 5


def test_friedman_published() -> None:
    # Hollander and Wolfe, table 7.1: rounding first base in three ways; 11.143, p = 0.003805.
    ways = [
        [5.40, 5.85, 5.20, 5.55, 5.90, 5.45, 5.40, 5.45, 5.25, 5.85, 5.25,
         5.65, 5.60, 5.05, 5.50, 5.45, 5.55, 5.45, 5.50, 5.65, 5.70, 6.30],
        [5.50, 5.70, 5.60, 5.50, 5.85, 5.55, 5.40, 5.50, 5.15, 5.80, 5.20,
         5.55, 5.35, 5.00, 5.50, 5.55, 5.55, 5.50, 5.45, 5.60, 5.65, 6.30],
        [5.55, 5.75, 5.50, 5.40, 5.70, 5.60, 5.35, 5.35, 5.00, 5.70, 5.10,
         5.45, 5.45, 4.95, 5.40, 5.50, 5.35, 5.55, 5.25, 5.40, 5.55, 6.25],
    ]  # fmt: skip
    ours = friedman(ways)
    assert ours.statistic == pytest.approx(11.143, abs=5e-4)
    assert ours.p_value == pytest.approx(0.003805, abs=5e-7)


def test_rank_tests_of_equals_see_nothing() -> None:
    same = [1.0, 2.0, 2.0]
    assert wilcoxon(same, same).p_value == 1
    assert friedman([same, same, same]).p_value == 1
    assert mann_whitney(same, same).p_value == 1


def test_rank_tests_say_what_they_need() -> None:
    with pytest.raises(ValueError, match="samples of 1, 2"):
        wilcoxon([1.0], [1.0, 2.0])
    with pytest.raises(ValueError, match="three or more"):
        friedman([[1.0], [2.0]])
    with pytest.raises(ValueError, match="at least one value"):
        mann_whitney([], [1.0])
    with pytest.raises(ValueError, match="samples of none"):
        friedman([])


# The sequential test

# Losses first. The first seven and the trinomial one were computed with fishtest's own code and
# published with fourteen digits; the others are in fastchess' tests, with two.
PUBLISHED = [
    ((3, 20, 50, 22, 5), 0, 20, 0.04032037241670679, 1e-9),
    ((3, 20, 50, 22, 5), 0, 5, 0.17838022438188125, 1e-9),
    ((3, 20, 50, 22, 5), -10, 10, 0.9344729113889829, 1e-9),
    ((0, 10, 30, 12, 0), 0, 20, -0.27041453628885204, 1e-9),
    ((0, 10, 30, 12, 0), 0, 5, 0.085226848211516, 1e-9),
    ((12, 40, 60, 30, 8), 0, 20, -2.9973011351582723, 1e-9),
    ((12, 40, 60, 30, 8), -10, 10, -2.0579732004260216, 1e-9),
    ((30, 40, 50), 0, 20, 1.4333717997704136, 1e-9),
    ((223, 9863, 20279 + 1000, 10037, 246), 0.5, 2.5, -3.07, 5e-3),
    ((871, 26175, 55003 + 980, 26678, 821), 0, 2, -4.98, 5e-3),
    ((21184, 40708, 21404), 0.5, 2.5, -1.57, 5e-3),
    ((57030, 106593, 57433), 0, 2, -2.59, 5e-3),
]


@pytest.mark.parametrize(("counts", "elo0", "elo1", "published", "within"), PUBLISHED)
def test_log_likelihood_ratio_published(
    counts: tuple[int, ...], elo0: float, elo1: float, published: float, within: float
) -> None:
    assert log_likelihood_ratio(counts, elo0, elo1) == pytest.approx(published, abs=within)


def test_without_draws_it_is_walds_own_test() -> None:
    # Two outcomes leave nothing to fit: the ratio of two binomials. The unseen draw counts a thousandth.
    s0, s1 = expected_score(-20), expected_score(50)
    wald = 70 * math.log(s1 / s0) + 30 * math.log((1 - s1) / (1 - s0))
    assert log_likelihood_ratio([30, 0, 70], -20, 50) == pytest.approx(wald, abs=1e-3)


def test_both_sides_of_the_table_agree() -> None:
    for counts, elo0, elo1, *_ in PUBLISHED:
        turned = log_likelihood_ratio(counts[::-1], -elo1, -elo0)
        assert turned == pytest.approx(-log_likelihood_ratio(counts, elo0, elo1), abs=1e-9)


def test_a_verdict_stops_at_the_bound() -> None:
    verdict = sprt([2.0] * 400, elo0=0, elo1=20)
    assert (verdict.accepted, verdict.decided, verdict.pairs) == ("H1", True, 53)  # fishtest: 106 games
    assert verdict.upper == pytest.approx(math.log(19)) == -verdict.lower
    assert sprt([2.0] * 52, elo0=0, elo1=20).accepted is None
    assert sprt([0.0] * 400, elo0=0, elo1=20).accepted == "H0"
    assert sprt([], elo0=0, elo1=20).llr == 0
    test = Sprt(elo0=0, elo1=20)
    assert [test.add(2.0) for _ in range(60)][-1] == verdict


def test_the_sequential_test_says_what_it_needs() -> None:
    with pytest.raises(ValueError, match="elo0 must be less"):
        sprt([], elo0=5, elo1=5)
    with pytest.raises(ValueError, match="elo0 must be less"):
        sprt([], elo0=math.nan, elo1=5)
    with pytest.raises(ValueError, match="together below 1"):
        sprt([], elo0=0, elo1=5, alpha=0.6, beta=0.4)
    for wrong in 2.5, -0.5, 0.3, math.nan, math.inf:
        with pytest.raises(ValueError, match="two games is 0 to 2"):
            sprt([wrong], elo0=0, elo1=5)
    with pytest.raises(ValueError, match="a game is 0 to 1"):
        sprt([1.5], elo0=0, elo1=5, paired=False)


@pytest.mark.parametrize("paired", [True, False])
def test_errors_are_as_seldom_as_promised(paired: bool) -> None:
    alpha, beta, elo0, elo1, runs = 0.10, 0.05, 0.0, 150.0, 600
    draws = np.random.default_rng(7)
    games = 2 if paired else 1
    wrong = {"H0": 0, "H1": 0}
    for truth, elo, other in ("H0", elo0, "H1"), ("H1", elo1, "H0"):
        win = expected_score(elo) - 0.15  # and three games of ten are drawn
        shares = [1 - win - 0.3, 0.3, win]
        for _ in range(runs):
            scores = draws.choice([0.0, 0.5, 1.0], size=(400, games), p=shares).sum(axis=1)
            verdict = sprt(map(float, scores), elo0=elo0, elo1=elo1, alpha=alpha, beta=beta, paired=paired)
            assert verdict.decided
            wrong[truth] += verdict.accepted == other
    # Wald's bounds promise a little less than alpha and beta; the generalised test keeps that nearly.
    assert clopper_pearson(wrong["H0"], runs, 0.999).low < alpha
    assert clopper_pearson(wrong["H1"], runs, 0.999).low < beta
    # And it does not buy that by playing on for ever: at least a third of what is allowed is used.
    assert wrong["H0"] > runs * alpha / 3
    assert wrong["H1"] > runs * beta / 3


# Seatings


@pytest.mark.parametrize(
    ("planners", "seats"), [(5, 5), (6, 6), (7, 5), (3, 6), (2, 8), (4, 8), (2, 7), (3, 7), (4, 6)]
)
def test_a_match_goes_through_all_orders_evenly(planners: int, seats: int) -> None:
    each, more = divmod(seats, planners)
    copies = math.factorial(each) ** (planners - more) * math.factorial(each + 1) ** more
    orders = math.factorial(seats) // copies
    assert orders > FEW
    seen: set[tuple[int, ...]] = set()
    deal = 0
    while not seen.intersection(block := seatings(planners, seats, deal)):
        seen.update(block)
        deal += 1
    # Nothing came twice before everything had come once, and then it begins again.
    assert len(seen) == orders * math.comb(planners, more)
    assert block == seatings(planners, seats, 0)


@given(st.integers(1, 7), st.integers(1, 9), st.integers(0, 10_000))
@settings(max_examples=60, deadline=None)
def test_every_deal_is_fair(planners: int, seats: int, deal: int) -> None:
    table = seatings(planners, seats, deal)
    counts = Counter((planner, seat) for seating in table for seat, planner in enumerate(seating))
    assert len(counts) == planners * seats
    assert len({*counts.values()}) == 1
    assert len({*table}) == len(table)
    assert table == seatings(planners, seats, deal)


@pytest.mark.parametrize("planners", [2, 3, 4, 5, 8])
@pytest.mark.parametrize("seats", [1, 2, 5, 8])
@pytest.mark.parametrize("games", [1, 7, 100, 333])
def test_deals_for_is_enough_and_no_more(planners: int, seats: int, games: int) -> None:
    deals = deals_for(games, planners, seats)
    played = [Counter[int]() for _ in range(2)]
    for deal in range(deals):
        for seating in seatings(planners, seats, deal):
            for count in played[: 2 if deal < deals - 1 else 1]:
                count.update({*seating})
    assert min(played[0][p] for p in range(planners)) >= games
    assert min(played[1][p] for p in range(planners)) < games


def test_a_billion_games_are_counted_at_once() -> None:
    assert deals_for(10**9, planners=2, seats=2) == 5 * 10**8
    assert deals_for(10**9, planners=2, seats=8) > 10**9 // 8
    assert len(seatings(32, 32, 10**9)) == 32
    assert seatings(32, 32, 1) != seatings(32, 32, 2)
