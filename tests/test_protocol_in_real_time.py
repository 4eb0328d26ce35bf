"""The protocol in real time: what is said when, what is refused, and whole matches."""

import asyncio
import logging
import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from pathlib import Path

import pytest

import kibitz as kb
from kibitz.ggp import messages
from kibitz.ggp.messages import Malformed, Told
from kibitz.lang import FOLDER

for package in ("starlette", "uvicorn", "httpx"):
    pytest.importorskip(package, reason=f"{package} is not installed (the extra 'web' has it)")

from ggp_runs import answering, http, run  # noqa: E402
from kibitz.ggp.manager import Setting, play, rules_of  # noqa: E402
from kibitz.ggp.player import Player, Silent  # noqa: E402
from kibitz.ggp.seat import GameClock, Seat  # noqa: E402
from kibitz.testing.network import matches  # noqa: E402


@pytest.fixture(autouse=True)
def _no_log(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "kibitz.ggp")


TIC_TAC_TOE = (FOLDER / "tic-tac-toe.kif").read_text()
CHICKEN = (FOLDER / "real-time-chicken.kif").read_text()


def test_a_player_in_real_time_answers_when_it_acts() -> None:
    class Swerves(kb.PlannerBase):
        """At once."""

        def act(self, view: kb.View) -> kb.Decision:
            return kb.Decision(view, view.legal()[0])

    async def talk(player: Player) -> None:
        rules = f"(START m BLUE ({CHICKEN}) 30 1000)"
        assert await player.answer(rules) == "READY"
        first = asyncio.ensure_future(player.answer("( PLAY m NIL 0 )", turn=0))
        assert await first == "swerve"
        # What it sent was too late: it is told, and sends it again.
        again = asyncio.ensure_future(player.answer("( PLAY m NIL 3.5 )", turn=1))
        assert await again == "swerve"
        assert await player.answer("( PLAY m NIL 3.5 )", turn=1) == "swerve"
        assert await player.answer("( PLAY m NIL 0 )", turn=0) == "swerve"
        # Messages are heard in the order of their numbers, whenever they come.
        late = asyncio.ensure_future(player.answer("( PLAY m NIL 5 )", turn=3))
        await asyncio.sleep(0)
        assert not late.done()
        two = asyncio.ensure_future(player.answer("( PLAY m NIL 4 )", turn=2))
        assert {await two, await late} <= {"NIL", "swerve"}
        assert await player.answer("( STOP m (NIL swerve) 5.5 )") == "DONE"
        assert player.playing == 0

    asyncio.run(talk(Player(lambda game: Swerves())))


def test_bad_input_in_real_time(caplog: pytest.LogCaptureFixture) -> None:
    async def talk(player: Player) -> None:
        await player.answer(f"(START m RED ({CHICKEN}) 30 1000)")
        waits = asyncio.ensure_future(player.answer("( PLAY m NIL 0 )"))
        await asyncio.sleep(0.05)
        for text in (
            "( PLAY m (swerve swerve swerve) 1 )",
            "( PLAY m (dance NIL) 1.5 )",
            "( PLAY m NIL 1 )",
            "( PLAY m NIL -1 )",
        ):
            waits, before = asyncio.ensure_future(player.answer(text)), waits
            await asyncio.sleep(0.05)
            # Each is heard, and the one before is answered.
            assert await before == "NIL"
        with pytest.raises(Malformed):
            await player.answer("( PLAY m NIL soon )")
        # A time in a game of turns.
        await player.answer(f"( START t XPLAYER ({TIC_TAC_TOE}) 30 30 )")
        with pytest.raises(Silent, match="there is none"):
            await player.answer("( PLAY t NIL 1.5 )")
        assert await player.answer("( ABORT m )") == "DONE"
        assert await waits == "NIL"

    class Never(kb.PlannerBase):
        """Waits."""

        def act(self, view: kb.View) -> kb.Decision:
            return kb.Decision(view, kb.WAIT if view.may_wait else view.legal()[0])

    asyncio.run(talk(Player(lambda game: Never())))
    logged = [record.getMessage() for record in caplog.records if record.name == "kibitz.ggp"]
    for what in ("2 roles, and 3 moves", "dance", "the manager's clock has gone back to 1"):
        assert any(what in line for line in logged), (what, logged)
    assert all("\n" not in line for line in logged)


def test_the_manager_in_real_time_speaks_as_published() -> None:
    heard: dict[str, list[str]] = {"red": [], "blue": []}

    def answers(role: str) -> Callable[[str], bytes]:
        def answer(message: str) -> bytes:
            heard[role].append(message)
            kind = message.split()[1]
            said = {"START": "READY", "STOP": "DONE"}.get(kind)
            plays = sum("PLAY" in line for line in heard[role])
            # Blue sends what is no move, and is told so; red swerves at once.
            return http(said or ("dance" if role == "blue" and plays == 1 else "NIL"))

        return answer

    class Second(kb.PlannerBase):
        """Swerves after the other was told."""

        def act(self, view: kb.View) -> kb.Decision:
            if len(heard["blue"]) == 3:
                return kb.Decision(view, view.legal()[0])
            return kb.Decision(view, kb.WAIT, ticks=20_000)

    async def talk() -> None:
        game = kb.load("real-time-chicken.kif")
        async with answering(answers("blue")) as url:
            played = await play(game, [Second(), url], Setting("match.1", 90, 1, seed=2))
        lines = heard["blue"]
        assert lines[0] == f"( START match.1 blue ({rules_of(game)}) 90 1 )"
        assert lines[1] == "( PLAY match.1 NIL 0 )"
        assert re.fullmatch(r"\( PLAY match\.1 NIL [0-9.e-]+ \)", lines[2])
        last = re.fullmatch(r"\( STOP match\.1 \(swerve NIL\) ([0-9.]+) \)", lines[3])
        assert last is not None
        assert len(lines) == 4
        assert played.record.completed
        assert played.record.goals == [5.0 * int(float(last[1])), 100.0]
        # The record has the times.
        again = kb.lab.replay.of(played.episode)
        assert sum(move.elapsed for move in again.steps) == round(float(last[1]) * 1e6)

    asyncio.run(talk())


def test_matches_in_real_time_over_a_network_that_fails() -> None:
    async def talk(port: int) -> None:
        lost, _, done, _ = await matches(
            port,
            ["real-time-chicken.kif"],
            6,
            at_once=3,
            play=1.0,
            unit=0.05,
            faults=0.2,
            seed=4,
        )
        assert lost == 0, done

    run(talk, planner="flat-mc(simulations=20, depth=20, quantum=1)")


RACE = (FOLDER / "real-time-race.kif").read_text()


def test_what_is_heard_late_is_no_riddle() -> None:
    now = 100.0
    seen: list[list[str]] = []

    class Watched(kb.PlannerBase):
        """Keeps what its planner has to note."""

        def __init__(self) -> None:
            self.inner = kb.planner("uct(simulations=50, quantum=0.5)")

        def start(self, game: kb.Game, player: int, seed: int) -> None:
            self.inner.start(game, player, seed)

        def act(self, view: kb.View) -> kb.Decision:
            seen.append((decision := self.inner.act(view)).notes)
            return decision

    seat = Seat(messages.Start("m", "south", RACE, 30, 1.0), lambda game: Watched())
    seat.begin()
    assert not seat.told.hidden, "all are told all moves"
    seat.clock = GameClock(1.0, now=lambda: now)
    seat.happened(Told("m", None, time=0.0), now)
    for at in (0.5, 4.2, 6.0, 6.5):
        now = 100.0 + at
        seat.instant()
    # That the other built at 4.1 is heard two seconds after it did.
    seat.happened(Told("m", ("(build mine)", "NIL"), time=4.1), now)
    seat.instant()
    assert seen == [[]] * len(seen)
    assert len(seen) >= 3


def test_the_manager_in_real_time_speaks_of_percepts_as_published(tmp_path: Path) -> None:
    file = tmp_path / "mole.kif"
    file.write_text(
        """(role you) (role random) (init infinity quiet)
        (legal you hit) (legal you look) (legal you rest)
        (<= (legal random (pop 1 mole)) (true infinity quiet))
        (<= (next infinity quiet) (true infinity quiet) (not (does random (pop 1 mole))))
        (<= (next infinity rested) (does you rest))
        (<= (sees you squeak) (does random (pop 1 mole)))
        (<= (sees you (missed it)) (does you hit))
        (<= terminal (true infinity rested)) (goal you 100)"""
    )
    heard: list[str] = []
    answers = {"squeak)": "hit", "it))": "( LOOK )", "NIL)": "REST"}

    def answer(message: str) -> bytes:
        heard.append(message)
        said = {"START": "READY", "STOP": "DONE"}.get(message.split()[1])
        last = next((own for end, own in answers.items() if message.split()[-3].endswith(end)), "NIL")
        return http(said or last)

    async def talk() -> None:
        game = kb.load(str(file))
        async with answering(answer) as url:
            played = await play(game, [url], Setting("m", 90, 0.02, seed=2))
        said = [re.sub(r" [0-9.e-]+ \)$", " t )", line) for line in heard]
        assert said == [
            f"( START m you ({rules_of(game)}) 90 t )",
            "( PLAY m NIL t )",
            "( PLAY m (squeak) t )",
            "( PLAY m ((does you hit) (missed it)) t )",
            # It made a move, and perceived nothing.
            "( PLAY m ((does you look) NIL) t )",
            "( STOP m ((does you rest) NIL) t )",
        ]
        assert heard[1] == "( PLAY m NIL 0 )"
        assert played.record.completed
        # What chance has drawn is a move when it makes it.
        assert played.record.moves == [
            ["NIL", "(pop 1 mole)"],
            ["hit", "NIL"],
            ["look", "NIL"],
            ["rest", "NIL"],
        ]
        assert played.record.states[0] == ["(true infinity quiet)"]
        assert ElementTree.fromstring(played.record.xml()).tag == "match"
        assert played.record.goals == [100.0, 0.0]

    asyncio.run(talk())
