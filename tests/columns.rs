//! Columns, at every level, against splitting the line.

mod common;

use common::split::{by_scanning, by_splitting};
use fecscan::scan::simd::Simd;

#[track_caller]
fn assert_split<const N: usize>(bytes: &[u8], columns: [usize; N]) {
    let expected = by_splitting(bytes, columns);
    for simd in Simd::available() {
        assert_eq!(
            by_scanning(simd, bytes, columns),
            expected,
            "{} columns {columns:?} of {bytes:?}",
            simd.name()
        );
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
        assert_split(bytes, []);
        for column in [0, 1, 4, 7, 20, 21, 22, 63, 64, 100] {
            assert_split(bytes, [column]);
        }
        assert_split(bytes, [4, 7]);
        assert_split(bytes, [7, 4]);
        assert_split(bytes, [7, 13]);
        assert_split(bytes, [20, 0]);
        assert_split(bytes, [13, 13, 2, 20, 1]);
        assert_split(bytes, std::array::from_fn::<usize, 21, _>(|nth| nth));
        assert_split(bytes, std::array::from_fn::<usize, 21, _>(|nth| 20 - nth));
    }
}

#[test]
fn many_pipes_and_nothing_else() {
    for pipes in 0..200 {
        for end in ["", "\n", "\r\n", "\n\n"] {
            let bytes = "|".repeat(pipes) + end;
            assert_split(bytes.as_bytes(), [0, 62, 63, 64, 65, 127, 128, 199]);
        }
    }
}
