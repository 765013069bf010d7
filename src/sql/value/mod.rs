//! One value: of a literal, of a row of a result. Its text, its order, and what a cast makes of it.

mod texts;

use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt;

use self::texts::of_text;
use super::types::Type;
use crate::fec::date;

/// A value of a type, or NULL.
///
/// ```
/// use fecscan::Value;
/// let rows = fecscan::sql("SELECT min(STATE), count(*) FROM 'fixtures/generated.txt'")?;
/// assert_eq!((rows.value(0, 0), rows.value(0, 1)), (Value::from("AK"), Value::Whole(100)));
/// # Ok::<(), fecscan::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// No value.
    Null,
    /// True or false.
    Boolean(bool),
    /// A whole number of any width.
    Whole(i128),
    /// A number of units of ten to the power of minus `scale`.
    Decimal {
        /// The number of units.
        units: i128,
        /// The digits behind the point.
        scale: u8,
    },
    /// A number of 64 bits with a binary exponent.
    Double(f64),
    /// A day, as `YYYYMMDD`.
    Date(u32),
    /// Bytes.
    Text(Box<[u8]>),
}

/// Why a value can't be cast.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NoCast {
    /// A text is no number, no day or no truth value.
    Unreadable,
    /// A number has too many digits for the type.
    OutOfRange,
}

impl Value {
    /// Returns the value of a text.
    pub(super) fn text(bytes: &[u8]) -> Value {
        Value::Text(bytes.into())
    }

    /// Returns the text that a cast to VARCHAR makes, unless it is NULL.
    pub fn bytes(&self) -> Option<Cow<'_, [u8]>> {
        Some(match self {
            Value::Null => return None,
            Value::Text(text) => Cow::Borrowed(text),
            other => Cow::Owned(other.to_string().into_bytes()),
        })
    }

    /// Returns the number as one with a binary exponent.
    pub(super) fn double(&self) -> Option<f64> {
        Some(match *self {
            Value::Whole(number) => number as f64,
            Value::Decimal { units, scale } => double_of(units, scale),
            Value::Double(number) => number,
            _ => return None,
        })
    }

    /// Says whether it is NULL or a value that the type has: a day of the calendar, a number in its range.
    pub(super) fn is_of(&self, of: Type) -> bool {
        match (self, of) {
            (Value::Null, _)
            | (Value::Boolean(_), Type::Boolean)
            | (Value::Double(_), Type::Double)
            | (Value::Text(_), Type::Varchar) => true,
            (Value::Whole(number), of) => of.is_whole() && in_range(*number, of).is_some(),
            (Value::Decimal { units, scale }, of) => {
                matches!(of, Type::Decimal(_, of) if of == *scale) && in_range(*units, of).is_some()
            }
            (Value::Date(day), Type::Date) => date::is_day(*day),
            _ => false,
        }
    }

    /// Compares two values of one type, none of which is NULL. NaN is greater than all other numbers, and equal to itself.
    pub(super) fn compare(&self, other: &Value) -> Ordering {
        match (self, other) {
            (Value::Boolean(one), Value::Boolean(other)) => one.cmp(other),
            (Value::Whole(one), Value::Whole(other)) => one.cmp(other),
            (Value::Date(one), Value::Date(other)) => one.cmp(other),
            (Value::Text(one), Value::Text(other)) => one.cmp(other),
            (Value::Double(one), Value::Double(other)) => compare_doubles(*one, *other),
            (Value::Decimal { units, .. }, Value::Decimal { units: other, .. }) => units.cmp(other),
            _ => Ordering::Equal,
        }
    }

    /// Returns the value as one of another type.
    pub(super) fn cast(&self, to: Type) -> Result<Value, NoCast> {
        Ok(match (self, to) {
            (Value::Null, _) => Value::Null,
            (value, Type::Varchar) => {
                let text = value.bytes();
                text.map_or(Value::Null, |text| Value::Text(text.into()))
            }
            (Value::Text(text), to) => of_text(text, to)?,
            (Value::Boolean(is), Type::Boolean) => Value::Boolean(*is),
            (Value::Boolean(is), to) if to.is_number() => Value::Whole(i128::from(*is)).cast(to)?,
            (Value::Date(day), Type::Date) => Value::Date(*day),
            (Value::Whole(number), Type::Boolean) => Value::Boolean(*number != 0),
            (value, Type::Double) => Value::Double(value.double().ok_or(NoCast::Unreadable)?),
            (Value::Whole(number), to) => whole_or_decimal(*number, 0, to)?,
            (Value::Decimal { units, scale }, to) => whole_or_decimal(*units, *scale, to)?,
            (Value::Double(number), to) => of_double(*number, to)?,
            _ => return Err(NoCast::Unreadable),
        })
    }
}

/// Orders numbers as SQL does: NaN is greater than all others, and equal to itself.
pub(super) fn compare_doubles(one: f64, other: f64) -> Ordering {
    one.partial_cmp(&other)
        .unwrap_or_else(|| one.is_nan().cmp(&other.is_nan()))
}

/// Returns a decimal as a number with a binary exponent.
pub(super) fn double_of(units: i128, scale: u8) -> f64 {
    if scale == 0 {
        return units as f64;
    }
    let factor = 10_f64.powi(scale.into());
    if units.unsigned_abs() < 1 << 53 {
        return units as f64 / factor;
    }
    // The whole and its decimals, as DuckDB converts numbers that a double has not exactly.
    let tens = 10_i128.saturating_pow(scale.into());
    (units / tens) as f64 + (units % tens) as f64 / factor
}

/// Returns units of one scale as those of another; a half is rounded away from zero.
pub(super) fn rescaled(units: i128, from: u8, to: u8) -> Option<i128> {
    if from <= to {
        return units.checked_mul(10_i128.checked_pow((to - from).into())?);
    }
    let factor = 10_i128.checked_pow((from - to).into())?;
    let (whole, rest) = (units / factor, units % factor);
    let is_up = rest.unsigned_abs() >= (factor.unsigned_abs()).div_ceil(2);
    Some(whole + i128::from(is_up) * units.signum())
}

/// Checks that a whole number, or the units of a decimal, are of a type.
pub(super) fn in_range(number: i128, of: Type) -> Option<i128> {
    let is_in = match of {
        Type::Integer => i32::try_from(number).is_ok(),
        Type::BigInt => i64::try_from(number).is_ok(),
        Type::Decimal(width, _) => number.unsigned_abs() < 10_u128.pow(width.into()),
        _ => true,
    };
    is_in.then_some(number)
}

pub(super) fn whole_or_decimal(units: i128, from: u8, to: Type) -> Result<Value, NoCast> {
    let scale = to.scale().ok_or(NoCast::Unreadable)?;
    let units = rescaled(units, from, scale).and_then(|units| in_range(units, to));
    let units = units.ok_or(NoCast::OutOfRange)?;
    Ok(match to {
        Type::Decimal(..) => Value::Decimal { units, scale },
        _ => Value::Whole(units),
    })
}

fn of_double(number: f64, to: Type) -> Result<Value, NoCast> {
    if to == Type::Boolean {
        return Ok(Value::Boolean(number != 0.0));
    }
    let scale = to.scale().ok_or(NoCast::Unreadable)?;
    let units = match to {
        // DuckDB rounds a half to the even number here, and away from zero in decimals.
        whole if whole.is_whole() => number.round_ties_even(),
        _ => (number * 10_f64.powi(scale.into())).round(),
    };
    if !(units.is_finite() && units.abs() < 1e38) {
        return Err(NoCast::OutOfRange);
    }
    whole_or_decimal(units as i128, scale, to)
}

impl From<&str> for Value {
    fn from(text: &str) -> Value {
        Value::text(text.as_bytes())
    }
}

/// Writes the value as a cast to VARCHAR does; NULL as `NULL`.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Null => f.write_str("NULL"),
            Value::Boolean(is) => is.fmt(f),
            Value::Whole(number) => number.fmt(f),
            Value::Decimal { units, scale } => {
                let decimal = crate::fec::amount::Decimal {
                    units: *units,
                    decimals: *scale,
                };
                decimal.fmt(f)
            }
            Value::Double(number) => f.write_str(&double_text(*number)),
            Value::Date(day) => f.write_str(&date::iso(*day)),
            Value::Text(text) => f.write_str(&String::from_utf8_lossy(text)),
        }
    }
}

/// Writes a number with a binary exponent as DuckDB does: with the fewest digits that read back as this number, and an exponent from
/// ten to the power of sixteen on.
pub(crate) fn double_text(number: f64) -> String {
    if !number.is_finite() {
        return if number.is_nan() {
            "nan".to_owned()
        } else if number > 0.0 {
            "inf".to_owned()
        } else {
            "-inf".to_owned()
        };
    }
    let size = number.abs();
    if size == 0.0 || (1e-4..1e16).contains(&size) {
        let text = number.to_string();
        return if text.contains('.') {
            text
        } else {
            format!("{text}.0")
        };
    }
    let text = format!("{number:e}");
    let (digits, exponent) = text.split_once('e').expect("an exponent");
    let exponent: i32 = exponent.parse().expect("a number");
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{digits}e{sign}{:02}", exponent.abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The texts are DuckDB's.
    #[test]
    fn doubles_have_the_texts_of_duckdb() {
        for (number, text) in [
            (123_456_789.123, "123456789.123"),
            (1e15, "1000000000000000.0"),
            (1e16, "1e+16"),
            (0.00001, "1e-05"),
            (0.0001, "0.0001"),
            (1.0 / 3.0, "0.3333333333333333"),
            (123_456_789_012_345_680.0, "1.2345678901234568e+17"),
            (1e100, "1e+100"),
            (-0.0, "-0.0"),
            (5.0, "5.0"),
            (f64::INFINITY, "inf"),
            (f64::NAN, "nan"),
        ] {
            assert_eq!(double_text(number), text);
        }
    }

    #[test]
    fn halves_are_rounded_away_from_zero_but_to_the_even_one_in_doubles() {
        assert_eq!(rescaled(25, 1, 0), Some(3));
        assert_eq!(rescaled(-25, 1, 0), Some(-3));
        assert_eq!(rescaled(24, 1, 0), Some(2));
        assert_eq!(rescaled(3, 0, 2), Some(300));
        assert_eq!(rescaled(i128::MAX, 0, 1), None);
        let whole = |number| Value::Double(number).cast(Type::BigInt);
        assert_eq!(whole(2.5), Ok(Value::Whole(2)));
        assert_eq!(whole(3.5), Ok(Value::Whole(4)));
        assert_eq!(whole(-2.5), Ok(Value::Whole(-2)));
        assert_eq!(whole(f64::NAN), Err(NoCast::OutOfRange));
    }
}
