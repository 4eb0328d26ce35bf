"""POMCP with uniform playouts, both to the same depth, on one thread."""

from __future__ import annotations

import importlib
import random
from collections.abc import Iterator
from typing import Any

import kibitz as kb
from kibitz.bench import _peers
from kibitz.bench._measure import Row, Scale, race

DEPTH = 20
"""Actions from the root; pomdp-py's own example of RockSample goes to 30, that of the tiger to 3."""

# The exploration constants, in returns.
TIGER = 1100.0
ROCKS = 20.0


def rows(scale: Scale) -> Iterator[Row]:
    """The tiger, and RockSample with models in Python and in Cython."""
    yield compare("tiger", "tiger", TIGER, tiger(), scale, "", 50)
    for cython, required in ((False, 50), (True, None)):
        yield compare(
            "rock-sample",
            "rock-sample(size=7, rocks=8)",
            ROCKS,
            rock_sample(cython=cython),
            scale,
            "models in Cython" if cython else "models in Python",
            required,
        )


def compare(
    name: str,
    spec: str,
    constant: float,
    theirs: tuple[Any, list[Any]],
    scale: Scale,
    note: str,
    required: float | None,
) -> Row:
    """One row."""
    game = kb.load(spec)
    simulations = max(scale.simulations // 10, 10)
    planner = (
        f"pomcp(simulations={simulations}, horizon={DEPTH}, playout=random, "
        f"exploration={constant / game.info.spread})"
    )
    agent, belief = theirs
    return race(
        _peers.our_search(game, planner),
        _peers.pomcp(agent, belief, simulations=simulations, depth=DEPTH, constant=constant),
        scale,
        benchmark="pomcp",
        work=f"POMCP, {name}",
        unit="simulations/s",
        peer_name="pomdp-py",
        required=required,
        note=note,
    )


def tiger() -> tuple[Any, list[Any]]:
    """pomdp-py's tiger; its version in Cython is slower."""
    from pomdp_py.problems.tiger import tiger_problem as problem

    sides = [problem.TigerState("tiger-left"), problem.TigerState("tiger-right")]
    return problem.TigerProblem.create("tiger-left", 0.5, 0.15).agent, sides * 500


def rock_sample(*, cython: bool) -> tuple[Any, list[Any]]:
    """pomdp-py's RockSample(7, 8) with rocks in random places."""
    folder = "pomdp_py.problems.rocksample" + (".cythonize" if cython else "")
    problem = importlib.import_module(f"{folder}.rocksample_problem")
    random.seed(1)
    state, places = problem.RockSampleProblem.generate_instance(7, 8)
    belief = problem.init_particles_belief(8, 200, state, "uniform")
    return problem.RockSampleProblem(7, 8, state, places, belief).agent, list(belief.particles)
