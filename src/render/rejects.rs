//! Rows that break the schema, as CSV: the place of each, and its text.
//!
//! Fields are quoted as in RFC 4180. Rows end with a newline alone, as those of most tools do.

use std::io::Write;
use std::os::unix::ffi::OsStrExt;

use crate::fold::OddRow;

/// The names of the columns.
pub const HEADER: &[u8] = b"file,line,byte,columns,text\n";

/// Appends `row`, whose bytes without the line end are `text`, to `out`: its file as the path was
/// given, its line counted from one, the byte at which it begins counted from zero, the number of its
/// columns, and its text.
pub fn push(row: &OddRow, text: &[u8], out: &mut Vec<u8>) {
    push_field(out, row.path.as_bytes());
    write!(out, ",{},{},{},", row.line, row.byte, row.columns).expect("writing to memory succeeds");
    push_field(out, text);
    out.push(b'\n');
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
