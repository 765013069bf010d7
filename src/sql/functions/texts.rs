//! Functions of texts. A text that is not UTF-8 has a character for each byte.

use std::str;

use memchr::memmem;

use super::{Function, Gives, Kernel, OF_TEXT, Parameter, Row};
use crate::fec::{derived, texts};
use crate::sql::evaluate::Fault;
use crate::sql::types::Type;

pub(super) static TABLE: &[Function] = &[
    Function {
        names: &["lower", "lcase"],
        kernel: Kernel::Text(|row, out| texts::lower(row.text(0), out)),
        help: "a text in small letters: lower('Ab') is 'ab'",
        ..OF_TEXT
    },
    Function {
        names: &["upper", "ucase"],
        kernel: Kernel::Text(|row, out| texts::upper(row.text(0), out)),
        help: "a text in capitals: upper('Ab') is 'AB'",
        ..OF_TEXT
    },
    Function {
        names: &["trim"],
        takes: &[Parameter::Text, Parameter::Text],
        optional: 1,
        kernel: Kernel::Text(|row, out| out.extend_from_slice(trimmed(row, true, true))),
        help: "a text without blanks, or other characters, at its ends: trim(' a ') is 'a', trim('xax', 'x') too",
        ..OF_TEXT
    },
    Function {
        names: &["ltrim"],
        takes: &[Parameter::Text, Parameter::Text],
        optional: 1,
        kernel: Kernel::Text(|row, out| out.extend_from_slice(trimmed(row, true, false))),
        help: "a text without blanks, or other characters, at its beginning",
        ..OF_TEXT
    },
    Function {
        names: &["rtrim"],
        takes: &[Parameter::Text, Parameter::Text],
        optional: 1,
        kernel: Kernel::Text(|row, out| out.extend_from_slice(trimmed(row, false, true))),
        help: "a text without blanks, or other characters, at its end",
        ..OF_TEXT
    },
    Function {
        names: &["length", "len", "char_length", "character_length"],
        gives: Gives::Always(Type::BigInt),
        kernel: Kernel::Whole(|row| texts::len(row.text(0)) as i128),
        help: "the number of characters: length('Zoë') is 3",
        ..OF_TEXT
    },
    Function {
        names: &["left"],
        takes: &[Parameter::Text, Parameter::Whole],
        kernel: Kernel::Text(|row, out| {
            let (text, count) = (row.text(0), row.place(1));
            let end = if count < 0 {
                texts::len(text) as i64 + count
            } else {
                count
            };
            out.extend_from_slice(between(text, 0, end));
        }),
        help: "the first characters: left('abc', 2) is 'ab', left('abc', -1) too",
        ..OF_TEXT
    },
    Function {
        names: &["right"],
        takes: &[Parameter::Text, Parameter::Whole],
        kernel: Kernel::Text(|row, out| {
            let (text, count) = (row.text(0), row.place(1));
            let length = texts::len(text) as i64;
            let start = if count < 0 { -count } else { length - count };
            out.extend_from_slice(between(text, start, length));
        }),
        help: "the last characters: right('abc', 2) is 'bc', right('abc', -1) too",
        ..OF_TEXT
    },
    Function {
        names: &["substr", "substring"],
        takes: &[Parameter::Text, Parameter::Whole, Parameter::Whole],
        optional: 1,
        kernel: Kernel::Text(|row, out| out.extend_from_slice(substr(row))),
        help: "characters from a place on, counted from 1, and how many: substr('abcd', 2, 2) is 'bc'",
        ..OF_TEXT
    },
    Function {
        names: &["array_slice"],
        takes: &[Parameter::Text, Parameter::Whole, Parameter::Whole],
        kernel: Kernel::Text(|row, out| {
            let (text, from, to) = (row.text(0), row.place(1), row.place(2));
            let length = texts::len(text) as i64;
            let start = if from < 0 {
                length + from
            } else {
                (from - 1).max(0)
            };
            let end = if to < 0 { length + to + 1 } else { to };
            out.extend_from_slice(between(text, start, end));
        }),
        help: "characters from a place to another, also written x[2:3]: 'abcd'[2:3] is 'bc'",
        ..OF_TEXT
    },
    Function {
        names: &["array_extract"],
        takes: &[Parameter::Text, Parameter::Whole],
        kernel: Kernel::Text(|row, out| {
            let (text, at) = (row.text(0), row.place(1));
            let start = if at < 0 {
                texts::len(text) as i64 + at
            } else {
                at - 1
            };
            if start >= 0 {
                out.extend_from_slice(between(text, start, start + 1));
            }
        }),
        help: "the character at a place, also written x[2]: 'abcd'[2] is 'b'",
        ..OF_TEXT
    },
    Function {
        names: &["replace"],
        takes: &[Parameter::Text, Parameter::Text, Parameter::Text],
        kernel: Kernel::Text(replace),
        help: "a text with other words in the place of some: replace('a-b-c', '-', '+') is 'a+b+c'",
        ..OF_TEXT
    },
    Function {
        names: &["||"],
        takes: &[Parameter::Text, Parameter::Text],
        kernel: Kernel::Text(|row, out| {
            out.extend_from_slice(row.text(0));
            out.extend_from_slice(row.text(1));
        }),
        help: "a text and another one: 'a' || 'b' is 'ab'",
        ..OF_TEXT
    },
    Function {
        names: &["contains"],
        takes: &[Parameter::Text, Parameter::Text],
        gives: Gives::Always(Type::Boolean),
        kernel: Kernel::Boolean(|row| memmem::find(row.text(0), row.text(1)).is_some()),
        help: "whether a text has another one in it: contains('abc', 'b')",
        ..OF_TEXT
    },
    Function {
        names: &["starts_with", "prefix", "^@"],
        takes: &[Parameter::Text, Parameter::Text],
        gives: Gives::Always(Type::Boolean),
        kernel: Kernel::Boolean(|row| row.text(0).starts_with(row.text(1))),
        help: "whether a text begins with another one: starts_with('abc', 'a')",
        ..OF_TEXT
    },
    Function {
        names: &["ends_with", "suffix"],
        takes: &[Parameter::Text, Parameter::Text],
        gives: Gives::Always(Type::Boolean),
        kernel: Kernel::Boolean(|row| row.text(0).ends_with(row.text(1))),
        help: "whether a text ends with another one: ends_with('abc', 'bc')",
        ..OF_TEXT
    },
    Function {
        names: &["strpos", "instr", "position"],
        takes: &[Parameter::Text, Parameter::Text],
        gives: Gives::Always(Type::BigInt),
        kernel: Kernel::Whole(|row| {
            let (text, wanted) = (row.text(0), row.text(1));
            let place = memmem::find(text, wanted);
            let before = |place: usize| texts::len(&text[..place]) as i128 + 1;
            // The characters before it are those of the whole text.
            let is_utf8 = text.is_ascii() || str::from_utf8(text).is_ok();
            place.map_or(0, |place| {
                if is_utf8 {
                    before(place)
                } else {
                    place as i128 + 1
                }
            })
        }),
        help: "the place where a text has another one, counted from 1, else 0: strpos('abc', 'b') is 2",
        ..OF_TEXT
    },
    Function {
        names: &["levenshtein", "editdist3"],
        takes: &[Parameter::Text, Parameter::Text],
        gives: Gives::Always(Type::BigInt),
        kernel: Kernel::Number(levenshtein),
        help: "how many characters to change, add or leave out to make one text of another: levenshtein('SMITH', 'SMYTHE') is 2",
        ..OF_TEXT
    },
    Function {
        names: &["split_part"],
        takes: &[Parameter::Text, Parameter::Text, Parameter::Whole],
        kernel: Kernel::Text(|row, out| out.extend_from_slice(split_part(row))),
        help: "a part of a text, counted from 1: split_part('DOE, JANE', ', ', 2) is 'JANE'",
        ..OF_TEXT
    },
    Function {
        names: &["first_name"],
        kernel: Kernel::Text(|row, out| out.extend_from_slice(derived::first_name(row.text(0)))),
        help: "the word after a comma and a blank: first_name('DOE, JANE Q') is 'JANE'",
        ..OF_TEXT
    },
    Function {
        names: &["last_name"],
        kernel: Kernel::Text(|row, out| out.extend_from_slice(derived::last_name(row.text(0)))),
        help: "what stands before the comma of a name: last_name('DOE, JANE') is 'DOE'",
        ..OF_TEXT
    },
    Function {
        names: &["zip5"],
        kernel: Kernel::Text(|row, out| out.extend_from_slice(derived::zip5(row.text(0)))),
        help: "the five digits with which a text begins, or '': zip5('974770001') is '97477'",
        ..OF_TEXT
    },
];

/// Returns the characters between two places, counted from zero. Places outside of the text are its ends.
pub(super) fn between(text: &[u8], start: i64, end: i64) -> &[u8] {
    let [start, end] = [start, end].map(|place| place.max(0) as usize);
    if start >= end {
        return &[];
    }
    let wide = if text.is_ascii() {
        None
    } else {
        str::from_utf8(text).ok()
    };
    let Some(wide) = wide else {
        return text.get(start..end.min(text.len())).unwrap_or_default();
    };
    let mut places = wide.char_indices().map(|(place, _)| place);
    let Some(from) = places.nth(start) else {
        return &[];
    };
    let to = places.nth(end - start - 1).unwrap_or(text.len());
    &text[from..to]
}

fn substr<'v>(row: Row<'v>) -> &'v [u8] {
    let (text, from) = (row.text(0), row.place(1));
    let length = texts::len(text) as i64;
    let start = if from < 0 { length + from } else { from - 1 };
    let (start, end) = if row.has(2) {
        let end = start + row.place(2);
        (start.min(end), start.max(end))
    } else {
        (start, length)
    };
    between(text, start, end)
}

/// Says whether a character is a blank of any width: Unicode's category Zs, which DuckDB trims. Tabs and line breaks are none.
fn is_blank(c: char) -> bool {
    c.is_whitespace() && !matches!(c, '\t'..='\r' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// The blanks of texts that are no UTF-8: these are of Windows-1252, which has a blank that breaks no line.
const BLANK_BYTES: &[u8] = b" \xa0";

/// Leaves out characters at the ends.
fn trimmed<'v>(row: Row<'v>, at_start: bool, at_end: bool) -> &'v [u8] {
    let mut text = row.text(0);
    let of = if row.has(1) { row.text(1) } else { BLANK_BYTES };
    let are_wide = row.has(1) && !of.is_ascii() || !text.is_ascii();
    let characters = if row.has(1) {
        str::from_utf8(of)
    } else {
        Ok("")
    };
    if are_wide && let (Ok(whole), Ok(of)) = (str::from_utf8(text), characters) {
        let is_one = |c: char| of.contains(c) || !row.has(1) && is_blank(c);
        let whole = if at_start {
            whole.trim_start_matches(is_one)
        } else {
            whole
        };
        let whole = if at_end {
            whole.trim_end_matches(is_one)
        } else {
            whole
        };
        return whole.as_bytes();
    }
    while at_start
        && let [one, rest @ ..] = text
        && of.contains(one)
    {
        text = rest;
    }
    while at_end
        && let [rest @ .., one] = text
        && of.contains(one)
    {
        text = rest;
    }
    text
}

fn replace(row: Row<'_>, out: &mut Vec<u8>) {
    let (text, from, to) = (row.text(0), row.text(1), row.text(2));
    if from.is_empty() {
        return out.extend_from_slice(text);
    }
    let mut rest = 0;
    for place in memmem::find_iter(text, from) {
        out.extend_from_slice(&text[rest..place]);
        out.extend_from_slice(to);
        rest = place + from.len();
    }
    out.extend_from_slice(&text[rest..]);
}

/// The most characters of a text that is compared one by one.
const COMPARED_MOST: usize = 10_000;

fn levenshtein(row: Row<'_>) -> Result<i128, Fault> {
    let characters = |text: &[u8]| match str::from_utf8(text) {
        Ok(text) => text.chars().collect::<Vec<_>>(),
        Err(_) => text.iter().map(|&byte| char::from(byte)).collect(),
    };
    let [one, other] = [0, 1].map(|nth| characters(row.text(nth)));
    if one.len().max(other.len()) > COMPARED_MOST {
        return Err(Fault::Refused(
            "levenshtein takes texts of up to 10000 characters",
        ));
    }
    Ok(strsim::generic_levenshtein(&one, &other) as i128)
}

fn split_part<'v>(row: Row<'v>) -> &'v [u8] {
    let (text, separator, number) = (row.text(0), row.text(1), row.place(2));
    if separator.is_empty() {
        // Each character is a part.
        let length = texts::len(text) as i64;
        let at = if number < 0 {
            length + number
        } else {
            number - 1
        };
        return if at < 0 {
            &[]
        } else {
            between(text, at, at + 1)
        };
    }
    let parts = memmem::find_iter(text, separator).count() as i64 + 1;
    let at = if number < 0 {
        parts + number
    } else {
        number - 1
    };
    if !(0..parts).contains(&at) {
        return &[];
    }
    let mut places = memmem::find_iter(text, separator);
    let start = match at {
        0 => 0,
        at => places
            .nth(at as usize - 1)
            .map_or(text.len(), |place| place + separator.len()),
    };
    let end = places.next().unwrap_or(text.len());
    &text[start..end]
}
