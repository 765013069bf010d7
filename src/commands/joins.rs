//! The files to be joined, as options name them.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

use crate::error::{Error, escaped};
use crate::sql::{Join, is_name};

use super::usage;
use crate::cli::Common;

/// Returns the files of `--with`. Those with names must have an `--on`.
pub(super) fn joins(common: &Common) -> Result<Vec<Join>, Error> {
    let mut conditions = Vec::new();
    for text in &common.on {
        let join = Join::on("", text)?;
        conditions.push((join.name().unwrap_or_default().to_owned(), text));
    }
    let mut joins: Vec<Join> = Vec::new();
    for given in &common.with {
        let Some((name, path)) = named(given) else {
            joins.push(Join::new(given));
            continue;
        };
        let is_same = |known: &str| known.eq_ignore_ascii_case(name);
        if joins.iter().any(|join| join.name().is_some_and(is_same)) {
            let what = format!("--with names two tables {name}");
            return Err(usage(what, "choose another name for one of them"));
        }
        let mut of_name = conditions.iter().filter(|(known, _)| is_same(known));
        match (of_name.next(), of_name.next()) {
            (Some((_, on)), None) => joins.push(Join::on(path, on)?),
            (Some(_), Some(_)) => {
                let what = format!("--on says twice how rows lead to {name}");
                return Err(usage(what, "join the file twice, under two names"));
            }
            (None, _) => {
                let what = format!("--with {name}= needs an --on that leads to it");
                let advice = format!(
                    "add --on \"EXPRESSION = {name}.COLUMN\"; a file whose name has a = is ./{name}=..."
                );
                return Err(usage(what, advice));
            }
        }
    }
    let names: Vec<_> = joins.iter().filter_map(Join::name).collect();
    let is_unknown = |name: &String| !names.iter().any(|known| known.eq_ignore_ascii_case(name));
    match conditions.iter().find(|(name, _)| is_unknown(name)) {
        None => Ok(joins),
        Some((name, text)) => {
            let text = escaped(text.as_bytes());
            let what = format!("--on '{text}' leads to {name}, and no --with has that name");
            Err(usage(what, format!("add --with {name}=FILE")))
        }
    }
}

/// Returns the name and the path in `NAME=FILE`.
fn named(given: &OsStr) -> Option<(&str, &OsStr)> {
    let bytes = given.as_bytes();
    let place = bytes.iter().position(|&byte| byte == b'=')?;
    let name = std::str::from_utf8(&bytes[..place]).ok()?;
    is_name(name).then(|| (name, OsStr::from_bytes(&bytes[place + 1..])))
}
