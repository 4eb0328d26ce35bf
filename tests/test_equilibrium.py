"""Regret minimisation beside OpenSpiel's, strategies as files and players, and what planners give away."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kibitz as kb
from kibitz._core import GameTree, RegretSolver
from kibitz.cli import main
from kibitz.equilibria import solving
from kibitz.equilibria.strategy import Seen, tabulate
from kibitz.testing import check_planner
from python_games import Pennies

VALUES = {"kuhn-poker": -1 / 18, "leduc-poker": -0.0856064}
KUHN = {"J": 0, "Q": 1, "K": 2}
LEDUC = {card: number for number, card in enumerate(["Js", "Jh", "Qs", "Qh", "Ks", "Kh"])}
MOVES = {"fold": 0, "call": 1, "raise": 2}


def kuhn_words(seen: Seen) -> str:
    """OpenSpiel's name of an information set."""
    card = next(words[-1] for words in seen if words.startswith("you are dealt"))
    moves = [words.split()[-1][0] for words in seen if re.match(r"player \d (pass|bet)", words)]
    return f"{KUHN[card]}{''.join(moves)}"


def leduc_words(player: int, seen: Seen) -> tuple[Any, ...]:
    """What tells an information set from the others."""
    private, public, rounds = -1, None, ([], [])  # type: ignore[var-annotated]
    for words in seen:
        if words.startswith("you are dealt"):
            private = LEDUC[words.split()[-1]]
        elif words.endswith("is put on the table"):
            public = LEDUC[words.split()[0]]
        elif re.match(r"player \d (fold|call|raise)", words):
            rounds[public is not None].append(MOVES[words.split()[-1]])
    return player, private, public, tuple(rounds[0]), tuple(rounds[1])


def leduc_key(text: str) -> tuple[Any, ...]:
    """The same of OpenSpiel's name of it."""

    def field(name: str) -> str | None:
        found = re.search(rf"\[{name}: ?([^\]]*)\]", text)
        return found.group(1) if found else None

    def numbers(name: str) -> tuple[int, ...]:
        return tuple(int(word) for word in (field(name) or "").split())

    public = field("Public")
    return (
        int(field("Observer") or -1),
        int(field("Private") or -1),
        None if public is None else int(public),
        numbers("Round1"),
        numbers("Round2"),
    )


@pytest.mark.parametrize(
    ("method", "peer"), [("cfr", "CFRSolver"), ("cfr+", "CFRPlusSolver")], ids=["cfr", "cfr+"]
)
def test_kuhn_is_learned_exactly_as_openspiel_does(method: str, peer: str) -> None:
    pyspiel = pytest.importorskip("pyspiel")
    theirs = getattr(pyspiel, peer)(pyspiel.load_game("kuhn_poker"))
    for iteration in range(1, 101):
        theirs.evaluate_and_update_policy()
        if iteration not in (1, 2, 3, 10, 50, 100):
            continue
        average = theirs.average_policy()
        ours = kb.equilibrium("kuhn-poker", method=method, iterations=iteration).strategy
        assert len(ours.mixes) == 12
        for (_, seen), mix in ours.mixes.items():
            expected = dict(average.get_state_policy(kuhn_words(seen)))
            assert mix["pass"] == pytest.approx(expected[0], abs=1e-9)
            assert mix["bet"] == pytest.approx(expected[1], abs=1e-9)


def test_leduc_is_learned_exactly_as_openspiel_does() -> None:
    pyspiel = pytest.importorskip("pyspiel")
    theirs = pyspiel.CFRSolver(pyspiel.load_game("leduc_poker"))
    for _ in range(5):
        theirs.evaluate_and_update_policy()
    expected = {
        leduc_key(text): dict(mix) for text, mix in theirs.tabular_average_policy().policy_table().items()
    }
    ours = kb.equilibrium("leduc-poker", method="cfr", iterations=5).strategy
    assert len(ours.mixes) == len(expected) == 936
    for (player, seen), mix in ours.mixes.items():
        for name, share in mix.items():
            other = expected[leduc_words(player, seen)].get(MOVES[name], 0.0)
            assert share == pytest.approx(other, abs=1e-9)


@pytest.mark.parametrize("name", ["kuhn_poker", "kuhn_poker(players=3)", "leduc_poker", "matrix_rps"])
def test_nash_conv_is_openspiels(name: str) -> None:
    pyspiel = pytest.importorskip("pyspiel")
    game = pyspiel.load_game(name)
    if game.get_type().dynamics.name == "SIMULTANEOUS":
        game = pyspiel.convert_to_turn_based(game)
    uniform = pyspiel.UniformRandomPolicy(game)
    tree = GameTree(kb.load(f"openspiel:{name}"), 100_000)
    profile = [1.0] * tree.width
    for _, first, actions in tree.sets:
        profile[first : first + len(actions)] = [1 / len(actions)] * len(actions)
    values, best = tree.worth(profile)
    assert sum(best) - sum(values) == pytest.approx(pyspiel.nash_conv(game, uniform, False), abs=1e-9)


def test_best_responses_are_openspiels() -> None:
    pytest.importorskip("pyspiel")
    import pyspiel
    from open_spiel.python.algorithms import exploitability
    from open_spiel.python.policy import TabularPolicy

    game = pyspiel.load_game("kuhn_poker")
    policy = TabularPolicy(game)
    ours = kb.equilibrium("kuhn-poker", method="external-sampling", iterations=300, seed=5)
    for (_, seen), mix in ours.strategy.mixes.items():
        policy.policy_for_key(kuhn_words(seen))[:] = [mix["pass"], mix["bet"]]
    theirs = exploitability.nash_conv(game, policy, return_only_nash_conv=False)
    assert ours.best_responses is not None
    assert ours.values is not None
    gains = [best - value for best, value in zip(ours.best_responses, ours.values, strict=True)]
    assert gains == pytest.approx([*theirs.player_improvements], abs=1e-9)
    assert ours.nash_conv == pytest.approx(theirs.nash_conv, abs=1e-9)


@pytest.mark.parametrize(("spec", "iterations"), [("kuhn-poker", 5_000), ("leduc-poker", 2_000)])
def test_cfr_plus_reaches_the_known_values(spec: str, iterations: int) -> None:
    found = kb.equilibrium(spec, iterations=iterations)
    assert found.values is not None
    assert found.values[0] == pytest.approx(VALUES[spec], abs=1e-4)
    assert found.exploitability is not None
    assert found.exploitability < 3e-3
    falling = [point.exploitability for point in found.curve if point.exploitability is not None]
    assert falling[0] > 10 * falling[-1]


def test_the_linear_program_agrees() -> None:
    exact = kb.solve("leduc-poker").value
    assert kb.equilibrium("leduc-poker", iterations=3_000).values == pytest.approx(exact, abs=1e-4)


def test_rock_paper_scissors_is_uniform() -> None:
    lopsided = "rock-paper-scissors(win=2, tie=0, loss=-2)"
    for method in solving.METHODS:
        mixes = kb.equilibrium(lopsided, method=method, iterations=100_000).strategy.mixes
        assert {*mixes} == {(0, ()), (1, ())}
        for mix in mixes.values():
            assert [*mix.values()] == pytest.approx([1 / 3] * 3, abs=0.02)


@pytest.mark.parametrize(
    ("method", "iterations", "near"),
    [("external-sampling", 100_000, 0.12), ("outcome-sampling", 300_000, 0.6)],
)
def test_sampling_comes_near(method: str, iterations: int, near: float) -> None:
    found = kb.equilibrium("leduc-poker", method=method, iterations=iterations, seed=1)
    assert found.exploitability is not None
    assert found.exploitability < near
    first = found.curve[0].exploitability
    assert first is not None
    assert found.exploitability < first / 3


def test_games_of_three_and_without_opposite_interests_run() -> None:
    pytest.importorskip("pyspiel")
    found = kb.equilibrium("openspiel:kuhn_poker(players=3)", method="cfr", iterations=500)
    assert found.nash_conv is not None
    assert found.nash_conv < 0.02
    assert len(found.values or []) == 3


def test_rules_with_simultaneous_moves_run(tmp_path: Path) -> None:
    file = tmp_path / "coins.kif"
    file.write_text(COINS, encoding="utf-8")
    found = kb.equilibrium(str(file), iterations=2_000)
    # One gets 100 if both show heads and 75 if both show tails, so that it shows tails more often.
    assert found.values == pytest.approx([300 / 7, 400 / 7], abs=0.1)
    assert found.strategy.mixes[0, ()]["heads"] == pytest.approx(3 / 7, abs=0.01)


COINS = """
(role one) (role two)
(init start)
(<= (legal ?role heads) (role ?role) (true start))
(<= (legal ?role tails) (role ?role) (true start))
(<= (next (shown ?role ?side)) (does ?role ?side))
(<= terminal (true (shown one ?side)))
(<= (same ?side) (true (shown one ?side)) (true (shown two ?side)))
(<= differ (true (shown one ?a)) (true (shown two ?b)) (distinct ?a ?b))
(<= (goal one 100) (same heads))
(<= (goal two 0) (same heads))
(<= (goal one 75) (same tails))
(<= (goal two 25) (same tails))
(<= (goal one 0) differ)
(<= (goal two 100) differ)
(<= (goal one 0) (true start))
(<= (goal two 0) (true start))
"""


def test_a_game_without_a_tree_is_sampled() -> None:
    found = kb.equilibrium(
        "leduc-poker", method="external-sampling", iterations=2_000, max_nodes=5_000, seed=2
    )
    assert found.nodes is None
    assert found.values is None
    assert found.estimate is not None
    assert found.estimate[0][0] == pytest.approx(-found.estimate[0][1])
    assert not found.notes
    assert found.exploitability is None
    assert 500 < found.sets <= 936
    judged = kb.exploitability("leduc-poker", found.strategy)
    assert judged.missing == 936 - found.sets
    assert judged.mean < 1.5  # from 2.37


def test_a_table_without_room_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    line = ["solve", "leduc-poker", "--method", "outcome-sampling", "--iterations", "2000"]
    assert main([*line, "--max-states", "300"]) == 0
    said = capsys.readouterr().out
    assert "no room for all information sets" in said
    assert "standard error" in said
    assert "too large to be written out" in said


def test_games_written_in_python_are_solved() -> None:
    for method in solving.METHODS:
        mixes = kb.equilibrium(Pennies(), method=method, iterations=2_000).strategy.mixes
        assert all(share == pytest.approx(0.5, abs=0.1) for mix in mixes.values() for share in mix.values())


def test_a_strategy_is_saved_loaded_and_played(tmp_path: Path) -> None:
    file = tmp_path / "kuhn.json"
    found = kb.equilibrium("kuhn-poker", iterations=200)
    found.strategy.save(file)
    again = kb.Strategy.load(file)
    assert again == found.strategy
    assert kb.exploitability("kuhn-poker", again).mean == pytest.approx(found.exploitability)
    spec = f'tabular(file="{file}")'
    assert kb.exploitability("kuhn-poker", spec).mean == pytest.approx(found.exploitability)
    assert check_planner(spec, "kuhn-poker").passed
    # Against the best there is, it loses what the game is worth, on average.
    games = 3_000
    returns = [kb.play("kuhn-poker", [spec, spec], seed=seed).returns[0] for seed in range(games)]
    assert sum(returns) / games == pytest.approx(-1 / 18, abs=0.1)


def test_what_is_not_in_the_table_is_played_uniformly(tmp_path: Path) -> None:
    file = tmp_path / "some.json"
    found = kb.equilibrium("kuhn-poker", iterations=50).strategy
    some = kb.Strategy(game=found.game, mixes={k: m for k, m in found.mixes.items() if k[0] == 1})
    some.save(file)
    game = kb.load("kuhn-poker")
    planner = kb.planner(f'tabular(file="{file}")')
    chosen = set()
    for seed in range(30):
        planner.start(game, 0, seed)
        decision = planner.act(kb.Referee(game, seed=1).view(0))
        assert decision.notes == ["a move at random: the table has no such view"]
        chosen.add(decision.name)
    assert chosen == {"pass", "bet"}
    assert kb.exploitability(game, some).missing == 6


GOOD: dict[str, Any] = {
    "format": "kibitz strategy",
    "version": 1,
    "game": "kuhn-poker",
    "method": "cfr",
    "iterations": 1,
    "sets": [{"player": 0, "seen": ["you are dealt J"], "mix": {"pass": 0.5, "bet": 0.5}}],
}


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ("no JSON", "it is not JSON"),
        (b"\xff\xfe\x00", "it is not JSON"),
        ("[" * 100_000, "it is not JSON"),
        ("[]", "must be an object"),
        ({**GOOD, "format": "replay"}, "format must be"),
        ({**GOOD, "version": 2}, "its version is 2"),
        ({**GOOD, "version": True}, "version must be a whole number"),
        ({key: GOOD[key] for key in GOOD if key != "sets"}, "sets is missing"),
        ({**GOOD, "sets": {}}, "sets must be a list"),
        ({**GOOD, "sets": [GOOD["sets"][0]] * 2}, "there twice"),
        ({**GOOD, "sets": [{"player": 99, "seen": [], "mix": {"a": 1}}]}, "player must be below 32"),
        ({**GOOD, "sets": [{"player": 0, "seen": [7], "mix": {"a": 1}}]}, "seen[0] must be a text"),
        ({**GOOD, "sets": [{"player": 0, "seen": [], "mix": {"a": 0.4}}]}, "add up to 1"),
        ({**GOOD, "sets": [{"player": 0, "seen": [], "mix": {"a": 1.5, "b": -0.5}}]}, "add up to 1"),
        ({**GOOD, "sets": [{"player": 0, "seen": [], "mix": {"a": float("nan")}}]}, "must be a number"),
        ({**GOOD, "sets": [{"player": 0, "seen": [], "mix": {}}]}, "add up to 1"),
        ({**GOOD, "sets": [{"player": 0, "seen": []}]}, "mix must be an object"),
    ],
)
def test_a_file_that_is_no_strategy_is_refused(tmp_path: Path, content: Any, complaint: str) -> None:
    file = tmp_path / "bad.json"
    if isinstance(content, bytes):
        file.write_bytes(content)
    else:
        file.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    with pytest.raises(ValueError, match=re.escape(complaint)) as caught:
        kb.Strategy.load(file)
    assert "bad.json is not a strategy of kibitz" in str(caught.value)


plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@pytest.mark.slow
@settings(max_examples=200, deadline=None)
@given(st.dictionaries(st.sampled_from([*GOOD, "mix", "other"]), plain), st.lists(plain, max_size=3))
def test_no_file_gets_further_than_a_sentence(changes: dict[str, Any], sets: list[Any]) -> None:
    for content in ({**GOOD, **changes}, {**GOOD, "sets": sets}, changes, sets):
        try:
            read = kb.Strategy._read(json.loads(json.dumps(content)))
        except ValueError:
            continue
        assert all(abs(sum(mix.values()) - 1) < 1e-5 for mix in read.mixes.values())


def test_mistakes_are_answered_with_a_sentence(tmp_path: Path) -> None:
    for call, complaint in [
        (lambda: kb.equilibrium("kuhn-poker", method="cfr-plus"), "unknown method 'cfr-plus'"),
        (lambda: kb.equilibrium("kuhn-poker", iterations=0), "at least 1"),
        (lambda: kb.equilibrium("leduc-poker", max_nodes=100), "more than 100 nodes"),
        (lambda: kb.equilibrium("connect-four", max_nodes=20_000), "method=external-sampling"),
        (lambda: kb.equilibrium("tiger", method="outcome-sampling"), "at least two players"),
        (lambda: kb.exploitability("leduc-poker", "random", max_nodes=10), "more than 10 nodes"),
        (lambda: kb.exploitability("kuhn-poker", "random", samples=0), "at least 1"),
        (lambda: kb.exploitability("kuhn-poker", "omniscient"), "cheats"),
        (lambda: kb.play("kuhn-poker", "tabular"), "needs a file"),
        (
            lambda: kb.exploitability("leduc-poker", kb.equilibrium("kuhn-poker", iterations=1).strategy),
            "for kuhn-poker, not for leduc-poker",
        ),
    ]:
        with pytest.raises(ValueError, match=re.escape(complaint)):
            call()
    with pytest.raises(FileNotFoundError):
        kb.planner(f'tabular(file="{tmp_path / "nothing"}")')


class Twins(kb.Rules[int]):
    """Two different observations that read the same."""

    min_return, max_return, players, horizon = 0.0, 1.0, 2, 3

    def initial(self) -> int:
        return 0

    def turn(self, state: int) -> int:
        return kb.CHANCE if state == 0 else kb.OVER if state > 2 else 0

    def chance(self, state: int) -> list[tuple[int, float]]:
        return [(1, 0.5), (2, 0.5)]

    def legal(self, state: int, player: int) -> list[int]:
        return [1, 2]

    def step(self, state: int, joint: tuple[int, ...]) -> tuple[int, Any]:
        if state == 0:
            return joint[0], None
        return 3, [float(joint[0] == state), 0.0]

    def observe(self, after: int, joint: tuple[int, ...], player: int) -> int | None:
        return after if player == 0 else None

    def observation_name(self, observation: int, player: int) -> str:
        return "something"


def test_sets_that_read_the_same_are_not_mixed_up() -> None:
    found = kb.equilibrium(Twins(), method="cfr", iterations=10)
    assert found.values == pytest.approx([1.0, 0.0], abs=0.2)
    with pytest.raises(ValueError, match="read the same"):
        _ = found.strategy


class Muddled(Twins):
    """Offers other actions in a state that the player cannot tell from the first."""

    def legal(self, state: int, player: int) -> list[int]:
        return [1, 2][: 3 - state]

    def observe(self, after: int, joint: tuple[int, ...], player: int) -> int | None:
        return None


def test_a_game_that_breaks_its_contract_is_refused() -> None:
    with pytest.raises(ValueError, match="cannot tell apart"):
        kb.equilibrium(Muddled(), method="cfr")
    with pytest.raises(ValueError, match="cannot tell apart"):
        kb.equilibrium(Muddled(), method="external-sampling", max_nodes=2)


class Failing(Twins):
    """Raises after a while."""

    def step(self, state: int, joint: tuple[int, ...]) -> tuple[int, Any]:
        if state == 2:
            raise RuntimeError("no step")
        return super().step(state, joint)


@pytest.mark.parametrize("max_nodes", [2, 1000])
def test_a_game_that_fails_says_so(max_nodes: int) -> None:
    with pytest.raises(kb.GameFault):
        kb.equilibrium(Failing(), method="external-sampling", max_nodes=max_nodes)


def test_planners_are_asked_everywhere() -> None:
    uniform = kb.exploitability("kuhn-poker", "random", samples=2_000)
    # Of uniform play: one eighth for the first player; see OpenSpiel's, too.
    assert uniform.values[0] == pytest.approx(0.125, abs=0.03)
    assert uniform.nash_conv == pytest.approx(11 / 12, abs=0.05)
    assert len(uniform.strategy.mixes) == 12
    seen: list[tuple[int, int]] = []
    few = kb.exploitability(
        "kuhn-poker", "is-mcts(simulations=500)", samples=3, progress=lambda *done: seen.append(done)
    )
    assert seen[-1] == (12, 12)
    assert few.nash_conv < uniform.nash_conv
    # Nobody calls with a jack, whatever is sampled.
    jack = ("player 1 is dealt a card", "you are dealt J", "player 1 bet")
    assert few.strategy.mixes[1, jack]["pass"] == 1.0
    again = kb.exploitability("kuhn-poker", "is-mcts(simulations=500)", samples=3)
    assert again.strategy == few.strategy


def test_ctrl_c_keeps_what_there_is(monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(point: solving.Checkpoint) -> None:
        if point.iterations == 20:
            raise KeyboardInterrupt

    found = kb.equilibrium("kuhn-poker", iterations=1_000, progress=stop, keep_on_interrupt=True)
    assert found.interrupted
    assert found.iterations == 20
    assert found.exploitability is not None
    with pytest.raises(KeyboardInterrupt):
        kb.equilibrium("kuhn-poker", iterations=1_000, progress=stop)


def test_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "kuhn.json"
    line = ["solve", "kuhn-poker", "--method", "cfr+", "--iterations", "500"]
    assert main([*line, "--save", str(file)]) == 0
    shown = capsys.readouterr().out
    assert "player 1 gets -0.0555" in shown
    assert re.search(r"500 +0\.000\d+", shown)
    assert "you are dealt J" in shown
    assert main([*line, "--json"]) == 0
    plain = json.loads(capsys.readouterr().out)
    assert plain["value"][0] == pytest.approx(-1 / 18, abs=1e-4)
    assert plain["curve"][0][0] == 1
    assert len(plain["strategy"]) == 12
    assert main(["exploit", "kuhn-poker", f'tabular(file="{file}")', "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["exploitability"] == pytest.approx(plain["exploitability"])
    assert main(["exploit", "kuhn-poker", "random"]) == 0
    assert "could get" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["solve", "kuhn-poker", "--method", "cfr*"], "did you mean cfr"),
        (["solve", "kuhn-poker", "--method", "cfr", "--iterations", "0"], "out of range"),
        (["solve", "kuhn-poker", "--iterations", "5"], "goes with --method"),
        (["solve", "kuhn-poker", "--method", "cfr", "--deal", "5"], "does not go with --method"),
        (["solve", "leduc-poker", "--method", "cfr", "--max-states", "9"], "more than 9 nodes"),
        (["solve", "kuhn-poker", "--method", "cfr", "--save", "/no/such/folder/x"], "no such folder"),
        (["exploit", "connect-four", "random", "--max-nodes", "99"], "more than 99 nodes"),
        (["watch", "kuhn-poker", "--planner", "tabular(file=nowhere.json)"], "nowhere.json"),
    ],
)
def test_mistakes_on_the_command_line(
    words: list[str], complaint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == 2
    said = capsys.readouterr().err
    assert complaint in said
    assert "Traceback" not in said


def test_a_solver_is_told_about_by_its_words() -> None:
    solver = RegretSolver(kb.load("kuhn-poker"), "cfr")
    with pytest.raises(IndexError, match="there are 12"):
        solver.view(12)
    tree = solver.tree
    assert tree is not None
    assert tree.nodes == solver.nodes == 58
    table = tabulate(kb.load("kuhn-poker"), tree, solver.average())
    assert {share for mix in table.mixes.values() for share in mix.values()} == {0.5}
