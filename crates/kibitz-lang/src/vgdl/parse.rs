//! From text to a tree of lines by their indentation, with the place of every word.

use crate::source::{Finding, Law, Severity, Source, Span};

const NOT_TEXT: Law =
    Law { code: "not-text", severity: Severity::Error, rule: "rules are UTF-8 text within the limits" };
const INDENTATION: Law = Law {
    code: "indentation",
    severity: Severity::Error,
    rule: "what stands in a line's block is indented more than the line, and all of it alike",
};
const DEPTH: Law =
    Law { code: "too-deep", severity: Severity::Error, rule: "blocks nest no deeper than the limit" };

/// A word with its place.
#[derive(Clone, Debug)]
pub struct Word {
    /// The word.
    pub text: String,
    /// Where it stands.
    pub span: Span,
}

/// A line and the lines of its block.
#[derive(Clone, Debug, Default)]
pub struct Line {
    /// What stands left of `>`, or all of it where there is none.
    pub head: Vec<Word>,
    /// What stands right of `>`.
    pub tail: Option<Vec<Word>>,
    /// The whole line.
    pub span: Span,
    /// The lines in its block.
    pub block: Vec<Line>,
}

/// How deeply blocks may nest.
const MOST_DEPTH: usize = 64;
/// To which columns a tabulator jumps.
const TAB: usize = 4;

/// The lines of a text that are not empty: how far they are indented, and where their content is.
fn lines(text: &str) -> impl Iterator<Item = (usize, Span)> + '_ {
    let mut start = 0;
    text.split_inclusive(['\n', '\r']).filter_map(move |line| {
        let at = start;
        start += line.len();
        let code = line.split('#').next().unwrap_or_default();
        let content = code.trim();
        if content.is_empty() {
            return None;
        }
        let begin = code.len() - code.trim_start().len();
        let column = code[..begin].chars().fold(0, |column, c| match c {
            '\t' => (column / TAB + 1) * TAB,
            _ => column + 1,
        });
        Some((column, Span::new(at + begin, at + begin + content.len())))
    })
}

fn words(text: &str, offset: usize) -> Vec<Word> {
    let place = |word: &str| word.as_ptr() as usize - text.as_ptr() as usize + offset;
    let word =
        |word: &str| Word { text: word.to_owned(), span: Span::new(place(word), place(word) + word.len()) };
    text.split_whitespace().map(word).collect()
}

/// Reads the lines of a text into blocks.
///
/// # Errors
/// What cannot be read.
pub fn parse(source: &Source, bytes: usize) -> Result<Vec<Line>, Vec<Finding>> {
    if source.bytes() > bytes {
        let message = format!("the file is larger than {bytes} bytes (limit.bytes)");
        return Err(vec![Finding::new(&NOT_TEXT, Span::default(), message)]);
    }
    if source.unreadable().is_some() {
        let end = source.text().len();
        return Err(vec![Finding::new(&NOT_TEXT, Span::new(end, end), "here the file stops being UTF-8")]);
    }
    let text = source.text();
    let mut findings = Vec::new();
    // The blocks that are open, each with how far its lines are indented, the outermost first.
    let mut open: Vec<(usize, Vec<Line>)> = vec![(0, Vec::new())];
    let close = |open: &mut Vec<(usize, Vec<Line>)>| {
        let (_, block) = open.pop().unwrap_or_default();
        if let Some(line) = open.last_mut().and_then(|(_, lines)| lines.last_mut()) {
            line.block = block;
        }
    };
    for (number, (column, span)) in lines(text).enumerate() {
        if number == 0 {
            open[0].0 = column;
        }
        while open.len() > 1 && open.last().is_some_and(|(indent, _)| column < *indent) {
            close(&mut open);
        }
        let indent = open.last().map_or(0, |(indent, _)| *indent);
        if column > indent && number > 0 && open.last().is_some_and(|(_, lines)| !lines.is_empty()) {
            if open.len() > MOST_DEPTH {
                findings.push(Finding::new(
                    &DEPTH,
                    span,
                    format!("this block is more than {MOST_DEPTH} deep"),
                ));
                break;
            }
            let first =
                open.last().is_some_and(|(_, lines)| lines.last().is_some_and(|l| l.block.is_empty()));
            if !first {
                let message = "this line is indented less than the block above it, and more than what that block belongs to";
                findings.push(
                    Finding::new(&INDENTATION, span, message)
                        .help("indent it as the lines that it belongs to"),
                );
            }
            open.push((column, Vec::new()));
        } else if column < indent {
            let message = "this line is indented less than the first line of the rules";
            findings.push(Finding::new(&INDENTATION, span, message));
        }
        let content = source.slice(span);
        let start = span.start as usize;
        let (head, tail) = match content.split_once('>') {
            None => (words(content, start), None),
            // A level's character may be `>` itself.
            Some(("", rest)) if rest.trim_start().starts_with('>') => {
                let at = content.len() - rest.trim_start().len();
                (words(&content[..1], start), Some(words(&content[at + 1..], start + at + 1)))
            }
            Some((left, right)) => (words(left, start), Some(words(right, start + left.len() + 1))),
        };
        if let Some((_, lines)) = open.last_mut() {
            lines.push(Line { head, tail, span, block: Vec::new() });
        }
    }
    while open.len() > 1 {
        close(&mut open);
    }
    if findings.is_empty() {
        Ok(open.pop().map(|(_, lines)| lines).unwrap_or_default())
    } else {
        Err(findings)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vgdl_blocks_by_indentation() {
        let source = Source::new("a.vgdl", "Game\n  A # all\n\n\tb > c d=1\n    e >\n  F\n    > > g\n");
        let lines = parse(&source, 1000).unwrap();
        assert_eq!(lines.len(), 1);
        let [a, f] = &lines[0].block[..] else { panic!("two sections") };
        assert_eq!(a.head[0].text, "A");
        assert_eq!(a.block.len(), 2);
        assert_eq!(a.block[0].tail.as_ref().unwrap()[1].text, "d=1");
        assert_eq!(source.slice(a.block[0].tail.as_ref().unwrap()[1].span), "d=1");
        assert_eq!(f.block[0].head[0].text, ">");
        assert_eq!(f.block[0].tail.as_ref().unwrap()[0].text, "g");
    }

    #[test]
    fn vgdl_indentation_that_cannot_be() {
        let source = Source::new("a.vgdl", "Game\n  A\n      b > c\n    d > e\n");
        let found = parse(&source, 1000).unwrap_err();
        assert_eq!(found[0].code, "indentation");
        assert_eq!(source.place(found[0].span.start).line, 4);
    }
}
