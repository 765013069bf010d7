//! What a reader of JSON finds in the rows, and errors.

use std::io;

use super::*;
use crate::render::decoded;

/// Returns the JSON of `rows`, and what a reader of JSON finds in it.
fn written(are_items: bool, simd: Simd, keys: &[&str], rows: &[Vec<Vec<u8>>]) -> Vec<u8> {
    let json = JsonRows::new(keys, are_items, Vec::new()).unwrap();
    let mut json = json.with_simd(simd);
    json.write_rows(rows).unwrap();
    json.finish().unwrap()
}

fn read(are_items: bool, json: &[u8]) -> Vec<serde_json::Map<String, serde_json::Value>> {
    let text = std::str::from_utf8(json).unwrap();
    if are_items {
        return serde_json::from_str(text).unwrap();
    }
    let lines = text.lines().map(|line| serde_json::from_str(line).unwrap());
    lines.collect()
}

/// Asserts that a reader finds the rows at every level, and that all levels write the same.
#[track_caller]
fn assert_round_trip(keys: &[&str], rows: &[Vec<Vec<u8>>]) {
    for are_items in [false, true] {
        let expected = written(are_items, Simd::named("portable").unwrap(), keys, rows);
        for simd in Simd::available() {
            let json = written(are_items, simd, keys, rows);
            assert!(json == expected, "{} differs from portable", simd.name());
        }
        let found = read(are_items, &expected);
        assert_eq!(found.len(), rows.len());
        for (found, row) in found.iter().zip(rows) {
            assert_eq!(found.len(), keys.len());
            for (key, value) in keys.iter().zip(row) {
                assert_eq!(found[*key], *decoded(value), "{key:?}");
            }
        }
    }
}

/// Values that are easy to get wrong.
fn hostile() -> Vec<Vec<u8>> {
    let mut values: Vec<Vec<u8>> = (0..=255).map(|byte| vec![byte]).collect();
    for text in [
        "",
        "\u{feff}",
        "é€😀",
        "\u{2028}",
        "</script>",
        "\\u0041",
        "\0",
        "\r\n",
        "a|b",
    ] {
        values.push(text.as_bytes().to_vec());
    }
    // Broken UTF-8: cut off, too long a form, a surrogate.
    for bytes in [
        &b"\xe2\x82"[..],
        b"\xc0\x80",
        b"\xed\xa0\x80",
        b"\xf5\x80\x80\x80",
        b"\x81\x8d",
    ] {
        values.push(bytes.to_vec());
    }
    // A special byte in each place of values around one window and two.
    for length in [
        1, 20, 31, 32, 33, 54, 55, 56, 57, 62, 63, 64, 65, 100, 127, 128, 129, 200,
    ] {
        values.push(vec![b'x'; length]);
        for special in [b'"', b'\\', 0x1f, 0x80, 0xff] {
            for place in (0..length).step_by(if length > 66 { 9 } else { 1 }) {
                let mut value = vec![b'x'; length];
                value[place] = special;
                values.push(value);
            }
        }
    }
    values
}

#[test]
fn hostile_values_are_read_back_from_every_column() {
    let long = "k".repeat(200);
    let exactly = "e".repeat(57);
    for keys in [
        &["only"][..],
        &["first", "", "\"\\\n\u{1f}é"],
        &["a", &long, "z", &exactly],
    ] {
        let hostile = hostile();
        let rows: Vec<Vec<_>> = (0..hostile.len())
            .map(|nth| {
                let value = |column: usize| hostile[(nth + 7 * column) % hostile.len()].clone();
                (0..keys.len()).map(value).collect()
            })
            .collect();
        assert_round_trip(keys, &rows);
    }
}

#[test]
fn many_rows_and_large_ones_are_written_in_pieces() {
    let rows: Vec<Vec<_>> = (0..30_000)
        .map(|nth: usize| vec![nth.to_string().into_bytes(), vec![b'v'; nth % 97]])
        .collect();
    assert_round_trip(&["number", "text"], &rows);
    let large = vec![vec![b'x'; 1 << 20], vec![b'"'; 1 << 20]];
    assert_round_trip(&["number", "text"], &[large.clone(), large]);
    assert_round_trip(&["number", "text"], &[]);
}

#[test]
fn an_array_has_a_row_on_each_line() {
    let rows = [vec![b"1".to_vec()], vec![b"2".to_vec()]];
    let json = |rows| written(true, Simd::best(), &["n"], rows);
    assert_eq!(json(&rows), b"[\n{\"n\":\"1\"},\n{\"n\":\"2\"}\n]\n");
    assert_eq!(json(&[]), b"[]\n");
}

#[test]
fn keys_are_there_once() {
    let error = |keys: &[&str]| JsonRows::ndjson(keys, Vec::new()).unwrap_err();
    assert_eq!(
        error(&["a", "b", "a"]).to_string(),
        "the key \"a\" is there twice"
    );
    assert_eq!(error(&[]).to_string(), "there are no keys");
    assert_eq!(error(&[]).kind(), ErrorKind::Usage);
}

#[test]
fn rows_of_another_width_are_refused_and_leave_no_trace() {
    let mut json = JsonRows::array(["a", "b"], Vec::new()).unwrap();
    let error = |json: &mut JsonRows<_>, row: &[&str]| json.write_row(row).unwrap_err().to_string();
    assert_eq!(error(&mut json, &["1"]), "row 0 has 1 fields for 2 keys");
    json.write_row(["1", "2"]).unwrap();
    assert_eq!(
        error(&mut json, &["1", "2", "3", "4"]),
        "row 1 has 4 fields for 2 keys"
    );
    assert_eq!(error(&mut json, &[]), "row 1 has 0 fields for 2 keys");
    let rows = [&["3", "4"][..], &["5"], &["6", "7"]];
    let stopped = json.write_rows(rows).unwrap_err();
    assert_eq!(stopped.to_string(), "row 2 has 1 fields for 2 keys");
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
        let full = Full { left, writes: 0 };
        let mut json = JsonRows::array(["a"], full).unwrap();
        let error = (0..1000).find_map(|_| json.write_row(&row).err()).unwrap();
        assert_eq!(error.kind(), ErrorKind::Output, "{error}");
        let writes = json.out.writes;
        let again = json.write_row(&row).unwrap_err();
        assert_eq!(again.to_string(), "an earlier row or write failed");
        assert_eq!(
            json.out.writes, writes,
            "nothing is written after a failure"
        );
        assert_eq!(json.finish().unwrap_err().kind(), ErrorKind::Output);
    }
    // The last bytes fail too.
    let mut json = JsonRows::ndjson(["a"], Full { left: 5, writes: 0 }).unwrap();
    json.write_row(["1"]).unwrap();
    assert_eq!(json.finish().unwrap_err().kind(), ErrorKind::Output);
}

#[test]
fn writes_are_large() {
    let mut json = JsonRows::array(
        ["a"],
        Full {
            left: usize::MAX,
            writes: 0,
        },
    )
    .unwrap();
    for _ in 0..1000 {
        json.write_row(["x".repeat(1000)]).unwrap();
    }
    assert!(json.finish().unwrap().writes <= 12);
}

#[test]
fn a_row_that_panics_is_not_written_in_part() {
    let mut json = JsonRows::ndjson(["a", "b"], Vec::new()).unwrap();
    json.write_row(["1", "2"]).unwrap();
    let row = ["3", "4"].iter().inspect(|value| assert!(**value != "4"));
    let panicked = std::panic::AssertUnwindSafe(|| json.write_row(row));
    assert!(std::panic::catch_unwind(panicked).is_err());
    assert_eq!(json.finish().unwrap_err().kind(), ErrorKind::Output);
}
