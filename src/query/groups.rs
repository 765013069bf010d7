//! Answers questions of groups: each is a statement of SQL.

use std::cell::RefCell;

use super::{Inputs as Sources, Query};
use crate::engine::Engine;
use crate::error::Error;
use crate::fold::{Fold, Folded};
use crate::grouped::{Grouped, Inputs};
use crate::input::OpenOptions;
use crate::sql::{
    Filter, From, GivenTables, GroupQuestion, RunFold, RunOptions, Statement, TableNames,
};

/// Groups the rows of a query.
pub(super) fn run(query: Query, question: GroupQuestion) -> Result<Grouped, Error> {
    question.check_titles()?;
    let given = GivenTables::open(&query.joined, &OpenOptions::default(), query.options)?;
    let mut sources = Sources {
        first: None,
        sources: query.sources.into_iter(),
        opening: query.opening,
    };
    let schema = sources.schema()?;
    let mut from = From::joined(schema, "-", &given, TableNames::InMemory)?;
    for condition in &query.conditions {
        from.add_condition(condition)?;
    }
    let statement = Statement::parse(&question.statement(&from))?;
    let bound = statement.bind_with(schema, &given)?;
    let bound = bound.with_options(RunOptions {
        max_groups: None,
        adds_up: true,
    });
    let run = Run {
        engine: Engine::new(query.options),
        contributions: query.contributions,
        sources: RefCell::new(Some(sources)),
        inputs: RefCell::default(),
        failed: RefCell::default(),
    };
    let result = bound.run(&run)?;
    if let Some(error) = run.failed.into_inner() {
        return Err(error);
    }
    let rows = result.ok_or_else(|| Error::usage("the question has no input"))?;
    Ok(Grouped::new(question, run.inputs.into_inner(), rows))
}

/// Folds the inputs, and keeps what is known of them.
struct Run {
    engine: Engine,
    contributions: bool,
    /// Taken when they are read.
    sources: RefCell<Option<Sources>>,
    inputs: RefCell<Inputs>,
    failed: RefCell<Option<Error>>,
}

impl Run {
    fn folded<F: Fold>(&self, filter: Filter, fold: &F) -> Result<Folded<F::Partial>, Error> {
        let filter = if self.contributions {
            filter.with_contributions()
        } else {
            filter
        };
        let engine = Engine::new(self.engine.options()).with_filter(filter);
        let sources = self.sources.borrow_mut().take();
        let sources = sources.expect("one step groups the rows");
        sources.fold(&engine, fold, &[])
    }
}

impl RunFold for Run {
    fn share<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        self.engine.workers().install(work)
    }

    fn fold<F: Fold>(&self, _: usize, filter: Filter, fold: &F) -> Option<Folded<F::Partial>> {
        match self.folded(filter, fold) {
            Ok(folded) => {
                *self.inputs.borrow_mut() = Inputs::of(&folded);
                Some(folded)
            }
            Err(error) => {
                *self.failed.borrow_mut() = Some(error);
                None
            }
        }
    }
}
