"""Searches of one's own turn: one-ply, action trees, turn-search, and the weights it judges by."""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from statistics import median

import pytest

import kibitz as kb
from kibitz._core import Referee
from kibitz.cli import main
from kibitz.learn.weights import weigh
from kibitz.planners import decide
from kibitz.testing import check_planner
from python_games import Errands

ONE_PLY = (
    "one-ply(simulations=600)",
    "one-ply(simulations=600, expansion=action-tree)",
    "one-ply(simulations=600, expansion=action-tree, choice=visits, playout=turn(random))",
    "one-ply(simulations=600, playout=turn(random))",
)


@pytest.mark.parametrize("spec", [*ONE_PLY, "turn-search", "turn-search(replies=0)"])
def test_the_best_turn_is_found(spec: str) -> None:
    """One step first, then two at once, twice: five in a turn."""
    referee = kb.Referee(kb.load(Errands()), seed=1)
    planner = kb.planner(spec)
    planner.start(referee.seat(0), 0, 3)
    while referee.movers == [0]:
        referee.apply([decide(planner, referee, 0).action])
    state = referee.state.value
    assert isinstance(state, tuple)
    # 1 and 2 make 3, which is odd: 2 more.
    assert state[3] == (5, 0)


def test_python_games_have_factors_turns_and_features() -> None:
    game = kb.load(Errands())
    there = game.info.capabilities
    assert all(there[name] for name in ("action factors", "end of turn", "features"))
    state = game.initial()
    named = {state.action_name(0, action): state.factors(0, action) for action in state.legal(0)}
    assert named == {"stop": [], "left 1": [0], "left 2": [0], "right 1": [1]}
    assert state.features(1) == [("lead", 0.0), ("balance", 0.0)]


def last_turn(game: str, seed: int) -> tuple[Referee, int] | None:
    """A game at the beginning of the turn in which it was won, and the winner.

    None where it was not won so, or with the help of chance."""
    episode = kb.play(game, "turn-search(width=6, replies=0)", seed=seed)
    winner = max(range(2), key=lambda player: episode.returns[player])
    begins = max(
        number
        for number, (one, other) in enumerate(zip(episode.steps, episode.steps[1:], strict=False))
        if one.movers != (winner,) and other.movers == (winner,)
    )
    if any(step.movers != (winner,) for step in episode.steps[begins + 1 :]):
        return None
    referee = kb.Referee(kb.load(game), seed=seed)
    made = iter(step for step in episode.steps[: begins + 1] if step.movers)
    while not referee.over:
        if not referee.movers:
            referee.advance()
            continue
        step = next(made, None)
        if step is None:
            break
        referee.apply(list(step.joint))
    return referee, winner


@pytest.mark.parametrize(
    "spec",
    [
        "turn-search",
        "turn-search(width=12, replies=0)",
        "one-ply(simulations=300)",
        "one-ply(simulations=300, expansion=action-tree)",
    ],
)
def test_a_win_of_this_turn_is_found(spec: str) -> None:
    won = 0
    for seed in range(6):
        found = last_turn("duelyst", seed)
        if found is None:
            continue
        referee, winner = found
        won += 1
        planner = kb.planner(spec)
        planner.start(referee.seat(winner), winner, 3)
        for _ in range(30):
            if referee.over:
                break
            if referee.movers == [winner]:
                referee.apply([decide(planner, referee, winner).action])
            elif not referee.movers:
                referee.advance()
            else:
                break
        assert referee.over, (spec, seed)
        assert referee.returns[winner] == 1.0, (spec, seed)
    assert won >= 2


@pytest.mark.parametrize(
    ("spec", "game"),
    [
        ("one-ply(simulations=20)", "duelyst"),
        ("one-ply(simulations=20, expansion=action-tree)", "duelyst"),
        ("one-ply(simulations=30, expansion=action-tree)", "breakthrough(5, 4)"),
        ("rollout", "duelyst"),
        ("hillclimb", "duelyst"),
        ("turn-search(width=3, replies=2, reply_width=2, first_worlds=2)", "duelyst"),
        ("turn-search(width=3, replies=2, ahead=2)", "breakthrough(5, 4)"),
        ("turn-search(width=3, replies=2)", "kuhn-poker"),
    ],
)
def test_planners_of_turns_keep_their_contract(spec: str, game: str) -> None:
    report = check_planner(spec, game, positions=3, seconds=0.05, max_steps=60)
    assert report.passed if game != "kuhn-poker" else report.refused


def decisions(spec: str, game: str, count: int = 6) -> Iterator[kb.Decision]:
    """Those of the first player at the beginning of a game."""
    referee, planner = kb.Referee(kb.load(game), seed=4), kb.planner(spec)
    begun = False
    while count and not referee.over:
        if not referee.movers:
            referee.advance()
            continue
        if 0 in referee.movers:
            if not begun:
                planner.start(referee.seat(0), 0, 7)
                begun = True
            decision = decide(planner, referee, 0)
            count -= 1
            yield decision
        joint = [
            decision.action if mover == 0 else referee.view(mover).legal()[0] for mover in referee.movers
        ]
        referee.apply(joint)


def settled(state: kb.State, action: int, rng: random.Random) -> tuple[kb.State, list[float]]:
    """After an action and what chance draws then, with what was paid."""
    state, paid = state.step([action])
    while state.chance:
        state, more = state.step([state.draw(rng)])
        paid = [one + other for one, other in zip(paid, more, strict=True)]
    return state, paid


def worth(state: kb.State, paid: list[float], player: int) -> float:
    """What was paid, and the evaluator's word on the rest."""
    judged = [0.0, 0.0] if state.over else state.evaluate()
    assert judged is not None
    return paid[player] + judged[player]


def turns_end(state: kb.State, paid: list[float], player: int, rng: random.Random) -> float:
    """Algorithm 6 of the thesis: the best next state is gone to until the turn is over.

    Of equals any would do: here they lead to the same state."""
    while state.movers == [player]:
        best = max(state.legal(player), key=lambda action: worth(*state.step([action]), player))
        state, more = settled(state, best, rng)
        paid = [one + other for one, other in zip(paid, more, strict=True)]
    return worth(state, paid, player)


def test_the_baselines_are_those_of_the_thesis() -> None:
    """Errands: what each action leads to, at once (hillclimb) and at the end of a greedy turn (rollout)."""
    game, rng = kb.load(Errands()), random.Random(1)
    referee = kb.Referee(game, seed=1)
    state = referee.state
    after = {action: settled(state, action, rng) for action in state.legal(0)}
    at_once = {action: worth(*found, 0) for action, found in after.items()}
    at_the_end = {action: turns_end(*found, 0, rng) for action, found in after.items()}
    for spec, values in (("hillclimb", at_once), ("rollout", at_the_end)):
        planner = kb.planner(spec)
        planner.start(referee.seat(0), 0, 3)
        decision = decide(planner, referee, 0)
        assert {row.action: row.value for row in decision.table} == pytest.approx(values)
        assert values[decision.action] == max(values.values())
        assert decision.simulations == len(values)  # each action once


def test_rounds_are_simulations_of_each_action() -> None:
    legal = len(kb.load("breakthrough(5, 4)").initial().legal(0))
    for spec, simulations in (
        ("uct(rounds=3)", 3 * legal),
        ("uct(rounds=3, simulations=10)", 10),
        ("rollout(simulations=5)", 5),
        ("hillclimb", legal),
    ):
        assert next(decisions(spec, "breakthrough(5, 4)")).simulations == simulations


def test_a_greedy_rollout_takes_less_than_20_milliseconds() -> None:
    """The median of the decisions of a game, in processor time."""
    referee, times = kb.Referee(kb.load("duelyst"), seed=4), []
    seats = [kb.planner("rollout"), kb.planner("rollout")]
    for player, planner in enumerate(seats):
        planner.start(referee.seat(player), player, 7)
    while not referee.over:
        if not referee.movers:
            referee.advance()
            continue
        begun = time.process_time()
        joint = [decide(seats[mover], referee, mover).action for mover in referee.movers]
        times.append((time.process_time() - begun) / len(joint))
        referee.apply(joint)
    assert median(times) < 0.02


def test_budgets_are_kept() -> None:
    for spec in ("turn-search(transitions=300)", "one-ply(transitions=300)"):
        for decision in decisions(spec, "duelyst"):
            # A step is finished with what chance draws after it, a playout at the turn's end.
            assert (decision.transitions or 0) <= 300 + 1200
    for decision in decisions("one-ply(simulations=33, expansion=action-tree)", "duelyst"):
        assert decision.simulations in (0, 33)


@pytest.mark.parametrize("choice", ["visits", "value"])
def test_an_action_is_chosen_piece_by_piece(choice: str) -> None:
    """The best piece, and of its moves the best one."""
    spec = f"uct(simulations=300, expansion=action-tree, choice={choice})"
    game = kb.load("breakthrough(6, 5)")
    state = game.initial()
    decision = next(decisions(spec, "breakthrough(6, 5)"))
    assert sorted(row.action for row in decision.table) == sorted(state.legal(0))
    assert sum(row.visits for row in decision.table) == decision.simulations
    visits: Counter[tuple[int, ...]] = Counter()
    for row in decision.table:
        visits[tuple(state.factors(0, row.action) or [])] += row.visits
    chosen = tuple(state.factors(0, decision.action) or [])
    of_piece = [row for row in decision.table if tuple(state.factors(0, row.action) or []) == chosen]
    if choice == "visits":
        assert visits[chosen] == max(visits.values())
        assert of_piece[0].visits == max(row.visits for row in of_piece)
    else:
        assert of_piece[0].value == max(row.value or 0.0 for row in of_piece)
    assert of_piece[0].action == decision.action == decision.table[0].action


def test_what_does_not_go_together_is_refused_in_a_sentence() -> None:
    for spec, game, why in (
        ("uct(expansion=action-tree)", "tic-tac-toe", "needs action factors"),
        ("uct(horizon=turn)", "tic-tac-toe", "needs an evaluator"),
        ("uct(expansion=action-tree, selection=rave)", "breakthrough", "goes with"),
        ("turn-search", "tic-tac-toe", "needs features or an evaluator"),
        ("turn-search(evaluator=linear)", "breakthrough", "needs features"),
    ):
        with pytest.raises(ValueError, match=why):
            kb.play(game, [spec, "random"])
    with pytest.raises(ValueError, match="number of moves, turn or none"):
        kb.planner("uct(horizon=week)")
    with pytest.raises(ValueError, match="1 to 1000000"):
        kb.planner("uct(horizon=0)")


def test_weights_are_learned_and_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "weights.txt"
    main(["weigh", "duelyst", str(file), "--games", "4", "--planner", "turn-search(width=3, replies=0)"])
    assert "health of the General" in capsys.readouterr().out
    assert kb.play(
        "duelyst", [f'turn-search(replies=0, evaluator=linear("{file}"))', "random"], seed=2
    ).over
    found = weigh("duelyst", ["turn-search(width=3, replies=0)"], games=4)
    assert found.text() == file.read_text()
    file.write_text("0.5 health of the king\n")
    with pytest.raises(ValueError, match='no feature "health of the king"'):
        kb.play("duelyst", f'turn-search(evaluator=linear("{file}"))')
    file.write_text("half health\n")
    with pytest.raises(ValueError, match=":1: a line should have a weight"):
        kb.planner(f'turn-search(evaluator=linear("{file}"))')
