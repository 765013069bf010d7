//! Arbitrary bytes in arbitrary settings: the report must be the twin's.
//!
//! Bytes with a meaning in the format are favoured. A failure prints the smallest case that fails.
//! Nothing is written beside the tests: a fixed case becomes a fixture or a test of its own, which
//! says more than a seed.

use crate::common::run::{Setting, WAYS, assert_equals_twin};
use crate::common::twin::Asked;
use fecscan::scan::simd::Simd;
use proptest::prelude::*;

fn bytes() -> impl Strategy<Value = Vec<u8>> {
    let favoured = prop_oneof![
        6 => Just(b'|'),
        2 => Just(b'\n'),
        1 => Just(b'\r'),
        2 => Just(b','),
        3 => Just(b' '),
        2 => Just(b'2'),
        2 => Just(b'0'),
        1 => Just(b'\t'),
        1 => Just(b'"'),
        1 => Just(0x00),
        1 => Just(0xff),
        2 => any::<u8>(),
    ];
    let piece = prop_oneof![
        6 => prop::collection::vec(favoured, 0..40),
        2 => Just(b"C00990001|N|M4|P|201804129112345678|15|IND|ROE, JANE Q|CITY|OR|974770001|E|O|03152018|50\n".to_vec()),
        1 => (any::<u8>(), 0..300_usize).prop_map(|(byte, length)| vec![byte; length]),
    ];
    let pieces = prop::collection::vec(piece, 0..40);
    let bytes = pieces.prop_map(|pieces| pieces.concat());
    bytes.prop_filter("first bytes of another format", |bytes| {
        begins_as_text(bytes)
    })
}

/// Files that begin like another format are refused.
fn begins_as_text(bytes: &[u8]) -> bool {
    match bytes {
        [0xff, second, ..] => *second != 0xfe,
        [first, ..] => b"|\n\r, 20\t\"\0C".contains(first),
        [] => true,
    }
}

fn setting() -> impl Strategy<Value = Setting> {
    let levels: Vec<_> = Simd::available().collect();
    (
        prop::sample::select(WAYS.to_vec()),
        prop::sample::select(levels),
        1..=4_usize,
        1..=600_u64,
    )
        .prop_map(|(way, simd, threads, task_bytes)| Setting {
            way,
            simd,
            threads,
            task_bytes,
        })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_report_on_arbitrary_bytes_is_the_twins(
        bytes in bytes(),
        settings in prop::collection::vec(setting(), 1..4),
        transaction_date in any::<bool>(),
    ) {
        let asked = Asked { names: vec![0, 1, 2, 10], top: 4, transaction_date };
        assert_equals_twin("arbitrary bytes", &bytes, &asked, &settings);
    }
}
