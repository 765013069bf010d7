//! What the first rows of a file leave in doubt: days that may be months, and numbers that are written with separators.

use std::ffi::OsStr;

use super::{CoveragePolicy, HEAD_ROWS, OpenOptions};
use crate::error::{Error, Note, escaped};
use crate::fec::date::{self, DayFirst};
use crate::fec::layout::{DateOrder, FirstLine, Layout};
use crate::fec::number;
use crate::fec::schema::{Kind, Schema};
use crate::fec::trimmed;

impl OpenOptions {
    /// Returns notes on columns of the file at `path` that can be read in two ways, or not without an option. Only files of other
    /// kinds than the FEC's have such columns.
    ///
    /// # Errors
    /// As of [`OpenOptions::open`].
    pub fn doubts(&self, path: &OsStr) -> Result<Vec<Note>, Error> {
        let mut opening = self.clone();
        (opening.range, opening.coverage) = (None, CoveragePolicy::Ignore);
        let part = opening.open(path)?.take_parts().next();
        let schema = part.as_ref().map(|part| part.schema());
        let (Some(part), Some(schema)) = (part, schema) else {
            return Ok(Vec::new());
        };
        let Some(layout) = schema.layout() else {
            return Ok(Vec::new());
        };
        Ok(of_rows(schema, layout, &part.head(HEAD_ROWS)))
    }

    /// Returns a note if some of these columns of the file at `path` have numbers whose order as texts is another one.
    ///
    /// # Errors
    /// As of [`OpenOptions::open`].
    pub fn numbers_as_texts(&self, path: &OsStr, columns: &[usize]) -> Result<Option<Note>, Error> {
        let part = self.open(path)?.take_parts().next();
        let schema = part.as_ref().map(|part| part.schema());
        let (Some(part), Some(schema)) = (part, schema) else {
            return Ok(None);
        };
        let Some(layout) = schema.layout() else {
            return Ok(None);
        };
        let head = part.head(HEAD_ROWS);
        let values_of = values_by_column(schema, layout, &head);
        // Numbers are written without separators, or with them.
        let written = |column: &usize| {
            let values = values_of.get(*column)?;
            let all = [None, Some(b'.'), Some(b',')];
            let found = all
                .into_iter()
                .find(|&decimal| are_misordered(values, decimal));
            found.map(|decimal| (*column, decimal))
        };
        let Some((column, decimal)) = columns.iter().find_map(written) else {
            return Ok(None);
        };
        let name = escaped(schema.columns()[column].name.as_bytes());
        let what = format!("{name} is ordered as text, and its values are numbers");
        let advice = decimal.map_or(String::new(), |decimal| {
            format!("--decimal-separator {} ", char::from(decimal))
        });
        let advice = format!("{advice}--types {name}=number reads numbers");
        Ok(Some(Note::new(what).advise(advice)))
    }
}

/// Says whether values are numbers, of which a lesser one is a greater text. `decimal` stands before their decimals, if they have separators. Zip
/// codes and the like begin with zeros.
fn are_misordered(values: &[&[u8]], decimal: Option<u8>) -> bool {
    let mut values: Vec<_> = values.iter().filter(|value| !value.is_empty()).collect();
    values.sort_unstable();
    let number = |value: &&&[u8]| {
        let is_code = matches!(***value, [b'0', b'0'..=b'9', ..]);
        let plain = match decimal {
            None => value.to_vec(),
            Some(decimal) => number::plain(value, decimal)?,
        };
        let number: f64 = str::from_utf8(&plain).ok()?.parse().ok()?;
        Some(number).filter(|number| number.is_finite() && !is_code)
    };
    let numbers: Option<Vec<f64>> = values.iter().map(number).collect();
    numbers.is_some_and(|numbers| !numbers.is_sorted())
}

/// Returns the values of each column in these rows.
fn values_by_column<'h>(schema: Schema, layout: &Layout, head: &'h [u8]) -> Vec<Vec<&'h [u8]>> {
    let names = usize::from(layout.first_line == FirstLine::Names);
    let rows = head.split(|&byte| byte == b'\n').skip(names);
    let delimiter = schema.delimiter();
    let mut values_of = vec![Vec::new(); schema.columns().len()];
    for row in rows {
        let values = row.split(|&byte| byte == delimiter);
        let values = values.zip(&mut values_of);
        values.for_each(|(value, of_column)| of_column.push(trimmed(value)));
    }
    values_of
}

/// Returns notes on the columns of these rows.
fn of_rows(schema: Schema, layout: &Layout, head: &[u8]) -> Vec<Note> {
    let values_of = values_by_column(schema, layout, head);
    let mut notes = Vec::new();
    for (column, values) in schema.columns().iter().zip(&values_of) {
        let values = || values.iter().copied();
        let name = escaped(column.name.as_bytes());
        let is_read = |kind| matches!(column.kind, Kind::Untyped) || column.kind == kind;
        if layout.dates == DateOrder::Unknown
            && is_read(Kind::Date)
            && let Some(day) = day_in_doubt(values())
        {
            let day = escaped(day);
            let what = format!(
                "{name} has days such as {day}, and none says whether days or months stand first, so months do"
            );
            notes.push(Note::new(what).advise("--dates dmy reads days first".to_owned()));
        }
        let is_written_so = |value: &&[u8]| {
            number::plain(value, b'.').is_some() && number::decimals_of(value).is_none()
        };
        if layout.decimal.is_none()
            && is_read(Kind::Number)
            && let Some(written) = values().find(is_written_so)
            && values()
                .filter(|value| !value.is_empty())
                .all(|value| number::plain(value, b'.').is_some())
        {
            let written = escaped(written);
            let what = format!("{name} has {written}, which is not a number");
            let advice = match column.kind {
                Kind::Untyped => format!("--decimal-separator . --types {name}=number reads it"),
                _ => "--decimal-separator . reads it".to_owned(),
            };
            notes.push(Note::new(what).advise(advice));
        }
    }
    notes
}

/// Returns a day that may be a month and a day, if all days among the `values` may, and stand before a year.
fn day_in_doubt<'a>(values: impl Iterator<Item = &'a [u8]>) -> Option<&'a [u8]> {
    let mut doubtful = None;
    for value in values {
        match date::day_first(value) {
            Some(DayFirst::Possible(day)) => {
                // The fifth of May is one day in both orders.
                let differs = day / 100 % 100 != day % 100;
                doubtful =
                    doubtful.or(Some(value).filter(|value| differs && value.contains(&b'/')));
            }
            Some(DayFirst::Proven(_) | DayFirst::Refuted) => return None,
            None => {}
        }
    }
    doubtful
}
