//! Regret matching (Hart and Mas-Colell 2000): actions are chosen in proportion to how much they are
//! regretted not to have been chosen. For searches and solvers alike.
//!
//! ```
//! use kibitz_core::regret::{clip, regret_matching};
//! let mut mix = [0.0; 3];
//! regret_matching(&[3.0, -1.0, 1.0], 0.0, &mut mix);
//! assert_eq!(mix, [0.75, 0.0, 0.25]);
//! regret_matching(&[-1.0, -2.0, 0.0], 0.0, &mut mix);
//! assert_eq!(mix, [1.0 / 3.0; 3]);
//! let mut regrets = [3.0, -1.0, 1.0];
//! clip(&mut regrets);
//! assert_eq!(regrets, [3.0, 0.0, 1.0]);
//! ```

/// The probability of each action, by its regret. Every regret counts at least `floor`: with 0, what is not
/// regretted is not chosen, and a small number keeps everything possible. Uniform where no regret counts.
#[inline]
pub fn regret_matching(regrets: &[f64], floor: f64, probabilities: &mut [f64]) {
    let mut total = 0.0;
    for (probability, regret) in probabilities.iter_mut().zip(regrets) {
        *probability = regret.max(floor);
        total += *probability;
    }
    if total > 0.0 {
        let scale = 1.0 / total;
        probabilities.iter_mut().for_each(|probability| *probability *= scale);
    } else {
        probabilities.fill(1.0 / probabilities.len() as f64);
    }
}

/// What makes it regret matching+ (Tammelin 2014): after an update no regret stays below zero.
#[inline]
pub fn clip(regrets: &mut [f64]) {
    regrets.iter_mut().for_each(|regret| *regret = regret.max(0.0));
}
