//! POMCP on a public game tree, beside an implementation that follows the paper line by line.
//!
//! That one keeps, for each public history, a value for each state and player, and looks through all of them
//! whenever somebody decides: Algorithms 2 and 3 as they stand, slowly. (But for one line: where a node is new, the
//! paper does not count its rollout; here it is counted, or every action would have to be tried twice.)

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use kibitz_core::belief::{Belief, Exact, OpponentPolicy, Opponents};
use kibitz_core::planner::Decision;
use kibitz_core::{Action, Event, Model, Rng, SharedModel, State, Turn, View, registry};

use crate::common::Walk;

/// What all have seen: who did what.
type History = Vec<(usize, Action)>;
/// What each player has seen of a state before the search: this is what tells states apart.
type Seen = Vec<u64>;

#[derive(Default)]
struct Node {
    /// For each state: how often it came by, and what it was worth to each player on average.
    worth: HashMap<Seen, (f64, Vec<f64>)>,
}

struct Literal<'a> {
    model: &'a dyn Model,
    nodes: HashMap<History, Node>,
    rng: Rng,
    /// What returns are counted in: UCB1's constant is √2 of it, the least regret a hundredth.
    unit: f64,
    by_regret: bool,
}

impl Literal<'_> {
    /// What a player who cannot tell some states apart knows of a node: visits and mean.
    fn known(&self, history: &History, player: usize, seen: &Seen) -> (f64, f64) {
        let Some(node) = self.nodes.get(history) else { return (0.0, 0.0) };
        let alike = node.worth.iter().filter(|(state, _)| state[player] == seen[player]);
        let (n, sum) =
            alike.fold((0.0, 0.0), |(n, sum), (_, (visits, q))| (n + visits, sum + visits * q[player]));
        (n, if n > 0.0 { sum / n } else { 0.0 })
    }

    /// LocalSearch, then DecisionEstimation. `hidden` are those who have chosen before, unseen.
    fn choose(
        &mut self,
        h: &History,
        hidden: usize,
        player: usize,
        seen: &Seen,
        legal: &[Action],
    ) -> Action {
        let ancestor = &h[..h.len() - hidden];
        let same = |other: &&History| other.len() == h.len() && other.starts_with(ancestor);
        let subtree: Vec<History> = match hidden {
            0 => vec![h.clone()],
            _ => self.nodes.keys().filter(same).cloned().collect(),
        };
        let mut visits = vec![0.0; legal.len()];
        let mut values = vec![0.0; legal.len()];
        for (index, action) in legal.iter().enumerate() {
            let mut weights = 0.0;
            for other in &subtree {
                let mut child = other.clone();
                child.push((player, *action));
                let (n, q) = self.known(&child, player, seen);
                let (weight, _) = self.known(other, player, seen);
                visits[index] += n;
                if n > 0.0 {
                    values[index] += weight * q;
                    weights += weight;
                }
            }
            values[index] /= f64::max(weights, 1e-9);
        }
        let all: f64 = visits.iter().sum();
        if self.by_regret {
            let mean = visits.iter().zip(&values).map(|(n, q)| n * q).sum::<f64>() / f64::max(all, 1.0);
            let regret = |(n, q): (&f64, &f64)| if *n > 0.0 { q - mean } else { -1.0 };
            let weights: Vec<f64> =
                visits.iter().zip(&values).map(regret).map(|r| r.max(0.01 * self.unit)).collect();
            return legal[self.rng.weighted(weights.iter().copied())];
        }
        let untried: Vec<Action> =
            legal.iter().zip(&visits).filter(|(_, n)| **n == 0.0).map(|(action, _)| *action).collect();
        if !untried.is_empty() {
            return untried[self.rng.below(untried.len() as u32) as usize];
        }
        let bound = |i: usize| values[i] + self.unit * (2.0 * f64::ln(all) / visits[i]).sqrt();
        let best = (0..legal.len()).max_by(|a, b| bound(*a).total_cmp(&bound(*b))).unwrap();
        legal[best]
    }

    /// Simulate and Rollout: from a state to the end, and back.
    fn simulate(&mut self, mut state: State, seen: &Seen) {
        let mut payoff = vec![0.0; seen.len()];
        let (mut h, mut inside) = (History::new(), true);
        let mut path = vec![h.clone()];
        let mut legal = Vec::new();
        loop {
            let turn = self.model.turn(&state);
            let mut joint = Vec::new();
            match turn {
                Turn::Over => break,
                Turn::Chance => joint.push(self.model.draw(&state, &mut self.rng)),
                _ => {}
            }
            for player in turn.movers().iter() {
                if inside && !self.nodes.contains_key(&h) {
                    self.nodes.insert(h.clone(), Node::default());
                    inside = h.is_empty();
                }
                legal.clear();
                self.model.legal(&state, player, &mut legal);
                let action = match inside {
                    true => self.choose(&h, joint.len(), player, seen, &legal),
                    false => legal[self.rng.below(legal.len() as u32) as usize],
                };
                joint.push(action);
                h.push((player, action));
                if inside {
                    path.push(h.clone());
                }
            }
            self.model.step(&mut state, &joint, &mut payoff);
        }
        for h in path {
            let node = self.nodes.entry(h).or_default();
            let (visits, worth) = node.worth.entry(seen.clone()).or_insert((0.0, vec![0.0; seen.len()]));
            *visits += 1.0;
            for (mean, reward) in worth.iter_mut().zip(&payoff) {
                *mean += (reward - *mean) / *visits;
            }
        }
    }
}

/// The view of whoever moves first once chance has dealt, and all states that it may be in with what the players
/// have seen in them.
fn first_decision(model: &dyn Model, seed: u64) -> (View, Vec<(State, Seen)>) {
    let deal = |seed: u64| {
        let mut walk = Walk::new(model, seed);
        while walk.turn() == Turn::Chance {
            walk.step();
        }
        let player = walk.turn().movers().iter().next().unwrap();
        walk.ask(player);
        let seen: Seen = walk.views.iter().map(View::key).collect();
        (walk.views.swap_remove(player), walk.state.clone(), seen)
    };
    let (view, _, seen) = deal(seed);
    // All deals are equally likely here, and so many draws find all of them.
    let deals = (0..2000).map(deal).filter(|other| other.2[view.player] == seen[view.player]);
    let states: BTreeMap<Seen, State> = deals.map(|(_, state, seen)| (seen, state)).collect();
    (view, states.into_iter().map(|(seen, state)| (state, seen)).collect())
}

fn decide(planner: &str, game: &SharedModel, view: &View, seed: u64) -> Decision {
    let mut planner = registry::planner(&planner.parse().unwrap()).unwrap();
    planner.start(game.clone(), view.player, seed).unwrap();
    planner.act(view, &mut || false).unwrap()
}

/// Two searches that should be the same.
struct Pair {
    game: String,
    /// How many states the first to move thinks possible.
    states: usize,
    simulations: u64,
    by_regret: bool,
    /// As in [`Literal`],
    unit: f64,
    /// and what our planner needs for it.
    planner: String,
}

impl Pair {
    /// With the constants that are ours by default: they count in the spread of returns.
    fn plain(game: &str, states: usize, by_regret: bool) -> Pair {
        let unit = registry::game(&game.parse().unwrap()).unwrap().info().spread;
        let planner = if by_regret { "selection=regret-matching" } else { "selection=ucb1" };
        let (game, planner) = (game.to_owned(), planner.to_owned());
        Pair { game, states, simulations: 1500, by_regret, unit, planner }
    }

    /// King UP from a position, with the constants of the paper: they count in points / 50.
    fn king_up(name: &str, position: &str, by_regret: bool) -> Pair {
        let file = format!("{}/{name}.txt", env!("CARGO_TARGET_TMPDIR"));
        std::fs::write(&file, position).unwrap();
        let planner = match by_regret {
            true => format!("selection=regret-matching({}), playout=random", 0.01 / 0.44),
            false => format!("exploration={}, playout=random", f64::sqrt(2.0) / 0.44),
        };
        let game = format!("king-up(position=\"{file}\")");
        Pair { game, states: 30, simulations: 600, by_regret, unit: 1.0, planner }
    }

    /// Means over a few searches of what each player expects and of how often each action is chosen, by both.
    fn agrees(&self, tolerance: f64) {
        const SEARCHES: u64 = 40;
        let Pair { game, simulations, by_regret, unit, .. } = self;
        let model = registry::game(&game.parse().unwrap()).unwrap();
        let spread = model.info().spread;
        let players = model.info().players;
        let (view, states) = first_decision(&*model, 3);
        assert_eq!(states.len(), self.states, "{game}");
        let width = players + view.legal.len();
        let (mut ours, mut theirs) = (vec![0.0; width], vec![0.0; width]);
        let spec = format!("pomcp-pgt(simulations={simulations}, {}, belief=exact)", self.planner);
        for seed in 0..SEARCHES {
            let decision = decide(&spec, &model, &view, seed);
            for (sum, value) in ours.iter_mut().zip(&decision.values) {
                *sum += value / spread;
            }
            for row in &decision.table {
                let index = view.legal.iter().position(|action| *action == row.action).unwrap();
                ours[players + index] += row.visits as f64 / *simulations as f64;
            }
            let (rng, nodes) = (Rng::new(seed), HashMap::new());
            let mut literal = Literal { model: &*model, nodes, rng, unit: *unit, by_regret: *by_regret };
            for _ in 0..*simulations {
                let (state, seen) = &states[literal.rng.below(states.len() as u32) as usize];
                literal.simulate(state.clone(), seen);
            }
            let total = |player: usize| {
                let worth = literal.nodes[&Vec::new()].worth.values();
                worth.map(|(n, q)| n * q[player]).sum::<f64>() / *simulations as f64
            };
            for (player, sum) in theirs[..players].iter_mut().enumerate() {
                *sum += total(player) / spread;
            }
            for (sum, action) in theirs[players..].iter_mut().zip(&view.legal) {
                let (n, _) = literal.known(&vec![(view.player, *action)], view.player, &states[0].1);
                *sum += n / *simulations as f64;
            }
        }
        let worst =
            ours.iter().zip(&theirs).map(|(a, b)| (a - b).abs() / SEARCHES as f64).fold(0.0, f64::max);
        assert!(worst <= tolerance, "{game} {}: {worst} {ours:?} {theirs:?}", self.planner);
    }
}

#[test]
fn the_search_is_the_papers() {
    Pair::plain("kuhn-poker", 2, false).agrees(0.03);
    Pair::plain("kuhn-poker", 2, true).agrees(0.06);
    Pair::plain("rock-paper-scissors", 1, false).agrees(0.03);
    Pair::plain("rock-paper-scissors", 1, true).agrees(0.06);
}

/// Three players, one of whom cannot say no: pieces move up, and where one is on the top the others vote.
const PROMOTE: &str = "votes: 1 0 1\npieces: A2 B2 D0 E4 F4\nmover: 2\n";
/// All three vote at once.
const VOTE: &str = "votes: 1 1 1\npieces: A5 B4 D3 E4 F2 G2\nmover: 1\n";
/// The last piece is set.
const SET: &str = "votes: 1 1 1\npieces: A0 B0 C1 E0 G1\nmover: 3\nstage: set\n";

#[test]
fn the_search_is_the_papers_in_its_own_game() {
    for by_regret in [false, true] {
        for (name, position) in [("promote", PROMOTE), ("vote", VOTE), ("set", SET)] {
            // A simulation of ours that adds somebody who votes with the root ends there, and counts for no action.
            Pair::king_up(name, position, by_regret).agrees(if by_regret { 0.03 } else { 0.02 });
        }
    }
}

/// Who holds a king always bets, who holds anything else never does.
struct Honest(BTreeMap<u64, bool>);

impl OpponentPolicy for Honest {
    fn strategy(&self, key: u64) -> Vec<(Action, f64)> {
        let bets = self.0.get(&key).map(|king| if *king { BET } else { PASS });
        bets.map(|action| (action, 7.0)).into_iter().collect()
    }
}

const PASS: Action = Action(0);
const BET: Action = Action(1);

#[test]
fn a_move_tells_what_its_owner_holds() {
    let model = registry::game(&"kuhn-poker".parse().unwrap()).unwrap();
    let mut holds_king = BTreeMap::new();
    let mut bet = None;
    for seed in 0..100 {
        let mut walk = Walk::new(&*model, seed);
        while walk.turn() == Turn::Chance {
            walk.step();
        }
        let world = walk.state.clone();
        let key = match model.has().view_key {
            true => model.view_key(&world, 0),
            false => walk.views[0].key(),
        };
        let king = model.text(&world, Some(0)).contains('K');
        holds_king.insert(key, king);
        let queen = model.text(&world, Some(1)).contains('Q');
        walk.step();
        // The second player, with a queen, sees the first one bet.
        let acted = walk.views[0].events.iter().rev().find_map(|event| match event {
            Event::Acted(action) => Some(*action),
            Event::Observed(_) | Event::Passed(_) => None,
        });
        if queen && acted == Some(BET) {
            walk.ask(1);
            bet = Some(walk.views.swap_remove(1));
        }
    }
    let view = bet.unwrap();
    assert_eq!(holds_king.len(), 3);
    let king = |opponents: Opponents| {
        let mut belief = Exact::new(100).against(opponents);
        belief.assume(Some(Arc::new(Honest(holds_king.clone()))));
        belief.update(&*model, &view, &mut Rng::new(1), &mut || false).unwrap();
        let kings =
            belief.worlds().iter().filter(|(world, _)| model.text(&world.state, Some(0)).contains('K'));
        kings.map(|(_, p)| p).sum::<f64>()
    };
    assert_eq!(king(Opponents::Random), 0.5);
    // A king bets with 0.9 and half of the slips, a jack with half of the slips.
    assert!((king(Opponents::Search(0.1)) - 0.95).abs() < 1e-12);
}

#[test]
fn a_single_player_sees_all_moves() {
    let game = registry::game(&"battleship".parse().unwrap()).unwrap();
    let mut planner = registry::planner(&"pomcp-pgt".parse().unwrap()).unwrap();
    assert_eq!(planner.start(game, 0, 1), Ok(()));
}
