"""Statistics against known values and scipy; matches that are fair and reproducible."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kibitz as kb
from kibitz.lab import Record, bradley_terry, clopper_pearson, summarise, wilson
from kibitz.lab.match import Clock, plan, play_games, win_shares
from kibitz.lab.seating import deals_for, seatings
from kibitz.lab.statistics import mean_and_error
from kibitz.lab.statistics.intervals import student_quantile


def test_wilson_published() -> None:
    # Brown, Cai and DasGupta (2001) and every textbook: 5 of 10 at 95 %.
    assert wilson(5, 10) == pytest.approx((0.2366, 0.7634), abs=5e-5)
    assert wilson(0, 10) == pytest.approx((0.0, 0.2775), abs=5e-5)
    assert wilson(10, 10) == pytest.approx((0.7225, 1.0), abs=5e-5)
    assert wilson(0, 0) == (0.0, 1.0)


@given(
    st.integers(1, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), st.floats(0.5, 0.999)
)
@settings(max_examples=40, deadline=None)
def test_intervals_agree_with_scipy(trial: tuple[int, int], confidence: float) -> None:
    from scipy.stats import binomtest

    successes, trials = trial
    test = binomtest(successes, trials)
    theirs = test.proportion_ci(confidence, method="wilson")
    assert wilson(successes, trials, confidence) == pytest.approx((theirs.low, theirs.high), abs=1e-9)
    exact = test.proportion_ci(confidence, method="exact")
    ours = clopper_pearson(successes, trials, confidence)
    assert ours == pytest.approx((exact.low, exact.high), abs=1e-9)
    assert ours.low <= successes / trials <= ours.high


@given(st.floats(0, 50), st.integers(0, 50))
def test_wilson_contains_the_share(successes: float, trials: int) -> None:
    if successes > trials:
        with pytest.raises(ValueError, match="cannot be"):
            wilson(successes, trials)
    elif trials:
        low, high = wilson(successes, trials)
        assert 0 <= low <= successes / trials <= high <= 1


def test_mean_and_error() -> None:
    from scipy.stats import sem

    values = [0.3, 1.0, -2.0, 5.5, 0.0]
    mean, error = mean_and_error([[value] for value in values])
    assert mean == pytest.approx(sum(values) / 5)
    assert error == pytest.approx(float(sem(values)))
    assert mean_and_error([[1.0, 2.0]])[1] is None
    assert math.isnan(mean_and_error([])[0])
    # Two games on each deal that always cancel out leave no doubt about the mean.
    assert mean_and_error([[1.0, -1.0], [1.0, -1.0]]) == (0.0, 0.0)


def test_bradley_terry_of_two_is_the_log_odds() -> None:
    strong, weak = bradley_terry({(0, 1): 64, (1, 0): 36}, 2, reduced=False)
    assert strong.elo - weak.elo == pytest.approx(400 * math.log10(64 / 36))
    assert strong.elo == pytest.approx(-weak.elo)
    # The log odds have the variance 1/64 + 1/36; each rating is half of the difference.
    half = student_quantile(0.975, 99) * math.sqrt(1 / 64 + 1 / 36) / 2 * 400 / math.log(10)
    assert strong.high - strong.low == pytest.approx(2 * half, rel=0.01)
    assert strong.high - strong.elo > strong.elo - strong.low  # the likelihood is askew


def test_bradley_terry_published() -> None:
    # Agresti, Categorical Data Analysis, table 10.10: baseball 1987, wins of the first team at home
    # and away together; fitted strengths, Baltimore being zero.
    teams = ["Milwaukee", "Detroit", "Toronto", "New York", "Boston", "Cleveland", "Baltimore"]
    wins = {
        (0, 1): 7, (0, 2): 9, (0, 3): 7, (0, 4): 7, (0, 5): 9, (0, 6): 11,
        (1, 0): 6, (1, 2): 7, (1, 3): 5, (1, 4): 11, (1, 5): 9, (1, 6): 9,
        (2, 0): 4, (2, 1): 6, (2, 3): 7, (2, 4): 7, (2, 5): 8, (2, 6): 12,
        (3, 0): 6, (3, 1): 8, (3, 2): 6, (3, 4): 6, (3, 5): 7, (3, 6): 10,
        (4, 0): 6, (4, 1): 2, (4, 2): 6, (4, 3): 7, (4, 5): 7, (4, 6): 12,
        (5, 0): 4, (5, 1): 4, (5, 2): 5, (5, 3): 6, (5, 4): 6, (5, 6): 6,
        (6, 0): 2, (6, 1): 4, (6, 2): 1, (6, 3): 3, (6, 4): 1, (6, 5): 7,
    }  # fmt: skip
    ratings = bradley_terry({pair: float(won) for pair, won in wins.items()}, len(teams), reduced=False)
    strengths = [(rating.elo - ratings[-1].elo) * math.log(10) / 400 for rating in ratings]
    assert strengths == pytest.approx([1.581, 1.436, 1.294, 1.248, 1.108, 0.684, 0.0], abs=2e-3)


def test_maximum_likelihood_has_no_rating_for_who_never_loses() -> None:
    with pytest.raises(ValueError, match="won all, or lost all"):
        bradley_terry({(0, 1): 5, (1, 2): 5}, 3, reduced=False)
    best, middle, worst = bradley_terry({(0, 1): 5, (1, 2): 5}, 3)
    assert best.elo > middle.elo > worst.elo
    assert best.elo + middle.elo + worst.elo == pytest.approx(0)


@given(st.integers(1, 6), st.integers(1, 9))
def test_seatings_are_fair(planners: int, seats: int) -> None:
    table = seatings(planners, seats)
    counts = {(p, seat): sum(s[seat] == p for s in table) for p in range(planners) for seat in range(seats)}
    assert len({*counts.values()}) == 1
    assert len({*table}) == len(table)
    assert all(len(seating) == seats for seating in table)
    if planners > 1:
        assert all(len({*seating}) == min(planners, seats) for seating in table)


def test_many_seats_do_not_take_long() -> None:
    assert len(seatings(2, 32)) == 32
    assert seatings(1, 32) == [(0,) * 32]
    assert deals_for(7, planners=2, seats=1) == 7


def test_every_deal_is_played_in_all_seatings() -> None:
    records = list(play_games(kb.load("kuhn-poker"), ["random", "random", "random"], games=8, seed=5))
    assert len(records) == 12
    by_deal = {episode: [r for r in records if r.episode == episode] for episode in (0, 1)}
    assert [r.seating for r in by_deal[0]] == [r.seating for r in by_deal[1]] == seatings(3, 2)


def test_the_same_deal_for_every_seating() -> None:
    game = kb.load("kuhn-poker")
    hands: dict[int, set[object]] = {}
    cell = plan(game, ["random", "random"], games=12, seed=3).cells[0]
    for deal in range(cell.deals):
        for seating in cell.seatings(deal):
            played = kb.play(game, ["random", "random"], seed=cell.seed, episode=deal)
            hands.setdefault(deal, set()).add(tuple(step.names for step in played.steps[:2]))
            assert len(seating) == 2
    assert all(len(cards) == 1 for cards in hands.values())
    assert len({next(iter(cards)) for cards in hands.values()}) > 1


def test_jobs_do_not_change_the_result() -> None:
    def games(jobs: int) -> list[tuple[int, tuple[int, ...], tuple[float, ...], int]]:
        planners = ["uct(simulations=30)", "random"]
        result = kb.match("tic-tac-toe", planners, games=12, seed=7, jobs=jobs)
        return [(r.episode, r.seating, r.returns, r.steps) for r in result.records]

    assert games(1) == games(2)


def test_match_knows_the_better_one() -> None:
    seen: list[Record] = []
    result = kb.match("tic-tac-toe", ["random", "uct(simulations=100)"], games=40, on_game=seen.append)
    weak, strong = result.standings
    assert strong.mean_return > 0.5 > weak.mean_return
    assert strong.win_rate is not None
    assert strong.win_rate.low > 0.5
    assert weak.wins + strong.wins == pytest.approx(40) == len(seen)
    assert strong.elo is None
    assert result.seats[0].player == "x"
    assert "uct(simulations=100)" in str(result)
    assert str(result).splitlines()[1].startswith("uct")


def test_single_player_matches() -> None:
    result = kb.match("tiger", ["pomcp(simulations=50)", "random"], games=5, max_steps=20)
    assert [standing.games for standing in result.standings] == [5, 5]
    assert not result.seats
    assert all(standing.win_rate is None for standing in result.standings)
    assert "win rate" not in str(result)


def test_win_shares() -> None:
    two, one = kb.load("tic-tac-toe").info, kb.load("tiger").info
    assert win_shares([1.0, -1.0], two) == [1.0, 0.0]
    assert win_shares([0.0, 0.0], two) == [0.5, 0.5]
    assert win_shares([one.max_return], one) == [1.0]
    assert win_shares([one.min_return], one) == [0.0]


def test_summary_of_nothing() -> None:
    result = summarise(kb.load("tic-tac-toe"), ["a", "b"], [])
    assert result.games == 0
    assert math.isnan(result.standings[0].mean_return)
    assert result.standings[0].win_rate == (0.0, 1.0)


def test_three_planners_have_elo() -> None:
    returns = [(1.0, -1.0), (1.0, -1.0), (-1.0, 1.0)]
    pairs = [(0, 1), (0, 2), (2, 1)]
    records = [Record(0, pair, r, 5, (0.0, 0.0)) for pair, r in zip(pairs, returns, strict=True)]
    result = summarise(kb.load("tic-tac-toe"), ["a", "b", "c"], records)
    ratings = [standing.elo for standing in result.standings]
    assert ratings[0] is not None
    assert ratings[1] is not None
    assert ratings[0].elo > ratings[1].elo
    assert result.to_json()["standings"][0]["elo"]["low"] < result.to_json()["standings"][0]["elo"]["elo"]


def test_mistakes_are_sentences() -> None:
    with pytest.raises(ValueError, match="at least one planner"):
        kb.match("tic-tac-toe", [])
    with pytest.raises(ValueError, match="at least one game"):
        kb.match("tic-tac-toe", ["random"], games=0)
    with pytest.raises(ValueError, match="at least one job"):
        kb.match("tic-tac-toe", ["random"], jobs=0)
    with pytest.raises(ValueError, match="cannot be sent to another process"):
        kb.match("tic-tac-toe", [lambda: kb.planner("random")], games=10, jobs=2)


def test_planners_from_functions() -> None:
    result = kb.match("tic-tac-toe", [lambda: kb.planner("random"), "random"], games=4)
    assert result.games == 4


def test_clock() -> None:
    now = iter([0.0, 10.0, 10.0, 10.0, 10.0, 10.0, 10.0])
    clock = Clock(30, now=lambda: next(now))
    assert clock.left is None
    clock.done = 10
    assert clock.left == pytest.approx(20)
