//! Values as the numbers that states take, and back.

use crate::fold::tables::NO_NUMBER;
use crate::scan::ROWS;
use crate::sql::evaluate::Fault;
use crate::sql::types::{Type, WORD_DIGITS};
use crate::sql::value::Value;
use crate::sql::vector::{Data, Mask, Values, each};

const TOO_LARGE: Fault =
    Fault::Refused("a number of a row has more than 64 bits, which aggregates do not take");

/// Returns the numbers of the rows of a mask.
pub(super) fn numbers_of(values: &Values<'_>, rows: Mask) -> Result<[i64; ROWS], Fault> {
    let mut numbers = [NO_NUMBER; ROWS];
    let there = values.valid & rows;
    match &values.data {
        Data::Boolean(mask) => each(there, |row| numbers[row] = i64::from(mask >> row & 1)),
        Data::Double(doubles) => each(there, |row| numbers[row] = order_of_double(doubles[row])),
        Data::Text(_) => {}
        Data::Whole(whole) => {
            let mut is_over = false;
            each(there, |row| {
                numbers[row] = whole[row];
                is_over |= whole[row] == NO_NUMBER;
            });
            if is_over {
                return Err(TOO_LARGE);
            }
        }
        _ => {
            let mut fault = None;
            each(there, |row| match i64::try_from(values.wide(row)) {
                Ok(number) if number != NO_NUMBER => numbers[row] = number,
                _ => fault = Some(TOO_LARGE),
            });
            return fault.map_or(Ok(numbers), Err);
        }
    }
    Ok(numbers)
}

/// Returns numbers that say which rows of a mask have values, of any type.
pub(super) fn presence_of(rows: Mask) -> [i64; ROWS] {
    let mut numbers = [NO_NUMBER; ROWS];
    each(rows, |row| numbers[row] = 0);
    numbers
}

/// Returns the value that a number of a state stands for.
pub(in crate::sql) fn value_of(number: i128, of: Type) -> Value {
    match of {
        Type::Null => Value::Null,
        Type::Boolean => Value::Boolean(number != 0),
        Type::Date => Value::Date(number as u32),
        Type::Decimal(_, scale) => Value::Decimal {
            units: number,
            scale,
        },
        Type::Double => Value::Double(ordered_double(number as i64)),
        _ => Value::Whole(number),
    }
}

/// Returns the value between two, as DuckDB interpolates.
pub(in crate::sql) fn between(low: i128, high: i128, share: f64, of: Type) -> Value {
    match of {
        // DuckDB rounds once, with the instruction for that.
        whole if whole.is_whole() => {
            let high = high as f64 * share;
            Value::Double((low as f64).mul_add(1.0 - share, high))
        }
        Type::Decimal(width, scale) => {
            let distance = (high - low) as f64;
            // DuckDB cuts fractions off the result in 64 bits, and off the distance in 128 bits.
            let units = if width > WORD_DIGITS {
                low + (distance * share) as i128
            } else {
                distance.mul_add(share, low as f64) as i128
            };
            Value::Decimal { units, scale }
        }
        Type::Double => {
            let (low, high) = (ordered_double(low as i64), ordered_double(high as i64));
            Value::Double(low.mul_add(1.0 - share, high * share))
        }
        _ => value_of(low, of),
    }
}

/// Returns a whole number in the order of numbers with a binary exponent.
fn order_of_double(number: f64) -> i64 {
    // Any NaN is the greatest.
    if number.is_nan() {
        return i64::MAX;
    }
    let bits = number.to_bits().cast_signed();
    if bits < 0 { !bits ^ i64::MIN } else { bits }
}

/// Returns the number that has a place in the order.
fn ordered_double(order: i64) -> f64 {
    let bits = if order < 0 {
        !(order ^ i64::MIN)
    } else {
        order
    };
    f64::from_bits(bits.cast_unsigned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doubles_keep_their_order() {
        let ascending = [
            f64::NEG_INFINITY,
            -1e300,
            -1.5,
            -1e-300,
            0.0,
            1e-300,
            1.5,
            1e300,
            f64::INFINITY,
            f64::NAN,
        ];
        for pair in ascending.windows(2) {
            assert!(
                order_of_double(pair[0]) < order_of_double(pair[1]),
                "{pair:?}"
            );
        }
        for number in ascending {
            let back = ordered_double(order_of_double(number));
            assert!(back.to_bits() == number.to_bits() || back.is_nan() && number.is_nan());
        }
        // 0/0 makes a NaN with a sign.
        assert_eq!(order_of_double(-f64::NAN), order_of_double(f64::NAN));
    }
}
