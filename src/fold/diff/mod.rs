//! Two versions of files, compared by a key.
//!
//! A pass over the old version writes each row down as its key and a fingerprint of its line, 16 bytes if the key is a
//! number. Sorted, they are a table. A pass over the new version looks up each row, and marks the keys that it finds:
//!
//! - A row of the new version is *equal* if the old version has a row of the same key and the same line, *changed* if it has
//!   the key only, and else *added*.
//! - A row of the old version is *removed* if the new version has no row of its key.
//!
//! No row depends on the rows around it, also if several rows have its key. Such keys are counted, and the
//! first are named. Rows whose key is empty are compared with none. A carriage return before the newline is not part of a line.

pub(crate) mod keys;
mod table;

use std::sync::Arc;

use self::keys::{FirstKeys, Keys, RowEntry};
use self::table::{Before, Lists, Sums, Table};
use super::Fold;
use crate::error::Error;
use crate::fold::Folded;
use crate::input::Part;
use crate::scan::{Need, ROWS, Rows};
use crate::workers::Workers;

/// The fold of the old version.
///
/// ```
/// use fecscan::Engine;
/// use fecscan::fold::diff::OldFold;
///
/// # fn main() -> Result<(), fecscan::Error> {
/// let engine = Engine::default();
/// let old = OldFold::new("SUB_ID")?;
/// let rows = engine.scan(&old, ["fixtures/generated.txt"])?;
/// let new = old.table(rows, engine.workers());
/// let rows = engine.scan(&new, ["fixtures/generated.txt", "fixtures/plain.txt"])?;
/// let diff = new.finish(rows, engine.workers()).diff;
/// assert_eq!((diff.equal, diff.removed, diff.changed), (100, 0, 0));
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct OldFold {
    keys: Keys,
}

/// The fold of the new version, which has the rows of the old one.
#[derive(Debug)]
pub struct NewFold {
    keys: Keys,
    tables: Tables,
    old: Version,
}

/// Two versions compared, and what to name the keys of several rows takes.
#[derive(Debug)]
pub struct Compared {
    /// The numbers of rows.
    pub diff: Diff,
    pub(crate) keys: Keys,
    pub(crate) old: Arc<Tables>,
    added: Tables,
}

/// The numbers of rows that two versions share or not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Diff {
    /// The key by which rows are compared.
    pub key: String,
    /// Rows of the new version whose key the old one lacks.
    pub added: u64,
    /// Rows of the old version whose key the new one lacks.
    pub removed: u64,
    /// Rows of the new version whose key the old one has, with other lines.
    pub changed: u64,
    /// Rows of the new version that the old one has, too.
    pub equal: u64,
    /// The old version.
    pub old: Version,
    /// The new version.
    pub new: Version,
}

/// One of two versions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Version {
    /// The number of rows that pass the filter.
    pub rows: u64,
    /// The number of rows with an empty key, which are not compared.
    pub without_key: u64,
    /// The number of keys that several rows have.
    pub double_keys: u64,
    /// Some of these keys, the first in the order of their bytes. Values have `|` between them.
    pub first_double_keys: Vec<Vec<u8>>,
}

/// Rows of a version that a worker has written down.
#[derive(Debug, Default)]
pub struct VersionRows {
    numbers: Lists<2>,
    texts: Lists<3>,
    without_key: u64,
    scratch: Vec<u8>,
}

/// Rows of the new version that a worker has compared.
#[derive(Debug, Default)]
pub struct ComparedRows {
    added_rows: VersionRows,
    added: u64,
    changed: u64,
    equal: u64,
    double_keys: u64,
    first_double_keys: FirstKeys,
}

/// The fold that names keys of several rows, in another pass over the version that has them.
#[derive(Debug)]
pub struct DoubleKeys<'a> {
    keys: &'a Keys,
    tables: &'a Tables,
}

/// The keys that a worker has named.
#[derive(Debug, Default)]
pub struct NamedKeys {
    first: FirstKeys,
    scratch: Vec<u8>,
}

/// The rows of a version by their keys, numbers apart.
#[derive(Debug)]
pub(crate) struct Tables {
    numbers: Table<2>,
    texts: Table<3>,
}

impl OldFold {
    /// Returns a fold for keys such as `SUB_ID`, or `CMTE_ID,TRAN_ID`.
    ///
    /// # Errors
    /// A usage error if they can't be parsed.
    pub fn new(keys: &str) -> Result<OldFold, Error> {
        Ok(OldFold {
            keys: Keys::new(keys)?,
        })
    }

    /// Returns the fold of the new version, once the old one has been read.
    pub fn table(self, folded: Folded<VersionRows>, workers: &Workers) -> NewFold {
        let old = Version {
            rows: folded.lines,
            without_key: folded.partial.without_key,
            ..Version::default()
        };
        NewFold {
            keys: self.keys,
            tables: Tables::new(folded.partial, workers),
            old,
        }
    }
}

impl Fold for OldFold {
    type Partial = VersionRows;

    fn need(&self, part: &Part) -> Result<Need, Error> {
        Ok(Need::Rows(self.keys.columns(part)?))
    }

    fn partial(&self) -> VersionRows {
        VersionRows::default()
    }

    fn rows(&self, rows: &Rows<'_>, partial: &mut VersionRows) -> Result<(), Error> {
        for row in rows.iter() {
            match self.keys.value(&row, &mut partial.scratch) {
                None => partial.without_key += 1,
                Some(value) => match self.keys.entry(value, &row) {
                    RowEntry::Number(entry) => partial.numbers.push(entry),
                    RowEntry::Text(entry) => partial.texts.push(entry),
                },
            }
        }
        Ok(())
    }

    fn merge(&self, into: &mut VersionRows, from: VersionRows) {
        into.merge(from);
    }
}

impl Fold for NewFold {
    type Partial = ComparedRows;

    fn need(&self, part: &Part) -> Result<Need, Error> {
        Ok(Need::Rows(self.keys.columns(part)?))
    }

    fn partial(&self) -> ComparedRows {
        ComparedRows::default()
    }

    fn rows(&self, rows: &Rows<'_>, partial: &mut ComparedRows) -> Result<(), Error> {
        for start in (0..rows.len()).step_by(ROWS) {
            let batch = start..rows.len().min(start + ROWS);
            let mut entries = [None; ROWS];
            for (nth, entry) in batch.clone().zip(&mut entries) {
                let row = rows.row(nth);
                let value = self.keys.value(&row, &mut partial.added_rows.scratch);
                *entry = value.map(|value| self.keys.entry(value, &row));
                entry
                    .iter()
                    .for_each(|entry| self.tables.prefetch_bucket(entry));
            }
            let some = entries.iter().flatten();
            some.for_each(|entry| self.tables.prefetch_entries(entry));
            for (nth, entry) in batch.zip(&entries) {
                let Some(entry) = entry else {
                    partial.added_rows.without_key += 1;
                    continue;
                };
                if self.compare(entry, partial) == Some(Before::Once) {
                    partial.double_keys += 1;
                    let value = self
                        .keys
                        .value(&rows.row(nth), &mut partial.added_rows.scratch);
                    value
                        .iter()
                        .for_each(|value| partial.first_double_keys.insert(value));
                }
            }
        }
        Ok(())
    }

    fn merge(&self, into: &mut ComparedRows, from: ComparedRows) {
        into.added_rows.merge(from.added_rows);
        into.added += from.added;
        into.changed += from.changed;
        into.equal += from.equal;
        into.double_keys += from.double_keys;
        into.first_double_keys.merge(from.first_double_keys);
    }
}

impl NewFold {
    /// Counts a row of the new version. Returns how often its key was looked up, if the old version has it.
    #[inline(always)]
    fn compare(&self, entry: &RowEntry, partial: &mut ComparedRows) -> Option<Before> {
        let added = &mut partial.added_rows;
        let found = match entry {
            RowEntry::Number(entry) => {
                let found = self.tables.numbers.find(entry);
                if found.is_none() {
                    added.numbers.push(*entry);
                }
                found.map(|found| (found.is_same, self.tables.numbers.mark(found)))
            }
            RowEntry::Text(entry) => {
                let found = self.tables.texts.find(entry);
                if found.is_none() {
                    added.texts.push(*entry);
                }
                found.map(|found| (found.is_same, self.tables.texts.mark(found)))
            }
        };
        match found {
            None => partial.added += 1,
            Some((true, _)) => partial.equal += 1,
            Some((false, _)) => partial.changed += 1,
        }
        found.map(|(_, before)| before)
    }

    /// Returns the comparison, once the new version has been read.
    pub fn finish(self, folded: Folded<ComparedRows>, workers: &Workers) -> Compared {
        let ComparedRows {
            added_rows,
            added,
            changed,
            equal,
            double_keys,
            first_double_keys,
        } = folded.partial;
        let without_key = added_rows.without_key;
        let added_rows = Tables::new(added_rows, workers);
        let sums = self.tables.sums(workers);
        Compared {
            diff: Diff {
                key: self.keys.name(),
                added,
                removed: sums.unmarked,
                changed,
                equal,
                old: Version {
                    double_keys: sums.doubles,
                    ..self.old
                },
                new: Version {
                    rows: folded.lines,
                    without_key,
                    double_keys: double_keys + added_rows.sums(workers).doubles,
                    first_double_keys: first_double_keys.into_vec(),
                },
            },
            keys: self.keys,
            old: Arc::new(self.tables),
            added: added_rows,
        }
    }
}

impl VersionRows {
    fn merge(&mut self, from: VersionRows) {
        self.numbers.merge(from.numbers);
        self.texts.merge(from.texts);
        self.without_key += from.without_key;
    }
}

impl Tables {
    /// Prefetches where the bucket of an entry begins. Rows look up a batch together: one after the other, each waits for memory
    /// three times.
    #[inline(always)]
    fn prefetch_bucket(&self, entry: &RowEntry) {
        match entry {
            RowEntry::Number(entry) => self.numbers.prefetch_bucket(entry),
            RowEntry::Text(entry) => self.texts.prefetch_bucket(entry),
        }
    }

    /// Prefetches the bucket of an entry.
    #[inline(always)]
    fn prefetch_entries(&self, entry: &RowEntry) {
        match entry {
            RowEntry::Number(entry) => self.numbers.prefetch_entries(entry),
            RowEntry::Text(entry) => self.texts.prefetch_entries(entry),
        }
    }

    /// Returns for the row of a key whether it equals the entry, and whether it is marked; none without one.
    pub(crate) fn find(&self, entry: &RowEntry) -> Option<(bool, bool)> {
        match entry {
            RowEntry::Number(entry) => {
                let found = self.numbers.find(entry)?;
                Some((found.is_same, self.numbers.is_marked(found)))
            }
            RowEntry::Text(entry) => {
                let found = self.texts.find(entry)?;
                Some((found.is_same, self.texts.is_marked(found)))
            }
        }
    }

    fn new(rows: VersionRows, workers: &Workers) -> Tables {
        Tables {
            numbers: Table::new(rows.numbers, workers),
            texts: Table::new(rows.texts, workers),
        }
    }

    fn sums(&self, workers: &Workers) -> Sums {
        let (numbers, texts) = (self.numbers.sums(workers), self.texts.sums(workers));
        Sums {
            unmarked: numbers.unmarked + texts.unmarked,
            doubles: numbers.doubles + texts.doubles,
        }
    }
}

impl Compared {
    /// Returns a fold that names the double keys of the old version.
    pub fn double_keys_of_old(&self) -> DoubleKeys<'_> {
        DoubleKeys {
            keys: &self.keys,
            tables: &self.old,
        }
    }

    /// Returns a fold that names the double keys of the new version. Those that the old version has, too, are named already.
    pub fn double_keys_of_new(&self) -> DoubleKeys<'_> {
        DoubleKeys {
            keys: &self.keys,
            tables: &self.added,
        }
    }
}

impl Version {
    /// Adds the keys that a [`DoubleKeys`] has named.
    pub fn add_double_keys(&mut self, named: NamedKeys) {
        let mut first = named.first;
        self.first_double_keys
            .iter()
            .for_each(|key| first.insert(key));
        self.first_double_keys = first.into_vec();
    }
}

impl Fold for DoubleKeys<'_> {
    type Partial = NamedKeys;

    fn need(&self, part: &Part) -> Result<Need, Error> {
        Ok(Need::Rows(self.keys.columns(part)?))
    }

    fn partial(&self) -> NamedKeys {
        NamedKeys::default()
    }

    fn rows(&self, rows: &Rows<'_>, partial: &mut NamedKeys) -> Result<(), Error> {
        for row in rows.iter() {
            let Some(value) = self.keys.value(&row, &mut partial.scratch) else {
                continue;
            };
            let Tables { numbers, texts } = self.tables;
            let is_double = match self.keys.entry(value, &row) {
                RowEntry::Number(entry) => numbers.find(&entry).map(|f| numbers.is_double(f)),
                RowEntry::Text(entry) => texts.find(&entry).map(|f| texts.is_double(f)),
            };
            if is_double == Some(true) {
                partial.first.insert(value);
            }
        }
        Ok(())
    }

    fn merge(&self, into: &mut NamedKeys, from: NamedKeys) {
        into.first.merge(from.first);
    }
}
