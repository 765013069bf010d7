//! A member of an archive: how it is read, and what its bytes must come to.

use std::io::{self, BufRead, BufReader, Read};
use std::ops::Range;

use flate2::Crc;
use flate2::bufread::DeflateDecoder;

use crate::error::Error;
use crate::input::compressed::{
    BUFFER_BYTES, Consumed, Limited, Limits, Section, cut_off, damaged, is_damaged,
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
    /// What the member of `archive` holds, and how many compressed bytes that has taken.
    pub fn decoded(&self, archive: &Section, limits: Limits) -> (Box<dyn Read + Send>, Consumed) {
        let consumed = Consumed::default();
        let compressed = consumed.count(archive.part(self.compressed.clone()));
        let compressed = BufReader::with_capacity(BUFFER_BYTES, compressed);
        let decoder = match self.method {
            Method::Stored => Decoder::Stored(compressed),
            Method::Deflated => Decoder::Deflated(DeflateDecoder::new(compressed)),
        };
        let checked = Checked {
            decoder,
            crc: Crc::new(),
            expected_crc: self.crc,
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
    Deflated(DeflateDecoder<R>),
}

impl<R: BufRead> Decoder<R> {
    fn read(&mut self, space: &mut [u8]) -> io::Result<usize> {
        match self {
            Decoder::Stored(compressed) => compressed.read(space),
            Decoder::Deflated(decoder) => decoder.read(space),
        }
    }

    fn compressed(&mut self) -> &mut R {
        match self {
            Decoder::Stored(compressed) => compressed,
            Decoder::Deflated(decoder) => decoder.get_mut(),
        }
    }
}

/// Holds what comes out of a decoder against what the directory says.
struct Checked<R> {
    decoder: Decoder<R>,
    crc: Crc,
    expected_crc: u32,
    expected: u64,
    /// How many of the expected bytes have not come yet.
    left: u64,
}

impl<R: BufRead> Read for Checked<R> {
    fn read(&mut self, space: &mut [u8]) -> io::Result<usize> {
        let got = self.decoder.read(space).map_err(damaged)?;
        self.left = self.left.checked_sub(got as u64).ok_or_else(|| {
            let expected = self.expected;
            is_damaged(&format!(
                "it holds more than the {expected} bytes that the directory says"
            ))
        })?;
        self.crc.update(&space[..got]);
        if got == 0 && !space.is_empty() {
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
        } else if self.crc.sum() != self.expected_crc {
            is_damaged("its bytes do not have the checksum that the directory says")
        } else if !self.decoder.compressed().fill_buf()?.is_empty() {
            is_damaged("its compressed data end before the directory says")
        } else {
            return Ok(());
        };
        Err(error.into())
    }
}
