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
            let is_wide = nth == 0 && function.is_none();
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

/// Steps give the values of functions of texts and days, or none.
#[test]
fn steps_make_the_values_of_functions() {
    use crate::fec::{date, derived, texts};
    type Value = fn(&[u8], &mut Vec<u8>);
    fn day(text: &[u8], out: &mut Vec<u8>, part: fn(u32) -> u32) {
        match date::of_column(text) {
            Some(day) => out.extend_from_slice(part(day).to_string().as_bytes()),
            None => out.extend_from_slice(b"no day has a value"),
        }
    }
    let steps: [(&[WordStep], Value); 10] = [
        (&[WordStep::Upper], |text, out| texts::upper(text, out)),
        (&[WordStep::Lower], |text, out| texts::lower(text, out)),
        (&[WordStep::Prefix(3), WordStep::Upper], |text, out| {
            texts::upper(texts::prefix(text, 3), out);
        }),
        (&[WordStep::Zip5, WordStep::Prefix(3)], |text, out| {
            out.extend_from_slice(texts::prefix(derived::zip5(text), 3));
        }),
        (&[WordStep::FirstName, WordStep::Lower], |text, out| {
            texts::lower(derived::first_name(text), out);
        }),
        (&[WordStep::Day(DayPart::Day)], |text, out| {
            day(text, out, |day| day);
        }),
        (&[WordStep::Day(DayPart::FirstOfMonth)], |text, out| {
            day(text, out, |day| day / 100 * 100 + 1);
        }),
        (&[WordStep::Day(DayPart::FirstOfYear)], |text, out| {
            day(text, out, |day| day / 10_000 * 10_000 + 101);
        }),
        (&[WordStep::Day(DayPart::Year)], |text, out| {
            day(text, out, |day| day / 10_000);
        }),
        (&[WordStep::Day(DayPart::Month)], |text, out| {
            day(text, out, |day| day / 100 % 100);
        }),
    ];
    // All days of two years, and some that no year has.
    let days = (0..=13).flat_map(|month| (0..=32).map(move |day| (month, day)));
    let days = days.flat_map(|(month, day)| {
        ["2016", "1900", "0999"].map(|year| format!("{month:02}{day:02}{year}").into_bytes())
    });
    let texts: Vec<_> = COLUMNS
        .map(<[u8]>::to_vec)
        .into_iter()
        .chain(days)
        .collect();
    let mut words = 0;
    for some in texts.chunks(ROWS) {
        let haystack = [&some.concat()[..], &[b'|'; 80]].concat();
        let mut end = 0;
        let spans: Vec<_> = some
            .iter()
            .map(|text| {
                end += text.len();
                end - text.len()..end
            })
            .collect();
        let column = Vector::of(&haystack, &spans);
        for (steps, value) in &steps {
            let values = ValueWords::of_steps(Portable, steps, &column, some.len());
            let missing = values.missing(some.len());
            for (row, text) in some.iter().enumerate() {
                let mut expected = Vec::new();
                value(text, &mut expected);
                if missing >> row & 1 == 0 {
                    let found = values.words[row].to_le_bytes();
                    let length = values.bits[row] as usize / 8;
                    assert_eq!(
                        found[8 - length..].escape_ascii().to_string(),
                        expected.escape_ascii().to_string(),
                        "{steps:?}"
                    );
                    words += 1;
                }
            }
        }
    }
    assert!(words > 5000, "{words} values are words");
}
