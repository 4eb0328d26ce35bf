//! TOML tables of which every key is read, or refused with its line.

use std::ops::Range;

use kibitz_core::spec::{SpecError, unknown};
use toml_edit::{Item, TableLike};

/// A file's name and text, for lines in sentences.
#[derive(Clone, Copy)]
pub struct Source<'a> {
    pub name: &'a str,
    pub text: &'a str,
}

impl Source<'_> {
    /// A sentence with the line of a place.
    pub fn error(&self, span: Option<Range<usize>>, what: &str) -> String {
        let before =
            |span: Range<usize>| self.text.as_bytes().iter().take(span.start).filter(|b| **b == b'\n');
        match span {
            Some(span) => format!("{}, line {}: {what}", self.name, before(span).count() + 1),
            None => format!("{}: {what}", self.name),
        }
    }
}

/// A table that is being read.
pub struct Table<'a> {
    source: Source<'a>,
    table: &'a dyn TableLike,
    span: Option<Range<usize>>,
    asked: Vec<&'static str>,
    is_left: bool,
}

impl<'a> Table<'a> {
    /// # Errors
    /// It is no table.
    pub fn of(source: Source<'a>, item: &'a Item, what: &str) -> Result<Table<'a>, String> {
        let table = item.as_table_like().ok_or_else(|| {
            source.error(item.span(), &format!("{what} should be a table, such as {{ mana = 2 }}"))
        })?;
        Ok(Table::from(source, table, item.span()))
    }

    pub fn from(source: Source<'a>, table: &'a dyn TableLike, span: Option<Range<usize>>) -> Table<'a> {
        Table { source, table, span, asked: Vec::new(), is_left: false }
    }

    /// The file that it is of.
    pub fn source(&self) -> Source<'a> {
        self.source
    }

    /// No other key is looked at, or refused.
    pub fn leave_the_rest(&mut self) {
        self.is_left = true;
    }

    /// A sentence about the table.
    pub fn error(&self, what: &str) -> String {
        self.source.error(self.span.clone(), what)
    }

    /// A sentence about one of its values.
    pub fn error_at(&self, key: &str, what: &str) -> String {
        let span = self.table.get(key).and_then(Item::span).or_else(|| self.span.clone());
        self.source.error(span, what)
    }

    pub fn get(&mut self, key: &'static str) -> Option<&'a Item> {
        self.asked.push(key);
        self.table.get(key)
    }

    /// A text, if it is there.
    ///
    /// # Errors
    /// It is something else.
    pub fn text(&mut self, key: &'static str) -> Result<Option<&'a str>, String> {
        let Some(item) = self.get(key) else { return Ok(None) };
        match item.as_str() {
            Some(text) => Ok(Some(text)),
            None => Err(self.error_at(key, &format!("{key} should be a text in quotes"))),
        }
    }

    /// A whole number in a range, if it is there.
    ///
    /// # Errors
    /// It is something else.
    pub fn number(
        &mut self,
        key: &'static str,
        range: std::ops::RangeInclusive<i64>,
    ) -> Result<Option<i64>, String> {
        let Some(item) = self.get(key) else { return Ok(None) };
        match item.as_integer() {
            Some(number) if range.contains(&number) => Ok(Some(number)),
            _ => {
                let (least, most) = (range.start(), range.end());
                Err(self.error_at(key, &format!("{key} should be a whole number from {least} to {most}")))
            }
        }
    }

    /// Whether something is so; it is not, where nothing is said.
    ///
    /// # Errors
    /// It is something else.
    pub fn flag(&mut self, key: &'static str) -> Result<bool, String> {
        let Some(item) = self.get(key) else { return Ok(false) };
        item.as_bool().ok_or_else(|| self.error_at(key, &format!("{key} should be true or false")))
    }

    /// One of several words, if it is there.
    ///
    /// # Errors
    /// It is another one.
    pub fn word<T: Copy>(&mut self, key: &'static str, words: &[(&str, T)]) -> Result<Option<T>, String> {
        let Some(text) = self.text(key)? else { return Ok(None) };
        find(words, key, text).map(Some).map_err(|what| self.error_at(key, &what))
    }

    /// The tables of a list, one after the other, each to be finished.
    ///
    /// # Errors
    /// It is no list, or what the reader says.
    pub fn each<T>(
        &mut self,
        key: &'static str,
        mut read: impl FnMut(&mut Table<'a>) -> Result<T, String>,
    ) -> Result<Vec<T>, String> {
        let Some(item) = self.get(key) else { return Ok(Vec::new()) };
        let not_a_list = || {
            self.error_at(key, &format!("{key} should be a list of tables, such as [{{ do = \"stun\" }}]"))
        };
        let mut all = Vec::new();
        let mut take = |table: &'a dyn TableLike, span| {
            let mut table = Table::from(self.source, table, span);
            let done = read(&mut table)?;
            table.finish()?;
            all.push(done);
            Ok::<_, String>(())
        };
        if let Some(tables) = item.as_array_of_tables() {
            for table in tables.iter() {
                take(table, table.span())?;
            }
        } else {
            for value in item.as_array().ok_or_else(not_a_list)?.iter() {
                let table = value.as_inline_table().ok_or_else(not_a_list)?;
                take(table, value.span())?;
            }
        }
        Ok(all)
    }

    /// Keys and values, none of which is known beforehand.
    pub fn pairs(&self) -> impl Iterator<Item = (&'a str, &'a Item)> {
        self.table.iter()
    }

    /// # Errors
    /// A key that nobody asked for.
    pub fn finish(&self) -> Result<(), String> {
        for (key, item) in self.table.iter() {
            if !self.is_left && !self.asked.contains(&key) {
                let SpecError(what) = unknown("key", key, self.asked.iter().copied());
                let span = self.table.key(key).and_then(toml_edit::Key::span).or_else(|| item.span());
                return Err(self.source.error(span, &what));
            }
        }
        Ok(())
    }
}

/// The one of some words that is meant.
///
/// # Errors
/// None is.
pub fn find<T: Copy>(words: &[(&str, T)], what: &str, text: &str) -> Result<T, String> {
    let found = words.iter().find(|(name, _)| *name == text);
    found.map(|(_, value)| *value).ok_or_else(|| {
        let SpecError(what) = unknown(what, text, words.iter().map(|(name, _)| *name));
        what
    })
}
