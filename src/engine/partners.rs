//! Reads joined files: a fold on the engine that reads everything else.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::mem;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::{Engine, Options};
use crate::error::{Error, ErrorKind, escaped};
use crate::fec::schema::Schema;
use crate::fold::{ChunkPlace, Fold, Order};
use crate::input::{OpenOptions, Part};
use crate::join::table::{Columns, RowCounts, Table};
use crate::join::{JOINABLE, Partners, key_column};
use crate::output::Go;
use crate::scan::{Need, Rows};

impl Partners {
    /// Reads the cm, cn and ccl files at `paths`, which `opening` says how to open. Engines with these
    /// `options` read them.
    ///
    /// The name of a file or a member tells its schema, or else its rows do. Files of the same schema are
    /// one sequence of rows, in the order given. If a key occurs twice, the last row counts.
    ///
    /// # Errors
    /// If a file can't be opened or read whole. If it is of another schema than cm, cn and ccl. If its
    /// rows take more than 1 GiB of memory.
    pub fn open(
        paths: impl IntoIterator<Item = impl AsRef<OsStr>>,
        opening: &OpenOptions,
        options: Options,
    ) -> Result<Partners, Error> {
        let engine = Engine::new(options);
        let reading = Reading::default();
        let mut notes = Vec::new();
        for path in paths {
            let input = opening.open(path.as_ref())?;
            let name = escaped(input.name().as_encoded_bytes());
            notes.extend(
                input
                    .notes()
                    .into_iter()
                    .map(|n| format!("{name}: note: {n}")),
            );
            reading.state().begin_file(&name);
            engine.run(&reading).input(input)?;
            notes.extend(reading.state().notes(&name));
        }
        let state = reading.0.into_inner();
        let state = state.unwrap_or_else(PoisonError::into_inner);
        Ok(Partners {
            tables: state.tables.into_iter().map(|(table, _)| table).collect(),
            notes: notes.into(),
        })
    }
}

/// The fold that collects rows. They leave the partials in the order of the input, because the last one
/// with a key counts.
#[derive(Debug, Default)]
struct Reading(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    /// The tables, each with what became of the rows of the present file.
    tables: Vec<(Table, FileRows)>,
    /// The schema of each part that has begun.
    schemas: HashMap<OsString, Schema>,
    file: String,
}

/// The rows of a file in a table.
#[derive(Debug, Default)]
struct FileRows {
    /// The number of rows from earlier files.
    before: usize,
    counts: RowCounts,
}

/// Rows of a chunk, and the number of their columns.
type Pending = Columns;

impl Reading {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn begin_file(&mut self, name: &str) {
        self.file = name.to_owned();
        self.schemas.clear();
        for (table, file) in &mut self.tables {
            *file = FileRows {
                before: table.len(),
                counts: RowCounts::default(),
            };
        }
    }

    /// Notes that the file has rows of `schema`.
    fn begin_part(&mut self, part: OsString, schema: Schema) {
        self.schemas.insert(part, schema);
        let known = self.tables.iter().position(|(t, _)| t.schema == schema);
        let nth = known.unwrap_or_else(|| {
            let table = Table::new(schema);
            self.tables.push((table, FileRows::default()));
            self.tables.len() - 1
        });
        let (table, _) = &mut self.tables[nth];
        if !table.files.contains(&self.file) {
            table.files.push(self.file.clone());
        }
    }

    fn add(&mut self, part: &Part, rows: &Columns) -> Result<(), Error> {
        let schema = self.schemas.get(&part.path());
        let mut tables = self.tables.iter_mut();
        match tables.find(|(table, _)| Some(&table.schema) == schema) {
            Some((table, file)) => table.add(rows, file.before, &mut file.counts),
            None => Ok(()),
        }
    }

    /// Returns notes on the rows of the present file, called `name`.
    fn notes(&self, name: &str) -> Vec<String> {
        let mut notes = Vec::new();
        for (table, FileRows { counts, .. }) in &self.tables {
            let key = key_column(table.schema);
            let texts = [
                (
                    counts.repeated,
                    "is left out: a later row has its",
                    "are left out: a later row has their",
                ),
                (
                    counts.without_key,
                    "is left out: it has no",
                    "are left out: they have no",
                ),
                (
                    counts.replaced,
                    "of an earlier --with file is left out: this one has its",
                    "of earlier --with files are left out: this one has their",
                ),
            ];
            for (rows, one, many) in texts {
                match rows {
                    0 => {}
                    1 => notes.push(format!("{name}: note: 1 row {one} {key}")),
                    _ => notes.push(format!("{name}: note: {rows} rows {many} {key}")),
                }
            }
        }
        notes
    }
}

impl Fold for Reading {
    type Partial = Pending;

    fn need(&self, part: &Part) -> Result<Need, Error> {
        let schema = joinable_schema(part)?;
        self.state().begin_part(part.path(), schema);
        Ok(Need::Rows((0..schema.columns().len()).collect()))
    }

    fn partial(&self) -> Pending {
        Pending::default()
    }

    fn rows(&self, rows: &Rows<'_>, pending: &mut Pending) -> Result<(), Error> {
        rows.iter().for_each(|row| pending.push(row));
        pending.check_memory(0)
    }

    fn merge(&self, _: &mut Pending, _: Pending) {}

    fn order(&self) -> Order {
        Order::Input
    }

    fn end_chunk(&self, place: &ChunkPlace<'_>, pending: &mut Pending) -> Result<Go, Error> {
        let added = self.state().add(place.part, &mem::take(pending));
        added.map(|()| Go::On)
    }
}

/// Returns the schema of `part`, if it can be joined.
fn joinable_schema(part: &Part) -> Result<Schema, Error> {
    let advice =
        "--with joins files of cm (committees), cn (candidates) and ccl (links between both)";
    let refused = |what: String| Error::new(ErrorKind::Usage, what).advise(advice);
    match part.likely_schema() {
        Some(schema) if JOINABLE.contains(&schema) => Ok(schema),
        Some(schema) => {
            let name = schema.name();
            Err(refused(format!(
                "is a file of schema {name}, which can't be joined"
            )))
        }
        None => Err(refused(
            "is of no known schema by its name or its first rows, and can't be joined".to_owned(),
        )),
    }
}
