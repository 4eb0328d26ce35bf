"""The comparisons of planners: what they say of an action's value, and what they choose.

Whatever a planner is, it raises nothing, has something to say of every legal action, and promises no
more than can be got and no less than must. Beyond that, each kind is held to what it stands for.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from kibitz import _core
from kibitz.testing.differential.case import Case, Decision, Difference, bernstein, best
from kibitz.testing.differential.checks import LOST, Check, check
from kibitz.testing.differential.references import Range, Spread, equilibrium, one_step

FAR = 10
"""More moves than any of these games has."""
STAGES = ((1000, 0.5), (8000, 1.0), (64000, 2.0))
"""Simulations, and how much is explored: a search that is not near the truth at first gets more of both."""
NEAR = 0.1
"""How near a search must come in the end, as a share of the range of returns."""
SEEDS = 4
"""Players who learn from each other may get right with one seed what they get wrong with another."""


@dataclass(frozen=True)
class Answer:
    """What a planner says."""

    action: str
    values: dict[str, float]
    visits: dict[str, int]
    notes: list[str]


class RefusedError(Exception):
    """The planner says that the game does not suit it."""


def ask(case: Case, here: Decision, spec: str, seed: int = 1) -> Answer:
    """Puts a decision to a planner, and those before it; `RefusedError` where it says that it needs
    something else."""
    planner = _core.Planner(spec)
    try:
        planner.start(case.game, here.player, seed)
    except ValueError as error:
        raise RefusedError(str(error)) from None
    for earlier in case.before(here, "planners"):
        planner.act(earlier.view)
    found = planner.act(here.view)
    return Answer(
        found.name,
        {row.name: row.value for row in found.table if row.value is not None},
        {row.name: row.visits for row in found.table},
        found.notes,
    )


def _code(case: Case, here: Decision, spec: str, rest: str = "", seed: int = 1) -> str:
    before = case.before(here, "planners")
    if not before:
        return f"kb.advise(game, {here.code}, {spec!r}, seed={seed}){rest}"
    acts = "; ".join(f"p.act({each.code})" for each in (*before, here))
    return f"p = kb.planner({spec!r}); p.start(game, {here.player}, {seed}); {acts}{rest}"


def _sound(case: Case, here: Decision, spec: str, answer: Answer) -> Iterator[Difference]:
    """What holds of every planner that judges by returns only."""
    for note in answer.notes:
        if any(word in note for word in LOST):
            yield Difference(spec, note, "a decision", _code(case, here, spec, ".notes"))
            return
    for action, value in answer.values.items():
        can = case.random_play.after(here.nodes, here.player)[action]
        if not can.low - 1e-6 <= value <= can.high + 1e-6:
            should = f"{can.low:.6g} to {can.high:.6g}, which is all that there is"
            code = _code(case, here, spec, ".table_text()")
            yield Difference(spec, f"{action}: {value:.6g}", should, code)
            return


def _means(
    case: Case, here: Decision, spec: str, true: dict[str, Spread], answer: Answer, worlds: int | None
) -> Iterator[Difference]:
    """Values that are means over draws."""
    for action, value in answer.values.items():
        n = answer.visits[action] if worlds is None else worlds
        far = bernstein(n, true[action])
        if abs(value - true[action].mean) > far:
            should = f"{true[action].mean:.6g} within {far:.3g}"
            code = _code(case, here, spec, ".table_text()")
            yield Difference(spec, f"{action}: {value:.6g}", should, code)
            return


def _exactly(
    case: Case, here: Decision, spec: str, true: dict[str, Range], answer: Answer, slack: float = 1e-6
) -> Iterator[Difference]:
    """Values and a choice that are right."""
    for action, value in answer.values.items():
        if not true[action].holds(value, slack):
            code = _code(case, here, spec, ".table_text()")
            yield Difference(spec, f"{action}: {value:.6g}", str(true[action]), code)
            return
    yield from _well(case, here, spec, true, answer, slack)


def _well(
    case: Case, here: Decision, spec: str, true: dict[str, Range], answer: Answer, slack: float
) -> Iterator[Difference]:
    """A choice that is not much worse than the best."""
    if true[answer.action].high < best(true.values()) - slack:
        good = max(true, key=lambda action: true[action].low)
        should = f"{good}: {', '.join(f'{action} {value}' for action, value in true.items())}"
        yield Difference(spec, answer.action, should, _code(case, here, spec, ".best"))


def _near(
    case: Case, here: Decision, spec: str, true: dict[str, Range], answer: Answer
) -> Iterator[Difference]:
    """A choice that is nearly best, and nearly the right value of it."""
    slack = NEAR * case.scale
    value = answer.values.get(answer.action)
    if value is not None and not true[answer.action].holds(value, slack):
        should = f"{true[answer.action]} within {slack:.3g}"
        yield Difference(
            spec, f"{answer.action}: {value:.6g}", should, _code(case, here, spec, ".table_text()")
        )
        return
    yield from _well(case, here, spec, true, answer, slack)


Judge = str
"""How a planner is judged: see `PLANNERS`."""

PLANNERS: dict[str, Judge] = {
    # Values are means over random play.
    "flat-mc(simulations=1000, belief=exact)": "random",
    "flat-mc(simulations=1000)": "random",
    "uct(simulations=2000, selection=uniform, belief=exact)": "random",
    "pomcp(simulations=2000, selection=uniform, belief=exact)": "random",
    "lifted-hyperplay(worlds=300, planner=random)": "random",
    "one-step(samples=500)": "one-step",
    # Values are right.
    f"minimax(depth={FAR})": "sure",
    f"expectimax(depth={FAR})": "optimal",
    "nmc(level=6)": "nested",
    # Values come near what is right.
    "uct(simulations=N, exploration=C, belief=exact)": "converges",
    "uct(simulations=N, exploration=C, belief=exact, backup=max)": "converges",
    "uct(simulations=N, exploration=C, belief=exact, grow=inf)": "converges",
    "uct(simulations=N, exploration=C, belief=exact, expansion=partial)": "converges",
    "uct(simulations=N, exploration=C, transpositions=true)": "converges",
    "uct(simulations=N, exploration=C, transpositions=true, backup=max)": "converges",
    "uct(simulations=N, exploration=C, tree=belief)": "converges",
    "ensemble-uct(simulations=N, trees=2, exploration=C, belief=exact)": "converges",
    "outcome-uct(simulations=N, playout=random, exploration=C)": "converges",
    "outcome-uct(simulations=N, playout=random, exploration=C, backup=max)": "converges",
    "pomcp(simulations=N, exploration=C, belief=exact)": "converges",
    "pomcp(simulations=N, exploration=C, belief=exact, backup=max)": "converges",
    "pomcp(simulations=N, exploration=C, belief=exact, observers=one)": "converges",
    "norns(simulations=N, exploration=C)": "converges",
    "is-mcts(simulations=N, exploration=C, belief=exact)": "converges",
    "pomcp-pgt(simulations=N, exploration=C, belief=exact)": "converges",
    # Values come near those of an equilibrium where everybody decides once, and nobody knows anything.
    "uct(simulations=4000, exploration=C, belief=exact, choice=value)": "matrix",
    "pomcp(simulations=4000, exploration=C, belief=exact, choice=value)": "matrix",
    "pomcp(simulations=4000, selection=regret-matching-plus, belief=exact, choice=value)": "matrix",
    "norns(simulations=4000, exploration=C, choice=value)": "matrix",
    # Values are means over worlds in which everything is seen.
    f"hyperplay(worlds=100, planner=expectimax(depth={FAR}), belief=exact)": "worlds",
    f"hyperplay(worlds=100, planner=expectimax(depth={FAR}))": "worlds",
    f"hyperplay(worlds=100, future=fixed, planner=none, horizon={FAR}, belief=exact)": "certain worlds",
    f"hindsight(worlds=100, horizon={FAR}, belief=exact)": "certain worlds",
    f"hindsight(worlds=100, planner=expectimax(depth={FAR}), belief=exact)": "certain worlds",
    f"ff-replan(planner=expectimax(depth={FAR}), belief=exact)": "certain world",
    # What they come to has no plain definition; they must still make sense.
    "pomcp(simulations=300)": "sense",
    "pomcp(simulations=300, observers=one, grow=inf)": "sense",
    "pomcp(simulations=300, belief=exact, selection=regret-matching-plus, choice=policy)": "sense",
    "pomcp(simulations=300, belief=hypergames)": "sense",
    "uct(simulations=300, belief=exact, backup=mixmax)": "sense",
    "hop-uct(simulations=100)": "sense",
    "sparse-uct(simulations=300)": "sense",
    "is-mcts(simulations=300, belief=exact, grow=inf)": "sense",
    "hyperplay(worlds=10)": "sense",
    "lifted-hyperplay(worlds=10)": "sense",
    "hindsight(worlds=20, belief=exact, others=random)": "sense",
    "ff-replan(belief=exact)": "sense",
}
"""How each planner is judged; N stands for the simulations of `STAGES`, C for how much is explored."""


def _judge(case: Case, here: Decision, spec: str, how: Judge, name: str) -> Iterator[Difference]:
    table = case.table
    if not _applies(case, here, spec, how):
        return
    try:
        answer = ask(case, here, spec)
    except RefusedError:
        return
    except Exception as error:
        if isinstance(error, ValueError) and not case.in_turn and "use tree=state" in str(error):
            return  # it finds out when it comes there
        yield Difference(name, f"{type(error).__name__}: {error}", "a decision", _code(case, here, spec))
        return
    if answer.action not in here.legal:
        yield Difference(name, answer.action, f"one of {here.legal}", _code(case, here, spec, ".best"))
        return
    if how != "one-step":
        for found in _sound(case, here, spec, answer):
            yield found
            return
    if how == "random":
        worlds = 300 if "worlds" in spec else None
        true = case.random_play.after(here.nodes, here.player)
        # Particles are drawn once, and then shared by all simulations.
        if "belief=exact" not in spec and table.hidden:
            worlds = int(300 * here.reach)
        yield from _means(case, here, spec, true, answer, worlds)
    elif how == "one-step":
        true = one_step(table, here.nodes, here.player)
        yield from _means(case, here, spec, true, answer, int(300 * here.reach) if table.hidden else 500)
    elif how == "sure":
        [node] = here.nodes
        judged = case.surely(here.player).actions(node)
        sure = {action: values[here.player] for action, values in judged.items()}
        yield from _exactly(case, here, spec, sure, answer)
    elif how in ("worlds", "certain worlds", "certain world"):
        if not case.in_turn or not (how == "worlds" or case.certain):
            return
        means = case.seen_through(here)
        if means is None or (how == "certain world" and len(here.nodes) > 1):
            return
        worlds = 1 if how == "certain world" else 100
        yield from _means(case, here, spec, means, answer, worlds)
    elif how == "nested":
        if table.players == 1 and case.certain and table.longest <= 6 and len(here.nodes) == 1:
            yield from _exactly(case, here, spec, case.optimal(here) or {}, answer)
    elif how == "optimal":
        exact = case.optimal(here)
        if exact is not None:
            yield from _exactly(case, here, spec, exact, answer)
    elif how == "converges":
        near = case.optimal(here, loosely=True)
        if near is not None:
            yield from _near(case, here, spec, near, answer)
    elif how == "matrix":
        yield from _in_step(case, here, spec, answer)


def _applies(case: Case, here: Decision, spec: str, how: Judge) -> bool:
    """Whether there is anything to compare."""
    if ("expectimax" in spec or "minimax" in spec) and not case.in_turn:
        return False
    if "backup=max" in spec and not case.in_turn:
        return False  # the best of each is nothing that all can have at once
    return how != "matrix" or (case.duel and 0 in here.nodes and _at_once(case))


def _at_once(case: Case) -> bool:
    """Whether each player decides once, knowing nothing: a matrix, however it is written."""
    return {(each.player, each.seen) for each in case.decisions} == {(0, ()), (1, ())}


def _in_step(case: Case, here: Decision, spec: str, answer: Answer) -> Iterator[Difference]:
    """Players who learn against each other come to about what the game is worth."""
    value = equilibrium(case.table) * (1 if here.player == 0 else -1)
    slack = NEAR * case.scale
    for seed in range(1, SEEDS + 1):
        found = max((answer if seed == 1 else ask(case, here, spec, seed)).values.values())
        if abs(found - value) > slack:
            should = f"{value:.6g} within {slack:.3g}"
            code = _code(case, here, spec, ".table_text()", seed)
            yield Difference(spec, f"{found:.6g} at best", should, code)
            return


def _planner(spec: str, how: Judge) -> Check:
    def compare(case: Case) -> Iterator[Difference]:
        for here in case.some(spec, 2, choices=2):
            found = None
            for simulations, exploration in STAGES if "=N" in spec else STAGES[:1]:
                asked = spec.replace("=N", f"={simulations}")
                asked = asked.replace("=C", f"={exploration * case.spread:.3g}")
                found = next(_judge(case, here, asked, how, spec), None)
                if found is None:
                    break
            if found is not None:
                yield Difference(spec, found.says, found.should, found.code)
                return

    return compare


for _spec, _how in PLANNERS.items():
    check(_spec, dear=True)(_planner(_spec, _how))
