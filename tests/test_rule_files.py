"""The rules in GDL that come with the package: sound, with counts and values that are known, and kept."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import kibitz as kb
from golden_files import check_golden
from kibitz.lang import check, shipped_rules, trial
from kibitz.testing import check_game
from rule_facts import cells, facts_of

SHIPPED = [entry.name for entry in shipped_rules() if entry.name.endswith(".kif")]
VARIANTS = [
    "breakthrough.kif(rows=5, columns=4)",
    "breakthrough.kif(misere=true)",
    "checkers.kif(rows=8, columns=8, ranks=3)",
    "chinese-checkers.kif(arm=1)",
    "chinese-checkers.kif(arm=4, turns=200)",
    "connect-four.kif(rows=4, columns=5)",
    "domineering.kif(rows=4, columns=5, misere=1)",
    "eight-puzzle.kif(steps=20)",
    "knightthrough.kif(rows=5, columns=5)",
    "knightthrough.kif(rows=4, columns=3)",
    "knightthrough.kif(rows=5, columns=5, misere=1)",
    "mastermind.kif(colours=6)",
    "nogo.kif(rows=4, columns=3, misere=1)",
    "number-guessing.kif(numbers=16, questions=4)",
    "reversi.kif(size=4)",
    "reversi.kif(size=6)",
]
PIECEWISE = ["battle.kif", "chinook.kif", "criss-cross.kif", "real-time-chicken.kif", "skirmish.kif"]
"""Games in which both may score, or neither."""
TWO_PLAYERS = [
    name for name in [*SHIPPED, *VARIANTS] if kb.load(name).info.players == 2 and name not in PIECEWISE
]


def test_all_games_are_there() -> None:
    games = (
        "atarigo battle bidding-tic-tac-toe blocker breakthrough checkers chinese-checkers chinook "
        "connect-four criss-cross domineering eight-puzzle exploding-bomb ghost-maze knightthrough "
        "kriegspiel-tic-tac-toe mastermind monty-hall "
        "nine-board-tic-tac-toe nogo number-guessing number-scrabble peg-solitaire pentago reversi "
        "sheep-and-wolf skirmish tic-tac-toe"
    )
    assert set(SHIPPED) >= {f"{game}.kif" for game in games.split()}


@pytest.mark.parametrize("name", [*SHIPPED, *VARIANTS])
def test_nothing_is_wrong_and_the_network_fits(name: str) -> None:
    assert [finding.text for finding in check(name)] == []
    machine = kb.load(name).machine
    assert machine is not None
    assert machine["machine"] == "network"


@pytest.mark.parametrize("name", SHIPPED)
def test_playing_shows_no_flaw(name: str) -> None:
    """Games end, everybody can move, and scores never drop."""
    assert [flaw.text for flaw in trial.play(name, 12).flaws] == []


@pytest.mark.slow
@pytest.mark.parametrize("name", [*SHIPPED, *VARIANTS])
def test_the_contract_is_kept(name: str) -> None:
    report = check_game(name, episodes=6, max_steps=120)
    assert report.passed


@pytest.mark.parametrize("name", SHIPPED)
def test_golden_playthroughs(name: str) -> None:
    check_golden(name)


@pytest.mark.parametrize("name", TWO_PLAYERS)
def test_what_one_wins_the_other_loses(name: str) -> None:
    game = kb.load(name)
    for episode in range(40):
        played = kb.play(game, "random", seed=2, episode=episode)
        assert played.state.over
        assert sorted(played.returns) in ([0, 100], [50, 50])


# Counts, values and lines of play that are known.


@pytest.mark.parametrize(
    ("name", "counts"),
    [
        ("blocker.kif", [256, 16 * 15 * 14**2 + 16 * 15**2]),
        ("bidding-tic-tac-toe.kif", [25, 25 * 9]),
        ("breakthrough.kif", [22, 484, 11132]),
        ("checkers.kif(rows=8, columns=8, ranks=3)", [7, 49, 302]),
        ("connect-four.kif", [7, 49, 343, 2401, 16807, 117649]),
        ("eight-puzzle.kif", [2, 6, 16]),
        ("number-scrabble.kif", [9, 72, 504, 3024, 15120, 54720 + 1440]),
        ("reversi.kif", [4, 12, 56, 244, 1396, 8200]),
        ("tic-tac-toe.kif", [9, 72, 504, 3024, 15120, 54720 + 1440]),
    ],
)
def test_perft(name: str, counts: list[int]) -> None:
    game = kb.load(name)
    assert [game.perft(depth + 1) for depth in range(len(counts))] == counts


def follow(name: str, moves: str) -> tuple[kb.State, list[float]]:
    """The state and the scores after moves such as `jump 2 4 4 4; ...`; of two at once, with a comma."""
    state, rewards = kb.load(name).initial(), [0.0]
    for move in moves.split("; "):
        names = [f"({each})" if " " in each else each for each in move.split(", ")]
        joint = [state.find_action(mover, each) for mover, each in zip(state.movers, names, strict=True)]
        state, rewards = state.step(joint)
    return state, rewards


def solve(state: kb.State, scores: dict[int | None, float]) -> float:
    """What the first player gets when both play their best; turns are taken."""
    key = state.hash()
    if key not in scores:
        [mover] = state.movers
        values = []
        for action in state.legal(mover):
            after, rewards = state.step([action])
            values.append(rewards[0] if after.over else solve(after, scores))
        scores[key] = min(values) if mover else max(values)
    return scores[key]


def test_the_second_player_wins_the_smallest_reversi() -> None:
    assert solve(kb.load("reversi.kif(size=4)").initial(), {}) == 0


def test_number_scrabble_is_a_draw() -> None:
    assert solve(kb.load("number-scrabble.kif").initial(), {}) == 50


def test_the_eight_puzzle_takes_thirty_steps() -> None:
    slides = (
        "32 31 21 11 12 22 23 33 32 31 21 11 12 22 23 13 12 22 32 33 23 22 32 31 21 11 12 22 23 33"
    ).replace(" ", "; ")
    moves = re.sub(r"(\d)(\d)", r"slide \1 \2", slides)
    for steps in (30, 60):
        state, rewards = follow(f"eight-puzzle.kif(steps={steps})", moves)
        assert (state.over, rewards) == (True, [100])
    state, rewards = follow("eight-puzzle.kif(steps=29)", moves.rpartition("; ")[0])
    assert (state.over, rewards) == (True, [0])


def test_one_peg_may_be_left_in_the_middle() -> None:
    jumps = (
        "2444 3234 1333 1513 3432 3133 3515 3735 4323 1333 4143 4323 4543 4745 4525 1535 "
        "5333 2343 5153 5452 6545 5755 7353 4363 7573 7353 5254 5456 3555 5654 6444"
    ).replace(" ", "; ")
    state, rewards = follow("peg-solitaire.kif", re.sub(r"(\d)(\d)(\d)(\d)", r"jump \1 \2 \3 \4", jumps))
    assert (state.over, rewards, facts_of(state)) == (
        True,
        [100.0],
        frozenset({("peg", "4", "4"), ("pegs", "1")}),
    )


def test_coins_of_bidding_tic_tac_toe() -> None:
    state, _ = follow("bidding-tic-tac-toe.kif", "bid 3, bid 1; mark 2 2; bid 1, bid 2; mark 1 1")
    marks = {("marked", "2", "2", "xplayer"), ("marked", "1", "1", "oplayer")}
    purses = {("purse", "xplayer", "3"), ("purse", "oplayer", "5")}
    assert facts_of(state) == marks | purses | {("edge", "xplayer")}
    assert [len(state.legal(mover)) for mover in state.movers] == [4, 6]
    # The edge decides a tie, and costs itself and the bid.
    state, _ = state.step([state.find_action(mover, "(bid 2)") for mover in (0, 1)])
    purses = {("purse", "xplayer", "1"), ("purse", "oplayer", "7")}
    assert facts_of(state) == marks | purses | {("edge", "oplayer"), ("buyer", "xplayer")}
    assert (state.movers, len(state.legal(0))) == ([0], 7)


def test_blocker_blocks_and_crosser_crosses() -> None:
    begun = "mark 1 1, mark 1 1; mark 2 1, mark 4 4; mark 3 2, mark 4 3"
    board = cells(facts_of(follow("blocker.kif", begun)[0]))
    assert {place for place, mark in board.items() if mark == "blocker"} == {(1, 1), (4, 4), (4, 3)}
    assert {place for place, mark in board.items() if mark == "crosser"} == {(2, 1), (3, 2)}
    state, rewards = follow("blocker.kif", f"{begun}; mark 2 3, mark 1 2; mark 3 4, mark 1 3")
    assert (state.over, rewards) == (True, [100, 0])
    places = [f"mark {row} {column}" for row in range(1, 5) for column in range(1, 5)]
    state, _ = follow("blocker.kif", "; ".join(f"{place}, {place}" for place in places[:-1]))
    # The last cell leaves nothing to decide.
    state, rewards = state.step([state.legal(mover)[0] for mover in state.movers])
    assert (state.over, rewards) == (True, [0, 100])


# Hidden information: what the best play is worth.


@pytest.mark.parametrize(
    ("name", "value", "best"),
    [
        ("monty-hall.kif", 200 / 3, "(choose"),
        ("exploding-bomb.kif", 90, "ask"),
        ("number-guessing.kif", 100, "(at-most 4)"),
        ("number-guessing.kif(questions=2)", 70, "(at-most 4)"),
        ("number-guessing.kif(numbers=16, questions=4)", 100, "(at-most 8)"),
        ("number-guessing.kif(numbers=16, questions=3)", 70, "(at-most 8)"),
    ],
)
def test_exact_values(name: str, value: float, best: str) -> None:
    solution = kb.solve(name)
    assert solution.value == pytest.approx([value])
    assert str(solution.action).startswith(best)


def test_switching_doors_wins_twice_as_often() -> None:
    state = kb.load("monty-hall.kif").initial()
    chosen = [state.step([hidden])[0] for hidden, _ in state.outcomes()]
    chosen = [each.step([each.find_action(0, "(choose 1)")])[0] for each in chosen]
    won = {"stay": 0.0, "switch": 0.0}
    for each in chosen:
        for opened, probability in each.outcomes():
            asked, _ = each.step([opened])
            for answer in won:
                won[answer] += probability * asked.step([asked.find_action(0, answer)])[1][0] / 3
    assert won == pytest.approx({"stay": 100 / 3, "switch": 200 / 3})


@pytest.mark.parametrize(("colours", "value"), [(4, 100), (6, 93.399)])
def test_mastermind_by_trying_every_colour(colours: int, value: float) -> None:
    """Every guess that agrees with what was seen is as good as any other: a new colour for each peg."""
    state = kb.load(f"mastermind.kif(colours={colours})").initial()
    outcomes = state.outcomes()
    assert len(outcomes) == colours**4
    first, _ = state.step([outcomes[0][0]])
    number = {first.action_name(0, action): action for action in first.legal(0)}
    total = 0.0
    for secret, _ in outcomes:
        now, _ = state.step([secret])
        guess, rewards = [1, 1, 1, 1], [0.0]
        while not now.over:
            joint = [number[f"(guess {' '.join(map(str, guess))})"]]
            after, rewards = now.step(joint)
            seen = after.observation(now, joint, 0)[1]
            guess = [each + (f"(right {peg})" not in seen) for peg, each in enumerate(guess, 1)]
            now = after
        total += rewards[0]
    assert total / len(outcomes) == pytest.approx(value, abs=5e-4)


def test_planners_find_out_what_is_hidden() -> None:
    def mean(name: str, simulations: int, games: int) -> float:
        game, planner = kb.load(name), f"pomcp(simulations={simulations})"
        return sum(kb.play(game, planner, seed=1, episode=each).returns[0] for each in range(games)) / games

    assert mean("exploding-bomb.kif", 200, 10) == 90
    assert mean("mastermind.kif", 1000, 5) >= 95
    assert mean("monty-hall.kif", 200, 40) >= 50


def test_doors_are_switched() -> None:
    game = kb.load("monty-hall.kif")
    for episode in range(10):
        played = kb.play(game, "pomcp(simulations=500)", seed=4, episode=episode)
        assert played.steps[-1].names == ("switch",)


@pytest.mark.parametrize("name", ["tic-tac-toe", "connect-four"])
def test_flat_search_in_lanes_finds_what_it_finds_one_game_at_a_time(name: str) -> None:
    """Returns are 0 to 100 here and -1 to 1 there."""
    spec = "flat-mc(simulations=20003)"
    natively = first_advice(name, spec)
    by_rules = first_advice(f"{name}.kif", spec)
    assert by_rules.simulations == 20003
    visits = [row.visits for row in by_rules.table]
    assert sum(visits) == 20003
    assert max(visits) - min(visits) <= 2
    for ours, theirs in zip(sorted_values(by_rules), sorted_values(natively), strict=True):
        assert ours[0] / 50 - 1 == pytest.approx(theirs[0], abs=5 * theirs[1])
    errors = [error / 50 for _, error in sorted_values(by_rules)]
    assert sum(errors) / len(errors) == pytest.approx(sorted_values(natively)[0][1], rel=0.35)


def test_flat_search_judges_moves_that_are_made_at_once() -> None:
    advice = first_advice("rock-paper-scissors", "flat-mc(simulations=3000)")
    assert [row.visits for row in advice.table] == [1000, 1000, 1000]
    assert all(abs(row.value or 0.0) < 0.15 for row in advice.table)


def first_advice(game: str, spec: str) -> kb.Advice:
    referee = kb.Referee(kb.load(game), 1)
    seat = referee.movers[0]
    return kb.advise(referee.game, referee.view(seat), spec)


def sorted_values(advice: kb.Advice) -> list[tuple[float, float]]:
    return sorted((row.value or 0.0, row.error or 0.0) for row in advice.table)


def test_playing_out_ahead_searches_as_one_leaf_at_a_time() -> None:
    """UCT on rules plays out leaves before they are reached; on the native game it does not."""
    spec, seeds = "uct(simulations=600, exploration=0.5)", range(200)
    shares: list[list[float]] = []
    for name in ("connect-four", "connect-four.kif"):
        game = kb.load(name)
        view = kb.Referee(game, 1).view(0)
        planner = kb.planner(spec)
        visits = [0] * 7
        for seed in seeds:
            planner.start(game, 0, seed)
            decision = planner.act(view)
            assert decision.simulations == sum(row.visits for row in decision.table) == 600
            for row in decision.table:
                visits[int(re.sub(r"\D", "", row.name)) - 1] += row.visits
        shares.append([count / sum(visits) for count in visits])
    assert shares[1] == pytest.approx(shares[0], abs=0.03)
    assert max(shares[1]) == shares[1][3]


@pytest.mark.parametrize(
    ("rules", "native"),
    [
        ("tic-tac-toe.kif", "tic-tac-toe"),
        ("breakthrough.kif(rows=5, columns=3)", "breakthrough(rows=5, columns=3)"),
    ],
)
def test_rules_are_solved_as_the_native_game_is(rules: str, native: str) -> None:
    """That interests are opposite is not known of rules: each player is taken to want the most."""
    ours, theirs = kb.solve(rules), kb.solve(native)
    assert [value / 50 - 1 for value in ours.value] == theirs.value
    assert [value / 50 - 1 for _, value in ours.table] == [value for _, value in theirs.table]


def test_an_equilibrium_of_rules(tmp_path: Path) -> None:
    """Both show a side of a coin at once: the first wants them to be the same, and heads counts twice."""
    file = tmp_path / "pennies.kif"
    rules = """
        (role first) (role second) (init (round 1))
        (<= (legal ?player ?side) (role ?player) (side ?side))
        (side heads) (side tails)
        (<= (next (shown ?player ?side)) (does ?player ?side))
        (<= terminal (true (shown first ?side)))
        (<= both (true (shown first heads)) (true (shown second heads)))
        (<= same (true (shown first ?side)) (true (shown second ?side)))
        (<= (goal first 100) both) (<= (goal second 0) both)
        (<= (goal first 50) same (not both)) (<= (goal second {rest}) same (not both))
        (<= (goal first 0) (not same)) (<= (goal second 100) (not same))
    """
    file.write_text(rules.format(rest=50))
    solution = kb.solve(str(file))
    assert solution.value == pytest.approx([100 / 3, 200 / 3])
    assert next(iter(solution.strategy.values()))["heads"] == pytest.approx(1 / 3)
    file.write_text(rules.format(rest=60))
    with pytest.raises(ValueError, match="opposite interests"):
        kb.solve(str(file))


def test_minimax_makes_sure_of_a_draw() -> None:
    for seat in (0, 1):
        planners = ["minimax(depth=9)" if player == seat else "random" for player in (0, 1)]
        returns = [kb.play("tic-tac-toe.kif", planners, seed=seed).returns[seat] for seed in range(6)]
        assert min(returns) >= 50
