//! Reads texts as values of other types, as DuckDB's casts do.

use std::borrow::Cow;

use crate::fec::date;
use crate::sql::types::Type;
use crate::sql::value::{NoCast, Value, whole_or_decimal};

/// Reads a text as a value of another type.
pub(in crate::sql) fn of_text(text: &[u8], to: Type) -> Result<Value, NoCast> {
    let trimmed = text.trim_ascii();
    match to {
        Type::Boolean => {
            let is = |words: &[&str]| {
                words
                    .iter()
                    .any(|word| trimmed.eq_ignore_ascii_case(word.as_bytes()))
            };
            match (
                is(&["true", "t", "yes", "y", "1"]),
                is(&["false", "f", "no", "n", "0"]),
            ) {
                (true, _) => Ok(Value::Boolean(true)),
                (_, true) => Ok(Value::Boolean(false)),
                _ => Err(NoCast::Unreadable),
            }
        }
        Type::Date => day_of(trimmed).map(Value::Date).ok_or(NoCast::Unreadable),
        Type::Varchar | Type::Null => Ok(Value::text(text)),
        Type::Double => {
            let digits = without_underscores(trimmed).ok_or(NoCast::Unreadable)?;
            let text = std::str::from_utf8(&digits).map_err(|_| NoCast::Unreadable)?;
            let is_number = text.parse().map_err(|_| NoCast::Unreadable);
            is_number.map(Value::Double)
        }
        to => {
            let scale = to.scale().ok_or(NoCast::Unreadable)?;
            let digits = without_underscores(trimmed).ok_or(NoCast::Unreadable)?;
            if let Some(number) = whole_of_base(&digits).filter(|_| to.is_whole()) {
                return whole_or_decimal(number, 0, to);
            }
            let units = units_of(&digits, scale).ok_or(NoCast::Unreadable)?;
            whole_or_decimal(units.ok_or(NoCast::OutOfRange)?, scale, to)
        }
    }
}

/// Reads a day such as 2018-01-31, 2018/1/31 or 2018 1 31, with a time behind it or none.
fn day_of(text: &[u8]) -> Option<u32> {
    let mut rest = text;
    let year = number(&mut rest, 4)?;
    let separator = *rest.first().filter(|byte| b"-/ \\".contains(byte))?;
    let mut next = || {
        rest = rest.strip_prefix(&[separator])?;
        number(&mut rest, 2)
    };
    let (month, day) = (next()?, next()?);
    let is_day = match rest {
        [] => true,
        [b'T', time @ ..] => is_time(time),
        [b' ', ..] => is_time(rest.trim_ascii_start()),
        _ => false,
    };
    let day = format!("{year:04}-{month:02}-{day:02}");
    is_day.then(|| date::of_iso(day.as_bytes()))?
}

/// Takes a number of at most so many digits off a text.
fn number(text: &mut &[u8], most: usize) -> Option<u32> {
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (number, rest) = text.split_at(digits);
    *text = rest;
    let digit = |number, digit: &u8| 10 * number + u32::from(digit - b'0');
    (1..=most)
        .contains(&digits)
        .then(|| number.iter().fold(0, digit))
}

/// Says whether a text is a time such as `10:00`, `10:00:00.5`, `10:00:00Z` or `10:00:00+02:00`.
fn is_time(text: &[u8]) -> bool {
    let mut rest = text;
    let mut parts = Vec::new();
    while parts.len() < 3 {
        match number(&mut rest, 2) {
            Some(part) => parts.push(part),
            None => return false,
        }
        match rest {
            [b':', more @ ..] if parts.len() < 3 => rest = more,
            _ => break,
        }
    }
    if let ([_, _, _], [b'.', more @ ..]) = (&parts[..], rest) {
        let digits = more.iter().take_while(|byte| byte.is_ascii_digit());
        rest = &more[digits.count()..];
    }
    let is_right = match parts[..] {
        [24, 0] | [24, 0, 0] => true,
        [hour, minute] => hour < 24 && minute < 60,
        [hour, minute, second] => hour < 24 && minute < 60 && second < 60,
        _ => false,
    };
    let is_zone = match rest.trim_ascii() {
        [] | b"Z" | b"UTC" => true,
        [b'+' | b'-', zone @ ..] => {
            let mut zone = zone;
            let hours = number(&mut zone, 2);
            let minutes = match zone {
                [b':', minutes @ ..] => number(&mut { minutes }, 2),
                [] => Some(0),
                _ => None,
            };
            hours.is_some() && minutes.is_some()
        }
        _ => false,
    };
    is_right && is_zone
}

/// Returns the digits of a number without the underscores between them. Others belong to no number.
fn without_underscores(text: &[u8]) -> Option<Cow<'_, [u8]>> {
    if !text.contains(&b'_') {
        return Some(Cow::Borrowed(text));
    }
    let is_digit = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_hexdigit);
    let mut places = text.iter().enumerate();
    let are_between = places.all(|(nth, byte)| {
        *byte != b'_' || nth > 0 && is_digit(text.get(nth - 1)) && is_digit(text.get(nth + 1))
    });
    let digits = text.iter().copied().filter(|byte| *byte != b'_');
    are_between.then(|| digits.collect())
}

/// Reads a whole number such as `0x1f` or `0b11`.
fn whole_of_base(text: &[u8]) -> Option<i128> {
    let (base, digits) = match text {
        [b'0', b'x' | b'X', digits @ ..] => (16, digits),
        [b'0', b'b' | b'B', digits @ ..] => (2, digits),
        _ => return None,
    };
    let digits = str::from_utf8(digits).ok()?;
    let is_plain = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    i128::from_str_radix(digits, base).ok().filter(|_| is_plain)
}

/// Reads a number with a point and an exponent, rounded to a scale. The inner `None` means that it has too many digits.
fn units_of(text: &[u8], scale: u8) -> Option<Option<i128>> {
    let (is_negative, digits) = match text {
        [b'-', digits @ ..] => (true, digits),
        [b'+', digits @ ..] => (false, digits),
        digits => (false, digits),
    };
    let exponent_at = digits.iter().position(|byte| matches!(byte, b'e' | b'E'));
    let (digits, exponent) = match exponent_at {
        None => (digits, 0),
        Some(at) => {
            let exponent = std::str::from_utf8(&digits[at + 1..]).ok()?;
            (&digits[..at], exponent.parse::<i32>().ok()?)
        }
    };
    let point = digits.iter().position(|byte| *byte == b'.');
    let (front, behind) = match point {
        None => (digits, &b""[..]),
        Some(at) => (&digits[..at], &digits[at + 1..]),
    };
    let are_digits = front.iter().chain(behind).all(u8::is_ascii_digit);
    if !are_digits || front.len() + behind.len() == 0 {
        return None;
    }
    // The place of the last digit that is kept, counted from the first.
    let kept = front.len() as i64 + i64::from(exponent) + i64::from(scale);
    let all = [front, behind].concat();
    let mut units: Option<i128> = Some(0);
    for place in 0..kept.max(0) as usize {
        if units.is_none() || units == Some(0) && place >= all.len() {
            break;
        }
        let digit = all.get(place).map_or(0, |digit| digit - b'0');
        units = units
            .and_then(|units| units.checked_mul(10))
            .and_then(|units| units.checked_add(digit.into()));
    }
    let next = usize::try_from(kept).ok().and_then(|kept| all.get(kept));
    if next.is_some_and(|digit| *digit >= b'5') {
        units = units.and_then(|units| units.checked_add(1));
    }
    Some(units.map(|units| if is_negative { -units } else { units }))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The values are DuckDB's.
    #[test]
    fn texts_are_read_as_duckdb_casts_them() {
        let decimal = |text: &str| {
            let value = Value::text(text.as_bytes()).cast(Type::Decimal(14, 2));
            value.map(|value| value.to_string())
        };
        for (text, value) in [
            ("5.", "5.00"),
            (".5", "0.50"),
            ("1e3", "1000.00"),
            ("+5", "5.00"),
            ("5.555", "5.56"),
            ("-5.555", "-5.56"),
            ("  5 ", "5.00"),
            ("1e-1", "0.10"),
            ("1e-9", "0.00"),
            ("0.005", "0.01"),
        ] {
            assert_eq!(decimal(text).as_deref(), Ok(value), "{text}");
        }
        for text in ["", "- 5", "1,000", "x", ".", "1e", "--5"] {
            assert_eq!(decimal(text), Err(NoCast::Unreadable), "{text}");
        }
        let whole = |text: &str| Value::text(text.as_bytes()).cast(Type::Integer);
        assert_eq!(whole("5.5"), Ok(Value::Whole(6)));
        assert_eq!(whole("3000000000"), Err(NoCast::OutOfRange));
        let day = |text: &str| Value::text(text.as_bytes()).cast(Type::Date);
        assert_eq!(day("2018-1-31"), Ok(Value::Date(20_180_131)));
        assert_eq!(day("20180131"), Err(NoCast::Unreadable));
        assert_eq!(day("2018-02-30"), Err(NoCast::Unreadable));
    }
}
