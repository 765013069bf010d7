//! Tests of identifiers, which lead to rows of joined files.
//!
//! A condition on a joined column is decided once for each identifier. Rows without a partner are counted
//! on the way: the identifiers that the joined file lacks.

use std::sync::Arc;

use super::cell_map::CellMap;
use crate::fec::schema::Schema;
use crate::join::table_place;
use crate::scan::Cell;
use crate::scan::Row;
use crate::scan::simd::{Kernel, Level};
use crate::scan::{FilterCounts, Rows};

/// The verdicts on identifiers.
#[derive(Debug)]
pub(super) struct Ids {
    verdicts: CellMap<Verdict>,
    /// The verdict on rows without a partner.
    others: Verdict,
}

/// Whether a row passes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Verdict {
    Pass,
    #[default]
    Fail,
}

impl Ids {
    /// Returns these verdicts on identifiers that have a partner, and `others` on all that have none.
    pub(super) fn new<'a>(
        verdicts: impl Iterator<Item = (&'a [u8], Verdict)>,
        others: Verdict,
    ) -> Ids {
        Ids {
            verdicts: CellMap::new(verdicts),
            others,
        }
    }

    /// Returns the verdict on an identifier, if it has a partner.
    #[inline(always)]
    fn verdict(&self, id: Cell<'_>) -> Option<Verdict> {
        self.verdicts.get(id)
    }
}

/// A test of a column of identifiers.
#[derive(Clone, Debug)]
pub(super) struct IdTest {
    /// The place of the column among the columns of the filter.
    pub(super) column: usize,
    ids: Arc<Ids>,
    /// The place of the joined file in the [`FilterCounts`].
    table: usize,
}

impl IdTest {
    /// Returns a test of the identifiers that lead to the joined file of `schema`.
    pub(super) fn new(column: usize, ids: Ids, schema: Schema) -> IdTest {
        IdTest {
            column,
            ids: Arc::new(ids),
            table: table_place(schema),
        }
    }
}

/// Chooses rows by their identifiers. All tests see all rows, so the rows without a partner do not depend
/// on the order of the tests.
pub(super) struct ChooseById<'a, 'r> {
    pub(super) rows: &'a Rows<'r>,
    pub(super) tests: &'a [IdTest],
    /// All rows are tested, not those in `kept`.
    pub(super) is_first: bool,
    pub(super) kept: &'a mut Vec<u32>,
}

impl Kernel for ChooseById<'_, '_> {
    type Output = FilterCounts;

    #[inline(always)]
    fn run<L: Level>(self, _: L) -> FilterCounts {
        let ChooseById {
            rows,
            tests,
            is_first,
            kept,
        } = self;
        let mut without = FilterCounts::default();
        let mut count = 0;
        if is_first {
            kept.resize(rows.len(), 0);
            for (nth, row) in rows.iter().enumerate() {
                kept[count] = nth as u32;
                count += usize::from(passes(tests, row, &mut without));
            }
        } else {
            for place in 0..kept.len() {
                let nth = kept[place];
                kept[count] = nth;
                let row = rows.row_at(nth as usize);
                count += usize::from(passes(tests, row, &mut without));
            }
        }
        kept.truncate(count);
        without
    }
}

/// Says whether a row passes all tests. Counts it once for each joined file that it has no partner in.
#[inline(always)]
fn passes(tests: &[IdTest], row: Row<'_>, without: &mut FilterCounts) -> bool {
    let mut passes = true;
    let mut lacks = [false; FilterCounts::COUNTS];
    for test in tests {
        let verdict = test.ids.verdict(row.cell(test.column));
        lacks[test.table] |= verdict.is_none();
        passes &= verdict.unwrap_or(test.ids.others) == Verdict::Pass;
    }
    without.add_row(lacks);
    passes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts_are_those_given_for_short_and_long_identifiers() {
        let long = b"C00990001 and more";
        let verdicts = [
            (&b"C00990001"[..], Verdict::Pass),
            (b"C00990002", Verdict::Fail),
            (long, Verdict::Pass),
        ];
        let ids = Ids::new(verdicts.into_iter(), Verdict::Fail);
        for (id, verdict) in verdicts {
            let found = ids.verdict(Cell::from(id));
            assert_eq!(found, Some(verdict), "{}", id.escape_ascii());
        }
        for other in [&b""[..], b"C0099000", b"C00990001\0", b"C00990001 and less"] {
            assert_eq!(ids.verdict(Cell::from(other)), None);
        }
    }
}
