//! The report in the sentences of the challenge's reference programs, months ascending, so that
//! `diff` can compare.

use crate::fold::report::Report;

/// What the reference programs print where there is nothing.
const NOTHING: &[u8] = b"null";

/// The report as the reference programs print it. The bytes of names stand as in the file.
pub fn report(report: &Report) -> Vec<u8> {
    let mut out = Vec::new();
    let mut line = |parts: &[&[u8]]| {
        parts.iter().for_each(|part| out.extend_from_slice(part));
        out.push(b'\n');
    };
    for (index, name) in report.question.names.iter().zip(&report.names) {
        let name = name.as_deref().unwrap_or(NOTHING);
        line(&[
            b"Name: ",
            name,
            b" at index: ",
            index.to_string().as_bytes(),
        ]);
    }
    line(&[
        b"Total file line count: ",
        report.lines.to_string().as_bytes(),
    ]);
    for (month, lines) in &report.months {
        let (month, lines) = (month.to_string(), lines.to_string());
        line(&[
            b"Donations per month and year: ",
            month.as_bytes(),
            b" and donation count: ",
            lines.as_bytes(),
        ]);
    }
    let (name, lines) = report
        .first_names
        .first()
        .map_or((NOTHING, 0), |(name, lines)| (name, *lines));
    let lines = lines.to_string();
    line(&[
        b"The most common first name is: ",
        name,
        b" and it occurs: ",
        lines.as_bytes(),
        b" times.",
    ]);
    out
}
