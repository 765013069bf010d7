//! Rows as NDJSON, JSON, CSV and TSV.

use super::escape::{CSV, Escape, JSON, TSV};
use super::row_bytes::RowBytes;
use super::template::{Field, Literal, PushRows, RowTemplate};
use super::{Block, Encode};
use crate::render::TableFormat;
use crate::render::json::push_string;
use crate::select::{ColumnKind, ExportColumns, Types};

/// The encoder of NDJSON, JSON, CSV and TSV.
///
/// In JSON, values are strings, decoded as [`decoded`](crate::render::decoded) does. Typed amounts are numbers, and
/// typed empty values are null. Tables keep all bytes of the data.
#[derive(Clone, Debug)]
pub struct RowEncoder {
    begin: Vec<u8>,
    /// What stands after the last row, and the same if there is none.
    end: [&'static [u8]; 2],
    separator_bytes: usize,
    template: RowTemplate,
}

impl RowEncoder {
    /// Returns an encoder of one object a line.
    pub fn ndjson(columns: &ExportColumns) -> RowEncoder {
        RowEncoder::objects_of(columns, false)
    }

    /// Returns an encoder of one array, with an object on each line.
    pub fn json(columns: &ExportColumns) -> RowEncoder {
        RowEncoder::objects_of(columns, true)
    }

    /// Returns an encoder of CSV: a line of column names, and a line for each row.
    pub fn csv(columns: &ExportColumns) -> RowEncoder {
        RowEncoder::table(TableFormat::Csv, columns, CSV)
    }

    /// Returns an encoder of TSV: a line of column names, and a line for each row.
    pub fn tsv(columns: &ExportColumns) -> RowEncoder {
        RowEncoder::table(TableFormat::Tsv, columns, TSV)
    }

    fn objects_of(columns: &ExportColumns, are_items: bool) -> RowEncoder {
        let is_typed = columns.types == Types::Typed;
        let keys = columns.columns.iter();
        let keys = keys.map(|column| (&column.name[..], is_typed.then_some(column.kind)));
        let mut encoder = RowEncoder::objects(keys, are_items);
        encoder.template.copy_columns(columns);
        encoder
    }

    /// Returns an encoder of objects with these keys, alone or as the items of an array. The values of a key with a kind are
    /// of that kind or null. Others are strings.
    pub(super) fn objects<'k>(
        keys: impl Iterator<Item = (&'k str, Option<ColumnKind>)>,
        are_items: bool,
    ) -> RowEncoder {
        let mut before = if are_items {
            b",\n{".to_vec()
        } else {
            b"{".to_vec()
        };
        let mut fields = Vec::new();
        for (key, kind) in keys {
            push_string(key.as_bytes(), &mut before);
            before.push(b':');
            let null = kind.map(|_| Literal::variants(&[&before, &b"null"[..]].concat()));
            let is_quoted = !matches!(kind, Some(ColumnKind::Amount | ColumnKind::Number(_)));
            if is_quoted {
                before.push(b'"');
            }
            fields.push(Field {
                before: Literal::variants(&before),
                null,
                is_quoted,
            });
            before = b",".to_vec();
        }
        let (begin, end, after, separator_bytes): (&[u8], [&[u8]; 2], &[u8], _) = if are_items {
            (b"[", [b"\n]\n", b"]\n"], b"}", ",".len())
        } else {
            (b"", [b"", b""], b"}\n", 0)
        };
        RowEncoder {
            begin: begin.to_vec(),
            end,
            separator_bytes,
            template: RowTemplate::new(fields, after, JSON),
        }
    }

    fn table(format: TableFormat, columns: &ExportColumns, escape: Escape) -> RowEncoder {
        let names: Vec<_> = columns.columns.iter().map(|c| &c.name[..]).collect();
        let mut begin = Vec::new();
        format.push_header(&mut begin, &names);
        let (between, blank): (u8, &[u8]) = match format {
            TableFormat::Csv => (b',', b"\"\""),
            _ => (b'\t', b""),
        };
        let field = |nth: usize| Field {
            before: Literal::variants(&[between][..nth.min(1)]),
            null: None,
            is_quoted: false,
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

    pub(super) fn template(&self) -> &RowTemplate {
        &self.template
    }
}

impl Encode for RowEncoder {
    fn begin(&self, out: &mut RowBytes) {
        out.extend_from_slice(&self.begin);
    }

    fn block(&self, block: &Block<'_>, out: &mut RowBytes) {
        let template = &self.template;
        block.rows().dispatch(PushRows {
            template,
            block,
            out,
        });
    }

    fn end(&self, rows: u64, out: &mut RowBytes) {
        out.extend_from_slice(self.end[usize::from(rows == 0)]);
    }

    fn separator_bytes(&self) -> usize {
        self.separator_bytes
    }
}
