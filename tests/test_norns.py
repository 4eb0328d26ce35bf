"""NORNS: a tree of possible pasts, and futures by actions and observations, or by beliefs."""

from __future__ import annotations

from functools import cache
from itertools import product
from pathlib import Path
from statistics import mean

import pytest

import kibitz as kb
from effort import work_below

SMALL = "number-guessing.kif"
BIG = "number-guessing.kif(numbers=16, questions=4)"


def scores(spec: str, planner: str, games: int) -> list[float]:
    """What a lone player gets in some games."""
    game = kb.load(spec)
    returns = []
    for seed in range(games):
        referee, player = kb.Referee(game, seed), kb.planner(planner)
        player.start(game, 0, seed)
        while not referee.over:
            referee.apply([player.act(referee.view(0)).action])
        returns.append(referee.returns[0])
    return returns


def first(spec: str, planner: str, seed: int = 1) -> kb.Decision:
    """The first decision of a game."""
    game = kb.load(spec)
    player = kb.planner(planner)
    player.start(game, 0, seed)
    return player.act(kb.Referee(game, seed).view(0))


@pytest.mark.parametrize(("spec", "best"), [(SMALL, 100.0), (BIG, 100.0), ("mastermind.kif", 100.0)])
def test_the_graph_of_beliefs_is_played_optimally(spec: str, best: float) -> None:
    assert scores(spec, "norns(simulations=300, tree=belief)", 8) == [best] * 8


def test_values_are_exact_when_nothing_is_left_open() -> None:
    """Monty hall and the bomb: the values that dynamic programming finds, action by action."""
    for spec in ("monty-hall.kif", "exploding-bomb.kif", SMALL):
        decision = first(spec, "norns(simulations=100000, tree=belief)")
        assert decision.simulations < 100_000
        assert any("exact" in note for note in decision.notes)
        solution = kb.solve(kb.load(spec))
        assert decision.table[0].value == pytest.approx(solution.value[0])


def test_the_paper_s_planner_gathers_information() -> None:
    """It asks about the bomb, and switches the door, every time."""
    for seed in range(10):
        assert first("exploding-bomb.kif", "norns(simulations=500)", seed).name == "ask"
    assert mean(scores("monty-hall.kif", "norns(simulations=500)", 60)) > 45


def test_mastermind_as_in_the_paper() -> None:
    """Nearly optimal after 1,000 simulations."""
    assert mean(scores("mastermind.kif", "norns(simulations=1000)", 10)) > 94


def test_chance_in_mid_game_and_beliefs_that_are_not_uniform() -> None:
    """Rock-sample's sensor errs, and tiger's tiger moves: still no worse than particles."""
    ours = mean(scores("rock-sample(4, 4)", "norns(simulations=300, tree=belief, horizon=12)", 12))
    assert ours > mean(scores("rock-sample(4, 4)", "random", 12))
    assert first("tiger", "norns(simulations=300, tree=belief, horizon=8)").name == "listen"


HIDDEN_COIN = """(role player) (role random) (init (step choose))
(<= (legal player safe) (true (step choose))) (<= (legal player coin) (true (step choose)))
(<= (legal player noop) (true (step flip))) (<= (legal player (nod ?c)) (true (step ready)) (side ?c))
(<= (legal player (say ?c)) (true (step say)) (side ?c)) (side heads) (side tails)
(<= (legal random (flip ?c)) (true (step flip)) (side ?c))
(<= (legal random noop) (not (true (step flip))))
(<= (next (step ready)) (does player coin)) (<= (next (step flip)) (true (step ready)))
(<= (next (step say)) (true (step flip)))
(<= (next (coin ?c)) (does random (flip ?c))) (<= (next (coin ?c)) (true (coin ?c)))
(<= (next sure) (does player safe)) (<= (next won) (does player (say ?c)) (true (coin ?c)))
(<= (next (step over)) (does player (say ?c))) (<= (sees player chosen) (true (step choose)))
(<= terminal (true sure)) (<= terminal (true (step over)))
(<= (goal player 60) (true sure)) (<= (goal player 100) (true won)) (<= (goal player 0) (not (true sure))
(not (true won))) (goal random 0)"""


def test_what_is_known_now_may_be_hidden_later(tmp_path: Path) -> None:
    """The state is known until a coin is flipped that nobody sees: sixty for sure is better."""
    file = tmp_path / "coin.kif"
    file.write_text(HIDDEN_COIN)
    decision = first(str(file), "norns(simulations=200, tree=belief)")
    assert decision.name == "safe"
    assert {row.name: row.value for row in decision.table}["coin"] in (None, pytest.approx(50))
    assert kb.solve(kb.load(str(file))).value[0] == pytest.approx(60)


def test_budgets() -> None:
    decision = first(BIG, "norns(transitions=2000, tree=belief)")
    assert decision.transitions is not None
    assert 2000 <= decision.transitions < 20_000  # the last simulation is finished
    with work_below(2):
        first(BIG, "norns(milliseconds=50, tree=belief)")


def test_what_it_cannot_do_is_said() -> None:
    for spec, planner, what in [
        ("kuhn-poker", "norns(tree=belief)", "needs a single player"),
        ("rock-sample", "norns(tree=belief, belief=exact(10))", "more than 10 states"),
    ]:
        with pytest.raises(ValueError, match=what):
            first(spec, planner)


def test_several_players() -> None:
    """An action-observation tree for each player: clearly better than moving at random."""
    game = kb.load("leduc-poker")
    total = 0.0
    for seed in range(60):
        seat = seed % 2
        referee = kb.Referee(game, seed // 2)
        players = [kb.planner("random"), kb.planner("random")]
        players[seat] = kb.planner("norns(simulations=200)")
        for number, player in enumerate(players):
            player.start(game, number, seed)
        while not referee.over:
            referee.apply([players[who].act(referee.view(who)).action for who in referee.movers])
        total += referee.returns[seat]
    assert total > 0


@pytest.mark.parametrize(
    ("spec", "few", "many"),
    [
        ("number-guessing.kif", 2_000, 5_000_000),
        ("number-guessing.kif(questions=2)", 2_000, 5_000_000),
        ("mastermind.kif(colours=2)", 300, 5_000_000),
        ("monty-hall.kif", 40, 1_000),
        ("exploding-bomb.kif", 10, 1_000),
    ],
)
def test_branch_and_bound_finds_the_value_of_all_beliefs(spec: str, few: int, many: int) -> None:
    game = kb.load(spec)
    some, every = kb.solve(game, max_states=few), kb.solve(game, max_states=many)
    assert (some.method, every.method) == (
        "branch and bound over beliefs",
        "dynamic programming over beliefs",
    )
    assert some.value == pytest.approx(every.value)
    assert some.table[0][1] == pytest.approx(every.table[0][1])
    with pytest.raises(ValueError, match="more than 5 states"):
        kb.solve(kb.load("mastermind.kif(colours=5)"), max_states=5)


def mastermind(colours: int) -> float:
    """The value of mastermind by how many colours are left for each peg, the pegs being independent."""
    worth = [100, 100, 100, 100, 95, 90, 85, 80]

    @cache
    def value(left: tuple[int, ...], made: int) -> float:
        if made == len(worth):
            return 0
        best = 0.0
        # Each peg is given a colour that may be right, or one that is not.
        for tried in product([True, False], repeat=4):
            if any(not possible and count == colours for possible, count in zip(tried, left, strict=True)):
                continue
            total = 0.0
            for hit in product([True, False], repeat=4):
                p, after = 1.0, []
                for possible, right, count in zip(tried, hit, left, strict=True):
                    p *= (1 / count if right else 1 - 1 / count) if possible else float(not right)
                    after.append(1 if right else count - possible)
                if p:
                    total += p * (worth[made] if all(hit) else value(tuple(sorted(after)), made + 1))
            best = max(best, total)
        return best

    return value((colours,) * 4, 0)


@pytest.mark.parametrize("colours", [3, 4, 5])
def test_mastermind_is_solved(colours: int) -> None:
    game = kb.load(f"mastermind.kif(colours={colours})")
    solution = kb.solve(game)
    assert solution.value == pytest.approx([mastermind(colours)])
    assert len(solution.table) == colours**4  # what differs by names only is worth the same
    assert solution.action is not None
    assert round(mastermind(6), 2) == 93.40


def test_symmetry_changes_no_decision() -> None:
    """With names exchanged, what is chosen is still what is best for the pattern that is searched for."""
    game = kb.load("mastermind.kif(colours=3)")
    for episode in range(10):
        referee = kb.Referee(game, episode=episode)
        planner = kb.planner("norns(simulations=300, tree=belief)")
        planner.start(game, 0, episode)
        while not referee.over:
            decision = planner.act(referee.view(0))
            assert {judgement.action for judgement in decision.table} == set(referee.view(0).legal())
            referee.apply([decision.action])
        assert referee.returns == [100]


@pytest.mark.parametrize("machine", ["", "limit.ground_rules=1"])
def test_what_is_only_remembered_tells_no_beliefs_apart(tmp_path: Path, machine: str) -> None:
    """Rules that keep a history which nothing depends on."""
    rules = (Path(kb.lang.FOLDER) / "number-guessing.kif").read_text()
    history = "(<= (next (did ?move)) (does player ?move)) (<= (next (did ?move)) (true (did ?move)))"
    path = tmp_path / "remembering.kif"
    path.write_text(f"{rules}\n{history}\n")
    plain, remembering = (kb.solve(f"{file}({machine})") for file in ("number-guessing.kif", path))
    assert remembering.value == plain.value
    assert (remembering.states == plain.states) is (machine == "")
