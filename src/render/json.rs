//! The report as JSON: one object on one line, its keys always in the same order.

use serde::Serialize;

use super::decoded;
use crate::fold::report::Report;

#[derive(Serialize)]
struct Object {
    files: Vec<File>,
    lines: u64,
    names: Vec<Name>,
    month_column: &'static str,
    months: Vec<Month>,
    lines_without_month: u64,
    first_names: Vec<FirstName>,
    distinct_first_names: u64,
    lines_without_first_name: u64,
}

#[derive(Serialize)]
struct File {
    path: String,
    bytes: u64,
    lines: u64,
}

#[derive(Serialize)]
struct Name {
    index: u64,
    name: Option<String>,
}

#[derive(Serialize)]
struct Month {
    month: String,
    lines: u64,
}

#[derive(Serialize)]
struct FirstName {
    first_name: String,
    lines: u64,
}

/// The report as JSON, valid UTF-8: values that are not are decoded as Windows-1252.
pub fn report(report: &Report) -> Vec<u8> {
    let text = |bytes: &[u8]| decoded(bytes).into_owned();
    let file = |file: &crate::engine::FileLines| File {
        path: text(file.path.as_encoded_bytes()),
        bytes: file.bytes,
        lines: file.lines,
    };
    let names = report.question.names.iter().zip(&report.names);
    let object = Object {
        files: report.files.iter().map(file).collect(),
        lines: report.lines,
        names: names
            .map(|(&index, name)| Name {
                index,
                name: name.as_deref().map(text),
            })
            .collect(),
        month_column: report.question.month_column.name(),
        months: report
            .months
            .iter()
            .map(|(month, lines)| Month {
                month: month.to_string(),
                lines: *lines,
            })
            .collect(),
        lines_without_month: report.lines_without_month,
        first_names: report
            .first_names
            .iter()
            .map(|(name, lines)| FirstName {
                first_name: text(name),
                lines: *lines,
            })
            .collect(),
        distinct_first_names: report.distinct_first_names,
        lines_without_first_name: report.lines_without_first_name,
    };
    let mut json = serde_json::to_vec(&object).expect("numbers and text always serialize");
    json.push(b'\n');
    json
}
