//! What players are told, as numbers and in words, and states that fit what one of them was told.

use std::hash::Hasher;

use kibitz_core::game::{Action, Game, Observation, Turn};
use kibitz_core::rng::{Rng, derive};
use kibitz_core::view::{Event, View, after_observation};

use super::actions::Choice;
use super::board::name;
use super::state::{NONE, Stage, State, Task, UNKNOWN};
use super::{Duelyst, Rules};

/// What a step tells. Cards that are drawn are told to their owner alone.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Told {
    Nothing,
    /// What the mover does, and the card that is played by it.
    Chosen {
        action: Action,
        card: u8,
    },
    /// Which cards both put back.
    Mulligans([u8; 2]),
    Drawn {
        owner: u8,
        slot: u8,
        card: u8,
    },
    /// A full hand has drawn this, which is lost.
    Burned {
        owner: u8,
        card: u8,
    },
    /// Where something appears.
    Cell(u8),
}

const KIND: u32 = 40;

impl Told {
    /// To one player.
    #[inline]
    pub fn to(self, player: usize) -> Observation {
        match self {
            Told::Drawn { owner, slot, card } if usize::from(owner) == player => {
                Self::number(4, [owner, slot, card])
            }
            _ => self.to_all(),
        }
    }

    /// To everybody.
    #[inline]
    pub fn to_all(self) -> Observation {
        match self {
            Told::Nothing => Observation::SILENT,
            Told::Chosen { action, card } => {
                Observation(1 << KIND | u64::from(card) << 24 | u64::from(action.0))
            }
            Told::Mulligans([first, second]) => Self::number(2, [first, second, 0]),
            Told::Drawn { owner, slot, .. } => Self::number(3, [owner, slot, UNKNOWN]),
            Told::Burned { owner, card } => Self::number(5, [owner, card, 0]),
            Told::Cell(cell) => Self::number(6, [cell, 0, 0]),
        }
    }

    fn number(kind: u64, [a, b, c]: [u8; 3]) -> Observation {
        Observation(kind << KIND | u64::from(a) << 16 | u64::from(b) << 8 | u64::from(c))
    }

    /// What a number tells.
    fn of(Observation(told): Observation) -> Option<Told> {
        let (a, b, c) = ((told >> 16) as u8, (told >> 8) as u8, told as u8);
        Some(match told >> KIND {
            1 => Told::Chosen { action: Action(told as u32 & 0xff_ffff), card: (told >> 24) as u8 },
            2 => Told::Mulligans([a, b]),
            3 | 4 => Told::Drawn { owner: a, slot: b, card: c },
            5 => Told::Burned { owner: a, card: b },
            6 => Told::Cell(a),
            _ => return None,
        })
    }
}

impl Duelyst {
    /// In words, to one player.
    pub fn told_in_words(&self, before: &State, told: Told, player: usize) -> String {
        let who = |owner: u8| if usize::from(owner) == player { "you" } else { "the other" };
        match told {
            Told::Nothing => String::new(),
            Told::Chosen { action, card } => {
                let mover = before.position.mover;
                let what = match Choice::of(action) {
                    Some(Choice::Replace(slot)) if usize::from(mover) != player => {
                        format!("replace {}", slot + 1)
                    }
                    Some(Choice::Play { cell, .. }) => {
                        format!("play {} at {}", self.card_name(card), name(cell))
                    }
                    _ => self.rules.action_name(&before.position, mover.into(), action),
                };
                format!("{}: {what}", who(mover))
            }
            Told::Mulligans(slots) => {
                let back = slots.map(u8::count_ones);
                format!("you put back {}, the other {}", back[player], back[1 - player])
            }
            Told::Drawn { owner, card, .. } if usize::from(owner) == player => {
                format!("you draw {}", self.card_name(card))
            }
            Told::Drawn { owner, .. } => format!("{} draws a card", who(owner)),
            Told::Burned { owner, card } => {
                format!("{}: no room in the hand for {}, which is lost", who(owner), self.card_name(card))
            }
            Told::Cell(cell) => format!("it appears at {}", name(cell)),
        }
    }

    /// A state that fits a view: what is told is replayed with the other's cards unknown, who then gets any that
    /// have not been seen. (What the other has put back, and why, is not taken into account.)
    pub fn imagine(&self, view: &View, rng: &mut Rng) -> Option<State> {
        let me = view.player;
        let other = 1 - me.min(1);
        let mut state = self.initial();
        self.follow(&mut state, me, &view.events, &mut |_, _| {})?;
        if *state.seen.get(me)? != view.key() {
            return None;
        }
        self.deal_the_rest(&mut state, other, rng)?;
        Some(state)
    }

    /// Goes on by what a player did and was told; the other's cards stay unknown. `before` is shown each state in
    /// which the player acted, and what it did.
    pub fn follow(
        &self,
        state: &mut State,
        me: usize,
        events: &[Event],
        before: &mut dyn FnMut(&State, Action),
    ) -> Option<()> {
        let mut events = events.iter().peekable();
        while events.peek().is_some() {
            let turn = self.turn(state);
            let own = match events.peek()? {
                Event::Acted(action) if turn.movers().contains(me) => {
                    events.next();
                    before(state, *action);
                    Some(*action)
                }
                _ => None,
            };
            let Event::Observed(told) = events.next()? else { return None };
            self.replay(state, turn, own, Told::of(*told)?, me)?;
        }
        Some(())
    }

    /// One step of it.
    fn replay(
        &self,
        state: &mut State,
        turn: Turn,
        own: Option<Action>,
        told: Told,
        me: usize,
    ) -> Option<()> {
        let position = &mut state.position;
        match (turn, told) {
            (Turn::Chance, Told::Cell(cell)) => {
                let task = *position.tasks.last()?;
                let is_possible = Rules::drawing(position).is_none()
                    && self.rules.cells_for(position, task) >> cell & 1 == 1;
                is_possible.then(|| self.advance(state, &[Action(cell.into())]))
            }
            (Turn::Chance, Told::Drawn { owner, card, .. } | Told::Burned { owner, card }) => {
                let (drawer, _) = Rules::drawing(position)?;
                let is_known = card != UNKNOWN;
                let seat = usize::from(owner).min(1);
                let has = !is_known
                    || self.rules.kinds[seat]
                        .binary_search(&card)
                        .is_ok_and(|kind| position.sides[seat].pile[kind] > 0);
                (drawer == owner && has).then(|| self.advance(state, &[Action(card.into())]))
            }
            (Turn::Several(_), Told::Mulligans(slots)) => {
                let [first, second] = slots.map(|slots| Choice::Mulligan(slots).action());
                let mut legal = Vec::new();
                self.rules.list_mulligans(&mut legal);
                let is_own = own == Some([first, second][me]);
                (is_own && legal.contains(&first) && legal.contains(&second))
                    .then(|| self.advance(state, &[first, second]))
            }
            (Turn::One(player), Told::Chosen { action, card }) => {
                if player == me {
                    (own == Some(action)).then_some(())?;
                } else if let Some(Choice::Play { slot, .. }) = Choice::of(action) {
                    let side = &mut position.sides[player];
                    let held = side.hand.get_mut(usize::from(slot))?;
                    let kind = self.rules.kinds[player].binary_search(&card).ok()?;
                    (*held == UNKNOWN && side.pile[kind] > 0).then_some(())?;
                    *held = card;
                    side.pile[kind] -= 1;
                }
                self.may(state, player, action).then(|| self.advance(state, &[action]))
            }
            _ => None,
        }
    }

    /// Whether a player may do this, unknown cards being put back like known ones.
    fn may(&self, state: &State, player: usize, action: Action) -> bool {
        if let Some(Choice::Replace(slot)) = Choice::of(action) {
            let side = &state.position.sides[player];
            let is_held = side.hand.get(usize::from(slot)).is_some_and(|card| *card != NONE);
            return is_held && !side.has_replaced && side.left > 0 && state.position.waiting.is_none();
        }
        let mut legal = Vec::new();
        self.legal(state, player, &mut legal);
        legal.contains(&action)
    }

    /// Gives a player who holds unknown cards some that are left.
    fn deal_the_rest(&self, state: &mut State, player: usize, rng: &mut Rng) -> Option<()> {
        let position = &mut state.position;
        let is_open = |task: &Task| {
            matches!(task, Task::Return { card: UNKNOWN, .. } | Task::Redraw { unlike: UNKNOWN, .. })
        };
        if position.tasks.iter().any(is_open) {
            return None;
        }
        let side = &mut position.sides[player];
        let kinds = &self.rules.kinds[player];
        let mut left: u32 = side.pile.iter().map(|count| u32::from(*count)).sum();
        let mut key = 0;
        for held in side.hand.iter_mut().filter(|card| **card == UNKNOWN) {
            let mut chosen = rng.below(left.max(1));
            let kind = side.pile.iter().position(|count| {
                let is_it = chosen < u32::from(*count);
                chosen = chosen.saturating_sub(u32::from(*count));
                is_it
            })?;
            side.pile[kind] -= 1;
            left -= 1;
            *held = *kinds.get(kind)?;
            key = derive(key, u64::from(*held) + 1);
        }
        state.seen[player] = after_observation(state.seen[player], Observation(key));
        (position.stage == Stage::Deal || left == u32::from(side.left)).then_some(())
    }
}

/// A quick hash, the same in every run.
#[derive(Default)]
pub struct Mixer {
    key: u64,
}

impl Hasher for Mixer {
    fn finish(&self) -> u64 {
        kibitz_core::rng::mix(self.key)
    }

    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.write_u64(u64::from_le_bytes(word));
        }
    }

    fn write_u64(&mut self, word: u64) {
        self.key = (self.key.rotate_left(23) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }

    fn write_u8(&mut self, word: u8) {
        self.write_u64(word.into());
    }

    fn write_u16(&mut self, word: u16) {
        self.write_u64(word.into());
    }

    fn write_i16(&mut self, word: i16) {
        self.write_u64(word as u64);
    }

    fn write_usize(&mut self, word: usize) {
        self.write_u64(word as u64);
    }

    fn write_isize(&mut self, word: isize) {
        self.write_u64(word as u64);
    }
}
