//! Results as JSON: one object on one line, its keys always in the same order.

use std::borrow::Cow;
use std::io::{self, Write};

use super::answer::{Field, Table, write_if_many};
use super::decoded;
use crate::error::is_unsafe_on_terminal;
use crate::fold::FileLines;
use crate::fold::report::Report;

/// A value of JSON. It is valid UTF-8: other bytes are decoded as Windows-1252.
pub(super) enum Json<'a> {
    Null,
    Number(u64),
    Text(Cow<'a, [u8]>),
    List(Vec<Json<'a>>),
    Object(Vec<(&'static str, Json<'a>)>),
}

impl<'a> Json<'a> {
    pub(super) fn object<const N: usize>(fields: [(&'static str, Json<'a>); N]) -> Json<'a> {
        Json::Object(fields.into())
    }

    /// Returns the value on a line of its own.
    pub(super) fn line(&self) -> Vec<u8> {
        let mut line = Vec::new();
        self.push_to(&mut line);
        line.push(b'\n');
        line
    }

    fn push_to(&self, out: &mut Vec<u8>) {
        match self {
            Json::Null => out.extend_from_slice(b"null"),
            Json::Number(number) => out.extend_from_slice(number.to_string().as_bytes()),
            Json::Text(text) => push_string(text, out),
            Json::List(items) => {
                out.push(b'[');
                for (nth, item) in items.iter().enumerate() {
                    out.extend_from_slice(if nth == 0 { b"" } else { b"," });
                    item.push_to(out);
                }
                out.push(b']');
            }
            Json::Object(fields) => {
                out.push(b'{');
                for (nth, (key, value)) in fields.iter().enumerate() {
                    out.extend_from_slice(if nth == 0 { b"" } else { b"," });
                    push_string(key.as_bytes(), out);
                    out.push(b':');
                    value.push_to(out);
                }
                out.push(b'}');
            }
        }
    }
}

impl From<u64> for Json<'_> {
    fn from(number: u64) -> Self {
        Json::Number(number)
    }
}

impl<'a> From<&'a [u8]> for Json<'a> {
    fn from(text: &'a [u8]) -> Json<'a> {
        Json::Text(Cow::Borrowed(text))
    }
}

impl<'a> From<&'a str> for Json<'a> {
    fn from(text: &'a str) -> Json<'a> {
        text.as_bytes().into()
    }
}

impl<'a, T: Into<Json<'a>>> From<Option<T>> for Json<'a> {
    fn from(value: Option<T>) -> Json<'a> {
        value.map_or(Json::Null, T::into)
    }
}

impl<'a, T: Into<Json<'a>>> FromIterator<T> for Json<'a> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Json<'a> {
        Json::List(items.into_iter().map(T::into).collect())
    }
}

/// Renders the report.
pub fn report(report: &Report) -> Vec<u8> {
    let names = report.question.names.iter().zip(&report.names);
    let names = names.map(|(&index, name)| {
        Json::object([("index", index.into()), ("name", name.as_deref().into())])
    });
    let months = report.months.iter().map(|(month, lines)| {
        let month = month.to_string().into_bytes();
        Json::object([
            ("month", Json::Text(month.into())),
            ("lines", (*lines).into()),
        ])
    });
    let first_names = report.first_names.iter().map(|(name, lines)| {
        Json::object([("first_name", name[..].into()), ("lines", (*lines).into())])
    });
    let mut fields = count_fields(&report.files, report.lines_scanned);
    fields.extend([
        ("names", names.collect()),
        ("month_column", report.question.month_column.name().into()),
        ("months", months.collect()),
        ("lines_without_month", report.lines_without_month.into()),
        ("first_names", first_names.collect()),
        ("distinct_first_names", report.distinct_first_names.into()),
        (
            "lines_without_first_name",
            report.lines_without_first_name.into(),
        ),
    ]);
    Json::Object(fields).line()
}

/// Renders line counts with the keys `files`, `lines` and `lines_scanned` of the report. The last one
/// is there if a filter chose among the lines.
pub fn count<'a>(
    files: impl IntoIterator<Item = &'a FileLines>,
    lines_scanned: Option<u64>,
) -> Vec<u8> {
    Json::Object(count_fields(files, lines_scanned)).line()
}

fn count_fields<'a>(
    files: impl IntoIterator<Item = &'a FileLines>,
    lines_scanned: Option<u64>,
) -> Vec<(&'static str, Json<'a>)> {
    let mut lines = 0;
    let files = files.into_iter().map(|file| {
        lines += file.lines;
        Json::object([
            ("path", file.path.as_encoded_bytes().into()),
            ("bytes", file.bytes.into()),
            ("lines", file.lines.into()),
        ])
    });
    let files = files.collect();
    let scanned = lines_scanned.map(|scanned| ("lines_scanned", scanned.into()));
    let fields = [("files", files), ("lines", lines.into())];
    fields.into_iter().chain(scanned).collect()
}

/// Writes a table as one array, with an object for each row, one a line; several tables as an array of these. It is valid UTF-8:
/// other bytes are decoded as Windows-1252. A missing value is null.
pub(super) fn arrays(tables: &[Table<'_>], out: &mut dyn Write) -> io::Result<()> {
    let mut rows = Vec::new();
    if let [table] = tables {
        write_array(table, &mut rows, out)?;
    } else {
        for (nth, table) in tables.iter().enumerate() {
            rows.extend_from_slice(if nth == 0 { b"[\n" } else { b",\n" });
            write_array(table, &mut rows, out)?;
        }
        rows.extend_from_slice(b"\n]");
    }
    rows.push(b'\n');
    out.write_all(&rows)
}

fn write_array(table: &Table<'_>, rows: &mut Vec<u8>, out: &mut dyn Write) -> io::Result<()> {
    let names = quoted_names(table);
    for (nth, row) in table.rows().enumerate() {
        rows.extend_from_slice(if nth == 0 { b"[\n" } else { b",\n" });
        push_object(&names, &row, rows);
        write_if_many(rows, out)?;
    }
    let end: &[u8] = if table.len == 0 { b"[]" } else { b"\n]" };
    rows.extend_from_slice(end);
    Ok(())
}

/// Writes the rows of tables as objects, one a line.
pub(super) fn lines(tables: &[Table<'_>], out: &mut dyn Write) -> io::Result<()> {
    let mut rows = Vec::new();
    for table in tables {
        let names = quoted_names(table);
        for row in table.rows() {
            push_object(&names, &row, &mut rows);
            rows.push(b'\n');
            write_if_many(&mut rows, out)?;
        }
    }
    out.write_all(&rows)
}

fn quoted_names(table: &Table<'_>) -> Vec<Vec<u8>> {
    let quoted = |name: &&str| {
        let mut quoted = Vec::new();
        push_string(name.as_bytes(), &mut quoted);
        quoted.push(b':');
        quoted
    };
    table.names.iter().map(quoted).collect()
}

fn push_object(names: &[Vec<u8>], row: &[Field<'_>], out: &mut Vec<u8>) {
    for (nth, (name, field)) in names.iter().zip(row).enumerate() {
        out.push(if nth == 0 { b'{' } else { b',' });
        out.extend_from_slice(name);
        match field {
            Field::Text(text) => push_string(text, out),
            Field::Null => out.extend_from_slice(b"null"),
            Field::Date(_) => push_string(&field.bytes(), out),
            // JSON has no infinity.
            Field::Double(number) if !number.is_finite() => out.extend_from_slice(b"null"),
            Field::Count(_) | Field::Number(_) | Field::Double(_) | Field::Boolean(_) => {
                out.extend_from_slice(&field.bytes());
            }
        }
    }
    out.push(b'}');
}

/// Appends `bytes`, decoded, as a string.
pub(super) fn push_string(bytes: &[u8], out: &mut Vec<u8>) {
    out.push(b'"');
    push_text(bytes, out);
    out.push(b'"');
}

/// Appends `bytes`, decoded, as they stand between the quotes of a string.
pub(super) fn push_text(bytes: &[u8], out: &mut Vec<u8>) {
    if bytes.is_ascii() {
        return rowjson::push_text(bytes, out);
    }
    // Only a copy becomes text: the bytes of a mapped file may change after the check.
    let start = out.len();
    out.extend_from_slice(bytes);
    let is_plain = |&byte: &u8| byte >= b' ' && byte != b'"' && byte != b'\\';
    if str::from_utf8(&out[start..]).is_err() || !out[start..].iter().all(is_plain) {
        let copy = out.split_off(start);
        rowjson::push_text(decoded(&copy).as_bytes(), out);
    }
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
