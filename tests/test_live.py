"""Video games at a steady tick: with a keyboard and a clock that the test moves, and in a real terminal."""

from __future__ import annotations

import os
import select
import subprocess
import sys
from pathlib import Path

import pytest

import kibitz as kb
from kibitz.cli._live import HELP, Leave, Live, can_be_live
from kibitz.episode import begin, drive
from rule_texts import GOAL
from typist import Typist

TICK = 0.1


@pytest.fixture
def game(tmp_path: Path) -> kb.Game:
    (tmp_path / "mine.vgdl").write_text(GOAL)
    (tmp_path / "mine_lvl0.txt").write_text("wwwwww\nwA..gw\nwwwwww\n")
    return kb.load(str(tmp_path / "mine.vgdl"))


def played(game: kb.Game, keys: list[tuple[float, str]]) -> tuple[list[str], Typist, list[str]]:
    """What was done, by whom, and what was drawn."""
    typist, drawn = Typist(keys), []
    live = Live(typist, drawn.append, TICK, now=lambda: typist.time)
    referee = kb.Referee(game)
    begin(referee, [live], 0)
    done = []
    try:
        for turn in drive(referee, [live]):
            done.append(turn.decisions[0].name)
    except Leave:
        done.append("left")
    return done, typist, drawn


def test_what_was_pressed_last_in_a_tick_is_done(game: kb.Game) -> None:
    done, typist, _ = played(game, [(0.01, "left"), (0.05, "right"), (0.25, "right"), (0.31, "right")])
    assert done == ["right", "wait", "right", "right"]
    assert typist.time == pytest.approx(4 * TICK)


def test_a_pause_stops_the_clock_and_a_full_stop_is_one_tick(game: kb.Game) -> None:
    keys = [(0.05, "p"), (50.0, "right"), (60.0, "."), (70.0, "."), (80.0, "p"), (80.05, "right")]
    done, typist, drawn = played(game, [*keys, (80.15, "right")])
    assert done == ["right", "wait", "right", "right"]
    assert typist.time == pytest.approx(80.2)
    assert any("[paused]" in text for text in drawn)


def test_slow_motion_begins_with_the_next_tick(game: kb.Game) -> None:
    done, typist, drawn = played(game, [(0.05, "s"), (0.2, "right"), (0.6, "q")])
    assert done == ["wait", "right", "left"]
    assert typist.time == pytest.approx(0.6)
    assert HELP in drawn[0]
    assert "[slow motion]" in drawn[-1]


def test_only_games_of_arrows_are_live() -> None:
    assert can_be_live(kb.load("goose-chase"))
    assert not can_be_live(kb.load("tic-tac-toe"))
    assert not can_be_live(kb.load("klondike"))


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")
def test_in_a_terminal(game: kb.Game, tmp_path: Path) -> None:
    master, slave = os.openpty()
    kept = tmp_path / "kept.json"
    words = [sys.executable, "-m", "kibitz", "play", game.spec, "--save", str(kept)]
    environment = {**os.environ, "TERM": "xterm"}
    process = subprocess.Popen(words, stdin=slave, stdout=slave, stderr=slave, env=environment)
    os.close(slave)
    shown = b""

    def wait_for(words: bytes) -> None:
        nonlocal shown
        while words not in shown:
            # Only a test that fails waits as long.
            ready, _, _ = select.select([master], [], [], 60)
            assert ready, shown
            try:
                shown += os.read(master, 65536)
            except OSError:  # the other end is closed
                break
        assert words in shown
        shown = shown.partition(words)[2]

    wait_for(b"q: leave")
    os.write(master, b"p")
    wait_for(b"[paused]")
    # Under a pause each tick is asked for, so that no clock matters.
    os.write(master, b"\x1b[C.\x1b[C.\x1b[C.")
    wait_for(b"The game is over.")
    wait_for(b"won")
    assert process.wait(60) == 0
    os.close(master)
    again = kb.lab.replay.load(kept)
    assert again.returns == [10_000_001.0]
