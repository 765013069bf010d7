//! The report for people: aligned, with thousands separators; on a terminal with bars and colour,
//! and with whatever in the data could play tricks on a terminal made harmless.

use std::io::Write;

use crate::engine::FileLines;
use crate::error::escaped;
use crate::fec::month::Month;
use crate::fold::report::{MonthColumn, Report};

/// How text looks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Look {
    /// Headings and notes are set off by colour.
    pub color: bool,
    /// The text goes to a terminal: bars are drawn, and bytes of the data are escaped where they
    /// are no plain text.
    pub terminal: bool,
}

/// The length of the longest bar.
const BAR_COLUMNS: u64 = 40;

/// The report as text.
pub fn report(report: &Report, look: Look) -> Vec<u8> {
    let mut page = Page {
        out: Vec::new(),
        look,
    };
    page.files(report);
    page.names(report);
    page.months(report);
    page.first_names(report);
    page.how_months_were_read(report);
    page.out
}

/// Text in the making. Writing to memory does not fail.
struct Page {
    out: Vec<u8>,
    look: Look,
}

impl Page {
    fn files(&mut self, report: &Report) {
        let name = |file: &FileLines| self.data(file.path.as_encoded_bytes());
        let mut rows: Vec<_> = report
            .files
            .iter()
            .map(|file| (name(file), file.bytes, file.lines))
            .collect();
        if rows.len() != 1 {
            let bytes = report.files.iter().map(|file| file.bytes).sum();
            rows.push((b"all files".to_vec(), bytes, report.lines));
        }
        let width = rows
            .iter()
            .map(|(name, ..)| columns(name))
            .max()
            .unwrap_or(0);
        let size_width = rows
            .iter()
            .map(|(_, bytes, _)| size(*bytes).len())
            .max()
            .unwrap_or(0);
        let lines_width = grouped(report.lines).len();
        for (name, bytes, lines) in rows {
            self.styled(Style::Heading, &name);
            let (pad, unit) = (
                width - columns(&name),
                if lines == 1 { "line" } else { "lines" },
            );
            let (size, lines) = (size(bytes), grouped(lines));
            self.line(format_args!(
                "{:pad$}  {size:>size_width$}  {lines:>lines_width$} {unit}",
                ""
            ));
        }
    }

    fn names(&mut self, report: &Report) {
        if report.names.is_empty() {
            return;
        }
        self.heading("Names", "by line, counted from zero");
        let width = report
            .question
            .names
            .iter()
            .map(|&index| grouped(index).len())
            .max()
            .unwrap_or(0);
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

    fn months(&mut self, report: &Report) {
        let rest = report.lines_without_month;
        let column = report.question.month_column.name();
        // Image numbers of 11 digits begin with dozens of "months" that are none. Among the others,
        // they would be the first that is seen of the list.
        let (calendar, other): (Vec<_>, Vec<_>) = report
            .months
            .iter()
            .partition(|(month, _)| month.is_calendar_month());
        let other_lines: u64 = other.iter().map(|&(_, lines)| lines).sum();
        let most = report.months.iter().map(|&(_, lines)| lines).max();
        let most = most.unwrap_or(0);
        let width = grouped(most.max(other_lines).max(rest)).len();

        self.heading("Donations by month", column);
        for (month, lines) in calendar {
            self.month(month, lines, most, width);
            self.line(format_args!(""));
        }
        if !other.is_empty() {
            self.put(format_args!("  (other)  {:>width$}", grouped(other_lines)));
            self.styled(Style::Note, b"  no calendar months, listed below");
            self.line(format_args!(""));
        }
        if rest > 0 || report.months.is_empty() {
            self.line(format_args!("  (none)   {:>width$}", grouped(rest)));
        }
        if other.is_empty() {
            return;
        }
        let different = format!("{column}, {} different", grouped(other.len() as u64));
        self.heading("Other than calendar months", &different);
        for (month, lines) in other {
            self.month(month, lines, most, width);
            self.styled(Style::Note, b"  no calendar month");
            self.line(format_args!(""));
        }
    }

    fn month(&mut self, month: Month, lines: u64, most: u64, width: usize) {
        self.put(format_args!("  {month}  {:>width$}", grouped(lines)));
        if self.look.terminal {
            self.put(format_args!("  {}", bar(lines, most)));
        }
    }

    fn first_names(&mut self, report: &Report) {
        let distinct = format!("{} different", grouped(report.distinct_first_names));
        self.heading("Most common first names", &distinct);
        let names: Vec<_> = report
            .first_names
            .iter()
            .map(|(name, _)| self.data(name))
            .collect();
        let width = names
            .iter()
            .map(|name| columns(name))
            .max()
            .unwrap_or(0)
            .max("(none)".len());
        let counts = report
            .first_names
            .iter()
            .map(|&(_, lines)| lines)
            .chain([report.lines_without_first_name]);
        let lines_width = grouped(counts.max().unwrap_or(0)).len();
        let mut row = |name: &[u8], lines: u64| {
            self.put(format_args!("  "));
            self.out.extend_from_slice(name);
            let pad = width.saturating_sub(columns(name));
            let share = 100.0 * lines as f64 / report.lines.max(1) as f64;
            self.line(format_args!(
                "{:pad$}  {:>lines_width$}  {share:5.2} %",
                "",
                grouped(lines)
            ));
        };
        for (name, (_, lines)) in names.iter().zip(&report.first_names) {
            row(name, *lines);
        }
        row(b"(none)", report.lines_without_first_name);
    }

    fn how_months_were_read(&mut self, report: &Report) {
        self.line(format_args!(""));
        let only_calendar_months = report.months.iter().all(|(m, _)| m.is_calendar_month());
        let note = match report.question.month_column {
            MonthColumn::ImageNum if only_calendar_months => {
                "Months are those of IMAGE_NUM, column 5: when the page was filed, most often the month after the gift; \
                 --month-column TRANSACTION_DT counts by the date of the gift."
            }
            MonthColumn::ImageNum => {
                "Months are those of IMAGE_NUM, column 5: when the page was filed, most often the month after the gift. \
                 Until July 2015, its numbers did not begin with a date; --month-column TRANSACTION_DT counts by the \
                 date of the gift."
            }
            MonthColumn::TransactionDate => {
                "Months are those of TRANSACTION_DT, column 14: the date of the gift as it was filed."
            }
        };
        self.styled(Style::Note, note.as_bytes());
        self.line(format_args!(""));
    }

    fn heading(&mut self, heading: &str, note: &str) {
        self.line(format_args!(""));
        self.styled(Style::Heading, heading.as_bytes());
        self.line(format_args!(" ({note})"));
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
        let (before, after): (&[u8], &[u8]) = if self.look.color {
            (code, b"\x1b[0m")
        } else {
            (b"", b"")
        };
        self.out.extend_from_slice(&[before, text, after].concat());
    }

    /// Bytes of the data, as they may be shown: exact, unless they go to a terminal.
    fn data(&self, bytes: &[u8]) -> Vec<u8> {
        if self.look.terminal {
            escaped(super::decoded(bytes).as_bytes()).into_bytes()
        } else {
            bytes.to_vec()
        }
    }
}

#[derive(Clone, Copy)]
enum Style {
    Heading,
    Note,
}

/// Names are aligned up to this width; what is behind a longer one stands further to the right.
const ALIGNED_COLUMNS: usize = 60;

/// How many columns `text` takes, near enough: one for each character, and no more than are
/// aligned.
fn columns(text: &[u8]) -> usize {
    super::decoded(text).chars().take(ALIGNED_COLUMNS).count()
}

/// `number` with a comma between every three digits.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() * 4 / 3);
    for (nth, digit) in digits.chars().enumerate() {
        if nth > 0 && (digits.len() - nth).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A number of bytes, to three digits, in units of a thousand.
fn size(bytes: u64) -> String {
    const UNITS: [&str; 5] = ["kB", "MB", "GB", "TB", "PB"];
    if bytes < 1000 {
        return format!("{bytes} B");
    }
    let mut value = bytes as f64 / 1000.0;
    let mut unit = 0;
    while value >= 999.5 && unit + 1 < UNITS.len() {
        value /= 1000.0;
        unit += 1;
    }
    let decimals = if value < 9.995 {
        2
    } else {
        usize::from(value < 99.95)
    };
    format!("{value:.decimals$} {}", UNITS[unit])
}

/// A bar whose length is to the longest as `value` to `most`, in eighths of a column; never empty.
fn bar(value: u64, most: u64) -> String {
    const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let eighths = u128::from(value) * u128::from(BAR_COLUMNS * 8) / u128::from(most.max(1));
    let eighths = eighths.max(1) as usize;
    "█".repeat(eighths / 8) + EIGHTHS[eighths % 8]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_a_comma_between_every_three_digits() {
        let cases = [
            (0, "0"),
            (999, "999"),
            (1000, "1,000"),
            (18_245_416, "18,245,416"),
        ];
        for (number, text) in cases {
            assert_eq!(grouped(number), text);
        }
        assert_eq!(grouped(u64::MAX), "18,446,744,073,709,551,615");
    }

    #[test]
    fn sizes_have_three_digits() {
        let cases = [
            (0, "0 B"),
            (999, "999 B"),
            (1000, "1.00 kB"),
            (9_996, "10.0 kB"),
            (99_960, "100 kB"),
        ];
        for (bytes, text) in cases
            .into_iter()
            .chain([(999_600, "1.00 MB"), (3_510_318_573, "3.51 GB")])
        {
            assert_eq!(size(bytes), text);
        }
    }

    #[test]
    fn bars_are_as_long_as_their_value() {
        assert_eq!(bar(1, 1), "█".repeat(40));
        assert_eq!(bar(1, 1_000_000), "▏");
        assert_eq!(bar(3, 80), "█▌");
        assert_eq!(bar(u64::MAX, u64::MAX).chars().count(), 40);
    }
}
