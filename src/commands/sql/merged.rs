//! The rows of a statement whose groups come from partials.

use std::cell::RefCell;
use std::ffi::OsString;

use super::Written;
use super::tables::bytes_of;
use crate::cli::Io;
use crate::commands::merge::{Merge, unknown_question};
use crate::commands::{Outcome, messages, options};
use crate::engine::Engine;
use crate::error::Error;
use crate::fec::schema::Schema;
use crate::fold::{Fold, Folded, StoredFold};
use crate::input::OpenOptions;
use crate::partial::{Command, Merged};
use crate::render::{ResultKind, notes};
use crate::sql::{BoundStatement, Filter, RunFold, Statement};

/// The files of a joined table, which a merge reads again.
struct Table {
    paths: Vec<OsString>,
    opening: OpenOptions,
}

/// What the partials ask.
struct Asked {
    statement: Statement,
    /// The table that the partials are of.
    table: usize,
    schemas: Vec<Schema>,
    tables: Vec<Table>,
}

impl Merge<'_> {
    /// Merges partials of a statement.
    pub(in crate::commands) fn sql(&self, mut merged: Merged) -> Result<Outcome, Error> {
        let asked = Asked::of(&mut merged)?;
        let bound = asked.bind()?;
        let merging = |merged, purpose| Merging {
            merge: self,
            asked: &asked,
            merged: RefCell::new(Some(merged)),
            purpose,
            ended: RefCell::new(Ok(Outcome::Done)),
            odd_rows: RefCell::default(),
        };
        if self.args.partial.is_some() {
            let merging = merging(merged, Purpose::Partial);
            bound.fold_groups(asked.table, &merging)?;
            return merging.ended.into_inner();
        }
        let (format, output) = self.begin("sql", ResultKind::Statement, &merged.files)?;
        let files: Vec<_> = merged.files.iter().map(|file| file.path.clone()).collect();
        let of_table = asked.tables.iter().enumerate().map(|(nth, table)| {
            if nth == asked.table {
                files.clone()
            } else {
                table.paths.clone()
            }
        });
        let paths: Vec<_> = of_table.flatten().collect();
        let merging = merging(merged, Purpose::Rows);
        let workers = self.engine.workers();
        let result = bound.run(&merging)?;
        merging.ended.into_inner()?;
        if let Some(result) = result {
            let written = Written {
                paths: &paths,
                format,
                compression: self.args.compression,
                look: &self.args.look,
            };
            written.write(&result, workers, output)?;
        }
        merging
            .odd_rows
            .into_inner()
            .iter()
            .for_each(messages::note);
        Ok(Outcome::Done)
    }
}

impl Asked {
    /// Returns what the partials ask, if this program may have written them. Finds the files of other tables.
    fn of(merged: &mut Merged) -> Result<Asked, Error> {
        let question = &merged.question;
        let Command::Sql {
            statement,
            table,
            schemas,
            joined,
        } = question.command.clone()
        else {
            return Err(unknown_question());
        };
        let statement = Statement::parse(&statement)?;
        let tables = statement.tables()?.len();
        let files = joined
            .iter()
            .fold(0, |sum: usize, more| sum.saturating_add(*more));
        let is_right = table < tables
            && schemas.len() == tables
            && joined.len() == tables
            && joined[table] == 0
            && files == question.with.len();
        if !is_right {
            return Err(unknown_question());
        }
        let all_paths = merged.joined_paths();
        let members = question.members.clone();
        let mut files = merged.question.with.iter_mut().zip(all_paths);
        let mut tables = Vec::new();
        for (schema, count) in schemas.iter().zip(joined) {
            let mut opening = options::opening_by(Io::Auto);
            opening.schema = Some(*schema);
            opening.detects_quotes = true;
            opening.members = options::members(false, &members);
            let mut paths = Vec::new();
            for (file, known) in files.by_ref().take(count) {
                file.find_at(&known, &opening)?;
                paths.push(file.path.clone().into());
            }
            tables.push(Table { paths, opening });
        }
        Ok(Asked {
            statement,
            table,
            schemas,
            tables,
        })
    }

    fn bind(&self) -> Result<BoundStatement, Error> {
        let sizes = self.tables.iter().enumerate().map(|(nth, table)| {
            if nth == self.table {
                u64::MAX
            } else {
                bytes_of(&table.paths)
            }
        });
        let files: Vec<_> = self.schemas.iter().copied().zip(sizes).collect();
        let bound = self.statement.bind(&files)?;
        bound.check_partial(self.table)?;
        Ok(bound)
    }
}

/// What a merge makes of the groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Purpose {
    /// The rows of the statement.
    Rows,
    /// One partial, for another merge.
    Partial,
}

/// Hands over the merged groups in place of a scan, and reads other tables.
struct Merging<'a> {
    merge: &'a Merge<'a>,
    asked: &'a Asked,
    /// Taken when their step runs.
    merged: RefCell<Option<Merged>>,
    purpose: Purpose,
    ended: RefCell<Result<Outcome, Error>>,
    odd_rows: RefCell<Vec<String>>,
}

impl Merging<'_> {
    fn note_odd_rows<P>(&self, folded: &Folded<P>) {
        let note = notes::odd_rows(folded.odd_rows, folded.lines, "");
        self.odd_rows.borrow_mut().extend(note);
    }

    /// Folds the files of a table.
    fn scan<F: Fold>(
        &self,
        table: &Table,
        filter: Filter,
        fold: &F,
    ) -> Result<Folded<F::Partial>, Error> {
        let engine = Engine::new(self.merge.engine.options()).with_filter(filter);
        let mut run = engine.run(fold);
        for path in &table.paths {
            if run.is_complete() {
                break;
            }
            run.input(table.opening.open(path)?)?;
        }
        Ok(run.finish())
    }

    /// Returns the result of a fold, or stores its error, which ends the statement.
    fn kept<T>(&self, result: Result<T, Error>) -> Option<T> {
        result
            .map_err(|error| *self.ended.borrow_mut() = Err(error))
            .ok()
    }
}

impl RunFold for Merging<'_> {
    fn share<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        self.merge.engine.workers().install(work)
    }

    fn fold<F: Fold>(&self, table: usize, filter: Filter, fold: &F) -> Option<Folded<F::Partial>> {
        let folded = self.scan(&self.asked.tables[table], filter, fold);
        let folded = self.kept(folded)?;
        self.note_odd_rows(&folded);
        Some(folded)
    }

    fn fold_groups<F: StoredFold>(
        &self,
        table: usize,
        filter: Filter,
        fold: &F,
    ) -> Option<Folded<F::Partial>> {
        if table != self.asked.table {
            return self.fold(table, filter, fold);
        }
        let merged = self.merged.borrow_mut().take();
        let merged = merged.expect("one step groups the rows of the table");
        if self.purpose == Purpose::Partial {
            *self.ended.borrow_mut() = self.merge.partial(merged, fold);
            return None;
        }
        let (merge, workers) = (self.merge, self.merge.engine.workers());
        let folded = workers.install(|| merge.folded_by(merged, fold, &filter));
        let folded = self.kept(folded)?;
        self.note_odd_rows(&folded);
        Some(folded)
    }
}
