"""Files that users name: what is read is bounded and regular, what cannot be written is named."""

import os
import random
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

import kibitz as kb
from kibitz import _files
from kibitz.cli import main
from kibitz.lab import Experiment, read_toml, replay, run, table
from kibitz.lab.results import StoreError, open_results, read_file

READERS: dict[str, Callable[[str], object]] = {
    "strategy": kb.Strategy.load,
    "tabular": lambda path: kb.planner(f'tabular(file="{path}")'),
    "replay": replay.load,
    "experiment": read_toml,
    "episodes": read_file,
    "network": kb.learn.Net.load,
    "evaluator": lambda path: kb.planner(f'uct(evaluator="{path}")'),
    "position": lambda path: kb.load(f'klondike(position="{path}")'),
}


@pytest.fixture
def pipe(tmp_path: Path) -> str:
    """Nobody writes into it: who opens it waits for ever."""
    os.mkfifo(tmp_path / "pipe.kif")
    return str(tmp_path / "pipe.kif")


@pytest.mark.parametrize("reader", READERS)
def test_only_regular_files_are_read(reader: str, pipe: str) -> None:
    for path in ("/dev/zero", pipe):
        with pytest.raises(ValueError, match=r"regular file|there is no file"):
            READERS[reader](path)


def test_rules_are_regular_files(pipe: str) -> None:
    with pytest.raises(ValueError, match="it is a pipe or a socket, not a regular file"):
        kb.load(pipe)


def test_reading_ends(tmp_path: Path) -> None:
    path = tmp_path / "long"
    path.write_bytes(b"x" * 11)
    assert _files.read(path, 11) == b"x" * 11
    assert _files.read(path, 5, beyond=True) == b"x" * 6
    with pytest.raises(ValueError, match="long is larger than 10 bytes, so it is not read"):
        _files.read(path, 10)


FULL = pytest.mark.skipif(
    not os.path.exists("/dev/full"), reason="this system has no disk that is always full"
)


@FULL
@pytest.mark.parametrize(
    "words",
    [
        ["watch", "tic-tac-toe", "--planner", "random", "--save"],
        ["solve", "kuhn-poker", "--method", "cfr", "--iterations", "2", "--save"],
        ["replay", "game.json", "--html"],
    ],
    ids=["replay", "strategy", "page"],
)
def test_a_full_disk_names_the_file(
    words: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    replay.save(kb.play("tic-tac-toe", "random"), "game.json")
    (tmp_path / "out").symlink_to("/dev/full")
    assert main([*words, "out"]) == 2
    assert capsys.readouterr().err == "kibitz: out: No space left on device\n"


def test_what_was_there_stays_until_the_new_file_is_complete(tmp_path: Path) -> None:
    path, link = tmp_path / "file", tmp_path / "link"
    path.write_text("before")
    link.symlink_to(path)
    _files.write(link, "after")
    assert path.read_text() == "after"
    assert link.is_symlink()
    with pytest.raises(FileNotFoundError, match="nowhere/file"):
        _files.write(tmp_path / "nowhere/file", "")
    assert {each.name for each in tmp_path.iterdir()} == {"file", "link"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("results")
    run(
        Experiment("damage", games=["kuhn-poker"], planners=["random", "uct(simulations=2)"], episodes=20),
        folder,
    )
    return folder


def test_a_damaged_table_is_a_sentence(folder: Path, tmp_path: Path) -> None:
    """Of these, the library below took some for other episodes, and some ended the whole process."""
    whole = (folder / "episodes.parquet").read_bytes()
    frame = read_file(folder / "episodes.parquet")
    path = tmp_path / "episodes.parquet"
    rng = random.Random(4)
    for _ in range(300):
        damaged = bytearray(whole)
        for _ in range(rng.choice([1, 1, 3])):
            # But for the seal itself: what has none is told apart elsewhere.
            place = rng.randrange(len(whole))
            damaged[place] ^= rng.randrange(1, 256)
        if rng.random() < 0.2:
            del damaged[rng.randrange(len(whole)) :]
        if table.SEAL not in damaged:
            continue
        path.write_bytes(damaged)
        with pytest.raises(StoreError, match=r"damaged|cannot be read"):
            read_file(path)
    path.write_bytes(whole)
    assert read_file(path).equals(frame)
    assert pl.read_parquet(path).equals(frame)  # a seal is nothing to other readers


def test_a_damaged_table_of_a_folder_is_a_sentence(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    copy = tmp_path / "copy"
    copy.mkdir()
    (copy / "experiment.json").write_bytes((folder / "experiment.json").read_bytes())
    whole = (folder / "episodes.parquet").read_bytes()
    (copy / "episodes.parquet").write_bytes(whole[:100] + b"?" + whole[101:])
    with pytest.raises(StoreError, match="is damaged: it is not what was written"):
        open_results(copy)
    assert main(["report", str(copy)]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_a_table_without_a_seal_may_take_another_process_with_it(folder: Path, tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    frame = read_file(folder / "episodes.parquet")
    frame.write_parquet(path)
    assert read_file(path).equals(frame)
    whole = path.read_bytes()
    # The footer says that it is as long as the file: the library below gives up, one way or another.
    path.write_bytes(whole[:-8] + (len(whole) - 8).to_bytes(4, "little") + whole[-4:])
    with pytest.raises(StoreError, match="cannot be read"):
        read_file(path)
