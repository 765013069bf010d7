//! Rows without a partner, and how many there are.

use std::borrow::Cow;
use std::sync::atomic::Ordering;

use super::table::Table;
use super::{Partners, made_of};
use crate::error::escaped;
use crate::fec::schema::{FirstLine, Schema};
use crate::scan::FilterCounts;

/// Rows without a partner in a joined file.
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
    /// A key of rows and one of the file, safe to print, if the first rows all lack a partner.
    #[doc(hidden)]
    pub unlike_keys: Option<[String; 2]>,
}

/// The unit of [`WithoutPartner`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Counted {
    /// Rows that are written.
    Rows,
    /// Rows that a condition has tested, whether they passed or not.
    TestedRows,
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
            unlike_keys: None,
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
        let counts = self.tables.iter().zip(rows.without_partner);
        let counts = counts.filter(|(_, count)| *count > 0);
        let without = counts.map(|(table, count)| table.lacked_by(count, counted));
        without.collect()
    }

    /// Looks whether any of the first `lines` of `scanned` rows has a partner. If none has, [`WithoutPartner`] shows what keys differ.
    pub(crate) fn compare_keys(&self, scanned: Schema, lines: &[u8]) {
        let rows = lines
            .split(|&byte| byte == b'\n')
            .map(<[u8]>::trim_ascii_end);
        let rows = rows.skip(usize::from(scanned.first_line() == FirstLine::Names));
        let used = self
            .tables
            .iter()
            .filter(|table| table.is_used.load(Ordering::Relaxed));
        for table in used {
            // The key of another table says nothing to a user.
            let found = self.joined(scanned, table.schema, 0);
            let found = found
                .ok()
                .and_then(|found| Some((found.place, found.joined?)));
            let Some((id, column)) = found.filter(|(_, column)| column.through.is_none()) else {
                continue;
            };
            let keys = rows.clone().filter_map(|row| {
                let field = row.split(|&byte| byte == scanned.delimiter()).nth(id)?;
                Some(made_of(&column.function, field)).filter(|key| !key.is_empty())
            });
            let is_unknown = |key: Cow<'_, [u8]>| table.row(&key).is_none();
            if let (Some(first), Some(known)) = (keys.clone().next(), table.first_key())
                && keys.clone().all(is_unknown)
            {
                let keys = [&first, known].map(escaped);
                table.unlike_keys.get_or_init(|| keys);
            }
        }
    }
}

impl Table {
    /// Returns how many rows or identifiers have no partner in the table.
    pub(crate) fn lacked_by(&self, count: u64, counted: Counted) -> WithoutPartner {
        WithoutPartner {
            table: self.schema.name().to_owned(),
            file: self.files.join(", "),
            count,
            counted,
            unlike_keys: self.unlike_keys.get().cloned(),
        }
    }
}
