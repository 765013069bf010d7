//! Identifiers as a test of a filter: a hashed set.

use std::collections::HashSet;

use ahash::RandomState;

use super::cell::Cell;
use super::predicates::Holds;

/// Identifiers that pass, or all others.
///
/// The FEC's identifiers have nine bytes. One to sixteen bytes are compared as one number.
#[derive(Debug)]
pub(super) struct Ids {
    /// The verdict on identifiers that are not listed.
    others: Verdict,
    /// Identifiers with the opposite verdict.
    short: HashSet<u128, RandomState>,
    long: HashSet<Box<[u8]>, RandomState>,
}

/// Whether a row passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Pass,
    Fail,
}

impl Ids {
    /// Returns a test that gives these verdicts, and all other identifiers that on `others`.
    pub(super) fn new<'a>(
        verdicts: impl Iterator<Item = (&'a [u8], Verdict)>,
        others: Verdict,
    ) -> Ids {
        let mut ids = Ids {
            others,
            short: HashSet::default(),
            long: HashSet::default(),
        };
        for (id, _) in verdicts.filter(|(_, verdict)| *verdict != others) {
            match Cell::from(id).wide_word() {
                Some(id) => _ = ids.short.insert(id),
                None => _ = ids.long.insert(id.into()),
            }
        }
        ids
    }

    /// Looks for identifiers that are long, empty, or begin with a zero.
    #[cold]
    #[inline(never)]
    fn is_listed_long(&self, id: Cell<'_>) -> bool {
        self.long.contains(id.bytes())
    }
}

impl Holds for Ids {
    #[inline(always)]
    fn holds(&self, id: Cell<'_>) -> bool {
        let is_listed = match id.wide_word() {
            Some(id) => self.short.contains(&id),
            None => self.is_listed_long(id),
        };
        is_listed == (self.others == Verdict::Fail)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts_are_those_given_for_short_and_long_identifiers() {
        let long = b"C00990001 and more";
        for (listed, others) in [
            (Verdict::Pass, Verdict::Fail),
            (Verdict::Fail, Verdict::Pass),
        ] {
            let verdicts = [
                (&b"C00990001"[..], listed),
                (b"C00990002", others),
                (long, listed),
            ];
            let ids = Ids::new(verdicts.into_iter(), others);
            let holds = |id: &[u8]| ids.holds(Cell::from(id));
            for (id, verdict) in verdicts {
                assert_eq!(holds(id), verdict == Verdict::Pass, "{}", id.escape_ascii());
            }
            for other in [&b""[..], b"C0099000", b"C00990001\0", b"C00990001 and less"] {
                assert_eq!(holds(other), others == Verdict::Pass);
            }
        }
    }
}
