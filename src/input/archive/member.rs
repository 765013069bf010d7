//! A member of an archive: how it is read, and what its bytes must come to.

use std::io::{self, BufRead, BufReader, Read};
use std::ops::Range;

use crate::error::Error;
use crate::input::compressed::{
    BUFFER_BYTES, Consumed, Inflate, Limited, Limits, Section, cut_off, is_damaged, read_up_to,
};

/// How a member is compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Not at all.
    Stored,
    /// By deflate.
    Deflated,
}

/// A member of an archive, as the directory describes it.
#[derive(Clone, Debug)]
pub struct Member {
    /// Its whole name, in whatever encoding.
    pub name: Vec<u8>,
    /// Where in the archive its local header begins.
    pub header_at: u64,
    /// Where in the archive its compressed bytes lie.
    pub compressed: Range<u64>,
    /// How they are compressed.
    pub method: Method,
    /// The CRC-32 of what they hold.
    pub crc: u32,
    /// How many bytes they hold. Like the CRC, that is what the directory says.
    pub bytes: u64,
}

impl Member {
    /// What the member of `archive` holds, and how many compressed bytes that has taken. Its
    /// checksum is for the reader to check.
    pub fn decoded(&self, archive: &Section, limits: Limits) -> (Box<dyn Read + Send>, Consumed) {
        let consumed = Consumed::default();
        let compressed = archive.part(self.compressed.clone());
        let compressed = consumed.count(BufReader::with_capacity(BUFFER_BYTES, compressed));
        let decoder = match self.method {
            Method::Stored => Decoder::Stored(compressed),
            Method::Deflated => Decoder::Deflated(Box::new(Inflate::bare(compressed))),
        };
        let checked = Checked {
            decoder,
            expected: self.bytes,
            left: self.bytes,
        };
        (
            Box::new(Limited::new(checked, limits, consumed.clone())),
            consumed,
        )
    }
}

enum Decoder<R> {
    Stored(R),
    Deflated(Box<Inflate<R>>),
}

impl<R: BufRead> Decoder<R> {
    fn compressed(&mut self) -> &mut R {
        match self {
            Decoder::Stored(compressed) => compressed,
            Decoder::Deflated(decoder) => decoder.compressed(),
        }
    }
}

impl<R: BufRead> Read for Decoder<R> {
    fn read(&mut self, space: &mut [u8]) -> io::Result<usize> {
        match self {
            Decoder::Stored(compressed) => compressed.read(space),
            Decoder::Deflated(decoder) => decoder.read(space),
        }
    }
}

/// Holds the length of what comes out of a decoder against what the directory says.
struct Checked<R> {
    decoder: Decoder<R>,
    expected: u64,
    /// How many of the expected bytes have not come yet.
    left: u64,
}

impl<R: BufRead> Read for Checked<R> {
    fn read(&mut self, space: &mut [u8]) -> io::Result<usize> {
        if space.is_empty() {
            return Ok(0);
        }
        let got = read_up_to(&mut self.decoder, space, self.left)?.ok_or_else(|| {
            let expected = self.expected;
            is_damaged(&format!(
                "it holds more than the {expected} bytes that the directory says"
            ))
        })?;
        self.left -= got as u64;
        if got == 0 {
            self.check_end()?;
        }
        Ok(got)
    }
}

impl<R: BufRead> Checked<R> {
    fn check_end(&mut self) -> io::Result<()> {
        let error: Error = if self.left > 0 {
            match self.decoder {
                Decoder::Stored(_) => cut_off(),
                Decoder::Deflated(_) => {
                    let (left, expected) = (self.left, self.expected);
                    is_damaged(&format!(
                        "{left} of the {expected} bytes are missing that the directory says"
                    ))
                }
            }
        } else if !self.decoder.compressed().fill_buf()?.is_empty() {
            is_damaged("its compressed data end before the directory says")
        } else {
            return Ok(());
        };
        Err(error.into())
    }
}
