//! Rows that conditions leave out only because a value is no number or date. They are counted for a note.
//!
//! Such a row passes until all conditions on its own columns have been tested, so that the count does not depend on their order.
//! Nothing here runs for rows whose values are read.

use super::predicate::Evaluation;
use crate::scan::ROWS;

/// The places in a vector of values that are no numbers or dates.
#[derive(Default)]
pub(super) struct Unread(Vec<usize>);

impl Unread {
    /// Adds a place. Returns that the predicate does not hold.
    #[cold]
    #[inline(never)]
    pub(super) fn add(&mut self, nth: usize) -> bool {
        self.0.push(nth);
        false
    }
}

impl Evaluation {
    /// Says whether some rows need [`Evaluation::settle`].
    #[inline(always)]
    pub(super) fn has_unread(&self) -> bool {
        self.unread.0.len() + self.doubtful.len() > 0
    }

    /// Lets rows pass a condition whose value was not read. If the condition `is_last`, such rows fail and are counted, unless another
    /// condition has failed. `row` returns the number of a row in the block.
    #[cold]
    #[inline(never)]
    pub(super) fn settle(
        &mut self,
        hold: &[bool],
        one_holds: &mut [bool; ROWS],
        row: &dyn Fn(usize) -> u32,
        is_last: bool,
    ) {
        for place in self.unread.0.drain(..) {
            if !one_holds[place] {
                one_holds[place] = true;
                self.doubtful.push(row(place));
            }
        }
        if !is_last {
            return;
        }
        for (place, (hold, one_holds)) in hold.iter().zip(one_holds).enumerate() {
            if *hold && *one_holds && self.doubtful.contains(&row(place)) {
                *one_holds = false;
                self.counts.unread += 1;
            }
        }
        self.doubtful.clear();
    }
}
