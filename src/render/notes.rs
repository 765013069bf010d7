//! Notes on rows that lack something, for people.

use super::numbers::{counted, grouped, one_or_many};
use crate::fold::RepeatedNames;
use crate::join::{Counted, WithoutPartner};

/// Returns a note on this number of rows with other columns than the schema's, if there are any, of `all` rows. `which` follows the noun,
/// such as ` of the old version`.
pub fn odd_rows(rows: u64, all: u64, which: &str) -> Option<String> {
    let number = grouped(rows);
    let (have, advice) = match rows {
        0 => return None,
        1 => (format!("1 row{which} has"), ""),
        _ if rows == all => (
            format!("{number} of {number} rows{which} have"),
            "; 'fecscan info' tells the schema",
        ),
        _ => (format!("{number} rows{which} have"), ""),
    };
    Some(format!(
        "{have} more or fewer columns than the schema, so values may stand in other columns{advice}"
    ))
}

/// Returns a note on lines that repeat the names of columns, for the file that it names.
pub fn repeated_names(repeated: &RepeatedNames) -> String {
    let place = match repeated.line {
        Some(line) => format!("line {}", grouped(line)),
        None => format!("byte {}", grouped(repeated.byte)),
    };
    if repeated.count == 1 {
        return format!(
            "{place} repeats the first line, which names the columns, and is read as a row"
        );
    }
    let count = grouped(repeated.count);
    format!(
        "{count} lines repeat the first line, which names the columns, and are read as rows; the first of them is {place}"
    )
}

/// Returns a note on this number of lines that fail only because these `conditions` find no number or date, if there are any.
pub fn unread(lines: u64, conditions: &[String]) -> Option<String> {
    let conditions = conditions.join("' or '");
    let are = counted(
        lines,
        "line is left out: it has",
        "lines are left out: they have",
    );
    (lines > 0).then(|| format!("{are} no number or date for '{conditions}'"))
}

/// Returns a note on rows or identifiers without a partner, in one sentence.
pub fn without_partner(without: &WithoutPartner) -> String {
    let (count, file) = (without.count, &without.file);
    let unlike = without.unlike_keys.as_ref();
    let unlike = unlike.map_or(String::new(), |[of_rows, of_table]| {
        format!("; its keys are such as '{of_table}', and those of rows such as '{of_rows}'")
    });
    let rows = counted(count, "row has", "rows have");
    match without.counted {
        Counted::RowsOfSeveral => {
            let count = one_or_many(count, "counts", "count");
            format!("{rows} several partners in {file}, and {count} once for each")
        }
        Counted::Identifiers => {
            let identifiers = counted(count, "identifier has", "identifiers have");
            format!("{identifiers} no partner in {file}{unlike}")
        }
        Counted::Rows => {
            format!("{rows} no partner in {file}, so columns of that file are empty{unlike}")
        }
        Counted::TestedRows => {
            format!(
                "{rows} no partner in {file}, so conditions find columns of that file empty, and != holds{unlike}"
            )
        }
    }
}
