"""Video games: those that come with the package, and what is said of files that are none."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

import kibitz as kb
from golden_files import check_golden
from kibitz.cli import main
from kibitz.lab import replay
from kibitz.lab.reports import replay_page
from kibitz.lang import FOLDER, check, games_in, machine, shipped_rules, trial
from kibitz.testing import check_game
from rule_texts import GOAL as RULES

SHIPPED = [entry.name for entry in shipped_rules() if entry.name.endswith(".vgdl")]
LEVELS = [f"{name}(level={level})" for name in SHIPPED for level in range(3)]
LEVEL = "wwwww\nwA.gw\nwwwww\n"


def write(folder: Path, rules: str = RULES, level: str = LEVEL) -> str:
    (folder / "mine.vgdl").write_text(rules)
    (folder / "mine_lvl0.txt").write_text(level)
    return str(folder / "mine.vgdl")


def test_each_game_has_three_levels() -> None:
    assert len(SHIPPED) >= 12
    assert all((FOLDER / f"{name[:-5]}_lvl{level}.txt").is_file() for name in SHIPPED for level in range(3))


@pytest.mark.parametrize("name", LEVELS)
def test_nothing_is_wrong(name: str) -> None:
    assert [finding.text for finding in check(name)] == []


@pytest.mark.parametrize("name", SHIPPED)
def test_the_contract_is_kept(name: str) -> None:
    assert check_game(name, episodes=2, max_steps=60).passed


@pytest.mark.parametrize("name", SHIPPED)
def test_golden_playthroughs(name: str) -> None:
    check_golden(name)


def test_a_game_is_won_and_pays_for_it(tmp_path: Path) -> None:
    game = kb.load(write(tmp_path))
    state = game.initial()
    total = 0.0
    for _ in range(2):
        right = next(action for action in state.legal(0) if state.action_name(0, action) == "right")
        state, rewards = state.step([right])
        total += rewards[0]
    assert state.over
    assert total == 10_000_001.0


@pytest.mark.parametrize(
    "planner",
    ["iw", "iw(2)", "brfs", "one-look", "uct(simulations=50)", "nmc(1, horizon=10)"],
)
def test_planners_play_where_nothing_is_random(planner: str, tmp_path: Path) -> None:
    played = kb.play(write(tmp_path, level="wwwww\nw.Agw\nwwwww\n"), planner, seed=1)
    assert played.returns == [10_000_001.0]


@pytest.mark.parametrize(
    "planner", ["iw(transitions=300)", "brfs(transitions=100)", "one-look", "uct(simulations=20)"]
)
def test_planners_know_the_state_where_chance_draws_seeds(planner: str) -> None:
    referee = kb.Referee(kb.load("goose-chase.vgdl"))
    decision = kb.advise("goose-chase.vgdl", referee.view(0), planner)
    assert decision.table
    assert not any("random" in note for note in decision.notes)


def test_a_page_says_what_was_paid_to_the_last_point(tmp_path: Path) -> None:
    page = replay_page(replay.of(kb.play(write(tmp_path), "iw", seed=1)))
    assert "player 1 gets +10000001" in page


def test_iw_finds_what_one_look_does_not(tmp_path: Path) -> None:
    far = (
        "wwwwwwwwwwww\nwg.......w.w\nw.wwwwww.w.w\nw......w...w\nwwwwww.www.w\nw.........Aw\nwwwwwwwwwwww\n"
    )
    game = write(tmp_path, level=far)
    played = kb.play(game, "iw(1, transitions=1000)", seed=1)
    assert played.returns == [10_000_001.0]


BAD = {
    "": "no-game",
    "(role white)": "no-game",
    "BasicGame\n  Sprites\n": "unknown-section",
    RULES.replace("Immovable", "Imovable"): "unknown-class",
    RULES.replace("stepBack", "stepback"): "unknown-effect",
    RULES.replace("scoreChange", "score"): "unknown-parameter",
    RULES.replace("stype=goal", "stype=gaol"): "unknown-type",
    RULES.replace("goal > Imm", "goal > Immovable\n        goal > Imm"): "twice",
    RULES.replace("    LevelMapping", "      LevelMapping"): "indentation",
    RULES.replace("SpriteCounter stype", "SpriteCount stype"): "unknown-termination",
    RULES.replace("goal avatar > killSprite", "goal avatar > transformTo"): "missing-parameter",
    RULES.replace("win=True", "win=Maybe"): "value",
    RULES.replace("goal > Immovable", "goal Immovable"): "shape",
    RULES.replace("goal > Immovable", "goal > Immovable\n        ghost > Missile"): "never-created",
    RULES.replace(
        "goal > Immovable", "goal > Immovable" + "".join(f"\n        t{n} > Missile" for n in range(5_000))
    ): "too-many",
    RULES.replace(
        "goal > Immovable", "goal > Immovable" + "".join(f"\n{' ' * n}t{n} >" for n in range(9, 99))
    ): "too-deep",
}


@pytest.mark.parametrize("rules", BAD)
def test_bad_rules_are_told_with_their_place(rules: str, tmp_path: Path) -> None:
    found = check(write(tmp_path, rules))
    assert BAD[rules] in {finding.code for finding in found}, [finding.text for finding in found]


def test_what_is_no_text_is_told_with_its_place(tmp_path: Path) -> None:
    path = write(tmp_path)
    Path(path).write_bytes(RULES.encode() + b"\xff\xfe")
    assert [finding.code for finding in check(path)] == ["not-text"]
    with pytest.raises(ValueError, match=r"stops being UTF-8.*\n.*mine\.vgdl:11"):
        kb.load(path)


@pytest.mark.parametrize(
    ("level", "code"),
    [
        ("", "empty-level"),
        ("wwww\nw.gw\nwwww\n", "no-avatar"),
        ("wwwww\nwA?gw\n", "unknown-character"),
        ("wwwww\nwA.g....w\n", "ragged-level"),
        ("wwwww\nwA.g\nwwwww\n", "ragged-level"),
        ("wwwww\nwAAgw\n", "several-avatars"),
        ("w" * 20_000, "level-size"),
    ],
)
def test_bad_levels_are_told(level: str, code: str, tmp_path: Path) -> None:
    assert code in {finding.code for finding in check(write(tmp_path, level=level))}


def test_the_second_avatar_is_shown_where_it_stands(tmp_path: Path) -> None:
    [finding] = check(write(tmp_path, level="wwwww\nwA.gw\nw..Aw\nwwwww\n"))
    assert "there are 2 avatars" in finding.text
    assert "mine_lvl0.txt:3:4" in finding.text


def test_a_level_that_is_missing_is_told_with_those_that_are_there(tmp_path: Path) -> None:
    path = write(tmp_path)
    with pytest.raises(ValueError, match=r"needs mine_lvl7.txt beside it.*did you mean mine_lvl0.txt"):
        kb.load(f"{path}(level=7)")
    (tmp_path / "mine_lvl0.txt").unlink()
    with pytest.raises(ValueError, match=r"mine.vgdl needs mine_lvl0.txt beside it: No such file"):
        kb.load(path)
    with pytest.raises(ValueError, match=r"none.vgdl cannot be read: No such file"):
        kb.load(f"{tmp_path}/none.vgdl")


def test_a_game_that_spawns_without_end_is_bounded(tmp_path: Path) -> None:
    rules = RULES.replace("goal > Immovable", "goal > SpawnPoint stype=goal")
    moment = machine(write(tmp_path, rules) + "(limit.sprites=100)").initial()
    counts, notes = [], []
    for _ in range(20):
        moment, _ = moment.advance(["wait", "0"][: len(moment.legal)])
        counts.append(sum(fact.startswith("goal") for fact in moment.facts))
        notes.append(moment.note)
    walls = 12
    assert counts[:3] == [2, 4, 8]
    assert counts[-1] == 100 - walls - 1
    assert notes[0] is None
    assert notes[-1] == "there are 100 sprites (limit.sprites), and no more are born"


def test_random_bytes_are_no_game(tmp_path: Path) -> None:
    rng = random.Random(1)
    for _ in range(200):
        words = RULES.split(" ")
        for _ in range(3):
            words[rng.randrange(len(words))] = rng.choice(
                ["", ">", "\t", "stype=", "=", "EOS", "avatar", "\n", "é"]
            )
        path = write(tmp_path, " ".join(words))
        check(path)


def test_files_in_the_naming_of_the_framework(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "mine.txt").write_text(RULES)
    for level in range(2):
        (tmp_path / f"mine_lvl{level}.txt").write_text(LEVEL)
    (tmp_path / "notes.txt").write_text("no rules")
    assert list(games_in(tmp_path)) == ["mine"]
    assert kb.load(f"{tmp_path}/mine.txt(level=1)").info.players == 1
    folder = str(tmp_path)
    assert main(["check", "mine(level=1)", "--rules", folder, "--play", "2"]) == 0
    assert main(["match", "mine", "random", "--rules", folder, "--games", "2"]) == 0
    assert main(["watch", "mine", "--planner", "iw", "--rules", folder]) == 0
    assert "score 1: won" in capsys.readouterr().out
    assert main(["watch", "mien", "--rules", folder]) == 2
    assert "did you mean mine?" in capsys.readouterr().err
    with pytest.raises(
        ValueError, match=r"mine_lvl1.txt is a level; its rules are mine.txt: mine.txt\(level=1\)"
    ):
        kb.load(f"{tmp_path}/mine_lvl1.txt")


@pytest.mark.parametrize(
    ("rules", "code", "words"),
    [
        (
            RULES.replace("        goal avatar > killSprite scoreChange=1\n", ""),
            "never-holds",
            "nothing takes them",
        ),
        (
            RULES.replace("        goal avatar > killSprite scoreChange=1\n", ""),
            "endless",
            "can end this game",
        ),
        (
            RULES.replace("limit", "").replace("stype=goal win", "stype=goal limit=-1 win"),
            "never-holds",
            "fewer",
        ),
        (
            RULES.replace("avatar wall > st", "goal EOS > killSprite\n        avatar wall > st"),
            "never-fires",
            "leaves",
        ),
        (RULES.replace("goal > Imm", "goal >\n            goal > Imm"), "twice", "stands under itself"),
    ],
)
def test_what_can_never_be_is_told(rules: str, code: str, words: str, tmp_path: Path) -> None:
    found = {finding.code: finding.message for finding in check(write(tmp_path, rules))}
    assert words in found[code], found


def test_random_games_show_what_never_happens_and_what_grows_without_end(tmp_path: Path) -> None:
    spec = write(tmp_path, RULES.replace("avatar wall", "goal goal > killSprite\n        avatar wall"))
    found = trial.play(spec, 3)
    assert len(found.lengths) == 3
    assert (found.flaws, found.idle) == ([], [7])
    endless = RULES.replace("goal > Immovable", "goal > Immovable\n        egg > SpawnPoint stype=egg")
    spec = write(tmp_path, endless.replace("g > goal", "g > goal egg").replace("goal avatar", "egg avatar"))
    found = trial.play(f"{spec}(limit.sprites=500)", 2, steps=50)
    assert {flaw.code for flaw in found.flaws} == {"full", "no-end"}
