//! Collapsed models: the same problem with nothing hidden, and planners that make use of it.

use kibitz_core::abilities::{Abilities, Collapsed};
use std::collections::BTreeMap;

use kibitz_core::belief::{Belief, Exact, World};
use kibitz_core::planner::Decision;
use kibitz_core::{
    Action, Event, Game, Info, Model, Observation, Rng, SharedModel, State, Turn, View, registry,
};

use crate::common::Walk;

/// Three cups hide 1, 2 and 3 points. Lift one; then keep what is under it, or pay 0.25 to lift another,
/// which has to be kept.
struct Cups {
    info: Info,
    collapsed: bool,
}

/// What is under each cup (0: not drawn yet), and those lifted so far in their order.
#[derive(Clone, Default, PartialEq, Debug)]
struct Table {
    under: [u32; 3],
    lifted: Vec<usize>,
    kept: bool,
}

const KEEP: Action = Action(9);

impl Cups {
    fn new(collapsed: bool) -> Cups {
        let mut info = Info::new(1, 0.0, 3.0);
        info.perfect_information = collapsed;
        info.horizon = Some(6);
        Cups { info, collapsed }
    }

    fn model() -> SharedModel {
        std::sync::Arc::new(Cups::new(false))
    }

    /// The cup that chance fills next.
    fn empty(&self, table: &Table) -> Option<usize> {
        if self.collapsed {
            return table.lifted.last().copied().filter(|cup| table.under[*cup] == 0);
        }
        table.under.iter().position(|points| *points == 0)
    }
}

impl Game for Cups {
    type State = Table;

    fn info(&self) -> &Info {
        &self.info
    }

    fn initial(&self) -> Table {
        Table::default()
    }

    fn turn(&self, table: &Table) -> Turn {
        match self.empty(table) {
            Some(_) => Turn::Chance,
            None if table.kept => Turn::Over,
            None => Turn::One(0),
        }
    }

    fn legal(&self, table: &Table, _: usize, actions: &mut Vec<Action>) {
        if table.lifted.len() < 2 {
            actions.extend((0..3).filter(|cup| !table.lifted.contains(cup)).map(|cup| Action(cup as u32)));
        }
        if !table.lifted.is_empty() {
            actions.push(KEEP);
        }
    }

    fn step(&self, table: &mut Table, joint: &[Action], rewards: &mut [f64]) {
        match self.empty(table) {
            Some(cup) => table.under[cup] = joint[0].0,
            None if joint[0] == KEEP => {
                table.kept = true;
                let last = table.lifted[table.lifted.len() - 1];
                rewards[0] += f64::from(table.under[last]);
            }
            None => {
                rewards[0] -= 0.25 * table.lifted.len() as f64;
                table.lifted.push(joint[0].0 as usize);
            }
        }
    }

    kibitz_core::in_numbers!();

    fn observe(&self, after: &Table, _: Turn, joint: &[Action], _: usize) -> Observation {
        match after.lifted.last() {
            Some(cup) if joint[0] != KEEP => Observation(after.under[*cup].into()),
            _ => Observation::SILENT,
        }
    }

    fn chance(&self, table: &Table, outcomes: &mut Vec<(Action, f64)>) {
        outcomes.extend((1..=3).filter(|points| !table.under.contains(points)).map(|p| (Action(p), 0.0)));
        let each = 1.0 / outcomes.len() as f64;
        outcomes.iter_mut().for_each(|(_, p)| *p = each);
    }

    fn abilities(&self) -> Abilities<'_, Self::State> {
        Abilities { collapsed: (!self.collapsed).then_some(self), ..Abilities::default() }
    }
}

impl Collapsed<Table> for Cups {
    fn collapsed(&self) -> SharedModel {
        std::sync::Arc::new(Cups::new(true))
    }
}

/// How probable each view of a single player is at its decisions and at the end, with what has been paid
/// and what is legal there, if everything legal is equally probable.
fn views(model: &dyn Model) -> BTreeMap<String, f64> {
    fn follow(
        model: &dyn Model,
        state: &State,
        view: &View,
        paid: f64,
        p: f64,
        found: &mut BTreeMap<String, f64>,
    ) {
        let turn = model.turn(state);
        let mut legal = Vec::new();
        let choices: Vec<(Action, f64)> = match turn {
            Turn::Chance => {
                let mut outcomes = Vec::new();
                model.chance(state, &mut outcomes);
                outcomes
            }
            Turn::Over => Vec::new(),
            _ => {
                model.legal(state, 0, &mut legal);
                legal.iter().map(|action| (*action, 1.0 / legal.len() as f64)).collect()
            }
        };
        if turn != Turn::Chance {
            *found.entry(format!("{:?} {paid} {legal:?}", view.events)).or_default() += p;
        }
        for (action, q) in choices {
            let (mut after, mut view, mut rewards) = (state.clone(), view.clone(), [0.0]);
            model.step(&mut after, &[action], &mut rewards);
            if turn != Turn::Chance {
                view.events.push(Event::Acted(action));
            }
            let told = model.observe(&after, turn, &[action], 0);
            if told != Observation::SILENT {
                view.events.push(Event::Observed(told));
            }
            follow(model, &after, &view, paid + rewards[0], p * q, found);
        }
    }
    let mut found = BTreeMap::new();
    follow(model, &model.initial(), &View::new(0), 0.0, 1.0, &mut found);
    found
}

fn decide(planner: &str, game: &SharedModel, view: &View) -> Result<Decision, String> {
    let mut planner = registry::planner(&planner.parse().unwrap()).unwrap();
    planner.start(game.clone(), view.player, 1)?;
    planner.act(view, &mut || false)
}

/// The view of somebody who has lifted the first cup and seen so many points there.
fn lifted(points: u64) -> View {
    View {
        events: vec![Event::Acted(Action(0)), Event::Observed(Observation(points))],
        legal: vec![Action(1), Action(2), KEEP],
        ..View::new(0)
    }
}

#[test]
fn the_same_happens_to_the_player_with_the_same_probability() {
    let hidden = views(&*Cups::model());
    let collapsed = views(&*Cups::model().collapsed().unwrap());
    assert_eq!(hidden.keys().collect::<Vec<_>>(), collapsed.keys().collect::<Vec<_>>());
    for (view, p) in &hidden {
        assert!((p - collapsed[view]).abs() < 1e-12, "{view}: {p} and {}", collapsed[view]);
    }
}

#[test]
fn planners_for_known_states_run_on_it() {
    let cups = Cups::model();
    // Another cup costs 0.25 and has 2.5, 2 or 1.5 points on average.
    for (points, best, value) in [(1, None, 2.25), (2, Some(KEEP), 2.0), (3, Some(KEEP), 3.0)] {
        for planner in
            ["expectimax(depth=4)", "uct", "uct(tree=state)", "sparse-uct(width=100, simulations=2000)"]
        {
            let decision = decide(planner, &cups, &lifted(points)).unwrap();
            assert!(best.is_none_or(|best| decision.action == best), "{planner} {points}: {decision:?}");
            let found = decision.table[0].value.unwrap();
            let margin = if planner.starts_with("expecti") { 1e-9 } else { 0.2 };
            assert!((found - value).abs() <= margin, "{planner} {points}: {found}");
        }
    }
    // A belief that is asked for is one about the game itself.
    let decision = decide("uct(belief=exact)", &cups, &lifted(1)).unwrap();
    assert_eq!(decision.belief, Some(2));
    assert_eq!(decide("uct", &cups, &lifted(1)).unwrap().belief, Some(1));
    let leduc = registry::game(&"leduc-poker".parse().unwrap()).unwrap();
    let refusal = decide("uct(tree=state)", &leduc, &View::new(0)).unwrap_err();
    assert!(refusal.contains("perfect information"), "{refusal}");
}

/// Every registered game that has a collapsed model says so, and random games of either are games of the
/// other as well.
#[test]
fn views_of_a_game_are_views_of_its_collapsed_model() {
    for entry in registry::games() {
        let game = registry::game(&entry.name.parse().unwrap()).unwrap();
        let collapsed = game.collapsed();
        assert_eq!(collapsed.is_some(), game.has().collapsed, "{}", entry.name);
        let Some(collapsed) = collapsed else { continue };
        assert!(collapsed.info().perfect_information && game.info().players == 1, "{}", entry.name);
        for seed in 0..20 {
            let (mut walk, mut belief) = (Walk::new(&*game, seed), Exact::new(1000));
            while walk.turn() != Turn::Over {
                if walk.turn() == Turn::One(0) {
                    walk.ask(0);
                    belief.update(&*collapsed, &walk.views[0], &mut Rng::new(0), &mut || false).unwrap();
                    assert_eq!(belief.size(), Some(1), "{}", entry.name);
                }
                walk.step();
            }
            if !game.has().resampling {
                continue;
            }
            let mut walk = Walk::new(&*collapsed, seed);
            let mut world = World::initial(&*game);
            while walk.turn() != Turn::Over {
                if walk.turn() == Turn::One(0) {
                    walk.ask(0);
                    world.state = game.resample(&walk.views[0], &mut Rng::new(seed)).unwrap();
                    let mut legal = Vec::new();
                    game.legal(&world.state, 0, &mut legal);
                    legal.sort_unstable();
                    assert_eq!(legal, walk.views[0].legal, "{}", entry.name);
                }
                walk.step();
            }
        }
    }
}
