//! The report for people: aligned, with thousands separators. On a terminal it has bars and colour,
//! and characters of the data that would confuse the terminal are escaped.

use super::months::{self, OTHER_MONTHS_MAX, SplitMonths};
use super::numbers::grouped;
use super::page::{Align, Bars, Page, Style};
pub use super::page::{Data, Drawing, Glyphs, Look};
use crate::fec::month::Month;
use crate::fold::report::Report;

const NO_CALENDAR_MONTH: &str = "  no calendar month";

/// Renders the report.
pub fn report(report: &Report, look: Look) -> Vec<u8> {
    let mut page = Page::new(look);
    let months = SplitMonths::of(report);
    page.advice(report, &months);
    page.files(&report.files, report.lines, report.lines_scanned);
    page.sparkline(&months);
    page.names(report);
    page.months(report, &months);
    page.first_names(report);
    page.month_source(report, &months);
    page.into_bytes()
}

/// Says why there is no name at `index`.
pub(super) fn no_name(index: u64, report: &Report) -> &'static str {
    if index < report.lines {
        "(the line has no column 8)"
    } else {
        "(there is no such line)"
    }
}

impl Page {
    fn advice(&mut self, report: &Report, months: &SplitMonths) {
        if let Some([lost, option]) = months.advice(report) {
            for sentence in [lost, option] {
                self.styled(Style::Heading, &self.shown(sentence));
                self.line(format_args!(""));
            }
            self.line(format_args!(""));
        }
    }

    /// Draws the months on one line: ASCII has no marks of eight heights.
    fn sparkline(&mut self, months: &SplitMonths) {
        let is_drawn = self.look.drawing != Drawing::Plain && self.look.glyphs == Glyphs::Blocks;
        let (Some((first, _)), Some((last, _))) = (months.calendar.first(), months.calendar.last())
        else {
            return;
        };
        let mut lines = vec![0; last.since(*first) + 1];
        for (month, count) in &months.calendar {
            lines[month.since(*first)] = *count;
        }
        let label = "  2017-01 to 2018-12, 12 months a mark".len() + "  ".len();
        let columns = self.look.columns.unwrap_or(80).saturating_sub(label);
        if !is_drawn || lines.len() == 1 || columns < 2 {
            return;
        }
        let months_a_mark = lines.len().div_ceil(columns);
        let marks = sparkline(&lines, months_a_mark);
        let each = match months_a_mark {
            1 => String::new(),
            many => format!(", {many} months a mark"),
        };
        self.line(format_args!("  {marks}  {first} to {last}{each}"));
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
        let names = report.question.names.iter().zip(&report.names);
        let rows = names.map(|(&index, name)| {
            let name = match name {
                Some(name) => self.shown(name),
                None => self.shown(no_name(index, report)),
            };
            [self.shown(grouped(index)), name]
        });
        let rows: Vec<_> = rows.collect();
        self.aligned("  ", &[Align::Right, Align::Left], &rows);
    }

    fn months(&mut self, report: &Report, months: &SplitMonths) {
        let rest = report.lines_without_month;
        let column = report.question.month_column.name();
        let most = report.months.iter().map(|&(_, lines)| lines).max();
        let most = most.unwrap_or(0);
        let width = grouped(most.max(months.other_lines).max(rest)).len();
        let mark = if months.other.is_empty() {
            0
        } else {
            NO_CALENDAR_MONTH.len()
        };
        let bars = Bars {
            most: most.into(),
            columns: self.bar_columns("  2018-01    ".len() + width + mark),
            glyphs: self.look.glyphs,
        };

        self.heading("Rows by month", column);
        self.note(&format!("  {}", months::rows_counted(report)));
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
            self.put(format_args!("  {}", bars.bar(lines.into())));
        }
    }

    fn first_names(&mut self, report: &Report) {
        let distinct = format!("{} different", grouped(report.distinct_first_names));
        self.heading("Most common first names", &distinct);
        let row = |name: &[u8], lines: u64| {
            let share = 100.0 * lines as f64 / report.lines.max(1) as f64;
            let share = self.shown(format!("{share:5.2} %"));
            [self.shown(name), self.shown(grouped(lines)), share]
        };
        let names = report.first_names.iter();
        let mut rows: Vec<_> = names.map(|(name, lines)| row(name, *lines)).collect();
        rows.push(row(b"(none)", report.lines_without_first_name));
        self.aligned("  ", &[Align::Left, Align::Right, Align::Left], &rows);
    }

    fn month_source(&mut self, report: &Report, months: &SplitMonths) {
        // The advice at the top replaces it.
        if months.mostly_lost && months.calendar.is_empty() {
            return;
        }
        self.line(format_args!(""));
        for sentence in months.source(report) {
            self.note(sentence);
        }
    }
}

/// Marks of eight heights.
const MARKS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// Draws a mark for every `each` numbers, as high as their sum. Zero is a blank.
fn sparkline(numbers: &[u64], each: usize) -> String {
    let sums = numbers
        .chunks(each)
        .map(|chunk| chunk.iter().map(|&n| u128::from(n)).sum());
    let sums: Vec<u128> = sums.collect();
    let most = sums.iter().copied().max().unwrap_or(0).max(1);
    let mark = |sum: u128| match (sum * MARKS.len() as u128).div_ceil(most) {
        0 => ' ',
        eighths => MARKS[eighths as usize - 1],
    };
    sums.into_iter().map(mark).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_as_high_as_their_sums() {
        assert_eq!(sparkline(&[0, 1, 2, 3, 4, 5, 6, 7, 8], 1), " ▁▂▃▄▅▆▇█");
        assert_eq!(sparkline(&[1, 1_000_000], 1), "▁█");
        assert_eq!(sparkline(&[0, 0], 1), "  ");
        assert_eq!(sparkline(&[1, 3, 2, 2, 8], 2), "▄▄█");
        assert_eq!(sparkline(&[u64::MAX, u64::MAX, 1], 2), "█▁");
    }
}
