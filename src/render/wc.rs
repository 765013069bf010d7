//! Line counts as `wc -l` of GNU coreutils prints them.

use std::os::unix::ffi::OsStrExt;

/// A row: the count, and the name it is shown under, if any.
#[derive(Clone, Debug)]
pub struct Row<'a> {
    /// The number of newlines.
    pub lines: u64,
    /// The file as given; none for standard input that was not named.
    pub name: Option<&'a std::ffi::OsStr>,
}

/// The rows, one a line, the counts right-aligned in `width` columns.
pub fn rows<'a>(rows: impl IntoIterator<Item = Row<'a>>, width: usize) -> Vec<u8> {
    let mut out = Vec::new();
    for Row { lines, name } in rows {
        out.extend_from_slice(format!("{lines:>width$}").as_bytes());
        if let Some(name) = name {
            out.push(b' ');
            // A name with a newline would make two rows of one.
            match name.as_bytes() {
                name if name.contains(&b'\n') => out.extend_from_slice(&quoted(name)),
                name => out.extend_from_slice(name),
            }
        }
        out.push(b'\n');
    }
    out
}

/// Returns the width of the counts: the digits of the `bytes` of all regular files together. Other
/// inputs have no known size, so then it is at least seven.
pub fn width(bytes: u64, other_inputs: bool) -> usize {
    let digits = bytes.to_string().len();
    if other_inputs { digits.max(7) } else { digits }
}

/// `name` as a word of the shell, as GNU quotes names that can't stand as they are: in single
/// quotes, with control characters and bytes that are no text in `$'...'`.
fn quoted(name: &[u8]) -> Vec<u8> {
    let mut out = vec![b'\''];
    let mut escaping = false;
    let mut switch = |out: &mut Vec<u8>, escape: bool| {
        if escape != escaping {
            out.extend_from_slice(if escape { b"'$'" } else { b"''" });
            escaping = escape;
        }
    };
    for chunk in name.utf8_chunks() {
        for c in chunk.valid().chars() {
            let control = match c {
                '\x07' => Some("\\a"),
                '\x08' => Some("\\b"),
                '\t' => Some("\\t"),
                '\n' => Some("\\n"),
                '\x0b' => Some("\\v"),
                '\x0c' => Some("\\f"),
                '\r' => Some("\\r"),
                _ => None,
            };
            let mut utf8 = [0; 4];
            match control {
                Some(escape) => {
                    switch(&mut out, true);
                    out.extend_from_slice(escape.as_bytes());
                }
                None if c.is_control() => {
                    switch(&mut out, true);
                    out.extend(c.encode_utf8(&mut utf8).bytes().flat_map(octal));
                }
                None if c == '\'' => {
                    switch(&mut out, false);
                    out.extend_from_slice(b"'\\''");
                }
                None => {
                    switch(&mut out, false);
                    out.extend_from_slice(c.encode_utf8(&mut utf8).as_bytes());
                }
            }
        }
        for &byte in chunk.invalid() {
            switch(&mut out, true);
            out.extend(octal(byte));
        }
    }
    out.push(b'\'');
    out
}

fn octal(byte: u8) -> [u8; 4] {
    [
        b'\\',
        b'0' + (byte >> 6),
        b'0' + (byte >> 3 & 7),
        b'0' + (byte & 7),
    ]
}
