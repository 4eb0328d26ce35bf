"""Arguments of the wrong kind are the caller's mistake: a sentence says so before anything is done.

`@checked` compares what a public function is given with its annotations, as far as these are plain.
"""

from __future__ import annotations

import functools
import inspect
import operator
import os
import types
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal, NoReturn, ParamSpec, TypeVar, Union, get_args, get_origin

P = ParamSpec("P")
R = TypeVar("R")


def checked(*apart: str, **words: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Has a function refuse arguments that are not what its annotations say. TypeError, with a sentence.

    Those `apart` are looked at elsewhere. `words` say what a parameter should be, where that can be said
    better than by its annotation.

    >>> from kibitz._arguments import checked
    >>> @checked()
    ... def twice(number: int, *, seed: int | None = None) -> int:
    ...     return 2 * number
    >>> twice("ab")
    Traceback (most recent call last):
    TypeError: twice: number should be a whole number, not 'ab'
    """

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        parameters = inspect.signature(function).parameters
        hints: dict[str, Any] = {}
        tests: dict[str, Callable[[Any], bool]] = {}

        @functools.wraps(function)
        def refusing(*arguments: P.args, **named: P.kwargs) -> R:
            # What is missing, or too much, the function says itself.
            for name, value in (*zip(parameters, arguments, strict=False), *named.items()):
                if name in apart or name not in parameters or value is parameters[name].default:
                    continue
                if name not in hints:  # only now all that it mentions is there
                    hints[name] = meaning(parameters[name].annotation, function)
                    tests[name] = judge(hints[name])
                if not tests[name](value):
                    refuse(value, hints[name], f"{function.__name__}: {name}", words.get(name))
            return function(*arguments, **named)

        return refusing

    return decorate


def meaning(annotation: Any, function: Callable[..., Any]) -> Any:
    """What an annotation of a function means; Any where that is not known here."""
    if annotation is inspect.Parameter.empty:
        return Any
    if not isinstance(annotation, str):
        return annotation
    try:
        return eval(annotation, getattr(function, "__globals__", {}))
    except Exception:  # a name that only type checkers import
        return Any


def demand(value: object, hint: Any, what: str, wanted: str | None = None) -> None:
    """TypeError if a value is not of a kind."""
    if not fits(value, hint):
        refuse(value, hint, what, wanted)


def refuse(value: object, hint: Any, what: str, wanted: str | None) -> NoReturn:
    """TypeError that says what a value should be."""
    raise TypeError(f"{what} should be {wanted or kind(hint)}, not {shown(value)}")


def shown(value: object) -> str:
    """As people would write it, but not for pages."""
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."


def fits(value: object, hint: Any) -> bool:
    """Whether a value is what an annotation asks for; True where that cannot be said.

    >>> from kibitz._arguments import fits
    >>> fits(3, int | None), fits("3", int | None), fits("abc", list[str])
    (True, False, False)
    """
    return judge(hint)(value)


def judge(hint: Any) -> Callable[[Any], bool]:
    """What tells whether a value is what an annotation asks for."""
    origin, inner = get_origin(hint), get_args(hint)
    if origin is Union or origin is types.UnionType:
        # A protocol takes long to ask.
        tests = [judge(each) for each in sorted(inner, key=lambda each: hasattr(each, "_is_protocol"))]
        return lambda value: any(each(value) for each in tests)
    if origin is Literal:
        return lambda value: value in inner
    if hint is None or hint is types.NoneType:
        return lambda value: value is None
    if hint is int:
        return _is_whole
    if hint is float:
        return lambda value: not isinstance(value, bool) and hasattr(value, "__float__")
    if hint is Callable or origin is Callable:
        return callable
    kind = hint if origin is None else origin
    if not isinstance(kind, type):
        return lambda _: True
    if issubclass(kind, Sequence) and not issubclass(kind, str | bytes | tuple):
        item = judge(inner[0]) if inner else lambda _: True
        # A text is a sequence of texts, and never what is meant.
        return lambda value: (
            isinstance(value, kind)
            and not isinstance(value, str | bytes)
            and all(item(each) for each in value)
        )
    return lambda value: _is_instance(value, kind)


def _is_whole(value: Any) -> bool:
    # What counts is how it behaves: numbers of numpy are numbers. But yes and no are none.
    try:
        operator.index(value)
    except TypeError:
        return False
    return not isinstance(value, bool)


def _is_instance(value: object, kind: type) -> bool:
    try:
        return isinstance(value, kind)
    except TypeError:  # a protocol that cannot be asked
        return True


_WORDS: dict[Any, str] = {
    int: "a whole number",
    float: "a number",
    str: "a text",
    bool: "true or false",
    os.PathLike: "a path",
}


def kind(hint: Any) -> str:
    """A kind in words.

    >>> from collections.abc import Sequence
    >>> from kibitz._arguments import kind
    >>> kind(int | None), kind(Sequence[str])
    ('a whole number or None', 'a list of a text')
    """
    origin, inner = get_origin(hint), get_args(hint)
    if origin is Union or origin is types.UnionType:
        return " or ".join(dict.fromkeys(kind(each) for each in inner))
    if origin is Literal:
        return " or ".join(map(repr, inner))
    if hint is None or hint is types.NoneType:
        return "None"
    if hint is Callable or origin is Callable:
        return "a function"
    if isinstance(origin, type) and issubclass(origin, Iterable) and not issubclass(origin, Mapping):
        return f"a list of {kind(inner[0])}" if inner else "a list"
    named = origin or hint
    name = str(getattr(named, "__name__", named))
    return _WORDS.get(named) or f"{'an' if name[:1] in 'AEIOU' else 'a'} {name}"
