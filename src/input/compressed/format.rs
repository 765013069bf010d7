//! What an input is, told by its first bytes.

use super::Codec;
use crate::error::{Error, ErrorKind};

/// How many bytes tell what an input is.
pub const MAGIC_BYTES: usize = 6;

/// What an input is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Lines, or whatever else it may be.
    Plain,
    /// A compressed stream.
    Compressed(Codec),
    /// A zip archive.
    Zip,
}

/// Formats that are no text and can't be read here: to count their newlines would be a wrong
/// answer. How they begin, what they are called, and what unpacks them into a pipe.
const OTHERS: [(&[u8], &str, &str); 6] = [
    (b"\xfd7zXZ\0", "an xz file", "xz -dc FILE"),
    (b"BZh91A", "a bzip2 file", "bzip2 -dc FILE"),
    (b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive", "7z e -so FILE"),
    (b"\x04\x22\x4d\x18", "an lz4 file", "lz4 -dc FILE"),
    (b"\x1f\x9d", "a file of compress(1)", "gzip -dc FILE"),
    (
        b"PK\x07\x08",
        "the first part of a split zip archive",
        "zip -s 0 FILE --out WHOLE.zip; unzip -p WHOLE.zip",
    ),
];

impl Format {
    /// What an input is that begins with `first`, which is shorter than [`MAGIC_BYTES`] only if the
    /// input is.
    ///
    /// # Errors
    /// If it is one of the formats that are compressed and can't be read.
    pub fn of(first: &[u8]) -> Result<Format, Error> {
        if let Some((_, kind, unpack)) = OTHERS.iter().find(|(magic, ..)| first.starts_with(magic))
        {
            return Err(
                Error::new(ErrorKind::Input, format!("is {kind}, which can't be read"))
                    .advise(format!("unpack it, or pipe it in: {unpack} | fecscan")),
            );
        }
        Ok(match first {
            [0x1f, 0x8b, ..] => Format::Compressed(Codec::Gzip),
            // A frame, or one that is to be skipped, with which some programs begin.
            [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => {
                Format::Compressed(Codec::Zstd)
            }
            // A member, or the end of an archive without members.
            [b'P', b'K', 3, 4, ..] | [b'P', b'K', 5, 6, ..] => Format::Zip,
            _ => Format::Plain,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_told_by_their_first_bytes() {
        for (first, format) in [
            (&b""[..], Format::Plain),
            (b"P", Format::Plain),
            (b"PK\n", Format::Plain),
            (b"C00990|", Format::Plain),
            (b"\x1f", Format::Plain),
            (b"\x1f\x8b", Format::Compressed(Codec::Gzip)),
            (b"\x28\xb5\x2f\xfd\x24\x00", Format::Compressed(Codec::Zstd)),
            (b"\x5a\x2a\x4d\x18\x04\x00", Format::Compressed(Codec::Zstd)),
            (b"PK\x03\x04\x14\x00", Format::Zip),
            (b"PK\x05\x06\x00\x00", Format::Zip),
        ] {
            assert_eq!(Format::of(first).unwrap(), format, "{first:?}");
        }
    }

    #[test]
    fn formats_that_can_not_be_read_are_refused() {
        for (magic, kind, _) in OTHERS {
            assert!(magic.len() <= MAGIC_BYTES, "{kind}");
            let error = Format::of(magic).unwrap_err();
            assert!(error.to_string().contains(kind), "{error}");
        }
    }
}
