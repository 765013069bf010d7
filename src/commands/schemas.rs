//! Inputs whose columns differ, which a command refuses before it reads any.

use std::ffi::OsString;

use crate::error::{Error, escaped};
use crate::fec::schema::{FirstLine, Schema};
use crate::input::{OpenOptions, name_of};

use super::usage;

/// Whether the columns of inputs may differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SchemaPolicy {
    /// No: the same name means another column in each of them. Schemas with the same columns, such as indiv and oth, are read
    /// together, and so are files whose first lines have the same names in another order.
    SameColumns,
    /// Nor may their order: whole rows are compared.
    SameOrder,
    /// Yes, if they have the exported columns. But beside files to be joined, a file that could be joined itself lacks its
    /// `--with`, and is refused.
    OneTable,
    /// Yes: no column is looked at, or the user insists.
    Any,
}

/// Returns the parts of `inputs` by their schemas, or the errors of inputs that can't be opened.
pub(super) fn parts_of<'a>(
    inputs: &'a [OsString],
    opening: &OpenOptions,
) -> impl Iterator<Item = Result<Named<'a>, Error>> {
    inputs.iter().flat_map(|path| match opening.schemas(path) {
        Ok(parts) => parts
            .into_iter()
            .map(|(part, schema)| Ok((path, part, schema)))
            .collect(),
        Err(error) => vec![Err(error)],
    })
}

/// Returns the schema of the first of the `parts`, if there are any. Some files are joined to them, or none.
///
/// # Errors
/// If names of files and members tell schemas whose columns differ, unless the policy allows that. Nothing
/// has been read then.
pub(super) fn of_inputs(
    parts: &[Named<'_>],
    policy: SchemaPolicy,
    are_joined: bool,
) -> Result<Option<Schema>, Error> {
    let Some(first) = first_with_columns(parts) else {
        return Ok(None);
    };
    let is_refused = |other: &Named<'_>| {
        let is_empty = other.2.is_of_empty_file();
        let differ = other.2.columns() != first.2.columns() && !is_empty;
        match policy {
            SchemaPolicy::SameOrder => differ,
            SchemaPolicy::SameColumns => differ && !other.2.has_names_of(first.2),
            SchemaPolicy::OneTable => {
                are_joined && differ && (is_joinable(first) || is_joinable(other))
            }
            SchemaPolicy::Any => false,
        }
    };
    if let Some(other) = parts.iter().find(|other| is_refused(other)) {
        return Err(refused(first, other, policy));
    }
    Ok(Some(first.2))
}

/// The path of an input, that of its part, and the schema.
pub(super) type Named<'a> = (&'a OsString, OsString, Schema);

/// Returns the first part that has columns. An empty file has none.
fn first_with_columns<'p, 'a>(parts: &'p [Named<'a>]) -> Option<&'p Named<'a>> {
    let mut with_columns = parts.iter().filter(|part| !part.2.is_of_empty_file());
    with_columns.next().or(parts.first())
}

/// Returns the schema of files to be read like the first of several, if each names its columns.
pub(super) fn read_like_first(parts: &[Named<'_>]) -> Option<Schema> {
    let first = first_with_columns(parts)?.2;
    let mut layout = first.layout()?.clone();
    layout.read_like(first);
    Some(layout.schema())
}

fn is_joinable(part: &Named<'_>) -> bool {
    matches!(part.2, Schema::Cm | Schema::Cn | Schema::Ccl)
}

/// Returns what the columns of `other` lack or have, beside those of `first`, the file at `path`.
fn difference(first: Schema, other: Schema, path: &str) -> String {
    let beside = |one: Schema, other: Schema| {
        let has = |name: &str| {
            other
                .columns()
                .iter()
                .any(|c| c.name.eq_ignore_ascii_case(name))
        };
        let beside = one.columns().iter().map(|column| column.name);
        let beside = beside
            .filter(|name| !has(name))
            .map(|name| escaped(name.as_bytes()));
        let names: Vec<_> = beside.collect();
        let columns = if names.len() == 1 {
            "column"
        } else {
            "columns"
        };
        (!names.is_empty()).then(|| format!("{columns} {}", names.join(", ")))
    };
    if first.first_line() == FirstLine::Row {
        let [one, other] = [first, other].map(Schema::columns_on_disk);
        return format!("has {other} columns in its first row, and {path} has {one}");
    }
    match (beside(other, first), beside(first, other)) {
        (Some(more), None) => format!("has the {more}, and {path} has not"),
        (None, Some(fewer)) => format!("lacks the {fewer} of {path}"),
        (Some(more), Some(fewer)) => format!("has the {more}, and {path} has the {fewer} instead"),
        (None, None) => format!("has the columns of {path} in another order"),
    }
}

fn refused(first: &Named<'_>, other: &Named<'_>, policy: SchemaPolicy) -> Error {
    if first.2.layout().is_some() {
        let path = escaped(name_of(&first.1).as_encoded_bytes());
        let what = format!(
            "{}, so rows are not {}",
            difference(first.2, other.2, &path),
            match policy {
                SchemaPolicy::SameOrder => "compared",
                _ => "added up",
            }
        );
        return usage(what, "read one after the other").about(name_of(&other.1));
    }
    let (is_first, is_other) = (first.2.name(), other.2.name());
    let so = match policy {
        SchemaPolicy::OneTable => "so their rows are not one table",
        SchemaPolicy::SameOrder => "so rows are not compared",
        SchemaPolicy::SameColumns | SchemaPolicy::Any => "so rows are not added up",
    };
    let what = format!(
        "is read as {is_other}, and {} as {is_first}: their columns differ, {so}",
        escaped(name_of(&first.1).as_encoded_bytes())
    );
    let advice = match [other, first].into_iter().find(|part| is_joinable(part)) {
        _ if first.0 == other.0 => {
            "choose members with the same columns: --member PATTERN".to_owned()
        }
        Some((path, ..)) => format!(
            "to join {0}, write --with before it too: --with {0}",
            escaped(path.as_encoded_bytes())
        ),
        None => "read one after the other".to_owned(),
    };
    // Without a name of the FEC's, the schema is a guess.
    let are_named = [first, other].map(|part| Schema::of_file_name(&part.1));
    let advice = if are_named == [Some(first.2), Some(other.2)] {
        advice
    } else {
        let mut both = [first, other].into_iter();
        let named = both.find(|part| Schema::of_file_name(&part.1) == Some(part.2));
        let schema = named.map_or(is_first, |part| part.2.name());
        format!("{advice}; if both have the same columns, name their schema: --schema {schema}")
    };
    usage(what, advice).about(name_of(&other.1))
}
