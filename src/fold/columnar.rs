//! Rows as a file of columns, in the order of the input.

use std::io::Write;

use super::{ChunkPlace, Fold, Order};
use crate::engine::Engine;
use crate::error::Error;
use crate::fec::schema::{Kind, Schema};
use crate::input::Part;
use crate::output::Go;
use crate::render::columnar::{Block, Column, ColumnKind, ColumnarWriter, Layout, Written};
use crate::scan::{Need, Rows};

/// Writes columns of rows as Parquet or Arrow.
pub struct ColumnarFold<'w> {
    columns: Vec<String>,
    writer: ColumnarWriter<'w>,
}

impl<'w> ColumnarFold<'w> {
    /// Returns a fold that writes to `out` what `layout` says. Its columns are those of the files, by their names.
    ///
    /// # Errors
    /// If the output fails, or the format has no such columns.
    pub fn new(layout: &Layout, out: impl Write + Send + 'w) -> Result<ColumnarFold<'w>, Error> {
        Ok(ColumnarFold {
            columns: layout.columns.iter().map(|c| c.name.clone()).collect(),
            writer: ColumnarWriter::new(layout, out)?,
        })
    }

    /// Ends the file after the run, with all workers of `engine`.
    ///
    /// # Errors
    /// If the output fails.
    pub fn finish(self, engine: &Engine) -> Result<Written, Error> {
        self.writer.finish(engine)
    }
}

impl Fold for ColumnarFold<'_> {
    type Partial = Block;

    fn need(&self, part: &Part) -> Result<Need, Error> {
        let schema = part.certain_schema()?;
        let columns = self.columns.iter().map(|name| schema.column(name));
        Ok(Need::Rows(columns.collect::<Result<_, _>>()?))
    }

    fn partial(&self) -> Block {
        self.writer.block()
    }

    fn rows(&self, rows: &Rows<'_>, block: &mut Block) -> Result<(), Error> {
        block.add_rows(rows);
        Ok(())
    }

    fn merge(&self, _: &mut Block, _: Block) {}

    fn order(&self) -> Order {
        Order::Input
    }

    fn end_chunk(&self, _: &ChunkPlace<'_>, block: &mut Block) -> Result<Go, Error> {
        self.writer.push(block);
        Ok(Go::On)
    }

    fn after_chunk(&self) -> Result<(), Error> {
        self.writer.work()
    }
}

/// Returns all columns of a schema as text.
pub fn raw_columns(schema: Schema) -> Vec<Column> {
    columns(schema, |_, _| ColumnKind::Text)
}

/// Returns all columns of a schema: amounts, days and SUB_ID as numbers, the others as text.
pub fn typed_columns(schema: Schema) -> Vec<Column> {
    columns(schema, |name, kind| match (name, kind) {
        ("SUB_ID", _) => ColumnKind::Integer,
        (_, Kind::Number) => ColumnKind::Amount,
        (_, Kind::Date) => ColumnKind::Date,
        _ => ColumnKind::Text,
    })
}

fn columns(schema: Schema, kind: impl Fn(&str, Kind) -> ColumnKind) -> Vec<Column> {
    let column = |column: &crate::fec::schema::Column| Column {
        name: column.name.to_owned(),
        kind: kind(column.name, column.kind),
    };
    schema.columns().iter().map(column).collect()
}
