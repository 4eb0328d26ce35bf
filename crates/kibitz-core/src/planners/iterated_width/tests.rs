//! Known widths, in a walk to a key and back to a door; and what is unsafe.

use std::sync::Arc;

use crate::abilities::Atoms;
use crate::game::{Action, Game, Info, Turn};
use crate::planner::{Decision, Planner};
use crate::registry;
use crate::view::View;

/// A corridor with a door on the left and a key on the right. To come to the door with the key has width 2: the two facts
/// are true together nowhere else, and each alone has been before. Somebody may also jump into a pit that kills half of those who do.
struct Corridor {
    info: Info,
    length: u32,
    has_pit: bool,
}

#[derive(Clone, Debug)]
struct Place {
    at: u32,
    key: bool,
    jumped: bool,
    over: bool,
}

impl Corridor {
    fn new(length: u32, has_pit: bool) -> Corridor {
        let mut info = Info::new(1, -1.0, 1.0);
        info.horizon = Some(1000);
        Corridor { info, length, has_pit }
    }
}

impl Game for Corridor {
    type State = Place;
    fn info(&self) -> &Info {
        &self.info
    }
    fn initial(&self) -> Place {
        Place { at: self.length / 2, key: false, jumped: false, over: false }
    }
    fn turn(&self, place: &Place) -> Turn {
        match (place.over, place.jumped) {
            (true, _) => Turn::Over,
            (_, true) => Turn::Chance,
            _ => Turn::One(0),
        }
    }
    fn legal(&self, _: &Place, _: usize, actions: &mut Vec<Action>) {
        actions.extend((0..2 + u32::from(self.has_pit)).map(Action));
    }
    fn step(&self, place: &mut Place, joint: &[Action], rewards: &mut [f64]) {
        if place.jumped {
            (place.jumped, place.over) = (false, joint[0].0 == 1);
            rewards[0] -= f64::from(joint[0].0);
            return;
        }
        match joint[0].0 {
            0 => place.at = place.at.saturating_sub(1),
            1 => place.at = (place.at + 1).min(self.length - 1),
            _ => place.jumped = true,
        }
        place.key |= place.at == self.length - 1;
        if place.key && place.at == 0 {
            place.over = true;
            rewards[0] += 1.0;
        }
    }
    fn chance(&self, _: &Place, outcomes: &mut Vec<(Action, f64)>) {
        outcomes.extend([(Action(0), 0.5), (Action(1), 0.5)]);
    }
    fn action_name(&self, _: &Place, _: Option<usize>, action: Action) -> String {
        action.0.to_string()
    }
    fn text(&self, place: &Place, _: Option<usize>) -> String {
        format!("{place:?}")
    }
    crate::abilities!(atoms);
}

impl Atoms<Place> for Corridor {
    fn atom_count(&self) -> u32 {
        self.length + 1
    }
    fn atoms(&self, place: &Place, atoms: &mut Vec<u32>) {
        atoms.push(place.at);
        atoms.extend(place.key.then_some(self.length));
    }
    fn own_atoms(&self) -> std::ops::Range<u32> {
        0..self.length
    }
    fn place(&self, place: &Place) -> Option<u64> {
        Some(place.at.into())
    }
}

fn decide(planner: &str, corridor: Corridor) -> Decision {
    let spec = planner.parse().unwrap();
    let mut planner: Box<dyn Planner> = registry::planner(&spec).unwrap();
    let mut view = View::new(0);
    corridor.legal(&corridor.initial(), 0, &mut view.legal);
    planner.start(Arc::new(corridor), 0, 3).unwrap();
    planner.act(&view, &mut || false).unwrap()
}

fn best(planner: &str, length: u32) -> f64 {
    decide(planner, Corridor::new(length, false)).table[0].value.unwrap_or(f64::NAN)
}

#[test]
fn a_conjunction_of_two_facts_is_found_with_width_2_and_not_with_width_1() {
    for (planner, found) in [
        ("iw(1)", false),
        ("rollout-iw", false),
        ("iw(3/2)", true),
        ("iw(2)", true),
        ("brfs(transitions=1000000)", true),
    ] {
        let value = best(&format!("{}samples=0, discount=1)", planner_with_room(planner)), 9);
        assert_eq!(value, f64::from(u8::from(found)), "{planner}");
    }
}

/// The spec up to where more parameters can be written.
fn planner_with_room(planner: &str) -> String {
    match planner.strip_suffix(')') {
        Some(open) => format!("{open}, "),
        None => format!("{planner}("),
    }
}

#[test]
fn what_comes_later_counts_less() {
    // Four steps to the key, eight to the door: the last of twelve is discounted eleven times.
    let value = best("iw(2, samples=0, discount=0.9)", 9);
    assert!((value - 0.9_f64.powi(11)).abs() < 1e-9, "{value}");
}

#[test]
fn no_more_states_are_kept_than_there_are_atoms() {
    for length in [5, 9, 40] {
        let nodes = |planner: &str| decide(planner, Corridor::new(length, false)).nodes;
        let atoms = u64::from(length + 1);
        for planner in ["iw(1, samples=0)", "rollout-iw(samples=0)"] {
            assert!((atoms / 2..=atoms).contains(&nodes(planner)), "{planner} {}", nodes(planner));
        }
        assert!(nodes("iw(2, samples=0)") <= atoms * (atoms + 1) / 2);
        assert!(nodes("iw(2, samples=0)") > atoms);
    }
}

#[test]
fn rollouts_keep_what_the_breadth_first_search_keeps() {
    // Without chance and with time enough: each atom as near to the root as it can be true.
    let table = |planner: &str| {
        let mut table = decide(planner, Corridor::new(30, false)).table;
        table.sort_by_key(|row| row.action);
        table.into_iter().map(|row| row.value).collect::<Vec<_>>()
    };
    assert_eq!(table("iw(1, samples=0)"), table("rollout-iw(samples=0)"));
}

#[test]
fn an_action_that_kills_in_most_samples_is_left_out() {
    let decision = decide("iw(1)", Corridor::new(9, true));
    assert_eq!(decision.table.len(), 2);
    assert!(decision.table.iter().all(|row| row.action != Action(2)));
    assert_eq!(decision.notes, ["1 of 3 actions are left out as unsafe"]);
    // Ten samples of each action, which are part of the budget.
    let decision = decide("iw(1, transitions=30)", Corridor::new(9, true));
    assert_eq!((decision.transitions, decision.nodes), (Some(30), 0));
    assert_eq!(decide("iw(1, samples=0)", Corridor::new(9, true)).table.len(), 3);
}

#[test]
fn where_every_move_costs_something_the_last_one_is_no_loss() {
    let mut info = Info::new(1, -10.0, 0.0);
    assert!(info.is_lost(-1.0));
    info.never_pays = true;
    assert!(!info.is_lost(-1.0));
    info.outcome = Some(100.0);
    assert!(info.is_lost(-99.0) && !info.is_lost(-1.0));
}
