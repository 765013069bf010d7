//! Functions of numbers.

use super::{Function, Gives, Kernel, OF_TEXT, Parameter, Row};
use crate::sql::evaluate::Fault;
use crate::sql::expression::Expression;
use crate::sql::types::{Type, WIDTH_MAX};
use crate::sql::value::{Value, in_range, rescaled};

const OF_NUMBER: Function = Function {
    takes: &[Parameter::Number],
    ..OF_TEXT
};

pub(super) static TABLE: &[Function] = &[
    Function {
        names: &["abs"],
        gives: Gives::Of(|arguments| match arguments[0].gives {
            // The least number has no counterpart of 32 bits, and literals have any width.
            Type::Integer => Type::BigInt,
            gives => gives,
        }),
        kernel: Kernel::Typed(|row, from, gives| match from {
            Type::Double => Ok(Value::Double(row.arguments[0].double(row.row).abs())),
            _ => whole(row.whole(0).checked_abs(), gives),
        }),
        help: "a number without its sign: abs(-1) is 1",
        ..OF_NUMBER
    },
    Function {
        names: &["round"],
        takes: &[Parameter::Number, Parameter::WholeLiteral],
        optional: 1,
        gives: Gives::Of(|arguments| match arguments[0].gives {
            Type::Decimal(width, scale) => {
                let digits = places(arguments);
                // Rounded to tens, 99 has a digit more.
                let is_longer = (-i128::from(width)..0).contains(&digits) && width < WIDTH_MAX;
                let longer = u8::from(is_longer && scale == 0);
                Type::Decimal(width + longer, digits.clamp(0, scale.into()) as u8)
            }
            Type::Integer => Type::BigInt,
            gives => gives,
        }),
        kernel: Kernel::Typed(round),
        prepare: |arguments| {
            let Type::Decimal(_, scale) = arguments[0].gives else {
                return super::nothing(arguments);
            };
            Ok(super::Prepared::Scale(scale))
        },
        help: "a number rounded to some digits behind the point, a half away from zero: round(2.345, 2) is 2.35, round(15, -1) is 20",
    },
    Function {
        names: &["floor"],
        gives: Gives::Of(whole_type),
        kernel: Kernel::Typed(|row, from, gives| match from {
            Type::Double => Ok(Value::Double(row.arguments[0].double(row.row).floor())),
            _ => divided(row, gives, i128::div_euclid),
        }),
        prepare: scale,
        help: "the next whole number below: floor(-1.5) is -2",
        ..OF_NUMBER
    },
    Function {
        names: &["ceil", "ceiling"],
        gives: Gives::Of(whole_type),
        kernel: Kernel::Typed(|row, from, gives| match from {
            Type::Double => Ok(Value::Double(row.arguments[0].double(row.row).ceil())),
            _ => divided(row, gives, |units, factor| -(-units).div_euclid(factor)),
        }),
        prepare: scale,
        help: "the next whole number above: ceil(-1.5) is -1",
        ..OF_NUMBER
    },
];

fn whole(number: Option<i128>, gives: Type) -> Result<Value, Fault> {
    let number = number.and_then(|number| in_range(number, gives));
    number.map(Value::Whole).ok_or(Fault::OutOfRange(gives))
}

/// Returns the type of the next whole number: a decimal of a decimal, and else a number with a binary exponent, as in DuckDB.
fn whole_type(arguments: &[Expression]) -> Type {
    match arguments[0].gives {
        Type::Decimal(width, _) => Type::Decimal(width, 0),
        _ => Type::Double,
    }
}

fn scale(arguments: &[Expression]) -> Result<super::Prepared, String> {
    Ok(super::Prepared::Scale(
        arguments[0].gives.scale().unwrap_or(0),
    ))
}

fn factor_of(row: Row<'_>) -> (u8, i128) {
    let scale = match row.prepared {
        super::Prepared::Scale(scale) => *scale,
        _ => 0,
    };
    (scale, 10_i128.saturating_pow(scale.into()))
}

fn divided(row: Row<'_>, gives: Type, by: fn(i128, i128) -> i128) -> Result<Value, Fault> {
    let (_, factor) = factor_of(row);
    let number = by(row.whole(0), factor);
    Ok(match gives {
        Type::Double => Value::Double(number as f64),
        _ => Value::Whole(number),
    })
}

/// Returns the second argument of round, or zero.
fn places(arguments: &[Expression]) -> i128 {
    match arguments.get(1).and_then(Expression::as_literal) {
        Some(Value::Whole(places)) => *places,
        _ => 0,
    }
}

fn round(row: Row<'_>, from: Type, gives: Type) -> Result<Value, Fault> {
    let places = if row.has(1) { row.place(1) } else { 0 };
    if from == Type::Double {
        let number = row.arguments[0].double(row.row);
        return Ok(Value::Double(round_double(number, places)));
    }
    let (scale, _) = factor_of(row);
    let units = row.whole(0);
    if places >= 0 {
        let into = places.clamp(0, scale.into()) as u8;
        return whole(rescaled(units, scale, into), gives);
    }
    // Tens, hundreds and so on: whole numbers of them, and back.
    let down = i64::from(scale) - places;
    if down > 38 {
        return Ok(Value::Whole(0));
    }
    let tens = rescaled(units, down as u8, 0);
    let number =
        tens.and_then(|tens| tens.checked_mul(10_i128.checked_pow(places.unsigned_abs() as u32)?));
    match gives {
        // DuckDB keeps 1000 in the DECIMAL(3,0) that 996 has.
        Type::Decimal(..) => number.map(Value::Whole).ok_or(Fault::OutOfRange(gives)),
        _ => whole(number, gives),
    }
}

/// Rounds to digits behind the point, or before it: the exact value of the number, a half away from zero.
fn round_double(number: f64, places: i64) -> f64 {
    let factor = 10_f64.powi(places.unsigned_abs().min(400) as i32);
    if places < 0 {
        let rounded = (number / factor).round() * factor;
        return if rounded.is_finite() { rounded } else { 0.0 };
    }
    let product = number * factor;
    if !product.is_finite() {
        return number;
    }
    let mut rounded = product.round();
    // The product itself was rounded: if it is a half, its rest says on which side the number lies.
    let rest = number.mul_add(factor, -product);
    if (product - product.trunc()).abs() == 0.5 && rest * product < 0.0 {
        rounded = product.trunc();
    }
    rounded / factor
}
