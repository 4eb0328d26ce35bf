//! Duelyst: a collectible card game on a board of nine by five cells, two Generals, and decks of 39 cards.
//!
//! The rules are those of the open-source game (`rules=original`), or as chapter 2 of the thesis on Navy Defense and
//! Duelyst has them (`rules=thesis`); `docs/duelyst.md` says where they differ and how its text is read. Cards are data:
//! `cards/*.toml`, in an effect language of a few words, and more come from a user's file. Hands and piles are
//! hidden; draws, and the cells of what is summoned at random, are chance with explicit probabilities.

use kibitz_core::abilities::{Evaluate, Facts, Resample, StateHash, Svg, ViewKey};
use kibitz_core::game::{Action, Game, Info, Observation, Players, Transition, Turn};
use kibitz_core::params::{params, words};
use kibitz_core::register_game;
use kibitz_core::rng::Rng;
use kibitz_core::view::{View, after_action, after_observation, view_seed};

mod actions;
mod board;
mod card;
mod catalogue;
mod effects;
mod effects_text;
mod evaluator;
mod factors;
mod facts;
mod features;
mod observations;
mod picture;
mod play;
mod starter;
mod state;
mod toml;
mod words;

use actions::Choice;
use board::{CELLS, GENERALS, SPRINGS, bit};
use card::Card;
use catalogue::{Catalogue, DECK};
use observations::Told;
use state::{NONE, Position, Side, Stage, State, Task, UNKNOWN};

register_game!(
    "duelyst",
    "A card game on a board: play minions, spells and artifacts, and destroy the other General.",
    DuelystParams,
    Duelyst::new
);

params! {
    /// The decks and the rules.
    pub struct DuelystParams {
        /// The deck of the player who goes first: lyonar, songhai, vetruvian, abyssian, magmar, vanar, or one of the
        /// file of cards.
        pub deck1: String = "lyonar".to_owned();
        /// The deck of the other player.
        pub deck2: String = "lyonar".to_owned();
        /// Whose rules: the thesis' (three cards at first, two draws a turn, no General's spells), or those of the
        /// open-source game (original).
        pub rules: RuleSet = RuleSet::Thesis;
        /// What the winner is paid: 1 (win), or the health that its General is left with (health), as the thesis'
        /// evaluator has it.
        pub payoff: Payoff = Payoff::Win;
        /// A TOML file with more cards and decks; `examples/duelyst` has one.
        pub cards: Option<String> = None;
    }
}

words! {
    /// Whose rules.
    RuleSet {
        /// Three cards at first, any number of them put back; two draws a turn, and none with a full hand.
        Thesis = "thesis",
        /// Five cards at first, two of them put back; one draw a turn, burned by a full hand; Generals have spells.
        Original = "original",
    }
}

words! {
    /// What the winner is paid, and the loser pays.
    Payoff {
        /// One.
        Win = "win",
        /// The health that the winner's General is left with.
        Health = "health",
    }
}

impl RuleSet {
    /// Cards of the first hand.
    fn first_hand(self) -> u8 {
        if self == RuleSet::Thesis { 3 } else { 5 }
    }

    /// How many of them may be put back.
    fn most_mulligans(self) -> u32 {
        if self == RuleSet::Thesis { 3 } else { 2 }
    }

    /// Draws at the end of a turn.
    fn draws(self) -> u8 {
        if self == RuleSet::Thesis { 2 } else { 1 }
    }

    /// Whether the draws at the end of a turn are made with a full hand as well, so that what is drawn is lost.
    fn overdraws(self) -> bool {
        self == RuleSet::Original
    }

    /// Whether a player's General gets its spell at the start of a turn: every fourth turn, then always.
    fn spell_comes(self, owner: u8, turn: u16) -> bool {
        let turn = turn - u16::from(owner);
        self == RuleSet::Original && (turn == 4 || turn == 8 || turn >= 12)
    }
}

/// No game has more turns: then it is a draw.
const MOST_TURNS: u16 = 400;
/// What a return of one counts in the static evaluator's points.
const WIN: f64 = 10_000.0;

/// The cards of a game, and what follows from its parameters.
pub struct Rules {
    cards: Vec<Card>,
    kind: RuleSet,
    /// Each General's own spell.
    spells: [u8; 2],
    generals: [u8; 2],
    /// The kinds of cards in each player's deck, ascending, and how many there are of each.
    kinds: [Vec<u8>; 2],
    counts: [Vec<u8>; 2],
    /// What the static evaluator takes each card's abilities to be worth.
    abilities: Vec<f64>,
    /// Cells of which the other three of a square of four are on the board.
    squares: u64,
    within_two: [u64; CELLS as usize],
}

impl Rules {
    /// Which of the kinds of a player's deck a card is.
    #[inline]
    fn kind_of(&self, owner: u8, card: u8) -> usize {
        self.kinds[usize::from(owner)].binary_search(&card).unwrap_or(0)
    }

    /// Before the first card is dealt.
    fn start(&self) -> Position {
        let mut sides = [Side::empty(2), Side::empty(3)];
        for (side, counts) in sides.iter_mut().zip(&self.counts) {
            side.pile[..counts.len()].copy_from_slice(counts);
            side.left = DECK as u8;
        }
        let mut position = Position {
            stage: Stage::Deal,
            mover: 0,
            turn: 0,
            chain: 0,
            waiting: None,
            sides,
            springs: SPRINGS.iter().fold(0, |set, cell| set | bit(*cell)),
            spent: 0,
            units: Vec::new(),
            modifiers: Vec::new(),
            creep: Vec::new(),
            deaths: Vec::new(),
            tasks: Vec::new(),
        };
        for owner in [0, 1u8] {
            let seat = usize::from(owner);
            position.put(&self.cards, self.generals[seat], owner, GENERALS[seat]);
        }
        for owner in [1, 0] {
            position.tasks.extend((0..self.kind.first_hand()).rev().map(|slot| Task::Deal { owner, slot }));
        }
        position
    }
}

/// The game.
pub struct Duelyst {
    info: Info,
    rules: Rules,
    payoff: Payoff,
}

impl Duelyst {
    fn new(params: DuelystParams) -> Result<Duelyst, String> {
        let catalogue = Catalogue::read(params.cards.as_deref())?;
        let decks = [catalogue.deck(&params.deck1)?.clone(), catalogue.deck(&params.deck2)?.clone()];
        let generals = [decks[0].general, decks[1].general];
        let spell = |general: u8| catalogue.cards[usize::from(general)].spell;
        let spells = generals
            .map(|general| spell(general).filter(|_| params.rules == RuleSet::Original).unwrap_or(NONE));
        let rules = Rules {
            kind: params.rules,
            spells,
            generals,
            kinds: [0, 1].map(|seat: usize| decks[seat].cards.iter().map(|(card, _)| *card).collect()),
            counts: [0, 1].map(|seat: usize| decks[seat].cards.iter().map(|(_, count)| *count).collect()),
            abilities: Rules::ability_values(&catalogue.cards),
            cards: catalogue.cards,
            squares: actions::squares(),
            within_two: actions::within_two(),
        };
        let most = match params.payoff {
            Payoff::Win => 1.0,
            Payoff::Health => generals
                .map(|card| f64::from(rules.cards[usize::from(card)].health))
                .into_iter()
                .fold(1.0, f64::max),
        };
        let info = Info {
            perfect_information: false,
            zero_sum: true,
            paid_at_end: true,
            simultaneous: Some(true),
            ..Info::new(2, -most, most)
        };
        Ok(Duelyst { info, rules, payoff: params.payoff })
    }

    /// Pays the winner, if there is one now.
    fn pay(&self, position: &Position, rewards: &mut [f64]) {
        if let Stage::Over(Some(winner)) = position.stage {
            let health = |winner| {
                position.on(position.general_cell(winner)).map_or(1, |index| position.units[index].health())
            };
            let pay = match self.payoff {
                Payoff::Win => 1.0,
                Payoff::Health => f64::from(health(winner)),
            };
            let winner = usize::from(winner);
            rewards[winner] += pay;
            rewards[1 - winner] -= pay;
        }
    }

    /// Carries out a joint action. Gives what everybody is told by it.
    fn carry_out(&self, position: &mut Position, turn: Turn, joint: &[Action]) -> Told {
        match turn {
            Turn::Over => Told::Nothing,
            Turn::Chance => {
                let outcome = joint[0].0;
                let drawing = Rules::drawing(position);
                let slot = match position.tasks.last() {
                    Some(Task::Deal { slot, .. } | Task::Redraw { slot, .. }) => *slot,
                    Some(Task::Draw { owner }) => {
                        position.sides[usize::from(*owner)].free_slot().map_or(NONE, |slot| slot as u8)
                    }
                    _ => NONE,
                };
                self.rules.happen(position, outcome);
                match drawing {
                    None => Told::Cell(outcome as u8),
                    Some((owner, _)) if slot == NONE => Told::Burned { owner, card: outcome as u8 },
                    Some((owner, _)) => Told::Drawn { owner, slot, card: outcome as u8 },
                }
            }
            Turn::Several(_) => {
                let slots = |action: Action| {
                    if let Some(Choice::Mulligan(slots)) = Choice::of(action) { slots } else { 0 }
                };
                let slots = [slots(joint[0]), slots(joint[1])];
                self.rules.mulligan(position, slots);
                Told::Mulligans(slots)
            }
            Turn::One(player) => {
                let Some(choice) = Choice::of(joint[0]) else { return Told::Nothing };
                let card = match choice {
                    Choice::Play { slot, .. } => position.sides[player].hand[usize::from(slot)],
                    _ => NONE,
                };
                self.rules.act(position, choice);
                Told::Chosen { action: joint[0], card }
            }
        }
    }

    /// A step, with what the players see of it.
    fn advance(&self, state: &mut State, joint: &[Action]) {
        let turn = self.turn(state);
        let told = self.carry_out(&mut state.position, turn, joint);
        if state.position.turn >= MOST_TURNS && !matches!(state.position.stage, Stage::Over(_)) {
            state.position.stage = Stage::Over(None);
            state.position.tasks.clear();
            state.position.waiting = None;
        }
        state.told = told;
        for (player, action) in turn.movers().iter().zip(joint) {
            state.seen[player] = after_action(state.seen[player], *action);
        }
        for (player, seen) in state.seen.iter_mut().enumerate() {
            *seen = after_observation(*seen, told.to(player));
        }
    }
}

impl Game for Duelyst {
    type State = State;

    fn info(&self) -> &Info {
        &self.info
    }

    fn initial(&self) -> State {
        State { position: self.rules.start(), seen: [view_seed(0), view_seed(1)], told: Told::Nothing }
    }

    #[inline]
    fn turn(&self, state: &State) -> Turn {
        let position = &state.position;
        match position.stage {
            Stage::Over(_) => Turn::Over,
            Stage::Mulligan => Turn::Several(Players::first(2)),
            Stage::Deal => Turn::Chance,
            Stage::Play if position.waiting.is_none() && !position.tasks.is_empty() => Turn::Chance,
            Stage::Play => Turn::One(position.mover.into()),
        }
    }

    fn legal(&self, state: &State, _: usize, actions: &mut Vec<Action>) {
        match state.position.stage {
            Stage::Mulligan => self.rules.list_mulligans(actions),
            Stage::Play => self.rules.list(&state.position, actions),
            Stage::Deal | Stage::Over(_) => {}
        }
    }

    fn step(&self, state: &mut State, joint: &[Action], rewards: &mut [f64]) {
        self.advance(state, joint);
        self.pay(&state.position, rewards);
    }

    fn chance(&self, state: &State, outcomes: &mut Vec<(Action, f64)>) {
        let at = outcomes.len();
        let mut total = 0.0;
        self.rules.outcomes(&state.position, |outcome, weight| {
            let weight = f64::from(weight);
            total += weight;
            outcomes.push((Action(outcome), weight));
        });
        for (_, weight) in &mut outcomes[at..] {
            *weight /= total;
        }
    }

    fn draw(&self, state: &State, rng: &mut Rng) -> Action {
        Action(self.rules.draw_outcome(&state.position, rng))
    }

    fn observe(&self, after: &State, _: Turn, _: &[Action], player: usize) -> Observation {
        after.told.to(player)
    }

    fn observe_public(&self, after: &State, _: Turn, _: &[Action]) -> Observation {
        after.told.to_all()
    }

    fn observation_name(&self, step: &Transition<State>, player: usize) -> String {
        self.told_in_words(step.before, step.after.told, player)
    }

    fn action_name(&self, state: &State, player: Option<usize>, action: Action) -> String {
        match player {
            Some(player) => self.rules.action_name(&state.position, player, action),
            None if Rules::drawing(&state.position).is_some() => self.card_name(action.0 as u8).to_owned(),
            None => board::name(action.0 as u8),
        }
    }

    fn text(&self, state: &State, viewer: Option<usize>) -> String {
        self.draw_text(&state.position, viewer)
    }

    kibitz_core::abilities!(
        hash, evaluator, factors, end_turn, features, resampling, view_key, picture, facts
    );
}

impl StateHash<State> for Duelyst {
    fn hash(&self, state: &State) -> u64 {
        use std::hash::{Hash, Hasher};
        let mut hasher = observations::Mixer::default();
        state.position.hash(&mut hasher);
        hasher.finish()
    }
}

impl ViewKey<State> for Duelyst {
    fn view_key(&self, state: &State, player: usize) -> u64 {
        state.seen[player]
    }
}

impl Resample<State> for Duelyst {
    fn resample(&self, view: &View, rng: &mut Rng) -> Option<State> {
        self.imagine(view, rng)
    }
}

impl Evaluate<State> for Duelyst {
    fn evaluate(&self, state: &State, values: &mut [f64]) {
        let value = self.rules.static_value(&state.position) / WIN;
        (values[0], values[1]) = (value, -value);
    }
}

impl Svg<State> for Duelyst {
    fn svg(&self, state: &State, viewer: Option<usize>) -> String {
        self.draw_svg(&state.position, viewer)
    }
}

impl Facts<State> for Duelyst {
    fn facts(&self, state: &State) -> Vec<String> {
        self.rules.list_facts(&state.position)
    }
}

impl Duelyst {
    /// What a card is called.
    fn card_name(&self, card: u8) -> &str {
        match card {
            UNKNOWN => "a card",
            _ => self.rules.cards.get(usize::from(card)).map_or("nothing", |card| card.name.as_str()),
        }
    }
}

#[cfg(test)]
mod tests;
