//! Expressions: whatever is made of a row.
//!
//! A key is a column or a function of one. Groups, exports and conditions name keys alike, as in
//! `month(TRANSACTION_DT)`. A [`Filter`] holds conditions on keys. This module parses expressions, finds their columns and
//! evaluates them. [`fec::derived`](crate::fec::derived) defines the functions.

pub(crate) mod bound;
mod bound_filter;
mod cell_map;
mod condition;
mod filter;
pub(crate) mod functions;
mod hints;
pub(crate) mod list;
mod predicate;
mod prefix;
pub(crate) mod word;
mod words;

use std::fmt;

pub use self::filter::{Filter, LeftOut};
use self::functions::{FUNCTIONS, Function};
use crate::error::{Error, ErrorKind, escaped};
use crate::scan::Cell;

/// A key: a column as it stands, or a function of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key {
    /// The function of the column.
    pub function: KeyFunction,
    /// The name, the alias or the number of the column.
    pub column: String,
}

/// A function of a column, or none, which gives the column as it stands.
#[derive(Clone, Copy)]
pub struct KeyFunction(Option<&'static Function>);

impl KeyFunction {
    /// No function: the bytes of the column as they stand.
    pub const NONE: KeyFunction = KeyFunction(None);

    /// Returns all functions.
    pub fn all() -> impl Iterator<Item = KeyFunction> {
        FUNCTIONS.iter().map(|function| KeyFunction(Some(function)))
    }

    /// Returns the function with a name, in letters of either case.
    ///
    /// ```
    /// use fecscan::fold::by::KeyFunction;
    /// assert_eq!(KeyFunction::named("Month").unwrap().name(), Some("month"));
    /// assert_eq!(KeyFunction::named("moon"), None);
    /// ```
    pub fn named(name: &str) -> Option<KeyFunction> {
        let has_name = |function: &KeyFunction| {
            let known = function.name().unwrap_or_default();
            known.eq_ignore_ascii_case(name)
        };
        KeyFunction::all().find(has_name)
    }

    /// Returns the name, as typed before the parenthesis; none for the column as it stands.
    pub fn name(self) -> Option<&'static str> {
        self.0.map(|function| function.name)
    }

    #[inline(always)]
    pub(crate) fn is_none(self) -> bool {
        self.0.is_none()
    }

    #[inline(always)]
    pub(crate) fn entry(self) -> Option<&'static Function> {
        self.0
    }

    /// Says whether the function may make this value.
    pub(crate) fn makes(self, value: &str) -> bool {
        self.0.is_none_or(|function| (function.makes)(value))
    }
}

impl PartialEq for KeyFunction {
    fn eq(&self, other: &KeyFunction) -> bool {
        self.name() == other.name()
    }
}

impl Eq for KeyFunction {}

impl fmt::Debug for KeyFunction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name().unwrap_or("no function"))
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
    if let Some(function) = function.0 {
        return (function.append)(cell, key);
    }
    match cell.first_bytes::<16>() {
        // A copy of fixed length, whose noise goes.
        Some(bytes) if cell.len() <= bytes.len() => {
            let end = key.len() + cell.len();
            key.extend_from_slice(bytes);
            key.truncate(end);
        }
        _ => key.extend_from_slice(&cell),
    }
}
