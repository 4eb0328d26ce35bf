"""Networks that judge states: taught by games, saved, and asked by searches."""

from __future__ import annotations

from pathlib import Path

import pytest

import kibitz as kb
from kibitz.cli import main
from kibitz.learn import Net, Progress, teach
from tables import cases

GAME = "tic-tac-toe.kif"


@pytest.fixture(scope="module")
def net() -> Net:
    return teach(GAME, games=3000, units=32, explore=0.1, seed=1)


def test_what_was_learned_beats_chance(net: Net, tmp_path: Path) -> None:
    """One simulation an action: all that is known is what the network says."""
    file = tmp_path / "x.net"
    net.save(file)
    result = kb.match(GAME, [f"uct(evaluator='{file}', simulations=10)", "random"], games=100, seed=3)
    learned = result.standings[0].mean_return
    assert result.standings[0].planner.startswith("uct")
    assert learned > 75, learned


@pytest.mark.parametrize("transitions", [0, 50])
def test_the_same_seed_teaches_the_same(transitions: int) -> None:
    def run(seed: int, threads: int) -> bytes:
        return teach(GAME, games=100, units=32, seed=seed, threads=threads, transitions=transitions).data

    assert run(2, 1) == run(2, 2) == run(2, 1)
    assert run(2, 1) != run(3, 1)


def test_one_goes_on_where_one_was(net: Net) -> None:
    made: list[Progress] = []
    teach(GAME, games=100, units=32, start=net, progress=lambda progress, _: made.append(progress))
    assert [progress.games for progress in made] == list(range(2, 101, 2))
    fresh: list[Progress] = []
    teach(GAME, games=100, units=32, progress=lambda progress, _: fresh.append(progress))
    assert sum(each.loss for each in made) < sum(each.loss for each in fresh)


def test_strides_of_klondike_are_learned(tmp_path: Path) -> None:
    game = "klondike(reading=naive)"
    teach(game, games=20, units=32, macro_actions=True).save(tmp_path / "k.net")
    spec = f"macro-uct(evaluator='{tmp_path / 'k.net'}', playout=evaluator, simulations=20)"
    assert kb.play(game, spec, seed=1).returns[0] in (0.0, 1.0)


@cases(
    "game what",
    """
    tic-tac-toe | what is true of its states
    klondike(reading=naive) | learn with macro-actions
    kriegspiel-tic-tac-toe.kif | atoms
    bidding-tic-tac-toe.kif | move at once
    """,
)
def test_games_that_cannot_be_learned_are_refused(game: str, what: str) -> None:
    with pytest.raises(ValueError, match=what):
        teach(game, games=10)


def test_a_search_chooses_the_moves() -> None:
    """Without having learned anything, who looks further ahead takes more pegs."""

    def mean(transitions: int) -> float:
        made: list[Progress] = []
        teach(
            "peg-solitaire.kif",
            games=20,
            units=32,
            transitions=transitions,
            progress=lambda each, _: made.append(each),
        )
        return sum(each.mean for each in made) / len(made)

    assert mean(300) > mean(0) + 0.05


def test_wrong_sizes_are_refused() -> None:
    with pytest.raises(ValueError, match="33"):
        teach(GAME, games=10, units=33)
    with pytest.raises(ValueError, match="at least one game"):
        teach(GAME, games=0)


def test_files_that_are_no_networks_are_refused(net: Net, tmp_path: Path) -> None:
    bad = tmp_path / "bad.net"
    for data in (b"", b"GIF89a", net.data[:20], net.data[:-1], net.data + b"x"):
        bad.write_bytes(data)
        with pytest.raises(ValueError, match=r"bad\.net"):
            kb.planner(f"uct(evaluator='{bad}')")
        with pytest.raises(ValueError, match=r"start: .* kibitz learn makes one"):
            teach(GAME, games=10, start=Net(data))
    with pytest.raises(ValueError, match="cannot be read"):
        kb.planner("uct(evaluator='missing.net')")
    net.save(bad)
    with pytest.raises(ValueError, match="taught a game of 2 players"):
        kb.play("connect-four.kif", [f"uct(evaluator='{bad}')", "random"])
    with pytest.raises(ValueError, match="another"):
        teach("connect-four.kif", games=10, start=net)


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "x.net"
    assert main(["learn", GAME, str(file), "--games", "100", "--units", "32"]) == 0
    out = capsys.readouterr().out
    assert f"uct(evaluator={file}) judges by it" in out
    assert main(["learn", GAME, str(file), "--games", "50", "--units", "32", "--start", str(file)]) == 0
    search = ["--transitions", "50", "--trust", "0.8", "--rate", "0.0005"]
    assert main(["learn", GAME, str(file), "--games", "50", "--start", str(file), *search]) == 0
    assert main(["learn", GAME, str(file), "--trust", "1.5"]) == 2
    assert "1.5 is out of range: 0 to 1" in capsys.readouterr().err
    assert main(["learn", GAME, str(tmp_path / "no" / "x.net"), "--games", "50"]) == 2
    assert "there is no folder" in capsys.readouterr().err
    assert main(["learn", GAME, str(file), "--start", str(tmp_path / "none.net")]) == 2
    assert "cannot be read" in capsys.readouterr().err
    assert main(["learn", "leduc-poker", str(file)]) == 2
    assert "what is true of its states" in capsys.readouterr().err
