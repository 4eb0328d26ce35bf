"""The protocol of general game playing: what is said, byte for byte, what is refused, and whole matches."""

import asyncio
import json
import logging
import random
import socket
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import pytest

import kibitz as kb
from kibitz.ggp import messages
from kibitz.ggp.messages import Malformed, Told
from kibitz.lang import FOLDER

for package in ("starlette", "uvicorn", "httpx"):
    pytest.importorskip(package, reason=f"{package} is not installed (the extra 'web' has it)")

from ggp_runs import answering, http, post, raw, run, say  # noqa: E402
from kibitz.ggp.line import Late, Line, client  # noqa: E402
from kibitz.ggp.manager import Setting, play, rules_of  # noqa: E402
from kibitz.ggp.player import Player, Silent  # noqa: E402
from kibitz.testing.network import matches  # noqa: E402

TIC_TAC_TOE = (FOLDER / "tic-tac-toe.kif").read_text()
KRIEGSPIEL = (FOLDER / "kriegspiel-tic-tac-toe.kif").read_text()
LOUD = """(ROLE WHITE) (ROLE BLACK)
(INIT (CELL 1 1 B)) (INIT (CELL 1 2 B)) (INIT (CONTROL WHITE))
(<= (LEGAL ?R (MARK ?X ?Y)) (TRUE (CELL ?X ?Y B)) (TRUE (CONTROL ?R)))
(<= (LEGAL WHITE NOOP) (TRUE (CONTROL BLACK))) (<= (LEGAL BLACK NOOP) (TRUE (CONTROL WHITE)))
(<= (NEXT (CELL ?X ?Y W)) (DOES WHITE (MARK ?X ?Y))) (<= (NEXT (CELL ?X ?Y K)) (DOES BLACK (MARK ?X ?Y)))
(<= (NEXT (CELL ?X ?Y ?S)) (TRUE (CELL ?X ?Y ?S)) (DISTINCT ?S B))
(<= (NEXT (CELL ?X ?Y B)) (TRUE (CELL ?X ?Y B)) (DOES ?R (MARK ?U ?V)) (DISTINCT ?Y ?V))
(<= (NEXT (CONTROL BLACK)) (TRUE (CONTROL WHITE))) (<= (NEXT (CONTROL WHITE)) (TRUE (CONTROL BLACK)))
(<= TERMINAL (NOT OPEN)) (<= OPEN (TRUE (CELL ?X ?Y B))) (GOAL WHITE 100) (GOAL BLACK 0)"""
"""As managers of old send rules: all in capitals."""


@pytest.fixture(autouse=True)
def _no_log(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "kibitz.ggp")


def test_the_published_transcript() -> None:
    async def talk(port: int) -> None:
        assert await say(port, "( INFO )") == "( (name kibitz) (status available) )"
        assert await say(port, f"( PREVIEW ({LOUD}) 10 )") == "READY"
        assert await say(port, f"( START match.1 WHITE ({LOUD}) 90 10 )") == "READY"
        assert await say(port, "( PLAY match.1 NIL )") in ("(MARK 1 1)", "(MARK 1 2)")
        first = await say(port, "( PLAY match.1 NIL )")
        assert await say(port, f"( PLAY match.1 ({first} NOOP) )") == "NOOP"
        last = "(MARK 1 2)" if first == "(MARK 1 1)" else "(MARK 1 1)"
        assert await say(port, f"( STOP match.1 (NOOP {last}) )") == "DONE"
        assert await say(port, f"(start other.2 black ({LOUD}) 5 1)") == "READY"
        assert await say(port, "(play other.2 nil)") == "NOOP"
        assert await say(port, "(Abort other.2)") == "DONE"

    run(talk)


def test_both_forms_of_imperfect_information() -> None:
    async def talk(port: int) -> None:
        for name, first in ("a", "( PLAY a 0 NIL NIL )"), ("b", "( PLAY b NIL )"):
            assert await say(port, f"( START {name} XPLAYER ({KRIEGSPIEL}) 90 10 )") == "READY"
            own = await say(port, first)
            assert own.startswith("(mark ")
            heard = f"( PLAY a 1 {own} ({{}}) )" if name == "a" else "( PLAY b ({}) )"
            # Whatever was seen, the answer is legal: what is told is what a seat here is told.
            referee = kb.Referee(kb.load("kriegspiel-tic-tac-toe.kif"))
            referee.apply([referee.state.find_action(0, own)])
            told = " ".join(referee.state.percepts(0))
            assert await say(port, heard.format(told)) in referee.state.role_moves(0)

    run(talk)


@pytest.mark.parametrize(
    ("message", "written"),
    [
        (Told("match.1", None), "( PLAY match.1 NIL )"),
        (Told("match.1", ("NOOP", "(MARK 1 1)")), "( PLAY match.1 (NOOP (MARK 1 1)) )"),
        (Told("match.1", ("NOOP", "(MARK 1 1)"), last=True), "( STOP match.1 (NOOP (MARK 1 1)) )"),
        (Told("m", None, turn=0), "( PLAY m 0 NIL NIL )"),
        (Told("m", ("(seen 3)", "x"), turn=2, own="(bid 2)"), "( PLAY m 2 (bid 2) ((seen 3) x) )"),
        (Told("m", (), turn=2, own="noop"), "( PLAY m 2 noop () )"),
        (Told("m", None, time=0.0), "( PLAY m NIL 0 )"),
        (Told("m", ("NIL", "(go left)"), time=2.25), "( PLAY m (NIL (go left)) 2.25 )"),
    ],
)
def test_what_is_written_is_read(message: Told, written: str) -> None:
    assert messages.told(message) == written
    assert messages.read(written) == message
    assert messages.read(written.replace("PLAY", "play").replace("STOP", "Stop")) == message


BAD = [
    "",
    "   ",
    "hello",
    ")(",
    "(((((((",
    "( PLAY match.1 (NOOP",
    "( PLAY match.1 NIL ) )",
    "( PLAY )",
    "( PLAY match.1 )",
    "( PLAY (match 1) NIL )",
    "( PLAY match.1 -1 NIL NIL )",
    "( PLAY match.1 1.5 NIL NIL )",
    "( PLAY match.1 nan NIL NIL )",
    "( START match.1 white )",
    "( START match.1 white rules 90 10 )",
    "( START match.1 white ((role white)) 90 -10 )",
    "( START match.1 white ((role white)) soon 10 )",
    "( START match.1 white ((role white)) inf 10 )",
    "( DANCE )",
    "( (PLAY) match.1 NIL )",
    "()",
    "( PLAY " + "m" * 1000 + " NIL )",
    "( PLAY m (" + "x " * 20_000 + ") )",
    "\x00\xff\ufffd",
]


@pytest.mark.parametrize("text", BAD, ids=range(len(BAD)))
def test_what_is_no_message_is_refused_in_a_sentence(text: str) -> None:
    with pytest.raises(Malformed) as error:
        messages.read(text)
    assert len(str(error.value)) < 300
    assert "\n" not in str(error.value)


def test_garbage_never_stops_the_player() -> None:
    noise = random.Random(5)
    pieces = ["(", ")", "PLAY", "START", "match.1", "NIL", ";", "\n", "\x00", "é", '"', "1e999", "?x", "<="]

    async def talk(player: Player) -> None:
        for _ in range(2_000):
            text = " ".join(noise.choices(pieces, k=noise.randrange(12)))
            try:
                await player.answer(text)
            except (Malformed, Silent):
                continue
        assert await player.answer("(info)") == "( (name kibitz) (status available) )"

    asyncio.run(talk(Player("random")))


def test_bad_input_over_the_network(caplog: pytest.LogCaptureFixture) -> None:
    async def talk(port: int) -> None:
        start = f"( START match.1 WHITE ({LOUD}) 90 10 )"
        assert await say(port, start) == "READY"
        # Somebody who says nothing, and somebody who says half of it, are dropped.
        assert await raw(port, b"", close=False) == b""
        assert await raw(port, post(b"( INFO )")[:-4], close=False) != b""
        assert await raw(port, b"GET / HT", close=False) == b""
        # What is no HTTP, no message, no POST.
        assert (await raw(port, b"\x16\x03\x01 hello\r\n\r\n")).startswith(b"HTTP/1.1 400")
        assert (await raw(port, post(b"( PLAY match.1"))).startswith(b"HTTP/1.1 400")
        assert (await raw(port, b"GET / HTTP/1.0\r\n\r\n")).startswith(b"HTTP/1.1 405")
        assert (await raw(port, post(b"\xff" * 100))).startswith(b"HTTP/1.1 400")
        # 100 MB of rules, announced, or not announced.
        large = post(b"")[:-5].replace(b"Content-Length: ", b"Content-Length: 100000000")
        assert (await raw(port, large + b"\r\n\r\n", close=False)).startswith(b"HTTP/1.1 413")
        parts = b"".join(b"%x\r\n%s\r\n" % (1 << 16, b"x" * (1 << 16)) for _ in range(40))
        chunked = b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n" + parts
        assert not (await raw(port, chunked, close=False)).startswith(b"HTTP/1.1 200")
        # A match that runs, and matches that do not.
        assert await say(port, start) == "READY"
        assert await say(port, start.replace("WHITE", "BLACK", 1)) == "BUSY"
        assert await say(port, "( PLAY match.2 NIL )") == "BUSY"
        assert await say(port, "( STOP match.2 NIL )") == "BUSY"
        assert await say(port, "( START match.3 WHITE ((ROLE WHITE) (<= (LEGAL WHITE ?X))) 9 9 )") == "NIL"
        assert await say(port, f"( START match.4 GREEN ({LOUD}) 9 9 )") == "NIL"
        # Moves that cannot have been made change nothing.
        answer = await say(port, "( PLAY match.1 NIL )")
        assert await say(port, "( PLAY match.1 ((MARK 7 7) (MARK 8 8)) )") in ("(MARK 1 1)", "(MARK 1 2)")
        assert await say(port, f"( PLAY match.1 ({answer} NOOP) )") == "NOOP"
        assert await say(port, "( PLAY match.1 (NOOP) )") == "NOOP"
        assert await say(port, "( STOP match.1 NIL )") == "DONE"
        assert await say(port, "( STOP match.1 NIL )") == "DONE"

    run(talk, silence=0.8, most=1 << 20)
    logged = [record.getMessage() for record in caplog.records if record.name == "kibitz.ggp"]
    for what in (
        "said nothing; dropped",
        "half a message",
        "a closing bracket is missing",
        "a message of more than 1048576 bytes",
        "START for a match that runs",
        "PLAY for a match that is not played here",
        "the end of a match that is not played here",
        "match.3: not begun",
        "there is no role 'GREEN'",
        "(MARK 7 7) is no legal move",
    ):
        assert any(what in line for line in logged), (what, logged)
    assert sum("a message of more than" in line for line in logged) == 2
    assert all("\n" not in line for line in logged)


def test_what_comes_twice_is_answered_once() -> None:
    async def talk(player: Player) -> None:
        await player.answer(f"( START m XPLAYER ({TIC_TAC_TOE}) 30 30 )")
        # Twice while it thinks, and once more: the same answer, and one turn.
        both = await asyncio.gather(*(player.answer("( PLAY m NIL )") for _ in range(3)))
        assert len(set(both)) == 1
        assert await player.answer("( PLAY m NIL )") == both[0]
        other = "(mark 1 1)" if both[0] != "(mark 1 1)" else "(mark 1 2)"
        assert await player.answer(f"( PLAY m ({both[0]} noop) )") == "noop"
        assert await player.answer(f"( PLAY m ({both[0]} noop) )") == "noop"
        third = await player.answer(f"( PLAY m (noop {other}) )", turn=2)
        assert await player.answer(f"( PLAY m (noop {other}) )", turn=2) == third
        # Turns that are over are nobody's business any more.
        with pytest.raises(Silent, match="that turn is over"):
            await player.answer("( PLAY m NIL )", turn=0)

    asyncio.run(talk(Player("random")))


def test_passes_that_are_alike_are_different_turns() -> None:
    rules = """(role a) (role b) (init (at 0)) (succ 0 1) (succ 1 2) (succ 2 3)
      (legal a pass) (legal b pass) (<= (next (at ?y)) (true (at ?x)) (succ ?x ?y))
      (<= (legal a jump) (true (at 3))) (<= (next (at over)) (true (at 3)))
      (<= terminal (true (at over))) (goal a 100) (goal b 0)"""

    async def talk(player: Player) -> None:
        await player.answer(f"( START m a ({rules}) 30 30 )")
        answers = [await player.answer("( PLAY m NIL )")]
        answers += [await player.answer("( PLAY m (pass pass) )") for _ in range(3)]
        assert answers[:3] == ["pass"] * 3
        assert answers[3] in ("pass", "jump")
        match = player._matches["m"]
        assert match.seat.turns == 3

    asyncio.run(talk(Player("random")))


def test_a_late_player_answers_something_legal() -> None:
    class Sleeper(kb.PlannerBase):
        """Never done in time."""

        name = "sleeper"

        def act(self, view: kb.View) -> kb.Decision:
            import time

            time.sleep(0.6)
            return kb.Decision(view, view.legal()[0])

    async def talk(player: Player) -> None:
        await player.answer(f"( START m XPLAYER ({TIC_TAC_TOE}) 30 0.3 )")
        first = await player.answer("( PLAY m NIL )")
        assert first.startswith("(mark ")
        # Its manager took another move: more is kept from now on.
        before, other = player.margin.kept(10), "(mark 1 1)" if first != "(mark 1 1)" else "(mark 1 2)"
        await asyncio.sleep(0.6)
        assert await player.answer(f"( PLAY m ({other} noop) )") == "noop"
        assert player.margin.kept(10) > 1.5 * before

    asyncio.run(talk(Player("sleeper")))


def test_rules_are_held_to_their_limits() -> None:
    async def talk(player: Player) -> None:
        many = " ".join(f"(f {number})" for number in range(3_000))
        moves = "(<= (legal a (m ?x ?y ?z)) (f ?x) (f ?y) (f ?z))"
        rules = f"(role a) {many} {moves} (goal a 0) (<= terminal (true x))"
        answer = await player.answer(f"( START m a ({rules}) 0.5 1 )")
        assert answer in ("NIL", "READY")
        assert await player.answer("(info)") == "( (name kibitz) (status available) )"

    asyncio.run(talk(Player("random", limits={"ground_steps": 10_000, "state_steps": 10_000})))


def test_the_manager_speaks_as_published() -> None:
    heard: list[str] = []
    answers = {"START": "READY", "STOP": "DONE"}

    def answer(message: str) -> bytes:
        heard.append(message)
        kind = message.split()[1]
        turns = sum(line.startswith("( PLAY") for line in heard)
        move = f"( MARK 1 {1 + turns // 2} )" if turns % 2 else "NOOP"
        return http(answers.get(kind, move))

    async def talk() -> None:
        game = kb.load("tic-tac-toe.kif")
        async with answering(answer) as url:
            played = await play(game, [url, "omniscient"], Setting("match.1", 90, 10, seed=2))
        assert heard[0] == f"( START match.1 xplayer ({rules_of(game)}) 90 10 )"
        assert heard[1] == "( PLAY match.1 NIL )"
        assert heard[2] == "( PLAY match.1 ((mark 1 1) noop) )"
        moves = [" ".join(row) for row in played.record.moves]
        assert heard[1:] == [
            "( PLAY match.1 NIL )",
            *(f"( PLAY match.1 ({row}) )" for row in moves[:-1]),
            f"( STOP match.1 ({moves[-1]}) )",
        ]

    asyncio.run(talk())


def test_late_and_illegal_answers_become_random_legal_moves() -> None:
    def answer(message: str) -> bytes:
        return http("READY" if "START" in message else "(mark 1 1)")

    async def talk() -> None:
        game = kb.load("tic-tac-toe.kif")
        nobody = socket.create_server(("127.0.0.1", 0))
        silent = f"http://127.0.0.1:{nobody.getsockname()[1]}"
        async with answering(answer) as url:
            played = await play(game, [url, silent], Setting(start_clock=0.2, play_clock=0.2, seed=1))
        record, wrong = (
            played.record,
            [error for errors in played.record.errors for error in errors if error],
        )
        assert record.completed
        assert len(record.moves) >= 5
        assert record.forfeits == len(wrong) >= len(record.moves)
        assert any(error.startswith("illegal: '(mark 1 1)'") for error in wrong)
        assert any(error.startswith("no answer within 0.2 s") for error in wrong)
        notes = [note for step in played.episode.steps for made in step.decisions for note in made.notes]
        assert any("at random" in note for note in notes)
        # Each move was legal: the episode can be played again.
        frames = list(kb.lab.replay.of(played.episode).frames(game))
        assert len(frames) == len(played.episode.steps)

    asyncio.run(talk())


def test_records_in_json_and_xml() -> None:
    async def talk() -> None:
        game = kb.load("monty-hall.kif")
        played = await play(game, ["random"], Setting("hall.7", 5, 2, seed=3))
        plain = json.loads(played.record.json())
        assert plain["matchId"] == "hall.7"
        assert plain["gameRoleNames"] == ["candidate", "random"]
        assert plain["playerNamesFromHost"] == ["random", "random"]
        assert (plain["isCompleted"], plain["isAborted"], plain["playClock"]) == (True, False, 2)
        assert len(plain["states"]) == len(plain["stateTimes"]) == len(plain["moves"]) + 1
        assert len(plain["errors"]) == len(plain["moves"])
        assert plain["goalValues"][0] == played.episode.returns[0]
        assert all(messages.terms(state) for state in plain["states"])
        tree = ElementTree.fromstring(played.record.xml())
        assert tree.tag == "match"
        assert len(tree.findall("history/move")) == len(plain["moves"])
        assert len(tree.findall("herstory/state")) == len(plain["states"])
        assert tree.findtext("matchId") == "hall.7"
        door = tree.find("history/move[2]/action")
        assert door is not None

    asyncio.run(talk())


def test_no_match_is_lost_while_the_network_fails() -> None:
    games = ["tic-tac-toe.kif", "kriegspiel-tic-tac-toe.kif", "bidding-tic-tac-toe.kif", "monty-hall.kif"]

    async def talk(port: int) -> None:
        lost, forfeits, done, sent = await matches(
            port, games, 12, at_once=4, play=30.0, faults=0.2, seed=4
        )
        assert (lost, forfeits) == (0, 0)
        assert sent > done["carried"] > 100
        assert len(done) == 7

    run(talk, "pomcp(simulations=20)", silence=1.0)


def test_a_player_on_the_network_is_a_planner() -> None:
    async def talk(port: int) -> Any:
        spec = f"ggp:http://127.0.0.1:{port}(play=20)"

        def play_here() -> list[Any]:
            kinds = [
                "tic-tac-toe.kif",
                "bidding-tic-tac-toe.kif",
                "monty-hall.kif",
                "kriegspiel-tic-tac-toe.kif",
            ]
            episodes = []
            for name in kinds:
                game = kb.load(name)
                seats = [spec, "random"][: game.info.players]
                episodes.append(kb.play(game, seats, seed=2))
            return episodes

        episodes = await asyncio.to_thread(play_here)
        for episode in episodes:
            assert episode.over
            theirs = [made for step in episode.steps for made in step.decisions if made.notes]
            assert theirs
            assert all(made.notes == [f"http://127.0.0.1:{port} answered"] for made in theirs)

    run(talk, "pomcp(simulations=20)")


@pytest.mark.parametrize(
    ("spec", "sentence"),
    [
        ("ggp:nowhere", "'nowhere' is no address of a player"),
        ("ggp:http://x:99999", "no address"),
        ("ggp:http://127.0.0.1:1(plya=3)", "unknown parameter 'plya'; did you mean play"),
        ("ggp:http://127.0.0.1:1(play=-3)", "play should be a number of seconds"),
        ("openspiel:x", "openspiel has games, and no planners"),
        ("gpg:x", "unknown adapter 'gpg'; did you mean ggp"),
    ],
)
def test_addresses_are_refused_in_a_sentence(spec: str, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        kb.planner(spec)


def test_a_player_that_is_not_there_is_said_before_the_first_game() -> None:
    chooser = kb.planner("ggp:http://127.0.0.1:1(start=0.05)")
    with pytest.raises(ValueError, match=r"is not ready: no answer within 0\.05 s"):
        chooser.start(kb.load("tic-tac-toe.kif"), 0, 1)
    with pytest.raises(ValueError, match="tic-tac-toe has no rules to send"):
        chooser.start(kb.load("tic-tac-toe"), 0, 1)


def test_infix_rules_are_sent_in_prefix(tmp_path: Path) -> None:
    file = tmp_path / "one.gdl"
    file.write_text("role(a). init(s). legal(a, go(1)). next(over). terminal :- true(over). goal(a, 100).")
    assert rules_of(kb.load(str(file))).startswith("(role a) (init s) (legal a (go 1))")


def test_lines_give_up_in_time() -> None:
    async def talk() -> None:
        async with client() as using, answering(lambda _: http(")(")) as url:
            line = Line(url, using)
            with pytest.raises(Late, match="closing bracket too many"):
                await line.ask("( INFO )", 0.1)
            assert line.repeats > 0

    asyncio.run(talk())
