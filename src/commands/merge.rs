//! `fecscan merge PARTIAL...`: one result from the partials of many runs.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::stdin;

use crate::engine::{Engine, Options};
use crate::error::{Error, ErrorKind, escaped};
use crate::fec::schema::Schema;
use crate::fold::report::ReportFold;
use crate::fold::{FileLines, Folded, LineCount, StoredFold};
use crate::input::OpenOptions;
use crate::output::Output;
use crate::partial::{Command, GapPolicy, Joined, Merged, Partial, Question};
use crate::render::{Format, ResultKind, notes};
use crate::sql::{Filter, GivenTables, Repeats};

use super::options::OfFormats;
use super::{Outcome, count, messages, options, outputs, partials, report, usage};
use crate::cli::{Io, MergeArgs};

pub(crate) fn run(args: MergeArgs) -> Result<Outcome, Error> {
    let path = args.partial.as_deref().or(args.output.path.as_deref());
    outputs::refuse_second_reading(&args.partials)?;
    outputs::refuse_input(&args.partials, path)?;
    let engine_options = options::engine_options(args.threads, None);
    let engine = Engine::new(engine_options);

    // As many as are read at a time stay in memory, and so do small ones. Of others, the groups are read again when it is
    // their turn: if there are too many of them, that ends early.
    let here = engine_options.threads.get();
    let read = engine.workers().each(args.partials.len(), |nth| {
        let path = &args.partials[nth];
        Ok((path.clone(), read(path, nth < here)?))
    });
    let read = read.into_iter().collect::<Result<Vec<_>, Error>>()?;
    // What a partial lacks, the merge with others may have.
    let policy = match (&args.partial, args.allow_gaps) {
        (Some(_), _) => GapPolicy::Leave,
        (None, true) => GapPolicy::Allow,
        (None, false) => GapPolicy::Refuse,
    };
    let mut merged = Merged::new(read, policy)?;
    merged.notes.iter().for_each(messages::print_note);
    let read = files_read(&args, &merged);
    outputs::refuse_input(&read, path)?;
    // A statement joins its tables itself.
    let given = match merged.question.command {
        Command::Sql { .. } => GivenTables::default(),
        _ => given(&mut merged, engine_options)?,
    };
    let question = &merged.question;
    let filter = options::filter(&question.conditions, question.contributions)?;
    let filter = filter.with_tables(given.clone());
    // The statement of groups joins the tables.
    let filter = match question.command {
        Command::Count {} | Command::Report { .. } => {
            let (schema, path) = first_input(&merged);
            filter.joined(schema, &path, Repeats::EachMatch)?
        }
        Command::By { .. } | Command::Sql { .. } => filter,
    };
    let merge = Merge {
        filter,
        given,
        engine,
        args: &args,
        read,
    };
    match merged.question.command {
        Command::Count {} => merge.count(merged),
        Command::Report { .. } => merge.report(merged),
        Command::By { .. } => merge.by(merged),
        Command::Sql { .. } => merge.sql(merged),
    }
}

/// Returns the partials, the inputs of their runs, and the files that these have joined.
fn files_read(args: &MergeArgs, merged: &Merged) -> Vec<OsString> {
    let inputs = merged.files.iter().map(|file| file.path.clone());
    let joined = merged.joined_paths().into_iter().flatten();
    let of_runs = inputs.chain(joined.map(OsString::from));
    // Standard input was another one in each run.
    let of_runs = of_runs.filter(|path| path != "-");
    args.partials.iter().cloned().chain(of_runs).collect()
}

/// Reads the partial at `path`, all of it if it is to be `here`.
fn read(path: &OsStr, here: bool) -> Result<Partial, Error> {
    if path != "-" && !here {
        return Partial::open(path);
    }
    options::check_standard_input(path)?;
    if path == "-" {
        return Partial::read_from(stdin().lock()).map_err(|e| e.about("standard input"));
    }
    let file = File::open(path).map_err(|e| Error::io(ErrorKind::Input, "", e));
    file.and_then(Partial::read_from).map_err(|e| e.about(path))
}

/// Reads the joined files again, each under the first of its paths where it is as it was.
fn given(merged: &mut Merged, options: Options) -> Result<GivenTables, Error> {
    let opening = options::opening_by(Io::Auto);
    let paths = merged.joined_paths();
    for (joined, paths) in merged.question.with.iter_mut().zip(paths) {
        joined.find_at(&paths, &opening)?;
    }
    let joins = merged.question.with.iter().map(Joined::to_join);
    let joins = joins.collect::<Result<Vec<_>, _>>()?;
    let given = GivenTables::open(&joins, &opening, options)?;
    given.notes().iter().for_each(messages::print_note);
    Ok(given)
}

/// Returns the schema and the path of the first input of the runs.
pub(super) fn first_input(merged: &Merged) -> (Schema, String) {
    let covered = merged.files.iter().flat_map(|file| &file.coverage);
    let mut schemas = covered.flat_map(|coverage| &coverage.schemas);
    let first = merged.files.first().map(|file| file.path.to_string_lossy());
    let schema = schemas.next().copied().unwrap_or(Schema::Indiv);
    (schema, first.unwrap_or_default().into_owned())
}

pub(super) struct Merge<'a> {
    pub(super) engine: Engine,
    pub(super) given: GivenTables,
    /// The conditions of the runs, to find lines by number.
    filter: Filter,
    pub(super) args: &'a MergeArgs,
    /// The partials, and the files of which they are.
    read: Vec<OsString>,
}

impl Merge<'_> {
    /// Returns the format and the output, and prints the notes on inputs that the result does not tell. The format is that typed, else that
    /// of the extension of `-o`, else the default of the command.
    pub(super) fn begin(
        &self,
        command: &str,
        kind: ResultKind,
        files: &[FileLines],
    ) -> Result<(Format, Output), Error> {
        let typed = self.args.format.as_deref().map(|typed| {
            let format = Format::named(typed).filter(|format| format.is_of(kind));
            format.ok_or_else(|| {
                let typed = escaped(typed.as_bytes());
                let by = format!("'fecscan {command}', which wrote the partials");
                let what = format!("'{typed}' is not a format of {by}");
                let names = options::names(&Format::of(kind));
                usage(what, format!("choose one of {names}"))
            })
        });
        let path = self.args.output.path.as_deref();
        let format = options::format(typed.transpose()?, path, kind, self.of_formats())?;
        let tells_notes =
            format.is_for_people() && !matches!(kind, ResultKind::Count | ResultKind::Statement);
        if !tells_notes {
            for (file, note) in files
                .iter()
                .flat_map(|f| f.notes.iter().map(move |n| (f, n)))
            {
                messages::note_on(&file.path, &note.with_advice());
            }
        }
        Ok((format, outputs::open(path, &self.read)?))
    }

    pub(super) fn of_formats(&self) -> OfFormats<'_> {
        let args = self.args;
        OfFormats::new(&args.look, args.compression, args.partial.as_deref())
    }

    /// Writes `merged` as one partial, if that is wanted.
    pub(super) fn partial<F: StoredFold>(
        &self,
        merged: Merged,
        fold: &F,
    ) -> Result<Outcome, Error> {
        options::format(None, None, ResultKind::Count, self.of_formats())?;
        let output = outputs::open(self.args.partial.as_deref(), &self.read)?;
        partials::refuse_terminal(&output)?;
        let question = merged.question.clone();
        let partial = self.engine.workers().install(|| {
            let folded = merged.folded(fold)?;
            Partial::of(question, fold, folded)
        });
        partials::write_to(&partial?, output)?;
        Ok(Outcome::Done)
    }

    fn count(&self, merged: Merged) -> Result<Outcome, Error> {
        if self.args.partial.is_some() {
            return self.partial(merged, &LineCount);
        }
        let (format, output) = self.begin("count", ResultKind::Count, &merged.files)?;
        let counted = self.folded(merged, &LineCount)?;
        count::print_merged(&counted, format, output)?;
        Ok(Outcome::Done)
    }

    fn report(&self, merged: Merged) -> Result<Outcome, Error> {
        let command = &merged.question.command;
        let mut question = command.to_report().ok_or_else(unknown_question)?;
        if self.args.partial.is_some() {
            return self.partial(merged, &ReportFold::new(question));
        }
        let (format, output) = self.begin("report", ResultKind::Report, &merged.files)?;
        question.top = report::top(format, question.top);
        question.left_out = self.filter.leaves_out();
        let fold = ReportFold::new(question.clone());
        let engine = Engine::new(self.engine.options()).with_filter(self.filter.clone());
        let opening = opening(&merged.question);
        let numbered = merged.lines_by_number(&engine, &opening, &question.names)?;
        let report = self.engine.workers().install(|| {
            let mut folded = self.folded(merged, &fold)?;
            folded.numbered = numbered;
            Ok::<_, Error>(fold.report(folded))
        })?;
        outputs::print(&report, format, &self.args.look, output)?;
        Ok(report::print_odd_rows(&report))
    }

    /// Returns the folded inputs of the runs, and prints the notes on lines that one run would print.
    fn folded<F: StoredFold>(&self, merged: Merged, fold: &F) -> Result<Folded<F::Partial>, Error> {
        self.folded_by(merged, fold, &self.filter)
    }

    /// Returns the same of runs with a filter that the partials' conditions do not say.
    pub(super) fn folded_by<F: StoredFold>(
        &self,
        merged: Merged,
        fold: &F,
        filter: &Filter,
    ) -> Result<Folded<F::Partial>, Error> {
        let (schema, _) = first_input(&merged);
        let folded = merged.folded(fold)?;
        let note = notes::no_line(filter, folded.lines, folded.lines_scanned);
        let unread = notes::unread(folded.unread, filter.compares_null(schema));
        note.iter().chain(&unread).for_each(messages::note);
        for matches in &folded.matches {
            notes::matches(matches).for_each(|note| messages::note(&note));
        }
        Ok(folded)
    }
}

/// Returns how the runs have opened their inputs.
fn opening(question: &Question) -> OpenOptions {
    let mut opening = options::opening_by(Io::Auto);
    opening.schema = question.schema;
    opening.members = options::members(question.slices, &question.members);
    opening
}

/// Returns the error for a question that this program would not have written.
pub(super) fn unknown_question() -> Error {
    let what = "the partials ask what this program does not know";
    Error::new(ErrorKind::Input, what).advise("write and merge partials with the same program")
}
