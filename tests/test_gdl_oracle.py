"""The machines that run rules against clingo, a solver that nobody here wrote."""

from __future__ import annotations

from pathlib import Path

import pytest

from effort import PATIENCE
from kibitz.lang import machine, oracle, shipped_rules
from kibitz.lang.asp import Answer, terms

pytest.importorskip("clingo", reason="clingo is not installed: nobody to compare the rules' machines with")

from kibitz.lang.asp import Program

CORPUS = Path(__file__).parent.parent.parent / "shared" / "corpus" / "gdl"

# Of every kind: turns, at once, alone, several players, percepts, chance, recursion, functions, old style.
SAMPLE = [
    "ticTacToe",
    "connectFour",
    "breakthrough",
    "biddingTicTacToe",
    "blind_breakthrough_5x5",
    "3pConnectFour",
    "aipsrovers01",
    "checkers",
    "reversi",
    "alexChess",
]


# What has lifetimes is compared in test_rtgdl_oracle.py.
SHIPPED = [entry.name for entry in shipped_rules() if entry.name.endswith(".kif")]
TURNS = [name for name in SHIPPED if not name.startswith("real-time-")]


@pytest.mark.slow
@pytest.mark.parametrize("entry", TURNS)
def test_rules_that_come_with_the_package(entry: str) -> None:
    verdict = oracle.compare(entry, states=5, seconds=PATIENCE)
    assert (verdict.result, verdict.differences) == ("agrees", [])
    assert verdict.machines["network"] >= 5, "too slow to be judged"
    assert verdict.machines["reasoner"] >= 5, "too slow to be judged"


@pytest.mark.parametrize("name", SAMPLE)
def test_rules_of_the_field(name: str) -> None:
    if not CORPUS.is_dir():
        pytest.skip(f"there is no folder {CORPUS}: the rules of the field are not at hand")
    verdict = oracle.compare(str(CORPUS / f"{name}.kif"), states=10, longest=60, seconds=PATIENCE, seed=1)
    assert (verdict.result, verdict.differences) == ("agrees", [])


# What the sample may not have.

EVERYTHING = """
; Letter case, nested functions, numbers that look alike, disjunctions in disjunctions.
(role A) (role random)
(<= (INIT (at (pair 1 01))) (thing ?x) (distinct ?x c))
(init (light Off))
(thing a) (THING b) (thing c)
(<= (same ?x ?y) (thing ?x) (thing ?y) (not (distinct ?x ?y)))
(next-to a b) (next-to b c)
(<= (joined ?x ?y) (next-to ?x ?y))
(<= (joined ?x ?z) (joined ?x ?y) (next-to ?y ?z))
(<= (legal a (go ?x)) (thing ?x) (or (not (true (at ?x))) (and (true (light on)) (distinct ?x a))))
(<= (legal a wait) (not (or (true (light on)) (true (at c)))))
(<= (legal a wait) (not (and (not (true (light on))) (not (true (at c))))))
(legal random (flip on)) (legal random (flip off))
(<= (next (at ?x)) (does a (go ?y)) (same ?x ?y))
(<= (next (at (pair ?x ?y))) (true (at (pair ?x ?y))) (does a wait))
(<= (next (far ?x ?y)) (joined ?x ?y) (not (next-to ?x ?y)) (not (true (far ?_ ?__))))
(<= (next (light ?how)) (does random (flip ?how)))
(<= (sees ?who (light ?how)) (does random (flip ?how)) (distinct ?who random))
(<= (goal ?who 100) (true (light on)))
(<= (goal ?who 0) (role ?who) (not (true (light on))))
(goal nobody 50)
(<= terminal (true (at c)) (true (light on)))
"""


@pytest.fixture
def everything(tmp_path: Path) -> str:
    path = tmp_path / "everything.kif"
    path.write_text(EVERYTHING)
    return str(path)


def test_every_construct(everything: str) -> None:
    verdict = oracle.compare(everything, states=40, seconds=PATIENCE)
    assert (verdict.result, verdict.differences) == ("agrees", [])
    assert verdict.machines["network"] == 40


def test_the_oracle_is_right_about_a_known_state() -> None:
    program = Program(EVERYTHING)
    assert program.roles() == {"a", "random"}
    assert program.initial() == {"(at (pair 1 01))", "(light off)"}
    answer = program.answer(["(at a)", "(light on)"], {"a": "(go b)", "random": "(flip off)"})
    assert answer.terminal is False
    assert answer.legal == {"a (go b)", "a (go c)", "a wait", "random (flip on)", "random (flip off)"}
    assert answer.goal == {"a 100", "random 100"}
    assert answer.next == {"(at b)", "(light off)", "(far a c)"}
    assert answer.sees == {"a (light off)"}
    assert program.answer(["(at c)", "(light on)"], None).terminal is True
    assert program.answer(["(at c)", "(light on)"], None).next is None


def test_a_wrong_machine_is_found_out(everything: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """An oracle that agrees with everything is none: one answer of the machine is changed."""
    honest = oracle._answer

    def lying(*arguments: object) -> Answer:
        answer = honest(*arguments)  # type: ignore[arg-type]
        return Answer(answer.terminal, answer.legal - {"a (go b)"}, answer.goal, answer.next, answer.sees)

    monkeypatch.setattr(oracle, "_answer", lying)
    verdict = oracle.compare(everything, states=20, seconds=PATIENCE)
    assert verdict.result == "disagrees"
    assert "legal: expected also ['a (go b)'], and not []" in verdict.differences[0]


def test_two_stable_models_are_not_believed() -> None:
    with pytest.raises(ValueError, match="2 stable models"):
        Program("(role a) (<= p (not q)) (<= q (not p)) (<= terminal p)").initial()


def test_the_reader_counts_brackets() -> None:
    assert terms("((a b) c)d ; e") == [[["a", "b"], "c"], "d"]
    for text in ("(a", "a)"):
        with pytest.raises(ValueError, match="bracket"):
            terms(text)


def test_refused_rules_are_not_compared(tmp_path: Path) -> None:
    path = tmp_path / "bad.kif"
    path.write_text(
        "(role a) (<= (legal a ?x) (role a)) (legal a go) (init p) (goal a 0) (<= terminal (true p))"
    )
    verdict = oracle.compare(str(path))
    assert verdict.result == "refused"
    assert "unsafe" in verdict.why


def test_the_command(everything: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kept = tmp_path / "verdicts.jsonl"
    assert oracle.main([everything, "--states", "5", "--seconds", "20", "--json", str(kept)]) == 0
    out = capsys.readouterr().out
    assert "1/1 everything.kif: agrees (5 states of the network" in out
    assert out.endswith("1 agrees\n")
    assert '"result": "agrees"' in kept.read_text()


# The bare machine


def test_machines_say_what_they_are(everything: str) -> None:
    for kind in ("network", "reasoner"):
        player = machine(everything, machine=kind)
        assert (player.kind, player.why, player.roles, player.has_percepts) == (
            kind,
            None,
            ["A", "random"],
            True,
        )
        state = player.initial()
        assert state.facts == ["(at (pair 1 01))", "(light Off)"]
        assert sorted(state.legal[0]) == ["(go A)", "(go b)", "(go c)", "wait"]
        assert state.goals == [[0.0], [0.0]]
        after, told = state.advance(["(go c)", "(flip on)"])
        assert told == [["(light on)"], []]
        assert after.terminal
        assert not state.terminal


def test_machines_refuse_wrong_moves_in_a_sentence(everything: str) -> None:
    state = machine(everything).initial()
    with pytest.raises(ValueError, match=r"\(go d\) is not a legal move of A"):
        state.advance(["(go d)", "(flip on)"])
    with pytest.raises(ValueError, match="there are 2 roles, but 1 moves are given"):
        state.advance(["wait"])
    with pytest.raises(ValueError, match="there is no machine"):
        machine(everything, machine="abacus")
    with pytest.raises(ValueError, match=r"limit\.seconds is from 0 to 86400, and not -1"):
        machine(everything, limits={"seconds": -1})
