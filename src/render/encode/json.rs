//! Rows as JSON: one object a line, alone or as the items of one array.
//!
//! Values are strings, decoded as [`decoded`](crate::render::decoded) does. Typed amounts are numbers, and
//! typed empty values are null.

use std::ops::Range;

use super::woven::{self, RowText};
use super::{Block, Encode};
use crate::fold::export::{ColumnKind, ExportColumns, Types};
use crate::render::json::{push_string, push_text};
use crate::scan::simd::{Ends, Level, Piece, Window};

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
    before: &'static [u8],
    after: &'static [u8],
    /// For rows that are copied.
    woven: Option<WovenObjects>,
}

/// Objects of strings.
#[derive(Clone, Debug)]
struct WovenObjects {
    /// What stands before each value, the quote that ends the last one included.
    pieces: Vec<Piece>,
    /// Whether a newline follows each object.
    ends_lines: bool,
}

impl Ndjson {
    /// Returns an encoder for rows with these columns.
    pub fn new(columns: &ExportColumns) -> Ndjson {
        Ndjson {
            objects: Objects::new(columns, b"", b"\n"),
        }
    }
}

impl Json {
    /// Returns an encoder for rows with these columns.
    pub fn new(columns: &ExportColumns) -> Json {
        Json {
            objects: Objects::new(columns, b",\n", b""),
        }
    }
}

impl Encode for Ndjson {
    fn block(&self, block: &Block<'_>, out: &mut Vec<u8>) {
        self.objects.push(block, out);
    }
}

impl Encode for Json {
    fn begin(&self, out: &mut Vec<u8>) {
        out.push(b'[');
    }

    fn block(&self, block: &Block<'_>, out: &mut Vec<u8>) {
        self.objects.push(block, out);
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
    /// Objects with these bytes before and after each.
    fn new(columns: &ExportColumns, before: &'static [u8], after: &'static [u8]) -> Objects {
        let key = |(nth, name): (usize, &String)| {
            let mut key = if nth == 0 { b"{" } else { b"," }.to_vec();
            push_string(name.as_bytes(), &mut key);
            key.push(b':');
            key.into()
        };
        let names = columns.columns.iter().map(|column| &column.name);
        let keys: Vec<Box<[u8]>> = names.enumerate().map(key).collect();
        let pieces = keys.iter().enumerate().map(|(nth, key)| {
            let start = if nth == 0 { before } else { b"\"" };
            Piece::new(&[start, key, b"\""].concat())
        });
        let pieces = pieces.collect::<Option<_>>();
        Objects {
            woven: pieces
                .filter(|_| columns.are_as_located())
                .map(|pieces| WovenObjects {
                    pieces,
                    ends_lines: !after.is_empty(),
                }),
            keys,
            before,
            after,
        }
    }

    /// Appends the rows as objects.
    fn push(&self, block: &Block<'_>, out: &mut Vec<u8>) {
        if let Some(woven) = &self.woven
            && woven::push(woven, block.rows(), out)
        {
            return;
        }
        let typed = block.types() == Types::Typed;
        for (nth, row) in block.rows().iter().enumerate() {
            out.extend_from_slice(self.before);
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
            out.extend_from_slice(self.after);
        }
    }
}

impl RowText for WovenObjects {
    fn width(&self) -> usize {
        self.pieces.len()
    }

    #[inline(always)]
    fn special<L: Level>(&self, level: L, window: &Window) -> u64 {
        let in_values = level.beyond_ascii(window) & !level.eq(window, b'\n');
        in_values | level.eq(window, b'"') | level.eq(window, b'\\')
    }

    #[inline(always)]
    fn copy<L: Level>(
        &self,
        level: L,
        ends: &Ends<'_>,
        first: usize,
        columns: Range<usize>,
        out: &mut Vec<u8>,
    ) {
        ends.weave(level, first + columns.start, &self.pieces[columns], out);
    }

    fn value(&self, column: usize, value: &[u8], out: &mut Vec<u8>) {
        out.extend_from_slice(self.pieces[column].bytes());
        push_text(value, out);
    }

    #[inline(always)]
    fn end(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(b"\"}");
        if self.ends_lines {
            out.push(b'\n');
        }
    }
}
