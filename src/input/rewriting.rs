//! Values of a translated file that are written anew: days before months as `2018-01-31`, and numbers as people write them as `-1234.5`.
//!
//! So everything that reads dates and numbers, fast or not, knows one form. The user has said which form the file has. A value that
//! contradicts the user is an error, because it would be read in another way.

use std::borrow::Cow;

use crate::error::escaped;
use crate::fec::date::{self, DayFirst};
use crate::fec::layout::{ColumnType, DateOrder, FirstLine, Layout};
use crate::fec::number;
use crate::fec::texts::decoded;

/// Which values are written anew, and where in a row the next one stands.
#[derive(Clone, Debug)]
pub(super) struct Rewriting {
    has_days_first: bool,
    decimal: Option<u8>,
    /// The types of columns by their names, as the user gave them.
    types: Vec<(String, ColumnType)>,
    /// The types of columns by their numbers.
    known: Vec<Option<ColumnType>>,
    /// The names of the columns, as far as they were read.
    names: Vec<String>,
    /// The row has the names of the columns.
    is_header: bool,
    pub(super) column: usize,
}

/// What is wrong with a value, and what to do about it.
type Refused = (String, String);

impl Rewriting {
    /// Returns how values of files with this layout are written anew, if any are.
    pub(super) fn of(layout: &Layout) -> Option<Rewriting> {
        let has_days_first = layout.dates == DateOrder::DayFirst;
        let mut rewriting = Rewriting {
            has_days_first,
            decimal: layout.decimal,
            types: layout.kinds.clone(),
            known: Vec::new(),
            names: layout.names.clone(),
            is_header: layout.first_line == FirstLine::Names,
            column: 0,
        };
        rewriting.find_types();
        (has_days_first || layout.decimal.is_some()).then_some(rewriting)
    }

    /// Finds the numbers of columns that have types.
    fn find_types(&mut self) {
        self.known = vec![None; self.names.len()];
        for (name, kind) in &self.types {
            let named = |known: &String| known.eq_ignore_ascii_case(name);
            let number = name.strip_prefix('#').unwrap_or(name).parse::<usize>();
            let number = number.ok().and_then(|number| number.checked_sub(1));
            if let Some(place) = self.names.iter().position(named).or(number) {
                if self.known.len() <= place {
                    self.known.resize(place + 1, None);
                }
                self.known[place] = Some(*kind);
            }
        }
    }

    pub(super) fn end_row(&mut self) {
        self.column = 0;
        if self.is_header {
            self.is_header = false;
            self.find_types();
        }
    }

    /// Returns a value as it is written anew, unless it stays as it is.
    pub(super) fn rewrite(&mut self, value: &[u8]) -> Result<Option<Vec<u8>>, Refused> {
        if self.is_header {
            if self.names.len() == self.column {
                self.names.push(decoded(value.trim_ascii()).into_owned());
            }
            return Ok(None);
        }
        let kind = self.known.get(self.column).copied().flatten();
        if self.has_days_first && !matches!(kind, Some(ColumnType::Text | ColumnType::Number(_))) {
            match date::day_first(value) {
                Some(DayFirst::Possible(day) | DayFirst::Proven(day)) => {
                    return Ok(Some(date::iso(day).into_bytes()));
                }
                Some(DayFirst::Refuted) => {
                    let what = format!("{} has a month before its day", escaped(value));
                    let column = self.name();
                    let advice = format!(
                        "if months stand before days: --dates mdy; if the column holds text: --types '{column}=text'"
                    );
                    return Err((what, advice));
                }
                None => {}
            }
        }
        let Some(decimal) = self.decimal else {
            return Ok(None);
        };
        if matches!(kind, Some(ColumnType::Text | ColumnType::Date)) {
            return Ok(None);
        }
        let plain = number::plain(value, decimal);
        if plain.is_none()
            && decimal == b','
            && number::plain(value, b'.').is_some()
            && value.contains(&b'.')
        {
            let what = format!(
                "{} has a point that stands between no thousands",
                escaped(value)
            );
            let column = self.name();
            let advice = format!(
                "if a point stands before decimals: --decimal-separator .; if the column holds text: --types '{column}=text'"
            );
            return Err((what, advice));
        }
        Ok(plain)
    }

    fn name(&self) -> Cow<'_, str> {
        match self.names.get(self.column) {
            Some(name) => Cow::Borrowed(name),
            None => Cow::Owned(format!("#{}", self.column + 1)),
        }
    }
}
