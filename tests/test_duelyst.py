"""Duelyst as a person meets it: rules, what is hidden, cards from a file, and what is refused."""

from __future__ import annotations

import io
import sys
import xml.etree.ElementTree as ElementTree
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

import kibitz as kb
from kibitz._core import Referee
from kibitz.cli import main
from kibitz.testing import check_game, check_leaks, check_planner

EXAMPLE = Path(__file__).parent.parent / "examples" / "duelyst" / "cards.toml"
DECKS = ("lyonar", "songhai", "vetruvian", "abyssian", "magmar", "vanar")
OTHER = "duelyst(deck1=abyssian, deck2=vanar, rules=original)"


def with_cards(path: Path, options: str = "") -> kb.Game:
    return kb.load(f'duelyst(cards="{path}"{options})')


@pytest.mark.parametrize(
    "name",
    ["duelyst", OTHER, "duelyst(deck1=vetruvian, deck2=songhai)", "duelyst(deck1=magmar, payoff=health)"],
)
def test_the_contract_is_kept(name: str) -> None:
    report = check_game(name, episodes=1, max_steps=100)
    assert report.passed
    assert report.counts["twins"] > 0


def test_nothing_leaks_with_other_decks() -> None:
    report = check_leaks(OTHER, episodes=2, max_steps=40, seconds=2)
    assert report.counts["pairs"] > 0
    assert report.counts["beliefs"] > 0


def test_the_scripted_player_keeps_the_contract() -> None:
    assert check_planner("starter-ai", "duelyst", positions=4).passed
    with pytest.raises(ValueError, match="the game duelyst alone"):
        kb.play("tic-tac-toe", "starter-ai")


@pytest.mark.parametrize(("rules", "cards", "ways"), [("thesis", 3, 8), ("original", 5, 16)])
def test_both_mulligan_at_once(rules: str, cards: int, ways: int) -> None:
    referee = kb.Referee(f"duelyst(rules={rules})", seed=5)
    assert referee.movers == [0, 1]
    assert [len(referee.state.legal(player)) for player in (0, 1)] == [ways, ways]
    before = hands(referee.state)
    assert [len(hand) for hand in before] == [cards, cards]
    referee.apply(["redraw 1 2", "keep all"])
    after = hands(referee.state)
    assert after[1] == before[1]
    assert after[0][2:] == before[0][2:]
    # Who put what back is known to the other by its number only.
    told = [words for kind, _, words in referee.view(1).events if kind == "observed" and words]
    assert "the other 2" in told[-3]
    assert not any(card in line for card in after[0][:2] for line in told[-3:])


def seated(referee: Referee, spec: str) -> Callable[[], object]:
    """What lets both players make their next choice."""
    players = [kb.planner(spec) for _ in range(2)]
    for seat, player in enumerate(players):
        player.start(referee.seat(seat), seat, 8 + seat)
    return lambda: referee.round(lambda seat: players[seat].act(referee.view(seat)))


def hands(state: kb.State) -> list[list[str]]:
    """The cards that both hold, in order of their slots."""
    return [
        [
            fact.split(": ")[1]
            for fact in state.facts
            if fact.startswith("card ") and f"player {player}" in fact
        ]
        for player in (1, 2)
    ]


def of_player(state: kb.State, player: int) -> Counter[str]:
    """All cards of a player that are in its hand or pile."""
    cards = Counter(hands(state)[player])
    for fact in state.facts:
        if fact.startswith(f"pile of player {player + 1}"):
            count, name = fact.split(": ")[1].split(" ", 1)
            cards[name] += int(count)
    return cards


def seen(state: kb.State, player: int) -> list[str]:
    """What of a state a player may know: all but the other's cards."""
    other = f"player {2 - player}"
    hidden = ("card ", "pile of ")
    return [fact for fact in state.facts if not (fact.startswith(hidden) and other in fact)]


@pytest.mark.parametrize("kind", ["particles(20)", "resampling", "sampled(20)"])
def test_what_is_imagined_fits_what_was_seen(kind: str) -> None:
    game = kb.load(OTHER)
    referee = kb.Referee(game, seed=2)
    both_choose = seated(referee, "random")
    belief = kb.Belief(game, kind, seed=4)
    imagined: set[tuple[str, ...]] = set()
    while not referee.over and referee.state.facts[0] != "turn 9, player 1 moves":
        both_choose()
        if referee.over or referee.movers != [0]:
            continue
        belief.update(referee.view(0))
        truth = referee.state
        for _ in range(3):
            state = belief.sample()
            assert seen(state, 0) == seen(truth, 0)
            # Its cards are those of its deck that have not been seen.
            assert of_player(state, 1) == of_player(truth, 1)
            imagined.add(tuple(hands(state)[1]))
    assert len(imagined) > 20


def test_nobody_is_told_what_the_other_holds() -> None:
    referee = kb.Referee("duelyst(deck1=abyssian, deck2=vanar)", seed=9)
    both_choose = seated(referee, "starter-ai")
    while not referee.over:
        view = referee.view(0)
        lines = view.text().splitlines()
        number = next(at for at, line in enumerate(lines) if line.startswith("player 2"))
        hand = next(line for line in lines[number:] if line.startswith("  hand:"))
        assert set(hand.removeprefix("  hand:")) <= set(" ?,123456")
        told = {words for kind, _, words in view.events if kind == "observed" and "the other" in words}
        assert not any("draws" in words and words != "the other draws a card" for words in told)
        both_choose()
    # Spectators see all.
    assert "?" not in "".join(line for line in referee.state.text().splitlines() if "hand" in line)


def test_states_are_values() -> None:
    """Two moves in either order make one position."""
    referee = kb.Referee("duelyst(rules=original)", seed=3)
    referee.apply(["keep all", "keep all"])
    before = referee.state
    card = next(name for name in before.names(0) if name.startswith("play ") and name.endswith("at a4"))
    both: list[kb.State] = []
    for order in ([card, "move a3 b3"], ["move a3 b3", card]):
        state = before
        for name in order:
            state, rewards = state.step([name])
            assert rewards == [0.0, 0.0]
        both.append(state)
    assert both[0].facts == both[1].facts
    assert both[0].hash() == both[1].hash()
    assert both[0] == both[1]
    assert hash(both[0]) == hash(both[1])
    assert before == referee.state
    assert before != both[0]
    assert before.hash() != both[0].hash()
    before.copies(3)
    assert before.perft(1) == len(before.legal(0))


def test_the_winner_is_paid_the_health_that_is_left() -> None:
    for seed in range(4):
        won, health = (
            kb.play(f"duelyst(payoff={payoff})", "starter-ai", seed=seed) for payoff in ("win", "health")
        )
        assert [step.names for step in won.steps] == [step.names for step in health.steps]
        winner = won.returns.index(1.0)
        general = next(fact for fact in health.state.facts if f"of player {winner + 1} at" in fact)
        assert general.startswith("unit Argeon Highmayne")
        left = float(general.split(", ")[1].split()[0])
        assert health.returns[winner] == left == -health.returns[1 - winner]


def test_a_picture_shows_what_its_viewer_may_see() -> None:
    referee = kb.Referee(OTHER, seed=4)
    both_choose = seated(referee, "starter-ai")
    for _ in range(60):
        both_choose()
    state = referee.state

    def words(viewer: int | None) -> str:
        return "".join(ElementTree.fromstring(state.svg(viewer) or "").itertext()).replace("\xa0", " ")

    held = hands(state)
    assert all(held)
    for viewer in (0, 1):
        shown = words(viewer)
        assert "player 1" in shown
        assert "player 2" in shown
        assert all(word in shown for card in held[viewer] for word in card.split())
        secret = set(held[1 - viewer]) - set(held[viewer])
        assert secret
        assert not any(card in shown for card in secret)
        assert shown.count("?") == len(held[1 - viewer])
    assert "?" not in words(None)


@pytest.mark.parametrize("columns", [60, 80])
def test_a_game_at_the_terminal(
    columns: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    typed = "keep all\nmove a3 z9\nmove a3 b3\nend\nu\nend turn\nh\nq\n"
    monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
    main(["play", "duelyst", "--seed", "1", "--with", "starter-ai"])
    out = capsys.readouterr().out
    assert "no move is called 'move a3 z9'" in out
    assert "  hand:\n  1 Primus Shieldmaster [4] 3/6; provoke\n  2 Sunstone Bracers [0] +1 attack\n" in out
    assert "play 2 Sunstone Bracers at … (45)" in out
    assert "Taken back." in out
    board = [line for line in out.splitlines() if line.startswith("  +---") or " |" in line[:3]]
    assert len(board) > 40
    assert max(len(line) for line in board) <= 58
    cards = [line for line in out.splitlines() if line[2:4] in ("1 ", "2 ", "3 ") and "[" in line]
    assert len(cards) > 5
    assert max(map(len, cards)) <= 58


def test_cards_and_a_deck_from_a_file() -> None:
    game = with_cards(EXAMPLE, ", deck1=pyre, deck2=pyre, rules=original")
    assert check_game(game, episodes=1, max_steps=80).passed
    assert kb.play(game, "starter-ai", seed=1).over
    names = {
        name
        for seed in range(4)
        for step in kb.play(game, "random", seed=seed).steps
        for name in step.names
    }
    for card in ("Ember Fox", "Banner of Ash", "Kindle"):
        assert any(f" {card} at " in name for name in names), card


BAD = [
    (
        '"Ember Fox" = 3',
        '"Ember Fix" = 3',
        "line 26: deck pyre: unknown card 'Ember Fix'; did you mean Ember Fox?",
    ),
    (
        '"Ember Fox" = 3',
        '"Ember Fox" = 4',
        "line 26: deck pyre: Ember Fox: a deck has 1 to 3 copies of a card",
    ),
    ('"Ember Fox" = 3', '"Ember Fox" = 2', "line 21: deck pyre has 38 cards; it should have 39"),
    ('"Ember Fox" = 3', '"Phalanxar" = 3', "deck pyre: Phalanxar is of magmar, and its General is not"),
    ('"Ember Fox" = 3', '"Roar" = 3', "deck pyre: Roar cannot be put into a deck"),
    ('"Argeon Highmayne"', '"Tempest"', "line 23: deck pyre: Tempest is no General"),
    ('"pyre"', '"lyonar"', "line 22: there are two decks called 'lyonar'"),
    ("amount = 1, on", "amounts = 1, on", "line 7: Ember Fox: 'damage' needs amount"),
    (
        'do = "damage", amount = 1, on',
        'do = "damge", on',
        "line 7: Ember Fox: unknown effect 'damge'; did you mean",
    ),
    ("amount = 1, on", "amount = 1, to = 3, on", "line 7: unknown key 'to'"),
    (
        "all enemy units beside it",
        "all enemies",
        "line 7: Ember Fox: unknown units 'all enemies': they are",
    ),
    ("it dies", "dies", "line 7: unknown when 'dies'; did you mean it dies"),
    ('["rush"]', '["rash"]', "line 6: Ember Fox: unknown keyword 'rash'; did you mean rush?"),
    ("attack = 2, health = 2 }", "attack = 2 }", "line 5: Ember Fox: a minion needs health"),
    ("health = 2 }", "health = 0 }", "line 5: health should be a whole number from 1 to 999"),
    (
        "minion = {",
        "monster = {",
        "line 3: Ember Fox should be a general, a minion, a spell or an artifact",
    ),
    (
        "a friendly minion",
        "a freindly minion",
        "line 17: Kindle: unknown target 'a freindly minion': it is one of",
    ),
    ('"Kindle"', '"Tempest"', "line 15: there are two cards called 'Tempest'"),
    (
        'do = "buff", attack = 2 }',
        'do = "summon", card = "Tempest" }',
        "line 14: Kindle: only minions can be made, and Tempest",
    ),
    ("durability = 2", "durability = 0", "line 11: durability should be a whole number from 1 to 9"),
    ("[[deck]]", "[[dek]]", "line 21: unknown key 'dek'; did you mean deck?"),
    ("[[card]]", "[[card]", "line 3: "),
]


@pytest.mark.parametrize(("right", "wrong", "sentence"), BAD)
def test_mistakes_in_a_file_of_cards(right: str, wrong: str, sentence: str, tmp_path: Path) -> None:
    file = tmp_path / "cards.toml"
    text = EXAMPLE.read_text(encoding="utf-8")
    assert right in text
    file.write_text(text.replace(right, wrong, 1), encoding="utf-8")
    with pytest.raises(ValueError, match=r"^duelyst: ") as error:
        with_cards(file)
    assert sentence in str(error.value)


def test_other_mistakes(tmp_path: Path) -> None:
    binary = tmp_path / "cards.toml"
    binary.write_bytes(b"\xff\xfe")
    for spec, sentence in {
        "duelyst(deck1=lyonnar)": "unknown deck 'lyonnar'; did you mean lyonar?",
        "duelyst(deck2=pyre)": "there are: .*vetruvian .more come from a file of cards: cards=FILE",
        "duelyst(rules=mine)": "rules: unknown choice 'mine'; there are: original, thesis",
        f'duelyst(cards="{tmp_path / "none.toml"}")': "is no file of cards: it cannot be read",
        f'duelyst(cards="{tmp_path}")': "is no file of cards: it is not a regular file",
        f'duelyst(cards="{binary}")': "is no file of cards: it is not UTF-8 text",
    }.items():
        with pytest.raises(ValueError, match=sentence):
            kb.load(spec)


def test_actions_that_are_not_legal() -> None:
    referee = kb.Referee("duelyst(rules=original)", seed=3)
    referee.apply(["keep all", "keep all"])
    legal = referee.view(0).names()
    assert not any(name.startswith("attack") for name in legal)
    sentence = "^player 1 is to move, and no legal action is called 'attack a3 i3'; legal are end turn, "
    with pytest.raises(ValueError, match=sentence):
        referee.apply(["attack a3 i3"])
    # Where there are many, it is said what they begin with.
    many = kb.Referee("duelyst", seed=1)
    many.apply(["keep all", "keep all"])
    with pytest.raises(ValueError, match=r"the 57 that are legal begin with end, replace, play, move$"):
        many.apply(["attack a3 i3"])
    with pytest.raises(ValueError, match="no legal action is called 'move a3 e3'; did you mean move a3 "):
        referee.apply(["move a3 e3"])
    referee.apply(["end turn"])
    with pytest.raises(
        ValueError, match=r"^player 2 is to move, and no legal action is called 'move a3 b3'"
    ):
        referee.apply(["move a3 b3"])
    with pytest.raises(ValueError, match="is not a legal action of player 2"):
        referee.apply([referee.state.legal(1)[0] + (9 << 16)])
    assert referee.view(0).legal() == []
    with pytest.raises(ValueError, match="nobody waits for that choice now"):
        referee.view(0).find_action("move a3 b3")


def test_all_decks_are_played_with_both_rules() -> None:
    for deck in DECKS:
        for rules in "original", "thesis":
            episode = kb.play(f"duelyst(deck1={deck}, deck2={deck}, rules={rules})", "starter-ai", seed=1)
            assert episode.over
            assert sum(episode.returns) == 0.0
