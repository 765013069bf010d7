//! Two values of a row, compared with each other: `STATE!={CAND_OFFICE_ST}`.

use std::cmp::Ordering;

use super::predicate::{Compare, Evaluation};
use crate::error::Error;
use crate::expr::functions::ValueOrder;
use crate::expr::{Key, KeyFunction, append};
use crate::fec::date;
use crate::fec::number;
use crate::fec::schema::Kind;
use crate::join::{JoinedColumn, Partners};
use crate::scan::{Cell, FilterCounts, ROWS, Vector};

/// Two values of a row.
#[derive(Debug)]
pub(super) struct Pair {
    pub(super) operands: [Operand; 2],
    pub(super) compare: Compare,
    /// What both values are. As numbers and days, different texts can be equal.
    pub(super) kind: Kind,
}

/// A value of a row: a column of its own, or of a joined file that the column leads to, and a function of it.
#[derive(Debug)]
pub(super) struct Operand {
    /// The joined column, and the place of its file in [`FilterCounts`], unless another predicate counts its rows without a partner.
    pub(super) joined: Option<(Partners, JoinedColumn, Option<usize>)>,
    pub(super) function: KeyFunction,
}

impl Compare {
    /// Returns the kind as which values of two keys are compared: numbers or days, if one side has that type and the other has no
    /// other one.
    ///
    /// # Errors
    /// If the keys have no order, and one is wanted. If dates are compared with numbers.
    pub(super) fn kind(self, keys: [&Key; 2], kinds: [Kind; 2]) -> Result<Kind, Error> {
        let [one, other] = keys;
        let has_order = one.function.call();
        let has_order = has_order.is_some_and(|call| call.function.order == ValueOrder::Texts);
        let is_equal = self == Compare::Equal;
        // A text equals a number or a day that it reads as.
        let are = |kind| {
            let fits = |other: &Kind| match other {
                Kind::Number | Kind::Date => *other == kind,
                Kind::Untyped => true,
                _ => is_equal,
            };
            kinds.contains(&kind) && kinds.iter().all(fits)
        };
        match kinds {
            _ if are(Kind::Date) => Ok(Kind::Date),
            _ if are(Kind::Number) => Ok(Kind::Number),
            // Columns without types are compared as numbers where there is an order.
            [Kind::Untyped, Kind::Untyped] if !is_equal => Ok(Kind::Number),
            [Kind::ImageNumber, Kind::ImageNumber] | [Kind::ZipCode, Kind::ZipCode] => Ok(kinds[0]),
            [Kind::Number, Kind::Date] | [Kind::Date, Kind::Number] => {
                let [one, other] = keys.map(|key| key.name_of(&key.column));
                let what = format!("{one} and {other} are a date and a number");
                Err(Error::usage(what).advise("compare a function of the date, such as year(DATE)"))
            }
            _ if is_equal || has_order && one.function == other.function => Ok(Kind::Text),
            _ => {
                let [one, other] = keys.map(|key| key.name_of(&key.column));
                let what =
                    format!("{one} and {other} are no two numbers or dates, and have no order");
                Err(Error::usage(what).advise("compare them by = or !="))
            }
        }
    }
}

impl Pair {
    /// Says whether a value comes from a joined file.
    pub(super) fn is_joined(&self) -> bool {
        self.operands.iter().any(|operand| operand.joined.is_some())
    }

    /// Decides for the first `rows` of two columns.
    pub(super) fn hold(
        &self,
        columns: [&Vector<'_>; 2],
        rows: usize,
        evaluation: &mut Evaluation,
    ) -> [bool; ROWS] {
        let mut hold = [false; ROWS];
        let Evaluation {
            value,
            other,
            counts,
            unread,
            ..
        } = evaluation;
        for (nth, hold) in hold[..rows].iter_mut().enumerate() {
            let [first, second] = &self.operands;
            let first = first.value(columns[0].cell(nth), value, counts);
            let second = second.value(columns[1].cell(nth), other, counts);
            *hold = self
                .decide(first, second)
                .unwrap_or_else(|| unread.add(nth));
        }
        hold
    }

    /// Decides for two values, if both are read.
    fn decide(&self, one: &[u8], other: &[u8]) -> Option<bool> {
        let is_text = !matches!(self.kind, Kind::Number | Kind::Date);
        if self.compare == Compare::Equal && (is_text || one == other) {
            return Some(one == other);
        }
        let ordering = self.ordering(one, other)?;
        Some(self.compare.holds(ordering))
    }

    fn ordering(&self, one: &[u8], other: &[u8]) -> Option<Ordering> {
        Some(match self.kind {
            Kind::Number => number::compare(one, other)?,
            Kind::Date => date::of_column(one)?.cmp(&date::of_column(other)?),
            _ if one.is_empty() || other.is_empty() => return None,
            _ => one.cmp(other),
        })
    }
}

impl Operand {
    /// Returns the value of a column. `made` is memory for a value that does not stand in the row.
    #[inline(always)]
    fn value<'v>(
        &self,
        cell: Cell<'v>,
        made: &'v mut Vec<u8>,
        counts: &mut FilterCounts,
    ) -> &'v [u8] {
        if self.joined.is_none() && self.function.is_none() {
            return cell.bytes();
        }
        made.clear();
        self.append(cell, made, counts);
        made
    }

    fn append(&self, cell: Cell<'_>, made: &mut Vec<u8>, counts: &mut FilterCounts) {
        let Some((partners, column, counted)) = &self.joined else {
            return append(&self.function, cell, made);
        };
        let value = partners.value_of(column, cell, made);
        made.clear();
        match value {
            Some(value) => append(&self.function, Cell::from(value), made),
            None => counted
                .iter()
                .for_each(|&nth| counts.without_partner[nth] += 1),
        }
    }
}
