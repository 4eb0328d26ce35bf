"""Ratings and faults against known truth: who is how strong, how sure that is; and a crash never pays."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

import faulty
import kibitz as kb
from kibitz.lab import Experiment, Fault, Record, bradley_terry, summarise
from kibitz.lab.cells import Cell
from kibitz.lab.experiment import Stop
from kibitz.lab.measures import played
from kibitz.lab.reports.plots import plots
from kibitz.lab.reproductions import Target
from kibitz.lab.standings import GameFacts, counted, win_shares
from kibitz.lab.statistics import friedman, mann_whitney, wilcoxon
from kibitz.lab.statistics.ratings import ELO, Scores
from kibitz.lab.statistics.sprt import expected_score
from kibitz.lab.stopping import rule_for

OXO = GameFacts.of(kb.load("tic-tac-toe"))
Make = Callable[[np.random.Generator], list[Scores]]


# Elo against known truth


def games(
    truth: list[float], count: int, *, drawn: float = 0.0, luck: float = 0.0, copies: int = 1
) -> Make:
    """Each two play `count` games: some drawn, deals that suit one of them, deals played alike again."""

    def make(rng: np.random.Generator) -> list[Scores]:
        deals: list[Scores] = []
        for i, j in combinations(range(len(truth)), 2):
            for _ in range(count // 2):
                suits = luck * rng.normal()
                won = 0.0
                for _ in range(2):
                    expected = expected_score(truth[i] - truth[j] + suits)
                    draws = 2 * drawn * expected * (1 - expected)
                    draw = rng.random()
                    won += float(draw < expected - draws) + 0.5 * (
                        expected - draws <= draw < expected + draws
                    )
                deals.append({(i, j): copies * won, (j, i): copies * (2 - won)})
        return deals

    return make


def rankings(truth: list[float], count: int, seats: int) -> Make:
    """Games of several seats by Plackett and Luce's model, every two at the table compared."""

    def make(rng: np.random.Generator) -> list[Scores]:
        deals: list[Scores] = []
        for _ in range(count):
            there = rng.permutation(len(truth))[:seats]
            order = there[np.argsort(-(rng.gumbel(size=seats) + np.array(truth)[there] / ELO))]
            deals.append({(int(a), int(b)): 2 / seats for a, b in combinations(order, 2)})
        return deals

    return make


@pytest.mark.parametrize(
    ("truth", "make"),
    [
        pytest.param([0, 0, 800], games([0, 0, 800], 10), id="lopsided"),
        pytest.param([0, 600, 1200], games([0, 600, 1200], 20), id="chain"),
        pytest.param([0, 30, 60], games([0, 30, 60], 100, drawn=0.8), id="draws"),
        pytest.param([0, 0, 0], games([0, 0, 0], 30, luck=600), id="deals that suit one"),
        pytest.param([0, 50, 100], games([0, 50, 100], 40, copies=6), id="played alike again"),
        pytest.param([0, 100, 200, 300], rankings([0, 100, 200, 300], 60, 3), id="three seats"),
        pytest.param(
            [0, 0, 100, 100, 200, 200], rankings([0, 0, 100, 100, 200, 200], 40, 6), id="six seats"
        ),
    ],
)
def test_elo_intervals_cover_the_truth(truth: list[float], make: Make) -> None:
    rng, times = np.random.default_rng(1), 150
    middle = sum(truth) / len(truth)
    covered = 0
    for _ in range(times):
        ratings = bradley_terry(make(rng), len(truth))
        covered += sum(r.low <= true - middle <= r.high for r, true in zip(ratings, truth, strict=True))
    assert covered / (times * len(truth)) > 0.92


def test_intervals_are_as_narrow_as_the_games_allow() -> None:
    """The width is that of how the ratings vary: draws narrow it, a ranking of six is not fifteen games."""
    for make in games([0, 0, 0], 100, drawn=0.8), rankings([0] * 6, 60, 6), games([0, 0, 0], 60, copies=4):
        rng = np.random.default_rng(2)
        players = max(max(pair) for pair in make(rng)[-1]) + 1
        found = [bradley_terry(make(rng), players)[0] for _ in range(150)]
        half = np.median([rating.high - rating.low for rating in found]) / 2
        assert half == pytest.approx(2 * np.std([rating.elo for rating in found]), rel=0.2)


@pytest.mark.parametrize(("best", "most"), [(400, 12), (800, 150)])
def test_ratings_are_not_pulled_together(best: float, most: float) -> None:
    """Ten games each; where the best loses none of twenty, no estimate can tell how much better it is."""
    rng = np.random.default_rng(9)
    found = [bradley_terry(games([0, 0, best], 10)(rng), 3)[2].elo for _ in range(400)]
    assert abs(float(np.mean(found)) - best * 2 / 3) < most


def test_who_lost_nothing_may_be_any_stronger() -> None:
    best, middle, worst = bradley_terry([{(0, 1): 2.0}, {(0, 1): 2.0}, {(1, 2): 2.0}, {(2, 1): 2.0}], 3)
    assert best.high == math.inf
    assert worst.low == middle.low == -math.inf
    assert all(map(math.isfinite, (best.low, middle.high, worst.high)))
    assert best.low < best.elo
    # One deal tells nothing of how deals vary.
    assert bradley_terry([{(0, 1): 1.0, (1, 0): 1.0}], 2)[0][1:3] == (-math.inf, math.inf)


def test_players_who_never_met_are_not_comparable() -> None:
    with pytest.raises(ValueError, match="not comparable"):
        bradley_terry({(0, 1): 5, (1, 0): 5, (2, 3): 5, (3, 2): 5}, 4)


def result(first: int, second: int, deal: int, won: bool) -> Record:
    return Record(deal, (first, second), (1.0, -1.0) if won else (-1.0, 1.0), 5, (0.0, 0.0))


def test_fields_that_never_met_have_ratings_of_their_own() -> None:
    records = []
    for deal in range(30):
        for i, j in combinations(range(3), 2):
            records.append(result(i, j, deal, deal % 3 > 0))
            records.append(result(3 + i, 3 + j, deal, deal % 5 > 0))
    table = summarise(OXO, [*"abcdefg"], records)
    fields = [row.elo and row.elo.field for row in table.standings]
    assert fields == [0, 0, 0, 1, 1, 1, None]
    said = str(table)
    assert "Not comparable by Elo" in said
    assert "[1] a, b, c; [2] d, e, f." in said
    assert "[2] +" in said
    # Those of one field stand together, the best first.
    assert [line[0] for line in said.splitlines()[1:7]] == [*"abcdef"]
    alone = summarise(OXO, [*"abc"], [each for each in records if max(each.seating) < 3])
    assert [row.elo for row in alone.standings] == [row.elo for row in table.standings[:3]]
    assert "Not comparable" not in str(alone)
    pairs = [result(0, 1, deal, deal % 2 > 0) for deal in range(9)]
    pairs += [result(2, 3, deal, deal % 2 > 0) for deal in range(9)]
    assert all(row.elo is None for row in summarise(OXO, [*"abcd"], pairs).standings)
    assert "Not comparable" in str(summarise(OXO, [*"abcd"], pairs))


# Ties


def test_rounding_decides_nothing() -> None:
    """0.3 and 0.1 + 0.2 are a draw for wins, for ratings, for who beats whom and for ranks."""
    facts = replace(OXO, min_return=0.0, max_return=1.0)
    returns = (0.3, 0.1 + 0.2)
    assert win_shares(returns, facts) == [0.5, 0.5]
    records = [
        Record(deal, pair, returns, 5, (0.0, 0.0))
        for deal in range(9)
        for pair in ((0, 1), (1, 0), (0, 2), (1, 2))
    ]
    table = summarise(facts, [*"abc"], records)
    assert all(meeting.score == meeting.games / 2 for meeting in table.meetings)
    assert [row.elo and round(row.elo.elo, 6) for row in table.standings] == [0, 0, 0]
    assert wilcoxon([0.3] * 9, [0.1 + 0.2] * 9).p_value == 1
    assert mann_whitney([0.3] * 9, [0.1 + 0.2] * 9).p_value == 1
    assert friedman([[0.3] * 9, [0.1 + 0.2] * 9, [0.3] * 9]).p_value == 1


# A crash never pays


def quitter(honest: bool) -> list[Record]:
    """The first planner wins 40 % of its games, and when it is losing it plays on, or it raises."""
    rng, records = np.random.default_rng(4), []
    for deal in range(200):
        for seating in (0, 1), (1, 0), (0, 2), (2, 0), (1, 2), (2, 1):
            draw = rng.random()
            if 0 in seating:
                own, won = seating.index(0), draw < 0.4
                returns = tuple(1.0 if (seat == own) == won else -1.0 for seat in range(2))
                record = Record(deal, seating, returns, 5, (0.0, 0.0))
                if not won and not honest:
                    record = replace(record, returns=(0.0, 0.0), fault=Fault("raised", own, "no more"))
            else:
                record = result(*seating, deal, draw < 0.5)
            records.append(record)
    return records


def test_who_raises_when_losing_has_lost() -> None:
    honest, faults = (summarise(OXO, [*"abc"], quitter(each)) for each in (True, False))
    assert faults.standings[0].faults == faults.faults > 100
    assert [replace(row, faults=0) for row in faults.standings] == honest.standings
    assert faults.meetings == honest.meetings
    assert faults.seats == honest.seats


@pytest.mark.parametrize("stop", [Stop(elo0=-30, elo1=30), Stop(width=0.2), Stop(width=0.4, of="return")])
def test_stopping_rules_count_faults_as_lost(stop: Stop) -> None:
    cell = Cell("", "tic-tac-toe", ("a", "b"), 0, 2, 200)
    stopped = []
    for honest in True, False:
        rule = rule_for(stop, cell, OXO)
        assert rule is not None
        records = [record for record in quitter(honest) if {*record.seating} == {0, 1}]
        deals = [[each for each in records if each.episode == deal] for deal in range(200)]
        stopped.append((next(n for n, deal in enumerate(deals) if rule.enough(deal)), rule.words()))
    assert stopped[0] == stopped[1]
    if stop.elo0 is not None:
        assert stopped[0][1] == "H0 accepted"


def test_faults_at_larger_tables() -> None:
    three = GameFacts("three", ("a", "b", "c"), -4.0, 8.0)
    broken = Record(0, (0, 1, 2), (5.0, 1.0, 1.0), 3, (0.0,) * 3, fault=Fault("illegal", 0, ""))
    outcome = counted(broken, three)
    assert outcome is not None
    assert outcome.returns == (-4.0, None, None)  # what the others would have got nobody knows
    assert win_shares(outcome.places, three) == [0.0, 0.5, 0.5]
    shared = counted(broken, replace(three, zero_sum=True))
    assert shared is not None
    assert shared.returns == (-4.0, 2.0, 2.0)
    # It may sit on several seats, or on all of them.
    twice = counted(replace(broken, seating=(0, 1, 0)), three)
    assert twice is not None
    assert twice.returns == (-4.0, None, -4.0)
    alone = counted(replace(broken, seating=(0, 0, 0)), three)
    assert alone is not None
    assert alone.returns == (-4.0,) * 3
    # Of a game that nobody can load any more the worst return is not known; it has lost all the same.
    unknown = counted(broken, replace(three, min_return=-math.inf, max_return=math.inf, zero_sum=True))
    assert unknown is not None
    assert unknown.returns == (None, None, None)
    assert unknown.places[0] < unknown.places[1]
    solo = GameFacts("solo", ("a",), 0.0, 1.0)
    one = counted(Record(0, (0,), (1.0,), 3, (0.0,), fault=Fault("overtime", 0, "")), solo)
    assert one is not None
    assert one.returns == (0.0,)
    assert win_shares(one.places, solo) == [0.0]
    table = summarise(three, ["x", "y", "z"], [broken])
    assert [(row.games, row.wins) for row in table.standings] == [(1, 0.0), (1, 0.5), (1, 0.5)]
    assert table.standings[0].mean_return == -4.0
    assert math.isnan(table.standings[1].mean_return)


def test_a_crash_does_not_pay_where_the_worst_return_is_not_known() -> None:
    """Who raises when it is losing has no mean of what it did not lose, and is not first of all."""
    facts = replace(OXO, min_return=-math.inf, max_return=math.inf)
    honest, faults = (summarise(facts, [*"abc"], quitter(each)) for each in (True, False))
    assert honest.standings[0].return_interval is not None
    bad = faults.standings[0]
    assert math.isnan(bad.mean_return)
    assert (bad.return_interval, bad.standard_error) == (None, None)
    assert bad.wins == honest.standings[0].wins
    two = summarise(facts, ["a", "b"], [each for each in quitter(False) if 2 not in each.seating])
    assert [line.split()[0] for line in str(two).splitlines()[1:3]] == ["b", "a"]
    assert "declares no worst return" in str(two)
    assert "nan" not in str(two)


def test_what_others_would_have_got_is_anything_within_the_bounds() -> None:
    """Half of the games of two planners come to nothing through a third; none of the three sums to zero."""
    three = GameFacts("three", ("a", "b", "c"), 0.0, 1.0)
    records = [
        Record(
            deal, (0, 1, 2), (0.0, 0.9, 0.9), 3, (0.0,) * 3, fault=Fault("raised", 0, "") if lost else None
        )
        for deal in range(200)
        for lost in (deal % 2 > 0,)
    ]
    around = summarise(three, ["x", "y", "z"], records).standings[1].return_interval
    assert around is not None
    assert around.low < 0.45 < 0.95 < around.high


def test_plain_sums_of_who_raises_are_not_known(tmp_path: Path) -> None:
    """The worst return that a discounted game declares is no bound of plain sums of rewards."""
    experiment = Experiment("raises", games=["tiger"], planners=[faulty.Raises], episodes=4, replays="all")
    results = kb.lab.run(experiment, tmp_path / "out", jobs=1)
    ours = played(Target("", "undiscounted return", 0.0, 0.0), results, results.cells[0], 0, 0.95)
    assert math.isnan(ours.figure.value)
    assert results.result(results.cells[0]).standings[0].mean_return == results.games["tiger"].min_return


def test_nobody_is_to_blame() -> None:
    fine = result(0, 1, 0, True)
    endless = replace(fine, episode=1, planners=("a", "b"), fault=Fault("endless", None, "cap"))
    assert counted(endless, OXO) is None
    report = kb.lab.report([replace(fine, planners=("a", "b"), game="tic-tac-toe"), endless])
    table = summarise(OXO, ["a", "b"], [fine, endless])
    assert [(row.games, row.left_out) for row in table.standings] == [(1, 1), (1, 1)]
    assert "up to 50.0 % of their range" in str(table)
    assert report.blocks


def test_a_planner_that_raises_has_the_worst_return(tmp_path: Path) -> None:
    experiment = Experiment(
        "raises", games=["tic-tac-toe"], planners=[faulty.Raises, "random"], episodes=6, replays="all"
    )
    results = kb.lab.run(experiment, tmp_path / "out", jobs=1)
    bad, good = results.result(results.cells[0]).standings
    assert (bad.games, bad.wins, bad.mean_return) == (good.games, 0.0, -1.0)
    assert (good.wins, good.mean_return) == (good.games, 1.0)
    target = Target("", "undiscounted return", 0.0, 0.0)
    assert played(target, results, results.cells[0], 0, 0.95).figure.value == -1.0
    assert "count as lost, with the worst return" in str(kb.lab.report(results))


# What a game pays


def test_poker_is_about_returns() -> None:
    made = kb.match("kuhn-poker", ["random", "uct(simulations=20)", "flat-mc(simulations=5)"], games=12)
    assert not made.won_or_lost
    assert all(row.elo is None and row.return_interval is not None for row in made.standings)
    said = str(made)
    head = said.splitlines()[0]
    assert head.index("mean return") < head.index("95 %") < head.index("win rate")
    assert "Elo  " not in said
    assert "pays more than won or lost" in said
    returns = dict(zip(made.planners, (row.mean_return for row in made.standings), strict=True))
    order = [line.split()[0] for line in said.splitlines()[1:4]]
    assert [returns[each] for each in order] == sorted(returns.values(), reverse=True)
    for meeting in made.meetings:
        pairs = [
            (record.returns[record.seating.index(meeting.planner)], 0)
            for record in made.records
            if {*record.seating} == {meeting.planner, meeting.against}
        ]
        assert meeting.margin == pytest.approx(2 * sum(own for own, _ in pairs) / len(pairs))  # zero-sum
    pictures = plots(kb.lab.report(made).blocks[0])
    assert "margins" in pictures
    assert "matrix" not in pictures
    pictures["margins"]()


@pytest.mark.parametrize(
    ("pays", "returns"),
    [
        (False, [(1.0, -1.0), (-1.0, 1.0), (0.0, 0.0)]),
        (False, [(-1.0, -1.0), (1.0, -1.0)]),
        (True, [(0.5, -0.5)]),  # less than it could be
        (True, [(1.0, 1.0), (-1.0, -1.0)]),  # together
        (True, [(0.0, 0.0), (0.2, 0.2)]),
        (True, [(1.0, 0.0)]),
    ],
)
def test_games_that_pay_more_than_won_or_lost(pays: bool, returns: list[tuple[float, float]]) -> None:
    records = [Record(deal, (0, 1), each, 5, (0.0, 0.0)) for deal, each in enumerate(returns)]
    assert summarise(OXO, ["a", "b"], records).won_or_lost is not pays
