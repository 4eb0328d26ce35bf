"""A replay as HTML: the picture of each position beside the reasons for the move made there."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from itertools import islice
from typing import TYPE_CHECKING

from kibitz import _notebook
from kibitz._core import Belief, Referee
from kibitz.lab.replay import turns
from kibitz.lab.reports.page import document, image
from kibitz.lab.reports.text import time

if TYPE_CHECKING:
    from kibitz import Game, State
    from kibitz.lab.replay import Frame, Reasons, Replay

MOST = 2_000
"""Turns that a page of its own shows."""
LARGEST = 24_000_000
"""Characters of frames after which it shows no more."""

FAST = 100
"""Longer games than this begin at ten moves a second."""

CONTROLS = """<div class="controls" hidden>
<button type="button" data-go="first" title="to the beginning (Home)">|◀</button>
<button type="button" data-go="back" title="back (left arrow)">◀</button>
<button type="button" data-go="play" title="play and pause (space)">play</button>
<select aria-label="moves a second">
<option value="1">1 a second</option><option value="2">2 a second</option>
<option value="5">5 a second</option><option value="10">10 a second</option>
<option value="20">20 a second</option></select>
<input type="range" min="0" value="0" aria-label="move">
<button type="button" data-go="on" title="on (right arrow)">▶</button>
<button type="button" data-go="last" title="to the end (End)">▶|</button>
<output></output></div>"""


def replay_page(replay: Replay, game: Game | None = None, *, belief: str | None = None) -> str:
    """A page of its own for a replay; `belief` as in `replay_section`.

    >>> import kibitz as kb
    >>> from kibitz.lab import replay
    >>> from kibitz.lab.reports import replay_page
    >>> kept = replay.of(kb.play("tic-tac-toe", "uct(simulations=20)"))
    >>> replay_page(kept).count('class="frame"') == len(kept.steps) + 1
    True
    """
    game = replay.load_game(game)
    seats = "".join(
        f'<dt>{escape(game.player_name(seat))}</dt><dd class="spec">{escape(spec)}</dd>'
        for seat, spec in enumerate(replay.planners)
    )
    head = (
        f"<h1>{escape(replay.game)}</h1>"
        f'<p class="dim">seed {replay.seed}, episode {replay.episode}, kibitz {escape(replay.version)}; '
        f"{escape(_outcome(replay, game))}</p><dl>{seats}</dl>"
    )
    return document(f"{replay.game}: a replay", [head, replay_section(replay, game, belief=belief)])


def replay_section(
    replay: Replay, game: Game | None = None, most: int = MOST, *, belief: str | None = None
) -> str:
    """A replay as a part of a page: all frames in order; the page's script shows one at a time.

    With a kind of `belief`, `particles(1000)` for example, each mover has a picture of what that belief
    makes of all that it has seen; where the game draws none, a list of the likeliest states or facts.
    """
    game = replay.load_game(game)
    frames = list(replay.frames(game))
    played = turns(frames)
    parts: list[str] = []
    size = 0
    minds = None if belief is None else _Minds(replay, game, belief)
    for part in _frames(replay, played[:most], game, minds):
        size += len(part)
        if size > LARGEST:
            break
        parts.append(part)
    if len(parts) == len(played):
        last = frames[-1].after if frames else game.initial()
        title = "the end" if replay.over else "left here"
        ending = f'<p class="outcome">{escape(_outcome(replay, game))}</p>'
        parts.append(_frame(title, "the end", _positions(last, []), ending))
    else:
        left = len(played) - len(parts)
        parts.append(_frame("cut", "the cut", "", f'<p class="note">{left} more turns are not shown.</p>'))
    pace = 10 if len(played) > FAST else 1
    return f'<section class="replay" data-pace="{pace}">{CONTROLS}\n' + "\n".join(parts) + "\n</section>"


class _Minds:
    """What each player believes on the way through a game, drawn."""

    def __init__(self, replay: Replay, game: Game, kind: str) -> None:
        self.replay, self.game, self.kind = replay, game, kind
        self.beliefs = [Belief(game, kind, replay.seed) for _ in replay.planners]

    def picture(self, mover: int, steps: int) -> str:
        """After so many steps of the replay, as a part of the page."""
        referee = Referee.from_history(self.game, self.replay.history_until(steps))
        belief = self.beliefs[mover]
        try:
            belief.update(referee.view(mover))
        except ValueError as error:
            return f'<p class="note">{escape(f"{self.kind}: {error}")}</p>'
        svg = belief.svg()
        who = self.game.player_name(mover)
        notes = "".join(f'<p class="note">{escape(note)}</p>' for note in belief.notes)
        caption = f"what {who} may believe: {self.kind}"
        # Where a game draws no beliefs, the likeliest states are listed, or facts with their probabilities.
        shown = (
            f'<div class="wide">{_notebook.belief(belief)}</div>' if svg is None else image(svg, caption)
        )
        return (
            f"<figure>{shown}<figcaption>{escape(caption)}</figcaption>{notes * (svg is not None)}</figure>"
        )


def _frames(
    replay: Replay, played: list[list[Frame]], game: Game, minds: _Minds | None = None
) -> Iterator[str]:
    number, moves = 0, sum(1 for turn in played if turn[0].move.movers)
    for turn in played:
        first, *rest = turn
        if not first.move.movers:
            drawn = ", ".join(frame.move.names[0] for frame in turn)
            what = f"<p>chance: {escape(drawn)}</p>"
            yield _frame("before the first move", "the beginning", _positions(turn[-1].after, []), what)
            continue
        number += 1
        movers = first.move.movers
        who = ", ".join(game.player_name(mover) for mover in movers)
        reasons = []
        for mover, decision in zip(movers, first.move.decisions, strict=bool(first.move.decisions)):
            reasons.append(
                f"<h3>{escape(game.player_name(mover))}: {escape(decision.name)} "
                f'<span class="dim spec">{escape(replay.planners[mover])}</span></h3>'
            )
            reasons.append(_reasons(decision, game, mover))
        reasons += [f"<p>{escape(line)}</p>" for line in _aftermath(turn, rest, game)]
        title = f"move {number}: {who}"
        positions = _positions(first.before, movers)
        if minds is not None:
            positions += "".join(minds.picture(mover, first.number - 1) for mover in movers)
        yield _frame(title, f"move {number} of {moves}", positions, "".join(reasons))


def _aftermath(turn: list[Frame], drawn: list[Frame], game: Game) -> Iterator[str]:
    if drawn:
        yield "then chance: " + ", ".join(frame.move.names[0] for frame in islice(drawn, 20))
    for player in range(game.info.players):
        paid = sum(frame.move.rewards[player] for frame in turn)
        if paid:
            yield f"{game.player_name(player)} is paid {paid:+.12g}"


SIDE_BY_SIDE = 4
"""So many pictures fit beside each other."""


def _frame(title: str, short: str, positions: str, reasons: str) -> str:
    many = " many" if positions.count("<figure>") > SIDE_BY_SIDE else ""
    return (
        f'<article class="frame" data-title="{escape(short)}"><h3>{escape(title)}</h3>'
        f'<div class="sides{many}">{positions}<div>{reasons}</div></div></article>'
    )


def _positions(state: State, movers: list[int]) -> str:
    """The truth, and beside it what the movers see, where that is less."""
    game = state.game
    if game.info.perfect_information:
        return _position(state, None, "")
    seen = [_position(state, mover, f"as {game.player_name(mover)} sees it") for mover in movers]
    return _position(state, None, "the truth") + "".join(seen)


def _position(state: State, viewer: int | None, caption: str) -> str:
    words = state.text(viewer).rstrip()
    svg = state.svg(viewer)
    picture = f"<pre>{escape(words)}</pre>" if svg is None else image(svg, words)
    below = f"<figcaption>{escape(caption)}</figcaption>" if caption else ""
    return f"<figure>{picture}{below}</figure>"


def _reasons(decision: Reasons, game: Game, player: int) -> str:
    """The decision table, what was spent, what is expected."""
    parts, facts = [], []
    if decision.table:
        most = max(row.visits for row in decision.table) or 1
        lines = []
        for row in decision.table:
            value = "–" if row.value is None else f"{row.value:+.3f}"
            error = "" if row.error is None else f"± {row.error:.3f}"
            bar = f'<span class="bar"><i style="width:{100 * row.visits / most:.0f}%"></i></span>'
            mark = ' class="chosen"' if row.action == decision.action else ""
            lines.append(
                f"<tr{mark}><td>{escape(row.name)}</td><td>{value}</td><td>{error}</td>"
                f"<td>{row.visits:,}</td><td>{bar}</td></tr>"
            )
        head = "<th>action</th><th>value</th><th>s.e.</th><th>visits</th><th></th>"
        body = "".join(lines)
        parts.append(
            f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'
        )
        more = decision.actions - len(decision.table)
        if more > 0:
            facts.append(f"{more} more actions")
    if decision.simulations:
        facts.append(f"{decision.simulations:,} simulations in {time(decision.seconds)}")
    if decision.belief is not None:
        one = decision.belief == 1
        facts.append("one possible state" if one else f"belief of {decision.belief:,} states")
    if facts:
        parts.append(f'<p class="dim">{escape(" · ".join(facts))}</p>')
    if len(decision.line) > 1:
        steps = [f"({game.player_name(who)}) " * (who != player) + name for who, name in decision.line]
        parts.append(f'<p class="dim">expects {escape(" → ".join(steps))}</p>')
    parts += [f'<p class="note">{escape(note)}</p>' for note in decision.notes]
    return "".join(parts)


def _outcome(replay: Replay, game: Game) -> str:
    each = [f"{game.player_name(seat)} gets {value:+.12g}" for seat, value in enumerate(replay.returns)]
    return ", ".join(each) + ("" if replay.over else " (left unfinished)")
