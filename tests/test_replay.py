"""Saved games: what is kept, how it is shown again, and what is answered to files that are none."""

from __future__ import annotations

import base64
import contextlib
import io
import json
import re
import sys
from dataclasses import asdict
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import kibitz as kb
from kibitz import _core
from kibitz.cli import main
from kibitz.lab import replay
from kibitz.lab.reports import replay_page
from python_games import Coin

TREASURE = str(Path(__file__).parent.parent / "examples" / "treasure.py")
GAMES = ["tic-tac-toe", "leduc-poker", "rock-paper-scissors", "bear", "rock-sample"]


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    path = tmp_path / "game.json"
    replay.save(kb.play("leduc-poker", "pomcp(simulations=30)", seed=3, episode=2), path)
    return path


@pytest.fixture
def saved_before(saved: Path) -> Path:
    """The same as earlier versions wrote it: each step says who moved, and what."""
    kept, plain = replay.load(saved), json.loads(saved.read_text())
    plain["schema"] = 1
    del plain["history"]
    for step, move in zip(plain["steps"], kept.steps, strict=True):
        step.update(movers=move.movers, joint=move.joint)
    path = saved.with_name("before.json")
    path.write_text(json.dumps(plain))
    return path


@pytest.mark.parametrize("game", GAMES)
def test_what_is_read_is_what_was_saved(game: str, tmp_path: Path) -> None:
    episode = kb.play(game, "random", seed=5)
    replay.save(episode, tmp_path / "game.json")
    kept = replay.load(tmp_path / "game.json")
    assert kept == replay.of(episode)
    assert kb.Referee.from_history(kb.load(game), kept.history).returns == episode.returns
    frames = list(kept.frames())
    assert [frame.after.text() for frame in frames] == [step.state.text() for step in episode.steps]
    assert [name for turn in replay.turns(frames) for frame in turn for name in frame.move.names] == [
        name for step in episode.steps for name in step.names
    ]
    assert [path.name for path in tmp_path.iterdir()] == ["game.json"]


def test_an_unfinished_game(tmp_path: Path) -> None:
    replay.save(kb.play("tiger", "random", max_steps=6), tmp_path / "game.json")
    kept = replay.load(tmp_path / "game.json")
    assert not kept.over
    assert len(list(kept.frames())) == len(kept.steps) >= 6


def test_the_chosen_action_is_kept_even_if_it_is_not_among_the_best() -> None:
    class Last(kb.PlannerBase):
        def act(self, view: kb.View) -> kb.Decision:
            rows = [(action, -float(rank), None, 1) for rank, action in enumerate(view.legal())]
            return kb.Decision(view, view.legal()[-1], rows)

    decision = replay.of(kb.play("breakthrough", [Last(), "random"], max_steps=1)).steps[0].decisions[0]
    assert decision.actions > len(decision.table) == replay.ROWS + 1
    assert decision.table[-1].action == decision.action


def test_python_games_number_their_actions_anew(tmp_path: Path) -> None:
    replay.save(kb.play(Coin(), "pomcp(simulations=200)", seed=4), tmp_path / "game.json")
    kept = replay.load(tmp_path / "game.json")
    with pytest.raises(ValueError, match=r"which must be given \(game="):
        list(kept.frames())
    assert len(list(kept.frames(Coin()))) == len(kept.steps)


def test_a_replay_alone_runs_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = str(tmp_path / "game.json")
    assert main(["watch", TREASURE, "--planner", "random", "--save", path]) == 0
    capsys.readouterr()
    assert main(["replay", path]) == 2
    assert "--game" in capsys.readouterr().err
    assert main(["replay", path, "--game", TREASURE]) == 0
    assert "the end" in capsys.readouterr().out


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("truth", [[], ["--truth"]])
def test_shows_what_watch_showed(
    game: str, truth: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = str(tmp_path / "game.json")
    planner = "uct(simulations=40)" if game == "tic-tac-toe" else "pomcp(simulations=40)"
    words = ["watch", game, "--planner", planner, "--seed", "9", "--steps", "12", "--save", path, *truth]
    assert main(words) == 0
    # What a player could believe is shown while a game is played, and not kept.
    watched = re.sub(
        r"^  (?:[\d,]+ possible state| *[\d.]+%  ).*\n", "", capsys.readouterr().out, flags=re.M
    )
    assert main(["replay", path, *truth]) == 0
    assert capsys.readouterr().out == watched


def test_play_saves_what_was_not_taken_back(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "game.json"
    monkeypatch.setattr(sys, "stdin", io.StringIO("a1\nu\nb2\nq\n"))
    words = ["play", "tic-tac-toe", "--with", "random", "--seed", "1", "--save", str(path)]
    assert main(words) == 0
    kept = replay.load(path)
    assert kept.planners == ["human", "random"]
    assert kept.steps[0].names == ["b2"]
    assert len(list(kept.frames())) == 2
    assert not kept.over


def test_step_by_step(
    saved: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    assert main(["replay", str(saved), "--step"]) == 2
    assert "no terminal" in capsys.readouterr().err
    monkeypatch.setattr(sys, "stdin", Terminal("\nb\nq\n"))
    assert main(["replay", str(saved), "--step"]) == 0
    out = capsys.readouterr().out
    assert re.findall(r"move (\d+):", out) == ["1", "2", "1"]
    assert "the end" not in out
    monkeypatch.setattr(sys, "stdin", Terminal("\n" * 20))
    assert main(["replay", str(saved), "--step"]) == 0
    assert "the end" in capsys.readouterr().out


# Files that are no replays


def changed(saved: Path, change: Any) -> Path:
    plain = json.loads(saved.read_text())
    change(plain)
    saved.write_text(json.dumps(plain))
    return saved


@pytest.mark.parametrize(
    ("change", "answer"),
    [
        (lambda plain: plain.update(schema=3), "schema 3"),
        (lambda plain: plain.pop("game"), "game is missing"),
        (lambda plain: plain.update(game=7), "game must be a text, not a number"),
        (lambda plain: plain.update(seed=-1), "seed must be a whole number"),
        (lambda plain: plain.update(over=0), "over must be true or false"),
        (lambda plain: plain.update(steps={}), "steps must be a list, not an object"),
        (lambda plain: plain["steps"].append(3), r"steps\[\d+\] must be an object, not a number"),
        (
            lambda plain: plain["steps"][2].update(joint=[-1]),
            r"steps\[2\].joint\[0\] must be a whole number",
        ),
        (lambda plain: plain["steps"][2].update(joint=[2**40]), r"joint\[0\] must be below"),
        (lambda plain: plain["steps"][2].update(movers=[5]), r"movers\[0\] must be below 2"),
        (lambda plain: plain["steps"][2].update(movers=[1, 0], joint=[0, 0]), "must be in order"),
        (lambda plain: plain["steps"][2].update(rewards=[0.0]), "must have 2 entries, not 1"),
        (
            lambda plain: plain["steps"][2]["decisions"][0].update(seconds="1"),
            "must be a number, not a text",
        ),
        (lambda plain: plain["steps"][2]["decisions"][0].update(line=[[0]]), "a player and an action"),
        (lambda plain: plain["steps"][2]["decisions"][0].update(counters=[[1, 2]]), "must be a text"),
        (lambda plain: plain["steps"][2]["decisions"][0].update(counters=[7]), "a name and a number"),
        (lambda plain: plain["steps"][2]["decisions"][0].update(transitions=-1), "must be a whole number"),
    ],
)
def test_wrong_types_are_answered_with_a_sentence(saved_before: Path, change: Any, answer: str) -> None:
    with pytest.raises(ValueError, match=answer):
        replay.load(changed(saved_before, change))


def in_base64(data: bytes) -> str:
    return base64.b64encode(data).decode()


@pytest.mark.parametrize(
    ("change", "answer"),
    [
        (lambda plain: plain.pop("history"), "history is missing"),
        (lambda plain: plain.update(history=[1]), "history must be a text"),
        (lambda plain: plain.update(history="?"), "history: "),
        (lambda plain: plain.update(history="é"), "history: "),
        (lambda plain: plain.update(history=in_base64(b"rubbish")), "history: this is no history"),
        (lambda plain: plain.update(history=plain["history"][:-4]), "do not agree with their checksum"),
        (
            lambda plain: plain.update(history=in_base64(_core.write_history(3, []))),
            "history: it is of 3 players, and there are 2 planners",
        ),
        (lambda plain: plain["steps"].pop(), r"steps must have \d+ entries, not"),
        (lambda plain: plain["steps"][2].update(names=["a", "b"]), "must have 1 entries, not 2"),
        (lambda plain: plain["steps"][2].update(decisions=[]), "must have 1 entries, not 0"),
        (lambda plain: plain["steps"].__setitem__(2, 3), r"steps\[2\] must be an object, not a number"),
    ],
)
def test_wrong_histories_are_answered_with_a_sentence(saved: Path, change: Any, answer: str) -> None:
    with pytest.raises(ValueError, match=answer):
        replay.load(changed(saved, change))


def test_a_history_of_another_game_does_not_fit() -> None:
    history = replay.of(kb.play("kuhn-poker", "random", seed=1)).history
    with pytest.raises(ValueError, match=r"step 1 of this history does not fit tic-tac-toe: others are to"):
        kb.Referee.from_history(kb.load("tic-tac-toe"), history)
    with pytest.raises(ValueError, match="this history is of 2 players, but tiger has 1"):
        kb.Referee.from_history(kb.load("tiger"), history)
    players, steps = _core.read_history(history)
    with pytest.raises(ValueError, match=r"step \d+ of this history does not fit .*: the game is over"):
        kb.Referee.from_history(kb.load("kuhn-poker"), _core.write_history(players, steps + steps[-1:]))
    with pytest.raises(ValueError, match="somebody moves who is none of the 2 players"):
        _core.write_history(2, [(0, [7], [1])])
    referee = kb.Referee.from_history(kb.load("kuhn-poker"), _core.write_history(players, steps[:3]))
    assert referee.history() == _core.write_history(players, steps[:3])


def test_a_history_of_a_game_in_python() -> None:
    game = kb.load(Coin())
    episode = kb.play(game, "random", seed=4)
    again = kb.Referee.from_history(kb.load(Coin()), replay.of(episode).history)
    assert (again.returns, again.over) == (episode.returns, True)


@pytest.mark.parametrize(
    "content", [b"", b"{", b"\xff\xfe", b"[]", b"NaN", b'{"schema": 1e999}', b"[" * 10**5]
)
def test_rubbish(content: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "rubbish.json"
    path.write_bytes(content)
    assert main(["replay", str(path)]) == 2
    err = capsys.readouterr().err
    assert "is no replay" in err
    assert err.count("\n") == 1


def test_too_large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replay, "LARGEST", 100)
    (tmp_path / "large.json").write_bytes(b" " * 101)
    with pytest.raises(ValueError, match="larger than"):
        replay.load(tmp_path / "large.json")


def test_no_file(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["replay", str(tmp_path / "none.json")]) == 2
    assert "No such file" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("change", "answer"),
    [
        (lambda plain: plain["steps"][2].update(names=["castle"]), "no legal action is called 'castle'"),
        (lambda plain: plain["steps"][2].update(rewards=[1.0, 2.0]), "it pays"),
        (lambda plain: plain["steps"].pop(0), "chance is to move"),
        (lambda plain: plain["steps"].pop(), "goes on from there"),
        (lambda plain: plain["steps"].append(plain["steps"][-1]), "the game is over before it"),
        (lambda plain: plain.update(game="tiger"), "has 2 seats, but tiger has 1"),
    ],
)
def test_a_game_that_no_longer_fits(saved_before: Path, change: Any, answer: str) -> None:
    kept = replay.load(changed(saved_before, change))
    with pytest.raises(ValueError, match=answer):
        list(kept.frames())


scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text()
anything = st.recursive(scalars, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner))


@given(anything, st.sampled_from([1, 2]), st.data())
def test_any_json_anywhere(value: Any, schema: int, data: st.DataObject) -> None:
    history = {} if schema == 1 else {"history": in_base64(KEPT.history)}
    plain = json.loads(json.dumps({"schema": schema, **asdict(KEPT), **history}))
    place: Any = plain
    while True:
        keys = list(place) if isinstance(place, dict) else list(range(len(place)))
        key = data.draw(st.sampled_from(keys))
        if not isinstance(place[key], dict | list) or not place[key] or data.draw(st.booleans()):
            break
        place = place[key]
    place[key] = value
    with contextlib.suppress(ValueError):  # and nothing else
        list(replay._replay(plain).frames())


KEPT = replay.of(kb.play("kuhn-poker", "pomcp(simulations=10)", seed=2))


# The page


class Loads(HTMLParser):
    """Collects what a page would load, and its tags."""

    def __init__(self) -> None:
        super().__init__()
        self.loads: list[str] = []
        self.tags: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        for name, value in attrs:
            if name in ("src", "href", "xlink:href", "data", "srcset", "action", "poster"):
                self.loads.append(value or "")


def read_page(page: str) -> Loads:
    reader = Loads()
    reader.feed(page)
    assert all(load.startswith(("data:", "#")) for load in reader.loads)
    assert not re.search(r"url\((?!['\"]?#)|@import", page)
    return reader


@pytest.mark.parametrize("game", GAMES)
def test_page(game: str, tmp_path: Path) -> None:
    planner = "uct(simulations=40)" if game == "tic-tac-toe" else "pomcp(simulations=40)"
    kept = replay.of(kb.play(game, planner, seed=1))
    page = replay_page(kept)
    reader = read_page(page)
    moves = sum(bool(move.movers) for move in kept.steps)
    dealt = bool(kept.steps) and not kept.steps[0].movers
    assert page.count('class="frame"') == moves + dealt + 1
    # Nothing is hidden but the controls, which need the script.
    assert len(re.findall(r"<[^>]* hidden", page)) == 1
    assert reader.tags.count("img") >= moves + 1
    assert "visits" in page


def test_page_without_pictures() -> None:
    kept = replay.of(kb.play(Coin(), "random", seed=4))
    game = kb.load(Coin())
    page = replay_page(kept, game)
    assert ("<pre>" in page) == (game.initial().svg() is None)


def test_page_escapes(saved: Path) -> None:
    bad = "<script>alert(1)</script>\"'&"

    def change(plain: Any) -> None:
        plain["planners"] = [bad, bad]
        plain["version"] = bad
        reasons = plain["steps"][2]["decisions"][0]
        reasons.update(name=bad, notes=[bad], line=[[0, bad], [1, bad]])
        reasons["table"][0]["name"] = bad

    page = replay_page(replay.load(changed(saved, change)))
    assert "alert(1)</script>" not in page
    assert page.count("&lt;script&gt;alert(1)") >= 7
    assert read_page(page).tags.count("script") == 1


def test_no_terminal_codes_from_a_file(saved: Path, capsys: pytest.CaptureFixture[str]) -> None:
    changed(saved, lambda plain: plain.update(planners=["\x1b[2Jpomcp\n", "\u202eevil"]))
    assert main(["replay", str(saved)]) == 0
    out = capsys.readouterr().out
    assert "\x1b" not in out
    assert "\u202e" not in out


def test_long_games_are_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    from kibitz.lab.reports import replay_section

    section = replay_section(replay.of(kb.play("tic-tac-toe", "random", seed=1)), most=2)
    assert section.count('class="frame"') == 3
    assert "more turns are not shown" in section


def test_html_file(saved: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", str(saved), "--html", str(tmp_path / "game.html")]) == 0
    read_page((tmp_path / "game.html").read_text())
    assert main(["replay", str(saved), "--html", str(tmp_path / "none" / "game.html")]) == 2
    assert "No such file" in capsys.readouterr().err


def test_replays_of_earlier_versions_are_read(saved: Path, saved_before: Path) -> None:
    assert replay.load(saved_before) == replay.load(saved)

    def strip(plain: dict[str, Any]) -> None:
        for step in plain["steps"]:
            for decision in step["decisions"]:
                del decision["transitions"], decision["counters"], decision["depth"]

    kept = replay.load(changed(saved, strip))
    decisions = [decision for step in kept.steps for decision in step.decisions]
    assert all(decision.transitions is decision.depth is None for decision in decisions)
