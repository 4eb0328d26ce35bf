//! What a game declares of itself, held against what it does.

use crate::game::Info;

/// How far returns may be off what the game declares, for each unit of that: sums are rounded.
pub const ROUNDING: f64 = 1e-6;
/// A game without a horizon that discounts is left where all that is still to come counts for less than this.
pub const HARDLY: f64 = 1e-3;
/// A game without a horizon that does not discount is left after so many steps.
const LONGEST: u64 = 10_000;

/// After how many steps to leave a game that need not end; `None` for a game that ends by itself.
///
/// Where rewards are discounted, that is where all that is still to come counts for less than a thousandth, if every
/// move is followed by a draw of chance.
pub fn enough_steps(info: &Info) -> Option<u64> {
    match info.horizon {
        Some(_) => None,
        None if info.discount < 1.0 => Some(2 * (HARDLY.ln() / info.discount.ln()).ceil() as u64),
        None => Some(LONGEST),
    }
}

/// Whether nobody has got, or may expect, what the game says it never pays. `what` it is begins the sentence.
///
/// # Errors
/// Who gets too much or too little.
pub fn check_bounds(info: &Info, values: &[f64], what: &str, slack: f64) -> Result<(), String> {
    let (low, high) = (info.min_return, info.max_return);
    let near = slack * (1.0 + low.abs().max(high.abs()));
    match values.iter().position(|value| !(low - near..=high + near).contains(value)) {
        None => Ok(()),
        Some(player) => Err(format!(
            "{what} of player {player} is {}, but the game declares {low} to {high}",
            short(values[player])
        )),
    }
}

/// A figure for people: not more digits than anybody reads.
fn short(value: f64) -> String {
    let rounded: f64 = format!("{value:.5e}").parse().unwrap_or(value);
    rounded.to_string()
}

/// Whether returns are numbers and, at the end of an episode, what the game declares.
///
/// # Errors
/// What is wrong with them, in a sentence.
pub fn check_returns(info: &Info, returns: &[f64], over: bool) -> Result<(), String> {
    if let Some(player) = returns.iter().position(|total| !total.is_finite()) {
        return Err(format!(
            "the return of player {player} is {}, which is not a finite number",
            returns[player]
        ));
    }
    if !over {
        return Ok(()); // who has paid a cost may still earn more
    }
    check_bounds(info, returns, "the return", ROUNDING)?;
    let sum: f64 = returns.iter().sum();
    let near = ROUNDING * (1.0 + info.min_return.abs().max(info.max_return.abs()));
    if info.zero_sum && sum.abs() > near * returns.len() as f64 {
        return Err(format!("the returns {returns:?} add up to {sum}, but the game is declared zero-sum"));
    }
    Ok(())
}
