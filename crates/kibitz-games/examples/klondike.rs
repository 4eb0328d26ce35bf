//! The two baselines of Klondike: how many games random and greedy play win, with the time that takes.
//!
//! `cargo run --release -p kibitz-games --example klondike -- "klondike(reading=naive)" 100000`

use std::time::Instant;

use kibitz_core::playout::{Policy, Rollout};
use kibitz_core::spec::SpecError;
use kibitz_core::{Rng, registry};
use kibitz_games as _;

fn main() -> Result<(), SpecError> {
    let mut arguments = std::env::args().skip(1);
    let spec = arguments.next().unwrap_or("klondike".to_owned()).parse()?;
    let games: u32 = arguments.next().and_then(|games| games.parse().ok()).unwrap_or(300_000);
    let game = registry::game(&spec)?;
    let game = game.collapsed().unwrap_or(game);
    for (name, policy) in [("random", Policy::Random), ("greedy", Policy::Preferred)] {
        let how = Rollout { policy, ..Rollout::random(u32::MAX, 1.0) };
        let (mut rng, mut wins) = (Rng::new(1), [0.0]);
        let begun = Instant::now();
        let steps = game.playouts(
            &game.initial(),
            &how,
            games,
            &mut rng,
            &mut kibitz_core::interrupt::Interrupt::never(),
            &mut wins,
        );
        let (each, share) = (begun.elapsed().as_secs_f64() / f64::from(games), wins[0] / f64::from(games));
        // 99 % of the normal distribution lie this many standard deviations around its middle.
        let error = 2.576 * (share * (1.0 - share) / f64::from(games)).sqrt();
        let (won, within, micros) = (100.0 * share, 100.0 * error, 1e6 * each);
        let length = steps as f64 / f64::from(games);
        println!(
            "{name}: {won:.3} ± {within:.3} % of {games} games, {micros:.2} µs and {length:.1} steps each"
        );
    }
    Ok(())
}
