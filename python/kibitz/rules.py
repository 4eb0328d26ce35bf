"""Games written in Python: subclass `Rules`, and every planner plays it."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any, ClassVar, Final, Generic, TypeAlias, TypeVar, Union

from kibitz._core import Game

if TYPE_CHECKING:
    from random import Random

CHANCE: Final = -1
"""What `Rules.turn` returns when chance moves."""

OVER: Final = -2
"""What `Rules.turn` returns when the game is over."""

WAIT: Final = 2**32 - 1
"""What a planner decides that does nothing now, where players may choose at any instant."""

S = TypeVar("S")


class Rules(Generic[S]):
    """The rules of a game. Four methods are needed: `initial`, `turn`, `legal` and `step`.

    States are values: `step` returns a new one and never changes the old one. Actions, chance's
    outcomes and observations are any hashable values. What is left out has a sensible default,
    and each optional method that is there tells planners what the game offers. A subclass with a
    `name` of its own can be loaded by that name.

    >>> import kibitz as kb
    >>> class Nim(kb.Rules[tuple[int, int]]):
    ...     '''Take one to three; who takes the last one wins.'''
    ...     players, zero_sum = 2, True
    ...     def initial(self):
    ...         return (5, 0)
    ...     def turn(self, state):
    ...         return state[1] if state[0] else kb.OVER
    ...     def legal(self, state, player):
    ...         return list(range(1, min(3, state[0]) + 1))
    ...     def step(self, state, joint):
    ...         left, player = state[0] - joint[0], state[1]
    ...         won = (1, -1) if player == 0 else (-1, 1)
    ...         return (left, 1 - player), None if left else won
    >>> game = kb.load(Nim())
    >>> game.perft(2)
    8
    """

    name: ClassVar[str | None] = None
    """What it can be loaded as, once its module has been imported."""

    players: int = 1
    """How many players, 1 to 32."""
    min_return: float = -1.0
    """No player's return is lower than this."""
    max_return: float = 1.0
    """No player's return is higher than this."""
    spread: float | None = None
    """By how much good and bad play typically differ; the range of returns unless given."""
    discount: float = 1.0
    """A reward t moves ahead counts this to the power of t."""
    horizon: int | None = None
    """No game lasts longer than this many steps, chance's included."""
    perfect_information: bool | None = None
    """Whether every player always knows the state; yes unless `observe` is defined, if not given."""
    zero_sum: bool = False
    """Whether all players' returns always add up to zero."""
    paid_at_end: bool = False
    """Whether nobody is ever paid before the end."""
    tick: float = 1.0
    """In real time: how long a tick is, in the game's own unit of time, which is a second unless whoever
    plays it says otherwise."""
    simultaneous: bool | None = None
    """Whether several may move at once. If not given, never for one player, and not known for more:
    planners that need turns then refuse where they come to such a state."""

    def __init_subclass__(cls, **keywords: Any) -> None:
        super().__init_subclass__(**keywords)
        from kibitz import _registry

        _registry.define("game", cls)

    # What every game needs.

    def initial(self) -> S:
        """Where every game begins."""
        raise NotImplementedError

    def turn(self, state: S) -> int | tuple[int, ...]:
        """Who moves: a player's number, a tuple of several who move at once, `CHANCE` or `OVER`."""
        raise NotImplementedError

    def legal(self, state: S, player: int) -> Sequence[Any]:
        """What `player`, one of the movers, may do: at least one action, none twice."""
        raise NotImplementedError

    def step(self, state: S, joint: tuple[Any, ...]) -> tuple[S, Sequence[float] | float | None]:
        """The state after a joint action, and the rewards.

        `joint` has one entry for each mover, or chance's outcome. The rewards are one number for
        each player, a bare number for a game of one, or None for nothing.
        """
        raise NotImplementedError

    # Chance: one of the two, if `turn` ever returns `CHANCE`.

    def chance(self, state: S) -> Iterable[tuple[Any, float]]:
        """All outcomes with their probabilities, which add up to one."""
        raise NotImplementedError

    def draw(self, state: S, rng: Random) -> Any:
        """Draws an outcome, where listing them all is too much."""
        raise NotImplementedError

    # Hidden information.

    def observe(self, after: S, joint: tuple[Any, ...], player: int) -> Hashable:
        """What `player` is told by the step `joint` that led to `after`; None for nothing at all.

        By default everybody sees every joint action and every outcome.
        """
        raise NotImplementedError

    def observe_public(self, after: S, joint: tuple[Any, ...]) -> Hashable:
        """The part that all players are told and know all others to be told; None for nothing."""
        raise NotImplementedError

    # Words and pictures.

    def text(self, state: S, viewer: int | None) -> str:
        """A drawing in plain characters: of the whole truth, or of what `viewer` may know of it."""
        raise NotImplementedError

    def svg(self, state: S, viewer: int | None) -> str:
        """A picture, as `text`."""
        raise NotImplementedError

    def action_name(self, state: S, player: int | None, action: Any) -> str:
        """What an action is called; `player` is None for an outcome of chance. `str` by default."""
        raise NotImplementedError

    def observation_name(self, observation: Any, player: int) -> str:
        """What was told, in words. `str` by default."""
        raise NotImplementedError

    def player_name(self, player: int) -> str:
        """What a player is called."""
        raise NotImplementedError

    # What helps planners.

    def evaluate(self, state: S) -> Sequence[float] | float:
        """An estimate of the return still to come for each player."""
        raise NotImplementedError

    def key(self, state: S) -> Hashable:
        """Equal exactly for states with the same future. Plain values (tuples, texts, numbers) are best."""
        raise NotImplementedError

    def view_key(self, state: S, player: int) -> Hashable:
        """Equal exactly for states that `player`, knowing what it has seen, cannot tell apart."""
        raise NotImplementedError

    def action_values(self, state: S, player: int, actions: Sequence[Any]) -> Sequence[float]:
        """How near each of these legal actions brings `player` to what it wants, from 0 to 1.

        It is what playout=heuristic and selection=heuristic go by."""
        raise NotImplementedError

    def preferred(self, state: S, player: int) -> Sequence[Any]:
        """The legal actions that a sensible playout chooses from; may use what `player` knows only."""
        raise NotImplementedError

    def resample(self, events: list[tuple[str, Any]], player: int, rng: Random) -> S | None:
        """Draws a state that fits what `player` knows, with the right probability; None if it cannot.

        `events` are ("acted", action) and ("observed", observation), oldest first.
        """
        raise NotImplementedError

    def shown(self, state: S, observation: Any) -> Any:
        """The one outcome at this turn of chance after which a player is told this, where `chance` does not
        list the outcomes; None if it cannot tell."""
        raise NotImplementedError

    # Hidden pieces that go their own ways, so that the exact belief need not list all places together.
    # A state that hides one piece alone stands for it. All of these methods together, and `key`, make the
    # ability; `take_in` may be left out where it would change nothing.

    def piece_prior(
        self, events: list[tuple[str, Any]]
    ) -> tuple[int, Sequence[tuple[float, Sequence[Sequence[tuple[S, float]]]]]] | None:
        """Where pieces may be before anything was told of them, and how many events lie behind by then.

        Several products, each with its probability: for each piece its states with theirs. None for what no
        player of this game can have seen."""
        raise NotImplementedError

    def split(self, state: S) -> Sequence[S]:
        """The pieces of a state, each alone; one without a piece, where there are none."""
        raise NotImplementedError

    def join(self, pieces: Sequence[S]) -> S:
        """Several pieces in one state."""
        raise NotImplementedError

    def piece_done(self, before: S, after: S, observation: Any) -> Hashable:
        """What a piece has done from one decision to the next that can be seen; None where that contradicts
        what was told, whatever others have done."""
        raise NotImplementedError

    def done_together(self, before: S, done: Sequence[Any], observation: Any) -> bool:
        """Whether pieces which have done this together are told of so."""
        raise NotImplementedError

    def take_in(self, after: S, before: S, action: Any, observation: Any) -> S:
        """A piece's state with what is now seen, which others' deeds are part of; `action` is the player's,
        or None where there was none."""
        raise NotImplementedError

    # What some planners need. Each method that is there is an ability of the game.

    def collapsed(self) -> Rules[Any]:
        """The equivalent game of one player with nothing hidden: the unknown is drawn when it is shown."""
        raise NotImplementedError

    def planning_model(self) -> Rules[Any]:
        """The game as those who play imagine it, with the same players, actions and observations."""
        raise NotImplementedError

    def judge(self, state: S, effort: int, rng: Random) -> Sequence[float] | float | None:
        """The best that a search of about `effort` states finds, for each player, in one world that `state`
        leaves possible, everything in it known; None where it cannot tell."""
        raise NotImplementedError

    def unknown(self, state: S) -> int:
        """How many things are unknown in a state that `judge` sees."""
        raise NotImplementedError

    def prove(self, state: S, states: int) -> tuple[float | None, Sequence[Any]] | None:
        """The best return from a state in which everything is known, and the actions that get it, found by
        looking at no more than so many states; None for the return where that is not enough."""
        raise NotImplementedError

    atom_count: int | None = None
    """How many atoms there are, where `atoms` is defined."""

    def atoms(self, state: S) -> Iterable[int]:
        """What is true of a state, as numbers from 0 to `atom_count` - 1: networks judge it by them."""
        raise NotImplementedError

    def facts(self, state: S) -> Iterable[str]:
        """What holds in a state, in words, one fact an entry."""
        raise NotImplementedError

    def action_key(self, state: S, player: int, action: Any) -> Hashable:
        """Equal for actions that mean the same, wherever they are legal; the action itself by default."""
        raise NotImplementedError

    def factors(self, state: S, player: int, action: Any) -> Sequence[int]:
        """The parts of a legal action from its type on (then its source, say), as numbers; the last part,
        which is the action itself, is left out. Action trees are made of them."""
        raise NotImplementedError

    def end_turn(self, state: S, player: int) -> Any:
        """The action by which a player ends its turn, in a game in which a turn is several actions; None
        where it may not."""
        raise NotImplementedError

    feature_weights: dict[str, float] | None = None
    """Names and weights of the features, in order, where `features` is defined."""

    def features(self, state: S, player: int) -> Sequence[float]:
        """Numbers by which a linear evaluator judges a state for `player`. With two players whose returns
        add up to zero the other's are the opposite."""
        raise NotImplementedError

    symmetries: int | None = None
    """How many symmetries are known, where `reflected` is defined: exchanges that change names only."""

    def orientation(self, state: S, symmetry: int) -> int:
        """1 or -1, for the two states that a symmetry exchanges; 0 where it leaves the state as it is."""
        raise NotImplementedError

    def reflected(self, state: S, symmetry: int) -> S:
        """The image of a state."""
        raise NotImplementedError

    def reflected_action(self, player: int, action: Any, symmetry: int) -> Any:
        """The image of an action."""
        raise NotImplementedError

    def macro_actions(self) -> Rules[Any]:
        """The game over its moves that cannot be undone. It has two methods more: `enter(state)` gives its
        state for one of this game, and `spell(state, action)` the moves that make up a macro-action."""
        raise NotImplementedError

    def timing(self, state: S) -> float | None:
        """When the next step is taken, in a game in which players may choose at any instant, or not at all.

        After so many ticks by itself, if nobody chooses before; `math.inf` where nothing happens by itself;
        None in states in which players take turns. Who does nothing has None in the joint action."""
        raise NotImplementedError

    def pass_time(self, state: S, ticks: int) -> S:
        """The state after so many ticks in which nobody has chosen, no more than `timing` says."""
        raise NotImplementedError

    def play_out_many(self, state: S, count: int, depth: int, rng: Random) -> Sequence[float] | float:
        """The sums of the players' returns over so many random games from a state, each broken off after
        `depth` moves, where there is a quicker way than to play one after the other."""
        raise NotImplementedError


AnyGame: TypeAlias = Union[str, "PathLike[str]", Game, Rules[Any]]
"""What names a game wherever one is taken: its spec, the path of a rules file, a game, or its rules."""
