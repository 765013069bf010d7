//! Keys of groups as bytes, with separators between the parts, and back.

use memchr::{memchr, memchr2};

use super::expression::{Expression, Node};
use super::file::Read;
use super::plan::{Plan, Source};
use super::types::Type;
use super::value::Value;
use super::vector::{Data, Mask, Texts, Values};
use crate::fec::texts::push_number;
use crate::fold::key_words::{KEY_SEPARATOR, NULL_PART};
use crate::scan::ROWS;

/// How a part of a key is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum KeyForm {
    /// The bytes of a text of a file, or of a part of it, which has no separator and is never NULL.
    Plain,
    /// Any value: NULL, and texts that have a separator, are escaped.
    Escaped,
}

/// Begins an escape, as [`NULL_PART`] is one, and what follows: a separator, this byte, the next column of a row.
const ESCAPE: u8 = NULL_PART[0];
const SEPARATOR: u8 = b's';
const ITSELF: u8 = b'e';
const NEXT: u8 = b'r';

impl KeyForm {
    pub(super) fn of(key: &Expression, plan: &Plan) -> KeyForm {
        if !plan.has_joins() && is_text_of_file(key, plan) {
            KeyForm::Plain
        } else {
            KeyForm::Escaped
        }
    }
}

/// Says whether a value is a text of a file, or a part of one, in all rows: it is never NULL.
pub(super) fn is_text_of_file(of: &Expression, plan: &Plan) -> bool {
    let is_in_all_rows = !plan.joins.iter().any(|join| join.keeps[1]);
    matches!(plan.source, Source::Files(..)) && is_in_all_rows && is_plain(of, &plan.read)
}

/// Functions whose values have no characters but those of the first argument, in either case.
const PARTS_OF_TEXTS: [&str; 14] = [
    "array_extract",
    "array_slice",
    "first_name",
    "last_name",
    "left",
    "lower",
    "ltrim",
    "right",
    "rtrim",
    "split_part",
    "substr",
    "trim",
    "upper",
    "zip5",
];

/// Says whether a value is a text of a file, or a part of one.
fn is_plain(of: &Expression, read: &[Read]) -> bool {
    match &of.of {
        // Columns of joined tables follow.
        Node::Column(nth) => read.get(*nth).is_some_and(Read::is_plain),
        Node::Call(function, arguments, _) => {
            let is_value = |of: &Expression| of.as_literal().is_some_and(|of| *of != Value::Null);
            let [of, others @ ..] = &arguments[..] else {
                return false;
            };
            PARTS_OF_TEXTS.contains(&function.names[0])
                && is_plain(of, read)
                && others.iter().all(is_value)
        }
        _ => false,
    }
}

/// Appends a part of the key of a row.
#[inline(always)]
pub(super) fn push_part(
    values: &Values<'_>,
    of: Type,
    form: KeyForm,
    row: usize,
    out: &mut Vec<u8>,
) {
    if form == KeyForm::Plain {
        return out.extend_from_slice(values.text(row));
    }
    if values.valid >> row & 1 == 0 {
        return out.extend_from_slice(&NULL_PART);
    }
    match (&values.data, of) {
        (Data::Boolean(mask), _) => out.push(b'0' + (mask >> row & 1) as u8),
        (Data::Double(numbers), _) => {
            // Zeros of both signs are one number, and so is every NaN.
            let number = match numbers[row] {
                0.0 => 0.0,
                number if number.is_nan() => f64::NAN,
                number => number,
            };
            out.extend_from_slice(format!("{:x}", number.to_bits()).as_bytes());
        }
        (Data::Text(texts), _) => {
            let mut rest = texts.get(row);
            while let Some(place) = memchr2(KEY_SEPARATOR, ESCAPE, rest) {
                let what = if rest[place] == ESCAPE {
                    ITSELF
                } else {
                    SEPARATOR
                };
                out.extend_from_slice(&rest[..place]);
                out.extend_from_slice(&[ESCAPE, what]);
                rest = &rest[place + 1..];
            }
            out.extend_from_slice(rest);
        }
        _ => {
            let number = values.wide(row);
            if number < 0 {
                out.push(b'-');
            }
            match usize::try_from(number.unsigned_abs()) {
                Ok(size) => push_number(size, out),
                Err(_) => out.extend_from_slice(number.unsigned_abs().to_string().as_bytes()),
            }
        }
    }
}

/// Appends a value, or NULL, as a part of a key.
pub(super) fn push_value(value: &Value, of: Type, out: &mut Vec<u8>) {
    push_part(&Values::same(value, 1), of, KeyForm::Escaped, 0, out);
}

/// Returns the value that a part of a key stands for; none if no value of the type is written so.
pub(super) fn value_of(part: &[u8], of: Type, form: KeyForm) -> Option<Value> {
    let value = decode([part].into_iter(), of, form).get(0, of);
    let mut written = Vec::new();
    match form {
        KeyForm::Plain => written.extend_from_slice(part),
        KeyForm::Escaped => push_value(&value, of, &mut written),
    }
    (written == part && value.is_of(of)).then_some(value)
}

/// Appends the values of a row of some columns, so that no other row of them has these bytes. Nobody reads them back.
pub(super) fn push_row<'v>(
    columns: impl Iterator<Item = (&'v Values<'v>, Type)>,
    row: usize,
    out: &mut Vec<u8>,
) {
    for (nth, (values, of)) in columns.enumerate() {
        if nth > 0 {
            out.extend_from_slice(&[ESCAPE, NEXT]);
        }
        push_part(values, of, KeyForm::Escaped, row, out);
    }
}

/// Returns the values of parts.
pub(super) fn decode<'k>(
    parts: impl Iterator<Item = &'k [u8]>,
    of: Type,
    form: KeyForm,
) -> Values<'static> {
    let (mut valid, mut mask) = (0, 0);
    let (mut numbers, mut doubles) = ([0; ROWS], [0.0; ROWS]);
    let (mut bytes, mut spans) = (Vec::new(), [[0; 2]; ROWS]);
    for (row, part) in parts.enumerate() {
        if form == KeyForm::Escaped && part == NULL_PART {
            continue;
        }
        valid |= 1 << row;
        let text = || std::str::from_utf8(part).unwrap_or_default();
        match of {
            Type::Null => valid &= !(1 << row),
            Type::Boolean => mask |= Mask::from(part == b"1") << row,
            Type::Double => {
                doubles[row] = f64::from_bits(u64::from_str_radix(text(), 16).unwrap_or_default());
            }
            Type::Varchar => {
                let start = bytes.len() as u32;
                push_text(part, form, &mut bytes);
                spans[row] = [start, bytes.len() as u32];
            }
            _ => numbers[row] = text().parse().unwrap_or_default(),
        }
    }
    let data = match of {
        Type::Null | Type::Boolean => Data::Boolean(mask),
        Type::Double => Data::Double(doubles),
        Type::Varchar => Data::Text(Texts::Made(bytes, spans)),
        of => super::evaluate::numbers_of(numbers, of),
    };
    Values { valid, data }
}

fn push_text(part: &[u8], form: KeyForm, out: &mut Vec<u8>) {
    if form == KeyForm::Plain || memchr(ESCAPE, part).is_none() {
        return out.extend_from_slice(part);
    }
    let mut part = part.iter();
    while let Some(&byte) = part.next() {
        out.push(match (byte, byte == ESCAPE) {
            (_, true) => match part.next() {
                Some(&SEPARATOR) => KEY_SEPARATOR,
                _ => ESCAPE,
            },
            (byte, false) => byte,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_read_back() {
        let values = [
            (Value::Null, Type::Varchar),
            (Value::text(b""), Type::Varchar),
            (Value::text(b"a\nb\x1bn\x1b"), Type::Varchar),
            (Value::Whole(-5), Type::BigInt),
            (Value::Null, Type::BigInt),
            (Value::Whole(i128::MIN + 1), Type::HugeInt),
            (
                Value::Decimal {
                    units: -1250,
                    scale: 2,
                },
                Type::Decimal(14, 2),
            ),
            (Value::Boolean(true), Type::Boolean),
            (Value::Boolean(false), Type::Boolean),
            (Value::Double(-1.5), Type::Double),
            (Value::Date(20_180_131), Type::Date),
        ];
        for (value, of) in values {
            let mut key = Vec::new();
            push_part(&Values::same(&value, 1), of, KeyForm::Escaped, 0, &mut key);
            assert!(!key.contains(&KEY_SEPARATOR));
            let read = decode([&key[..]].into_iter(), of, KeyForm::Escaped);
            assert_eq!(read.get(0, of), value);
            assert_eq!(value_of(&key, of, KeyForm::Escaped), Some(value));
        }
    }

    #[test]
    fn keys_that_no_value_makes_are_refused() {
        for (key, of) in [
            (&b"007"[..], Type::BigInt),
            (b"-0", Type::BigInt),
            (b"", Type::BigInt),
            (b"9223372036854775808", Type::BigInt),
            (b"3000000000", Type::Integer),
            (b"20180230", Type::Date),
            // The day after two to the power of 32.
            (b"4315147397", Type::Date),
            (b"2", Type::Boolean),
            (b"8000000000000000", Type::Double),
            (b"\x1bx", Type::Varchar),
            (b"\x1b", Type::Varchar),
            (b"x", Type::Null),
        ] {
            assert_eq!(value_of(key, of, KeyForm::Escaped), None, "{key:?}");
        }
    }
}
