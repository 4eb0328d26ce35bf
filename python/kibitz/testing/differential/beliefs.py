"""The comparisons of beliefs: which states may be the present one, and how probable each is."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping

from kibitz import _core
from kibitz.testing.differential.case import Case, Decision, Difference, bernstein, share
from kibitz.testing.differential.checks import LOST, Check, check

LISTED = ("exact", "tree", "hypergames(100)")
"""Kinds that hold all that is possible in games as small as these."""
ROOM = 100
"""Histories; games in which more lead to a view are too large for some of them."""
SAMPLED = ("particles(1000)", "particles(1000, weights=kept)", "particles(1000, weights=none)", "auto")
DRAWS = 1000


def _belief(case: Case, kind: str, here: Decision) -> Iterator[Difference]:
    name = f"belief {kind}"
    listed = kind in LISTED
    views = [*case.before(here, name), here]
    code = f"b = kb.Belief(game, {kind!r}, seed=1); tree = GameTree(game, 10**6)"
    code += "".join(f"; b.update(tree.view({each.number}))" for each in views)
    objects = 1 if listed else 2
    drawn: Counter[int] = Counter()
    for seed in range(1, objects + 1):
        belief = _core.Belief(case.game, kind, seed)
        try:
            for each in views:
                belief.update(each.view)
        except ValueError as error:
            yield Difference(name, f"{error}", f"{_shares(here.nodes)}", code)
            return
        for note in belief.notes:
            if any(word in note for word in LOST):
                yield Difference(name, note, f"{_shares(here.nodes)}", code + "; print(b.notes)")
                return
        drawn.update(belief.sample().value[0] for _ in range(DRAWS))
        states = belief.states() if kind == "exact" else None
        if states is not None:
            held: dict[int, float] = defaultdict(float)
            for state, p in states:
                held[state.value[0]] += p
            nodes = held.keys() | here.nodes.keys()
            if any(abs(held[node] - here.nodes.get(node, 0.0)) > 1e-9 for node in nodes):
                yield Difference(name, _shares(held), _shares(here.nodes), code + "; print(b.states())")
                return
    # Particles are drawn once for all samples: they count for no more than would have agreed by chance.
    alike = objects * DRAWS if listed else objects * DRAWS * here.reach / 2
    total = drawn.total()
    for node in drawn.keys() | here.nodes.keys():
        p = here.nodes.get(node, 0.0)
        if abs(drawn[node] / total - p) > bernstein(alike, share(p)) or (drawn[node] and p == 0):
            found = {number: count / total for number, count in drawn.items()}
            code += f"; print(Counter(b.sample().value[0] for _ in range({DRAWS})))"
            yield Difference(name, _shares(found), _shares(here.nodes), code)
            return


def _shares(nodes: Mapping[int, float]) -> str:
    return "{" + ", ".join(f"{node}: {p:.4g}" for node, p in sorted(nodes.items())) + "}"


def _beliefs(kind: str) -> Check:
    def compare(case: Case) -> Iterator[Difference]:
        for here in case.some(f"belief {kind}", 3):
            if here.histories > ROOM:
                continue
            found = next(_belief(case, kind, here), None)
            if found is not None:
                yield found
                return

    return compare


for _kind in (*LISTED, *SAMPLED):
    check(f"belief {_kind}", dear=_kind in SAMPLED)(_beliefs(_kind))
