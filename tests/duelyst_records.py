"""Games of the original Duelyst, replayed: what is recorded beside what our rules make of it.

The records are of another program (`../shared/oracle/duelyst`, whose README has their format). Random
outcomes are taken from them; everything else must follow.
"""

from __future__ import annotations

import gzip
import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import kibitz as kb
from kibitz._core import Referee

RECORDS = Path(__file__).parent.parent.parent / "shared" / "oracle" / "duelyst"
FACTIONS = ["lyonar", "songhai", "vetruvian", "abyssian", "magmar", "vanar"]
TYPES = {"end": 0, "mulligan": 1, "replace": 2, "play": 3, "bbs": 4, "move": 5, "attack": 6, "followup": 7}
STOP = 8 << 16
GENERALS = (1, 101, 201, 301, 401, 501)


def records(name: str, every: int = 1) -> Iterator[dict[str, Any]]:
    """The lines of a file, or every n-th of them."""
    with gzip.open(RECORDS / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
        for line in islice(lines, 0, None, every):
            yield json.loads(line)


def cell(x: int, y: int) -> int:
    """The number of a cell."""
    return x + 9 * y


def cell_name(x: int, y: int) -> str:
    """What a cell is called."""
    return f"{'abcdefghi'[x]}{y + 1}"


def spec(record: dict[str, Any]) -> str:
    """The game that was played."""
    one, two = (FACTIONS[f - 1] for f in record["f"])
    rules = "thesis" if record["kind"].endswith("variant") else "original"
    return f"duelyst(deck1={one}, deck2={two}, rules={rules})"


def action_number(action: list[Any]) -> int:
    """An action as our rules number it."""
    kind, *rest = action
    if kind == "endfollowup":
        return STOP
    number = TYPES[kind] << 16
    match kind:
        case "mulligan":
            return number | sum(1 << slot for slot in rest[1]) << 8
        case "replace":
            return number | rest[0] << 8
        case "play":
            return number | rest[0] << 8 | cell(*rest[1:])
        case "bbs":
            return number | cell(*rest)
        case "move" | "attack":
            return number | cell(*rest[1:3]) << 8 | cell(*rest[3:5])
        case "followup":
            return number | cell(*rest[1:])
    return number


@dataclass
class Names:
    """Cards by their numbers in the records."""

    names: dict[int, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        cards = json.loads((RECORDS / "cards.json").read_text(encoding="utf-8"))
        self.names = {card["id"]: card["name"] for card in cards}

    def facts(self, state: dict[str, Any], ids: list[int], over: bool = False) -> list[str]:
        """A recorded state in the words of our facts, modifiers left out."""
        facts = []
        for unit in state["U"]:
            (
                _uid,
                card,
                owner,
                x,
                y,
                attack,
                health,
                most,
                out,
                moves,
                attacks,
                _moves,
                times,
                *_rest,
                mods,
            ) = unit
            head = f"unit {self.names[card]} of player {owner + 1} at {cell_name(x, y)}: "
            if over:
                facts.append(f"{head}{health} health")
                continue
            names = [mod if isinstance(mod, str) else mod[0] for mod in mods]
            stunned = any(
                mod[0] == "ModifierStunnedVanar" and not mod[1].get("off")
                for mod in mods
                if not isinstance(mod, str)
            )
            marks = ", exhausted" if out else ""
            marks += ", stunned" if stunned else ""
            marks += ", dispelled" if "ModifierSilence" in names else ""
            facts.append(
                f"{head}{attack} attack, {health} of {most} health, {moves} moves, "
                f"{attacks} attacks of {times}{marks}"
            )
        if over:
            return facts
        tiles = [tile for tile in state["T"] if tile[1] == 40001]
        facts += sorted(
            f"{'spent ' if spent else ''}spring at {cell_name(x, y)}" for *_, x, y, spent in tiles
        )
        facts += [
            f"creep of player {owner + 1} at {cell_name(x, y)}"
            for _uid, card, owner, x, y, _spent in state["T"]
            if card == 40004
        ]
        for seat, side in enumerate(state["P"]):
            player = seat + 1
            facts.append(f"mana of player {player}: {side['m']} of {side['M']}")
            for slot, held in enumerate(side["h"]):
                if held:
                    facts.append(f"card {slot + 1} of player {player}: {self.names[held[1]]}")
            pile = Counter(self.names[ids[uid]] for uid in side["d"])
            facts += sorted(f"pile of player {player}: {count} {name}" for name, count in pile.items())
            facts += [
                f"artifact of player {player}: {self.names[card]} {left}" for _, card, left in side["art"]
            ]
            if side["rep"]:
                facts.append(f"player {player} has replaced a card")
            if side["bbs"]:
                facts.append(f"player {player} may cast {self.names[side['bb'][1]]}")
        if waiting := state.get("fu"):
            facts.append(f"waiting for {cell_name(*waiting[2:])}")
        return facts


def plain(facts: list[str], over: bool = False) -> list[str]:
    """Our facts, as far as the records have them."""
    kept = [fact for fact in facts[1:] if not fact.startswith("  ")]
    if over:
        units = [fact for fact in kept if fact.startswith("unit ")]
        return [f"{unit.split(': ')[0]}: {unit.split(', ')[1].split(' ')[0]} health" for unit in units]
    springs = sorted(fact for fact in kept if "spring at" in fact)
    piles = {
        player: sorted(f for f in kept if f.startswith(f"pile of player {player}")) for player in (1, 2)
    }
    facts = []
    for fact in kept:
        if "spring at" in fact:
            facts += springs
            springs = []
        elif fact.startswith("pile of player"):
            player = int(fact.split()[3][0])
            facts += piles[player]
            piles[player] = []
        elif fact.startswith("waiting"):
            facts.append(f"waiting for {fact.split(' from ')[1]}")
        else:
            facts.append(fact)
    return facts


def listed(legal: dict[str, Any], state: dict[str, Any]) -> Iterator[int]:
    """The legal actions of a sample."""
    if "followup" in legal:
        yield from (action_number(["followup", 0, *place]) for place in legal["followup"])
        yield STOP
        return
    yield action_number(["end"])
    for slot, places in legal["play"].items():
        yield from (action_number(["play", int(slot), *place]) for place in places)
    yield from (action_number(["bbs", *place]) for place in legal["bbs"])
    yield from (action_number(["replace", slot]) for slot in legal["replace"])
    where = {unit[0]: unit[3:5] for unit in state["U"]}
    for kind in ("move", "attack"):
        for uid, places in legal[kind].items():
            yield from (action_number([kind, int(uid), *where[int(uid)], *place]) for place in places)


class Replay:
    """One recorded game beside ours."""

    def __init__(
        self,
        record: dict[str, Any],
        names: Names,
        game: Any,
        samples: dict[int, dict[str, Any]] | None = None,
    ) -> None:
        self.samples = samples or {}
        self.record = record
        self.names = names
        self.game = game
        self.state = game.initial()
        self.joints: list[list[int]] = []
        """What was done so far, chance's outcomes among it."""
        self.wrong: list[str] = []
        self.counts: Counter[str] = Counter()

    def outcome(self, wanted: str) -> int:
        """The outcome of chance that is called this."""
        names = {self.state.action_name(None, action): action for action, _ in self.state.outcomes()}
        if wanted not in names:
            raise LookupError(f"chance cannot give {wanted}: {sorted(names)}")
        return int(names[wanted])

    def deal(self) -> None:
        """The first hands."""
        for side in self.record["init"]["P"]:
            for held in side["h"]:
                if held:
                    self.step([self.outcome(self.names.names[held[1]])])

    def step(self, joint: list[int]) -> None:
        """One step of ours."""
        self.state, _ = self.state.step(joint)
        self.joints.append(joint)

    def drawn(self, step: dict[str, Any], before: dict[str, Any]) -> list[tuple[str, str]]:
        """What chance gave in a step, by name, in order."""
        ids = self.record["cards"]
        if step["a"][0] == "mulligan":
            hand = step["s"]["P"][step["a"][1]]["h"]
            return [("card", self.names.names[hand[slot][1]]) for slot in step["a"][2]]
        given = []
        for event in step["ev"]:
            match event:
                case ["DrawCard", player, uid, _slot] if uid >= 0:
                    given.append(("card", self.names.names[ids[uid]]))
                case ["DrawCard", player, -1, -1] if before["P"][player]["d"]:
                    # A burned card: the one that is missing from the pile.
                    given.append(("burned", ""))
                case ["ReplaceCardFromHand", _player, uid, _slot]:
                    given.append(("card", self.names.names[ids[uid]]))
                case ["PlayCardSilently" | "PlayCard", _s, _t, _uid, card, x, y] if (
                    card < 20000 or card == 40004
                ):
                    given.append(("cell", cell_name(x, y)))
        return given

    def run(self) -> bool:
        """Replays all; whether nothing was wrong."""
        self.deal()
        steps = self.record["steps"]
        before = self.record["init"]
        mulligans = steps[:2]
        self.step([action_number(step["a"]) for step in mulligans])
        for step in mulligans:
            for _, name in self.drawn(step, before):
                self.step([self.outcome(name)])
        before = mulligans[1]["s"]
        if not self.same(before, 1):
            return False
        for number, step in enumerate(steps[2:], 2):
            if sample := self.samples.get(number):
                self.compare_legal(sample, number)
            try:
                self.one(step, before)
            except LookupError as error:
                self.wrong.append(f"{self.where(number)}: {error}")
                return False
            before = step["s"]
            if not self.same(before, number):
                return False
        return True

    def decisions(self, planner: str) -> Iterator[tuple[dict[str, Any], int]]:
        """What a planner would do at each recorded decision, by what the mover saw: the step, and its act.

        After `run`. The planner is told what was really done, not what it would have done."""
        seats = []
        start = Referee.after(self.game, [])
        for seat in range(2):
            seats.append(kb.planner(planner))
            seats[seat].start(start.seat(seat), seat, 1)
        steps = iter(self.record["steps"])
        state = self.game.initial()
        for number, joint in enumerate(self.joints):
            if state.movers:
                referee = Referee.after(self.game, self.joints[:number])
                for seat in referee.movers:
                    yield next(steps), seats[seat].act(referee.view(seat)).action
            state, _ = state.step(joint)

    def compare_legal(self, sample: dict[str, Any], number: int) -> None:
        """Compares what may be done."""
        ours = set(self.state.legal(self.state.movers[0]))
        theirs = set(listed(sample["legal"], sample["state"]))
        self.counts["sampled"] += 1
        if ours != theirs:
            name = partial(self.state.action_name, self.state.movers[0])
            more = [name(action) for action in ours - theirs]
            less = [hex(action) for action in theirs - ours]
            self.wrong.append(f"{self.where(number)}: legal too much {more[:9]}, not {less[:9]}")

    def where(self, number: int) -> str:
        step = self.record["steps"][number]
        before = self.record["steps"][number - 1]["s"]
        card = ""
        if step["a"][0] == "play":
            card = self.names.names[before["P"][before["p"]]["h"][step["a"][1]][1]]
        return f"game {self.record['id']}, step {number} {step['a']} {card} {step['ev']} {step.get('r')}"

    def one(self, step: dict[str, Any], before: dict[str, Any]) -> None:
        mover = self.state.movers
        action = action_number(step["a"])
        if not mover or action not in self.state.legal(mover[0]):
            raise LookupError(f"not legal: {action} for {mover}")
        self.step([action])
        self.counts[step["a"][0]] += 1
        given = self.drawn(step, before)
        while self.state.chance:
            names = {self.state.action_name(None, a): a for a, _ in self.state.outcomes()}
            is_card = not any(len(n) == 2 for n in names)
            found = None
            for index, (kind, what) in enumerate(given):
                if kind == "burned" and is_card:
                    what = self.burned(step, before)
                if what in names:
                    found = index
                    self.step([names[what]])
                    break
            if found is None:
                raise LookupError(f"chance: {sorted(names)} but {given}")
            del given[found]

    def burned(self, step: dict[str, Any], before: dict[str, Any]) -> str:
        ids = self.record["cards"]
        for side, after in zip(before["P"], step["s"]["P"], strict=True):
            kept = {held[0] for held in after["h"] if held} | set(after["d"])
            gone = [uid for uid in side["d"] if uid not in kept]
            if gone:
                return self.names.names[ids[gone[0]]]
        return ""

    def same(self, recorded: dict[str, Any], number: int) -> bool:
        """Compares states."""
        over = recorded["st"] == "over"
        ours = plain(self.state.facts, over)
        theirs = self.names.facts(recorded, self.record["cards"], over)
        if over:
            winner = {0: "over: player 1 wins", 1: "over: player 2 wins", -1: "over: a draw"}[recorded["w"]]
            ours.append(self.state.facts[0].split(", ")[1])
            theirs.append(winner)
        if ours == theirs:
            return True
        extra = [fact for fact in ours if fact not in theirs]
        missing = [fact for fact in theirs if fact not in ours]
        self.wrong.append(
            f"{self.where(number)}\n   ours {extra}\n   theirs {missing}"
            + ("" if extra or missing else f"\n order {ours[:12]} {theirs[:12]}")
        )
        return False
