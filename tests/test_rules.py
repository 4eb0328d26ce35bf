"""Games written in Python: the contract, what the core sees, and every way to break it."""

from __future__ import annotations

import math
import pickle
import random
from typing import Any

import pytest

import kibitz as kb
from effort import work_below
from python_games import Coin, Pennies, TicTacToe, Walk


def test_counts_agree_with_the_native_game() -> None:
    native, python = kb.load("tic-tac-toe"), kb.load(TicTacToe())
    assert [python.perft(depth) for depth in range(6)] == [native.perft(depth) for depth in range(6)]


def test_facts_and_capabilities() -> None:
    info = kb.load(Coin()).info
    assert (info.players, info.min_return, info.max_return, info.horizon) == (1, -1.2, 1.0, None)
    assert info.spread == pytest.approx(2.2)
    assert not info.perfect_information
    there = {name for name, has in info.capabilities.items() if has}
    assert there == {"explicit chance", "resampling"}
    assert kb.load(TicTacToe()).info.perfect_information
    assert not kb.load(Walk()).info.capabilities["explicit chance"]


def test_states_carry_the_users_own_values() -> None:
    game = kb.load(Coin())
    toss = game.initial()
    assert toss.value == "toss"
    assert toss.chance
    heads, toss_tails = (toss.find_action(None, name) for name in ("heads", "tails"))
    assert toss.outcomes() == [(heads, 0.75), (toss_tails, 0.25)]
    tails, rewards = toss.step([toss_tails])
    assert (tails.value, rewards) == ("tails", [0.0])
    peek = tails.find_action(0, "peek")
    assert game.action_value(peek) == "peek"
    peeked, rewards = tails.step([peek])
    assert rewards == [-0.2]
    assert peeked.observation(tails, [peek], 0)[1] == "peeked tails"
    assert tails.observation(toss, [toss_tails], 0) == (0, "")
    with pytest.raises(ValueError, match=r"not a legal action.*legal are \d+ \((heads|tails)\), \d+ \("):
        peeked.step([peek])


def test_a_hidden_coin_is_found_by_peeking() -> None:
    game = kb.load(Coin())
    referee = kb.Referee(game, seed=3)
    assert referee.view(0).events == []
    advice = kb.advise(game, referee.view(0), "pomcp(simulations=2000)")
    assert advice.best == "peek"
    assert advice.table[0].value == pytest.approx(0.8, abs=0.1)
    referee.apply([advice.action])
    view = referee.view(0)
    side = referee.state.value.removeprefix("peeked ")
    assert [event[::2] for event in view.events] == [("acted", "peek"), ("observed", f"peeked {side}")]
    assert kb.advise(game, view, "pomcp(simulations=2000)").best == side


def test_simultaneous_moves() -> None:
    game = kb.load(Pennies())
    state = game.initial()
    assert state.movers == [0, 1]
    assert game.perft(1) == 4
    heads, tails = (state.find_action(0, name) for name in ("heads", "tails"))
    assert state.step([heads, tails])[1] == [-1, 1]
    referee = kb.Referee(game)
    referee.apply([heads, tails])
    acted, told = referee.view(0).events
    assert acted == ("acted", heads, "heads")
    assert told[2] == "player 1 heads, player 2 tails"


def test_drawn_chance_and_discounting() -> None:
    game = kb.load(Walk(3))
    referee = kb.Referee(game, seed=5)
    joints = []
    while not referee.over:
        joints += [step[1] for step in referee.apply([referee.view(0).legal()[0]])]
    assert referee.returns == [1 + 0.5 + 0.25]
    drawn = [game.action_value(joint[0]) for joint in joints[1::2]]
    assert set(drawn) <= {7, 8, 9}
    assert referee.steps == 6
    with pytest.raises(ValueError, match="only draws"):
        game.perft(3)


def test_streams_are_the_same_in_every_process() -> None:
    class Draws(Walk):
        def draw(self, state: int, rng: random.Random) -> Any:
            return rng.random(), rng.randrange(10**30), tuple(rng.sample(range(100), 3)), rng.getrandbits(3)

    game = kb.load(Draws(2))
    state, _ = game.initial().step([0])
    value = game.action_value(state.draw(11))
    assert value == game.action_value(state.draw(11)) != game.action_value(state.draw(12))
    assert 0 <= value[0] < 1
    # Fixed for ever, as the core's streams are.
    assert value[2] == (46, 7, 31)


def test_an_episode_does_not_depend_on_what_was_played_before() -> None:
    game = kb.load(TicTacToe())
    first = kb.play(game, "uct(simulations=50)", seed=4, episode=2)
    kb.play(game, "uct(simulations=50)", seed=9)
    again = kb.play(game, "uct(simulations=50)", seed=4, episode=2)
    assert [step.names for step in first.steps] == [step.names for step in again.steps]


def test_uct_plays_well() -> None:
    game = kb.load(TicTacToe())
    for episode in range(6):
        played = kb.play(game, ["uct(simulations=300)", "random"], seed=1, episode=episode)
        assert played.returns[0] >= 0


def test_any_hashable_value_is_an_action() -> None:
    class Many(kb.Rules[int]):
        def initial(self) -> int:
            return 0

        def turn(self, state: int) -> int:
            return kb.OVER if state else 0

        def legal(self, state: int, player: int) -> Any:
            return [0, -1, -2, "a", ("b", 1), None, frozenset([1]), 2.5, 10**40, 1]

        def step(self, state: int, joint: tuple[Any, ...]) -> Any:
            return joint, None

    game = kb.load(Many())
    state = game.initial()
    assert len(state.legal(0)) == 10
    assert {state.step([action])[0].value[0] for action in state.legal(0)} == {*Many().legal(0, 0)}


def test_keys_tell_states_apart() -> None:
    class Keys(kb.Rules[Any]):
        states: tuple[Any, ...] = (
            -1,
            -2,
            "a",
            b"a",
            (1, (2,)),
            ((1,), 2),
            None,
            2.5,
            10**30,
            frozenset("a"),
        )

        def initial(self) -> Any:
            return "begin"

        def turn(self, state: Any) -> int:
            return 0

        def legal(self, state: Any, player: int) -> range:
            return range(len(self.states))

        def step(self, state: Any, joint: tuple[Any, ...]) -> Any:
            return self.states[joint[0]], None

        def key(self, state: Any) -> Any:
            return state

    game = kb.load(Keys())
    hashes = [game.initial().step([action])[0].hash() for action in game.initial().legal(0)]
    assert len(set(hashes)) == len(hashes)
    again = kb.load(Keys())
    assert hashes == [again.initial().step([action])[0].hash() for action in again.initial().legal(0)]


def test_pickled_games_play_on() -> None:
    game = pickle.loads(pickle.dumps(kb.load(TicTacToe())))
    assert game.perft(2) == 72
    assert pickle.loads(pickle.dumps(kb.load("tic-tac-toe"))).spec == "tic-tac-toe"


def test_a_planner_may_be_started_on_another_copy_of_the_game() -> None:
    referee = kb.Referee(kb.load(Coin()), seed=1)
    referee.apply([referee.state.find_action(0, "peek")])
    side = referee.state.value.removeprefix("peeked ")
    other = kb.load(Coin())
    other.playouts(3, seed=1)
    assert kb.advise(other, referee.view(0), "pomcp(simulations=200)").best == side
    referee = kb.Referee(kb.load(TicTacToe()))
    for cell in ["0", "3", "1", "4"]:
        referee.apply([referee.state.find_action(referee.movers[0], cell)])
    other = kb.load(TicTacToe())
    other.playouts(3, seed=1)
    assert kb.advise(other, referee.view(0), "uct").best == "2"
    with pytest.raises(ValueError, match="is of TicTacToe, but the planner was started on kuhn-poker"):
        kb.advise("kuhn-poker", kb.Referee(kb.load(TicTacToe())).view(0), "random")


def test_registered_by_name() -> None:
    class Named(Walk):
        name = "walk-of-the-tests"

    for spec in ["walk-of-the-tests(length=2)", "walk-of-the-tests(2)"]:
        rules = kb.load(spec).rules
        assert isinstance(rules, Named)
        assert rules.length == 2
    with pytest.raises(ValueError, match="did you mean length"):
        kb.load("walk-of-the-tests(lenght=2)")
    with pytest.raises(ValueError, match="did you mean walk-of-the-tests"):
        kb.load("walk-of-the-test")
    with pytest.raises(ValueError, match="already"):
        type("Clash", (Walk,), {"name": "tic-tac-toe"})


# Mistakes.


class Oops(Exception):
    pass


def broken(base: type[kb.Rules[Any]], method: str, answer: Any) -> kb.Game:
    """The game with one method replaced: it raises an exception, or gives that answer."""

    def replacement(self: Any, *_: Any) -> Any:
        if isinstance(answer, BaseException):
            raise answer
        return answer(self) if callable(answer) else answer

    return kb.load(type(base.__name__, (base,), {method: replacement})())


def drive(game: kb.Game) -> None:
    """Touches everything that the core ever asks of a game."""
    kb.play(game, "uct(simulations=20)").text()
    state = game.initial()
    state.text(0), state.svg(), state.hash(), state.evaluate()
    game.playouts(5, seed=1)
    if game.info.capabilities["resampling"]:
        kb.play(game, "pomcp(belief=resampling, simulations=20)")
    if game.info.capabilities["preferred actions"]:
        game.playouts(5, seed=1, policy="preferred")


@pytest.mark.parametrize("base", [TicTacToe, Coin, Pennies, Walk])
@pytest.mark.parametrize(
    "method", ["initial", "turn", "legal", "step", "action_name", "text", "player_name", "svg"]
)
def test_exceptions_come_back(base: type[kb.Rules[Any]], method: str) -> None:
    game = broken(base, method, Oops("my mistake"))
    with pytest.raises(kb.GameFault, match=rf"{base.__name__}\.{method} raised Oops: my mistake") as caught:
        drive(game)
    assert isinstance(caught.value.__cause__, Oops)
    # The failure is over with: what does not fail still works.
    if method in ("text", "svg", "player_name"):
        assert game.initial().movers is not None


@pytest.mark.parametrize(
    "method", ["chance", "observe", "resample", "draw", "preferred", "evaluate", "key"]
)
def test_exceptions_in_optional_methods(method: str) -> None:
    with pytest.raises(kb.GameFault, match=rf"Coin\.{method} raised Oops"):
        drive(broken(Coin, method, Oops("my mistake")))


@pytest.mark.parametrize(
    ("base", "method", "answer", "sentence"),
    [
        (TicTacToe, "legal", [], "legal returned no action for player 0"),
        (TicTacToe, "legal", (), "legal returned no action for player 0"),
        (TicTacToe, "legal", [1, 2, 1], r"an action twice: \[1, 2, 1\]"),
        (TicTacToe, "legal", [[1]], r"the action \[1\], which is not hashable"),
        (TicTacToe, "legal", {1, 2}, "a set, whose order differs"),
        (TicTacToe, "legal", 7, "legal returned 7; it should return a list"),
        (TicTacToe, "legal", None, "legal returned None"),
        (TicTacToe, "legal", ["x"], "step raised TypeError"),
        (TicTacToe, "turn", None, "turn returned None"),
        (TicTacToe, "turn", 2, "turn returned 2; .* from 0 to 1"),
        (TicTacToe, "turn", -3, "turn returned -3"),
        (TicTacToe, "turn", "me", "turn returned 'me'"),
        (TicTacToe, "turn", (), r"turn returned \(\)"),
        (TicTacToe, "turn", (0, 0), r"turn returned \(0, 0\)"),
        (TicTacToe, "turn", kb.CHANCE, "no method chance"),
        (TicTacToe, "step", None, "step returned None; it should return"),
        (
            TicTacToe,
            "step",
            ("s", (1,)),
            r"rewards: it returned \(1,\); it should be 2 finite numbers",
        ),
        (TicTacToe, "step", ("s", 1), "step's rewards: it returned 1; it should be 2 finite numbers"),
        (TicTacToe, "step", ("s", [1, 2, 3]), "it should be 2 finite numbers"),
        (TicTacToe, "step", ("s", (1, math.nan)), "it should be 2 finite numbers"),
        (TicTacToe, "step", ("s", "ab"), "it should be 2 finite numbers"),
        (Coin, "step", ("toss", (1, 2)), "it should be a finite number"),
        (Coin, "chance", [("heads", 0.5), ("tails", 0.4)], "add up to 0.9, not to 1"),
        (Coin, "chance", [("heads", 1.5), ("tails", -0.5)], "gave 'heads' the probability 1.5"),
        (Coin, "chance", ["heads"], "should return pairs"),
        (Coin, "chance", [([], 1.0)], "not hashable"),
        (Coin, "chance", None, "chance returned None"),
        (Coin, "observe", [1], r"observe returned \[1\], which is not hashable"),
        (Coin, "text", 3, "text returned 3; it should return a text"),
        (Coin, "preferred", [], "preferred returned no action"),
        (Coin, "evaluate", (1, 2), "evaluate returned"),
        (Walk, "draw", {}, "draw returned {}, which is not hashable"),
        (TicTacToe, "key", [], r"key returned \[\], which is not hashable"),
    ],
)
def test_broken_contracts(base: type[kb.Rules[Any]], method: str, answer: Any, sentence: str) -> None:
    with pytest.raises(kb.GameFault, match=sentence):
        drive(broken(base, method, answer))


def test_a_failure_in_the_middle_of_a_search() -> None:
    class Late(TicTacToe):
        calls = 0

        def step(self, state: Any, joint: tuple[Any, ...]) -> Any:
            Late.calls += 1
            if Late.calls == 500:
                raise Oops("late")
            return super().step(state, joint)

    game = kb.load(Late())
    planner = kb.planner("uct(simulations=10_000)")
    planner.start(game, 0, 1)
    view = kb.Referee(game).view(0)
    with pytest.raises(kb.GameFault) as caught:
        planner.act(view)
    assert isinstance(caught.value.__cause__, Oops)
    assert Late.calls == 500
    with pytest.raises(RuntimeError, match="start"):
        planner.act(view)
    planner.start(game, 0, 1)
    assert planner.act(view).simulations == 10_000


def test_a_failure_leaves_the_episode_where_it_was() -> None:
    class Once(Coin):
        failed = False

        def step(self, state: str, joint: tuple[Any, ...]) -> Any:
            if joint == ("peek",) and not self.failed:
                self.failed = True
                raise Oops("once")
            return super().step(state, joint)

    referee = kb.Referee(kb.load(Once()))
    peek = referee.state.find_action(0, "peek")
    with pytest.raises(kb.GameFault):
        referee.apply([peek])
    assert (referee.over, referee.steps, referee.view(0).events) == (False, 1, [])
    referee.apply([peek])
    assert len(referee.view(0).events) == 2


@pytest.mark.parametrize("error", [KeyboardInterrupt(), SystemExit(3)])
def test_interrupts_are_nobodys_fault(error: BaseException) -> None:
    with pytest.raises(type(error)):
        drive(broken(TicTacToe, "step", error))


@pytest.mark.parametrize(
    ("attribute", "value", "sentence"),
    [
        ("players", 0, "players should be a whole number from 1 to 32, not 0"),
        ("players", 33, "from 1 to 32"),
        ("players", "two", "from 1 to 32, not 'two'"),
        ("min_return", 3.0, "above max_return"),
        ("max_return", math.inf, "max_return should be a number"),
        ("discount", 0.0, "discount should be above 0"),
        ("horizon", 0, "horizon should be a positive"),
        ("spread", -1, "spread should not be negative"),
    ],
)
def test_wrong_attributes(attribute: str, value: Any, sentence: str) -> None:
    rules = TicTacToe()
    setattr(rules, attribute, value)
    with pytest.raises(ValueError, match=sentence):
        kb.load(rules)


def test_missing_methods() -> None:
    with pytest.raises(TypeError, match="has no method legal; a game needs initial, turn, legal and step"):
        kb.load(type("Half", (), {"initial": len, "turn": len})())
    with pytest.raises(TypeError, match="has no method initial"):
        kb.load(kb.Rules())
    with pytest.raises(TypeError, match=r"TicTacToe\(\), not TicTacToe"):
        kb.load(TicTacToe)  # type: ignore[arg-type]


def test_python_games_are_quick_enough() -> None:
    game = kb.load(TicTacToe())
    planner = kb.planner("uct(simulations=4000)")
    planner.start(game, 0, 1)
    view = kb.Referee(game).view(0)
    with work_below(4):
        planner.act(view)
