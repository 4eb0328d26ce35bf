//! Choices that may not be: what is wrong with them, for the one who chose.

use std::error::Error;
use std::fmt;

use super::clock::Tick;
use crate::game::{Action, Turn};
use crate::model::{Model, State};

/// So many legal actions are named to somebody who chose another.
const NAMED: usize = 40;

/// Why a choice does not count. Nothing has happened then, and only the one who chose is told.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Illegal {
    /// The game is over.
    Over,
    /// There have been steps enough: this is the limit.
    Limit(u64),
    /// The episode was broken off while chance moved: nobody is on turn.
    BrokenOff,
    /// Somebody who does not move now.
    OutOfTurn(String),
    /// Somebody who has chosen already, for this very instant.
    Again(String),
    /// It was meant for a moment that is gone.
    Late {
        /// After so many steps it was chosen,
        chosen: u64,
        /// and now there are so many.
        steps: u64,
    },
    /// In a game of turns nobody can wait.
    MustMove(String),
    /// All who could do something wait, and nothing will ever happen by itself.
    AllWait(Tick),
    /// More time than can go by here before something happens.
    Time {
        /// So many ticks,
        elapsed: u64,
        /// and there may be so many.
        most: u64,
    },
    /// Not one action for each mover, or one outcome of chance.
    Count {
        /// How many there should be; none where chance moves.
        movers: Option<usize>,
        /// How many there are.
        found: usize,
    },
    /// Another action than those that the rules allow.
    Action {
        /// Who chose it.
        who: String,
        /// What was chosen.
        action: Action,
        /// What could be: some of it, by number and name.
        legal: Vec<String>,
    },
}

impl fmt::Display for Illegal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Illegal::Over => f.write_str("the game is over"),
            Illegal::Limit(steps) => write!(f, "this episode ends after {steps} steps"),
            Illegal::BrokenOff => f.write_str("this episode was broken off while chance moved"),
            Illegal::OutOfTurn(who) => write!(f, "it is not the turn of {who}"),
            Illegal::Again(who) => write!(f, "{who} has chosen already"),
            Illegal::Late { chosen, steps } => {
                write!(f, "too late: this was chosen after {chosen} steps, and now there are {steps}")
            }
            Illegal::MustMove(who) => write!(f, "{who} must move: in a game of turns nobody can wait"),
            Illegal::AllWait(now) => {
                write!(f, "everybody waits at tick {}, and nothing will happen by itself", now.0)
            }
            Illegal::Time { elapsed, most } => {
                write!(f, "{elapsed} ticks cannot go by here, but {most} at most")
            }
            Illegal::Count { movers: None, found } => {
                write!(f, "expected one outcome of chance, but found {found}")
            }
            Illegal::Count { movers: Some(movers), found } => {
                write!(f, "expected one action for each of the {movers} movers, but found {found}")
            }
            Illegal::Action { who, action, legal } => {
                let legal = legal.join(", ");
                write!(f, "{} is not a legal action of {who}; legal are {legal}", action.0)
            }
        }
    }
}

impl Error for Illegal {}

/// Whether this is a joint action of this turn. Who waits does so by [`Action::WAIT`] where players may.
///
/// # Errors
/// What is wrong with it.
pub fn check_joint(model: &dyn Model, state: &State, joint: &[Action]) -> Result<(), Illegal> {
    let turn = model.turn(state);
    if turn == Turn::Over {
        return Err(Illegal::Over);
    }
    if joint.len() != turn.width() {
        let movers = (turn != Turn::Chance).then(|| turn.width());
        return Err(Illegal::Count { movers, found: joint.len() });
    }
    if turn == Turn::Chance {
        if model.info().explicit_chance {
            let mut outcomes = Vec::new();
            model.chance(state, &mut outcomes);
            let possible: Vec<Action> =
                outcomes.into_iter().filter(|(_, p)| *p > 0.0).map(|(o, _)| o).collect();
            check_action(model, state, None, joint[0], &possible)?;
        }
        return Ok(());
    }
    let may_wait = model.timing(state) != super::Timing::Turns;
    for (player, action) in turn.movers().iter().zip(joint) {
        if !(may_wait && *action == Action::WAIT) {
            check_choice(model, state, player, *action)?;
        }
    }
    Ok(())
}

/// Whether one of the movers may choose this.
pub(super) fn check_choice(
    model: &dyn Model,
    state: &State,
    player: usize,
    action: Action,
) -> Result<(), Illegal> {
    let mut legal = Vec::new();
    model.legal(state, player, &mut legal);
    check_action(model, state, Some(player), action, &legal)
}

fn check_action(
    model: &dyn Model,
    state: &State,
    player: Option<usize>,
    action: Action,
    legal: &[Action],
) -> Result<(), Illegal> {
    if legal.contains(&action) {
        return Ok(());
    }
    let who = player.map_or("chance".to_owned(), |player| model.player_name(player));
    let name = |action: &Action| format!("{} ({})", action.0, model.action_name(state, player, *action));
    let mut names: Vec<String> = legal.iter().take(NAMED).map(name).collect();
    if legal.len() > names.len() {
        names.push(format!("and {} more", legal.len() - names.len()));
    }
    Err(Illegal::Action { who, action, legal: names })
}
