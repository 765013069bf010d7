//! The formats of results. A format is one entry here, and one writer.

use super::json;
use crate::error::escaped_lines;

/// A format of results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Format {
    /// Text for people.
    Text,
    /// One object of JSON, or one array of objects.
    Json,
    /// One object of JSON a line.
    Ndjson,
    /// Comma-separated values.
    Csv,
    /// Tab-separated values.
    Tsv,
    /// A table of Markdown.
    Markdown,
    /// A page with a chart.
    Html,
    /// The chart alone.
    Svg,
    /// The sentences of the challenge.
    Challenge,
    /// A file of columns.
    Parquet,
    /// A stream of columns.
    Arrow,
    /// A workbook for spreadsheets.
    Xlsx,
}

/// The names of a format, the extensions of its files, the usual ones first, and what a terminal shows of it.
struct Entry(&'static [&'static str], &'static [&'static str], Terminal);

/// Makes a piece of a result safe for a terminal.
pub type Escape = fn(&[u8]) -> Vec<u8>;

/// How a result is shown on a terminal.
#[derive(Clone, Copy)]
enum Terminal {
    /// As it is: its writer knows that a terminal reads.
    Safe,
    Escaped(Escape),
    /// Not at all.
    Refused,
}

const JSON: Terminal = Terminal::Escaped(json::for_terminal);
const LINES: Terminal = Terminal::Escaped(escaped_lines);

/// In the order of [`Format::ALL`].
static ENTRIES: [Entry; Format::ALL.len()] = [
    Entry(&["text"], &["txt"], Terminal::Safe),
    Entry(&["json"], &["json"], JSON),
    Entry(&["ndjson", "jsonl"], &["ndjson", "jsonl"], JSON),
    Entry(&["csv"], &["csv"], LINES),
    Entry(&["tsv"], &["tsv"], LINES),
    Entry(&["markdown", "md"], &["md"], LINES),
    Entry(&["html"], &["html", "htm"], LINES),
    Entry(&["svg"], &["svg"], LINES),
    Entry(&["challenge"], &[], LINES),
    Entry(&["parquet"], &["parquet", "pq"], Terminal::Refused),
    Entry(&["arrow"], &["arrow", "arrows"], Terminal::Refused),
    Entry(&["xlsx"], &["xlsx"], Terminal::Refused),
];

impl Format {
    /// All formats.
    pub const ALL: [Format; 12] = [
        Format::Text,
        Format::Json,
        Format::Ndjson,
        Format::Csv,
        Format::Tsv,
        Format::Markdown,
        Format::Html,
        Format::Svg,
        Format::Challenge,
        Format::Parquet,
        Format::Arrow,
        Format::Xlsx,
    ];

    fn entry(self) -> &'static Entry {
        &ENTRIES[self as usize]
    }

    /// Returns the name.
    pub fn name(self) -> &'static str {
        self.names()[0]
    }

    /// Returns the names by which the format may be chosen.
    pub fn names(self) -> &'static [&'static str] {
        self.entry().0
    }

    /// Returns the format with a name, in any case.
    ///
    /// ```
    /// use fecscan::render::Format;
    /// assert_eq!(Format::named("MD"), Some(Format::Markdown));
    /// ```
    pub fn named(name: &str) -> Option<Format> {
        let is_named = |format: &Format| {
            let mut names = format.names().iter();
            names.any(|known| known.eq_ignore_ascii_case(name))
        };
        Format::ALL.into_iter().find(is_named)
    }

    /// Returns the extensions of files that have this format, the usual one first.
    pub fn extensions(self) -> &'static [&'static str] {
        self.entry().1
    }

    /// Returns what makes pieces of a result safe for a terminal; none if they are safe already.
    pub fn escape(self) -> Option<Escape> {
        match self.entry().2 {
            Terminal::Escaped(escape) => Some(escape),
            Terminal::Safe | Terminal::Refused => None,
        }
    }

    /// Says whether the format is binary: a terminal can't show it.
    pub fn is_binary(self) -> bool {
        matches!(self.entry().2, Terminal::Refused)
    }

    /// Says whether people read the format: it tells what others leave to notes.
    pub fn is_for_people(self) -> bool {
        matches!(self, Format::Text | Format::Html)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_format_has_the_entry_of_its_name() {
        for format in Format::ALL {
            assert_eq!(format!("{format:?}").to_lowercase(), format.name());
            for name in format.names() {
                assert_eq!(Format::named(name), Some(format));
            }
        }
    }
}
