//! The report as a table of rows `section`, `key`, `lines`, complete as its JSON.
//!
//! The last column is a number of lines, except in two sections: `file_bytes` and
//! `distinct_first_names` have a number of bytes and of names. The section `name_at_I` has the name at
//! line `I` as its key, and 1 line; without such a name, no key and 0 lines.

use std::os::unix::ffi::OsStrExt;

use super::table::TableFormat;
use crate::fold::report::Report;

/// Renders the report as a table.
pub fn report(report: &Report, format: TableFormat) -> Vec<u8> {
    let mut out = Vec::new();
    format.push_header(&mut out, &["section", "key", "lines"]);
    let mut row = |section: &str, key: &[u8], lines: u64| {
        let lines = lines.to_string();
        format.push_row(&mut out, &[section.as_bytes(), key, lines.as_bytes()]);
    };
    for file in &report.files {
        row("file", file.path.as_bytes(), file.lines);
        row("file_bytes", file.path.as_bytes(), file.bytes);
    }
    row("lines", b"", report.lines);
    if let Some(all) = report.lines_scanned {
        row("lines_scanned", b"", all);
    }
    for (index, name) in report.question.names.iter().zip(&report.names) {
        let key = name.as_deref().unwrap_or_default();
        row(&format!("name_at_{index}"), key, u64::from(name.is_some()));
    }
    let column = report.question.month_column.name().as_bytes();
    let with_month = report.lines - report.lines_without_month;
    row("month_column", column, with_month);
    for (month, lines) in &report.months {
        row("month", month.to_string().as_bytes(), *lines);
    }
    row("lines_without_month", b"", report.lines_without_month);
    for (name, lines) in &report.first_names {
        row("first_name", name, *lines);
    }
    row("distinct_first_names", b"", report.distinct_first_names);
    row(
        "lines_without_first_name",
        b"",
        report.lines_without_first_name,
    );
    out
}
