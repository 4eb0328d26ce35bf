//! The infix form: `head :- condition & condition`, as Prolog programmers and textbooks write it.
//!
//! What is known of the dialects: rules end with a full stop or do not; "if" is `:-` or `<=`; "and" is
//! `,` or `&`; "or" is `|`; "not" is `~`, `\+` or `not`; variables start with a capital letter or `_`,
//! or, if there is one like that in the file, with `?`; `_` alone is a new variable each time; terms
//! in brackets are tuples; comments start with `;`, `%` or `//`, or stand between `/*` and `*/`.

use super::laws::{HEAD, SYNTAX, UNBALANCED, UNKNOWN_CHARACTER, VARIABLE_NAME};
use super::lex::{Cursor, Kind, LINE_ENDS, Token, describe, is_space, quote};
use super::{Limits, Reading, build};
use crate::gdl::syntax::{Atom, Formula, Rule, Symbol, Term};
use crate::source::{Finding, Source, Span};

/// Reads all rules of an infix file.
pub fn read<'a>(source: &'a Source, limits: &Limits) -> Reading<'a> {
    let mut reading = Reading::new(source, limits);
    let tokens = tokens(&mut reading);
    // What follows from a character that does not belong there is not worth telling.
    if !reading.errors.is_empty() {
        return reading;
    }
    let marked =
        tokens.iter().any(|token| token.kind == Kind::Word && source.slice(token.span).starts_with('?'));
    let mut parser = Parser { reading, tokens, at: 0, depth: 0, marked };
    while parser.at < parser.tokens.len() && !parser.reading.is_full() {
        let start = parser.at;
        match parser.statement() {
            Ok(rule) => {
                if !parser.reading.push(rule) {
                    break;
                }
            }
            Err(finding) => {
                let is_fatal = finding.code == super::laws::TOO_DEEP.code;
                parser.reading.errors.push(finding);
                if is_fatal {
                    break;
                }
                parser.skip_statement(start);
            }
        }
    }
    let mut reading = parser.reading;
    reading.errors.sort_by_key(|finding| finding.span);
    reading
}

/// Cuts the text into tokens; unknown characters are reported and left out.
fn tokens(reading: &mut Reading) -> Vec<Token> {
    let mut cursor = Cursor { text: reading.source.text(), at: 0 };
    let mut tokens = Vec::new();
    while !reading.is_full() {
        cursor.skip_while(is_space);
        let rest = cursor.rest();
        let Some(character) = rest.chars().next() else { break };
        if ";%".contains(character) || rest.starts_with("//") {
            cursor.skip_line();
            continue;
        }
        if rest.starts_with("/*") {
            cursor.at += rest.find("*/").map_or(rest.len(), |end| end + 2);
            continue;
        }
        let start = cursor.at;
        if is_word_start(rest) {
            cursor.at += word_length(rest);
            tokens.push(cursor.token(Kind::Word, start));
            continue;
        }
        let sign = SIGNS.iter().find(|(text, _)| rest.starts_with(text));
        cursor.at += sign.map_or(character.len_utf8(), |(text, _)| text.len());
        match sign {
            Some((_, kind)) => tokens.push(cursor.token(*kind, start)),
            None => {
                let message = format!("{} is not part of any rule in infix form", describe(character));
                let finding = Finding::new(&UNKNOWN_CHARACTER, Span::new(start, cursor.at), message);
                reading.errors.push(finding.help("remove it, or make the line a comment with `%`"));
            }
        }
    }
    tokens
}

/// The longer ones first.
const SIGNS: [(&str, Kind); 23] = [
    (":-", Kind::If),
    ("<=", Kind::If),
    ("<-", Kind::If),
    ("⇐", Kind::If),
    ("←", Kind::If),
    ("∧", Kind::And),
    ("∨", Kind::Or),
    ("¬", Kind::Not),
    ("≠", Kind::Differs),
    ("\\==", Kind::Differs),
    ("\\=", Kind::Differs),
    ("!=", Kind::Differs),
    ("==", Kind::Equals),
    ("=", Kind::Equals),
    ("\\+", Kind::Not),
    ("~", Kind::Not),
    ("&", Kind::And),
    (",", Kind::And),
    ("||", Kind::Or),
    ("|", Kind::Or),
    ("(", Kind::Open),
    (")", Kind::Close),
    (".", Kind::Stop),
];

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '+'
}

/// Does a name, a number or a variable start here?
fn is_word_start(rest: &str) -> bool {
    let mut characters = rest.chars();
    match characters.next() {
        Some('?') => characters.next().is_some_and(is_name),
        Some('-') => characters.next().is_some_and(|c| c.is_ascii_digit()),
        first => first.is_some_and(is_name),
    }
}

/// How many bytes a word has that starts here. `-` and `.` belong to it between two letters or digits,
/// the full stop only between digits.
fn word_length(rest: &str) -> usize {
    let mut last = rest.chars().next().unwrap_or_default();
    let mut length = last.len_utf8();
    let mut characters = rest[length..].chars().peekable();
    while let Some(c) = characters.next() {
        let next = characters.peek().copied();
        let joins = match c {
            '-' => last.is_alphanumeric() && next.is_some_and(char::is_alphanumeric),
            '.' => last.is_ascii_digit() && next.is_some_and(|digit| digit.is_ascii_digit()),
            _ => is_name(c),
        };
        if !joins {
            break;
        }
        length += c.len_utf8();
        last = c;
    }
    length
}

struct Parser<'a> {
    reading: Reading<'a>,
    tokens: Vec<Token>,
    at: usize,
    depth: usize,
    /// Are variables marked with `?`, so that capital letters are nothing special?
    marked: bool,
}

impl Parser<'_> {
    fn peek(&self) -> Option<Token> {
        self.tokens.get(self.at).copied()
    }

    fn peek_kind(&self) -> Option<Kind> {
        self.peek().map(|token| token.kind)
    }

    /// Takes the next token if it is of this kind.
    fn take(&mut self, kind: Kind) -> Option<Token> {
        let token = self.peek().filter(|token| token.kind == kind)?;
        self.at += 1;
        Some(token)
    }

    fn text(&self, span: Span) -> &str {
        self.reading.source.slice(span)
    }

    /// What is wrong where something else was expected.
    fn expected(&self, what: &str) -> Finding {
        match self.peek() {
            Some(token) => {
                let message = format!("{} stands where {what} should", quote(self.text(token.span)));
                Finding::new(&SYNTAX, token.span, message)
            }
            None => {
                let end = self.reading.source.text().trim_end().len();
                Finding::new(
                    &SYNTAX,
                    Span::new(end, end),
                    format!("the file ends where {what} should stand"),
                )
            }
        }
    }

    /// Goes on after a broken statement: after the next full stop, or with the next line that starts
    /// with a name.
    fn skip_statement(&mut self, start: usize) {
        self.at = self.at.max(start + 1);
        self.depth = 0;
        while let Some(token) = self.peek() {
            let begins_line = self.reading.source.text()[..token.span.start as usize].ends_with(LINE_ENDS);
            if token.kind == Kind::Word && begins_line {
                return;
            }
            self.at += 1;
            if token.kind == Kind::Stop {
                return;
            }
        }
    }

    fn statement(&mut self) -> Result<Rule, Finding> {
        let Some(first) = self.peek() else { return Err(self.expected("a rule")) };
        let head = build::head(self.atom()?)?;
        let body = if self.take(Kind::If).is_some() {
            match self.alternatives()? {
                Formula::And { parts, .. } => parts,
                formula => vec![formula],
            }
        } else {
            Vec::new()
        };
        let last = self.tokens[self.at - 1].span;
        if self.take(Kind::Stop).is_none() && self.peek_kind().is_some_and(|kind| kind != Kind::Word) {
            return Err(self
                .expected("the end of the rule")
                .help("end it with `.`, or join conditions with `&`"));
        }
        Ok(Rule { head, body, span: first.span.to(last) })
    }

    /// Counts a level of nesting around `inner`.
    fn nested<T>(&mut self, inner: impl FnOnce(&mut Self) -> Result<T, Finding>) -> Result<T, Finding> {
        self.depth += 1;
        if self.depth > self.reading.limits.depth {
            let span = self.peek().map_or(Span::default(), |token| token.span);
            return Err(self.reading.too_deep(span));
        }
        let result = inner(self);
        self.depth -= 1;
        result
    }

    /// Conditions joined by "or"; a single one is itself.
    fn alternatives(&mut self) -> Result<Formula, Finding> {
        let parts = self.joined(Kind::Or, Parser::conjunction)?;
        Ok(one_or(parts, |parts, span| Formula::Or { parts, span }))
    }

    fn conjunction(&mut self) -> Result<Formula, Finding> {
        let parts = self.joined(Kind::And, Parser::condition)?;
        Ok(one_or(parts, |parts, span| Formula::And { parts, span }))
    }

    fn joined<T>(
        &mut self,
        by: Kind,
        part: fn(&mut Self) -> Result<T, Finding>,
    ) -> Result<Vec<T>, Finding> {
        let mut parts = vec![part(self)?];
        while self.take(by).is_some() {
            parts.push(part(self)?);
        }
        Ok(parts)
    }

    fn condition(&mut self) -> Result<Formula, Finding> {
        self.nested(|this| {
            let Some(token) = this.peek() else { return Err(this.expected("a condition")) };
            match token.kind {
                Kind::Not => {
                    this.at += 1;
                    this.negated(token.span)
                }
                Kind::Open => this.bracketed_condition(),
                Kind::Word => this.word_condition(token.span),
                _ => Err(this.expected("a condition")),
            }
        })
    }

    fn negated(&mut self, not: Span) -> Result<Formula, Finding> {
        let inner = self.condition()?;
        let span = not.to(inner.span());
        build::connective(&mut self.reading, Symbol::NOT, vec![inner], span)
    }

    fn bracketed_condition(&mut self) -> Result<Formula, Finding> {
        let Some(open) = self.take(Kind::Open) else { return Err(self.expected("`(`")) };
        let inner = self.alternatives()?;
        self.close(open.span)?;
        Ok(inner)
    }

    fn close(&mut self, open: Span) -> Result<Token, Finding> {
        match self.take(Kind::Close) {
            Some(token) => Ok(token),
            None => {
                let found = self.expected("`)`");
                let finding = Finding::new(&UNBALANCED, open, "this `(` is never closed");
                Err(finding.also(found.span, "`)` should stand before this").help("add the missing `)`"))
            }
        }
    }

    fn word_condition(&mut self, word: Span) -> Result<Formula, Finding> {
        let text = self.text(word).to_string();
        let followed = self.tokens.get(self.at + 1).map(|token| token.kind);
        let connective = match text.to_lowercase().as_str() {
            "not" if followed.is_some_and(|kind| matches!(kind, Kind::Word | Kind::Open | Kind::Not)) => {
                self.at += 1;
                return self.negated(word);
            }
            "or" => Symbol::OR,
            "and" => Symbol::AND,
            "distinct" if followed == Some(Kind::Open) => {
                self.at += 1;
                let (args, end) = self.arguments()?;
                return build::distinct(args, word.to(end));
            }
            _ => return self.relation_or_comparison(),
        };
        if followed != Some(Kind::Open) {
            return self.relation_or_comparison();
        }
        self.at += 1;
        let Some(open) = self.take(Kind::Open) else { return Err(self.expected("`(`")) };
        let parts = self.joined(Kind::And, Parser::condition)?;
        let end = self.close(open.span)?.span;
        build::connective(&mut self.reading, connective, parts, word.to(end))
    }

    /// `relation(terms)`, or two terms with a sign of comparison between them.
    fn relation_or_comparison(&mut self) -> Result<Formula, Finding> {
        let start = self.at;
        let left = self.term()?;
        if self.take(Kind::Differs).is_some() {
            let right = self.term()?;
            let span = left.span().to(right.span());
            return Ok(Formula::Distinct { left, right, span });
        }
        if self.take(Kind::Equals).is_some() {
            let right = self.term()?;
            let span = left.span().to(right.span());
            let inner = Box::new(Formula::Distinct { left, right, span });
            return Ok(Formula::Not { inner, span });
        }
        self.at = start;
        Ok(Formula::Atom(self.atom()?))
    }

    fn atom(&mut self) -> Result<Atom, Finding> {
        let Some(word) = self.take(Kind::Word) else { return Err(self.expected("a relation")) };
        let text = self.text(word.span);
        // A name directly before a bracket is a relation's, whatever its first letter.
        if self.is_variable(text) && self.peek_kind() != Some(Kind::Open) {
            let message = format!("the variable {} stands where a relation should", quote(text));
            return Err(Finding::new(&HEAD, word.span, message).help(format!(
                "write `true({text})` or another relation; names start with a small letter"
            )));
        }
        let name = self.name(word.span)?;
        if self.peek_kind() != Some(Kind::Open) {
            return Ok(Atom { name, args: Vec::new(), span: word.span });
        }
        let (args, end) = self.arguments()?;
        Ok(Atom { name, args, span: word.span.to(end) })
    }

    /// Terms in brackets, and where the bracket closes.
    fn arguments(&mut self) -> Result<(Vec<Term>, Span), Finding> {
        let Some(open) = self.take(Kind::Open) else { return Err(self.expected("`(`")) };
        if let Some(close) = self.take(Kind::Close) {
            return Ok((Vec::new(), close.span));
        }
        let mut args = vec![self.term()?];
        while self.take(Kind::And).is_some() {
            args.push(self.term()?);
        }
        let close = self.close(open.span)?;
        Ok((args, close.span))
    }

    fn term(&mut self) -> Result<Term, Finding> {
        self.nested(|this| {
            if let Some(open) = this.peek().filter(|token| token.kind == Kind::Open) {
                let (mut args, end) = this.arguments()?;
                let span = open.span.to(end);
                return match args.len() {
                    0 => Err(Finding::new(&SYNTAX, span, "there is nothing in these brackets")),
                    1 => args.pop().ok_or_else(|| this.expected("a term")),
                    _ => Ok(Term::Compound { name: Symbol::TUPLE, args, span }),
                };
            }
            let Some(word) = this.take(Kind::Word) else { return Err(this.expected("a term")) };
            let text = this.text(word.span).to_string();
            let opens = this.peek_kind() == Some(Kind::Open);
            if this.is_variable(&text) && !opens {
                let spelt = format!("?{}", text.trim_start_matches('?'));
                let name = this.reading.symbols.intern(&spelt, word.span);
                return Ok(Term::Variable { name, span: word.span });
            }
            let name = this.name(word.span)?;
            if !opens {
                return Ok(Term::Constant { name, span: word.span });
            }
            let (args, end) = this.arguments()?;
            let span = word.span.to(end);
            Ok(if args.is_empty() {
                Term::Constant { name, span }
            } else {
                Term::Compound { name, args, span }
            })
        })
    }

    fn is_variable(&self, text: &str) -> bool {
        match text.chars().next() {
            Some('?') => true,
            Some('_') => !self.marked,
            Some(first) => !self.marked && first.is_uppercase(),
            None => false,
        }
    }

    fn name(&mut self, span: Span) -> Result<Symbol, Finding> {
        let text = self.reading.source.slice(span);
        if text.starts_with('?') {
            let message = format!(
                "the variable {} stands where the name of a relation or function should",
                quote(text)
            );
            return Err(Finding::new(&VARIABLE_NAME, span, message).help("put a name there"));
        }
        Ok(self.reading.symbols.intern(text, span))
    }
}

/// The only part, or all of them joined.
fn one_or(mut parts: Vec<Formula>, join: fn(Vec<Formula>, Span) -> Formula) -> Formula {
    match parts.pop() {
        Some(only) if parts.is_empty() => only,
        Some(last) => {
            let span = parts[0].span().to(last.span());
            parts.push(last);
            join(parts, span)
        }
        None => join(parts, Span::default()),
    }
}
