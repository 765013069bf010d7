//! Text for people: what all commands share. A page is aligned, with thousands separators. On a
//! terminal it has bars and colour, and characters that would confuse the terminal are escaped.
//!
//! All that a page takes is [`Shown`] before it is measured or written, so nothing reaches a terminal raw: not data, names of columns or
//! files, nor notes of other programs.

use std::ffi::OsStr;
use std::fmt;
use std::io;

use super::answer::write_if_many;
use super::numbers::{grouped, of_scanned, one_or_many, size};
use super::shown::{Shown, widen};
use crate::error::escaped_lines;
use crate::fold::FileLines;
use crate::input::name_of;

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

/// Where a cell stands in its column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Align {
    Left,
    Right,
}

/// The blanks between two columns.
pub(super) const GAP: usize = 2;

/// The length of the longest bar where the width is not known.
const BAR_COLUMNS: usize = 40;

/// Text in the making. Writing to memory does not fail.
pub(super) struct Page {
    out: Vec<u8>,
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
            Some(all) => of_scanned(lines, all),
            None => one_or_many(lines, "line", "lines").to_owned(),
        };
        let unit = |lines| match (one_or_many(lines, "line", "lines"), scanned) {
            _ if files.len() == 1 => unit_of_all.clone(),
            (unit, Some(_)) => format!("matching {unit}"),
            (unit, None) => unit.to_owned(),
        };
        let lines_width = grouped(lines).len();
        let row = |name, stored, bytes, lines, unit: &str| {
            let lines = format!("{:>lines_width$} {unit}", grouped(lines));
            [name, self.shown(sizes(stored, bytes)), self.shown(lines)]
        };
        let rows = files.iter().map(|file| {
            let name = self.input_name(&file.path);
            let unit = unit(file.lines);
            let row = row(name, stored(file), file.bytes, file.lines, &unit);
            (row, file.all_notes())
        });
        let mut rows: Vec<_> = rows.collect();
        if rows.len() != 1 {
            let stored = files.iter().map(stored).sum();
            let bytes = files.iter().map(|file| file.bytes).sum();
            let all = self.shown("all files");
            let row = row(all, stored, bytes, lines, &unit_of_all);
            rows.push((row, Vec::new()));
        }
        let mut widths = [0; 3];
        rows.iter()
            .for_each(|(row, _)| widen(&mut widths, row, ALIGNED_COLUMNS));
        for (row, notes) in rows {
            let alignments = [Align::Left, Align::Right, Align::Left];
            let line = Shown::line_of(&row, &alignments, &widths);
            let (name, rest) = line.split_at(row[0].len());
            self.styled(Style::Heading, &name);
            self.out.extend_from_slice(rest.bytes());
            notes
                .iter()
                .for_each(|note| self.note(&format!("  note: {note}")));
        }
    }

    /// Returns the length of the longest bar in lines with `others` further columns.
    pub(super) fn bar_columns(&self, others: usize) -> usize {
        let fitting = self.look.columns.map(|all| all.saturating_sub(others));
        fitting.unwrap_or(BAR_COLUMNS).max(1)
    }

    pub(super) fn heading(&mut self, heading: &str, note: &str) {
        self.line(format_args!(""));
        self.styled(Style::Heading, &self.shown(heading));
        self.line(format_args!(" ({note})"));
    }

    pub(super) fn note(&mut self, note: &str) {
        self.styled(Style::Note, &self.shown(note));
        self.line(format_args!(""));
    }

    /// Appends rows of cells, in columns as wide as their cells.
    pub(super) fn aligned(
        &mut self,
        indent: &str,
        alignments: &[Align],
        rows: &[impl AsRef<[Shown]>],
    ) {
        let mut widths = vec![0; alignments.len()];
        rows.iter()
            .for_each(|row| widen(&mut widths, row.as_ref(), ALIGNED_COLUMNS));
        for row in rows {
            self.out.extend_from_slice(indent.as_bytes());
            self.row(row.as_ref(), alignments, &widths);
        }
    }

    /// Appends a line of cells, in columns of these widths.
    pub(super) fn row(&mut self, cells: &[Shown], alignments: &[Align], widths: &[usize]) {
        let line = Shown::line_of(cells, alignments, widths);
        self.out.extend_from_slice(line.bytes());
    }

    /// Appends the same in a style, without blanks at its end.
    pub(super) fn styled_row(
        &mut self,
        style: Style,
        cells: &[Shown],
        alignments: &[Align],
        widths: &[usize],
    ) {
        let line = Shown::line_of(cells, alignments, widths);
        self.styled(style, &line.without_end());
        self.line(format_args!(""));
    }

    pub(super) fn put(&mut self, text: fmt::Arguments<'_>) {
        let text = self.lines(text.to_string());
        self.out.extend_from_slice(&text);
    }

    pub(super) fn line(&mut self, text: fmt::Arguments<'_>) {
        self.put(text);
        self.out.push(b'\n');
    }

    pub(super) fn styled(&mut self, style: Style, text: &Shown) {
        if self.look.drawing != Drawing::Colored {
            return self.out.extend_from_slice(text.bytes());
        }
        let code = match style {
            Style::Heading => b"\x1b[1m",
            Style::Note => b"\x1b[2m",
        };
        for part in [&code[..], text.bytes(), b"\x1b[0m"] {
            self.out.extend_from_slice(part);
        }
    }

    /// Returns what is shown of bytes of the data, of names, or of messages.
    pub(super) fn shown(&self, bytes: impl AsRef<[u8]>) -> Shown {
        Shown::new(bytes.as_ref(), self.look.data)
    }

    /// Returns what is shown of lines that are the program's own, but for names in them.
    fn lines(&self, text: String) -> Vec<u8> {
        match self.look.data {
            Data::Exact => text.into_bytes(),
            Data::Escaped => escaped_lines(text.as_bytes()),
        }
    }

    pub(super) fn input_name(&self, path: &OsStr) -> Shown {
        let name = name_of(path).as_encoded_bytes();
        match self.look.data {
            Data::Exact => Shown::exact(name),
            Data::Escaped => self.shown(name),
        }
    }

    /// Writes what there is, if it is much.
    pub(super) fn write_if_many(&mut self, out: &mut dyn io::Write) -> io::Result<()> {
        write_if_many(&mut self.out, out)
    }

    pub(super) fn into_bytes(self) -> Vec<u8> {
        self.out
    }
}

#[derive(Clone, Copy)]
pub(super) enum Style {
    Heading,
    Note,
}

/// Names are aligned up to this width, which the longest columns of the FEC have. A longer name moves the rest of its row, because it would
/// fill all others with blanks.
pub(super) const ALIGNED_COLUMNS: usize = 200;

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
