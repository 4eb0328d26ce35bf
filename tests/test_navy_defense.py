"""Navy Defense as a person meets it: agents, beliefs, the thesis' two stories, and what is refused."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

import kibitz as kb
from kibitz.cli import main
from kibitz.lab.reproduce import reproduce
from kibitz.lab.reproductions import load, read
from kibitz.testing import check_game

EXAMPLES = Path(__file__).parent.parent / "examples" / "navy-defense"
HINDSIGHT = "hindsight(belief=particles(100, weights=none))"


@pytest.fixture(scope="module")
def patrolling() -> ModuleType:
    """The example that measures patrolling."""
    spec = importlib.util.spec_from_file_location("patrolling", EXAMPLES / "patrolling.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def moves(episode: kb.Episode) -> list[str]:
    """What the Navy ship did."""
    return [step.names[0] for step in episode.steps if step.movers]


@pytest.mark.parametrize("behaviour", ["switching", "stubborn"])
def test_the_game_keeps_the_contract(behaviour: str) -> None:
    check_game(f"navy-defense(size=4, cargo=3, submarines=4, fewest=0, behaviour={behaviour})")


def test_planners_imagine_other_submarines_than_there_are() -> None:
    game = kb.load("navy-defense")
    for seed in range(3):
        implicit = kb.play(game, ["hindsight(belief=particles(30))"], seed=seed)
        explicit = kb.play(
            game, ["hindsight(belief=particles(30), model=navy-defense(behaviour=stubborn))"], seed=seed
        )
        assert implicit.returns == explicit.returns
    believed, true = (
        [moves(kb.play(game, [f"hindsight(model={model})"], seed=seed)) for seed in range(6)]
        for model in ("believed", "true")
    )
    assert believed != true


def test_who_sees_everything_is_better_than_who_does_nothing() -> None:
    game = kb.load("navy-defense")
    planners = ("omniscient(planner=hindsight)", "paranoid", "static")
    costs = [
        -sum(kb.play(game, [planner], seed=seed).returns[0] for seed in range(20)) for planner in planners
    ]
    assert costs[0] < costs[1] < costs[2]


def test_staying_still_until_both_cargo_ships_are_attacked() -> None:
    world = EXAMPLES / "surprise.txt"
    game = kb.load(f'navy-defense(submarines=2, fewest=0, world="{world}")')
    episode = kb.play(game, [HINDSIGHT], seed=0)
    costs = [0.0]
    for step in episode.steps:
        if step.movers:
            costs.append(0.0)
        costs[-1] -= step.rewards[0]
    # The first entry is from before the first decision.
    assert costs[1:3] == [0.0, 40.0], "both are hit in the second round"
    done = moves(episode)
    assert done[:2] == ["stay", "stay"]
    assert sum(move != "stay" for move in done[2:8]) >= 3


def test_patrolling_emerges(patrolling: ModuleType) -> None:
    game = kb.load("navy-defense")
    episode = kb.play(game, [HINDSIGHT], seed=44)
    course = patrolling.course(episode)
    assert len(course) == 31
    assert patrolling.rounds(course, 5) >= 1, "it goes all the way round, and nobody said so"
    went, strayed = (
        sum(
            patrolling.rounds(patrolling.course(kb.play(game, [planner], seed=seed)), 5)
            for seed in range(20)
        )
        for planner in (HINDSIGHT, "random")
    )
    assert went > strayed


def test_scripts_keep_their_rectangle(patrolling: ModuleType) -> None:
    game = kb.load("navy-defense(cargo=1, submarines=0, fewest=0)")
    for seed in range(8):
        course = patrolling.course(kb.play(game, ["patrol"], seed=seed))
        from_edge = {min(x, y, 4 - x, 4 - y) for x, y in course}
        assert len(from_edge) == 1
        back = patrolling.course(kb.play(game, ["patrol(counterclockwise)"], seed=seed))
        length = {0: 16, 1: 8, 2: 1}[from_edge.pop()]
        assert back[: length + 1] == course[: length + 1][::-1]
        # Nothing is ever attacked.
        assert patrolling.course(kb.play(game, ["reactive"], seed=seed)) == course
        assert set(moves(kb.play(game, ["static"], seed=seed))) == {"stay"}


def test_an_exact_belief_that_is_too_large_says_how_large() -> None:
    with pytest.raises(
        ValueError, match=r"more than 50 states of single pieces .*, at least about \d+; use"
    ):
        kb.play("navy-defense(size=9, submarines=3)", ["hindsight(belief=exact(50))"], seed=1)


def test_the_exact_belief_is_by_single_submarines() -> None:
    game = kb.load("navy-defense(size=7, cargo=4)")
    referee = kb.Referee(game, seed=3)
    belief = kb.Belief(game, "exact(100000)")
    belief.update(referee.view(0))
    counters = dict(belief.counters)
    assert counters["states of pieces"] < 200
    assert counters["states"] > 10_000, "one, two and three of them, anywhere"
    assert belief.states(1000) is None


def test_a_replay_shows_where_submarines_may_be(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, submarines, fewest in ("surprise", 2, 0), ("patrol", 2, 2):
        size, cargo = (5, 2) if name == "surprise" else (7, 2)
        spec = f"size={size}, cargo={cargo}, submarines={submarines}, fewest={fewest}, steps=8"
        game = f'navy-defense({spec}, world="{EXAMPLES / name}.txt")'
        kept, page = tmp_path / f"{name}.json", tmp_path / f"{name}.html"
        assert main(["watch", game, "--planner", HINDSIGHT, "--save", str(kept)]) == 0
        capsys.readouterr()
        # A game with a file of its own is not loaded because a replay says so.
        command = ["replay", str(kept), "--html", str(page), "--game", game]
        assert main([*command, "--belief", "particles(100)"]) == 0
        shown = page.read_text()
        assert shown.count('alt="what navy may believe: particles(100)"') == 8
        assert main(command) == 0
        assert "may believe" not in page.read_text()
    belief = kb.Belief(kb.load("navy-defense"), "particles(100)")
    with pytest.raises(ValueError, match="update first"):
        belief.svg()
    assert main(["replay", str(kept), "--belief", "particles(100)", "--game", game]) != 0
    assert "add --html OUT" in capsys.readouterr().err


def test_where_nothing_explains_what_was_seen_states_are_drawn_from_it() -> None:
    # Nobody is there in this model, and yet ships are hit.
    game = kb.load("navy-defense(size=5, cargo=4)")
    model = "navy-defense(size=5, cargo=4, submarines=0, fewest=0)"
    for belief in ("exact", "particles(20)"):
        episode = kb.play(game, [f"hindsight(belief={belief}, worlds=2, horizon=1, model={model})"], seed=1)
        notes = [note for step in episode.steps for each in step.decisions if each for note in each.notes]
        assert any("states drawn by the game" in note or "20 fresh ones" in note for note in notes)
        assert not any("at random" in note or "passed over" in note for note in notes)


@pytest.mark.parametrize(
    ("spec", "told"),
    [
        ("navy-defense(submarines=1, fewest=2)", "at least 2 submarines cannot be at most 1"),
        ("navy-defense(cargo_hit=-2)", "cargo_hit: -2 is out of range"),
        ("navy-defense(size=2)", "size: 2 is out of range"),
        ("navy-defense(world=nowhere.txt)", "nowhere.txt"),
        ("tic-tac-toe", "static is a planner of the game navy-defense alone"),
    ],
)
def test_what_cannot_be_is_refused(spec: str, told: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["match", spec, "static", "--games", "2"]) != 0
    assert told in capsys.readouterr().err


def test_a_published_order_is_compared_pair_by_pair(tmp_path: Path) -> None:
    file = tmp_path / "order.toml"
    file.write_text("""
[reproduction]
title = "t"
source = "s"
where = "w"
[experiment]
games = ["navy-defense"]
episodes = 40
planners = ["omniscient(planner=hindsight(worlds=5, horizon=3))", "static", "patrol"]
[[order]]
title = "who sees wins"
planners = ["omniscient(planner=hindsight(worlds=5, horizon=3))", "static"]
[[order]]
title = "nobody can tell"
claim = "alike"
planners = ["static", "static"]
[[order]]
title = "who does nothing takes no time"
measure = "CPU seconds"
planners = ["static", "omniscient(planner=hindsight(worlds=5, horizon=3))"]
""")
    found = reproduce(read(file), directory=tmp_path / "out")
    (better,), (alike,), (cheaper,) = found.orders
    assert cheaper.verdict == "as published"
    assert cheaper.cpu_difference is not None
    assert cheaper.difference.mean == pytest.approx(-cheaper.cpu_difference.mean)
    assert cheaper.cpu_difference.interval.high < 0
    assert {path.name for path in found.save_pictures(tmp_path)} == {"orders.png", "orders.svg"}
    assert better.verdict == "as published"
    assert better.difference.interval.low > 0
    assert better.means[0] - better.means[1] == pytest.approx(better.difference.mean)
    assert (alike.verdict, alike.p_value) == ("no difference found", 1)
    assert "1: omniscient" in str(found)
    assert found.to_json()["orders"][0]["pairs"][0]["deals"] == 40


def test_an_order_needs_two(tmp_path: Path) -> None:
    file = tmp_path / "order.toml"
    file.write_text(
        '[reproduction]\ntitle="t"\nsource="s"\nwhere="w"\n[[order]]\ntitle="x"\nplanners=["static"]\n'
    )
    with pytest.raises(ValueError, match="two or more, the best first"):
        read(file)


def test_figures_are_there() -> None:
    assert len(load("navy-figure-1-5").curves) == 2
    assert [order.claim for order in load("navy-figure-1-8").orders] == ["better", "alike", "alike"]
