//! Games made of others keep what they declare.

use kibitz_core::belief::World;
use kibitz_core::determinized::{Determinized, Fixed};
use kibitz_core::game::Players;
use kibitz_core::macro_actions::macro_actions_of;
use kibitz_core::model::collapsed_or_self;
use kibitz_core::{Model, Turn, registry};

#[test]
fn who_declares_a_picture_draws_one() {
    for entry in registry::games() {
        let game = registry::game(&entry.name.parse().unwrap()).unwrap();
        let state = World::initial(&*game).state;
        let fixed = Fixed { seed: 1, player: 0, deciders: Players::first(game.info().players) };
        let mut made: Vec<(&str, Box<dyn Model>)> = vec![
            ("revealed", Box::new(Determinized::new(game.clone(), state.clone(), None))),
            ("fixed", Box::new(Determinized::new(game.clone(), state, Some(fixed)))),
        ];
        let open = collapsed_or_self(game);
        let macro_actions = macro_actions_of(&open).model();
        if open.info().perfect_information && open.has().hash {
            assert_eq!(
                !macro_actions.svg(&macro_actions.initial(), None).is_empty(),
                macro_actions.has().picture,
                "{}",
                entry.name
            );
        }
        for (what, model) in made.drain(..) {
            let drawn = model.svg(&model.initial(), None);
            assert_eq!(!drawn.is_empty(), model.has().picture, "{what} {}", entry.name);
        }
    }
}

#[test]
fn in_a_fixed_future_nobody_moves_at_once() {
    let game = registry::game(&"rock-paper-scissors".parse().unwrap()).unwrap();
    let fixed = Fixed { seed: 1, player: 0, deciders: Players::first(2) };
    let start = || game.initial();
    let open = Determinized::new(game.clone(), start(), None);
    assert_eq!((Model::info(&open).simultaneous, game.info().simultaneous), (Some(true), Some(true)));
    let settled = Determinized::new(game.clone(), start(), Some(fixed));
    assert_eq!(Model::info(&settled).simultaneous, Some(false));
    assert_eq!(Model::turn(&settled, &Model::initial(&settled)), Turn::One(0));
}
