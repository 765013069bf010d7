//! What a filter has been bound to, so that no part of a run binds it again.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use ahash::RandomState;

use super::predicate::JoinedIds;
use crate::fec::by_schema::BySchema;
use crate::join::JoinedColumn;
use crate::scan::RowFilter;
use crate::workers::lock;

/// The filters of schemas, and the verdicts on joined rows that they share.
#[derive(Debug, Default)]
pub(super) struct Bindings {
    pub(super) filters: BySchema<Arc<dyn RowFilter>>,
    /// For each condition the ways to joined columns, and the verdicts on these.
    joined: Mutex<HashMap<ConditionPlace, Vec<Joined>, RandomState>>,
}

/// The number of a condition, and that of one of its alternatives.
pub(super) type ConditionPlace = (usize, usize);

type Joined = (JoinedColumn, Arc<JoinedIds>);

/// A clone may get other conditions or other joined files, so it starts anew.
impl Clone for Bindings {
    fn clone(&self) -> Bindings {
        Bindings::default()
    }
}

impl Bindings {
    /// Returns the verdicts of the condition at `place` on the rows that `column` leads to, which `decide` makes unless they are
    /// known: a pass over the joined file, and a map of its identifiers.
    pub(super) fn joined(
        &self,
        place: ConditionPlace,
        column: &JoinedColumn,
        decide: impl FnOnce() -> JoinedIds,
    ) -> Arc<JoinedIds> {
        let mut joined = lock(&self.joined);
        let known = joined.entry(place).or_default();
        match known.iter().find(|(known, _)| known == column) {
            Some((_, ids)) => Arc::clone(ids),
            None => {
                let ids = Arc::new(decide());
                known.push((column.clone(), Arc::clone(&ids)));
                ids
            }
        }
    }
}
