//! Line counts as `wc -l` of GNU coreutils prints them.

use std::ffi::OsStr;
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;

use super::answer::{Answer, Field, Table};
use super::json;
use super::page::{Data, Look};
use crate::error::escaped_lines;
use crate::fold::FileLines;

/// An input, as wc sees it.
#[derive(Clone, Copy, Debug)]
pub struct WcInput<'a> {
    /// The path as given.
    pub path: &'a OsStr,
    /// The number of newlines; none for an input that wc does not list.
    pub lines: Option<u64>,
    /// The size, which widens the column of counts.
    pub size: Size,
}

/// The size of an input before it is read.
#[derive(Clone, Copy, Debug)]
pub enum Size {
    /// That of a regular file.
    Bytes(u64),
    /// That of a pipe or a device.
    Unknown,
    /// There is no such input.
    Missing,
}

/// Line counts as an answer.
#[derive(Clone, Debug)]
pub struct LineCounts<'a> {
    /// The inputs that were read whole.
    files: Vec<&'a FileLines>,
    /// The number of all lines, if a filter chose among them.
    lines_scanned: Option<u64>,
    /// The counts and names of the text.
    rows: Vec<(u64, &'a OsStr)>,
    /// The columns in which the counts of the text are right-aligned.
    width: usize,
    /// The only row has no name: that of standard input, which was not named.
    pub is_unnamed: bool,
}

impl<'a> LineCounts<'a> {
    /// Returns the counts of `inputs`. `files` are the inputs that were read whole. Several inputs have a total.
    pub fn new(
        inputs: impl Iterator<Item = WcInput<'a>>,
        files: impl IntoIterator<Item = &'a FileLines>,
        lines_scanned: Option<u64>,
    ) -> LineCounts<'a> {
        let inputs: Vec<_> = inputs.collect();
        let rows = inputs.iter().filter_map(|it| Some((it.lines?, it.path)));
        let mut rows: Vec<_> = rows.collect();
        let mut width = 1;
        if inputs.len() > 1 {
            rows.push((rows.iter().map(|row| row.0).sum(), OsStr::new("total")));
            let bytes = inputs.iter().map(|input| match input.size {
                Size::Bytes(bytes) => bytes,
                Size::Unknown | Size::Missing => 0,
            });
            width = bytes.sum::<u64>().to_string().len();
            if inputs.iter().any(|it| matches!(it.size, Size::Unknown)) {
                width = width.max(7);
            }
        }
        LineCounts {
            files: files.into_iter().collect(),
            lines_scanned,
            rows,
            width,
            is_unnamed: false,
        }
    }
}

impl Answer for LineCounts<'_> {
    fn tables(&self) -> Vec<Table<'_>> {
        let row = |file: &&'_ FileLines| {
            let path = file.path.as_bytes().to_vec();
            let [lines, bytes] = [file.lines, file.bytes].map(Field::Count);
            [Field::Text(path.into()), lines, bytes]
        };
        let rows = self.files.iter().map(row);
        vec![Table::of_rows(["file", "lines", "bytes"], rows)]
    }

    fn text(&self, look: Look, out: &mut dyn Write) -> io::Result<()> {
        let mut text = Vec::new();
        for (lines, name) in &self.rows {
            text.extend_from_slice(format!("{lines:>width$}", width = self.width).as_bytes());
            if !self.is_unnamed {
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
