//! Finding boards: which facts are about cells, and which of their arguments are coordinates.
//!
//! Two arguments behave as coordinates if their names have an order (see [`super::axis`]), if most of
//! their pairs occur, and if what is said of a pair is one thing at a time. The last is seen in the
//! states of a game, the others in what may ever hold.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::{FxHashMap, FxHashSet};

use super::axis::{Axis, Order};
use super::fact::Fact;
use super::hints::{Hint, Hints};

/// Facts of one form that are about cells.
#[derive(Clone, Debug)]
pub struct Layer {
    /// Their name.
    pub name: String,
    /// Their form.
    pub form: String,
    /// The argument that is the column, and the columns.
    pub columns: (usize, Axis),
    /// The same for the rows; a board may be a single row.
    pub rows: Option<(usize, Axis)>,
    /// Where there are several boards: the arguments that say which.
    pub boards: Vec<(usize, Axis)>,
    /// The arguments that say what is in the cell.
    pub contents: Vec<usize>,
    /// Rows are counted from the top.
    pub down: bool,
    /// How many of the cells such facts speak of at a time, from 0 to 1.
    pub fill: f64,
    /// How many cells they may speak of.
    pub cells: usize,
}

impl Layer {
    /// Whether it says what is in most cells, rather than where some things are.
    pub fn is_ground(&self) -> bool {
        self.fill >= 0.5 && !self.contents.is_empty()
    }
}

/// All that is known of the facts of one form.
struct Form<'a> {
    name: &'a str,
    form: &'a str,
    arity: usize,
    /// Whether that is all that may hold.
    known: bool,
    /// All that may hold, each argument by its number.
    possible: Vec<Vec<u32>>,
    /// What holds in some states, without those in which no such fact does.
    states: Vec<Vec<Vec<u32>>>,
    /// What holds at the start.
    initial: FxHashSet<Vec<u32>>,
    /// By argument: the axis it may be.
    axes: Vec<Option<Axis>>,
    /// By argument: its names in some order, if they are few.
    lists: Vec<Option<Axis>>,
    /// By argument: how many names there are.
    names: Vec<usize>,
    /// By argument and number: the place on its axis.
    places: Vec<FxHashMap<u32, i64>>,
}

/// Arguments beyond these are not looked at.
const MOST_ARGS: usize = 8;
/// Boards beside each other.
pub const MOST_BOARDS: usize = 27;
/// Cells in all.
pub const MOST_CELLS: usize = 2000;

/// The layers of a game, from what may ever hold and what holds in some states. Where what may hold
/// is not known, names that the rules list together may all occur.
pub fn layers(
    possible: &[Fact],
    states: &[Vec<Fact>],
    roles: &[String],
    hints: &Hints,
    known: bool,
) -> Vec<Layer> {
    let mut numbers: FxHashMap<&str, u32> = FxHashMap::default();
    let all = || possible.iter().chain(states.iter().flatten());
    for fact in all() {
        for arg in &fact.args {
            let next = numbers.len() as u32;
            numbers.entry(arg).or_insert(next);
        }
    }
    let row = |fact: &Fact| -> Vec<u32> { fact.args.iter().map(|arg| numbers[arg.as_str()]).collect() };
    let mut forms: BTreeMap<&str, Form> = BTreeMap::new();
    let mut domains: BTreeMap<&str, Vec<BTreeSet<&str>>> = BTreeMap::new();
    for fact in all().filter(|fact| (1..=MOST_ARGS).contains(&fact.args.len())) {
        let form = forms.entry(&fact.form).or_insert_with(|| Form::new(fact));
        form.possible.push(row(fact));
        let domains = domains.entry(&fact.form).or_insert_with(|| vec![BTreeSet::new(); fact.args.len()]);
        for (domain, arg) in domains.iter_mut().zip(&fact.args) {
            domain.insert(arg);
        }
    }
    for (number, state) in states.iter().enumerate() {
        let mut here: BTreeMap<&str, Vec<Vec<u32>>> = BTreeMap::new();
        for fact in state {
            here.entry(&fact.form).or_default().push(row(fact));
        }
        for (form, rows) in here {
            let Some(form) = forms.get_mut(form) else { continue };
            if number == 0 {
                form.initial.extend(rows.iter().cloned());
            }
            form.states.push(rows);
        }
    }
    let players: BTreeSet<&str> = roles.iter().map(String::as_str).collect();
    let found = forms.iter_mut().filter_map(|(name, form)| {
        form.known = known;
        for (arg, domain) in domains[name].iter().enumerate() {
            let wider = if known { None } else { hints.domain(domain) };
            let domain = wider.as_ref().unwrap_or(domain);
            // Whose it is is no coordinate.
            let axis = if domain.is_disjoint(&players) { Axis::of(domain, &hints.chains) } else { None };
            if let Some(axis) = &axis {
                let place = |name: &&str| Some((*numbers.get(name)?, axis.order.place(name)?));
                form.places[arg] = domain.iter().filter_map(place).collect();
            }
            form.axes[arg] = axis;
            form.lists[arg] = Axis::listed(domain, MOST_BOARDS);
            form.names[arg] = domain.len();
        }
        form.best(hints)
    });
    found.collect()
}

/// Arguments that may say where, with how well they would.
struct Candidate {
    first: usize,
    second: Option<usize>,
    boards: Vec<usize>,
    fill: f64,
    score: f64,
}

impl<'a> Form<'a> {
    fn new(fact: &'a Fact) -> Form<'a> {
        let arity = fact.args.len();
        Form {
            name: &fact.name,
            form: &fact.form,
            arity,
            known: true,
            possible: Vec::new(),
            states: Vec::new(),
            initial: FxHashSet::default(),
            axes: vec![None; arity],
            lists: vec![None; arity],
            names: vec![0; arity],
            places: vec![FxHashMap::default(); arity],
        }
    }

    /// How many different things are said in these arguments.
    fn distinct(rows: &[Vec<u32>], args: &[usize]) -> usize {
        let seen: FxHashSet<Vec<u32>> =
            rows.iter().map(|row| args.iter().map(|arg| row[*arg]).collect()).collect();
        seen.len()
    }

    /// How many facts there are for each place, over all states.
    fn crowd(&self, args: &[usize]) -> f64 {
        let facts: usize = self.states.iter().map(Vec::len).sum();
        let places: usize = self.states.iter().map(|rows| Form::distinct(rows, args)).sum();
        if places == 0 { 1.0 } else { facts as f64 / places as f64 }
    }

    /// The part of all places that facts speak of at a time.
    fn fill(&self, args: &[usize]) -> f64 {
        let places: usize = self.states.iter().map(|rows| Form::distinct(rows, args)).sum();
        let all = Form::distinct(&self.possible, args) * self.states.len();
        if all == 0 { 0.0 } else { places as f64 / all as f64 }
    }

    fn facts_at_a_time(&self) -> f64 {
        let facts: usize = self.states.iter().map(Vec::len).sum();
        facts as f64 / self.states.len().max(1) as f64
    }

    fn best(&self, hints: &Hints) -> Option<Layer> {
        let ordered: Vec<usize> = (0..self.arity).filter(|arg| self.axes[*arg].is_some()).collect();
        let mut candidates = Vec::new();
        for (n, &first) in ordered.iter().enumerate() {
            candidates.extend(self.line(first));
            candidates.extend(ordered[n + 1..].iter().filter_map(|&second| self.plane(first, second)));
        }
        // The first of the best: earlier arguments are the likelier coordinates.
        let best = candidates.into_iter().reduce(|a, b| if b.score > a.score + 1e-9 { b } else { a })?;
        self.layer(&best, hints)
    }

    /// A board of one row.
    fn line(&self, arg: usize) -> Option<Candidate> {
        let length = self.axes[arg].as_ref()?.len();
        let fill = self.fill(&[arg]);
        let enough = match self.arity {
            1 => self.facts_at_a_time() >= 2.0,
            2 => self.crowd(&[arg]) < 1.05,
            _ => false,
        };
        let good = length >= 3 && fill >= 0.5 && enough;
        good.then(|| Candidate { first: arg, second: None, boards: Vec::new(), fill, score: fill - 0.2 })
    }

    /// A board, or several.
    fn plane(&self, first: usize, second: usize) -> Option<Candidate> {
        let (across, along) = (self.axes[first].as_ref()?, self.axes[second].as_ref()?);
        let size = across.len() * along.len();
        let cover = Form::distinct(&self.possible, &[first, second]) as f64 / size as f64;
        let cover = if self.known { cover } else { cover.max(0.5) };
        let rest: Vec<usize> = (0..self.arity).filter(|arg| ![first, second].contains(arg)).collect();
        let crowd = self.crowd(&[first, second]);
        let boards = if crowd < 1.3 { Some(Vec::new()) } else { self.boards(first, second, &rest) };
        let several = boards.is_none();
        let boards = boards.unwrap_or_default();
        let further = rest.iter().filter(|arg| self.axes[**arg].is_some() && !boards.contains(arg));
        // From here to there: a line or a move, not a cell.
        let alike_all =
            |arg: usize| self.axes[arg].as_ref().is_some_and(|axis| axis.order.alike(&across.order));
        let between = self.arity == 4 && (0..4).all(alike_all);
        if cover < 0.25 || size < 4 || further.count() > 1 || between {
            return None;
        }
        let all: Vec<usize> = boards.iter().copied().chain([first, second]).collect();
        let fill = self.fill(&all);
        let alike = across.order.alike(&along.order);
        let same = alike && across.len() == along.len();
        // One place at a time, of two numbers without anything in it: perhaps a cell, if both
        // count the same.
        if rest.is_empty()
            && self.facts_at_a_time() <= 1.0
            && !(cover > 0.5 && size >= 9 && (same || !alike))
        {
            return None;
        }
        let mut score = fill + 0.5 * cover - 0.1 * first as f64 - 0.3 * (second - first - 1) as f64;
        score += if same { 0.3 } else { 0.0 } - if several { 0.5 } else { 0.0 };
        score += if rest.is_empty() && !same { -0.3 } else { 0.0 };
        Some(Candidate { first, second: Some(second), boards, fill, score: score - 0.1 * all.len() as f64 })
    }

    /// The arguments that tell boards apart, so that each cell has one content.
    fn boards(&self, first: usize, second: usize, rest: &[usize]) -> Option<Vec<usize>> {
        let few = |arg: &usize| (2..=MOST_BOARDS).contains(&self.names[*arg]);
        let usable: Vec<usize> = rest.iter().copied().filter(few).collect();
        let ordered: Vec<usize> = usable.iter().copied().filter(|arg| self.axes[*arg].is_some()).collect();
        let single = ordered.iter().map(|arg| vec![*arg]);
        let pairs =
            ordered.iter().flat_map(|a| ordered.iter().filter(move |b| a < b).map(|b| vec![*a, *b]));
        // Boards whose names have no order are boards if each of their cells is spoken of.
        let named = usable
            .iter()
            .filter(|arg| self.axes[**arg].is_none() && self.fill(&[**arg, first, second]) >= 0.8);
        let number = |boards: &[usize]| boards.iter().map(|arg| self.names[*arg]).product::<usize>();
        let apart = |boards: &Vec<usize>| {
            let all: Vec<usize> = boards.iter().copied().chain([first, second]).collect();
            number(boards) <= MOST_BOARDS && self.crowd(&all) < 1.05
        };
        let found = single.chain(pairs).chain(named.map(|arg| vec![*arg])).find(apart)?;
        // What else has an order beside a content that has none is no content.
        let pure = ordered.len() == 2 && rest.len() > 2 && number(&ordered) <= MOST_BOARDS;
        Some(if pure { ordered } else { found })
    }

    /// The layer that a candidate makes: what is across, what is upright.
    fn layer(&self, found: &Candidate, hints: &Hints) -> Option<Layer> {
        let axis = |arg: usize| Some((arg, self.axes[arg].clone()?));
        let (column, row, down) = match found.second {
            Some(second) => self.orient(found, second, hints),
            None => (found.first, None, false),
        };
        let mut places: Vec<usize> = found.boards.clone();
        places.push(found.first);
        places.extend(found.second);
        Some(Layer {
            name: self.name.to_owned(),
            form: self.form.to_owned(),
            columns: axis(column)?,
            rows: row.and_then(axis),
            boards: found
                .boards
                .iter()
                .filter_map(|arg| axis(*arg).or_else(|| Some((*arg, self.lists[*arg].clone()?))))
                .collect(),
            contents: (0..self.arity).filter(|arg| !places.contains(arg)).collect(),
            down,
            fill: found.fill,
            cells: Form::distinct(&self.possible, &places),
        })
    }

    /// The column, the row, and whether rows are counted from the top.
    fn orient(&self, found: &Candidate, second: usize, hints: &Hints) -> (usize, Option<usize>, bool) {
        let first = found.first;
        let swapped = |top| (second, Some(first), top);
        let straight = |top| (first, Some(second), top);
        // Where pieces pile up, they do so on the ground.
        match (self.pile(found, second), self.pile(found, first)) {
            (Some(top), None) => return straight(top),
            (None, Some(top)) => return swapped(top),
            _ => {}
        }
        let hint = |arg| hints.at(self.form, arg);
        let letters =
            |arg: usize| self.axes[arg].as_ref().is_some_and(|axis| matches!(axis.order, Order::Letters));
        let is_row = |arg| matches!(hint(arg), Some(Hint::Row | Hint::Y));
        let is_column = |arg| matches!(hint(arg), Some(Hint::Column | Hint::X));
        let top =
            [first, second].map(hint).iter().any(|hint| matches!(hint, Some(Hint::Row | Hint::Column)))
                && !letters(first)
                && !letters(second);
        let says_so = (is_row(first) && !is_row(second)) || (is_column(second) && !is_column(first));
        let says_nothing = !is_column(first) && !is_row(second);
        if says_so || (says_nothing && letters(second) && !letters(first)) {
            swapped(top)
        } else {
            straight(top)
        }
    }

    /// Whether what is new since the start always lies on top of each other in the direction of
    /// this argument; then, whether the ground is at the highest name.
    fn pile(&self, found: &Candidate, along: usize) -> Option<bool> {
        let across: Vec<usize> =
            found.boards.iter().copied().chain([found.first]).chain(found.second).collect();
        let across: Vec<usize> = across.into_iter().filter(|arg| *arg != along).collect();
        let (places, axis) = (&self.places[along], self.axes[along].as_ref()?);
        let index = |number: &u32| places.get(number).map(|place| axis.before(*place));
        let (mut low, mut high, mut evidence) = (true, true, 0);
        for state in &self.states {
            let mut piles: BTreeMap<Vec<u32>, BTreeSet<usize>> = BTreeMap::new();
            for row in state.iter().filter(|row| !self.initial.contains(*row)) {
                let pile = piles.entry(across.iter().map(|arg| row[*arg]).collect()).or_default();
                pile.extend(index(&row[along]));
            }
            for pile in piles.values() {
                let (first, last) = (pile.first().copied()?, pile.last().copied()?);
                let solid = last - first + 1 == pile.len();
                low &= solid && first == 0;
                high &= solid && last + 1 == axis.len();
                evidence += usize::from((2..axis.len()).contains(&pile.len()));
            }
        }
        (low != high && evidence >= 4).then_some(high)
    }
}
