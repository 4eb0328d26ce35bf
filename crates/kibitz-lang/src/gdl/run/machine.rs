//! What runs a game's rules: from facts to legal moves, scores and the next facts.

use kibitz_core::Rng;
use kibitz_core::game::Action;

use crate::gdl::compile::Symmetry;
use crate::gdl::regress::ActionHeuristic;

/// What can be said of a state.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Outlook {
    /// The game is over.
    pub terminal: bool,
    /// The legal moves of all roles, one role after the other.
    pub moves: Vec<u32>,
    /// Where each role's moves end.
    pub ends: Vec<u32>,
    /// Why the machine cannot say the above, where it cannot: a limit was hit.
    pub trouble: Option<String>,
}

impl Clone for Outlook {
    fn clone(&self) -> Outlook {
        let mut outlook = Outlook::default();
        outlook.clone_from(self);
        outlook
    }

    fn clone_from(&mut self, source: &Outlook) {
        self.terminal = source.terminal;
        self.moves.clone_from(&source.moves);
        self.ends.clone_from(&source.ends);
        self.trouble.clone_from(&source.trouble);
    }
}

impl Outlook {
    /// The legal moves of a role, in the order of what they are.
    #[inline]
    pub fn of(&self, role: usize) -> &[u32] {
        let begin = if role == 0 { 0 } else { self.ends[role - 1] };
        &self.moves[begin as usize..self.ends[role] as usize]
    }
}

/// Stands for the move of a role that makes none, where players may wait.
pub const NO_MOVE: u32 = u32::MAX;

/// What a score is worth: itself; NaN where it is none, which the game says where that comes up.
pub fn paid(score: f64) -> f64 {
    if (0.0..=100.0).contains(&score) { score } else { f64::NAN }
}

/// A first move.
#[derive(Clone, Copy, Debug)]
pub struct First<'a> {
    /// Whose it is.
    pub role: usize,
    /// The move.
    pub chosen: u32,
    /// The role's legal moves, of which it is one.
    pub legal: &'a [u32],
}

/// Where a playout begins.
pub struct Start<'a, Facts> {
    /// What holds there.
    pub facts: &'a Facts,
    /// The first move of one role, where that is given.
    pub first: Option<First<'a>>,
}

/// Runs the rules of one game. Moves and facts are numbers whose meaning is the machine's own.
pub trait Machine: Send + Sync + 'static {
    /// What holds in a state.
    type Facts: Clone + Send + Sync + 'static;

    /// The roles' names, `random` included.
    fn roles(&self) -> &[String];

    /// Whether the rules say what each role is told (GDL-II); else everybody sees all moves.
    fn has_percepts(&self) -> bool;

    /// Whether several of these roles ever have a choice at once, where that is easily told.
    fn simultaneous(&self, roles: &[usize]) -> Option<bool> {
        let _ = roles;
        None
    }

    /// What holds at the start.
    fn initial(&self) -> Self::Facts;

    /// The legal moves, and whether it is over.
    fn outlook(&self, facts: &Self::Facts, outlook: &mut Outlook);

    /// Each role's score, as the rules give it: none, one or (wrongly) several. NaN for a word that is no number.
    fn scores(&self, facts: &Self::Facts, role: usize) -> Vec<f64>;

    /// The facts after each role has made its move. `told` gets a key for each role of what it is
    /// told, if the rules say so; 0 for nothing.
    fn advance(&self, facts: &mut Self::Facts, moves: &[u32], told: &mut Vec<u64>);

    /// What a role is told by these moves.
    fn percepts(&self, facts: &Self::Facts, moves: &[u32], role: usize) -> Vec<String>;

    /// Plays on by uniformly random moves, for at most `depth` steps, until the game is over or a role
    /// cannot move; `facts` are then those of the last state. Gives the number of steps.
    fn play_on(&self, facts: &mut Self::Facts, depth: u64, rng: &mut Rng) -> u64 {
        let roles = self.roles().len();
        let (mut outlook, mut moves, mut told) = (Outlook::default(), vec![0; roles], Vec::new());
        for step in 0..depth {
            self.outlook(facts, &mut outlook);
            if outlook.terminal || outlook.trouble.is_some() {
                return step;
            }
            for (role, chosen) in moves.iter_mut().enumerate() {
                let legal = outlook.of(role);
                *chosen = match legal {
                    [] => return step,
                    [only] => *only,
                    _ => legal[rng.below(legal.len() as u32) as usize],
                };
            }
            self.advance(facts, &moves, &mut told);
        }
        depth
    }

    /// How many games [`Machine::play_out_many`] plays in about the time of one.
    fn at_once(&self) -> u32 {
        1
    }

    /// Plays out so many games from each of some states by uniformly random moves, for at most `depth`
    /// steps each, and adds each role's scores to `scores`, one state after the other. Gives the number
    /// of steps of all, and how many games went wrong. `None` if the machine has no quicker way than
    /// one after the other.
    fn play_out_many(
        &self,
        starts: &[Start<Self::Facts>],
        count: u32,
        depth: u64,
        rng: &mut Rng,
        scores: &mut [f64],
    ) -> Option<(u64, usize)> {
        let _ = (starts, count, depth, rng, scores);
        None
    }

    /// A move of a state in words.
    fn move_name(&self, facts: &Self::Facts, role: usize, number: u32) -> String;

    /// What holds, in words, sorted.
    fn describe(&self, facts: &Self::Facts) -> Vec<String>;

    /// All that may ever hold, in words, where the machine knows it.
    fn possible(&self) -> Option<Vec<String>> {
        None
    }

    /// How many facts are numbered; 0 where they are not.
    fn atoms(&self) -> u32 {
        0
    }

    /// Appends the numbers of those that hold.
    fn append_atoms(&self, facts: &Self::Facts, atoms: &mut Vec<u32>) {
        let _ = (facts, atoms);
    }

    /// What actions are worth by the rules alone; worked out when it is first asked for.
    ///
    /// # Errors
    /// A sentence, where the machine cannot tell.
    fn action_heuristic(&self) -> Result<&ActionHeuristic, String> {
        Err("the rules are not ground".to_owned())
    }

    /// Appends how near each of these moves brings a role to its goal, from 0 to 1, where that is known.
    fn action_values(&self, facts: &Self::Facts, role: usize, moves: &[Action], values: &mut Vec<f64>) {
        let _ = (facts, role, moves, values);
    }

    /// Pairs of facts that can be exchanged without changing the rules.
    fn symmetries(&self) -> &[Symmetry] {
        &[]
    }

    /// Whether one of a pair of facts holds and the other does not: 1 for the first, -1 for the second, else 0.
    fn orientation(&self, facts: &Self::Facts, pair: [u32; 2]) -> i32 {
        let _ = (facts, pair);
        0
    }

    /// Exchanges two facts.
    fn exchange(&self, facts: &mut Self::Facts, pair: [u32; 2]) {
        let _ = (facts, pair);
    }

    /// A number for the facts: the same for facts that lead to the same, as far as that is known.
    fn hash(&self, facts: &Self::Facts) -> u64;
}

/// Runs the rules of a game in real time. Facts hold for their lifetimes, and know how much of those has gone by; a
/// role's move may be [`NO_MOVE`]. What [`Machine::advance`] and [`Machine::percepts`] are asked is what happens at this
/// instant, by moves or because facts expire, or both.
///
/// The key that [`Machine::advance`] gives for what a role is told is 0 unless the update makes a difference to that: a
/// message is sent where the role's percepts are others than they would be at the same instant without moves, and with
/// nothing expired.
pub trait Timed: Machine {
    /// Lets so many ticks go by, no more than [`Timed::due`] says.
    fn pass(&self, facts: &mut Self::Facts, ticks: u64);

    /// After how many ticks the next fact expires; none where all hold for ever.
    fn due(&self, facts: &Self::Facts) -> Option<u64>;

    /// After how many ticks a move of chance's is made at the latest: the number that is its first argument; none where
    /// that is no number.
    fn delay(&self, facts: &Self::Facts, role: usize, number: u32) -> Option<u64>;
}
