//! Adds, subtracts, multiplies and divides numbers, and adds days.

use crate::fec::date;
use crate::scan::ROWS;
use crate::sql::evaluate::{Fault, numbers_of};
use crate::sql::expression::Operator;
use crate::sql::types::{Type, WORD_DIGITS};
use crate::sql::value::in_range;
use crate::sql::vector::{Data, Mask, Values, each};

/// Evaluates an operator of two operands, which have the types that it takes.
pub(super) fn arithmetic<'b>(
    operator: Operator,
    one: &Values<'_>,
    other: &Values<'_>,
    gives: Type,
    active: Mask,
) -> Result<Values<'b>, Fault> {
    let valid = one.valid & other.valid;
    if gives == Type::Double {
        let mut divides_by_zero = false;
        if operator == Operator::DivideWhole {
            each(valid & active, |row| {
                divides_by_zero |= other.double(row) == 0.0;
            });
        }
        if divides_by_zero {
            return Err(Fault::DivisionByZero);
        }
        let mut numbers = [0.0; ROWS];
        for (row, number) in numbers.iter_mut().enumerate() {
            let (one, other) = (one.double(row), other.double(row));
            *number = match operator {
                Operator::Add => one + other,
                Operator::Subtract => one - other,
                Operator::Multiply => one * other,
                Operator::Remainder => one % other,
                _ => one / other,
            };
        }
        let data = Data::Double(numbers);
        return Ok(Values { valid, data });
    }
    if let Some(results) = narrow_arithmetic(operator, one, other, gives, valid & active) {
        let data = Data::Whole(results);
        return Ok(Values { valid, data });
    }
    let (ones, others) = (one.all_wide(), other.all_wide());
    let mut results = [0; ROWS];
    let mut fault = None;
    each(valid & active, |row| {
        let (one, other) = (ones[row], others[row]);
        let result = match operator {
            Operator::Add => one.checked_add(other),
            Operator::Subtract => one.checked_sub(other),
            Operator::Multiply => one.checked_mul(other),
            Operator::DivideWhole | Operator::Divide | Operator::Remainder if other == 0 => {
                fault = Some(Fault::DivisionByZero);
                return;
            }
            Operator::DivideWhole | Operator::Divide => one.checked_div(other),
            Operator::Remainder => one.checked_rem(other),
            Operator::AddDays => later(one, other),
            Operator::SubtractDays => other.checked_neg().and_then(|days| later(one, days)),
            Operator::AddMonths => months_later(one, other),
            Operator::DaysBetween => {
                let days = |day: i128| i128::from(date::days_since_1970(day as u32));
                Some(days(one) - days(other))
            }
        };
        match result.and_then(|result| in_range(result, gives)) {
            Some(result) => results[row] = result,
            None => fault = Some(Fault::OutOfRange(gives)),
        }
    });
    match fault {
        None => Ok(Values {
            valid,
            data: numbers_of(results, gives),
        }),
        Some(fault) => Err(fault),
    }
}

/// Adds, subtracts or multiplies numbers of 64 bits. None if a result is not in the range of its type, or of 64 bits.
fn narrow_arithmetic(
    operator: Operator,
    one: &Values<'_>,
    other: &Values<'_>,
    gives: Type,
    rows: Mask,
) -> Option<[i64; ROWS]> {
    let (Data::Whole(ones), Data::Whole(others)) = (&one.data, &other.data) else {
        return None;
    };
    let calculate: fn(i64, i64) -> (i64, bool) = match operator {
        Operator::Add => i64::overflowing_add,
        Operator::Subtract => i64::overflowing_sub,
        Operator::Multiply => i64::overflowing_mul,
        _ => return None,
    };
    let [least, most] = match gives {
        Type::Integer => [i32::MIN, i32::MAX].map(i64::from),
        Type::Decimal(width @ ..=WORD_DIGITS, _) => {
            let most = 10_i64.pow(width.into()) - 1;
            [-most, most]
        }
        _ => [i64::MIN, i64::MAX],
    };
    let (mut results, mut are_in) = ([0; ROWS], true);
    each(rows, |row| {
        let (result, is_over) = calculate(ones[row], others[row]);
        results[row] = result;
        are_in &= !is_over && (least..=most).contains(&result);
    });
    are_in.then_some(results)
}

/// Returns the same day of another month, or the last day of a shorter month, in the years 1 to 9999.
fn months_later(day: i128, months: i128) -> Option<i128> {
    let (year, month, nth) = (day / 10_000, day / 100 % 100, day % 100);
    let month = (year * 12 + month - 1).checked_add(months)?;
    let (year, month) = (month.div_euclid(12), month.rem_euclid(12) + 1);
    let is_known = (1..=9999).contains(&year);
    let first = year * 10_000 + month * 100;
    let mut days = (nth - 3..=nth).rev().map(|nth| first + nth);
    days.find(|day| is_known && date::is_day(*day as u32))
}

/// Returns the day after a number of days, in the years 1 to 9999.
fn later(day: i128, days: i128) -> Option<i128> {
    let days = i128::from(date::days_since_1970(day as u32)).checked_add(days)?;
    let [least, most] = [10_101, 99_991_231].map(|day| i128::from(date::days_since_1970(day)));
    let is_known = (least..=most).contains(&days);
    is_known.then(|| date::of_days_since_1970(days as i32).into())
}
