"""Rules that nobody would write: `python -m kibitz.lang.invent` tries thousands of them.

Each file is small and drawn at random: static relations, layers of derived ones (recursive and negated),
facts that functions nest in, frame axioms, turns that go round, moves at once, chance, `sees`, all
connectives, and bodies that rules share under other names and in another order. All machines play the same
games of it: the network, the network of each way of grounding, the reasoner, both with what never changes
derived on demand, and the network of the same rules in another order; clingo judges the states. A file on
which they disagree is cut down to what is needed for that, and printed.
"""

from __future__ import annotations

import argparse
import multiprocessing
import random
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field, replace

from kibitz._core import RulesFile, RulesMachine
from kibitz.lang.asp import Term, variables
from kibitz.lang.oracle import Verdict, compare_rules

Rules = list[Term]

STATES = 10
"""Of a file that clingo is asked about."""
LONGEST = 6
"""Steps of a game."""
MOST_TRIALS = 1500
"""How often a file is tried while it is cut down."""


def text(rules: Rules) -> str:
    """Rules in prefix form, one a line.

    >>> from kibitz.lang.invent import text
    >>> text([["role", "you"], ["<=", "terminal", ["true", "over"]]])
    '(role you)\\n(<= terminal (true over))\\n'
    """
    return "".join(f"{_words(rule)}\n" for rule in rules)


def _words(term: Term) -> str:
    return term if isinstance(term, str) else f"({' '.join(map(_words, term))})"


# Inventing


@dataclass
class _Level:
    """What the bodies of some rules may mention."""

    positive: list[Callable[[], Term]]
    negative: list[Callable[[], Term]]
    bodies: list[list[Term]] = field(default_factory=list)
    """Of other rules, to be used again."""


VARIABLES = ("?x", "?y", "?z", "?v", "?w")
WHO = ("?r", "?q")
"""Variables for roles."""


class _Inventor:
    """Draws the rules of one file."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.rules: Rules = []
        self.things = ["1", "2", "3", "4"][: rng.choice([2, 3, 3, 4])]
        self.roles = ["red", "blue", "random"][: rng.choice([1, 2, 2, 3])]
        # Names with the number of their arguments.
        self.facts = rng.sample([("f", 1), ("g", 2), ("h", 2), ("p", 0)], rng.randint(1, 3))
        self.moves = rng.sample([("m", 1), ("n", 2), ("k", 0)], rng.randint(1, 2))
        self.turns = rng.choice([0, 0, 2, 3])
        self.likely = rng.choice([0.7, 0.95, 1.0])
        """That an argument is a variable."""

    def invent(self) -> Rules:
        """The rules of a file, in any order but for the roles, which come first."""
        rng = self.rng
        for name, arity in (("d", 1), ("e", 2)):
            for _ in range(rng.randint(1, 4)):
                self.rules.append([name, *rng.choices(self.things, k=arity)])
        self.rules += [["e", *pair] for pair in zip(self.things, self.things[1:], strict=False)]
        static = _Level([self.atom("d", 1), self.atom("e", 2)], [self.atom("d", 1), self.atom("e", 2)])
        self.layers(static, "s", 2)
        state = replace(static, positive=[*static.positive, *[self.true] * 5, self.role], bodies=[])
        state.negative = [*static.negative, *[self.true] * 3]
        self.layers(state, "u", 3)
        moving = replace(state, positive=[*state.positive, *[self.does] * 5], bodies=list(state.bodies))
        moving.negative = [*state.negative, *[self.does] * 2]
        self.layers(moving, "w", 2)
        self.start(static)
        self.legal(state)
        self.next(moving)
        for _ in range(rng.randint(0, 3)):
            body = self.body(moving)
            self.add(["sees", self.who(_bound(body)), self.fact(_bound(body))], body)
        self.end(state)
        for role in self.roles:
            for _ in range(rng.randint(1, 2)):
                who = role if rng.random() < 0.8 else "?r"
                self.add(["goal", who, rng.choice(["0", "50", "100"])], self.body(state))
        rng.shuffle(self.rules)
        roles: Rules = [["role", role] for role in self.roles]
        return roles + self.rules

    def layers(self, level: _Level, stem: str, most: int) -> None:
        """Derived relations, each over those before it; the level may then use them."""
        for number in range(self.rng.randint(0, most)):
            name, arity = f"{stem}{number}", self.rng.choice([0, 1, 1, 2, 2])
            own = self.atom(name, arity)
            for _ in range(self.rng.randint(1, 3)):
                given = self.body(level)
                self.add(self.filled(name, arity, _bound(given)), given)
            if arity == 2 and self.rng.random() < 0.4:
                step = self.rng.choice(level.positive)()
                body: list[Term] = [[name, "?x", "?y"], ["e", "?y", "?z"], step]
                self.rng.shuffle(body)
                self.add([name, "?x", "?z"], body)
            level.positive += [own] * 2
            level.negative.append(own)

    def start(self, static: _Level) -> None:
        for _ in range(self.rng.randint(2, 6)):
            self.rules.append(["init", self.fact([])])
        if self.rng.random() < 0.5:
            body = self.body(static)
            self.add(["init", self.fact(_bound(body))], body)
        if self.turns:
            self.rules.append(["init", ["turn", "1"]])

    def end(self, state: _Level) -> None:
        """Steps are counted: few games would come far otherwise."""
        last = self.rng.randint(3, 6)
        self.rules.append(["init", ["step", "1"]])
        for step in range(1, last):
            self.add(["next", ["step", str(step + 1)]], [["true", ["step", str(step)]]])
        self.add("terminal", [["true", ["step", str(last)]]])
        if self.rng.random() < 0.7:
            later: Term = ["true", ["step", str(self.rng.randint(2, last))]]
            self.add("terminal", self.body(state, later))

    def legal(self, state: _Level) -> None:
        for role in self.roles:
            if self.rng.random() < 0.95:
                self.rules.append(["legal", role, "noop"])
            for _ in range(self.rng.randint(1, 2)):
                who = role if self.rng.random() < 0.7 else self.rng.choice(WHO)
                body = self.body(state)
                self.add(["legal", who, self.move(_bound(body))], body)

    def next(self, moving: _Level) -> None:
        rng = self.rng
        for name, arity in self.facts:
            if rng.random() < 0.7:
                same = self.spelled(name, list(VARIABLES[:arity]))
                self.add(["next", same], self.body(moving, ["true", same]))
        for _ in range(rng.randint(1, 5)):
            body = self.body(moving)
            self.add(["next", self.fact(_bound(body))], body)
        if rng.random() < 0.2:
            self.add(["next", "?a"], self.body(moving, ["true", "?a"]))
        for turn in range(self.turns):
            after: Term = ["next", ["turn", str((turn + 1) % self.turns + 1)]]
            self.add(after, [["true", ["turn", str(turn + 1)]]])

    # Rules, from bodies to heads

    def add(self, head: Term, body: list[Term]) -> None:
        self.rules.append(["<=", head, *body])

    def body(self, level: _Level, *given: Term) -> list[Term]:
        """Conditions, some of them those of another rule under other names."""
        rng = self.rng
        found = [*given]
        if level.bodies and rng.random() < 0.5:
            other = rng.choice(level.bodies)
            names = dict(zip(VARIABLES, rng.sample(VARIABLES, len(VARIABLES)), strict=True))
            part = rng.sample(other, rng.randint(1, len(other)))
            found += [_renamed(each, names if rng.random() < 0.7 else {}) for each in part]
            # A test may have lost what gave its variables values.
            found = [each for each in found if set(variables(each)) <= set(_bound(found))]
        for _ in range(rng.choice([0, 1, 1, 2, 2, 3]) if found else rng.choice([1, 2, 2, 3, 4])):
            found.append(rng.choice(level.positive)())
        if rng.random() < 0.4:
            found += self.apart(level, _bound(found))
        bound = _bound(found)
        found += [self.test(level, bound) for _ in range(rng.choice([0, 0, 1, 1, 2]))]
        level.bodies.append(found)
        return rng.sample(found, len(found))

    def apart(self, level: _Level, bound: list[str]) -> list[Term]:
        """A condition about other things, and a test that ties them to the rest, as in frame axioms."""
        rng = self.rng
        here = [v for v in VARIABLES if v in bound]
        free = [v for v in VARIABLES if v not in bound]
        if not here or not free:
            return []
        other = rng.choice(level.positive)()
        other = _renamed(other, {v: rng.choice(free) for v in VARIABLES})
        there = [v for v in variables(other) if v in free]
        if not there:
            return [other]
        pair = [rng.choice(here), rng.choice(there)]
        tie: Term = ["distinct", *pair]
        return [other, tie if rng.random() < 0.6 else ["not", self.over(level.negative, pair)]]

    def test(self, level: _Level, bound: list[str], depth: int = 0) -> Term:
        """A condition that gives no values to variables: all of it is over those that have some."""
        rng = self.rng
        chosen = rng.random()
        if chosen < 0.3 and bound:
            inner: Term = ["distinct", *rng.sample([*bound, rng.choice(self.things)], 2)]
            return inner if rng.random() < 0.8 else ["not", inner]
        if chosen < 0.65 or depth == 2:
            return ["not", self.over(level.negative, bound, anonymous=depth == 0)]
        if chosen < 0.75:
            return self.over(level.negative, bound)
        parts = [self.test(level, bound, depth + 1) for _ in range(rng.choice([1, 2, 2, 3]))]
        word = "or" if depth == 0 else rng.choice(["or", "and"])
        return [word, *parts] if rng.random() < 0.7 else ["not", [rng.choice(["or", "and"]), *parts]]

    def over(self, atoms: list[Callable[[], Term]], bound: list[str], anonymous: bool = False) -> Term:
        """An atom over variables that have values, and constants."""
        rng = self.rng
        atom = rng.choice(atoms)()
        things = [v for v in bound if v not in WHO and v != "?a"]
        names: dict[str, str] = {}
        for v in sorted(set(variables(atom))):
            own = [each for each in bound if each in WHO] if v in WHO else things
            instead = self.roles if v in WHO else self.things
            names[v] = rng.choice(own) if own and rng.random() < 0.8 else rng.choice(instead)
            # "For no value": it must not stand twice.
            if anonymous and list(variables(atom)).count(v) == 1 and rng.random() < 0.15:
                names[v] = f"?_{v[1:]}"
        return _renamed(atom, names)

    # Atoms

    def atom(self, name: str, arity: int) -> Callable[[], Term]:
        return lambda: self.filled(name, arity, VARIABLES)

    def true(self) -> Term:
        if self.turns and self.rng.random() < 0.2:
            return ["true", ["turn", str(self.rng.randint(1, self.turns))]]
        return ["true", self.fact(VARIABLES)]

    def does(self) -> Term:
        who = self.who(WHO)
        return ["does", who, "noop"] if self.rng.random() < 0.1 else ["does", who, self.move(VARIABLES)]

    def role(self) -> Term:
        return ["role", self.rng.choice(WHO)]

    def who(self, bound: Sequence[str]) -> str:
        own = [v for v in bound if v in WHO]
        return self.rng.choice(own) if own and self.rng.random() < 0.6 else self.rng.choice(self.roles)

    def fact(self, bound: Sequence[str]) -> Term:
        name, arity = self.rng.choice(self.facts)
        return self.spelled(name, self.arguments(arity, bound))

    def move(self, bound: Sequence[str]) -> Term:
        return self.filled(*self.rng.choice(self.moves), bound)

    def filled(self, name: str, arity: int, bound: Sequence[str]) -> Term:
        return [name, *self.arguments(arity, bound)] if arity else name

    def spelled(self, name: str, args: list[str]) -> Term:
        """A fact; one of them has a function inside."""
        return name if not args else [name, ["pair", *args]] if name == "h" else [name, *args]

    def arguments(self, arity: int, bound: Sequence[str]) -> list[str]:
        own = [v for v in bound if v in VARIABLES]
        some = [own if own and self.rng.random() < self.likely else self.things for _ in range(arity)]
        return [self.rng.choice(each) for each in some]


def _bound(body: list[Term]) -> list[str]:
    """The variables that conditions give values to."""
    positive = (each for each in body if each[0] not in ("not", "or", "distinct"))
    return sorted({v for each in positive for v in variables(each)})


def _renamed(term: Term, names: dict[str, str]) -> Term:
    return names.get(term, term) if isinstance(term, str) else [_renamed(part, names) for part in term]


def invent(seed: int) -> Rules:
    """The rules of that number.

    >>> from kibitz.lang.invent import invent
    >>> invent(1)[0], invent(1) == invent(1)
    (['role', 'red'], True)
    """
    return _Inventor(random.Random(seed)).invent()


# Judging


def judge(rules: Rules, seed: int = 0) -> Verdict:
    """Has all machines and clingo play by the rules.

    >>> from kibitz.lang.invent import invent, judge
    >>> judge(invent(3)).result
    'agrees'
    """
    file, data = RulesFile(f"{seed}.kif"), text(rules).encode()
    other = text(_reordered(rules, random.Random(seed))).encode()

    def machine(kind: str, data: bytes = data, **limits: float) -> Callable[[], RulesMachine]:
        return lambda: RulesMachine(file.limited(list(limits.items())), [data], kind)

    followers = {kind: machine(kind) for kind in file.machines if kind != "network"}
    followers["network of reordered rules"] = machine("network", other)
    for kind in ("network", "reasoner"):
        followers[f"{kind} with static facts on demand"] = machine(kind, static_facts=1)
    try:
        return compare_rules(
            file, [data], followers=followers, states=STATES, longest=LONGEST, seconds=20, seed=seed
        )
    except BaseException as error:
        # A panic of the core is no Exception, so that nobody passes over it.
        if type(error).__name__ != "PanicException":
            raise
        return Verdict(file.spec, "disagrees", differences=[f"the core panicked: {error}"])


def _reordered(rules: Rules, rng: random.Random) -> Rules:
    """The same rules: other rules first, other conditions first. Moves are listed by the order of roles."""
    roles = [rule for rule in rules if rule[0] == "role"]
    others = [rule for rule in rules if rule[0] != "role"]
    rng.shuffle(others)
    return roles + [
        ["<=", rule[1], *rng.sample(rule[2:], len(rule) - 2)] if rule[0] == "<=" else rule
        for rule in others
    ]


# Cutting down


def smallest(rules: Rules, fails: Callable[[Rules], bool]) -> Rules:
    """Rules that still fail, of which no part can be left out.

    >>> from kibitz.lang.invent import smallest
    >>> rules = [["role", "you"], ["<=", "over", ["not", "p"], ["or", "q", "wrong"]], "p"]
    >>> smallest(rules, lambda rules: "wrong" in str(rules))
    [['<=', 'over', 'wrong']]
    """
    left = MOST_TRIALS
    progress = True
    while progress:
        progress = False
        for fewer in _cuts(rules):
            left -= 1
            if left < 0:
                return rules
            if fails(fewer):
                rules, progress = fewer, True
                break
    return rules


def _cuts(rules: Rules) -> Iterator[Rules]:
    """The rules without some of them, or with one of them shortened; large cuts first."""
    size = len(rules) // 2
    while size:
        for begin in range(0, len(rules), size):
            yield rules[:begin] + rules[begin + size :]
        size //= 2
    for number, rule in enumerate(rules):
        for shorter in _shorter(rule):
            yield [*rules[:number], shorter, *rules[number + 1 :]]


def _shorter(rule: Term) -> Iterator[Term]:
    if rule[0] != "<=" or isinstance(rule, str):
        return
    _, head, *body = rule
    for place, condition in enumerate(body):
        for instead in ([], *([part] for part in _simpler(condition))):
            rest = [*body[:place], *instead, *body[place + 1 :]]
            yield ["<=", head, *rest] if rest else head


def _simpler(condition: Term) -> Iterator[Term]:
    match condition:
        case ["not", ["not" | "and" | "or", *parts]]:
            yield from (["not", part] for part in parts)
        case ["and" | "or" as word, *parts]:
            yield from parts
            yield from ([word, *parts[:place], *parts[place + 1 :]] for place in range(len(parts)))


# The command


@dataclass
class Tried:
    """What became of one file; where machines disagree, the smallest rules on which they do."""

    seed: int
    verdict: Verdict
    rules: Rules | None = None


def attempt(seed: int) -> Tried:
    """Invents, judges and, if need be, cuts down the rules of a number.

    >>> from kibitz.lang.invent import attempt
    >>> attempt(3).rules is None
    True
    """
    rules = invent(seed)
    verdict = judge(rules, seed)
    if verdict.result != "disagrees":
        return Tried(seed, verdict)
    rules = smallest(rules, lambda fewer: judge(fewer, seed).result == "disagrees")
    return Tried(seed, judge(rules, seed), rules)


def attempts(seeds: Sequence[int], jobs: int = 1) -> Iterator[Tried]:
    """Files of so many numbers, in several processes if asked for."""
    if jobs == 1:
        yield from map(attempt, seeds)
        return
    with ProcessPoolExecutor(jobs, mp_context=multiprocessing.get_context("spawn")) as pool:
        yield from pool.map(attempt, seeds, chunksize=10)


def main(argv: Sequence[str] | None = None) -> int:
    """Tries many files; the exit code is 1 if machines disagree about one."""
    parser = argparse.ArgumentParser(
        prog="python -m kibitz.lang.invent", description=__doc__.partition("\n")[0]
    )
    parser.add_argument("--files", type=int, default=5000, help="how many (default 5000)")
    parser.add_argument("--seed", type=int, default=0, help="number of the first (default 0)")
    parser.add_argument("--jobs", type=int, default=1, help="processes (default 1)")
    options = parser.parse_args(argv)
    begin = time.monotonic()
    counts: Counter[str] = Counter()
    for tried in attempts(range(options.seed, options.seed + options.files), options.jobs):
        counts[tried.verdict.result] += 1
        if tried.rules is not None:
            differences = "".join(f";   {line[:500]}\n" for line in tried.verdict.differences[:5])
            print(
                f"; file {tried.seed}: the machines disagree\n{differences}{text(tried.rules)}", flush=True
            )
        elif tried.verdict.result == "not compared":
            print(f"; file {tried.seed}: not compared: {tried.verdict.why}", flush=True)
    told = ", ".join(f"{count} {result}" for result, count in sorted(counts.items()))
    print(f"{options.files} files in {time.monotonic() - begin:.0f} s: {told}")
    return 1 if counts["disagrees"] else 0


if __name__ == "__main__":
    sys.exit(main())
