//! The report as a page.

use super::chart::Chart;
use super::columns::{self, Point, Unit};
use super::page::{
    Fact, NAMES, NUMBERS, Page, ROWS_MAX, Table, cut, lines, lines_fact, not_shown, share,
};
use super::writer::{Html, data, shown, text};
use crate::fec::month::Month;
use crate::fold::report::{MonthColumn, Report};
use crate::render::months::{OTHER_MONTHS_MAX, SplitMonths, rows_counted};
use crate::render::numbers::grouped;
use crate::render::text::no_name;

const TITLE: &str = "Rows by month";

/// Renders the report as one HTML file. `command` is the command line that made it.
pub fn report(report: &Report, command: &str, title: Option<&str>) -> Vec<u8> {
    let months = SplitMonths::of(report);
    let mut page = Page::new(title.unwrap_or(TITLE), &report.files);
    page.dek(&summary(report, &months));
    if let Some(sentences) = months.advice(report) {
        page.advice(&sentences);
    }
    page.facts(&facts(report, &months));
    page.month_chart(report, &months);
    page.html.tags("<div class=\"tables\">\n");
    page.months(report, &months);
    page.other_months(report, &months);
    page.first_names(report);
    page.names(report);
    page.rules(&rules(report, &months));
    page.html.tags("</div>\n");
    page.sources(&report.files, report.lines_scanned.is_some(), command)
}

/// Returns the month with the most rows; the first of equal ones.
fn peak(months: &SplitMonths) -> Option<(Month, u64)> {
    let months = months.calendar.iter().copied();
    months.reduce(|peak, month| if month.1 > peak.1 { month } else { peak })
}

fn summary(report: &Report, months: &SplitMonths) -> String {
    let rows = lines(report.lines, report.lines_scanned);
    let (Some((first, _)), Some((last, _))) = (months.calendar.first(), months.calendar.last())
    else {
        return format!("{rows}, none with a month of the calendar.");
    };
    match peak(months) {
        Some((peak, most)) if first != last => {
            format!(
                "{rows}, from {first} to {last}. {peak} has the most: {}.",
                grouped(most)
            )
        }
        _ => format!("{rows}, in {first}."),
    }
}

fn facts(report: &Report, months: &SplitMonths) -> Vec<Fact> {
    let calendar = grouped(months.calendar.len() as u64);
    let by = format!("by {}", report.question.month_column.name());
    let mut facts = vec![
        lines_fact(report.lines, report.lines_scanned),
        ("months of the calendar", calendar, by),
    ];
    let common = report.first_names.first();
    facts.extend(common.map(|(name, count)| {
        let share = share(*count, report.lines);
        let remark = format!("{}, {share} of the lines", grouped(*count));
        ("most common first name", shown(name), remark)
    }));
    let remark = match report.lines_without_first_name {
        0 => String::new(),
        without => format!("{} lines have none", grouped(without)),
    };
    let distinct = grouped(report.distinct_first_names);
    facts.push(("different first names", distinct, remark));
    facts
}

fn rules(report: &Report, months: &SplitMonths) -> Vec<String> {
    let mut rules = vec![rows_counted(report)];
    rules.extend(months.source(report).into_iter().map(str::to_owned));
    let memo_rows = match (report.question.left_out.memo_rows, report.lines_scanned) {
        (true, _) => "A line is a row. Memo rows are left out.",
        (false, Some(_)) => {
            "A line is a row, and a row is not a gift: memo rows may be among them."
        }
        (false, None) => "A line is a row, and a row is not a gift: memo rows are among them.",
    };
    rules.push(memo_rows.to_owned());
    rules.push(
        "First names follow the first comma and blank of NAME, column 8. Names are not people."
            .to_owned(),
    );
    rules
}

/// Returns the chart of the months alone, as a file; none without months of the calendar.
pub fn report_chart(report: &Report, title: Option<&str>) -> Option<Vec<u8>> {
    let chart = chart(&SplitMonths::of(report), title.unwrap_or(TITLE));
    chart.map(|chart| chart.alone())
}

fn chart(months: &SplitMonths, title: &str) -> Option<Chart> {
    let points = months.calendar.iter().filter_map(|&(month, lines)| {
        Some(Point {
            time: Unit::Month.parse(month.to_string().as_bytes())?,
            value: lines as f64,
            shown: grouped(lines),
        })
    });
    columns::draw(Unit::Month, title, &points.collect::<Vec<_>>())
}

impl Page {
    fn month_chart(&mut self, report: &Report, months: &SplitMonths) {
        let Some(chart) = chart(months, TITLE) else {
            return;
        };
        let under = match report.question.month_column {
            MonthColumn::ImageNum => "By month of IMAGE_NUM: when the page was filed",
            MonthColumn::TransactionDate => "By month of TRANSACTION_DT: the date of the gift",
        };
        let lost = months.other_lines + report.lines_without_month;
        let note = not_shown(lost, "a month of the calendar");
        self.figure("Rows", under, &chart, &note);
    }

    /// Shows numbers of lines, each with its share.
    fn shares<'r>(
        &mut self,
        report: &Report,
        rows: impl Iterator<Item = (Html, u64)>,
        table: Table<'r>,
        name: &'r str,
    ) {
        let row = |(name, lines)| {
            let share = share(lines, report.lines);
            vec![name, text(grouped(lines)), text(share)]
        };
        self.table(Table {
            columns: vec![(name, NAMES), ("lines", NUMBERS), ("share", NUMBERS)],
            rows: rows.map(row).collect(),
            ..table
        });
    }

    fn months(&mut self, report: &Report, months: &SplitMonths) {
        let without = report.lines_without_month;
        let other = (!months.other.is_empty()).then_some(("(other)", months.other_lines));
        let none = (without > 0 || report.months.is_empty()).then_some(("(none)", without));
        let shown = months.calendar.iter().take(ROWS_MAX);
        let rows = shown.map(|(month, lines)| (text(month), *lines));
        let others = [other, none].into_iter().flatten();
        let rows = rows.chain(others.map(|(name, lines)| (text(name), lines)));
        let table = Table {
            title: "Months",
            cut: cut(months.calendar.len(), "months", "-f csv"),
            ..Table::default()
        };
        self.shares(report, rows, table, report.question.month_column.name());
    }

    fn other_months(&mut self, report: &Report, months: &SplitMonths) {
        if months.other.is_empty() {
            return;
        }
        let shown = months.other.iter().take(OTHER_MONTHS_MAX);
        let rows = shown.map(|(month, lines)| vec![text(month), text(grouped(*lines))]);
        let more = months.other.len().saturating_sub(OTHER_MONTHS_MAX);
        let more = (more > 0).then_some(more as u64);
        self.table(Table {
            title: "Other than calendar months",
            under: "The first six digits, as they stand",
            columns: vec![
                (report.question.month_column.name(), NAMES),
                ("lines", NUMBERS),
            ],
            rows: rows.collect(),
            cut: more.map(|more| format!("… and {} more; -f csv lists all.", grouped(more))),
            ..Table::default()
        });
    }

    fn first_names(&mut self, report: &Report) {
        let shown = report.first_names.iter().take(ROWS_MAX);
        let rows = shown.map(|(name, lines)| (data(name), *lines));
        let without = (text("(none)"), report.lines_without_first_name);
        let table = Table {
            title: "Most common first names",
            has_rest: true,
            cut: cut(report.first_names.len(), "first names", "-f csv"),
            ..Table::default()
        };
        self.shares(report, rows.chain([without]), table, "first name");
    }

    fn names(&mut self, report: &Report) {
        if report.names.is_empty() {
            return;
        }
        let row = |(&index, name): (&u64, &Option<Vec<u8>>)| {
            let name = match name {
                Some(name) => data(name),
                None => text(no_name(index, report)),
            };
            vec![text(grouped(index)), name]
        };
        let names = report.question.names.iter().zip(&report.names);
        self.table(Table {
            title: "Names",
            under: match report.lines_scanned {
                Some(_) => "By matching line, counted from zero",
                None => "By line, counted from zero",
            },
            columns: vec![("line", NUMBERS), ("NAME", NAMES)],
            rows: names.take(ROWS_MAX).map(row).collect(),
            cut: cut(report.names.len(), "names", "-f csv"),
            ..Table::default()
        });
    }
}
