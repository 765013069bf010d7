//! Tables that are in memory before a statement runs: the files of `--with`.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::file::{self, Read};
use super::scope::ScopeTable;
use super::table::Table;
use crate::fec::origin::ORIGIN;
use crate::fec::schema::Schema;
use crate::join::Partners;
use crate::join::table::Table as JoinedTable;
use crate::scan::ROWS;

/// A table in memory under a name.
#[derive(Clone, Debug)]
pub struct GivenTable {
    schema: Schema,
    rows: Arc<Table>,
}

impl GivenTable {
    /// Returns the tables of joined files. Their rows are all that the files have, those with equal keys too.
    pub fn all(partners: &Partners) -> Vec<GivenTable> {
        partners.tables.iter().map(GivenTable::of).collect()
    }

    fn of(joined: &JoinedTable) -> GivenTable {
        joined.is_used.store(true, Ordering::Relaxed);
        let table = file::table(0, joined.schema, None);
        let columns = table.columns.iter().filter(|column| column.place < ORIGIN);
        let read: Vec<_> = columns
            .map(|column| Read {
                table: 0,
                place: column.place,
                gives: column.gives,
                has_line_breaks: false,
                joined: None,
            })
            .collect();
        let mut rows = Table::new(read.iter().map(|read| read.gives));
        for start in (0..joined.len()).step_by(ROWS) {
            let batch = start..joined.len().min(start + ROWS);
            let values = read.iter().map(|read| {
                let texts = batch
                    .clone()
                    .map(|row| joined.column(row as u32, read.place));
                read.values_of(texts.map(Some))
            });
            let values: Vec<_> = values.collect();
            (0..batch.len()).for_each(|row| rows.push(&values, row));
        }
        GivenTable {
            schema: joined.schema,
            rows: Arc::new(rows),
        }
    }

    /// Returns the name.
    pub(super) fn name(&self) -> &'static str {
        self.schema.name()
    }

    pub(super) fn rows(&self) -> &Arc<Table> {
        &self.rows
    }

    /// Returns what names mean of the table.
    pub(super) fn scope_table(&self) -> ScopeTable {
        let mut table = file::table(0, self.schema, None);
        table.columns.retain(|column| column.place < ORIGIN);
        for (place, column) in table.columns.iter_mut().enumerate() {
            column.place = place;
        }
        table
    }
}
