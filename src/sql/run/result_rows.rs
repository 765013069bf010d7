//! What a statement returns.

use crate::fold::Matches;
use crate::sql::table::Table;
use crate::sql::types::Type;
use crate::sql::value::Value;

/// All groups of a result, with those that LIMIT cuts off.
#[derive(Clone, Debug)]
pub(crate) struct AllGroups {
    /// How many there are.
    pub(crate) groups: u64,
    /// For each column of exact numbers that is no key the sum of its values; none where it has too many digits.
    pub(crate) sums: Vec<Option<i128>>,
    /// For each of these columns how many values there are.
    pub(crate) values: Vec<u64>,
}

/// The rows that a statement returns: [`sql`](crate::sql()) answers one.
///
/// ```
/// # fn main() -> Result<(), fecscan::Error> {
/// let rows = fecscan::sql("SELECT max(amount), count(*) AS rows FROM 'fixtures/generated.txt'")?;
/// assert_eq!(rows.titles(), ["max(amount)", "rows"]);
/// assert_eq!((rows.len(), rows.value(0, 1).to_string()), (1, "100".to_owned()));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct ResultRows {
    pub(in crate::sql) titles: Vec<String>,
    pub(in crate::sql) table: Table,
    /// The rows that WHERE keeps.
    pub kept: u64,
    /// For each column the number of its values that are none of its type.
    pub unread: Vec<(String, Type, u64)>,
    /// What became of rows in joins, where some have several matches or none.
    pub matches: Vec<Matches>,
    /// What all groups have together, if that was asked.
    pub(crate) all_groups: Option<AllGroups>,
}

impl ResultRows {
    /// Returns the titles of the columns.
    pub fn titles(&self) -> &[String] {
        &self.titles
    }

    /// Returns the type of a column.
    pub fn gives(&self, column: usize) -> Type {
        self.table.columns[column].gives
    }

    /// Returns the number of rows.
    pub fn len(&self) -> usize {
        self.table.len()
    }

    /// Says whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns how many bytes a text has; none of other types.
    #[cfg(feature = "columnar")]
    pub(crate) fn text_bytes(&self, row: usize, column: usize) -> usize {
        self.table.columns[column].text(row).len()
    }

    /// Returns the value of a row.
    ///
    /// # Panics
    /// If there are fewer rows or columns.
    pub fn value(&self, row: usize, column: usize) -> Value {
        self.table.columns[column].get(row)
    }

    /// Returns the rows, each with a value for each column.
    pub fn rows(&self) -> impl Iterator<Item = Vec<Value>> {
        let row = |row| {
            let columns = 0..self.titles.len();
            columns.map(|column| self.value(row, column)).collect()
        };
        (0..self.len()).map(row)
    }
}
