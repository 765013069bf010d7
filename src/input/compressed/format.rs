//! Detects the format of an input from its first bytes.

use crate::error::Error;

/// The number of bytes that tell a format. The mark of tar ends here.
pub(crate) const MAGIC_BYTES: usize = 262;

/// What an input is, as its first bytes tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    /// Lines, or anything else without a mark.
    Plain,
    /// gzip, of one member or several.
    Gzip,
    /// zstd, of one frame or several.
    Zstd,
    /// A zip archive.
    Zip,
    /// A known format that can't be read here.
    Other(&'static Other),
}

/// A format that can't be read here. Counting its newlines would be a wrong answer.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Other {
    /// Where its mark is.
    at: usize,
    /// The bytes of the mark, `?` for any.
    mark: &'static [u8],
    name: &'static str,
    advice: [&'static str; 3],
}

impl Other {
    /// A format that `command` unpacks into a pipe.
    const fn piped(
        at: usize,
        mark: &'static [u8],
        name: &'static str,
        command: &'static str,
    ) -> Other {
        let advice = ["pipe it in: ", command, " | fecscan ..."];
        Other {
            at,
            mark,
            name,
            advice,
        }
    }

    const fn advised(mark: &'static [u8], name: &'static str, advice: &'static str) -> Other {
        Other {
            advice: [advice, "", ""],
            ..Other::piped(0, mark, name, "")
        }
    }

    const fn split_zip(mark: &'static [u8]) -> Other {
        let advice = "put it together: zip -s 0 FILE --out WHOLE.zip; fecscan WHOLE.zip";
        Other::advised(mark, "a part of a split zip archive", advice)
    }

    const fn utf_16(mark: &'static [u8]) -> Other {
        let advice = "convert it: iconv -f UTF-16 -t UTF-8 FILE | fecscan";
        Other::advised(mark, UTF_16, advice)
    }

    fn begins(&self, first: &[u8]) -> bool {
        let place = first.get(self.at..self.at + self.mark.len());
        place.is_some_and(|place| {
            let mut bytes = place.iter().zip(self.mark);
            bytes.all(|(byte, mark)| byte == mark || *mark == b'?')
        })
    }
}

const UTF_16: &str = "UTF-16 text";

/// The number of bytes that tell UTF-16 without a byte-order mark.
const UTF_16_BYTES: usize = 8;

/// UTF-16 without a byte-order mark, with the zeros after and before the letters.
static UNMARKED_UTF_16: [Other; 2] = [
    Other::advised(
        b"",
        UTF_16,
        "convert it: iconv -f UTF-16LE -t UTF-8 FILE | fecscan",
    ),
    Other::advised(
        b"",
        UTF_16,
        "convert it: iconv -f UTF-16BE -t UTF-8 FILE | fecscan",
    ),
];

/// Returns the kind of UTF-16 of an input that begins with `first`, if every second byte is a zero, and the others are text.
fn unmarked_utf_16(first: &[u8]) -> Option<&'static Other> {
    let first = first.get(..UTF_16_BYTES)?;
    let has_zeros = |at: usize| {
        let (pairs, _) = first.as_chunks::<2>();
        let is_text = |byte: u8| byte.is_ascii_graphic() || byte.is_ascii_whitespace();
        pairs
            .iter()
            .all(|pair| pair[at] == 0 && is_text(pair[1 - at]))
    };
    let at = [1, 0].into_iter().position(has_zeros)?;
    Some(&UNMARKED_UTF_16[at])
}

const OTHERS: [Other; 15] = [
    Other::piped(0, b"\xfd7zXZ\0", "an xz file", "xz -dc FILE"),
    Other::piped(0, b"BZh?1AY&SY", "a bzip2 file", "bzip2 -dc FILE"),
    Other::piped(0, b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive", "7z e -so FILE"),
    Other::piped(0, b"Rar!\x1a\x07", "a RAR archive", "unrar p -inul FILE"),
    Other::piped(2, b"-lh?-", "an LZH archive", "lha pq FILE"),
    Other::piped(0, b"\x04\x22\x4d\x18", "an lz4 file", "lz4 -dc FILE"),
    Other::piped(0, b"\x1f\x9d", "a file of compress(1)", "gzip -dc FILE"),
    Other::piped(257, b"ustar", "a tar archive", "tar -xOf FILE"),
    Other::split_zip(b"PK\x07\x08"),
    Other::split_zip(b"PK00PK"),
    // The byte order mark and an ASCII character.
    Other::utf_16(b"\xff\xfe?\0"),
    Other::utf_16(b"\xfe\xff\0"),
    Other::advised(
        b"\x89FSP\r\n\x1a\n",
        "a partial",
        "merge it: fecscan merge FILE...",
    ),
    Other::advised(
        b"\0\x05\x16\x07",
        "metadata of macOS (AppleDouble)",
        "name the file of the same name without ._",
    ),
    Other::advised(
        b"PAR1\x15",
        "a Parquet file",
        "DuckDB, Polars and pandas read it; pipe its rows in as text with tabs",
    ),
];

impl Format {
    /// Returns the format of an input that begins with `first`, which is shorter than [`MAGIC_BYTES`]
    /// only if the input is, or [`Format::begins_with_line`].
    pub(crate) fn of(first: &[u8]) -> Format {
        match first {
            [0x1f, 0x8b, ..] => Format::Gzip,
            // A frame, or a skippable one, with which some programs begin.
            [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => Format::Zstd,
            // A member, or the end of an archive without members.
            [b'P', b'K', 3, 4, ..] | [b'P', b'K', 5, 6, ..] => Format::Zip,
            _ => match OTHERS
                .iter()
                .find(|other| other.begins(first))
                .or_else(|| unmarked_utf_16(first))
            {
                Some(other) => Format::Other(other),
                None => Format::Plain,
            },
        }
    }

    /// Returns whether `first` tells the format without further bytes: a line of text without zeros. Every mark but that of
    /// tar stands in the first twelve bytes, and the header before that one has zeros.
    pub(crate) fn begins_with_line(first: &[u8]) -> bool {
        first.len() >= 12 && first.contains(&b'\n') && !first.contains(&0)
    }

    /// Fails if this format can't be read.
    pub(crate) fn check_readable(self) -> Result<(), Error> {
        match self {
            Format::Other(other) => {
                let what = format!("is {}, which can't be read", other.name);
                Err(Error::input(what).advise(other.advice.concat()))
            }
            _ => Ok(()),
        }
    }

    /// Fails if decompressed bytes have this format: then they are no lines, but packed twice.
    pub(crate) fn check_unpacked(self) -> Result<(), Error> {
        let name = match self {
            Format::Plain => return Ok(()),
            Format::Gzip => "a gzip file",
            Format::Zstd => "a zstd file",
            Format::Zip => "a zip archive",
            Format::Other(other) => other.name,
        };
        let what = format!("holds {name} instead of lines");
        Err(Error::input(what).advise("unpack it, and name the file that it holds"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_detected_from_the_first_bytes() {
        for (first, format) in [
            (&b""[..], Format::Plain),
            (b"P", Format::Plain),
            (b"PK\n", Format::Plain),
            (b"C00990|", Format::Plain),
            (b"\x1f", Format::Plain),
            (b"\xff\xfeab", Format::Plain),
            (b"a\0b\0c\0\0\0", Format::Plain),
            (b"a\0b\0c\0|\0", Format::Other(&UNMARKED_UTF_16[0])),
            (b"\0a\0b\0c\0\n", Format::Other(&UNMARKED_UTF_16[1])),
            (b"\0\0\0\0\0\0\0\0", Format::Plain),
            (b"\xef\xbb\xbfC00990|", Format::Plain),
            (b"BZh9 | ", Format::Plain),
            (b"\x1f\x8b", Format::Gzip),
            (b"\x28\xb5\x2f\xfd\x24\x00", Format::Zstd),
            (b"\x5a\x2a\x4d\x18\x04\x00", Format::Zstd),
            (b"PK\x03\x04\x14\x00", Format::Zip),
            (b"PK\x05\x06\x00\x00", Format::Zip),
        ] {
            assert_eq!(Format::of(first), format, "{first:?}");
        }
    }

    #[test]
    fn formats_that_can_not_be_read_are_refused() {
        for other in &OTHERS {
            let first = [&vec![b'x'; other.at][..], other.mark].concat();
            assert!(first.len() <= MAGIC_BYTES, "{}", other.name);
            let error = Format::of(&first).check_readable().unwrap_err();
            assert!(error.to_string().contains(other.name), "{error}");
            let error = Format::of(&first).check_unpacked().unwrap_err();
            assert!(error.to_string().contains(other.name), "{error}");
            assert!(Format::of(&first[..first.len() - 1]) != Format::Other(other));
        }
    }
}
