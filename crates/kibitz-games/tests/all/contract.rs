//! Every registered game keeps the contract: random walks, and what must hold along them.

use std::collections::BTreeMap;

use kibitz_core::{Action, Event, Observation, Rng, SharedModel, State, Transition, Turn, View, registry};

const WALKS: u64 = 40;
const LONGEST: u32 = 180;

/// Games with other parameters than their own, where the edges are.
const VARIANTS: [&str; 12] = [
    "bear(black=1, climb=0)",
    "breakthrough(rows=3, columns=2)",
    "breakthrough(rows=5, columns=5)",
    "klondike(thoughtful=true, draw=1, passes=2)",
    "klondike(moves=ordinary, reading=naive, finish=false)",
    "navy-defense(size=3, cargo=8, submarines=8, fewest=0, behaviour=stubborn, sunk=over)",
    "navy-defense(size=15, cargo=3, interception=nearest, idle=hunt)",
    "rock-paper-scissors(win=1, tie=0.5, loss=0)",
    "rock-sample(size=2, rocks=4)",
    "rock-sample(size=12, rocks=5, layout=3)",
    "tiger(horizon=1, discount=1)",
    "tiger(accuracy=1, discount=0)",
];

fn each_game(check: impl Fn(&str, &SharedModel)) {
    let names = registry::games().into_iter().map(|entry| entry.name);
    let specs: Vec<&str> = names.chain(VARIANTS).collect();
    assert!(specs.len() > VARIANTS.len());
    for spec in specs {
        let game = registry::game(&spec.parse().unwrap()).unwrap();
        check(spec, &game);
        if let Some(collapsed) = game.collapsed().filter(|_| !VARIANTS.contains(&spec)) {
            check(&format!("{spec}, collapsed"), &collapsed);
        }
    }
}

/// A random game on its way, with what each player has seen of it.
struct Walk {
    game: SharedModel,
    state: State,
    views: Vec<View>,
    returns: Vec<f64>,
    weight: f64,
    steps: u32,
    rng: Rng,
}

impl Walk {
    fn new(game: &SharedModel, seed: u64) -> Walk {
        let players = game.info().players;
        Walk {
            game: game.clone(),
            state: game.initial(),
            views: (0..players).map(View::new).collect(),
            returns: vec![0.0; players],
            weight: 1.0,
            steps: 0,
            rng: Rng::new(seed),
        }
    }

    fn turn(&self) -> Turn {
        self.game.turn(&self.state)
    }

    fn legal(&self, player: usize) -> Vec<Action> {
        let mut actions = Vec::new();
        self.game.legal(&self.state, player, &mut actions);
        actions
    }

    fn goes_on(&self) -> bool {
        self.turn() != Turn::Over && self.steps < LONGEST
    }

    fn random_joint(&mut self) -> Vec<Action> {
        let Walk { game, state, rng, .. } = self;
        match game.turn(state) {
            Turn::Chance => vec![game.draw(state, rng)],
            turn => {
                let choose = |player| game.random_action(state, player, &mut Vec::new(), rng);
                turn.movers().iter().map(choose).collect()
            }
        }
    }

    fn step(&mut self, joint: &[Action]) {
        let (turn, before) = (self.turn(), self.state.clone());
        let mut rewards = vec![0.0; self.returns.len()];
        self.game.step(&mut self.state, joint, &mut rewards);
        assert!(!self.game.info().never_pays || rewards.iter().all(|reward| *reward <= 0.0));
        for (total, reward) in self.returns.iter_mut().zip(&rewards) {
            *total += self.weight * reward;
        }
        if turn != Turn::Chance {
            self.weight *= self.game.info().discount;
        }
        for (player, action) in turn.movers().iter().zip(joint) {
            self.views[player].events.push(Event::Acted(*action));
        }
        for view in &mut self.views {
            let told = self.game.observe(&self.state, turn, joint, view.player);
            if told != Observation::SILENT {
                view.events.push(Event::Observed(told));
                let step = Transition { before: &before, after: &self.state, turn, joint };
                let words = self.game.observation_name(&step, view.player);
                assert!(!words.is_empty());
            }
        }
        self.steps += 1;
    }
}

/// Calls `check` before every step, and at the end, of some random walks.
fn along_walks(game: &SharedModel, mut check: impl FnMut(&mut Walk)) {
    for seed in 0..WALKS {
        let mut walk = Walk::new(game, seed);
        while walk.goes_on() {
            check(&mut walk);
            let joint = walk.random_joint();
            walk.step(&joint);
        }
        check(&mut walk);
    }
}

fn all_different<T: Ord + Clone>(items: &[T]) -> bool {
    let mut sorted = items.to_vec();
    sorted.sort();
    sorted.dedup();
    sorted.len() == items.len()
}

#[test]
fn actions_are_there_once_and_have_names() {
    each_game(|name, game| {
        along_walks(game, |walk| {
            for player in walk.turn().movers().iter() {
                let legal = walk.legal(player);
                assert!(!legal.is_empty() && all_different(&legal), "{name}: {legal:?}");
                let names: Vec<String> =
                    legal.iter().map(|a| game.action_name(&walk.state, Some(player), *a)).collect();
                assert!(all_different(&names), "{name}: {names:?}");
                let mut preferred = Vec::new();
                game.preferred(&walk.state, player, &mut preferred);
                assert!(
                    preferred.is_empty() != game.has().preferred && all_different(&preferred),
                    "{name}"
                );
                assert!(preferred.iter().all(|action| legal.contains(action)), "{name}");
                let chosen = game.random_action(&walk.state, player, &mut Vec::new(), &mut walk.rng);
                assert!(legal.contains(&chosen), "{name}: {chosen:?} of {legal:?}");
            }
        });
    });
}

#[test]
fn chance_adds_up_to_one() {
    each_game(|name, game| {
        along_walks(game, |walk| {
            if walk.turn() == Turn::Chance && game.info().explicit_chance {
                let mut outcomes = Vec::new();
                game.chance(&walk.state, &mut outcomes);
                let total: f64 = outcomes.iter().map(|(_, p)| p).sum();
                assert!((total - 1.0).abs() < 1e-9, "{name}: {total}");
                assert!(outcomes.iter().all(|(_, p)| *p > 0.0), "{name}");
                let names: Vec<String> =
                    outcomes.iter().map(|(a, _)| game.action_name(&walk.state, None, *a)).collect();
                assert!(all_different(&names), "{name}: {names:?}");
                let drawn = game.draw(&walk.state, &mut walk.rng);
                assert!(outcomes.iter().any(|(outcome, _)| *outcome == drawn), "{name}: {drawn:?}");
            }
        });
    });
}

#[test]
fn returns_and_lengths_keep_to_what_is_declared() {
    each_game(|name, game| {
        let info = game.info();
        along_walks(game, |walk| {
            assert!(info.horizon.is_none_or(|horizon| walk.steps <= horizon), "{name}");
            let range = info.min_return - 1e-9..=info.max_return + 1e-9;
            assert!(walk.returns.iter().all(|total| range.contains(total)), "{name}: {:?}", walk.returns);
            let ended = walk.turn() == Turn::Over;
            assert!(ended || info.horizon.is_none_or(|horizon| walk.steps < horizon), "{name}");
            if ended && info.zero_sum {
                assert!(walk.returns.iter().sum::<f64>().abs() < 1e-9, "{name}: {:?}", walk.returns);
            }
            if game.has().evaluator {
                let mut values = vec![f64::NAN; info.players];
                game.evaluate(&walk.state, &mut values);
                assert!(values.iter().all(|value| range.contains(value)), "{name}: {values:?}");
                assert!(!info.zero_sum || values.iter().sum::<f64>().abs() < 1e-9, "{name}: {values:?}");
                assert!(!ended || values.iter().all(|value| *value == 0.0), "{name}: {values:?}");
            }
        });
    });
}

/// What a player sees is drawn the same, and leaves the same choices, wherever the truth differs.
#[test]
fn nothing_hidden_shows() {
    each_game(|name, game| {
        let mut shown = BTreeMap::new();
        along_walks(game, |walk| {
            for view in walk.views.iter().filter(|_| !game.info().perfect_information) {
                let player = view.player;
                let mut drawn = game.text(&walk.state, Some(player)) + &game.svg(&walk.state, Some(player));
                let moves = walk.turn().movers().contains(player);
                if moves {
                    let mut preferred = Vec::new();
                    game.preferred(&walk.state, player, &mut preferred);
                    drawn += &format!("{:?}{preferred:?}", walk.legal(player));
                }
                // A silent step may hand the move to the player, which it notices.
                let before = shown.entry((view.key(), moves)).or_insert_with(|| drawn.clone());
                assert_eq!(*before, drawn, "{name}");
            }
        });
    });
}

#[test]
fn view_keys_are_the_keys_of_views() {
    each_game(|name, game| {
        along_walks(game, |walk| {
            for view in walk.views.iter().filter(|_| game.has().view_key) {
                assert_eq!(game.view_key(&walk.state, view.player), view.key(), "{name}: {view:?}");
            }
        });
    });
}

#[test]
fn public_observations_are_known_to_all() {
    each_game(|name, game| {
        // What a player is told determines what everybody is told.
        let mut public_of = BTreeMap::new();
        for seed in 0..WALKS {
            let mut walk = Walk::new(game, seed);
            while walk.goes_on() {
                let (turn, joint) = (walk.turn(), walk.random_joint());
                walk.step(&joint);
                let public = game.observe_public(&walk.state, turn, &joint);
                for view in &walk.views {
                    let told = public_of.entry(view.key()).or_insert(public);
                    let silent =
                        game.observe(&walk.state, turn, &joint, view.player) == Observation::SILENT;
                    assert!(silent || *told == public, "{name}");
                    assert!(!silent || public == Observation::SILENT, "{name}");
                }
            }
        }
    });
}

#[test]
fn resampled_states_fit_the_view() {
    each_game(|name, game| {
        if !game.has().resampling {
            return;
        }
        along_walks(game, |walk| {
            for player in walk.turn().movers().iter() {
                for _ in 0..3 {
                    let guess = game.resample(&walk.views[player], &mut walk.rng).expect(name);
                    assert_eq!(game.turn(&guess), walk.turn(), "{name}");
                    assert_eq!(game.view_key(&guess, player), walk.views[player].key(), "{name}");
                    let mut legal = Vec::new();
                    game.legal(&guess, player, &mut legal);
                    assert_eq!(legal, walk.legal(player), "{name}");
                    let viewer = Some(player);
                    assert_eq!(game.text(&guess, viewer), game.text(&walk.state, viewer), "{name}");
                }
            }
        });
    });
}

#[test]
fn states_with_equal_hashes_have_equal_futures() {
    each_game(|name, game| {
        if !game.has().hash {
            return;
        }
        let mut known = BTreeMap::new();
        along_walks(game, |walk| {
            let mut outcomes = Vec::new();
            let turn = walk.turn();
            if turn == Turn::Chance {
                game.chance(&walk.state, &mut outcomes);
            }
            let legal: Vec<Vec<Action>> = turn.movers().iter().map(|player| walk.legal(player)).collect();
            let future = (format!("{turn:?}"), legal, outcomes);
            let before = known.entry(game.hash(&walk.state)).or_insert_with(|| future.clone());
            assert_eq!(*before, future, "{name}");
        });
    });
}

#[test]
fn pictures_are_well_formed() {
    each_game(|name, game| {
        if !game.has().picture {
            return;
        }
        along_walks(game, |walk| {
            let svg = game.svg(&walk.state, None);
            assert!(svg.starts_with("<svg xmlns=") && svg.ends_with("</svg>"), "{name}: {svg}");
            assert_eq!(svg.matches('<').count(), svg.matches('>').count(), "{name}: {svg}");
            let opened = svg.matches("<text").count();
            assert_eq!(opened, svg.matches("</text>").count(), "{name}: {svg}");
            // Nothing is loaded from elsewhere.
            assert!(!svg.contains("href") && !svg.contains("url("), "{name}: {svg}");
        });
    });
}

/// The chi-square statistic that true proportions exceed once in three million times
/// (Wilson and Hilferty's approximation).
fn chi_square_limit(categories: usize) -> f64 {
    let freedom = (categories - 1) as f64;
    let spread = 2.0 / (9.0 * freedom);
    freedom * (1.0 - spread + 5.0 * spread.sqrt()).powi(3)
}

fn follows(expected: &[(Action, f64)], mut draw: impl FnMut() -> Action) -> bool {
    let samples = 400 * expected.len().max(10);
    let mut counts: BTreeMap<Action, u32> = BTreeMap::new();
    for _ in 0..samples {
        *counts.entry(draw()).or_default() += 1;
    }
    let chi: f64 = expected
        .iter()
        .map(|(action, p)| {
            let expected = p * samples as f64;
            (f64::from(counts.get(action).copied().unwrap_or(0)) - expected).powi(2) / expected
        })
        .sum();
    chi < chi_square_limit(expected.len())
}

#[test]
fn random_actions_are_uniform_and_draws_follow_chance() {
    each_game(|name, game| {
        let mut visited = 0;
        along_walks(game, |walk| {
            visited += 1;
            if visited % 7 > 1 || visited > 300 {
                return;
            }
            let (state, rng) = (walk.state.clone(), &mut Rng::new(visited));
            let mut outcomes = Vec::new();
            match walk.turn() {
                Turn::Over => {}
                Turn::Chance => {
                    game.chance(&state, &mut outcomes);
                    assert!(outcomes.len() < 2 || follows(&outcomes, || game.draw(&state, rng)), "{name}");
                }
                turn => {
                    let player = turn.movers().iter().next().unwrap();
                    let legal = walk.legal(player);
                    let share = 1.0 / legal.len() as f64;
                    outcomes.extend(legal.iter().map(|action| (*action, share)));
                    let mut scratch = Vec::new();
                    let draw = || game.random_action(&state, player, &mut scratch, rng);
                    assert!(outcomes.len() < 2 || follows(&outcomes, draw), "{name}");
                }
            }
        });
    });
}

#[test]
fn the_same_seed_gives_the_same_game() {
    each_game(|name, game| {
        let played = |seed| {
            let mut walk = Walk::new(game, seed);
            while walk.goes_on() {
                let joint = walk.random_joint();
                walk.step(&joint);
            }
            (game.text(&walk.state, None), walk.returns, walk.views)
        };
        assert_eq!(played(11), played(11), "{name}");
    });
}
