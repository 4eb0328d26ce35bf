"""Whether the machines that run rules say what clingo says: `python -m kibitz.lang.oracle FOLDER`.

Random games are played by the network, and states of them are put to clingo, an answer set solver
that nobody here wrote: the legal moves, the scores, whether the game is over, the next facts and
what each role is told must be the same. Then the reasoner plays the same games, and must say at
every step what the network said. Each file has a process of its own with limits of time and memory.
"""

from __future__ import annotations

import os
import random
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from kibitz._core import RulesFile, RulesMachine, RulesState, check_rules
from kibitz.lang import apart, read
from kibitz.lang.asp import Answer, Program

LONGEST = 400
"""Steps of a game that is played for the oracle."""
STATES_A_GAME = 5


@dataclass
class Verdict:
    """How the machines and clingo compare on one file.

    `result` is `agrees`, `disagrees`, `refused` (by the checker), or `not compared`, and `why` says
    why; `machines` counts the states of each machine that were compared.
    """

    file: str
    result: str
    why: str = ""
    differences: list[str] = field(default_factory=list)
    machines: dict[str, int] = field(default_factory=dict)
    seconds: float = 0.0


@dataclass
class Played:
    """One step of a game: the facts, what the machine said of them, and the moves; None at the end."""

    facts: frozenset[str]
    answer: Answer
    moves: list[str] | None


def compare(
    spec: str, *, states: int = 20, longest: int = LONGEST, seconds: float = 60.0, seed: int = 0
) -> Verdict:
    """Compares the machines of a rules file with clingo, in so many states of games and in that time.

    >>> from kibitz.lang.oracle import compare
    >>> compare("tic-tac-toe.kif", states=2).result
    'agrees'
    """
    return compare_rules(*read(spec), states=states, longest=longest, seconds=seconds, seed=seed)


def compare_rules(
    file: RulesFile,
    data: Sequence[bytes],
    *,
    followers: Mapping[str, Callable[[], RulesMachine]] | None = None,
    states: int = 20,
    longest: int = LONGEST,
    seconds: float = 60.0,
    seed: int = 0,
) -> Verdict:
    """The same for rules that are at hand, in games of no more than `longest` steps.

    `followers` are the machines that play the network's games again, by what differences call each; the
    reasoner, if nothing is said.

    >>> from kibitz._core import RulesFile
    >>> from kibitz.lang.oracle import compare_rules
    >>> compare_rules(RulesFile("no-rules.kif"), [b"(role you)"]).result
    'refused'
    """
    begin = time.monotonic()
    verdict = Verdict(file.spec, "agrees")
    errors = [finding for finding in check_rules(file, data) if finding.severity == "error"]
    if errors:
        verdict.result, verdict.why = "refused", f"{errors[0].code}: {errors[0].message}"
        return verdict
    comparison = _Comparison(file, data, verdict, begin + seconds)
    try:
        games = comparison.with_clingo(states, longest, random.Random(seed))
        if verdict.machines.get("reasoner") is None:
            others = followers or {"reasoner": lambda: RulesMachine(file, data, "reasoner")}
            for who, made in others.items():
                comparison.with_another(who, made(), games)
        if not all(verdict.machines.values()):
            verdict.result, verdict.why = (
                "not compared",
                f"there was no time for a single state; {verdict.why}",
            )
    except (ValueError, ImportError) as error:
        # Half an agreement is none.
        verdict.result, verdict.why = "not compared", " ".join(str(error).split())
    if verdict.differences:
        verdict.result = "disagrees"
    verdict.seconds = time.monotonic() - begin
    return verdict


@dataclass
class _Comparison:
    """The rules of one file, and what was found out about them so far."""

    file: RulesFile
    data: Sequence[bytes]
    verdict: Verdict
    end: float

    def with_clingo(self, states: int, longest: int, rng: random.Random) -> list[list[Played]]:
        """Plays games by the network, or the reasoner if there is none, and puts states to clingo."""
        program = Program(self.file.applied(self.data)[0])
        time_to_ground = ("seconds", max(1.0, (self.end - time.monotonic()) / 4))
        player = RulesMachine(self.file.limited([time_to_ground]), self.data)
        start = {
            "roles": (program.roles(), frozenset(role.lower() for role in player.roles)),
            "init": (program.initial(), _facts(player.initial())),
        }
        unlike = {name: pair for name, pair in start.items() if pair[0] != pair[1]}
        self.verdict.differences += _differences(f"{player.kind}, at the start", unlike)
        games: list[list[Played]] = []
        compared = 0
        # Half of the time is for clingo, the other half for the other machines.
        half = (time.monotonic() + self.end) / 2
        while compared < states and time.monotonic() < half:
            games.append(list(_play(player, rng, longest, half)))
            for number in _sample(len(games[-1]), min(STATES_A_GAME, states - compared), rng):
                if compared and time.monotonic() > half:
                    break
                step = games[-1][number]
                moves = None if step.moves is None else dict(zip(player.roles, step.moves, strict=True))
                answer = program.answer(step.facts, moves)
                where = f"{player.kind}, game {len(games)}, step {number}"
                self.verdict.differences += _differences(where, _unlike(answer, step.answer), step)
                compared += 1
        self.verdict.machines[player.kind] = compared
        if player.kind == "reasoner":
            self.verdict.why = f"no network: {player.why}"
        return games

    def with_another(self, who: str, player: RulesMachine, games: list[list[Played]]) -> None:
        """Has another machine play the same games, and say the same at every step."""
        followed = 0
        for number, game in enumerate(games, 1):
            state = player.initial()
            for index, known in enumerate(game):
                where = f"{who} (expected by the network), game {number}, step {index}"
                answer, after = _answer_to(player, state, known.moves)
                unlike = _unlike(known.answer, answer)
                if _facts(state) != known.facts:
                    unlike["facts"] = (known.facts, _facts(state))
                followed += 1
                self.verdict.differences += _differences(where, unlike, known)
                # Where one answer is wrong, whatever follows from it is too.
                if unlike or after is None or time.monotonic() > self.end:
                    break
                state = after
            self.verdict.machines[who] = followed
            if time.monotonic() > self.end or len(self.verdict.differences) > 20:
                return


def _play(player: RulesMachine, rng: random.Random, longest: int, end: float) -> Iterator[Played]:
    """A random game, as far as the time allows."""
    state = player.initial()
    for _ in range(longest):
        legal = state.legal
        if state.terminal or not all(legal) or time.monotonic() > end:
            break
        moves = [rng.choice(each) for each in legal]
        # A machine may keep what it found out about a state, and must not spoil it: it is asked
        # about other moves first.
        state.advance([rng.choice(each) for each in legal])
        answer, after = _answer_to(player, state, moves)
        yield Played(_facts(state), answer, moves)
        if after is None:
            return
        state = after
    yield Played(_facts(state), _answer(player, state), None)


def _answer_to(
    player: RulesMachine, state: RulesState, moves: Sequence[str] | None
) -> tuple[Answer, RulesState | None]:
    """What a machine says of a state and of moves there, and where they lead: nowhere if not legal."""
    told: Sequence[Sequence[str]] = ()
    after = None
    legal = state.legal
    if moves is not None and all(move in own for move, own in zip(moves, legal, strict=True)):
        after, told = state.advance(moves)
    return _answer(player, state, after, told), after


def _sample(length: int, count: int, rng: random.Random) -> list[int]:
    """Steps to look at: the last, and others at random."""
    others = rng.sample(range(length - 1), min(length, count) - 1)
    return sorted([*others, length - 1])


def _facts(state: RulesState) -> frozenset[str]:
    return frozenset(fact.lower() for fact in state.facts)


def _answer(
    player: RulesMachine,
    state: RulesState,
    after: RulesState | None = None,
    told: Sequence[Sequence[str]] = (),
) -> Answer:
    """What a machine says of a state, in the words of the oracle."""

    def of_roles(what: Sequence[Sequence[object]]) -> frozenset[str]:
        pairs = zip(player.roles, what, strict=False)
        return frozenset(f"{role} {each}".lower() for role, own in pairs for each in own)

    return Answer(
        terminal=state.terminal,
        legal=of_roles(state.legal),
        goal=of_roles([[f"{score:g}" for score in scores] for scores in state.goals]),
        next=None if after is None else _facts(after),
        sees=None if after is None else of_roles(told),
    )


Unlike = dict[str, tuple[Any, Any]]


def _unlike(expected: Answer, found: Answer) -> Unlike:
    pairs = {
        each.name: (getattr(expected, each.name), getattr(found, each.name)) for each in fields(Answer)
    }
    return {name: pair for name, pair in pairs.items() if pair[0] != pair[1]}


def _differences(where: str, unlike: Unlike, step: Played | None = None) -> list[str]:
    lines = []
    for name, (expected, found) in unlike.items():
        if isinstance(expected, frozenset) and isinstance(found, frozenset):
            what = f"expected also {sorted(expected - found)}, and not {sorted(found - expected)}"
        else:
            what = f"expected {expected}, found {found}"
        state = "" if step is None else f"; moves {step.moves}; state {' '.join(sorted(step.facts))}"
        lines.append(f"{where}, {name}: {what}{state}")
    return lines


def main(argv: Sequence[str] | None = None) -> int:
    """Compares all files of some folders; the exit code is 1 if a machine and clingo disagree."""
    module = "kibitz.lang.oracle"
    parser = apart.parser(module, __doc__)
    parser.add_argument("--states", type=int, default=20, help="states of each file (default 20)")
    parser.add_argument("--seconds", type=float, default=60, help="time for each file (default 60)")
    options = parser.parse_args(argv)
    verdicts = apart.run(
        module,
        options,
        "states",
        "seconds",
        one=lambda spec: compare(spec, states=options.states, seconds=options.seconds, seed=options.seed),
        kind=Verdict,
        lost="not compared",
        told=_print,
    )
    if verdicts is None:
        return 0
    counts = Counter(verdict.result for verdict in verdicts)
    print(", ".join(f"{count} {result}" for result, count in sorted(counts.items())))
    return 1 if counts["disagrees"] else 0


def _print(verdict: Verdict, number: str) -> None:
    machines = ", ".join(f"{count} states of the {kind}" for kind, count in verdict.machines.items())
    about = "; ".join(part for part in (machines, verdict.why) if part)
    name = os.path.basename(verdict.file)
    print(f"{number} {name}: {verdict.result} ({about}, {verdict.seconds:.1f} s)", flush=True)
    for line in verdict.differences[:10]:
        print(f"    {line[:2000]}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
