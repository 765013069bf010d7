//! `fecscan by EXPR[, EXPR]... [FILE]...`: groups. Short for a statement of SQL.

use std::cell::RefCell;
use std::path::Path;

use crate::error::{Error, escaped};
use crate::fec::schema::CONTRIBUTION_TYPES;
use crate::fold::{Fold, Folded};
use crate::grouped::{CountKinds, Grouped, Inputs as Facts};
use crate::output::Output;
use crate::render::columnar::write_results;
use crate::render::{Format, ResultKind, groups};
use crate::sql::{
    Filter, From, GivenTable, GroupQuestion, JoinedTables, RunFold, RunOptions, Statement,
};

use super::options::OfFormats;
use super::progress::Stats;
use super::schemas::SchemaPolicy;
use super::session::Session;
use super::{Outcome, layouts, messages, options, outputs, usage};
use crate::cli::ByArgs;

pub(crate) fn run(mut args: ByArgs) -> Result<Outcome, Error> {
    let path = args.common.output.path.as_deref();
    let partial = args.partial.partial.as_deref();
    let of_formats = OfFormats::new(&args.look, args.compression, partial);
    let format = options::format(args.format, path, ResultKind::Groups, of_formats)?;
    let question = question(&args)?;
    // The statement has them.
    args.common.each = true;
    let conditions = std::mem::take(&mut args.common.conditions);
    let (mut session, output) = Session::new(&args.common, SchemaPolicy::SameColumns, partial)?;
    let Some(schema) = session.schema else {
        // Reading the inputs says why none can be opened.
        drop(session.fold(&crate::fold::LineCount));
        outputs::if_whole(output, Outcome::Failed);
        return Ok(Outcome::Failed);
    };
    let statement_of = |tables| {
        let path = session.paths[0].to_string_lossy();
        let mut from = From::joined(schema, &path, &session.partners, tables)?;
        from.conditions.clone_from(&conditions);
        Ok::<_, Error>(from)
    };
    let statement = question.statement(&statement_of(JoinedTables::InMemory)?);
    let given = GivenTable::all(&session.partners);
    let bound = Statement::parse(&statement)?.bind_with(schema, &given)?;
    if args.show_sql {
        let mut from = statement_of(JoinedTables::Files)?;
        if args.common.contributions {
            let types = CONTRIBUTION_TYPES.map(|of| format!("'{of}'")).join(", ");
            from.conditions.push(format!("TRANSACTION_TP IN ({types})"));
        }
        let statement = question.statement(&from);
        outputs::write(output, format!("{statement}\n").as_bytes())?;
        return Ok(Outcome::Done);
    }
    session.notes_are_told |= format.is_for_people();
    let bound = bound.with_options(RunOptions {
        max_groups: args.max_groups,
        adds_up: true,
    });
    let run = Run {
        counts_kinds: format.is_for_people(),
        contributions: args.common.contributions,
        session: RefCell::new(session),
        done: RefCell::new(Done {
            outcome: Outcome::Done,
            facts: Facts::default(),
            stats: None,
        }),
    };
    let result = bound.run(&run)?;
    let Done {
        outcome,
        facts,
        stats,
    } = run.done.into_inner();
    let output = outputs::if_whole(output, outcome);
    if let (Some(result), Some(output)) = (result, output) {
        let grouped = Grouped::new(question, facts, result);
        print(&run.session.borrow(), &grouped, format, &args, output)?;
    }
    stats.iter().for_each(messages::print);
    Ok(outcome)
}

/// Prints groups, and the notes on them.
fn print(
    session: &Session<'_>,
    grouped: &Grouped,
    format: Format,
    args: &ByArgs,
    mut output: Output,
) -> Result<(), Error> {
    if format.writes_answers() {
        outputs::print(grouped, format, &args.look, output)?;
    } else {
        let metadata = outputs::metadata(grouped.files.iter().map(|file| &file.path));
        let workers = session.engine.workers();
        let compression = args.compression.compression.unwrap_or_default();
        let rows = &grouped.rows;
        let written = write_results(rows, format, compression, metadata, &mut output, workers);
        outputs::ignore_broken_pipe(written.and_then(|()| output.finish()))?;
    }
    for note in groups::notes(grouped, format) {
        messages::note(&note);
    }
    Ok(())
}

/// Folds the files of a session, and keeps what is said of them.
struct Run<'a> {
    session: RefCell<Session<'a>>,
    contributions: bool,
    /// Whether refunds, conduit copies and memo rows are counted.
    counts_kinds: bool,
    done: RefCell<Done>,
}

/// What has become of the files.
struct Done {
    outcome: Outcome,
    facts: Facts,
    stats: Option<Stats>,
}

impl RunFold for Run<'_> {
    fn fold<F: Fold>(&self, _: usize, filter: Filter, fold: &F) -> Option<Folded<F::Partial>> {
        let mut session = self.session.borrow_mut();
        session.set_filter(if self.contributions {
            filter.with_contributions()
        } else {
            filter
        });
        let mut done = self.done.borrow_mut();
        if !self.counts_kinds {
            let inputs = session.fold(fold);
            done.outcome = inputs.outcome;
            done.stats = inputs.stats;
            done.facts = inputs.result.as_ref().map(Facts::of).unwrap_or_default();
            return inputs.result;
        }
        let counting = CountKinds::new(fold);
        let inputs = session.fold(&counting);
        done.outcome = inputs.outcome;
        done.stats = inputs.stats;
        let folded = inputs.result?;
        done.facts = Facts::of(&folded);
        let (folded, kinds) = folded.split();
        done.facts.row_kinds = counting.counted(kinds);
        Some(folded)
    }
}

fn question(args: &ByArgs) -> Result<GroupQuestion, Error> {
    refuse_file_as_key(args)?;
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
