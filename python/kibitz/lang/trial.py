"""What only playing shows of rules: whether games end, everybody can always move, and scores are sound.

In real time nobody need move: games are played by the clock, and it is seen whether they end and what
becomes of lifetimes.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from kibitz._core import Game, GameFault, RulesMachine
from kibitz.lang import machine

SHOWN = 12
"""Facts of a state that a flaw's text shows."""

_LAWS = {
    "no-end": ("warning", "terminal", "every game ends"),
    "no-legal-move": ("error", "legal", "every role has a legal move in every state that is not terminal"),
    "no-goal": ("error", "goal", "every role has a score in a terminal state"),
    "several-goals": ("error", "goal", "a role has one score"),
    "goal-range": ("error", "goal", "scores are numbers from 0 to 100"),
    "fault": ("error", "next", "what rules derive makes a state"),
    "full": ("warning", "limit", "there is room for all that the rules make"),
    "goal-drops": ("warning", "goal", "a role's score never drops while a game goes on"),
}
"""How bad each flaw is, what the rules to look at are about, and what they break."""


@dataclass
class Flaw:
    """Something wrong that came up in a game: where it happened first, and in how many games."""

    code: str
    message: str
    file: str
    game: int
    """From 1."""
    step: int
    """How many moves had been made."""
    moves: list[str]
    """The last joint move, a move for each role; none at the start."""
    state: list[str]
    """What held."""
    lines: list[int]
    """Where the rules are that say so, in the file."""
    games: int = 1

    @property
    def severity(self) -> str:
        """`error` or `warning`."""
        return _LAWS[self.code][0]

    @property
    def rule(self) -> str:
        """The broken rule in words."""
        return _LAWS[self.code][2]

    @property
    def text(self) -> str:
        """All of it as a compiler prints it."""
        state = self.state[:SHOWN] + (["..."] if len(self.state) > SHOWN else [])
        lines = [
            f"{self.severity}[{self.code}]: {self.message}",
            f" --> {self.file}: game {self.game}, step {self.step}",
            "  |",
            f"  | state: {' '.join(state) or 'no fact holds'}",
        ]
        if self.moves:
            lines.append(f"  | after: {', '.join(self.moves)}")
        lines.append(f"  = rule: {self.rule}")
        shown = ", ".join(map(str, self.lines[:SHOWN])) + (", ..." if len(self.lines) > SHOWN else "")
        if shown:
            lines.append(f"  = see: what says `{_LAWS[self.code][1]}`, line {shown}")
        if self.games > 1:
            lines.append(f"  = note: so in {self.games} games")
        return "\n".join(lines) + "\n"


@dataclass
class Trial:
    """Games that were played at random."""

    asked: int
    """How many games were to be played; fewer were, if there was no time."""
    machine: str
    """`network` or `reasoner`."""
    why: str | None = None
    """Why it is not the network."""
    ready: float = 0.0
    """Seconds until the machine could play."""
    lengths: list[int] = field(default_factory=list)
    """The steps of each game."""
    stopped: int = 0
    """Games among them that there was no time to finish."""
    flaws: list[Flaw] = field(default_factory=list)
    idle: list[int] = field(default_factory=list)
    """The lines of effects that happened in none of the games, where the language has effects."""
    seconds: float = 0.0
    seen: dict[tuple[str, str], Flaw] = field(default_factory=dict, repr=False)

    @property
    def cut_short(self) -> bool:
        """Whether there was no time for all that was asked for."""
        return self.stopped > 0 or len(self.lengths) < self.asked


def play(
    spec: str,
    games: int = 20,
    *,
    steps: int = 5000,
    seconds: float = 60.0,
    seed: int = 0,
    told: Callable[[Trial], None] = lambda _: None,
) -> Trial:
    """Plays random games by the rules of a file, and says what is wrong with them.

    No game is longer than so many steps, and no game begins after so many seconds. ValueError if
    the rules make no game.

    >>> from kibitz.lang import trial
    >>> found = trial.play("tic-tac-toe.kif", 3)
    >>> len(found.lengths), [flaw.code for flaw in found.flaws]
    (3, [])
    """
    from kibitz.games import load

    name = spec.rpartition("/")[2]
    begin = time.monotonic()
    game = load(spec)
    if game.tick is not None and (about := game.machine) is not None:
        trial = Trial(games, about["machine"], about["why"], time.monotonic() - begin)
        _play_in_time(game, trial, name, seconds=seconds, steps=steps, seed=seed, told=told)
        return trial
    player = machine(spec)
    trial = Trial(games, player.kind, player.why, time.monotonic() - begin)
    begin = time.monotonic()
    rng = random.Random(seed)
    happened: set[int] = set()
    while len(trial.lengths) < games and time.monotonic() - begin < seconds:
        told(trial)
        _Game(player, trial, name, happened).play(rng, steps, begin + 2 * seconds)
    trial.idle = sorted(set(player.lines("effect")) - happened)
    trial.seconds = time.monotonic() - begin
    return trial


def _play_in_time(
    game: Game,
    trial: Trial,
    file: str,
    *,
    seconds: float,
    steps: int,
    seed: int,
    told: Callable[[Trial], None],
) -> None:
    """Random games by the virtual clock."""
    from kibitz.episode import Step, play

    begin = time.monotonic()
    last: list[Step] = []

    def flaw(code: str, message: str) -> None:
        if (code, "") in trial.seen:
            trial.seen[code, ""].games += 1
            return
        at = last[-1] if last else None
        state = (at.state if at else game.initial()).facts
        moves = list(at.names) if at else []
        number = len(trial.lengths) + 1
        trial.flaws.append(Flaw(code, message, file, number, len(last), moves, state, []))
        trial.seen[code, ""] = trial.flaws[-1]

    while len(trial.lengths) < trial.asked and time.monotonic() - begin < seconds:
        told(trial)
        last.clear()
        try:
            played = play(
                game, "random", seed=seed, episode=len(trial.lengths), max_steps=steps, on_move=last.append
            )
        except GameFault as fault:
            flaw("fault", str(fault))
        else:
            if not played.over:
                flaw("no-end", f"a game has not ended after {len(last)} steps")
        trial.lengths.append(len(last))
    trial.seconds = time.monotonic() - begin


class _Game:
    """One random game that is watched."""

    def __init__(self, player: RulesMachine, trial: Trial, file: str, happened: set[int]) -> None:
        self.player, self.trial, self.file = player, trial, file
        self.happened = happened
        """The lines of effects that happened, in games before too."""
        self.state = player.initial()
        self.moves: list[str] = []
        self.step = 0
        self.found: set[tuple[str, str]] = set()
        # Chance wants nothing.
        self.scorers = [role for role, name in enumerate(player.roles) if name.lower() != "random"]
        self.before: dict[int, float] = {}

    def play(self, rng: random.Random, steps: int, end: float) -> None:
        """Plays it to its end, to so many steps, or to the end of the time."""
        while True:
            self._look_at_scores()
            if self.state.terminal:
                break
            legal = self.state.legal
            stuck = [name for name, moves in zip(self.player.roles, legal, strict=True) if not moves]
            for name in stuck:
                self._flaw("no-legal-move", name, f"{name} has no legal move, but the game is not over")
            if stuck:
                break
            if self.step >= steps:
                self._flaw("no-end", "", f"a game has not ended after {steps} steps")
                break
            if time.monotonic() > end:
                self.trial.stopped += 1
                break
            moves = [rng.choice(each) for each in legal]
            self.state = self.state.advance(moves)[0]
            self.moves = moves
            self.step += 1
            self.happened.update(self.state.exercised)
            if note := self.state.note:
                self._flaw("full", "", note)
        self.trial.lengths.append(self.step)

    def _look_at_scores(self) -> None:
        goals = self.state.goals
        for role in self.scorers:
            name, scores = self.player.roles[role], goals[role]
            words = " and ".join(f"{score:g}" for score in sorted(scores))
            for score in scores:
                if not 0 <= score <= 100:
                    self._flaw("goal-range", name, f"{name} has the score {score:g}")
            if self.state.terminal and not scores:
                self._flaw("no-goal", name, f"{name} has no score, but the game is over")
            if self.state.terminal and len(scores) > 1:
                self._flaw("several-goals", name, f"{name} has the scores {words} at the end")
            if len(scores) == 1:
                before = self.before.get(role, scores[0])
                if scores[0] < before:
                    self._flaw("goal-drops", name, f"{name}'s score drops from {before:g} to {words}")
                self.before[role] = scores[0]

    def _flaw(self, code: str, who: str, message: str) -> None:
        key = (code, who)
        if key in self.found:
            return
        self.found.add(key)
        if key in self.trial.seen:
            self.trial.seen[key].games += 1
            return
        pairs = zip(self.player.roles, self.moves, strict=False)
        moves = [f"{role} {move}" for role, move in pairs]
        number = len(self.trial.lengths) + 1
        lines = self.player.lines(_LAWS[code][1], who or None)
        flaw = Flaw(code, message, self.file, number, self.step, moves, self.state.facts, lines)
        self.trial.seen[key] = flaw
        self.trial.flaws.append(flaw)
