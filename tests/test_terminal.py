"""The terminal as people meet it: lists that fold, games that hide something, words before counters."""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import kibitz as kb
from kibitz import _core, lang
from kibitz.cli import _position, main
from kibitz.cli._explain import facts
from kibitz.cli._folding import Folded, fold
from kibitz.lang import FOLDER


def shown(capsys: pytest.CaptureFixture[str], *words: str, typed: str = "", code: int = 0) -> str:
    """What a command prints, with something typed."""
    before, sys.stdin = sys.stdin, io.StringIO(typed)
    try:
        assert main(list(words)) == code
    finally:
        sys.stdin = before
    return capsys.readouterr().out


def test_guesses_and_answers_stay_in_sight(capsys: pytest.CaptureFixture[str]) -> None:
    typed = "(guess 1 1 2 3)\nguess 2 2 1 3\n3 3 1 4\nq\n"
    out = shown(capsys, "play", "mastermind", "--seed", "3", typed=typed)
    last = out.rpartition("256 moves")[2]
    for number, guess in enumerate(("(guess 1 1 2 3)", "(guess 2 2 1 3)", "(guess 3 3 1 4)"), 1):
        assert f"{number} {guess}" in last
    assert "guess 1 1 ... (16)" in out.replace("…", "...")
    assert "(guess 1 1 1 1)" not in out


def test_a_question_mark_lists_all_moves(capsys: pytest.CaptureFixture[str]) -> None:
    out = shown(capsys, "play", "mastermind", "--seed", "3", typed="?\nq\n")
    assert "(guess 1 1 1 1)" in out
    assert "(guess 4 4 4 4)" in out


def test_a_board_shows_what_is_certain(capsys: pytest.CaptureFixture[str]) -> None:
    typed = "mark 1 1\n2 2\nq\n"
    words = ["play", "kriegspiel-tic-tac-toe", "--with", "random", "--seed", "1"]
    out = shown(capsys, *words, typed=typed)
    assert "  1  x ? ?\n  2  ? x ?\n  3  ? ? ?" in out.rpartition("your move>")[0]
    assert "1 (mark 1 1)" in out


def test_it_shows_no_more_than_a_player_may_know() -> None:
    # Equal views give equal pictures, whatever the truth is.
    seen: dict[int, set[str]] = {}
    for seed in range(12):
        referee = kb.Referee("kriegspiel-tic-tac-toe", seed=seed)
        referee.apply(["mark 1 1"])
        referee.apply([referee.state.names()[seed % 8]])
        view = referee.view(0)
        memory = _position.Memory(view.game)
        seen.setdefault(view.key, set()).add("\n".join(memory.position(view)))
    assert all(len(pictures) == 1 for pictures in seen.values())


def test_games_that_draw_themselves_do_so(capsys: pytest.CaptureFixture[str]) -> None:
    out = shown(capsys, "play", "kuhn-poker", "--with", "random", "--seed", "1", typed="q\n")
    assert "what is certain" not in out
    referee = kb.Referee("king-up", seed=1)
    view = referee.view(0)
    assert _position.Memory(view.game).position(view) == view.text().rstrip().splitlines()


@pytest.mark.parametrize(
    ("words", "there", "not_there"),
    [
        (
            ["--hidden", "--players", "2", "--language", "gdl"],
            ["kriegspiel-tic-tac-toe.kif"],
            ["tic-tac-toe.kif "],
        ),
        (["--open", "--players", "1", "--language", "rust"], [], ["klondike", "tiger"]),
        (["--language", "vgdl"], ["rock-garden.vgdl"], ["mastermind.kif"]),
    ],
)
def test_games_are_chosen(
    words: list[str], there: list[str], not_there: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    names = {entry["name"] for entry in json.loads(shown(capsys, "games", *words, "--json"))}
    assert {*there} <= names
    assert not {*not_there} & names


def test_a_wrong_language_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["games", "--language", "cobol"]) == 2
    assert "there are: gdl, openspiel, python, rust, vgdl" in capsys.readouterr().err


def test_narrow_lists_wrap_between_words(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    lines = shown(capsys, "games").splitlines()
    assert max(map(len, lines)) <= 60
    lines = shown(
        capsys, "watch", "tiger", "--planner", "pomcp(simulations=100)", "--steps", "2", "--details"
    )
    assert max(map(len, lines.splitlines())) <= 62


def test_counters_are_details(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["watch", "tiger", "--planner", "pomcp(simulations=100)", "--steps", "2", "--seed", "1"]
    plain, full = shown(capsys, *words), shown(capsys, *words, "--details")
    assert "depletions" not in plain
    assert "steps of the model" not in plain
    assert "depletions" in full
    assert "visits kept from before" in plain


def test_what_was_kept_is_told_from_what_is_new() -> None:
    game = kb.load("tic-tac-toe")
    view = kb.Referee(game).view(0)
    decision = kb.advise(game, view, "uct(simulations=60)")
    assert "kept" not in " ".join(facts(decision, game, 0))


@pytest.mark.parametrize("name", ["mastermnd", "kriegspil-tic-tac-toe", "peg-solitare"])
def test_nearest_names_include_rules_files(name: str) -> None:
    with pytest.raises(ValueError, match="did you mean"):
        kb.load(name)


def test_check_holds_any_game_to_its_contract(capsys: pytest.CaptureFixture[str]) -> None:
    out = shown(capsys, "check", "kuhn-poker", "--play", "5")
    assert "the contract of games holds in 5 episodes" in out
    assert "mastermind.kif: no errors" in shown(capsys, "check", "mastermind")
    out = json.loads(shown(capsys, "check", "kuhn-poker", "--json"))
    assert out[0]["contract"]["episodes"] == 20
    shown(capsys, "check", "kuhn-pokr", code=2)


@pytest.mark.slow
def test_a_reader_that_has_had_enough_is_no_mistake() -> None:
    command = f"{sys.executable} -m kibitz games | head -1; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert done.stderr == ""
    assert done.stdout.count("\n") == 1


def test_every_game_that_comes_with_the_package_is_told_in_words() -> None:
    shipped = [*_core.games(), *lang.shipped_rules()]
    told = {entry.name: kb.games.words(entry.name) for entry in shipped}
    assert [name for name, words in told.items() if len(words) < 100] == []
    names = {name.partition(".")[0] for name in told}
    assert {file.stem for file in (Path(kb.games.__file__).parent / "in_words").iterdir()} <= names


def test_rules_in_words_are_the_authors_own(tmp_path: Path) -> None:
    class Toss(kb.Rules[int]):
        """Toss a coin.

        Who calls it wins.
        And it ends.

        Nothing else happens.
        """

        def initial(self) -> int:
            return 0

        def turn(self, state: int) -> int:
            return kb.OVER

    Toss.legal = Toss.step = lambda *_: None  # type: ignore[assignment, method-assign]
    assert kb.games.words(Toss()) == "Who calls it wins. And it ends.\n\nNothing else happens."
    ours = (FOLDER / "tic-tac-toe.kif").read_text(encoding="utf-8")
    (tmp_path / "battle.kif").write_text(f"; Mine.\n;\n; In two\n; lines.\n\n{ours}", encoding="utf-8")
    assert kb.games.words(tmp_path / "battle.kif") == "In two lines."
    (tmp_path / "battle.kif").write_text(ours, encoding="utf-8")
    assert kb.games.words(tmp_path / "battle.kif") == "", "another game of that name"


def test_words_are_there_before_and_while_playing(capsys: pytest.CaptureFixture[str]) -> None:
    assert "[A] in brackets" in shown(capsys, "games", "king-up")
    out = shown(capsys, "play", "king-up", "--with", "random", "--seed", "1", typed="?\nq\n")
    assert "on your own card" in " ".join(out.partition("your move> ?")[2].split())


def test_patience_is_as_people_know_it(capsys: pytest.CaptureFixture[str]) -> None:
    out = shown(capsys, "play", "klondike(moves=ordinary)", "--seed", "1", typed="turn\nq\n")
    assert "to turn     24 cards" in out
    assert "to turn     21 cards" in out


@pytest.mark.parametrize("room", [60, 80])
def test_lines_are_broken_between_words(room: int) -> None:
    class Screen(io.StringIO):
        def isatty(self) -> bool:
            return True

    screen = Screen()
    words = " ".join(f"word{number}" for number in range(40))
    for line in fold(f"  \x1b[1m{words}\x1b[0m", room):
        assert len(re.sub(r"\x1b\[[0-9;]*m", "", line)) <= room
    stream: Any = Folded(screen)
    print(words, file=stream)
    print("begun ", end="", file=stream)
    print("ended", file=stream)
    assert " ".join(screen.getvalue().split()) == f"{words} begun ended"
    assert "\x1b[H" + words in fold("\x1b[H" + words, room), "what moves the cursor is left alone"


def test_narrow_tables_are_folded(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ["match", "tic-tac-toe", "uct(simulations=50)", "random", "--games", "2"]
    monkeypatch.setenv("COLUMNS", "60")
    narrow = shown(capsys, *words)
    monkeypatch.setenv("COLUMNS", "200")
    wide = shown(capsys, *words)
    for found in re.findall(r"\d+\.\d %|sims/move", wide):
        assert found in narrow
    table = narrow.split("\n\n")[1].splitlines()
    assert max(map(len, table)) <= 60
    assert any(line.startswith("planner") for line in wide.splitlines())


@pytest.mark.parametrize("command", ["play", "host", "study"])
def test_narrow_help_wraps(
    command: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    assert max(map(len, shown(capsys, command, "--help").splitlines())) <= 60


def test_open_real_time_games_are_drawn(capsys: pytest.CaptureFixture[str]) -> None:
    referee = kb.Referee("real-time-tic-tac-toe.kif", seed=1)
    view = referee.view(0)
    assert _position.Memory(view.game).position(view) == view.text().rstrip().splitlines()
