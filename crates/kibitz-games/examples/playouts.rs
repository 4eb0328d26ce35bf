//! Random playouts per second on one core, of the games named on the command line (or of all).
//!
//! `cargo run --release -p kibitz-games --example playouts -- connect-four breakthrough`

use std::time::{Duration, Instant};

use kibitz_core::playout::{Policy, Rollout};
use kibitz_core::spec::{Spec, SpecError};
use kibitz_core::{Rng, registry};
use kibitz_games as _;

const MEASURED: Duration = Duration::from_secs(1);
/// Endless games are cut off here.
const LONGEST: u32 = 1000;

fn main() -> Result<(), SpecError> {
    if cfg!(debug_assertions) {
        return Err(SpecError("a debug build measures nothing; add --release".to_owned()));
    }
    let mut specs: Vec<String> = std::env::args().skip(1).collect();
    if specs.is_empty() {
        specs = registry::games().iter().map(|entry| entry.name.to_owned()).collect();
    }
    println!("{:<32} {:>12} {:>8} {:>8}", "game", "playouts/s", "steps", "ns/step");
    for spec in specs {
        measure(&spec.parse()?)?;
    }
    Ok(())
}

fn measure(spec: &Spec) -> Result<(), SpecError> {
    let game = registry::game(spec)?;
    let mut policies = vec![Policy::Random];
    if game.has().preferred {
        policies.push(Policy::Preferred);
    }
    for policy in policies {
        let how = Rollout { policy, ..Rollout::random(LONGEST, game.info().discount) };
        let (mut rng, start) = (Rng::new(1), game.initial());
        let mut returns = vec![0.0; game.info().players];
        let (mut playouts, mut steps) = (0u64, 0u64);
        let begun = Instant::now();
        while begun.elapsed() < MEASURED {
            steps += game.playouts(
                &start,
                &how,
                100,
                &mut rng,
                &mut kibitz_core::interrupt::Interrupt::never(),
                &mut returns,
            );
            playouts += 100;
        }
        let seconds = begun.elapsed().as_secs_f64();
        let name = if policy == Policy::Random { spec.to_string() } else { format!("{spec}, preferred") };
        let length = steps as f64 / playouts as f64;
        let (rate, each) = (playouts as f64 / seconds, 1e9 * seconds / steps as f64);
        println!("{name:<32} {rate:>12.0} {length:>8.2} {each:>8.1}");
    }
    Ok(())
}
