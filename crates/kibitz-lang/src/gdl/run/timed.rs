//! A machine as a game of the core in real time (rtGDL, rtGDL-II).
//!
//! Who has a legal move may make it at any instant, or none. The state is updated when somebody moves and when a fact
//! expires, whichever comes first; until then it stays what it is, and so does what is legal. A role called `random`
//! moves as soon as it can: one of its legal moves is drawn, and made at once, unless its first argument is a number
//! t > 0; then it is made after a time drawn from (0, t), if it is legal still. One move is under way at a time.
//!
//! Without `sees` everybody sees all moves as they are made. With it, a step goes by unnoticed unless what a player is
//! told differs from what it would be told had nothing happened, or what it may do has changed.

use std::sync::Arc;

use kibitz_core::abilities::{Abilities, Atoms, Facts, Faults, RealTime, Roles, StateHash, Svg};
use kibitz_core::episode::{Delay, Timing};
use kibitz_core::game::{Action, Game, Info, Observation, Players, Transition, Turn};
use kibitz_core::rng::derive;
use smallvec::smallvec;

use super::game::{RuleGame, RuleState};
use super::legal::{Joint, Legal, OUTLOOK, as_likely, one_of};
use super::machine::{NO_MOVE, Outlook, Timed};
use crate::gdl::picture::{Hints, card};
use crate::gdl::times::{TICKS, shown};

/// The game that a machine runs in real time.
pub struct TimedGame<M: Timed> {
    /// What it has in common with a game of turns.
    rules: RuleGame<M>,
}

/// What chance is about to do.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Random {
    /// Nothing.
    Idle,
    /// This move, within so many ticks; when has still to be drawn.
    Drawn { chosen: u32, most: u64 },
    /// This move, after so many ticks.
    Due { chosen: u32, left: u64 },
}

/// A state of a [`TimedGame`].
#[derive(Clone)]
pub struct TimedState<F> {
    facts: F,
    legal: Legal,
    terminal: bool,
    turn: Turn,
    random: Random,
    /// The update that led to it, if one did.
    past: Option<Arc<Past<F>>>,
    /// Where percepts are told: for each role the last update that it knows of, if there is one.
    known: Option<Known<F>>,
}

type Known<F> = Arc<[Option<Arc<Past<F>>>]>;

/// An update.
struct Past<F> {
    /// For each role, a key of what it was told; 0 for nothing.
    told: Vec<u64>,
    /// Whether the words that a role was told are news.
    news: Vec<bool>,
    /// Each role's move.
    moves: Joint,
    /// What held at that instant.
    before: F,
}

impl<F> Past<F> {
    /// Whether a role knows of it by more than what it may do then.
    fn is_known(&self, role: usize) -> bool {
        self.news[role] || self.moves[role] != NO_MOVE
    }
}

/// No more instants than this are told apart when it is drawn when chance moves.
const INSTANTS: u64 = 1 << 30;

impl<M: Timed> TimedGame<M> {
    /// The game of a machine; the hints are for pictures of it. `delays` says whether chance may take its time.
    ///
    /// # Errors
    /// A sentence, if there are no players or too many.
    pub fn new(machine: M, hints: Hints, delays: bool) -> Result<TimedGame<M>, String> {
        let mut rules = RuleGame::new(machine, hints, 0)?;
        let info = &mut rules.info;
        info.simultaneous = (info.players == 1).then_some(false);
        info.explicit_chance = !delays;
        // When chance will move, nobody is told.
        info.perfect_information &= !delays;
        Ok(TimedGame { rules })
    }

    fn machine(&self) -> &M {
        &self.rules.machine
    }

    /// The state in which these facts hold.
    fn look(&self, facts: M::Facts, random: Random) -> TimedState<M::Facts> {
        OUTLOOK.with_borrow_mut(|(outlook, last)| {
            outlook.trouble = None; // another machine may have had it
            self.machine().outlook(&facts, outlook);
            let legal = Legal::of(outlook, last);
            let turn = self.find_turn(&facts, outlook, random);
            TimedState { facts, legal, terminal: outlook.terminal, turn, random, past: None, known: None }
        })
    }

    fn find_turn(&self, facts: &M::Facts, outlook: &Outlook, random: Random) -> Turn {
        if let Some(trouble) = &outlook.trouble {
            self.rules.fail(trouble.clone());
            return Turn::Over;
        }
        if outlook.terminal {
            return Turn::Over;
        }
        let may = |role: usize| !outlook.of(role).is_empty();
        match random {
            Random::Drawn { .. } => return Turn::Chance,
            Random::Idle if self.rules.random.is_some_and(may) => return Turn::Chance,
            _ => {}
        }
        let players = self.rules.roles.iter().enumerate();
        let movers = players.filter(|(_, role)| may(**role)).fold(0, |set, (player, _)| set | 1 << player);
        let movers = Players(movers);
        if movers.is_empty() && random == Random::Idle && self.machine().due(facts).is_none() {
            self.rules.flaw.get_or_init(|| {
                "nobody has a legal move in a state that is not terminal, and nothing there ever expires: \
                 the game ends there, and nobody scores"
                    .to_owned()
            });
            return Turn::Over;
        }
        match movers.len() {
            1 => Turn::One(movers.0.trailing_zeros() as usize),
            _ => Turn::Several(movers),
        }
    }

    /// The state after an update by these moves, and by what expires at this instant.
    fn update(
        &self,
        state: &TimedState<M::Facts>,
        moves: Joint,
        random: Random,
        rewards: &mut [f64],
    ) -> TimedState<M::Facts> {
        let (mut facts, mut told) = (state.facts.clone(), Vec::new());
        self.machine().advance(&mut facts, &moves, &mut told);
        let mut after = self.look(facts, random);
        if !self.rules.info.perfect_information {
            if !self.machine().has_percepts() {
                // All moves are seen when they are made, chance's too.
                let key = moves.iter().fold(1, |key, chosen| derive(key, u64::from(*chosen)));
                told = vec![key.max(1); self.machine().roles().len()];
            }
            let news = told.iter().map(|told| *told != 0).collect();
            // Whoever may move is told what is legal, whatever the rules say.
            for (role, told) in told.iter_mut().enumerate() {
                let key = after.legal.key(role);
                if *told != 0 || key != state.legal.key(role) {
                    *told = derive(*told, key).max(1);
                }
            }
            let past = Arc::new(Past { told, news, moves, before: state.facts.clone() });
            if self.machine().has_percepts() {
                let earlier = |role: usize| state.known.as_ref().and_then(|known| known[role].clone());
                let last = |role| if past.is_known(role) { Some(past.clone()) } else { earlier(role) };
                after.known = Some((0..past.moves.len()).map(last).collect());
            }
            after.past = Some(past);
        }
        if after.terminal {
            self.rules.pay(&after.facts, rewards);
        }
        after
    }

    /// Nobody's move.
    fn no_moves(&self) -> Joint {
        smallvec![NO_MOVE; self.machine().roles().len()]
    }

    /// What chance is drawn from: the instants within so many ticks.
    fn instants(most: u64) -> Delay {
        Delay { instants: most.clamp(1, INSTANTS) as u32, most }
    }

    /// All that a player knows for sure of this moment where the rules hide what holds.
    fn known(&self, state: &TimedState<M::Facts>, player: usize) -> Vec<String> {
        let (role, who) = (self.rules.roles[player], self.player_name(player));
        let mut lines = Vec::new();
        if let Some(past) = state.known.as_ref().and_then(|known| known[role].as_ref()) {
            if past.moves[role] != NO_MOVE {
                lines.push(format!(
                    "{who} did {}",
                    self.machine().move_name(&past.before, role, past.moves[role])
                ));
            }
            if past.news[role] {
                lines.push(format!("{who} was told {}", self.heard(past, role)));
            }
        }
        if lines.is_empty() {
            lines.push(format!("{who} was told nothing"));
        }
        lines
    }

    /// What a role was told by an update, in words.
    fn heard(&self, past: &Past<M::Facts>, role: usize) -> String {
        if !self.machine().has_percepts() {
            return self.moved(past);
        }
        let heard = self.machine().percepts(&past.before, &past.moves, role);
        if heard.is_empty() { "nothing".to_owned() } else { heard.join(", ") }
    }

    /// Who made which move, in words.
    fn moved(&self, past: &Past<M::Facts>) -> String {
        let made = past.moves.iter().enumerate().filter(|(_, chosen)| **chosen != NO_MOVE);
        let name = |role, chosen| self.machine().move_name(&past.before, role, chosen);
        let words: Vec<String> = made
            .map(|(role, chosen)| format!("{}: {}", self.machine().roles()[role], name(role, *chosen)))
            .collect();
        if words.is_empty() { "time went by".to_owned() } else { words.join(", ") }
    }
}

impl<M: Timed> Game for TimedGame<M> {
    type State = TimedState<M::Facts>;

    fn info(&self) -> &Info {
        &self.rules.info
    }

    fn initial(&self) -> Self::State {
        self.look(self.machine().initial(), Random::Idle)
    }

    #[inline]
    fn turn(&self, state: &Self::State) -> Turn {
        state.turn
    }

    #[inline]
    fn legal(&self, state: &Self::State, player: usize, actions: &mut Vec<Action>) {
        let moves = state.legal.of_role(self.rules.roles[player]);
        actions.extend(moves.iter().map(|number| Action(*number)));
    }

    fn step(&self, state: &mut Self::State, joint: &[Action], rewards: &mut [f64]) {
        *state = self.after(state, joint, rewards);
    }

    fn after(&self, state: &Self::State, joint: &[Action], rewards: &mut [f64]) -> Self::State {
        let mut moves = self.no_moves();
        let mut random = state.random;
        let unchanged =
            |random| TimedState { known: state.known.clone(), ..self.look(state.facts.clone(), random) };
        if state.turn == Turn::Chance {
            let Some(role) = self.rules.random else { return state.clone() };
            let drawn = joint[0].0;
            if let Random::Drawn { chosen, most } = random {
                return unchanged(Random::Due { chosen, left: Self::instants(most).ticks(drawn) });
            }
            if let Some(most) = self.machine().delay(&state.facts, role, drawn).filter(|most| *most > 0) {
                return unchanged(Random::Drawn { chosen: drawn, most });
            }
            moves[role] = drawn;
            return self.update(state, moves, Random::Idle, rewards);
        }
        for (player, action) in state.turn.movers().iter().zip(joint) {
            moves[self.rules.roles[player]] = action.0;
        }
        if let (Random::Due { chosen, left: 0 }, Some(role)) = (random, self.rules.random) {
            random = Random::Idle;
            if state.legal.of_role(role).contains(&chosen) {
                moves[role] = chosen;
            }
        }
        let somebody = moves.iter().any(|chosen| *chosen != NO_MOVE);
        if somebody || self.machine().due(&state.facts) == Some(0) {
            return self.update(state, moves, random, rewards);
        }
        // Chance's move was wasted; or somebody tries what comes of waiting without letting time go by.
        match self.timing(state) {
            Timing::Due(ticks) if random == state.random => {
                let mut then = state.clone();
                self.pass(&mut then, ticks);
                self.after(&then, joint, rewards)
            }
            _ => unchanged(random),
        }
    }

    fn action_name(&self, state: &Self::State, player: Option<usize>, action: Action) -> String {
        if let (None, Random::Drawn { chosen, most }, Some(role)) =
            (player, state.random, self.rules.random)
        {
            let name = self.machine().move_name(&state.facts, role, chosen);
            return format!("{name} after {}", shown(Self::instants(most).ticks(action.0)));
        }
        match player.map_or(self.rules.random, |player| self.rules.roles.get(player).copied()) {
            Some(_) if action == Action::WAIT => "wait".to_owned(),
            Some(role) => self.machine().move_name(&state.facts, role, action.0),
            None => "nobody has a choice".to_owned(),
        }
    }

    fn text(&self, state: &Self::State, viewer: Option<usize>) -> String {
        match self.rules.hidden_from(viewer).filter(|_| self.machine().has_percepts()) {
            Some(player) => self.known(state, player).join("\n"),
            None => self.rules.sketch().text(&self.machine().describe(&state.facts)),
        }
    }

    #[inline]
    fn observe(&self, after: &Self::State, _: Turn, joint: &[Action], player: usize) -> Observation {
        if self.rules.info.perfect_information {
            return Observation::of_joint(joint);
        }
        let told = after.past.as_ref().and_then(|past| past.told.get(self.rules.roles[player]).copied());
        told.map_or(Observation::SILENT, Observation)
    }

    fn observation_name(&self, step: &Transition<Self::State>, player: usize) -> String {
        if self.rules.info.perfect_information {
            return self.moves_in_words(step);
        }
        match &step.after.past {
            None => "nothing".to_owned(),
            Some(past) => self.heard(past, self.rules.roles[player]),
        }
    }

    fn player_name(&self, player: usize) -> String {
        self.rules.player_name(player)
    }

    fn chance(&self, state: &Self::State, outcomes: &mut Vec<(Action, f64)>) {
        if let (Random::Idle, Some(role)) = (state.random, self.rules.random) {
            outcomes.extend(as_likely(state.legal.of_role(role)));
        }
    }

    fn draw(&self, state: &Self::State, rng: &mut kibitz_core::Rng) -> Action {
        if let Random::Drawn { most, .. } = state.random {
            return Action(rng.below(Self::instants(most).instants));
        }
        one_of(self.rules.random.map_or(&[], |role| state.legal.of_role(role)), rng)
    }

    #[inline]
    fn random_action(
        &self,
        state: &Self::State,
        player: usize,
        _: &mut Vec<Action>,
        rng: &mut kibitz_core::Rng,
    ) -> Action {
        one_of(state.legal.of_role(self.rules.roles[player]), rng)
    }

    fn abilities(&self) -> Abilities<'_, Self::State> {
        let open = self.rules.info.perfect_information;
        Abilities {
            hash: Some(self),
            picture: Some(self),
            facts: Some(self),
            atoms: (open && self.machine().atoms() > 0).then_some(self),
            real_time: Some(self),
            roles: Some(self),
            faults: Some(self),
            ..Abilities::default()
        }
    }
}

impl<M: Timed> RealTime<TimedState<M::Facts>> for TimedGame<M> {
    fn timing(&self, state: &TimedState<M::Facts>) -> Timing {
        let chance = match state.random {
            Random::Due { left, .. } => Some(left),
            _ => None,
        };
        let due = self.machine().due(&state.facts).into_iter().chain(chance).min();
        due.map_or(Timing::Open, Timing::Due)
    }

    fn pass(&self, state: &mut TimedState<M::Facts>, ticks: u64) {
        self.machine().pass(&mut state.facts, ticks);
        if let Random::Due { left, .. } = &mut state.random {
            *left = left.saturating_sub(ticks);
        }
    }

    fn tick(&self) -> f64 {
        1.0 / TICKS as f64
    }

    fn delay(&self, state: &TimedState<M::Facts>) -> Option<Delay> {
        match state.random {
            Random::Drawn { most, .. } => Some(Self::instants(most)),
            _ => None,
        }
    }

    fn lists_all_but_delays(&self) -> bool {
        true
    }
}

impl<M: Timed> StateHash<TimedState<M::Facts>> for TimedGame<M> {
    fn hash(&self, state: &TimedState<M::Facts>) -> u64 {
        let facts = self.machine().hash(&state.facts);
        match state.random {
            Random::Idle => facts,
            Random::Drawn { chosen, .. } => derive(facts, u64::from(chosen)),
            Random::Due { chosen, left } => derive(derive(facts, u64::from(chosen)), left),
        }
    }
}

impl<M: Timed> Svg<TimedState<M::Facts>> for TimedGame<M> {
    fn svg(&self, state: &TimedState<M::Facts>, viewer: Option<usize>) -> String {
        match self.rules.hidden_from(viewer).filter(|_| self.machine().has_percepts()) {
            Some(player) => card(&self.known(state, player)),
            None => self.rules.sketch().svg(&self.machine().describe(&state.facts)),
        }
    }
}

impl<M: Timed> Atoms<TimedState<M::Facts>> for TimedGame<M> {
    fn atom_count(&self) -> u32 {
        self.machine().atoms()
    }

    fn atoms(&self, state: &TimedState<M::Facts>, atoms: &mut Vec<u32>) {
        self.machine().append_atoms(&state.facts, atoms);
    }
}

impl<M: Timed> Facts<TimedState<M::Facts>> for TimedGame<M> {
    fn facts(&self, state: &TimedState<M::Facts>) -> Vec<String> {
        self.machine().describe(&state.facts)
    }
}

impl<M: Timed> Roles<TimedState<M::Facts>> for TimedGame<M> {
    fn roles(&self) -> Vec<(String, Option<usize>)> {
        Roles::<RuleState<M::Facts>>::roles(&self.rules)
    }

    fn role_moves(&self, state: &TimedState<M::Facts>, role: usize) -> Vec<String> {
        let name = |number: &u32| self.machine().move_name(&state.facts, role, *number);
        state.legal.of_role(role).iter().map(name).collect()
    }

    fn within_turn(&self, _: &TimedState<M::Facts>) -> bool {
        false
    }

    fn percepts(&self, after: &TimedState<M::Facts>, player: usize) -> Vec<String> {
        let role = self.rules.roles[player];
        let past = after.past.as_deref().filter(|past| past.news[role] && self.machine().has_percepts());
        past.map_or_else(Vec::new, |past| self.machine().percepts(&past.before, &past.moves, role))
    }
}

impl<M: Timed> Faults<TimedState<M::Facts>> for TimedGame<M> {
    fn faults(&self) -> u64 {
        Faults::<RuleState<M::Facts>>::faults(&self.rules)
    }

    fn flaw(&self) -> Option<String> {
        Faults::<RuleState<M::Facts>>::flaw(&self.rules)
    }

    fn fault(&self) -> Option<String> {
        Faults::<RuleState<M::Facts>>::fault(&self.rules)
    }
}
