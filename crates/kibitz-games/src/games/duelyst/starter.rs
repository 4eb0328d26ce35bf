//! `starter-ai`: the scripted opponent of the open-source game at its first difficulty, for this game alone.
//!
//! It goes by what its player has seen, from the beginning, and never by the other's cards. What it keeps in mind within
//! a turn, whether the enemy General can be killed and which attack follows a card just played, comes of the decisions
//! so far, which are gone through again where somebody else has taken them.

use kibitz_core::game::Action;
use kibitz_core::interrupt::Pause;
use kibitz_core::model::SharedModel;
use kibitz_core::params::{NoParams, Params};
use kibitz_core::planner::{Decision, Planner};
use kibitz_core::registry::PlannerEntry;
use kibitz_core::rng::Rng;
use kibitz_core::view::{Event, View};

use super::actions::Choice;
use super::card::{Aim, Kind};
use super::state::{Position, State};
use super::{Duelyst, Rules};

mod scores;
mod script;

use scores::Worths;
use script::{Memory, decide};

inventory::submit! {
    PlannerEntry {
        name: "starter-ai",
        summary: "Duelyst alone: the scripted opponent of the starter decks.",
        needs: "the game duelyst",
        params: || NoParams.docs(),
        build: |spec| NoParams::from_spec(spec).map(|_| Box::new(Starter { session: None }) as _),
    }
}

struct Starter {
    session: Option<Session>,
}

struct Session {
    model: SharedModel,
    worths: Worths,
    rng: Rng,
    story: Story,
}

/// What has been seen so far.
struct Story {
    events: Vec<Event>,
    state: State,
    memory: Memory,
}

impl Story {
    fn new(game: &Duelyst) -> Story {
        use kibitz_core::game::Game;
        Story { events: Vec::new(), state: game.initial(), memory: Memory::default() }
    }

    /// Takes in what is new in a view, or all of it where the view is of something else.
    fn follow(&mut self, game: &Duelyst, worths: &Worths, view: &View) -> Option<()> {
        if !view.events.starts_with(&self.events) {
            *self = Story::new(game);
        }
        let new = &view.events[self.events.len()..];
        let (memory, me) = (&mut self.memory, view.player as u8);
        let followed = game.follow(&mut self.state, view.player, new, &mut |state, action| {
            // What is drawn here does not matter: a card put back at random leaves nothing in mind.
            let (chosen, then) =
                decide(&game.rules, worths, &state.position, me, *memory, &mut Rng::new(0));
            let is_same =
                chosen.action() == action || is_alike(&game.rules, &state.position, chosen, action);
            *memory = if is_same { then } else { then.distracted() };
        });
        if followed.is_none() {
            *self = Story::new(game);
        } else {
            self.events.extend_from_slice(new);
        }
        followed
    }
}

/// Whether a choice and an action are the same card, whose target makes no difference.
fn is_alike(rules: &Rules, position: &Position, chosen: Choice, action: Action) -> bool {
    let (Choice::Play { slot, .. }, Some(Choice::Play { slot: other, .. })) = (chosen, Choice::of(action))
    else {
        return false;
    };
    let card = position.sides[usize::from(position.mover)].hand[usize::from(slot)];
    slot == other
        && rules
            .cards
            .get(usize::from(card))
            .is_some_and(|card| card.kind != Kind::Minion && card.aim == Aim::Anywhere)
}

impl Planner for Starter {
    fn start(&mut self, model: SharedModel, _: usize, seed: u64) -> Result<(), String> {
        let Some(game) = model.game().downcast_ref::<Duelyst>() else {
            return Err("starter-ai is a planner of the game duelyst alone".to_owned());
        };
        let (worths, story) = (Worths::new(&game.rules), Story::new(game));
        self.session = Some(Session { model, worths, rng: Rng::new(seed), story });
        Ok(())
    }

    fn act(&mut self, view: &View, _: Pause) -> Result<Decision, String> {
        let Session { model, worths, rng, story } =
            self.session.as_mut().ok_or("starter-ai: act before start")?;
        let game = model.game().downcast_ref::<Duelyst>().ok_or("starter-ai plays duelyst alone")?;
        let first =
            || Decision { action: view.legal.first().copied().unwrap_or(Action(0)), ..Decision::default() };
        if story.follow(game, worths, view).is_none() {
            return Ok(first().noting("what was seen is none of this game: its first action".to_owned()));
        }
        let me = view.player as u8;
        let (choice, _) = decide(&game.rules, worths, &story.state.position, me, story.memory, rng);
        match Some(choice.action()).filter(|action| view.legal.contains(action)) {
            Some(action) => Ok(Decision { action, ..Decision::default() }),
            None => Ok(first().noting("the script has no legal action here: its first one".to_owned())),
        }
    }
}
