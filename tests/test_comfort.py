"""Python as people meet it: one shape for one thing, any way to name a game, values that are values."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path
from random import Random
from typing import Any

import pytest

import kibitz as kb
from kibitz.lang import FOLDER


class Nim(kb.Rules[tuple[int, int]]):
    """Take one or two; who takes the last one wins."""

    players = 2

    def initial(self) -> tuple[int, int]:
        return 5, 0

    def turn(self, state: tuple[int, int]) -> int:
        return state[1] if state[0] else kb.OVER

    def legal(self, state: tuple[int, int], player: int) -> list[int]:
        return [1, 2][: state[0]]

    def step(self, state: tuple[int, int], joint: tuple[int, ...]) -> Any:
        left = state[0] - joint[0]
        return (left, 1 - state[1]), None if left else ((1, -1) if state[1] == 0 else (-1, 1))


def test_views_and_states_answer_alike() -> None:
    referee = kb.Referee("tic-tac-toe")
    view, state = referee.view(0), referee.state
    assert view.legal() == state.legal(0) == state.legal() == list(range(9))
    assert view.names() == state.names(0) == state.names()
    assert view.find_action("B2") == state.find_action(0, "b2") == 4
    assert view.text() == state.text(0)
    assert view.svg() == state.svg(0)
    with pytest.raises(ValueError, match="did you mean"):
        view.find_action("b22")


def test_who_is_meant_must_be_said_where_several_move() -> None:
    state = kb.load("rock-paper-scissors").initial()
    with pytest.raises(ValueError, match=r"several move here: name one of \[0, 1\]"):
        state.legal()
    assert state.legal(0) == state.legal(1)


@pytest.mark.parametrize(
    "game",
    ["tic-tac-toe", FOLDER / "tic-tac-toe.kif", Nim(), kb.load("kuhn-poker")],
    ids=["name", "path", "rules", "game"],
)
def test_whatever_names_a_game_will_do(game: Any) -> None:
    assert kb.load(game).info.players == 2
    assert kb.Referee(game, seed=1).view(0).player == 0
    assert kb.play(game, "random").over
    belief = kb.Belief(game, "exact")
    referee = kb.Referee(game, seed=1)
    belief.update(referee.view(0))
    assert kb.advise(game, referee.view(referee.movers[0]), "random").name


def test_what_is_no_rules_file_is_refused() -> None:
    with pytest.raises(ValueError, match=r"notes.md is no rules file: its name should end in \.kif or"):
        kb.load(Path("notes.md"))
    with pytest.raises(ValueError, match="import it yourself"):
        kb.load(Path("mine.py"))
    with pytest.raises(TypeError, match="object has no method initial"):
        kb.Referee(object())  # type: ignore[arg-type]


def test_planners_take_keywords() -> None:
    made = kb.planner("pomcp", simulations=100, belief="particles(30)", reuse=True)
    assert made.spec == "pomcp(simulations=100, belief=particles(30), reuse=true)"
    assert kb.planner("omniscient", planner=kb.planner("uct", simulations=3)).spec == (
        "omniscient(planner=uct(simulations=3))"
    )
    assert kb.planner("uct(depth=3)", exploration=0.5).spec == "uct(depth=3, exploration=0.5)"
    with pytest.raises(ValueError, match="did you mean simulations"):
        kb.planner("uct", simulation=3)
    with pytest.raises(TypeError, match="depth should be a number, a text"):
        kb.planner("uct", depth=[3])
    with pytest.raises(ValueError, match="is made already"):
        kb.planner(made, simulations=3)


def test_moves_are_given_by_name() -> None:
    referee = kb.Referee("tic-tac-toe")
    referee.apply(["b2"])
    referee.round(lambda _: "A1")
    state, _ = kb.load("tic-tac-toe").initial().step(["b2"])
    assert state.step(["a1"])[0] == referee.state
    with pytest.raises(ValueError, match="did you mean"):
        referee.apply(["b22"])
    with pytest.raises(ValueError, match="1"):
        referee.apply(["c3", "c2"])
    assert referee.steps == 2


@pytest.mark.parametrize("game", ["kuhn-poker", "klondike(moves=ordinary)", "mastermind", "king-up", Nim()])
def test_states_are_values(game: Any) -> None:
    referee = kb.Referee(game, seed=3)
    known = [referee.state]
    for turn in range(20):
        if referee.over:
            break
        referee.apply([Random(turn).choice(referee.view(mover).legal()) for mover in referee.movers])
        known.append(referee.state)
    last = known[-1]
    assert copy.copy(last) == copy.deepcopy(last) == last
    if not isinstance(game, Nim):  # which is a class of a test: nobody could import it
        there = pickle.loads(pickle.dumps(last))
        assert there == last
        assert hash(there) == hash(last)
        assert there.text() == last.text()
    assert len({*known, *known}) == len({*known}) > 1
    assert last != known[0]
    assert last != "a state"


def test_states_of_other_games_differ() -> None:
    assert kb.load("tic-tac-toe").initial() == kb.load("tic-tac-toe").initial()
    assert kb.load("tic-tac-toe").initial() != kb.load("tic-tac-toe.kif").initial()


def test_a_state_that_was_imagined_has_no_history() -> None:
    belief, referee = kb.Belief("kuhn-poker"), kb.Referee("kuhn-poker", seed=1)
    belief.update(referee.view(0))
    with pytest.raises(TypeError, match="a state that was imagined cannot be pickled"):
        pickle.dumps(belief.sample())


def test_a_long_way_is_forgotten_without_trouble() -> None:
    state = kb.load("tiger").initial()
    rng = Random(1)
    for _ in range(100_000):
        joint = [state.draw(rng)] if state.chance else [state.find_action(0, "listen")]
        state, _ = state.step(joint)
    assert not state.over


def test_a_planner_of_ones_own_has_what_it_needs() -> None:
    class Best(kb.PlannerBase):
        """The first move that does best in some random games."""

        def act(self, view: kb.View) -> kb.Decision:
            rng, belief = Random(self.seed), kb.Belief(view.game)
            belief.update(view)
            worth = dict.fromkeys(view.legal(), 0.0)
            for _ in range(30):
                world = belief.sample()
                for action in worth:
                    after, paid = world.step([action])
                    worth[action] += paid[self.seat] + after.playout(rng)[self.seat]
            return kb.Decision(view, max(worth, key=worth.__getitem__))

    wins = sum(
        kb.play("tic-tac-toe", [Best(), kb.planner("random")], seed=seed).returns[0] for seed in range(5)
    )
    assert wins >= 3


def test_playouts_are_repeated_by_seed() -> None:
    state = kb.load("leduc-poker").initial()
    assert state.playout(5) == state.playout(5)
    assert state.playout(Random(5)) == state.playout(Random(5))
    assert len({tuple(state.playout(seed)) for seed in range(20)}) > 1
    assert state.draw(Random(2)) in dict(state.outcomes())


def test_a_referee_is_copied_with_its_luck() -> None:
    first = kb.Referee("tiger", seed=3)
    second = first.copy()
    for referee in (first, second):
        for _ in range(5):
            referee.apply(["listen"])
    assert first.view(0).events == second.view(0).events
    assert first.steps == second.steps > 5


def test_results_are_data_frames(tmp_path: Path) -> None:
    result = kb.match("tic-tac-toe", ["uct(simulations=50)", "random"], games=4)
    frame = result.frame()
    assert frame["planner"].to_list() == ["uct(simulations=50)", "random"]
    assert frame.equals(kb.lab.report(result).frame())
    episode = kb.play("tic-tac-toe", "random", seed=1)
    episode.save(tmp_path / "game.json")
    assert kb.lab.replay.load(tmp_path / "game.json").game == "tic-tac-toe"


def test_notebooks_show_small_tables() -> None:
    game = kb.load("kuhn-poker")
    referee = kb.Referee(game, seed=1)
    belief = kb.Belief(game, "exact")
    assert "update first" in belief._repr_html_()
    belief.update(referee.view(0))
    result = kb.match("tic-tac-toe", ["random", "uct(simulations=9)"], games=2)
    found = kb.equilibrium(game, iterations=20)
    for shown in (
        found._repr_html_(),
        found.strategy._repr_html_(),
        kb.exploitability(game, found.strategy)._repr_html_(),
        kb.advise(game, referee.view(0), "is-mcts(simulations=50)")._repr_html_(),
        belief._repr_html_(),
        kb.solve(game)._repr_html_(),
        game._repr_html_(),
        result._repr_html_(),
    ):
        assert 50 < len(shown) < 20_000
        assert "color:#" not in shown.partition("<svg")[0], "a notebook has its own colours"


def test_dir_shows_what_there_is() -> None:
    assert {"match", "lab", "equilibrium", "play", "adapters"} <= {*dir(kb)}


def test_an_equilibrium_is_a_whole_policy(tmp_path: Path) -> None:
    solution = kb.solve("leduc-poker")
    policy = solution.policy
    assert policy is not None
    assert policy.evaluate() == pytest.approx(solution.value, abs=1e-6)
    assert kb.exploitability("leduc-poker", policy).mean == pytest.approx(0, abs=1e-6)
    policy.save(tmp_path / "leduc.json")
    assert kb.Strategy.load(tmp_path / "leduc.json").mixes == policy.mixes
    assert kb.solve("tiger").policy is None
    with pytest.raises(ValueError, match="this strategy is for leduc-poker, not for kuhn-poker"):
        policy.evaluate("kuhn-poker")


def test_a_belief_is_summed_up() -> None:
    game = kb.load("kriegspiel-tic-tac-toe")
    referee = kb.Referee(game, seed=1)
    referee.apply(["mark 1 1"])
    while referee.movers != [0]:
        referee.apply([referee.view(mover).legal()[-1] for mover in referee.movers])
    belief = kb.Belief(game, "exact")
    belief.update(referee.view(0))
    shares = dict(belief.marginals() or [])
    assert shares["(cell 1 1 xplayer)"] == pytest.approx(1)
    others = [p for fact, p in shares.items() if fact.endswith(" oplayer)") and fact.startswith("(cell")]
    assert len(others) == 8
    assert sum(others) == pytest.approx(1), "one mark, somewhere else"
    assert list(shares.values()) == sorted(shares.values(), reverse=True)
    kuhn = kb.Belief("kuhn-poker", "exact")
    kuhn.update(kb.Referee("kuhn-poker", seed=1).view(0))
    assert kuhn.marginals() is None
