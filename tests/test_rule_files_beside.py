"""The rules in GDL that come with the package beside the same games elsewhere.

Where a game exists here natively, or in OpenSpiel with the same rules, both are played side by side.
The others are held against rules that are written down once more below, in a few lines each.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from dataclasses import dataclass

import pytest

import kibitz as kb
from rule_facts import Fact, Facts, cells, facts_of, words_of

# Move for move.


@dataclass
class Pair:
    """The same game twice. Actions correspond by what both are brought to."""

    ours: str
    theirs: str
    our_form: Callable[[list[str]], str]
    """From the words of our move."""
    their_form: Callable[[str], tuple[str, ...]] = lambda name: (name,)
    """From their name: the moves that we make instead, one after the other."""
    games: int = 200
    eager: Callable[[int, list[str]], int] = lambda mover, words: 0
    """How much random games should like a move, so that they come to an end."""

    @property
    def label(self) -> str:
        return f"{self.ours} = {self.theirs}"


class Native:
    """A game of ours as the other side of a pair."""

    def __init__(self, spec: str) -> None:
        self.state = kb.load(spec).initial()
        self.returns = [0.0, 0.0]

    @property
    def over(self) -> bool:
        return self.state.over

    @property
    def mover(self) -> int:
        return self.state.movers[0]

    def legal(self) -> dict[str, int]:
        return {
            self.state.action_name(self.mover, action): action for action in self.state.legal(self.mover)
        }

    def apply(self, action: int) -> None:
        self.state, rewards = self.state.step([action])
        self.returns = [total + reward for total, reward in zip(self.returns, rewards, strict=True)]


class Spiel:
    """A game of OpenSpiel as the other side of a pair."""

    def __init__(self, spec: str) -> None:
        import pyspiel

        self.state = pyspiel.load_game(spec).new_initial_state()

    @property
    def over(self) -> bool:
        return bool(self.state.is_terminal())

    @property
    def returns(self) -> list[float]:
        return list(self.state.returns())

    @property
    def mover(self) -> int:
        return int(self.state.current_player())

    def legal(self) -> dict[str, int]:
        mover = self.mover
        return {self.state.action_to_string(mover, action): action for action in self.state.legal_actions()}

    def apply(self, action: int) -> None:
        self.state.apply_action(action)


def square(row: str, column: str) -> str:
    return "abcdefghi"[int(column) - 1] + row


def squares(words: list[str]) -> str:
    """(move 2 1 3 2) is a2b3, and (place 3 4) is d3."""
    return "".join(square(*words[begin : begin + 2]) for begin in range(1, len(words), 2)) or words[0]


def row_and_column(name: str) -> tuple[str, ...]:
    """x(0,2) is c1: a row and a column, counted from zero."""
    row, column = re.findall(r"\d", name)
    return (square(str(int(row) + 1), str(int(column) + 1)),)


def twist(words: list[str]) -> str:
    """Marbles are put on a square; a letter stands for a quarter and a direction."""
    if words[0] == "place":
        return squares(words)
    quarter = ["top left", "top right", "bottom right", "bottom left"].index(" ".join(words[1:3]))
    return "stuvwxyz"[2 * quarter + (words[3] == "clockwise")]


def magic(words: list[str]) -> str:
    """The lines of a magic square add up to fifteen."""
    row, column = divmod("276951438".index(words[1]), 3)
    return square(str(row + 1), str(column + 1))


def star_places() -> list[tuple[int, int]]:
    """The places of the star with four rows in a point, row by row: two triangles, one upside down."""
    rows = {(row, column) for row in range(1, 14) for column in range(14 - row, 13 + row, 2)}
    return sorted(rows | {(18 - row, column) for row, column in rows})


STAR = {place: str(number) for number, place in enumerate(star_places())}


def star(words: list[str]) -> str:
    if words == ["pass"]:
        return "Pass"
    row, column, to_row, to_column = map(int, words[1:])
    return f"{STAR[row, column]}{'->' if words[0] == 'step' else '=>'}{STAR[to_row, to_column]}"


def onward(mover: int, words: list[str]) -> int:
    """How much nearer a peg comes to the opposite point, and to the middle column."""
    if words == ["pass"]:
        return 0
    row, column, to_row, to_column = map(int, words[1:])
    return 6 * (to_row - row) * (-1 if mover else 1) - abs(to_column - 13) + abs(column - 13)


def board(name: str, size: str, games: int) -> Pair:
    """A game on a board of squares, whose moves name one or two of them."""
    return Pair(
        f"{name}.kif({size})", f"{name}({size})", squares, lambda name: (re.sub("[-x]", "", name),), games
    )


def domino(words: list[str]) -> str:
    """(put 3 4) is d3, the lower or the left of two squares."""
    return square(*words[1:]) if len(words) > 1 else words[0]


def checkers(rows: int, columns: int, games: int) -> Pair:
    size = f"rows={rows},columns={columns}"
    return Pair(f"checkers.kif({size},ranks=3)", f"openspiel:checkers({size})", squares, games=games)


BOARDS = {
    "breakthrough": {
        "rows=8, columns=8": 100,
        "rows=6, columns=6": 200,
        "rows=5, columns=4, misere=true": 400,
        "rows=3, columns=2": 100,
    },
    "knightthrough": {
        "rows=8, columns=8": 100,
        "rows=5, columns=5": 200,
        "rows=4, columns=3, misere=true": 300,
        "rows=6, columns=2": 200,
    },
    "nogo": {
        "rows=7, columns=7": 30,
        "rows=5, columns=5": 200,
        "rows=3, columns=6, misere=true": 300,
        "rows=9, columns=9": 4,
    },
    "atarigo": {"rows=7, columns=7": 30, "rows=5, columns=5": 300, "rows=2, columns=3": 300},
}
"""Games on boards of squares: their parameters, and how many games are played of each."""
PAIRS = [
    Pair("tic-tac-toe.kif", "tic-tac-toe", squares),
    Pair("number-scrabble.kif", "tic-tac-toe", magic),
    Pair("connect-four.kif", "connect-four", lambda words: words[1]),
    *(board(name, size, games) for name, sizes in BOARDS.items() for size, games in sizes.items()),
    *(
        Pair(f"domineering.kif({size})", f"domineering({size})", domino, lambda name: (name[:2],), games)
        for size, games in (
            ("rows=8, columns=8", 50),
            ("rows=5, columns=5", 300),
            ("rows=3, columns=7, misere=true", 300),
        )
    ),
    checkers(8, 8, 200),
    checkers(8, 6, 100),
    checkers(8, 4, 100),
    Pair("reversi.kif", "openspiel:othello", squares, games=200),
    Pair("pentago.kif", "openspiel:pentago", twist, lambda name: (name[:2], name[2]), games=100),
    Pair(
        "chinese-checkers.kif(arm=4,turns=200)",
        "openspiel:chinese_checkers(players=2,max_moves=200)",
        star,
        games=20,
        eager=onward,
    ),
    Pair("kriegspiel-tic-tac-toe.kif", "openspiel:phantom_ttt", squares, row_and_column),
]


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.label)
def test_move_for_move(pair: Pair) -> None:
    kind, _, spec = pair.theirs.rpartition(":")
    if kind:
        pytest.importorskip("pyspiel", reason="open_spiel is not installed (the extra 'bench' has it)")
    game, rng = kb.load(pair.ours), random.Random(5)
    words: dict[tuple[int, int], list[str]] = {}
    for _ in range(pair.games):
        state, other = game.initial(), Spiel(spec) if kind else Native(spec)
        rewards: list[float] = []
        parts: tuple[str, ...] = ()
        while not other.over:
            theirs = {pair.their_form(name): action for name, action in other.legal().items()}
            left = {form[len(parts)] for form in theirs if form[: len(parts)] == parts}
            if len(left) == 1:
                # Nothing to decide: whoever is asked, be it nobody, the one move is made.
                [legal] = [state.legal(mover) for mover in state.movers] or [
                    [outcome for outcome, _ in state.outcomes()]
                ]
                assert len(legal) == 1
                [part] = left
            else:
                [mover] = state.movers
                assert mover == other.mover
                legal = state.legal(mover)
                for action in legal:
                    if (mover, action) not in words:
                        words[mover, action] = words_of(state.action_name(mover, action))
                rng.shuffle(legal)
                if rng.random() < 0.7:
                    legal.sort(key=lambda action: -pair.eager(mover, words[mover, action]))
                forms = [pair.our_form(words[mover, action]) for action in legal]
                assert sorted(forms) == sorted(left)
                part = forms[0]
            state, rewards = state.step(legal[:1])
            parts = (*parts, part)
            if parts in theirs:
                other.apply(theirs[parts])
                parts = ()
        assert state.over
        assert [(reward - 50) / 50 for reward in rewards] == other.returns


def test_a_view_of_kriegspiel_is_an_information_state() -> None:
    """Two games look the same to a player here exactly when they do in OpenSpiel, where tries are heard."""
    pytest.importorskip("pyspiel", reason="open_spiel is not installed (the extra 'bench' has it)")
    game, rng = kb.load("kriegspiel-tic-tac-toe.kif"), random.Random(3)
    known: dict[tuple[int, int], str] = {}
    told: dict[tuple[int, str], int] = {}
    for episode in range(1000):
        referee, other = kb.Referee(game, 1, episode), Spiel("phantom_ttt(obstype=reveal-numturns)")
        while not referee.over:
            [mover] = referee.movers
            view, words = referee.view(mover).key, other.state.information_state_string(mover)
            assert known.setdefault((mover, view), words) == words
            assert told.setdefault((mover, words), view) == view
            theirs = {row_and_column(name)[0]: action for name, action in other.legal().items()}
            action = rng.choice(referee.state.legal(mover))
            form = squares(words_of(referee.state.action_name(mover, action)))
            other.apply(theirs[form] if form in theirs else min(theirs.values()))
            referee.apply([action])


# The others beside the same rules in Python: from the facts, who has won, or what may come next.

After = dict[Fact, Facts]


def moved(facts: Facts, begin: tuple[int, int], end: tuple[int, int], other: str) -> Facts:
    """A piece goes from one place to another, where it may take one, and the other player is next."""
    here, there = tuple(map(str, begin)), tuple(map(str, end))
    [piece] = (fact[3] for fact in facts if fact[:3] == ("cell", *here))
    kept = {fact for fact in facts if fact[0] == "cell" and fact[1:3] not in (here, there)}
    return frozenset(kept | {("cell", *there, piece), ("control", other)})


def steps(
    facts: Facts, rows: int, columns: int, ways: dict[str, list[tuple[int, int]]], take: bool
) -> After:
    """The moves of pieces that go by fixed steps to places that are free, or not their own."""
    board = cells(facts)
    [mover] = (fact[1] for fact in facts if fact[0] == "control")
    [other] = ways.keys() - {mover}
    after: After = {}
    for (row, column), piece in board.items():
        for down, right in ways[mover] if piece == mover else ():
            end = row + down, column + right
            free = end not in board or (take and board[end] == other)
            if free and 1 <= end[0] <= rows and 1 <= end[1] <= columns:
                name = ("move", *map(str, (row, column, *end)))
                after[name] = moved(facts, (row, column), end, other)
    return after


def knightthrough(rows: int, columns: int) -> Callable[[Facts], int | After]:
    forward = [(1, 2), (1, -2), (2, 1), (2, -1)]
    ways = {"white": forward, "black": [(-down, right) for down, right in forward]}

    def reference(facts: Facts) -> int | After:
        far = [
            piece for (row, _), piece in cells(facts).items() if row == {"white": rows, "black": 1}[piece]
        ]
        if far:
            return 100 if far == ["white"] else 0
        return steps(facts, rows, columns, ways, True) or (0 if ("control", "white") in facts else 100)

    return reference


def sheep_and_wolf(facts: Facts) -> int | After:
    if ("cell", "1") in {fact[:2] for fact in facts if fact[-1] == "wolf"}:
        return 100
    diagonal = [(1, 1), (1, -1), (-1, 1), (-1, -1)]
    after = steps(facts, 8, 8, {"wolf": diagonal, "sheep": diagonal[:2]}, False)
    return after or (0 if ("control", "wolf") in facts else 100)


def nine_boards(facts: Facts) -> int | After:
    marks = cells(facts)
    index = range(1, 4)
    lines = [[(a, b) for b in index] for a in index] + [[(a, b) for a in index] for b in index]
    lines += [[(a, a) for a in index], [(a, 4 - a) for a in index]]
    for player, score in ("xplayer", 100), ("oplayer", 0):
        for line in lines:
            boards = {(a, b) for a in index for b in index}
            if any(all(marks.get((*board, *cell)) == player for cell in line) for board in boards):
                return score
    places = [(a, b, c, d) for a in index for b in index for c in index for d in index]
    free = [place for place in places if place not in marks]
    if not free:
        return 50
    board = [tuple(map(int, fact[1:])) for fact in facts if fact[0] == "board"]
    chosen = [place for place in free if place[:2] in board] or free
    [mover] = (fact[1] for fact in facts if fact[0] == "control")
    other = {"xplayer": "oplayer", "oplayer": "xplayer"}[mover]
    kept = {fact for fact in facts if fact[0] == "cell"}
    after: After = {}
    for place in chosen:
        words = tuple(map(str, place))
        rest = {("cell", *words, mover), ("board", *words[2:]), ("control", other)}
        after["mark", *words] = frozenset(kept | rest)
    return after


def peg_solitaire(facts: Facts) -> int | After:
    pegs = {fact[1:] for fact in facts if fact[0] == "peg"}
    assert ("pegs", str(len(pegs))) in facts
    holes = {(a, b) for a in range(1, 8) for b in range(1, 8) if a in (3, 4, 5) or b in (3, 4, 5)}
    after: After = {}
    for row, column in holes:
        for down, right in (0, 1), (1, 0), (0, -1), (-1, 0):
            end = row + 2 * down, column + 2 * right
            over, here, there = (
                tuple(map(str, place)) for place in ((row + down, column + right), (row, column), end)
            )
            if end in holes and here in pegs and over in pegs and there not in pegs:
                left = {("peg", *peg) for peg in pegs - {here, over} | {there}}
                after["jump", *here, *there] = frozenset(left | {("pegs", str(len(pegs) - 1))})
    score = 100 if pegs == {("4", "4")} else max(0, 100 - 10 * len(pegs))
    return after or score


REFERENCES: dict[str, Callable[[Facts], int | After]] = {
    "knightthrough.kif": knightthrough(8, 8),
    "knightthrough.kif(rows=5, columns=5)": knightthrough(5, 5),
    "knightthrough.kif(rows=4, columns=3)": knightthrough(4, 3),
    "nine-board-tic-tac-toe.kif": nine_boards,
    "peg-solitaire.kif": peg_solitaire,
    "sheep-and-wolf.kif": sheep_and_wolf,
}


@pytest.mark.parametrize("name", REFERENCES)
def test_beside_rules_in_python(name: str) -> None:
    game, rng = kb.load(name), random.Random(7)
    for _ in range(25):
        state, rewards, facts = game.initial(), [0.0], facts_of(game.initial())
        while True:
            assert facts_of(state) == facts
            expected = REFERENCES[name](facts)
            if isinstance(expected, int):
                break
            assert not state.over
            [mover] = state.movers
            legal = {tuple(words_of(state.action_name(mover, each))): each for each in state.legal(mover)}
            if len(expected) > 1:
                assert legal.keys() == expected.keys()
            move = rng.choice(sorted(expected))
            state, rewards = state.step([legal.get(move, min(legal.values()))])
            facts = expected[move]
        assert state.over
        assert rewards[0] == expected
