//! From text to the syntax tree: prefix (KIF) and infix (Prolog-like) rules.
//!
//! ```
//! use kibitz_lang::gdl::{Limits, parse};
//! use kibitz_lang::Source;
//!
//! let prefix = Source::new("game.kif", "(<= (legal ?r (mark ?x)) (role ?r) (not (true (cell ?x))))");
//! let infix = Source::new("game.gdl", "legal(R, mark(X)) :- role(R) & ~true(cell(X))");
//! let limits = Limits::default();
//! assert_eq!(
//!     parse(&prefix, &limits).unwrap().to_kif().to_lowercase(),
//!     parse(&infix, &limits).unwrap().to_kif().to_lowercase(),
//! );
//!
//! let broken = Source::new("game.kif", "(role white\n(role black)");
//! let findings = parse(&broken, &limits).unwrap_err();
//! assert_eq!((findings[0].code, broken.place(findings[0].span.start).line), ("unbalanced", 1));
//! ```

mod build;
mod infix;
mod laws;
mod lex;
mod prefix;
mod sizes;

use crate::gdl::syntax::{Rules, Symbol, Symbols, clauses, repair};
use crate::gdl::times;
use crate::source::{Finding, Source, Span};
use laws::{DISTINCT_HEAD, EMPTY, NOT_RULES, NOT_TEXT, STRAY, TOO_DEEP, TOO_LARGE, TOO_MANY_RULES};

/// How much of a file is accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The size of the file, in bytes. From 1; 16 MiB by default.
    pub bytes: usize,
    /// How deeply brackets may nest. From 1 to 500, whatever is asked for; 100 by default.
    pub depth: usize,
    /// The number of rules, and of clauses that they are split into. From 1; 500 000 by default.
    pub rules: usize,
    /// After how many errors the parser gives up. From 1; 50 by default.
    pub errors: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { bytes: 16 << 20, depth: 100, rules: 500_000, errors: 50 }
    }
}

/// What the functions that walk the tree can stand: they call themselves once for each level.
const DEEPEST: usize = 500;

/// How a reader raises a limit that a file has hit.
pub(crate) fn raise(limit: &str) -> String {
    format!("if it is right, raise the limit: (limit.{limit}=...) after the file's name")
}

/// How a file writes its rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// `(<= (legal ?r noop) (role ?r))`.
    Prefix,
    /// `legal(R, noop) :- role(R)`.
    Infix,
}

/// Reads a file's rules.
///
/// # Errors
/// What makes the text unreadable as rules, in the order of the file.
pub fn parse(source: &Source, limits: &Limits) -> Result<Rules, Vec<Finding>> {
    if source.bytes() > limits.bytes {
        let message = format!("the file is larger than {} bytes", limits.bytes);
        let finding = Finding::new(&TOO_LARGE, Span::default(), message);
        return Err(vec![finding.help(raise("bytes"))]);
    }
    if let Some(byte) = source.unreadable() {
        let at = source.text().len();
        let message = format!("byte {at} of the file, 0x{byte:02x}, is not part of any UTF-8 character");
        let help = "save the file as UTF-8; if it is packed (zip, gz), unpack it first";
        return Err(vec![Finding::new(&NOT_TEXT, Span::new(at, at), message).help(help)]);
    }
    let reading = match form(source.text()) {
        None => return Err(vec![empty()]),
        Some(Form::Prefix) => prefix::read(source, limits),
        Some(Form::Infix) => infix::read(source, limits),
    };
    let Reading { mut symbols, rules, errors, mut notes, .. } = reading;
    let odd = errors.first().or_else(|| notes.iter().find(|note| note.code == STRAY.code));
    let is_game =
        || rules.iter().any(|rule| Symbols::is_keyword(rule.head.name)) || mentions_rules(source.text());
    if let Some(first) = odd.filter(|_| !is_game()) {
        return Err(vec![not_rules(first)]);
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    if rules.is_empty() {
        return Err(vec![empty()]);
    }
    let oversize = sizes::check(&rules, &symbols);
    if !oversize.is_empty() {
        return Err(oversize.into_iter().take(limits.errors.max(1)).collect());
    }
    let clauses = clauses::from_rules(&rules, &mut symbols, limits.rules)?;
    let timed = times::is_timed(&clauses);
    let clauses = repair::repair(clauses, timed, &mut symbols, &mut notes);
    let mut rules = Rules { symbols, rules, clauses, notes, timed };
    if timed {
        times::unify_numbers(&mut rules);
    }
    Ok(rules)
}

fn empty() -> Finding {
    Finding::new(&EMPTY, Span::default(), "there are no rules in the file")
        .help("a game starts with its roles: `(role white)`, or `role(white)` in infix form")
}

/// Is there something in the text that looks like a part of rules, in one form or the other?
fn mentions_rules(text: &str) -> bool {
    let small = text.to_ascii_lowercase();
    ["(<=", ":-", "(role", "role(", "(init", "init(", "(legal", "legal("]
        .iter()
        .any(|part| small.contains(part))
}

/// The one thing to say about a file in which nothing is rules.
fn not_rules(first: &Finding) -> Finding {
    // These two say what is wrong better than a general remark does.
    if first.code == TOO_DEEP.code || first.code == TOO_MANY_RULES.code {
        return first.clone();
    }
    Finding::new(&NOT_RULES, first.span, format!("this is not a file of GDL rules: {}", first.message))
        .help(
            "rules look like `(role white)` and `(<= terminal (true (step 9)))`, or in infix form like \
               `role(white).` and `terminal :- true(step(9)).`",
        )
}

/// The form of a text; none where there is nothing but space and comments.
///
/// Prefix files start with a bracket. One that starts with a lone name is known by a keyword
/// that follows a bracket.
pub fn form(text: &str) -> Option<Form> {
    let mut start = None;
    for line in text.split(lex::LINE_ENDS) {
        let line = line.trim_start_matches(|c: char| c.is_whitespace() || c == lex::BYTE_ORDER_MARK);
        match line.chars().next() {
            None | Some(';' | '%') => {}
            Some(first) => {
                start = Some(first);
                break;
            }
        }
    }
    if start? == '(' {
        return Some(Form::Prefix);
    }
    let prefix = text.split('(').skip(1).any(|rest| {
        let rest = rest.trim_start();
        let word = rest.split(|c: char| c.is_whitespace() || "(),".contains(c)).next().unwrap_or_default();
        let followed = rest.get(word.len()..).is_some_and(|after| after.starts_with(char::is_whitespace));
        let keyword =
            ["<=", "role", "init", "legal", "next"].iter().any(|known| word.eq_ignore_ascii_case(known));
        keyword && followed
    });
    Some(if prefix { Form::Prefix } else { Form::Infix })
}

/// What a reader has gathered so far.
struct Reading<'a> {
    source: &'a Source,
    limits: Limits,
    symbols: Symbols,
    rules: Vec<crate::gdl::syntax::Rule>,
    errors: Vec<Finding>,
    notes: Vec<Finding>,
}

impl<'a> Reading<'a> {
    fn new(source: &'a Source, limits: &Limits) -> Reading<'a> {
        let limits = Limits { depth: limits.depth.clamp(1, DEEPEST), ..*limits };
        Reading {
            source,
            limits,
            symbols: Symbols::default(),
            rules: Vec::new(),
            errors: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// Is it time to stop?
    fn is_full(&self) -> bool {
        self.errors.len() >= self.limits.errors.max(1)
    }

    /// Keeps a rule, and says whether there is room for more.
    fn push(&mut self, rule: crate::gdl::syntax::Rule) -> bool {
        if rule.head.name == Symbol::DISTINCT {
            let message = "a rule says what is `distinct`: it is passed over";
            let finding = Finding::new(&DISTINCT_HEAD, rule.span, message);
            self.notes.push(finding.help("different terms are distinct already: leave the rule out"));
            return true;
        }
        if self.rules.len() < self.limits.rules {
            self.rules.push(rule);
            return true;
        }
        let message = format!("there are more than {} rules", self.limits.rules);
        let finding = Finding::new(&TOO_MANY_RULES, rule.span, message);
        self.errors.push(finding.help(raise("rules")));
        false
    }

    /// The finding for brackets that nest too deeply.
    fn too_deep(&self, span: Span) -> Finding {
        let message = format!("brackets nest more than {} deep here", self.limits.depth);
        Finding::new(&TOO_DEEP, span, message).help(format!("{}; {DEEPEST} at most", raise("depth")))
    }
}
