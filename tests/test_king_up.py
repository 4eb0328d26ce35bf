"""King UP beside a second, slow implementation, from files, and as a person meets it.

`Castle` was written from the paper's section 2.2 in another way than the game: levels are sets of letters,
turns a queue, moves words.
"""

from __future__ import annotations

import io
import itertools
import random
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

import pytest

import kibitz as kb
from kibitz.cli import main
from kibitz.testing import check_game

EXAMPLES = Path(__file__).parent.parent / "examples" / "king-up"
FIGURES = [f"4.{number}" for number in range(1, 13)]
SMALL = "king-up(2, 2, 3, set_rounds=1, height=2, leftover=ground, relative=true)"
"""Small enough to be solved exactly, all stages included."""


@dataclass
class Castle:
    """One round, in the paper's words."""

    cards: list[set[str]]
    player_num: int = 3
    pieces_num: int = 7
    bonus: int = 15
    top_score: int = 10
    set_round: int = 2
    board_height: int = 5
    board_width: int = 3
    rejection_limit: int = 1
    leftover: str = "out"
    crowding: bool = True
    bonus_for: str = "no-credits"
    voters: str = "all"
    after_no: str = "next"
    floors: list[set[str]] = field(default_factory=list)
    stack: list[str] = field(default_factory=list)
    vote_cards: list[int] = field(default_factory=list)
    queue: list[int] = field(default_factory=list)
    """Whose turns come, the next one first."""
    placements: int = 0
    stage: int = 2
    finished: bool = False

    def __post_init__(self) -> None:
        self.floors = [set() for _ in range(self.board_height + 1)]
        self.stack = ["ABCDEFGHIJKLMNOP"[number] for number in range(self.pieces_num)]
        self.vote_cards = [self.rejection_limit] * self.player_num
        self.queue = list(range(self.player_num))
        self.placements = self.player_num * self.set_round

    def who(self) -> list[int]:
        """The players to act."""
        if self.finished:
            return []
        if self.stage == 4:
            proposer = self.queue[-1]
            return [p for p in range(self.player_num) if self.voters == "all" or p != proposer]
        return [self.queue[0]]

    def choices(self, player: int) -> set[str]:
        """What a player may do, by name."""
        if self.stage == 2:
            free = [
                floor
                for floor in range(self.board_height - 1)
                if floor == 0 or len(self.floors[floor]) < self.board_width
            ]
            return {f"{piece} on {floor}" for piece in self.stack for floor in free}
        if self.stage == 3:
            climbs = range(self.board_height)
            return {
                f"{piece} up"
                for floor in climbs
                for piece in self.floors[floor]
                if self.crowding
                or floor + 1 == self.board_height
                or len(self.floors[floor + 1]) < self.board_width
            }
        return {"yes", "no"} if self.vote_cards[player] else {"yes"}

    def act(self, moves: dict[int, str]) -> None:
        """Carries out what the players do."""
        if self.stage == 4:
            self.count_votes(moves)
            return
        [(player, move)] = moves.items()
        self.queue.append(self.queue.pop(0))
        assert self.queue[-1] == player
        piece, _, floor = move.split(" ")[0], *move.rsplit(" ", 1)
        if self.stage == 2:
            self.stack.remove(piece)
            self.floors[int(floor)].add(piece)
            self.placements -= 1
            if not self.placements:
                self.stage = 3
                if self.leftover == "ground":
                    self.floors[0].update(self.stack)
                self.stack = []
            return
        at = next(number for number, floor in enumerate(self.floors) if piece in floor)
        self.floors[at].remove(piece)
        self.floors[at + 1].add(piece)
        if at + 1 == self.board_height:
            self.stage = 4
            if not any("no" in self.choices(voter) for voter in self.who()):
                self.finished = True

    def count_votes(self, moves: dict[int, str]) -> None:
        """A no throws the king out and costs a card."""
        against = [player for player, move in moves.items() if move == "no"]
        if not against:
            self.finished = True
            return
        for player in against:
            self.vote_cards[player] -= 1
        self.floors[-1].clear()
        self.stage = 3
        if self.after_no == "same":
            self.queue.insert(0, self.queue.pop())
        self.finished = not any(self.floors)

    def credits(self, player: int) -> int:
        """Points at the end."""
        on_board = {
            piece: self.top_score if floor == self.board_height else floor
            for floor, pieces in enumerate(self.floors)
            for piece in pieces
            if piece in self.cards[player]
        }
        total = sum(on_board.values())
        nothing = total == 0 if self.bonus_for == "no-credits" else not on_board
        return self.bonus if nothing else total


VARIANTS = {
    "king-up": {},
    "king-up(leftover=ground, crowding=false)": {"leftover": "ground", "crowding": False},
    "king-up(bonus_for=no-pieces, voters=others)": {"bonus_for": "no-pieces", "voters": "others"},
    "king-up(after_no=same, rejections=3, width=1, height=4)": {
        "after_no": "same",
        "rejection_limit": 3,
        "board_width": 1,
        "board_height": 4,
    },
    "king-up(4, targets=3, pieces=9, bonus=20, top=12, height=6, crowding=false, width=1, rejections=2)": {
        "player_num": 4,
        "pieces_num": 9,
        "bonus": 20,
        "top_score": 12,
        "board_height": 6,
        "crowding": False,
        "board_width": 1,
        "rejection_limit": 2,
    },
    "king-up(players=2, pieces=4, targets=2, height=3, set_rounds=1, rejections=2)": {
        "player_num": 2,
        "pieces_num": 4,
        "set_round": 1,
        "board_height": 3,
        "rejection_limit": 2,
    },
    "king-up(full=true, players=6, rounds=1)": {
        "player_num": 6,
        "pieces_num": 13,
        "top_score": 20,
        "board_height": 7,
        "board_width": 4,
        "rejection_limit": 2,
    },
}


@pytest.mark.parametrize("spec", VARIANTS)
def test_the_slow_implementation_agrees(spec: str) -> None:
    """Thousands of random games of all readings: the same choices, movers, end and points."""
    game, rng = kb.load(spec), random.Random(5)
    for episode in range(700):
        referee = kb.Referee(game, 2, episode)
        state = referee.state
        hands = [state.text().splitlines()[-1 - game.info.players + p] for p in range(game.info.players)]
        castle = Castle([{*hand.split(": ")[1].partition(",")[0]} for hand in hands], **VARIANTS[spec])
        while not castle.finished:
            assert referee.movers == castle.who()
            names = {}
            for mover in referee.movers:
                legal = {state.action_name(mover, action): action for action in state.legal(mover)}
                assert legal.keys() == castle.choices(mover)
                names[mover] = rng.choice(sorted(legal))
            joint = [state.find_action(mover, name) for mover, name in names.items()]
            castle.act(names)
            state = referee.apply(joint)[-1][0]
        assert referee.over
        points = [castle.credits(player) for player in range(game.info.players)]
        assert referee.returns == pytest.approx([each / 50 for each in points])


def test_cards_are_dealt_without_repetition() -> None:
    """Seven windows in a ring: as many deals as ordered triples."""
    game, seen = kb.load("king-up"), set()
    for episode in range(3000):
        state = kb.Referee(game, 1, episode).state
        seen.add(tuple(line.split(": ")[1].partition(",")[0] for line in state.text().splitlines()[-4:-1]))
    ring = {"".join(sorted("ABCDEFG"[(first + step) % 7] for step in range(4))) for first in range(7)}
    assert seen == {*itertools.permutations(ring, 3)}


@pytest.mark.parametrize(
    "spec", [*VARIANTS, "king-up(full=true)", "king-up(rounds=2)", SMALL], ids=lambda spec: str(spec)[:40]
)
def test_the_contract(spec: str) -> None:
    assert check_game(spec, episodes=4, max_steps=500).counts["episodes"] == 4


def from_file(path: Path, options: str = "") -> kb.Game:
    return kb.load(f'king-up(position="{path}"{options})')


@pytest.mark.parametrize("figure", FIGURES)
def test_the_states_of_the_paper(figure: str) -> None:
    """The file's board, cards, votes and mover."""
    path = EXAMPLES / f"figure-{figure}.txt"
    lines = [line.partition("#")[0].partition(":") for line in path.read_text().splitlines()]
    wanted = {head: rest.split() for head, _, rest in lines if rest}
    check_game(from_file(path), episodes=3)
    truth = kb.Referee(from_file(path), seed=1)
    text = truth.state.text().splitlines()
    votes = [f"{n} vote card{'' if n == '1' else 's'}" for n in wanted["votes"]]
    each = zip(itertools.count(1), wanted["cards"], votes, strict=False)
    assert text[-4:-1] == [f"player {n}: {card}, {cards}" for n, card, cards in each]
    board = {(piece, line.split()[0]) for line in text[:6] for piece in line.partition("|")[2].split()}
    assert board == {(piece[0], piece[1:]) for piece in wanted["pieces"]}
    assert truth.movers == [int(wanted["mover"][0]) - 1]


def test_nobody_is_told_the_cards_of_the_file() -> None:
    """They are dealt, but to a belief the others' cards may be any."""
    game = from_file(EXAMPLES / "figure-4.10.txt")
    referee = kb.Referee(game, seed=1)
    for kind in ("resampling", "exact", "particles(500)", "tree", "hypergames(200)"):
        belief = kb.Belief(game, kind, seed=1)
        belief.update(referee.view(0))
        hands = {tuple(belief.sample().text().splitlines()[-4:-1]) for _ in range(600)}
        assert {hand[0] for hand in hands} == {"player 1: DEFG, 1 vote card"}
        assert len(hands) == 6 * 5


def test_nor_is_a_planner() -> None:
    """The same decision, to the last visit, whatever cards the file gives the others."""
    path = EXAMPLES / "figure-4.10.txt"
    tables = set()
    for others in ("BCDE ABFG", "ABCD CDEF", "? ?"):
        with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
            file.write(path.read_text().replace("BCDE ABFG", others))
            file.flush()
            game = from_file(Path(file.name))
        if others == "? ?":
            assert len({kb.Referee(game, seed=seed).state.text() for seed in range(20)}) > 10
        view = kb.Referee(game, seed=1).view(0)
        for spec in ("pomcp(simulations=300)", "is-mcts(simulations=300)"):
            decision = kb.advise(game, view, spec, seed=1)
            tables.add((spec, *((row.name, row.visits, row.value) for row in decision.table)))
    assert len(tables) == 2


def test_the_bonus_of_figure_4_8() -> None:
    """Nobody can refuse: player 2 makes B king, and with D on level 0 gets 15 / 50."""
    game = from_file(EXAMPLES / "figure-4.8.txt")
    decision = kb.advise(game, kb.Referee(game).view(1), "pomcp(simulations=500)", seed=1)
    values = {row.name: row.value or 0.0 for row in decision.table}
    assert decision.name == "B up"
    assert values["B up"] == pytest.approx(0.3)


def test_hidden_cards_leave_no_trace() -> None:
    """The same moves with the others' cards exchanged: the same to the one who does not have them."""
    game, rng = kb.load("king-up"), random.Random(3)
    for _ in range(200):
        state, swapped = game.initial(), game.initial()
        seen: list[list[tuple[int, str]]] = [[], []]
        cards = rng.sample(range(7), 3)
        deals = iter(zip(cards, [cards[0], cards[2], cards[1]], strict=True))
        while not state.over:
            if state.chance:
                one, other = ([card] for card in next(deals))
            else:
                one = other = [rng.choice(state.legal(mover)) for mover in state.movers]
            after, _ = state.step(one)
            again, _ = swapped.step(other)
            if not after.over:
                seen[0].append(after.observation(state, one, 0))
                seen[1].append(again.observation(swapped, other, 0))
                assert (after.text(0), after.svg(0)) == (again.text(0), again.svg(0))
            state, swapped = after, again
        assert swapped.over
        assert seen[0] == seen[1]


BAD_PARAMETERS = {
    "king-up(players=4)": "king-up: 4 players cannot set 2 pieces each: that is 8, and there are 7",
    "king-up(6, set_rounds=1, cards='ABCD BCDE CDEF')": "6 players need a target card each, but there are",
    "king-up(targets=7)": "3 players need a target card each, but there is 1 target card",
    "king-up(targets=9)": "a card cannot have 9 targets: there are 7 pieces",
    "king-up(cards='ABC BCDE CDEF')": r"the card ABC has 3 pieces, not 4 \(see targets\)",
    "king-up(cards='ABCD DCBA CDEF')": "the card DCBA is there twice",
    "king-up(cards='ABCX BCDE CDEF')": "there is no piece 'X': they are called A to G",
    "king-up(cards='ABCA BCDE CDEF')": "the card ABCA names A twice",
    "king-up(player=4)": "unknown parameter 'player'; did you mean players",
    "king-up(players=7)": "players: 7 is out of range: 2 to 6",
    "king-up(voters=none)": "unknown choice 'none'",
}


@pytest.mark.parametrize("spec", BAD_PARAMETERS)
def test_impossible_parameters(spec: str) -> None:
    with pytest.raises(ValueError, match=BAD_PARAMETERS[spec]):
        kb.load(spec.replace("'", '"'))


BAD_FILES = {
    "cards: ABCD ABCD BCDE\npieces: A1": "line 1: players 1 and 2 have the same card, ABCD",
    "cards: ABCD ABDE BCDE\npieces: A1": "line 1: there is no target card ABDE",
    "cards: ABCD BCDE\npieces: A1": "line 1: 3 players have 3 target cards .* not 2",
    "votes: 1 1 2\npieces: A1": "line 1: player 3 has 0 to 1 vote cards .*, not '2'",
    "votes: 1 1\npieces: A1": "line 1: 3 players have 3 numbers of vote cards, not 2",
    "votes: 1 1 -1\npieces: A1": "not '-1'",
    "pieces: A1 B2 A3": "line 1: A is there twice",
    "pieces: A1 B6": "line 1: 'B6': after B its level is expected, 0 to 5",
    "pieces: A1 B": "line 1: 'B': after B its level is expected, 0 to 5",
    "pieces: A1 H2": "line 1: there is no piece 'H': they are called A to G",
    "pieces: A5 B5": "line 1: A and B are both on the top",
    "pieces: A1\npieces: B1": "line 2: 'pieces' was there before, in line 1",
    "pieces:": "no piece is on the board: there is nothing to play",
    "votes: 1 1 1": "there is no line 'pieces:'",
    "pieces: A1\nmover: 4": "line 2: the mover is a player's number, 1 to 3",
    "pieces: A1\nstage: vote": "the stage is not 'vote': no piece is on the top, level 5",
    "pieces: A5\nstage: promote": "the stage is 'vote': A is on the top, level 5",
    "pieces: A5\nvotes: 0 0 0": "A is on the top and nobody has a vote card: there is nothing to play",
    "pieces: A4\nstage: set": "nothing can be on level 4 while pieces are set: 3 is the highest",
    "pieces: A1 B1 C1 D1\nstage: set": "there are 4 pieces on level 1, which has room for 3",
    "pieces: A1 B1 C1 D0 E0 F0\nstage: set": "the stage is not 'set': the players set 6 pieces",
    "pieces: A1\nstage: play": "line 2: the stage is 'set', 'promote' or 'vote'",
    "levels: A1": "line 1: a line begins with one of 'cards:', 'votes:'",
    "x" * 30_000: "it has more than 20000 bytes",
}


@pytest.mark.parametrize("text", BAD_FILES, ids=lambda text: str(text)[:30])
def test_contradictions_in_files(text: str, tmp_path: Path) -> None:
    file = tmp_path / "state.txt"
    file.write_text(text)
    with pytest.raises(ValueError, match=BAD_FILES[text]):
        from_file(file)


def test_crowded_levels(tmp_path: Path) -> None:
    file = tmp_path / "state.txt"
    file.write_text("pieces: A1 B1 C1 D1")
    from_file(file)
    with pytest.raises(ValueError, match="there are 4 pieces on level 1, which has room for 3"):
        from_file(file, ", crowding=false")


def test_a_vote_without_a_card_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "state.txt"
    file.write_text("votes: 0 1 1\npieces: A5 B2")
    referee = kb.Referee(from_file(file))
    assert referee.movers == [0, 1, 2]
    assert [len(referee.state.legal(player)) for player in range(3)] == [1, 2, 2]
    assert "without a vote card you can only say yes" in referee.view(0).text()
    assert "you can only say yes" not in referee.view(1).text()
    with pytest.raises(ValueError, match="no legal action is called 'no'; legal are yes"):
        referee.state.find_action(0, "no")
    with pytest.raises(ValueError, match=r"1 is not a legal action of player 1; legal are 0 \(yes\)"):
        referee.apply([1, 0, 0])


def test_a_game_at_the_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = EXAMPLES / "figure-4.5.txt"
    monkeypatch.setattr(sys, "stdin", io.StringIO("e up\nh\nq\n"))
    spec = f'king-up(position="{path}")'
    main(
        [
            "play",
            spec,
            "--seat",
            "2",
            "--seed",
            "1",
            "--with",
            "random",
            "--hint",
            "flat-mc(simulations=50)",
        ]
    )
    out = capsys.readouterr().out
    assert "your target card is DEFG" in out
    assert " 4      |[E][F]" in out
    assert "player 3: ?, 1 vote card" in out
    assert "is E to be king? a vote" in out


def test_a_small_game_has_its_value() -> None:
    assert kb.solve(SMALL).value == pytest.approx([0.004, -0.004], abs=1e-9)


def test_the_loser_begins() -> None:
    """Over three rounds: who scored least, and of several the first in turn, sets the first piece."""
    game, rng = kb.load("king-up(rounds=3)"), random.Random(4)
    for episode in range(40):
        referee = kb.Referee(game, 1, episode)
        beginner, rounds, before = 0, 1, [0.0] * 3
        while not referee.over:
            joint = [rng.choice(referee.state.legal(mover)) for mover in referee.movers]
            reports = referee.apply(joint)
            paid = [now - then for now, then in zip(referee.returns, before, strict=True)]
            if any(paid) and not referee.over:
                order = [(beginner + turn) % 3 for turn in range(3)]
                beginner, rounds, before = min(order, key=lambda p: paid[p]), rounds + 1, referee.returns
                assert referee.movers == [beginner]
                assert f"round {rounds} of 3" in reports[-1][0].text()
        assert rounds == 3


def test_the_tournament_can_be_played(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["experiment", "check", str(EXAMPLES / "tournament.toml")]) == 0
    assert "8 cells" in capsys.readouterr().out
