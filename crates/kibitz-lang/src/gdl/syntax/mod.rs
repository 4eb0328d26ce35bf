//! The syntax tree: what a rules file says, with the place of everything.
//!
//! A [`Rule`] is as written: its body may nest `and`, `or` and `not`. A [`Clause`] is what the later
//! phases work on: its body is a plain conjunction. The parser makes both; see [`clauses`] for how
//! the one becomes the other, and [`repair`] for what is put right on the way.
//!
//! ```
//! use kibitz_lang::gdl::{Limits, parse};
//! use kibitz_lang::Source;
//!
//! let source = Source::new("open.kif", "(<= open (or (true (cell b)) (true (cell c))))");
//! let rules = parse(&source, &Limits::default()).unwrap();
//! assert_eq!(rules.rules.len(), 1);
//! let clauses: Vec<String> = rules.clauses.iter().map(|clause| rules.show(clause)).collect();
//! assert_eq!(clauses, ["(<= open (true (cell b)))", "(<= open (true (cell c)))"]);
//! ```

pub mod clauses;
mod print;
pub mod repair;
mod symbols;

pub use print::Show;
pub use symbols::{Spelling, Symbol, Symbols};

use std::collections::BTreeSet;

use crate::source::{Finding, Span};

/// A rules file: the names, the rules as written, and the clauses that they mean.
#[derive(Clone, Debug, Default)]
pub struct Rules {
    /// All names.
    pub symbols: Symbols,
    /// The rules as written, in the file's order.
    pub rules: Vec<Rule>,
    /// The same as plain clauses, in the file's order; a rule's helpers come before it.
    pub clauses: Vec<Clause>,
    /// What the parser noticed but did not refuse; `check` reports it with the rest.
    pub notes: Vec<Finding>,
    /// Facts have lifetimes: the rules are rtGDL or rtGDL-II.
    pub timed: bool,
}

impl Rules {
    /// A part of the tree in prefix notation.
    pub fn show(&self, part: &impl Show) -> String {
        let mut text = String::new();
        part.show(&self.symbols, &mut text);
        text
    }

    /// Whether the rules say what each role is told (GDL-II), be it that nobody is ever told anything.
    pub fn has_percepts(&self) -> bool {
        self.rules.iter().any(|rule| rule.head.name == Symbol::SEES)
    }

    /// The fact in an atom of `init`, `true`, `next`, `base` or `expired`: what stands behind the lifetime, if any.
    pub fn fact<'a>(&self, atom: &'a Atom) -> Option<&'a Term> {
        match atom.name {
            Symbol::INIT | Symbol::TRUE | Symbol::NEXT if self.timed => atom.args.get(1),
            _ => atom.args.first(),
        }
    }

    /// All rules in prefix notation, one a line.
    pub fn to_kif(&self) -> String {
        self.rules.iter().map(|rule| self.show(rule) + "\n").collect()
    }

    /// The clauses in prefix notation, one a line: rules without `and`, `or` and nested `not`.
    pub fn clauses_to_kif(&self) -> String {
        self.clauses.iter().map(|clause| self.show(clause) + "\n").collect()
    }
}

/// An object of the game, a variable for one, or a structure of them.
#[derive(Clone, Debug)]
pub enum Term {
    /// A name or a number: `white`, `42`.
    Constant {
        /// The name.
        name: Symbol,
        /// Where it stands.
        span: Span,
    },
    /// A variable, local to its rule. Its symbol is spelt with the question mark.
    Variable {
        /// The name, spelt `?x`.
        name: Symbol,
        /// Where it stands.
        span: Span,
    },
    /// A function of terms: `(cell 1 ?y b)`. There is at least one argument.
    Compound {
        /// The function's name.
        name: Symbol,
        /// The arguments, at least one.
        args: Vec<Term>,
        /// Where it stands, brackets included.
        span: Span,
    },
}

/// A relation of terms: `(true (cell 1 1 b))`, `terminal`.
#[derive(Clone, Debug)]
pub struct Atom {
    /// The relation's name.
    pub name: Symbol,
    /// The arguments; none for a proposition.
    pub args: Vec<Term>,
    /// Where it stands, brackets included.
    pub span: Span,
}

/// A condition as written.
#[derive(Clone, Debug)]
pub enum Formula {
    /// It holds.
    Atom(Atom),
    /// Two terms differ.
    Distinct {
        /// The one.
        left: Term,
        /// The other.
        right: Term,
        /// Where the condition stands.
        span: Span,
    },
    /// It does not hold.
    Not {
        /// What does not hold.
        inner: Box<Formula>,
        /// Where the condition stands.
        span: Span,
    },
    /// All hold.
    And {
        /// The parts.
        parts: Vec<Formula>,
        /// Where the condition stands.
        span: Span,
    },
    /// One or more hold.
    Or {
        /// The parts.
        parts: Vec<Formula>,
        /// Where the condition stands.
        span: Span,
    },
}

/// A rule as written: the head holds where all of the body holds.
#[derive(Clone, Debug)]
pub struct Rule {
    /// What the rule gives.
    pub head: Atom,
    /// The conditions; none for a fact.
    pub body: Vec<Formula>,
    /// Where the rule stands.
    pub span: Span,
}

/// A condition of a clause.
#[derive(Clone, Debug)]
pub enum Literal {
    /// The atom holds.
    Positive(Atom),
    /// The atom does not hold.
    Negative(Atom),
    /// Two terms differ.
    Distinct {
        /// The one.
        left: Term,
        /// The other.
        right: Term,
        /// Where the condition stands.
        span: Span,
    },
}

/// A rule whose body is a conjunction of literals.
#[derive(Clone, Debug)]
pub struct Clause {
    /// What the clause gives.
    pub head: Atom,
    /// The conditions, in the order in which they were written; none for a fact.
    pub body: Vec<Literal>,
    /// The rule that it comes from: an index into [`Rules::rules`].
    pub rule: u32,
}

impl Term {
    /// Where it stands.
    pub fn span(&self) -> Span {
        match self {
            Term::Constant { span, .. } | Term::Variable { span, .. } | Term::Compound { span, .. } => {
                *span
            }
        }
    }

    /// The arguments; none unless it is compound.
    pub fn args(&self) -> &[Term] {
        match self {
            Term::Compound { args, .. } => args,
            _ => &[],
        }
    }

    /// Is there no variable in it?
    pub fn is_ground(&self) -> bool {
        match self {
            Term::Constant { .. } => true,
            Term::Variable { .. } => false,
            Term::Compound { args, .. } => args.iter().all(Term::is_ground),
        }
    }

    /// Calls `visit` with every variable in it, from left to right.
    pub fn each_variable(&self, visit: &mut impl FnMut(Symbol, Span)) {
        match self {
            Term::Constant { .. } => {}
            Term::Variable { name, span } => visit(*name, *span),
            Term::Compound { args, .. } => args.iter().for_each(|arg| arg.each_variable(visit)),
        }
    }

    /// Is it the same term, wherever it stands?
    pub fn same(&self, other: &Term) -> bool {
        match (self, other) {
            (Term::Constant { name: left, .. }, Term::Constant { name: right, .. })
            | (Term::Variable { name: left, .. }, Term::Variable { name: right, .. }) => left == right,
            (
                Term::Compound { name: left, args: these, .. },
                Term::Compound { name: right, args: those, .. },
            ) => left == right && same_terms(these, those),
            _ => false,
        }
    }
}

impl Atom {
    /// How many arguments there are.
    pub fn arity(&self) -> usize {
        self.args.len()
    }

    /// Is there no variable in it?
    pub fn is_ground(&self) -> bool {
        self.args.iter().all(Term::is_ground)
    }

    /// Calls `visit` with every variable in it, from left to right.
    pub fn each_variable(&self, visit: &mut impl FnMut(Symbol, Span)) {
        self.args.iter().for_each(|arg| arg.each_variable(visit));
    }

    /// Is it the same atom, wherever it stands?
    pub fn same(&self, other: &Atom) -> bool {
        self.name == other.name && same_terms(&self.args, &other.args)
    }
}

fn same_terms(these: &[Term], those: &[Term]) -> bool {
    these.len() == those.len() && these.iter().zip(those).all(|(this, that)| this.same(that))
}

impl Formula {
    /// Where it stands.
    pub fn span(&self) -> Span {
        match self {
            Formula::Atom(atom) => atom.span,
            Formula::Distinct { span, .. }
            | Formula::Not { span, .. }
            | Formula::And { span, .. }
            | Formula::Or { span, .. } => *span,
        }
    }
}

impl Literal {
    /// Where it stands.
    pub fn span(&self) -> Span {
        match self {
            Literal::Positive(atom) | Literal::Negative(atom) => atom.span,
            Literal::Distinct { span, .. } => *span,
        }
    }

    /// The atom, negated or not; `distinct` has none.
    pub fn atom(&self) -> Option<&Atom> {
        match self {
            Literal::Positive(atom) | Literal::Negative(atom) => Some(atom),
            Literal::Distinct { .. } => None,
        }
    }

    /// Calls `visit` with every variable in it, from left to right.
    pub fn each_variable(&self, visit: &mut impl FnMut(Symbol, Span)) {
        match self {
            Literal::Positive(atom) | Literal::Negative(atom) => atom.each_variable(visit),
            Literal::Distinct { left, right, .. } => {
                left.each_variable(visit);
                right.each_variable(visit);
            }
        }
    }
}

impl Clause {
    /// The variables that positive conditions give values to.
    pub fn bound(&self) -> BTreeSet<Symbol> {
        let mut bound = BTreeSet::new();
        for literal in &self.body {
            if let Literal::Positive(atom) = literal {
                atom.each_variable(&mut |name, _| {
                    bound.insert(name);
                });
            }
        }
        bound
    }

    /// Do positive conditions give values to all variables of the head?
    pub fn binds_its_head(&self) -> bool {
        let bound = self.bound();
        let mut all = true;
        self.head.each_variable(&mut |name, _| all &= bound.contains(&name));
        all
    }

    /// Does it say something without conditions?
    pub fn is_fact(&self) -> bool {
        self.body.is_empty()
    }
}
