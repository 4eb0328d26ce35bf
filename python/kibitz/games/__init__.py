"""Finding games: native ones by spec, Python ones by name or as objects, others through adapters.

A game written in Python is one module in this folder with a subclass of `kibitz.Rules` that has a
`name`; nothing else needs editing.
"""

from __future__ import annotations

import importlib
import os

from kibitz import _core, _registry, lang
from kibitz._blame import place
from kibitz._core import Entry, Game
from kibitz.rules import AnyGame


def list_games() -> list[Entry]:
    """All games that can be loaded by name, with their parameters.

    >>> import kibitz as kb
    >>> any(game.name == "tic-tac-toe" for game in kb.list_games())
    True
    """
    both = [*_registry.entries("game"), *lang.shipped_rules()]
    return sorted(both, key=lambda entry: entry.name)


def load(game: AnyGame) -> Game:
    """The game that is meant: a spec, or an object that follows `kibitz.Rules`.

    A spec is `name(key=value, ...)`, a rules file such as `chess.kif`, by its name or `Path`, or
    `adapter:rest` for games of others such as `openspiel:kuhn_poker`. Rules that come with the package need
    no suffix unless a game of that name is built in. A misspelt name is answered with the nearest right
    ones. A game is returned as it is.

    >>> import kibitz as kb
    >>> kb.load("tic-tac-toe").info.players
    2
    """
    if isinstance(game, Game):
        return game
    if isinstance(game, os.PathLike):
        game = _of_path(os.fspath(game))
    if not isinstance(game, str):
        return wrap(game)
    if lang.is_rules(game):
        return lang.load(game)
    if prefixed := _core.split_prefix(game):
        return _adapted(*prefixed)
    name = _core.parse_spec(game)[0]
    if name.endswith(".py"):
        raise ValueError(
            f"{name} is not loaded: that would run whatever is in it; import it yourself and hand an "
            "instance of its Rules to kibitz.load"
        )
    if (file := lang.shipped(name)) and name not in [entry.name for entry in _core.games()]:
        return lang.load(game.replace(name, file, 1))
    if name not in {entry.name for entry in _core.games()}:
        # Rules files come to mind as well.
        known = {entry.name.partition(".")[0] for entry in list_games()}
        if name not in known:
            raise ValueError(_core.unknown("game", name, sorted(known)))
    make = _registry.find("game", game)
    return Game.native(game) if make is None else wrap(make(), game)


def words(game: AnyGame) -> str:
    """The rules in words: paragraphs, also on the signs of the board; empty where nobody has written any.

    A rules file says them in the comment that it begins with, below the first line, and a game in Python in
    its docstring, below the first line.

    >>> import kibitz as kb
    >>> "[A] in brackets is a piece on your own card" in kb.games.words("king-up")
    True
    """
    from kibitz.games import _words

    return _words.of(game)


def _of_path(path: str) -> str:
    """A path as a spec, if it may be a rules file's; ValueError with what would be."""
    if lang.is_rules(path) or path.endswith(".py"):
        return path
    endings = [ending for _, _, several in _core.rules_languages() for ending in several]
    raise ValueError(
        f"{path} is no rules file: its name should end in {' or '.join(endings)}, without brackets"
    )


def wrap(rules: object, spec: str | None = None) -> Game:
    """The game of an object that follows `kibitz.Rules`.

    >>> import kibitz as kb
    >>> kb.games.wrap(object())
    Traceback (most recent call last):
    TypeError: object has no method initial; a game needs initial, turn, legal and step (see kibitz.Rules)
    """
    if isinstance(rules, type):
        raise TypeError(f"kibitz.load needs an instance: {rules.__name__}(), not {rules.__name__}")
    try:
        return Game.python(rules, spec or getattr(rules, "name", None) or type(rules).__name__)
    except (TypeError, ValueError) as error:
        if where := place(type(rules)):
            raise type(error)(f"{error} ({where})") from None
        raise


def _adapted(prefix: str, rest: str) -> Game:
    game = importlib.import_module("kibitz.adapters").find(prefix, "game")(rest)
    assert isinstance(game, Game)
    return game
