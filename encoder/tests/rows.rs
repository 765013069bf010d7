//! Compares rows with another encoder of JSON, and checks errors.

mod compare;

use std::io::ErrorKind;
use std::panic::{AssertUnwindSafe, catch_unwind};

use compare::{BETWEEN, compare};
use proptest::collection::vec;
use proptest::prelude::*;
use rowjson::{DECIMALS_MAX, RowWriter};

fn compare_values(values: &[Vec<u8>], columns: u8, behind: u8) {
    compare(&[&values.join(&BETWEEN)[..], &[columns, behind]].concat());
}

fn decimal(decimals: u8, units: i64) -> Vec<u8> {
    format!("D{}{units}", char::from(decimals)).into_bytes()
}

fn value() -> impl Strategy<Value = Vec<u8>> {
    let pieces = prop_oneof![
        any::<char>().prop_map(|c| c.to_string().into_bytes()),
        any::<u8>().prop_map(|byte| vec![byte]),
        (0..140_usize).prop_map(|len| vec![b'x'; len]),
    ];
    prop_oneof![
        vec(pieces, 0..5).prop_map(|pieces| pieces.concat()),
        Just(b"N".to_vec()),
        Just(b"R".to_vec()),
        (0..=DECIMALS_MAX, any::<i64>()).prop_map(|(decimals, units)| decimal(decimals, units)),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_kind_is_as_serde_json_writes_it(values in vec(value(), 1..60), columns: u8, behind: u8) {
        compare_values(&values, columns, behind);
    }
}

/// Every special byte in each place of texts around one window and two, alone and with bytes behind.
#[test]
fn special_bytes_are_seen_wherever_they_stand() {
    let mut texts: Vec<_> = (0..=255).map(|byte| vec![byte]).collect();
    for len in (1..20).chain([31, 32, 33, 55, 62, 63, 64, 65, 127, 128, 129, 200]) {
        for special in [b'"', b'\\', 0, 0x1f, 0x80, 0xff] {
            texts.extend((0..len).map(|place| {
                let mut text = vec![b'x'; len];
                text[place] = special;
                text
            }));
        }
    }
    for behind in [0, 1, 80] {
        compare_values(&texts, 0, behind);
    }
}

#[test]
fn many_rows_and_large_ones_are_written() {
    let mut texts: Vec<_> = (0..30_000).map(|nth| vec![b'v'; nth % 97]).collect();
    texts.extend([b'x', b'"'].map(|byte| vec![byte; 1 << 20]));
    compare_values(&texts, 1, 0);
    compare_values(&[], 1, 0);
}

#[test]
fn numbers_have_the_digits_of_rust() {
    let near = (0..19).flat_map(|power| [-1, 0, 1].map(|more| 10_i64.pow(power) + more));
    let numbers = near.chain(0..20_000).chain([i64::MAX]);
    let numbers = numbers.flat_map(|number| [number, -1 - number]);
    let values = numbers.flat_map(|number| [0, 1, 2, 9, 14, 15, 18].map(|d| decimal(d, number)));
    compare_values(&values.collect::<Vec<_>>(), 6, 0);
}

#[test]
fn wrong_rows_are_refused_and_leave_no_trace() {
    let refused = |keys: Vec<&str>| {
        let writer = RowWriter::lines(keys, Vec::new());
        writer.err().unwrap().to_string()
    };
    assert_eq!(refused(vec!["a", "b", "a"]), "the key \"a\" is there twice");
    assert_eq!(refused(vec![]), "there are no keys");
    let mut json = RowWriter::array(["a", "b"], Vec::new()).unwrap();
    let rows: [(&[&str], _); 4] = [
        (&["1"], "row 0 has 1 values for 2 keys"),
        (&["1", "2"], ""),
        (&["1", "2", "3", "4"], "row 1 has 4 values for 2 keys"),
        (&["3", "4"], ""),
    ];
    for (row, expected) in rows {
        let error = json.write_row(row).err().map(|error| error.to_string());
        assert_eq!(error.unwrap_or_default(), expected);
    }
    let expected = b"[\n{\"a\":\"1\",\"b\":\"2\"},\n{\"a\":\"3\",\"b\":\"4\"}\n]\n";
    assert_eq!(json.finish().unwrap(), expected);
}

/// Rows of 1,008 bytes wait until they are 128 KiB: the output is full at the first write, or at the third.
#[test]
fn a_failed_write_fails_every_later_call() {
    let row = ["x".repeat(999)];
    for (room, failing) in [(0, 131), (100_000, 131), (300_000, 393)] {
        let mut memory = vec![0; room];
        let mut json = RowWriter::lines(["a"], &mut memory[..]).unwrap();
        let mut errors = (1..).filter_map(|nth| Some((nth, json.write_row(&row).err()?.kind())));
        assert_eq!(errors.next(), Some((failing, ErrorKind::WriteZero)));
        let again = json.write_row(&row).unwrap_err();
        assert_eq!(again.to_string(), "an earlier row or write failed");
        assert!(json.finish().is_err());
    }
    // The last bytes fail too.
    let mut memory = [0; 5];
    let mut json = RowWriter::lines(["a"], &mut memory[..]).unwrap();
    json.write_row(["1"]).unwrap();
    assert_eq!(json.finish().unwrap_err().kind(), ErrorKind::WriteZero);
}

#[test]
fn a_row_that_panics_is_not_written_in_part() {
    let mut json = RowWriter::lines(["a", "b"], Vec::new()).unwrap();
    json.write_row(["1", "2"]).unwrap();
    let row = ["3", "4"].iter().inspect(|value| assert!(**value != "4"));
    assert!(catch_unwind(AssertUnwindSafe(|| json.write_row(row))).is_err());
    assert!(json.finish().is_err());
}
