//! Line counts as `wc -l` of GNU coreutils prints them.

use std::ffi::OsStr;
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;

use super::answer::{Answer, Field, Listed, Table};
use super::json;
use super::page::{Data, Look};
use crate::error::escaped_lines;
use crate::fold::FileLines;

/// A row: the count, and the name it is shown under, if any.
#[derive(Clone, Debug)]
pub struct Row<'a> {
    /// The number of newlines.
    pub lines: u64,
    /// The file as given; none for standard input that was not named.
    pub name: Option<&'a OsStr>,
}

/// Line counts as an answer.
#[derive(Clone, Debug)]
pub struct LineCounts<'a> {
    /// The inputs that were read whole.
    pub files: Vec<&'a FileLines>,
    /// The number of all lines, if a filter chose among them.
    pub lines_scanned: Option<u64>,
    /// The rows of the text.
    pub rows: Vec<Row<'a>>,
    /// The columns in which the counts of the text are right-aligned.
    pub width: usize,
}

impl Answer for LineCounts<'_> {
    fn tables(&self) -> Vec<Box<dyn Table + '_>> {
        let row = |file: &&'_ FileLines| {
            let path = file.path.as_bytes().to_vec();
            let [lines, bytes] = [file.lines, file.bytes].map(Field::count);
            [Field::Text(path.into()), lines, bytes]
        };
        Listed::tables(["file", "lines", "bytes"], self.files.iter().map(row))
    }

    fn text(&self, look: Look, out: &mut dyn Write) -> io::Result<()> {
        let mut text = Vec::new();
        for Row { lines, name } in &self.rows {
            text.extend_from_slice(format!("{lines:>width$}", width = self.width).as_bytes());
            if let Some(name) = name {
                text.push(b' ');
                // A name with a newline would make two rows of one.
                match name.as_bytes() {
                    name if name.contains(&b'\n') => text.extend_from_slice(&quoted(name)),
                    name => text.extend_from_slice(name),
                }
            }
            text.push(b'\n');
        }
        match look.data {
            Data::Exact => out.write_all(&text),
            Data::Escaped => out.write_all(&escaped_lines(&text)),
        }
    }

    fn json(&self, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(&json::count(self.files.iter().copied(), self.lines_scanned))
    }
}

/// Returns the width of the counts: the digits of the `bytes` of all regular files together. Other
/// inputs have no known size, so then it is at least seven.
pub fn width(bytes: u64, other_inputs: bool) -> usize {
    let digits = bytes.to_string().len();
    if other_inputs { digits.max(7) } else { digits }
}

/// `name` as a word of the shell, as GNU quotes names that can't stand as they are: in single
/// quotes, with control characters and bytes that are no text in `$'...'`.
fn quoted(name: &[u8]) -> Vec<u8> {
    let mut out = vec![b'\''];
    let mut escaping = false;
    let mut push = |escape: bool, text: &[u8]| {
        if escape != escaping {
            out.extend_from_slice(if escape { b"'$'" } else { b"''" });
            escaping = escape;
        }
        out.extend_from_slice(text);
    };
    let octal = |bytes: &[u8]| -> String { bytes.iter().map(|b| format!("\\{b:03o}")).collect() };
    for chunk in name.utf8_chunks() {
        for c in chunk.valid().chars() {
            let mut utf8 = [0; 4];
            let utf8 = c.encode_utf8(&mut utf8).as_bytes();
            match c {
                '\x07' => push(true, b"\\a"),
                '\x08' => push(true, b"\\b"),
                '\t' => push(true, b"\\t"),
                '\n' => push(true, b"\\n"),
                '\x0b' => push(true, b"\\v"),
                '\x0c' => push(true, b"\\f"),
                '\r' => push(true, b"\\r"),
                c if c.is_control() => push(true, octal(utf8).as_bytes()),
                '\'' => push(false, b"'\\''"),
                _ => push(false, utf8),
            }
        }
        if !chunk.invalid().is_empty() {
            push(true, octal(chunk.invalid()).as_bytes());
        }
    }
    out.push(b'\'');
    out
}
