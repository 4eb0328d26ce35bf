//! Klondike over the moves that cannot be undone: what a tree over decisions is made of.
//!
//! The player knows what a [`Place`] says, the deck, and which cards are face down, but not where. An action
//! takes one card from the deck, or from what it lies on; all moves that can be undone, and all that may as
//! well be made, come before it by themselves.

use kibitz_core::abilities::{Abilities, Atoms, Evaluate, Solver, StateHash};
use std::cell::RefCell;
use std::sync::LazyLock;

use kibitz_core::game::{Action, Game, Info, Turn};
use kibitz_core::learn::Net;
use kibitz_core::playout::Context;
use kibitz_core::rng::{Rng, derive, mix};

use super::atoms::ATOMS;
use super::cards::{Card, members};
use super::position::{COLUMNS, Position};
use super::quotient::{Closure, MacroAction, Member, Place, Table, safe};
use super::solver::try_one;
use crate::bits::nth_set;

/// The game over macro-actions.
pub struct MacroGame {
    info: Info,
    /// How many cards are turned at a time.
    pub draw: u32,
    /// Any deal will do where it has not begun.
    start: Position,
}

/// What the player knows.
#[derive(Clone, Copy, Debug)]
pub struct Spot {
    pub(super) table: Table,
    /// Where the game stands.
    pub place: Place,
    pub(super) unseen: u64,
    stage: Stage,
    /// Cards that a macro-action can take to the foundation.
    pub(super) up: u64,
    /// Cards that a macro-action can take to the tableau.
    pub(super) onto: u64,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Stage {
    Playing,
    /// A card is turned up in this column.
    TurningUp(usize),
    Over,
}

/// What spots are worth where three cards are turned at a time, as learned by `kibitz learn`; the file beside
/// this one. `docs/reproductions.md` says how.
static SPOTS: LazyLock<Option<Net>> = LazyLock::new(|| Net::from_bytes(include_bytes!("spots.net")).ok());

thread_local! {
    // Filled anew at every step: the memory stays.
    static CLOSURE: RefCell<Closure> = RefCell::default();
    static TRUE_ATOMS: RefCell<Vec<u32>> = RefCell::default();
}

/// Macro-actions to the tableau are numbered from here on; those to the foundation by their card.
const ONTO: u32 = 64;

/// The macro-action of a number.
pub fn macro_action(action: Action) -> MacroAction {
    MacroAction { card: Card((action.0 & (ONTO - 1)) as u8), founds: action.0 < ONTO }
}

impl MacroGame {
    /// The game that turns so many cards at a time.
    pub fn new(draw: u32) -> MacroGame {
        let mut info = Info::new(1, 0.0, 1.0);
        info.paid_at_end = true;
        let start = Position::deal(&std::array::from_fn(|card| Card(card as u8)));
        MacroGame { info, draw, start }
    }

    /// What the player knows of a position.
    pub fn enter(&self, position: &Position) -> Spot {
        let mut spot = self.begin(position);
        spot.arrive();
        spot
    }

    /// The same before anything is moved.
    pub fn begin(&self, position: &Position) -> Spot {
        let table = Table::new(position, self.draw);
        let place = table.place(position);
        Spot { table, place, unseen: position.covered(), stage: Stage::Playing, up: 0, onto: 0 }
    }
}

impl Spot {
    /// Makes the moves that may as well be made, and all that can be undone to the foundation, so that it is the
    /// same spot from wherever one comes; and finds the macro-actions from here.
    fn arrive(&mut self) {
        while let Some(card) = self.as_well() {
            self.found(card);
        }
        self.place.rise();
        self.table.look_through(&mut self.place);
        let (mut up, mut onto) = (0, 0);
        self.macro_actions(|_, macro_action| match macro_action.founds {
            true => up |= macro_action.card.bit(),
            false => onto |= macro_action.card.bit(),
        });
        (self.up, self.onto) = (up, onto);
        // What can go to the foundation can come back from there.
        self.onto &= !self.up;
        let sure = self.up & safe(self.place.counts) & self.place.open;
        if sure != 0 {
            (self.up, self.onto) = (sure & sure.wrapping_neg(), 0);
        }
        let over = self.up | self.onto == 0 || self.place.is_won();
        self.stage = if over { Stage::Over } else { Stage::Playing };
    }

    /// A card that may as well go to the foundation, and turns up nothing.
    pub fn as_well(&self) -> Option<Card> {
        self.place.as_well(self.lying_on_cards())
    }

    /// Moves such a card.
    pub fn found(&mut self, card: Card) {
        self.table.found(&mut self.place, card);
    }

    /// All that can be come to by moves that can be undone.
    pub fn closure(&self) -> Closure {
        let mut closure = Closure::default();
        closure.fill(&self.place, self.table.wanting(&self.place));
        closure
    }

    /// Goes through all macro-actions, with the member of the closure that each is made at. `visit` must not go through
    /// macro-actions itself: there is one closure for all.
    fn macro_actions(&self, visit: impl FnMut(&Member, MacroAction)) {
        CLOSURE.with_borrow_mut(|closure| {
            closure.fill(&self.place, self.table.wanting(&self.place));
            closure.macro_actions(&self.table, &self.place, visit);
        });
    }

    /// Bases with face-down cards below.
    fn lying_on_cards(&self) -> u64 {
        let tall = (0..COLUMNS).filter(|column| self.place.height(*column) > 1);
        tall.filter_map(|column| self.table.base(&self.place, column)).map(Card::bit).sum()
    }

    /// The foundations of the member of the closure at which a macro-action is made.
    pub fn starts(&self, wanted: MacroAction) -> Option<u16> {
        let mut found = None;
        self.macro_actions(|member, macro_action| {
            if macro_action == wanted {
                found = found.or(Some(member.counts));
            }
        });
        found
    }
}

impl Game for MacroGame {
    type State = Spot;

    fn info(&self) -> &Info {
        &self.info
    }

    fn initial(&self) -> Spot {
        self.enter(&self.start)
    }

    #[inline]
    fn turn(&self, spot: &Spot) -> Turn {
        match spot.stage {
            Stage::Playing => Turn::One(0),
            Stage::TurningUp(_) => Turn::Chance,
            Stage::Over => Turn::Over,
        }
    }

    fn legal(&self, spot: &Spot, _: usize, actions: &mut Vec<Action>) {
        actions.extend(members(spot.up).map(|card| Action(card.0.into())));
        actions.extend(members(spot.onto).map(|card| Action(u32::from(card.0) + ONTO)));
    }

    fn step(&self, spot: &mut Spot, joint: &[Action], rewards: &mut [f64]) {
        let Some(action) = joint.first() else { return };
        if let Stage::TurningUp(column) = spot.stage {
            let card = Card(action.0 as u8);
            spot.unseen &= !card.bit();
            spot.table.reveal(&spot.place, column, card);
            spot.table.turn_up(&mut spot.place, column);
            spot.arrive();
        } else if let Some(counts) = spot.starts(macro_action(*action)) {
            spot.place = spot.place.at(counts);
            match spot.table.take(&mut spot.place, macro_action(*action)) {
                Some(column) => spot.stage = Stage::TurningUp(column),
                None => spot.arrive(),
            }
        }
        if spot.stage == Stage::Over && spot.place.is_won() {
            rewards[0] += 1.0;
        }
    }

    fn action_name(&self, _: &Spot, player: Option<usize>, action: Action) -> String {
        let MacroAction { card, founds } = macro_action(action);
        match (player, founds) {
            (None, _) => Card(action.0 as u8).to_string(),
            (_, true) => format!("{card} to the foundation"),
            (_, false) => format!("{card} to the tableau"),
        }
    }

    fn text(&self, spot: &Spot, _: Option<usize>) -> String {
        let list = |set| members(set).map(|card| card.to_string()).collect::<Vec<_>>().join(" ");
        format!("{} unseen; macro-actions: {}", spot.unseen.count_ones(), list(spot.up | spot.onto))
    }

    fn chance(&self, spot: &Spot, outcomes: &mut Vec<(Action, f64)>) {
        let share = 1.0 / f64::from(spot.unseen.count_ones());
        outcomes.extend(members(spot.unseen).map(|card| (Action(card.0.into()), share)));
    }

    fn draw(&self, spot: &Spot, rng: &mut Rng) -> Action {
        Action(nth_set(spot.unseen, rng.below(spot.unseen.count_ones())))
    }

    fn abilities(&self) -> Abilities<'_, Self::State> {
        Abilities {
            hash: Some(self),
            evaluator: (self.draw == 3 && SPOTS.is_some()).then_some(self),
            solver: Some(self),
            atoms: Some(self),
            ..Abilities::default()
        }
    }
}

impl StateHash<Spot> for MacroGame {
    /// Columns may be exchanged, and so may the cards that are face down.
    fn hash(&self, spot: &Spot) -> u64 {
        let columns = (0..COLUMNS).filter_map(|column| {
            let base = spot.table.base(&spot.place, column)?;
            Some(mix((spot.place.height(column) as u64) << 8 | u64::from(base.0) | 1 << 16))
        });
        let columns = columns.fold(0, u64::wrapping_add);
        let deck = u64::from(spot.place.left) | u64::from(spot.place.turned) << 32;
        let turning = u64::from(spot.stage != Stage::Playing) << 40;
        derive(derive(columns, deck | turning), derive(spot.unseen, u64::from(spot.place.counts)))
    }
}

impl Evaluate<Spot> for MacroGame {
    fn evaluate(&self, spot: &Spot, values: &mut [f64]) {
        let Some(net) = &*SPOTS else { return };
        TRUE_ATOMS.with_borrow_mut(|atoms| {
            atoms.clear();
            spot.atoms(atoms);
            net.judge(atoms, values);
        });
    }
}

impl Solver<Spot> for MacroGame {
    fn judge(&self, spot: &Spot, effort: u32, context: &mut Context, returns: &mut [f64]) -> Option<u64> {
        let (table, place) = (&mut { spot.table }, &spot.place);
        let (won, looked_at) = try_one(table, place, spot.unseen, effort, context);
        returns[0] += f64::from(u8::from(won));
        Some(looked_at)
    }

    fn unknown(&self, spot: &Spot) -> u32 {
        spot.unseen.count_ones()
    }
}

impl Atoms<Spot> for MacroGame {
    fn atom_count(&self) -> u32 {
        ATOMS
    }

    fn atoms(&self, spot: &Spot, atoms: &mut Vec<u32>) {
        spot.atoms(atoms);
    }
}
