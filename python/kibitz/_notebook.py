"""What notebooks show: small tables, in the notebook's own colours, light or dark."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kibitz._core import Belief, Decision, Game, Judgement
    from kibitz.equilibria.strategy import Strategy
    from kibitz.exact import Solution

MOST = 20
"""Rows that are shown of a longer table."""
BAR = "display:inline-block;width:{:.0f}px;height:0.7em;background:currentColor;opacity:0.35"
"""The look of a bar so many pixels wide."""


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Cells are HTML; all columns but the first are figures.

    >>> from kibitz._notebook import table
    >>> table(["action", "value"], [["a1", "0.5"]]).count("<td")
    2
    """
    sides = ["left"] + ["right"] * (len(head) - 1)

    def line(tag: str, cells: Iterable[str]) -> str:
        return "".join(
            f'<{tag} style="text-align:{side}">{cell}</{tag}>'
            for side, cell in zip(sides, cells, strict=True)
        )

    body = "".join(f"<tr>{line('td', row)}</tr>" for row in rows[:MOST])
    more = f"<p>and {len(rows) - MOST:,} more</p>" if len(rows) > MOST else ""
    return f"<table><thead><tr>{line('th', head)}</tr></thead><tbody>{body}</tbody></table>{more}"


def bar(share: float) -> str:
    """A bar for a share of one."""
    look = BAR.format(max(1.0, 100 * min(1.0, max(0.0, share))))
    return f'<span style="{look}"></span>'


def decision(found: Decision) -> str:
    """The choice, and the evidence for every legal action.

    >>> import kibitz as kb
    >>> from kibitz._notebook import decision
    >>> view = kb.Referee("tic-tac-toe").view(0)
    >>> "<b>" in decision(kb.advise("tic-tac-toe", view, "uct(simulations=50)"))
    True
    """
    most = max((row.visits for row in found.table), default=0)

    def cells(row: Judgement) -> list[str]:
        value = "?" if row.value is None else f"{row.value:.3f}"
        error = "" if row.error is None else f" ± {row.error:.3f}"
        name = escape(row.name)
        visits = f"{row.visits:,} {bar(row.visits / most)}" if most else ""
        return [f"<b>{name}</b>" if row.action == found.action else name, value + error, visits]

    spent = f"{found.simulations:,} simulations in {1000 * found.seconds:.0f} ms"
    notes = "".join(f"<p>{escape(note)}</p>" for note in found.notes)
    rows = [cells(row) for row in found.table]
    shown = table(["action", "value", "visits"], rows) if rows else f"<b>{escape(found.name)}</b>"
    return f"{shown}<p>{spent}</p>{notes}"


def belief(found: Belief) -> str:
    """A picture where the game draws one, and the likeliest states."""
    try:
        picture = found.svg()
    except ValueError as error:
        return f"<p>{escape(str(error))}</p>"
    notes = "".join(f"<p>{escape(note)}</p>" for note in found.notes)
    states = found.states(MOST)
    about = f"<p>{found.size:,} states</p>" if found.size is not None else ""
    if picture is None and states is None and (facts := found.marginals()):
        rows = [[escape(fact), f"{p:.3f} {bar(p)}"] for fact, p in facts if p < 1] or [["all is known", ""]]
        return f"{table(['fact', 'probability'], rows)}{about}{notes}"
    if picture is not None or states is None:
        return f"{picture or ''}{about}{notes}"
    rows = [
        [f'<pre style="margin:0">{escape(state.text())}</pre>', f"{p:.3f} {bar(p)}"] for state, p in states
    ]
    return f"{table(['state', 'probability'], rows)}{notes}"


def solution(found: Solution) -> str:
    """The value, and that of each first action."""
    values = ", ".join(f"{value:.6g}" for value in found.value) or "not known"
    first = f"; best first: <b>{escape(found.action)}</b>" if found.action else ""
    rows = [[escape(name), f"{value:.6g}"] for name, value in found.table]
    shown = table(["first action", "value"], rows) if rows else ""
    mixes = [
        [f'<pre style="margin:0">{escape(view)}</pre>', _mix(mix)] for view, mix in found.strategy.items()
    ]
    strategy = table(["what it sees", "what it does"], mixes) if mixes else ""
    how = f"{escape(found.method)}, {found.states:,} states"
    return f"<p>value: {values}{first}</p>{shown}{strategy}<p>{how}</p>"


def strategy(found: Strategy) -> str:
    """What is done, by what was done and seen."""
    rows = [
        [f"player {player + 1}: {escape('; '.join(words)) or 'at the beginning'}", _mix(mix)]
        for (player, words), mix in found.mixes.items()
    ]
    by = f", by {escape(found.method)}" * bool(found.method)
    head = ["who, having done and seen what", "does"]
    return f"<p><b>{escape(found.game)}</b>{by}</p>{table(head, rows)}"


def worth(values: Sequence[float], answers: Sequence[float], note: str = "") -> str:
    """What strategies are worth, and what could be gained against them."""
    rows = [
        [f"player {number}", f"{value:.6g}", f"{answer:.6g}", f"{answer - value:.3g}"]
        for number, (value, answer) in enumerate(zip(values, answers, strict=True), 1)
    ]
    below = f"<p>{escape(note)}</p>" if note else ""
    return table(["who", "gets", "best response", "could gain"], rows) + below


def _mix(mix: dict[str, float]) -> str:
    return ", ".join(f"{escape(name)} {share:.3f}" for name, share in mix.items() if share > 0)


def game(found: Game) -> str:
    """The facts, and where it begins."""
    info = found.info
    hidden = "everybody sees everything" if info.perfect_information else "something is hidden"
    names = ", ".join(escape(found.player_name(player)) for player in range(info.players))
    facts = [
        f"{info.players} player{'s' * (info.players > 1)}: {names}",
        f"returns from {info.min_return:g} to {info.max_return:g}",
        hidden,
    ]
    state = found.initial()
    picture = state.svg() or f"<pre>{escape(state.text())}</pre>"
    return f"<p><b>{escape(found.spec)}</b>: {'; '.join(facts)}</p>{picture}"
