//! `fecscan diff OLD NEW`: two versions of the same files, compared by a key.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;

use crate::diff::{DiffFold, DoubleKeys, Version};
use crate::error::{Error, escaped};
use crate::export::{ExportColumns, OldRows};
use crate::input::file_bytes;
use crate::render::{Format, ResultKind};
use crate::sql::Repeats;
use crate::sql::projection::ValueForm;

use super::export::{self, Rows};
use super::options::OfFormats;
use super::schemas::SchemaPolicy;
use super::session::Session;
use super::{Outcome, layouts, messages, options, outputs, usage};
use crate::cli::{Color, DEFAULT_KEY, DiffArgs, LookOptions};

pub(crate) fn run(mut args: DiffArgs) -> Result<Outcome, Error> {
    let path = args.common.output.path.as_deref();
    let of_formats = OfFormats {
        compression: args.compression.compression,
        ..OfFormats::default()
    };
    let format = options::format(args.format, path, ResultKind::Diff, of_formats)?;
    let of_rows = format.is_of(ResultKind::Rows) && format != Format::Text;
    let compression = of_formats.compression.unwrap_or_default();
    refuse_useless_options(&args, of_rows)?;
    let question = export::question(&args.columns, &args.common, format)?;
    let fold = DiffFold::new(&args.key)?;
    let [old, new] = &args.common.files[..] else {
        let given = args.common.files.len();
        let what = format!("takes two versions, OLD and NEW, not {given}");
        let advice = "put commas between the files of a version: diff a.txt,b.txt c.txt,d.txt";
        return Err(usage(what, advice).about("diff"));
    };
    let (old, new) = (files(old), files(new));
    args.common.files = [&old[..], &new[..]].concat();
    if of_rows {
        export::refuse_pipes(&args.common.files, "the rows that differ take two passes")
            .map_err(|error| error.advise("name a file, or count the rows: -f text"))?;
    }
    let (mut session, output) = Session::new(&args.common, SchemaPolicy::SameOrder, None)?;
    if let Some(schema) = session.first_schema() {
        fold.check_key(schema).map_err(|error| match &*args.key {
            DEFAULT_KEY => error.advise("compare rows by another key: --key CMTE_ID"),
            _ => error,
        })?;
        if of_rows {
            // Two passes come before the rows.
            let (list, types) = (&question.columns, question.types);
            ExportColumns::bind(list, types, ValueForm::Text, schema)?;
        }
    }
    // Lines are compared, however many matches they have.
    session.join(Repeats::Once)?;
    session.keep_files();
    // The pass that writes rows tells the notes.
    session.is_quiet = of_rows;
    session.paths.clone_from(&old);
    let inputs = session.fold(&fold);
    let (Outcome::Done, Some(result)) = (inputs.outcome, inputs.result) else {
        outputs::if_whole(output, Outcome::Failed);
        return Ok(Outcome::Failed);
    };
    let fold = fold.table(result, session.engine.workers());
    session.paths.clone_from(&new);
    let inputs = session.fold(&fold);
    let (Outcome::Done, Some(result)) = (inputs.outcome, inputs.result) else {
        outputs::if_whole(output, Outcome::Failed);
        return Ok(Outcome::Failed);
    };
    let compared = fold.finish(result, session.engine.workers());
    let mut diff = compared.diff.clone();
    let of_old = (&old, compared.double_keys_of_old(), &mut diff.old);
    let of_new = (&new, compared.double_keys_of_new(), &mut diff.new);
    for (files, keys, version) in [of_old, of_new] {
        if name_double_keys(&mut session, files, &keys, version) == Outcome::Failed {
            outputs::if_whole(output, Outcome::Failed);
            return Ok(Outcome::Failed);
        }
    }
    diff.notes().iter().for_each(messages::note);
    if of_rows {
        messages::note(&diff.summary());
        let (old_rows, changed_in_old) = if args.old {
            (OldRows::RemovedAndChanged, diff.old.rows - diff.removed)
        } else {
            (OldRows::Removed, 0)
        };
        let [of_old, of_new] = compared.changes(old_rows);
        let differ = diff.added + diff.changed + diff.removed;
        let rows = Rows {
            question,
            format,
            compression,
            color: Color::Auto,
            versions: vec![(new, Some(of_new)), (old, Some(of_old))],
            expected: differ..=differ + changed_in_old,
            select: None,
        };
        session.is_quiet = false;
        return export::write(session, rows, output, |_| ());
    }
    outputs::print(&diff, format, &LookOptions::default(), output)?;
    inputs.stats.iter().for_each(messages::print);
    Ok(Outcome::Done)
}

/// Refuses options of rows, if the result is counts, and `--on` without a table.
fn refuse_useless_options(args: &DiffArgs, of_rows: bool) -> Result<(), Error> {
    for (is_given, what) in [
        (
            !args.columns.is_empty(),
            "--columns chooses columns of rows",
        ),
        (args.old, "--old adds rows"),
        (
            layouts::values(&args.common.layout).is_some(),
            "--types raw and typed are for rows",
        ),
    ] {
        if is_given && !of_rows {
            let what = format!("{what}, and the result is counts");
            return Err(usage(what, "leave it out, or add -f csv"));
        }
    }
    if let ([on, ..], []) = (&args.common.on[..], &args.common.with[..]) {
        let what = "--on says how a table of --with is joined, and there is none";
        let on = escaped(on.as_bytes());
        let advice = format!("to compare rows by other columns: --key {on}");
        return Err(usage(what, advice));
    }
    Ok(())
}

/// Splits a version into its files, unless it is the name of one file.
fn files(version: &OsString) -> Vec<OsString> {
    if std::fs::metadata(version).is_ok() {
        return vec![version.clone()];
    }
    let files = version.as_bytes().split(|&byte| byte == b',');
    files
        .map(|file| OsStr::from_bytes(file).to_owned())
        .collect()
}

/// Names double keys, which takes another pass. A pipe can't be read again, so its keys get no names. Says whether the files could be read.
fn name_double_keys(
    session: &mut Session<'_>,
    files: &[OsString],
    fold: &DoubleKeys<'_>,
    version: &mut Version,
) -> Outcome {
    if version.double_keys == 0 || files.iter().any(|path| file_bytes(path).is_none()) {
        return Outcome::Done;
    }
    session.paths = files.to_vec();
    session.is_quiet = true;
    let inputs = session.fold(fold);
    if let Some(named) = inputs.result {
        version.add_double_keys(named.partial);
    }
    inputs.outcome
}
