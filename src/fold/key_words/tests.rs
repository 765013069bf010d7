//! Keys in registers against keys written to memory.

use std::iter;
use std::ops::Range;

use super::*;
use crate::fec::{amount, date, derived, texts};
use crate::scan::simd::Portable;
use crate::scan::{Cell, ROWS};

/// Columns of every form, some of them nearly so.
const COLUMNS: [&[u8]; 40] = [
    b"250",
    b"-250",
    b"0",
    b"-0",
    b"-",
    b"007",
    b"123456",
    b"-12345.5",
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

/// Appends what steps make of a text.
type Value = fn(&[u8], &mut Vec<u8>);

/// A column of a key as it stands, or steps and their values.
type Part<'p> = Option<&'p (&'static [WordStep], Value)>;

/// Steps, and slow functions that make their values.
const STEPS: [(&[WordStep], Value); 13] = [
    (&[WordStep::Upper], |text, out| texts::upper(text, out)),
    (&[WordStep::Lower], |text, out| texts::lower(text, out)),
    (&[WordStep::Prefix(8)], |text, out| {
        out.extend_from_slice(texts::prefix(text, 8));
    }),
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
        push_day(text, out, |day| day);
    }),
    (&[WordStep::Day(DayPart::FirstOfMonth)], |text, out| {
        push_day(text, out, |day| day / 100 * 100 + 1);
    }),
    (&[WordStep::Day(DayPart::FirstOfYear)], |text, out| {
        push_day(text, out, |day| day / 10_000 * 10_000 + 101);
    }),
    (&[WordStep::Day(DayPart::Year)], |text, out| {
        push_day(text, out, |day| day / 10_000);
    }),
    (&[WordStep::Day(DayPart::Month)], |text, out| {
        push_day(text, out, |day| day / 100 % 100);
    }),
    (&[WordStep::Whole], |text, out| {
        match amount::integer(text) {
            Some(number) => out.extend_from_slice(number.to_string().as_bytes()),
            None => push_null(text, out),
        }
    }),
    (&[WordStep::Amount], |text, out| {
        match amount::hundredths(text) {
            Some(number) => out.extend_from_slice(number.to_string().as_bytes()),
            None => push_null(text, out),
        }
    }),
];

/// Appends the value of a text that is no number and no day.
fn push_null(text: &[u8], out: &mut Vec<u8>) {
    out.extend_from_slice(if text.is_empty() {
        &NULL_PART
    } else {
        b"no word has this"
    });
}

fn push_day(text: &[u8], out: &mut Vec<u8>, part: fn(u32) -> u32) {
    match date::of_column(text) {
        Some(day) => out.extend_from_slice(part(day).to_string().as_bytes()),
        None => push_null(text, out),
    }
}

/// Checks the keys of rows that have these columns. Returns how many are words.
fn check(columns: &[(Part<'_>, Vector<'_>)], rows: usize) -> usize {
    let mut keys = KeyWords::default();
    let mut missing = 0;
    for (nth, (part, column)) in columns.iter().enumerate() {
        let place = Place::of(nth, columns.len());
        match part {
            None => keys.push(place, column),
            Some((steps, _)) => {
                let values = ValueWords::of_steps(Portable, steps, column, rows);
                missing |= values.missing(rows);
                keys.push_values(place, &values);
            }
        }
    }
    let mut words = 0;
    for row in 0..rows {
        let mut key = Vec::new();
        let mut has_short = missing >> row & 1 == 0;
        for (nth, (part, column)) in columns.iter().enumerate() {
            key.extend((nth > 0).then_some(KEY_SEPARATOR));
            let start = key.len();
            match part {
                None => key.extend_from_slice(&column.cell(row)),
                Some((_, value)) => value(&column.cell(row), &mut key),
            }
            let value = &key[start..];
            let longest = if nth == 0 && part.is_none() { 16 } else { 8 };
            has_short &= value.len() <= longest && value.first() != Some(&0);
        }
        // One that begins so is no word.
        has_short &= key.len() < 16 || !key.starts_with(&[0xff; 8]);
        let expected = Cell::from(&key[..]).wide_word().filter(|_| has_short);
        assert_eq!(keys.get(row), expected, "{}", key.escape_ascii());
        words += usize::from(expected.is_some());
    }
    assert_eq!(keys.without(rows), rows - words);
    words
}

/// Keys of columns and of the values of all steps are the same as words and as bytes written to memory.
#[test]
fn words_are_keys_written_to_memory() {
    let parts: Vec<_> = iter::once(None).chain(STEPS.iter().map(Some)).collect();
    let [_, upper, .., zip_codes, _, days, _, _, years, _, _, _] = parts[..] else {
        panic!("there are fewer steps")
    };
    let mut words = 0;
    let behind = [&b""[..], b"|12345678901234567"];
    let columns = COLUMNS.chunks(ROWS);
    for (columns, behind) in columns.flat_map(|some| behind.map(|behind| (some, behind))) {
        let haystack: Vec<_> = columns.iter().map(|it| [*it, behind].concat()).collect();
        let haystack = [&haystack.concat()[..], &[b'|'; 80]].concat();
        let mut start = 0;
        let spans = columns.iter().map(|column| {
            let span = start..start + column.len();
            start = span.end + behind.len();
            span
        });
        let spans: Vec<_> = spans.collect();
        let vector = |spans: &[Range<usize>]| Vector::of(&haystack, spans);
        let every = vector(&spans);
        let rows = spans.len();
        for &part in &parts {
            let all = |part| (part, every.clone());
            words += check(&[all(part)], rows);
            for span in &spans {
                let one = vector(&vec![span.clone(); rows]);
                let same = |part| (part, one.clone());
                words += check(&[same(part)], rows);
                words += check(&[same(part), all(None)], rows);
                words += check(&[all(None), same(part)], rows);
                words += check(&[all(years), same(part), all(None)], rows);
                words += check(&[all(upper), same(part), all(days)], rows);
                let four = [same(None), same(None), all(part), all(zip_codes)];
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
        for (steps, value) in &STEPS {
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
