//! The formats of results. A format is one entry here, and one writer.

use std::io::{self, Write};

use self::ResultKind::*;
use super::answer::{Answer, Show};
use super::json;
use super::table::{self, TableFormat};
use crate::error::{Error, ErrorKind, escaped_fields, escaped_lines};
use crate::output::Escape;

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

/// What a result is, which decides in what formats it comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ResultKind {
    /// A report.
    Report,
    /// Numbers of lines.
    Count,
    /// Groups.
    Groups,
    /// Rows of the inputs.
    Rows,
    /// Rows of a statement of SQL.
    Statement,
    /// A list of columns or of members.
    List,
    /// Two versions compared: text and Markdown have counts, and the others rows.
    Diff,
}

/// What is known of a format.
struct Entry {
    /// The usual name first.
    names: &'static [&'static str],
    /// The extensions of its files, the usual one first.
    extensions: &'static [&'static str],
    terminal: Terminal,
    /// The results that come in it.
    results: &'static [ResultKind],
    /// Writes an answer; none for a format of columns alone.
    write: Option<WriteAnswer>,
}

/// Writes an answer in a format.
type WriteAnswer = fn(&dyn Answer, &Show<'_>, &mut dyn Write) -> io::Result<()>;

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
    Entry {
        names: &["text"],
        extensions: &["txt"],
        terminal: Terminal::Safe,
        results: &[Report, Count, Groups, Rows, Statement, List, Diff],
        write: Some(|answer, show, out| answer.text(show.look, out)),
    },
    Entry {
        names: &["json"],
        extensions: &["json"],
        terminal: JSON,
        results: &[Report, Count, Groups, Rows, Statement, List, Diff],
        write: Some(|answer, _, out| answer.json(out)),
    },
    Entry {
        names: &["ndjson", "jsonl"],
        extensions: &["ndjson", "jsonl"],
        terminal: JSON,
        results: &[Groups, Rows, Statement, List, Diff],
        write: Some(|answer, _, out| json::lines(&answer.tables(), out)),
    },
    Entry {
        names: &["csv"],
        extensions: &["csv"],
        terminal: LINES,
        results: &[Report, Count, Groups, Rows, Statement, List, Diff],
        write: Some(|answer, _, out| table::write(&answer.tables(), TableFormat::Csv, out)),
    },
    Entry {
        names: &["tsv"],
        extensions: &["tsv"],
        // A tab of the data is escaped already.
        terminal: Terminal::Escaped(escaped_fields),
        results: &[Report, Count, Groups, Rows, Statement, List, Diff],
        write: Some(|answer, _, out| table::write(&answer.tables(), TableFormat::Tsv, out)),
    },
    Entry {
        names: &["markdown", "md"],
        extensions: &["md"],
        terminal: LINES,
        results: &[Report, Count, Groups, Statement, List, Diff],
        write: Some(|answer, _, out| table::write(&answer.tables(), TableFormat::Markdown, out)),
    },
    Entry {
        names: &["html"],
        extensions: &["html", "htm"],
        terminal: LINES,
        results: &[Report, Groups],
        write: Some(|answer, show, out| {
            let command = show.command.map(|command| command());
            let page = answer.html(&command.unwrap_or_default(), show.title);
            out.write_all(&page.ok_or(io::ErrorKind::Unsupported)?)
        }),
    },
    Entry {
        names: &["svg"],
        extensions: &["svg"],
        terminal: LINES,
        results: &[Report, Groups],
        write: Some(|answer, show, out| {
            let chart = answer.svg(show.title);
            out.write_all(&chart.ok_or_else(nothing_to_draw)?)
        }),
    },
    Entry {
        names: &["challenge"],
        extensions: &[],
        terminal: LINES,
        results: &[Report],
        write: Some(|answer, _, out| {
            let sentences = answer.challenge();
            out.write_all(&sentences.ok_or(io::ErrorKind::Unsupported)?)
        }),
    },
    Entry {
        names: &["parquet"],
        extensions: &["parquet", "pq"],
        terminal: Terminal::Refused,
        results: &[Groups, Rows, Statement, Diff],
        write: None,
    },
    Entry {
        names: &["arrow"],
        extensions: &["arrow", "arrows"],
        terminal: Terminal::Refused,
        results: &[Groups, Rows, Statement, Diff],
        write: None,
    },
    Entry {
        names: &["xlsx"],
        extensions: &["xlsx"],
        terminal: Terminal::Refused,
        results: &[Report, Count, Groups, Rows, Statement, List, Diff],
        #[cfg(feature = "columnar")]
        write: Some(|answer, _, out| super::columnar::write_sheets(&answer.tables(), out)),
        #[cfg(not(feature = "columnar"))]
        write: None,
    },
];

fn nothing_to_draw() -> io::Error {
    let what = "there is nothing to draw: no row has a value";
    let error = Error::new(ErrorKind::Input, what);
    io::Error::other(error.advise("look at the text, without -f svg"))
}

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

    /// Returns the formats of a result, the default first.
    ///
    /// ```
    /// use fecscan::render::{Format, ResultKind};
    /// assert_eq!(Format::of(ResultKind::Rows)[0], Format::Ndjson);
    /// ```
    pub fn of(kind: ResultKind) -> Vec<Format> {
        let all = Format::ALL.into_iter();
        let mut formats: Vec<_> = all.filter(|format| format.is_of(kind)).collect();
        if kind == ResultKind::Rows {
            formats.sort_by_key(|format| *format != Format::Ndjson);
        }
        formats
    }

    /// Says whether a result comes in this format.
    pub fn is_of(self, kind: ResultKind) -> bool {
        self.entry().results.contains(&kind)
    }

    /// Says whether answers of all kinds can be written in it.
    pub fn writes_answers(self) -> bool {
        self.writer().is_some()
    }

    /// Returns what writes an answer; none for a format that only columns have.
    pub(super) fn writer(self) -> Option<WriteAnswer> {
        self.entry().write
    }

    fn entry(self) -> &'static Entry {
        &ENTRIES[self as usize]
    }

    /// Returns the name.
    pub fn name(self) -> &'static str {
        self.names()[0]
    }

    /// Returns the names by which the format may be chosen.
    pub fn names(self) -> &'static [&'static str] {
        self.entry().names
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
        self.entry().extensions
    }

    /// Returns what makes pieces of a result safe for a terminal; none if they are safe already.
    pub fn escape(self) -> Option<Escape> {
        match self.entry().terminal {
            Terminal::Escaped(escape) => Some(escape),
            Terminal::Safe | Terminal::Refused => None,
        }
    }

    /// Says whether the format is binary: a terminal can't show it.
    pub fn is_binary(self) -> bool {
        matches!(self.entry().terminal, Terminal::Refused)
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
