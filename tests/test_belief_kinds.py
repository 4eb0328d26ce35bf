"""What each kind of belief can be asked for: weights, opponents, what it costs, how large it would be."""

from __future__ import annotations

import re
from collections import Counter

import pytest

import kibitz as kb

WEIGHTS = ["even", "kept", "none"]


def views_of(game: kb.Game, player: int, moves: int, seed: int) -> list[kb.View]:
    """A player's views in the first moves of a game that is played at random."""
    referee, views = kb.Referee(game, seed), []
    movers = [kb.planner("random") for _ in range(game.info.players)]
    for seat, mover in enumerate(movers):
        mover.start(game, seat, seed)
    while not referee.over and len(views) < moves:
        if player in referee.movers:
            views.append(referee.view(player))
        referee.apply([movers[seat].act(referee.view(seat)).action for seat in referee.movers])
    return views


def draws(game: kb.Game, kind: str, views: list[kb.View], count: int) -> Counter[int]:
    """One present from each of so many beliefs that have nothing in common: independent draws."""
    seen: Counter[int] = Counter()
    for seed in range(count):
        belief = kb.Belief(game, kind, seed=seed)
        for view in views:
            belief.update(view)
        seen[belief.sample().hash()] += 1
    return seen


def assert_same(seen: Counter[int], shares: dict[int, float]) -> None:
    """Chi-squared, at the level of one in a million; rare states count as one."""
    count = seen.total()
    assert set(seen) <= set(shares)
    common = [state for state, p in shares.items() if count * p >= 5]
    rest = 1 - sum(shares[state] for state in common)
    cells = [(seen[state], count * shares[state]) for state in common]
    if count * rest >= 5:
        cells.append((count - sum(seen[state] for state in common), count * rest))
    squares = sum((found - expected) ** 2 / expected for found, expected in cells)
    freedom = max(1, len(cells) - 1)
    assert squares < freedom + 5 * (2 * freedom) ** 0.5 + 25, (squares, freedom)


def posterior(game: kb.Game, kind: str, views: list[kb.View]) -> dict[int, float]:
    belief = kb.Belief(game, kind)
    for view in views:
        belief.update(view)
    states = belief.states(100_000)
    assert states is not None
    return {state.hash(): p for state, p in states}


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize(
    ("spec", "player", "moves"),
    [("tiger", 0, 4), ("rock-sample(4, 4)", 0, 6), ("leduc-poker", 1, 2), ("mastermind.kif", 0, 2)],
)
def test_particles_are_the_exact_filter(spec: str, player: int, moves: int, weights: str) -> None:
    game = kb.load(spec)
    views = views_of(game, player, moves, seed=5)
    right = posterior(game, "exact", views)
    assert len(right) > 1
    seen = draws(game, f"particles(300, weights={weights})", views, 500)
    assert_same(seen, right)


def test_weights_are_kept() -> None:
    """Of two states, one that is 0.85 / 0.15 times as likely: a weight says so exactly."""
    game = kb.load("tiger")
    referee = kb.Referee(game, seed=1)
    beliefs = {weights: kb.Belief(game, f"particles(1000, weights={weights})") for weights in WEIGHTS}
    for belief in beliefs.values():
        belief.update(referee.view(0))
    referee.apply([referee.state.find_action(0, "listen")])
    shares = {}
    for weights, belief in beliefs.items():
        belief.update(referee.view(0))
        states = belief.states(1000)
        assert states is not None
        shares[weights] = max(p for _, p in states)
        # Of particles with weights, (0.5 n)^2 / (0.5 n (0.85^2 + 0.15^2)) count; those that are tried until
        # there are enough all do.
        effective = dict(belief.counters)["effective"]
        assert effective == pytest.approx(1000 if weights == "none" else 671, abs=15)
    # The first update has drawn half of the particles for each state; systematically, give or take one.
    kept = shares["kept"] * 1000
    assert shares["kept"] == pytest.approx(0.85, abs=0.02)
    assert abs(kept - round(kept)) > 1e-6
    for weights in "even", "none":
        assert shares[weights] == pytest.approx(0.85, abs=0.06)
        assert shares[weights] * 1000 == pytest.approx(round(shares[weights] * 1000))


COUNTERS = ["effective", "states", "depletions", "conditioned", "fresh", "inconsistencies", "transitions"]


def test_particles_say_how_sure_they_are() -> None:
    game = kb.load("rock-sample")
    views = views_of(game, 0, 12, seed=2)
    for weights in WEIGHTS:
        belief = kb.Belief(game, f"particles(200, weights={weights})", seed=3)
        steps = 0.0
        for view in views:
            belief.update(view)
            counters = dict(belief.counters)
            assert list(counters) == COUNTERS
            assert 1 <= counters["effective"] <= 200
            states = belief.states(1000)
            assert states is not None
            assert counters["states"] == len(states)
            assert counters["inconsistencies"] == 0
            steps, before = counters["transitions"], steps
            assert steps >= before + 100
    # One particle is soon wrong, and another is taken that agrees.
    belief = kb.Belief(game, "particles(1, weights=none)", seed=3)
    for view in views:
        belief.update(view)
    counters = dict(belief.counters)
    assert counters["conditioned"] > 0 == counters["inconsistencies"]


def test_every_kind_says_what_it_costs() -> None:
    """Of two hidden digits there are 10 histories of one step and 100 of two."""
    game = kb.Game.python(Digits(2), "digits")
    cost = {}
    for kind in "exact", "tree", "hypergames(100)":
        belief = kb.Belief(game, kind)
        belief.update(kb.Referee(game).view(0))
        if kind == "tree":
            assert dict(belief.counters) == {"histories": 3, "removed": 0, "restarts": 0, "transitions": 2}
            belief.states(1000)
        cost[kind] = dict(belief.counters)
    assert cost["exact"] == {"states": 100, "transitions": 110}
    assert cost["tree"] == {"histories": 111, "removed": 0, "restarts": 0, "transitions": 110}
    bag = cost["hypergames(100)"]
    assert bag["histories"] > 90
    assert bag["tries"] >= bag["histories"]
    assert bag["backtracks"] == 0
    assert bag["transitions"] >= 10 * bag["tries"] / 2
    kuhn = kb.load("kuhn-poker")
    belief = kb.Belief(kuhn, "resampling")
    belief.update(kb.Referee(kuhn).view(0))
    belief.sample()
    assert dict(belief.counters) == {"tries": 2, "failures": 0}


@pytest.mark.parametrize(
    "spec",
    [
        "pomcp(simulations=20, belief=particles(50))",
        "norns(simulations=20)",
        "hindsight(worlds=2, horizon=1)",
        "hyperplay(worlds=2, planner=uct(simulations=5))",
        "lifted-hyperplay(worlds=1, hypergames=3, horizon=1, planner=random)",
        "one-step(samples=5)",
    ],
)
def test_decisions_say_what_their_belief_costs(spec: str) -> None:
    game = kb.load("tiger")
    planner = kb.Planner(spec)
    planner.start(game, 0, 1)
    assert dict(planner.act(kb.Referee(game).view(0)).counters)["transitions"] > 0


Hand = tuple[int, ...]


class Tells(kb.Rules[Hand]):
    """A card from 0 to 2 that only the second player sees. It bets or checks twice; the first answers.

    With 2 it likes to bet, with 0 to check, with 1 it does not care.
    """

    players, horizon, min_return, max_return = 2, 5, -2.0, 2.0

    def initial(self) -> Hand:
        return ()

    def turn(self, state: Hand) -> int:
        return (kb.CHANCE, 1, 0, 1, 0, kb.OVER)[len(state)]

    def chance(self, state: Hand) -> list[tuple[int, float]]:
        return [(card, 1 / 3) for card in range(3)]

    def legal(self, state: Hand, player: int) -> list[int]:
        return [0, 1]

    def step(self, state: Hand, joint: tuple[int, ...]) -> tuple[Hand, None]:
        return (*state, joint[0]), None

    def observe(self, after: Hand, joint: tuple[int, ...], player: int) -> object:
        return joint[0] if len(after) > 1 or player == 1 else None

    def preferred(self, state: Hand, player: int) -> list[int]:
        return {0: [0], 2: [1]}.get(state[0], [0, 1]) if player == 1 else [0, 1]

    def evaluate(self, state: Hand) -> tuple[float, float]:
        """The second player is glad to have done what it likes to do."""
        likes = {0: (0,), 2: (1,)}.get(state[0], (0, 1)) if state else ()
        glad = float(sum(did in likes for did in state[1::2]))
        return 0.0, glad

    def key(self, state: Hand) -> Hand:
        return state


class AtOnce(Tells):
    """The same, but the first player answers at the same time."""

    horizon = 3

    def turn(self, state: Hand) -> int | tuple[int, ...]:
        return (kb.CHANCE, (0, 1), 0, 0, kb.OVER)[len(state)]

    def step(self, state: Hand, joint: tuple[int, ...]) -> tuple[Hand, None]:
        return (*state, *joint), None

    def observe(self, after: Hand, joint: tuple[int, ...], player: int) -> object:
        return joint if len(after) > 1 or player == 1 else None

    def evaluate(self, state: Hand) -> tuple[float, float]:
        return super().evaluate((state[0], state[2])) if len(state) > 2 else (0.0, 0.0)


def told(rules: Tells, *, bets: tuple[int, ...]) -> list[kb.View]:
    """The first player's views after the second has done this, whatever its card."""
    referee, views = kb.Referee(kb.Game.python(rules, "tells"), seed=1), []
    for bet in bets:
        if 0 in referee.movers:
            views.append(referee.view(0))
            referee.apply([0, bet])
        else:
            referee.apply([bet])
        views.append(referee.view(0))
        if not referee.over and referee.movers == [0] and len(bets) > 1:
            referee.apply([0])
    return views


def cards(belief: kb.Belief) -> list[float]:
    states = belief.states(10_000)
    assert states is not None
    shares = [0.0, 0.0, 0.0]
    for state, p in states:
        shares[state.value[0]] += p
    return shares


@pytest.mark.parametrize("kind", ["exact", "tree"])
@pytest.mark.parametrize("model", ["preferred", "greedy"])
def test_what_an_opponent_does_tells_its_card(kind: str, model: str) -> None:
    bet = told(Tells(), bets=(1,))
    for opponents, likely in [
        ("random", [1 / 3, 1 / 3, 1 / 3]),
        (f"{model}(0)", [0.0, 1 / 3, 2 / 3]),
        (model, [0.005 / 1.5, 0.5 / 1.5, 0.995 / 1.5]),  # one slip in a hundred, half of them bets
        (f"{model}(0.2)", [0.1 / 1.5, 0.5 / 1.5, 0.9 / 1.5]),
    ]:
        belief = kb.Belief(bet[0].game, f"{kind}(opponents={opponents})")
        belief.update(bet[0])
        assert cards(belief) == pytest.approx(likely)
    twice = told(Tells(), bets=(1, 0))
    belief = kb.Belief(twice[0].game, f"{kind}(opponents={model}(0.2))")
    for view in twice:
        belief.update(view)
    assert cards(belief) == pytest.approx([0.09 / 0.43, 0.25 / 0.43, 0.09 / 0.43])
    belief = kb.Belief(bet[0].game, f"auto(opponents={model})")
    belief.update(bet[0])
    assert cards(belief) == pytest.approx([0.005 / 1.5, 0.5 / 1.5, 0.995 / 1.5], abs=0.08)
    together = told(AtOnce(), bets=(1,))
    belief = kb.Belief(together[0].game, f"{kind}(opponents={model}(0.2))")
    belief.update(together[1])
    assert cards(belief) == pytest.approx([0.1 / 1.5, 0.5 / 1.5, 0.9 / 1.5])


@pytest.mark.parametrize(
    "kind",
    [*(f"particles(100, weights={weights}, " for weights in WEIGHTS), "tree(1000, ", "hypergames(50, "],
)
@pytest.mark.parametrize("opponents", ["random", "preferred(0.2)", "greedy(0.1)"])
def test_all_kinds_agree_about_opponents(kind: str, opponents: str) -> None:
    views = told(Tells(), bets=(1, 0))
    game = views[0].game
    right = posterior(game, f"exact(opponents={opponents})", views)
    assert_same(draws(game, f"{kind}opponents={opponents})", views, 300), right)


@pytest.mark.parametrize("kind", ["exact", "tree", "particles", "hypergames"])
def test_a_wrong_opponent_model_is_recovered_from(kind: str) -> None:
    """Who never slips, and does what it does not like: with both, no card explains it."""
    views = told(Tells(), bets=(1, 0))
    belief = kb.Belief(views[0].game, f"{kind}(opponents=preferred(0))", seed=1)
    for view in views:
        belief.update(view)
    assert {belief.sample().value[0] for _ in range(50)} == {1}
    assert not any("explains" in note or "no particle" in note for note in belief.notes)

    class Firm(Tells):
        def preferred(self, state: Hand, player: int) -> list[int]:
            return [int(state[0] > 0)] if player == 1 else [0, 1]

    views = told(Firm(), bets=(1, 0))
    belief = kb.Belief(views[0].game, f"{kind}(opponents=preferred(0))", seed=1)
    for view in views:
        belief.update(view)
    assert any("no state explains one observation" in n or "no particle agrees" in n for n in belief.notes)
    assert {belief.sample().value[0] for _ in range(50)} <= {0, 1, 2}
    # With slips, it is one.
    belief = kb.Belief(views[0].game, f"{kind}(opponents=preferred)", seed=1)
    for view in views:
        belief.update(view)
    assert not any("explains" in note or "no particle" in note for note in belief.notes)


def test_planners_use_the_opponent_model() -> None:
    views = told(Tells(), bets=(1,))
    for spec in "pomcp(simulations=50, belief={})", "hindsight(worlds=4, horizon=1, belief={})":
        planner = kb.Planner(spec.format("tree(opponents=preferred)"))
        planner.start(views[0].game, 0, 1)
        assert planner.act(views[0]).belief is not None


def test_mistakes_are_sentences() -> None:
    game = kb.load("kuhn-poker")
    for kind, what in [
        ("particles(opponents=preferred)", "opponents=preferred needs preferred actions, which"),
        ("tree(opponents=greedy)", "opponents=greedy needs an evaluator, which this game lacks"),
        ("particles(10, weight=kept)", "particles: unknown parameter 'weight'; did you mean weights"),
        ("particles(weights=keep)", "unknown choice 'keep'; did you mean kept"),
        ("exact(0)", "exact: limit: 0 is out of range"),
        ("exact(opponents=preferred(2))", "preferred: 2 is not in 0..1"),
        ("exact(opponents=random(2))", "random takes no parameters"),
        ("resampling(opponents=random)", "resampling takes no parameters"),
        ("hypergames(1.5)", "expected a whole number"),
    ]:
        with pytest.raises(ValueError, match=re.escape(what)):
            kb.Belief(game, kind)


class Digits(kb.Rules[tuple[int, ...]]):
    """So many hidden digits, one after the other; then a guess."""

    def __init__(self, digits: int) -> None:
        self.digits = digits

    def initial(self) -> tuple[int, ...]:
        return ()

    def turn(self, state: tuple[int, ...]) -> int:
        length = len(state)
        return kb.CHANCE if length < self.digits else 0 if length == self.digits else kb.OVER

    def chance(self, state: tuple[int, ...]) -> list[tuple[int, float]]:
        return [(digit, 0.1) for digit in range(10)]

    def legal(self, state: tuple[int, ...], player: int) -> list[int]:
        return [0, 1]

    def step(self, state: tuple[int, ...], joint: tuple[int, ...]) -> tuple[tuple[int, ...], None]:
        return (*state, joint[0]), None

    def observe(self, after: tuple[int, ...], joint: tuple[int, ...], player: int) -> object:
        return None

    def key(self, state: tuple[int, ...]) -> tuple[int, ...]:
        return state


@pytest.mark.parametrize(
    ("digits", "limit", "about"), [(2, 50, "100"), (3, 500, "1000"), (4, 1000, "10000"), (6, 5, "10")]
)
def test_an_exact_belief_that_would_not_fit_says_how_large_it_would_be(
    digits: int, limit: int, about: str
) -> None:
    """The states after the step that is too much are known: ten times as many as before it."""
    game = kb.Game.python(Digits(digits), "digits")
    with pytest.raises(ValueError, match=f"more than {limit} states, at least about {about};"):
        kb.Belief(game, f"exact({limit})").update(kb.Referee(game).view(0))


def test_the_size_is_that_of_games_with_many_outcomes_too() -> None:
    rocks = kb.load("rock-sample(11, 11)")
    with pytest.raises(ValueError, match="more than 1000 states, at least about 2000;"):
        kb.Belief(rocks, "exact(1000)").update(kb.Referee(rocks).view(0))
    game = kb.load("mastermind.kif")
    with pytest.raises(ValueError, match="more than 100 states, at least about 260;"):
        kb.Belief(game, "exact(100)").update(kb.Referee(game).view(0))
