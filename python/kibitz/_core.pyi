"""The Rust core. Private: people import `kibitz`, which wraps all of this."""

from collections.abc import Callable, Sequence
from os import PathLike
from random import Random
from typing import Any, final

from kibitz.rules import Rules
from kibitz.tree import Tree

__version__: str
debug_build: bool

class GameFault(RuntimeError):
    """A game written in Python failed or broke the contract; the user's own exception is the cause."""

@final
class Bits:
    """A stream of the core as the source of a `random.Random`; see `kibitz._stream`."""

    def __new__(cls, seed: int = 0) -> Bits: ...
    def random(self) -> float: ...
    def getrandbits(self, count: int) -> int: ...

@final
class ParamDoc:
    """What a person needs to know about one parameter."""

    def __new__(cls, name: str, kind: str, default: str, range: str | None, doc: str) -> ParamDoc: ...
    @property
    def name(self) -> str: ...
    @property
    def kind(self) -> str: ...
    @property
    def default(self) -> str: ...
    @property
    def range(self) -> str | None: ...
    @property
    def doc(self) -> str: ...

@final
class Entry:
    """A registered game or planner."""

    def __new__(cls, name: str, summary: str, params: Sequence[ParamDoc], needs: str = "") -> Entry: ...
    @property
    def name(self) -> str: ...
    @property
    def summary(self) -> str: ...
    @property
    def params(self) -> list[ParamDoc]: ...
    @property
    def needs(self) -> str:
        """What a planner needs of a game, in words; empty where every game will do."""

def games() -> list[Entry]: ...
def planners() -> list[Entry]: ...
def old_planners() -> list[str]:
    """What planners were called before, which still works."""

def parts(kind: str) -> list[Entry] | None:
    """The parts of a search of one kind: playouts, selections, evaluators or macro-actions. None for another word."""

def parse_spec(text: str) -> tuple[str, list[tuple[str, Any]]]:
    """Name and (key, value) pairs; nested specs come back as text, quoted texts as str."""

def spec_name(text: str) -> str:
    """The name in a spec, whatever is wrong with the rest."""

def parse_class(text: str) -> tuple[str, str | None, list[tuple[str, Any]]]:
    """`file.py:Class(key=value)` or `module:Class(...)`: the file or module, the class if one is named, and the
    arguments."""

def split_prefix(text: str) -> tuple[str, str] | None:
    """The two sides of `prefix:rest`, which is somebody else's game; None for anything else."""

def outline(text: str) -> tuple[str, str, list[tuple[str, str]]]:
    """A spec whose values are somebody else's to read: all of it without needless spaces, its name, and keys and values
    as they are written."""

def unknown(kind: str, name: str, known: Sequence[str]) -> str:
    """The sentence for a misspelt name, with the nearest right ones."""

def write_history(players: int, steps: Sequence[tuple[int, Sequence[int] | None, Sequence[int]]]) -> bytes:
    """A history as bytes: the ticks before each step, who moved (None: chance), and what was chosen."""

def read_history(data: bytes) -> tuple[int, list[tuple[int, list[int] | None, list[int]]]]:
    """How many players a history has, and its steps; ValueError, with a sentence, for bytes that are none."""

def episode_seed(seed: int, episode: int, name: str) -> int:
    """The seed of the stream called `name` of one episode of an experiment."""

@final
class Info:
    """The facts about a game that hold in all of its states."""

    @property
    def players(self) -> int: ...
    @property
    def min_return(self) -> float: ...
    @property
    def max_return(self) -> float: ...
    @property
    def spread(self) -> float: ...
    @property
    def discount(self) -> float: ...
    @property
    def enough_steps(self) -> int | None:
        """After how many steps to leave a game that need not end."""
    @property
    def horizon(self) -> int | None: ...
    @property
    def perfect_information(self) -> bool: ...
    @property
    def zero_sum(self) -> bool: ...
    @property
    def paid_at_end(self) -> bool:
        """Nobody is paid before the end."""
    @property
    def outcome(self) -> float | None:
        """Where a game of one has a score besides: what a win adds to the return, and a loss takes from it."""
    @property
    def simultaneous(self) -> bool | None:
        """Whether several players may move at once: somewhere, never, or not known."""
    @property
    def capabilities(self) -> dict[str, bool]: ...

@final
class RulesFile:
    """A rules file as a spec names it, with what is in brackets after its name."""

    def __new__(cls, spec: str, limits: Sequence[tuple[str, float]] = ()) -> RulesFile: ...
    @property
    def spec(self) -> str:
        """How it was asked for."""
    @property
    def path(self) -> str:
        """Where it is."""
    @property
    def language(self) -> str:
        """The language that its name says it is written in."""
    @property
    def machines(self) -> list[str]:
        """The machines of its language that can be looked into, if there are any."""
    @property
    def beside(self) -> list[str]:
        """Plain names of the files that are read besides, from the same folder."""
    @property
    def most_bytes(self) -> int:
        """How many bytes each file may have."""
    def limited(self, limits: Sequence[tuple[str, float]]) -> RulesFile:
        """The same with other limits."""
    def applied(self, data: Sequence[bytes]) -> list[str]:
        """What the file and those beside it say with what is in the brackets put in its place."""

@final
class Finding:
    """Something wrong at a place of a rules file."""

    @property
    def severity(self) -> str: ...
    @property
    def code(self) -> str: ...
    @property
    def rule(self) -> str: ...
    @property
    def message(self) -> str: ...
    @property
    def file(self) -> str:
        """The name of the file: the rules', or of one beside them."""
    @property
    def line(self) -> int: ...
    @property
    def column(self) -> int: ...
    @property
    def help(self) -> str | None: ...
    @property
    def text(self) -> str: ...

def is_rules(spec: str) -> bool:
    """Whether a spec names a rules file, with or without brackets."""

def check_rules(file: RulesFile, data: Sequence[bytes]) -> list[Finding]:
    """What is wrong with a rules file; it makes a game if none of that is an error."""

def describe_rules(file: RulesFile, data: bytes) -> Entry:
    """What a rules file says of its game, and what it takes in brackets."""

def rules_languages() -> list[tuple[str, str, list[str]]]:
    """The languages of rules: name, what to write after "rules in", and what names of files end in."""

def rules_limits() -> list[ParamDoc]:
    """The limits of all languages that can be changed, as they are written in brackets."""

@final
class RulesMachine:
    """A rules file as the machine that runs it sees it."""

    def __new__(
        cls, file: RulesFile, data: Sequence[bytes], machine: str | None = None
    ) -> RulesMachine: ...
    @property
    def kind(self) -> str:
        """One of its file's `machines`."""
    @property
    def why(self) -> str | None:
        """Why it is not the network, where that was tried."""
    @property
    def roles(self) -> list[str]:
        """The roles' names, `random` included."""
    @property
    def has_percepts(self) -> bool:
        """Whether the rules say what each role is told (GDL-II)."""
    def initial(self) -> RulesState:
        """Where every game begins; ValueError if deriving what holds there hits a limit."""
    def lines(self, relation: str, role: str | None = None) -> list[int]:
        """The lines of the rules for `terminal`, `effect`, or for a role's `legal` or `goal`."""

@final
class RulesState:
    """A state as the machine of a rules file sees it. Lists of lists have an entry for each role."""

    @property
    def facts(self) -> list[str]:
        """What holds, sorted."""
    @property
    def terminal(self) -> bool:
        """Whether the game is over."""
    @property
    def legal(self) -> list[list[str]]:
        """The legal moves of each role."""
    @property
    def goals(self) -> list[list[float]]:
        """The scores that the rules give each role here: none, one, or (wrongly) several."""
    @property
    def exercised(self) -> list[int]:
        """The lines of the rules that took part in the step to it, where that is known."""
    @property
    def note(self) -> str | None:
        """What somebody who plays by these rules should know of the state, where it is not as they say."""
    def advance(self, moves: Sequence[str]) -> tuple[RulesState, list[list[str]]]:
        """The state after each role has made its move, and what each is told."""

@final
class Game:
    """The rules of a game; immutable, shared between threads."""

    @staticmethod
    def native(spec: str) -> Game:
        """A native game by spec; ValueError with the nearest names for a wrong one."""

    @staticmethod
    def from_rules(file: RulesFile, data: Sequence[bytes]) -> Game:
        """The game of a rules file's content, and of those beside it; ValueError with all that is wrong with it."""
    @property
    def machine(self) -> dict[str, Any] | None:
        """How a game made of a rules file is run: the language, the machine, why, its size, and all of that in words."""
    @property
    def heuristics(self) -> list[tuple[bool, str]]:
        """For each player: what its action heuristic goes by, or why it has none, in words; empty where the game
        knows nothing of the kind."""
    @property
    def flaw(self) -> str | None:
        """Something that its rules left open in a state that came up so far, and how it was understood."""
    @staticmethod
    def python(rules: object, spec: str) -> Game:
        """Wraps an object that follows `kibitz.Rules`; TypeError where a method is missing."""

    @property
    def spec(self) -> str: ...
    @property
    def info(self) -> Info: ...
    @property
    def tick(self) -> float | None:
        """In a game in real time: how long a tick is, in the game's own unit of time (a second, unless whoever plays it
        says otherwise); else None."""

    def demand_declared(self, values: Sequence[float], what: str, slack: float) -> None:
        """GameFault if a player has got, or may expect, what the game says it never pays."""

    @property
    def rules(self) -> object | None:
        """The Python object behind it, if there is one."""

    def apart(self) -> Game:
        """The same rules, numbered anew where they are written in Python.

        Nobody who is given it can look up in its table of actions what was played with the other."""

    def initial(self) -> State: ...
    def _repr_html_(self) -> str: ...
    @property
    def roles(self) -> list[tuple[str, int | None]]:
        """Where the rules speak of roles: their names in the order of the rules, each with the player that it is, None
        for chance's."""
    def player_name(self, player: int) -> str: ...
    def action_value(self, action: int) -> Any:
        """The value that a game written in Python uses for an action; the number itself elsewhere."""

    @property
    def atom_count(self) -> int:
        """How many things the game numbers that may be true of a state; 0 where it numbers nothing."""

    def perft(self, depth: int) -> int:
        """Counts the sequences of joint actions and outcomes of that length (shorter if over)."""

    def playouts(
        self, count: int, seed: int, policy: str = "random", batch: int = 1
    ) -> tuple[list[float], int]:
        """Plays `count` playouts from the start, `batch` at a time where the game can play many at once;
        the players' mean returns, and all steps taken."""

    def playout_returns(
        self, count: int, seed: int, policy: str = "random"
    ) -> list[tuple[list[float], int]]:
        """How often each outcome came of `count` playouts from the start: (the players' returns, times).

        ValueError where there are too many different ones."""

@final
class State:
    """The whole truth at one moment of a game. Immutable here: `step` gives a new one."""

    @property
    def game(self) -> Game: ...
    @property
    def value(self) -> Any:
        """The user's own object, where the game is written in Python; None elsewhere."""

    @property
    def over(self) -> bool: ...
    @property
    def chance(self) -> bool: ...
    @property
    def movers(self) -> list[int]: ...
    def legal(self, player: int | None = None) -> list[int]:
        """A player's legal actions, or those of the only mover; empty when it is not its turn."""

    def names(self, player: int | None = None) -> list[str]:
        """What they are called, in the order of `legal`."""

    def action_values(self, player: int) -> list[float] | None:
        """How near each of a mover's legal actions brings it to what it wants, from 0 to 1, in the order of `legal`;
        None where the game has no action heuristic."""

    def outcomes(self) -> list[tuple[int, float]]:
        """Chance's outcomes with probabilities; ValueError if the game only samples them."""

    def step(self, joint: Sequence[int | str]) -> tuple[State, list[float]]:
        """The next state and each player's reward, after actions by number or by name; ValueError for an illegal one."""

    @property
    def due(self) -> int | None:
        """In real time: in how many ticks something happens by itself, if nobody does anything; None where nothing will."""

    def later(self, ticks: int) -> State:
        """In real time: the state after so many ticks in which nobody chooses and nothing happens.

        ValueError where something would."""

    def draw(self, seed: int | Random) -> int:
        """An outcome of chance, drawn with a seed or from a `random.Random`."""

    def playout(self, seed: int | Random = 0, policy: str = "random") -> list[float]:
        """Plays on to the end by a playout policy; what each player gets from here on."""

    @staticmethod
    def of(game: Game, value: Any) -> State:
        """The state of a game written in Python that its rules have this value for."""

    @staticmethod
    def after(game: Game, joints: Sequence[Sequence[int]]) -> State:
        """The state that these joint actions lead to from the beginning, chance's outcomes among them."""

    def perft(self, depth: int) -> int:
        """Counts the sequences of joint actions and outcomes of that length from here (shorter if over)."""

    def copies(self, count: int) -> None:
        """Copies it so many times, as searches do, and throws the copies away: for benchmarks."""

    def __copy__(self) -> State: ...
    def __deepcopy__(self, memo: Any, /) -> State: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def action_name(self, player: int | None, action: int) -> str: ...
    def find_action(self, player: int | None, name: str) -> int:
        """The legal action of that name; ValueError naming the nearest ones."""

    def observation(self, before: State, joint: Sequence[int], player: int) -> tuple[int, str]:
        """Key and words of what `player` was told by the step from `before` to here; (0, "") if nothing."""

    def evaluate(self) -> list[float] | None: ...
    def factors(self, player: int, action: int) -> list[int] | None:
        """The parts of a legal action but for the last, which is the action itself, if the game tells."""

    def features(self, player: int) -> list[tuple[str, float]] | None:
        """The features as a player sees them, each with its name, if the game has some."""

    def hash(self) -> int | None: ...
    def atoms(self) -> list[int] | None:
        """The numbers of what is true here, each below `Game.atom_count`; None where the game numbers nothing."""

    @property
    def facts(self) -> list[str]:
        """What holds, one fact an entry, where the rules are made of facts; the whole truth."""
    def role_moves(self, role: int) -> list[str]:
        """The names of the legal moves of a role of the rules, also where it has but one."""
    @property
    def within_turn(self) -> bool:
        """Whether the players have moved and chance has still to, in the same turn of the rules."""
    def percepts(self, player: int) -> list[str]:
        """What a player was told by the turn that led here, in the words of the rules, where they hide something."""
    def text(self, viewer: int | None = None) -> str: ...
    def svg(self, viewer: int | None = None) -> str | None: ...
    def _repr_svg_(self) -> str | None: ...

@final
class View:
    """All that a player may know: its own actions and observations so far."""

    @property
    def game(self) -> Game: ...
    @property
    def player(self) -> int: ...
    @property
    def events(self) -> list[tuple[str, int, str]]:
        """("acted" | "observed" | "passed", action, observation key or ticks, in words), oldest first."""

    def legal(self) -> list[int]:
        """The legal actions now; empty when it is not this player's turn."""

    def names(self, actions: Sequence[int] | None = None) -> list[str]:
        """What the legal actions are called, in the order of `legal`.

        Or what actions of the player are called, by their numbers in the game that is played: decisions and
        information sets have those; `legal` has the seat's, which hardly ever differ."""

    def find_action(self, name: str) -> int:
        """The legal action of that name; ValueError naming the nearest ones."""

    @property
    def may_wait(self) -> bool:
        """Whether its player may also do nothing now (`kibitz.WAIT`): time goes by in the game."""

    def text(self) -> str:
        """The position as this player sees it."""

    def svg(self) -> str | None:
        """The same as a picture, if the game draws one."""
    @property
    def key(self) -> int:
        """Equal for two views exactly when their events are."""

    def _repr_svg_(self) -> str | None: ...

@final
class Referee:
    """Holds the true state of one episode, draws chance, and tells each player what it may know."""

    def __new__(
        cls,
        game: str | PathLike[str] | Game | Rules[Any],
        seed: int = 0,
        episode: int = 0,
        *,
        max_steps: int | None = None,
    ) -> Referee:
        """GameFault if chance moves on and on without a move of a player; with `max_steps`, it stops there before."""

    @staticmethod
    def after(
        game: str | PathLike[str] | Game | Rules[Any],
        joints: Sequence[Sequence[int]],
        numbers: Game | None = None,
    ) -> Referee:
        """The referee of an episode that has gone so far: chance's outcomes are given like the players' actions.

        `numbers` is the game whose numbers they are, this one unless another is named. Where chance moves
        next, it has not drawn. ValueError where the game does not allow it."""

    @staticmethod
    def from_history(game: str | PathLike[str] | Game | Rules[Any], history: bytes) -> Referee:
        """The same from what `history` gave; ValueError, with a sentence, for bytes that do not fit the game."""

    @property
    def game(self) -> Game: ...
    @property
    def state(self) -> State:
        """The truth: for spectators and omniscient planners only."""

    @property
    def over(self) -> bool: ...
    @property
    def movers(self) -> list[int]:
        """Who must move; chance has always been drawn already, but for what lies beyond `max_steps`."""

    @property
    def steps(self) -> int:
        """How many were taken, chance's included."""

    @property
    def returns(self) -> list[float]:
        """Discounted by the game's discount factor."""

    def seat(self, player: int) -> Game:
        """The rules as that seat has them: what its planner is started on.

        The referee's own game would tell it, by its table of actions, what the episode has come to."""

    def view(self, player: int) -> View: ...
    @property
    def goes_on(self) -> bool:
        """Whether there is another step: the game is not over, and has not come to `max_steps`."""

    def apply(
        self, joint: Sequence[int | str | Decision]
    ) -> list[tuple[State, list[int], list[float], list[float], int]]:
        """Carries out the movers' actions, by number or by name, or what they decided, and then chance's draws.

        Gives (state after, joint, rewards, returns so far, ticks before it) for each step.

        ValueError for an illegal action; nothing has happened then."""

    def round(
        self, choose: Callable[[int], int | str | Decision]
    ) -> list[tuple[State, list[int], list[float], list[float], int]]:
        """Asks each mover in turn, by its number, and carries out what they do; gives what `apply` gives.

        ValueError for an illegal action; those after it are not asked."""

    @property
    def now(self) -> int:
        """What time it is, in ticks from the beginning (`Game.tick` says how long one is)."""

    @property
    def due(self) -> int | None:
        """When something happens by itself, or what was chosen is carried out; None where it depends on somebody."""

    def submit(self, player: int, action: Decision | int | str) -> None:
        """In a game in real time: what `player` does at this very instant, which is carried out as soon as time advances.

        ValueError where it may not; nothing has happened then, and nobody else needs to know."""

    def advance(
        self, to: int | None = None
    ) -> list[tuple[State, list[int], list[float], list[float], int]]:
        """Lets time go on until then (or not at all), and gives what `apply` gives: what was submitted is carried out, chance draws, and
        what happens by itself happens. Time never goes back."""

    def copy(self) -> Referee:
        """Another referee of the same episode, which goes on by itself, with the same luck."""

    def __copy__(self) -> Referee: ...
    def __deepcopy__(self, memo: Any, /) -> Referee: ...
    def check_left(self) -> None:
        """GameFault if an episode that is left here has paid what the game never pays."""

    def history(self) -> bytes:
        """What was played so far, as bytes that can be kept or sent."""

    def opening(self) -> list[tuple[State, list[int], list[float], list[float], int]]:
        """The steps that chance took before the first move, as from `apply`."""

@final
class Told:
    """A seat of an episode that is refereed elsewhere: what it is told becomes a view, as planners take it.

    ValueError for a game whose rules do not speak of roles."""

    def __new__(cls, game: Game, player: int, seed: int = 0) -> Told: ...
    @property
    def hidden(self) -> bool:
        """Whether the rules hide something: then it is told what it perceives, else what everybody does."""

    @property
    def turns(self) -> int:
        """How many turns it was told of."""

    @property
    def over(self) -> bool:
        """Whether the game is over, where nothing is hidden."""

    @property
    def moves(self) -> list[str]:
        """The names of what it may do now, also where that is but one thing; none when the game is over."""

    def moved(self, moves: Sequence[str]) -> None:
        """Takes in what all roles did in a turn, in the order of the rules, where nothing is hidden.

        ValueError where that is not legal; nothing has happened then."""

    def heard(self, own: str | None, percepts: Sequence[str], seconds: float | None = None) -> str | None:
        """Takes in a turn where something is hidden, and after which the game goes on: its own move, if that is known,
        and what it perceived.

        After `seconds` it makes do with what it has found. None, or a sentence where nothing explains what it was
        told: that is passed over, or, where nothing else will do, all but its own moves."""

    def view(self) -> View:
        """All that the seat may know now, for planners."""

    @property
    def real_time(self) -> bool:
        """Whether time goes by in it: then it is told when something happened, in ticks from the beginning."""

    @property
    def now(self) -> int:
        """The time of the last that it was told, in ticks."""

    def due(self, now: int) -> int | None:
        """When something happens by itself after that tick, if nobody does anything; None where nothing will."""

    def happened(self, at: int, moves: Sequence[str | None]) -> None:
        """Takes in what roles did at a tick, in the order of the rules and None for who did nothing, where nothing is
        hidden and time goes by. What happens by itself before, nobody needs to say.

        ValueError where that is not legal; nothing but time has happened then."""

    def heard_at(
        self, at: int, own: int | None, percepts: Sequence[str] | None, seconds: float | None = None
    ) -> str | None:
        """Takes in what happened at a tick where something is hidden and time goes by: the number of its own move, if
        it made one, and what it perceived, if anything.

        After `seconds` it makes do with what it has found. None, or a sentence where nothing explains what it was
        told."""

    def view_at(self, now: int) -> View:
        """What the seat may know, and do, at a tick, if nothing is told until then: what happens by itself has
        happened."""

@final
class Belief:
    """A distribution over states, given a view. ValueError where the game lacks what the kind needs.

    Kinds are written as for planners: `particles(1000, weights=kept)`, `tree(opponents=preferred)`."""

    def __new__(
        cls, game: str | PathLike[str] | Game | Rules[Any], kind: str = "auto", seed: int = 0
    ) -> Belief: ...
    def update(self, view: View) -> None:
        """Takes in what has been added to the view.

        What no state explains is passed over where that helps, and `notes` say so; else ValueError."""

    def sample(self) -> State:
        """A state that may be the present one, drawn with its probability."""

    def states(self, limit: int = 1000) -> list[tuple[State, float]] | None:
        """All states that may be the present one with their probabilities, the likeliest first.

        None if there are more than `limit`, or they cannot be listed."""

    def svg(self, draws: int = 10_000) -> str | None:
        """A picture of what the player sees, and of where that which it does not see may be.

        None where the game draws no beliefs. A belief of more than `draws` states, or whose states cannot
        be listed, is drawn from so often."""

    def marginals(self, draws: int = 10_000) -> list[tuple[str, float]] | None:
        """How likely each fact is, the likeliest first, in games whose rules are made of facts; None elsewhere.

        A belief of more than `draws` states, or whose states cannot be listed, is drawn from so often."""

    @property
    def counters(self) -> list[tuple[str, float]]:
        """What it has cost so far and how sure it is, in figures with names."""

    @property
    def size(self) -> int | None: ...
    @property
    def notes(self) -> list[str]: ...
    def _repr_html_(self) -> str: ...

@final
class Judgement:
    @property
    def action(self) -> int: ...
    @property
    def name(self) -> str: ...
    @property
    def value(self) -> float | None: ...
    @property
    def error(self) -> float | None: ...
    @property
    def visits(self) -> int: ...

@final
class Decision:
    """A chosen action with the reasons for it.

    A planner written in Python makes its own: `table` has rows (action, value, standard error, visits). Where
    players may choose at any instant, the action may be `kibitz.WAIT`: it does nothing now, and is asked again
    after so many `ticks`, or as soon as it is told something. It is made after `takes` ticks: what thinking
    costs of the game's time."""

    def __new__(
        cls,
        view: View,
        action: int,
        table: Sequence[tuple[int, float | None, float | None, int]] | None = None,
        notes: Sequence[str] | None = None,
        *,
        ticks: int | None = None,
        takes: int = 0,
    ) -> Decision: ...
    @property
    def action(self) -> int: ...
    @property
    def ticks(self) -> int | None:
        """For how many ticks it does nothing, where it waits; else None."""

    @property
    def takes(self) -> int:
        """So many ticks of the game's time go by until it is made, where thinking costs some."""

    @property
    def name(self) -> str: ...
    @property
    def best(self) -> str:
        """The chosen action in words, as `name`."""

    def table_text(self) -> str:
        """The evidence for people: action, value with its standard error, visits; best first."""

    @property
    def tree(self) -> Tree | None:
        """The search tree, of a planner that has one; ValueError once the planner has moved on."""

    @property
    def players(self) -> list[str]:
        """What the players of its game are called; empty where the planner is not known."""

    def grown(
        self, most: int
    ) -> list[tuple[int, int, list[tuple[str, int, float | None, list[tuple[str, int]]]]]] | None:
        """The nodes of the search tree, up to so many: see `kibitz.tree`."""

    @property
    def table(self) -> list[Judgement]: ...
    @property
    def heuristic(self) -> list[float]:
        """What the action heuristic says of each row of the table, where the planner goes by one; else empty."""

    @property
    def values(self) -> list[float]:
        """What each player may expect from here on, on average over the simulations of a tree search."""

    @property
    def simulations(self) -> int: ...
    @property
    def nodes(self) -> int: ...
    @property
    def edges(self) -> int: ...
    @property
    def bytes(self) -> int: ...
    @property
    def seconds(self) -> float: ...
    @property
    def belief(self) -> int | None: ...
    @property
    def transitions(self) -> int | None:
        """How many steps of the model the simulations took, where that is counted."""

    @property
    def depth(self) -> float | None:
        """How many moves a simulation made before it left the tree, on average; of a search that has a tree."""

    @property
    def counters(self) -> list[tuple[str, float]]:
        """What the belief has cost so far and how sure it is, in figures with names."""

    @property
    def line(self) -> list[tuple[int, str]]:
        """What is expected to happen: player and action, from the choice on, as far as it can be told."""

    @property
    def notes(self) -> list[str]: ...
    def _repr_html_(self) -> str: ...

@final
class Planner:
    """A planner of the core; ValueError for a wrong spec.

    `model` is another game that it is to take the game for, in place of what `model=` in the spec may say.
    """

    def __new__(cls, spec: str, model: Game | None = None) -> Planner: ...
    @property
    def spec(self) -> str: ...
    def start(self, game: Game, seat: int, seed: int) -> None:
        """ValueError, with a sentence, where the game lacks what the planner needs."""

    @property
    def cheats(self) -> bool:
        """Whether it must be told the true state before each decision."""

    def tell(self, truth: State) -> None:
        """Tells a planner that cheats the true state, for one decision; ValueError for one that does not."""

    def act(self, view: View, seconds: float | None = None) -> Decision:
        """Releases the GIL unless the game is a Python one; Ctrl-C raises KeyboardInterrupt soon.

        After `seconds` it answers with the best it has, whatever its own budget says."""

def solve_alone(
    game: Game, max_states: int, deal: int | None = None
) -> tuple[list[float], str | None, str, int, list[tuple[str, float]], list[str]] | None:
    """Value of each player, best first action, method, states, the table of first actions, and a whole way.

    With a deal: from what chance does in an episode with that seed on.

    None where it takes an equilibrium (see GameTree); ValueError if the game is too large."""

@final
class GameTree:
    """A whole game, written out; ValueError where it is too large.

    A strategy of all players is a list of numbers; an information set has its place in it."""

    def __new__(cls, game: Game, max_nodes: int) -> GameTree: ...
    @property
    def nodes(self) -> int:
        """How many histories there are."""
    @property
    def sets(self) -> list[tuple[int, int, list[int]]]:
        """Whose, the place of its first action in a strategy, and its actions; for each information set."""
    @property
    def width(self) -> int:
        """How many numbers a strategy of all players has."""
    @property
    def parents(self) -> list[int]:
        """For each information set, the place of the action of its player's that leads there."""
    @property
    def beginnings(self) -> list[int]:
        """For each player, the place that stands for no action yet; its actions come after it."""
    @property
    def opening(self) -> list[int]:
        """The information sets in which the first decisions are made."""
    @property
    def endings(self) -> tuple[list[int], list[float], list[float]]:
        """The endings, side by side: the places of the players' last actions, chance's probability of each,
        and the players' returns."""
    def view(self, number: int) -> View:
        """What the player of an information set knows there."""
    def worth(self, strategy: Sequence[float]) -> tuple[list[float], list[float]]:
        """What each player gets, and would get by answering the others best."""

@final
class RegretSolver:
    """Minimises regrets; ValueError where the game does not suit the method."""

    def __new__(
        cls,
        game: Game,
        method: str,
        *,
        seed: int = 0,
        epsilon: float = 0.6,
        alternating: bool = True,
        max_nodes: int = 5_000_000,
    ) -> RegretSolver: ...
    @staticmethod
    def methods() -> list[str]:
        """The names of all methods."""
    def run(self, iterations: int, seconds: float | None = None) -> None:
        """Does so many more iterations, or as many as fit in `seconds`.

        Ctrl-C raises KeyboardInterrupt; what is done stays."""
    def estimate(self, games: int, seconds: float | None = None) -> tuple[list[float], list[float]] | None:
        """Each player's mean return in so many games by the average strategy, or as many as fit in `seconds`,
        with standard errors; None where `worth` knows."""
    @property
    def full(self) -> bool:
        """Whether there was no room for all information sets that were met."""
    @property
    def iterations(self) -> int:
        """How many were done."""
    @property
    def nodes(self) -> int | None:
        """How many histories the game has, where it was written out."""
    @property
    def tree(self) -> GameTree | None:
        """The whole game, where it was written out."""
    @property
    def sets(self) -> list[tuple[int, int, list[int]]]:
        """The information sets, as of a `GameTree`: all of them, or those that were met so far."""
    def view(self, number: int) -> View:
        """What the player of an information set knows there."""
    def average(self) -> list[float]:
        """The average strategy of all players."""
    def worth(self) -> tuple[list[float], list[float]] | None:
        """What each player gets by it, and would get by answering the others best; None without a tree."""

@final
class SelfPlay:
    """A network that is being taught a game; ValueError where the game cannot be learned."""

    def __new__(
        cls,
        game: Game,
        *,
        macro_actions: bool = False,
        round: int = 1000,
        units: int = 64,
        trust: float = 0.5,
        explore: float = 0.02,
        transitions: int = 0,
        threads: int = 1,
        seed: int = 0,
        net: bytes | None = None,
    ) -> SelfPlay: ...
    def round(self, rate: float) -> tuple[int, float, float]:
        """Plays a round of games and learns from it at this rate: the games so far, the first player's mean
        return in this round from 0 (the worst) to 1, and the mean cross entropy.

        Ctrl-C raises KeyboardInterrupt; what was learned before stays."""
    def net(self) -> bytes:
        """What was learned so far, as the bytes of a file."""
