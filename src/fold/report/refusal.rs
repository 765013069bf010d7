//! Refuses files of schemas that the report does not know.

use crate::error::{Error, escaped};
use crate::fec::schema::Schema;
use crate::input::{HEAD_ROWS, Part};

/// Refuses a part that another schema describes, by its name or by its first thousand rows.
pub(super) fn refuse_other_kinds(part: &Part) -> Result<(), Error> {
    let is_contributions = |schema| matches!(schema, Schema::Indiv | Schema::Oth | Schema::Pas2);
    let schema = part.schema();
    if !is_contributions(schema) {
        let by = match part.file_names().find_map(Schema::of_file_name) {
            Some(named) if named == schema => "by its name",
            _ => "as given",
        };
        let what = format!(
            "is a file of schema {} {by}, not of contributions",
            schema.name()
        );
        return Err(refused(part, what));
    }
    let has_columns = || part.has_rows_of(&[Schema::Indiv, Schema::Pas2]);
    if part.rows_fit(is_contributions).unwrap_or_else(has_columns) {
        return Ok(());
    }
    let what = match Schema::likely(&part.head(HEAD_ROWS)) {
        Some(schema) => format!(
            "looks like a file of schema {}, not of contributions",
            schema.name()
        ),
        None => {
            let none = "is not a file of contributions: none of its first rows has 21 columns";
            match part.other_text() {
                Some(cause) => format!("{none}; {cause}"),
                None => none.to_owned(),
            }
        }
    };
    Err(refused(part, what))
}

/// Refuses to check rows by a guessed schema, if most of them are of another one.
pub(super) fn refuse_guessed_columns(part: &Part) -> Result<(), Error> {
    let guess = part.schema();
    let fit = part.rows_fit(|likely| guess.is_like(likely));
    if part.told_schema().is_some() || fit != Some(false) {
        return Ok(());
    }
    Err(part.uncertain())
}

fn refused(part: &Part, what: String) -> Error {
    let path = escaped(part.input_path().as_encoded_bytes());
    Error::input(what).advise(format!(
        "to count its lines: fecscan count {path}; to report on it all the same: --force"
    ))
}
