//! Rows that break the schema, as CSV: the place of each and its text.

use std::os::unix::ffi::OsStrExt;

use super::table::TableFormat;
use crate::error::Error;
use crate::fold::odd_rows::SpooledRows;
use crate::fold::spool::Spool;

/// Bytes are written when there are this many.
const BUFFER_BYTES: usize = 1 << 20;

/// Renders the `rows` in `spool` and gives them to `write`, some at a time: their file as given, their
/// line from 1, the byte where it begins from 0, the number of columns, and the bytes without the
/// line end.
///
/// # Errors
/// If rows could not be spooled or read again, or `write` fails.
pub fn rejects(
    rows: &[SpooledRows],
    spool: &Spool,
    mut write: impl FnMut(&[u8]) -> Result<(), Error>,
) -> Result<(), Error> {
    spool.check()?;
    let mut buffer = Vec::new();
    let columns = ["file", "line", "byte", "columns", "text"];
    TableFormat::Csv.push_header(&mut buffer, &columns);
    for of_input in rows {
        for (piece, first_line) in &of_input.pieces {
            spool.rows(piece, |row| {
                let numbers = [first_line + row.nth + 1, row.byte, row.columns];
                let [line, byte, columns] = numbers.map(|number| number.to_string());
                let [line, byte, columns] = [&line, &byte, &columns].map(|text| text.as_bytes());
                let path = of_input.path.as_bytes();
                TableFormat::Csv.push_row(&mut buffer, &[path, line, byte, columns, row.text]);
                if buffer.len() >= BUFFER_BYTES {
                    write(&buffer)?;
                    buffer.clear();
                }
                Ok(())
            })?;
        }
    }
    write(&buffer)
}
