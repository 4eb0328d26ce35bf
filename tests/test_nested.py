"""Nested Monte Carlo for several players: what its paper proves, and what it shows."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest

import kibitz as kb
from tables import cases

FIGURE_3 = "c2 a2 a3 b2"
"""Tic-tac-toe after these moves: x, to move, wins by c3 only, which threatens two lines."""
SMALL = [
    "tic-tac-toe",
    "breakthrough(4, 3)",
    "knightthrough(4, 4, true)",
    "nogo(3, 3)",
    "domineering(3, 4)",
]


def positions(name: str, count: int, seed: int) -> list[list[int]]:
    """Moves that lead to some state that is not the end."""
    game, rng, found = kb.load(name), random.Random(seed), []
    while len(found) < count:
        state, moves = game.initial(), []
        for _ in range(rng.randrange(5)):
            if state.movers:
                moves.append(rng.choice(state.legal(state.movers[0])))
                state, _ = state.step(moves[-1:])
        if state.movers:
            found.append(moves)
    return found


def decide(name: str, moves: list[int], spec: str, seed: int) -> kb.Decision:
    referee = kb.Referee(kb.load(name), 1)
    for move in moves:
        referee.apply([move])
    planner, seat = kb.planner(spec), referee.movers[0]
    planner.start(kb.load(name), seat, seed)
    return planner.act(referee.view(seat))


def saves(name: str, level: int, discount: str, quicker: tuple[str, ...]) -> int:
    """How often a search that leaves something out takes fewer steps; it decides the same with no more."""
    saved = 0
    for seed, moves in enumerate(positions(name, 20 if level < 3 else 5, level)):
        whole = decide(name, moves, f"nmc({level}, discount={discount}, cut=none, prune=none)", seed)
        for less in quicker:
            found = decide(name, moves, f"nmc({level}, discount={discount}, {less})", seed)
            assert found.action == whole.action
            assert (found.transitions or 0) <= (whole.transitions or 0)
            saved += (found.transitions or 0) < (whole.transitions or 0)
    return saved


@pytest.mark.parametrize("name", SMALL)
@pytest.mark.parametrize("level", [1, 2, 3])
def test_proposition_1_cut_on_win_is_safe_where_lengths_do_not_count(name: str, level: int) -> None:
    """...and it saves something."""
    assert saves(name, level, "none", ("cut=win", "cut=win(1)", f"cut=win({level})"))


@pytest.mark.parametrize("name", SMALL)
@pytest.mark.parametrize("discount", ["depth", "score", "branching(2)"])
def test_proposition_2_prune_on_depth_is_safe_where_lengths_count(name: str, discount: str) -> None:
    levels = ((level, ("prune=depth", "prune=depth(1)", f"prune=depth({level})")) for level in (1, 2, 3))
    assert sum(saves(name, level, discount, quicker) for level, quicker in levels)


def test_cut_on_win_and_cascades_are_not_safe_where_lengths_count() -> None:
    """Figure 2's point: else this would say nothing about the propositions."""
    for less in ("cut=win", "prune=cascade"):
        differs = 0
        for seed, moves in enumerate(positions("breakthrough(5, 4)", 40, 3)):
            whole = decide("breakthrough(5, 4)", moves, "nmc(2, discount=depth)", seed)
            differs += decide("breakthrough(5, 4)", moves, f"nmc(2, discount=depth, {less})", seed) != whole
        assert differs


@pytest.mark.parametrize("name", SMALL)
def test_the_trick_is_the_definition(name: str) -> None:
    """v / n orders wins, draws and losses as the three tie cases do, and as v / b^n does."""
    for seed, moves in enumerate(positions(name, 30, 1)):
        chosen = {
            decide(name, moves, f"nmc(1, discount={discount})", seed).action
            for discount in ("depth", "score", "branching(1.5)")
        }
        assert len(chosen) == 1


def figure_3() -> list[int]:
    state, moves = kb.load("tic-tac-toe").initial(), []
    for name in FIGURE_3.split():
        moves.append(state.find_action(state.movers[0], name))
        state, _ = state.step(moves[-1:])
    return moves


def test_discounting_finds_the_decisive_move() -> None:
    """Table 1: always, where 575 of 1,000 choices without discounting do (and one move never wins)."""
    moves, chosen = figure_3(), {"depth": 0, "none": 0}
    for seed in range(200):
        for discount in chosen:
            decision = decide("tic-tac-toe", moves, f"nmc(3, discount={discount}, cut=none)", seed)
            values = {row.name: row.value for row in decision.table}
            assert values["c3"] == 1
            assert values["a1"] == 0
            chosen[discount] += decision.table[0].name == "c3"
    assert chosen["depth"] == 200
    assert 90 < chosen["none"] < 140


@pytest.mark.parametrize(
    "game",
    [
        "rock-paper-scissors",
        "bidding-tic-tac-toe.kif",
        "chinese-checkers.kif",
        "blocker.kif",
        "peg-solitaire.kif",
    ],
)
def test_any_number_of_players_also_at_once(game: str) -> None:
    players = kb.load(game).info.players
    for spec in ("nmc(1)", "nmc(1, prune=depth)", "uct(simulations=10, playout=nmc(1))"):
        try:
            kb.play(game, [spec] * players, seed=1, max_steps=3)
        except ValueError as error:
            assert "pays at its end only" in str(error) or "perfect information" in str(error)  # noqa: PT017


class Stakes(kb.Rules[tuple[int, ...]]):
    """Three players in turn take one point, or toss a coin for six; then all keep or give three, at once.

    The state is what has been done; paid is a thirtieth of what one has more than the others on average.
    """

    players = 3
    paid_at_end = simultaneous = True

    def initial(self) -> tuple[int, ...]:
        return ()

    def turn(self, state: tuple[int, ...]) -> object:
        if len(state) == 9:
            return kb.OVER
        if len(state) == 6:
            return (0, 1, 2)
        return kb.CHANCE if len(state) % 2 else len(state) // 2

    def legal(self, state: tuple[int, ...], player: int) -> list[int]:
        return [0, 1]

    def chance(self, state: tuple[int, ...]) -> list[tuple[int, float]]:
        return [(0, 0.5), (1, 0.5)]

    def step(
        self, state: tuple[int, ...], joint: Sequence[int]
    ) -> tuple[tuple[int, ...], list[float] | None]:
        after = (*state, *joint)
        if len(after) < 9:
            return after, None
        had = [
            (6 * after[2 * seat + 1] if after[2 * seat] else 1) - 3 * after[6 + seat] for seat in range(3)
        ]
        return after, [(own - (sum(had) - own) / 2) / 30 for own in had]


@pytest.mark.parametrize("spec", ["nmc(1)", "nmc(2)", "nmc(2, prune=depth)", "nmc(1, discount=none)"])
def test_three_players_with_chance_at_once_and_returns_between(spec: str) -> None:
    """Nobody gives away anything, since that never helps; a coin is worth more than a point."""
    tosses = gifts = 0
    for seed in range(120):
        referee, game = kb.Referee(kb.load(Stakes()), seed), kb.load(Stakes())
        planner = kb.planner(spec)
        planner.start(game, 0, seed)
        tosses += planner.act(referee.view(0)).name == "1"
        while len(referee.movers) < 3:
            referee.apply([0 for _ in referee.movers])
        gifts += planner.act(referee.view(0)).name == "1"
    assert tosses > 60
    assert gifts < 30


@pytest.mark.parametrize(
    "spec",
    [
        "uct(simulations=60, playout=nmc(1, prune=depth))",
        "uct(simulations=60, playout=nmc(1, discount=none, cut=win(1)))",
        "uct(simulations=60, playout=nmc(0))",
        "uct(simulations=60, playout=epsilon(0.5, playout=nmc(1)))",
        "flat-mc(simulations=60, playout=nmc(1))",
    ],
)
def test_as_a_playout_it_is_stronger_than_none(spec: str) -> None:
    """Against a player who moves at random it wins, and the same seed gives the same game."""
    won = 0
    for seed in range(6):
        players = [spec, "random"] if seed % 2 else ["random", spec]
        episode = kb.play("knightthrough(5, 5)", players, seed=seed)
        assert episode.returns == kb.play("knightthrough(5, 5)", players, seed=seed).returns
        won += episode.returns[0 if seed % 2 else 1] > 0
    assert won >= 5


def test_time_is_kept() -> None:
    """A single game of level 3 would take some hundred million steps."""
    decision = decide("breakthrough", [], "nmc(4, milliseconds=20)", 1)
    assert "there was no time for a single game" in decision.notes[0]
    assert all(row.value is not None for row in decide("breakthrough(5, 5)", [], "nmc(2)", 1).table)


@cases(
    "spec sentence",
    r"""
    nmc(level=9) | level 9 would take some \de\d+ steps .* for the first move, about .* years
    uct(playout=nmc(9)) | playout=nmc: level 9 would take .* for one playout
    nmc(2, discount=none, prune=depth) | prune goes by the depth of wins
    nmc(2, cut=win(3)) | cut: there is no level 3, the highest is 2
    nmc(2, prune=cascade(4)) | prune: there is no level 4
    nmc(cut=wins) | did you mean win?
    nmc(prune=dept) | did you mean depth?
    nmc(cut=win(0)) | not a level
    nmc(prune=none(1)) | none takes no levels
    nmc(discount=branching) | branching
    nmc(discount=depth(3)) | depth takes no number
    nmc(base=preferred) | base=preferred needs preferred actions, which this game lacks
    """,
)
def test_what_cannot_be_is_refused(spec: str, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        kb.play("breakthrough", [spec, "random"], seed=1, max_steps=1)


def test_who_insists_may_begin() -> None:
    game = kb.load("breakthrough")
    for spec in ("nmc(9, insist=true)", "nmc(9, milliseconds=1)", "uct(playout=nmc(9, insist=true))"):
        kb.planner(spec).start(game, 0, 1)


def test_the_old_name_works_with_a_note() -> None:
    with pytest.warns(FutureWarning, match="nested is called nmc now"):
        kb.planner("nested(level=2)")
