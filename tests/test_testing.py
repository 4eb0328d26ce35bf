"""check_game and check_planner find what they should find; golden files say what the games do."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import kibitz as kb
from golden_files import GOLDEN, check_golden
from kibitz import _core
from kibitz.testing import ContractError, check_game, check_planner
from kibitz.testing.signatures import signatures

EXAMPLES = Path(__file__).parent.parent / "examples"
NATIVE = [entry.name for entry in _core.games()]


@pytest.mark.slow
@pytest.mark.parametrize("name", NATIVE)
def test_native_games_keep_the_contract(name: str) -> None:
    report = check_game(name, episodes=8, max_steps=60)
    assert report.passed
    assert report.counts["states"] > 8
    if not kb.load(name).info.perfect_information and name != "rock-paper-scissors":
        assert report.counts["twins"] > 0
    assert "passed" in str(report)


@pytest.mark.parametrize("name", NATIVE)
def test_golden_playthroughs(name: str) -> None:
    check_golden(name)


def test_signatures() -> None:
    kept = json.loads((GOLDEN / "signatures.json").read_text(encoding="utf-8"))
    assert signatures() == kept, (
        "play has changed; if this is meant: "
        "python -m kibitz.testing.signatures --write tests/golden/signatures.json"
    )
    # Those that search differently have different ones.
    searches = [spec for spec in kept if spec.partition("(")[0] not in OF_ONE_GAME]
    assert len({kept[spec] for spec in searches}) == len(searches)


class Sound(kb.Rules[tuple[str, ...]]):
    """A small game that keeps the contract: a card each, then the first player bets or passes."""

    players, zero_sum, horizon = 2, True, 3
    perfect_information = False

    def initial(self) -> tuple[str, ...]:
        return ()

    def turn(self, state: tuple[str, ...]) -> int:
        return (kb.CHANCE, kb.CHANCE, 0, kb.OVER)[len(state)]

    def chance(self, state: tuple[str, ...]) -> list[tuple[str, float]]:
        return [("high", 0.5), ("low", 0.5)]

    def legal(self, state: tuple[str, ...], player: int) -> list[str]:
        return ["bet", "pass"]

    def step(self, state: tuple[str, ...], joint: tuple[str, ...]) -> tuple[tuple[str, ...], Any]:
        after = (*state, joint[0])
        stake = 1.0 if joint[0] == "bet" else 0.5
        better = (state[0] == "high") - (state[1] == "high") if len(after) == 3 else 0
        return after, (stake * better, -stake * better)

    def observe(self, after: tuple[str, ...], joint: tuple[str, ...], player: int) -> str:
        return joint[0] if len(after) in (player + 1, 3) else "dealt"

    def text(self, state: tuple[str, ...], viewer: int | None) -> str:
        cards = [card if viewer in (None, seat) else "?" for seat, card in enumerate(state[:2])]
        return " ".join([*cards, *state[2:], "."])


def test_a_sound_game_passes() -> None:
    report = check_game(Sound())
    assert report.counts["twins"] > 10


class NoActions(Sound):
    def legal(self, state: tuple[str, ...], player: int) -> list[str]:
        return []


class SameNames(Sound):
    def action_name(self, state: tuple[str, ...], player: int | None, action: Any) -> str:
        return "move"


class Lopsided(Sound):
    def chance(self, state: tuple[str, ...]) -> list[tuple[str, float]]:
        return [("high", 0.5), ("low", 0.4)]


class ThreeRewards(Sound):
    def step(self, state: tuple[str, ...], joint: tuple[str, ...]) -> tuple[tuple[str, ...], Any]:
        return super().step(state, joint)[0], (0, 0, 0)


class Mutating(Sound):
    def initial(self) -> Any:
        return []

    def step(self, state: Any, joint: tuple[str, ...]) -> tuple[Any, Any]:
        state.append(joint[0])
        return state, None


class TooLong(Sound):
    horizon = 2


class TooRich(Sound):
    min_return, max_return = -0.5, 0.5


class NotZeroSum(Sound):
    def step(self, state: tuple[str, ...], joint: tuple[str, ...]) -> tuple[tuple[str, ...], Any]:
        after, rewards = super().step(state, joint)
        return after, (rewards[0], rewards[1] + (0.25 if len(after) == 3 else 0))


class PaidEarly(Sound):
    paid_at_end = True

    def step(self, state: tuple[str, ...], joint: tuple[str, ...]) -> Any:
        after, _ = super().step(state, joint)
        return after, (0.1, -0.1)


class NotInTurn(Sound):
    simultaneous = False

    def turn(self, state: tuple[str, ...]) -> Any:
        return (kb.CHANCE, kb.CHANCE, (0, 1), kb.OVER)[len(state)]


class Leaking(Sound):
    def text(self, state: tuple[str, ...], viewer: int | None) -> str:
        return " ".join([*state, "."])


class Telltale(Sound):
    """The legal actions betray the other's card."""

    def legal(self, state: tuple[str, ...], player: int) -> list[str]:
        return ["bet", "pass"] if state[1] == "high" else ["bet"]


class Boastful(Sound):
    """Says that everybody knows everything."""

    perfect_information = True


class BadPicture(Sound):
    def svg(self, state: tuple[str, ...], viewer: int | None) -> str:
        return "<svg><text></svg>"


class BadKey(Sound):
    def key(self, state: tuple[str, ...]) -> int:
        return 1


class LateValue(Sound):
    def evaluate(self, state: tuple[str, ...]) -> tuple[float, float]:
        return 0.5, -0.5


class Raising(Sound):
    def legal(self, state: tuple[str, ...], player: int) -> list[str]:
        raise KeyError("no such card")


class Unsteady(Sound):
    """Answers differently when asked again."""

    count = 0

    def step(self, state: tuple[str, ...], joint: tuple[str, ...]) -> tuple[tuple[str, ...], Any]:
        self.count += 1
        after, rewards = super().step(state, joint)
        return (*after[:-1], f"{after[-1]}{self.count}") if len(after) == 3 else after, rewards


@pytest.mark.parametrize(
    ("rules", "sentence"),
    [
        (NoActions, "no action|may do nothing|no legal"),
        (SameNames, "are called 'move'"),
        (Lopsided, "0.9|add up"),
        (ThreeRewards, "rewards|reward"),
        (Mutating, "changes the state|another state|different states"),
        (TooLong, "beyond the horizon of 2"),
        (TooRich, r"not within -0.5 to 0.5"),
        (NotZeroSum, "do not add up to zero"),
        (PaidEarly, "declares payment at the end"),
        (NotInTurn, "declares that none ever do"),
        (Leaking, "shown what it cannot know"),
        (Telltale, "the same view gives player 1 other actions"),
        (Boastful, "leaves the state open|cannot know"),
        (BadPicture, "not well-formed XML"),
        (BadKey, "states of one hash differ"),
        (LateValue, "nothing is still to come"),
        (Raising, "no such card"),
        (Unsteady, "two different states|another state"),
    ],
)
def test_broken_games_are_found(rules: Callable[[], Sound], sentence: str) -> None:
    with pytest.raises(ContractError, match=sentence):
        check_game(rules())


def test_the_sentence_says_where() -> None:
    with pytest.raises(
        ContractError,
        match=r"^Leaking: player . is shown what it cannot know: .*; the same after .*\(after .*\)$",
    ):
        check_game(Leaking())


class First(kb.PlannerBase):
    """Always takes the first legal action."""

    def act(self, view: kb.View) -> kb.Decision:
        return kb.Decision(view, view.legal()[0])


class Moody(First):
    """Depends on something else than its seed."""

    mood = 0

    def act(self, view: kb.View) -> kb.Decision:
        Moody.mood += 1
        return kb.Decision(view, view.legal()[Moody.mood % len(view.legal())])


class Careless(Sound):
    """Leaves the truth lying about."""

    def text(self, state: tuple[str, ...], viewer: int | None) -> str:
        self.truth = state
        return super().text(state, viewer)


class Spy(First):
    """Looks at the truth."""

    def act(self, view: kb.View) -> kb.Decision:
        assert view.text()
        rules = view.game.rules
        assert isinstance(rules, Careless)
        return kb.Decision(view, view.legal()[rules.truth[1] == "high"])


class Nonsense(First):
    def act(self, view: kb.View) -> kb.Decision:
        action = view.legal()[0]
        return kb.Decision(view, action, [(action, float("nan"), None, 1)])


PLANNERS = [
    "ensemble-sparse-uct(simulations=10, trees=3)",
    "ensemble-uct(simulations=10)",
    "expectimax(depth=2)",
    "ff-replan(horizon=20)",
    "flat-mc(simulations=40)",
    "greedy",
    "hillclimb(simulations=40)",
    "hindsight(worlds=3, horizon=2)",
    "hop-uct(simulations=10, trees=3)",
    "hyperplay(worlds=2)",
    "is-mcts(simulations=40)",
    "lifted-hyperplay(worlds=1, horizon=2)",
    "minimax(depth=2)",
    "nmc",
    "norns(simulations=40)",
    "norns(simulations=40, tree=belief)",
    "omniscient",
    "one-step(samples=5)",
    "outcome-uct(simulations=40, playout=random)",
    "pomcp(simulations=40)",
    "pomcp-pgt(simulations=40)",
    "pomcp-pgt(simulations=40, selection=regret-matching)",
    "pomcp-pgt(simulations=40, selection=regret-matching-plus)",
    "random",
    "rollout(simulations=40)",
    "sparse-uct(simulations=40)",
    "macro-uct(simulations=40)",
    "mcts(simulations=40)",
    "olmcts(simulations=40)",
    "one-ply(simulations=40)",
    "turn-search(worlds=2)",
    "uct(simulations=40)",
    "iw(transitions=200)",
    "rollout-iw(transitions=200)",
    "brfs(transitions=200)",
    "one-look",
    "paranoid(worlds=2, horizon=2)",
]
OF_ONE_GAME = {"patrol", "reactive", "starter-ai", "static"}
"""Scripted baselines of a game, which has tests of its own."""


def test_every_planner_is_checked() -> None:
    # Those of the core: other tests register planners of their own, and a person is none to check.
    known = {entry.name for entry in _core.planners()}
    assert known - OF_ONE_GAME == {kb.planner(spec).spec.partition("(")[0] for spec in PLANNERS}


@pytest.mark.parametrize("spec", PLANNERS)
@pytest.mark.parametrize(
    "game", ["tic-tac-toe", "connect-four", "kuhn-poker", "rock-paper-scissors", "tiger"]
)
def test_planners_keep_the_contract(spec: str, game: str) -> None:
    report = check_planner(spec, game, positions=3, seconds=0.02)
    if report.refused:
        assert any(word in report.refused for word in ("needs", "neither", "cheats"))
        return
    assert report.passed
    assert report.counts["repetitions"] > 0
    if game in ("kuhn-poker", "tiger"):
        assert report.counts["hidden truths"] > 0
    assert (report.counts["stops"] == 2) == ("simulations" in spec or "worlds" in spec)


def test_a_python_planner_keeps_the_contract() -> None:
    assert check_planner(First, "kuhn-poker").counts["decisions"] > 0


@pytest.mark.parametrize(
    ("planner", "sentence"),
    [(Moody, "gives another action"), (Nonsense, "is worth nan"), (Spy, "sees what is hidden")],
)
def test_broken_planners_are_found(planner: Callable[[], kb.AnyPlanner], sentence: str) -> None:
    with pytest.raises(ContractError, match=sentence):
        check_planner(planner, Careless())


def test_a_refusal_is_reported() -> None:
    report = check_planner("sparse-uct(simulations=10)", "kuhn-poker")
    assert not report.passed
    assert "perfect information" in str(report)


def test_a_wrong_spec_is_a_mistake() -> None:
    with pytest.raises(ValueError, match="did you mean uct"):
        check_planner("uctt", "kuhn-poker")


def test_known_optima() -> None:
    check_planner("uct(simulations=3000)", "connect-four", best="4", positions=1)
    check_planner("pomcp(simulations=2000)", "tiger", best=["listen"], positions=1)
    with pytest.raises(ContractError, match="but best is 1"):
        check_planner("uct(simulations=3000)", "connect-four", best="1", positions=1)
    with pytest.raises(ContractError, match="not a legal first action"):
        check_planner("random", "connect-four", best="99", positions=1)


def example(name: str) -> Any:
    import importlib.util

    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_example_game() -> None:
    treasure = example("treasure")
    report = check_game(treasure.Treasure(beach=6))
    assert report.counts["twins"] > 20
    result = kb.match(treasure.Treasure(beach=8), ["pomcp(simulations=100)", "random"], games=30)
    assert result.standings[0].wins > result.standings[1].wins


def test_the_example_planner() -> None:
    committee = example("own_planner").Committee
    assert check_planner(committee, "kuhn-poker", positions=2).passed
    result = kb.match("tic-tac-toe", [committee, "random"], games=20)
    assert result.standings[0].wins > 15


@pytest.mark.parametrize("file", sorted(EXAMPLES.glob("*.py")), ids=lambda file: file.name)
def test_examples_run(file: Path) -> None:
    done = subprocess.run([sys.executable, str(file)], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert "gets" in done.stdout


@pytest.mark.parametrize("module", ["playthrough", "signatures"])
def test_commands(module: str, tmp_path: Path) -> None:
    target = tmp_path / ("signatures.json" if module == "signatures" else "")
    command = [sys.executable, "-m", f"kibitz.testing.{module}", "--write", str(target)]
    subprocess.run(command, check=True, capture_output=True, timeout=60)
    kept = GOLDEN / "signatures.json" if module == "signatures" else GOLDEN / "tiger.txt"
    assert (tmp_path / kept.name).read_text(encoding="utf-8") == kept.read_text(encoding="utf-8")
