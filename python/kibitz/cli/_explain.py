"""A decision with its reasons, for people and for programs."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from kibitz.cli._terminal import bar, duration, paint, sign, width

if TYPE_CHECKING:
    from kibitz import Decision, Game, Judgement, View
    from kibitz.lab.replay import Reasons, Row

    Explained = Decision | Reasons
    """A decision that was just made, or one from a replay, which keeps the best actions only."""

BAR = 20
SHORTEST = 5
"""Shorter bars are left out."""
LISTED = 20_000
"""A belief of more states is not shown."""


def table(decision: Explained, rows: int = 8) -> list[str]:
    """The evidence for each action, best first: value ± standard error, visits as a bar.

    >>> import kibitz as kb
    >>> from kibitz.cli._explain import table
    >>> game = kb.load("tic-tac-toe")
    >>> len(table(kb.advise(game, kb.Referee(game).view(0), "uct(simulations=90)"), rows=3))
    5
    """
    shown: Sequence[Judgement | Row] = decision.table[:rows]
    if not shown:
        return []
    names = max(6, *(len(row.name) for row in shown))
    values = [value_text(row.value, row.error) for row in shown]
    wide = max(5, *(len(value) for value in values))
    most = max(row.visits for row in decision.table)
    digits = max(6, *(len(f"{row.visits:,}") for row in shown))
    heuristic: Sequence[float] = getattr(decision, "heuristic", ())
    head = f"  {'action':{names}}  {'value':{wide}}  {'visits':>{digits}}"
    lines = [paint(head + "  heuristic" * bool(heuristic), "dim")]
    for number, (row, value) in enumerate(zip(shown, values, strict=True)):
        chosen = row.action == decision.action
        mark = sign("▸", ">") if chosen else " "
        text = f"{mark} {row.name:{names}}  {value:{wide}}  {row.visits:>{digits},}"
        if heuristic:
            text += f"  {heuristic[number]:9.4f}"
        room = min(BAR, width() - len(text) - 1)
        blocks = bar(row.visits / most if most else 0.0, room) if room >= SHORTEST else ""
        line = paint(text, "bold", "green") if chosen else text
        lines.append(f"{line} {paint(blocks, 'green' if chosen else 'dim')}".rstrip())
    actions = getattr(decision, "actions", len(decision.table))
    if actions > len(shown):
        lines.append(paint(f"  and {actions - len(shown)} more", "dim"))
    return lines


def value_text(value: float | None, error: float | None) -> str:
    """A value with its standard error.

    >>> from kibitz.cli._explain import value_text
    >>> value_text(0.25, None), value_text(None, None)
    ('+0.250', '-')
    """
    if value is None:
        return "-"
    spread = "" if error is None else f" {sign('±', '+-')} {error:.3f}"
    return f"{value:+.3f}{spread}"


def facts(decision: Explained, game: Game, player: int, *, details: bool = False) -> list[str]:
    """What was spent on it, what is believed, what is expected, and what else should be known.

    With `details` the counters of belief and model too.
    """
    from kibitz.lab.replay import Reasons, reused

    dot = f" {sign('·', '-')} "
    known = []
    if decision.simulations:
        known.append(f"{decision.simulations:,} simulations in {duration(decision.seconds)}")
        if kept := decision.reused if isinstance(decision, Reasons) else reused(decision):
            known.append(f"{kept:,} visits kept from before")
    if details and (transitions := decision.transitions):
        known.append(f"{transitions:,} steps of the model")
    if depth := decision.depth:
        known.append(f"{depth:.1f} moves deep")
    if decision.belief is not None:
        several = f"belief of {decision.belief:,} states"
        known.append("one possible state" if decision.belief == 1 else several)
    lines = _wrapped(dot.join(known), "dim")
    if details and (counters := decision.counters):
        lines += _wrapped(dot.join(f"{value:,.0f} {name}" for name, value in counters), "dim")
    if len(decision.line) > 1:
        who = [f"({game.player_name(mover)}) " * (mover != player) for mover, _ in decision.line]
        expected = [someone + name for someone, (_, name) in zip(who, decision.line, strict=True)]
        lines += _wrapped("expects " + f" {sign('→', '->')} ".join(expected), "dim")
    return lines + [line for note in decision.notes for line in _wrapped(note, "yellow")]


def _wrapped(text: str, style: str) -> list[str]:
    """Lines of a text that fit on the terminal."""
    room = max(40, min(width(), 140))
    lines = textwrap.wrap(text, room, initial_indent="  ", subsequent_indent="    ", break_long_words=False)
    return [paint(line, style) for line in lines]


def belief_lines(view: View, rows: int = 3) -> list[str]:
    """What may be, as far as a player can know: how many states, how uncertain, and the likeliest.

    >>> import kibitz as kb
    >>> from kibitz.cli._explain import belief_lines
    >>> belief_lines(kb.Referee(kb.load("tiger")).view(0))[0].strip()
    '2 possible states, 1.00 bits'
    """
    if view.game.info.perfect_information:
        return []
    import kibitz as kb

    try:
        belief = kb.Belief(view.game, f"exact({LISTED})")
        belief.update(view)
        states = belief.states(LISTED)
    except ValueError:  # too many, or chance has no probabilities
        return []
    if not states:
        return []
    bits = -sum(p * math.log2(p) for _, p in states if p > 0)
    lines = [f"  {len(states):,} possible state{'s' * (len(states) > 1)}, {abs(bits):.2f} bits"]
    common = set.intersection(*(set(state.facts) for state, _ in states)) if len(states) > 1 else set()
    for state, p in states[:rows]:
        facts = [fact for fact in state.facts if fact not in common]
        if facts:
            lines.append(
                textwrap.shorten(f"{p:6.1%}  {' '.join(facts)}", min(100, width() - 2), placeholder=" ...")
            )
    return [paint(line, "dim") for line in lines]


def plain(decision: Explained) -> dict[str, Any]:
    """The same for programs."""
    return {
        "action": decision.action,
        "name": decision.name,
        "table": [
            {
                "action": row.action,
                "name": row.name,
                "value": row.value,
                "error": row.error,
                "visits": row.visits,
            }
            for row in decision.table
        ],
        "heuristic": list(getattr(decision, "heuristic", ())),
        "simulations": decision.simulations,
        "nodes": decision.nodes,
        "seconds": decision.seconds,
        "belief": decision.belief,
        "transitions": decision.transitions,
        "depth": decision.depth,
        "counters": dict(decision.counters),
        "line": [{"player": player, "name": name} for player, name in decision.line],
        "notes": decision.notes,
    }
