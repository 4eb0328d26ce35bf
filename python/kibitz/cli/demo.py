"""A rover on Mars, planned live: half a minute that shows what kibitz is about.

Plays one game of rock-sample with pomcp. The rover cannot see which rocks are worth having; it
looks, it moves, it samples, and for each step the planner's reasons are shown.
"""

from __future__ import annotations

import argparse
import re
import shutil
import sys
import time
from collections.abc import Iterator

from kibitz.cli import _explain, _options
from kibitz.cli._table import Choice, Round, rounds
from kibitz.cli._terminal import bar, is_terminal, paint, rule, sign

EXAMPLES = {"kibitz demo": "watch", "kibitz demo --seed 4": "other rocks are good"}

GAME, PLANNER, SEED = "rock-sample", "pomcp(simulations=5000)", 6
COLOUR = re.compile(r"\x1b\[[\d;]*m")
SECONDS = 20.0
"""How long the pauses may be altogether."""

NEXT = {
    "kibitz play kuhn-poker": "play poker against it; h gives you a hint",
    "kibitz watch connect-four": "see it explain a game without secrets",
    "kibitz match kuhn-poker pomcp random --games 200": "measure how much better it is than chance",
}


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments."""
    _options.seed(parser, SEED, str(SEED))


def run(options: argparse.Namespace) -> None:
    """Plays the game, redrawing the picture where there is a terminal."""
    import kibitz as kb

    game = kb.load(GAME)
    referee = kb.Referee(game, options.seed)
    print(paint(f"{game.spec}, played by {PLANNER}", "bold"))
    print("A rover (@) must leave the map in the east. On its way it can collect rocks: +10 for a good")
    print("one, -10 for a bad one. Which are good it cannot see; its sensor errs, the more from afar.\n")
    screen = Screen()
    earned = 0.0
    spent = 0.0
    for done in rounds(referee, [kb.planner(PLANNER)], options.seed):
        choice = done.choices[0]
        screen.show(list(frame(choice, done, earned)))
        earned += done.rewards[0]
        spent += screen.rest(1.2 if done.number <= 4 else 0.55, spent)
        if done.number >= 120:
            break
    print(rule("the truth"))
    truth = referee.state.text().splitlines()
    print("\n".join(line for line in truth if line.startswith("rock")))
    collected = f"{earned:+g} in {done.number} moves"
    print(paint(f"\nThe rover earned {collected}: it looked before it dug.", "bold"))
    print("\nTry next:")
    longest = max(len(line) for line in NEXT)
    for line, what in NEXT.items():
        print(f"  {paint(line.ljust(longest), 'bold', 'cyan')}  {what}")


def frame(choice: Choice, done: Round, earned: float) -> Iterator[str]:
    """One picture: the map beside the reasons, the belief below, and the decision in words."""
    title = f"move {done.number}, earned {earned:+g}"
    yield rule(title)
    text = choice.position.splitlines()
    rocks = [rock for line in text if (rock := Rock.read(line))]
    picture = [colour(line, rocks) for line in text if not line.startswith(("rock", "the "))]
    reasons = _explain.table(choice.decision, rows=6) + _explain.facts(
        choice.decision, done.before.game, choice.player
    )
    yield from beside(picture, reasons, gap=5)
    yield ""
    half = (len(rocks) + 1) // 2
    yield from beside([rock.line() for rock in rocks[:half]], [rock.line() for rock in rocks[half:]], gap=4)
    yield ""
    arrow, name = paint(sign("→ ", "> "), "bold"), paint(choice.decision.name, "bold", "green")
    yield arrow + name + because(choice, done, rocks)


class Rock:
    """What the rover believes about one rock."""

    PATTERN = re.compile(r"rock (\w) +(\w+) +(\S+) .*?([01]\.\d+)\D+(\d+)")

    def __init__(self, sign: str, place: str, taken: bool, good: float, readings: int) -> None:
        self.sign, self.place, self.taken, self.good, self.readings = sign, place, taken, good, readings

    @classmethod
    def read(cls, line: str) -> Rock | None:
        """From a line of the position's text."""
        found = cls.PATTERN.match(line)
        if found is None:
            return None
        symbol, place, kind, good, readings = found.groups()
        return cls(symbol, place, kind == "taken", float(good), int(readings))

    @property
    def style(self) -> str:
        """The colour of what is believed."""
        if self.taken:
            return "dim"
        return "green" if self.good > 0.8 else "red" if self.good < 0.2 else "yellow"

    def line(self) -> str:
        """The belief as a bar."""
        if self.taken:
            return paint(f"rock {self.sign}  collected".ljust(34), self.style)
        blocks = bar(self.good, 12).ljust(12, sign("░", "."))
        return f"rock {self.sign}  {paint(blocks, self.style)}  {100 * self.good:3.0f} % good"


def colour(line: str, rocks: list[Rock]) -> str:
    """A line of the map with the rover and the rocks coloured."""
    if "@" not in line and " ." not in line:
        return paint(line, "dim")
    label, cells = line[:3], line[3:]
    for rock in rocks:
        if not rock.taken:
            cells = cells.replace(f" {rock.sign}", f" {paint(rock.sign, 'bold', rock.style)}")
    return paint(label, "dim") + cells.replace("@", paint("@", "bold", "cyan"))


def because(choice: Choice, done: Round, rocks: list[Rock]) -> str:
    """The decision and what came of it, in words."""
    name, paid = choice.decision.name, done.rewards[choice.player]
    dot = f" {sign('·', '-')} "
    if name.startswith("check"):
        rock = next((rock for rock in rocks if name == f"check {rock.sign}"), None)
        again = ", once more," if rock and rock.readings else ""
        told = ", ".join(done.told[choice.player]) or "nothing"
        return f"{dot}it looks{again} before it goes: the sensor says {told}"
    if name == "sample":
        return f"{dot}it digs: {paint(f'{paid:+g}', 'bold', 'green' if paid > 0 else 'red')}"
    return f"{dot}it leaves the map: {paid:+g}" if paid else ""


def beside(left: list[str], right: list[str], gap: int) -> Iterator[str]:
    """Two blocks of lines side by side, colours not counted."""
    lengths = [len(COLOUR.sub("", line)) for line in left]
    column = max(lengths, default=0) + gap
    for row in range(max(len(left), len(right))):
        one, length = (left[row], lengths[row]) if row < len(left) else ("", 0)
        other = right[row] if row < len(right) else ""
        yield (one + " " * (column - length) + other).rstrip()


def clip(line: str, columns: int) -> str:
    """As much of a line as fits, colours not counted: a line that wraps would spoil the redrawing.

    >>> from kibitz.cli.demo import clip
    >>> clip("the whole line", 9), clip("\\x1b[1mbold\\x1b[0m", 4)
    ('the whole', '\\x1b[1mbold\\x1b[0m')
    """
    kept, room, at = [], columns, 0
    for code in [*COLOUR.finditer(line), None]:
        part = line[at : code.start() if code else len(line)]
        kept.append(part[: max(0, room)] + (code.group() if code else ""))
        room -= len(part)
        at = code.end() if code else at
    return "".join(kept)


class Screen:
    """Draws each picture over the last one, where the terminal is large enough."""

    def __init__(self) -> None:
        self.live = is_terminal()
        self.height = 0

    def show(self, lines: list[str]) -> None:
        """Draws a picture."""
        if self.live and self.height and max(self.height, len(lines)) < shutil.get_terminal_size().lines:
            sys.stdout.write(f"\x1b[{self.height}F\x1b[J")
        if self.live:
            lines = [clip(line, shutil.get_terminal_size().columns - 1) for line in lines]
        print("\n".join(lines), flush=True)
        self.height = len(lines)
        if not self.live:
            print()

    def rest(self, seconds: float, spent: float) -> float:
        """Gives people time to read, as long as there is some left."""
        if not self.live or spent >= SECONDS:
            return 0.0
        time.sleep(seconds)
        return seconds
