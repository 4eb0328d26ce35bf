"""Reproductions that several tests begin from."""


def tic_tac_toe(planner: str, episodes: int) -> str:
    """Uct against a random player; figures are missing."""
    return f"""
[reproduction]
title = "Tic-tac-toe"
source = "everybody"
where = "everywhere"

[experiment]
games = ["tic-tac-toe"]
planners = ["{planner}"]
against = ["random"]
episodes = {episodes}
"""
