//! Real-time rules made into rules of turns, so that they can be ground: lifetimes leave the rules and become slots.
//!
//! A network has no place for numbers that change from moment to moment. But the rules do not calculate with lifetimes,
//! they only copy them: so each rule says where the lifetime that it gives comes from, and that is all that has to be
//! ground. `(next ?t clock) <= (true infinity (timer white ?t))` becomes, for whoever runs the rules: fill the slot of
//! `clock` with what the slot in `(timer white *)` holds.
//!
//! | in the rules | becomes |
//! |---|---|
//! | `(true infinity f)`, `(expired f)` | `(true (lasts f))`, `(true (gone f))` |
//! | `(true ?t f)` | `(true (lasts f))` or `(true (timed f))`, a rule for each |
//! | `(next infinity f)` | `(next (lasts f))` |
//! | `(next 2.5 f)` | `(next (set f 2.5))` |
//! | `(next ?t f)` where `(true ?t g)` | `(next (set f (slot 0 timed g 0)))`: what the lifetime of g is |
//! | a lifetime as a fact's argument | `*` in the fact; behind the lifetime in `set`, where its value comes from |
//! | nothing is done | a move of its own, which no rule for `does` takes for a move |
//!
//! That cannot be done where lifetimes are compared with anything, or leave the state by way of other relations; then
//! the reasoner runs the rules as they are.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::syntax::{Atom, Clause, Literal, Rules, Symbol, Term};
use super::times::lifetime;
use crate::source::Span;

/// Rules of turns, and the names that stand for time in them.
pub struct Slotted {
    /// The rules.
    pub rules: Rules,
    /// The names.
    pub words: Words,
}

/// The names that stand for time. No name of the file is spelt so.
#[derive(Clone, Debug)]
pub struct Words {
    /// `(lasts fact)`: it holds for ever.
    pub lasts: Symbol,
    /// `(timed fact)`: it holds for a while.
    pub timed: Symbol,
    /// `(gone fact)`: it has just expired.
    pub gone: Symbol,
    /// `(set fact lifetime argument...)`: it is to hold with these values.
    pub set: Symbol,
    /// `(slot condition kind fact place)`: the value at a place of a fact that a condition asks for; place 0 is the lifetime.
    pub slot: Symbol,
    /// Stands in a fact for a lifetime.
    pub any: Symbol,
    /// The move that is none.
    pub nothing: Symbol,
    /// 0, 1, 2 and so on.
    pub numbers: Vec<Symbol>,
}

/// A fact's name and how many arguments it has; nothing for a variable, which may be any fact.
type Kind = Option<(Symbol, usize)>;

/// Where a variable gets a lifetime from: the number of a condition, and the place there; 0 is the lifetime of its fact.
#[derive(Clone, Copy)]
struct Origin {
    condition: usize,
    place: usize,
}

/// What is known of the places where lifetimes stand.
#[derive(Default)]
struct Places {
    /// Arguments of facts that lifetimes are copied to: name, arguments, number.
    data: BTreeSet<(Symbol, usize, usize)>,
    /// Whether facts of a kind may last, and whether they may expire.
    kinds: BTreeMap<Kind, [bool; 2]>,
    /// `infinity` stands elsewhere than where lifetimes do, so that any variable may be it.
    spread: bool,
}

/// No rule is made into more than this many.
const MOST: usize = 64;

fn kind(fact: &Term) -> Kind {
    match fact {
        Term::Constant { name, .. } => Some((*name, 0)),
        Term::Compound { name, args, .. } => Some((*name, args.len())),
        Term::Variable { .. } => None,
    }
}

fn constant(name: Symbol) -> Term {
    Term::Constant { name, span: Span::default() }
}

fn compound(name: Symbol, args: Vec<Term>) -> Term {
    Term::Compound { name, args, span: Span::default() }
}

fn is_infinity(term: &Term) -> bool {
    matches!(term, Term::Constant { name: Symbol::INFINITY, .. })
}

/// The lifetime and the fact of an atom of `true`, `init` or `next`.
fn timed(atom: &Atom) -> Option<(&Term, &Term)> {
    match (&atom.args[..], atom.name) {
        ([lifetime, fact], Symbol::TRUE | Symbol::INIT | Symbol::NEXT) => Some((lifetime, fact)),
        _ => None,
    }
}

/// The fact of an atom of `true` or `expired`.
fn asked(atom: &Atom) -> Option<&Term> {
    match (&atom.args[..], atom.name) {
        ([_, fact], Symbol::TRUE) | ([fact], Symbol::EXPIRED) => Some(fact),
        _ => None,
    }
}

impl Places {
    /// The variables of a clause that take lifetimes from conditions; the last condition, where one does several times.
    fn origins(&self, clause: &Clause) -> HashMap<Symbol, Origin> {
        let mut origins = HashMap::new();
        for (condition, literal) in clause.body.iter().enumerate() {
            let Literal::Positive(atom) = literal else { continue };
            if let (Symbol::TRUE, Some((Term::Variable { name, .. }, _))) = (atom.name, timed(atom)) {
                origins.insert(*name, Origin { condition, place: 0 });
            }
            let Some(fact) = asked(atom) else { continue };
            for (number, arg) in fact.args().iter().enumerate() {
                if let (true, Term::Variable { name, .. }) = (self.is_data(fact, number), arg) {
                    origins.insert(*name, Origin { condition, place: number + 1 });
                }
            }
        }
        origins
    }

    fn is_data(&self, fact: &Term, number: usize) -> bool {
        kind(fact).is_some_and(|(name, arity)| self.data.contains(&(name, arity, number)))
    }

    /// Whether facts of a kind may last, and whether they may expire.
    fn may(&self, kind: Kind) -> [bool; 2] {
        let join = |[a, b]: [bool; 2], [c, d]: &[bool; 2]| [a | c, b | d];
        match kind {
            None => self.kinds.values().fold([false; 2], join),
            _ => [kind, None].iter().filter_map(|kind| self.kinds.get(kind)).fold([false; 2], join),
        }
    }

    /// Follows lifetimes through the rules until nothing is new.
    fn find(rules: &Rules) -> Places {
        let mut places = Places { spread: rules.clauses.iter().any(spreads_infinity), ..Places::default() };
        loop {
            let mut new = false;
            for clause in &rules.clauses {
                let gives = matches!(clause.head.name, Symbol::INIT | Symbol::NEXT);
                let Some((given, fact)) = timed(&clause.head).filter(|_| gives) else { continue };
                let origins = places.origins(clause);
                for (number, arg) in fact.args().iter().enumerate() {
                    let Term::Variable { name, .. } = arg else { continue };
                    if let (Some((functor, arity)), true) = (kind(fact), origins.contains_key(name)) {
                        new |= places.data.insert((functor, arity, number));
                    }
                }
                let may = match given {
                    Term::Constant { name: Symbol::INFINITY, .. } => [true, false],
                    Term::Variable { name, .. } => match origins.get(name) {
                        Some(Origin { condition, place: 0 }) => {
                            let asked = clause.body[*condition].atom().and_then(asked);
                            asked.map_or([true; 2], |fact| places.may(kind(fact)))
                        }
                        Some(_) => [false, true],
                        None => [places.spread, true],
                    },
                    _ => [false, true],
                };
                let known = places.kinds.entry(kind(fact)).or_default();
                let both = [known[0] | may[0], known[1] | may[1]];
                new |= *known != both;
                *known = both;
            }
            if !new {
                return places;
            }
        }
    }
}

/// Whether a clause has `infinity` as an argument like any other: not as a lifetime, nor compared with one.
fn spreads_infinity(clause: &Clause) -> bool {
    fn within(term: &Term) -> bool {
        is_infinity(term) || term.args().iter().any(within)
    }
    let body = clause.body.iter().filter_map(Literal::atom);
    body.chain([&clause.head])
        .any(|atom| atom.args[usize::from(timed(atom).is_some())..].iter().any(within))
}

/// Makes rules of turns of real-time rules.
///
/// # Errors
/// Why their lifetimes cannot be slots, in a sentence.
pub fn slotted(rules: &Rules) -> Result<Slotted, String> {
    let mut symbols = rules.symbols.clone();
    let arguments = rules.clauses.iter().flat_map(|clause| {
        let body = clause.body.iter().filter_map(Literal::atom);
        body.chain([&clause.head]).flat_map(|atom| atom.args.iter().map(|arg| arg.args().len()))
    });
    let most = arguments.chain(rules.clauses.iter().map(|clause| clause.body.len())).max().unwrap_or(0);
    let mut fresh = |name: &str| symbols.fresh(name);
    let words = Words {
        lasts: fresh("lasts"),
        timed: fresh("timed"),
        gone: fresh("gone"),
        set: fresh("set"),
        slot: fresh("slot"),
        any: fresh("any"),
        nothing: fresh("nothing"),
        numbers: (0..=most + 1).map(|_| fresh("number")).collect(),
    };
    let places = Places::find(rules);
    let mut rewriter =
        Rewriter { rules, places: &places, words: &words, clauses: Vec::new(), widths: BTreeSet::new() };
    for clause in &rules.clauses {
        rewriter.rewrite(clause).map_err(|why| {
            let head =
                rules.rules.get(clause.rule as usize).map_or(String::new(), |rule| rules.show(&rule.head));
            format!("{why} (in a rule for {head})")
        })?;
    }
    rewriter.finish(&mut || fresh("?v"));
    let clauses = rewriter.clauses;
    let rules = Rules {
        symbols,
        clauses,
        rules: rules.rules.clone(),
        timed: false,
        outside: true,
        notes: Vec::new(),
    };
    Ok(Slotted { rules, words })
}

struct Rewriter<'a> {
    rules: &'a Rules,
    places: &'a Places,
    words: &'a Words,
    clauses: Vec<Clause>,
    /// How many values facts have that are set.
    widths: BTreeSet<usize>,
}

impl Rewriter<'_> {
    fn rewrite(&mut self, clause: &Clause) -> Result<(), String> {
        let origins = self.places.origins(clause);
        self.refuse(clause, &origins)?;
        // Each condition with a variable for a lifetime asks for what lasts, or for what does not.
        let mut choices: Vec<Vec<Option<bool>>> = vec![Vec::new()];
        for literal in &clause.body {
            let open = match literal {
                Literal::Positive(atom) if atom.name == Symbol::TRUE => timed(atom),
                _ => None,
            };
            let options = match open {
                Some((Term::Variable { .. }, fact)) => {
                    let [lasts, expires] = self.places.may(kind(fact));
                    [(lasts, Some(true)), (expires, Some(false))]
                        .into_iter()
                        .filter(|(may, _)| *may)
                        .map(|(_, is)| is)
                        .collect()
                }
                _ => vec![None],
            };
            choices = choices
                .iter()
                .flat_map(|before| options.iter().map(|is| [&before[..], &[*is]].concat()))
                .collect();
            if choices.len() > MOST {
                return Err("its conditions ask for too many facts that may last or expire".to_owned());
            }
        }
        choices.iter().try_for_each(|choice| self.make(clause, &origins, choice))
    }

    /// Refuses what is more than to copy lifetimes.
    fn refuse(&self, clause: &Clause, origins: &HashMap<Symbol, Origin>) -> Result<(), String> {
        let compared = |name: Symbol| {
            format!("the lifetime {} is compared with something", self.rules.symbols.name(name))
        };
        let mut uses: HashMap<Symbol, usize> = HashMap::new();
        for literal in &clause.body {
            match literal {
                // Whether it is infinite is known.
                Literal::Distinct { left, right, .. } if is_infinity(left) || is_infinity(right) => {
                    for term in [left, right] {
                        if let Term::Variable { name, .. } = term
                            && origins.get(name).is_some_and(|origin| origin.place > 0)
                        {
                            return Err(compared(*name));
                        }
                    }
                }
                _ => literal.each_variable(&mut |name, _| *uses.entry(name).or_default() += 1),
            }
            let Some(atom) = literal.atom() else { continue };
            if let (Symbol::TRUE, Some((Term::Constant { .. } | Term::Compound { .. }, _))) =
                (atom.name, timed(atom))
                && !is_infinity(&atom.args[0])
            {
                return Err("a condition asks for a certain lifetime".to_owned());
            }
            let Some(fact) = asked(atom) else { continue };
            if kind(fact).is_none() && !self.places.data.is_empty() {
                return Err(
                    "a variable stands for a whole fact, and some facts have lifetimes as arguments"
                        .to_owned(),
                );
            }
            let negative = matches!(literal, Literal::Negative(_));
            if negative && atom.name == Symbol::TRUE && !is_infinity(&atom.args[0]) {
                return Err("a negated condition asks for a certain lifetime".to_owned());
            }
            for (number, arg) in
                fact.args().iter().enumerate().filter(|(number, _)| self.places.is_data(fact, *number))
            {
                if negative || !matches!(arg, Term::Variable { .. }) {
                    let what = self.rules.show(fact);
                    return Err(format!(
                        "argument {} of {what}, a lifetime, is compared with something",
                        number + 1
                    ));
                }
            }
        }
        if let Some(name) = origins.keys().filter(|name| uses.get(name).is_some_and(|uses| *uses > 1)).min()
        {
            return Err(compared(*name));
        }
        // In the head, only the lifetime and the arguments of a fact take them.
        let gives = matches!(clause.head.name, Symbol::INIT | Symbol::NEXT);
        let taken = |term: &Term| gives && matches!(term, Term::Variable { .. });
        for (place, arg) in clause.head.args.iter().enumerate() {
            let inner = if place == 1 { arg.args() } else { &[] };
            let outer =
                if place == 0 && taken(arg) || !inner.is_empty() { &[] } else { std::slice::from_ref(arg) };
            let mut loose = None;
            for term in outer.iter().chain(inner.iter().filter(|term| !taken(term))) {
                term.each_variable(&mut |name, _| {
                    loose = loose.or(origins.contains_key(&name).then_some(name))
                });
            }
            if let Some(name) = loose {
                let name = self.rules.symbols.name(name);
                return Err(format!("the lifetime {name} leaves the facts of the state"));
            }
        }
        Ok(())
    }

    /// The clause for one choice of what lasts (true) and what expires (false).
    fn make(
        &mut self,
        clause: &Clause,
        origins: &HashMap<Symbol, Origin>,
        choice: &[Option<bool>],
    ) -> Result<(), String> {
        let mut body = Vec::with_capacity(clause.body.len());
        for (literal, lasts) in clause.body.iter().zip(choice) {
            match literal {
                Literal::Positive(atom) => {
                    body.push(Literal::Positive(self.condition(atom, *lasts)));
                    if let (Symbol::DOES | Symbol::LEGAL, [_, chosen @ Term::Variable { .. }]) =
                        (atom.name, &atom.args[..])
                    {
                        let (left, right) = (chosen.clone(), constant(self.words.nothing));
                        body.push(Literal::Distinct { left, right, span: atom.span });
                    }
                }
                Literal::Negative(atom) => body.push(Literal::Negative(self.condition(atom, *lasts))),
                Literal::Distinct { left, right, .. } if is_infinity(left) || is_infinity(right) => {
                    let other = if is_infinity(left) { right } else { left };
                    let origin = match other {
                        Term::Variable { name, .. } => origins.get(name),
                        _ => None,
                    };
                    match origin.map(|origin| choice[origin.condition]) {
                        None => body.push(literal.clone()),
                        Some(Some(true)) => return Ok(()),
                        Some(_) => {}
                    }
                }
                Literal::Distinct { .. } => body.push(literal.clone()),
            }
        }
        let span = clause.head.span;
        let of = |head: Atom, body: Vec<Literal>| Clause { head, body, rule: clause.rule };
        let (Symbol::INIT | Symbol::NEXT, Some((given, fact))) = (clause.head.name, timed(&clause.head))
        else {
            self.clauses.push(of(clause.head.clone(), body));
            return Ok(());
        };
        let value = |term: &Term| -> Result<Term, String> {
            let origin = match term {
                Term::Variable { name, .. } => origins.get(name),
                _ => None,
            };
            let Some(Origin { condition, place }) = origin else { return Ok(term.clone()) };
            if *place == 0 && choice[*condition] == Some(true) {
                return Ok(constant(Symbol::INFINITY));
            }
            let atom = clause.body[*condition].atom();
            let Some((atom, fact)) = atom.and_then(|atom| Some((atom, asked(atom)?))) else {
                return Ok(term.clone());
            };
            let kind = match atom.name {
                Symbol::EXPIRED => self.words.gone,
                _ if is_infinity(&atom.args[0]) || choice[*condition] == Some(true) => self.words.lasts,
                _ => self.words.timed,
            };
            let number = |number: usize| constant(self.words.numbers[number]);
            // Values are kept without what else is an argument.
            let place =
                (0..*place).filter(|before| *before == 0 || self.places.is_data(fact, before - 1)).count();
            let args = vec![number(*condition), constant(kind), self.fact(fact), number(place)];
            Ok(compound(self.words.slot, args))
        };
        let mut values = Vec::new();
        for (number, arg) in
            fact.args().iter().enumerate().filter(|(number, _)| self.places.is_data(fact, *number))
        {
            let value = value(arg)?;
            if is_infinity(&value) {
                let what = self.rules.show(fact);
                return Err(format!("argument {} of {what}, a lifetime, may be infinite", number + 1));
            }
            values.push(value);
        }
        let (short, name) = (self.fact(fact), clause.head.name);
        let head = |state: Term| Atom { name, args: vec![state], span };
        let set = |first: Term| compound(self.words.set, [&[short.clone(), first][..], &values].concat());
        let given = value(given)?;
        let plain = values.is_empty();
        let lasting = || {
            if plain {
                compound(self.words.lasts, vec![short.clone()])
            } else {
                set(constant(Symbol::INFINITY))
            }
        };
        let made = match &given {
            _ if is_infinity(&given) => vec![of(head(lasting()), body)],
            Term::Variable { name, .. } if self.places.spread => {
                let mut forever = of(head(lasting()), body.clone());
                replace(&mut forever, *name, &constant(Symbol::INFINITY));
                let infinity = constant(Symbol::INFINITY);
                body.push(Literal::Distinct { left: given.clone(), right: infinity, span });
                vec![forever, of(head(set(given)), body)]
            }
            Term::Constant { name, .. }
                if !lifetime(self.rules.symbols.name(*name)).is_ok_and(|ticks| ticks > 0) =>
            {
                return Err(format!("`{}` is no lifetime", self.rules.symbols.name(*name)));
            }
            _ => vec![of(head(set(given)), body)],
        };
        self.widths.insert(1 + values.len());
        self.clauses.extend(made);
        Ok(())
    }

    /// A fact with `*` for each lifetime in it.
    fn fact(&self, fact: &Term) -> Term {
        let Term::Compound { name, args, span } = fact else { return fact.clone() };
        let arg = |(number, arg): (usize, &Term)| {
            if self.places.is_data(fact, number) { constant(self.words.any) } else { arg.clone() }
        };
        Term::Compound { name: *name, args: args.iter().enumerate().map(arg).collect(), span: *span }
    }

    /// What is asked of the state, of what lasts or of what does not.
    fn condition(&self, atom: &Atom, lasts: Option<bool>) -> Atom {
        let Some(fact) = asked(atom) else { return atom.clone() };
        let kind = match (atom.name, lasts) {
            (Symbol::EXPIRED, _) => self.words.gone,
            (_, Some(false)) => self.words.timed,
            _ => self.words.lasts,
        };
        Atom { name: Symbol::TRUE, args: vec![compound(kind, vec![self.fact(fact)])], span: atom.span }
    }

    /// Who does nothing may; and what is set holds, and can expire: whoever runs the rules sees to that.
    fn finish(&mut self, variable: &mut dyn FnMut() -> Symbol) {
        let span = Span::default();
        let mut variable = || Term::Variable { name: variable(), span };
        let (role, rule) = (variable(), u32::MAX);
        let legal =
            Atom { name: Symbol::LEGAL, args: vec![role.clone(), constant(self.words.nothing)], span };
        let is_role = Literal::Positive(Atom { name: Symbol::ROLE, args: vec![role], span });
        self.clauses.push(Clause { head: legal, body: vec![is_role], rule });
        for width in std::mem::take(&mut self.widths) {
            let fact = variable();
            let values: Vec<Term> = (0..width).map(|_| variable()).collect();
            let infinity = constant(Symbol::INFINITY);
            for kind in [self.words.timed, self.words.gone, self.words.lasts] {
                let mut args = [std::slice::from_ref(&fact), &values[..]].concat();
                let mut body = Vec::new();
                if kind == self.words.lasts {
                    args[1] = infinity.clone();
                } else {
                    body.push(Literal::Distinct { left: values[0].clone(), right: infinity.clone(), span });
                }
                let set = Atom { name: Symbol::TRUE, args: vec![compound(self.words.set, args)], span };
                body.insert(0, Literal::Positive(set));
                let head =
                    Atom { name: Symbol::NEXT, args: vec![compound(kind, vec![fact.clone()])], span };
                self.clauses.push(Clause { head, body, rule });
            }
        }
    }
}

/// Puts a term in the place of a variable.
fn replace(clause: &mut Clause, variable: Symbol, by: &Term) {
    fn within(term: &mut Term, variable: Symbol, by: &Term) {
        match term {
            Term::Variable { name, .. } if *name == variable => *term = by.clone(),
            Term::Compound { args, .. } => args.iter_mut().for_each(|arg| within(arg, variable, by)),
            _ => {}
        }
    }
    clause.head.args.iter_mut().for_each(|arg| within(arg, variable, by));
    for literal in &mut clause.body {
        match literal {
            Literal::Positive(atom) | Literal::Negative(atom) => {
                atom.args.iter_mut().for_each(|arg| within(arg, variable, by));
            }
            Literal::Distinct { left, right, .. } => {
                within(left, variable, by);
                within(right, variable, by);
            }
        }
    }
}
