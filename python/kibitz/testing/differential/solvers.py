"""The comparisons of what is exact: views, returns, solvers, equilibria and what strategies give away."""

from __future__ import annotations

from collections.abc import Iterator

from kibitz import _core
from kibitz.equilibria import equilibrium as regrets
from kibitz.equilibria import exploitability
from kibitz.equilibria.strategy import Strategy
from kibitz.exact import solve
from kibitz.testing.differential.case import Case, Decision, Difference, bernstein, best
from kibitz.testing.differential.checks import check
from kibitz.testing.differential.references import BestReply, Mix, Policy, equilibrium, worth
from kibitz.testing.differential.tables import View


def _close(found: list[float], true: list[float], slack: float = 1e-6) -> bool:
    return len(found) == len(true) and all(abs(a - b) <= slack for a, b in zip(found, true, strict=True))


def _figures(values: list[float]) -> str:
    return "[" + ", ".join(f"{value:.6g}" for value in values) + "]"


@check("views")
def views(case: Case) -> Iterator[Difference]:
    """The information sets and what is legal there."""
    told = "view.player, view.events, view.legal(), view.names()"
    code = f"[({told}) for view in map(tree.view, range(len(tree.sets)))]"
    code = f"tree = GameTree(game, 10**6); {code}"
    nodes = case.table.nodes
    true = {
        (player, seen): sorted(nodes[next(iter(held))].legal(player))
        for (player, seen), held in case.posteriors.items()
    }
    found = {}
    for number in range(len(case.tree.sets)):
        view = case.tree.view(number)
        key = view.player, tuple((kind, words) for kind, _, words in view.events)
        found[key] = sorted(view.names())
    for key in found.keys() | true.keys():
        if found.get(key) != true.get(key):
            yield Difference("views", f"{key}: {found.get(key)}", f"{true.get(key, 'not there')}", code)
            return


@check("referee")
def referee(case: Case) -> Iterator[Difference]:
    """Returns and views of random episodes."""
    rng = case.rng("referee")
    for episode in range(3):
        judge, here = _core.Referee(case.game, 0, episode), case.table.begin()
        state = case.game.initial()
        code = f"r = kb.Referee(game, 0, {episode})"
        steps = judge.opening()
        while True:
            for after, joint, *_ in steps:
                node = case.table.nodes[here.node]
                who = node.who or (None,)
                names = tuple(state.action_name(m, a) for m, a in zip(who, joint, strict=True))
                here = case.table.after(here, next(step for step in node.steps if step.do == names))
                state = after
            for player in range(case.table.players):
                seen = tuple((kind, words) for kind, _, words in judge.view(player).events)
                if seen != here.views[player]:
                    code += f"; r.view({player}).events"
                    yield Difference("referee", str(seen), str(here.views[player]), code)
                    return
            if not _close(judge.returns, [*here.earned], 1e-9):
                code += "; r.returns"
                yield Difference("referee", _figures(judge.returns), _figures([*here.earned]), code)
                return
            if judge.over:
                break
            chosen = [rng.choice(state.legal(mover)) for mover in judge.movers]
            finds = [
                f"r.state.find_action({mover}, {state.action_name(mover, action)!r})"
                for mover, action in zip(judge.movers, chosen, strict=True)
            ]
            code += f"; r.apply([{', '.join(finds)}])"
            steps = judge.apply(chosen)


@check("playouts")
def playouts(case: Case) -> Iterator[Difference]:
    """The mean return of random play."""
    count = 1000
    found, _ = case.game.playouts(count, 1)
    true = case.random_play.at(0)
    for value, spread in zip(found, true, strict=True):
        far = bernstein(count, spread)
        if abs(value - spread.mean) > far:
            should = f"{_figures([each.mean for each in true])} within {far:.3g}"
            yield Difference("playouts", _figures(found), should, f"game.playouts({count}, 1)")
            return


@check("kb.solve")
def exact(case: Case) -> Iterator[Difference]:
    """Values, the table of first actions and the choice of `kb.solve`."""
    table = case.table
    if not (table.players == 1 or case.open or case.duel):
        return
    solution = solve(case.game)
    code = "kb.solve(game)"
    opening: list[Decision] = []
    if table.players == 1:
        value = case.alone.value
        if not _close(solution.value, [value]):
            yield Difference("kb.solve", _figures(solution.value), _figures([value]), code + ".value")
            return
        opening = [each for each in case.decisions if each.seen in case.alone.opening]
    elif case.open:
        values = (case.surely(0) if case.duel else case.backward).at(0)
        if not all(each.holds(v, 1e-6) for each, v in zip(values, solution.value, strict=True)):
            should = f"[{', '.join(map(str, values))}]"
            yield Difference("kb.solve", _figures(solution.value), should, code + ".value")
            return
        opening = [each for each in case.decisions if 0 in each.nodes]
    else:
        value = equilibrium(table)
        if not _close(solution.value, [value, -value]):
            should = _figures([value, -value])
            yield Difference("kb.solve", _figures(solution.value), should, code + ".value")
            return
        if len(table.nodes[0].who) == 1 and solution.table:
            player = table.nodes[0].who[0]
            sign = 1 if player == 0 else -1
            for name, found in solution.table:
                value = sign * equilibrium(table, only=(player, (), name))
                if abs(found - value) > 1e-6:
                    code += ".table"
                    yield Difference("kb.solve", f"{name}: {found:.6g}", f"{value:.6g}", code)
                    return
        return
    if len(opening) == 1 and solution.table:
        true = case.optimal(opening[0])
        assert true is not None
        for name, found in solution.table:
            if not true[name].holds(found, 1e-6):
                yield Difference("kb.solve", f"{name}: {found:.6g}", str(true[name]), code + ".table")
                return
        if solution.action is not None and true[solution.action].high < best(true.values()) - 1e-6:
            good = max(true, key=lambda name: true[name].low)
            yield Difference("kb.solve", solution.action, good, code + ".action")


def _conduct(strategy: Strategy) -> Policy:
    def choose(player: int, view: View, legal: list[str]) -> Mix:
        words = tuple(f"> {name}" if kind == "acted" else name for kind, name in view)
        mix = strategy.mixes.get((player, words))
        return {action: 1 / len(legal) for action in legal} if mix is None else mix

    return choose


@check("kb.equilibrium")
def minimised(case: Case) -> Iterator[Difference]:
    """What minimised regrets come to, and what best responses to them are."""
    rng = case.rng("equilibrium")
    # Sampling is for several players.
    sampling = (rng.choice(("external-sampling", "outcome-sampling")),) if case.table.players > 1 else ()
    for method in ("cfr", "cfr+", *sampling):
        iterations = 300 if case.duel and method == "cfr+" else 20
        found = regrets(case.game, method=method, iterations=iterations)
        code = f"kb.equilibrium(game, method={method!r}, iterations={iterations})"
        policy = _conduct(found.strategy)
        values = worth(case.table, policy)
        if found.values is None or not _close(found.values, values):
            yield Difference(
                "kb.equilibrium", _figures(found.values or []), _figures(values), code + ".values"
            )
            return
        answers = [BestReply(case.table, player, policy).value for player in range(case.table.players)]
        if found.best_responses is None or not _close(found.best_responses, answers):
            says = _figures(found.best_responses or [])
            yield Difference("kb.equilibrium", says, _figures(answers), code + ".best_responses")
            return
        if iterations == 300:
            value = equilibrium(case.table)
            far = 0.05 * case.scale
            if sum(answers) > far or abs(values[0] - value) > sum(answers) + 1e-6:
                says = f"{values[0]:.6g}, at most {sum(answers):.3g} from an equilibrium"
                yield Difference("kb.equilibrium", says, f"{value:.6g}", code + ".values")
                return


@check("kb.exploitability")
def exploited(case: Case) -> Iterator[Difference]:
    """What a planner gives away."""
    found = exploitability(case.game, "random", samples=3)
    code = "kb.exploitability(game, 'random', samples=3)"
    policy = _conduct(found.strategy)
    values = worth(case.table, policy)
    answers = [BestReply(case.table, player, policy).value for player in range(case.table.players)]
    if not _close(found.values, values):
        yield Difference("kb.exploitability", _figures(found.values), _figures(values), code + ".values")
    elif not _close(found.best_responses, answers):
        says = _figures(found.best_responses)
        yield Difference("kb.exploitability", says, _figures(answers), code + ".best_responses")
