//! Compressed input, told by its first bytes. It is no text: a count of its newlines would be a
//! wrong answer.

use std::fs::File;
use std::os::unix::fs::FileExt;

use crate::error::{Error, ErrorKind};

/// How many bytes tell whether an input is compressed.
pub const MAGIC_BYTES: usize = 4;

/// How a compressed file begins, what it is called, and what unpacks it into a pipe.
const KINDS: [(&[u8], &str, &str); 4] = [
    (b"\x1f\x8b", "gzip", "gzip -dc"),
    (b"\x28\xb5\x2f\xfd", "zstd", "zstd -dc"),
    (b"PK\x03\x04", "zip", "unzip -p"),
    // An archive without members has nothing but its end.
    (b"PK\x05\x06", "zip", "unzip -p"),
];

/// Fails if `first`, the first bytes of an input, are those of a compressed one.
pub fn refuse(first: &[u8]) -> Result<(), Error> {
    match KINDS.iter().find(|(magic, _, _)| first.starts_with(magic)) {
        None => Ok(()),
        Some((_, kind, unpack)) => Err(Error::new(ErrorKind::Input, format!("is a {kind} file"))
            .advise(format!("unpack it, or pipe it in: {unpack} FILE | fecscan"))),
    }
}

/// The same for a regular file that is to be read from `offset`. If it can't be read, that is
/// reported later.
pub fn refuse_file(file: &File, offset: u64) -> Result<(), Error> {
    let mut first = [0; MAGIC_BYTES];
    let read = file.read_at(&mut first, offset).unwrap_or(0);
    refuse(&first[..read])
}
