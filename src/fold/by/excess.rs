//! Ends runs that have too many groups, or take too much memory.

use super::ByFold;
use super::join_room::CHOICES_MAX;
use super::memory::{GROUP_BYTES, Watch};
use crate::error::Error;

/// What there is too much of.
#[derive(Clone, Copy, Debug)]
pub(super) enum Excess {
    Groups(Stage),
    Memory(Stage),
    /// Choices of partners.
    Choices,
}

/// Which groups there are too many of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    /// Those of rows. If files are joined, these are groups by identifiers.
    Rows,
    /// Those that partners have made of them.
    Joined,
}

impl Excess {
    pub(super) fn groups(are_joined: bool) -> Excess {
        Excess::Groups(Stage::of(are_joined))
    }

    pub(super) fn memory(are_joined: bool) -> Excess {
        Excess::Memory(Stage::of(are_joined))
    }
}

impl Stage {
    fn of(are_joined: bool) -> Stage {
        if are_joined {
            Stage::Joined
        } else {
            Stage::Rows
        }
    }
}

impl ByFold {
    /// Ends the run, unless it has ended for another reason.
    pub(super) fn exceed(&self, excess: Excess) {
        self.excess.get_or_init(|| excess);
    }

    /// Begins to watch the memory of the process.
    pub(super) fn begin_watch(&self) -> Option<&Watch> {
        let least = self.question.max_groups.unwrap_or(0);
        let begin = || Watch::begin(least.saturating_mul(GROUP_BYTES));
        self.watch.get_or_init(begin).as_ref()
    }

    /// Says whether there is room for this number of groups after a join.
    pub(super) fn has_room_for_joined(&self, groups: u64) -> bool {
        // These groups will be copied once more when they are ordered.
        let is_out = |watch: &Watch| watch.is_due() && watch.has_taken(1, 2);
        if groups > self.max_groups {
            self.exceed(Excess::Groups(Stage::Joined));
        } else if self.begin_watch().is_some_and(is_out) {
            self.exceed(Excess::Memory(Stage::Joined));
        }
        self.excess.get().is_none()
    }

    /// Checks that a run has not ended early.
    ///
    /// # Errors
    /// If it has found too many groups.
    pub fn check_room(&self) -> Result<(), Error> {
        self.excess
            .get()
            .map_or(Ok(()), |excess| Err(self.too_many(*excess)))
    }

    /// Refuses more groups and distinct values of rows than there may be.
    pub(super) fn refuse_more_than_most(&self, groups: u64) -> Result<(), Error> {
        if groups > self.max_groups {
            return Err(self.too_many(Excess::Groups(Stage::Rows)));
        }
        Ok(())
    }

    fn too_many(&self, excess: Excess) -> Error {
        let gigabytes = |bytes: u64| bytes as f64 / 1e9;
        let values = if self.steps.values.is_empty() {
            ""
        } else {
            " and distinct values"
        };
        let stage = match excess {
            Excess::Groups(stage) | Excess::Memory(stage) => stage,
            Excess::Choices => {
                let what = format!(
                    "several rows of the joined files share a key, which makes more than {CHOICES_MAX} combinations of them"
                );
                return Error::input(what).advise(
                    "join tables in which few rows share a key, or leave out --each: then the last row of a key is the partner",
                );
            }
        };
        let when = match (self.joined_keys(), stage) {
            (None, _) => "",
            (Some(_), Stage::Rows) => " before the files are joined, which is by identifier",
            (Some(_), Stage::Joined) => " after the files are joined",
        };
        let what = match (excess, self.watch()) {
            (Excess::Memory(_), Some(watch)) => format!(
                "the groups{values} and their order take more than the {:.2} GB of memory that were available{when}",
                gigabytes(watch.allowed)
            ),
            _ => {
                let reason = match self.question.max_groups {
                    Some(_) => String::new(),
                    None => format!(
                        ", as many as the {:.2} GB of available memory have room for",
                        gigabytes(self.available)
                    ),
                };
                format!(
                    "there are more than {} groups{values}{reason}{when}",
                    self.max_groups
                )
            }
        };
        Error::input(what).advise(
            "group by less, choose rows with --where, or allow more with --max-groups; --top cuts the \
             result only after all groups are known",
        )
    }
}
