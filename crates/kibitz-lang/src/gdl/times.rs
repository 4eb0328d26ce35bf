//! Time in rules: real-time GDL (rtGDL), in which every fact has a lifetime.
//!
//! A lifetime is a decimal number above zero, or `infinity`. Inside it is a whole number of ticks, a millionth of a unit
//! each, so that time that goes by is taken off exactly, and a lifetime that is copied is the same lifetime.
//!
//! ```
//! use kibitz_lang::gdl::times::{FOREVER, lifetime, shown};
//! assert_eq!(lifetime("2.5"), Ok(2_500_000));
//! assert_eq!(lifetime("infinity"), Ok(FOREVER));
//! assert_eq!(lifetime("0.0000001").unwrap_err(), "is finer than a millionth");
//! assert_eq!(shown(2_500_000), "2.5");
//! ```

use std::collections::HashMap;

use super::syntax::{Atom, Clause, Formula, Literal, Rules, Symbol, Symbols, Term};

/// So many ticks are a unit of lifetime.
pub const TICKS: u64 = 1_000_000;

/// The lifetime of what never expires.
pub const FOREVER: u64 = u64::MAX;

/// No lifetime is longer than so many units, unless it is infinite: some 30,000 years of seconds.
const LONGEST: u64 = 1_000_000_000_000;

/// The ticks of a lifetime as it is written; 0 for a zero, which is none.
///
/// # Errors
/// Why the word is no lifetime: the end of a sentence that begins with it.
pub fn lifetime(word: &str) -> Result<u64, &'static str> {
    if word.eq_ignore_ascii_case("infinity") {
        return Ok(FOREVER);
    }
    let Some(decimal) = Decimal::read(word) else { return Err("is not a number") };
    if decimal.negative && !decimal.is_zero() {
        return Err("is negative");
    }
    if decimal.fraction.len() > 6 {
        return Err("is finer than a millionth");
    }
    let whole: u64 =
        if decimal.whole.is_empty() { Ok(0) } else { decimal.whole.parse() }.unwrap_or(u64::MAX);
    if whole > LONGEST {
        return Err("is too long: a million million is the most, but for `infinity`");
    }
    let fraction: u64 = format!("{:0<6}", decimal.fraction).parse().unwrap_or(0);
    Ok(whole * TICKS + fraction)
}

/// Whether a word is a number above zero, or `infinity`.
pub fn is_lifetime(word: &str) -> bool {
    lifetime(word).is_ok_and(|ticks| ticks > 0)
}

/// A lifetime as it would be written in rules.
pub fn shown(ticks: u64) -> String {
    if ticks == FOREVER {
        return "infinity".to_owned();
    }
    let fraction = format!("{:06}", ticks % TICKS);
    let text = format!("{}.{}", ticks / TICKS, fraction.trim_end_matches('0'));
    text.trim_end_matches('.').to_owned()
}

/// A decimal number without the zeros that mean nothing.
#[derive(PartialEq, Eq, Hash)]
struct Decimal<'a> {
    negative: bool,
    whole: &'a str,
    fraction: &'a str,
}

impl<'a> Decimal<'a> {
    fn read(word: &'a str) -> Option<Decimal<'a>> {
        let (negative, digits) = match word.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, word.strip_prefix('+').unwrap_or(word)),
        };
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, "0"));
        let is_digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        if !is_digits(fraction) || !(is_digits(whole) || whole.is_empty() && digits.len() > 1) {
            return None;
        }
        Some(Decimal {
            negative,
            whole: whole.trim_start_matches('0'),
            fraction: fraction.trim_end_matches('0'),
        })
    }

    fn is_zero(&self) -> bool {
        self.whole.is_empty() && self.fraction.is_empty()
    }
}

/// Whether rules are real-time rules: `true`, `init` and `next` have a lifetime and a fact, more often than a fact alone.
/// (`next` with two arguments in a condition is a relation of the author's own.) Who asks what `expired` means it, too,
/// unless facts have no lifetimes anywhere.
pub fn is_timed(clauses: &[Clause]) -> bool {
    let (mut plain, mut timed, mut expired) = (0, 0, false);
    let mut count = |atom: &Atom| match (atom.name, atom.arity()) {
        (Symbol::TRUE | Symbol::INIT | Symbol::NEXT, 1) => plain += 1,
        (Symbol::TRUE | Symbol::INIT | Symbol::NEXT, 2) => timed += 1,
        _ => {}
    };
    let own = |name: Symbol| {
        let mut conditions = clauses.iter().flat_map(|clause| &clause.body).filter_map(Literal::atom);
        name != Symbol::TRUE && conditions.any(|atom| atom.name == name && atom.arity() == 2)
    };
    let [own_init, own_next] = [own(Symbol::INIT), own(Symbol::NEXT)];
    for clause in clauses {
        let reused = clause.head.arity() == 2
            && (clause.head.name == Symbol::INIT && own_init
                || clause.head.name == Symbol::NEXT && own_next);
        if !reused {
            count(&clause.head);
        }
        for atom in clause.body.iter().filter_map(Literal::atom) {
            if atom.name == Symbol::TRUE {
                count(atom);
            }
            expired |= atom.name == Symbol::EXPIRED;
        }
    }
    timed > plain || timed > 0 && expired
}

/// Whether chance may have a move that it makes after a while: one whose first argument is, or may be, a number above
/// zero.
pub fn may_delay(rules: &Rules) -> bool {
    let is_random = |term: &Term| matches!(term, Term::Constant { name, .. } if *name == Symbol::RANDOM);
    let plays = |head: &Atom| head.name == Symbol::ROLE && head.args.iter().any(is_random);
    if !rules.clauses.iter().any(|clause| plays(&clause.head)) {
        return false;
    }
    let moves = rules.clauses.iter().filter(|clause| clause.head.name == Symbol::LEGAL);
    moves.map(|clause| &clause.head.args[..]).any(|args| match args {
        [Term::Constant { name, .. }, _] if *name != Symbol::RANDOM => false,
        [_, Term::Constant { .. }] => false,
        [_, Term::Compound { args, .. }] => match args.first() {
            Some(Term::Constant { name, .. }) => is_lifetime(rules.symbols.name(*name)),
            first => matches!(first, Some(Term::Variable { .. })),
        },
        _ => true,
    })
}

/// Makes one name of the spellings of a number, the shortest: 6.0 is the same lifetime as 6, and so the same anywhere.
pub fn unify_numbers(rules: &mut Rules) {
    let mut first: HashMap<String, Symbol> = HashMap::new();
    let all: Vec<Symbol> = (0..rules.symbols.len() as u32).map(Symbol).collect();
    let mut same: HashMap<Symbol, Symbol> = HashMap::new();
    for symbol in all {
        let Some(number) = Decimal::read(rules.symbols.name(symbol)) else { continue };
        let sign = if number.negative && !number.is_zero() { "-" } else { "" };
        let whole = if number.whole.is_empty() { "0" } else { number.whole };
        let point = if number.fraction.is_empty() { "" } else { "." };
        let text = format!("{sign}{whole}{point}{}", number.fraction);
        let known = *first.entry(text.clone()).or_insert(symbol);
        if known != symbol {
            same.insert(symbol, known);
        } else if rules.symbols.name(symbol) != text {
            rules.symbols.respell(symbol, text);
        }
    }
    if same.is_empty() {
        return;
    }
    for rule in &mut rules.rules {
        rule.head.args.iter_mut().for_each(|arg| rename(arg, &same));
        rule.body.iter_mut().for_each(|formula| rename_in(formula, &same));
    }
    for clause in &mut rules.clauses {
        clause.head.args.iter_mut().for_each(|arg| rename(arg, &same));
        for literal in &mut clause.body {
            match literal {
                Literal::Positive(atom) | Literal::Negative(atom) => {
                    atom.args.iter_mut().for_each(|arg| rename(arg, &same));
                }
                Literal::Distinct { left, right, .. } => {
                    rename(left, &same);
                    rename(right, &same);
                }
            }
        }
    }
}

fn rename_in(formula: &mut Formula, same: &HashMap<Symbol, Symbol>) {
    match formula {
        Formula::Atom(atom) => atom.args.iter_mut().for_each(|arg| rename(arg, same)),
        Formula::Distinct { left, right, .. } => {
            rename(left, same);
            rename(right, same);
        }
        Formula::Not { inner, .. } => rename_in(inner, same),
        Formula::And { parts, .. } | Formula::Or { parts, .. } => {
            parts.iter_mut().for_each(|part| rename_in(part, same));
        }
    }
}

fn rename(term: &mut Term, same: &HashMap<Symbol, Symbol>) {
    match term {
        Term::Constant { name, .. } => *name = same.get(name).copied().unwrap_or(*name),
        Term::Variable { .. } => {}
        Term::Compound { args, .. } => args.iter_mut().for_each(|arg| rename(arg, same)),
    }
}

/// Lifetimes as names: those that stand in the rules have theirs, others get numbers behind all names, for as long as one
/// state is thought about.
#[derive(Clone, Debug, Default)]
pub struct Lifetimes {
    /// By symbol of the rules: its ticks, where it is a number from 0 on or `infinity`.
    written: Vec<Option<u64>>,
    symbols: HashMap<u64, Symbol>,
    /// Those that do not stand in the rules.
    met: Vec<u64>,
    numbers: HashMap<u64, u32>,
}

impl Lifetimes {
    /// Those of some rules.
    pub fn of(symbols: &Symbols) -> Lifetimes {
        let ticks = |number: usize| lifetime(symbols.name(Symbol(number as u32))).ok();
        let written: Vec<Option<u64>> = (0..symbols.len()).map(ticks).collect();
        let mut known = HashMap::new();
        for (number, ticks) in written.iter().enumerate() {
            // The spellings of a number are one name: the first.
            if let Some(ticks) = ticks {
                known.entry(*ticks).or_insert(Symbol(number as u32));
            }
        }
        Lifetimes { written, symbols: known, ..Lifetimes::default() }
    }

    /// Forgets those that do not stand in the rules.
    pub fn forget(&mut self) {
        self.met.clear();
        self.numbers.clear();
    }

    /// The name of a lifetime.
    pub fn symbol(&mut self, ticks: u64) -> Symbol {
        if let Some(known) = self.symbols.get(&ticks) {
            return *known;
        }
        let number = *self.numbers.entry(ticks).or_insert_with(|| {
            self.met.push(ticks);
            self.met.len() as u32 - 1
        });
        Symbol(self.written.len() as u32 + number)
    }

    /// The lifetime of a name, where it is one.
    pub fn ticks(&self, symbol: Symbol) -> Option<u64> {
        self.met_as(symbol).or_else(|| *self.written.get(symbol.0 as usize)?)
    }

    /// The lifetime that a name stands for which does not stand in the rules.
    pub fn met_as(&self, symbol: Symbol) -> Option<u64> {
        let number = (symbol.0 as usize).checked_sub(self.written.len())?;
        self.met.get(number).copied()
    }
}
