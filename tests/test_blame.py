"""Mistakes are blamed on whom they belong to: what users wrote or called, with file and line."""

import re
from pathlib import Path

import pytest

import kibitz as kb
from kibitz.cli import main
from kibitz.cli._errors import sentence
from kibitz.lab import Experiment, run

PLANNER = """import kibitz as kb

class Mine(kb.PlannerBase):
    '''Mine.'''
    {attribute}

    def act(self, view):
        {body}
"""
FINE = "return kb.Decision(view, view.legal()[0])"

# What is wrong, an attribute or method of the class, the body of `act`, what is said, on which line.
PLANNERS = {
    "a number": ("pass", "return 3", r"Mine\.act .* answered 3; it should return a kibitz.Decision", 7),
    "nothing": ("pass", "pass", r"answered None; it should return a kibitz.Decision", 7),
    "a pair": ("pass", "return (0, 'a1')", r"answered \(0, 'a1'\); it should return", 7),
    "a name": ("pass", "return kb.Decision(view, 'a1')", "action should be the number of an action", 8),
    "below zero": ("pass", "return kb.Decision(view, -1)", "-1 is not one of the view's legal actions", 8),
    "no table": ("pass", "return kb.Decision(view, 0, 5)", "table should be a list of .action, value", 8),
    "a note": ("pass", "return kb.Decision(view, 0, notes='x')", "notes should be a list of texts", 8),
    "no view": ("pass", "return kb.Decision(3, 0)", "view should be the view that was given, not 3", 8),
    "raises": ("pass", "return 1 / 0", "ZeroDivisionError: division by zero", 8),
    "a call": ("pass", "kb.match('kuhn-poker', 'pomcp')", "planners should be a list .* not 'pomcp'", 8),
    "start": ("def start(self, game): pass", FINE, r"Mine\.start\(\) takes 2 positional arguments", 5),
    "act": ("def start(self, game, seat, seed): self.act = lambda: 3", FINE, "takes 0 positional", 5),
    "params": ("params = {'depth': 3}", FINE, "Mine.params should be a dict from the names", 3),
    "a list": ("params = ['depth']", FINE, "Mine.params should be a dict from the names", 3),
    "name": ("name = 5", FINE, "Mine.name should be a text, not 5", 3),
    "name of two words": ("name = 'a b'", FINE, "'a b' cannot be a planner's name", 3),
    "spec": ("spec = 5", FINE, "has 5 as its spec, which should be a text", 3),
}


@pytest.mark.parametrize("command", ["watch", "match"])
@pytest.mark.parametrize("case", PLANNERS)
def test_planners(
    case: str,
    command: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    attribute, body, words, line = PLANNERS[case]
    Path("mine.py").write_text(PLANNER.format(attribute=attribute, body=body))
    if command == "watch":
        code = main(["watch", "tic-tac-toe", "--planner", "mine.py"])
    else:
        code = main(["match", "tic-tac-toe", "mine.py", "random", "--games", "2"])
    err = capsys.readouterr().err
    assert code == 2
    assert re.search(words, err), err
    assert f"mine.py, line {line}" in err
    assert "fault in kibitz" not in err


GAME = """import kibitz as kb

class Mine(kb.Rules):
    '''Mine.'''
    min_return, max_return = 0, 1
    {attribute}
    def initial(self): return 0
    def turn(self, state): return kb.OVER if state == 2 else 0
    def legal(self, state, player): return ["a", "b"]
    def step(self, state, joint): return state + 1, 0.5
    {method}
"""

GAMES = {
    "players": ("players = 'two'", "", "Mine.players should be a whole number from 1 to 32, not 'two'", 3),
    "return": ("max_return = None; horizon = 1.5", "", "Mine.horizon should be a positive whole number", 3),
    "params": ("params = 5", "", "Mine.params should be a dict", 3),
    "turn": ("", "def turn(self, state): return 'me'", "Mine.turn returned 'me'; it should return", 11),
    "arguments": ("", "def turn(self): return 0", r"Mine.turn\(\) takes 1 positional argument", 11),
    "legal": (
        "",
        "def legal(self, state, player): return 3",
        "Mine.legal returned 3; it should",
        11,
    ),
    "step": ("", "def step(self, state, joint): return 5", "Mine.step returned 5; it should return", 11),
    "nan": (
        "",
        "def step(self, state, joint): return 2, float('nan')",
        "it returned nan; it should be",
        11,
    ),
    "raises": (
        "",
        "def step(self, state, joint): return state + joint, 0",
        "step raised TypeError",
        11,
    ),
}


@pytest.mark.parametrize("case", GAMES)
def test_games(
    case: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    attribute, method, words, line = GAMES[case]
    Path("mine.py").write_text(GAME.format(attribute=attribute, method=method))
    assert main(["watch", "mine.py", "--planner", "random"]) == 2
    err = capsys.readouterr().err
    assert re.search(words, err), err
    assert f"mine.py, line {line}" in err
    assert "fault in kibitz" not in err


def test_a_spec_gives_what_the_annotations_ask_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    takes = "def __init__(self, depth: int = 1, rate: float | None = None, odd: 'Nobody' = 0, any=0): pass"
    Path("mine.py").write_text(PLANNER.format(attribute=takes, body=FINE))
    for fine in ("", "depth=3", "2", "rate=1", "rate=0.5", "odd=abc", "any=abc"):
        assert main(["watch", "tic-tac-toe", "--planner", f"mine.py({fine})"]) == 0
    capsys.readouterr()
    for wrong, words in {
        "depth=abc": "mine.py: depth should be a whole number, not 'abc'",
        "0.5": "mine.py: depth should be a whole number, not 0.5",
        "rate=abc": "mine.py: rate should be a number or None, not 'abc'",
    }.items():
        assert main(["watch", "tic-tac-toe", "--planner", f"mine.py({wrong})"]) == 2
        assert words in capsys.readouterr().err


VIEW = kb.Referee(kb.load("tiger")).view(0)
CALLS = {
    'kb.match("kuhn-poker", "pomcp")': "match: planners should be a list",
    'kb.match("kuhn-poker", [kb.planner("random")])': "planners should be a list",
    'kb.match("kuhn-poker", ["random"], games="9")': "games should be a whole number, not '9'",
    'kb.match("kuhn-poker", ["random"], games=2.5)': "games should be a whole number, not 2.5",
    'kb.play("kuhn-poker", 5)': "expected a planner or its spec, not 5",
    'kb.play("tiger", kb.PlannerBase)': "expected a planner or its spec",
    'kb.play("tiger", "random", seed="x")': "play: seed should be a whole number, not 'x'",
    'kb.play("tiger", "random", max_steps="x")': "max_steps should be a whole number or None",
    'kb.play("tiger", "random", on_move=3)': "on_move should be a function or None, not 3",
    'kb.play("tiger")': r"play\(\) missing 1 required positional argument: 'planners'",
    'kb.advise("tiger", 5, "random")': "advise: view should be a view, as Referee.view gives it",
    'kb.advise("tiger", VIEW, "uct", seconds="x")': "seconds should be a number or None, not 'x'",
    'kb.solve("tiger", max_states="x")': "max_states should be a whole number, not 'x'",
    'kb.equilibrium("kuhn-poker", method=5)': "method should be a text, not 5",
    'kb.exploitability("kuhn-poker", 5)': "who should be a planner, its spec, or a strategy",
    'kb.learn.teach("tiger", games="x")': "teach: games should be a whole number, not 'x'",
    "kb.lab.report(5)": "report: results should be a folder or a file of results",
    'kb.lab.run("x", "folder")': "experiment should be an Experiment or a Plan, not 'x'",
    'kb.lab.run(Experiment("x"), 5)': "directory should be a text or a path, not 5",
    'kb.lab.Experiment("x", games="tiger")': r"games should be a list, such as \['tiger'\]",
    'kb.lab.Experiment("x", episodes="2")': "episodes should be a whole number, not '2'",
}


@pytest.mark.parametrize("call", CALLS)
def test_calls(call: str) -> None:
    with pytest.raises(TypeError, match=CALLS[call]) as raised:
        eval(call)
    # Called from a user's file, it is that file's line.
    users, said = sentence(raised.value)
    assert users
    assert "test_blame.py, line" in said


def test_a_wrong_planner_of_an_experiment(tmp_path: Path) -> None:
    experiment = Experiment("x", games=["tiger"], planners=[5])  # type: ignore[list-item]
    with pytest.raises(
        ValueError, match="a planner should be its spec, or a class or function that makes it"
    ):
        run(experiment, tmp_path)


def test_numbers_of_numpy_are_numbers() -> None:
    numpy = pytest.importorskip("numpy")
    played = kb.play("tiger", "random", seed=numpy.int64(3), max_steps=numpy.int32(5))
    assert played.returns == kb.play("tiger", "random", seed=3, max_steps=5).returns


def test_our_own_faults_are_ours() -> None:
    users, said = sentence(KeyError("x"))
    assert not users
    assert "this is a fault in kibitz" in said
