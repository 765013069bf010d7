//! Reads the files of `--with`: a fold on the engine that reads everything else, and a reader of CSV.

use std::collections::HashMap;
use std::ffi::OsString;
use std::mem;
use std::ops::ControlFlow;
use std::sync::{Mutex, MutexGuard};

use csv::{ByteRecord, ReaderBuilder, Trim};
use memchr::memchr_iter;

use super::quotes::check_quotes;
use super::{Engine, Options, TASK_BYTES};
use crate::error::{Error, escaped};
use crate::fec::number::decimals_of;
use crate::fec::schema::Schema;
use crate::fec::without_mark;
use crate::fold::{ChunkPlace, Fold, Order};
use crate::input::{Buffer, Input, LINE_BYTES_MAX, OpenOptions, Part};
use crate::plan::{Cut, Plan};
use crate::scan::{Need, Rows};
use crate::sql::{Fields, GivenTable, GivenTables, JOINABLE, Join, On, check_memory, key_column};
use crate::workers::{lock, unlocked};

/// The most files of tables.
const FILES_MOST: usize = 16;

impl GivenTables {
    /// Reads the files of `joins`, which `opening` says how to open. Engines with these `options` read them.
    ///
    /// The name of a file or a member tells its schema, or else its rows do. Files of the same schema are one sequence of rows, in the
    /// order given.
    ///
    /// A file under a name is a table of its own: of any schema, or else CSV. CSV has commas, semicolons, tabs or pipes between
    /// columns, as the header has.
    ///
    /// # Errors
    /// If a file can't be opened or read whole. If a file without a name is of another schema than cm, cn and ccl. If a table lacks
    /// the column by which it is joined, or rows of CSV have other columns than the header. If the rows take more than 1 GiB of memory.
    pub fn open(
        joins: &[Join],
        opening: &OpenOptions,
        options: Options,
    ) -> Result<GivenTables, Error> {
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
            reading.state().begin_file(&name, join.on.clone())?;
            let is_text = |part: &Part| part.schema_of_rows().is_none();
            if join.on.is_some() && input.parts().iter().any(is_text) {
                let added = reading.state().add_text(&text_of(input)?);
                added.map_err(|error| error.about(&join.path))?;
            } else {
                engine.run(&reading).input(input)?;
            }
            notes.extend(reading.state().notes(&name));
        }
        let state = unlocked(reading.state);
        Ok(GivenTables::new(state.tables, notes))
    }
}

/// The bytes of a file that tell whether it is text.
const BINARY_BYTES: usize = 4096;

/// The fold that collects rows. They leave the partials in the order of the input.
#[derive(Debug, Default)]
struct Reading {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    tables: Vec<GivenTable>,
    /// The schema of each part that has begun.
    schemas: HashMap<OsString, Schema>,
    file: String,
    /// The name of the present file as a table, if it has one.
    on: Option<On>,
    /// What seems to be wrong with its names of columns, if it is CSV.
    wrong_header: Option<String>,
}

impl Reading {
    fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }
}

impl State {
    fn begin_file(&mut self, name: &str, on: Option<On>) -> Result<(), Error> {
        if self.tables.len() == FILES_MOST {
            let what = format!("more than {FILES_MOST} files can't be joined");
            return Err(Error::usage(what).advise("join those that are needed"));
        }
        self.file = name.to_owned();
        self.on = on;
        self.wrong_header = None;
        self.schemas.clear();
        self.tables.iter_mut().for_each(GivenTable::begin_file);
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
    fn table(&mut self, schema: Schema) -> Result<&mut GivenTable, Error> {
        let known = self.tables.iter().position(|t| t.schema == schema);
        let nth = match known {
            Some(nth) => nth,
            None => {
                let key = match &self.on {
                    Some(on) => &on.column.value,
                    None => key_column(schema),
                };
                // A number beyond the names is a column of the lines, and not of the table.
                schema
                    .column(key)
                    .ok()
                    .filter(|key| *key < schema.columns().len())
                    .ok_or_else(|| schema.unknown_column(key))?;
                let table = GivenTable::new(schema, self.on.clone());
                self.tables.push(table);
                self.tables.len() - 1
            }
        };
        let table = &mut self.tables[nth];
        if !table.files.contains(&self.file) {
            table.files.push(self.file.clone());
        }
        Ok(table)
    }

    /// Adds the rows of the present file, which is CSV.
    fn add_text(&mut self, text: &[u8]) -> Result<(), Error> {
        let Some(on) = &self.on else {
            return Ok(());
        };
        if text.is_empty() {
            let mut tables = self.tables.iter();
            return if tables.any(|table| table.on.as_ref() == Some(on)) {
                Ok(())
            } else {
                let error = Error::input("is empty, and a table needs a header");
                Err(error.advise("name its columns in the first line"))
            };
        }
        if text.iter().take(BINARY_BYTES).any(|&byte| byte == 0) {
            return Err(Error::input("is binary, and no CSV")
                .advise("write the table as CSV with a header, and join that"));
        }
        let (header, rows) = read_csv(text)?;
        let number = header.iter().find(|name| decimals_of(name).is_some());
        self.wrong_header = number.map(|number| {
            let number = escaped(number);
            format!("its first line names the columns, and has the number {number}: if it is a row, write names before it")
        });
        let fields: Vec<&[u8]> = header.iter().collect();
        let schema = Schema::of_header(&on.name, &fields, &rows.day_first(fields.len()));
        let wrong = self.wrong_header.clone();
        let table = self.table(schema).map_err(|error| match &wrong {
            Some(wrong) => error.advise_first(wrong),
            None => error,
        })?;
        table.add(&rows)
    }

    fn add(&mut self, part: &Part, rows: &Fields) -> Result<(), Error> {
        let schema = self.schemas.get(&part.path());
        let mut tables = self.tables.iter_mut();
        let table = tables.find(|table| Some(&table.schema) == schema);
        table.map_or(Ok(()), |table| table.add(rows))
    }

    /// Returns notes on the rows of the present file, called `name`.
    fn notes(&self, name: &str) -> Vec<String> {
        let wrong = self.wrong_header.iter();
        let mut notes: Vec<_> = wrong
            .map(|wrong| format!("{name}: note: {wrong}"))
            .collect();
        let is_of_file = |table: &&GivenTable| table.files.last().is_some_and(|file| file == name);
        let tables = self.tables.iter().filter(is_of_file);
        notes.extend(tables.filter_map(|table| table.note_on_repeats(name)));
        notes
    }
}

impl Fold for Reading {
    type Partial = Fields;

    fn need(&self, part: &Part) -> Result<Need, Error> {
        let has_name = self.state().on.is_some();
        let schema = match part.schema_of_rows().filter(|_| has_name) {
            Some(schema) => schema,
            None => joinable_schema(part)?,
        };
        self.state().begin_part(part.path(), schema)?;
        Ok(Need::Rows((0..schema.columns().len()).collect()))
    }

    fn partial(&self) -> Fields {
        Fields::default()
    }

    fn rows(&self, rows: &Rows<'_>, pending: &mut Fields) -> Result<(), Error> {
        rows.iter().for_each(|row| pending.push_row(row));
        check_memory(pending.memory())
    }

    fn merge(&self, _: &mut Fields, _: Fields) {}

    fn order(&self) -> Order {
        Order::Input
    }

    fn end_chunk(
        &self,
        place: &ChunkPlace<'_>,
        pending: &mut Fields,
    ) -> Result<ControlFlow<()>, Error> {
        self.state().add(place.part, &mem::take(pending))?;
        Ok(ControlFlow::Continue(()))
    }
}

/// Returns all bytes of an input of one part.
fn text_of(mut input: Input) -> Result<Vec<u8>, Error> {
    let mut parts = input.take_parts();
    let Some(part) = parts.next() else {
        return Ok(Vec::new());
    };
    if let Some(other) = parts.next() {
        let error = Error::input("has several members, and CSV is one file");
        return Err(other.blame(error.advise("unpack the one to join")));
    }
    let range = part.range().unwrap_or(0..u64::MAX);
    let plan = Plan::new(range, TASK_BYTES, Cut::Anywhere);
    let (mut text, mut buffer) = (Vec::new(), Buffer::default());
    while let Some(chunk) = part.next(&plan, &mut buffer)? {
        text.extend_from_slice(chunk.bytes());
        check_memory(text.len()).map_err(|e| part.blame(e))?;
    }
    input.check_unchanged()?;
    Ok(text)
}

/// Reads CSV: the names of the columns, and the rows. The delimiter is the one that the header has most of.
fn read_csv(text: &[u8]) -> Result<(ByteRecord, Fields), Error> {
    let text = without_mark(text);
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
            return Error::input(format!("is not CSV: {error}"));
        };
        let line = pos.as_ref().map_or(0, csv::Position::line);
        let columns = if *len == 1 { "column" } else { "columns" };
        let what = format!("line {line} has {len} {columns}, and the header {expected_len}");
        Error::input(what).advise(
            "write it as CSV with a header: a value with a delimiter, a quote or a newline stands in quotes",
        )
    };
    if let Err((place, what)) = check_quotes(text, delimiter.unwrap_or(b',')) {
        let line = 1 + memchr_iter(b'\n', &text[..place]).count();
        return Err(Error::input(format!("line {line} has a quote {what}")).advise(
            "write it as CSV: a value that begins with a quote ends with one, and quotes inside of it are doubled",
        ));
    }
    let names = reader.byte_headers().map_err(wrong)?.clone();
    refuse_long_line(&names)?;
    let mut rows = Fields::default();
    for record in reader.byte_records() {
        let record = record.map_err(wrong)?;
        refuse_long_line(&record)?;
        for field in &record {
            // A newline separates keys, and no line has one.
            let lines = field.split(|&byte| byte == b'\n');
            let lines = lines.map(|line| line.strip_suffix(b"\r").unwrap_or(line));
            rows.push(&lines.collect::<Vec<_>>().join(&b' '));
        }
        check_memory(rows.memory())?;
    }
    Ok((names, rows))
}

/// Refuses a row of CSV that is longer than a line may be.
fn refuse_long_line(record: &ByteRecord) -> Result<(), Error> {
    let delimiters = record.len().saturating_sub(1);
    if record.as_slice().len() + delimiters <= LINE_BYTES_MAX {
        return Ok(());
    }
    let line = record.position().map_or(1, csv::Position::line);
    let what = format!("line {line} has more than {} MiB", LINE_BYTES_MAX >> 20);
    Err(Error::input(what).advise("close its quotes, or leave out its long columns"))
}

/// Returns the schema of `part`, if it can be joined.
fn joinable_schema(part: &Part) -> Result<Schema, Error> {
    let advice = "--with joins files of cm (committees), cn (candidates) and ccl (links between both) as they are; \
                  for another table say how rows lead to it: --with NAME=FILE --on COLUMN=NAME.COLUMN";
    let refused = |what: String| Error::usage(what).advise(advice);
    match part.likely_schema() {
        Some(schema) if JOINABLE.iter().any(|(known, _)| *known == schema) => Ok(schema),
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
