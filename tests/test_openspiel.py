"""OpenSpiel's games as ours: what loads, what is played, what is refused, and what a view says."""

from __future__ import annotations

import random
from typing import Any

import pytest

import kibitz as kb

pyspiel = pytest.importorskip("pyspiel", reason="open_spiel is not installed (the extra 'bench' has it)")

from kibitz.adapters import _openspiel_survey as survey  # noqa: E402
from kibitz.adapters import openspiel  # noqa: E402

# Quick ones of every kind: perfect information, chance, hidden information with information states
# or observations only, several at once, one player, more than two, rewards on the way.
QUICK = [
    "bargaining",
    "blackjack",
    "blotto",
    "catch",
    "cliff_walking",
    "connect_four",
    "coordinated_mp",
    "deep_sea",
    "dots_and_boxes",
    "first_sealed_auction",
    "goofspiel",
    "kuhn_poker",
    "leduc_poker",
    "lewis_signaling",
    "liars_dice",
    "mancala",
    "matching_pennies_3p",
    "matrix_pd",
    "matrix_rps",
    "nim",
    "oshi_zumo",
    "phantom_ttt",
    "python_kuhn_poker",
    "python_tic_tac_toe",
    "sheriff",
    "tic_tac_toe",
    "tiny_bridge_2p",
    "tiny_hanabi",
]


@pytest.mark.parametrize("name", QUICK)
def test_a_game_passes_random_games_and_is_played(name: str) -> None:
    row = survey.try_game(name, planner="pomcp(simulations=20, belief=particles(200))")
    assert (row.loads, row.walks, row.plays, row.why) == (True, True, "yes", "")
    assert row.views in ("", "exact")


@pytest.mark.parametrize(
    ("spec", "sentence"),
    [
        ("kuhn_pokr", "unknown OpenSpiel game 'kuhn_pokr'; did you mean kuhn_poker?"),
        ("kuhn_poker(playrs=3)", "unknown parameter 'playrs'; did you mean players?"),
        ("kuhn_poker(players=3", "OpenSpiel says: Missing closing bracket"),
        ("kuhn_poker(players=three)", "OpenSpiel says: Wrong type for parameter players"),
        ("misere", "OpenSpiel says: Missing parameter game"),
        ("mfg_garnet", "is a mean-field game"),
        ("morpion_solitaire", "crashes OpenSpiel"),
        ("crossword", "lacks what a game needs; OpenSpiel says: LegalActions unimplemented"),
    ],
)
def test_what_cannot_be_loaded_is_refused_in_a_sentence(spec: str, sentence: str) -> None:
    with pytest.raises(ValueError, match=r"openspiel|OpenSpiel") as refusal:
        kb.load(f"openspiel:{spec}")
    assert sentence in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_a_missing_package_is_named_with_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "pyspiel", None)
    with pytest.raises(ModuleNotFoundError, match=r"kibitz\[bench\]"):
        kb.load("openspiel:kuhn_poker")


def test_parameters_and_nested_games() -> None:
    assert kb.load("openspiel:kuhn_poker( players = 3 )").spec == "openspiel:kuhn_poker(players=3)"
    assert kb.load("openspiel:misere(game=tic_tac_toe())").info.players == 2
    repeated = kb.load("openspiel:repeated_game(stage_game=matrix_rps(),num_repetitions=5)")
    assert len(kb.play(repeated, "random", seed=1).steps) == 5


def test_what_a_game_offers() -> None:
    kuhn, chess = kb.load("openspiel:kuhn_poker").info, kb.load("openspiel:chess").info
    assert kuhn.capabilities["explicit chance"]
    assert kuhn.capabilities["view key"]
    assert (kuhn.horizon, kuhn.min_return, kuhn.max_return) == (5, -2, 2)
    assert kuhn.zero_sum
    assert not kuhn.perfect_information
    assert chess.perfect_information
    assert not chess.capabilities["view key"]
    assert kb.load("openspiel:goofspiel(imp_info=True)").info.perfect_information is False
    assert kb.load("openspiel:hanabi").info.capabilities["view key"] is False


def test_names_are_openspiels_and_each_is_there_once() -> None:
    state = kb.load("openspiel:tic_tac_toe").initial()
    assert state.action_name(0, state.legal(0)[4]) == "x(1,1)"
    for name in ("mancala", "pentago", "leduc_poker"):
        referee = kb.Referee(kb.load(f"openspiel:{name}"), 3)
        for mover in referee.movers:
            names = referee.view(mover).names()
            assert len(set(names)) == len(names)


def test_words_that_repeat_are_told_apart() -> None:
    class Blunt:
        def legal_actions(self, player: int) -> list[int]:
            return [0, 1, 2]

        def action_to_string(self, player: int, action: int) -> str:
            return ["pass", "pass", ""][action]

    assert openspiel._names(openspiel.Moment(Blunt(), 1), 0) == {0: "pass (0)", 1: "pass (1)", 2: " (2)"}


def test_a_view_says_what_has_changed_and_nothing_of_what_has_not() -> None:
    referee = kb.Referee(kb.load("openspiel:kuhn_poker"), 3)
    card = referee.state.value.now.state.information_state_string(0)
    assert [(kind, words) for kind, _, words in referee.view(0).events] == [("observed", card)]
    referee.apply([referee.state.find_action(0, "Bet")])
    assert [words for _, _, words in referee.view(1).events][-1] == "b"
    assert str(referee.state.value) not in referee.view(1).text()


@pytest.mark.parametrize(
    "name",
    ["kuhn_poker", "leduc_poker", "liars_dice", "phantom_ttt", "goofspiel(imp_info=True,num_cards=4)"],
)
def test_views_are_information_states(name: str) -> None:
    """Two histories give the same view exactly when they give the same information state."""
    game = kb.load(f"openspiel:{name}")
    known: dict[tuple[int, int], str] = {}
    told: dict[tuple[int, str], int] = {}
    assert not any(survey.walk(game, episode, known, told) for episode in range(300))
    assert len(told) == len(known)


@pytest.mark.parametrize(
    "name", ["coop_box_pushing", "hanabi", "catch", "2048", "goofspiel", "sheriff", "snake"]
)
def test_rewards_add_up_to_the_returns(name: str) -> None:
    game = kb.load(f"openspiel:{name}")
    episode = kb.play(game, "random", seed=5)
    paid = [sum(step.rewards[player] for step in episode.steps) for player in range(game.info.players)]
    final = episode.state.value.now.state.returns()
    assert paid == pytest.approx(final)
    assert episode.returns == pytest.approx(final)


def test_states_are_values() -> None:
    """Stepping leaves the old state as it was, and the same step gives the same state again."""
    for name in ("leduc_poker", "negotiation", "stones_and_gems", "matrix_pd"):
        rules: Any = kb.load(f"openspiel:{name}").rules
        rng = random.Random(2)
        state = rules.initial()
        for _ in range(6):
            turn = rules.turn(state)
            if turn == kb.OVER:
                break
            if turn == kb.CHANCE:
                joint = (
                    rules.draw(state, rng) if rules.chance is None else rng.choice(rules.chance(state))[0],
                )
            else:
                movers = turn if isinstance(turn, tuple) else (turn,)
                joint = tuple(rng.choice(rules.legal(state, mover)) for mover in movers)
            before = str(state)
            once, twice = rules.step(state, joint), rules.step(state, joint)
            assert str(state) == before
            assert (str(once[0]), once[1]) == (str(twice[0]), twice[1])
            state = once[0]


def test_chance_that_openspiel_draws_itself_follows_our_seed() -> None:
    deals = {str(kb.Referee(kb.load("openspiel:negotiation"), seed).state.text()) for seed in (1, 1, 2, 3)}
    assert len(deals) == 3


@pytest.mark.parametrize(
    ("name", "value"), [("kuhn_poker", -1 / 18), ("leduc_poker", -0.0856064), ("tic_tac_toe", 0)]
)
def test_exact_values(name: str, value: float) -> None:
    """The solvers see the same game: an equilibrium depends on every view being right."""
    assert kb.solve(f"openspiel:{name}").value[0] == pytest.approx(value, abs=1e-6)


def test_the_survey_prints_its_rows(capsys: pytest.CaptureFixture[str]) -> None:
    assert survey.main(["--survey", "matrix_rps", "mfg_garnet", "--seconds", "20"]) == 0
    printed = capsys.readouterr().out
    assert "2 games: 1 load, 1 pass random games, 1 were played to the end" in printed
    assert "mean-field" in printed


def test_check_game_passes() -> None:
    testing = pytest.importorskip("kibitz.testing")
    for name in ("kuhn_poker", "tic_tac_toe", "matrix_rps", "phantom_ttt"):
        testing.check_game(kb.load(f"openspiel:{name}"))
