"""Studies of games: the balance report that who makes a game wants.

Games of a planner against itself show who has the edge, how long they last and how much there is to choose;
matches against itself with less thought, whether thinking helps; against one that sees everything, what
secrets are worth. `kibitz study GAME` prints it.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from html import escape
from statistics import fmean, median
from typing import TYPE_CHECKING, Any

from kibitz._arguments import checked
from kibitz.games import load
from kibitz.lab.statistics import clopper_pearson, mean_interval, paired_difference
from kibitz.lab.statistics.bounded import bounded_mean
from kibitz.lab.statistics.ties import same
from kibitz.rules import AnyGame

if TYPE_CHECKING:
    import polars as pl

    from kibitz._core import Game

SHARES = (16, 4)
"""How strength grows is asked of these parts of the budget, and of random play."""
OFTEN = 20
"""A move that could be made less often is not called bad."""
EACH = 4
"""Nor is one judged by decisions with fewer simulations for each legal action."""
LISTED = 12
"""Moves that are listed."""


@dataclass(frozen=True)
class Estimate:
    """A figure with its interval of 95 %."""

    value: float
    low: float
    high: float
    games: int

    def words(self, form: str = ".1%") -> str:
        """For people."""
        return f"{self.value:{form}} ({self.low:{form}} to {self.high:{form}})"


@dataclass(frozen=True)
class Play:
    """What games of one planner against itself are like."""

    planner: str
    games: int
    shares: list[Estimate]
    """Of each player, who wins; a shared win counts in parts. Empty for one player."""
    returns: list[Estimate]
    """Of each player."""
    draws: Estimate | None
    """How often nobody gets more than the others; None for one player."""
    length: list[float]
    """The shortest game, the median, and the longest, in decisions."""
    branching: float
    """Legal actions of a decision, in the mean."""
    widest: int
    forced: float
    """The share of decisions with one legal action only."""
    cut: int
    """Games that were left before they were over."""


@dataclass(frozen=True)
class Step:
    """One planner against another."""

    stronger: str
    weaker: str
    share: Estimate | None
    """What the stronger gets of all wins; None in a game of one."""
    gain: Estimate
    """By how much more it gets."""


@dataclass(frozen=True)
class Move:
    """How an action fared in the games of the planner against itself."""

    player: str
    name: str
    legal: int
    """How often it could be chosen, beside others,"""
    chosen: int
    """and was."""
    regret: float | None
    """By how much it looked worse than the best, in the mean."""


@dataclass(frozen=True)
class Study:
    """What a game is like; printing it shows all."""

    game: str
    players: list[str]
    hidden: bool
    zero_sum: bool
    plays: list[Play]
    """By the planner, and at random."""
    growth: list[Step] = field(default_factory=list)
    """What thinking longer is worth."""
    sight: Step | None = None
    """What it is worth to see everything; None where nothing is hidden, or where it could not be asked."""
    moves: list[Move] = field(default_factory=list)
    """What could be done often and never was, the worst first."""
    idle: list[int] = field(default_factory=list)
    """Lines of the rules that had no effect in any random game, where the language tells."""
    notes: list[str] = field(default_factory=list)
    complete: bool = True
    """False where it was stopped before all games were played."""

    def to_json(self) -> dict[str, Any]:
        """As plain lists and dicts."""
        return asdict(self)

    def frame(self) -> pl.DataFrame:
        """A row for each planner's games against itself and player."""
        import polars as pl

        rows = [
            {
                "planner": play.planner,
                "player": player,
                "games": play.games,
                "share": play.shares[seat].value if play.shares else None,
                "mean_return": play.returns[seat].value,
                "draws": play.draws.value if play.draws else None,
                "median_length": play.length[1],
                "branching": play.branching,
            }
            for play in self.plays
            for seat, player in enumerate(self.players)
        ]
        return pl.DataFrame(rows)

    def sections(self) -> Iterator[tuple[str, list[str], list[list[str]]]]:
        """Tables: a title, the heads of columns, and rows."""
        head = ["played by", "games", "decisions", "legal actions", "forced"]
        rows = [
            [
                play.planner,
                str(play.games),
                " / ".join(f"{each:g}" for each in play.length),
                f"{play.branching:.1f}, at most {play.widest:,}",
                f"{play.forced:.0%}",
            ]
            for play in self.plays
        ]
        yield "length (shortest / median / longest) and choices", head, rows
        rows = []
        for play in self.plays:
            for seat, player in enumerate(self.players):
                share = [play.shares[seat].words()] if play.shares else []
                rows.append([play.planner, player, *share, play.returns[seat].words(".3g")])
            if play.draws is not None:
                rows.append([play.planner, "nobody alone", play.draws.words(), ""])
        share = ["wins"] if len(self.players) > 1 else []
        yield "who gets what", ["played by", "player", *share, "mean return"], rows
        if self.growth:
            yield "what thinking longer is worth", *_steps(self.growth)
        if self.sight is not None:
            yield "what it is worth to see everything", *_steps([self.sight])
        if self.moves:
            head = ["player", "never chosen", "could be, times", "looks worse by"]
            rows = [
                [
                    move.player,
                    move.name,
                    str(move.legal),
                    "?" if move.regret is None else f"{move.regret:.3g}",
                ]
                for move in self.moves[:LISTED]
            ]
            yield "moves that were never good", head, rows

    def verdicts(self) -> list[str]:
        """What stands out, in sentences."""
        return [*_balance(self), *_depth(self), *self.notes]

    def __str__(self) -> str:
        from kibitz.lab.reports.text import columns

        parts = []
        for title, head, rows in self.sections():
            parts.append("\n".join([f"{title}:", *columns([head, *rows])]))
        return "\n\n".join([*parts, "\n".join(self.verdicts())]).rstrip()

    def _repr_html_(self) -> str:
        from kibitz import _notebook

        parts = []
        for title, head, rows in self.sections():
            cells = [[escape(cell) for cell in row] for row in rows]
            parts.append(f"<h4>{escape(title)}</h4>{_notebook.table(head, cells)}")
        return "".join(parts) + "".join(f"<p>{escape(words)}</p>" for words in self.verdicts())

    def html(self) -> str:
        """A page that needs nothing else."""
        from kibitz.lab.reports.page import document, table

        parts = [f"<h1>{escape(self.game)}</h1>"]
        parts += [f"<p>{escape(words)}</p>" for words in self.verdicts()]
        for title, head, rows in self.sections():
            parts += [f"<h2>{escape(title)}</h2>", table(head, rows)]
        return document(f"study of {self.game}", parts)


def _steps(steps: Sequence[Step]) -> tuple[list[str], list[list[str]]]:
    share = any(step.share for step in steps)
    rows = [
        [
            step.stronger,
            step.weaker,
            *([step.share.words()] if step.share else []),
            step.gain.words("+.3g"),
        ]
        for step in steps
    ]
    return ["this", "against", *(["wins"] if share else []), "gets more by"], rows


def _balance(study: Study) -> Iterator[str]:
    play = study.plays[0]
    if not play.shares:
        return
    # Where somebody's gain is somebody's loss, draws and the size of wins count too.
    even = 0.0 if study.zero_sum else 1 / len(play.shares)
    found = play.returns if study.zero_sum else play.shares
    what, form = ("gets", "+.3g") if study.zero_sum else ("wins", ".1%")
    for player, each in zip(study.players, found, strict=True):
        if not each.low <= even <= each.high:
            place = "has the edge" if each.low > even else "is behind"
            yield f"{player} {place}: it {what} {each.words(form)}, where {even:{form}} would be even."
    if all(each.low <= even <= each.high for each in found):
        yield f"No edge was found in {play.games} games."


def _depth(study: Study) -> Iterator[str]:
    for step in study.growth:
        if step.gain.low > 0:
            yield f"{step.stronger} is better than {step.weaker}."
        elif step.gain.high < 0:
            yield f"{step.stronger} is worse than {step.weaker}: the planner does not suit the game."
        else:
            yield f"No difference was found between {step.stronger} and {step.weaker}."
    if study.sight is not None:
        seen = study.sight.gain
        what = "is worth something" if seen.low > 0 else "was not found to be worth anything"
        yield f"To see everything {what}: {seen.words('+.3g')}."
    if study.idle:
        lines = ", ".join(map(str, study.idle))
        yield f"In no random game did anything happen by line {lines} of the rules."


@checked("game", "told")
def study(
    game: AnyGame,
    *,
    planner: str | None = None,
    games: int = 100,
    simulations: int = 200,
    seed: int = 0,
    told: Callable[[str], object] | None = None,
) -> Study:
    """Studies a game by playing it: each part takes `games` games, with `simulations` for each decision.

    `planner` is another than the one that suits the game, without its budget. `told` is called with what
    is being done. Ctrl-C ends it early; what was played until then counts.

    >>> import kibitz as kb
    >>> from kibitz.lab.study import study
    >>> found = study("tic-tac-toe", games=4, simulations=20)
    >>> found.players, len(found.plays)
    (['x', 'o'], 2)
    """
    if games < 2 or simulations < 16:
        raise ValueError("a study needs at least 2 games, and 16 simulations for each decision")
    rules = load(game)
    info = rules.info
    names = [rules.player_name(player) for player in range(info.players)]
    base = planner or ("uct" if info.perfect_information else "pomcp")
    tell = told or (lambda _: None)

    def with_budget(amount: int) -> str:
        from kibitz.planners import with_parameters

        return with_parameters(base, {"simulations": amount})

    best = with_budget(simulations)
    notes: list[str] = []
    plays: list[Play] = []
    growth: list[Step] = []
    moves: list[Move] = []
    idle: list[int] = []
    sight = None
    complete = False
    try:
        for spec in (best, "random"):
            tell(f"{spec} against itself")
            play, found = _self_play(rules, spec, games, seed, names)
            plays.append(play)
            moves = moves or found
        weaker = [with_budget(max(1, simulations // share)) for share in reversed(SHARES)] + ["random"]
        for one, other in zip([best, *weaker], weaker, strict=False):
            tell(f"{one} against {other}")
            growth.append(_step(rules, one, other, games, seed))
        if not info.perfect_information:
            sight = _sight(rules, best, games, seed, tell, notes)
        idle = _idle(rules, games, seed, tell)
        complete = True
    except KeyboardInterrupt:
        notes.append("It was stopped before all was played.")
    if not plays:
        raise KeyboardInterrupt
    hidden = not info.perfect_information
    return Study(
        rules.spec, names, hidden, info.zero_sum, plays, growth, sight, moves, idle, notes, complete
    )


def _self_play(game: Game, spec: str, games: int, seed: int, names: list[str]) -> tuple[Play, list[Move]]:
    """Games of a planner against itself, and what it never did in them."""
    import kibitz as kb
    from kibitz.episode import begin, drive, enough_steps, seat_seed

    lengths, widths, returns = [], [], []
    legal: Counter[tuple[int, str]] = Counter()
    chosen: Counter[tuple[int, str]] = Counter()
    regrets: defaultdict[tuple[int, str], list[float]] = defaultdict(list)
    cut = 0
    most = enough_steps(game.info) or 100_000
    for number in range(games):
        referee = kb.Referee(game, seed, number, max_steps=most)
        seats = [kb.planner(spec) for _ in names]
        begin(referee, seats, seat_seed(seed, number, 0), number)
        decisions = 0
        for done in drive(referee, seats):
            for view, decision in zip(done.views, done.decisions, strict=True):
                decisions += 1
                options = view.names()
                widths.append(len(options))
                if len(options) < 2 or decision.simulations < EACH * len(options):
                    continue  # nothing is known of what was hardly looked at
                known = {row.name: row.value for row in decision.table if row.value is not None}
                top = max(known.values(), default=None)
                for name in options:
                    legal[view.player, name] += 1
                    if top is not None and name in known:
                        regrets[view.player, name].append(top - known[name])
                chosen[view.player, decision.name] += 1
        lengths.append(decisions)
        returns.append(list(referee.returns))
        cut += not referee.over
    seats_of = range(len(names))
    shares, draws = [], None
    if len(names) > 1:
        won = [_winners(each) for each in returns]
        shares = [_share(sum(1 / len(who) for who in won if seat in who), games) for seat in seats_of]
        draws = _share(sum(len(who) > 1 for who in won), games)
    limits = game.info.min_return, game.info.max_return
    means = [_mean([each[seat] for each in returns], limits) for seat in seats_of]
    never = [
        Move(names[seat], name, times, 0, fmean(regrets[seat, name]) if regrets[seat, name] else None)
        for (seat, name), times in legal.items()
        if times >= OFTEN and not chosen[seat, name]
    ]
    never.sort(key=lambda move: (-(move.regret or 0.0), -move.legal, move.name))
    play = Play(
        spec,
        games,
        shares,
        means,
        draws,
        [float(min(lengths)), float(median(lengths)), float(max(lengths))],
        fmean(widths) if widths else 0.0,
        max(widths, default=0),
        sum(width == 1 for width in widths) / max(1, len(widths)),
        cut,
    )
    return play, never if spec != "random" else []


def _winners(returns: Sequence[float]) -> list[int]:
    best = max(returns)
    return [seat for seat, value in enumerate(returns) if same(value, best)]


def _share(successes: float, games: int) -> Estimate:
    low, high = clopper_pearson(successes, games)
    return Estimate(successes / games, low, high, games)


def _mean(values: Sequence[float], limits: tuple[float, float]) -> Estimate:
    groups = [[value] for value in values]
    bounded = all(map(math.isfinite, limits))
    low, high = bounded_mean(groups, *limits) if bounded else mean_interval(groups)
    return Estimate(fmean(values), low, high, len(values))


def _step(game: Game, stronger: str, weaker: str, games: int, seed: int) -> Step:
    """One planner against another on the same deals, seats rotated; in a game of one, side by side."""
    from kibitz.lab.match import match

    result = match(game, [stronger, weaker], games=games, seed=seed)
    first = result.standings[0]
    share = None
    if game.info.players > 1 and first.win_rate is not None and first.games:
        share = Estimate(first.wins / first.games, first.win_rate.low, first.win_rate.high, first.games)
    got: tuple[dict[Hashable, list[float]], ...] = ({}, {})
    for record in result.records:
        for who, value in zip(record.seating, record.returns, strict=True):
            got[who].setdefault(record.episode, []).append(value)
    difference = paired_difference(*got)
    low, high = difference.interval
    return Step(stronger, weaker, share, Estimate(difference.mean, low, high, difference.deals))


def _sight(
    game: Game, best: str, games: int, seed: int, tell: Callable[[str], object], notes: list[str]
) -> Step | None:
    """The planner that is told the truth against itself."""
    sees = "uct" + best.partition("(")[1] + best.partition("(")[2]
    for inner in (best, sees):
        spec = f"omniscient(planner={inner})"
        tell(f"{spec} against {best}")
        try:
            return _step(game, spec, best, games, seed)
        except ValueError as refusal:
            why = str(refusal)
    notes.append(f"What seeing everything is worth could not be asked: {why}.")
    return None


def _idle(game: Game, games: int, seed: int, tell: Callable[[str], object]) -> list[int]:
    """Lines of a rules file that had no effect in random games."""
    if game.machine is None:
        return []
    from kibitz.lang import trial

    tell("random games, for rules that never fire")
    return list(trial.play(game.spec, games, steps=2000, seconds=20.0, seed=seed).idle)


__all__ = ["Estimate", "Move", "Play", "Step", "Study", "study"]
