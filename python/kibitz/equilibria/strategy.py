"""Strategies as tables: what is done with which probability, by what a player has done and seen."""

from __future__ import annotations

import functools
import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from kibitz import _files
from kibitz._core import Game, GameTree, RegretSolver, View
from kibitz.rules import AnyGame

FORMAT: Final = "kibitz strategy"
VERSION: Final = 1
LARGEST: Final = 1 << 29
"""Bytes; a larger file is not read."""

Seen = tuple[str, ...]
"""What a player has done (marked with `>`) and been told, oldest first, in words."""

Mix = dict[str, float]
"""The probability of each action, by name."""


@dataclass(frozen=True, kw_only=True)
class Strategy:
    """What every player of a game does, by what it has done and seen.

    >>> import kibitz as kb
    >>> strategy = kb.equilibrium("rock-paper-scissors", method="cfr", iterations=10).strategy
    >>> strategy.mixes[0, ()]["rock"] == strategy.mixes[1, ()]["paper"]
    True
    """

    game: str
    """The spec of the game that it is for."""
    mixes: dict[tuple[int, Seen], Mix]
    """By player and what it has done and seen."""
    method: str = ""
    """How it was found."""
    iterations: int = 0

    def at(self, view: View) -> Mix | None:
        """What the player of a view does; None if the table does not say.

        >>> import kibitz as kb
        >>> game = kb.load("kuhn-poker")
        >>> strategy = kb.equilibrium(game, iterations=100).strategy
        >>> sorted(strategy.at(kb.Referee(game, seed=1).view(0)))
        ['bet', 'pass']
        """
        mix = self.mixes.get((view.player, seen(view)))
        return mix if mix is not None and {*mix} == set(view.names()) else None

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes it to a file, as JSON with a line for each information set."""
        head = {
            "format": FORMAT,
            "version": VERSION,
            "game": self.game,
            "method": self.method,
            "iterations": self.iterations,
        }
        rows = (
            json.dumps({"player": player, "seen": [*words], "mix": mix}, ensure_ascii=False)
            for (player, words), mix in self.mixes.items()
        )
        begin = json.dumps(head, ensure_ascii=False)[:-1]
        _files.write(path, begin + ', "sets": [\n' + ",\n".join(rows) + "\n]}\n")

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Strategy:
        """Reads what `save` has written. Nothing in a file is trusted.

        ValueError, with the place, for a file that is no strategy; OSError for one that cannot be read.

        >>> import tempfile, pathlib
        >>> import kibitz as kb
        >>> file = pathlib.Path(tempfile.mkdtemp()) / "kuhn.json"
        >>> kb.equilibrium("kuhn-poker", iterations=10).strategy.save(file)
        >>> kb.Strategy.load(file).game
        'kuhn-poker'
        """
        content = _files.read(path, LARGEST)
        try:
            return cls._read(json.loads(content.decode("utf-8")))
        except (ValueError, RecursionError) as error:
            why = "it is not JSON" if isinstance(error, _NOT_JSON) else str(error)
            raise ValueError(f"{os.fspath(path)} is not a strategy of kibitz: {why}") from None

    @classmethod
    def _read(cls, plain: Any) -> Strategy:
        from kibitz.lab._checked import Fields, each, text, whole

        fields = Fields(plain, "")
        if fields.get("format", text) != FORMAT:
            raise ValueError(f"format must be {FORMAT!r}")
        version = fields.get("version", whole)
        if version != VERSION:
            raise ValueError(f"its version is {version}, and this kibitz reads version {VERSION}")
        mixes: dict[tuple[int, Seen], Mix] = {}
        for key, mix in fields.get("sets", each(_row)):
            if key in mixes:
                raise ValueError(
                    f"an information set is there twice: player {key[0]}, {' | '.join(key[1])}"
                )
            mixes[key] = mix
        return cls(
            game=fields.get("game", text),
            mixes=mixes,
            method=fields.get("method", text),
            iterations=fields.get("iterations", whole),
        )

    def is_for(self, game: Game) -> bool:
        """Whether it is a strategy for this game, as its spec says; a rules file may lie elsewhere."""
        return self.game.rpartition("/")[2] == game.spec.rpartition("/")[2]

    def demand(self, game: Game) -> None:
        """ValueError, with a sentence, if it is for another game."""
        if not self.is_for(game):
            raise ValueError(f"this strategy is for {self.game}, not for {game.spec}")

    def evaluate(self, game: AnyGame | None = None, *, max_nodes: int = 5_000_000) -> list[float]:
        """What each player may expect where all play by it; where the table says nothing, uniformly.

        `kb.exploitability` says what could be gained against it.

        >>> import kibitz as kb
        >>> strategy = kb.equilibrium("kuhn-poker", iterations=1000).strategy
        >>> abs(strategy.evaluate()[0] + 1 / 18) < 0.01
        True
        """
        from kibitz.games import load

        rules = load(self.game if game is None else game)
        self.demand(rules)
        tree = GameTree(rules, max_nodes)
        return tree.worth(self.profile(tree)[0])[0]

    def _repr_html_(self) -> str:
        from kibitz import _notebook

        return _notebook.strategy(self)

    def profile(self, tree: GameTree) -> tuple[list[float], int]:
        """The same as numbers, by the places in a tree; and how many information sets it says nothing of.

        Those are played uniformly.
        """
        profile = [1.0] * tree.width
        missing = 0
        for number, (_, first, actions) in enumerate(tree.sets):
            view = tree.view(number)
            mix = self.at(view)
            if mix is None:
                missing += 1
                mix = {name: 1 / len(actions) for name in view.names(actions)}
            profile[first : first + len(actions)] = [mix[name] for name in view.names(actions)]
        return profile, missing


_NOT_JSON = (json.JSONDecodeError, UnicodeDecodeError, RecursionError)


@functools.lru_cache(maxsize=8)
def _cached(path: Path, _stamp: tuple[int, int]) -> Strategy:
    return Strategy.load(path)


def load_once(path: str | os.PathLike[str]) -> Strategy:
    """As `Strategy.load`; a file that has not changed is read once."""
    full = Path(path).expanduser().resolve()
    stat = full.stat()
    return _cached(full, (stat.st_mtime_ns, stat.st_size))


def seen(view: View) -> Seen:
    """What the player of a view has done and been told, in words.

    >>> import kibitz as kb
    >>> from kibitz.equilibria.strategy import seen
    >>> seen(kb.Referee(kb.load("kuhn-poker"), seed=1).view(1))
    ('player 1 is dealt a card', 'you are dealt Q')
    """
    from kibitz.lab._checked import printable

    return tuple(printable(f"> {words}" if kind == "acted" else words) for kind, _, words in view.events)


def tabulate(
    game: Game,
    source: GameTree | RegretSolver,
    profile: Sequence[float],
    *,
    method: str = "",
    iterations: int = 0,
) -> Strategy:
    """The table of a profile that is given as numbers.

    ValueError if what players see does not tell their information sets apart in words.
    """
    mixes: dict[tuple[int, Seen], Mix] = {}
    for player, words, mix in _named(source, profile):
        if (player, words) in mixes:
            raise ValueError(
                f"two information sets of {game.player_name(player)} read the same ({'; '.join(words)}): "
                f"{game.spec} has different observations with the same words"
            )
        mixes[player, words] = mix
    return Strategy(game=game.spec, mixes=mixes, method=method, iterations=iterations)


def _named(source: GameTree | RegretSolver, profile: Sequence[float]) -> Iterator[tuple[int, Seen, Mix]]:
    for number, (player, first, actions) in enumerate(source.sets):
        view = source.view(number)
        shares = profile[first : first + len(actions)]
        yield player, seen(view), dict(zip(view.names(actions), shares, strict=True))


def _row(plain: Any, where: str) -> tuple[tuple[int, Seen], Mix]:
    """One information set of a file."""
    from kibitz.lab._checked import Fields, below, each, number, printable, text

    fields = Fields(plain, where)
    key = fields.get("player", below(32)), tuple(fields.get("seen", each(text)))
    shares = Fields(plain.get("mix"), f"{where}.mix")
    mix = {printable(name): shares.get(name, number) for name in shares.plain}
    if not mix or min(mix.values()) < 0 or abs(sum(mix.values()) - 1) > 1e-6:
        raise ValueError(f"{where}.mix must be probabilities that add up to 1")
    return key, mix
