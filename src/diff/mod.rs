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

use self::keys::{FirstKeys, KeyScratch, Keys, RowEntry};
use self::table::{Counts, Lists, Marks, Sums, Table, Waiting};
use crate::error::Error;
use crate::fec::schema::Schema;
use crate::fold::{Fold, Folded};
use crate::input::Part;
use crate::scan::{Need, Rows};
use crate::workers::Workers;

/// The fold of the old version, and then that of the new one, which has the rows of the old one.
#[derive(Debug)]
pub struct DiffFold {
    keys: Arc<Keys>,
    /// Empty in the fold of the old version, which looks nothing up.
    tables: Tables,
    old: Version,
}

/// Two versions compared, and what to name the keys of several rows takes.
#[derive(Debug)]
pub struct Compared {
    /// The numbers of rows.
    pub diff: Diff,
    pub(crate) keys: Arc<Keys>,
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
    /// The number of those with another number of columns than the schema's.
    pub odd_rows: u64,
    /// The number of rows with an empty key, which are not compared.
    pub without_key: u64,
    /// The number of keys that several rows have.
    pub double_keys: u64,
    /// Some of these keys, the first in the order of their bytes. Values have `|` between them.
    pub first_double_keys: Vec<Vec<u8>>,
}

/// Rows of a version that a worker has written down.
#[derive(Debug, Default)]
struct VersionRows {
    numbers: Lists<2>,
    texts: Lists<3>,
    without_key: u64,
    scratch: KeyScratch,
}

/// Rows that a worker has compared.
#[derive(Debug, Default)]
pub struct ComparedRows {
    numbers: Waiting<2>,
    texts: Waiting<3>,
    added: VersionRows,
    counts: Counts,
}

/// The fold that names keys of several rows, in another pass over the version that has them.
#[derive(Debug)]
pub struct DoubleKeys<'a> {
    keys: &'a Keys,
    tables: &'a Tables,
    /// The tables of the old version, where keys of the new one may be marked twice.
    marked: Option<&'a Tables>,
}

/// The keys that a worker has named.
#[derive(Debug, Default)]
pub struct NamedKeys {
    first: FirstKeys,
    scratch: KeyScratch,
    /// A key, for people.
    shown: Vec<u8>,
}

/// The rows of a version by their keys, numbers apart.
#[derive(Debug, Default)]
pub(crate) struct Tables {
    numbers: Table<2>,
    texts: Table<3>,
}

impl Fold for DiffFold {
    type Partial = ComparedRows;

    fn need(&self, part: &Part) -> Result<Need, Error> {
        Ok(Need::Rows(self.keys.columns(part)?))
    }

    fn partial(&self) -> ComparedRows {
        ComparedRows::default()
    }

    fn rows(&self, rows: &Rows<'_>, partial: &mut ComparedRows) -> Result<(), Error> {
        let Tables { numbers, texts } = &self.tables;
        let ComparedRows { added, counts, .. } = partial;
        let mut keys = self.keys.of(rows, &mut added.scratch)?;
        for (nth, row) in rows.iter().enumerate() {
            let Some(value) = keys.value(nth, &row) else {
                added.without_key += 1;
                continue;
            };
            match self.keys.entry(value, &row) {
                RowEntry::Number(entry) => {
                    let waiting = &mut partial.numbers;
                    waiting.push(entry, numbers, &mut added.numbers, counts);
                }
                RowEntry::Text(entry) => {
                    let waiting = &mut partial.texts;
                    waiting.push(entry, texts, &mut added.texts, counts);
                }
            }
        }
        Ok(())
    }

    fn merge(&self, into: &mut ComparedRows, mut from: ComparedRows) {
        self.look_up_rest(&mut from);
        into.added.merge(from.added);
        into.counts.add(from.counts);
    }
}

impl DiffFold {
    /// Returns the fold of the old version, for a key: expressions of SQL such as `SUB_ID`, or `CMTE_ID, upper(NAME)`.
    ///
    /// # Errors
    /// A usage error if they can't be parsed.
    pub fn new(key: &str) -> Result<DiffFold, Error> {
        Ok(DiffFold {
            keys: Arc::new(Keys::new(key)?),
            tables: Tables::default(),
            old: Version::default(),
        })
    }

    /// Fails unless rows of `schema` have the columns of the key, and values of the types that it takes.
    ///
    /// # Errors
    /// A usage error that names the place in the key.
    pub fn check_key(&self, schema: Schema) -> Result<(), Error> {
        self.keys.bind(schema).map(|_| ())
    }

    /// Returns the fold of the new version, once the old one has been read.
    pub fn table(self, folded: Folded<ComparedRows>, workers: &Workers) -> DiffFold {
        let rows = folded.partial.added;
        DiffFold {
            keys: self.keys,
            old: Version {
                rows: folded.lines,
                odd_rows: folded.odd_rows,
                without_key: rows.without_key,
                ..Version::default()
            },
            tables: Tables::new(rows, workers),
        }
    }

    /// Looks up the rows that wait still.
    fn look_up_rest(&self, partial: &mut ComparedRows) {
        let Tables { numbers, texts } = &self.tables;
        let ComparedRows { added, counts, .. } = partial;
        let waiting = &mut partial.numbers;
        waiting.flush(numbers, &mut added.numbers, counts);
        let waiting = &mut partial.texts;
        waiting.flush(texts, &mut added.texts, counts);
    }

    /// Returns the comparison, once the new version has been read.
    pub fn finish(self, mut folded: Folded<ComparedRows>, workers: &Workers) -> Compared {
        self.look_up_rest(&mut folded.partial);
        let ComparedRows { added, counts, .. } = folded.partial;
        let without_key = added.without_key;
        let added = Tables::new(added, workers);
        let sums = self.tables.sums(workers);
        Compared {
            diff: Diff {
                key: self.keys.name(),
                added: counts.added,
                removed: sums.unmarked,
                changed: counts.changed,
                equal: counts.equal,
                old: Version {
                    double_keys: sums.doubles,
                    ..self.old
                },
                new: Version {
                    rows: folded.lines,
                    odd_rows: folded.odd_rows,
                    without_key,
                    double_keys: counts.double_keys + added.sums(workers).doubles,
                    ..Version::default()
                },
            },
            keys: self.keys,
            old: Arc::new(self.tables),
            added,
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
    fn marks(&self, entry: &RowEntry) -> Option<(bool, Marks<'_>)> {
        match entry {
            RowEntry::Number(entry) => self.numbers.find(entry),
            RowEntry::Text(entry) => self.texts.find(entry),
        }
    }

    /// Returns for the row of a key whether it equals the entry, and whether it is marked; none without one.
    pub(crate) fn find(&self, entry: &RowEntry) -> Option<(bool, bool)> {
        let (is_same, marks) = self.marks(entry)?;
        Some((is_same, marks.is_marked()))
    }

    fn is_double(&self, entry: &RowEntry) -> bool {
        match entry {
            RowEntry::Number(entry) => self.numbers.is_double(entry),
            RowEntry::Text(entry) => self.texts.is_double(entry),
        }
    }

    /// Makes room for [`note_change`](Tables::note_change): whether keys were looked up twice is forgotten.
    pub(crate) fn forget_changes(&self) {
        self.numbers.clear_second_marks();
        self.texts.clear_second_marks();
    }

    /// Notes that the key of an entry has a changed row.
    pub(crate) fn note_change(&self, entry: &RowEntry) {
        if let Some((_, marks)) = self.marks(entry) {
            marks.set_second();
        }
    }

    /// Says whether the key was looked up twice, or a change of it was noted.
    pub(crate) fn has_second_mark(&self, entry: &RowEntry) -> bool {
        self.marks(entry)
            .is_some_and(|(_, marks)| marks.has_second())
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
            marked: None,
        }
    }

    /// Returns a fold that names the double keys of the new version.
    pub fn double_keys_of_new(&self) -> DoubleKeys<'_> {
        DoubleKeys {
            keys: &self.keys,
            tables: &self.added,
            marked: Some(&self.old),
        }
    }
}

impl Version {
    /// Adds the keys that a [`DoubleKeys`] has named.
    pub fn add_double_keys(&mut self, named: NamedKeys) {
        self.first_double_keys = named.first.into_vec();
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
        let NamedKeys {
            first,
            scratch,
            shown,
        } = partial;
        let mut keys = self.keys.of(rows, scratch)?;
        for (nth, row) in rows.iter().enumerate() {
            let Some(value) = keys.value(nth, &row) else {
                continue;
            };
            let entry = self.keys.entry(value, &row);
            let is_marked = |old: &Tables| old.has_second_mark(&entry);
            if self.tables.is_double(&entry) || self.marked.is_some_and(is_marked) {
                shown.clear();
                keys.push_shown(nth, &row, shown);
                first.insert(shown);
            }
        }
        Ok(())
    }

    fn merge(&self, into: &mut NamedKeys, from: NamedKeys) {
        into.first.merge(from.first);
    }
}
