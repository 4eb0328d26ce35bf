"""What is wrong with rules files, with line, column and the rule that is broken; or with any other game.

Errors are what makes a file no game; warnings are what other programs may not accept, or what was
probably not meant. With --play, random games show what cannot be read off the rules: games that do
not end, roles without a legal move, scores that are missing, several, outside 0 to 100, or that
drop while a game goes on; of video games, which effects happened in none of them. Any other game, native or
written in Python, is held to the contract of games in random ones. With --leaks, pairs of histories that
look the same to a player must give it the same view, the same beliefs and the same decisions, and beliefs
must not hold the truth more often than the exact posterior. The exit code is 0 if there is no error, and
2 if there is one.
"""

from __future__ import annotations

import argparse
import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kibitz.cli import _load, _options
from kibitz.cli._terminal import Progress, Timer, duration, paint
from kibitz.testing.contract import ContractError, Report

if TYPE_CHECKING:
    from kibitz._core import Finding
    from kibitz.lang.trial import Flaw, Trial

EXAMPLES = {
    "kibitz check mygame.kif": "all errors and warnings",
    "kibitz check mygame.kif --play 100": "and what a hundred random games show",
    "kibitz check examples/treasure.py kuhn-poker --leaks": "does anything tell a player too much?",
    "kibitz check games/*.kif --json": "many files, for programs",
    "kibitz check zelda --rules gridphysics --play 20": "GVG-AI's own: zelda.txt and zelda_lvl0.txt",
    "kibitz check 'breakthrough.kif(rows=6)' --play 20": "rules that come with kibitz, with other values",
}


EPISODES = 20
"""Random games by which a game's contract is checked, unless another number is asked for."""


def _rules(word: str) -> str | None:
    """The rules file that a word means; None for another game."""
    from kibitz import _core, lang

    suffix = Path(word.partition("(")[0]).suffix
    if ":" in word or suffix == ".py":
        return word if lang.is_rules(word) else None
    # No other game has a dot in its name: what is wrong with this one's, its reader says.
    if lang.is_rules(word) or suffix:
        return word
    name = _core.spec_name(word)
    shipped = lang.shipped(name)
    if shipped and name not in {entry.name for entry in _core.games()}:
        return word.replace(name, shipped, 1)
    return None


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments."""
    parser.add_argument(
        "files",
        nargs="+",
        metavar="FILE",
        help=f"rules in {_options.languages()}, or any other game: its contract is checked in random games",
    )
    _options.rules(parser)
    parser.add_argument(
        "--leaks",
        action="store_true",
        help="look for what depends on something that a player must not know",
    )
    _options.count(parser, "--play", "play so many random games as well", least=0, default=0)
    _options.count(
        parser, "--steps", "a game that has not ended after so many steps is stopped", default=5000
    )
    parser.add_argument(
        "--seconds",
        type=_options.seconds,
        default=60.0,
        metavar="S",
        help="begin no game (with --leaks, no position) after so many seconds (default 60)",
    )
    _options.seed(parser)
    _options.as_json(parser)


def run(options: argparse.Namespace) -> int:
    """Checks the files, one after the other."""
    results = []
    for file in options.files:
        results.append(_Result(file, options))
        if not options.json:
            results[-1].print()
    if options.json:
        _options.print_json([result.plain() for result in results])
    elif len(results) > 1:
        bad = sum(result.errors > 0 for result in results)
        print(f"{len(results)} files, {bad} of them with errors")
    return 2 if any(result.errors for result in results) else 0


class _Result:
    """What is found in one file."""

    def __init__(self, file: str, options: argparse.Namespace) -> None:
        from kibitz import lang

        self.file = file
        self.findings: list[Finding] = []
        self.trial: Trial | None = None
        self.leaks: Report | None = None
        self.contract: Report | None = None
        """Of a game that no rules file is: what random games of it were held to."""
        self.open = False
        """Nothing is hidden from anybody."""
        self.problem: str | None = None
        try:
            rules = _rules(file)
            if rules is not None:
                self.file = rules
                self.findings = lang.check(rules)
                if options.play and not self.errors:
                    self.trial = self._play(options)
            elif not options.leaks:
                self.contract = self._check_contract(options)
            if options.leaks and not self.errors:
                self.leaks = self._look_for_leaks(options)
        except (ValueError, ContractError) as error:
            self.problem = str(error).rstrip()

    def _check_contract(self, options: argparse.Namespace) -> Report:
        from kibitz.testing import check_game

        timer = Timer()
        game = _load.game(self.file)
        with Progress(lambda: f"{self.file}: random games, {duration(timer.seconds)} so far"):
            return check_game(
                game, episodes=options.play or EPISODES, seed=options.seed, max_steps=options.steps
            )

    def _look_for_leaks(self, options: argparse.Namespace) -> Report:
        from kibitz.testing import check_leaks

        game = _load.game(self.file)
        self.open = game.info.perfect_information
        pairs = 0

        def count(so_far: Report) -> None:
            nonlocal pairs
            pairs = so_far.counts["pairs"]

        with Progress(lambda: f"{self.file}: {pairs} pairs of histories compared"):
            return check_leaks(game, seed=options.seed, seconds=options.seconds, told=count)

    def _play(self, options: argparse.Namespace) -> Trial:
        from kibitz.lang import trial

        played = 0

        def count(so_far: Trial) -> None:
            nonlocal played
            played = len(so_far.lengths)

        with Progress(lambda: f"{self.file}: {played} of {options.play} games played"):
            return trial.play(
                self.file,
                options.play,
                steps=options.steps,
                seconds=options.seconds,
                seed=options.seed,
                told=count,
            )

    @property
    def all(self) -> list[Finding | Flaw]:
        """What the rules and the games show."""
        return [*self.findings, *(self.trial.flaws if self.trial else [])]

    @property
    def errors(self) -> int:
        """How many there are."""
        return (self.problem is not None) + sum(each.severity == "error" for each in self.all)

    def print(self) -> None:
        """For people."""
        for each in self.all:
            first, _, rest = each.text.partition("\n")
            print(paint(first, "bold", "red" if each.severity == "error" else "yellow"), rest, sep="\n")
        if self.problem is not None:
            # What no machine can run comes as a compiler prints it, with the summary that follows here.
            found = self.problem.startswith("error[")
            text = self.problem.rpartition("\n\n")[0] if found else f"error: {self.problem}"
            first, _, rest = text.partition("\n")
            print(paint(first, "bold", "red"), rest + "\n", sep="\n")
        print(f"{self.file}: {self._summary()}")

    def _summary(self) -> str:
        warnings = len(self.all) - self.errors + (self.problem is not None)
        parts = [_count(self.errors, "error"), _count(warnings, "warning")]
        if self.trial is not None:
            lengths = self.trial.lengths
            asked = "" if len(lengths) == self.trial.asked else f" of {self.trial.asked} (no time for more)"
            parts.append(
                f"{_count(len(lengths), 'game')}{asked} of {min(lengths)} to {max(lengths)} steps played"
            )
            if self.trial.idle:
                lines = ", ".join(map(str, self.trial.idle))
                parts.append(f"in none of them did anything happen by line {lines}")
        if self.contract is not None:
            counts = self.contract.counts
            held = ", ".join(_count(number, what.removesuffix("s")) for what, number in counts.items())
            parts.append(f"the contract of games holds in {held}")
        if self.leaks is not None and self.open:
            parts.append("nothing to compare: every player sees everything")
        elif self.leaks is not None:
            counts = self.leaks.counts
            compared = ", ".join(_count(counts[what], what[:-1]) for what in ("beliefs", "decisions"))
            pairs = _count(
                counts["pairs"],
                "pair of histories that look the same",
                "pairs of histories that look the same",
            )
            parts.append(
                f"no leak in {pairs}, {compared}, {_count(counts['samples'], 'sample')} of beliefs"
            )
        return ", ".join(parts)

    def plain(self) -> dict[str, Any]:
        """For programs."""
        keys = ("severity", "code", "rule", "message", "line", "column", "help")
        plain: dict[str, Any] = {
            "file": self.file,
            "errors": self.errors,
            "problem": self.problem,
            "findings": [{key: getattr(each, key) for key in keys} for each in self.findings],
        }
        if self.trial is not None:
            about = dataclasses.asdict(self.trial)
            del about["seen"]
            for flaw, entry in zip(self.trial.flaws, about["flaws"], strict=True):
                entry.update(severity=flaw.severity, rule=flaw.rule)
            plain["trial"] = about
        if self.contract is not None:
            plain["contract"] = dict(self.contract.counts)
        if self.leaks is not None:
            plain["leaks"] = dict(self.leaks.counts)
        return plain


def _count(number: int, word: str, several: str | None = None) -> str:
    return f"{number or 'no'} {word if number == 1 else several or word + 's'}"
