//! Decompressed bytes: limited, and compared with what the directory of an archive says.

use std::io::{self, Read};

use flate2::Crc;

use super::inflate::Inflate;
use super::source::{Source, Taken};
use super::zstd::Zstd;
use super::{Codec, cut_off, is_damaged};
use crate::error::Error;

/// The number of times its compressed size that data may have: 200. The FEC's files have 3 to 5 times
/// theirs (three archives of 2016), and generated ones 4. A file made to fill memory or time has about
/// 1,000 times as gzip or zip, and many thousand times as zstd.
const RATIO_MAX: u64 = 200;

/// The ratio counts from here: 1 GiB. A file of the same line over and over is no attack as long as
/// it is small.
const RATIO_COUNTS_FROM: u64 = 1 << 30;

/// The ratio is checked each time this many bytes have been produced: 1 MiB.
const RATIO_CHECKED_EVERY: u64 = 1 << 20;

/// What the directory of an archive says of a member.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Expected {
    /// The number of bytes.
    pub(crate) bytes: u64,
    /// Their CRC-32.
    pub(crate) crc: u32,
}

enum Decoder {
    Stored,
    Deflated(Inflate),
    Gzip(Inflate),
    Zstd(Zstd),
}

/// Decompressed bytes. Their errors come at a byte that does not depend on how they are read.
pub(crate) struct Unpacked {
    compressed: Source,
    decoder: Decoder,
    expected: Option<Expected>,
    crc: Crc,
    bytes_max: u64,
    produced: u64,
}

impl Unpacked {
    /// Decompresses `bytes`, and counts those that were `taken`. More than `bytes_max` are an error, and so are
    /// others than `expected`.
    ///
    /// # Errors
    /// If there is no memory for the decoder.
    pub(crate) fn new(
        codec: Codec,
        bytes: Box<dyn Read + Send>,
        expected: Option<Expected>,
        bytes_max: u64,
        taken: Taken,
    ) -> Result<Unpacked, Error> {
        Ok(Unpacked {
            compressed: Source::new(bytes, taken),
            decoder: match codec {
                Codec::Stored => Decoder::Stored,
                Codec::Deflated => Decoder::Deflated(Inflate::bare()),
                Codec::Gzip => Decoder::Gzip(Inflate::gzip_member()),
                Codec::Zstd => Decoder::Zstd(Zstd::new()?),
            },
            expected,
            crc: Crc::new(),
            bytes_max,
            produced: 0,
        })
    }

    /// Decompresses into `space`, which is not empty.
    fn decompress(&mut self, space: &mut [u8]) -> io::Result<usize> {
        let compressed = &mut self.compressed;
        match &mut self.decoder {
            Decoder::Stored => compressed.read(space),
            Decoder::Deflated(data) => data.read(compressed, space),
            Decoder::Gzip(members) => members.read_members(compressed, space),
            Decoder::Zstd(frames) => frames.read(compressed, space),
        }
    }

    fn too_long(&self) -> Error {
        match self.expected {
            Some(Expected { bytes, .. }) if bytes <= self.bytes_max => is_damaged(&format!(
                "it holds more than the {bytes} bytes that the directory says"
            )),
            _ => {
                let what = format!("holds more than {} bytes", self.bytes_max);
                Error::input(what).advise("if that is right, set the limit with --max-member-bytes")
            }
        }
    }

    fn check_end(&mut self) -> io::Result<()> {
        let Some(Expected { bytes, crc }) = self.expected else {
            return Ok(());
        };
        let error = if self.produced < bytes {
            match self.decoder {
                Decoder::Stored => cut_off(),
                _ => is_damaged(&format!(
                    "{} of the {bytes} bytes are missing that the directory says",
                    bytes - self.produced
                )),
            }
        } else if !self.compressed.ahead()?.is_empty() {
            is_damaged("its compressed data end before the directory says")
        } else if self.crc.sum() != crc {
            is_damaged("its bytes do not have the checksum that the directory says")
        } else {
            return Ok(());
        };
        Err(error.into())
    }
}

impl Read for Unpacked {
    fn read(&mut self, space: &mut [u8]) -> io::Result<usize> {
        // Before more is read, so that nothing that was read is lost.
        if self.produced.is_multiple_of(RATIO_CHECKED_EVERY) {
            check_ratio(self.produced, self.compressed.taken())?;
        }
        let bytes_max = self.expected.map_or(u64::MAX, |expected| expected.bytes);
        let left = self.bytes_max.min(bytes_max) - self.produced;
        let to_check = RATIO_CHECKED_EVERY - self.produced % RATIO_CHECKED_EVERY;
        // One byte after the last shows that there are too many.
        let most = left.min(to_check).max(1).min(space.len() as u64) as usize;
        if most == 0 {
            return Ok(0);
        }
        let got = self.decompress(&mut space[..most])?;
        if got as u64 > left {
            return Err(self.too_long().into());
        }
        if got == 0 {
            self.check_end()?;
        }
        if self.expected.is_some() {
            self.crc.update(&space[..got]);
        }
        self.produced += got as u64;
        Ok(got)
    }
}

fn check_ratio(produced: u64, taken: u64) -> Result<(), Error> {
    if produced > RATIO_COUNTS_FROM && produced / RATIO_MAX > taken {
        return Err(Error::input(format!(
            "holds more than {RATIO_MAX} times its compressed bytes"
        ))
        .advise("if you trust it, unpack it, or pipe it in unpacked"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_are_limited_by_the_size_of_their_compressed_bytes() {
        assert!(check_ratio(1 << 40, 1 << 38).is_ok());
        assert!(check_ratio(1 << 30, 1).is_ok());
        assert!(check_ratio((1 << 30) + 1, 1).is_err());
        assert!(check_ratio(200 << 30, 1 << 30).is_ok());
        assert!(check_ratio((200 << 30) + 200, 1 << 30).is_err());
    }

    #[test]
    fn a_decoder_is_stopped_at_the_same_byte_however_it_is_read() {
        for size in [1, 7, 300, 1000, 5000] {
            let bytes = Box::new(io::repeat(b'x'));
            let unpacked = Unpacked::new(Codec::Stored, bytes, None, 1000, Taken::default());
            let mut unpacked = unpacked.unwrap();
            let mut space = vec![0; size];
            let mut produced = 0;
            let error = loop {
                match unpacked.read(&mut space) {
                    Ok(got) => produced += got,
                    Err(error) => break Error::of_reading(error).with_advice(),
                }
            };
            assert_eq!(produced, 1000);
            assert!(error.starts_with("holds more than 1000 bytes;"), "{error}");
        }
    }
}
