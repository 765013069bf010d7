//! Rows without a partner, and how many there are.

use super::Partners;
use crate::scan::FilterCounts;

/// Rows, or identifiers, without a partner in a joined file.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = tempfile::tempdir()?;
/// let path = folder.path().join("regions.csv");
/// std::fs::write(&path, "state,region\nOR,West\n")?;
/// let rows = fecscan::scan(["fixtures/plain.txt"]).join_on(path, "STATE=r.state")?;
/// let regions = rows.group_by("r.region")?.run()?;
/// assert_eq!((&*regions.without_partner[0].table, regions.without_partner[0].count), ("r", 1));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct WithoutPartner {
    /// The name of the joined table: that of its schema, or as given.
    pub table: String,
    /// The joined file, safe to print. Several of one schema have commas between them.
    pub file: String,
    /// How many there are.
    pub count: u64,
    /// The unit of the count.
    #[doc(hidden)]
    pub counted: Counted,
}

/// The unit of [`WithoutPartner`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Counted {
    /// Rows of groups.
    Rows,
    /// Rows of groups that have several partners, and count once for each: [`PartnerPolicy::Each`](super::PartnerPolicy::Each).
    RowsOfSeveral,
    /// Rows that a condition has tested, whether they passed or not.
    TestedRows,
    /// Different identifiers, if only [`AggregateKind::Distinct`](crate::fold::by::AggregateKind::Distinct)
    /// takes columns of the file.
    Identifiers,
}

impl WithoutPartner {
    pub(crate) fn new(
        table: impl Into<String>,
        file: String,
        count: u64,
        counted: Counted,
    ) -> WithoutPartner {
        WithoutPartner {
            table: table.into(),
            file,
            count,
            counted,
        }
    }
}

impl Partners {
    /// Returns the files in which rows have no partner, in the order given.
    pub(crate) fn without_partner(
        &self,
        rows: &FilterCounts,
        counted: Counted,
    ) -> Vec<WithoutPartner> {
        let counts = self.tables.iter().zip(rows.0);
        let counts = counts.filter(|(_, count)| *count > 0);
        let without = counts.map(|(table, count)| {
            WithoutPartner::new(table.schema.name(), table.files.join(", "), count, counted)
        });
        without.collect()
    }
}
