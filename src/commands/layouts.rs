//! Files of other kinds, as options describe them.

use std::fs;

use fecscan::error::{Error, ErrorKind};
use fecscan::export::Types;
use fecscan::fec::layout::{ColumnType, FirstLine, Layout};

use super::schemas::SchemaPolicy;
use super::usage;
use crate::cli::{Common, LayoutOptions, TypesOf};

/// Returns the layout of files of another kind than the FEC's, if options describe one.
///
/// # Errors
/// If options contradict each other, or the names can't be read.
pub(super) fn layout(common: &Common, policy: SchemaPolicy) -> Result<Option<Layout>, Error> {
    // Exports alone are of one table.
    if values(common).is_some() && policy != SchemaPolicy::OneTable {
        let what = "--types raw and typed are for the values of an export";
        return Err(usage(what, "name columns: --types amount=number"));
    }
    if common.contributions && describe(&common.layout) {
        let what = "--contributions is for the FEC's files";
        return Err(usage(what, "leave it out, or choose rows with --where"));
    }
    of_options(&common.layout)
}

/// Returns the same, whatever else is asked.
pub(super) fn of_options(given: &LayoutOptions) -> Result<Option<Layout>, Error> {
    let kinds = kinds(given);
    if !describe(given) {
        if kinds.is_empty() {
            return Ok(None);
        }
        let what = "--types is for columns of files of other kinds";
        let advice = "say how they are read: --delimiter C, or --header";
        return Err(usage(what, advice));
    }
    let mut layout = Layout::new(given.delimiter.unwrap_or(b','))?;
    if given.header {
        layout.first_line = FirstLine::Names;
    }
    layout.quotes = given.quotes;
    layout.names = names(given)?;
    layout.kinds = kinds;
    Ok(Some(layout))
}

/// Returns how the values of an export are written, if an option says so.
pub(super) fn values(common: &Common) -> Option<Types> {
    common
        .layout
        .types
        .iter()
        .rev()
        .find_map(|types| match types {
            TypesOf::Values(values) => Some(*values),
            TypesOf::Columns(_) => None,
        })
}

pub(super) fn kinds(given: &LayoutOptions) -> Vec<(String, ColumnType)> {
    let kinds = given.types.iter().filter_map(|types| match types {
        TypesOf::Values(_) => None,
        TypesOf::Columns(columns) => Some(columns.clone()),
    });
    kinds.flatten().collect()
}

/// Says whether options describe files of another kind.
pub(super) fn describe(given: &LayoutOptions) -> bool {
    let names = given.names.is_some() || given.names_from.is_some();
    given.delimiter.is_some() || given.header || names
}

fn names(given: &LayoutOptions) -> Result<Vec<String>, Error> {
    let text = match (&given.names, &given.names_from) {
        (Some(names), _) => names.clone(),
        (None, None) => return Ok(Vec::new()),
        (None, Some(path)) => fs::read_to_string(path)
            .map_err(|e| Error::io(ErrorKind::Input, "can't be read", e).about(path))?,
    };
    let text = text.trim_start_matches('\u{feff}').trim_ascii();
    let names = text.split([',', '\n']);
    let names: Vec<String> = names.map(|name| name.trim_ascii().to_owned()).collect();
    for (nth, name) in names.iter().enumerate() {
        let what = match name.as_str() {
            "" => format!("column #{} has no name", nth + 1),
            name if names[..nth].iter().any(|n| n.eq_ignore_ascii_case(name)) => {
                format!("the column {name} is named twice")
            }
            _ => continue,
        };
        return Err(usage(what, "name each column once"));
    }
    Ok(names)
}
