//! Notes on rows that lack something, for people.

use super::numbers::{counted, grouped, one_or_many};
use crate::fold::{Matches, RepeatedNames};
use crate::sql::Filter;

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

/// Returns a note on lines that conditions left out only because they are NULL. Some may compare a value with NULL itself.
pub fn unread(lines: u64, compares_null: bool) -> Option<String> {
    let are = counted(
        lines,
        "line is left out because a condition is NULL there",
        "lines are left out because a condition is NULL there",
    );
    let why = if compares_null {
        "it compares a value with NULL; write IS NULL"
    } else {
        "a number or a date is empty or malformed"
    };
    (lines > 0).then(|| format!("{are}: {why}"))
}

/// Returns a note if of the `scanned` lines none meets the conditions.
pub fn no_line(filter: &Filter, met: u64, scanned: Option<u64>) -> Option<String> {
    scanned.filter(|scanned| *scanned > 0 && met == 0)?;
    if filter.is_sample() {
        return match filter.len() {
            0 => None,
            _ => Some("no line of the sample meets the conditions".to_owned()),
        };
    }
    let guess = match filter.len() {
        0 | 1 if filter.compares_letters() => "; = compares exactly, and ILIKE ignores case",
        0 | 1 => "",
        _ => "; all of them must be true, so try them one by one",
    };
    Some(format!("no line meets the conditions{guess}"))
}

/// Returns notes on rows that have several matches in a table of `--with`, and on those that have none.
pub fn matches(matches: &Matches) -> impl Iterator<Item = String> {
    several(matches).into_iter().chain(lacking(matches))
}

/// Returns a note on rows that have several matches in a joined table.
pub(super) fn several(matches: &Matches) -> Option<String> {
    let (count, [of, table]) = (matches.several, &matches.names);
    let rows = counted(count, "row", "rows");
    let have = one_or_many(count, "has", "have");
    let counts = one_or_many(count, "counts", "count");
    (count > 0).then(|| {
        format!("{rows} of {of} {have} several matches in {table}, and {counts} once for each")
    })
}

/// Returns a note on rows that have no match in a table whose columns are NULL then.
pub(super) fn lacking(matches: &Matches) -> Option<String> {
    let (count, [_, table]) = (matches.lacking, &matches.names);
    let rows = counted(count, "row has", "rows have");
    (count > 0).then(|| format!("{rows} no partner in {table}, whose columns are NULL there"))
}
