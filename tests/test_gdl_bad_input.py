"""Files that are no rules, or rules that no machine can run: a message with its place, in time."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import kibitz as kb
from effort import work_below
from kibitz.cli import main
from kibitz.lang import check
from rule_texts import GAME

END = "(<= terminal (true (step 4))) (<= (goal ?r 50) (role ?r))\n"
THINGS = " ".join(f"(thing t{number})" for number in range(300))
PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(256))

UNREADABLE: dict[str, tuple[str | bytes, str, str]] = {
    "unclosed": (GAME + END + "(<= (legal white (jump 1)) (number 1)", "this `(` is never closed", ":8:1"),
    "closed twice": (GAME + END + ")", "this `)` closes nothing", ":8:1"),
    "control character": (GAME + END + "(number \x01)", "the control character 0x01", ":8:9"),
    "not text": (PNG, "byte 0 of the file, 0x89, is not part of any UTF-8 character", ":1:1"),
    "a page": ("<!DOCTYPE html>\n<p>(sorry)</p>", "this is not a file of GDL rules", ":1:1"),
    "a program": ("import os\nprint('hello')\n", "this is not a file of GDL rules", ":2:7"),
    "empty": ("", "there are no rules in the file", ":1:1"),
    "comments": ("; nothing\n", "there are no rules in the file", ":1:1"),
    "other facts": ("(father abraham isaac)", "these are no rules of a game", ":1:1"),
    "deep": ("(" * 100_000, "brackets nest more than 100 deep", ":1:101"),
    "deep condition": (
        GAME + END + "(<= p " + "(not " * 9999 + "q" + ")" * 10_000,
        "nest more than",
        ":8:",
    ),
    "wide": (GAME + END + f"(init (f{' a' * 9999}))", "`f` has 9999 arguments", ":8:7"),
    "long": (GAME + END + f"(init {'a' * 9999})", "has more than 500 characters", ":8:7"),
    "no end": (
        GAME + "(<= (goal ?r 50) (role ?r))",
        "the game never ends: there is no `terminal`",
        ":7:28",
    ),
    "endless": (
        GAME + END + "(num 0)\n(<= (num (s ?x)) (num ?x))",
        "a larger one follows, for ever",
        ":9:5",
    ),
    "unsafe": (GAME + END + "(<= (legal white (jump ?x)) (number 1))", "`?x` stands in the head", ":8:24"),
    "negation": (GAME + END + "(<= p (not p))\n(<= terminal p)", "`p` holds if `p` does not", ":8:12"),
    "players": (GAME + END + "".join(f"(role r{n})\n" for n in range(40)), "one player too many", ":38:7"),
}
UNPLAYABLE: dict[str, tuple[str, str, str]] = {
    "explosion": (
        f"{GAME}{END}{THINGS}\n(<= (legal white (odd ?a ?b ?c ?d)) "
        "(thing ?a) (thing ?b) (thing ?c) (thing ?d))",
        "what never changes is more than 5000000 facts",
        ":9:1",
    ),
    "hidden endless": (
        GAME
        + END
        + "(num 0) (<= (num (s ?x)) (num2 ?x))\n(<= (num2 ?x) (num ?x)) (<= (legal white (n ?x)) (num ?x))",
        "a function grows without end",
        ":8:9",
    ),
}


Write = Callable[[str | bytes], str]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def write(content: str | bytes) -> str:
        path = tmp_path / "game.kif"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return str(path)

    return write


@pytest.mark.parametrize("name", [*UNREADABLE, *UNPLAYABLE])
def test_one_message_with_the_place(name: str, write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    content, message, place = (UNREADABLE | UNPLAYABLE)[name]
    file = write(content)
    with work_below(20):
        with pytest.raises(ValueError, match=re.escape(message)) as refused:
            kb.load(file)
        shown = [str(refused.value)]
        if name in UNREADABLE:
            for command in (["check"], ["info"], ["play"], ["check", "--play", "2"]):
                assert main([*command, file]) == 2
                captured = capsys.readouterr()
                shown.append(captured.out + captured.err)
    for text in shown:
        assert message in text
        assert f"game.kif{place}" in text
        assert len(text) < 5000
        assert "Traceback" not in text


def test_a_hundred_megabytes(tmp_path: Path) -> None:
    path = tmp_path / "large.kif"
    with path.open("wb") as file:
        for _ in range(100):
            file.write(b"(number 7)\n" * 95_326)
    with work_below(5), pytest.raises(ValueError, match="the file is larger than 16777216 bytes"):
        kb.load(str(path))


@pytest.mark.skipif(sys.platform != "linux", reason="memory is limited the Linux way")
def test_explosions_are_bounded_in_memory(write: Write) -> None:
    file = write(UNPLAYABLE["explosion"][0])
    script = (
        "import resource, sys; resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30)); "
        "from kibitz.cli import main; sys.exit(main(sys.argv[1:]))"
    )
    words = [sys.executable, "-c", script, "info", file]
    done = subprocess.run(
        words, capture_output=True, text=True, timeout=60, env={**os.environ, "COLUMNS": "200"}
    )
    assert done.returncode == 2
    assert UNPLAYABLE["explosion"][1] in done.stderr


STUCK = """(role white) (role black) (init (step 1)) (succ 1 2) (succ 2 3)
(<= (legal ?r wait) (role ?r) (not (stuck ?r))) (<= (stuck black) (true (step {when})))
(<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
(<= (goal ?r 50) (role ?r)) (<= terminal (true (step 4)))"""
FLAWED = {
    "two goals": (
        GAME + END + "(<= (goal white 100) (true (step 4)))",
        "white has several scores in a terminal state: the lowest counts",
        [50.0, 50.0],
    ),
    "no goal": (
        GAME + "(<= terminal (true (step 4))) (<= (goal white 9) (true (step 4)))",
        "black has no score in a terminal state: that counts as 0",
        [9.0, 0.0],
    ),
    "stuck": (STUCK.format(when=2), "black has no legal move", [0.0, 0.0]),
    "stuck at the start": (STUCK.format(when=1), "black has no legal move", [0.0, 0.0]),
}


@pytest.mark.parametrize("name", FLAWED)
def test_rules_that_leave_something_open(
    name: str, write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    """They are played on, in a way that is told, in lanes as one by one."""
    content, message, returns = FLAWED[name]
    file = write(content)
    assert main(["check", file, "--play", "3"]) == 2
    assert message.split(" has ")[0] in capsys.readouterr().out
    main(["info", file])
    captured = capsys.readouterr()
    assert message in captured.out + captured.err
    assert main(["match", file, "random", "random", "--games", "2"]) == 0
    captured = capsys.readouterr()
    assert message in captured.err
    assert "Traceback" not in captured.out + captured.err
    # By the machine for one state, and by the one for many.
    for count in (1, 300):
        assert kb.load(file).playouts(count, 1, batch=count)[0] == returns


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_text_that_is_no_rule_is_warned_of_and_the_game_plays(write: Write, end: str) -> None:
    lines = [
        "; Notes of a student stand between the rules, and each is passed over.",
        "(role you)",
        "terminal :- true(step(1)).",
        "next(step(X)) :- does(you, wait(X)).",
        "=== the rules ===",
        "(distinct a b)",
        "(init (step 1))",
        "(length 2) ; how long it takes",
        "(legal you wait)",
        "(<= (next (step 2)) (true (step 1)) (does you wait))",
        "(<= (next (step 3)) (true (step 2)))",
        "(<= terminal (length ?n) (true (step ?n)))",
        "(<= terminal (or))",
        "(goal you 70)",
    ]
    file = write(end.join(lines))
    found = check(file)
    assert [(finding.code, finding.line) for finding in found if finding.severity == "warning"][:5] == [
        ("stray-text", 3),
        ("stray-text", 4),
        ("stray-text", 5),
        ("distinct-head", 6),
        ("no-condition", 13),
    ]
    assert not [finding for finding in found if finding.severity == "error"]
    assert kb.play(file, ["random"], seed=1).returns == [70.0]
    # A fact alone on its line is a parameter, whichever way lines end.
    assert len(kb.play(f"{file}(length=3)", ["random"], seed=1).steps) == 2
