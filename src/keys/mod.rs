//! Keys: columns as they stand, and functions of columns.
//!
//! Groups, exports and conditions name them alike, as in `month(TRANSACTION_DT)`. This module parses the names
//! and finds their columns. [`append`] makes the value of a key. [`fec::derived`](crate::fec::derived) defines
//! the functions.

pub(crate) mod bound;
pub(crate) mod list;
pub(crate) mod word;

use crate::error::{Error, ErrorKind, escaped};
use crate::fec::derived;
use crate::scan::Cell;

/// A key: a column as it stands, or a function of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key {
    /// The function of the column.
    pub function: KeyFunction,
    /// The name, the alias or the number of the column.
    pub column: String,
}

/// A function of a column that gives a key. [`fec::derived`](crate::fec::derived) defines each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum KeyFunction {
    /// The bytes of the column as they stand.
    Bytes,
    /// The month of a date or image number, `2018-01`.
    Month,
    /// The year of a date or image number.
    Year,
    /// The first five digits of a zip code.
    Zip5,
    /// The first name in a name.
    FirstName,
    /// What stands before the comma of a name.
    LastName,
}

impl KeyFunction {
    /// All functions that have a name.
    pub const NAMED: [KeyFunction; 5] = [
        KeyFunction::Month,
        KeyFunction::Year,
        KeyFunction::Zip5,
        KeyFunction::FirstName,
        KeyFunction::LastName,
    ];

    /// Returns the name, as typed before the parenthesis; none for the column as it stands.
    pub fn name(self) -> Option<&'static str> {
        match self {
            KeyFunction::Bytes => None,
            KeyFunction::Month => Some("month"),
            KeyFunction::Year => Some("year"),
            KeyFunction::Zip5 => Some("zip5"),
            KeyFunction::FirstName => Some("first_name"),
            KeyFunction::LastName => Some("last_name"),
        }
    }

    pub(super) fn named(name: &str) -> Option<KeyFunction> {
        let has_name = |function: &KeyFunction| {
            let known = function.name().unwrap_or_default();
            known.eq_ignore_ascii_case(name)
        };
        KeyFunction::NAMED.into_iter().find(has_name)
    }
}

/// Splits `sum(amount)`.
pub(crate) fn function_of(text: &str) -> Option<(&str, &str)> {
    let (name, column) = text.strip_suffix(')')?.split_once('(')?;
    let column = column.trim();
    (!column.contains(['(', ')'])).then_some((name.trim(), column))
}

/// Returns the usage error that says `what`.
pub(crate) fn usage(what: String) -> Error {
    Error::new(ErrorKind::Usage, escaped(what.as_bytes()))
}

/// Appends what a function makes of a column.
#[inline(always)]
pub(crate) fn append(function: KeyFunction, cell: Cell<'_>, key: &mut Vec<u8>) {
    match function {
        KeyFunction::Bytes => match cell.first_bytes::<16>() {
            // A copy of fixed length, whose noise goes.
            Some(bytes) if cell.len() <= bytes.len() => {
                let end = key.len() + cell.len();
                key.extend_from_slice(bytes);
                key.truncate(end);
            }
            _ => key.extend_from_slice(&cell),
        },
        KeyFunction::Month => {
            if let Some(date) = cell.eight_bytes()
                && let Some(month) = derived::month_of_date(*date)
            {
                let end = key.len() + 7;
                key.extend_from_slice(&(month >> 8).to_le_bytes());
                key.truncate(end);
            } else if let Some(month) = derived::month(&cell) {
                key.extend_from_slice(&month);
            }
        }
        KeyFunction::Year => {
            if let Some(year) = derived::year(&cell) {
                key.extend_from_slice(&year);
            }
        }
        KeyFunction::Zip5 => {
            if let Some(five) = derived::zip5(&cell).first_chunk::<5>() {
                key.extend_from_slice(five);
            }
        }
        KeyFunction::FirstName => key.extend_from_slice(derived::first_name(&cell)),
        KeyFunction::LastName => key.extend_from_slice(derived::last_name(&cell)),
    }
}
