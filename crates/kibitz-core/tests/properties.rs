//! Properties that hold whatever comes in.

use kibitz_core::spec::{Spec, Value, nearest, unknown};
use kibitz_core::{Action, Event, Observation, Players, Rng, View};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

fn value() -> impl Strategy<Value = Value> + Clone {
    let leaf = prop_oneof![
        any::<bool>().prop_map(Value::Bool),
        any::<i32>().prop_map(|n| Value::Integer(n.into())),
        (-1e6..1e6f64).prop_map(Value::Real),
        "[a-zA-Z0-9 ,()=]{0,12}".prop_map(Value::Text),
    ];
    leaf.prop_recursive(3, 16, 3, |inner| spec(inner).prop_map(Value::Spec))
}

fn spec(value: impl Strategy<Value = Value> + Clone) -> impl Strategy<Value = Spec> {
    // Words that mean something else (true, inf, numbers) cannot be names.
    let name = "[b-eg-hj-mo-su-z][a-z-]{0,10}";
    let positional = prop::collection::vec(value.clone().prop_map(|v| (String::new(), v)), 0..2);
    let named = prop::collection::btree_map("[b-eg-hj-mo-su-z]{1,6}", value, 0..3);
    (name, positional, named).prop_map(|(name, positional, named)| Spec {
        name,
        arguments: positional.into_iter().chain(named).collect(),
    })
}

proptest! {
    // A fixed seed: what passes here passes everywhere.
    #![proptest_config(ProptestConfig { rng_seed: RngSeed::Fixed(7), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn specs_survive_writing_and_reading(spec in spec(value())) {
        let read: Spec = spec.to_string().parse().unwrap();
        prop_assert_eq!(&read.to_string(), &spec.to_string());
        prop_assert_eq!(read, spec);
    }

    #[test]
    fn no_text_panics(text in ".{0,80}") {
        if let Ok(spec) = text.parse::<Spec>() {
            prop_assert_eq!(spec.to_string().parse::<Spec>().unwrap().to_string(), spec.to_string());
        }
        let _ = nearest(&text, ["uct", "pomcp"]);
        let _ = unknown("planner", &text, ["uct", "pomcp"]);
        let _ = kibitz_core::registry::planner(&Spec { name: text, arguments: Vec::new() });
    }

    #[test]
    fn draws_are_in_range(seed: u64, bound in 1u32.., weights in prop::collection::vec(0.0..1.0f64, 1..20)) {
        let mut rng = Rng::new(seed);
        prop_assert!(rng.below(bound) < bound);
        let unit = rng.unit();
        prop_assert!((0.0..1.0).contains(&unit));
        let chosen = rng.weighted(weights.iter().copied());
        prop_assert!(weights[chosen] > 0.0 || weights.iter().all(|w| *w == 0.0));
    }

    #[test]
    fn shuffling_keeps_everything(seed: u64, mut items in prop::collection::vec(any::<u8>(), 0..50)) {
        let mut shuffled = items.clone();
        Rng::new(seed).shuffle(&mut shuffled);
        items.sort_unstable();
        shuffled.sort_unstable();
        prop_assert_eq!(items, shuffled);
    }

    #[test]
    fn players_are_a_set(mask: u32) {
        let players = Players(mask);
        let listed: Vec<usize> = players.iter().collect();
        prop_assert_eq!(listed.len(), players.len());
        prop_assert!(listed.is_sorted());
        prop_assert!((0..40).all(|p| players.contains(p) == listed.contains(&p)));
    }

    #[test]
    fn views_have_one_key(events in prop::collection::vec((any::<bool>(), 0u32..5), 0..12),
                          others in prop::collection::vec((any::<bool>(), 0u32..5), 0..12)) {
        let view = |events: &[(bool, u32)]| View {
            events: events.iter().map(|&(acted, n)| {
                // Observation 0 is silence, which never is an event.
                if acted { Event::Acted(Action(n)) } else { Event::Observed(Observation(u64::from(n) + 1)) }
            }).collect(),
            ..View::new(0)
        };
        prop_assert_eq!(view(&events).key() == view(&others).key(), events == others);
    }
}
