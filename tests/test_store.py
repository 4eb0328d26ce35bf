"""The results folder: what survives, what is refused, and what is said about it."""

import json
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kibitz.cli import main
from kibitz.lab import Experiment, Fault, Record, StoreError, report, run, table
from kibitz.lab import store as stored
from kibitz.lab.cells import resolve
from kibitz.lab.results import TABLE, open_results, read, read_file, records_of, seal_of, tail
from kibitz.lab.store import Store, Writer


def experiment(episodes: int = 6) -> Experiment:
    return Experiment(
        "small", games=["kuhn-poker"], planners=["random", "uct(simulations=5)"], episodes=episodes
    )


@pytest.fixture
def lines(tmp_path: Path) -> Path:
    """A folder whose episodes are still lines: it was stopped before it was complete."""

    class Stop(Exception):
        pass

    def stop(coordinator: object) -> None:
        if coordinator.clock.done == 4:  # type: ignore[attr-defined]
            raise Stop

    with pytest.raises(Stop):
        run(experiment(), tmp_path, jobs=1, on_progress=stop)
    return tmp_path


def only_file(folder: Path) -> Path:
    (path,) = (folder / "episodes").glob("*.jsonl")
    return path


def rewrite(path: Path, change: Callable[[list[dict[str, Any]]], object]) -> None:
    """Changes the records of a file, which then has no seals, as files of earlier versions."""
    records = [json.loads(line) for line in path.read_text().splitlines()]
    for record in records:
        record.pop("seal", None)
    change(records)
    path.write_text("".join(json.dumps(record) + "\n" for record in records))


small = st.integers(0, 2**64 - 1)
figure = st.floats(allow_nan=False, allow_infinity=False, min_value=-1e200, max_value=1e200)
times = st.floats(0, 1e6).map(lambda value: round(value, 6))


@given(
    st.builds(
        Record,
        episode=small,
        seating=st.just((1, 0)),
        returns=st.tuples(figure, figure),
        steps=small,
        seconds=st.tuples(times, times),
        over=st.booleans(),
        moves=st.tuples(small, small),
        slowest=st.tuples(times, times),
        simulations=st.tuples(small, small),
        transitions=st.just(()) | st.tuples(small, small),
        fault=st.none()
        | st.builds(Fault, st.just("raised"), st.none() | st.integers(0, 1), st.just('x\n"é')),
        seed=small,
        game=st.just("tiger"),
        planners=st.just(("a", 'b(c="d")')),
        cell=st.just("abc"),
        version=st.just("0"),
    )
)
def test_records_survive_writing(record: Record) -> None:
    line = record.to_json()
    assert "\n" not in line
    back = Record.from_json(line)
    assert replace(back, fault=None) == replace(record, fault=None)
    assert (back.fault is None) == (record.fault is None)


def test_records_of_earlier_versions_are_read(lines: Path) -> None:
    path = only_file(lines)
    with_all = read(lines)
    rewrite(path, lambda records: [record.pop("transitions") for record in records])
    without = read(lines)
    assert without.drop("transitions").equals(with_all.drop("transitions"))
    assert [record.transitions for record in records_of(without)] == [()] * len(with_all)
    table = lines / TABLE
    without.drop("transitions").write_parquet(table)
    assert read_file(table).equals(without)


@given(st.binary(max_size=80) | st.text(max_size=80).map(str.encode))
def test_what_is_no_record_is_said(line: bytes) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 -- any sentence, but never another exception
        Record.from_json(line)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("schema", 2),
        ("schema", None),
        ("seating", [0, 5]),
        ("seating", []),
        ("returns", [1.0]),
        ("returns", None),
        ("returns", ["much"]),
        ("returns", [1e999, 0]),
        ("steps", -1),
        ("steps", 1.5),
        ("over", 1),
        ("episode", 2**64),
        ("fault", {"kind": "bored", "seat": 0, "what": ""}),
        ("fault", {"kind": "raised", "seat": 7, "what": ""}),
        ("planners", "random"),
        ("transitions", [1]),
        ("transitions", [1, -1]),
        ("cell", "another"),
    ],
)
def test_lines_that_cannot_be_are_refused(lines: Path, key: str, value: object) -> None:
    path = only_file(lines)
    rewrite(path, lambda records: records[1].update({key: value}))
    with pytest.raises(StoreError) as error:
        open_results(lines)
    assert f"{path}, line 2: " in str(error.value)
    assert "checksum" not in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        ("seating", [0, 0], r"nobody sits as in \[0, 0\] on deal 0 .*, but as in \[0, 1\], \[1, 0\]"),
        ("game", "leduc-poker", r'of "leduc-poker"; its cell \w+ plays kuhn-poker'),
        ("seed", 8, r"of seed 8; its cell \w+ has seed 0"),
        ("planners", ["uct(simulations=5)", "random"], r"in its cell \w+ play \[\"random"),
        ("episode", 3, r"on deal 3; its cell \w+ has 3, from 0"),
        ("cell", "another", r'of a cell "another", which experiment\.json does not have'),
    ],
)
def test_records_of_something_else_are_refused(lines: Path, key: str, value: object, words: str) -> None:
    """Each could be a record, but not one of its cell: in lines and in a table, read or played on."""
    path = only_file(lines)
    rewrite(path, lambda records: records[1].update({key: value}))
    frame = pl.read_ndjson(path, schema=read_file(path).schema) if key == "cell" else None
    for look in open_results, read, lambda folder: run(experiment(), folder, jobs=1):
        with pytest.raises(StoreError, match=words) as error:
            look(lines)
        assert str(error.value).startswith(f"{path}, line 2: ")
    if frame is not None:
        path.unlink()
        table.write(frame, lines / TABLE)
        with pytest.raises(StoreError, match=f"{TABLE}, row 2: .*{words}"):
            open_results(lines)


@pytest.mark.parametrize(("key", "value"), [("game", "leduc-poker"), ("seed", 8), ("planners", ["a", "b"])])
def test_a_lone_file_is_of_one_game_a_cell(lines: Path, key: str, value: object) -> None:
    path = only_file(lines)
    rewrite(path, lambda records: records[2].update({key: value}))
    with pytest.raises(StoreError, match=r"line 3: an episode of another game than others of its cell"):
        read_file(path)


def test_a_changed_digit_is_noticed(lines: Path) -> None:
    """Of every digit of a line there is, the seal's own among them; and where the seal is torn off."""
    path = only_file(lines)
    whole = path.read_bytes()
    second = whole.index(b"\n") + 1
    end = whole.index(b"\n", second)
    digits = [place for place in range(second, end) if whole[place : place + 1].isdigit()]
    assert len(digits) > 40
    for place in digits:
        other = b"%d" % ((int(whole[place : place + 1]) + 1) % 10)
        path.write_bytes(whole[:place] + other + whole[place + 1 :])
        with pytest.raises(StoreError, match="line 2: the line is not what was written"):
            read_file(path)
        with pytest.raises(ValueError, match="checksum differs"):
            tail(path, 0)
    path.write_bytes(whole[: end - 1].replace(b', "seal"', b', "seam"') + whole[end - 1 :])
    with pytest.raises(StoreError, match=r"line 1: it has no checksum, but line 3 has one"):
        open_results(lines)
    path.write_bytes(whole)
    assert open_results(lines).unsealed == ()


def test_a_changed_configuration_is_noticed(lines: Path) -> None:
    path = lines / "experiment.json"
    content = path.read_text()
    assert '"max_return": 2.0' in content
    path.write_text(content.replace('"max_return": 2.0', '"max_return": 3.0'))
    with pytest.raises(StoreError, match=r"experiment\.json is not what was written"):
        open_results(lines)


def test_what_has_no_checksum_is_read_and_said(lines: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = only_file(lines)
    rewrite(path, lambda records: None)
    configuration = lines / "experiment.json"
    plain = json.loads(configuration.read_text())
    del plain["seal"]
    configuration.write_text(json.dumps(plain))
    assert open_results(lines).unsealed == (configuration, path)
    assert "0001.jsonl without a checksum" in report(path).about["not checked"]
    main(["report", str(lines)])
    assert "Not checked: experiment.json, 0001.jsonl without a checksum" in capsys.readouterr().out
    # What is played now has one, and so has the table in the end.
    results = run(experiment(), lines, jobs=1)
    assert results.unsealed == (configuration,)
    assert len(results.frame()) == 6
    results.frame().write_parquet(lines / TABLE)
    assert open_results(lines).unsealed == (configuration, lines / TABLE)


def test_a_torn_line_is_played_again(lines: Path) -> None:
    whole = read(lines)
    path = only_file(lines)
    content = path.read_bytes()
    path.write_bytes(content[:-30])
    assert read(lines).equals(whole[:-1])
    assert len(tail(path, 0)) == len(whole) - 1
    results = run(experiment(), lines, jobs=1)
    assert len(results.frame()) == 6
    assert results.complete
    assert (
        results.frame()[:4]
        .drop("seconds", "slowest", "cpu", "busy")
        .equals(whole.drop("seconds", "slowest", "cpu", "busy"))
    )


def test_an_episode_counts_once(lines: Path) -> None:
    whole = read(lines)
    copy = lines / "episodes" / "0007.jsonl"
    copy.write_bytes(only_file(lines).read_bytes())
    assert read(lines).equals(whole)


def test_compaction(tmp_path: Path) -> None:
    results = run(experiment(), tmp_path, jobs=1)
    assert (tmp_path / "episodes.parquet").exists()
    assert not (tmp_path / "episodes").exists()
    assert sorted(results.frame()["episode"].to_list()) == [0, 0, 1, 1, 2, 2]
    # Again, nothing is left to play, and nothing changes.
    before = (tmp_path / "episodes.parquet").read_bytes()
    assert run(experiment(), tmp_path, jobs=1).frame().equals(results.frame())
    assert (tmp_path / "episodes.parquet").read_bytes() == before


def test_killed_between_compaction_and_tidying(lines: Path) -> None:
    content = only_file(lines).read_bytes()
    results = run(experiment(), lines, jobs=1)
    (lines / "episodes").mkdir(exist_ok=True)
    (lines / "episodes/0001.jsonl").write_bytes(content)
    assert open_results(lines).frame().equals(results.frame())
    assert run(experiment(), lines, jobs=1).frame().equals(results.frame())
    assert not list((lines / "episodes").glob("*")) if (lines / "episodes").exists() else True


def test_another_experiment_is_refused(lines: Path) -> None:
    with pytest.raises(StoreError, match=r"another experiment \(episodes: 6 there, 8 here\)"):
        run(experiment(8), lines)
    with pytest.raises(StoreError, match="max_steps"):
        run(replace(experiment(), max_steps=3), lines)


def test_another_version_is_refused(lines: Path) -> None:
    path = lines / "experiment.json"
    plain = json.loads(path.read_text()) | {"version": "0.0.1"}
    path.write_text(json.dumps(plain | {"seal": seal_of(plain)}))
    with pytest.raises(StoreError, match=r"begun with kibitz 0\.0\.1"):
        run(experiment(), lines)
    assert open_results(lines).version == "0.0.1"


def test_strangers_files_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("years of work")
    with pytest.raises(StoreError, match=r"holds other files \(thesis\.tex\)"):
        run(experiment(), tmp_path)
    assert os.listdir(tmp_path) == ["thesis.tex"]


def test_one_run_at_a_time(tmp_path: Path) -> None:
    pytest.importorskip("fcntl")
    with Store(tmp_path, resolve(experiment())), pytest.raises(StoreError, match="another run is writing"):
        run(experiment(), tmp_path)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", "not JSON"),
        ("[" * 100_000, "not JSON"),
        ("[]", "no configuration"),
        ('{"schema": 99}', "schema 99"),
        ('{"schema": 1}', "experiment"),
        ('{"schema": 1, "experiment": {"experiment": {"name": "a/b"}}}', "folder"),
        ('{"schema": 1, "experiment": {}, "games": {"tiger": {}}, "cells": []}', "players"),
        ('{"schema": 1, "experiment": {}, "games": {}, "cells": [{"id": 3}]}', "cells"),
    ],
)
def test_configurations_that_cannot_be(lines: Path, content: str, words: str) -> None:
    (lines / "experiment.json").write_text(content)
    with pytest.raises(StoreError, match=words):
        open_results(lines)


def test_tables_that_cannot_be(tmp_path: Path) -> None:
    frame = run(experiment(), tmp_path, jobs=1).frame()
    path = tmp_path / "episodes.parquet"
    for wrong, words in (
        (frame.drop("steps"), "as this version of kibitz writes them"),
        (frame.with_columns(pl.lit(2, pl.UInt64).alias("schema")), "cannot be"),
        (frame.with_columns(pl.lit(None, pl.String).alias("game")), "cannot be"),
    ):
        wrong.write_parquet(path)
        with pytest.raises(StoreError, match=words):
            open_results(tmp_path)
    path.write_bytes(b"nothing of the kind")
    with pytest.raises(StoreError, match="cannot be read"):
        open_results(tmp_path)


def test_no_results(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="holds no results of an experiment"):
        open_results(tmp_path)
    assert stored.open is open_results


def test_a_worker_never_writes_into_a_file_that_is_there(tmp_path: Path) -> None:
    writer = Writer(tmp_path / "0001.jsonl")
    with pytest.raises(FileExistsError):
        Writer(tmp_path / "0001.jsonl")
    writer.close()
    assert os.listdir(tmp_path) == []
