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
    let mut push = |escape: bool, text: &[u8]| {
        if escape != escaping {
            out.extend_from_slice(if escape { b"'$'" } else { b"''" });
            escaping = escape;
        }
        out.extend_from_slice(text);
    };
    let octal = |bytes: &[u8]| -> String { bytes.iter().map(|b| format!("\\{b:03o}")).collect() };
    for chunk in name.utf8_chunks() {
        for c in chunk.valid().chars() {
            let mut utf8 = [0; 4];
            let utf8 = c.encode_utf8(&mut utf8).as_bytes();
            match c {
                '\x07' => push(true, b"\\a"),
                '\x08' => push(true, b"\\b"),
                '\t' => push(true, b"\\t"),
                '\n' => push(true, b"\\n"),
                '\x0b' => push(true, b"\\v"),
                '\x0c' => push(true, b"\\f"),
                '\r' => push(true, b"\\r"),
                c if c.is_control() => push(true, octal(utf8).as_bytes()),
                '\'' => push(false, b"'\\''"),
                _ => push(false, utf8),
            }
        }
        if !chunk.invalid().is_empty() {
            push(true, octal(chunk.invalid()).as_bytes());
        }
    }
    out.push(b'\'');
    out
}
