"""You play, it answers; h for a hint, u to take back.

You are shown only what your seat may know; where rules draw nothing of that, what you did and were told,
and a board of what is certain or likely. A move is its name, the beginning of its name, or its number in
the list; many moves are folded, the tab key completes them, and ? lists all. A video game runs at a
steady tick in a terminal, and is played with the arrow keys and space; a game in real time runs by its
own clock, and what is pressed is done at once. p is a pause, . one tick of it, s slow motion.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from kibitz.cli import _explain, _load, _options, _position
from kibitz.cli._errors import UserError
from kibitz.cli._table import outcome
from kibitz.cli._terminal import is_terminal, paint, wrapped

if TYPE_CHECKING:
    from kibitz import AnyPlanner, Decision, Episode, Game, Referee, View
    from kibitz.episode import Round

EXAMPLES = {
    "kibitz play connect-four": "you begin, a planner that suits the game answers",
    "kibitz play kuhn-poker --seat 2 --seed 5": "you sit second; another seed is another deal",
    "kibitz play breakthrough --with 'uct(milliseconds=3000)'": "an opponent that thinks for three seconds",
    "kibitz play 'klondike(moves=ordinary)'": "patience as you know it; 7h-8s is a way to type 7♥ to 8♠",
    "kibitz play rock-garden --tick 150": "a video game, with arrow keys and space, a tick every 150 ms",
    "kibitz play 'zelda(level=2)' --rules gridphysics": "GVG-AI's files: zelda.txt, zelda_lvl2.txt",
    "kibitz play real-time-chicken.kif --clock 2": "in real time, a unit of which takes two seconds",
    "kibitz play examples/treasure.py": "a game of your own",
}

TICK = 120
"""Milliseconds of a video game's tick."""
TOLD = 12
"""A longer list of what has happened, such as a whole deal, is cut short: the position shows the rest."""

HELP = """\
  type a move: its name, the beginning of its name, or its number
  h    a hint: what {hint} would do, seeing what you see, and why
  u    take back your last move
  ?    this help, the rules in words, and every legal move
  q    leave the game
  (where a move itself is called h, u or q, put a slash before these: /h, /u, /q)"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments."""
    _options.game(parser)
    parser.add_argument(
        "--with",
        dest="planner",
        metavar="PLANNER",
        help=f"the opponent, on all other seats: {_options.PLANNER} (default: one that suits the game)",
    )
    parser.add_argument(
        "--seat", default="1", metavar="N", help="your seat, from 1, or its name (default 1)"
    )
    parser.add_argument("--hint", metavar="PLANNER", help="who gives hints (default: as --with)")
    _options.count(
        parser,
        "--tick",
        "milliseconds of a tick of a video game; 0 asks for each move",
        least=0,
        most=60_000,
        default=TICK,
    )
    _options.details(parser)
    _options.clock(parser)
    _options.seed(parser, None, "another game each time")
    _options.save(parser)


def run(options: argparse.Namespace) -> None:
    """Plays one game against a person."""
    import secrets

    from kibitz._core import spec_name

    game = _load.game(options.game)
    seat = find_seat(game, options.seat)
    opponent = options.planner or _load.default_planner(game)
    hint = options.hint or (opponent if spec_name(opponent) not in ("human", "random") else None)
    seed = secrets.randbelow(1_000_000) if options.seed is None else options.seed
    sitting = Sitting(game, seat, opponent, hint or _load.default_planner(game), seed)
    sitting.details = options.details
    from kibitz.cli._live import can_be_live

    in_time = options.clock if game.tick is not None else options.tick
    if in_time and sys.stdin.isatty() and is_terminal() and can_be_live(game):
        sitting.play_live(options.tick / 1000, options.clock)
    else:
        sitting.play()
    if options.save:
        from kibitz.lab import replay

        replay.save(sitting.episode(), options.save)


def find_seat(game: Game, text: str) -> int:
    """The seat that a person means, by number from 1 or by name.

    >>> import kibitz as kb
    >>> from kibitz.cli.play import find_seat
    >>> find_seat(kb.load("tic-tac-toe"), "2"), find_seat(kb.load("tic-tac-toe"), "o")
    (1, 1)
    """
    names = [game.player_name(seat) for seat in range(game.info.players)]
    if text in names:
        return names.index(text)
    if text.isdecimal() and 1 <= int(text) <= len(names):
        return int(text) - 1
    shown = ", ".join(f"{number} ({name})" for number, name in enumerate(names, 1))
    raise UserError(f"{game.spec} has no seat '{text}'; there {'is' if len(names) == 1 else 'are'} {shown}")


class Leave(Exception):  # noqa: N818 -- what a person wants
    """A person leaves the game."""


class TakeBack(Exception):  # noqa: N818 -- what a person wants
    """A person wants to take back a move."""


class Person:
    """Sits on a seat like any planner, and is asked in the terminal."""

    spec = "human"

    def __init__(self, sitting: Sitting) -> None:
        self.sitting = sitting

    def start(self, game: Game, seat: int, seed: int) -> None:
        """Needs no preparation."""

    def act(self, view: View) -> Decision:
        """Asks; Leave or TakeBack where the person wants that instead."""
        from kibitz import Decision

        return Decision(view, self.sitting.ask(view))


class Sitting:
    """A person's game: every move is kept, so that some of them can be taken back."""

    def __init__(self, game: Game, seat: int, opponent: str, hint: str, seed: int) -> None:
        self.game, self.seat, self.hint, self.seed = game, seat, hint, seed
        players = range(game.info.players)
        self.seats: list[AnyPlanner] = [
            Person(self) if player == seat else _load.planner(opponent) for player in players
        ]
        self.others = [player for player in players if player != seat]
        self.adviser = _load.planner(hint)
        self.opponent = opponent
        self.rounds: list[Round] = []
        """What was played so far."""
        self.own: list[int] = []
        """How many rounds there were before each of the person's own choices."""
        self.seen = 0
        """How many events the person has been shown."""
        self.details = False
        """Whether hints come with the counters of beliefs and models."""
        self.memory = _position.Memory(game)
        self.referee = self.replay()

    def replay(self) -> Referee:
        """The same deal again, up to where we are."""
        from kibitz import Referee
        from kibitz.episode import begin

        referee = Referee(self.game, self.seed)
        for done in self.rounds:
            referee.apply(done.decisions)
        begin(referee, self.seats, self.seed)
        return referee

    def play(self) -> None:
        """Plays until the game is over or the person leaves."""
        from kibitz.episode import drive

        you = self.game.player_name(self.seat)
        against = f" against {self.opponent}" if self.others else ""
        name = f"{paint(self.game.spec, 'bold')}, seed {self.seed}"
        print(f"{name}: you are {you}{against}. ? for help, q to leave.\n")
        while not self.referee.over:
            try:
                for done in drive(self.referee, self.seats):
                    if any(view.player == self.seat for view in done.views):
                        self.own.append(len(self.rounds))
                    self.rounds.append(done)
            except Leave:
                print("\nYou left the game.")
                return
            except TakeBack:
                self.take_back()
        self.tell()
        self.end()

    def play_live(self, tick: float, clock: float) -> None:
        """Plays at a steady tick, or by the game's own clock, to the end or until the person leaves."""
        from kibitz.cli import _live
        from kibitz.episode import begin, drive

        with _live.Terminal() as terminal:
            person = _live.Live(terminal, terminal.draw, tick)
            if self.game.tick is not None:
                person.tick, person.unit = _live.GLANCE, 1 / (clock * self.game.tick)
            self.seats[self.seat] = person
            begin(self.referee, self.seats, self.seed)
            pace = _live.Pace(self.game, clock, person.beat)
            try:
                for done in drive(self.referee, self.seats):
                    self.rounds.append(done)
                    if self.game.tick is not None and all(view.player != self.seat for view in done.views):
                        terminal.draw(person.screen(self.referee.view(self.seat)))
                        pace.keep(self.referee.now)
                    pace.at = self.referee.now
            except _live.Leave:
                pass
        if self.referee.over:
            self.end()
        else:
            print(f"{self.referee.state.text().rstrip()}\n\nYou left the game.")

    def end(self) -> None:
        """How the game came out."""
        print(paint("The game is over.", "bold"))
        print(self.referee.state.text().rstrip())
        print("\n" + paint(outcome(self.game, self.referee.returns), "bold") + self.verdict())

    def verdict(self) -> str:
        """Whether that was a win, where there is somebody to beat."""
        from kibitz.lab.statistics.ties import points

        returns = self.referee.returns
        mine, others = returns[self.seat], [returns[seat] for seat in self.others]
        if not others:
            return ""
        return {1.0: ": you win!", 0.0: ": you lose.", 0.5: ": a draw."}[points(mine, max(others))]

    def episode(self) -> Episode:
        """The game as far as it went, for a replay."""
        from kibitz import Episode
        from kibitz.episode import steps_of

        referee = self.referee
        steps = list(steps_of(referee.opening(), self.game.initial()))
        steps += [step for done in self.rounds for step in done.steps]
        specs = tuple(chooser.spec for chooser in self.seats)
        return Episode(self.game, specs, self.seed, 0, referee.returns, steps, referee.state, referee.over)

    def take_back(self) -> None:
        """Goes back to the person's last own choice."""
        if not self.own:
            print("There is nothing to take back.")
            return
        del self.rounds[self.own.pop() :]
        self.referee = self.replay()
        self.memory.forget()
        self.seen = 0 if not self.rounds else len(self.referee.view(self.seat).events)
        print(paint("Taken back.", "dim"))

    def tell(self) -> None:
        """Says what has happened since the person last looked."""
        view = self.referee.view(self.seat)
        words = [what for kind, _, what in view.events[self.seen :] if kind == "observed"]
        self.seen = len(view.events)
        if len(words) > TOLD:
            words = [*words[: TOLD - 1], f"and {len(words) - TOLD + 1} more"]
        if words:
            print(paint("  " + "; ".join(words), "cyan"))

    def ask(self, view: View) -> int:
        """Shows the position and asks until there is a move."""
        from kibitz.planners.human import find

        self.tell()
        self.show(view)
        while True:
            answer = self.read(view.names())
            names = {name.lower() for name in view.names()}
            word = "" if answer.lower() in names else answer.lower().removeprefix("/")
            match word:
                case "q" | "quit" | "exit":
                    raise Leave
                case "u" | "undo":
                    raise TakeBack
                case "h" | "hint":
                    self.advise(view)
                case "?" | "help":
                    self.help()
                    self.show(view, every=True)
                case _:
                    try:
                        return view.legal()[find(view.names(), answer)]
                    except ValueError as mistake:
                        print(paint(f"  {mistake}", "yellow"))

    def help(self) -> None:
        """What can be typed, and the rules in words."""
        from kibitz import games

        rules = games.words(self.game)
        lines = [
            line
            for row in HELP.format(hint=self.hint).splitlines()
            for line in wrapped(row.strip(), later=" " * 7)
        ]
        print("\n".join([*lines, *(["", *wrapped(rules)] if rules else []), ""]))

    def show(self, view: View, *, every: bool = False) -> None:
        """The legal moves, and under them the position as the person sees it."""
        print("\n".join([*_position.moves(view.names(), every=every), "", *self.memory.position(view), ""]))

    def read(self, names: Sequence[str]) -> str:
        """One line from the person, who may have moves completed; the end of the input is a way to
        leave."""
        _completing(names)
        try:
            answer = input(paint("your move> ", "bold") if is_terminal() else "your move> ").strip()
        except EOFError:
            return "/q"
        if not is_terminal():
            print(answer)
        return answer

    def advise(self, view: View) -> None:
        """What the adviser would do, seeing what the person sees."""
        import kibitz as kb

        try:
            decision = kb.advise(self.game, view, self.adviser, seed=self.seed)
        except ValueError as refusal:
            print(paint(f"  {refusal}", "yellow"))
            return
        lines = _explain.table(decision)
        lines += _explain.facts(decision, self.game, view.player, details=self.details)
        print("\n".join(lines) if lines else f"  {decision.name}")


def _completing(names: Sequence[str]) -> None:
    """Has the tab key complete moves, where there is a keyboard to press it on."""
    if not is_terminal() or not sys.stdin.isatty():
        return
    try:
        import readline
    except ImportError:  # not everywhere
        return

    def complete(begun: str, number: int) -> str | None:
        found = [name for name in names if name.strip("(").lower().startswith(begun.strip("(").lower())]
        return found[number] if number < len(found) else None

    readline.set_completer_delims("")
    readline.set_completer(complete)
    readline.parse_and_bind("tab: complete")
