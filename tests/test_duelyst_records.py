"""Duelyst beside recorded games of the original: states, legal actions, the scripted player, statistics."""

from __future__ import annotations

import json
import math
import statistics
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from itertools import product
from typing import Any

import pytest

import kibitz as kb
from duelyst_records import FACTIONS, RECORDS, Names, Replay, action_number, records, spec

pytestmark = pytest.mark.skipif(
    not RECORDS.is_dir(), reason=f"there are no recorded games of Duelyst: {RECORDS} is missing"
)

# Games of each kind, and the states in them of which the legal actions are recorded: 270 and 377 in all.
GAMES = {"ai_mirror": 240, "ai_sixdecks": 116, "ai_variant": 80, "random": 288}
SAMPLED = {"ai_mirror": 204, "ai_sixdecks": 66, "ai_variant": 0, "random": 377}


@cache
def loaded(name: str) -> Any:
    return kb.load(name)


@cache
def names() -> Names:
    return Names()


@cache
def samples() -> dict[int, dict[int, dict[str, Any]]]:
    """The sampled states and what is legal there, by game and step."""
    wanted: defaultdict[int, dict[int, dict[str, Any]]] = defaultdict(dict)
    for kind in "samples_ai", "samples_random":
        for sample in records(kind):
            wanted[sample["id"]][sample["step"]] = sample
    return wanted


def replayed(name: str, every: int = 1) -> Iterator[Replay]:
    """Every n-th game of a file, replayed; where there are samples, legal actions are compared as well."""
    for record in records(name, every):
        sampled = samples().get(record["id"], {})
        replay = Replay(record, names(), loaded(spec(record)), sampled)
        assert replay.run(), replay.wrong[0]
        assert replay.wrong == []
        assert replay.counts["sampled"] == len(sampled)
        yield replay


@pytest.mark.parametrize("name", GAMES)
def test_some_recorded_games_are_replayed_with_equal_states(name: str) -> None:
    assert sum(1 for _ in replayed(name, every=20)) == math.ceil(GAMES[name] / 20)


@pytest.mark.slow
@pytest.mark.parametrize("name", GAMES)
def test_all_recorded_games_are_replayed_with_equal_states(name: str) -> None:
    sampled = [replay.counts["sampled"] for replay in replayed(name)]
    assert len(sampled) == GAMES[name]
    assert sum(sampled) == SAMPLED[name]


def is_same(step: dict[str, Any], action: int) -> bool:
    """Whether an action is the recorded one, as far as the original did not choose at random."""
    wanted = action_number(step["a"])
    # 1: any eligible card is replaced; 2: the cell makes no difference.
    shift = {1: 16, 2: 8}.get(step.get("rnd", 0), 0)
    return action >> shift == wanted >> shift


def cause(step: dict[str, Any], action: int) -> str:
    kinds = ["end", "mulligan", "replace", "play", "cast", "move", "attack", "follow-up", "stop"]
    return f"{step.get('g')}: {step['a'][0]}, not {kinds[action >> 16]}"


@dataclass
class Agreement:
    """How often starter-ai does what was recorded, and what it does otherwise."""

    of: dict[str, Counter[bool]] = field(default_factory=lambda: defaultdict(Counter))
    """By faction, decisions without the original's own randomness."""
    random: Counter[bool] = field(default_factory=Counter)
    """The others, in which any of what it draws from is right."""
    causes: Counter[str] = field(default_factory=Counter)

    def share(self, faction: str | None = None) -> float:
        counts: Counter[bool] = sum((c for f, c in self.of.items() if faction in (None, f)), Counter())
        return counts[True] / counts.total()

    def report(self, what: str) -> None:
        print(f"\n{what}: {self.share():.2%}")
        for faction, counts in sorted(self.of.items()):
            print(f"  {faction}: {counts[True]} of {counts.total()}, {self.share(faction):.2%}")
        print(f"  with its own randomness: {self.random[True]} of {self.random.total()}")
        for why, times in self.causes.most_common():
            print(f"  {times} × {why}")


def starter(*files: str, every: int = 1) -> Agreement:
    """What starter-ai does at the decisions of every n-th game."""
    found = Agreement()
    for name in files:
        for replay in replayed(name, every):
            steps = replay.record["steps"]
            for number, (step, action) in enumerate(replay.decisions("starter-ai")):
                same = is_same(step, action)
                # Both mulligan before the first turn.
                player = steps[number - 1]["s"]["p"] if number > 1 else number
                faction = FACTIONS[replay.record["f"][player] - 1]
                (found.random if step.get("rnd") else found.of[faction])[same] += 1
                if not same:
                    found.causes[cause(step, action)] += 1
    return found


def test_the_scripted_player_decides_as_recorded_in_some_games() -> None:
    found = starter("ai_mirror", "ai_variant", every=40)
    found.report("some games")
    assert found.share() == 1.0
    assert set(found.random) == {True}


@pytest.mark.slow
def test_the_scripted_player_decides_as_recorded() -> None:
    lyonar = starter("ai_mirror", "ai_variant")
    lyonar.report("Lyonar against itself")
    assert lyonar.share() == 1.0
    assert set(lyonar.random) == {True}
    # Of what the other factions' cards are worth to the original there is no description.
    decks = starter("ai_sixdecks")
    decks.report("all six decks")
    assert decks.share("lyonar") >= 0.995
    right, made = (
        sum(
            counts[True] if is_right else counts.total()
            for each in (lyonar, decks)
            for counts in each.of.values()
        )
        for is_right in (True, False)
    )
    print(f"in all {right} of {made}, {right / made:.2%}")
    assert right / made >= 0.95


def played(game: str, players: Any, games: int) -> Iterator[tuple[float, int, Counter[str]]]:
    """The first player's return, the turns, and the actions by type of each game."""
    for number in range(games):
        episode = kb.play(game, players, seed=17, episode=number)
        done = [name.split()[0] for step in episode.steps if step.movers for name in step.names]
        yield episode.returns[0], done.count("end") + 1, Counter(done)


def check_within_error(
    what: str, values: list[float], mean: float, deviation: float, games: int, most: float = 3.9
) -> None:
    """Whether a mean is the recorded one but for chance: once in 10,000 times it is not."""
    ours = statistics.fmean(values)
    error = math.hypot(statistics.stdev(values) / math.sqrt(len(values)), deviation / math.sqrt(games))
    print(f"{what}: {ours:.3f}, recorded {mean:.3f}, {abs(ours - mean) / error:.2f} standard errors apart")
    assert abs(ours - mean) < most * error, what


def check_figures(kind: str, results: list[tuple[float, int, Counter[str]]]) -> dict[str, Any]:
    figures: dict[str, Any] = json.loads((RECORDS / "figures.json").read_text(encoding="utf-8"))[kind]
    games = figures["games"]

    def compare(what: str, of: Callable[[tuple[float, int, Counter[str]]], float]) -> None:
        values = [of(result) for result in results]
        check_within_error(f"{kind}, {what}", values, figures[f"mean_{what}"], figures[f"sd_{what}"], games)

    compare("turns", lambda result: result[1])
    compare("actions", lambda result: result[2].total())
    for key, value in (("first_wins", 1.0), ("second_wins", -1.0), ("draws", 0.0)):
        rate = figures[key] / games
        check_within_error(
            f"{kind}, {key}",
            [float(result[0] == value) for result in results],
            rate,
            math.sqrt(rate * (1 - rate)),
            games,
        )
    return figures


@pytest.mark.slow
def test_statistics_of_random_play() -> None:
    results = [
        result
        for one, two in product(FACTIONS, FACTIONS)
        for result in played(f"duelyst(deck1={one}, deck2={two}, rules=original)", "random", 10)
    ]
    figures = check_figures("random_play_all_pairings", results)
    ours: Counter[str] = sum((result[2] for result in results), Counter())
    called = {"bbs": "cast", "followup": "choose"}
    types = figures["actions_by_type"]
    types["followup"] += types.pop("endfollowup")
    del types["mulligan"]
    for kind, count in types.items():
        # What is done in a game hangs together: 0.15 is about four standard errors of the rarest.
        ratio = ours[called.get(kind, kind)] / len(results) / (count / figures["games"])
        print(f"{kind}: {ratio:.3f} times as often as recorded")
        assert abs(ratio - 1) < 0.15, kind


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "rules"), [("ai_mirror_lyonar", "original"), ("ai_mirror_lyonar_variant", "thesis")]
)
def test_statistics_of_the_scripted_player(kind: str, rules: str) -> None:
    check_figures(kind, list(played(f"duelyst(rules={rules})", "starter-ai", 400)))


@pytest.mark.slow
@pytest.mark.parametrize("rules", ["original", "thesis"])
def test_random_play_loses_against_the_scripted_player(rules: str) -> None:
    """2 of 400 recorded games were won, with either rules."""
    game = f"duelyst(rules={rules})"
    first = sum(result[0] > 0 for result in played(game, ["random", "starter-ai"], 100))
    second = sum(result[0] < 0 for result in played(game, ["starter-ai", "random"], 100))
    print(f"random play wins {first + second} of 200 games")
    assert first + second <= 6
