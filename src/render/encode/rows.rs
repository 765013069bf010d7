//! Rows as NDJSON, JSON, CSV and TSV.

use std::mem;

use rowjson::Literal;

use super::escape::{CSV, JSON, TSV};
use super::template::{Field, Form, RowTemplate};
use crate::render::TableFormat;
use crate::sql::Type;
use crate::sql::projection::{ColumnKind, ExportColumns};

/// The encoder of NDJSON, JSON, CSV and TSV.
///
/// In JSON, texts are strings, decoded as [`decoded`](crate::render::decoded) does. Tables keep all bytes of the data.
#[derive(Debug)]
pub(crate) struct RowEncoder {
    pub(super) begin: Vec<u8>,
    /// What stands after the last row, and the same if there is none.
    pub(super) end: [&'static [u8]; 2],
    pub(super) separator_bytes: usize,
    pub(super) template: RowTemplate,
}

impl RowEncoder {
    /// Returns an encoder of objects: items of an array, or lines of their own.
    pub(super) fn objects(columns: &ExportColumns, are_items: bool) -> RowEncoder {
        let mut before: &[u8] = if are_items { b",\n{" } else { b"{" };
        let fields = columns.columns.iter().map(|column| Field {
            before: Literal::key(mem::replace(&mut before, b","), &column.name),
            form: form(column.kind),
        });
        let fields = fields.collect();
        let (begin, end, after, separator_bytes): (&[u8], [&[u8]; 2], &[u8], _) = if are_items {
            (b"[", [b"\n]\n", b"]\n"], b"}", ",".len())
        } else {
            (b"", [b"", b""], b"}\n", 0)
        };
        let mut template = RowTemplate::new(fields, after, JSON);
        template.copy_columns(columns);
        RowEncoder {
            begin: begin.to_vec(),
            end,
            separator_bytes,
            template,
        }
    }

    /// Returns an encoder of a line of column names, and a line for each row.
    pub(super) fn table(format: TableFormat, columns: &ExportColumns) -> RowEncoder {
        let names: Vec<_> = columns.columns.iter().map(|c| &c.name[..]).collect();
        let mut begin = Vec::new();
        // An empty file has no columns, and no names of any.
        if !names.is_empty() {
            format.push_header(&mut begin, &names);
        }
        let (between, blank, escape): (u8, &[u8], _) = match format {
            TableFormat::Csv => (b',', b"\"\"", CSV),
            _ => (b'\t', b"", TSV),
        };
        let field = |nth: usize| Field {
            before: Literal::new(&[between][..nth.min(1)]),
            form: Form::Bare,
        };
        let fields = (0..names.len()).map(field).collect();
        let mut template = RowTemplate::new(fields, b"\n", escape);
        template.blank = blank;
        template.between = (names.len() > 1).then_some(between);
        template.copy_columns(columns);
        RowEncoder {
            begin,
            end: [b"", b""],
            separator_bytes: 0,
            template,
        }
    }
}

/// Returns how values are written in JSON. Whole numbers of a file identify something: readers of JSON would round them.
fn form(kind: ColumnKind) -> Form {
    match kind {
        ColumnKind::Text => Form::Text,
        ColumnKind::Column(of) if of.is_whole() => Form::TextOrNull,
        ColumnKind::Column(of) | ColumnKind::Made(of) => match of {
            Type::Double => Form::DoubleOrNull,
            Type::Boolean | Type::Decimal(..) | Type::Integer | Type::BigInt | Type::HugeInt => {
                Form::NumberOrNull
            }
            Type::Null | Type::Date | Type::Varchar => Form::TextOrNull,
        },
    }
}
