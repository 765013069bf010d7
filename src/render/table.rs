//! Tables for programs: CSV, TSV and Markdown. All bytes of the data are kept.
//!
//! CSV quotes as RFC 4180 says; rows end with a newline alone, as in most tools. A row of one empty field is
//! `""`, because many readers skip blank lines. TSV escapes tab,
//! newline, carriage return and backslash as `\t`, `\n`, `\r` and `\\`. Markdown escapes what would be markup, so that a page shows
//! the bytes of the cell.

use std::borrow::Cow;
use std::io::{self, Write};

use memchr::{memchr, memchr3};

use super::answer::{Field, Table, write_if_many};

/// A format of tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TableFormat {
    /// Comma-separated values.
    Csv,
    /// Tab-separated values.
    Tsv,
    /// A table of Markdown, as on GitHub.
    Markdown,
}

/// Writes tables, with an empty line between two of them. A missing value is an empty field.
pub(super) fn write(
    tables: &[Table<'_>],
    format: TableFormat,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut rows = Vec::new();
    for (nth, table) in tables.iter().enumerate() {
        if nth > 0 {
            rows.push(b'\n');
        }
        format.push_header(&mut rows, &table.names);
        for row in table.rows() {
            let fields: Vec<_> = row.iter().map(Field::bytes).collect();
            let fields: Vec<_> = fields.iter().map(Cow::as_ref).collect();
            format.push_row(&mut rows, &fields);
            write_if_many(&mut rows, out)?;
        }
    }
    out.write_all(&rows)
}

impl TableFormat {
    /// Appends the row of column names, and the line that Markdown needs below it.
    pub fn push_header(self, out: &mut Vec<u8>, names: &[&str]) {
        let fields: Vec<_> = names.iter().map(|name| name.as_bytes()).collect();
        self.push_row(out, &fields);
        if self == TableFormat::Markdown {
            out.extend_from_slice("|---".repeat(names.len()).as_bytes());
            out.extend_from_slice(b"|\n");
        }
    }

    /// Appends a row of fields, each in quotes or escaped if it must be.
    pub fn push_row(self, out: &mut Vec<u8>, fields: &[&[u8]]) {
        let (before, between, after): (&[u8], &[u8], &[u8]) = match self {
            TableFormat::Csv => (b"", b",", b"\n"),
            TableFormat::Tsv => (b"", b"\t", b"\n"),
            TableFormat::Markdown => (b"| ", b" | ", b" |\n"),
        };
        out.extend_from_slice(before);
        if self == TableFormat::Csv && matches!(fields, [[]]) {
            out.extend_from_slice(b"\"\"");
        }
        for (nth, field) in fields.iter().enumerate() {
            if nth > 0 {
                out.extend_from_slice(between);
            }
            self.push_field(out, field);
        }
        out.extend_from_slice(after);
    }

    /// Appends a field, in quotes or escaped if it must be.
    pub(super) fn push_field(self, out: &mut Vec<u8>, field: &[u8]) {
        match self {
            TableFormat::Csv => push_csv_field(out, field),
            TableFormat::Tsv => push_escaped(out, field, b"\t\n\r\\"),
            TableFormat::Markdown => push_markdown_field(out, field),
        }
    }
}

/// Appends `bytes`, in quotes if they contain a comma, a quote or the end of a line.
fn push_csv_field(out: &mut Vec<u8>, bytes: &[u8]) {
    let first = memchr3(b',', b'"', b'\r', bytes).or_else(|| memchr(b'\n', bytes));
    if first.is_none() {
        return out.extend_from_slice(bytes);
    }
    out.push(b'"');
    let mut rest = bytes;
    while let Some(quote) = memchr(b'"', rest) {
        out.extend_from_slice(&rest[..=quote]);
        out.push(b'"');
        rest = &rest[quote + 1..];
    }
    out.extend_from_slice(rest);
    out.push(b'"');
}

/// Appends `bytes`, with a backslash before each of the `special` ones.
fn push_escaped(out: &mut Vec<u8>, bytes: &[u8], special: &[u8]) {
    for &byte in bytes {
        if special.contains(&byte) {
            out.push(b'\\');
        }
        out.push(match byte {
            b'\t' if special.contains(&byte) => b't',
            b'\n' => b'n',
            b'\r' => b'r',
            byte => byte,
        });
    }
}

/// Appends `bytes`, with a backslash before all that Markdown or GitHub would take for markup. An underscore after a letter or a digit
/// emphasizes nothing, so names of columns stay as they are.
fn push_markdown_field(out: &mut Vec<u8>, bytes: &[u8]) {
    let mut rest = bytes;
    while let Some((&byte, after)) = rest.split_first() {
        let before = bytes[..bytes.len() - rest.len()].last();
        let is_markup = match byte {
            b'_' => !before.is_some_and(u8::is_ascii_alphanumeric),
            // As in &lt; which would be shown as <, and in $x$, a formula.
            b'&' => after.contains(&b';'),
            b'$' => bytes.iter().filter(|&&byte| byte == b'$').count() > 1,
            byte => b"\\|`*[]<>~".contains(&byte),
        };
        match byte {
            b'\n' => out.extend_from_slice(b"\\n"),
            b'\r' => out.extend_from_slice(b"\\r"),
            _ if is_markup => out.extend_from_slice(&[b'\\', byte]),
            _ => out.push(byte),
        }
        rest = after;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_of_one_empty_field_is_no_blank_line_of_csv() {
        for (format, empty, row) in [
            (TableFormat::Csv, "\"\"\n", "a,b\n"),
            (TableFormat::Tsv, "\n", "a\tb\n"),
            (TableFormat::Markdown, "|  |\n", "| a | b |\n"),
        ] {
            let mut rows = Vec::new();
            format.push_row(&mut rows, &[b""]);
            format.push_row(&mut rows, &[b"a", b"b"]);
            assert_eq!(rows, [empty, row].concat().as_bytes());
        }
    }

    #[test]
    fn markdown_shows_bytes_that_would_be_markup() {
        for (bytes, cell) in [
            ("A*B*", r"A\*B\*"),
            ("a|b\\", r"a\|b\\"),
            ("a\r\tb\n", "a\\r\tb\\n"),
            ("<b>BOLD</b>", r"\<b\>BOLD\</b\>"),
            ("[SELF](x)", r"\[SELF\](x)"),
            ("`code` ~gone~", r"\`code\` \~gone\~"),
            ("_x_ (_y", r"\_x_ (\_y"),
            ("sum(TRANSACTION_AMT)", "sum(TRANSACTION_AMT)"),
            ("AT&T", "AT&T"),
            ("A&lt;B", r"A\&lt;B"),
            ("$x$ $5", r"\$x\$ \$5"),
            ("$500", "$500"),
        ] {
            let mut field = Vec::new();
            TableFormat::Markdown.push_field(&mut field, bytes.as_bytes());
            assert_eq!(field, cell.as_bytes(), "{bytes}");
        }
    }
}
