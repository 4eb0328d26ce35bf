//! Limits that have a name, so that users can change them. What they can be set to is bounded as well: a spec may come
//! from a stranger.
//!
//! ```
//! use kibitz_lang::limits::{Limit, changed, limit};
//!
//! struct Most { rows: usize }
//! impl Default for Most {
//!     fn default() -> Most { Most { rows: 8 } }
//! }
//! const LIMITS: [Limit<Most>; 1] = [limit!("rows", 100.0, "rows of a level", rows: usize)];
//!
//! assert_eq!(changed(&LIMITS, &[("rows".to_owned(), 9.0)]).unwrap().rows, 9);
//! let error = changed(&LIMITS, &[("rows".to_owned(), 1e6)]).err().unwrap();
//! assert_eq!(error, "limit.rows is from 1 to 100, and not 1000000");
//! ```

use kibitz_core::spec::unknown;

/// A limit among those of type `L`.
pub struct Limit<L> {
    /// How it is asked for, after `limit.`.
    pub name: &'static str,
    /// What it bounds.
    pub summary: &'static str,
    /// What it can be set to.
    pub range: [f64; 2],
    /// What it is among these.
    pub get: fn(&L) -> f64,
    /// Changes it.
    pub set: fn(&mut L, f64),
}

/// Declares a limit that is one field: its name, the most it can be set to, what it bounds, and the field.
#[macro_export]
macro_rules! limit {
    ($name:literal, $most:expr, $summary:literal, $($field:ident).+: $kind:ty) => {
        $crate::limits::Limit {
            name: $name,
            summary: $summary,
            range: [1.0, $most],
            get: |limits| limits.$($field).+ as f64,
            set: |limits, value| limits.$($field).+ = value as $kind,
        }
    };
}
pub use crate::limit;

/// A limit as people are told of it.
#[derive(Clone, PartialEq, Debug)]
pub struct LimitDoc {
    /// How it is asked for, after `limit.`.
    pub name: &'static str,
    /// What it bounds.
    pub summary: &'static str,
    /// What it can be set to.
    pub range: [f64; 2],
    /// What it is when nobody changes it.
    pub usual: f64,
}

/// All limits with their usual values.
pub fn docs<L: Default>(limits: &[Limit<L>]) -> Vec<LimitDoc> {
    let usual = L::default();
    let doc = |limit: &Limit<L>| {
        let Limit { name, summary, range, get, .. } = *limit;
        LimitDoc { name, summary, range, usual: get(&usual) }
    };
    limits.iter().map(doc).collect()
}

/// The usual limits, some of them changed.
///
/// # Errors
/// As [`set`].
pub fn changed<L: Default>(limits: &[Limit<L>], changes: &[(String, f64)]) -> Result<L, String> {
    let mut values = L::default();
    changes.iter().try_for_each(|(name, value)| set(limits, &mut values, name, *value))?;
    Ok(values)
}

/// Changes the limit of a name.
///
/// # Errors
/// A sentence, if there is none of that name or it cannot be that.
pub fn set<L>(limits: &[Limit<L>], values: &mut L, name: &str, value: f64) -> Result<(), String> {
    let Some(limit) = limits.iter().find(|limit| limit.name == name) else {
        return Err(unknown("limit", name, limits.iter().map(|limit| limit.name)).0);
    };
    let [least, most] = limit.range;
    if !(least..=most).contains(&value) {
        return Err(format!("limit.{name} is from {least} to {most}, and not {value}"));
    }
    (limit.set)(values, value);
    Ok(())
}

/// A number as people read it.
///
/// ```
/// assert_eq!(kibitz_lang::limits::thousands(1234567), "1,234,567");
/// ```
pub fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}
