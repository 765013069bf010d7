//! Groups as a file of columns.

use std::io::Write;

use super::{Column, ColumnKind, ColumnarFormat, ColumnarWriter, EmptyText, Layout, Written};
use crate::engine::Engine;
use crate::error::Error;
use crate::fold::by::{Grouped, Reading, Value};
use crate::scan::Cell;

/// The number of groups that are handed over at once.
const BLOCK_ROWS: usize = 1 << 14;

/// Writes groups: the keys as text, `count`, and the aggregates. Numbers are decimals of 38 digits, two of them
/// after the point. An aggregate of no values has none here either.
///
/// # Errors
/// If the output fails.
pub fn write_groups(
    grouped: &Grouped,
    format: ColumnarFormat,
    metadata: Vec<(String, String)>,
    out: impl Write + Send,
    engine: &Engine,
) -> Result<Written, Error> {
    let mut layout = Layout::new(columns(grouped), format);
    // The key of rows without one is empty.
    layout.empty_text = EmptyText::Keep;
    layout.metadata = metadata;
    let writer = ColumnarWriter::new(&layout, out)?;
    let mut block = writer.block();
    let keys = grouped.key_names().len();
    let aggregates = grouped.aggregate_names().len();
    for group in grouped.iter() {
        let numbers = (0..aggregates).map(|nth| group.value(nth).map_or(String::new(), text));
        let count = [group.count().to_string()].into_iter();
        let numbers: Vec<String> = count.chain(numbers).collect();
        let keys = (0..keys).map(|nth| Cell::from(group.key(nth)));
        let numbers = numbers.iter().map(|number| Cell::from(number.as_bytes()));
        block.add_row(keys.chain(numbers));
        if block.rows() == BLOCK_ROWS {
            writer.push(&mut block);
            writer.work()?;
        }
    }
    writer.push(&mut block);
    writer.finish(engine)
}

fn columns(grouped: &Grouped) -> Vec<Column> {
    let column = |name: &str, kind| Column {
        name: name.to_owned(),
        kind,
    };
    let keys = grouped
        .key_names()
        .iter()
        .map(|name| column(name, ColumnKind::Text));
    let count = [column("count", ColumnKind::Integer)];
    let aggregates = grouped.aggregate_names().iter().enumerate();
    let aggregates = aggregates.map(|(nth, name)| column(name, aggregate_kind(grouped, nth)));
    keys.chain(count).chain(aggregates).collect()
}

/// Returns the type of an aggregate. It does not depend on the values.
fn aggregate_kind(grouped: &Grouped, nth: usize) -> ColumnKind {
    match grouped.reading(nth) {
        Some(Reading::Bytes) => ColumnKind::Integer,
        Some(Reading::Date) => ColumnKind::Date,
        Some(Reading::Number) | None => ColumnKind::Sum,
    }
}

/// Returns a value as the cells of its column are read.
fn text(value: Value) -> String {
    match value {
        Value::Amount(amount) => amount.to_string(),
        Value::Count(count) => count.to_string(),
        Value::Date(date) => format!("{:04}{:04}", date % 10_000, date / 10_000),
    }
}
