//! Columns, at every level, against splitting the line.

use crate::common::split::{by_scanning, by_splitting};
use fecscan::fec::schema::Schema;
use fecscan::scan::simd::Simd;

#[track_caller]
fn assert_split(bytes: &[u8], columns: &[usize]) {
    let expected = by_splitting(bytes, columns);
    for simd in Simd::available() {
        // The schema tells how wide a regular row is. It changes no answer.
        for schema in [Schema::Indiv, Schema::Ccl, Schema::Cm] {
            for task_bytes in [bytes.len().max(1), 100] {
                let found = by_scanning(simd, schema, task_bytes, bytes, columns);
                let (level, schema) = (simd.name(), schema.name());
                assert_eq!(found, expected, "{level} {schema} {columns:?} of {bytes:?}");
            }
        }
    }
}

/// Lines of columns of many lengths, so that pipes fall on every place of a window and columns lie
/// across several.
fn lines() -> Vec<u8> {
    let mut bytes = Vec::new();
    for length in [0, 1, 2, 3, 7, 20, 31, 32, 61, 62, 63, 64, 65, 127, 128, 200] {
        for columns in [1, 2, 5, 8, 9, 21, 22] {
            let column = |nth: usize| vec![b'a' + nth as u8; (length + nth * 3) % (length + 1)];
            bytes.extend((0..columns).map(column).collect::<Vec<_>>().join(&b'|'));
            bytes.extend_from_slice(if columns % 2 == 0 { b"\n" } else { b"\r\n" });
        }
    }
    bytes
}

#[test]
fn any_columns_in_any_order_are_those_that_splitting_finds() {
    let bytes = lines();
    for end in [bytes.len(), bytes.len() - 1, bytes.len() - 2] {
        let bytes = &bytes[..end];
        assert_split(bytes, &[]);
        for column in [0, 1, 4, 7, 20, 21, 22, 63, 64, 100] {
            assert_split(bytes, &[column]);
        }
        assert_split(bytes, &[4, 7]);
        assert_split(bytes, &[7, 4]);
        assert_split(bytes, &[7, 13]);
        assert_split(bytes, &[20, 0]);
        assert_split(bytes, &[13, 13, 2, 20, 1]);
        assert_split(bytes, &std::array::from_fn::<usize, 21, _>(|nth| nth));
        assert_split(bytes, &std::array::from_fn::<usize, 21, _>(|nth| 20 - nth));
    }
}

#[test]
fn many_pipes_and_nothing_else() {
    for pipes in 0..200 {
        for end in ["", "\n", "\r\n", "\n\n"] {
            let bytes = "|".repeat(pipes) + end;
            assert_split(bytes.as_bytes(), &[0, 62, 63, 64, 65, 127, 128, 199]);
        }
    }
}

/// Rows with short codes and text of many lengths behind them, so that four columns now fit a window, now lie in two,
/// now in more; blank lines between them.
fn rows(seed: u64) -> Vec<u8> {
    let mut state = seed;
    let mut below = |limit: u64| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        ((state >> 33) % limit) as usize
    };
    let mut bytes = Vec::new();
    for _ in 0..400 {
        let columns = [8, 14, 15, 20, 21, 21, 21, 22][below(8)];
        let column = |nth: usize| {
            let length = match (nth, below(40)) {
                (0..7, _) => below(9),
                (_, 0) => below(200),
                (_, 1) => [62, 63, 64, 65, 126, 127, 128, 129, 1300][below(9)],
                (_, 2..20) => below(40),
                _ => below(10),
            };
            vec![b'A' + nth as u8; length]
        };
        bytes.extend((0..columns).map(column).collect::<Vec<_>>().join(&b'|'));
        let end = ["\n", "\n", "\n", "\n", "\r\n", "\n\n", "\n\r\n"][below(7)];
        bytes.extend_from_slice(end.as_bytes());
    }
    bytes
}

#[test]
fn text_of_any_length_lies_in_any_number_of_windows() {
    for seed in 0..20 {
        let bytes = rows(seed);
        for column in [0, 6, 7, 8, 10, 11, 14, 20] {
            assert_split(&bytes, &[column]);
        }
        assert_split(&bytes, &[4, 7]);
        assert_split(&bytes, &[7, 13]);
        assert_split(&bytes, &[9, 14]);
        assert_split(&bytes, &[0, 9, 10, 12, 20]);
        assert_split(&bytes, &[0, 0, 0]);
        assert_split(&bytes, &std::array::from_fn::<usize, 21, _>(|nth| nth));
    }
}
