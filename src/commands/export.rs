//! `fecscan export [FILE]...`: rows in another format.

use std::num::NonZeroU64;
use std::ops::Range;
use std::path::Path;

use fecscan::error::{Error, ErrorKind};
use fecscan::fold::Fold;
use fecscan::fold::export::{
    ExportColumns, ExportFold, ExportQuestion, Exported, Sample, SampleFold, Types,
};
use fecscan::input::file_bytes;
use fecscan::output::Output;
use fecscan::render::Format;
use fecscan::render::encode::{self, Encode, RowEncoder, Text};
use fecscan::render::text::Look;

use super::schemas::SchemaPolicy;
use super::session::Session;
use super::stats::Stats;
use super::{Outcome, columnar, layouts, messages, options, outputs};
use crate::cli::{ExportArgs, OF_ROWS, SampleSize};

/// The number of rows that a terminal gets without `--head`.
const TERMINAL_ROWS: u64 = 20;

/// The size of a task. Its rows as JSON take three times as much, and stay in a cache until they are written.
const TASK_BYTES: NonZeroU64 = NonZeroU64::new(512 << 10).unwrap();

/// The least and the most memory for the rows of a worker.
const PIECE_BYTES: Range<usize> = 256 << 10..4 << 20;

/// The memory for rows that all workers have together.
const ROWS_BYTES: usize = 32 << 20;

/// What became of the inputs and the output.
pub(super) struct Done {
    pub(super) outcome: Outcome,
    pub(super) stats: Option<Stats>,
    /// The output, not yet finished.
    pub(super) written: Result<(Output, Exported), Error>,
}

/// Runs the command.
pub(crate) fn run(args: ExportArgs) -> Result<Outcome, Error> {
    let format = format(&args)?;
    let columns = columnar::of_rows(format, args.compression)?;
    let mut question = question(&args, format)?;
    // The fold compares the columns that are exported, which several schemas may have.
    let (mut session, output) = Session::new(&args.common, SchemaPolicy::OneTable, None)?;
    let is_cut = format == Format::Text
        && output.is_terminal()
        && question.head.is_none()
        && !matches!(args.sample, Some(SampleSize::Rows(_)));
    if is_cut {
        question.head = Some(TERMINAL_ROWS);
    }
    let mut sampled = None;
    match args.sample {
        None => {}
        Some(SampleSize::Share(share)) => {
            question.sample = Some(Sample::of_share(args.seed, share));
        }
        Some(SampleSize::Rows(rows)) => {
            let Some((sample, lines)) = sample(&mut session, args.seed, rows)? else {
                return Ok(Outcome::Failed);
            };
            sampled = Some(lines.min(rows).min(args.head.unwrap_or(u64::MAX)));
            question.sample = Some(sample);
        }
    }
    let done = match columns {
        Some(columns) => columnar::export(&session, question, columns, output),
        None => rows(session, &args, question, format, output),
    };
    let outcome = done.outcome;
    let written = done.written.and_then(|(output, exported)| {
        if outcome == Outcome::Done && sampled.is_some_and(|rows| rows != exported.rows) {
            let what = "the input changed between the choice of the sample and its export";
            return Err(Error::new(ErrorKind::Consistency, what));
        }
        for note in encode::notes(&exported) {
            messages::note(&note);
        }
        if is_cut && exported.rows == TERMINAL_ROWS {
            let what = "are shown on a terminal; --head N shows another number";
            messages::note(&format_args!("the first {TERMINAL_ROWS} rows {what}"));
        }
        finish(output, outcome, args.common.output.as_deref())
    });
    outputs::ignore_broken_pipe(written)?;
    done.stats.iter().for_each(messages::print);
    Ok(outcome)
}

/// Finds which rows a sample of this size has, and the number of all rows; none if an input failed.
fn sample(session: &mut Session, seed: u64, rows: u64) -> Result<Option<(Sample, u64)>, Error> {
    if let Some(pipe) = session.paths.iter().find(|path| file_bytes(path).is_none()) {
        let error = Error::new(
            ErrorKind::Usage,
            "can be read once, and a sample of N rows reads twice",
        );
        return Err(error
            .about(pipe)
            .advise("name a file, or a share of the rows: --sample 1%"));
    }
    let fold = SampleFold::new(seed, rows);
    session.is_quiet = true;
    let folded = session.fold(&fold);
    session.is_quiet = false;
    let (Outcome::Done, Some(result)) = (folded.outcome(), folded.result) else {
        return Ok(None);
    };
    Ok(Some((fold.finish(result.partial), result.lines)))
}

/// Writes rows as text to `output`.
fn rows(
    session: Session,
    args: &ExportArgs,
    question: ExportQuestion,
    format: Format,
    output: Output,
) -> Done {
    let session = session.with_task_bytes(&args.common, TASK_BYTES);
    let session = if output.is_terminal() {
        session.without_bar()
    } else {
        session
    };
    let look = options::look(args.color.when, output.is_terminal());
    let threads = session.engine.options().threads.get();
    let piece_bytes = (ROWS_BYTES / threads).clamp(PIECE_BYTES.start, PIECE_BYTES.end);
    let fold = ExportFold::new(
        question,
        move |columns| encoder(format, columns, look),
        outputs::Rows::new(output, format.escape()),
    );
    let fold = fold
        .with_partners(session.partners.clone())
        .with_piece_bytes(piece_bytes);
    let folded = session.fold(&fold);
    let outcome = folded.outcome();
    let partial = folded.result.map(|result| result.partial);
    let partial = partial.unwrap_or_else(|| fold.partial());
    let exported = fold.finish(partial);
    Done {
        outcome,
        stats: folded.stats,
        written: exported.map(|(rows, exported)| (rows.into_output(), exported)),
    }
}

/// Returns the format: on a terminal, text unless another one is named.
fn format(args: &ExportArgs) -> Result<Format, Error> {
    let path = args.common.output.as_deref();
    let by_default = outputs::is_terminal(path).then_some(Format::Text);
    options::format(args.format.or(by_default), path, OF_ROWS)
}

fn question(args: &ExportArgs, format: Format) -> Result<ExportQuestion, Error> {
    let mut question = ExportQuestion::default();
    for columns in &args.columns {
        question.add_columns(columns)?;
    }
    question.head = args.head;
    question.types = match layouts::values(&args.common) {
        Some(types) => types,
        None if format.is_binary() || !layouts::kinds(&args.common.layout).is_empty() => {
            Types::Typed
        }
        None => Types::Raw,
    };
    Ok(question)
}

fn encoder(format: Format, columns: &ExportColumns, look: Look) -> Box<dyn Encode> {
    match format {
        Format::Ndjson => Box::new(RowEncoder::ndjson(columns)),
        Format::Json => Box::new(RowEncoder::json(columns)),
        Format::Csv => Box::new(RowEncoder::csv(columns)),
        Format::Tsv => Box::new(RowEncoder::tsv(columns)),
        _ => Box::new(Text::new(columns, look)),
    }
}

/// Puts a new file in its place, unless an input is missing in it.
fn finish(output: Output, outcome: Outcome, path: Option<&Path>) -> Result<(), Error> {
    match path {
        Some(path) if outcome == Outcome::Failed && output.is_new_file() => {
            messages::note_on(path, &"is not written, because an input failed");
            Ok(())
        }
        _ => output.finish(),
    }
}
