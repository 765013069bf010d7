//! `fecscan diff OLD NEW`: two versions of the same files, compared by a key.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;

use fecscan::error::{Error, ErrorKind};
use fecscan::fold::diff::{DoubleKeys, OldFold, Version};
use fecscan::input::file_bytes;

use super::schemas::SchemaPolicy;
use super::session::Session;
use super::{Outcome, messages, options, outputs};
use crate::cli::{Color, DiffArgs, OF_LISTS};

/// Runs the command.
pub(crate) fn run(mut args: DiffArgs) -> Result<Outcome, Error> {
    let format = options::format(args.format, args.common.output.as_deref(), OF_LISTS)?;
    let fold = OldFold::new(&args.key)?;
    let [old, new] = &args.common.files[..] else {
        let what = format!(
            "takes two versions, OLD and NEW, not {}",
            args.common.files.len()
        );
        let error = Error::new(ErrorKind::Usage, what).about("diff");
        return Err(
            error.advise("put commas between the files of a version: diff a.txt,b.txt c.txt,d.txt")
        );
    };
    let (old, new) = (files(old), files(new));
    args.common.files = [&old[..], &new[..]].concat();
    let (mut session, output) = Session::new(&args.common, SchemaPolicy::SameColumns, None)?;
    session.paths = old.clone();
    let folded = session.fold(&fold);
    let (Outcome::Done, Some(result)) = (folded.outcome(), folded.result) else {
        return Ok(Outcome::Failed);
    };
    let fold = fold.table(result, &session.engine);
    session.paths = new.clone();
    let folded = session.fold(&fold);
    let (Outcome::Done, Some(result)) = (folded.outcome(), folded.result) else {
        return Ok(Outcome::Failed);
    };
    let compared = fold.finish(result, &session.engine);
    let mut diff = compared.diff.clone();
    name_double_keys(
        &mut session,
        old,
        &compared.double_keys_of_old(),
        &mut diff.old,
    );
    name_double_keys(
        &mut session,
        new,
        &compared.double_keys_of_new(),
        &mut diff.new,
    );
    for note in diff.notes() {
        messages::note(&note);
    }
    outputs::print(&diff, format, Color::Auto, output)?;
    folded.stats.iter().for_each(messages::print);
    Ok(Outcome::Done)
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

/// Names double keys, which takes another pass. A pipe can't be read again, so its keys get no names.
fn name_double_keys(
    session: &mut Session,
    files: Vec<OsString>,
    fold: &DoubleKeys<'_>,
    version: &mut Version,
) {
    if version.double_keys == 0 || files.iter().any(|path| file_bytes(path).is_none()) {
        return;
    }
    session.paths = files;
    session.is_quiet = true;
    let named = session.fold(fold).result;
    if let Some(named) = named {
        version.add_double_keys(named.partial);
    }
}
