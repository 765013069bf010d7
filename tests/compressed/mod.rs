//! Compressed files and archives: the answers of what they hold, or an error that says where and what to
//! do. Never another answer.

mod damage;
mod kinds;
mod lies;
mod limits;
mod members;
mod real;
mod refused;
mod sequence;
mod slices;

use crate::common::archives::{Member, gzip, zip, zstd};
use crate::common::twin::Asked;

fn asked() -> Asked {
    Asked {
        names: vec![3, 0, 0, 1, 12, 90, 110, u64::MAX],
        top: 5,
        transaction_date: false,
    }
}

/// What compresses text, by name.
type Packed = (&'static str, fn(&[u8]) -> Vec<u8>);

/// `text` in every kind of compressed file.
const KINDS: [Packed; 8] = [
    ("gzip", gzip),
    ("gzip of several members", |text| in_pieces(text, gzip)),
    ("zstd", zstd),
    ("zstd of several frames", |text| in_pieces(text, zstd)),
    ("stored zip", |text| {
        zip(&[Member::stored("itcont.txt", text)])
    }),
    ("deflated zip", |text| {
        zip(&[Member::deflated("itcont.txt", text)])
    }),
    ("ZIP64", |text| {
        zip(&[Member::deflated("itcont.txt", text).with_zip64()])
    }),
    ("zip with descriptor", |text| {
        zip(&[Member::deflated("itcont.txt", text).with_descriptor()])
    }),
];

/// The pieces do not end where lines do, and the second is empty.
fn in_pieces(text: &[u8], pack: fn(&[u8]) -> Vec<u8>) -> Vec<u8> {
    let (first, last) = text.split_at(text.len() / 3);
    [pack(first), pack(b""), pack(last)].concat()
}
