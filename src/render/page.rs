//! Text for people: what all commands share. A page is aligned, with thousands separators. On a
//! terminal it has bars and colour, and characters of the data that would confuse the terminal are
//! escaped.

use std::ffi::OsStr;
use std::io::Write;

use super::numbers::{counted, grouped, one_or_many, size};
use crate::error::escaped;
use crate::fold::FileLines;

/// How text looks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Look {
    /// Bars and colour.
    pub drawing: Drawing,
    /// How bytes of the data are shown.
    pub data: Data,
    /// The width of the terminal, if known. Bars fill it.
    pub columns: Option<usize>,
    /// The characters of drawings.
    pub glyphs: Glyphs,
}

/// The characters of drawings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Glyphs {
    /// Eighths of blocks.
    #[default]
    Blocks,
    /// ASCII only, for a locale without UTF-8.
    Ascii,
}

/// Drawings added to the text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Drawing {
    /// Nothing.
    #[default]
    Plain,
    /// Bars.
    Bars,
    /// Bars, and headings and notes in colour.
    Colored,
}

/// How bytes of the data are shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Data {
    /// They stay as they are.
    #[default]
    Exact,
    /// They are decoded, and what would confuse a terminal is escaped.
    Escaped,
}

/// The length of the longest bar where the width is not known.
const BAR_COLUMNS: usize = 40;

/// Text in the making. Writing to memory does not fail.
pub(super) struct Page {
    pub(super) out: Vec<u8>,
    pub(super) look: Look,
}

impl Page {
    pub(super) fn new(look: Look) -> Page {
        Page {
            out: Vec::new(),
            look,
        }
    }

    pub(super) fn files(&mut self, files: &[FileLines], lines: u64, scanned: Option<u64>) {
        let stored = |file: &FileLines| file.stored_bytes.unwrap_or(file.bytes);
        // A filter tells how many lines it chose from, of all files together.
        let unit_of_all = match scanned {
            Some(all) => format!("of {}", counted(all, "line", "lines")),
            None => one_or_many(lines, "line", "lines").to_owned(),
        };
        let unit = |lines| match (one_or_many(lines, "line", "lines"), scanned) {
            _ if files.len() == 1 => unit_of_all.clone(),
            (unit, Some(_)) => format!("matching {unit}"),
            (unit, None) => unit.to_owned(),
        };
        let mut rows: Vec<_> = files
            .iter()
            .map(|file| {
                let sizes = sizes(stored(file), file.bytes);
                let unit = unit(file.lines);
                (
                    self.input_name(&file.path),
                    sizes,
                    file.lines,
                    unit,
                    file.all_notes(),
                )
            })
            .collect();
        if rows.len() != 1 {
            let stored = files.iter().map(stored).sum();
            let bytes = files.iter().map(|file| file.bytes).sum();
            let all = b"all files".to_vec();
            let sizes = sizes(stored, bytes);
            rows.push((all, sizes, lines, unit_of_all.clone(), Vec::new()));
        }
        let widths = rows.iter().map(|(name, ..)| columns(name));
        let width = widths.max().unwrap_or(0);
        let size_widths = rows.iter().map(|(_, sizes, ..)| sizes.len());
        let size_width = size_widths.max().unwrap_or(0);
        let lines_width = grouped(lines).len();
        for (name, sizes, lines, unit, notes) in rows {
            self.styled(Style::Heading, &name);
            let pad = width - columns(&name);
            let lines = grouped(lines);
            self.line(format_args!(
                "{:pad$}  {sizes:>size_width$}  {lines:>lines_width$} {unit}",
                ""
            ));
            for note in notes {
                self.styled(Style::Note, format!("  note: {note}").as_bytes());
                self.line(format_args!(""));
            }
        }
    }

    /// Returns the length of the longest bar in lines with `others` further columns.
    pub(super) fn bar_columns(&self, others: usize) -> usize {
        let fitting = self.look.columns.map(|all| all.saturating_sub(others));
        fitting.unwrap_or(BAR_COLUMNS).max(1)
    }

    pub(super) fn heading(&mut self, heading: &str, note: &str) {
        self.line(format_args!(""));
        self.styled(Style::Heading, heading.as_bytes());
        self.line(format_args!(" ({note})"));
    }

    pub(super) fn note(&mut self, note: &str) {
        self.styled(Style::Note, note.as_bytes());
        self.line(format_args!(""));
    }

    pub(super) fn put(&mut self, text: std::fmt::Arguments<'_>) {
        self.out
            .write_fmt(text)
            .expect("memory takes all that is written to it");
    }

    pub(super) fn line(&mut self, text: std::fmt::Arguments<'_>) {
        self.put(text);
        self.out.push(b'\n');
    }

    pub(super) fn styled(&mut self, style: Style, text: &[u8]) {
        let code: &[u8] = match style {
            Style::Heading => b"\x1b[1m",
            Style::Note => b"\x1b[2m",
        };
        let (before, after): (&[u8], &[u8]) = match self.look.drawing {
            Drawing::Colored => (code, b"\x1b[0m"),
            Drawing::Plain | Drawing::Bars => (b"", b""),
        };
        self.out.extend_from_slice(&[before, text, after].concat());
    }

    pub(super) fn data(&self, bytes: &[u8]) -> Vec<u8> {
        // Only a copy becomes text: the bytes of a mapped file may change after the check.
        let copy = bytes.to_vec();
        match self.look.data {
            Data::Exact => copy,
            Data::Escaped => escaped(super::decoded(&copy).as_bytes()).into_bytes(),
        }
    }

    pub(super) fn input_name(&self, path: &OsStr) -> Vec<u8> {
        match path.as_encoded_bytes() {
            b"-" => b"standard input".to_vec(),
            path => self.data(path),
        }
    }
}

#[derive(Clone, Copy)]
pub(super) enum Style {
    Heading,
    Note,
}

/// Names are aligned up to this width, which the longest columns of the FEC have. A longer name moves the rest of its row, because it would
/// fill all others with blanks.
const ALIGNED_COLUMNS: usize = 200;

/// Estimates the width of `text`: one column for each character.
pub(super) fn columns(text: &[u8]) -> usize {
    super::decoded(text).chars().take(ALIGNED_COLUMNS).count()
}

/// Returns the size of a file, and that of its contents if it is compressed.
pub(super) fn sizes(stored: u64, bytes: u64) -> String {
    if stored == bytes {
        return size(bytes);
    }
    format!("{}, {} unpacked", size(stored), size(bytes))
}

#[derive(Clone, Copy)]
pub(super) struct Bars {
    /// The value of the longest bar, and its length.
    pub(super) most: u128,
    pub(super) columns: usize,
    pub(super) glyphs: Glyphs,
}

impl Bars {
    /// Draws a bar, to eighths of a column or in ASCII to columns; never empty.
    pub(super) fn bar(self, value: u128) -> String {
        const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
        // Shifted, so that the product fits.
        let [value, most] = match self.most >> 64 {
            0 => [value, self.most],
            _ => [value >> 64, self.most >> 64],
        };
        if self.glyphs == Glyphs::Ascii {
            let columns = value * self.columns as u128 / most.max(1);
            return "#".repeat(columns.max(1) as usize);
        }
        let eighths = value * (self.columns as u128 * 8) / most.max(1);
        let eighths = eighths.max(1) as usize;
        "█".repeat(eighths / 8) + EIGHTHS[eighths % 8]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_are_as_long_as_their_value() {
        let draw = |value, most, columns, glyphs| {
            let bars = Bars {
                most,
                columns,
                glyphs,
            };
            bars.bar(value)
        };
        let bar = |value, most, columns| draw(value, most, columns, Glyphs::Blocks);
        assert_eq!(bar(1, 1, 40), "█".repeat(40));
        assert_eq!(bar(1, 1_000_000, 40), "▏");
        assert_eq!(bar(3, 80, 40), "█▌");
        assert_eq!(bar(3, 80, 20), "▊");
        for most in [u64::MAX.into(), u128::MAX] {
            assert_eq!(bar(most, most, 40).chars().count(), 40);
            assert_eq!(draw(most, most, 40, Glyphs::Ascii), "#".repeat(40));
        }
        assert_eq!(draw(3, 80, 40, Glyphs::Ascii), "#");
        assert_eq!(draw(79, 80, 40, Glyphs::Ascii), "#".repeat(39));
    }
}
