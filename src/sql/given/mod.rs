//! Tables that are in memory before a statement runs: the files of `--with`, with whose rows the scanned rows are joined.

mod join;

use std::sync::Arc;

pub(crate) use self::join::On;
pub use self::join::{Join, is_name};
use super::file::{self, Read};
use super::scope::ScopeTable;
use super::table::{Order, Table};
use crate::error::Error;
use crate::fec::date::is_day_first;
use crate::fec::origin::ORIGIN;
use crate::fec::schema::Schema;
use crate::scan::{ROWS, Row};

/// The memory that the rows of a table may take: 1 GiB. The FEC's committees of all years take less than a tenth.
const BYTES_MAX: usize = 1 << 30;

/// The columns of a table of links that make a pair.
const LINKED: [&str; 2] = ["CAND_ID", "CMTE_ID"];

/// The columns by which the FEC's tables of committees, candidates and links are found.
pub(crate) const JOINABLE: [(Schema, &str); 3] = [
    (Schema::Cm, "CMTE_ID"),
    (Schema::Cn, "CAND_ID"),
    (Schema::Ccl, "CMTE_ID"),
];

/// The tables of the files of `--with`, in the order given. Clones share the rows.
#[derive(Clone, Debug, Default)]
pub struct GivenTables {
    tables: Arc<[GivenTable]>,
    notes: Arc<[String]>,
}

/// A table in memory: the rows of all files of one schema, or of one file under a name.
#[derive(Clone, Debug)]
pub struct GivenTable {
    pub(crate) schema: Schema,
    /// How rows lead to the table, if it has a name. None by the FEC's own keys.
    pub(crate) on: Option<On>,
    /// The names of its files, safe to print.
    pub(crate) files: Vec<String>,
    read: Vec<Read>,
    rows: Arc<Table>,
    /// The number of rows of the files before the present one.
    earlier: usize,
}

/// The fields of rows, one after the other. Rows have the columns of a schema: missing ones are empty, and more are left out.
#[derive(Debug, Default)]
pub(crate) struct Fields {
    bytes: Vec<u8>,
    /// Where each field ends.
    ends: Vec<u32>,
}

impl GivenTables {
    pub(crate) fn new(tables: Vec<GivenTable>, notes: Vec<String>) -> GivenTables {
        GivenTables {
            tables: tables.into(),
            notes: notes.into(),
        }
    }

    /// Returns notes on the files: on rows that stand there twice, and members of archives that are left out. Each names its file.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Says whether there is none.
    pub fn is_empty(&self) -> bool {
        self.tables.is_empty()
    }

    /// Returns the tables.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &GivenTable> {
        self.tables.iter()
    }

    /// Returns the names of the files of a table, with commas between them.
    pub fn files_of(&self, table: &str) -> String {
        let mut tables = self.tables.iter();
        let found = tables.find(|given| given.name() == table);
        found.map_or_else(String::new, |given| given.files.join(", "))
    }
}

impl GivenTable {
    /// Returns a table of no rows.
    pub(crate) fn new(schema: Schema, on: Option<On>) -> GivenTable {
        let table = file::table(0, schema, None);
        let columns = table.columns.iter().filter(|column| column.place < ORIGIN);
        let read: Vec<_> = columns
            .map(|column| Read {
                table: 0,
                place: column.place,
                gives: column.gives,
                has_line_breaks: false,
            })
            .collect();
        GivenTable {
            schema,
            on,
            files: Vec::new(),
            rows: Arc::new(Table::new(read.iter().map(|read| read.gives))),
            read,
            earlier: 0,
        }
    }

    /// Returns the name.
    pub(crate) fn name(&self) -> &'static str {
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

    /// Begins the next file.
    pub(crate) fn begin_file(&mut self) {
        self.earlier = self.rows.len();
    }

    /// Adds rows of the present file.
    ///
    /// # Errors
    /// If there are too many.
    pub(crate) fn add(&mut self, fields: &Fields) -> Result<(), Error> {
        check_memory(self.rows.bytes() + fields.memory())?;
        let width = self.schema.columns().len();
        let rows = Arc::make_mut(&mut self.rows);
        let count = fields.ends.len() / width;
        for start in (0..count).step_by(ROWS) {
            let batch = start..count.min(start + ROWS);
            let values = self.read.iter().map(|read| {
                let fields = { batch.clone() }.map(|row| fields.field(row * width + read.place));
                read.values_of(fields)
            });
            let values: Vec<_> = values.collect();
            (0..batch.len()).for_each(|row| rows.push(&values, row));
        }
        Ok(())
    }

    /// Returns a note on rows of the present file that stand in the table before, and so count twice. Of links between committees and
    /// candidates, the pair counts.
    pub(crate) fn note_on_repeats(&self, file: &str) -> Option<String> {
        let is_link = self.schema.columns() == Schema::Ccl.columns();
        let pair: &[&str] = if is_link { &LINKED } else { &[] };
        let is_compared =
            |read: &Read| pair.is_empty() || pair.contains(&self.schema.columns()[read.place].name);
        let columns = self.read.iter().enumerate();
        let columns = columns.filter(|(_, read)| is_compared(read));
        let orders: Vec<_> = columns.map(|(nth, _)| Order::ascending(nth)).collect();
        let of_file = |rows: &[usize]| rows.iter().filter(|row| **row >= self.earlier).count();
        let different = of_file(&self.rows.distinct(&orders));
        let repeated = self.rows.len() - self.earlier - different;
        let columns = pair.join(" and ");
        let what = match (repeated, pair) {
            (0, _) => return None,
            (1, []) => "1 row is the same as another".to_owned(),
            (_, []) => format!("{repeated} rows are the same as others"),
            (1, _) => format!("1 row repeats the {columns} of another"),
            (_, _) => format!("{repeated} rows repeat the {columns} of others"),
        };
        Some(format!(
            "{file}: note: {what}, so a row that matches them is counted once for each"
        ))
    }
}

impl Fields {
    /// Adds the columns of `row` that the fold named.
    pub(crate) fn push_row(&mut self, row: Row<'_>) {
        row.each_cell(|cell| self.push(&cell));
    }

    pub(crate) fn push(&mut self, field: &[u8]) {
        self.bytes.extend_from_slice(field);
        self.ends.push(self.bytes.len() as u32);
    }

    /// Returns the `nth` of all fields.
    fn field(&self, nth: usize) -> &[u8] {
        let start = nth.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.bytes[start as usize..self.ends[nth] as usize]
    }

    /// Says for each column of rows with `width` columns whether a day stands before its month there, as in 31/12/2018.
    pub(crate) fn day_first(&self, width: usize) -> Vec<bool> {
        let mut day_first = vec![false; width];
        for nth in 0..self.ends.len() {
            day_first[nth % width] |= is_day_first(self.field(nth));
        }
        day_first
    }

    /// Returns the memory that the fields take.
    pub(crate) fn memory(&self) -> usize {
        self.bytes.len() + size_of_val(&self.ends[..])
    }
}

/// Refuses rows that take too much memory.
pub(crate) fn check_memory(bytes: usize) -> Result<(), Error> {
    if bytes <= BYTES_MAX {
        return Ok(());
    }
    let what = format!("has more than {} MiB of rows to join", BYTES_MAX >> 20);
    Err(Error::input(what).advise("join one cycle of cm, cn or ccl; their rows stay in memory"))
}

/// Returns the column by which rows of one of the [`JOINABLE`] schemas are found.
pub(crate) fn key_column(schema: Schema) -> &'static str {
    let mut all = JOINABLE.into_iter();
    let found = all.find(|(joinable, _)| *joinable == schema);
    found.map_or("CMTE_ID", |(_, column)| column)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn too_many_rows_are_refused_with_advice() {
        let mut fields = Fields::default();
        fields.push(b"C00000001");
        assert_eq!((fields.field(0), fields.memory()), (&b"C00000001"[..], 13));
        assert!(check_memory(BYTES_MAX).is_ok());
        let error = check_memory(BYTES_MAX + 1).unwrap_err();
        assert_eq!(
            error.with_advice(),
            "has more than 1024 MiB of rows to join; join one cycle of cm, cn or ccl; their rows stay in memory"
        );
    }
}
