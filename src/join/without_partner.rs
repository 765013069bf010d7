//! Rows without a partner, and how many there are.

use std::ops::AddAssign;

use super::{JOINABLE, Partners};
use crate::fec::schema::Schema;

/// Rows, or identifiers, without a partner in a joined file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct WithoutPartner {
    /// The schema of the joined file.
    pub schema: Schema,
    /// The joined file, safe to print. Several of one schema have commas between them.
    pub file: String,
    /// How many there are.
    pub count: u64,
    /// The unit of the count.
    pub counted: Counted,
}

/// The unit of [`WithoutPartner`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Counted {
    /// Rows of groups.
    Rows,
    /// Rows that a condition has tested, whether they passed or not.
    TestedRows,
    /// Different identifiers, if only [`AggregateKind::Distinct`](crate::fold::by::AggregateKind::Distinct)
    /// takes columns of the file.
    Identifiers,
}

impl WithoutPartner {
    pub(crate) fn new(
        schema: Schema,
        file: String,
        count: u64,
        counted: Counted,
    ) -> WithoutPartner {
        WithoutPartner {
            schema,
            file,
            count,
            counted,
        }
    }
}

/// How many rows have no partner, for each schema that can be joined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct RowsWithoutPartner([u64; JOINABLE.len()]);

/// Returns the place of a joined `schema` in [`RowsWithoutPartner`].
pub(crate) fn table_place(schema: Schema) -> usize {
    let place = JOINABLE.iter().position(|&joined| joined == schema);
    place.expect("other schemas can't be joined")
}

impl RowsWithoutPartner {
    /// The number of schemas that can be joined.
    pub(crate) const TABLES: usize = JOINABLE.len();

    /// Adds a row, which `lacks` a partner in some of the files.
    #[inline(always)]
    pub(crate) fn add_row(&mut self, lacks: [bool; Self::TABLES]) {
        for (count, lacks) in self.0.iter_mut().zip(lacks) {
            *count += u64::from(lacks);
        }
    }
}

impl AddAssign for RowsWithoutPartner {
    fn add_assign(&mut self, more: RowsWithoutPartner) {
        for (count, more) in self.0.iter_mut().zip(more.0) {
            *count += more;
        }
    }
}

impl Partners {
    /// Returns the files in which rows have no partner, always in the same order.
    pub(crate) fn without_partner(
        &self,
        rows: &RowsWithoutPartner,
        counted: Counted,
    ) -> Vec<WithoutPartner> {
        let counts = JOINABLE.into_iter().zip(rows.0);
        let without =
            |(schema, count)| WithoutPartner::new(schema, self.file_name(schema), count, counted);
        let counts = counts.filter(|(_, count)| *count > 0);
        counts.map(without).collect()
    }
}
