//! Functions that fill texts up.

use super::texts::between;
use super::{Function, Kernel, OF_TEXT, Parameter, Prepared, Row, literal_text};
use crate::fec::texts;
use crate::sql::expression::Expression;
use crate::sql::value::Value;

pub(super) static TABLE: &[Function] = &[
    Function {
        names: &["lpad"],
        takes: &[
            Parameter::Text,
            Parameter::WholeLiteral,
            Parameter::TextLiteral,
        ],
        prepare: |arguments| padding(arguments, "lpad"),
        kernel: Kernel::Text(|row, out| {
            let text = between(row.text(0), 0, row.place(1));
            pad(row, text, out);
            out.extend_from_slice(text);
        }),
        help: "a text of so many characters, with others before it: lpad('7', 3, '0') is '007'",
        ..OF_TEXT
    },
    Function {
        names: &["rpad"],
        takes: &[
            Parameter::Text,
            Parameter::WholeLiteral,
            Parameter::TextLiteral,
        ],
        prepare: |arguments| padding(arguments, "rpad"),
        kernel: Kernel::Text(|row, out| {
            let text = between(row.text(0), 0, row.place(1));
            out.extend_from_slice(text);
            pad(row, text, out);
        }),
        help: "a text of so many characters, with others after it: rpad('ab', 4, '.') is 'ab..'",
        ..OF_TEXT
    },
];

/// The most characters that `lpad` and `rpad` fill up to.
const PADDED_MOST: i128 = 10_000;

/// Checks to how many characters a text is filled up, and with what.
fn padding(arguments: &[Expression], function: &str) -> Result<Prepared, String> {
    let characters = match arguments[1].as_literal() {
        Some(Value::Whole(characters)) => *characters,
        _ => 0,
    };
    if characters > PADDED_MOST {
        return Err(format!(
            "{function} makes texts of up to {PADDED_MOST} characters"
        ));
    }
    let with = literal_text(arguments, 2).unwrap_or_default();
    if with.is_empty() {
        return Err(format!(
            "{function} takes characters to fill up with, such as '0'"
        ));
    }
    Ok(Prepared::Nothing)
}

/// Adds the characters that a text lacks.
fn pad(row: Row<'_>, text: &[u8], out: &mut Vec<u8>) {
    let (with, lacks) = (row.text(2), row.place(1) - texts::len(text) as i64);
    let length = texts::len(with) as i64;
    for _ in 0..lacks.max(0) / length {
        out.extend_from_slice(with);
    }
    out.extend_from_slice(between(with, 0, lacks.max(0) % length));
}
