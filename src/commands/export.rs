//! `fecscan export [FILE]...`: rows in another format.

use std::ffi::OsString;
use std::num::NonZeroU64;
use std::ops::{Range, RangeInclusive};

use crate::error::{Error, ErrorKind};
use crate::export::{Changes, ExportQuestion, Exported, RowFold, Types, Writing};
use crate::fold::{Fold, Sample, SampleFold, SampleSize};
use crate::input::file_bytes;
use crate::output::Output;
use crate::render::columnar::Compression;
use crate::render::{Format, ResultKind, notes};
use crate::sql::RowSelect;

use super::options::OfFormats;
use super::schemas::SchemaPolicy;
use super::session::Session;
use super::{Outcome, layouts, messages, options, outputs, usage};
use crate::cli::{Color, Common, ExportArgs};

/// The number of rows that a terminal gets without `--head`.
const TERMINAL_ROWS: u64 = 20;

/// The size of a task. Its rows as JSON take three times as much, and stay in a cache until they are written.
const TASK_BYTES: NonZeroU64 = NonZeroU64::new(512 << 10).unwrap();

/// The least and the most memory for the rows of a worker.
const PIECE_BYTES: Range<usize> = 256 << 10..4 << 20;

/// The memory for rows that all workers have together.
const ROWS_BYTES: usize = 32 << 20;

pub(super) struct Rows {
    pub(super) question: ExportQuestion,
    pub(super) format: Format,
    pub(super) compression: Compression,
    pub(super) color: Color,
    pub(super) versions: Vec<FilesOfRows>,
    /// The least and the most rows, if no input changes.
    pub(super) expected: RangeInclusive<u64>,
    /// What is selected of rows that are joined.
    pub(super) select: Option<RowSelect>,
}

/// The files of a version, and which rows of them are written; none for all.
pub(super) type FilesOfRows = (Vec<OsString>, Option<Changes>);

pub(crate) fn run(args: ExportArgs) -> Result<Outcome, Error> {
    let format = format(&args)?;
    let compression = args.compression.compression.unwrap_or_default();
    let mut question = question(&args.columns, &args.common, format)?;
    question.head = args.head;
    // The fold compares the columns that are exported, which several schemas may have.
    let (mut session, output) = Session::new(&args.common, SchemaPolicy::OneTable, None)?;
    if args.statement.show_sql {
        if args.sample.is_some() {
            return Err(usage("a sample has no statement", "leave out --sample"));
        }
        let (from, schema) = session.from()?;
        let columns = from.columns(&question.columns, schema);
        outputs::write_statement(output, &from.select(&columns, question.head))?;
        return Ok(Outcome::Done);
    }
    if args.sample.is_some() && !session.given.is_empty() {
        let advice = "export the sample, and join the file that has it";
        return Err(usage("a sample is of rows that are not joined", advice));
    }
    let is_cut = format == Format::Text
        && output.is_terminal()
        && question.head.is_none()
        && !matches!(args.sample, Some(SampleSize::Rows(_)));
    if is_cut {
        question.head = Some(TERMINAL_ROWS);
    }
    let mut expected = 0..=u64::MAX;
    match args.sample {
        None => {}
        Some(SampleSize::Share(share)) => {
            let filter = session.filter.clone();
            session.set_filter(filter.of_sample(Sample::of_share(args.seed, share)));
        }
        Some(SampleSize::Rows(rows)) => {
            let Some((sample, lines)) = sample(&mut session, args.seed, rows)? else {
                outputs::if_whole(output, Outcome::Failed);
                return Ok(Outcome::Failed);
            };
            let sampled = lines.min(rows).min(args.head.unwrap_or(u64::MAX));
            expected = sampled..=sampled;
            let filter = session.filter.clone();
            session.set_filter(filter.of_sample(sample));
        }
    }
    let select = session.select(&question)?;
    let rows = Rows {
        question,
        select,
        format,
        compression,
        color: args.color.when,
        versions: vec![(session.paths.clone(), None)],
        expected,
    };
    write(session, rows, output, |exported| {
        let odd_rows = notes::odd_rows(exported.odd_rows, exported.rows, "");
        odd_rows.iter().for_each(messages::note);
        if is_cut && exported.rows == TERMINAL_ROWS {
            let what = "are shown on a terminal; --head N shows another number";
            messages::note(&format_args!("the first {TERMINAL_ROWS} rows {what}"));
        }
    })
}

/// Writes the rows of one version after the other, and prints notes on them.
pub(super) fn write(
    mut session: Session<'_>,
    rows: Rows,
    output: Output,
    note: impl FnOnce(&Exported),
) -> Result<Outcome, Error> {
    let (mut writing, mut output) = writing(&mut session, rows.format, output);
    writing.compression = rows.compression;
    // Of two versions, the rows of the new one come first.
    let sources = rows.versions.iter().rev().flat_map(|(files, _)| files);
    writing.metadata = outputs::metadata(sources);
    writing.look = options::look(rows.color, output.is_terminal());
    let mut fold = RowFold::new(rows.question, writing, &mut output).selecting(rows.select);
    let (mut outcome, mut stats, mut partial) = (Outcome::Done, None, fold.partial());
    for (files, changes) in rows.versions {
        session.paths = files;
        if let Some(changes) = changes {
            changes.choose_rows_of(&mut fold);
        }
        let folded = session.fold(&fold);
        (outcome, stats) = (folded.outcome, folded.stats);
        if let Some(result) = folded.result {
            fold.merge(&mut partial, result.partial);
        }
        if outcome == Outcome::Failed {
            break;
        }
    }
    let exported = fold.finish(partial, session.engine.workers());
    let written = exported.and_then(|exported| {
        if outcome == Outcome::Done && !rows.expected.contains(&exported.rows) {
            let what = "an input changed between the choice of the rows and their export";
            return Err(Error::new(ErrorKind::Consistency, what));
        }
        exported.notes().for_each(|note| messages::note(&note));
        note(&exported);
        outputs::if_whole(output, outcome).map_or(Ok(()), Output::finish)
    });
    outputs::ignore_broken_pipe(written)?;
    stats.iter().for_each(messages::print);
    Ok(outcome)
}

/// Prepares a session and an output for rows that are written as they come.
pub(super) fn writing(
    session: &mut Session<'_>,
    format: Format,
    output: Output,
) -> (Writing, Output) {
    let mut writing = Writing::from(format);
    if format.is_binary() {
        return (writing, output);
    }
    session.set_task_bytes(TASK_BYTES);
    // The bar would stand among the rows.
    session.shows_progress &= !output.is_terminal();
    let threads = session.engine.options().threads.get();
    writing.piece_bytes = (ROWS_BYTES / threads).clamp(PIECE_BYTES.start, PIECE_BYTES.end);
    (writing, output.escaped_by(format.escape()))
}

/// Finds which rows a sample of this size has, and the number of all rows; none if an input failed.
fn sample(session: &mut Session<'_>, seed: u64, rows: u64) -> Result<Option<(Sample, u64)>, Error> {
    refuse_pipes(&session.paths, "a sample of N rows reads twice")
        .map_err(|error| error.advise("name a file, or a share of the rows: --sample 1%"))?;
    session.keep_files();
    let fold = SampleFold::new(seed, rows);
    session.is_quiet = true;
    let folded = session.fold(&fold);
    session.is_quiet = false;
    let (Outcome::Done, Some(result)) = (folded.outcome, folded.result) else {
        return Ok(None);
    };
    Ok(Some((fold.finish(result.partial), result.lines)))
}

/// Refuses inputs that can be read once, because of `what`.
pub(super) fn refuse_pipes(paths: &[OsString], what: &str) -> Result<(), Error> {
    // Reading a file that is missing says so.
    let is_there = |path: &OsString| path == "-" || !outputs::is_missing(path);
    let is_pipe = |path: &&OsString| file_bytes(path).is_none() && is_there(path);
    paths.iter().find(is_pipe).map_or(Ok(()), |pipe| {
        let what = format!("can be read once, and {what}");
        Err(Error::new(ErrorKind::Usage, what).about(pipe))
    })
}

/// Returns the format: on a terminal, text unless another one is named.
fn format(args: &ExportArgs) -> Result<Format, Error> {
    let path = args.common.output.path.as_deref();
    let by_default = outputs::is_terminal(path).then_some(Format::Text);
    let of_formats = OfFormats {
        color: args.color.when,
        compression: args.compression.compression,
        ..OfFormats::default()
    };
    let given = args.format.or(by_default);
    options::format(given, path, ResultKind::Rows, of_formats)
}

pub(super) fn question(
    columns: &[String],
    common: &Common,
    format: Format,
) -> Result<ExportQuestion, Error> {
    let mut question = ExportQuestion::default();
    for columns in columns {
        question.add_columns(columns)?;
    }
    // Spreadsheets and databases take 01312018 for a number.
    let is_of_tables = matches!(format, Format::Csv | Format::Tsv);
    let has_types =
        format.is_binary() || is_of_tables || !layouts::kinds(&common.layout).is_empty();
    let by_default = if has_types {
        Types::Typed
    } else {
        Types::Expressions
    };
    question.types = layouts::values(&common.layout).unwrap_or(by_default);
    Ok(question)
}
