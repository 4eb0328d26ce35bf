//! Characters and tokens that both forms share.

use crate::source::Span;

/// Some editors put it first.
pub const BYTE_ORDER_MARK: char = '\u{feff}';

/// A line ends with one of these, or with both.
pub const LINE_ENDS: [char; 2] = ['\n', '\r'];

/// A piece of text that means something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    pub kind: Kind,
    pub span: Span,
}

/// What a token is. The last five are of the infix form only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Open,
    Close,
    /// A name, a number or a variable; in prefix form `<=` too.
    Word,
    /// A character that no rule has.
    Unknown,
    /// `:-` or `<=`: if.
    If,
    /// `,` or `&`: and.
    And,
    /// `|`: or.
    Or,
    /// `~` or `\+`: not. `not` itself is a word.
    Not,
    /// `!=`, `\=`: distinct.
    Differs,
    /// `=`, `==`: not distinct.
    Equals,
    /// `.` at the end of a rule.
    Stop,
}

/// Where a text is being cut into tokens.
pub struct Cursor<'a> {
    pub text: &'a str,
    pub at: usize,
}

impl<'a> Cursor<'a> {
    pub fn peek(&self) -> Option<char> {
        self.text[self.at..].chars().next()
    }

    pub fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    pub fn skip_while(&mut self, wanted: impl Fn(char) -> bool) {
        let rest = self.rest();
        self.at += rest.find(|c| !wanted(c)).unwrap_or(rest.len());
    }

    /// To the end of the line, whichever way it is written: `\n`, `\r\n` or `\r`.
    pub fn skip_line(&mut self) {
        self.skip_while(|c| !LINE_ENDS.contains(&c));
    }

    /// The token of one kind from `start` to here.
    pub fn token(&self, kind: Kind, start: usize) -> Token {
        Token { kind, span: Span::new(start, self.at) }
    }
}

/// Is it between tokens?
pub fn is_space(c: char) -> bool {
    c.is_whitespace() || c == BYTE_ORDER_MARK
}

/// A token as a message names it.
pub fn quote(text: &str) -> String {
    const SHOWN: usize = 40;
    if text.chars().count() <= SHOWN {
        format!("`{text}`")
    } else {
        format!("`{}...`", text.chars().take(SHOWN).collect::<String>())
    }
}

/// An unreadable character as a message names it.
pub fn describe(c: char) -> String {
    if c.is_control() { format!("the control character 0x{:02x}", u32::from(c)) } else { format!("`{c}`") }
}
