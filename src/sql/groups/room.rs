//! How many groups there may be, and how much memory they may take.

use std::sync::OnceLock;

use crate::error::Error;
use crate::memory::{self, Watch};

/// The bytes of a group with a key of usual length: in the tables of a worker or two, and in the result.
const GROUP_BYTES: u64 = 200;

/// The room for groups.
pub(super) struct Room {
    /// The most groups and distinct values, if that was asked for.
    asked: Option<u64>,
    pub(super) most: u64,
    /// The memory that was available at the start.
    available: u64,
    /// Begins with the first large table. None on systems without /proc.
    watch: OnceLock<Option<Watch>>,
    /// The reason why the run has no result, if it has none.
    excess: OnceLock<Excess>,
}

/// What there is too much of.
#[derive(Clone, Copy, Debug)]
enum Excess {
    Groups,
    Memory,
}

impl Room {
    pub(super) fn new(most: Option<u64>) -> Room {
        let available = memory::available();
        Room {
            asked: most,
            most: most.unwrap_or(available / GROUP_BYTES),
            available,
            watch: OnceLock::new(),
            excess: OnceLock::new(),
        }
    }

    /// Says whether there was too little room.
    pub(super) fn is_over(&self) -> bool {
        self.excess.get().is_some()
    }

    /// Counts groups, of which there may be too many.
    pub(super) fn count(&self, groups: u64) {
        if groups > self.most {
            self.excess.get_or_init(|| Excess::Groups);
        }
    }

    /// Begins to watch the memory of the process.
    pub(super) fn watch(&self) {
        let least = self.asked.unwrap_or(0).saturating_mul(GROUP_BYTES);
        self.watch.get_or_init(|| Watch::begin(least));
    }

    /// Looks now and then whether groups have taken more than a share of the memory: `part` of `whole`.
    pub(super) fn look(&self, part: u64, whole: u64) {
        let watch = self.watch.get().and_then(Option::as_ref);
        if watch.is_some_and(|watch| watch.is_due() && watch.has_taken(part, whole)) {
            self.excess.get_or_init(|| Excess::Memory);
        }
    }

    /// Returns the error of a run that has ended early.
    pub(super) fn check(&self) -> Result<(), Error> {
        let Some(excess) = self.excess.get() else {
            return Ok(());
        };
        let gigabytes = |bytes: u64| bytes as f64 / 1e9;
        let watch = self.watch.get().and_then(Option::as_ref);
        let what = match (excess, watch, self.asked) {
            (Excess::Memory, Some(watch), _) => format!(
                "the groups and their order take more than the {:.2} GB of memory that were available",
                gigabytes(watch.allowed)
            ),
            (_, _, Some(most)) => format!("there are more than {most} groups"),
            _ => format!(
                "there are more than {} groups, as many as the {:.2} GB of available memory have room for",
                self.most,
                gigabytes(self.available)
            ),
        };
        Err(Error::input(what).advise(
            "group by less, choose rows by a condition, or allow more groups; the result is cut only after all groups are known",
        ))
    }
}
