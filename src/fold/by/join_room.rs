//! Ends joins that multiply rows beyond measure.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

/// What joins may take. Rows that share keys multiply, so memory and time do not follow the bytes that were read.
pub(super) struct JoinRoom<'a> {
    /// Is told the number of groups so far, and says whether there is room for them.
    has_room: &'a (dyn Fn(u64) -> bool + Sync),
    choices: AtomicU64,
    is_over: AtomicBool,
}

/// The most choices of partners of all groups, which take some minutes to look at.
pub(super) const CHOICES_MAX: u64 = 1_000_000_000;

impl<'a> JoinRoom<'a> {
    pub(super) fn new(has_room: &'a (dyn Fn(u64) -> bool + Sync)) -> JoinRoom<'a> {
        JoinRoom {
            has_room,
            choices: AtomicU64::new(0),
            is_over: AtomicBool::new(false),
        }
    }

    /// Says whether there is no room for more.
    pub(super) fn is_over(&self) -> bool {
        self.is_over.load(Relaxed)
    }

    /// Says whether there are more choices than there may be.
    pub(super) fn has_too_many_choices(&self) -> bool {
        self.choices.load(Relaxed) > CHOICES_MAX
    }

    /// Adds the choices of a group, which `count` counts as far as a number. Says whether there is room for them.
    pub(super) fn has_choices(&self, count: impl FnOnce(u64) -> u64) -> bool {
        let left = CHOICES_MAX.saturating_sub(self.choices.load(Relaxed));
        // The sum of two threads' numbers does not overflow.
        let choices = count(left).min(CHOICES_MAX + 1);
        let all = self.choices.fetch_add(choices, Relaxed) + choices;
        self.end_unless(all <= CHOICES_MAX)
    }

    pub(super) fn has_groups(&self, groups: u64) -> bool {
        self.end_unless((self.has_room)(groups))
    }

    fn end_unless(&self, has_room: bool) -> bool {
        self.is_over.fetch_or(!has_room, Relaxed);
        has_room
    }
}
