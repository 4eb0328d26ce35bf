"""Rules as a logic program for clingo, which says independently of us what follows in a state.

Everything from the text to the answer is done here and by clingo, nothing by the core: its own
reader of both notations, disjunctions multiplied out, names replaced by numbered ones. What the
letter of the language forbids but everybody understands is understood here in the same way: a
variable that stands in one negated condition only means "for no value", and a role that nothing
else mentions in the head of `legal`, `goal` or `sees` means every role.

clingo is not needed to play; it comes with the extra `dev`.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from clingo import Symbol

Term = str | list["Term"]
"""A name, a variable (`?x`), or a list that starts with a name."""

SAME = "(="
"""The opposite of `distinct`; no name of a file has a bracket."""
TUPLE = "tuple"
"""The name of brackets that have none."""
MOST_CLAUSES = 20_000
"""Of one rule, when its disjunctions are multiplied out."""


def terms(text: str) -> list[Term]:
    """The terms of a text in prefix notation, in small letters.

    >>> from kibitz.lang.asp import terms
    >>> terms("(role White) ; a comment")
    [['role', 'white']]
    """
    found: list[Term] = []
    stack: list[list[Term]] = [found]
    bare = re.sub(r";[^\r\n]*", "", text.lower().lstrip("\ufeff"))
    skipped = 0
    for match in re.finditer(r"[()]|[^\s();]+", bare):
        token = match[0]
        # Between the rules, a bracket right after a word belongs to some text that is no rule.
        before = bare[match.start() - 1 : match.start()]
        if skipped or (token == "(" and len(stack) == 1 and before.strip() not in ("", ")")):
            skipped += {"(": 1, ")": -1}.get(token, 0)
        elif token == "(":
            inner: list[Term] = []
            stack[-1].append(inner)
            stack.append(inner)
        elif token != ")":
            if len(stack) > 1 or _is_alone(bare, match):
                stack[-1].append(token)
        elif len(stack) == 1:
            raise ValueError("there is a closing bracket too many")
        else:
            stack.pop()
    if len(stack) > 1 or skipped:
        raise ValueError("a closing bracket is missing")
    return found


def _is_alone(text: str, word: re.Match[str]) -> bool:
    """Whether there is nothing beside a word between the rules: else it belongs to text that is no rule."""
    before = re.split(r"[\r\n)]", text[: word.start()])[-1]
    after = re.split(r"[\r\n(]", text[word.end() :], maxsplit=1)[0]
    return not before.strip() and not after.strip()


def infix_terms(text: str) -> list[Term]:
    """The rules of a text in infix notation, as terms in small letters.

    >>> from kibitz.lang.asp import infix_terms
    >>> infix_terms("goal(R, 100) :- wins(R) & ~over.")
    [['<=', ['goal', '?r', '100'], ['wins', '?r'], ['not', 'over']]]
    """
    tokens = re.findall(r":-|<=|[(),&|~.]|[^\s(),&|~.:<]+", re.sub(r"[;%][^\r\n]*", "", text))
    return list(_Infix(tokens).rules())


class _Infix:
    """A reader of tokens."""

    def __init__(self, tokens: list[str]) -> None:
        self.tokens, self.at = tokens, 0

    def rules(self) -> Iterator[Term]:
        while self.at < len(self.tokens):
            head = self.term()
            body: list[Term] = []
            if self.taken(":-", "<="):
                whole = self.parts(self.conjunction, "or", "|")
                body = whole[1:] if isinstance(whole, list) and whole[0] == "and" else [whole]
            self.taken(".")
            yield ["<=", head, *body] if body else head

    def conjunction(self) -> Term:
        return self.parts(self.literal, "and", "&", ",")

    def parts(self, part: Callable[[], Term], name: str, *between: str) -> Term:
        found = [part()]
        while self.taken(*between):
            found.append(part())
        return found[0] if len(found) == 1 else [name, *found]

    def literal(self) -> Term:
        return ["not", self.literal()] if self.taken("~", "not") else self.term()

    def term(self) -> Term:
        if self.taken("("):
            return [TUPLE, *self.arguments()]
        if self.at == len(self.tokens):
            raise ValueError("the rules end in the middle of one")
        self.at += 1
        name = self.tokens[self.at - 1]
        if name == "_":
            return f"?_{self.at}"
        if name[0] == "_" or name[0].isupper():
            return f"?{name.lower()}"
        return [name.lower(), *self.arguments()] if self.taken("(") else name.lower()

    def arguments(self) -> list[Term]:
        found = [self.term()]
        while self.taken(","):
            found.append(self.term())
        if not self.taken(")"):
            raise ValueError(f"a closing bracket is missing after {found}")
        return found

    def taken(self, *wanted: str) -> bool:
        here = self.at < len(self.tokens) and self.tokens[self.at] in wanted
        self.at += here
        return here


@dataclass(frozen=True)
class Answer:
    """What is said of a state, in small letters: by a machine, or by clingo."""

    terminal: bool
    legal: frozenset[str]
    goal: frozenset[str]
    next: frozenset[str] | None = None
    sees: frozenset[str] | None = None


class Program:
    """The logic program of a rules file; needs clingo."""

    def __init__(self, rules: str) -> None:
        import clingo

        self._clingo = clingo
        self._numbers: dict[str, int] = {}
        self._names: list[str] = []
        parts = [_split(term) for term in _read(rules)]
        asked = {name for _, body in parts for name in _relations(["and", *body])}
        lines = []
        for head, body in parts:
            # Hints about what may ever be true or done, unless a rule asks for them.
            if _name(head) in ("base", "input") and _name(head) not in asked:
                continue
            if _name(head) == "distinct":
                continue
            lines += [self._clause(head, literals) for literals in _alternatives(["and", *body])]
        shown = [
            ("role", 1),
            ("init", 1),
            ("init", 2),
            ("terminal", 0),
            ("legal", 2),
            ("goal", 2),
            ("next", 1),
            ("next", 2),
            ("sees", 2),
        ]
        lines += ["#show.", *(f"#show {self._write(name)}/{arity}." for name, arity in shown)]
        self._text = "\n".join(lines)

    def initial(self) -> frozenset[str]:
        """What holds at the start."""
        return _about(self._solve(""), "init")

    def roles(self) -> frozenset[str]:
        """Who plays."""
        return _about(self._solve(""), "role")

    def answer(self, facts: Iterable[str], moves: dict[str, str] | None) -> Answer:
        """What follows where these facts hold and the roles make these moves, or none."""
        given = [f"(true {fact})" for fact in facts]
        if moves is not None:
            given += [f"(does {role} {move})" for role, move in moves.items()]
        atoms = self.follows(given)
        roles = _about(atoms, "role")
        of = {
            # The rules may speak of scores of somebody who does not play.
            keyword: frozenset(each for each in _about(atoms, keyword) if each.partition(" ")[0] in roles)
            for keyword in ("legal", "goal", "sees")
        }
        after = (None, None) if moves is None else (_about(atoms, "next"), of["sees"])
        return Answer("terminal" in atoms, of["legal"], of["goal"], *after)

    def follows(self, given: Iterable[str]) -> set[str]:
        """All that follows from some atoms in prefix notation, in the language's own relations."""
        return self._solve("".join(f"{self._write(term)}.\n" for text in given for term in terms(text)))

    def _solve(self, facts: str) -> set[str]:
        control = self._clingo.Control(["--warn=none", "--models=2"], logger=self._hear)
        self._heard: list[str] = []
        try:
            control.add("base", [], self._text + "\n" + facts)
            control.ground([("base", [])])
        except RuntimeError:
            raise ValueError(f"clingo cannot read the rules: {' '.join(self._heard)[:300]}") from None
        models: list[set[str]] = []
        with control.solve(yield_=True) as found:
            models += [{self._show(symbol) for symbol in model.symbols(shown=True)} for model in found]
        if len(models) != 1:
            raise ValueError(f"the rules have {len(models)} stable models in a state")
        return models[0]

    def _hear(self, _code: object, what: str) -> None:
        self._heard.append(what)

    def _show(self, symbol: Symbol) -> str:
        name = self._names[int(symbol.name[1:])]
        parts = [self._show(part) for part in symbol.arguments]
        return f"({name} {' '.join(parts)})" if parts else name

    def _clause(self, head: Term, body: Sequence[Term]) -> str:
        literals = list(body)
        positive = [each for each in literals if _name(each) not in ("not", "distinct", SAME)]
        bound = {variable for each in positive for variable in variables(each)}
        if _name(head) in ("legal", "goal", "sees", "input") and len(head) == 3:
            who = head[1]
            if isinstance(who, str) and who.startswith("?") and who not in bound:
                literals.append(["role", who])
                bound.add(who)
        uses = Counter(variable for each in (head, *literals) for variable in variables(each))
        parts = []
        for each in literals:
            own = Counter(variables(each))
            free = {key for key in own if key not in bound and own[key] == uses[key]}
            if _name(each) == "not" and any(own[key] > 1 for key in free):
                raise ValueError("a variable stands twice in one negated condition and nowhere else")
            parts.append(self._literal(each, free if _name(each) == "not" else ()))
        return self._write(head) + (f" :- {', '.join(parts)}" if parts else "") + "."

    def _literal(self, term: Term, anonymous: Collection[str]) -> str:
        match term:
            case ["not", inner]:
                return "not " + self._write(inner, anonymous)
            case ["distinct", left, right]:
                return f"{self._write(left)} != {self._write(right)}"
            case [name, left, right] if name == SAME:
                return f"{self._write(left)} = {self._write(right)}"
        return self._write(term)

    def _write(self, term: Term, anonymous: Collection[str] = ()) -> str:
        if isinstance(term, str):
            if term.startswith("?"):
                return "_" if term in anonymous else "V" + str(self._number(term))
            return "n" + str(self._number(term))
        name, *parts = term
        inner = ",".join(self._write(part, anonymous) for part in parts)
        return f"{self._write(name)}({inner})" if parts else self._write(name)

    def _number(self, name: str) -> int:
        if name not in self._numbers:
            self._numbers[name] = len(self._names)
            self._names.append(name)
        return self._numbers[name]


def _about(atoms: Iterable[str], keyword: str) -> frozenset[str]:
    """What is said with a keyword: `white 100` for `(goal white 100)`."""
    begin = f"({keyword} "
    return frozenset(atom[len(begin) : -1] for atom in atoms if atom.startswith(begin))


def _name(term: Term) -> str:
    while not isinstance(term, str):
        if not term:
            raise ValueError("there are brackets with nothing in them")
        term = term[0]
    return term


def _read(rules: str) -> list[Term]:
    bare = re.sub(r";[^\r\n]*", "", rules).strip()
    is_prefix = bare.startswith("(") or re.search(r"\(\s*(<=|role|init|legal|next)\s", bare, re.IGNORECASE)
    return terms(rules) if is_prefix else infix_terms(rules)


def _split(term: Term) -> tuple[Term, list[Term]]:
    """A rule's head and its conditions."""
    if isinstance(term, list) and len(term) > 1 and term[0] == "<=":
        return term[1], term[2:]
    return term, []


def variables(term: Term) -> Iterator[str]:
    """The variables of a term, as often as they stand there.

    >>> from kibitz.lang.asp import variables
    >>> list(variables(["cell", "?x", ["s", "?y"], "?x"]))
    ['?x', '?y', '?x']
    """
    if isinstance(term, str):
        if term.startswith("?"):
            yield term
    else:
        for part in term:
            yield from variables(part)


def _relations(formula: Term) -> Iterator[str]:
    if isinstance(formula, list) and _name(formula) in ("and", "or", "not"):
        for part in formula[1:]:
            yield from _relations(part)
    else:
        yield _name(formula)


def _alternatives(formula: Term, negated: bool = False) -> list[list[Term]]:
    """Lists of conditions, of which one must hold as a whole."""
    match formula:
        case ["not", inner]:
            return _alternatives(inner, not negated)
        case ["and" | "or" as word, *parts]:
            each = [_alternatives(part, negated) for part in parts]
            if (word == "or") != negated:
                return [alternative for alternatives in each for alternative in alternatives]
            count = 1
            for alternatives in each:
                count *= len(alternatives)
            if count > MOST_CLAUSES:
                raise ValueError(f"a rule has {count} alternatives")
            return [list(itertools.chain.from_iterable(chosen)) for chosen in itertools.product(*each)]
        case ["distinct", left, right]:
            return [[[SAME if negated else "distinct", left, right]]]
    return [[["not", formula] if negated else formula]]
