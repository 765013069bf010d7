//! Odd cells, odd lines, odd bytes.

use std::fs;

use fecscan::export::Types;

use super::reading::{FORMATS, Value, day, expected, question, read, try_write, write};
use crate::common::run::{fixtures, settings};

fn assert_written(what: &str, bytes: &[u8], threads: &[usize], task_bytes: &[u64]) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("itcont.txt");
    fs::write(&path, bytes).unwrap();
    for types in [Types::Raw, Types::Typed] {
        let question = question("", types);
        let (rows, unreadable) = expected(bytes, &question);
        for format in FORMATS {
            let mut first = None;
            for setting in settings(threads, task_bytes) {
                let (file, exported) = write(&setting, &question, format, &path);
                assert_eq!(exported.rows, rows.len() as u64, "{what}");
                let unparsed: u64 = exported.unparsed.iter().map(|(.., count)| count).sum();
                assert_eq!(unparsed, unreadable, "{what}");
                match &first {
                    None => {
                        let found = read(format, &file);
                        assert!(found == rows, "{what}, {format:?}: {found:?}");
                        first = Some(file);
                    }
                    Some(first) => assert!(file == *first, "{what}, {format:?}, {setting:?}"),
                }
            }
        }
    }
}

#[test]
fn every_fixture_is_read_back_as_it_stands() {
    for (name, bytes) in fixtures() {
        assert_written(&name, &bytes, &[2], &[64]);
    }
}

#[test]
fn threads_and_tasks_change_nothing() {
    let bytes = fs::read("fixtures/generated-hostile.txt").unwrap();
    let bytes = &bytes[..bytes.len().min(20_000)];
    assert_written("hostile", bytes, &[1, 3, 8], &[1, 7, 4096, 2 << 20]);
}

#[test]
fn bytes_of_every_value_are_text() {
    let mut bytes = Vec::new();
    for byte in (0..=255_u8).filter(|byte| !b"\n\r|".contains(byte)) {
        bytes.extend_from_slice(&[b'a', byte, b'|', byte, b'|', b'|', 0xc3, byte]);
        bytes.extend(std::iter::repeat_n(byte, usize::from(byte)));
        bytes.push(b'\n');
    }
    assert_written("bytes", &bytes, &[1], &[100]);
}

#[test]
fn zeros_are_part_of_a_value() {
    let mut bytes = Vec::new();
    for length in (0..40).chain(0..40) {
        bytes.extend(std::iter::repeat_n(0, length));
        bytes.extend_from_slice(b"|a");
        bytes.extend(std::iter::repeat_n(0, length));
        bytes.push(b'\n');
    }
    assert_written("zeros", &bytes, &[2], &[100]);
}

#[test]
fn typed_values_are_read_or_counted() {
    let amounts = [
        "1",
        "-1",
        " 2 ",
        "1.5",
        "1.555",
        "999999999999.99",
        "1000000000000",
        "abc",
        " ",
        "+7",
    ];
    let dates = [
        "04302018",
        "4302018",
        "02292016",
        "02292018",
        "01010001",
        "12319999",
        "x",
        "",
        " 01311970 ",
        "04/30/2018",
    ];
    let integers = [
        "1",
        "-1",
        "9223372036854775807",
        "9223372036854775808",
        "0",
        " 7",
        "7x",
        "",
        "00001",
        "+5",
    ];
    let mut bytes = Vec::new();
    for nth in 0..1_000 {
        let [date, amount, id] = [dates[nth % 10], amounts[nth / 10 % 10], integers[nth / 100]];
        bytes.extend_from_slice(format!("|||||||||||||{date}|{amount}||||||{id}\n").as_bytes());
    }
    assert_written("typed", &bytes, &[2], &[1000]);
}

#[test]
fn columns_come_in_any_order() {
    let bytes = fs::read("fixtures/generated.txt").unwrap();
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("itcont.txt");
    fs::write(&path, &bytes).unwrap();
    let question = question("SUB_ID,CMTE_ID,TRANSACTION_AMT", Types::Typed);
    let (rows, _) = expected(&bytes, &question);
    for format in FORMATS {
        for setting in settings(&[2], &[1000]) {
            let (file, _) = write(&setting, &question, format, &path);
            assert!(read(format, &file) == rows);
        }
        let mut twice = question.clone();
        twice.add_columns("cmte_id").unwrap();
        let setting = settings(&[1], &[1000]).remove(0);
        assert!(try_write(&setting, &twice, format, &path, Vec::new()).is_err());
    }
}

/// Each type that an expression may have, with NULL among the values.
#[test]
fn values_of_expressions_have_their_types() {
    let mut bytes = Vec::new();
    for (name, day, amount) in [
        ("b\u{e9}", "04302018", "12.50"),
        ("", "x", ""),
        ("DOE, JANE", "", "-7"),
    ] {
        let row = format!("|||||||{name}||||||{day}|{amount}||||||1\n");
        bytes.extend(row.into_bytes());
    }
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("itcont.txt");
    fs::write(&path, &bytes).unwrap();
    let list = "amount * 2, date + 1, amount > 0, amount / 4, \
                CAST(round(amount) AS HUGEINT) * 1000000000000000000000, year(date), nullif(NAME, ''), NULL AS n, length(NAME)";
    let text = |text: &str| Value::Text(text.to_owned());
    let rows = vec![
        vec![
            Value::Amount(2500),
            Value::Day(day(20_180_501)),
            Value::Truth(true),
            Value::Double(3.125),
            Value::Huge(13 * 10_i128.pow(21)),
            Value::Integer(2018),
            text("b\u{e9}"),
            Value::Null,
            Value::Integer(2),
        ],
        [vec![Value::Null; 8], vec![Value::Integer(0)]].concat(),
        vec![
            Value::Amount(-1400),
            Value::Null,
            Value::Truth(false),
            Value::Double(-1.75),
            Value::Huge(-7 * 10_i128.pow(21)),
            Value::Null,
            text("DOE, JANE"),
            Value::Null,
            Value::Integer(9),
        ],
    ];
    for types in [Types::Typed, Types::Expressions] {
        let question = question(list, types);
        for format in FORMATS {
            for setting in settings(&[1, 3], &[20, 1000]) {
                let (file, exported) = write(&setting, &question, format, &path);
                assert_eq!(read(format, &file), rows, "{format:?}, {setting:?}");
                let unparsed = exported
                    .unparsed
                    .iter()
                    .map(|(name, _, count)| (&**name, *count));
                assert_eq!(unparsed.collect::<Vec<_>>(), [("TRANSACTION_DT", 1)]);
            }
        }
    }
}

/// A row without a value ends the export with one error, whatever comes after it.
#[test]
fn a_row_without_a_value_is_an_error() {
    let bytes = fs::read("fixtures/generated.txt").unwrap();
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("itcont.txt");
    fs::write(&path, &bytes).unwrap();
    let question = question("CAST(NAME AS BIGINT)", Types::Typed);
    for format in FORMATS {
        for setting in settings(&[1, 3], &[100, 1 << 20]) {
            let error = try_write(&setting, &question, format, &path, Vec::new()).unwrap_err();
            assert!(
                error
                    .to_string()
                    .ends_with("of a row is not of type BIGINT"),
                "{error}"
            );
        }
    }
}
