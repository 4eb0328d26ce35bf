//! One turn by beam search: all that its player may do until somebody else is to move.
//!
//! After each action of the turn the best positions are kept, judged as if the turn ended there, since that is what its
//! player is left with. Orders of the same actions lead to the same positions, which are kept once.

use crate::evaluate::Evaluator;
use crate::game::{Action, Turn};
use crate::interrupt::Interrupt;
use crate::keys::KeyMap;
use crate::model::{Model, State};
use crate::playout::{Context, MAX_PLAYERS};
use crate::position::Erased;
use crate::rng::Rng;

/// What a turn is searched with.
pub struct Beam<'a> {
    pub model: &'a dyn Model,
    /// In place of the game's own evaluator.
    pub evaluator: Option<&'a dyn Evaluator>,
    /// Whose turn it is, and for whom its ends are judged beside that.
    pub player: usize,
    pub judge: usize,
    /// Positions that are kept after each action, and the most actions.
    pub width: usize,
    pub depth: u32,
    /// Where chance draws from, the same whatever is done.
    pub luck: Rng,
}

/// A way to play the turn.
#[derive(Clone, Debug)]
pub struct Line {
    /// What its player does. (The turn's end is an action as well, if the game has one for it.)
    pub actions: Vec<Action>,
    /// What it is worth to the player and to whom it is judged for, and the part of that which has been paid.
    pub value: f64,
    pub judged: f64,
    pub paid: f64,
    /// Where it ends: somebody else is to move, or nobody.
    pub end: State,
    /// Whether the game is over there.
    pub is_over: bool,
}

/// A position within the turn.
struct Spot {
    state: State,
    actions: Vec<Action>,
    paid: [f64; 2],
}

/// A position that an action leads to, before it is known whether it is kept.
struct Child {
    parent: usize,
    action: Action,
    value: f64,
}

/// How a turn ends.
#[derive(Clone, Copy)]
struct Worth {
    value: f64,
    judged: f64,
    paid: f64,
    is_over: bool,
}

impl Beam<'_> {
    /// The best ways to play the turn that begins (or goes on) in a state, best first, each with another end; at most so
    /// many. Steps of the model are added to `steps`.
    pub fn search(
        &self,
        state: &State,
        most: usize,
        steps: &mut u64,
        limit: u64,
        interrupt: &mut Interrupt,
    ) -> Vec<Line> {
        let mut found: Vec<Line> = Vec::new();
        let mut seen: KeyMap<()> = KeyMap::default();
        let mut beam = vec![Spot { state: state.clone(), actions: Vec::new(), paid: [0.0; 2] }];
        let (mut room, mut legal) = (state.clone(), Vec::new());
        let top = self.model.info().max_return;
        if let Some(line) = self.end(&beam[0], steps, interrupt) {
            keep(&mut found, line, most);
        }
        for _ in 0..self.depth {
            let mut children: Vec<Child> = Vec::new();
            for (parent, spot) in beam.iter().enumerate() {
                legal.clear();
                self.model.legal(&spot.state, self.player, &mut legal);
                let last = self.end_of_turn(&spot.state);
                for &action in legal.iter().filter(|action| Some(**action) != last) {
                    let late = interrupt.poll() || *steps >= limit;
                    if late && (!found.is_empty() || !children.is_empty()) {
                        return self.or_as_it_is(found, &beam, children, steps, interrupt);
                    }
                    room.clone_from(&spot.state);
                    let paid = self.act(&mut room, action, spot.paid, steps);
                    if self.model.has().hash && seen.insert(self.model.hash(&room), ()).is_some() {
                        continue;
                    }
                    if self.goes_on(&room) {
                        let worth = self.worth(&mut room, paid, steps, interrupt);
                        children.push(Child { parent, action, value: worth.value });
                        continue;
                    }
                    let actions = spot.actions.iter().copied().chain([action]).collect();
                    let line = self.line(&room, actions, paid, interrupt);
                    let wins = line.is_over && line.value >= top;
                    keep(&mut found, line, most);
                    if wins {
                        return found;
                    }
                }
            }
            children.sort_by(|a, b| b.value.total_cmp(&a.value));
            children.truncate(self.width);
            let next: Vec<Spot> =
                children.iter().map(|child| self.grow(&beam[child.parent], child, steps)).collect();
            for spot in &next {
                if let Some(line) = self.end(spot, steps, interrupt) {
                    keep(&mut found, line, most);
                }
            }
            if next.is_empty() {
                break;
            }
            beam = next;
        }
        if found.is_empty() {
            found = beam
                .into_iter()
                .take(most)
                .map(|spot| self.line(&spot.state, spot.actions, spot.paid, interrupt))
                .collect();
        }
        found
    }

    /// What was found, or the best that has been begun: a turn may be too long to be searched to its end.
    fn or_as_it_is(
        &self,
        mut found: Vec<Line>,
        beam: &[Spot],
        children: Vec<Child>,
        steps: &mut u64,
        interrupt: &mut Interrupt,
    ) -> Vec<Line> {
        let best =
            children.into_iter().reduce(|best, next| if next.value > best.value { next } else { best });
        if let Some(best) = best.filter(|_| found.is_empty()) {
            let spot = self.grow(&beam[best.parent], &best, steps);
            found.push(self.line(&spot.state, spot.actions, spot.paid, interrupt));
        }
        found
    }

    /// The action that ends the turn, where there is one.
    fn end_of_turn(&self, state: &State) -> Option<Action> {
        if self.model.has().end_turn { self.model.end_turn(state, self.player) } else { None }
    }

    /// Whether it is still the player's turn.
    fn goes_on(&self, state: &State) -> bool {
        self.model.turn(state) == Turn::One(self.player)
    }

    /// Does something, and lets chance draw what comes of it. Gives what has been paid by then, to the player and to the judge.
    fn act(&self, state: &mut State, action: Action, paid: [f64; 2], steps: &mut u64) -> [f64; 2] {
        let mut rewards = [0.0; MAX_PLAYERS];
        let rewards = &mut rewards[..self.model.info().players];
        self.model.step(state, &[action], rewards);
        *steps += 1 + settle(self.model, state, &mut self.luck.clone(), rewards);
        [paid[0] + rewards[self.player], paid[1] + rewards[self.judge]]
    }

    /// What is left of a state to its player when the turn ends there; the state goes on to that end.
    fn worth(
        &self,
        state: &mut State,
        paid: [f64; 2],
        steps: &mut u64,
        interrupt: &mut Interrupt,
    ) -> Worth {
        let paid = match self.end_of_turn(state) {
            Some(last) => self.act(state, last, paid, steps),
            None => paid,
        };
        self.judge(state, paid, interrupt)
    }

    fn judge(&self, state: &State, paid: [f64; 2], interrupt: &mut Interrupt) -> Worth {
        let is_over = self.model.turn(state) == Turn::Over;
        let mut values = [0.0; MAX_PLAYERS];
        if !is_over {
            let mut rng = self.luck.clone();
            let mut context = Context { evaluator: self.evaluator, ..Context::new(&mut rng, interrupt) };
            context.evaluate(&Erased(self.model, state), &mut values[..self.model.info().players]);
        }
        let [value, judged] = [paid[0] + values[self.player], paid[1] + values[self.judge]];
        Worth { value, judged, paid: paid[1], is_over }
    }

    /// The way to a state where the turn is over.
    fn line(&self, end: &State, actions: Vec<Action>, paid: [f64; 2], interrupt: &mut Interrupt) -> Line {
        let Worth { value, judged, paid, is_over } = self.judge(end, paid, interrupt);
        Line { actions, value, judged, paid, end: end.clone(), is_over }
    }

    /// The turn's end here; none where there is no action for it.
    fn end(&self, spot: &Spot, steps: &mut u64, interrupt: &mut Interrupt) -> Option<Line> {
        let last = self.end_of_turn(&spot.state)?;
        let mut end = spot.state.clone();
        let paid = self.act(&mut end, last, spot.paid, steps);
        let actions = spot.actions.iter().copied().chain([last]).collect();
        Some(self.line(&end, actions, paid, interrupt))
    }

    /// The position that a child stands for.
    fn grow(&self, parent: &Spot, child: &Child, steps: &mut u64) -> Spot {
        let mut state = parent.state.clone();
        let paid = self.act(&mut state, child.action, parent.paid, steps);
        let mut actions = Vec::with_capacity(parent.actions.len() + 1);
        actions.extend(&parent.actions);
        actions.push(child.action);
        Spot { state, actions, paid }
    }
}

/// Lets chance draw until somebody is to move. Gives the number of steps.
pub fn settle(model: &dyn Model, state: &mut State, rng: &mut Rng, rewards: &mut [f64]) -> u64 {
    let mut draws = 0;
    while draws < u64::from(model.info().longest_chance()) && model.turn(state) == Turn::Chance {
        let outcome = model.draw(state, rng);
        model.step(state, &[outcome], rewards);
        draws += 1;
    }
    draws
}

/// Adds a way to the best ones, which are in order.
fn keep(found: &mut Vec<Line>, line: Line, most: usize) {
    let at = found.partition_point(|other| other.value >= line.value);
    if at < most {
        found.insert(at, line);
        found.truncate(most);
    }
}
