//! Rows as another reader of JSON finds them, numbers digit by digit, and errors.

mod compare;

use std::io::{self, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};

use compare::{BETWEEN, compare};
use proptest::collection::vec;
use proptest::prelude::*;
use rowjson::{DECIMALS_MAX, RowWriter, Value};

fn values() -> impl Strategy<Value = Vec<u8>> {
    let pieces = prop_oneof![
        any::<char>().prop_map(|c| c.to_string().into_bytes()),
        any::<u8>().prop_map(|byte| vec![byte]),
        (0..140_usize).prop_map(|len| vec![b'x'; len]),
    ];
    prop_oneof![
        vec(pieces, 0..5).prop_map(|pieces| pieces.concat()),
        Just(b"N".to_vec()),
        Just(b"R".to_vec()),
        any::<i64>().prop_map(|number| format!("I{number}").into_bytes()),
        (0..=DECIMALS_MAX, -1_i64 << 49..1 << 49).prop_map(|(decimals, units)| [
            &[b'D', decimals],
            &*units.to_string().into_bytes()
        ]
        .concat()),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_kind_is_read_back(values in vec(values(), 1..60), columns: u8, behind: u8) {
        let mut data = values.join(&BETWEEN);
        data.extend([columns, behind]);
        compare(&data);
    }
}

/// Every special byte in each place of texts around one window and two, alone and with bytes behind.
#[test]
fn special_bytes_are_seen_wherever_they_stand() {
    let mut texts: Vec<_> = (0..=255).map(|byte| vec![byte]).collect();
    for len in [1, 7, 31, 32, 33, 55, 62, 63, 64, 65, 127, 128, 129, 200] {
        for special in [b'"', b'\\', 0, 0x1f, 0x80, 0xff] {
            for place in 0..len {
                let mut text = vec![b'x'; len];
                text[place] = special;
                texts.push(text);
            }
        }
    }
    for behind in [0, 1, 80] {
        let mut data = texts.join(&BETWEEN);
        data.extend([1, behind]);
        compare(&data);
    }
}

/// Numbers are the digits that Rust prints, with a point between them.
#[test]
fn numbers_have_the_digits_of_rust() {
    let powers = (0..19).map(|power| 10_i64.pow(power));
    let mut numbers: Vec<i64> = powers
        .flat_map(|power| [power - 1, power, power + 1])
        .collect();
    numbers.extend((0..20_000).chain([i64::MIN, i64::MAX]));
    let rest = numbers.clone();
    numbers.extend(rest.iter().map(|number| number.wrapping_neg()));
    let decimals = [0, 1, 2, 9, DECIMALS_MAX];
    let mut writer = RowWriter::lines(decimals.map(|d| format!("d{d}")), Vec::new()).unwrap();
    let mut expected = String::new();
    for &units in &numbers {
        let value = |decimals| Value::Decimal { units, decimals };
        writer.write_row(decimals.map(value)).unwrap();
        let text = decimals.map(|decimals| {
            let wanted = usize::from(decimals) + 1;
            let mut text = format!("{:0wanted$}", units.unsigned_abs());
            if decimals > 0 {
                text.insert(text.len() + 1 - wanted, '.');
            }
            format!("\"d{decimals}\":{}{text}", if units < 0 { "-" } else { "" })
        });
        expected.push_str(&format!("{{{}}}\n", text.join(",")));
    }
    assert!(writer.finish().unwrap() == expected.as_bytes());
}

#[test]
fn many_rows_and_large_ones_are_written_in_pieces() {
    let mut texts: Vec<_> = (0..30_000).map(|nth: usize| vec![b'v'; nth % 97]).collect();
    texts.push(vec![b'x'; 1 << 20]);
    texts.push(vec![b'"'; 1 << 20]);
    let mut data = texts.join(&BETWEEN);
    data.extend([1, 0]);
    compare(&data);
    let mut full = RowWriter::array(
        ["a"],
        Full {
            left: usize::MAX,
            writes: 0,
        },
    )
    .unwrap();
    for _ in 0..1000 {
        full.write_row([&"x".repeat(1000)]).unwrap();
    }
    assert!(full.finish().unwrap().writes <= 12);
    assert_eq!(
        RowWriter::array(["a"], Vec::new())
            .unwrap()
            .finish()
            .unwrap(),
        b"[]\n"
    );
    assert_eq!(
        RowWriter::lines(["a"], Vec::new())
            .unwrap()
            .finish()
            .unwrap(),
        b""
    );
}

#[test]
fn wrong_rows_are_refused_and_leave_no_trace() {
    let error = |keys: &[&str]| {
        RowWriter::lines(keys.to_vec(), Vec::new())
            .err()
            .unwrap()
            .to_string()
    };
    assert_eq!(error(&["a", "b", "a"]), "the key \"a\" is there twice");
    assert_eq!(error(&[]), "there are no columns");
    let mut json = RowWriter::array(["a", "b"], Vec::new()).unwrap();
    let error =
        |json: &mut RowWriter<_>, row: &[&str]| json.write_row(row).unwrap_err().to_string();
    assert_eq!(error(&mut json, &["1"]), "row 0 has 1 values for 2 columns");
    json.write_row(["1", "2"]).unwrap();
    assert_eq!(
        error(&mut json, &["1", "2", "3", "4"]),
        "row 1 has 4 values for 2 columns"
    );
    let rows = [&["3", "4"][..], &["5"], &["6", "7"]];
    let stopped = json.write_rows(rows).unwrap_err();
    assert_eq!(stopped.to_string(), "row 2 has 1 values for 2 columns");
    let json = json.finish().unwrap();
    assert_eq!(
        json,
        b"[\n{\"a\":\"1\",\"b\":\"2\"},\n{\"a\":\"3\",\"b\":\"4\"}\n]\n"
    );
}

/// Takes some bytes, and then fails.
#[derive(Debug)]
struct Full {
    left: usize,
    writes: usize,
}

impl Write for Full {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.writes += 1;
        match bytes.len().min(self.left) {
            0 if !bytes.is_empty() => Err(io::ErrorKind::StorageFull.into()),
            taken => {
                self.left -= taken;
                Ok(taken)
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_failed_write_fails_every_later_call() {
    let row = ["x".repeat(1000)];
    for left in [0, 1, 100_000, 300_000] {
        let mut json = RowWriter::array(["a"], Full { left, writes: 0 }).unwrap();
        let error = (0..1000).find_map(|_| json.write_row(&row).err()).unwrap();
        assert_eq!(error.kind(), io::ErrorKind::StorageFull, "{left}");
        let again = json.write_row(&row).unwrap_err();
        assert_eq!(again.to_string(), "an earlier row or write failed");
        assert!(json.finish().is_err());
    }
    // The last bytes fail too.
    let mut json = RowWriter::lines(["a"], Full { left: 5, writes: 0 }).unwrap();
    json.write_row(["1"]).unwrap();
    assert_eq!(
        json.finish().unwrap_err().kind(),
        io::ErrorKind::StorageFull
    );
}

#[test]
fn a_row_that_panics_is_not_written_in_part() {
    let mut json = RowWriter::lines(["a", "b"], Vec::new()).unwrap();
    json.write_row(["1", "2"]).unwrap();
    let row = ["3", "4"].iter().inspect(|value| assert!(**value != "4"));
    assert!(catch_unwind(AssertUnwindSafe(|| json.write_row(row))).is_err());
    assert!(json.finish().is_err());
}
