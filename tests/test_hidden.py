"""Planners for hidden information: what each makes of information, and how they play."""

from __future__ import annotations

from pathlib import Path
from statistics import fmean

import pytest

import kibitz as kb
from kibitz.planners import AnyPlanner, decide
from kibitz.testing import check_planner
from python_games import Coin, Pennies
from tables import cases

PLANNERS = {
    "is-mcts": "is-mcts(simulations=100)",
    "is-mcts of all": "is-mcts(simulations=100, observers=all)",
    "hypergames": "pomcp(simulations=100, belief=hypergames(20))",
    "hindsight": "hindsight(worlds=5, horizon=2)",
    "hindsight by uct": "hindsight(worlds=3, planner=uct(simulations=20))",
    "hindsight by random": "hindsight(worlds=3, horizon=4, planner=random)",
    "hindsight of random others": "hindsight(worlds=3, horizon=2, others=random)",
    "hyperplay": "hyperplay(worlds=3, planner=uct(simulations=20), belief=hypergames(20))",
    "lifted-hyperplay": "lifted-hyperplay(worlds=1, hypergames=5, horizon=3, "
    "planner=hyperplay(worlds=1, planner=uct(simulations=5), belief=hypergames(3)))",
    "omniscient": "omniscient(planner=uct(simulations=50))",
}
GAMES = [
    "kuhn-poker",
    "leduc-poker",
    "liars-dice",
    "king-up",
    "rock-paper-scissors",
    "bear",
    "kriegspiel-tic-tac-toe.kif",
    "monty-hall.kif",
    "openspiel:kuhn_poker(players=3)",
    "openspiel:goofspiel(imp_info=True,num_cards=3,points_order=random)",
]


def first_choice(name: str, spec: str, *, seed: int = 1) -> kb.Decision:
    """A planner's first decision in a game of one where there is more than one action."""
    game = kb.load(name)
    referee, planner = kb.Referee(game, seed=seed), kb.Planner(spec)
    planner.start(game, 0, seed)
    while True:
        view = referee.view(0)
        decision = planner.act(view)
        if len(view.legal()) > 1:
            return decision
        referee.apply([decision.action])


@pytest.mark.parametrize("spec", PLANNERS.values(), ids=PLANNERS.keys())
@pytest.mark.parametrize("name", GAMES)
def test_they_play_every_kind_of_game(name: str, spec: str) -> None:
    if name.startswith("openspiel:"):
        pytest.importorskip("pyspiel")
    assert kb.play(name, spec, seed=2).over


@pytest.mark.parametrize("spec", PLANNERS.values(), ids=PLANNERS.keys())
def test_they_play_games_written_in_python(spec: str) -> None:
    assert kb.play(Coin(), spec, seed=2).over
    assert kb.play(Pennies(), spec, seed=2).over


@pytest.mark.parametrize(
    "spec",
    [
        "is-mcts(simulations=200)",
        "pomcp(simulations=200, belief=hypergames(50))",
        "hindsight(worlds=5)",
        "hyperplay(worlds=5)",
        "lifted-hyperplay(worlds=2, hypergames=20, horizon=10)",
    ],
)
@pytest.mark.parametrize("name", ["kuhn-poker", "tiger", "kriegspiel-tic-tac-toe.kif"])
def test_they_keep_the_contract(name: str, spec: str) -> None:
    assert check_planner(spec, name, positions=3, max_steps=20).passed


def test_who_cheats_is_not_held_to_the_contract() -> None:
    assert "cheats" in (check_planner("omniscient", "kuhn-poker").refused or "")


class TestTheWorthOfInformation:
    @pytest.mark.parametrize("spec", ["hindsight", "hindsight(planner=expectimax)", "hyperplay"])
    def test_in_hindsight_it_is_nothing(self, spec: str) -> None:
        # Asking which wire to cut costs ten points; in every sampled world the answer is known anyway.
        for seed in range(3):
            decision = first_choice("exploding-bomb.kif", spec, seed=seed)
            assert decision.best == "wait"
        if spec != "hyperplay":
            assert {row.name: row.value for row in decision.table} == {"wait": 100.0, "ask": 90.0}

    @pytest.mark.parametrize("spec", ["pomcp", "is-mcts", "is-mcts(observers=all)", "lifted-hyperplay"])
    def test_others_ask(self, spec: str) -> None:
        for seed in range(3):
            assert first_choice("exploding-bomb.kif", spec, seed=seed).best == "ask"

    def test_hindsight_cannot_tell_a_question_from_a_guess(self) -> None:
        decision = first_choice("number-guessing.kif", "hindsight")
        assert {row.value for row in decision.table} == {100.0}

    @pytest.mark.slow
    def test_hyperplay_guesses_and_nested_players_ask(self) -> None:
        def mean(spec: str, games: int) -> float:
            return fmean(kb.play("number-guessing.kif", spec, episode=e).returns[0] for e in range(games))

        # One number of eight, at random, is worth 12.5; the best there is, 100.
        blind = mean("hyperplay(worlds=8, planner=uct(simulations=50))", 60)
        assert blind < 35
        assert mean("lifted-hyperplay(worlds=16)", 8) > blind + 15


class Dice(kb.Rules[str]):
    """Take one of two dice that are alike, and be paid what it shows."""

    max_return, horizon = 6.0, 2

    def initial(self) -> str:
        return "choose"

    def turn(self, state: str) -> int:
        return {"choose": 0, "roll": kb.CHANCE}.get(state, kb.OVER)

    def legal(self, state: str, player: int) -> list[str]:
        return ["left", "right"]

    def chance(self, state: str) -> list[tuple[int, float]]:
        return [(pips, 1 / 6) for pips in range(1, 7)]

    def step(self, state: str, joint: tuple[int | str, ...]) -> tuple[str, float]:
        return ("roll", 0.0) if state == "choose" else ("over", float(joint[0]))


def test_all_actions_of_a_world_meet_the_same_luck() -> None:
    game = kb.load(Dice())
    decision = kb.advise(game, kb.Referee(game).view(0), "hindsight(worlds=200)")
    left, right = decision.table
    assert left.value == right.value == pytest.approx(3.5, abs=0.5)
    assert (left.error or 0.0) > 0.05  # the worlds differ


@pytest.mark.parametrize("observers", ["one", "all"])
@pytest.mark.parametrize(
    ("name", "games", "least"),
    [("kuhn-poker", 400, 0.1), ("leduc-poker", 200, 0.8), ("kriegspiel-tic-tac-toe.kif", 40, 65)],
)
def test_is_mcts_beats_chance(name: str, games: int, least: float, observers: str) -> None:
    spec = f"is-mcts(simulations=500, observers={observers})"
    result = kb.match(name, [spec, "random"], games=games, seed=3)
    mean = {row.planner: row.mean_return for row in result.standings}
    assert mean[spec] > least, mean


class TestOmniscient:
    def test_is_told_by_whoever_drives_the_episode(self) -> None:
        episode = kb.play("kuhn-poker", ["omniscient", "random"], seed=1)
        assert episode.steps[2].decisions[0].notes == ["was told the true state"]
        result = kb.match("kuhn-poker", ["omniscient(planner=uct(simulations=300))", "pomcp"], games=200)
        best, other = result.standings
        assert best.planner.startswith("omniscient")
        assert best.mean_return > 0.05 > other.mean_return

    def test_refuses_where_nobody_tells_it(self) -> None:
        game = kb.load("kuhn-poker")
        with pytest.raises(ValueError, match="needs to be told the true state"):
            kb.advise(game, kb.Referee(game).view(0), "omniscient")

    def test_is_told_for_one_decision(self) -> None:
        game = kb.load("kuhn-poker")
        referee, planner = kb.Referee(game, seed=1), kb.Planner("omniscient")
        planner.start(game, 0, 0)
        decide(planner, referee, 0)
        with pytest.raises(ValueError, match="needs to be told"):
            planner.act(referee.view(0))

    def test_nobody_else_may_be_told(self) -> None:
        game = kb.load("kuhn-poker")
        planner: AnyPlanner = kb.planner("pomcp")
        assert isinstance(planner, kb.Planner)
        assert not planner.cheats
        planner.start(game, 0, 0)
        with pytest.raises(ValueError, match="pomcp does not cheat"):
            planner.tell(kb.Referee(game).state)

    def test_needs_the_very_game(self) -> None:
        planner = kb.Planner("omniscient")
        planner.start(kb.load("kuhn-poker"), 0, 0)
        with pytest.raises(ValueError, match="was started with another"):
            planner.tell(kb.Referee(kb.load("leduc-poker")).state)


@cases(
    "spec message",
    """
    hindsight(planner=uct(simulatons=5)) | did you mean simulations
    hindsight(planner=3) | expected a planner
    hindsight(future=open) | needs a planner that reckons with chance
    hyperplay(others=random) | others=random goes with future=fixed
    lifted-hyperplay(planner=hyperplai) | did you mean hyperplay
    pomcp(belief=hypergames(0)) | 0 is out of range: 1 to
    is-mcts(observers=two) | unknown choice
    """,
)
def test_a_bad_spec_is_refused_in_a_sentence(spec: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        kb.Planner(spec)


@pytest.mark.parametrize(
    "part", ["tree=state", "backup=max", "expansion=partial", "parallel=tree, workers=2"]
)
def test_one_observer_goes_with_some_parts_only(part: str) -> None:
    planner = kb.Planner(f"is-mcts({part})")
    with pytest.raises(ValueError, match=r"observers=one goes with|needs perfect information"):
        planner.start(kb.load("kuhn-poker"), 0, 0)


def test_a_horizon_that_is_too_far_is_drawn_nearer() -> None:
    game = kb.load("connect-four")
    decision = kb.advise(game, kb.Referee(game).view(0), "hindsight(horizon=9, worlds=1, states=2000)")
    assert any("the horizon was" in note for note in decision.notes)


def test_hypergames_say_how_many_were_changed() -> None:
    game = kb.load("exploding-bomb.kif")
    referee, belief = kb.Referee(game, seed=1), kb.Belief(game, "hypergames(50)", seed=1)
    while len(view := referee.view(0).legal()) < 2:
        referee.apply([view[0][0]])
    belief.update(referee.view(0))
    assert belief.size == 2
    referee.apply([referee.state.find_action(0, "ask")])
    belief.update(referee.view(0))
    assert belief.size == 1
    assert belief.sample().text() == referee.state.text()
    assert belief.notes == ["1 of 2 histories contradicted what was seen, and were changed"]


TELLTALE = """(role you) (role random) (init start) (card red) (card black)
(<= (legal random (deal ?c)) (true start) (card ?c))
(<= (legal random noop) (not (true start)))
(<= (legal you noop) (true start))
(<= (legal you (name ?c)) (true (holds ?c)))
(<= (legal you pass) (not (true start)))
(<= (next (holds ?c)) (does random (deal ?c)))
(<= (next (holds ?c)) (true (holds ?c)))
(<= (next (step 1)) (true start))
(<= (next (step 2)) (true (step 1)))
(<= (next (step 3)) (true (step 2)))
(<= (next named) (does you (name ?c)) (true (step 2)))
(<= (sees you late) (true (step 2)))
(<= terminal (true (step 3)))
(<= (goal you 100) (true named)) (<= (goal you 0) (not (true named))) (goal random 0)
"""


@pytest.mark.parametrize("belief", ["exact", "tree", "particles(50)", "hypergames(20)"])
@pytest.mark.parametrize("limit", ["", "(limit.ground_rules=1)"])
def test_who_is_told_what_is_legal_knows_what_follows_from_it(
    tmp_path: Path, belief: str, limit: str
) -> None:
    path = tmp_path / "telltale.kif"
    path.write_text(TELLTALE)
    game = kb.load(f"{path}{limit}")
    for episode in range(6):
        referee = kb.Referee(game, episode=episode)
        planner = kb.planner(f"pomcp(simulations=50, belief={belief})")
        planner.start(game, 0, episode)
        while not referee.over:
            view = referee.view(0)
            held = kb.Belief(game, belief)
            held.update(view)
            drawn = {str(held.sample()) for _ in range(20)}
            assert drawn == {str(referee.state)}
            referee.apply([planner.act(view).action])
        assert referee.returns == [100]
