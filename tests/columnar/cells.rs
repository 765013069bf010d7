//! Odd cells, odd lines, odd bytes.

use std::fs;

use fecscan::fec::schema::Schema;
use fecscan::fold::columnar::{raw_columns, typed_columns};
use fecscan::render::columnar::{Column, ColumnKind, EmptyText, Layout};

use super::common::run::{fixtures, settings};
use super::reading::{FORMATS, expected, read, write};

fn assert_written(what: &str, bytes: &[u8], threads: &[usize], task_bytes: &[u64]) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("itcont.txt");
    fs::write(&path, bytes).unwrap();
    for columns in [raw_columns(Schema::Indiv), typed_columns(Schema::Indiv)] {
        for empty in [EmptyText::Null, EmptyText::Keep] {
            let (rows, unreadable) = expected(bytes, &columns, empty);
            for format in FORMATS {
                let mut layout = Layout::new(columns.clone(), format);
                layout.empty_text = empty;
                let mut first = None;
                for setting in settings(threads, task_bytes) {
                    let (file, written) = write(&setting, &layout, &path);
                    assert_eq!(written.rows, rows.len() as u64, "{what}");
                    assert_eq!(written.unreadable.iter().sum::<u64>(), unreadable, "{what}");
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
        "",
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
    let column = |(name, kind): (&str, ColumnKind)| Column {
        name: name.to_owned(),
        kind,
    };
    let columns = [
        ("SUB_ID", ColumnKind::Integer),
        ("CMTE_ID", ColumnKind::Text),
        ("TRANSACTION_AMT", ColumnKind::Amount),
        ("SUB_ID", ColumnKind::Text),
    ];
    let columns: Vec<Column> = columns.into_iter().map(column).collect();
    let (rows, _) = expected(&bytes, &columns[..3], EmptyText::Null);
    for format in FORMATS {
        for setting in settings(&[2], &[1000]) {
            let layout = Layout::new(columns[..3].to_vec(), format);
            let (file, _) = write(&setting, &layout, &path);
            assert!(read(format, &file) == rows);
        }
        for columns in [&columns[..], &[]] {
            let layout = Layout::new(columns.to_vec(), format);
            let setting = settings(&[1], &[1000]).remove(0);
            let refused = super::reading::try_write(&setting, &layout, &path, Vec::new());
            assert!(refused.is_err());
        }
    }
}
