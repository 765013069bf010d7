//! Folds the inputs of a command: opens each, reports failures, and goes on.

mod inputs;
mod joined;

use std::cell::RefCell;
use std::ffi::{OsStr, OsString};
use std::num::NonZeroU64;
use std::path::{Path, PathBuf};
use std::time::Instant;

use crate::engine::Engine;
use crate::error::Error;
use crate::fec::schema::{FirstLine, Schema};
use crate::fold::{FileLines, Fold, Folded, LineCount};
use crate::input::{CoveragePolicy, Input, OpenOptions, file_bytes};
use crate::output::{self, Output};
use crate::partial::{Joined, Question};
use crate::render::notes;
use crate::sql::{Filter, GivenTables, Join};

use self::inputs::{Done, note_if_empty};
use super::progress::{Progress, Stats, Unit};
use super::schemas::SchemaPolicy;
use super::{Outcome, joins, layouts, messages, options, outputs, partials, schemas, usage};
use crate::cli::Common;

pub(super) struct Session<'a> {
    started: Instant,
    pub(super) common: &'a Common,
    /// What a partial is asked, but for the command's own options.
    pub(super) question: Option<Question>,
    /// The schema of the first input, if columns matter.
    pub(super) schema: Option<Schema>,
    pub(super) engine: Engine,
    /// The tables of `--with`.
    pub(super) given: GivenTables,
    opening: OpenOptions,
    pub(super) filter: Filter,
    /// The names of tables of `--with` whose columns nothing reads.
    unused: Vec<String>,
    /// The inputs, as given.
    pub(super) paths: Vec<OsString>,
    /// The notes on inputs are told elsewhere: by the result, by a merge of partials, or before.
    pub(super) notes_are_told: bool,
    /// The result has a row for each input, so that a file that is named twice is seen.
    pub(super) shows_doubles: bool,
    /// Another pass over the same inputs tells the notes.
    pub(super) is_quiet: bool,
    /// Other sessions read other tables of a statement, so notes name the files.
    pub(super) is_one_of_several: bool,
    /// All files to read: `paths`, the files of `--with`, and that of `--names-from`.
    inputs: Vec<OsString>,
    /// The first input, if it had to be opened to tell its schema.
    first: RefCell<Option<Input>>,
    output_path: Option<PathBuf>,
    pub(super) shows_progress: bool,
}

/// The inputs after folding.
pub(super) struct Inputs<P> {
    /// Whether all inputs were read whole.
    pub(super) outcome: Outcome,
    /// The inputs in the order given; none for each that could not be read whole.
    pub(super) files: Vec<Option<FileLines>>,
    /// The result, if any input could be read.
    pub(super) result: Option<Folded<P>>,
    /// The line of `--stats`, to be printed at the end.
    pub(super) stats: Option<Stats>,
}

impl<'a> Session<'a> {
    /// Prepares inputs, engine and output: that of the result, or of a `partial` instead. Usage errors come before anything
    /// is read.
    pub(super) fn new(
        common: &'a Common,
        schemas: SchemaPolicy,
        partial: Option<&Path>,
    ) -> Result<(Session<'a>, Output), Error> {
        let started = Instant::now();
        let paths = options::files(common)?;
        let is_partial = partial.is_some();
        let path = partial.or(common.output.path.as_deref());
        let joins = joins::joins(common)?;
        let joined_paths: Vec<_> = joins.iter().map(|join| join.path.clone()).collect();
        let names_from = layouts::names_from(&common.layout);
        let inputs = [&paths[..], &joined_paths, names_from.as_slice()].concat();
        refuse_ambiguous(common, &paths)?;
        outputs::refuse_second_reading(&inputs)?;
        outputs::refuse_input(&inputs, path)?;
        let engine = options::engine(common)?;
        let mut opening = options::opening(common);
        if let Some(layout) = layouts::layout(common, schemas)? {
            // The files are looked at, and then read.
            opening.keep_files();
            let given = &common.layout;
            let (layout, notes) = layouts::recognized(layout, given, &paths, &opening)?;
            opening.schema = Some(layout.schema());
            notes.iter().for_each(messages::note);
        }
        let filter = options::filter(&common.conditions, common.contributions)?;
        if is_partial {
            opening.coverage = CoveragePolicy::Note;
        }
        let needs_schema = match schemas {
            SchemaPolicy::Any => !filter.is_empty() || !joins.is_empty(),
            SchemaPolicy::OneTable => !filter.is_empty() || !joins.is_empty(),
            SchemaPolicy::SameColumns | SchemaPolicy::SameOrder => true,
        };
        let layout = opening.schema.and_then(Schema::layout);
        let have_names = layout.is_some_and(|it| it.first_line == FirstLine::Names);
        let needs_schema =
            needs_schema || have_names && paths.len() > 1 && schemas == SchemaPolicy::OneTable;
        let parts = || schemas::parts_of(&paths, &opening);
        let parts: Vec<_> = if is_partial {
            // The question of a partial needs the schemas of all inputs: columns have their names there.
            parts().collect::<Result<_, _>>()?
        } else if needs_schema {
            // Reading an input says why it can't be opened.
            parts().filter_map(Result::ok).collect()
        } else {
            Vec::new()
        };
        let schema = if needs_schema {
            schemas::of_inputs(&parts, schemas, !joins.is_empty())?
        } else {
            None
        };
        // The rows of a pipe tell its columns, if options do not. It is opened once.
        let is_asked = schemas == SchemaPolicy::SameColumns || !joins.is_empty();
        let is_pipe = is_asked && file_bytes(&paths[0]).is_none();
        let first =
            if schema.is_none() && is_pipe && options::check_standard_input(&paths[0]).is_ok() {
                opening.open(&paths[0]).ok()
            } else {
                None
            };
        let of_first = first.as_ref().and_then(|input| input.parts().first());
        let of_first = of_first.and_then(|part| part.certain_schema().ok());
        let schema = schema.or(of_first);
        if parts.len().max(paths.len()) > 1
            && let Some(like_first) = schemas::read_like_first(&parts)
        {
            opening.schema = Some(like_first);
        }
        let of_partial = is_partial.then(|| schema.unwrap_or(Schema::Indiv));
        let (given, joined) = join(common, &joins, &engine, of_partial)?;
        let filter = filter.with_tables(given.clone());
        if let Some((path, _, schema)) = parts.first() {
            note_on_doubts(*schema, path, &opening);
        }
        let question = if is_partial {
            let schemas: Vec<_> = parts.iter().map(|&(.., schema)| schema).collect();
            Some(partials::question(common, &filter, &schemas, joined)?)
        } else {
            None
        };
        let session = Session {
            started,
            common,
            notes_are_told: question.is_some(),
            shows_doubles: false,
            is_quiet: false,
            is_one_of_several: false,
            question,
            schema,
            engine: engine.with_filter(filter.clone()),
            filter,
            unused: Vec::new(),
            given,
            inputs,
            first: RefCell::new(first),
            opening,
            paths,
            output_path: path.map(Path::to_owned),
            shows_progress: !common.work.no_progress,
        };
        let output = outputs::open(path, &session.inputs)?;
        if is_partial {
            partials::refuse_terminal(&output)?;
        }
        Ok((session, output))
    }

    /// Returns the schema of the first input that can be opened.
    pub(super) fn first_schema(&self) -> Option<Schema> {
        let mut parts = schemas::parts_of(&self.paths, &self.opening);
        parts.find_map(Result::ok).map(|(.., schema)| schema)
    }

    /// Reads inputs several times, always the same files.
    pub(super) fn keep_files(&mut self) {
        self.opening.keep_files();
    }

    /// Returns the inputs, in their order.
    pub(super) fn paths(&self) -> &[OsString] {
        &self.paths
    }

    /// Notes a column of numbers, of these of the first file, that a statement orders as texts.
    pub(super) fn note_ordered_texts(&self, columns: &[usize]) {
        let mut files = self.paths.iter().filter(|path| file_bytes(path).is_some());
        if let (false, Some(path)) = (columns.is_empty(), files.next())
            && let Ok(Some(note)) = self.opening.numbers_as_texts(path, columns)
        {
            messages::note(&note.with_advice());
        }
    }

    /// Lets folds see only the lines that pass `filter`.
    pub(super) fn set_filter(&mut self, filter: Filter) {
        self.engine.set_filter(filter.clone());
        self.filter = filter;
    }

    /// Lets tasks have about `bytes` each, unless the user has chosen.
    pub(super) fn set_task_bytes(&mut self, bytes: NonZeroU64) {
        let bytes = self.common.task_size.unwrap_or(bytes);
        self.engine.set_task_bytes(bytes);
    }

    /// Returns the number of lines before the range that is read. The rows of the range are then read from the same opening of
    /// the file.
    pub(super) fn lines_before_range(&mut self) -> Result<u64, Error> {
        let range = self.opening.range.clone().filter(|range| range.start > 0);
        if range.is_some() {
            self.keep_files();
        }
        let (Some(range), [path]) = (range, &self.paths[..]) else {
            return Ok(0);
        };
        let mut opening = self.opening.clone();
        opening.range = Some(0..range.start);
        let engine = Engine::new(self.engine.options());
        let input = opening.open(path)?;
        // Lines of a slice are numbered in it.
        if input.is_compressed() {
            return Ok(0);
        }
        let mut run = engine.run(&LineCount);
        run.input(input)?;
        Ok(run.finish().lines)
    }

    /// Opens the output of rejected rows at `path`, which may be neither an input nor the output of the result.
    pub(super) fn rejects_output(&self, path: &Path) -> Result<Output, Error> {
        options::check_rejects(path)?;
        let first = self.output_path.as_deref().unwrap_or("-".as_ref());
        if output::same_file(first, path) {
            let error = usage("is where the result goes already", "write to another file");
            return Err(error.about(path));
        }
        outputs::open(Some(path), &self.inputs)
    }

    /// Folds all inputs. Unreadable inputs are reported and left out.
    pub(super) fn fold<F: Fold>(&self, fold: &F) -> Inputs<F::Partial> {
        self.fold_lines(fold, &[], |_| ())
    }

    /// Folds all inputs, and finds `lines` by number. Tells `end_input` of each input whether it was read whole.
    pub(super) fn fold_lines<F: Fold>(
        &self,
        fold: &F,
        lines: &[u64],
        end_input: impl Fn(bool),
    ) -> Inputs<F::Partial> {
        let progress = Progress::new(self.bytes_ahead(), Unit::Bytes, self.shows_progress);
        let run = self.engine.run(fold);
        let mut run = run
            .with_numbered_lines(lines)
            .observed(|bytes| progress.advance(bytes));
        let mut done = Done::default();
        while done.read.len() < self.paths.len() && !run.is_complete() {
            let at_once = run.inputs_at_once();
            let (inputs, group) = self.open(done.read.len(), at_once, &progress);
            let outcomes = run.inputs(inputs);
            progress.clear();
            self.end(group, outcomes, &mut done, &end_input);
        }
        let Done { read, io_names } = done;
        let threads = run.threads();
        let is_cut = run.is_complete();
        let folded = run.finish();
        if !self.is_quiet {
            if !self.shows_doubles {
                outputs::note_on_doubles(&self.paths);
            }
            // Other partials may have lines.
            if self.question.is_none() {
                // Of the lines that were not read, nothing is known.
                let (met, scanned) = (folded.lines, folded.lines_scanned.filter(|_| !is_cut));
                let note = notes::no_line(&self.filter, met, scanned);
                let unread = folded.unread * u64::from(!is_cut);
                let compares_null = self.schema.is_some_and(|of| self.filter.compares_null(of));
                let unread = notes::unread(unread, compares_null);
                for note in note.iter().chain(&unread) {
                    match &self.paths[..] {
                        [path] if self.is_one_of_several => messages::note_on(path, note),
                        _ => messages::note(note),
                    }
                }
            }
            for repeated in folded.repeated_names.iter().filter(|_| !is_cut) {
                messages::note_on(&repeated.path, &notes::repeated_names(repeated));
            }
            if self.question.is_none() && !is_cut {
                let matches = folded.matches.iter().flat_map(notes::matches);
                matches.for_each(|note| messages::note(&note));
            }
            for table in self.unused.iter().filter(|_| read.contains(&true)) {
                let what = format!(
                    "{}: note: none of its columns is used",
                    self.given.files_of(table)
                );
                messages::print_note(&what);
            }
        }
        let stats = self.common.work.stats;
        let stats = stats.then(|| self.stats(&folded, threads, &io_names));
        let mut files = folded.files.iter().cloned();
        let files = read.iter().map(|read| read.then(|| files.next()).flatten());
        Inputs {
            outcome: if read.contains(&false) {
                Outcome::Failed
            } else {
                Outcome::Done
            },
            files: files.collect(),
            result: read.contains(&true).then_some(folded),
            stats,
        }
    }

    /// Returns how many bytes the inputs have together, if all are regular files.
    fn bytes_ahead(&self) -> Option<u64> {
        let mut paths = self.paths.iter();
        paths.try_fold(0_u64, |bytes, path| bytes.checked_add(file_bytes(path)?))
    }

    fn stats<P>(&self, folded: &Folded<P>, threads: usize, io_names: &[&str]) -> Stats {
        let io = match io_names {
            [] => "none".to_owned(),
            names => names.join("+"),
        };
        Stats {
            started: self.started,
            bytes: folded.files.iter().map(|file| file.bytes).sum(),
            lines: folded.lines_scanned.unwrap_or(folded.lines),
            matching: folded.lines_scanned.map(|_| folded.lines),
            threads,
            how: format!(", io {io}, simd {}", self.engine.options().simd.name()),
        }
    }
}

/// Reads the files of `--with`. If a partial of rows that are `scanned` names them, looks at each before and after it is read.
fn join(
    common: &Common,
    joins: &[Join],
    engine: &Engine,
    scanned: Option<Schema>,
) -> Result<(GivenTables, Vec<Joined>), Error> {
    let opening = options::opening_given(common);
    let joined = joins.iter().filter(|_| scanned.is_some());
    let joined = joined.map(|join| Joined::of(join, scanned, &opening));
    let joined = joined.collect::<Result<Vec<_>, _>>()?;
    let given = GivenTables::open(joins, &opening, engine.options())?;
    for joined in &joined {
        joined.check(&opening)?;
    }
    given.notes().iter().for_each(messages::print_note);
    joins.iter().for_each(|join| note_if_empty(&join.path));
    Ok((given, joined))
}

/// Notes columns of a file of another kind that can be read in two ways.
fn note_on_doubts(schema: Schema, path: &OsStr, opening: &OpenOptions) {
    if schema.layout().is_some() && file_bytes(path).is_some() {
        let doubts = opening.doubts(path);
        let doubts = doubts.iter().flatten();
        doubts.for_each(|note| messages::note(&note.with_advice()));
    }
}

/// Refuses a range of several files: nothing tells which of them is meant.
fn refuse_ambiguous(common: &Common, paths: &[OsString]) -> Result<(), Error> {
    if common.range.is_some() && paths.len() != 1 {
        let what = "--range is one of bytes of one file, and there are several";
        return Err(usage(what, "read one file after the other"));
    }
    Ok(())
}
