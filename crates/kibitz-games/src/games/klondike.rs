//! Klondike solitaire, with the moves of "Lower Bounding Klondike Solitaire with Monte-Carlo Planning"
//! (Bjarnason, Fern and Tadepalli, 2009).
//!
//! Turning the deck is part of the moves: every card that turning would bring up can be played at once. The
//! cards of the deck are known to the player from the start, as they are in the paper. What is hidden are the
//! face-down cards; as a game they are dealt before the first move, and in its *collapsed* form chance draws
//! each of them from the unseen ones when it is turned up, which is the same to the player.

use kibitz_core::abilities::{
    self, Abilities, Collapsed, Evaluate, OwnMacroActions, Preferred, Prove, Resample, StateHash, Svg,
    ViewKey,
};
use std::sync::Arc;

use kibitz_core::game::{Action, Game, Info, Observation, Transition, Turn};
use kibitz_core::macro_actions::MacroActions;
use kibitz_core::model::SharedModel;
use kibitz_core::params::params;
use kibitz_core::playout::Context;
use kibitz_core::register_game;
use kibitz_core::rng::Rng;
use kibitz_core::solve::Proof;
use kibitz_core::view::{Event, View, after_action, after_observation};

use crate::bits::{nth_set, ones};

mod atoms;
pub mod cards;
mod features;
pub mod file;
pub mod macro_actions;
pub mod moves;
pub mod ordinary;
mod picture;
pub mod position;
mod prefer;
pub mod quotient;
pub mod solver;
mod spell;
pub mod state;
mod svg;

use cards::{ALL, CARDS, Card, members};
use moves::{Kind, Move, Reading, Rules, parent};
use position::{COLUMNS, DECK, DOWN, Position, begins};
use quotient::Table;
use solver::{Outcome, Solver};
use spell::KlondikeMacroActions;
use state::{MEMORY, State};

register_game!("klondike", KlondikeParams, Klondike::new);

params! {
    /// The solitaire that everybody knows: bring all cards to the foundations, suit by suit from ace to king.
    pub struct KlondikeParams {
        /// Cards that are turned at a time: 3, or 1 for the easier game.
        pub draw: u32 = 3, in 1..=24;
        /// How often the deck may be gone through; 0 is as often as you like. (The deck's cards are known
        /// before the first pass in any case.)
        pub passes: u32 = 0, in 0..=200;
        /// Whether the face-down cards are known too.
        pub thoughtful: bool = false;
        /// Which moves count: those of the reading that reproduces the paper's baselines, or all (naive).
        pub reading: Reading = Reading::Paper;
        /// Whether a move plays any card that turning brings up (macro), or the deck is turned by moves of
        /// its own (ordinary).
        pub moves: Kind = Kind::Macro;
        /// Whether a game with no card face down ends as won when following the preferred moves wins it.
        pub finish: bool = true;
        /// A file with the position to begin from, in place of a deal; `examples/klondike/figure-2.txt` shows how
        /// it is written. Face-down cards may be named with thoughtful=true only.
        pub position: Option<String> = None;
    }
}

/// What is known, and when.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Form {
    Hidden,
    Collapsed,
    Thoughtful,
}

/// The rules.
#[derive(Clone)]
pub struct Klondike {
    info: Info,
    form: Form,
    rules: Rules,
    finish: bool,
    start: State,
    /// Which places chance deals cards to before the first move: face-up ones by their column, then the deck's,
    /// then those of [`Position::down`].
    places: Vec<u8>,
}

const DECK_PLACE: usize = COLUMNS;
const DOWN_PLACE: usize = DECK_PLACE + DECK;

/// A move after which no card is turned up.
const MOVED: Observation = Observation(1);

/// A card is dealt or turned up.
#[inline]
fn shown(card: Card) -> Observation {
    Observation(u64::from(card.0) + 2)
}

impl Klondike {
    fn new(params: KlondikeParams) -> Result<Klondike, String> {
        let KlondikeParams { draw, passes, thoughtful, reading, moves, finish, position } = params;
        let form = if thoughtful { Form::Thoughtful } else { Form::Hidden };
        let rules = Rules { draw, passes, reading, kind: moves, collapsed: false };
        let start = State::new(Position::empty(), ALL);
        let places = (0..CARDS as u8).collect();
        let mut game = Klondike { info: Info::new(1, 0.0, 1.0), form, rules, finish, start, places };
        if let Some(path) = position {
            game.begin_from(file::read(&path)?)?;
        }
        Ok(game.declared())
    }

    /// Begins from a position instead of a deal.
    fn begin_from(&mut self, known: file::Known) -> Result<(), String> {
        if let Some((card, line)) = known.named_down.filter(|_| self.form != Form::Thoughtful) {
            return Err(format!(
                "line {line} of the position tells that {card} is face down: write '??', or play with thoughtful=true"
            ));
        }
        self.start = State::new(known.position, known.missing);
        self.places = known.unknown.iter().map(|place| (DOWN_PLACE + place) as u8).collect();
        if self.places.is_empty() {
            self.start.begin(&self.rules);
        }
        Ok(())
    }

    /// With what is to be known about it in [`Info`].
    fn declared(mut self) -> Klondike {
        let hides = self.form == Form::Hidden;
        self.info.perfect_information = !hides;
        self.info.paid_at_end = true;
        self.info.horizon = Some(self.longest());
        self
    }

    /// No game has more steps. Between two of the plays from the deck and reveals, each of which happens once a
    /// card, there are as many moves as can be remembered, and then moves to the foundations only.
    fn longest(&self) -> u32 {
        let stages = 1 + DECK + DOWN;
        let moves = stages * (MEMORY + CARDS);
        let turns = match self.rules.kind {
            Kind::Macro => 0,
            Kind::Ordinary => 2 * DECK.div_ceil(self.rules.draw as usize) + 1,
        };
        (CARDS + DOWN + moves * (1 + turns)) as u32
    }

    fn collapse(&self) -> Klondike {
        let mut game = self.clone();
        game.form = Form::Collapsed;
        game.rules.collapsed = true;
        game.places.retain(|place| usize::from(*place) < DOWN_PLACE);
        if game.places.is_empty() {
            game.start.begin(&game.rules);
        }
        game.declared()
    }

    /// The place that chance deals a card to next.
    #[inline]
    fn place(&self, dealt: u8) -> Option<usize> {
        self.places.get(usize::from(dealt)).map(|place| usize::from(*place))
    }

    fn is_chance(&self, state: &State) -> bool {
        usize::from(state.dealt) < self.places.len() || state.waiting().is_some()
    }

    /// Chance deals a card, or turns one up.
    fn deal(&self, state: &mut State, card: Card) {
        let Some(place) = self.place(state.dealt) else {
            return state.turn_up(&self.rules, card);
        };
        match place {
            DOWN_PLACE.. => state.position.down[place - DOWN_PLACE] = card,
            DECK_PLACE.. => state.position.deck[place - DECK_PLACE] = card,
            _ => state.position.runs[place].push(card),
        }
        state.dealt_to(place, card);
        if usize::from(state.dealt) == self.places.len() {
            state.begin(&self.rules);
        }
    }

    /// Whether chance's card is hidden from the player.
    fn is_silent(&self, dealt: u8) -> bool {
        self.form == Form::Hidden && self.place(dealt).is_some_and(|place| place >= DOWN_PLACE)
    }

    /// The moves and cards of a view, one after the other, in the collapsed form. None where they do not fit.
    fn replay(&self, view: &View) -> Option<State> {
        let mut state = self.initial();
        for event in &view.events {
            let (action, is_chance) = match event {
                Event::Acted(action) => (*action, false),
                Event::Observed(MOVED) => continue,
                Event::Passed(_) => return None,
                Event::Observed(told) => (Action(u32::try_from(told.0.checked_sub(2)?).ok()?), true),
            };
            let fits = match is_chance {
                true => action.0 < CARDS as u32 && state.unseen >> action.0 & 1 == 1,
                false => state.moves.contains(Move::of(action)),
            };
            if !fits || is_chance != self.is_chance(&state) {
                return None;
            }
            self.step(&mut state, &[action], &mut [0.0]);
        }
        Some(state)
    }
}

impl Game for Klondike {
    type State = State;

    fn info(&self) -> &Info {
        &self.info
    }

    fn initial(&self) -> State {
        self.start
    }

    #[inline]
    fn turn(&self, state: &State) -> Turn {
        if self.is_chance(state) {
            Turn::Chance
        } else if state.won || state.moves.is_empty() {
            Turn::Over
        } else {
            Turn::One(0)
        }
    }

    fn legal(&self, state: &State, _: usize, actions: &mut Vec<Action>) {
        actions.extend(state.moves.iter().map(Move::action));
    }

    #[inline]
    fn random_action(&self, state: &State, _: usize, _: &mut Vec<Action>, rng: &mut Rng) -> Action {
        state.moves.nth(rng.below(state.moves.len())).action()
    }

    fn chance(&self, state: &State, outcomes: &mut Vec<(Action, f64)>) {
        let probability = 1.0 / f64::from(state.unseen.count_ones());
        outcomes.extend(ones(state.unseen).map(|card| (Action(card), probability)));
    }

    #[inline]
    fn draw(&self, state: &State, rng: &mut Rng) -> Action {
        Action(nth_set(state.unseen, rng.below(state.unseen.count_ones())))
    }

    #[inline]
    fn step(&self, state: &mut State, joint: &[Action], rewards: &mut [f64]) {
        let turn = if self.is_chance(state) { Turn::Chance } else { Turn::One(0) };
        let is_opening = self.place(state.dealt).is_some();
        match turn {
            Turn::Chance => self.deal(state, Card(joint[0].0 as u8)),
            _ => {
                state.make(&self.rules, Move::of(joint[0]));
                state.seen = after_action(state.seen, joint[0]);
            }
        }
        state.seen = after_observation(state.seen, self.observe(state, turn, joint, 0));
        if !is_opening && state.waiting().is_none() {
            state.won = state.position.is_won()
                || self.finish && state.unseen == 0 && prefer::wins(&self.rules, state);
            rewards[0] += f64::from(u8::from(state.won));
        }
    }

    #[inline]
    fn observe(&self, after: &State, turn: Turn, joint: &[Action], _: usize) -> Observation {
        match (self.form, turn) {
            (Form::Thoughtful, _) => Observation::of_joint(joint),
            (_, Turn::Chance) => {
                let is_silent = after.dealt > 0 && self.is_silent(after.dealt - 1);
                if is_silent { Observation::SILENT } else { shown(Card(joint[0].0 as u8)) }
            }
            _ if after.waiting().is_some() => Observation::SILENT,
            _ => after.revealed().map_or(MOVED, shown),
        }
    }

    fn observe_public(&self, after: &State, turn: Turn, joint: &[Action]) -> Observation {
        self.observe(after, turn, joint, 0)
    }

    fn observation_name(&self, step: &Transition<State>, _: usize) -> String {
        let Transition { before, after, turn, joint } = *step;
        let made = match turn {
            Turn::Chance => return self.action_name(before, None, joint[0]),
            _ => self.action_name(before, Some(0), joint[0]),
        };
        match after.revealed() {
            Some(card) => format!("{made}: {card} is turned up"),
            None => made,
        }
    }

    fn player_name(&self, _: usize) -> String {
        "player".to_owned()
    }

    fn action_name(&self, state: &State, player: Option<usize>, action: Action) -> String {
        if player.is_none() {
            return Card(action.0 as u8).to_string();
        }
        match Move::of(action) {
            Move::Up(card) => format!("{card} up"),
            Move::Onto(card, second) => match parent(card, second) {
                Some(parent) => format!("{card} to {parent}"),
                None => {
                    let column = state.position.empty_column().map_or(0, |column| column + 1);
                    format!("{card} to column {column}")
                }
            },
            Move::Turn => "turn".to_owned(),
        }
    }

    fn text(&self, state: &State, viewer: Option<usize>) -> String {
        self.draw_text(state, viewer)
    }

    fn abilities(&self) -> Abilities<'_, State> {
        let hides = self.form == Form::Hidden;
        let solves = self.rules.passes == 0;
        // The moves that can be undone are all allowed in one reading only.
        let free = self.rules.reading == Reading::Naive && solves;
        let own = free && self.form == Form::Collapsed && self.rules.kind == Kind::Macro;
        Abilities {
            hash: Some(self),
            evaluator: Some(self),
            preferred: Some(self),
            resampling: hides.then_some(self),
            view_key: Some(self),
            collapsed: hides.then_some(self),
            solver: solves.then_some(self),
            prover: solves.then_some(self),
            picture: Some(self),
            macro_actions: own.then_some(self),
            ..Abilities::default()
        }
    }
}

impl StateHash<State> for Klondike {
    fn hash(&self, state: &State) -> u64 {
        state.key(&self.rules)
    }
}

impl Evaluate<State> for Klondike {
    fn evaluate(&self, state: &State, values: &mut [f64]) {
        values[0] = match self.turn(state) {
            Turn::Over => 0.0,
            _ => features::chance_of_winning(&self.rules, state),
        };
    }

    fn afterstate_values(
        &self,
        state: &State,
        _: usize,
        actions: &[Action],
        values: &mut Vec<f64>,
    ) -> bool {
        features::afterstate_values(
            &self.rules,
            state,
            actions.iter().map(|action| Move::of(*action)),
            values,
        )
    }
}

impl Preferred<State> for Klondike {
    fn preferred(&self, state: &State, _: usize, actions: &mut Vec<Action>) {
        actions.extend(prefer::preferred(&self.rules, state).map(Move::action));
    }
}

impl Resample<State> for Klondike {
    /// The cards do not choose the moves: every order of the unseen ones is equally likely.
    fn resample(&self, view: &View, rng: &mut Rng) -> Option<State> {
        let collapsed = self.collapse();
        let mut state = collapsed.replay(view)?;
        if state.dealt as usize == collapsed.places.len() {
            if state.waiting().is_some() {
                return None;
            }
            let mut unseen: Vec<Card> = members(state.unseen).collect();
            rng.shuffle(&mut unseen);
            let places = (0..COLUMNS).flat_map(|column| {
                (0..usize::from(state.position.hidden[column])).map(move |index| begins(column) + index)
            });
            for (place, card) in places.zip(unseen) {
                state.position.down[place] = card;
            }
            state.dealt = self.places.len() as u8;
        }
        Some(state)
    }
}

impl ViewKey<State> for Klondike {
    fn view_key(&self, state: &State, _: usize) -> u64 {
        state.seen
    }
}

impl Collapsed<State> for Klondike {
    fn collapsed(&self) -> SharedModel {
        Arc::new(self.collapse())
    }
}

impl abilities::Solver<State> for Klondike {
    fn judge(&self, state: &State, effort: u32, context: &mut Context, returns: &mut [f64]) -> Option<u64> {
        if self.is_chance(state) {
            return None;
        }
        let mut table = Table::new(&state.position, self.rules.draw);
        let place = table.place(&state.position);
        let unknown = if self.form == Form::Collapsed { state.position.covered() } else { 0 };
        let (won, looked_at) = solver::try_one(&mut table, &place, unknown, effort, context);
        returns[0] += f64::from(u8::from(won));
        Some(looked_at)
    }
}

impl Prove<State> for Klondike {
    /// By the ordinary rules, whichever moves this reading leaves out.
    fn prove(&self, state: &State, states: u64, pause: &mut dyn FnMut() -> bool) -> Option<Proof> {
        if self.form != Form::Thoughtful || self.is_chance(state) {
            return None;
        }
        let table = Table::new(&state.position, self.rules.draw);
        let mut solver = Solver::default();
        let limit = usize::try_from(states).unwrap_or(usize::MAX);
        let (outcome, looked_at) = solver.solve(&table, &table.place(&state.position), limit, pause);
        let (value, moves) = match outcome {
            Outcome::Won => (Some(1.0), spell::spell_out(&state.position, self.rules.draw, &solver.way())),
            Outcome::Lost => (Some(0.0), Vec::new()),
            Outcome::Unknown => (None, Vec::new()),
        };
        Some(Proof { value, moves, states: looked_at as u64 })
    }
}

impl Svg<State> for Klondike {
    fn svg(&self, state: &State, viewer: Option<usize>) -> String {
        self.draw_svg(state, viewer)
    }
}

impl OwnMacroActions<State> for Klondike {
    fn macro_actions(&self) -> Arc<dyn MacroActions> {
        Arc::new(KlondikeMacroActions::new(self.rules.draw))
    }
}

#[cfg(test)]
mod tests;
