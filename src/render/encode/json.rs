//! Rows as JSON: one object a line, alone or as the items of one array.
//!
//! Values are strings, decoded as [`decoded`](crate::render::decoded) does. Typed amounts are numbers, and
//! typed empty values are null.

use super::{Block, Encode};
use crate::fold::export::{ColumnKind, ExportColumns, Types};
use crate::render::json::push_string;

/// One object a line.
#[derive(Clone, Debug)]
pub struct Ndjson {
    objects: Objects,
}

/// One array of objects.
#[derive(Clone, Debug)]
pub struct Json {
    objects: Objects,
}

/// The names of the members, each with what stands before and after it: `,"STATE":`.
#[derive(Clone, Debug)]
struct Objects {
    keys: Vec<Box<[u8]>>,
}

impl Ndjson {
    /// Returns an encoder for rows with these columns.
    pub fn new(columns: &ExportColumns) -> Ndjson {
        Ndjson {
            objects: Objects::new(columns),
        }
    }
}

impl Json {
    /// Returns an encoder for rows with these columns.
    pub fn new(columns: &ExportColumns) -> Json {
        Json {
            objects: Objects::new(columns),
        }
    }
}

impl Encode for Ndjson {
    fn block(&self, block: &Block<'_>, out: &mut Vec<u8>) {
        self.objects.push(block, b"", b"\n", out);
    }
}

impl Encode for Json {
    fn begin(&self, out: &mut Vec<u8>) {
        out.push(b'[');
    }

    fn block(&self, block: &Block<'_>, out: &mut Vec<u8>) {
        self.objects.push(block, b",\n", b"", out);
    }

    fn end(&self, rows: u64, out: &mut Vec<u8>) {
        let end: &[u8] = if rows == 0 { b"]\n" } else { b"\n]\n" };
        out.extend_from_slice(end);
    }

    fn separator_bytes(&self) -> usize {
        ",".len()
    }
}

impl Objects {
    fn new(columns: &ExportColumns) -> Objects {
        let key = |(nth, name): (usize, &String)| {
            let mut key = if nth == 0 { b"{" } else { b"," }.to_vec();
            push_string(name.as_bytes(), &mut key);
            key.push(b':');
            key.into()
        };
        let names = columns.columns.iter().map(|column| &column.name);
        Objects {
            keys: names.enumerate().map(key).collect(),
        }
    }

    /// Appends the rows as objects, each with these bytes before and after it.
    fn push(&self, block: &Block<'_>, before: &[u8], after: &[u8], out: &mut Vec<u8>) {
        let typed = block.types() == Types::Typed;
        for (nth, row) in block.rows().iter().enumerate() {
            out.extend_from_slice(before);
            for (key, column) in self.keys.iter().zip(block.columns()) {
                out.extend_from_slice(key);
                let value = block.value(nth, row, column);
                match column.kind {
                    _ if typed && value.is_empty() => out.extend_from_slice(b"null"),
                    ColumnKind::Amount if typed => out.extend_from_slice(value),
                    _ => push_string(value, out),
                }
            }
            out.push(b'}');
            out.extend_from_slice(after);
        }
    }
}
