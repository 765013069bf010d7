//! Renders results as bytes, one file a format.
//!
//! Formats for programs keep the bytes of the data; JSON decodes them to text. Text for people is
//! escaped on a terminal. Renderers return bytes and write nothing, except that of [`groups`]: its result
//! may have millions of rows.

mod answer;
mod challenge;
#[cfg(feature = "columnar")]
pub mod columnar;
mod columns;
mod diff;
pub mod encode;
mod format;
mod group_table;
pub mod groups;
mod html;
mod info;
pub mod json;
mod months;
mod numbers;
mod page;
pub mod partners;
pub mod rejects;
mod report;
mod spark;
mod table;
pub mod text;
pub mod wc;

use std::borrow::Cow;

pub use self::answer::{Answer, Field, Table, to_vec, write};
pub use self::format::{Escape, Format};
pub use self::numbers::{grouped, grouped_amount, size};
pub use self::table::TableFormat;
use crate::fec::schema::Schema;
use crate::fold::FileLines;

/// Returns whether `files` have contributions by individuals, as far as their names tell. In files of oth and pas2,
/// `--contributions` would leave out nearly all rows.
fn are_of_individuals(files: &[FileLines]) -> bool {
    let named = |file: &FileLines| Schema::of_file_name(&file.path);
    let mut schemas = files.iter().filter_map(named);
    schemas.all(|schema| schema == Schema::Indiv)
}

/// Decodes `bytes` as UTF-8, or else as Windows-1252, the encoding of the FEC's older files. Its five
/// undefined bytes become U+FFFD.
///
/// ```
/// use fecscan::render::decoded;
/// assert_eq!(decoded("PEÑA".as_bytes()), "PEÑA");
/// assert_eq!(decoded(b"PE\xd1A \x80 \x81"), "PEÑA € \u{fffd}");
/// ```
pub fn decoded(bytes: &[u8]) -> Cow<'_, str> {
    /// The characters of the bytes 0x80 to 0x9f. All other bytes are Latin-1.
    const HIGH: [char; 32] = [
        '€', '\u{fffd}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{fffd}', 'Ž',
        '\u{fffd}', '\u{fffd}', '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ',
        '\u{fffd}', 'ž', 'Ÿ',
    ];
    let character = |&byte: &u8| match byte {
        0x80..=0x9f => HIGH[usize::from(byte - 0x80)],
        _ => char::from(byte),
    };
    match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => Cow::Owned(bytes.iter().map(character).collect()),
    }
}
