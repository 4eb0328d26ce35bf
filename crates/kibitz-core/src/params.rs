//! Parameters that document themselves where they are declared.
//!
//! ```
//! use kibitz_core::params::{Params, params};
//! params! {
//!     /// The board of some game.
//!     pub struct Board {
//!         /// Rows of the board.
//!         pub rows: u32 = 8, in 3..=8;
//!         /// Whether the edges meet.
//!         pub torus: bool = false;
//!     }
//! }
//! let board = Board::from_spec(&"board(rows=5)".parse().unwrap()).unwrap();
//! assert_eq!((board.rows, board.torus), (5, false));
//! let error = Board::from_spec(&"board(row=5)".parse().unwrap()).unwrap_err();
//! assert_eq!(error.to_string(), "board: unknown parameter 'row'; did you mean rows?");
//! ```

use std::borrow::Cow;

use crate::spec::{Spec, SpecError, Value, unknown};

/// What a person needs to know about one parameter.
#[derive(Clone, PartialEq, Debug)]
pub struct ParamDoc {
    /// How it is written.
    pub name: Cow<'static, str>,
    /// What kind of value it takes.
    pub kind: String,
    /// The value it has when it is not given, as it would be written.
    pub default: String,
    /// Which values are allowed, where not all are.
    pub range: Option<String>,
    /// What it means.
    pub doc: String,
    /// What it was called before, which still works.
    pub was: Option<&'static str>,
}

/// A value that a parameter can have.
pub trait Param: Sized {
    /// In a word or two, for people.
    fn kind() -> String;
    /// Reads it from a spec.
    ///
    /// # Errors
    /// What is expected instead.
    fn read(value: &Value) -> Result<Self, String>;
    /// As it would be written.
    fn show(&self) -> String;
}

macro_rules! integer_params {
    ($($kind:ty),*) => { $(
        impl Param for $kind {
            fn kind() -> String { "whole number".to_owned() }

            fn read(value: &Value) -> Result<Self, String> {
                match value {
                    Value::Integer(integer) => <$kind>::try_from(*integer)
                        .map_err(|_| format!("{integer} is out of range")),
                    other => Err(format!("expected a whole number, not {other}")),
                }
            }

            fn show(&self) -> String { self.to_string() }
        }
    )* };
}
integer_params!(u32, u64, usize);

impl Param for f64 {
    fn kind() -> String {
        "number".to_owned()
    }

    fn read(value: &Value) -> Result<Self, String> {
        match value {
            Value::Integer(integer) => Ok(*integer as f64),
            Value::Real(real) if real.is_nan() => Err("expected a number, not NaN".to_owned()),
            Value::Real(real) => Ok(*real),
            other => Err(format!("expected a number, not {other}")),
        }
    }

    fn show(&self) -> String {
        format!("{self}")
    }
}

impl Param for bool {
    fn kind() -> String {
        "true or false".to_owned()
    }

    fn read(value: &Value) -> Result<Self, String> {
        match value {
            Value::Bool(value) => Ok(*value),
            other => Err(format!("expected true or false, not {other}")),
        }
    }

    fn show(&self) -> String {
        self.to_string()
    }
}

impl Param for String {
    fn kind() -> String {
        "text".to_owned()
    }

    fn read(value: &Value) -> Result<Self, String> {
        match value {
            Value::Text(text) => Ok(text.clone()),
            Value::Spec(spec) => Ok(spec.to_string()),
            other => Err(format!("expected a text, not {other}")),
        }
    }

    fn show(&self) -> String {
        format!("\"{self}\"")
    }
}

/// Another planner, as it is asked for.
impl Param for Spec {
    fn kind() -> String {
        "planner".to_owned()
    }

    fn read(value: &Value) -> Result<Self, String> {
        match value {
            Value::Text(text) => text.parse().map_err(|SpecError(what)| what),
            Value::Spec(spec) => Ok(spec.clone()),
            other => Err(format!("expected a planner, not {other}")),
        }
    }

    fn show(&self) -> String {
        self.to_string()
    }
}

/// `none` or a value.
impl<P: Param> Param for Option<P> {
    fn kind() -> String {
        format!("{} or none", P::kind())
    }

    fn read(value: &Value) -> Result<Self, String> {
        match value {
            Value::Spec(spec) if spec.name == "none" && spec.arguments.is_empty() => Ok(None),
            other => P::read(other).map(Some),
        }
    }

    fn show(&self) -> String {
        self.as_ref().map_or("none".to_owned(), Param::show)
    }
}

/// A struct of parameters; made by [`params!`].
pub trait Params: Default {
    /// What they are parameters of, in a sentence: their documentation.
    const SUMMARY: &'static str = "";

    /// One entry a field, in the order of declaration, with this value's fields as the defaults.
    fn docs(&self) -> Vec<ParamDoc>;

    /// Sets one field.
    ///
    /// # Errors
    /// What is wrong with the value. `None` where there is no such field.
    fn set(&mut self, name: &str, value: &Value) -> Option<Result<(), String>>;

    /// Sets the fields that a spec names; positional arguments fill them in order.
    ///
    /// # Errors
    /// An unknown name (with the nearest right ones) or a bad value.
    fn apply(&mut self, spec: &Spec) -> Result<(), SpecError> {
        let docs = self.docs();
        let names: Vec<&str> = docs.iter().map(|doc| &*doc.name).collect();
        let name = &spec.name;
        for (position, (key, value)) in spec.arguments.iter().enumerate() {
            let key = match (key.as_str(), names.get(position)) {
                ("", Some(key)) => key,
                ("", None) if names.is_empty() => {
                    return Err(SpecError(format!("{name} takes no parameters")));
                }
                ("", None) => {
                    let most = names.len();
                    return Err(SpecError(format!("{name} takes at most {most} parameters")));
                }
                (key, _) => key,
            };
            let set = self.set(key, value).ok_or_else(|| {
                if names.is_empty() {
                    return SpecError(format!("{name} takes no parameters"));
                }
                let SpecError(what) = unknown("parameter", key, names.iter().copied());
                SpecError(format!("{name}: {what}"))
            })?;
            set.map_err(|what| SpecError(format!("{name}: {key}: {what}")))?;
        }
        Ok(())
    }

    /// The defaults with a spec's changes.
    ///
    /// # Errors
    /// As [`Params::apply`].
    fn from_spec(spec: &Spec) -> Result<Self, SpecError> {
        let mut params = Self::default();
        params.apply(spec)?;
        Ok(params)
    }
}

/// Fails with a sentence unless the value is in the range. (Used by [`params!`].)
///
/// # Errors
/// The sentence.
pub fn check_range<T: PartialOrd + Param>(
    value: &T,
    range: &std::ops::RangeInclusive<T>,
) -> Result<(), String> {
    let shown = value.show();
    if range.contains(value) || shown == "none" {
        return Ok(());
    }
    Err(format!("{shown} is out of range: {}", show_range(range)))
}

/// A range as people write it. (Used by [`params!`].)
pub fn show_range<T: Param>(range: &std::ops::RangeInclusive<T>) -> String {
    let (start, end) = (range.start().show(), range.end().show());
    if end == "inf" || end == u64::MAX.to_string() {
        format!("{start} or more")
    } else {
        format!("{start} to {end}")
    }
}

/// Reads a part written as a name with at most one number, such as `greedy(0.1)`.
///
/// # Errors
/// What is expected instead.
pub fn named(value: &Value, known: &[&str]) -> Result<(String, Option<f64>), String> {
    let Value::Spec(Spec { name, arguments }) = value else {
        return Err(format!("expected one of {}, not {value}", known.join(", ")));
    };
    if !known.contains(&name.as_str()) {
        return Err(unknown("choice", name, known.iter().copied()).0);
    }
    match arguments.as_slice() {
        [] => Ok((name.clone(), None)),
        [(_, number)] => f64::read(number).map(|number| (name.clone(), Some(number))),
        _ => Err(format!("{name} takes at most one parameter")),
    }
}

/// The number of such a part, or `default`, as a share of one.
///
/// # Errors
/// That it is not one.
pub fn share(name: &str, number: Option<f64>, default: f64) -> Result<f64, String> {
    match number {
        None => Ok(default),
        Some(n) if (0.0..=1.0).contains(&n) => Ok(n),
        Some(n) => Err(format!("{name}: {n} is not in 0..1")),
    }
}

/// The whole number in parentheses after a name, from 1 on, or what it is without.
///
/// # Errors
/// That it is not one.
pub fn whole(name: &str, number: Option<f64>, default: u32) -> Result<u32, String> {
    match number {
        None => Ok(default),
        Some(n) if n.fract() == 0.0 && (1.0..=1e9).contains(&n) => Ok(n as u32),
        Some(n) => Err(format!("{name}: {n} is not a whole number from 1 to 1000000000")),
    }
}

/// No parameters at all.
#[derive(Clone, Debug, Default)]
pub struct NoParams;

impl Params for NoParams {
    fn docs(&self) -> Vec<ParamDoc> {
        Vec::new()
    }

    fn set(&mut self, _: &str, _: &Value) -> Option<Result<(), String>> {
        None
    }
}

/// Declares a struct of parameters: one line a field, with its meaning, default and range. `with part: Part;` before them
/// takes in another such struct.
#[macro_export]
macro_rules! params {
    (
        $(#[doc = $summary:literal])*
        pub struct $struct:ident {
            $( with $part:ident: $Part:ty; )?
            $( $(#[doc = $doc:literal])+ pub $field:ident: $kind:ty = $default:expr $(, in $range:expr)? $(, was $old:literal)?; )*
        }
    ) => {
        $(#[doc = $summary])*
        #[derive(Clone, PartialEq, Debug)]
        pub struct $struct {
            $( pub $part: $Part, )?
            $( $(#[doc = $doc])+ pub $field: $kind, )*
        }

        impl Default for $struct {
            fn default() -> Self {
                $struct { $( $part: <$Part>::default(), )? $( $field: $default, )* }
            }
        }

        impl $crate::params::Params for $struct {
            const SUMMARY: &'static str = concat!($($summary),*).trim_ascii_start();

            fn docs(&self) -> Vec<$crate::params::ParamDoc> {
                use $crate::params::Param as _;
                #[allow(unused_mut, unused_assignments)]
                {
                    let mut docs = Vec::new();
                    $( docs.extend($crate::params::Params::docs(&self.$part)); )?
                    docs.extend([ $( {
                        let mut range: Option<String> = None;
                        $( range = Some($crate::params::show_range::<$kind>(&$range)); )?
                        let mut was: Option<&'static str> = None;
                        $( was = Some($old); )?
                        $crate::params::ParamDoc {
                            name: stringify!($field).into(),
                            kind: <$kind>::kind(),
                            default: self.$field.show(),
                            range,
                            doc: [$($doc),+].map(str::trim).join(" "),
                            was,
                        }
                    } ),* ]);
                    docs
                }
            }

            fn set(&mut self, name: &str, value: &$crate::spec::Value) -> Option<Result<(), String>> {
                use $crate::params::Param as _;
                match name {
                    $( stringify!($field) $(| $old)? => Some(<$kind>::read(value).and_then(|value| {
                        $( $crate::params::check_range::<$kind>(&value, &$range)?; )?
                        self.$field = value;
                        Ok(())
                    })), )*
                    _ => None $( .or_else(|| $crate::params::Params::set(&mut self.$part, name, value)) )?,
                }
            }
        }
    };
}
pub use crate::params;

/// Declares an enum of plain words as a parameter.
#[macro_export]
macro_rules! words {
    ($(#[$meta:meta])* $name:ident { $($(#[$doc:meta])* $variant:ident = $word:literal),+ $(,)? }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum $name { $($(#[$doc])* $variant),+ }

        impl $crate::params::Param for $name {
            fn kind() -> String { [$($word),+].join(" | ") }

            fn read(value: &$crate::spec::Value) -> Result<Self, String> {
                match value {
                    $( $crate::spec::Value::Spec(spec) if spec.name == $word && spec.arguments.is_empty() => {
                        Ok($name::$variant)
                    } )+
                    other => Err($crate::spec::unknown("choice", &other.to_string(), [$($word),+]).0),
                }
            }

            fn show(&self) -> String {
                match self { $($name::$variant => $word),+ }.to_owned()
            }
        }
    };
}
pub use crate::words;
