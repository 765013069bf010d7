//! Keys in registers against keys written to memory.

use std::iter;
use std::ops::Range;

use super::super::arguments::Arguments;
use super::super::{append, functions};
use super::*;
use crate::scan::Cell;
use crate::scan::simd::Portable;

/// Columns of every form, some of them nearly so.
const COLUMNS: [&[u8]; 32] = [
    b"",
    b"\0",
    b"C",
    b"CA",
    b"\0A",
    b"12345",
    b"1234567",
    b"12345678",
    b"123456789",
    b"01312018",
    b" 01312018",
    b"01/31/2018",
    b"aZ{`@[",
    b"n\xc3\xb1",
    b" ca",
    b"ca\t",
    b" ",
    b"13012018",
    b"0131201x",
    b"20180131",
    b"19390131",
    b"201802029090000001",
    b"90049-12",
    b"9004",
    b"K1A 0B1",
    b"\xff\xff\xff\xff\xff\xff\xff\xff",
    b"a long name, of somebody",
    b"ROE, A ",
    b"C00401224",
    b"\0 in twelve.",
    b"sixteen bytes ab",
    b"\xff\xff\xff\xff\xff\xff\xff\xffsixteen.",
];

/// Checks the keys of rows that have these columns. Returns how many are words.
fn check(columns: &[(KeyFunction, Vector<'_>)], rows: usize) -> usize {
    let mut keys = KeyWords::default();
    for (nth, (function, column)) in columns.iter().enumerate() {
        keys.push(
            Portable,
            Place::of(nth, columns.len()),
            function,
            column,
            rows,
        );
    }
    // These leave some values to bytes in memory.
    let may_decline = columns.iter().any(|(function, _)| {
        let words = function.call().and_then(Call::words);
        matches!(
            words,
            Some(
                WordFunction::Upper
                    | WordFunction::Lower
                    | WordFunction::Trim
                    | WordFunction::Prefix(_)
                    | WordFunction::FirstName
            )
        )
    });
    let mut words = 0;
    for row in 0..rows {
        let mut key = Vec::new();
        let mut has_short = true;
        for (nth, (function, column)) in columns.iter().enumerate() {
            key.extend((nth > 0).then_some(KEY_SEPARATOR));
            let start = key.len();
            append(function, column.cell(row), &mut key);
            let value = &key[start..];
            let is_wide = columns.len() == 1 && function.is_none();
            let longest = if is_wide { 16 } else { 8 };
            has_short &= value.len() <= longest && value.first() != Some(&0);
            has_short &= function.call().is_none_or(|call| call.words().is_some());
        }
        // One that begins so is no word.
        has_short &= key.len() < 16 || !key.starts_with(&[0xff; 8]);
        let expected = Cell::from(&key[..]).wide_word().filter(|_| has_short);
        let found = keys.get(row);
        if found.is_some() || !may_decline {
            assert_eq!(found, expected, "{}", key.escape_ascii());
        }
        words += usize::from(found.is_some());
    }
    assert_eq!(keys.without(rows), rows - words);
    words
}

/// Keys of values of every function are the same as words and as bytes written to memory.
#[test]
fn words_are_keys_written_to_memory() {
    let functions: Vec<_> = iter::once(KeyFunction::NONE)
        .chain(KeyFunction::names().filter_map(KeyFunction::named))
        .chain([1, 3, 8, 9].map(|length| {
            let prefix = functions::named("prefix").unwrap();
            KeyFunction::NONE.then(prefix, Arguments::Length(length))
        }))
        .collect();
    let [months, zip_codes] = ["month", "zip5"].map(|name| KeyFunction::named(name).unwrap());
    let mut words = 0;
    for behind in [&b""[..], b"|12345678901234567"] {
        let haystack = COLUMNS.map(|column| [column, behind].concat()).concat();
        let mut start = 0;
        let spans = COLUMNS.map(|column| {
            let span = start..start + column.len();
            start = span.end + behind.len();
            span
        });
        let vector = |spans: &[Range<usize>]| Vector::of(&haystack, spans);
        let every = vector(&spans);
        let all = |function: &KeyFunction| (function.clone(), every.clone());
        let (rows, bytes) = (spans.len(), &KeyFunction::NONE);
        for function in &functions {
            words += check(&[all(function)], rows);
            for span in &spans {
                let one = vector(&vec![span.clone(); rows]);
                let same = |function: &KeyFunction| (function.clone(), one.clone());
                words += check(&[same(function)], rows);
                words += check(&[same(function), all(bytes)], rows);
                words += check(&[all(bytes), same(function)], rows);
                words += check(&[all(&months), same(function), all(bytes)], rows);
                let four = [same(bytes), same(bytes), all(function), all(&zip_codes)];
                words += check(&four, rows);
            }
        }
    }
    assert!(words > 5000, "{words} keys are words");
}

#[test]
fn shifts_may_be_of_any_number_of_bits() {
    for bits in 0..=u64::from(u8::MAX) {
        let shift = bits as u32;
        assert_eq!(left(0x81, bits), 0x81_u64.checked_shl(shift).unwrap_or(0));
        assert_eq!(
            right(!0x81, bits),
            (!0x81_u64).checked_shr(shift).unwrap_or(0)
        );
    }
    assert_eq!((left(1, u64::MAX), right(1, u64::MAX)), (0, 0));
}
