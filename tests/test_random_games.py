"""Random small games beside plain references: solvers, beliefs, planners and equilibria."""

from __future__ import annotations

import contextlib
import io
import json
import math
from collections import Counter
from dataclasses import replace
from typing import Any

import pytest

import kibitz as kb
from kibitz.testing import check_game, differential
from kibitz.testing.differential import solvers
from kibitz.testing.differential.__main__ import main
from kibitz.testing.differential.case import Case, Difference, bernstein
from kibitz.testing.differential.checks import CHECKS
from kibitz.testing.differential.random_games import random_table
from kibitz.testing.differential.references import (
    BackwardInduction,
    BestReply,
    RandomPlay,
    Spread,
    equilibrium,
    one_step,
    posteriors,
    uniformly,
    worth,
)
from kibitz.testing.differential.run import examine
from kibitz.testing.differential.shrink import shrink
from kibitz.testing.differential.tables import END, Table

GAMES = 300


@pytest.mark.slow
def test_kibitz_says_what_plain_references_say() -> None:
    """Every game is put to all that is quick, and to a few of the beliefs and planners that are not."""
    outcome = differential.compare(games=GAMES, seed=2026, dear=5)
    assert not outcome.differences, "\n\n".join(map(str, outcome.differences))
    assert outcome.compared.keys() == CHECKS.keys(), "some checks were never made"


def test_random_games_are_games_of_all_kinds() -> None:
    met: Counter[str] = Counter()
    for number in range(300):
        table = random_table(number)
        assert table.flaw is None
        assert Table.of(json.loads(json.dumps(table.plain))).plain == table.plain
        nodes = table.nodes
        met[f"{table.players} players"] += 1
        met["hidden"] += table.hidden
        met["discounted"] += table.discount < 1
        met["simultaneous"] += any(len(node.who) > 1 for node in nodes)
        met["chance late"] += any(not node.who for node in nodes[1:])
        met["rare"] += any(step.p < 0.02 for node in nodes for step in node.steps)
        met["certain"] += any(not node.who and len(node.steps) == 1 for node in nodes)
        met["unbalanced"] += table.zero_sum and any(
            abs(sum(step.pays)) > 1e-9 for node in nodes for step in node.steps
        )
        met["silent beside told"] += table.hidden and any(
            len({step.tells[0] is None for step in node.steps}) == 2 for node in nodes
        )
        met["paid on the way"] += any(
            any(step.pays) and step.to != END for node in nodes for step in node.steps
        )
        met["unequal legal sets"] += len({len(node.legal(0)) for node in nodes if 0 in node.who}) > 1
        led = Counter(step.to for node in nodes for step in node.steps if step.to != END)
        met["states of several histories"] += any(count > 1 for count in led.values())
    assert met.pop("3 players") > 10
    assert min(met.values()) > 20, met


def test_random_games_keep_the_contract() -> None:
    for number in range(40):
        check_game(random_table(number).rules(), episodes=3)


def table_of(**plain: Any) -> Table:
    return Table.of(plain)


PENNIES = table_of(
    players=2,
    zero_sum=True,
    nodes=[
        {
            "who": [0, 1],
            "steps": [
                {"do": [mine, yours], "pays": [1, -1] if mine == yours else [-1, 1]}
                for mine in "ht"
                for yours in "ht"
            ],
        }
    ],
)
# A coin is tossed in secret (heads three times in four), seen by whoever pays 0.25, and guessed.
PEEK = table_of(
    players=1,
    hidden=True,
    discount=0.5,
    nodes=[
        {"who": [], "steps": [{"do": ["h"], "p": 0.75, "to": 1}, {"do": ["t"], "p": 0.25, "to": 2}]},
        {
            "who": [0],
            "steps": [
                {"do": ["look"], "to": 3, "pays": [-0.25], "tells": ["h"]},
                {"do": ["guess"], "pays": [1]},
            ],
        },
        {
            "who": [0],
            "steps": [{"do": ["look"], "to": 4, "pays": [-0.25], "tells": ["t"]}, {"do": ["guess"]}],
        },
        {"who": [0], "steps": [{"do": ["h"], "pays": [2]}, {"do": ["t"]}]},
        {"who": [0], "steps": [{"do": ["h"]}, {"do": ["t"], "pays": [2]}]},
    ],
)


def test_references_know_what_can_be_worked_out_by_hand() -> None:
    assert equilibrium(PENNIES) == pytest.approx(0)
    assert equilibrium(PENNIES, only=(0, (), "h")) == pytest.approx(-1)
    assert worth(PENNIES, uniformly) == [0, 0]
    assert BestReply(PENNIES, 0, lambda player, view, legal: {"h": 1.0}).value == 1
    alone = BestReply(PEEK)
    assert alone.actions[()] == pytest.approx({"look": -0.25 + 0.5 * 2, "guess": 0.75})
    assert alone.value == pytest.approx(0.75)
    assert posteriors(PEEK)[0, ()] == {1: 0.75, 2: 0.25}
    assert posteriors(PEEK)[0, (("acted", "look"), ("observed", "t"))] == {4: 0.25}
    play = RandomPlay(PEEK).after({1: 0.75, 2: 0.25}, 0)
    assert play["look"].mean == pytest.approx(-0.25 + 0.5 * 1)
    assert play["guess"].variance == pytest.approx(0.75 * 0.25)
    assert one_step(PEEK, {1: 0.75, 2: 0.25}, 0)["guess"].mean == pytest.approx(0.75)


def test_backward_induction_leaves_open_what_an_indifferent_player_does() -> None:
    table = table_of(
        players=2,
        nodes=[
            {"who": [0], "steps": [{"do": ["a"], "to": 1}, {"do": ["b"], "pays": [1, 0]}]},
            {"who": [1], "steps": [{"do": ["a"], "pays": [0, 3]}, {"do": ["b"], "pays": [2, 3]}]},
        ],
    )
    first, second = BackwardInduction(table).at(0)
    assert (first.low, first.high) == (0, 2)
    assert (second.low, second.high) == (0, 3)
    assert BackwardInduction(table, against=0).at(0)[0].low == 1


def test_a_mean_may_stray_as_far_as_bernstein_says() -> None:
    coin = Spread(0.5, 0.5, 0.0, 1.0)
    assert bernstein(10_000, coin) == pytest.approx(math.sqrt(2 * 0.25 * math.log(2e10) / 10_000), rel=0.1)
    assert bernstein(0, coin) == math.inf


def test_a_table_that_is_no_game_is_refused_in_a_sentence() -> None:
    steps = [{"do": ["a"], "to": 1}]
    circle = table_of(
        players=1, nodes=[{"who": [0], "steps": steps}, {"who": [0], "steps": [{"do": ["a"], "to": 0}]}]
    )
    with pytest.raises(ValueError, match="way round in a circle"):
        circle.rules()
    unlike = replace(
        PEEK,
        nodes=(*PEEK.nodes[:2], replace(PEEK.nodes[2], steps=PEEK.nodes[2].steps[:1]), *PEEK.nodes[3:]),
    )
    with pytest.raises(ValueError, match=r"player 1 does not know what it may do in node \d"):
        unlike.rules()


def wrong_with_discount(case: Case) -> Difference | None:
    """As a solver would be that forgets to discount what follows two moves."""
    deep = any(here.node == END and here.weight < 0.5 and any(here.earned) for here in case.table.reach)
    return Difference("planted", "something", "something else", "game.spec") if deep else None


def test_a_game_that_shows_a_fault_is_made_small_and_printed_to_be_run() -> None:
    """A planted fault is met soon, and what is left of the game is what it takes."""
    for number in range(100):
        table = random_table(f"planted {number}")
        found = wrong_with_discount(Case(table))
        if found is not None and len(table.nodes) > 5:
            break
    assert found is not None
    small, difference = shrink(table, found, lambda each: wrong_with_discount(Case(each)))
    assert len(small.nodes) <= 4
    assert sum(len(node.steps) for node in small.nodes) <= 4
    assert sum(any(step.pays) for node in small.nodes for step in node.steps) == 1
    text = str(differential.Found("planted", number, small, difference))
    shown = io.StringIO()
    with contextlib.redirect_stdout(shown):
        exec(compile(text, "printed", "exec"), {})
    assert shown.getvalue() == "TableRules\n" or shown.getvalue() == "HiddenRules\n"


def test_a_fault_of_a_solver_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """A solver that takes steps for balanced is found out, and the command says how."""
    right = solvers.solve

    def wrong(game: kb.Game) -> kb.Solution:
        solution = right(game)
        if game.info.zero_sum:
            return replace(solution, value=[solution.value[0], -solution.value[0] - 0.5])
        return solution

    monkeypatch.setattr(solvers, "solve", wrong)
    shown = io.StringIO()
    with contextlib.redirect_stdout(shown):
        assert main(["--games", "30", "--only", "kb.solve"]) == 1
    assert "kb.solve says" in shown.getvalue()
    assert "game = kb.load(Table.of(table).rules())" in shown.getvalue()
    assert "print(kb.solve(game).value)" in shown.getvalue()


# Actions that are taken in turn met others that are taken in turn: always the same.
IN_STEP = [
    # The second player moves together with the first, or alone, and does not know which.
    table_of(
        players=2,
        hidden=True,
        nodes=[
            {"who": [0], "steps": [{"do": ["a"], "to": 2}, {"do": ["b"], "to": 1}]},
            {"who": [0, 1], "steps": [{"do": ["d", "b"]}, {"do": ["d", "a"]}]},
            {"who": [1], "steps": [{"do": ["b"]}, {"do": ["a"], "pays": [-1, 0], "tells": ["x", None]}]},
        ],
    ),
    # The second player tells one of the first's three actions from the others only.
    table_of(
        players=2,
        hidden=True,
        nodes=[
            {
                "who": [0],
                "steps": [
                    {"do": ["a"], "to": 2, "tells": [None, "x"]},
                    {"do": ["c"], "to": 1, "tells": [None, "x"]},
                    {"do": ["b"]},
                ],
            },
            {"who": [1], "steps": [{"do": ["a"]}, {"do": ["b"], "tells": ["x", None]}]},
            {"who": [1], "steps": [{"do": ["a"]}, {"do": ["b"], "pays": [-1, 0]}]},
        ],
    ),
]


@pytest.mark.parametrize("table", IN_STEP, ids=["together or alone", "one of three"])
def test_actions_in_turn_do_not_fall_into_step(table: Table) -> None:
    for name in CHECKS:
        if "selection=uniform" in name:
            assert examine(Case(table), name) is None
