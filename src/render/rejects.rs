//! Rows that break the schema, as CSV: where each is, and what stands there.
//!
//! Fields are quoted as RFC 4180 says; rows end with a newline alone, as those of most tools do.

use std::io::Write;
use std::os::unix::ffi::OsStrExt;

use super::output::Output;
use crate::error::Error;
use crate::fold::odd_rows::SpooledRows;
use crate::fold::spool::Spool;

/// The names of the columns.
pub const HEADER: &[u8] = b"file,line,byte,columns,text\n";

/// Bytes are written when there are this many.
const BUFFER_BYTES: usize = 1 << 20;

/// Writes the `rows` that are in `spool` to `output`: their file as its path was given, their line
/// counted from one, the byte at which it begins counted from zero, how many columns it has, and
/// its bytes without the line end.
///
/// # Errors
/// If rows could not be set aside, or can't be written.
pub fn write(rows: &[SpooledRows], spool: &Spool, output: &mut Output) -> Result<(), Error> {
    spool.check()?;
    let mut buffer = HEADER.to_vec();
    for of_input in rows {
        let mut file = Vec::new();
        push_field(&mut file, of_input.path.as_bytes());
        for (piece, first_line) in &of_input.pieces {
            spool.rows(piece, |row| {
                let line = first_line + row.nth + 1;
                buffer.extend_from_slice(&file);
                write!(buffer, ",{line},{},{},", row.byte, row.columns)
                    .expect("memory takes all that is written to it");
                push_field(&mut buffer, row.text);
                buffer.push(b'\n');
                if buffer.len() >= BUFFER_BYTES {
                    output.write_all(&buffer)?;
                    buffer.clear();
                }
                Ok(())
            })?;
        }
    }
    output.write_all(&buffer)
}

/// Appends `bytes` as a field of CSV: in quotes if it has a comma, a quote or the end of a line.
fn push_field(out: &mut Vec<u8>, bytes: &[u8]) {
    if !bytes.iter().any(|byte| b",\"\r\n".contains(byte)) {
        return out.extend_from_slice(bytes);
    }
    out.push(b'"');
    for &byte in bytes {
        if byte == b'"' {
            out.push(b'"');
        }
        out.push(byte);
    }
    out.push(b'"');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_quoted_where_they_must_be() {
        let cases: [(&[u8], &[u8]); 6] = [
            (b"", b""),
            (b"a|b c", b"a|b c"),
            (b"ROE, ANN", b"\"ROE, ANN\""),
            (b"\"NOT EMPLOYED", b"\"\"\"NOT EMPLOYED\""),
            (b"a\rb", b"\"a\rb\""),
            (b"\xff\x00", b"\xff\x00"),
        ];
        for (bytes, field) in cases {
            let mut out = Vec::new();
            push_field(&mut out, bytes);
            assert_eq!(out, field);
        }
    }
}
