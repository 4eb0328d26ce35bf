//! The prefix form: lists in brackets, `(<= head condition ...)`, variables `?x`, comments from `;`.
//!
//! Two passes: tokens to bracketed lists, which finds where brackets are wrong, and lists to rules.

use super::laws::{HEAD, NO_ARGUMENTS, STRAY, SYNTAX, UNBALANCED, UNKNOWN_CHARACTER, VARIABLE_NAME};
use super::lex::{Cursor, Kind, LINE_ENDS, Token, describe, is_space, quote};
use super::{Limits, Reading, build};
use crate::gdl::syntax::{Atom, Formula, Rule, Symbol, Term};
use crate::source::{Finding, Source, Span};

/// A word or a bracketed list.
#[derive(Debug)]
enum Node {
    Word(Span),
    List(Vec<Node>, Span),
}

impl Node {
    fn span(&self) -> Span {
        match self {
            Node::Word(span) | Node::List(_, span) => *span,
        }
    }
}

/// Reads all rules of a prefix file.
pub fn read<'a>(source: &'a Source, limits: &Limits) -> Reading<'a> {
    let mut reading = Reading::new(source, limits);
    let mut cursor = Cursor { text: source.text(), at: 0 };
    // Lists that are open: where each began, and what it holds so far.
    let mut open: Vec<(Span, Vec<Node>)> = Vec::new();
    while let Some(token) = next_token(&mut cursor) {
        if reading.is_full() {
            return reading;
        }
        match token.kind {
            Kind::Open => {
                // A rule inside of something: a bracket before it was left open.
                if !open.is_empty() && cursor.rest().trim_start().starts_with("<=") {
                    unclosed(&mut reading, &open, Some(token.span));
                    open.clear();
                }
                if open.len() >= reading.limits.depth {
                    let finding = reading.too_deep(token.span);
                    reading.errors.push(finding);
                    return reading;
                }
                open.push((token.span, Vec::new()));
            }
            Kind::Close => match open.pop() {
                None => {
                    let finding = Finding::new(&UNBALANCED, token.span, "this `)` closes nothing");
                    let help = "remove it, or look for a bracket too many in the rule before it";
                    reading.errors.push(finding.help(help));
                }
                Some((start, nodes)) => {
                    let span = start.to(token.span);
                    match open.last_mut() {
                        Some((_, outer)) => outer.push(Node::List(nodes, span)),
                        None => {
                            if !statement(&mut reading, &nodes, span) {
                                return reading;
                            }
                        }
                    }
                }
            },
            Kind::Word => match open.last_mut() {
                Some((_, nodes)) => nodes.push(Node::Word(token.span)),
                None => {
                    if !lone_word(&mut reading, &mut cursor, token.span) {
                        return reading;
                    }
                }
            },
            _ => {
                let character = source.slice(token.span).chars().next().unwrap_or_default();
                if open.is_empty() && !character.is_control() {
                    stray(&mut reading, &mut cursor, token.span);
                    continue;
                }
                let message = format!("{} is not part of any rule in prefix form", describe(character));
                let finding = Finding::new(&UNKNOWN_CHARACTER, token.span, message);
                let help = "remove it, or make the line a comment with `;`";
                reading.errors.push(finding.help(help));
            }
        }
    }
    if !open.is_empty() {
        unclosed(&mut reading, &open, None);
    }
    reading
}

/// The next token; none at the end.
fn next_token(cursor: &mut Cursor) -> Option<Token> {
    loop {
        cursor.skip_while(is_space);
        match cursor.peek()? {
            ';' => cursor.skip_line(),
            character => {
                let start = cursor.at;
                let kind = match character {
                    '(' => Kind::Open,
                    ')' => Kind::Close,
                    c if is_word(c) => {
                        cursor.skip_while(is_word);
                        return Some(cursor.token(Kind::Word, start));
                    }
                    _ => Kind::Unknown,
                };
                cursor.at += character.len_utf8();
                return Some(cursor.token(kind, start));
            }
        }
    }
}

/// May a name, a variable or `<=` have it?
fn is_word(c: char) -> bool {
    c.is_alphanumeric() || "_+-*/<>=.!?#$&@^~".contains(c)
}

fn unclosed(reading: &mut Reading, open: &[(Span, Vec<Node>)], before: Option<Span>) {
    let finding = Finding::new(&UNBALANCED, open[0].0, "this `(` is never closed");
    let missing = if open.len() == 1 { "a `)` is".to_string() } else { format!("{} `)` are", open.len()) };
    reading.errors.push(match before {
        Some(span) => {
            finding.also(span, "the next rule starts here").help(format!("{missing} missing before that"))
        }
        None => finding.help(format!("{missing} missing before the end of the file")),
    });
}

/// A word between the rules: a proposition that holds, if it is alone there. Is there room for more?
fn lone_word(reading: &mut Reading, cursor: &mut Cursor, span: Span) -> bool {
    let text = reading.source.slice(span);
    let is_name = text.chars().all(|c| c.is_alphanumeric() || "_+-".contains(c))
        && text.starts_with(char::is_alphabetic);
    let end = stray_end(cursor.text, span.start as usize);
    let alone = cursor.text[cursor.at..end].chars().all(is_space);
    if is_name && (alone || cursor.peek() == Some(')')) {
        let name = reading.symbols.intern(text, span);
        let head = Atom { name, args: Vec::new(), span };
        match build::head(head) {
            Ok(head) => return reading.push(Rule { head, body: Vec::new(), span }),
            Err(finding) => reading.errors.push(finding),
        }
    } else if text.starts_with("<=") {
        let finding = Finding::new(&SYNTAX, span, "`<=` stands between the rules");
        reading.errors.push(finding.help("a rule has brackets around it: write `(<= head condition ...)`"));
    } else {
        stray(reading, cursor, span);
    }
    true
}

/// Where text between the rules ends that begins at a byte: at the end of the line, or where a comment or
/// a list begins. A bracket right after a word is a part of the text.
fn stray_end(text: &str, begin: usize) -> usize {
    let (mut depth, mut last) = (0usize, ' ');
    for (at, c) in text[begin..].char_indices() {
        let begins_list = c == '(' && depth == 0 && is_space(last);
        if LINE_ENDS.contains(&c) || c == ';' || begins_list {
            return begin + at;
        }
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        last = c;
    }
    text.len()
}

/// Passes over text between the rules.
fn stray(reading: &mut Reading, cursor: &mut Cursor, begin: Span) {
    let begin = begin.start as usize;
    cursor.at = stray_end(cursor.text, begin);
    let line = Span::new(begin, cursor.at);
    let passed = reading.source.slice(line).trim_end();
    let message = format!("{} stands between the rules; it is passed over", quote(passed));
    let help = if passed.contains('(') || passed.contains(":-") {
        "this looks like infix form in a file of prefix rules: write it as `(<= head condition)`, or make the \
         line a comment with `;`"
    } else {
        "put it into brackets, or make the line a comment with `;`"
    };
    reading.notes.push(Finding::new(&STRAY, line, message).help(help));
}

/// Takes in a list that stands on its own: a rule or a fact. Is there room for more?
fn statement(reading: &mut Reading, nodes: &[Node], span: Span) -> bool {
    let is_rule = matches!(nodes.first(), Some(Node::Word(word)) if reading.source.slice(*word) == "<=");
    let (head, conditions) =
        if is_rule { (nodes.get(1), nodes.get(2..).unwrap_or_default()) } else { (None, &[][..]) };
    let head = match head {
        Some(node) => atom(reading, node),
        None if is_rule => {
            Err(Finding::new(&SYNTAX, span, "the rule is empty").help("write `(<= head condition ...)`"))
        }
        None => list_atom(reading, nodes, span, true),
    };
    let body: Result<Vec<Formula>, Finding> =
        conditions.iter().map(|node| formula(reading, node)).collect();
    match head.and_then(build::head).and_then(|head| Ok((head, body?))) {
        Ok((head, body)) => reading.push(Rule { head, body, span }),
        Err(finding) => {
            reading.errors.push(finding);
            true
        }
    }
}

fn formula(reading: &mut Reading, node: &Node) -> Result<Formula, Finding> {
    let Node::List(nodes, span) = node else { return Ok(Formula::Atom(atom(reading, node)?)) };
    let Some(Node::Word(word)) = nodes.first() else { return Ok(Formula::Atom(atom(reading, node)?)) };
    match reading.symbols.intern(reading.source.slice(*word), *word) {
        name @ (Symbol::NOT | Symbol::AND | Symbol::OR) => {
            let parts: Result<Vec<Formula>, Finding> =
                nodes[1..].iter().map(|part| formula(reading, part)).collect();
            build::connective(reading, name, parts?, *span)
        }
        Symbol::DISTINCT => build::distinct(terms(reading, &nodes[1..])?, *span),
        _ => Ok(Formula::Atom(atom(reading, node)?)),
    }
}

fn atom(reading: &mut Reading, node: &Node) -> Result<Atom, Finding> {
    match node {
        Node::List(nodes, span) => list_atom(reading, nodes, *span, false),
        Node::Word(span) => {
            let text = reading.source.slice(*span);
            if text.starts_with('?') {
                let message = format!("the variable {} stands where a relation should", quote(text));
                return Err(Finding::new(&HEAD, *span, message)
                    .help(format!("write `(true {text})` or another relation")));
            }
            Ok(Atom { name: reading.symbols.intern(text, *span), args: Vec::new(), span: *span })
        }
    }
}

fn list_atom(reading: &mut Reading, nodes: &[Node], span: Span, is_fact: bool) -> Result<Atom, Finding> {
    let name = list_name(reading, nodes, span)?;
    let args = terms(reading, &nodes[1..])?;
    // `(terminal)` as a fact has to have its brackets, or else it would not look like one.
    if args.is_empty() && !is_fact {
        note_empty(reading, name, span);
    }
    Ok(Atom { name, args, span })
}

fn terms(reading: &mut Reading, nodes: &[Node]) -> Result<Vec<Term>, Finding> {
    nodes.iter().map(|node| term(reading, node)).collect()
}

fn term(reading: &mut Reading, node: &Node) -> Result<Term, Finding> {
    match node {
        Node::Word(span) => {
            let text = reading.source.slice(*span);
            let name = reading.symbols.intern(text, *span);
            Ok(if text.starts_with('?') {
                Term::Variable { name, span: *span }
            } else {
                Term::Constant { name, span: *span }
            })
        }
        Node::List(nodes, span) => {
            let name = list_name(reading, nodes, *span)?;
            let args = terms(reading, &nodes[1..])?;
            if args.is_empty() {
                note_empty(reading, name, *span);
                return Ok(Term::Constant { name, span: *span });
            }
            Ok(Term::Compound { name, args, span: *span })
        }
    }
}

/// The word that a list starts with.
fn list_name(reading: &mut Reading, nodes: &[Node], span: Span) -> Result<Symbol, Finding> {
    match nodes.first() {
        None => Err(Finding::new(&SYNTAX, span, "there is nothing in these brackets")
            .help("remove them, or fill them in")),
        Some(Node::List(_, inner)) => Err(Finding::new(
            &SYNTAX,
            *inner,
            "a list starts with another list here, where a name should stand",
        )
        .help("put a name first, or remove a pair of brackets")),
        Some(node) => {
            let text = reading.source.slice(node.span());
            if text.starts_with('?') {
                let message = format!(
                    "the variable {} stands where the name of a relation or function should",
                    quote(text)
                );
                return Err(Finding::new(&VARIABLE_NAME, node.span(), message).help("put a name before it"));
            }
            Ok(reading.symbols.intern(text, node.span()))
        }
    }
}

fn note_empty(reading: &mut Reading, name: Symbol, span: Span) {
    let name = reading.symbols.name(name).to_string();
    let message = format!("`({name})` has no arguments; it is read as `{name}`");
    reading.notes.push(Finding::new(&NO_ARGUMENTS, span, message).help(format!("write `{name}`")));
}
