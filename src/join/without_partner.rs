//! Rows without a partner, and how many there are.

use super::{JOINABLE, Partners};
use crate::fec::schema::Schema;
use crate::scan::FilterCounts;

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

/// Returns the place of a joined `schema` in a [`FilterCounts`] of rows without a partner.
pub(crate) fn table_place(schema: Schema) -> usize {
    let place = JOINABLE.iter().position(|&joined| joined == schema);
    place.expect("other schemas can't be joined")
}

impl Partners {
    /// Returns the files in which rows have no partner, always in the same order.
    pub(crate) fn without_partner(
        &self,
        rows: &FilterCounts,
        counted: Counted,
    ) -> Vec<WithoutPartner> {
        let counts = JOINABLE.into_iter().zip(rows.0);
        let without =
            |(schema, count)| WithoutPartner::new(schema, self.file_name(schema), count, counted);
        let counts = counts.filter(|(_, count)| *count > 0);
        counts.map(without).collect()
    }
}
