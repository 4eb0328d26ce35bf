"""Whether a game keeps the contract: random walks, and all that must hold along them."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from random import Random
from typing import Any
from xml.etree import ElementTree

from kibitz._arguments import checked
from kibitz._core import Game, GameFault, Referee, State
from kibitz.games import load
from kibitz.rules import AnyGame
from kibitz.testing.contract import ContractError, Report
from kibitz.testing.walk import Event, Walk, random_walk, twin

CLOSE = 1e-9
ENOUGH = 100
"""Of what takes long, so much is checked in any case, and then now and then only."""
LONG = 60
"""Beyond so many steps no other truth is looked for."""


@checked("game")
def check_game(game: AnyGame, *, episodes: int = 20, seed: int = 0, max_steps: int = 200) -> Report:
    """Walks through a game at random and checks that it keeps the contract.

    That there is always somebody to move who has something to do; that actions have names of
    their own; that chance adds up to one; that rewards are one for each player and returns as
    declared; that payment at the end and moves in turn are kept where they are declared; that illegal
    actions are refused and steps do not change the past; that the same history gives the same state;
    that what a player knows decides what it may do and what it is shown, whatever the truth is; that
    pictures are well-formed. A longer game is left after `max_steps`.

    >>> from kibitz.testing import check_game
    >>> print(str(check_game("tic-tac-toe", episodes=2)).partition(" (")[0])
    tic-tac-toe: passed
    """
    game = load(game)
    checker = _Checker(game, Random(seed))
    try:
        for _ in range(episodes):
            walk = None
            for walk in random_walk(game, checker.rng, max_steps):
                checker.state(walk)
            if walk is not None:
                checker.episode(walk)
        checker.referee(seed, max_steps)
    except GameFault as fault:
        raise ContractError(str(fault)) from fault
    return checker.report


class _Checker:
    def __init__(self, game: Game, rng: Random) -> None:
        self.game, self.info, self.rng = game, game.info, rng
        self.report = Report(game.spec)
        for what in ("episodes", "states", "outcomes", "twins", "equal views", "equal states", "pictures"):
            self.report.counts[what] = 0
        self.shown: dict[Hashable, tuple[Any, str]] = {}
        self.futures: dict[int, tuple[Any, str]] = {}
        self._facts()

    def _facts(self) -> None:
        info = self.info
        self.demand(info.min_return <= info.max_return, "min_return is above max_return")
        self.demand(0 < info.discount <= 1, f"the discount is {info.discount}, not above 0 and at most 1")
        names = [self.game.player_name(player) for player in range(info.players)]
        self.demand(len({*names}) == len(names), f"two players have the same name: {names}")

    def demand(self, holds: bool, what: str, walk: Walk | None = None) -> None:
        if not holds:
            raise ContractError(f"{self.game.spec}: {what}" + (f" ({walk.where()})" if walk else ""))

    @contextmanager
    def refuses(self, what: str, walk: Walk) -> Iterator[None]:
        try:
            yield
        except ValueError:
            return
        self.demand(False, f"{what} is not refused", walk)

    def state(self, walk: Walk) -> None:
        """Everything that can be said about one state."""
        self.report.counts["states"] += 1
        state = walk.state
        movers = state.movers
        kinds = [state.over, state.chance, bool(movers)]
        # In real time nobody may be able to do anything until something happens by itself.
        waits = self.game.tick is not None and state.due is not None and not any(kinds)
        self.demand(
            sum(kinds) == 1 or waits,
            "a state is over, chance's or the players', and one of them only",
            walk,
        )
        horizon = self.info.horizon
        if horizon is not None:
            in_time = walk.steps < horizon or (state.over and walk.steps == horizon)
            self.demand(in_time, f"it goes on beyond the horizon of {horizon} steps", walk)
        in_turn = self.info.simultaneous is not False or len(movers) <= 1
        self.demand(
            in_turn, f"players {movers} move at once, but the game declares that none ever do", walk
        )
        for mover in movers:
            self.legal(walk, mover)
        if state.chance:
            self.outcomes(walk)
        self.steps(walk)
        self.judge(walk)
        self.draw(walk)
        for player in range(self.info.players):
            self.view(walk, player)
        self.future(walk)

    def legal(self, walk: Walk, mover: int) -> None:
        legal = walk.state.legal(mover)
        who = self.game.player_name(mover)
        self.demand(len(legal) > 0, f"{who} is to move but may do nothing", walk)
        self.demand(len({*legal}) == len(legal), f"{who} has an action twice", walk)
        names = [walk.state.action_name(mover, action) for action in legal]
        self.demand(all(names), f"an action of {who} has no name", walk)
        twice = [name for name in names if names.count(name) > 1]
        self.demand(not twice, f"two actions of {who} are called '{''.join(twice[:1])}'", walk)
        found = walk.state.find_action(mover, names[-1])
        self.demand(found == legal[-1], f"'{names[-1]}' is found as another action", walk)

    def outcomes(self, walk: Walk) -> None:
        self.report.counts["outcomes"] += 1
        state = walk.state
        drawn = state.draw(self.rng.getrandbits(63))
        if not self.info.capabilities["explicit chance"]:
            return
        outcomes = state.outcomes()
        total = math.fsum(probability for _, probability in outcomes)
        self.demand(abs(total - 1) < CLOSE, f"chance adds up to {total}, not to one", walk)
        self.demand(all(p > 0 for _, p in outcomes), "an outcome has no positive probability", walk)
        numbers = [outcome for outcome, _ in outcomes]
        self.demand(len({*numbers}) == len(numbers), "chance has an outcome twice", walk)
        self.demand(drawn in numbers, f"chance draws {drawn}, which is not among the outcomes", walk)
        names = [state.action_name(None, outcome) for outcome in numbers]
        twice = [name for name in names if names.count(name) > 1] if len(names) < 1000 else []
        self.demand(not twice, f"two outcomes are called '{''.join(twice[:1])}'", walk)

    def steps(self, walk: Walk) -> None:
        """Illegal actions are refused, and a step leaves the state it was taken in as it was."""
        state = walk.state
        if state.over:
            with self.refuses("a move after the end", walk):
                state.step([0])
            return
        joint = walk.random_joint(self.rng)
        with self.refuses("a joint action with one entry too many", walk):
            state.step([*joint, *(joint[-1:] or [0])])
        for place, mover in enumerate(state.movers):
            illegal = max(state.legal(mover)) + 1
            with self.refuses(f"the illegal action {illegal}", walk):
                state.step([*joint[:place], illegal, *joint[place + 1 :]])
        before = state.text(), self.choices(state)
        after, rewards = state.step(joint)
        self.demand(len(rewards) == self.info.players, "there is not one reward for each player", walk)
        self.demand(all(map(math.isfinite, rewards)), f"the rewards {rewards} are not all finite", walk)
        late = not self.info.paid_at_end or after.over or not any(rewards)
        self.demand(
            late, f"a step before the end pays {rewards}, but the game declares payment at the end", walk
        )
        unchanged = before == (state.text(), self.choices(state))
        self.demand(unchanged, "a step changes the state that it was taken in", walk)
        again, same = state.step(joint)
        equal = rewards == same and after.text() == again.text()
        self.demand(equal, "the same step leads to two different states", walk)
        for player in range(self.info.players):
            key, words = after.observation(state, joint, player)
            self.demand(key == 0 or words != "", "an observation has no words", walk)

    def judge(self, walk: Walk) -> None:
        values = walk.state.evaluate()
        if values is None:
            return
        self.demand(len(values) == self.info.players, "there is not one value for each player", walk)
        self.demand(all(map(math.isfinite, values)), f"the values {values} are not all finite", walk)
        nothing = not walk.state.over or all(abs(value) < CLOSE for value in values)
        self.demand(nothing, f"at the end nothing is still to come, but the values are {values}", walk)

    def draw(self, walk: Walk) -> None:
        for viewer in (None, *range(self.info.players)):
            self.demand(walk.state.text(viewer) != "", "a state has no text", walk)
            if not self.sometimes("pictures"):
                continue
            svg = walk.state.svg(viewer)
            self.demand(
                (svg is not None) == self.info.capabilities["picture"], "a picture is missing", walk
            )
            if svg is None:
                continue
            self.report.counts["pictures"] += 1
            try:
                root = ElementTree.fromstring(svg)
            except ElementTree.ParseError as error:
                raise ContractError(
                    f"{self.game.spec}: a picture is not well-formed XML: {error} ({walk.where()})"
                ) from error
            self.demand(root.tag.endswith("svg"), f"a picture is a {root.tag}, not an svg", walk)

    def sometimes(self, what: str) -> bool:
        """Whether to check once more what takes long."""
        return self.report.counts[what] < ENOUGH or self.rng.random() < 0.02

    def view(self, walk: Walk, player: int) -> None:
        """What a player knows decides what it may do and what it is shown."""
        moves = player in walk.state.movers
        key = (player, moves, walk.events[player])
        self.compare(walk, player, key, "equal views")
        if self.info.perfect_information:
            whole = ("state", walk.state.over, walk.state.chance, key)
            what = "what a player has seen leaves the state open"
            self.same(self.shown, whole, self.truth(walk.state), walk, what)
        elif 0 < walk.steps <= LONG and self.sometimes("twins"):
            other = twin(walk, player, self.rng)
            if other is not None:
                self.report.counts["twins"] += 1
                self.compare(other, player, key, "equal views")

    def compare(self, walk: Walk, player: int, key: Hashable, what: str) -> None:
        who = self.game.player_name(player)
        legal = walk.state.legal(player)
        names = [walk.state.action_name(player, action) for action in legal]
        self.report.counts[what] += ("legal", key) in self.shown
        self.same(
            self.shown, ("legal", key), (legal, names), walk, f"the same view gives {who} other actions"
        )
        shown = walk.state.text(player)
        self.same(self.shown, ("text", key), shown, walk, f"{who} is shown what it cannot know")
        if ("svg", key) in self.shown or self.sometimes("pictures"):
            drawn = walk.state.svg(player)
            self.same(self.shown, ("svg", key), drawn, walk, f"{who} is shown what it cannot know")

    def same(
        self, known: dict[Any, tuple[Any, str]], key: Hashable, value: Any, walk: Walk, what: str
    ) -> None:
        before, where = known.setdefault(key, (value, walk.where()))
        self.demand(before == value, f"{what}: {_difference(before, value)}; the same {where}, and", walk)

    def future(self, walk: Walk) -> None:
        """States of the same hash have the same future."""
        number = walk.state.hash()
        if number is None:
            return
        self.report.counts["equal states"] += number in self.futures
        self.same(self.futures, number, self.choices(walk.state), walk, "states of one hash differ")

    def episode(self, walk: Walk) -> None:
        """What holds at the end of an episode, and for the same episode again."""
        self.report.counts["episodes"] += 1
        info = self.info
        if walk.state.over:
            low, high = info.min_return - CLOSE, info.max_return + CLOSE
            within = all(low <= total <= high for total in walk.returns)
            declared = f"{info.min_return:g} to {info.max_return:g}"
            self.demand(within, f"the returns {walk.returns} are not within {declared}", walk)
            balanced = not info.zero_sum or abs(math.fsum(walk.returns)) < CLOSE * max(1.0, abs(high))
            self.demand(balanced, f"the returns {walk.returns} do not add up to zero", walk)
        again = Walk.begin(self.game)
        for joint in walk.joints:
            again = again.step(joint)
        self.demand(again.events == walk.events, "a replay tells the players something else", walk)
        self.demand(again.returns == walk.returns, "a replay gives other returns", walk)
        same = self.truth(again.state) == self.truth(walk.state)
        self.demand(same, "a replay leads to another state", walk)

    def referee(self, seed: int, max_steps: int) -> None:
        """The referee plays the same episode twice, and tells the players what the walk tells them."""
        first, second = Referee(self.game, seed), Referee(self.game, seed)
        walk = Walk.begin(self.game)
        reports = first.opening()
        while True:
            for _, joint, *_ in reports:
                walk = walk.step(joint)
            for player in range(self.info.players):
                told = tuple(_event(kind, key) for kind, key, _ in first.view(player).events)
                self.demand(told == walk.events[player], "the referee tells something else", walk)
                self.demand(
                    first.view(player).key == second.view(player).key,
                    "the same seed, but not the same game",
                    walk,
                )
            if first.over or first.steps >= max_steps:
                return
            joint = [self.rng.choice(first.state.legal(mover)) for mover in first.movers]
            if joint:
                reports = first.apply(joint)
                second.apply(joint)
            else:
                # In real time, until something happens by itself.
                reports = first.advance(first.due)
                second.advance(second.due)

    def choices(self, state: State) -> Any:
        """Who may do what now."""
        chance = state.outcomes() if state.chance and self.info.capabilities["explicit chance"] else []
        return state.over, state.chance, [(mover, state.legal(mover)) for mover in state.movers], chance

    def truth(self, state: State) -> Any:
        return state.text(), self.choices(state), state.hash()


def _event(kind: str, key: int) -> Event:
    return kind, key


def _difference(one: Any, other: Any) -> str:
    """Where two values differ, short enough to read."""
    if isinstance(one, tuple) and isinstance(other, tuple):
        pairs = [pair for pair in zip(one, other, strict=False) if pair[0] != pair[1]]
        if pairs:
            return _difference(*pairs[0])
    first, second = repr(one), repr(other)
    at = next((i for i, (a, b) in enumerate(zip(first, second, strict=False)) if a != b), 0)
    begin = max(0, at - 30)
    return f"{first[begin : at + 40]} against {second[begin : at + 40]}"
