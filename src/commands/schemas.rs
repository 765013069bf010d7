//! Inputs whose columns differ, which a command refuses before it reads any.

use std::ffi::OsString;

use fecscan::error::{Error, escaped};
use fecscan::fec::schema::Schema;
use fecscan::input::{OpenOptions, name_of};

use super::usage;

/// Whether the columns of inputs may differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SchemaPolicy {
    /// No: the same name or number means another column in each of them. Schemas with the same columns,
    /// such as indiv and oth, are read together.
    SameColumns,
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
    let Some((first, others)) = parts.split_first() else {
        return Ok(None);
    };
    let is_refused = |other: &Named<'_>| {
        let differ = other.2.columns() != first.2.columns();
        match policy {
            SchemaPolicy::SameColumns => differ,
            SchemaPolicy::OneTable => {
                are_joined && differ && (is_joinable(first) || is_joinable(other))
            }
            SchemaPolicy::Any => false,
        }
    };
    if let Some(other) = others.iter().find(|other| is_refused(other)) {
        return Err(refused(first, other, policy));
    }
    Ok(Some(first.2))
}

/// The path of an input, that of its part, and the schema.
pub(super) type Named<'a> = (&'a OsString, OsString, Schema);

fn is_joinable(part: &Named<'_>) -> bool {
    matches!(part.2, Schema::Cm | Schema::Cn | Schema::Ccl)
}

fn refused(first: &Named<'_>, other: &Named<'_>, policy: SchemaPolicy) -> Error {
    if first.2.layout().is_some() {
        let what = format!(
            "has other columns than {}, so rows are not added up",
            escaped(name_of(&first.1).as_encoded_bytes())
        );
        let advice = "read one after the other, or name the columns: --names";
        return usage(what, advice).about(name_of(&other.1));
    }
    let (is_first, is_other) = (first.2.name(), other.2.name());
    let so = match policy {
        SchemaPolicy::OneTable => "so their rows are not one table",
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
