//! Navy Defense: one ship guards cargo ships against submarines that it sees only next to it.
//!
//! The domain of chapter 1 of the thesis whose second chapter is about Duelyst, after Molineaux, Klenk and Aha's TAO
//! Sandbox (2010); `docs/navy-defense.md` says how its text is read where it is open. A round is one decision of the
//! Navy ship's: it moves or stays and damages all submarines in its sonar, then cargo ships move, then submarines
//! act, all of which have decided before. Those who play imagine other submarines than there are
//! ([`Behaviour`]): that is the point of it.

use std::sync::Arc;

use kibitz_core::abilities::{Abilities, PlanningModel, Resample, StateHash, Svg, ViewKey};
use kibitz_core::game::{Action, Game, Info, Observation, Transition, Turn};
use kibitz_core::model::SharedModel;
use kibitz_core::params::{params, words};
use kibitz_core::register_game;
use kibitz_core::rng::Rng;
use kibitz_core::view::{Event, View, after_action, after_observation, view_seed};

use crate::bits::ones;
use crate::draw::square_name;

mod chart;
mod file;
mod hunt;
mod picture;
mod pieces;
mod scripted;
mod state;

use chart::{Chart, GONE, LARGEST};
use file::Known;
use state::{Cargo, HEALTH, MOST, News, Phase, State, Submarine};

register_game!("navy-defense", NavyDefenseParams, NavyDefense::new);

params! {
    /// Guard cargo ships on their rounds against submarines that only the sonar shows.
    pub struct NavyDefenseParams {
        /// Rows and columns of the board.
        pub size: u32 = 5, in 3..=LARGEST;
        /// Cargo ships.
        pub cargo: u32 = 2, in 1..=MOST as u32;
        /// The most submarines there may be, which is known.
        pub submarines: u32 = 3, in 0..=MOST as u32;
        /// The fewest there are, which is known as well; any number up to the most is as likely.
        pub fewest: u32 = 1, in 0..=MOST as u32;
        /// Decisions of the Navy ship.
        pub steps: u32 = 30, in 1..=1000;
        /// What submarines hunt: whichever cargo ship they can attack soonest (switching), or one drawn at random until
        /// it is destroyed (stubborn), which is what those who play believe.
        pub behaviour: Behaviour = Behaviour::Switching;
        /// Where a submarine goes to meet a ship: to where it can attack it soonest, or to the nearest square of its
        /// route, to lie in wait.
        pub interception: Interception = Interception::Soonest;
        /// What submarines do when no cargo ship is left: wait, or hunt the Navy ship.
        pub idle: Idle = Idle::Wait;
        /// What comes after the Navy ship is destroyed: nothing it could do, while the rest goes on, or the end (over).
        pub sunk: Sunk = Sunk::GoesOn;
        /// What a move of the Navy ship costs.
        pub move_cost: f64 = 1.0, in 0.0..=MOST_COST;
        /// What it costs when the Navy ship is hit and not destroyed.
        pub navy_hit: f64 = 10.0, in 0.0..=MOST_COST;
        /// What it costs when it is destroyed.
        pub navy_destroyed: f64 = 40.0, in 0.0..=MOST_COST;
        /// What it costs when a cargo ship is hit and not destroyed.
        pub cargo_hit: f64 = 20.0, in 0.0..=MOST_COST;
        /// What it costs when one is destroyed.
        pub cargo_destroyed: f64 = 80.0, in 0.0..=MOST_COST;
        /// A file with the world to begin in, in place of one drawn by chance; `examples/navy-defense` has some.
        /// Submarines that it names are not known to those who play.
        pub world: Option<String> = None;
    }
}

/// No cost is higher.
const MOST_COST: f64 = 1e6;

words! {
    /// How submarines choose what to hunt.
    Behaviour {
        /// Whichever cargo ship each can attack soonest.
        Switching = "switching",
        /// One drawn at random, until it is destroyed.
        Stubborn = "stubborn",
    }
}
words! {
    /// Where a submarine goes to meet a ship.
    Interception {
        /// To where it can attack it soonest.
        Soonest = "soonest",
        /// To the nearest square of its route.
        Nearest = "nearest",
    }
}
words! {
    /// What submarines do when no cargo ship is left.
    Idle {
        /// They leave the sonar, attack where they cannot, and otherwise stay where they are.
        Wait = "wait",
        /// Those outside the sonar come for the Navy ship.
        Hunt = "hunt",
    }
}
words! {
    /// What comes after the Navy ship is destroyed.
    Sunk {
        /// The world goes on without it.
        GoesOn = "goes-on",
        /// The end.
        Over = "over",
    }
}

/// The Navy ship's actions: to stay, or a move to the north, east, south or west.
pub const STAND: u32 = 0;
const WAYS: [&str; 4] = ["north", "east", "south", "west"];

/// The rules.
#[derive(Clone)]
pub struct NavyDefense {
    info: Info,
    params: Arc<NavyDefenseParams>,
    behaviour: Behaviour,
    chart: Arc<Chart>,
    known: Option<Arc<Known>>,
    /// Squares where a cargo ship can be: those with a rectangle round the board.
    routes: Arc<Vec<u8>>,
}

impl NavyDefense {
    fn new(params: NavyDefenseParams) -> Result<NavyDefense, String> {
        let (fewest, most) = (params.fewest, params.submarines);
        if fewest > most {
            return Err(format!(
                "at least {fewest} submarines cannot be at most {most}: lower fewest, or raise submarines"
            ));
        }
        let chart = Chart::new(params.size, params.interception);
        let known = match &params.world {
            Some(path) => Some(Arc::new(file::read(path, &chart, params.cargo, most)?)),
            None => None,
        };
        let given = known.as_ref().and_then(|known| known.submarines.as_ref()).map(Vec::len);
        if let (Some(path), Some(given)) = (&params.world, given.filter(|given| *given < fewest as usize)) {
            return Err(format!(
                "{path}: the file has {given} submarines, fewer than the fewest that the Navy ship reckons with: \
                 say fewest={given}"
            ));
        }
        Ok(NavyDefense::with(params, chart, known))
    }

    fn with(params: NavyDefenseParams, chart: Chart, known: Option<Arc<Known>>) -> NavyDefense {
        let ships = f64::from(params.cargo);
        let lost = params.navy_hit
            + params.navy_destroyed
            + ships * (params.cargo_hit + params.cargo_destroyed)
            + f64::from(params.steps) * params.move_cost;
        let info = Info {
            // One cargo ship lost or saved.
            spread: (params.cargo_hit + params.cargo_destroyed).max(1.0),
            horizon: Some(
                2 + params.cargo + params.submarines + params.steps * (1 + 2 * params.submarines),
            ),
            perfect_information: false,
            never_pays: true,
            ..Info::new(1, -lost, 0.0)
        };
        let routes = (0..chart.squares()).filter(|square| chart.onward(*square, true) != GONE).collect();
        let behaviour = params.behaviour;
        NavyDefense {
            info,
            params: Arc::new(params),
            behaviour,
            chart: Arc::new(chart),
            known,
            routes: Arc::new(routes),
        }
    }

    /// The cargo ships.
    #[inline]
    fn ships<'a>(&self, state: &'a State) -> &'a [Cargo] {
        &state.cargo[..self.params.cargo as usize]
    }

    /// The outcomes of chance, each as likely.
    fn outcomes(&self, state: &State) -> Vec<u32> {
        let known = self.known.as_deref();
        let placed = usize::from(state.placed);
        match state.phase {
            Phase::Navy => match known {
                Some(known) => vec![known.navy.into()],
                None => (0..u32::from(self.chart.squares())).collect(),
            },
            Phase::Cargo => match known {
                Some(known) => {
                    let (at, clockwise) = known.cargo[placed];
                    vec![2 * u32::from(at) + u32::from(clockwise)]
                }
                None => {
                    self.routes.iter().flat_map(|at| [0, 1].map(|way| 2 * u32::from(*at) + way)).collect()
                }
            },
            Phase::Count => match known.and_then(|known| known.submarines.as_ref()) {
                Some(given) => vec![given.len() as u32],
                None => (self.params.fewest..=self.params.submarines).collect(),
            },
            Phase::Submarines => match known.and_then(|known| known.submarines.as_ref()) {
                Some(given) => vec![given[placed].into()],
                None => (0..u32::from(self.chart.squares())).collect(),
            },
            Phase::Target(_) => {
                (0..self.params.cargo).filter(|ship| state.cargo[*ship as usize].health > 0).collect()
            }
            Phase::Order(number) => {
                ones(self.orders(state, &state.submarines[usize::from(number)]).into()).collect()
            }
            Phase::Act | Phase::Over => Vec::new(),
        }
    }

    /// Goes on to the next vessel that is to be placed.
    fn place(&self, state: &mut State, chosen: u32) {
        match state.phase {
            Phase::Navy => {
                state.navy = chosen as u8;
                state.phase = Phase::Cargo;
            }
            Phase::Cargo => {
                let ship = &mut state.cargo[usize::from(state.placed)];
                (ship.at, ship.clockwise) = ((chosen / 2) as u8, chosen % 2 == 1);
                state.placed += 1;
                if u32::from(state.placed) == self.params.cargo {
                    (state.phase, state.placed) = (Phase::Count, 0);
                }
            }
            Phase::Count => {
                state.count = chosen as u8;
                state.phase = if state.count == 0 { Phase::Act } else { Phase::Submarines };
            }
            _ => {
                let submarine = &mut state.submarines[usize::from(state.placed)];
                (submarine.at, submarine.health) = (chosen as u8, HEALTH);
                state.placed += 1;
                if state.placed == state.count {
                    (state.phase, state.placed) = (Phase::Act, 0);
                }
            }
        }
        if state.phase == Phase::Act {
            self.settle(state);
        }
    }

    /// All vessels are placed.
    fn settle(&self, state: &mut State) {
        (state.phase, state.placed) = (Phase::Act, 0);
        // Ships that are not in this game are not there, in reports either.
        for ship in &mut state.cargo[self.params.cargo as usize..] {
            ship.health = 0;
        }
    }

    /// The first half of a round: the Navy ship moves and strikes, and cargo ships travel.
    #[inline]
    fn move_ships(&self, state: &mut State, action: u32, rewards: &mut [f64]) {
        if action != STAND {
            state.navy = self.chart.next(state.navy, action as u8 - 1);
            rewards[0] -= self.params.move_cost;
        }
        let mut left = 0;
        for number in 0..usize::from(state.count) {
            let mut submarine = state.submarines[number];
            submarine.health -= u8::from(self.chart.near(state.navy, submarine.at));
            if submarine.health > 0 {
                state.submarines[left] = submarine;
                left += 1;
            }
        }
        state.count = left as u8;
        for ship in &mut state.cargo[..self.params.cargo as usize] {
            if ship.health > 0 {
                ship.at = self.chart.onward(ship.at, ship.clockwise);
            }
        }
    }

    /// What is told at the end of a step that is not silent.
    #[inline]
    fn told(&self, after: &State, turn: Turn, joint: &[Action]) -> Observation {
        let chosen = joint[0].0;
        match after.phase {
            Phase::Act | Phase::Over => state::report(after, &self.chart),
            Phase::Cargo if turn == Turn::Chance && after.placed == 0 => state::navy_placed(after.navy),
            Phase::Cargo | Phase::Count => state::cargo_placed((chosen / 2) as u8, chosen % 2 == 1),
            _ => Observation::SILENT,
        }
    }

    /// The visible part of what a view tells, with submarines as they were last seen, in `count`; `None` if it is no view of this game.
    fn replay(&self, view: &View) -> Option<State> {
        let mut state = Game::initial(self);
        for event in &view.events {
            match event {
                Event::Passed(_) => {}
                Event::Acted(Action(action)) => {
                    if state.phase != Phase::Act
                        || !self.legal_actions(&state).any(|legal| legal == *action)
                    {
                        return None;
                    }
                    self.move_ships(&mut state, *action, &mut [0.0]);
                    state.step += 1;
                    state.phase = Phase::Count;
                }
                Event::Observed(told) => match state::read(*told)? {
                    News::Navy(at) if state.phase == Phase::Navy && at < self.chart.squares() => {
                        self.place(&mut state, at.into());
                    }
                    News::Cargo(at, clockwise)
                        if state.phase == Phase::Cargo && self.routes.contains(&at) =>
                    {
                        self.place(&mut state, 2 * u32::from(at) + u32::from(clockwise));
                    }
                    News::Report(navy, cargo, sighted) if state.phase == Phase::Count => {
                        self.take_report(&mut state, navy, cargo, &sighted)?;
                    }
                    _ => return None,
                },
            }
        }
        state.seen = view.key();
        Some(state)
    }

    fn take_report(
        &self,
        state: &mut State,
        navy: u8,
        cargo: [u8; MOST],
        sighted: &[(u8, u8)],
    ) -> Option<()> {
        self.take_healths(state, navy, cargo);
        state.count = 0;
        for (place, health) in sighted {
            if state.navy == GONE || usize::from(state.count) == MOST {
                return None;
            }
            let (x, y) = self.chart.place(state.navy);
            let (u, v) = ((x + place % 3).checked_sub(1)?, (y + place / 3).checked_sub(1)?);
            if u.max(v) >= self.chart.size() {
                return None;
            }
            let submarine = &mut state.submarines[usize::from(state.count)];
            *submarine = Submarine {
                at: self.chart.square(u, v),
                health: *health,
                target: state::NONE,
                order: state::NONE,
            };
            state.count += 1;
        }
        Some(())
    }

    /// Ships are as healthy as a report says, and what follows it.
    fn take_healths(&self, state: &mut State, navy: u8, cargo: [u8; MOST]) {
        state.navy_health = navy;
        if navy == 0 {
            state.navy = GONE;
        }
        for (number, (ship, health)) in state.cargo.iter_mut().zip(cargo).enumerate() {
            ship.health = if number < self.params.cargo as usize { health } else { 0 };
            if ship.health == 0 {
                ship.at = GONE;
            }
        }
        state.phase = self.phase_after(state);
    }

    /// What follows a round.
    #[inline]
    fn phase_after(&self, state: &State) -> Phase {
        let sunk = state.navy_health == 0 && self.params.sunk == Sunk::Over;
        if u32::from(state.step) >= self.params.steps || sunk { Phase::Over } else { Phase::Act }
    }

    fn legal_actions(&self, state: &State) -> impl Iterator<Item = u32> {
        let navy = state.navy;
        let open = move |way: &u8| navy != GONE && self.chart.next(navy, *way) != GONE;
        [STAND].into_iter().chain((0..4).filter(open).map(|way| u32::from(way) + 1))
    }

    fn square_name(&self, at: u8) -> String {
        let (x, y) = self.chart.place(at);
        square_name(x.into(), y.into())
    }
}

impl Game for NavyDefense {
    type State = State;

    fn info(&self) -> &Info {
        &self.info
    }

    fn initial(&self) -> State {
        State::empty(self.chart.size(), view_seed(0))
    }

    #[inline]
    fn turn(&self, state: &State) -> Turn {
        match state.phase {
            Phase::Act => Turn::One(0),
            Phase::Over => Turn::Over,
            _ => Turn::Chance,
        }
    }

    fn legal(&self, state: &State, _: usize, actions: &mut Vec<Action>) {
        actions.extend(self.legal_actions(state).map(Action));
    }

    fn chance(&self, state: &State, outcomes: &mut Vec<(Action, f64)>) {
        let all = self.outcomes(state);
        let each = 1.0 / all.len() as f64;
        outcomes.extend(all.into_iter().map(|outcome| (Action(outcome), each)));
    }

    fn draw(&self, state: &State, rng: &mut Rng) -> Action {
        if let Phase::Order(number) = state.phase {
            let orders = self.orders(state, &state.submarines[usize::from(number)]);
            return Action(crate::bits::nth_set(orders.into(), rng.below(orders.count_ones())));
        }
        let all = self.outcomes(state);
        Action(all[rng.below(all.len() as u32) as usize])
    }

    #[inline]
    fn step(&self, state: &mut State, joint: &[Action], rewards: &mut [f64]) {
        let chosen = joint[0].0;
        let turn = self.turn(state);
        match state.phase {
            Phase::Act => {
                state.seen = after_action(state.seen, joint[0]);
                self.move_ships(state, chosen, rewards);
                self.decide(state, 0, rewards);
            }
            Phase::Target(number) => {
                state.submarines[usize::from(number)].target = chosen as u8;
                self.decide(state, number, rewards);
            }
            Phase::Order(number) => {
                state.submarines[usize::from(number)].order = chosen as u8;
                self.decide(state, number, rewards);
            }
            Phase::Over => {}
            _ => self.place(state, chosen),
        }
        state.seen = after_observation(state.seen, self.told(state, turn, joint));
    }

    #[inline]
    fn observe(&self, after: &State, turn: Turn, joint: &[Action], _: usize) -> Observation {
        self.told(after, turn, joint)
    }

    fn observe_public(&self, after: &State, turn: Turn, joint: &[Action]) -> Observation {
        self.told(after, turn, joint)
    }

    fn action_name(&self, state: &State, player: Option<usize>, action: Action) -> String {
        let Action(chosen) = action;
        if player.is_some() {
            return if chosen == STAND { "stay" } else { WAYS[(chosen as usize - 1) & 3] }.to_owned();
        }
        match state.phase {
            Phase::Navy => format!("navy {}", self.square_name(chosen as u8)),
            Phase::Cargo => {
                let way = if chosen % 2 == 1 { "clockwise" } else { "counterclockwise" };
                format!("cargo {} {way}", self.square_name((chosen / 2) as u8))
            }
            Phase::Count => format!("submarines {chosen}"),
            Phase::Submarines => format!("submarine {}", self.square_name(chosen as u8)),
            Phase::Target(number) => format!("submarine {} hunts cargo {}", number + 1, chosen + 1),
            Phase::Order(number) => format!("submarine {} {}", number + 1, hunt::order_name(chosen as u8)),
            Phase::Act | Phase::Over => String::new(),
        }
    }

    fn observation_name(&self, step: &Transition<State>, _: usize) -> String {
        let Transition { before, after, turn, joint } = *step;
        match state::read(self.told(after, turn, joint)) {
            Some(News::Report(..)) => self.report_name(before, after),
            _ => self.action_name(before, None, joint[0]),
        }
    }

    fn player_name(&self, _: usize) -> String {
        "navy".to_owned()
    }

    fn text(&self, state: &State, viewer: Option<usize>) -> String {
        self.in_words(state, viewer.is_some())
    }

    fn abilities(&self) -> Abilities<'_, State> {
        Abilities {
            hash: Some(self),
            resampling: Some(self),
            pieces: Some(self),
            view_key: Some(self),
            picture: Some(self),
            planning_model: (self.behaviour == Behaviour::Switching).then_some(self),
            ..Abilities::default()
        }
    }
}

impl StateHash<State> for NavyDefense {
    fn hash(&self, state: &State) -> u64 {
        state.hash()
    }
}

impl ViewKey<State> for NavyDefense {
    fn view_key(&self, state: &State, _: usize) -> u64 {
        state.seen
    }
}

impl Svg<State> for NavyDefense {
    fn svg(&self, state: &State, viewer: Option<usize>) -> String {
        self.drawn(state, viewer.is_some())
    }

    fn belief_svg(&self, states: &[(&State, f64)], _: usize) -> Option<String> {
        self.drawn_belief(states)
    }
}

impl PlanningModel<State> for NavyDefense {
    /// Submarines hunt one ship until it is destroyed, and may begin anywhere.
    fn planning_model(&self) -> SharedModel {
        let known =
            self.known.as_deref().map(|known| Arc::new(Known { submarines: None, ..known.clone() }));
        Arc::new(NavyDefense { behaviour: Behaviour::Stubborn, known, ..self.clone() })
    }
}

impl Resample<State> for NavyDefense {
    /// From the last observation alone: submarines in sight are where they are, and any number of others anywhere
    /// out of sight, however damaged. What was seen before says nothing, so that this is no belief by Bayes' rule.
    fn resample(&self, view: &View, rng: &mut Rng) -> Option<State> {
        let mut state = self.replay(view)?;
        if !matches!(state.phase, Phase::Act | Phase::Over) {
            return None;
        }
        let least = if state.step == 0 { self.params.fewest } else { 0 };
        let most = self.params.submarines.max(state.count.into());
        let least = least.max(state.count.into());
        let count = least + rng.below(most - least + 1);
        let hidden: Vec<u8> =
            (0..self.chart.squares()).filter(|square| !self.chart.near(state.navy, *square)).collect();
        while u32::from(state.count) < count && !hidden.is_empty() {
            let submarine = &mut state.submarines[usize::from(state.count)];
            let at = hidden[rng.below(hidden.len() as u32) as usize];
            let health = if state.step == 0 { HEALTH } else { 1 + rng.below(HEALTH.into()) as u8 };
            *submarine = Submarine { at, health, target: state::NONE, order: state::NONE };
            state.count += 1;
        }
        Some(state)
    }
}

#[cfg(test)]
mod tests;
