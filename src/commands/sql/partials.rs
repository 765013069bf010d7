//! Writes the partial of a statement. The run groups the rows of a part of one table. It reads the other tables whole, and the merge reads
//! them again.

use std::cell::RefCell;

use super::Ran;
use super::tables::bytes_of;
use crate::commands::session::Session;
use crate::commands::{Outcome, options, outputs, partials};
use crate::error::Error;
use crate::fec::schema::Schema;
use crate::fold::{Fold, Folded, StoredFold};
use crate::input::OpenOptions;
use crate::output::Output;
use crate::partial::{Command, Joined};
use crate::sql::{Filter, Join, RunFold, Statement};

/// Writes the partial of the table number `table`. Each table has a session and a schema.
pub(super) fn write(
    statement: &Statement,
    schemas: &[Schema],
    table: usize,
    mut sessions: Vec<Session<'_>>,
    output: Output,
) -> Result<Outcome, Error> {
    let sizes = sessions.iter().enumerate().map(|(nth, session)| {
        // A join holds its smaller table in memory. This size keeps the table of the partial from being that one.
        if nth == table {
            u64::MAX
        } else {
            bytes_of(&session.paths)
        }
    });
    let files: Vec<_> = schemas.iter().copied().zip(sizes).collect();
    let bound = statement.bind(&files)?;
    bound.check_partial(table)?;
    let mut joined = Vec::new();
    let mut counts = vec![0; sessions.len()];
    for (nth, session) in sessions.iter().enumerate().filter(|(nth, _)| *nth != table) {
        let mut opening = options::opening(session.common);
        opening.schema = Some(schemas[nth]);
        counts[nth] = session.paths.len();
        for path in &session.paths {
            let file = Joined::of(&Join::new(path), None, &opening)?;
            joined.push((file, opening.clone()));
        }
    }
    let command = Command::Sql {
        statement: statement.canonical(),
        table,
        schemas: schemas.to_vec(),
        joined: counts,
    };
    let question = sessions[table].question.as_mut();
    let question = question.expect("a partial is to be written");
    question.with = joined.iter().map(|(file, _)| file.clone()).collect();
    let writing = Writing {
        ran: Ran::new(sessions, &bound)?,
        table,
        joined,
        asked: RefCell::new(Some((command, output))),
        written: RefCell::new(Ok(Outcome::Failed)),
    };
    bound.fold_groups(table, &writing)?;
    if let Some((_, output)) = writing.asked.into_inner() {
        // A joined table could not be read.
        outputs::if_whole(output, Outcome::Failed);
    }
    writing.ran.print_notes();
    writing.written.into_inner()
}

/// Folds the tables that are read whole, and writes the groups of the one that is not.
struct Writing<'a> {
    ran: Ran<'a>,
    table: usize,
    joined: Vec<(Joined, OpenOptions)>,
    /// Taken when the partial is written.
    asked: RefCell<Option<(Command, Output)>>,
    written: RefCell<Result<Outcome, Error>>,
}

impl Writing<'_> {
    fn write<F: StoredFold>(&self, filter: Filter, fold: &F) -> Result<Outcome, Error> {
        let asked = self.asked.borrow_mut().take();
        let (command, output) = asked.expect("one step groups the rows of the table");
        let (session, _) = &mut *self.ran.sessions[self.table].borrow_mut();
        session.set_filter(filter);
        let folded = session.fold(fold);
        // The tables that are held have been read.
        for (joined, opening) in &self.joined {
            joined.check(opening)?;
        }
        partials::write(session, folded, fold, Some(command), output)
    }
}

impl RunFold for Writing<'_> {
    fn fold<F: Fold>(&self, table: usize, filter: Filter, fold: &F) -> Option<Folded<F::Partial>> {
        self.ran.fold(table, filter, fold)
    }

    fn fold_groups<F: StoredFold>(
        &self,
        table: usize,
        filter: Filter,
        fold: &F,
    ) -> Option<Folded<F::Partial>> {
        if table != self.table {
            return self.fold(table, filter, fold);
        }
        *self.written.borrow_mut() = self.write(filter, fold);
        None
    }
}
