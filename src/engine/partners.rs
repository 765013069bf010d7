//! Reads joined files: a fold on the engine that reads everything else, and a reader of CSV.

use std::collections::HashMap;
use std::ffi::OsString;
use std::mem;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use csv::{ByteRecord, ReaderBuilder, Trim};
use memchr::memchr_iter;

use super::{Engine, Options};
use crate::error::{Error, ErrorKind, escaped};
use crate::fec::number::decimals_of;
use crate::fec::schema::Schema;
use crate::fold::{ChunkPlace, Fold, Order};
use crate::input::{OpenOptions, Part};
use crate::join::table::{Columns, RowCounts, Table};
use crate::join::{JOINABLE, Join, On, PartnerPolicy, Partners, key_column};
use crate::scan::{FilterCounts, Need, Rows};

impl Partners {
    /// Reads the files of `joins`, which `opening` says how to open. Engines with these `options` read them.
    ///
    /// The name of a file or a member tells its schema, or else its rows do. Files of the same schema are one sequence of rows, in the
    /// order given. If a key occurs twice, `policy` tells which rows count.
    ///
    /// A file under a name is a table of its own: of any schema, or else CSV. CSV has commas, semicolons, tabs or pipes between
    /// columns, as the header has.
    ///
    /// # Errors
    /// If a file can't be opened or read whole. If a file without a name is of another schema than cm, cn and ccl. If a table lacks
    /// the column by which it is joined, or rows of CSV have other columns than the header. If the rows take more than 1 GiB of memory.
    pub fn open(
        joins: &[Join],
        policy: PartnerPolicy,
        opening: &OpenOptions,
        options: Options,
    ) -> Result<Partners, Error> {
        let engine = Engine::new(options);
        let reading = Reading::default();
        let mut notes = Vec::new();
        for join in joins {
            let opened = opening.open(&join.path);
            let input = opened.map_err(|error| match error.advice() {
                // The members of joined archives can't be chosen.
                Some(advice) if advice.contains("--member") => {
                    error.advise("join the unpacked table, or the sheet saved as CSV")
                }
                _ => error,
            })?;
            let name = escaped(input.name().as_encoded_bytes());
            notes.extend(
                input
                    .notes()
                    .into_iter()
                    .map(|n| format!("{name}: note: {n}")),
            );
            reading.is_text.store(false, Ordering::Relaxed);
            reading.state().begin_file(&name, join.on.clone())?;
            engine.run(&reading).input(input)?;
            let ended = reading.state().end_file();
            ended.map_err(|error| error.about(&join.path))?;
            notes.extend(reading.state().notes(&name, policy));
        }
        let state = reading.state.into_inner();
        let state = state.unwrap_or_else(PoisonError::into_inner);
        Ok(Partners {
            known: state.tables.len(),
            tables: state.tables.into_iter().map(|(table, _)| table).collect(),
            notes: notes.into(),
            policy,
        })
    }
}

/// The bytes of a file that tell whether it is text.
const BINARY_BYTES: usize = 4096;

/// The fold that collects rows. They leave the partials in the order of the input, because the last one
/// with a key counts.
#[derive(Debug, Default)]
struct Reading {
    state: Mutex<State>,
    /// Whether the present file is CSV.
    is_text: AtomicBool,
}

#[derive(Debug, Default)]
struct State {
    /// The tables, each with what became of the rows of the present file.
    tables: Vec<(Table, FileRows)>,
    /// The schema of each part that has begun.
    schemas: HashMap<OsString, Schema>,
    file: String,
    /// The name of the present file as a table, if it has one.
    on: Option<On>,
    /// The present file, if it is CSV.
    text: Vec<u8>,
    /// What seems to be wrong with its names of columns.
    wrong_header: Option<String>,
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
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn begin_file(&mut self, name: &str, on: Option<On>) -> Result<(), Error> {
        if self.tables.len() == FilterCounts::COUNTS {
            let what = format!("more than {} files can't be joined", FilterCounts::COUNTS);
            return Err(Error::new(ErrorKind::Usage, what).advise("join those that are needed"));
        }
        self.file = name.to_owned();
        self.on = on;
        self.wrong_header = None;
        self.schemas.clear();
        for (table, file) in &mut self.tables {
            *file = FileRows {
                before: table.len(),
                counts: RowCounts::default(),
            };
        }
        Ok(())
    }

    /// Notes that the file has rows of `schema`.
    fn begin_part(&mut self, part: OsString, schema: Schema) -> Result<(), Error> {
        let schema = match &self.on {
            Some(on) => schema.named_table(&on.name),
            None => schema,
        };
        self.table(schema)?;
        self.schemas.insert(part, schema);
        Ok(())
    }

    /// Returns the table of the present file for rows of `schema`.
    fn table(&mut self, schema: Schema) -> Result<&mut (Table, FileRows), Error> {
        let known = self.tables.iter().position(|(t, _)| t.schema == schema);
        let nth = match known {
            Some(nth) => nth,
            None => {
                let key = match &self.on {
                    Some(on) => &on.column,
                    None => key_column(schema),
                };
                // A number beyond the names is a column of the lines, and not of the table.
                let key = schema
                    .column(key)
                    .ok()
                    .filter(|key| *key < schema.columns().len())
                    .ok_or_else(|| schema.unknown_column(key))?;
                let table = Table::new(schema, key, self.on.clone());
                self.tables.push((table, FileRows::default()));
                self.tables.len() - 1
            }
        };
        let (table, _) = &mut self.tables[nth];
        if !table.files.contains(&self.file) {
            table.files.push(self.file.clone());
        }
        Ok(&mut self.tables[nth])
    }

    /// Notes that the file is CSV.
    fn begin_text(&mut self, part: OsString) -> Result<(), Error> {
        if self.schemas.is_empty() && self.text.is_empty() {
            self.schemas.insert(part, Schema::Indiv);
            return Ok(());
        }
        let error = Error::new(ErrorKind::Input, "has several members, and CSV is one file");
        Err(error.advise("unpack the one to join"))
    }

    /// Adds the rows of the present file, if it is CSV.
    fn end_file(&mut self) -> Result<(), Error> {
        let text = mem::take(&mut self.text);
        let Some(on) = &self.on else {
            return Ok(());
        };
        if text.is_empty() {
            let has_rows = self
                .tables
                .iter()
                .any(|(table, _)| table.on.as_ref() == Some(on));
            let error = Error::new(ErrorKind::Input, "is empty, and a table needs a header");
            return if has_rows {
                Ok(())
            } else {
                Err(error.advise("name its columns in the first line"))
            };
        }
        if text.iter().take(BINARY_BYTES).any(|&byte| byte == 0) {
            let error = Error::new(ErrorKind::Input, "is binary, and no CSV");
            return Err(error.advise("write the table as CSV with a header, and join that"));
        }
        let (header, rows) = read_csv(&text)?;
        let number = header.iter().find(|name| decimals_of(name).is_some());
        self.wrong_header = number.map(|number| {
            let number = escaped(number);
            format!("its first line names the columns, and has the number {number}: if it is a row, write names before it")
        });
        let fields: Vec<&[u8]> = header.iter().collect();
        let schema = Schema::of_header(&on.name, &fields);
        let wrong = self.wrong_header.clone();
        let (table, file) = self.table(schema).map_err(|error| match &wrong {
            Some(wrong) => error.advise_first(wrong),
            None => error,
        })?;
        table.add(&rows, file.before, &mut file.counts)
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
    fn notes(&self, name: &str, policy: PartnerPolicy) -> Vec<String> {
        let wrong = self.wrong_header.iter();
        let mut notes: Vec<_> = wrong
            .map(|wrong| format!("{name}: note: {wrong}"))
            .collect();
        for (table, FileRows { counts, .. }) in &self.tables {
            let key = table.key_name();
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
                    "of an earlier joined file is left out: this one has its",
                    "of earlier joined files are left out: this one has their",
                ),
            ];
            for (nth, (rows, one, many)) in texts.into_iter().enumerate() {
                // Repeated keys leave no row out if each row counts.
                if policy == PartnerPolicy::Each && nth != 1 {
                    continue;
                }
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
        let schema = if self.state().on.is_none() {
            joinable_schema(part)?
        } else if let Some(schema) = part.schema_of_rows() {
            schema
        } else {
            self.is_text.store(true, Ordering::Relaxed);
            self.state().begin_text(part.path())?;
            return Ok(Need::Rows(Vec::new()));
        };
        self.state().begin_part(part.path(), schema)?;
        Ok(Need::Rows((0..schema.columns().len()).collect()))
    }

    fn partial(&self) -> Pending {
        Pending::default()
    }

    fn rows(&self, rows: &Rows<'_>, pending: &mut Pending) -> Result<(), Error> {
        if self.is_text.load(Ordering::Relaxed) {
            rows.iter().for_each(|row| pending.push_line(row.line()));
        } else {
            rows.iter().for_each(|row| pending.push(row));
        }
        pending.check_memory(0)
    }

    fn merge(&self, _: &mut Pending, _: Pending) {}

    fn order(&self) -> Order {
        Order::Input
    }

    fn end_chunk(
        &self,
        place: &ChunkPlace<'_>,
        pending: &mut Pending,
    ) -> Result<ControlFlow<()>, Error> {
        let pending = mem::take(pending);
        let mut state = self.state();
        if self.is_text.load(Ordering::Relaxed) {
            state.text.extend_from_slice(pending.bytes());
            pending.check_memory(state.text.len())?;
        } else {
            state.add(place.part, &pending)?;
        }
        Ok(ControlFlow::Continue(()))
    }
}

/// Reads CSV: the names of the columns, and the rows. The delimiter is the one that the header has most of.
fn read_csv(text: &[u8]) -> Result<(ByteRecord, Columns), Error> {
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    let header = text.split(|&byte| byte == b'\n').next().unwrap_or(text);
    let count = |delimiter: &u8| memchr_iter(*delimiter, header).count();
    let delimiter = b";\t|,".iter().copied().max_by_key(count);
    let mut reader = ReaderBuilder::new()
        .delimiter(delimiter.unwrap_or(b','))
        .trim(Trim::All)
        .from_reader(text);
    let wrong = |error: csv::Error| {
        let csv::ErrorKind::UnequalLengths {
            pos,
            expected_len,
            len,
        } = error.kind()
        else {
            return Error::new(ErrorKind::Input, format!("is no CSV: {error}"));
        };
        let line = pos.as_ref().map_or(0, csv::Position::line);
        let columns = if *len == 1 { "column" } else { "columns" };
        let what = format!("line {line} has {len} {columns}, and the header {expected_len}");
        Error::new(ErrorKind::Input, what).advise(
            "write it as CSV with a header: a value with a delimiter, a quote or a newline stands in quotes",
        )
    };
    let names = reader.byte_headers().map_err(wrong)?.clone();
    let mut rows = Columns::default();
    for record in reader.byte_records() {
        for field in &record.map_err(wrong)? {
            // A newline separates keys, and no line has one.
            let blank = |&byte: &u8| if byte == b'\n' { b' ' } else { byte };
            rows.push_column(&field.iter().map(blank).collect::<Vec<_>>());
        }
        rows.check_memory(0)?;
    }
    Ok((names, rows))
}

/// Returns the schema of `part`, if it can be joined.
fn joinable_schema(part: &Part) -> Result<Schema, Error> {
    let advice = "--with joins files of cm (committees), cn (candidates) and ccl (links between both) as they are; \
                  for another table say how rows lead to it: --with NAME=FILE --on COLUMN=NAME.COLUMN";
    let refused = |what: String| Error::new(ErrorKind::Usage, what).advise(advice);
    match part.likely_schema() {
        Some(schema) if JOINABLE.contains(&schema) => Ok(schema),
        Some(schema) => {
            let name = schema.name();
            Err(refused(format!(
                "is a file of schema {name}, which can't be joined without a name"
            )))
        }
        None => Err(refused(
            "is of no known schema by its name or its first rows, and can't be joined without a name".to_owned(),
        )),
    }
}
