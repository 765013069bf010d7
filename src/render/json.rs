//! Results as JSON: one object on one line, its keys always in the same order.

use std::borrow::Cow;
use std::io::{self, Write};

use serde::Serialize;

use super::answer::{Field, Pieces, Table};
use super::decoded;
use crate::error::is_unsafe_on_terminal;
use crate::fold::FileLines;
use crate::fold::by::Value;
use crate::fold::report::Report;

#[derive(Serialize)]
struct ReportObject {
    #[serde(flatten)]
    count: CountObject,
    names: Vec<Name>,
    month_column: &'static str,
    months: Vec<Month>,
    lines_without_month: u64,
    first_names: Vec<FirstName>,
    distinct_first_names: u64,
    lines_without_first_name: u64,
}

#[derive(Serialize)]
struct CountObject {
    files: Vec<File>,
    lines: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    lines_scanned: Option<u64>,
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

/// Renders the report. The result is valid UTF-8: other values are decoded as Windows-1252.
pub fn report(report: &Report) -> Vec<u8> {
    let names = report.question.names.iter().zip(&report.names);
    let months = report.months.iter().map(|(month, lines)| Month {
        month: month.to_string(),
        lines: *lines,
    });
    let first_names = report.first_names.iter().map(|(name, lines)| FirstName {
        first_name: text(name),
        lines: *lines,
    });
    line(&ReportObject {
        count: CountObject::new(&report.files, report.lines_scanned),
        names: names
            .map(|(&index, name)| Name {
                index,
                name: name.as_deref().map(text),
            })
            .collect(),
        month_column: report.question.month_column.name(),
        months: months.collect(),
        lines_without_month: report.lines_without_month,
        first_names: first_names.collect(),
        distinct_first_names: report.distinct_first_names,
        lines_without_first_name: report.lines_without_first_name,
    })
}

/// Renders line counts with the keys `files`, `lines` and `lines_scanned` of the report. The last one
/// is there if a filter chose among the lines.
pub fn count<'a>(
    files: impl IntoIterator<Item = &'a FileLines>,
    lines_scanned: Option<u64>,
) -> Vec<u8> {
    line(&CountObject::new(files, lines_scanned))
}

impl CountObject {
    fn new<'a>(
        files: impl IntoIterator<Item = &'a FileLines>,
        lines_scanned: Option<u64>,
    ) -> CountObject {
        let file = |file: &FileLines| File {
            path: text(file.path.as_encoded_bytes()),
            bytes: file.bytes,
            lines: file.lines,
        };
        let files: Vec<_> = files.into_iter().map(file).collect();
        CountObject {
            lines: files.iter().map(|file| file.lines).sum(),
            files,
            lines_scanned,
        }
    }
}

/// Writes a table as one array, with an object for each row, one a line; several tables as an array of these. It is valid UTF-8:
/// other bytes are decoded as Windows-1252. A missing value is null.
pub(super) fn arrays(tables: &[Box<dyn Table + '_>], out: &mut dyn Write) -> io::Result<()> {
    let mut pieces = Pieces::new(out);
    if let [table] = tables {
        push_array(&**table, &mut pieces)?;
    } else {
        for (nth, table) in tables.iter().enumerate() {
            let before: &[u8] = if nth == 0 { b"[\n" } else { b",\n" };
            pieces.bytes.extend_from_slice(before);
            push_array(&**table, &mut pieces)?;
        }
        pieces.bytes.extend_from_slice(b"\n]");
    }
    pieces.bytes.push(b'\n');
    pieces.write()
}

fn push_array(table: &dyn Table, pieces: &mut Pieces<'_>) -> io::Result<()> {
    let names = quoted_names(table);
    for nth in 0..table.len() {
        let before: &[u8] = if nth == 0 { b"[\n" } else { b",\n" };
        pieces.bytes.extend_from_slice(before);
        push_object(&names, &table.row(nth), &mut pieces.bytes);
        // Pieces end between rows, so no character is split.
        pieces.write_if_many()?;
    }
    let end: &[u8] = if table.is_empty() { b"[]" } else { b"\n]" };
    pieces.bytes.extend_from_slice(end);
    Ok(())
}

/// Writes the rows of tables as objects, one a line.
pub(super) fn lines(tables: &[Box<dyn Table + '_>], out: &mut dyn Write) -> io::Result<()> {
    let mut pieces = Pieces::new(out);
    for table in tables {
        let names = quoted_names(&**table);
        for nth in 0..table.len() {
            push_object(&names, &table.row(nth), &mut pieces.bytes);
            pieces.bytes.push(b'\n');
            pieces.write_if_many()?;
        }
    }
    pieces.write()
}

/// Returns the name of each column as JSON has it before a value.
fn quoted_names(table: &dyn Table) -> Vec<Vec<u8>> {
    let quoted = |name: &str| {
        let mut quoted = Vec::new();
        push_string(name.as_bytes(), &mut quoted);
        quoted.push(b':');
        quoted
    };
    table.names().into_iter().map(quoted).collect()
}

fn push_object(names: &[Vec<u8>], row: &[Field<'_>], out: &mut Vec<u8>) {
    for (nth, (name, field)) in names.iter().zip(row).enumerate() {
        out.push(if nth == 0 { b'{' } else { b',' });
        out.extend_from_slice(name);
        match field {
            Field::Text(text) => push_string(text, out),
            Field::Value(None) => out.extend_from_slice(b"null"),
            Field::Value(Some(date @ Value::Date(_))) => {
                push_string(date.to_string().as_bytes(), out);
            }
            Field::Value(Some(number)) => out.extend_from_slice(number.to_string().as_bytes()),
        }
    }
    out.push(b'}');
}

fn text(bytes: &[u8]) -> String {
    decoded(bytes).into_owned()
}

/// Appends `bytes`, decoded, as a string.
pub(super) fn push_string(bytes: &[u8], out: &mut Vec<u8>) {
    out.push(b'"');
    push_text(bytes, out);
    out.push(b'"');
}

/// Appends `bytes`, decoded, as they stand between the quotes of a string.
pub(super) fn push_text(bytes: &[u8], out: &mut Vec<u8>) {
    let text = if bytes.is_ascii() {
        Cow::Borrowed(bytes)
    } else {
        // Only a copy becomes text: the bytes of a mapped file may change after the check.
        let copy = bytes.to_vec();
        Cow::Owned(decoded(&copy).into_owned().into_bytes())
    };
    let mut rest = &*text;
    // All bytes that are escaped are ASCII, so runs between them are whole characters.
    while let Some(run) = rest
        .iter()
        .position(|&b| b < b' ' || b == b'"' || b == b'\\')
    {
        out.extend_from_slice(&rest[..run]);
        match rest[run] {
            b'\t' => out.extend_from_slice(b"\\t"),
            b'\n' => out.extend_from_slice(b"\\n"),
            b'\r' => out.extend_from_slice(b"\\r"),
            0x08 => out.extend_from_slice(b"\\b"),
            0x0c => out.extend_from_slice(b"\\f"),
            byte @ (b'"' | b'\\') => out.extend_from_slice(&[b'\\', byte]),
            control => out.extend_from_slice(format!("\\u{control:04x}").as_bytes()),
        }
        rest = &rest[run + 1..];
    }
    out.extend_from_slice(rest);
}

fn line(object: &impl Serialize) -> Vec<u8> {
    let mut json = serde_json::to_vec(object).expect("numbers and text always serialize");
    json.push(b'\n');
    json
}

/// Escapes characters that change what a terminal shows. The result means the same: JSON leaves
/// only some controls and text direction marks unescaped, and only in strings.
///
/// ```
/// let json = "{\"path\":\"a\u{9b}\u{202e}\"}\n";
/// let escaped = fecscan::render::json::for_terminal(json.as_bytes());
/// assert_eq!(escaped, b"{\"path\":\"a\\u009b\\u202e\"}\n");
/// ```
pub fn for_terminal(json: &[u8]) -> Vec<u8> {
    let mut out = String::with_capacity(json.len());
    for c in String::from_utf8_lossy(json).chars() {
        match c {
            // All of them have four digits.
            c if c != '\n' && is_unsafe_on_terminal(c) => {
                out.push_str(&format!("\\u{:04x}", u32::from(c)));
            }
            c => out.push(c),
        }
    }
    out.into_bytes()
}
