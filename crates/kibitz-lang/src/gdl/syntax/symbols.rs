//! Names as numbers: compared without regard to letter case, shown as first spelt.

use std::collections::HashMap;

use crate::source::Span;

/// A name in a [`Symbols`] table. Keywords have fixed numbers in every table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Symbol(pub u32);

/// The language's words, in the order of the constants of [`Symbol`].
const KEYWORDS: [&str; 19] = [
    "role", "init", "true", "does", "next", "legal", "goal", "terminal", "sees", "base", "input", "random",
    "distinct", "not", "and", "or", "tuple", "expired", "infinity",
];

impl Symbol {
    /// `(role white)`: who plays.
    pub const ROLE: Symbol = Symbol(0);
    /// `(init fact)`: true at the start.
    pub const INIT: Symbol = Symbol(1);
    /// `(true fact)`: true now.
    pub const TRUE: Symbol = Symbol(2);
    /// `(does role move)`: moved now.
    pub const DOES: Symbol = Symbol(3);
    /// `(next fact)`: true after the moves.
    pub const NEXT: Symbol = Symbol(4);
    /// `(legal role move)`: may be moved now.
    pub const LEGAL: Symbol = Symbol(5);
    /// `(goal role score)`: worth to a role now.
    pub const GOAL: Symbol = Symbol(6);
    /// `terminal`: over now.
    pub const TERMINAL: Symbol = Symbol(7);
    /// `(sees role percept)`, GDL-II: told after the moves.
    pub const SEES: Symbol = Symbol(8);
    /// `(base fact)`: may ever be true. A hint for grounding, not part of the first language.
    pub const BASE: Symbol = Symbol(9);
    /// `(input role move)`: may ever be legal. A hint as `base` is.
    pub const INPUT: Symbol = Symbol(10);
    /// The role of GDL-II that moves uniformly.
    pub const RANDOM: Symbol = Symbol(11);
    /// `(distinct one other)`.
    pub const DISTINCT: Symbol = Symbol(12);
    /// `(not condition)`.
    pub const NOT: Symbol = Symbol(13);
    /// `(and condition...)`.
    pub const AND: Symbol = Symbol(14);
    /// `(or condition...)`.
    pub const OR: Symbol = Symbol(15);
    /// The function that the infix form writes without a name: `(a, b)`.
    pub const TUPLE: Symbol = Symbol(16);
    /// `(expired fact)`, of real-time rules: its lifetime is over.
    pub const EXPIRED: Symbol = Symbol(17);
    /// The lifetime of what never expires, in real-time rules.
    pub const INFINITY: Symbol = Symbol(18);
}

/// A second way in which a name is spelt.
#[derive(Clone, Debug)]
pub struct Spelling {
    /// The name.
    pub symbol: Symbol,
    /// How it is spelt here.
    pub text: String,
    /// Where it is spelt so for the first time.
    pub span: Span,
}

/// All names of a rules file.
#[derive(Clone, Debug)]
pub struct Symbols {
    /// As shown.
    names: Vec<String>,
    /// Where and how each was first spelt in the file; none for keywords that do not occur and for
    /// names that the parser made up.
    first: Vec<Option<(String, Span)>>,
    /// Other spellings than the first.
    others: Vec<Spelling>,
    by_lower: HashMap<String, Symbol>,
}

impl Default for Symbols {
    fn default() -> Symbols {
        let mut symbols =
            Symbols { names: Vec::new(), first: Vec::new(), others: Vec::new(), by_lower: HashMap::new() };
        for keyword in KEYWORDS {
            symbols.add(keyword.to_string(), keyword.to_string());
        }
        symbols
    }
}

impl Symbols {
    fn add(&mut self, lower: String, name: String) -> Symbol {
        let symbol = Symbol(u32::try_from(self.names.len()).unwrap_or(u32::MAX));
        self.names.push(name);
        self.first.push(None);
        self.by_lower.insert(lower, symbol);
        symbol
    }

    /// The symbol of a name that stands in the file. Variables are spelt with their question mark.
    ///
    /// ```
    /// use kibitz_lang::gdl::syntax::{Symbol, Symbols};
    /// use kibitz_lang::{Source, source::Span};
    /// let mut symbols = Symbols::default();
    /// let cell = symbols.intern("Cell", Span::new(1, 5));
    /// assert_eq!(symbols.intern("CELL", Span::new(9, 13)), cell);
    /// assert_eq!(symbols.name(cell), "Cell");
    /// assert_eq!(symbols.intern("TRUE", Span::new(14, 18)), Symbol::TRUE);
    /// ```
    pub fn intern(&mut self, text: &str, span: Span) -> Symbol {
        let lower = text.to_lowercase();
        let symbol = match self.by_lower.get(&lower) {
            Some(symbol) => *symbol,
            None => self.add(lower, text.to_string()),
        };
        match &self.first[symbol.0 as usize] {
            None => self.first[symbol.0 as usize] = Some((text.to_string(), span)),
            Some((first, _)) if first == text => {}
            Some(_) => {
                let known = |other: &Spelling| other.symbol == symbol && other.text == text;
                if self.others.len() < MOST_SPELLINGS && !self.others.iter().any(known) {
                    self.others.push(Spelling { symbol, text: text.to_string(), span });
                }
            }
        }
        symbol
    }

    /// A new symbol that no name of the file has: `stem`, or `stem` with a number.
    pub fn fresh(&mut self, stem: &str) -> Symbol {
        let lower = stem.to_lowercase();
        let mut number = self.names.len();
        let mut name = format!("{lower}_{number}");
        while self.by_lower.contains_key(&name) {
            number += 1;
            name = format!("{lower}_{number}");
        }
        self.add(name.clone(), name)
    }

    /// The symbol of a name, if the file or the language has it.
    pub fn find(&self, text: &str) -> Option<Symbol> {
        self.by_lower.get(&text.to_lowercase()).copied()
    }

    /// How the name is shown: as first spelt in the file, keywords in small letters.
    pub fn name(&self, symbol: Symbol) -> &str {
        self.names.get(symbol.0 as usize).map_or("?", String::as_str)
    }

    /// Where and how the name is first spelt in the file; none for names that the parser made up.
    pub fn first(&self, symbol: Symbol) -> Option<(&str, Span)> {
        self.first.get(symbol.0 as usize)?.as_ref().map(|(text, span)| (text.as_str(), *span))
    }

    /// Spellings that differ from the first one in letter case.
    pub fn other_spellings(&self) -> &[Spelling] {
        &self.others
    }

    /// How many there are; symbols are numbered from 0.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// By symbol: its place among all, numbers by their value first, then names by their letters.
    pub fn ranks(&self) -> Vec<u32> {
        let number = |name: &str| name.parse::<i64>().ok();
        let mut order: Vec<(Option<i64>, &str, usize)> = self
            .names
            .iter()
            .enumerate()
            .map(|(symbol, name)| (number(name), name.as_str(), symbol))
            .collect();
        order.sort_unstable_by_key(|(number, name, _)| (number.is_none(), *number, *name));
        let mut ranks = vec![0; order.len()];
        for (rank, (_, _, symbol)) in order.into_iter().enumerate() {
            ranks[symbol] = rank as u32;
        }
        ranks
    }

    /// Is there none? Never: the keywords are always there.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// How many arguments a keyword that names a relation has; none for other names. In rules that are `timed`, a
    /// lifetime comes before a fact.
    pub fn arity(symbol: Symbol, timed: bool) -> Option<usize> {
        match symbol {
            Symbol::INIT | Symbol::TRUE | Symbol::NEXT if timed => Some(2),
            Symbol::EXPIRED if timed => Some(1),
            Symbol::TERMINAL => Some(0),
            Symbol::ROLE | Symbol::INIT | Symbol::TRUE | Symbol::NEXT | Symbol::BASE => Some(1),
            Symbol::DOES | Symbol::LEGAL | Symbol::GOAL | Symbol::SEES | Symbol::INPUT => Some(2),
            _ => None,
        }
    }

    /// Is it a word of the language?
    pub fn is_keyword(symbol: Symbol) -> bool {
        (symbol.0 as usize) < KEYWORDS.len()
    }
}

/// Enough to warn of; it bounds the time that a file of nothing but odd spellings takes.
const MOST_SPELLINGS: usize = 64;
