//! Aggregates of the rows that a condition on a number chooses: `sum(x) FILTER (WHERE amount < 200)`, or with CASE in place of FILTER. The numbers
//! are read side by side, so the condition takes two comparisons a row: the share of small amounts by CMTE_ID takes 0.8 of the time.

use super::columns::NumberColumn;
use crate::fold::tables::{NO_NUMBER, Numbers};
use crate::scan::ROWS;
use crate::sql::expression::{Expression, Node};
use crate::sql::file::Read;
use crate::sql::file::columns::Reading;
use crate::sql::file::word_steps::column_of;
use crate::sql::filter::range_of;
use crate::sql::plan::Aggregate;
use crate::sql::types::Type;
use crate::sql::value::Value;

/// The numbers of an aggregate whose rows are chosen.
#[derive(Debug)]
pub(super) struct Chosen {
    number: Number,
    /// The column of the condition, and its least and greatest number in rows that are chosen.
    by: NumberPlace,
    range: [i64; 2],
    /// The number that stands for a row that is not chosen.
    otherwise: i64,
}

/// The number of a row that is chosen.
#[derive(Debug)]
enum Number {
    Column(NumberPlace),
    /// The same in all rows.
    Same(i64),
}

/// Where the numbers of a column are.
#[derive(Clone, Copy, Debug)]
pub(super) enum NumberPlace {
    /// Among the numbers that aggregates take.
    Numbers(usize),
    /// Among the numbers that only expressions read.
    Further(usize),
}

impl NumberPlace {
    /// Returns the place of a column that is read.
    pub(super) fn of(
        nth: usize,
        numbers: &[NumberColumn],
        further: &[(usize, Reading)],
    ) -> Option<NumberPlace> {
        let of_numbers = numbers.iter().position(|numbers| numbers.reads(nth));
        let of_further = || further.iter().position(|(known, _)| *known == nth);
        let of_numbers = of_numbers.map(NumberPlace::Numbers);
        of_numbers.or_else(|| of_further().map(NumberPlace::Further))
    }

    #[inline(always)]
    fn get<'n>(self, numbers: &'n Numbers, further: &'n Numbers) -> &'n [i64; ROWS] {
        match self {
            NumberPlace::Numbers(nth) => &numbers[nth],
            NumberPlace::Further(nth) => &further[nth],
        }
    }
}

impl Chosen {
    /// Returns how the rows of an aggregate are chosen, if a range of the numbers of a column does that.
    pub(super) fn by(
        aggregate: &Aggregate,
        read: &[Read],
        place: &dyn Fn(usize) -> Option<NumberPlace>,
    ) -> Option<Chosen> {
        let (condition, number, otherwise) = parts_of(aggregate)?;
        let (column, range) = range_of(condition, read)?;
        let number = match number {
            None => Number::Same(0),
            Some(of) => Number::Column(place(column_of(of)?)?),
        };
        Some(Chosen {
            number,
            by: place(column)?,
            range,
            otherwise,
        })
    }

    /// Returns the numbers. Those of further rows are unspecified.
    #[inline(always)]
    pub(super) fn of(&self, numbers: &Numbers, further: &Numbers) -> [i64; ROWS] {
        let mut chosen = match &self.number {
            Number::Column(place) => *place.get(numbers, further),
            Number::Same(number) => [*number; ROWS],
        };
        let [least, greatest] = self.range;
        let by = self.by.get(numbers, further);
        for (number, by) in chosen.iter_mut().zip(by) {
            let is_chosen = (least <= *by) & (*by <= greatest);
            *number = if is_chosen { *number } else { self.otherwise };
        }
        chosen
    }
}

/// Returns the condition that chooses rows, the argument, and the number of other rows. A count without an argument has no numbers.
fn parts_of(aggregate: &Aggregate) -> Option<(&Expression, Option<&Expression>, i64)> {
    match (&aggregate.of[..], &aggregate.filter) {
        ([], Some(filter)) => Some((filter, None, NO_NUMBER)),
        ([of], Some(filter)) if !aggregate.is_count() => Some((filter, Some(of), NO_NUMBER)),
        ([of], None) if !aggregate.is_count() => {
            let Node::Case(branches, otherwise) = &of.of else {
                return None;
            };
            let [[condition, number]] = &branches[..] else {
                return None;
            };
            let otherwise = number_of_literal(otherwise, of.gives)?;
            Some((condition, Some(number), otherwise))
        }
        _ => None,
    }
}

/// Returns the number that a literal of a type is, as columns of numbers have it.
fn number_of_literal(of: &Expression, gives: Type) -> Option<i64> {
    match (of.as_literal()?, gives) {
        (Value::Null, _) => Some(NO_NUMBER),
        (Value::Decimal { units, scale }, Type::Decimal(_, of)) if *scale == of => {
            i64::try_from(*units)
                .ok()
                .filter(|units| *units != NO_NUMBER)
        }
        _ => None,
    }
}
