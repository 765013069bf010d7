//! What is counted of the rows of a scan besides groups.

use crate::coding::{Damaged, Put, Reader, check};
use crate::sql::plan::Plan;

/// What is counted besides groups.
#[derive(Clone, Debug, Default)]
pub(in crate::sql) struct Counts {
    /// The rows that the filter keeps.
    pub(in crate::sql) kept: u64,
    /// For each column the values that are none of its type.
    pub(in crate::sql) unread: Vec<u64>,
}

impl Counts {
    pub(in crate::sql) fn new(plan: &Plan) -> Counts {
        Counts {
            kept: 0,
            unread: vec![0; plan.read.len()],
        }
    }

    pub(in crate::sql) fn merge(&mut self, other: &Counts) {
        self.kept += other.kept;
        for (count, more) in self.unread.iter_mut().zip(&other.unread) {
            *count += more;
        }
    }

    /// Writes them down.
    pub(super) fn store(&self, out: &mut Vec<u8>) {
        out.put_number(self.kept);
        self.unread.iter().for_each(|count| out.put_number(*count));
    }

    /// Reads what was counted of this number of lines and columns.
    pub(super) fn load(
        lines: u64,
        columns: usize,
        reader: &mut Reader<'_>,
    ) -> Result<Counts, Damaged> {
        let kept = reader.number()?;
        let unread = (0..columns).map(|_| {
            let count = reader.number()?;
            check(count <= lines).map(|()| count)
        });
        let unread = unread.collect::<Result<_, _>>()?;
        Ok(Counts { kept, unread })
    }
}
