"""A game of your own in thirty lines: two rivals dig for one treasure along a beach.

    kibitz play examples/treasure.py
    kibitz watch examples/treasure.py --truth
    kibitz match 'examples/treasure.py(beach=20)' pomcp random --games 20

Everybody sees where somebody digs, but only the digger feels whether the treasure lies further left
or further right. Where your rival digs next tells you what it has felt.
"""

import kibitz as kb

Beach = tuple[int, tuple[int, ...]]  # where the treasure is (0: not buried yet), and the holes so far


class Treasure(kb.Rules[Beach]):
    """Dig along the beach; only the digger feels on which side the treasure lies."""

    players, zero_sum = 2, True
    params = {"beach": "Places to dig at."}

    def __init__(self, beach: int = 12):
        self.places = range(1, beach + 1)
        self.horizon = beach + 1

    def initial(self) -> Beach:
        return 0, ()

    def turn(self, state: Beach) -> int:
        treasure, holes = state
        return kb.CHANCE if treasure == 0 else kb.OVER if treasure in holes else len(holes) % 2

    def chance(self, state: Beach) -> list[tuple[int, float]]:
        return [(place, 1 / len(self.places)) for place in self.places]

    def legal(self, state: Beach, player: int) -> list[int]:
        return [place for place in self.places if place not in state[1]]

    def step(self, state: Beach, joint: tuple[int, ...]) -> tuple[Beach, tuple[int, int] | None]:
        (treasure, holes), (place,) = state, joint
        if treasure == 0:
            return (place, holes), None
        won = (1, -1) if len(holes) % 2 == 0 else (-1, 1)
        return (treasure, (*holes, place)), won if place == treasure else None

    def observe(self, after: Beach, joint: tuple[int, ...], player: int) -> str | None:
        return f"{joint[0]} {self.felt(after, joint[0], player)}" if after[1] else None

    def felt(self, state: Beach, place: int, viewer: int | None) -> str:
        treasure, holes = state
        if viewer not in (None, holes.index(place) % 2) and treasure != place:
            return "x"
        return "$" if place == treasure else "<" if treasure < place else ">"

    def text(self, state: Beach, viewer: int | None) -> str:
        treasure, holes = state
        signs = ["$" if (viewer, place) == (None, treasure) else "." for place in self.places]
        for place in holes:
            signs[place - 1] = self.felt(state, place, viewer)
        return " ".join(f"{sign:>2}" for sign in signs) + "\n" + " ".join(f"{p:2}" for p in self.places)


if __name__ == "__main__":
    print(kb.play(Treasure(), ["pomcp(simulations=500)", "random"], seed=3).text())
