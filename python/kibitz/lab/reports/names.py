"""Planners' specs as people read them beside each other: the budget apart, what all share left out."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from kibitz._core import parse_spec

BUDGETS = ("simulations", "transitions", "milliseconds", "nodes")
"""Parameters that say how long a planner may think, the most telling first."""
LONG = 28
"""Specs up to this length are shown as they are."""


class Budget(NamedTuple):
    """How much a planner may do for one move."""

    kind: str
    amount: float

    def __str__(self) -> str:
        return f"{self.amount:,g} {self.kind}"


class Spec(NamedTuple):
    """A planner's spec in its parts."""

    name: str
    parameters: tuple[tuple[str, str], ...]
    copy: str
    """ "#2" where the same planner plays twice, else empty."""

    @property
    def budget(self) -> Budget | None:
        """The budget that it names, if it names one."""
        given = dict(self.parameters)
        for kind in BUDGETS:
            try:
                return Budget(kind, float(given[kind]))
            except (KeyError, ValueError):
                continue
        return None

    def text(self, without: frozenset[tuple[str, str]] = frozenset()) -> str:
        """The spec again, without some of its parameters."""
        shown = [
            f"{key}={value}" if key else value
            for key, value in self.parameters
            if (key, value) not in without
        ]
        inside = f"({', '.join(shown)})" if shown else ""
        return f"{self.name}{inside}" + (f" {self.copy}" if self.copy else "")

    @property
    def family(self) -> Spec:
        """The same planner with any budget."""
        budget = self.budget
        kept = tuple(pair for pair in self.parameters if budget is None or pair[0] != budget.kind)
        return self._replace(parameters=kept)


def read(label: str) -> Spec:
    """A label of a match in its parts; one that is no spec is a name.

    >>> from kibitz.lab.reports.names import read
    >>> read("uct(simulations=100) #2").budget
    Budget(kind='simulations', amount=100.0)
    """
    bare, copy = label, ""
    if marked := re.fullmatch(r"(.*) (#\d+)", label):
        bare, copy = marked.groups()
    try:
        name, parameters = parse_spec(bare)
    except ValueError:
        return Spec(bare, (), copy)
    return Spec(name, tuple((key or "", _value(value)) for key, value in parameters), copy)


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:g}" if isinstance(value, float) else str(value)


class Names(NamedTuple):
    """Short names, and what was left out of them."""

    short: list[str]
    common: str


def shorten(labels: Sequence[str]) -> Names:
    """Names for planners beside each other: long ones without the parameters that they have in common.

    What all planners with parameters share is left out, and what all planners of the same name share.

    >>> from kibitz.lab.reports.names import shorten
    >>> shorten(["uct(simulations=100, exploration=0.7)", "uct(simulations=400, exploration=0.7)"])
    Names(short=['uct(simulations=100)', 'uct(simulations=400)'], common='all with exploration=0.7')
    """
    specs = [read(label) for label in labels]
    if max(map(len, labels), default=0) <= LONG:
        return Names(list(labels), "")
    everywhere = _shared(spec for spec in specs if spec.parameters)
    alike: defaultdict[str, list[Spec]] = defaultdict(list)
    for spec in specs:
        alike[spec.name].append(spec)
    shared = {name: _shared(group) for name, group in alike.items()}
    short = [spec.text(everywhere | shared[spec.name]) for spec in specs]
    if len({*short}) < len({*labels}):
        return Names(list(labels), "")
    remarks = [f"all with {_listed(specs, everywhere)}"] if everywhere else []
    for name, group in alike.items():
        if own := shared[name] - everywhere:
            remarks.append(f"{name} with {_listed(group, own)}")
    return Names(short, "; ".join(remarks))


def _shared(specs: Iterable[Spec]) -> frozenset[tuple[str, str]]:
    """The parameters that several specs have in common."""
    several = [frozenset(spec.parameters) for spec in specs]
    return frozenset.intersection(*several) if len(several) > 1 else frozenset()


def _listed(specs: Iterable[Spec], wanted: frozenset[tuple[str, str]]) -> str:
    first = next(spec for spec in specs if wanted <= {*spec.parameters})
    return ", ".join(
        f"{key}={value}" if key else value for key, value in first.parameters if (key, value) in wanted
    )


def clip(name: str, most: int = 40) -> str:
    """As much of a name as a picture has room for.

    >>> from kibitz.lab.reports.names import clip
    >>> clip("a very long name", 9)
    'a ve…name'
    """
    half = (most - 1) // 2
    return name if len(name) <= most else f"{name[:half]}…{name[-half:]}"
