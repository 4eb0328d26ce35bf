"""A planner of your own in a few lines: a committee that asks other planners and counts votes.

kibitz watch kuhn-poker --planner examples/own_planner.py
kibitz match connect-four examples/own_planner.py 'uct(simulations=300)' --games 20
kibitz planners examples/own_planner.py
"""

from collections import Counter

import kibitz as kb


class Committee(kb.PlannerBase):
    """Asks several planners, and plays what most of them would."""

    params = {"size": "Members of the committee.", "simulations": "What each of them may spend on a move."}

    def __init__(self, size: int = 3, simulations: int = 100):
        self.members = [kb.planner(f"pomcp(simulations={simulations})") for _ in range(size)]

    def start(self, game: kb.Game, seat: int, seed: int) -> None:
        """Each member thinks for itself: they have different seeds."""
        for number, member in enumerate(self.members):
            member.start(game, seat, (seed + number) % 2**64)

    def act(self, view: kb.View) -> kb.Decision:
        """The vote; the table shows how many were for each action."""
        votes = Counter(member.act(view).action for member in self.members)
        table = [(action, count / len(self.members), None, count) for action, count in votes.most_common()]
        return kb.Decision(view, table[0][0], table)


if __name__ == "__main__":
    print(kb.play("tic-tac-toe", [Committee(), kb.planner("random")], seed=1).text())
