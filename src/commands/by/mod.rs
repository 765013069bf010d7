//! `fecscan by EXPR[, EXPR]... [FILE]...`: groups. Short for a statement of SQL.

mod merged;

use std::cell::RefCell;
use std::path::Path;

use super::options::OfFormats;
use super::progress::Stats;
use super::schemas::SchemaPolicy;
use super::session::Session;
use super::{Outcome, layouts, messages, options, outputs, partials, usage};
use crate::cli::{ByArgs, LookOptions};
use crate::error::{Error, escaped};
use crate::fec::schema::Schema;
use crate::fold::{Fold, Folded, LineCount, StoredFold};
use crate::grouped::{CountKinds, Grouped, Inputs as Facts};
use crate::output::Output;
use crate::partial::Command;
use crate::render::columnar::{Compression, write_results};
use crate::render::{Format, ResultKind, groups};
use crate::sql::{
    BoundStatement, Filter, From, GivenTables, GroupQuestion, RunFold, RunOptions, Statement,
    TableNames,
};
use crate::workers::Workers;

pub(crate) fn run(args: ByArgs) -> Result<Outcome, Error> {
    let path = args.common.output.path.as_deref();
    let partial = args.partial.partial.as_deref();
    let of_formats = OfFormats::new(&args.look, args.compression, partial);
    let format = options::format(args.format, path, ResultKind::Groups, of_formats)?;
    let question = question(&args)?;
    let partial = args.partial.partial.as_deref();
    let (mut session, output) = Session::new(&args.common, SchemaPolicy::SameColumns, partial)?;
    // A file that could not be opened at first may be there now.
    let Some(schema) = session.schema.or_else(|| session.first_schema()) else {
        // Reading the inputs says why none can be opened.
        drop(session.fold(&LineCount));
        outputs::if_whole(output, Outcome::Failed);
        return Ok(Outcome::Failed);
    };
    let asked = Asked {
        question,
        schema,
        path: session.paths[0].to_string_lossy().into_owned(),
        given: session.given.clone(),
        conditions: args.common.conditions.clone(),
        contributions: args.common.contributions,
        max_groups: args.max_groups,
    };
    let bound = asked
        .bound()
        .map_err(|error| session.uncertain().unwrap_or(error))?;
    if args.show_sql {
        let (from, _) = session.from()?;
        outputs::write_statement(output, &asked.question.statement(&from))?;
        return Ok(Outcome::Done);
    }
    session.notes_are_told |= format.is_for_people();
    let is_partial = session.question.is_some();
    let run = Run {
        counts_kinds: format.is_for_people(),
        asked: &asked,
        session: RefCell::new(session),
        output: RefCell::new(Some(output)),
        done: RefCell::default(),
    };
    if is_partial {
        bound.fold_groups(0, &run)?;
        return run.done.into_inner().outcome;
    }
    let result = bound.run(&run)?;
    let Done {
        outcome,
        facts,
        stats,
    } = run.done.into_inner();
    let (outcome, output) = (outcome?, run.output.into_inner());
    let output = output.and_then(|output| outputs::if_whole(output, outcome));
    if let (Some(result), Some(output)) = (result, output) {
        let grouped = Grouped::new(asked.question.clone(), facts, result);
        let session = run.session.borrow();
        let printed = Printed {
            format,
            compression: of_formats.compression.unwrap_or_default(),
            look: &args.look,
        };
        printed.print(&grouped, session.engine.workers(), output)?;
    }
    stats.iter().for_each(messages::print);
    Ok(outcome)
}

/// A question of groups about rows of a schema, joined with tables in memory.
struct Asked {
    question: GroupQuestion,
    schema: Schema,
    /// That of the first file.
    path: String,
    given: GivenTables,
    conditions: Vec<String>,
    contributions: bool,
    max_groups: Option<u64>,
}

impl Asked {
    /// Returns the statement that the question is short for.
    fn bound(&self) -> Result<BoundStatement, Error> {
        self.question.check_titles()?;
        let mut from = From::joined(self.schema, &self.path, &self.given, TableNames::InMemory)?;
        for condition in &self.conditions {
            from.add_condition(condition)?;
        }
        let statement = Statement::parse(&self.question.statement(&from))?;
        let bound = statement.bind_with(self.schema, &self.given)?;
        Ok(bound.with_options(RunOptions {
            max_groups: self.max_groups,
            adds_up: true,
        }))
    }

    /// Returns the filter of the scan.
    fn filter(&self, of_statement: Filter) -> Filter {
        if self.contributions {
            of_statement.with_contributions()
        } else {
            of_statement
        }
    }
}

/// How groups are printed.
struct Printed<'a> {
    format: Format,
    compression: Compression,
    look: &'a LookOptions,
}

impl Printed<'_> {
    /// Prints groups, and the notes on them.
    fn print(&self, grouped: &Grouped, workers: &Workers, mut output: Output) -> Result<(), Error> {
        let Printed {
            format,
            compression,
            look,
        } = *self;
        if format.writes_answers() {
            outputs::print(grouped, format, look, output)?;
        } else {
            let metadata = outputs::metadata(grouped.files.iter().map(|file| &file.path));
            let rows = &grouped.rows;
            let written = write_results(rows, format, compression, metadata, &mut output, workers);
            outputs::ignore_broken_pipe(written.and_then(|()| output.finish()))?;
        }
        for note in groups::notes(grouped, format) {
            messages::note(&note);
        }
        Ok(())
    }
}

/// Folds the files of a session, and collects the facts that notes tell.
struct Run<'a> {
    session: RefCell<Session<'a>>,
    asked: &'a Asked,
    /// Whether refunds, conduit copies and memo rows are counted.
    counts_kinds: bool,
    /// Taken when a partial is written.
    output: RefCell<Option<Output>>,
    done: RefCell<Done>,
}

/// How the scan of the files ended.
struct Done {
    outcome: Result<Outcome, Error>,
    facts: Facts,
    stats: Option<Stats>,
}

impl Default for Done {
    fn default() -> Done {
        Done {
            outcome: Ok(Outcome::Failed),
            facts: Facts::default(),
            stats: None,
        }
    }
}

impl Run<'_> {
    /// Writes what a fold makes of the files as a partial.
    fn write<F: StoredFold>(&self, fold: &F, output: Output) -> Result<Outcome, Error> {
        let session = self.session.borrow();
        let folded = session.fold(fold);
        let command = Command::by(&self.asked.question, self.asked.max_groups);
        partials::write(&session, folded, fold, Some(command), output)
    }

    fn folded<F: Fold>(&self, fold: &F) -> Option<Folded<F::Partial>> {
        let inputs = self.session.borrow().fold(fold);
        let mut done = self.done.borrow_mut();
        done.outcome = Ok(inputs.outcome);
        done.stats = inputs.stats;
        done.facts = inputs.result.as_ref().map(Facts::of).unwrap_or_default();
        inputs.result
    }
}

impl RunFold for Run<'_> {
    fn share<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        self.session.borrow().engine.workers().install(work)
    }

    fn fold<F: Fold>(&self, _: usize, filter: Filter, fold: &F) -> Option<Folded<F::Partial>> {
        self.session
            .borrow_mut()
            .set_filter(self.asked.filter(filter));
        if !self.counts_kinds {
            return self.folded(fold);
        }
        let counting = CountKinds::new(fold);
        let (folded, kinds) = self.folded(&counting)?.split();
        self.done.borrow_mut().facts.row_kinds = counting.counted(kinds);
        Some(folded)
    }

    fn fold_groups<F: StoredFold>(
        &self,
        table: usize,
        filter: Filter,
        fold: &F,
    ) -> Option<Folded<F::Partial>> {
        if self.session.borrow().question.is_none() {
            return self.fold(table, filter, fold);
        }
        self.session
            .borrow_mut()
            .set_filter(self.asked.filter(filter));
        // The format of a merge is not known yet, and those for people tell the kinds.
        let output = self.output.borrow_mut().take();
        let output = output.expect("one step groups the rows");
        self.done.borrow_mut().outcome = self.write(&CountKinds::new(fold), output);
        None
    }
}

fn question(args: &ByArgs) -> Result<GroupQuestion, Error> {
    refuse_file_as_key(args)?;
    refuse_key_as_file(args)?;
    let mut question = GroupQuestion::new(&args.keys)?;
    for of in &args.sum {
        question.add_sum(of)?;
    }
    for list in &args.agg {
        question.add_aggregates(list)?;
    }
    for list in &args.sort {
        question.sort_by(list)?;
    }
    question.top = args.top;
    Ok(question)
}

/// Refuses the name of a file where the keys are expected.
fn refuse_file_as_key(args: &ByArgs) -> Result<(), Error> {
    if !Path::new(&args.keys).is_file() || layouts::describe(&args.common.layout) {
        return Ok(());
    }
    let file = escaped(args.keys.as_bytes());
    let what = format!("no key is named, and '{file}' is a file");
    Err(usage(
        what,
        "the keys come first: fecscan by STATE itcont.txt",
    ))
}

/// Refuses a column where a file is expected: blanks between keys are commas that were forgotten.
fn refuse_key_as_file(args: &ByArgs) -> Result<(), Error> {
    let is_column = |name: &str| Schema::ALL.iter().any(|schema| schema.column(name).is_ok());
    let mut files = args.common.files.iter().filter_map(|path| path.to_str());
    let Some(name) = files.find(|name| is_column(name) && outputs::is_missing(name.as_ref()))
    else {
        return Ok(());
    };
    let what = "there is no such file, and a column has this name";
    let keys = args.keys.trim_end_matches([',', ' ']);
    let advice = format!("keys have commas between them: fecscan by \"{keys}, {name}\"");
    Err(usage(what, advice).about(name))
}
