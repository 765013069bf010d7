//! Writes partials.

use crate::error::Error;
use crate::fec::schema::Schema;
use crate::fold::StoredFold;
use crate::output::Output;
use crate::partial::{Command, Joined, Partial, Question};
use crate::sql::Filter;

use super::session::{Inputs, Session};
use super::{Outcome, messages, outputs, usage};
use crate::cli::Common;

/// Returns the question of a partial, as far as the command's own options don't decide it. Inputs are of `schemas`, and
/// the files of `--with` are those that were `joined`.
pub(super) fn question(
    common: &Common,
    filter: &Filter,
    schemas: &[Schema],
    joined: Vec<Joined>,
) -> Result<Question, Error> {
    // The question of `count`, until the command is known.
    let mut question = Question::new(Command::Count {});
    question.conditions = filter.canonical(schemas);
    question.contributions = common.contributions;
    question.slices = common.slices;
    // The first lines of files of another kind have told their columns.
    question.schema = match schemas.first() {
        Some(schema @ Schema::Other(_)) => Some(*schema),
        _ => common.schema,
    };
    for pattern in &common.member {
        let text = pattern.to_str().ok_or_else(|| {
            let what = "--member is not UTF-8, and partials name members as text";
            usage(what, "choose them by a pattern with ? or *")
        })?;
        question.members.push(text.to_owned());
    }
    question.with = joined;
    Ok(question)
}

/// Refuses a terminal as the place of a partial.
pub(super) fn refuse_terminal(output: &Output) -> Result<(), Error> {
    if output.is_terminal() {
        let what = "a partial is binary, and a terminal shows text";
        Err(usage(what, "name a file: --partial FILE"))
    } else {
        Ok(())
    }
}

/// Writes the partial of the inputs of a session, if all could be read. Without a `command`, none is written.
pub(super) fn write<F: StoredFold>(
    session: &Session<'_>,
    folded: Inputs<F::Partial>,
    fold: &F,
    command: Option<Command>,
    output: Output,
) -> Result<Outcome, Error> {
    let outcome = folded.outcome;
    let output = outputs::if_whole(output, outcome).filter(|_| outcome == Outcome::Done);
    if let (Some(result), Some(command), Some(output)) = (folded.result, command, output) {
        let question = session.question.clone();
        let question = question.expect("a partial is to be written");
        let question = Question {
            command,
            ..question
        };
        let workers = session.engine.workers();
        let partial = workers.install_if_started(|| Partial::of(question, fold, result))?;
        write_to(&partial, output)?;
    }
    folded.stats.iter().for_each(messages::print);
    Ok(outcome)
}

/// Writes a partial. A closed pipe is no error.
pub(super) fn write_to(partial: &Partial, output: Output) -> Result<(), Error> {
    outputs::write_pieces(output, None, |out| partial.write(out))
}
