//! Statements whose partials are forged, and how they run.

use std::cell::RefCell;

use fecscan::engine::Engine;
use fecscan::error::Error;
use fecscan::fec::schema::Schema;
use fecscan::fold::{Fold, Folded, StoredFold};
use fecscan::input::OpenOptions;
use fecscan::partial::{Command, Question};
use fecscan::render::{Format, to_vec};
use fecscan::sql::{Filter, RunFold, Statement};

/// Statements with every kind of state.
pub const SQL: &str = "SELECT STATE, date, amount / 3, amount > 50, sum(amount), median(amount), min(date), quantile_disc(date, 0.5), \
                   max(CITY), arg_max(NAME, amount), arg_min(date, CITY), bool_or(amount > 5), count(DISTINCT CITY) FROM indiv \
                   GROUP BY CUBE (STATE, date, amount / 3, amount > 50) HAVING dayname(min(date)) <> '' ORDER BY ALL LIMIT 9";
pub const SQL_JOINED: &str = "SELECT c.CMTE_PTY_AFFILIATION, i.STATE, count(*), arg_max(i.NAME, i.amount) FROM cm c \
                          FULL JOIN indiv i ON c.CMTE_ID = i.CMTE_ID GROUP BY ALL";

/// Returns the command for a statement about contributions, and committees perhaps.
pub fn sql(text: &str) -> Command {
    let statement = Statement::parse(text).unwrap();
    let tables = statement.tables().unwrap().len();
    let (schemas, joined) = match tables {
        1 => (vec![Schema::Indiv], vec![0]),
        _ => (vec![Schema::Cm, Schema::Indiv], vec![1, 0]),
    };
    Command::Sql {
        statement: statement.canonical(),
        table: tables - 1,
        schemas,
        joined,
    }
}

/// Runs a statement: `groups` folds the table that partials are of, and other tables are read.
struct RunSql<'a, T> {
    engine: &'a Engine,
    question: &'a Question,
    table: usize,
    groups: T,
    ended: RefCell<Result<Vec<u8>, Error>>,
}

/// What is made of the groups of a table: bytes, and what the statement goes on with, if it does.
pub type Made<P> = (Vec<u8>, Option<Folded<P>>);

/// Makes of the groups of a table what a run makes of them, and says whether the statement goes on.
pub trait FoldGroups {
    fn fold<F: StoredFold>(&self, filter: Filter, fold: &F) -> Result<Made<F::Partial>, Error>;
}

impl<T: FoldGroups> RunFold for RunSql<'_, T> {
    fn fold<F: Fold>(&self, _: usize, filter: Filter, fold: &F) -> Option<Folded<F::Partial>> {
        let engine = Engine::new(self.engine.options()).with_filter(filter);
        let mut run = engine.run(fold);
        for joined in &self.question.with {
            let mut opening = OpenOptions::default();
            opening.schema = Some(Schema::Cm);
            let input = opening.open(joined.path.as_ref());
            if let Err(error) = input.and_then(|input| run.input(input)) {
                *self.ended.borrow_mut() = Err(error);
                return None;
            }
        }
        Some(run.finish())
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
        match self.groups.fold(filter, fold) {
            Ok((made, folded)) => {
                *self.ended.borrow_mut() = Ok(made);
                folded
            }
            Err(error) => {
                *self.ended.borrow_mut() = Err(error);
                None
            }
        }
    }
}

/// Returns what `groups` makes of a statement, or its rows.
pub fn run_sql(
    engine: &Engine,
    question: &Question,
    groups: impl FoldGroups,
) -> Result<Vec<u8>, Error> {
    let unknown = || Filter::new(["an unknown question"]).unwrap_err();
    let Command::Sql {
        statement,
        table,
        schemas,
        ..
    } = &question.command
    else {
        return Err(unknown());
    };
    let statement = Statement::parse(statement)?;
    if statement.tables()?.len() != schemas.len() || *table >= schemas.len() {
        return Err(unknown());
    }
    let sizes = (0..schemas.len()).map(|nth| if nth == *table { u64::MAX } else { 1 });
    let files: Vec<_> = schemas.iter().copied().zip(sizes).collect();
    let bound = statement.bind(&files)?;
    bound.check_partial(*table)?;
    let run = RunSql {
        engine,
        question,
        table: *table,
        groups,
        ended: RefCell::new(Ok(Vec::new())),
    };
    let rows = bound.run(&run)?;
    let made = run.ended.into_inner()?;
    Ok(match rows {
        Some(rows) => to_vec(&rows, Format::Csv).unwrap(),
        None => made,
    })
}
