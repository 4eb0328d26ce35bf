"""What planners there are, and what can be set in each one.

Without a name: all planners, one line each. With a name: its parameters. `playouts`, `selections`,
`evaluators` and `macro-actions` are the parts that tree searches are made of.
"""

from __future__ import annotations

import argparse

from kibitz.cli import _listing, _load, _options

EXAMPLES = {
    "kibitz planners": "all planners",
    "kibitz planners uct": "what can be set: kind, default, range, meaning",
    "kibitz planners playouts": "the playouts of a tree search, each with its parameters",
    "kibitz watch kuhn-poker --planner 'uct(simulations=500, exploration=0.7)'": "how parameters are given",
}

arguments = _listing.arguments(_options.PLANNER)


def run(options: argparse.Namespace) -> None:
    """Lists the planners, or describes one."""
    import kibitz as kb
    from kibitz import _core

    if options.name is None:
        _listing.overview(kb.list_planners(), "planner", options.json)
        return
    parts = _core.parts(options.name)
    if parts is not None:
        if options.json:
            _options.print_json([_listing.plain(part) for part in parts])
            return
        for part in parts:
            _listing.heading(part)
        return
    planner = _load.planner(options.name)
    entry = _listing.entry_for(options.name, kb.list_planners(), planner, planner.spec)
    if options.json:
        _options.print_json({**_listing.plain(entry), "spec": planner.spec})
        return
    _listing.heading(entry)
    if entry.name != "human":
        print(f"  kibitz watch kuhn-poker --planner {_listing.quoted(options.name)}")
