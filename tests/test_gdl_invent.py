"""Rules that nobody would write: all machines and clingo say the same of them."""

from __future__ import annotations

import pytest

from kibitz._core import RulesFile
from kibitz.lang import oracle
from kibitz.lang.asp import Answer
from kibitz.lang.invent import attempts, invent, judge, main, smallest, text

pytest.importorskip("clingo", reason="clingo is not installed: nobody to compare the rules' machines with")

FILES = 300


@pytest.mark.slow
def test_hundreds_of_files() -> None:
    found = list(attempts(range(FILES)))
    wrong = [text(tried.rules) for tried in found if tried.rules is not None]
    assert not wrong, wrong[0]
    compared = [tried.verdict for tried in found if tried.verdict.result == "agrees"]
    assert len(compared) > 0.95 * FILES
    # The network of each way of grounding, the reasoner, and the same rules in another order.
    assert set(RulesFile("a.kif").machines) < set(compared[0].machines)
    assert all(each.machines["network"] >= 5 for each in compared)


def test_files_have_all_that_the_language_has() -> None:
    files = [text(invent(seed)) for seed in range(40)]
    for part in (
        "(or ",
        "(and ",
        "(not (or",
        "(distinct ",
        "(not (distinct",
        "(sees ",
        "(does random",
        "(pair ?",
    ):
        assert sum(part in each for each in files) >= 3, part


def test_a_wrong_machine_is_found_out_and_its_rules_cut_down(monkeypatch: pytest.MonkeyPatch) -> None:
    """The fine networks of the test do not see some moves: the rules for one of them are left."""
    honest = oracle._answer

    def lying(player, *rest) -> Answer:  # type: ignore[no-untyped-def]
        answer = honest(player, *rest)
        legal = {move for move in answer.legal if "(n " not in move or "fine" not in player.kind}
        return Answer(answer.terminal, frozenset(legal), answer.goal, answer.next, answer.sees)

    monkeypatch.setattr(oracle, "_answer", lying)
    seed = next(seed for seed in range(100) if judge(invent(seed), seed).result == "disagrees")
    rules = smallest(invent(seed), lambda fewer: judge(fewer, seed).result == "disagrees")
    assert judge(rules, seed).differences[0].startswith("network(fine on demand) (expected by the network)")
    assert "(n " in text(rules)
    assert len(rules) < len(invent(seed)) / 2


def test_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--files", "4", "--seed", "7", "--jobs", "2"]) == 0
    assert capsys.readouterr().out.startswith("4 files in ")
