//! The report in the sentences of the challenge's reference programs, months ascending, so that
//! `diff` can compare.

use crate::fold::report::Report;

/// What the reference programs print where there is nothing.
const NOTHING: &[u8] = b"null";

/// The report as the reference programs print it. The bytes of names stand as in the file.
pub fn report(report: &Report) -> Vec<u8> {
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
