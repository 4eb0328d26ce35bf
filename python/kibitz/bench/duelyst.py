"""Duelyst: copies of states, actions, random turns, the scripted player. Nobody else has the game."""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator

import kibitz as kb
from kibitz.bench import _peers, memory
from kibitz.bench._measure import Row, Scale, rate

GAME = "duelyst"
TURNS = 100_000
"""Random turns a second that are promised, on one core."""
DECISION = 20.0
"""Milliseconds that a decision of rollout(greedy) may take."""
SAMPLE = 20
"""Random games of which each moment is looked at."""


def rows(scale: Scale) -> Iterator[Row]:
    """What is promised of the game, and what its scripted player takes."""
    game = kb.load(GAME)
    games = SAMPLE if scale.turns > 1 else 1
    sample = [kb.play(game, "random", seed=3, episode=number) for number in range(10 * games)]
    states = moments(sample[:games])
    turns = statistics.fmean(
        sum(name == "end turn" for step in episode.steps for name in step.names) + 1 for episode in sample
    )

    def measured(work: Callable[[int], float]) -> float:
        return statistics.median(rate(work, scale.seconds, turn) for turn in range(scale.turns))

    def copy(_: int) -> int:
        for state in states:
            state.copies(10)
        return 10 * len(states)

    note = f"each moment of {games} random games"
    yield Row("duelyst", "states copied", "1/s", measured(copy), note=note)

    def apply(_: int) -> int:
        return sum(state.perft(1) for state in states)

    note = "every legal action of these moments, each from a copy of the state"
    yield Row("duelyst", "states copied and actions applied", "1/s", measured(apply), note=note)

    playouts = measured(_peers.our_playouts(game, scale.simulations // 10))
    yield Row("duelyst", "random playouts", "1/s", playouts)
    ratio = playouts * turns / TURNS
    note = f"{TURNS:,} are promised; {turns:.1f} turns a game"
    yield Row("duelyst", "random turns", "1/s", playouts * turns, ratio=ratio, required=1.0, note=note)
    note = f"median of {games} games against itself"
    yield Row(
        "duelyst", "a decision of starter-ai", "us", 1e6 * decision(game, "starter-ai", games), note=note
    )
    few = 3 if scale.turns > 1 else 1
    ours = 1e3 * decision(game, "rollout", few)
    note = f"{DECISION:.0f} ms are promised; median of {few} games against itself"
    ratio = DECISION / ours
    yield Row("duelyst", "a decision of rollout (greedy)", "ms", ours, ratio=ratio, required=1.0, note=note)
    note = "by what the process grows, Python's object and the last action among it"
    yield Row("duelyst", "a state", "bytes", apart(scale.nodes // 10), note=note)


def moments(episodes: list[kb.Episode]) -> list[kb.State]:
    """All states of some games in which a player has a choice."""
    return [step.state for episode in episodes for step in episode.steps if len(step.state.movers) == 1]


def apart(count: int) -> float:
    """What `held` gives in a fresh process, where little was freed before that could be used again."""
    command = [sys.executable, "-m", "kibitz.bench.duelyst", str(count)]
    return float(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def held(states: list[kb.State], count: int) -> float:
    """Bytes by which the process grows for each state that follows one of these."""
    kept: list[kb.State] = []
    now = memory.present()
    while len(kept) < count:
        for state in states[: count - len(kept)]:
            player = state.movers[0]
            kept.append(state.step([state.legal(player)[0]])[0])
    return (memory.present() - now) / len(kept)


def decision(game: kb.Game, spec: str, games: int) -> float:
    """Seconds that a planner's decision takes: the median of its games against itself."""
    each = []
    for number in range(games):
        referee = kb.Referee(game, seed=number)
        players = [kb.planner(spec), kb.planner(spec)]
        for seat, player in enumerate(players):
            player.start(referee.seat(seat), seat, number)
        spent, decisions = 0.0, 0
        while not referee.over:
            views = [referee.view(seat) for seat in referee.movers]
            begin = time.process_time()
            joint = [players[view.player].act(view) for view in views]
            spent += time.process_time() - begin
            decisions += len(joint)
            referee.apply(joint)
        each.append(spent / decisions)
    return statistics.median(each)


if __name__ == "__main__":
    game = kb.load(GAME)
    few = [kb.play(game, "random", seed=3, episode=number) for number in range(2)]
    print(held(moments(few), int(sys.argv[1])))
