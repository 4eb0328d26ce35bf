//! Rules as text: where something stands in a file, and what is found wrong with it.
//!
//! ```
//! use kibitz_lang::source::{Finding, Law, Severity, Source, Span};
//!
//! const SPELLING: Law = Law {
//!     code: "spelling",
//!     severity: Severity::Warning,
//!     rule: "names are spelt in one way",
//! };
//! let source = Source::new("game.kif", "(role white)\n(role blakc)\n");
//! let finding = Finding::new(&SPELLING, Span::new(19, 24), "`blakc` looks like `black`")
//!     .help("write `black`");
//! assert_eq!(
//!     finding.render(&source),
//!     "\
//! warning[spelling]: `blakc` looks like `black`
//!  --> game.kif:2:7
//!   |
//! 2 | (role blakc)
//!   |       ^^^^^
//!   = rule: names are spelt in one way
//!   = help: write `black`
//! "
//! );
//! ```

use std::fmt::Write as _;
use std::io::Read;
use std::path::Path;

/// A range of bytes in a source, end excluded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// The first byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// The bytes from `start` up to `end`, both clamped to 4 GiB.
    pub fn new(start: usize, end: usize) -> Span {
        let clamp = |byte: usize| u32::try_from(byte).unwrap_or(u32::MAX);
        Span { start: clamp(start), end: clamp(end.max(start)) }
    }

    /// The smallest range that holds both.
    pub fn to(self, other: Span) -> Span {
        Span { start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}

/// A place as people count: both from 1, columns in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The line, from 1.
    pub line: usize,
    /// The character in the line, from 1.
    pub column: usize,
}

/// A text with its name, usually the file's.
#[derive(Clone, Debug)]
pub struct Source {
    name: String,
    text: String,
    /// Where each line starts.
    lines: Vec<u32>,
    /// How many bytes there were, the unreadable ones among them.
    bytes: usize,
    /// The byte at which the text stopped being UTF-8.
    unreadable: Option<u8>,
}

impl Source {
    /// A text that is at hand.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Source {
        let text = text.into();
        // A line ends with `\n`, with `\r\n`, or, as on old machines, with `\r`.
        let bytes = text.as_bytes();
        let ends = |at: &usize| match bytes[*at] {
            b'\n' => true,
            b'\r' => bytes.get(at + 1) != Some(&b'\n'),
            _ => false,
        };
        let breaks = (0..bytes.len()).filter(ends);
        let lines = std::iter::once(0).chain(breaks.map(|at| Span::new(at + 1, 0).start)).collect();
        let bytes = text.len();
        Source { name: name.into(), text, lines, bytes, unreadable: None }
    }

    /// A text that arrives as bytes. Where they are not UTF-8 the text ends, and the parser says so.
    pub fn from_bytes(name: impl Into<String>, bytes: &[u8]) -> Source {
        let good = match std::str::from_utf8(bytes) {
            Ok(_) => bytes.len(),
            Err(error) => error.valid_up_to(),
        };
        let text = String::from_utf8_lossy(bytes.get(..good).unwrap_or_default());
        let mut source = Source::new(name, text);
        source.bytes = bytes.len();
        source.unreadable = bytes.get(good).copied();
        source
    }

    /// A file's text. No more than a byte over `max_bytes` is read: the parser refuses what is larger.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn read(path: &Path, max_bytes: usize) -> std::io::Result<Source> {
        let mut bytes = Vec::new();
        let most = u64::try_from(max_bytes).unwrap_or(u64::MAX).saturating_add(1);
        std::fs::File::open(path)?.take(most).read_to_end(&mut bytes)?;
        Ok(Source::from_bytes(path.display().to_string(), &bytes))
    }

    /// The name that findings mention.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The whole text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// How many bytes the file has, or at least has where it was not read to its end.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// The byte after the text, where that is not UTF-8.
    pub fn unreadable(&self) -> Option<u8> {
        self.unreadable
    }

    /// The text of a span; empty where the span is not one of this source.
    pub fn slice(&self, span: Span) -> &str {
        self.text.get(span.start as usize..span.end as usize).unwrap_or_default()
    }

    /// The line and column of a byte.
    ///
    /// ```
    /// use kibitz_lang::source::{Place, Source};
    /// let source = Source::new("game.kif", "(role a)\n(rôle b)");
    /// assert_eq!(source.place(9), Place { line: 2, column: 1 });
    /// assert_eq!(source.place(16), Place { line: 2, column: 7 });
    /// ```
    pub fn place(&self, byte: u32) -> Place {
        let line = self.lines.partition_point(|start| *start <= byte).max(1);
        let start = self.lines[line - 1] as usize;
        let end = (byte as usize).min(self.text.len());
        let column = self.text.get(start..end).map_or(0, |before| before.chars().count());
        Place { line, column: column + 1 }
    }

    /// A line's text, without its end, and the byte at which it starts.
    fn line(&self, line: usize) -> (&str, usize) {
        let start = self.lines.get(line - 1).map_or(self.text.len(), |start| *start as usize);
        let end = self.lines.get(line).map_or(self.text.len(), |next| *next as usize - 1);
        (self.text.get(start..end).unwrap_or_default(), start)
    }
}

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// The rules mean nothing, or cannot be played.
    Error,
    /// The rules can be played, but probably not as meant, or not by every program.
    Warning,
}

impl Severity {
    /// The word that findings start with.
    pub fn name(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
        }
    }
}

/// One rule of the language that files are held to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Law {
    /// A short name, fit for tools: `unsafe-variable`.
    pub code: &'static str,
    /// How bad it is to break it.
    pub severity: Severity,
    /// The rule in words.
    pub rule: &'static str,
}

/// Something wrong at a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// How bad it is.
    pub severity: Severity,
    /// The broken law's short name.
    pub code: &'static str,
    /// The broken law in words.
    pub rule: &'static str,
    /// What is wrong, in one sentence.
    pub message: String,
    /// In which of the files that make a game: 0 is the rules.
    pub file: u16,
    /// Where.
    pub span: Span,
    /// What would be right.
    pub help: Option<String>,
    /// Other places that have to do with it, each with a few words.
    pub related: Vec<(Span, String)>,
}

impl Finding {
    /// A law broken at a place.
    pub fn new(law: &Law, span: Span, message: impl Into<String>) -> Finding {
        let Law { code, severity, rule } = *law;
        let message = message.into();
        Finding { severity, code, rule, message, file: 0, span, help: None, related: Vec::new() }
    }

    /// In another file than the rules.
    #[must_use]
    pub fn in_file(mut self, file: u16) -> Finding {
        self.file = file;
        self
    }

    /// With a remedy.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Finding {
        self.help = Some(help.into());
        self
    }

    /// With another place that has to do with it.
    #[must_use]
    pub fn also(mut self, span: Span, note: impl Into<String>) -> Finding {
        self.related.push((span, note.into()));
        self
    }

    /// As a compiler prints it: the sentence, the place, the line, a caret, the rule and the remedy.
    pub fn render(&self, source: &Source) -> String {
        let width = self.number_width(source);
        let mut text = format!("{}[{}]: {}\n", self.severity.name(), self.code, self.message);
        show(&mut text, source, self.span, width, "-->", '^', "");
        for (span, note) in &self.related {
            show(&mut text, source, *span, width, ":::", '-', note);
        }
        let _ = writeln!(text, "{:width$} = rule: {}", "", self.rule);
        if let Some(help) = &self.help {
            let _ = writeln!(text, "{:width$} = help: {help}", "");
        }
        text
    }

    /// How many digits the largest line number has.
    fn number_width(&self, source: &Source) -> usize {
        let spans = self.related.iter().map(|(span, _)| span).chain([&self.span]);
        let line = spans.map(|span| source.place(span.start).line).max().unwrap_or(1);
        line.to_string().len()
    }
}

/// All findings in some files, one below the other, at most `most` of them, and a line that counts them.
pub fn render_all(sources: &[Source], findings: &[Finding], most: usize) -> String {
    let render = |finding: &Finding| finding.render(&sources[usize::from(finding.file)]) + "\n";
    let mut text: String = findings.iter().take(most).map(render).collect();
    let count = |severity| findings.iter().filter(|finding| finding.severity == severity).count();
    let plural = |count, word| format!("{count} {word}{}", if count == 1 { "" } else { "s" });
    let (errors, warnings) = (count(Severity::Error), count(Severity::Warning));
    let _ =
        write!(text, "{}: {}, {}", sources[0].name(), plural(errors, "error"), plural(warnings, "warning"));
    if findings.len() > most {
        let _ = write!(text, " (the first {most} are shown)");
    }
    text.push('\n');
    text
}

/// The most characters of a line that are printed, so that a file in one line stays readable.
const SHOWN: usize = 100;

/// A place, its line, and a line of marks under it with a note.
fn show(text: &mut String, source: &Source, span: Span, width: usize, arrow: &str, mark: char, note: &str) {
    let place = source.place(span.start);
    let _ = writeln!(text, "{:width$}{arrow} {}:{}:{}", "", source.name(), place.line, place.column);
    let (line, start) = source.line(place.line);
    let marked = source.text().get(span.start as usize..(span.end as usize).min(start + line.len()));
    let length = marked.map_or(0, |marked| marked.chars().count()).max(1);
    // A window on a long line, with the mark near its left side.
    let skipped =
        if place.column + length <= SHOWN { 0 } else { (place.column - 1).saturating_sub(SHOWN / 4) };
    let visible = |character: char| if character.is_control() { ' ' } else { character };
    let window: String = line.chars().skip(skipped).take(SHOWN).map(visible).collect();
    let before = if skipped > 0 { "..." } else { "" };
    let after = if line.chars().count() > skipped + SHOWN { "..." } else { "" };
    let indent = before.len() + place.column - 1 - skipped;
    let marks: String = std::iter::repeat_n(mark, length.min(SHOWN)).collect();
    let _ = writeln!(text, "{:width$} |", "");
    let _ = writeln!(text, "{:>width$} | {before}{}{after}", place.line, window.trim_end());
    let _ = writeln!(text, "{}", format!("{:width$} | {:indent$}{marks} {note}", "", "").trim_end());
}
