//! Rows that break the schema, as CSV: the place of each, and its text.

use std::os::unix::ffi::OsStrExt;

use super::table::TableFormat;
use crate::fold::OddRow;

/// Returns the row of column names.
pub fn header() -> Vec<u8> {
    let mut out = Vec::new();
    TableFormat::Csv.push_header(&mut out, &["file", "line", "byte", "columns", "text"]);
    out
}

/// Appends `row`, whose bytes without the line end are `text`: its file as given, its line from 1,
/// the byte at which it begins from 0, and the number of its columns.
pub fn push(row: &OddRow, text: &[u8], out: &mut Vec<u8>) {
    let [line, byte, columns] = [row.line, row.byte, row.columns].map(|n| n.to_string());
    let [line, byte, columns] = [&line, &byte, &columns].map(|text| text.as_bytes());
    TableFormat::Csv.push_row(out, &[row.path.as_bytes(), line, byte, columns, text]);
}
