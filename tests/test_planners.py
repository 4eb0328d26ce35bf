"""What planners find out: known values, tactics, and every part of the search in turn."""

from __future__ import annotations

import re
from random import Random
from statistics import fmean, stdev
from typing import Any

import pytest

import kibitz as kb
from effort import work_below
from tables import cases


def view_after(game: kb.Game, names: list[str], *, seed: int = 0) -> kb.View:
    """The view of whoever moves after these actions, by name."""
    referee = kb.Referee(game, seed=seed)
    for name in names:
        mover = referee.movers[0]
        referee.apply([referee.state.find_action(mover, name)])
    return referee.view(referee.movers[0])


def decide(spec: str, game: kb.Game, view: kb.View, *, seed: int = 1) -> kb.Decision:
    planner = kb.Planner(spec)
    planner.start(game, view.player, seed)
    return planner.act(view)


def random_view(game: kb.Game, rng: Random) -> kb.View | None:
    """The view of whoever moves somewhere in a random game."""
    referee = kb.Referee(game, seed=rng.randrange(10**6))
    for _ in range(rng.randrange(7)):
        if referee.over:
            return None
        referee.apply([rng.choice(referee.state.legal(player)) for player in referee.movers])
    return None if referee.over else referee.view(referee.movers[0])


class Pig(kb.Rules[tuple[int, int]]):
    """Roll or hold, up to five points in a turn's pot, for three turns; perfect information, chance.

    A state is (pot, turns left), with a hundred more in the pot while the die is rolling.
    """

    min_return, max_return, horizon, perfect_information = 0.0, 24.0, 60, True

    def initial(self) -> tuple[int, int]:
        return 0, 3

    def turn(self, state: tuple[int, int]) -> int:
        return kb.OVER if state[1] == 0 else kb.CHANCE if state[0] >= 100 else 0

    def legal(self, state: tuple[int, int], player: int) -> list[str]:
        return ["hold", "roll"] if state[0] < 5 else ["hold"]

    def chance(self, state: tuple[int, int]) -> list[tuple[int, float]]:
        return [(0, 0.4), (1, 0.2), (3, 0.4)]

    def step(self, state: tuple[int, int], joint: tuple[Any, ...]) -> tuple[tuple[int, int], float]:
        pot, turns = state
        if pot >= 100:  # rolling
            return ((0, turns - 1) if joint[0] == 0 else (pot - 100 + joint[0], turns)), 0.0
        if joint[0] == "roll":
            return (pot + 100, turns), 0.0
        return (0, turns - 1), float(pot)

    def key(self, state: tuple[int, int]) -> tuple[int, int]:
        return state


class Shares(kb.Rules[tuple[int, ...]]):
    """Three players in turn take 1 or 2 of five stones; whoever takes the last pays each other one.

    General-sum: every stone taken is worth a fifth to its taker.
    """

    players, min_return, max_return, horizon, perfect_information = 3, -2.0, 3.0, 5, True

    def initial(self) -> tuple[int, ...]:
        return 5, 0

    def turn(self, state: tuple[int, ...]) -> int:
        return state[1] if state[0] else kb.OVER

    def legal(self, state: tuple[int, ...], player: int) -> list[int]:
        return [1, 2] if state[0] > 1 else [1]

    def step(self, state: tuple[int, ...], joint: tuple[Any, ...]) -> tuple[tuple[int, ...], list[float]]:
        stones, mover = state[0] - joint[0], state[1]
        rewards = [0.0, 0.0, 0.0]
        rewards[mover] = joint[0] / 5
        if stones == 0:
            rewards = [reward + (-2 if player == mover else 1) for player, reward in enumerate(rewards)]
        return (stones, (mover + 1) % 3), rewards


def tiger_opens(game: kb.Game, lead: int, seed: int) -> bool:
    """Whether pomcp opens the right door after `lead` growls from the left."""
    while True:
        seed += 1000
        referee = kb.Referee(game, seed=seed)
        for _ in range(lead):
            referee.apply([referee.state.find_action(0, "listen")])
        heard = [words for kind, _, words in referee.view(0).events if kind == "observed"]
        if sum("left" in words for words in heard) == lead:
            break
    name = decide("pomcp(simulations=10000, depth=0)", game, referee.view(0), seed=seed).name
    assert name != "open left", "the tiger is there"
    return name == "open right"


def tiger_value(opens: list[float]) -> float:
    """The discounted return of opening with probability `opens[lead]`, and always at the last lead."""
    accuracy, gamma = 0.85, 0.95
    values = [0.0] * len(opens)
    for _ in range(2000):
        for lead in reversed(range(len(opens))):
            right = accuracy**lead / (accuracy**lead + (1 - accuracy) ** lead)
            up = right * accuracy + (1 - right) * (1 - accuracy)
            open_now = right * 10 - (1 - right) * 100 + gamma * values[0]
            further = values[min(lead + 1, len(opens) - 1)]
            listen = -1 + gamma * (up * further + (1 - up) * values[abs(lead - 1)])
            share = opens[lead] if lead < len(opens) - 1 else 1.0
            values[lead] = share * open_now + (1 - share) * listen
    return values[0]


class TestPerfectInformation:
    def test_uct_plays_tic_tac_toe_perfectly_from_anywhere(self) -> None:
        game = kb.load("tic-tac-toe")
        rng = Random(1)
        views = [view for view in (random_view(game, rng) for _ in range(120)) if view is not None]
        for view in views:
            exact = decide("minimax(depth=9)", game, view)
            best = {row.action for row in exact.table if row.value == exact.table[0].value}
            chosen = decide("uct(simulations=5000)", game, view)
            assert chosen.action in best, f"{view.text()}\n{chosen.table_text()}"

    @pytest.mark.parametrize(
        ("spec", "tolerance"),
        [
            ("uct(simulations=500000)", 0.08),  # the mean holds every exploring move
            ("uct(simulations=500000, transpositions=true)", 0.08),
        ],
    )
    def test_uct_finds_the_drawn_value_of_tic_tac_toe(self, spec: str, tolerance: float) -> None:
        game = kb.load("tic-tac-toe")
        decision = decide(spec, game, view_after(game, []))
        assert decision.table[0].value == pytest.approx(0, abs=tolerance)

    @pytest.mark.parametrize(
        "spec",
        [
            "uct",
            "uct(transpositions=true)",
            "uct(expansion=partial)",
            "uct(backup=mixmax(0.25))",
            "uct(choice=value)",
            "uct(playout=greedy(0.1), simulations=200)",
            "uct(playout=evaluator)",
            "uct(depth=4)",
            "uct(playouts=8)",
            "uct(grow=4)",
            "uct(grow=inf)",
            "uct(tree=action-observation)",
            "uct(reuse=false)",
            "uct(workers=2)",
            "uct(workers=2, parallel=tree)",
            "uct(workers=2, parallel=leaf, playouts=4)",
            "uct(trees=4, simulations=300)",
            "ensemble-uct(trees=5, simulations=300)",
            "ensemble-uct(trees=5, simulations=300, workers=2)",
            "sparse-uct(width=2)",
            "flat-mc",
            "pomcp",
            "minimax(depth=3)",
            "expectimax(depth=3)",
        ],
    )
    def test_every_part_sees_a_win_in_one_and_a_threat(self, spec: str) -> None:
        game = kb.load("connect-four")
        win = view_after(game, ["4", "1", "4", "1", "4", "2"])
        assert decide(spec, game, win).name == "4"
        if "flat" not in spec:
            threat = view_after(game, ["4", "1", "4", "1", "4"])
            assert decide(spec, game, threat).name == "4"

    @pytest.mark.parametrize(
        ("spec", "tolerance"),
        [
            ("uct(simulations=20000, exploration=0.3)", 0.7),  # the mean holds every exploring move
            ("uct(simulations=20000, exploration=0.3, backup=max)", 0.2),
            ("expectimax(depth=20)", 1e-9),
        ],
    )
    def test_chance_is_averaged(self, spec: str, tolerance: float) -> None:
        game = kb.load(Pig())
        solution = kb.solve(game)
        decision = decide(spec, game, view_after(game, []))
        assert decision.name == solution.action
        assert decision.table[0].value == pytest.approx(solution.value[0], abs=tolerance)

    def test_few_outcomes_mislead_and_many_do_not(self) -> None:
        game = kb.load(Pig())
        view = view_after(game, [])
        best = kb.solve(game).value[0]

        def error(width: int) -> float:
            spec = f"sparse-uct(width={width}, simulations=3000)"
            values = [decide(spec, game, view, seed=seed).table[0].value or 0.0 for seed in range(12)]
            return fmean(abs(value - best) for value in values)

        assert error(1) > 2 * error(30)

    def test_three_players_each_for_itself(self) -> None:
        game = kb.load(Shares())
        solution = kb.solve(game)
        decision = decide("uct(simulations=20000, exploration=0.2)", game, view_after(game, []))
        assert decision.name == solution.action
        assert decision.table[0].value == pytest.approx(solution.value[0], abs=0.1)

    def test_simultaneous_moves_are_mixed(self) -> None:
        game = kb.load("rock-paper-scissors")
        decision = decide("uct(simulations=30000)", game, view_after(game, []))
        assert all(0.2 < row.visits / decision.simulations < 0.47 for row in decision.table)
        assert decision.table[0].value == pytest.approx(0, abs=0.05)


class Vote(kb.Rules[int]):
    """One waits so many times; then both say yes or no at once."""

    players, zero_sum = 2, True

    def __init__(self, waits: int, simultaneous: bool | None) -> None:
        self.waits, self.simultaneous = waits, simultaneous

    def initial(self) -> int:
        return 0

    def turn(self, state: int) -> int | tuple[int, ...]:
        return 0 if state < self.waits else (0, 1) if state == self.waits else kb.OVER

    def legal(self, state: int, player: int) -> list[str]:
        return ["on", "go"] if state < self.waits else ["yes", "no"]

    def step(self, state: int, joint: tuple[str, ...]) -> tuple[int, tuple[float, float] | None]:
        return state + 1, ((1, -1) if joint == ("yes", "yes") else None)


class TestPlannersThatNeedTurns:
    @pytest.mark.parametrize("spec", ["minimax", "expectimax", "outcome-uct(playout=random)"])
    @pytest.mark.parametrize("game", ["rock-paper-scissors", "bidding-tic-tac-toe.kif", Vote(300, True)])
    def test_refuse_what_is_declared(self, spec: str, game: Any) -> None:
        game = kb.load(game)
        assert game.info.simultaneous is True
        with pytest.raises(ValueError, match=r"in turn|hides"):
            kb.Planner(spec).start(game, 0, 1)

    @pytest.mark.parametrize("spec", ["minimax", "expectimax", "outcome-uct(playout=random)"])
    def test_refuse_what_they_come_to(self, spec: str) -> None:
        game = kb.load(Vote(2, None))
        assert game.info.simultaneous is None
        chooser, referee = kb.Planner(spec), kb.Referee(game)
        chooser.start(game, 0, 1)
        with pytest.raises(ValueError, match=r"simultaneous moves|in turn"):
            chooser.act(referee.view(0))

    def test_what_is_known_of_games(self) -> None:
        known = {name: kb.load(name).info.simultaneous for name in ("bear", "king-up", "tiger")}
        assert known == {"bear": False, "king-up": True, "tiger": False}
        # Whoever's turn it is goes round, or by who has moved: of the second kind nothing is proved.
        rules = ("tic-tac-toe", "breakthrough", "eight-puzzle", "blocker", "checkers")
        found = {name: kb.load(f"{name}.kif").info.simultaneous for name in rules}
        assert found == dict(zip(rules, (False, False, False, True, None), strict=True))


class TestHiddenInformation:
    @pytest.mark.parametrize(
        "spec", ["uct", "pomcp", "pomcp(belief=exact)", "pomcp(backup=max)", "flat-mc", "ensemble-uct"]
    )
    def test_intimidate_the_bear(self, spec: str) -> None:
        game = kb.load("bear")
        many = kb.Planner(
            spec + "(simulations=20000)" if "(" not in spec else spec[:-1] + ", simulations=20000)"
        )
        view = view_after(game, [])
        many.start(game, 0, 3)
        decision = many.act(view)
        assert decision.name == "intimidate"
        if spec != "flat-mc":  # whose bear moves at random
            assert decision.table[0].value == pytest.approx(-0.32, abs=0.05)

    @pytest.mark.parametrize("belief", ["exact", "particles(500)", "resampling", "hypergames(50)"])
    def test_poker_decisions_that_nobody_should_get_wrong(self, belief: str) -> None:
        game = kb.load("kuhn-poker")
        spec = f"pomcp(simulations=4000, belief={belief})"
        seen = set()
        for seed in range(40):
            referee = kb.Referee(game, seed=seed)
            referee.apply([referee.state.find_action(0, "bet")])
            view = referee.view(1)
            card = view.text().lower()
            decision = decide(spec, game, view)
            if "king" in card or " k" in card:
                assert decision.name == "bet", "a king calls"
                seen.add("king")
            if "jack" in card or " j" in card:
                assert decision.name == "pass", "a jack folds"
                seen.add("jack")
        assert seen == {"king", "jack"}, view.text()

    def test_beliefs_agree(self) -> None:
        game = kb.load("kuhn-poker")
        view = view_after(game, [], seed=3)
        values = {}
        for belief in ("exact", "particles(2000)", "resampling", "hypergames"):
            decision = decide(f"flat-mc(simulations=40000, belief={belief})", game, view)
            values[belief] = {row.name: (row.value, row.error) for row in decision.table}
        for name, (value, error) in values["exact"].items():
            assert value is not None
            assert error is not None
            for other in ("particles(2000)", "resampling", "hypergames"):
                assert values[other][name][0] == pytest.approx(value, abs=6 * error + 0.05)

    def test_tiger_comes_within_five_percent_of_the_optimum(self) -> None:
        """The exact value of playing as the planner does at each lead of growls behind one door."""
        game = kb.load("tiger")
        opens = [fmean(tiger_opens(game, lead, seed) for seed in range(10)) for lead in range(5)]
        assert tiger_value([0, 0, 1, 1, 1]) == pytest.approx(19.3714, abs=1e-3)
        assert tiger_value(opens) > 0.95 * 19.3714, opens

    @pytest.mark.parametrize(("playout", "original"), [("preferred", 17.3), ("random", 9.0)])
    def test_rock_sample_returns_reach_the_original_code(self, playout: str, original: float) -> None:
        """Silver and Veness' own program with 1,024 simulations a move; a small sample of ours."""
        spec = f"pomcp(simulations=1024, playout={playout})"
        returns = [
            kb.play("rock-sample", spec, seed=5, episode=episode, max_steps=200).returns[0]
            for episode in range(25)
        ]
        mean, error = fmean(returns), stdev(returns) / len(returns) ** 0.5
        assert mean + 2 * error > original, f"{mean:.2f} ± {error:.2f}"


class TestBudgets:
    def test_nodes(self) -> None:
        game = kb.load("breakthrough")
        decision = decide("uct(nodes=2000, milliseconds=60000)", game, view_after(game, []))
        assert 2000 <= decision.nodes < 2100

    def test_milliseconds(self) -> None:
        game = kb.load("breakthrough")
        for parts in ("", ", workers=2", ", workers=2, parallel=tree", ", trees=3"):
            with work_below(2):
                decision = decide(f"uct(milliseconds=60{parts})", game, view_after(game, []))
            assert decision.seconds > 0.055
            assert decision.simulations > 0

    @pytest.mark.parametrize("parallel", ["root", "tree", "leaf, playouts=3"])
    def test_workers_do_all_simulations(self, parallel: str) -> None:
        game = kb.load("connect-four")
        decision = decide(
            f"uct(simulations=3001, workers=3, parallel={parallel})", game, view_after(game, [])
        )
        assert decision.simulations == 3001
        assert sum(row.visits for row in decision.table) == 3001

    @pytest.mark.parametrize("parallel", ["root", "leaf"])
    def test_workers_are_deterministic(self, parallel: str) -> None:
        game = kb.load("connect-four")
        spec = f"uct(simulations=2000, workers=2, playouts=3, parallel={parallel})"
        tables = [
            [(row.name, row.value, row.visits) for row in decide(spec, game, view_after(game, [])).table]
            for _ in range(3)
        ]
        assert tables[0] == tables[1] == tables[2]

    def test_the_tree_is_kept_between_moves(self) -> None:
        game = kb.load("connect-four")

        def nodes_at_second_move(reuse: str) -> kb.Decision:
            referee, planner = kb.Referee(game), kb.Planner(f"uct(simulations=2000, reuse={reuse})")
            planner.start(game, 0, 1)
            for _ in range(2):
                decision = planner.act(referee.view(0))
                referee.apply([decision.action])
                referee.apply([referee.state.find_action(1, "4")])
            return decision

        kept, fresh = nodes_at_second_move("true"), nodes_at_second_move("false")
        assert sum(row.visits for row in kept.table) > sum(row.visits for row in fresh.table) == 2000

    def test_a_million_nodes_are_small(self) -> None:
        game = kb.load("connect-four")
        decision = decide("uct(simulations=1000000)", game, view_after(game, []))
        per_node = (decision.bytes - 24 * decision.edges) / decision.nodes
        assert decision.nodes > 900_000
        assert per_node + 24 <= 64


class TestRefusals:
    @cases(
        "spec game sentence",
        """
        minimax | kuhn-poker | needs to know the state
        minimax | tiger | needs to know the state
        greedy | kuhn-poker | neither
        sparse-uct | kuhn-poker | perfect information
        uct(tree=state) | leduc-poker | perfect information
        uct(playout=evaluator) | tic-tac-toe | an evaluator
        uct(playout=preferred) | tic-tac-toe | preferred actions
        uct(transpositions=true, backup=max) | tic-tac-toe | neither backup=max
        pomcp(transpositions=true) | tic-tac-toe | tree=state
        pomcp(belief=resampling) | connect-four | resampling
        """,
    )
    def test_what_a_game_lacks_is_said(self, spec: str, game: str, sentence: str) -> None:
        with pytest.raises(ValueError, match=sentence):
            kb.Planner(spec).start(kb.load(game), 0, 0)

    @pytest.mark.parametrize(
        ("spec", "sentence"),
        [
            ("uct(simulations=0)", "simulations: 0 is out of range: 1 or more"),
            ("uct(milliseconds=0)", "milliseconds: 0 is out of range"),
            ("uct(nodes=0)", "nodes: 0 is out of range"),
            ("uct(simulation=5)", "did you mean simulations"),
            ("uct(backup=maxx)", "did you mean"),
            ("uct(backup=mixmax(2))", "not in 0..1"),
            ("pomcp(belief=particles(0))", "0 is out of range: 1 to"),
            ("utc", "unknown planner 'utc'; did you mean nmc or uct"),
            ("uct(", "expected a value, but the text ends"),
            ("random(1)", "takes no parameters"),
        ],
    )
    def test_wrong_specs(self, spec: str, sentence: str) -> None:
        with pytest.raises(ValueError, match=re.escape(sentence)):
            kb.planner(spec)


@pytest.mark.parametrize(
    ("spec", "game"),
    [
        ("uct(transitions=5000)", "connect-four"),
        ("uct(transitions=5000)", "connect-four.kif"),
        ("uct(transitions=5000, workers=2, parallel=tree)", "breakthrough(5, 5)"),
        ("uct(transitions=5000, workers=2, parallel=root)", "breakthrough(5, 5)"),
        ("uct(transitions=5000, playouts=20, workers=2, parallel=leaf)", "breakthrough(5, 5)"),
        ("pomcp(transitions=5000)", "rock-sample"),
        ("norns(transitions=5000)", "mastermind.kif"),
    ],
)
def test_a_search_ends_when_its_steps_are_spent(spec: str, game: str) -> None:
    loaded = kb.load(game)
    decision = decide(spec, loaded, kb.Referee(loaded).view(0))
    assert decision.transitions is not None
    # The last simulations may be long, and where games are played out together they are many.
    assert 5000 <= decision.transitions < 30_000
    assert decision.simulations < 5000


def test_steps_of_the_model_are_counted() -> None:
    game = kb.load("tic-tac-toe")
    decision = decide("flat-mc(simulations=900)", game, kb.Referee(game).view(0))
    assert decision.transitions is not None
    # A random game lasts 7.6 moves on average.
    assert 7 * 900 < decision.transitions < 8.2 * 900
