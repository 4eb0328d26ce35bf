"""`kibitz solve --method`: what regret minimisation has found, for people and for programs."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kibitz.cli import _options
from kibitz.cli._terminal import NARROW, Progress, Timer, duration, paint, width, wrapped

if TYPE_CHECKING:
    from kibitz import Game
    from kibitz.equilibria import Checkpoint, Equilibrium, Strategy

SMALL = 40
"""A strategy of so many information sets is shown."""
INTERRUPTED = 130


def run(
    game: Game, *, method: str, iterations: int, max_nodes: int, seed: int, save: Path | None, json: bool
) -> int:
    """Minimises regrets until Ctrl-C at most, and shows and saves what there is."""
    from kibitz.equilibria import equilibrium

    if save is not None and not save.parent.is_dir():
        raise FileNotFoundError(2, "there is no such folder", str(save.parent))
    timer = Timer()
    last: list[Checkpoint] = []

    def told() -> str:
        done = f"{last[-1].iterations:,} of {iterations:,} iterations" if last else "writing the game out"
        far = last[-1].exploitability if last else None
        near = "" if far is None else f", exploitability {far:.3g}"
        return f"{method} on {game.spec}: {done}{near}, {duration(timer.seconds)} so far"

    with Progress(told):
        found = equilibrium(
            game,
            method=method,
            iterations=iterations,
            seed=seed,
            max_nodes=max_nodes,
            progress=last.append,
            keep_on_interrupt=True,
        )
        if save is not None:
            found.strategy.save(save)
    if json:
        _options.print_json(_plain(found, timer.seconds))
    else:
        _show(found, iterations, timer.seconds, save)
    return INTERRUPTED if found.interrupted else 0


def _plain(found: Equilibrium, seconds: float) -> dict[str, Any]:
    curve = [[point.iterations, point.exploitability] for point in found.curve]
    rows = [
        {"player": player, "seen": [*seen], "mix": mix}
        for (player, seen), mix in (found.strategy.mixes.items() if found.sets <= SMALL else ())
    ]
    return {
        "game": found.game.spec,
        "method": found.method,
        "iterations": found.iterations,
        "interrupted": found.interrupted,
        "value": found.values,
        "best_responses": found.best_responses,
        "estimate": found.estimate,
        "nash_conv": found.nash_conv,
        "exploitability": found.exploitability,
        "curve": curve,
        "information_sets": found.sets,
        "nodes": found.nodes,
        "seconds": seconds,
        "notes": found.notes,
        "strategy": rows or None,
    }


def _show(found: Equilibrium, wanted: int, seconds: float, save: Path | None) -> None:
    game = found.game
    print(paint(game.spec, "bold"))
    if found.interrupted:
        print(f"  stopped after {found.iterations:,} of {wanted:,} iterations; this is what there is")
    if found.exploitability is not None:
        print(f"  {'iterations':>12}  {'exploitability':>14}  {'time':>10}")
        for point in found.curve:
            print(f"  {point.iterations:12,}  {point.exploitability:14.6g}  {duration(point.seconds):>10}")
    for player, value in enumerate(found.values or []):
        print(f"  {game.player_name(player)} gets {value:+.6g}")
    for player, (mean, error) in enumerate(zip(*(found.estimate or ((), ())), strict=True)):
        print(
            f"  {game.player_name(player)} gets {mean:+.4g} ± {error:.2g} (standard error), in games played"
        )
    if found.values is None:
        print("  how far that is from an equilibrium is not known: the game is too large to be written out")
    for note in found.notes:
        print(f"  {paint(note, 'yellow')}")
    size = f"{found.sets:,} information sets" + (f", {found.nodes:,} nodes" if found.nodes else "")
    near = "" if found.nash_conv is None else f"; all together could gain {found.nash_conv:.3g} (NashConv)"
    print(f"  by {found.method}, {found.iterations:,} iterations, {size}, {duration(seconds)}{near}")
    if game.info.players != 2 or not game.info.zero_sum:
        print(
            "  (only for two players with opposite interests are averages bound to become an equilibrium)"
        )
    if found.sets <= SMALL:
        print("\n" + "\n".join(table(game, found.strategy)))
    if save is not None:
        spec = f"tabular(file={save})"
        print(f"\n  saved; kibitz watch {shlex.quote(game.spec)} --planner {shlex.quote(spec)} plays it")


def table(game: Game, strategy: Strategy) -> list[str]:
    """What each player does, by what it has done and seen.

    >>> import kibitz as kb
    >>> from kibitz.cli._equilibrium import table
    >>> game = kb.load("rock-paper-scissors")
    >>> table(game, kb.equilibrium(game, iterations=10).strategy)[1].split("  ")[-1]
    'at the beginning'
    """
    rows = []
    for (player, seen), mix in strategy.mixes.items():
        shares = ", ".join(f"{name} {share:.1%}" for name, share in mix.items() if share >= 5e-4)
        rows.append((player, shares, "; ".join(_without_echoes(game, player, seen)) or "at the beginning"))
    longest = max((len(shares) for _, shares, _ in rows), default=0)
    lines: list[str] = []
    for number, (player, shares, words) in enumerate(rows):
        if number == 0 or rows[number - 1][0] != player:
            lines.append(f"  {game.player_name(player)}")
        beside = width() - longest - 6 >= NARROW
        indent = " " * (longest + 6 if beside else 6)
        first, *more = wrapped(words, indent, indent, max(80, width()))
        begin = f"    {paint(shares.ljust(longest) if beside else shares, 'green')}"
        lines += [f"{begin}  {first.strip()}", *more] if beside else [begin, first, *more]
    return lines


def _without_echoes(game: Game, player: int, seen: tuple[str, ...]) -> list[str]:
    """Without what a player is told of its own moves."""
    kept: list[str] = []
    before = ""
    for words in seen:
        own = before.startswith("> ") and words == f"{game.player_name(player)} {before[2:]}"
        if not own:
            kept.append(words)
        before = words
    return kept
