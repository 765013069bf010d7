//! The report for people: aligned, with thousands separators. On a terminal it has bars and colour,
//! and characters of the data that would confuse the terminal are escaped.

use std::io::Write;

use super::numbers::{grouped, size};
use crate::error::escaped;
use crate::fec::month::Month;
use crate::fold::FileLines;
use crate::fold::report::{MonthColumn, OtherKinds, Report};

/// How text looks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Look {
    /// Bars and colour.
    pub drawing: Drawing,
    /// How bytes of the data are shown.
    pub data: Data,
    /// The width of the terminal, if known. Longer bars shrink to fit.
    pub columns: Option<usize>,
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

/// The length of the longest bar, if it fits.
const BAR_COLUMNS: usize = 40;

/// The list of other than calendar months ends after this number.
const OTHER_MONTHS_MAX: usize = 20;

const NO_CALENDAR_MONTH: &str = "  no calendar month";

/// Renders the report.
pub fn report(report: &Report, look: Look) -> Vec<u8> {
    let mut page = Page {
        out: Vec::new(),
        look,
    };
    let months = SplitMonths::of(report);
    page.advice(report, &months);
    page.files(report);
    page.names(report);
    page.months(report, &months);
    page.first_names(report);
    page.month_source(report, &months);
    page.out
}

/// The months of a report, split: image numbers of 11 digits begin with dozens of impossible months,
/// which would come first.
struct SplitMonths {
    calendar: Vec<(Month, u64)>,
    other: Vec<(Month, u64)>,
    other_lines: u64,
    /// More than a tenth of the rows have no calendar month.
    mostly_lost: bool,
}

impl SplitMonths {
    fn of(report: &Report) -> SplitMonths {
        let months = report.months.iter();
        let (calendar, other): (Vec<_>, Vec<_>) =
            months.partition(|(month, _)| month.is_calendar_month());
        let other_lines = other.iter().map(|(_, lines)| lines).sum();
        let lost = other_lines + report.lines_without_month;
        SplitMonths {
            calendar,
            other,
            other_lines,
            mostly_lost: report.question.month_column == MonthColumn::ImageNum
                && lost > report.lines / 10,
        }
    }
}

/// Text in the making. Writing to memory does not fail.
struct Page {
    out: Vec<u8>,
    look: Look,
}

impl Page {
    fn advice(&mut self, report: &Report, months: &SplitMonths) {
        if !months.mostly_lost {
            return;
        }
        let lost = months.other_lines + report.lines_without_month;
        let old = match months.other_lines > lost / 10 {
            true => ": before July 2015 it did not begin with a date",
            false => "",
        };
        let (question, if_so) = match report.question.other_kinds {
            OtherKinds::Report => (" (--force: are they contributions?)", "If so, "),
            OtherKinds::Refuse => ("", ""),
        };
        let advice = format!(
            "{} of {} rows have no calendar month in IMAGE_NUM{old}{question}.\n\
             {if_so}--month-column TRANSACTION_DT counts by the date of the gift instead.",
            grouped(lost),
            grouped(report.lines)
        );
        self.styled(Style::Heading, advice.as_bytes());
        self.line(format_args!("\n"));
    }

    fn files(&mut self, report: &Report) {
        let stored = |file: &FileLines| file.stored_bytes.unwrap_or(file.bytes);
        // A filter tells how many lines it chose from, of all files together.
        let unit_of_all = match report.lines_scanned {
            Some(all) => format!("of {} {}", grouped(all), line_or_lines(all)),
            None => line_or_lines(report.lines).to_owned(),
        };
        let unit = |lines| match report.lines_scanned {
            _ if report.files.len() == 1 => unit_of_all.clone(),
            Some(_) => format!("matching {}", line_or_lines(lines)),
            None => line_or_lines(lines).to_owned(),
        };
        let mut rows: Vec<_> = report
            .files
            .iter()
            .map(|file| {
                let sizes = sizes(stored(file), file.bytes);
                let unit = unit(file.lines);
                (
                    self.file_name(file),
                    sizes,
                    file.lines,
                    unit,
                    &file.notes[..],
                )
            })
            .collect();
        if rows.len() != 1 {
            let stored = report.files.iter().map(stored).sum();
            let bytes = report.files.iter().map(|file| file.bytes).sum();
            let all = b"all files".to_vec();
            let sizes = sizes(stored, bytes);
            rows.push((all, sizes, report.lines, unit_of_all.clone(), &[]));
        }
        let widths = rows.iter().map(|(name, ..)| columns(name));
        let width = widths.max().unwrap_or(0);
        let size_widths = rows.iter().map(|(_, sizes, ..)| sizes.len());
        let size_width = size_widths.max().unwrap_or(0);
        let lines_width = grouped(report.lines).len();
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

    fn names(&mut self, report: &Report) {
        if report.names.is_empty() {
            return;
        }
        let counted = match report.lines_scanned {
            Some(_) => "by matching line, counted from zero",
            None => "by line, counted from zero",
        };
        self.heading("Names", counted);
        let widths = report.question.names.iter();
        let width = widths.map(|&index| grouped(index).len()).max().unwrap_or(0);
        for (&index, name) in report.question.names.iter().zip(&report.names) {
            self.put(format_args!("  {:>width$}  ", grouped(index)));
            match name {
                Some(name) => {
                    let name = self.data(name);
                    self.out.extend_from_slice(&name);
                }
                None if index < report.lines => {
                    self.styled(Style::Note, b"(the line has no column 8)")
                }
                None => self.styled(Style::Note, b"(there is no such line)"),
            }
            self.line(format_args!(""));
        }
    }

    fn months(&mut self, report: &Report, months: &SplitMonths) {
        let rest = report.lines_without_month;
        let column = report.question.month_column.name();
        let most = report.months.iter().map(|&(_, lines)| lines).max();
        let most = most.unwrap_or(0);
        let width = grouped(most.max(months.other_lines).max(rest)).len();
        let mark = match months.other.is_empty() {
            true => 0,
            false => NO_CALENDAR_MONTH.len(),
        };
        let bars = Bars {
            most,
            columns: self.bar_columns("  2018-01    ".len() + width + mark),
        };

        self.heading("Rows by month", column);
        match report.lines_scanned {
            None => self.note(
                "  Refunds and conduit copies are rows too; --contributions leaves them out.",
            ),
            Some(all) => self.note(&format!(
                "  Only rows that meet the conditions: {} of {}. Without --contributions, refunds and conduit copies may be among them.",
                grouped(report.lines),
                grouped(all)
            )),
        }
        for &(month, lines) in &months.calendar {
            self.month(month, lines, bars, width);
            self.line(format_args!(""));
        }
        if !months.other.is_empty() {
            let lines = grouped(months.other_lines);
            self.put(format_args!("  (other)  {lines:>width$}"));
            self.note("  no calendar months, listed below");
        }
        if rest > 0 || report.months.is_empty() {
            self.line(format_args!("  (none)   {:>width$}", grouped(rest)));
        }
        if months.other.is_empty() {
            return;
        }
        let different = format!("{column}, {} different", grouped(months.other.len() as u64));
        self.heading("Other than calendar months", &different);
        for &(month, lines) in months.other.iter().take(OTHER_MONTHS_MAX) {
            self.month(month, lines, bars, width);
            self.note(NO_CALENDAR_MONTH);
        }
        if let Some(more @ 1..) = months.other.len().checked_sub(OTHER_MONTHS_MAX) {
            let more = grouped(more as u64);
            self.note(&format!(
                "  ... and {more} more; the other formats list all"
            ));
        }
    }

    fn month(&mut self, month: Month, lines: u64, bars: Bars, width: usize) {
        self.put(format_args!("  {month}  {:>width$}", grouped(lines)));
        if self.look.drawing != Drawing::Plain {
            self.put(format_args!("  {}", bars.bar(lines)));
        }
    }

    /// Returns the length of the longest bar in lines with `others` further columns.
    fn bar_columns(&self, others: usize) -> usize {
        let fitting = self.look.columns.map(|all| all.saturating_sub(others));
        fitting.unwrap_or(BAR_COLUMNS).clamp(1, BAR_COLUMNS)
    }

    fn first_names(&mut self, report: &Report) {
        let distinct = format!("{} different", grouped(report.distinct_first_names));
        self.heading("Most common first names", &distinct);
        let names = report.first_names.iter();
        let mut rows: Vec<_> = names
            .map(|(name, lines)| (self.data(name), *lines))
            .collect();
        rows.push((b"(none)".to_vec(), report.lines_without_first_name));
        let widths = rows.iter().map(|(name, _)| columns(name));
        let width = widths.max().unwrap_or(0);
        let most = rows.iter().map(|&(_, lines)| lines).max().unwrap_or(0);
        let lines_width = grouped(most).len();
        for (name, lines) in rows {
            let pad = width - columns(&name);
            let share = 100.0 * lines as f64 / report.lines.max(1) as f64;
            let lines = grouped(lines);
            self.put(format_args!("  "));
            self.out.extend_from_slice(&name);
            self.line(format_args!(
                "{:pad$}  {lines:>lines_width$}  {share:5.2} %",
                ""
            ));
        }
    }

    fn month_source(&mut self, report: &Report, months: &SplitMonths) {
        // The advice at the top replaces it.
        if months.mostly_lost && months.calendar.is_empty() {
            return;
        }
        self.line(format_args!(""));
        if report.question.month_column == MonthColumn::TransactionDate {
            return self.note("Months are those of TRANSACTION_DT, column 14: the date of the gift as it was filed.");
        }
        self.note(
            "Months are those of IMAGE_NUM, column 5: when the page was filed, most often the month after the gift.",
        );
        if months.mostly_lost {
            return;
        }
        if !months.other.is_empty() {
            self.note("Before July 2015 it did not begin with a date.");
        }
        self.note("--month-column TRANSACTION_DT counts by the date of the gift.");
    }

    fn heading(&mut self, heading: &str, note: &str) {
        self.line(format_args!(""));
        self.styled(Style::Heading, heading.as_bytes());
        self.line(format_args!(" ({note})"));
    }

    fn note(&mut self, note: &str) {
        self.styled(Style::Note, note.as_bytes());
        self.line(format_args!(""));
    }

    fn put(&mut self, text: std::fmt::Arguments<'_>) {
        self.out
            .write_fmt(text)
            .expect("memory takes all that is written to it");
    }

    fn line(&mut self, text: std::fmt::Arguments<'_>) {
        self.put(text);
        self.out.push(b'\n');
    }

    fn styled(&mut self, style: Style, text: &[u8]) {
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

    /// Returns bytes of the data as they may be shown.
    fn data(&self, bytes: &[u8]) -> Vec<u8> {
        match self.look.data {
            Data::Exact => bytes.to_vec(),
            Data::Escaped => escaped(super::decoded(bytes).as_bytes()).into_bytes(),
        }
    }

    fn file_name(&self, file: &FileLines) -> Vec<u8> {
        match file.path.as_encoded_bytes() {
            b"-" => b"standard input".to_vec(),
            path => self.data(path),
        }
    }
}

#[derive(Clone, Copy)]
enum Style {
    Heading,
    Note,
}

/// Names are aligned up to this width; a longer one moves the rest of its row.
const ALIGNED_COLUMNS: usize = 60;

/// Estimates the width of `text`: one column for each character.
fn columns(text: &[u8]) -> usize {
    super::decoded(text).chars().take(ALIGNED_COLUMNS).count()
}

fn line_or_lines(lines: u64) -> &'static str {
    if lines == 1 { "line" } else { "lines" }
}

/// Returns the size of a file, and that of its contents if it is compressed.
fn sizes(stored: u64, bytes: u64) -> String {
    if stored == bytes {
        return size(bytes);
    }
    format!("{}, {} unpacked", size(stored), size(bytes))
}

/// The scale of bars.
#[derive(Clone, Copy)]
struct Bars {
    /// The value of the longest bar, and its length.
    most: u64,
    columns: usize,
}

impl Bars {
    /// Draws a bar, to eighths of a column; never empty.
    fn bar(self, value: u64) -> String {
        const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
        let eighths = u128::from(value) * (self.columns as u128 * 8) / u128::from(self.most.max(1));
        let eighths = eighths.max(1) as usize;
        "█".repeat(eighths / 8) + EIGHTHS[eighths % 8]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_are_as_long_as_their_value() {
        let bar = |value, most, columns| Bars { most, columns }.bar(value);
        assert_eq!(bar(1, 1, 40), "█".repeat(40));
        assert_eq!(bar(1, 1_000_000, 40), "▏");
        assert_eq!(bar(3, 80, 40), "█▌");
        assert_eq!(bar(3, 80, 20), "▊");
        assert_eq!(bar(u64::MAX, u64::MAX, 40).chars().count(), 40);
    }
}
