//! Monte Carlo counterfactual regret minimisation (Lanctot et al. 2009): each iteration looks at a sample
//! of the game. On a tree that is written out, or on the game as it is ([`super::ground`]).

use super::tree::{CHANCE, OVER, Set, Tree};
use crate::regret::regret_matching;
use crate::rng::Rng;

/// What happens at a place.
pub(super) enum Look {
    Over,
    Chance,
    Decide(Set),
}

/// Something to play on.
pub(super) trait Ground {
    type Place;
    fn players(&self) -> usize;
    fn root(&mut self) -> Self::Place;
    fn look(&mut self, place: &Self::Place) -> Look;
    /// Where chance leads.
    fn draw(&mut self, place: Self::Place, rng: &mut Rng) -> Self::Place;
    /// Where an action leads, by its number.
    fn child(&mut self, place: &Self::Place, set: &Set, action: usize) -> Self::Place;
    /// What a player gets where it is over.
    fn payoff(&self, place: &Self::Place, player: usize) -> f64;
    /// Whether the iteration was broken off: everything is over then, and payoffs mean nothing.
    fn is_broken_off(&self) -> bool {
        false
    }
}

impl Ground for &Tree {
    type Place = u32;

    fn players(&self) -> usize {
        self.sides.len()
    }

    fn root(&mut self) -> u32 {
        0
    }

    #[inline]
    fn look(&mut self, place: &u32) -> Look {
        match self.nodes[*place as usize].what {
            OVER => Look::Over,
            CHANCE => Look::Chance,
            set => Look::Decide(self.sets[set as usize]),
        }
    }

    #[inline]
    fn draw(&mut self, place: u32, rng: &mut Rng) -> u32 {
        let node = self.nodes[place as usize];
        let last = node.first + node.count - 1;
        let mut left = rng.unit();
        for child in node.first..last {
            left -= self.nodes[child as usize].p;
            if left < 0.0 {
                return child;
            }
        }
        last
    }

    #[inline]
    fn child(&mut self, place: &u32, _: &Set, action: usize) -> u32 {
        self.nodes[*place as usize].first + action as u32
    }

    #[inline]
    fn payoff(&self, place: &u32, player: usize) -> f64 {
        self.returns[self.nodes[*place as usize].first as usize * self.players() + player]
    }
}

/// Which part of the game an iteration looks at.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Sampling {
    /// All actions of the player who learns, one of everybody else's.
    External,
    /// One history; the player who learns tries anything with this probability.
    Outcome { epsilon: f64 },
}

/// Regrets and averages, by sequence; they grow as information sets are met.
pub(super) struct Mccfr {
    sampling: Sampling,
    regrets: Vec<f64>,
    /// What a player did so far, added up.
    pub sums: Vec<f64>,
    /// Probabilities and values of the decisions on the way, so that nothing is allocated.
    scratch: Vec<f64>,
    rng: Rng,
}

/// The probability of a history up to here: the learner's part, everybody else's, and that of being sampled.
#[derive(Clone, Copy)]
struct Reach {
    own: f64,
    others: f64,
    sample: f64,
}

impl Mccfr {
    pub fn new(sampling: Sampling, seed: u64) -> Mccfr {
        let rng = Rng::episode(seed, 0, "mccfr");
        Mccfr { sampling, regrets: Vec::new(), sums: Vec::new(), scratch: Vec::new(), rng }
    }

    /// One iteration: every player learns from a sample of its own.
    pub fn iterate<G: Ground>(&mut self, ground: &mut G) {
        for player in 0..ground.players() {
            let root = ground.root();
            match self.sampling {
                Sampling::External => {
                    self.external(ground, root, player);
                }
                Sampling::Outcome { epsilon } => {
                    let reach = Reach { own: 1.0, others: 1.0, sample: 1.0 };
                    self.outcome(ground, root, player, epsilon, reach);
                }
            }
        }
    }

    /// Plays one game by the averages so far, and **adds** what each player gets.
    pub fn play<G: Ground>(&mut self, ground: &mut G, returns: &mut [f64]) {
        let mut place = ground.root();
        loop {
            place = match ground.look(&place) {
                Look::Over => break,
                Look::Chance => ground.draw(place, &mut self.rng),
                Look::Decide(set) => {
                    let mix = self.make_room(&set);
                    regret_matching(&self.sums[set.sequences()], 0.0, &mut self.scratch[mix..]);
                    let action = self.draw(mix, 0.0);
                    self.scratch.truncate(mix);
                    ground.child(&place, &set, action)
                }
            }
        }
        for (player, sum) in returns.iter_mut().enumerate() {
            *sum += ground.payoff(&place, player);
        }
    }

    /// Makes room for a set, and for its probabilities on top of the scratch; says where.
    #[inline]
    fn make_room(&mut self, set: &Set) -> usize {
        let here = set.sequences();
        if self.regrets.len() < here.end {
            self.regrets.resize(here.end, 0.0);
            self.sums.resize(here.end, 0.0);
        }
        let mix = self.scratch.len();
        self.scratch.resize(mix + here.len(), 0.0);
        mix
    }

    /// Puts a set's strategy on top of the scratch, and says where.
    #[inline]
    fn match_regrets(&mut self, set: &Set) -> usize {
        let mix = self.make_room(set);
        regret_matching(&self.regrets[set.sequences()], 0.0, &mut self.scratch[mix..]);
        mix
    }

    /// An action drawn from the strategy on top of the scratch, any one now and then.
    #[inline]
    fn draw(&mut self, mix: usize, epsilon: f64) -> usize {
        let probabilities = &self.scratch[mix..];
        if epsilon > 0.0 && self.rng.unit() < epsilon {
            return self.rng.below(probabilities.len() as u32) as usize;
        }
        let mut left = self.rng.unit();
        for (action, p) in probabilities.iter().enumerate() {
            left -= p;
            if left < 0.0 {
                return action;
            }
        }
        // Rounding: the last that is possible at all.
        probabilities.iter().rposition(|p| *p > 0.0).unwrap_or(0)
    }

    /// The value of a place to the learner, all of its own actions looked at. The averages of the
    /// player after it are kept meanwhile: that one's own choices brought the sample here.
    fn external<G: Ground>(&mut self, ground: &mut G, mut place: G::Place, player: usize) -> f64 {
        loop {
            let set = match ground.look(&place) {
                Look::Over => return ground.payoff(&place, player),
                Look::Chance => {
                    place = ground.draw(place, &mut self.rng);
                    continue;
                }
                Look::Decide(set) => set,
            };
            let (mix, count, first) = (self.match_regrets(&set), set.count as usize, set.first as usize);
            let mover = set.player as usize;
            if mover != player {
                let action = self.draw(mix, 0.0);
                if mover == (player + 1) % ground.players() {
                    let averages = &mut self.sums[set.sequences()];
                    averages.iter_mut().zip(&self.scratch[mix..]).for_each(|(sum, p)| *sum += p);
                }
                self.scratch.truncate(mix);
                place = ground.child(&place, &set, action);
                continue;
            }
            let values = mix + count;
            self.scratch.resize(values + count, 0.0);
            let mut value = 0.0;
            for action in 0..count {
                let next = ground.child(&place, &set, action);
                let found = self.external(ground, next, player);
                self.scratch[values + action] = found;
                value += self.scratch[mix + action] * found;
            }
            if !ground.is_broken_off() {
                for action in 0..count {
                    self.regrets[first + action] += self.scratch[values + action] - value;
                }
            }
            self.scratch.truncate(mix);
            return value;
        }
    }

    /// An estimate of the value of a place to the learner, from one history.
    fn outcome<G: Ground>(
        &mut self,
        ground: &mut G,
        mut place: G::Place,
        player: usize,
        epsilon: f64,
        reach: Reach,
    ) -> f64 {
        let set = loop {
            match ground.look(&place) {
                Look::Over => return ground.payoff(&place, player),
                Look::Chance => place = ground.draw(place, &mut self.rng),
                Look::Decide(set) => break set,
            }
        };
        let (mix, count) = (self.match_regrets(&set), set.count as usize);
        let is_own = set.player as usize == player;
        let tried = if is_own { epsilon } else { 0.0 };
        let action = self.draw(mix, tried);
        let p = self.scratch[mix + action];
        let sampled = tried / count as f64 + (1.0 - tried) * p;
        let next = Reach {
            own: reach.own * if is_own { p } else { 1.0 },
            others: reach.others * if is_own { 1.0 } else { p },
            sample: reach.sample * sampled,
        };
        let place = ground.child(&place, &set, action);
        let found = self.outcome(ground, place, player, epsilon, next) / sampled;
        let value = p * found;
        if is_own && !ground.is_broken_off() {
            let others = reach.others / reach.sample;
            let own = reach.own / reach.sample;
            for (number, sequence) in set.sequences().enumerate() {
                let gain = if number == action { found } else { 0.0 };
                self.regrets[sequence] += others * (gain - value);
                self.sums[sequence] += own * self.scratch[mix + number];
            }
        }
        self.scratch.truncate(mix);
        value
    }
}
