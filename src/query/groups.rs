//! Answers questions of groups: each is a statement of SQL.

use std::cell::RefCell;

use super::{Query, Source, open};
use crate::engine::Engine;
use crate::error::Error;
use crate::fec::schema::Schema;
use crate::fold::{Fold, Folded};
use crate::grouped::{Grouped, Inputs};
use crate::input::{Input, OpenOptions};
use crate::join::{PartnerPolicy, Partners};
use crate::sql::{
    Filter, From, GivenTable, GroupQuestion, JoinedTables, RunFold, RunOptions, Statement,
};

/// Groups the rows of a query.
pub(super) fn run(query: Query, question: GroupQuestion) -> Result<Grouped, Error> {
    question.check_titles()?;
    let opening = OpenOptions::default();
    let partners = Partners::open(&query.joined, PartnerPolicy::Each, &opening, query.options)?;
    let mut sources = query.sources.into_iter();
    let first = sources.next().map(|source| open(&query.opening, source));
    let first = first.transpose()?;
    let schema = match first.as_ref().and_then(|input| input.parts().first()) {
        Some(part) => part.certain_schema()?,
        None => query.opening.schema.unwrap_or(Schema::Indiv),
    };
    let mut from = From::joined(schema, "-", &partners, JoinedTables::InMemory)?;
    for condition in &query.conditions {
        from.add_condition(condition)?;
    }
    let statement = Statement::parse(&question.statement(&from))?;
    let bound = statement.bind_with(schema, &GivenTable::all(&partners))?;
    let bound = bound.with_options(RunOptions {
        max_groups: None,
        adds_up: true,
    });
    let run = Run {
        engine: Engine::new(query.options),
        opening: query.opening,
        contributions: query.contributions,
        sources: RefCell::new((first, sources)),
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
struct Run<S> {
    engine: Engine,
    opening: OpenOptions,
    contributions: bool,
    /// The first input, which is open, and the others.
    sources: RefCell<(Option<Input>, S)>,
    inputs: RefCell<Inputs>,
    failed: RefCell<Option<Error>>,
}

impl<S: Iterator<Item = Source>> Run<S> {
    fn folded<F: Fold>(&self, filter: Filter, fold: &F) -> Result<Folded<F::Partial>, Error> {
        let filter = if self.contributions {
            filter.with_contributions()
        } else {
            filter
        };
        let engine = Engine::new(self.engine.options()).with_filter(filter);
        let mut run = engine.run(fold);
        let (first, others) = &mut *self.sources.borrow_mut();
        if let Some(first) = first.take() {
            run.input(first)?;
        }
        for source in others {
            if run.is_complete() {
                break;
            }
            run.input(open(&self.opening, source)?)?;
        }
        Ok(run.finish())
    }
}

impl<S: Iterator<Item = Source>> RunFold for Run<S> {
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
