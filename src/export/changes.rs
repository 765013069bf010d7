//! The rows that differ, for an export.
//!
//! The counts know of each key of the old version whether the new one has it. So one more pass over each version finds its rows: they
//! are looked up, and nothing is noted.

use std::ops::Range;
use std::sync::Arc;

use super::{Choice, RowFold};
use crate::diff::keys::{KeyScratch, Keys, RowEntry};
use crate::diff::{Compared, Tables};
use crate::error::Error;
use crate::input::Part;
use crate::scan::Rows;

/// The rows of one of two versions that the other lacks or has otherwise.
///
/// Exported rows have a first column `change`: `+` for rows that were added, `~` for changed rows as the new version has them, and `-`
/// for rows that were removed. [`OldRows`] can add `<` for changed rows as the old version has them.
#[derive(Clone, Debug)]
pub struct Changes {
    keys: Arc<Keys>,
    old: Arc<Tables>,
    version: Version,
    old_rows: OldRows,
}

/// Which rows of the old version are exported.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OldRows {
    /// The rows whose key the new version lacks.
    #[default]
    Removed,
    /// The rows whose key has a changed row in the new version, too. The rows of the new version must come first.
    RemovedAndChanged,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Version {
    Old,
    New,
}

impl Compared {
    /// Returns the changes in the old version, and the changes in the new version.
    pub fn changes(self, old_rows: OldRows) -> [Changes; 2] {
        let Compared { keys, old, .. } = self;
        if old_rows == OldRows::RemovedAndChanged {
            old.forget_changes();
        }
        [Version::Old, Version::New].map(|version| Changes {
            keys: keys.clone(),
            old: old.clone(),
            version,
            old_rows,
        })
    }
}

impl Changes {
    /// Has `fold` export these rows from now on.
    pub fn choose_rows_of(self, fold: &mut RowFold<'_>) {
        fold.choose(self);
    }
}

impl Changes {
    /// Returns the label of a row with this entry, if the row is exported.
    fn label(&self, entry: &RowEntry) -> Option<&'static str> {
        let found = self.old.find(entry);
        let has_changed = self.old_rows == OldRows::RemovedAndChanged;
        match (self.version, found) {
            (Version::New, None) => Some("+"),
            (Version::New, Some((false, _))) => {
                if has_changed {
                    self.old.note_change(entry);
                }
                Some("~")
            }
            (Version::Old, Some((_, false))) => Some("-"),
            (Version::Old, Some(_)) if has_changed && self.old.has_second_mark(entry) => Some("<"),
            _ => None,
        }
    }
}

impl Choice for Changes {
    fn begin(&self, part: &Part) -> Result<Vec<usize>, Error> {
        self.keys.columns(part)
    }

    fn choose(
        &self,
        rows: &Rows<'_>,
        range: Range<usize>,
    ) -> Result<Vec<(usize, &'static str)>, Error> {
        let start = range.start;
        let rows = rows.slice(range);
        let mut scratch = KeyScratch::default();
        let mut keys = self.keys.of(&rows, &mut scratch)?;
        let mut chosen = Vec::new();
        for (nth, row) in rows.iter().enumerate() {
            if let Some(value) = keys.value(nth, &row)
                && let Some(label) = self.label(&self.keys.entry(value, &row))
            {
                chosen.push((start + nth, label));
            }
        }
        Ok(chosen)
    }

    fn label_name(&self) -> Option<&'static str> {
        Some("change")
    }
}
