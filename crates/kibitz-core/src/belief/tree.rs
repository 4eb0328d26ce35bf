//! The belief-state tree of NORNS (Geißer, Keller and Mattmüller 2014, section 3.2): possible pasts, grown and
//! pruned as presents are asked for.
//!
//! A node is a history: all that has been done since the beginning, by everybody. It has a distribution over
//! its children, at first the probability of what they do; the player's own actions are known. To find a
//! present, the search goes down from the root by these distributions. The first time that it comes to a
//! node it tests whether the player would have seen there what it saw. If not, the node is removed, and the
//! distributions along the path are changed by Bayes' rule, so that they are those of the histories that are
//! left; then the search begins again. No step of the past is ever carried out twice.

use std::sync::{Mutex, MutexGuard, PoisonError};

use super::opponents::Opponents;
use super::past::{Ledger, Past};
use super::world::Next;
use super::{Belief, Counter, Explained, Trouble, World};
use crate::game::Action;
use crate::interrupt::Pause;
use crate::model::Model;
use crate::rng::Rng;
use crate::view::View;

/// All histories that may have been, as far as they have been looked at.
pub struct HistoryTree(Mutex<Known>);

struct Known {
    histories: Histories,
    ledger: Ledger,
}

struct Histories {
    nodes: Vec<Node>,
    /// The nodes that may be kept.
    limit: usize,
    /// The way down: each node with the place of the child that was taken.
    path: Vec<(usize, usize)>,
    removals: u64,
    restarts: u64,
    /// How often there were too many, and all were forgotten.
    forgotten: u64,
    /// The present that the last update found, in case that none is found later on.
    found: Option<World>,
}

struct Node {
    /// Where the history leads; not kept once all children are made.
    world: Option<World>,
    kind: Kind,
}

enum Kind {
    /// Not looked at.
    New,
    /// It agrees with everything, and was the present when so many events had happened.
    Present(usize),
    /// It agrees with everything so far, and has these children left.
    Past(Vec<Child>),
    /// The same, where outcomes cannot be listed: those that were drawn so far.
    Drawn(Vec<Child>),
}

struct Child {
    joint: Vec<Action>,
    /// Its probability among the children that are left.
    share: f64,
    /// Its number; 0 if it has not been made.
    node: usize,
}

/// The number of a child that contradicts the view, where it cannot be removed.
const IMPOSSIBLE: usize = usize::MAX;

/// A step with more outcomes than this is drawn instead of listed.
const LISTED: usize = 100_000;
/// Contradictions in a row after which nothing is believed to explain the view, where it cannot be known.
const HOPELESS: u64 = 100_000;
/// Steps between two things a player notices before a game counts as endless.
const PATIENCE: usize = 10_000;
const ROOT: usize = 0;

/// How a way down ended.
enum End {
    Present(World),
    Contradiction,
    Endless,
    Late,
}

impl HistoryTree {
    /// A tree that keeps at most so many histories; with more, it begins anew.
    pub fn new(limit: usize) -> HistoryTree {
        HistoryTree(Mutex::new(Known { histories: Histories::new(limit), ledger: Ledger::default() }))
    }

    /// The same, with other players who are taken to choose in some way.
    pub fn against(self, opponents: Opponents) -> HistoryTree {
        self.known().ledger.opponents = opponents;
        self
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Belief for HistoryTree {
    fn update(&mut self, model: &dyn Model, view: &View, rng: &mut Rng, pause: Pause) -> Explained {
        let Known { histories, ledger } = &mut *self.known();
        let updated = ledger.explain(model, view, pause, |past, anew| {
            if anew || histories.nodes.is_empty() {
                histories.begin(past);
            }
            histories.present(past, rng)
        });
        match updated {
            Ok(present) => histories.found = Some(present),
            Err(trouble) => {
                histories.nodes.clear();
                return Err(trouble);
            }
        }
        Ok(())
    }

    fn sample(&self, model: &dyn Model, view: &View, rng: &mut Rng, world: &mut World) {
        let Known { histories, ledger } = &mut *self.known();
        let past = ledger.past(model, view, None);
        let present = histories.present(&past, rng).ok();
        ledger.transitions += past.transitions();
        if let Some(present) = present.as_ref().or(histories.found.as_ref()) {
            world.copy_from(present);
        }
    }

    fn worlds(&self, model: &dyn Model, view: &View, limit: usize) -> Option<Vec<(World, f64)>> {
        let Known { histories, ledger } = &mut *self.known();
        let past = ledger.past(model, view, None);
        let worlds = histories.all(&past, limit);
        ledger.transitions += past.transitions();
        worlds
    }

    fn size(&self) -> Option<u64> {
        let nodes = &self.known().histories.nodes;
        Some(nodes.iter().filter(|node| matches!(node.kind, Kind::Present(_))).count() as u64)
    }

    fn counters(&self) -> Vec<Counter> {
        let Known { histories: Histories { nodes, removals, restarts, .. }, ledger } = &*self.known();
        vec![
            ("histories", nodes.len() as f64),
            ("removed", *removals as f64),
            ("restarts", *restarts as f64),
            ("transitions", ledger.transitions as f64),
        ]
    }

    fn notes(&self) -> Vec<String> {
        let Known { histories, ledger } = &*self.known();
        let mut notes = ledger.notes();
        if histories.forgotten > 0 {
            let note = "there were too many histories to keep; belief=particles(1000) keeps fewer";
            notes.push(note.to_owned());
        }
        notes
    }
}

impl Histories {
    fn new(limit: usize) -> Histories {
        let nodes = Vec::new();
        Histories { nodes, limit, path: Vec::new(), removals: 0, restarts: 0, forgotten: 0, found: None }
    }

    /// Forgets all but the beginning of the game.
    fn begin(&mut self, past: &Past) {
        self.nodes = vec![Node { world: Some(past.initial()), kind: Kind::New }];
    }

    /// Algorithm 1: one state of those that are possible.
    fn present(&mut self, past: &Past, rng: &mut Rng) -> Result<World, Trouble> {
        let (restarts, forgotten) = (self.restarts, self.forgotten);
        loop {
            if self.nodes.len() > self.limit {
                self.begin(past);
                self.forgotten += 1;
            }
            if self.forgotten > forgotten + 1 || self.restarts > restarts + HOPELESS {
                return Err(self.in_vain(past));
            }
            match self.descend(past, rng) {
                End::Present(world) => return Ok(world),
                End::Endless => {
                    let what = "the game goes on without end between two of the player's moves";
                    return Err(Trouble::Unfit(what.to_owned()));
                }
                End::Late => return Err(past.unexplained()),
                End::Contradiction if self.path.is_empty() => return Err(past.unexplained()),
                End::Contradiction => {
                    self.remove();
                    self.restarts += 1;
                }
            }
        }
    }

    /// That no present was found among those that were looked at. Where there was one before, what has been
    /// seen since is the likely reason; where there was none, the game is too large.
    fn in_vain(&self, past: &Past) -> Trouble {
        let why = format!(
            "no state that explains what player {} has seen was found among {} histories; \
             use belief=particles(1000), or a larger limit: belief=tree(limit)",
            past.view.player + 1,
            self.nodes.len() as u64 + self.removals,
        );
        if self.found.is_some() { Trouble::Unexplained(why) } else { Trouble::Unfit(why) }
    }

    /// Goes down from the root to the present, or to something that contradicts the view.
    fn descend(&mut self, past: &Past, rng: &mut Rng) -> End {
        self.path.clear();
        let mut at = ROOT;
        loop {
            if self.path.len() > PATIENCE + 4 * past.view.events.len() {
                return End::Endless;
            }
            if past.is_late() {
                return End::Late;
            }
            if !self.look(past, at) {
                return End::Contradiction;
            }
            let node = &self.nodes[at];
            let chosen = match (&node.kind, &node.world) {
                (Kind::Present(_), Some(world)) => return End::Present(world.clone()),
                (Kind::Past(children), _) => rng.weighted(children.iter().map(|child| child.share)),
                (Kind::Drawn(_), Some(world)) => {
                    let joint = draw(past, world, rng);
                    self.drawn_child(at, joint)
                }
                _ => return End::Contradiction,
            };
            self.path.push((at, chosen));
            match self.follow(past, at, chosen) {
                Some(next) => at = next,
                None => return End::Contradiction,
            }
        }
    }

    /// Tests a node that has not been tested since more has happened. False if it contradicts the view.
    fn look(&mut self, past: &Past, at: usize) -> bool {
        let node = &mut self.nodes[at];
        match &node.kind {
            Kind::Present(events) if *events == past.view.events.len() => return true,
            Kind::Past(children) => return !children.is_empty(),
            Kind::Drawn(_) => return true,
            Kind::New | Kind::Present(_) => {}
        }
        let Some(world) = &mut node.world else { return false };
        node.kind = match past.next(world, &mut Vec::new()) {
            Next::Arrived => {
                past.arrive(world);
                Kind::Present(past.view.events.len())
            }
            Next::Dead | Next::Untold => return false,
            Next::Step(own) => match past.options(world, own, LISTED) {
                Ok(listed) => {
                    let possible = listed.into_iter().filter(|(_, share)| *share > 0.0);
                    Kind::Past(possible.map(|(joint, share)| Child { joint, share, node: 0 }).collect())
                }
                Err(_) => Kind::Drawn(Vec::new()),
            },
        };
        true
    }

    /// The node of a child, made and tested if it is new; `None` if it contradicts the view.
    fn follow(&mut self, past: &Past, at: usize, chosen: usize) -> Option<usize> {
        let fresh = self.nodes.len();
        let Node { world, kind: Kind::Past(children) | Kind::Drawn(children) } = &mut self.nodes[at] else {
            return None;
        };
        let child = children.get_mut(chosen)?;
        match child.node {
            0 => {}
            IMPOSSIBLE => return None,
            known => return Some(known),
        }
        let mut next = world.as_ref()?.clone();
        let turn = past.model.turn(&next.state);
        if !past.step(&mut next, turn, &child.joint) {
            return None;
        }
        next.extend_views(past.model, turn, &child.joint);
        child.node = fresh;
        self.nodes.push(Node { world: Some(next), kind: Kind::New });
        self.forget_state(at);
        Some(fresh)
    }

    /// A state whose successors are all known is needed no more.
    fn forget_state(&mut self, at: usize) {
        let node = &mut self.nodes[at];
        if matches!(&node.kind, Kind::Past(children) if children.iter().all(|child| child.node != 0)) {
            node.world = None;
        }
    }

    /// The place of the child that was drawn, among those that were drawn before.
    fn drawn_child(&mut self, at: usize, joint: Vec<Action>) -> usize {
        let Kind::Drawn(children) = &mut self.nodes[at].kind else { return 0 };
        let known = children.iter().position(|child| child.joint == joint);
        known.unwrap_or_else(|| {
            children.push(Child { joint, share: 1.0, node: 0 });
            children.len() - 1
        })
    }

    /// Removes the node c at the end of the path, and those before it that have no child left. What is left
    /// is weighted by Bayes' rule: P'(h) = P(h) (1 - P(c | h)) / (1 - P(c | e)) for the child h of a node e,
    /// where P(c | h) is the product of the probabilities on the way from h to c. Gives the place on the path
    /// of the last node that is left.
    fn remove(&mut self) -> Option<usize> {
        self.removals += 1;
        let mut left = None;
        let (mut gone, mut below) = (true, 1.0); // of the child that is on the path: P(c | h)
        for place in (0..self.path.len()).rev() {
            let (node, chosen) = self.path[place];
            match &mut self.nodes[node].kind {
                Kind::Past(children) => {
                    let here = children[chosen].share * below; // P(c | e)
                    if gone {
                        children.swap_remove(chosen);
                    } else {
                        children[chosen].share *= 1.0 - below;
                    }
                    let rest = children.iter().map(|child| child.share).sum::<f64>();
                    // Both are the same, but for rounding: next to nothing may be left.
                    let rest = if here < 1.0 - 1e-6 { 1.0 - here } else { rest };
                    children.iter_mut().for_each(|child| child.share /= rest);
                    (gone, below) = (children.is_empty(), here);
                    if gone {
                        below = 1.0;
                    }
                }
                // Nobody knows how probable it was: whoever draws it again begins again.
                Kind::Drawn(children) => {
                    if gone {
                        children[chosen].node = IMPOSSIBLE;
                    }
                    return left.or(Some(place));
                }
                Kind::New | Kind::Present(_) => return left,
            }
            if !gone && left.is_none() {
                left = Some(place);
            }
        }
        left
    }

    /// All possible presents with their probabilities, if there are at most so many and they can be listed.
    fn all(&mut self, past: &Past, limit: usize) -> Option<Vec<(World, f64)>> {
        self.test_all(past, limit)?;
        let mut found = Vec::new();
        let mut open = vec![(ROOT, 1.0)];
        while let Some((at, p)) = open.pop() {
            let node = &self.nodes[at];
            match &node.kind {
                Kind::Past(children) => {
                    open.extend(children.iter().map(|child| (child.node, p * child.share)))
                }
                _ => found.push((node.world.clone()?, p)),
            }
        }
        Some(found)
    }

    /// Goes through all histories, so that only possible ones are left.
    fn test_all(&mut self, past: &Past, limit: usize) -> Option<()> {
        let mut presents = 0;
        self.path.clear();
        let mut next = Some(ROOT); // the node to look at; none to go on behind it
        loop {
            let possible = match next {
                Some(at) if !self.look(past, at) => false,
                Some(at) => {
                    match &self.nodes[at].kind {
                        Kind::Past(_) => self.path.push((at, 0)),
                        Kind::Drawn(_) => return None,
                        _ => {
                            presents += 1;
                            match self.path.last_mut() {
                                Some((_, chosen)) => *chosen += 1,
                                None => return Some(()),
                            }
                        }
                    }
                    next = None;
                    presents <= limit && self.nodes.len() <= self.limit
                }
                None => {
                    let &(at, chosen) = self.path.last()?;
                    let Kind::Past(children) = &self.nodes[at].kind else { return None };
                    if chosen < children.len() {
                        next = self.follow(past, at, chosen);
                        next.is_some()
                    } else {
                        self.path.pop();
                        match self.path.last_mut() {
                            Some((_, chosen)) => *chosen += 1,
                            None => return Some(()),
                        }
                        true
                    }
                }
            };
            if presents > limit || self.nodes.len() > self.limit {
                return None;
            }
            if !possible {
                let left = self.remove()?;
                self.path.truncate(left + 1);
                next = None;
            }
        }
    }
}

/// What happens at a turn whose outcomes cannot be listed.
fn draw(past: &Past, world: &World, rng: &mut Rng) -> Vec<Action> {
    let own = match past.next(world, &mut Vec::new()) {
        Next::Step(own) => own,
        _ => None,
    };
    let turn = past.model.turn(&world.state);
    past.draw(world, turn, own, rng)[..turn.width()].to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A node with these children, by their probabilities and numbers.
    fn past(children: &[(f64, usize)]) -> Node {
        let child = |&(share, node): &(f64, usize)| Child { joint: vec![Action(node as u32)], share, node };
        Node { world: None, kind: Kind::Past(children.iter().map(child).collect()) }
    }

    fn leaf() -> Node {
        Node { world: None, kind: Kind::Present(0) }
    }

    fn histories(nodes: Vec<Node>) -> Histories {
        Histories { nodes, ..Histories::new(1000) }
    }

    fn share(histories: &Histories, node: usize, child: usize) -> f64 {
        let Kind::Past(children) = &histories.nodes[node].kind else { panic!() };
        children.iter().find(|each| each.node == child).unwrap().share
    }

    /// The probability of each leaf.
    fn leaves(histories: &Histories) -> Vec<(usize, f64)> {
        let (mut found, mut open) = (Vec::new(), vec![(ROOT, 1.0)]);
        while let Some((at, p)) = open.pop() {
            match &histories.nodes[at].kind {
                Kind::Past(children) => {
                    open.extend(children.iter().map(|child| (child.node, p * child.share)))
                }
                _ => found.push((at, p)),
            }
        }
        found.sort_unstable_by_key(|(at, _)| *at);
        found
    }

    /// Example 1 of the paper: I has the children A and E, A has B and C; C is removed.
    #[test]
    fn example_1() {
        let (a, e, b, c) = (1, 2, 3, 4);
        let mut tree = histories(vec![
            past(&[(0.5, a), (0.5, e)]),
            past(&[(0.5, b), (0.5, c)]),
            leaf(),
            leaf(),
            leaf(),
        ]);
        tree.path = vec![(ROOT, 0), (a, 1)];
        assert_eq!(tree.remove(), Some(1));
        assert_eq!(share(&tree, a, b), 1.0);
        assert!((share(&tree, ROOT, a) - 1.0 / 3.0).abs() < 1e-15);
        assert!((share(&tree, ROOT, e) - 2.0 / 3.0).abs() < 1e-15);
        // With B gone, A has no child left and goes as well.
        tree.path = vec![(ROOT, 0), (a, 0)];
        assert_eq!(tree.remove(), Some(0));
        assert_eq!(tree.nodes.len(), 5);
        assert!(matches!(leaves(&tree)[..], [(only, p)] if only == e && (p - 1.0).abs() < 1e-15));
        tree.path = vec![(ROOT, 0)];
        assert_eq!(tree.remove(), None);
        assert!(leaves(&tree).is_empty());
    }

    /// Section 4: removing leaves one by one, in any order, is removing them all at once.
    #[test]
    fn one_by_one_is_all_at_once() {
        for seed in 0..50 {
            let mut rng = Rng::new(seed);
            // Three layers: every node has two to four children of random probabilities.
            let mut tree = histories(vec![leaf()]);
            let mut layer = vec![(ROOT, Vec::new())];
            let mut ways: Vec<(usize, Vec<usize>)> = Vec::new();
            for depth in 0..3 {
                let mut below = Vec::new();
                for (at, way) in layer {
                    let count = 2 + rng.below(3) as usize;
                    let weights: Vec<f64> = (0..count).map(|_| rng.unit() + 0.01).collect();
                    let total: f64 = weights.iter().sum();
                    let first = tree.nodes.len();
                    tree.nodes.extend((0..count).map(|_| leaf()));
                    let children: Vec<(f64, usize)> =
                        weights.iter().enumerate().map(|(n, w)| (w / total, first + n)).collect();
                    tree.nodes[at] = past(&children);
                    for (_, node) in children {
                        let longer: Vec<usize> = way.iter().copied().chain([node]).collect();
                        if depth == 2 { ways.push((node, longer)) } else { below.push((node, longer)) }
                    }
                }
                layer = below;
            }
            let before = leaves(&tree);
            rng.shuffle(&mut ways);
            let gone = &ways[..ways.len() * 2 / 3];
            for (_, way) in gone {
                let mut at = ROOT;
                tree.path.clear();
                for node in way {
                    let Kind::Past(children) = &tree.nodes[at].kind else { panic!() };
                    tree.path.push((at, children.iter().position(|child| child.node == *node).unwrap()));
                    at = *node;
                }
                tree.remove();
            }
            let is_left = |at: usize| gone.iter().all(|(node, _)| *node != at);
            let total: f64 = before.iter().filter(|(at, _)| is_left(*at)).map(|(_, p)| p).sum();
            let after = leaves(&tree);
            let expected: Vec<_> =
                before.iter().filter(|(at, _)| is_left(*at)).map(|(at, p)| (*at, p / total)).collect();
            assert_eq!(after.len(), expected.len());
            for ((at, p), (also, q)) in after.iter().zip(&expected) {
                assert!(at == also && (p - q).abs() < 1e-12, "{p} {q}");
            }
        }
    }
}
