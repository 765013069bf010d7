//! The report as an answer: a table of rows `section`, `key`, `lines`, complete as its JSON.
//!
//! The last column is a number of lines, except in two sections: `file_bytes` and
//! `distinct_first_names` have a number of bytes and of names. The section `name_at_I` has the name at
//! line `I` as its key, and 1 line; without such a name, no key and 0 lines.

use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;

use super::answer::{Answer, Field, Table};
use super::page::Look;
use super::{html, json, text};
use crate::fold::report::Report;

impl Answer for Report {
    fn tables(&self) -> Vec<Table<'_>> {
        vec![Table::of_rows(["section", "key", "lines"], rows(self))]
    }

    fn text(&self, look: Look, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(&text::report(self, look))
    }

    fn json(&self, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(&json::report(self))
    }

    fn html(&self, command: &str, title: Option<&str>) -> Option<Vec<u8>> {
        Some(html::report(self, command, title))
    }

    fn svg(&self, title: Option<&str>) -> Option<Vec<u8>> {
        html::report_chart(self, title)
    }

    fn challenge(&self) -> Option<Vec<u8>> {
        Some(challenge(self))
    }
}

fn rows(report: &Report) -> Vec<[Field<'_>; 3]> {
    fn row<'a>(
        section: impl Into<Field<'a>>,
        key: impl Into<Field<'a>>,
        lines: u64,
    ) -> [Field<'a>; 3] {
        [section.into(), key.into(), Field::Count(lines)]
    }
    let files = report.files.iter().flat_map(|file| {
        let path = file.path.as_bytes();
        [
            row("file", path, file.lines),
            row("file_bytes", path, file.bytes),
        ]
    });
    let mut rows: Vec<_> = files.collect();
    rows.push(row("lines", "", report.lines));
    rows.extend(
        report
            .lines_scanned
            .map(|all| row("lines_scanned", "", all)),
    );
    for (index, name) in report.question.names.iter().zip(&report.names) {
        let key = name.as_deref().unwrap_or_default();
        rows.push(row(format!("name_at_{index}"), key, name.is_some().into()));
    }
    let with_month = report.lines - report.lines_without_month;
    let month_column = report.question.month_column.name();
    rows.push(row("month_column", month_column, with_month));
    let months = report.months.iter();
    rows.extend(months.map(|(month, lines)| row("month", month.to_string(), *lines)));
    rows.push(row("lines_without_month", "", report.lines_without_month));
    let first_names = report.first_names.iter();
    rows.extend(first_names.map(|(name, lines)| row("first_name", &name[..], *lines)));
    rows.push(row("distinct_first_names", "", report.distinct_first_names));
    let without = report.lines_without_first_name;
    rows.push(row("lines_without_first_name", "", without));
    rows
}

/// What the reference programs print where there is nothing.
const NOTHING: &[u8] = b"null";

/// Returns the report as the challenge's reference programs print it, months ascending, so that `diff` can compare. The bytes of names
/// stand as in the file.
fn challenge(report: &Report) -> Vec<u8> {
    let mut out = Vec::new();
    let mut line = |before: &str, name: &[u8], after: String| {
        out.extend_from_slice(&[before.as_bytes(), name, after.as_bytes(), b"\n"].concat());
    };
    for (index, name) in report.question.names.iter().zip(&report.names) {
        let name = name.as_deref().unwrap_or(NOTHING);
        line("Name: ", name, format!(" at index: {index}"));
    }
    let lines = report.lines.to_string();
    line("Total file line count: ", b"", lines);
    for (month, lines) in &report.months {
        let count = format!("{month} and donation count: {lines}");
        line("Donations per month and year: ", b"", count);
    }
    let first = report.first_names.first();
    let (name, lines) = first.map_or((NOTHING, 0), |(name, lines)| (name, *lines));
    let occurs = format!(" and it occurs: {lines} times.");
    line("The most common first name is: ", name, occurs);
    out
}
