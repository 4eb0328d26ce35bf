"""`kibitz check` and `kibitz info` as a user meets them."""

from __future__ import annotations

import json
import os
import pickle
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import kibitz as kb
from effort import PATIENCE, wait_until_at_work, work_below, work_of_children
from kibitz.cli import main
from kibitz.lang import trial
from rule_texts import GAME

KIBITZ = [sys.executable, "-m", "kibitz"]

SOUND = "(<= (goal ?r 50) (role ?r)) (<= terminal (true (step 4)))"


@pytest.fixture
def write(tmp_path: Path) -> Any:
    def write(extra: str, name: str = "game.kif", game: str = GAME) -> str:
        path = tmp_path / name
        path.write_text(f"{game}{extra}\n")
        return str(path)

    return write


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Any:
    def run(*words: str) -> tuple[int, str, str]:
        code = main(words)
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return run


# check


def test_a_sound_file(run: Any, write: Any) -> None:
    file = write(SOUND)
    assert run("check", file) == (0, f"{file}: no errors, no warnings\n", "")
    code, out, _ = run("check", file, "--play", "7")
    assert (code, out) == (0, f"{file}: no errors, no warnings, 7 games of 3 to 3 steps played\n")


def test_findings_look_like_a_compilers(run: Any, write: Any) -> None:
    file = write(SOUND + "\n(<= (legal white (jump ?x)) (true (step 1)))")
    code, out, _ = run("check", file)
    assert code == 2
    first, place, _, line, caret, *rest = out.splitlines()
    assert first.startswith("error[unsafe-variable]: ")
    assert place == " --> game.kif:8:24"
    assert line == "8 | (<= (legal white (jump ?x)) (true (step 1)))"
    assert caret.index("^") == line.index("?x")
    assert any("= rule: " in each for each in rest)
    assert rest[-1] == f"{file}: 1 error, no warnings"


def test_warnings_do_not_fail(run: Any, write: Any) -> None:
    code, out, _ = run("check", write(SOUND + "(unused 1)"))
    assert code == 0
    assert out.startswith("warning[")
    assert out.endswith("no errors, 1 warning\n")


def test_many_files_are_all_checked(run: Any, write: Any, tmp_path: Path) -> None:
    sound, missing = write(SOUND), str(tmp_path / "missing.kif")
    code, out, _ = run("check", missing, sound, write("(((", "broken.kif"))
    assert code == 2
    assert f"error: {missing} cannot be read: No such file or directory" in out
    assert f"{sound}: no errors, no warnings" in out
    assert "error[unbalanced]" in out
    assert out.endswith("3 files, 2 of them with errors\n")


def test_json(run: Any, write: Any, tmp_path: Path) -> None:
    missing = str(tmp_path / "missing.kif")
    code, out, _ = run(
        "check", write("(goal white 100) (<= terminal (true (step 4)))"), missing, "--json", "--play", "2"
    )
    first, second = json.loads(out)
    assert code == 2
    assert (first["errors"], first["problem"]) == (1, None)
    flaw = first["trial"]["flaws"][0]
    assert (flaw["code"], flaw["severity"], flaw["step"], flaw["games"]) == ("no-goal", "error", 3, 2)
    assert "(step 4)" in flaw["state"]
    assert first["trial"]["lengths"] == [3, 3]
    assert first["trial"]["machine"] == "network"
    assert {"severity", "code", "rule", "message", "line", "column", "help"} == {*first["findings"][0]}
    assert second["problem"].startswith(f"{missing} cannot be read")


@pytest.mark.parametrize(
    ("extra", "code", "message", "step"),
    [
        (
            "(goal black 0) (<= terminal (true (step 4)))",
            "no-goal",
            "white has no score, but the game is over",
            3,
        ),
        (
            SOUND + "(<= (goal black 0) (true (step 4)))",
            "several-goals",
            "black has the scores 0 and 50 at the end",
            3,
        ),
        (
            "(<= (goal ?r 50) (role ?r)) (<= terminal (true (step 9)))",
            "no-end",
            "has not ended after 40 steps",
            40,
        ),
        (
            "(<= (goal ?r ?n) (role ?r) (much ?n)) (much 101) (<= terminal (true (step 4)))",
            "goal-range",
            "white has the score 101",
            0,
        ),
        (
            "(<= (goal black 50) (not (true (step 4)))) (<= (goal black 20) (true (step 4))) (goal white 1)"
            "(<= terminal (true (step 4)))",
            "goal-drops",
            "black's score drops from 50 to 20",
            3,
        ),
    ],
)
def test_what_playing_shows(run: Any, write: Any, extra: str, code: str, message: str, step: int) -> None:
    file = write(extra)
    exit_code, out, _ = run("check", file, "--play", "3", "--steps", "40")
    assert f"[{code}]: " in out
    assert message in out
    assert f" --> game.kif: game 1, step {step}" in out
    assert "so in 3 games" in out
    assert exit_code == (0 if code in ("no-end", "goal-drops") else 2)


def test_a_role_without_a_legal_move(run: Any, write: Any) -> None:
    game = """(role white) (role black) (init (step 1)) (succ 1 2) (succ 2 3)
(<= (legal ?r wait) (role ?r) (not (stuck ?r)))
(<= (stuck black) (true (step 3)))
(<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
(<= (goal ?r 50) (role ?r)) (<= terminal (true (step 4)))"""
    code, out, _ = run("check", write("", game=game), "--play", "2")
    assert code == 2
    assert "error[no-legal-move]: black has no legal move, but the game is not over" in out
    assert "  | state: (step 3)\n  | after: white wait, black wait\n" in out


def test_time_is_kept(write: Any) -> None:
    endless = write("(<= (goal ?r 50) (role ?r)) (<= terminal (true (step 9)))")
    with work_below(5):
        found = trial.play(endless, 1000, steps=10**9, seconds=0.2)
    assert 1 <= len(found.lengths) < 1000


def test_what_only_the_clock_shows(tmp_path: Path) -> None:
    zero = tmp_path / "zero.kif"
    zero.write_text(
        """(role you) (init infinity (count 1)) (legal you go)
        (<= (next ?n tick) (does you go) (true infinity (count ?m)) (before ?m ?n) (number ?n))
        (next infinity (count 1)) (before 1 0) (number 0)
        (<= terminal (expired tick)) (goal you 0)"""
    )
    (flaw,) = trial.play(str(zero), 2).flaws
    assert (flaw.code, flaw.severity, flaw.games) == ("fault", "error", 2)
    assert "the fact tick is given the lifetime 0" in flaw.message
    still = tmp_path / "still.kif"
    still.write_text(
        """(role you) (init 3 rest) (legal you go) (<= (next 3 rest) (expired rest))
        (<= (next ?t rest) (true ?t rest)) (<= terminal (true ?t over))
        (<= (next 1 over) (does you stop)) (goal you 0)"""
    )
    (flaw,) = trial.play(str(still), 2, steps=30).flaws
    assert (flaw.code, flaw.step) == ("no-end", 30)


def test_the_same_seed_plays_the_same_games() -> None:
    one, other, third = (trial.play("tic-tac-toe.kif", 10, seed=seed).lengths for seed in (1, 1, 2))
    assert one == other != third


# info


def test_info(run: Any, write: Any) -> None:
    file = write(SOUND)
    code, out, _ = run("info", file)
    rows = {line[2:].split("  ")[0]: line for line in out.splitlines()[1:]}
    assert code == 0
    assert out.splitlines()[0] == file
    assert rows["players"].endswith("2: white, black")
    assert "players move at once, nothing is hidden, no chance" in rows["kind"]
    assert "network: " in rows["machine"]
    assert "(say 1), (say 2)" in rows["white's first"]
    assert "3 to 3 steps in 20 random games" in rows["length"]
    assert rows["black scored"].endswith("50")


def test_info_for_programs(run: Any) -> None:
    about = json.loads(run("info", "tic-tac-toe.kif", "--json")[1])
    assert (about["moves"], about["hidden"], about["chance"]) == ("in turns", False, False)
    assert about["machine"]["machine"] == "network"
    assert len(about["first_moves"]["xplayer"]) == 9


def test_info_says_why_there_is_no_network(run: Any, write: Any) -> None:
    things = " ".join(f"(thing t{number})" for number in range(100))
    triples = "(<= (legal white (odd ?x ?y ?z)) (true (step 3)) (thing ?x) (thing ?y) (thing ?z))"
    code, out, _ = run("info", write(f"{SOUND} {things} {triples}") + "(limit.seconds=0.01)")
    assert code == 0
    assert "reasoner: " in out
    assert "grounding took more than" in out


def test_info_of_hidden_games_with_chance(run: Any, write: Any) -> None:
    game = """(role you) (role random) (init start)
(<= (legal random (hide ?d)) (door ?d) (true start)) (door 1) (door 2)
(<= (legal random wait) (not (true start)))
(<= (legal you (open ?d)) (door ?d) (not (true start)))
(<= (legal you wait) (true start))
(<= (next (behind ?d)) (does random (hide ?d)))
(<= (next (behind ?d)) (true (behind ?d)))
(<= (next (opened ?d)) (does you (open ?d)))
(<= (sees you (opened ?d)) (does you (open ?d)))
(<= found (true (behind ?d)) (true (opened ?d)))
(<= (goal you 100) found) (<= (goal you 0) (not found))
(<= terminal (true (opened ?d)))"""
    code, out, _ = run("info", write("", game=game))
    assert code == 0
    assert "single player, something is hidden (GDL-II), with chance" in out
    assert "you scored" in out
    assert "0, 100" in out


def test_info_of_what_is_no_game(run: Any, write: Any, tmp_path: Path) -> None:
    code, out, err = run("info", write("(<= (legal white (jump ?x)) (true (step 1)))" + SOUND))
    assert (code, out) == (2, "")
    assert err.startswith("error[unsafe-variable]")
    code, out, err = run("info", str(tmp_path / "missing.kif"))
    assert (code, out) == (2, "")
    assert "cannot be read" in err


# Bad input


@pytest.mark.parametrize("command", ["check", "info"])
@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"", "there are no rules in the file"),
        (b"\x7fELF\x02\x01\x01\x00\xff\xfe", "is not part of any UTF-8 character"),
        (b"Dear diary, today I played chess.\n", "this is not a file of GDL rules"),
        (b"(role white) \x00", "control character"),
        (b"(role white", "unbalanced"),
    ],
)
def test_bad_files(run: Any, tmp_path: Path, command: str, content: bytes, expected: str) -> None:
    path = tmp_path / "bad.kif"
    path.write_bytes(content)
    code, out, err = run(command, str(path))
    assert code == 2
    assert expected in out + err


@pytest.mark.parametrize("command", ["check", "info"])
def test_too_large_a_file(run: Any, tmp_path: Path, command: str) -> None:
    path = tmp_path / "large.kif"
    with path.open("wb") as file:
        file.truncate(100 << 20)
    code, out, err = run(command, str(path))
    assert code == 2
    assert "the file is larger than 16777216 bytes" in out + err


def test_a_folder_and_a_wrong_name(run: Any, tmp_path: Path) -> None:
    folder = tmp_path / "games.kif"
    folder.mkdir()
    assert "cannot be read: Is a directory" in run("check", str(folder))[1]
    assert "its name must end in .kif or .gdl" in run("check", str(tmp_path / "game.pdf"))[1]


@pytest.mark.skipif(sys.platform != "linux", reason="how long it has worked is asked the Linux way")
@pytest.mark.parametrize("command", [["info"], ["check", "--play", "1000000", "--seconds", "500"]])
def test_ctrl_c(write: Any, command: list[str]) -> None:
    slow = write(_slow())
    before = work_of_children()
    process = subprocess.Popen(
        [*KIBITZ, *command, slow], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    wait_until_at_work(process, 1.2)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=PATIENCE)
    assert work_of_children() - before < 4.2
    assert process.returncode == 130
    assert err.endswith("stopped\n")


def _slow() -> str:
    """Rules that take long to ground: all triples of a large set, joined in vain."""
    things = " ".join(f"(thing t{number})" for number in range(1200))
    pairs = "(<= (pair ?x ?y) (thing ?x) (thing ?y))"
    return f"{SOUND} {things} {pairs} (<= (legal white (odd ?x ?z)) (pair ?x ?y) (pair ?y ?z) (pair ?z ?x))"


def test_machine_code_and_interpreter_play_the_same_games() -> None:
    code = (
        "import kibitz as kb\n"
        "for name in ('connect-four.kif', 'checkers.kif', 'monty-hall.kif'):\n"
        "    game = kb.load(name)\n"
        "    print(game.playouts(500, seed=3), game.playouts(3, seed=4), sep='\\n')"
    )
    environment = {name: value for name, value in os.environ.items() if name != "KIBITZ_INTERPRET"}

    def output(command: list[str], **more: str) -> str:
        env = {**environment, **more}
        return subprocess.run(
            command, env=env, capture_output=True, text=True, check=True, timeout=PATIENCE
        ).stdout

    played = [output([sys.executable, "-c", code], **more) for more in ({}, {"KIBITZ_INTERPRET": "1"})]
    assert len(set(played)) == 1
    assert len(set(played[0].splitlines())) == 6
    assert ", interpreted" in output([*KIBITZ, "info", "tic-tac-toe.kif"], KIBITZ_INTERPRET="1")


@pytest.mark.parametrize("command", ["check", "info"])
@pytest.mark.parametrize(
    ("limit", "sentence"),
    [
        ("bytes=10", "larger than 10 bytes"),
        ("depth=2", "nest more than 2 deep"),
        ("rules=3", "more than 3 rules"),
        ("rules=few", "limit.rules=few is not a number"),
        ("depth=501", "limit.depth is from 1 to 500, and not 501"),
        ("rulez=3", "did you mean rules"),
    ],
)
def test_limits_of_a_file_are_in_its_name(
    run: Any, write: Any, command: str, limit: str, sentence: str
) -> None:
    code, out, err = run(command, f"{write(SOUND)}(limit.{limit})")
    assert code == 2
    assert sentence in out + err


def test_every_command_shows_what_is_wrong_with_rules_line_by_line(run: Any, write: Any) -> None:
    path = write(f"{SOUND} (<= (legal white ?x) (number 1))")
    for command in (["play", path], ["match", path, "random", "random"], ["solve", path]):
        code, _, err = run(*command)
        assert code == 2
        assert "kibitz: the rules cannot be played\n\nerror[" in err
        assert "\n  | " in err or "\n  |\n" in err
        assert "game.kif:7:" in err


def test_limits_travel_with_a_game(run: Any, write: Any) -> None:
    path = write(SOUND)
    game = kb.load(f"{path}(limit.ground_rules=1, limit.playout_steps=2)")
    assert kb.load(path).machine["machine"] == "network"
    for again in (game, pickle.loads(pickle.dumps(game)), kb.lang.load(path, limits={"ground_rules": 1})):
        assert again.machine["machine"] == "reasoner"
        assert again.machine["why"] == "there are more than 1 ground rules (limit.ground_rules)"
    hurried = kb.load(f"{path}(limit.seconds=0)")
    assert hurried.machine["why"] == "grounding took more than 0 s (limit.seconds)"
    with pytest.raises(ValueError, match="more than 1 terms"):
        kb.lang.machine(path, machine="reasoner", limits={"terms": 1}).initial()


def test_playouts_are_cut_off_where_a_limit_says(write: Any) -> None:
    game = GAME.replace("(succ 3 4)", "(succ 3 4) (succ 4 5) (succ 5 6)") + SOUND.replace("4", "6")
    path = write("", game=game)
    whole, short = (
        kb.advise(game, kb.Referee(game).view(0), "flat-mc(simulations=200)").table[0].value
        for game in map(kb.load, (path, f"{path}(limit.playout_steps=2)"))
    )
    assert (whole, short) == (50, 0)


def test_every_limit_is_listed(run: Any) -> None:
    code, out, _ = run("info", "--limits")
    assert code == 0
    names = [limit["name"] for limit in json.loads(run("info", "--limits", "--json")[1])["params"]]
    assert len(names) > 12
    assert {"limit.seconds", "limit.ground_rules", "limit.heuristic_steps"} <= set(names)
    assert all(name in out for name in names)
    assert "which file?" in run("info")[2]


@pytest.mark.parametrize("limits", [{}, {"ground_rules": 1}])
def test_who_is_never_told_anything_does_not_see_everything(write: Any, limits: dict[str, float]) -> None:
    silent = "(<= (sees black heard) (does white (say 3)))"
    game = kb.lang.load(write(f"{SOUND} {silent}"), limits=limits)
    assert not game.info.perfect_information
    seen = set()
    for first in (0, 1):
        referee = kb.Referee(game)
        referee.apply([referee.state.legal(0)[first], referee.state.legal(1)[0]])
        seen.add(str(referee.view(1).events))
    assert len(seen) == 1
