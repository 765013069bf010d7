//! Decompresses gzip and zstd files and the members of zip archives.
//!
//! [`Format`] is detected from the first bytes, never from the name. The reader of [`unpacked`] verifies
//! structure, lengths and checksums. It limits the number of bytes. Everything before a damage is read
//! before its error. So the byte of an error does not depend on how it is read.

mod deflate;
mod format;
mod gzip;
mod section;
mod source;
mod unpacked;
mod zstd;

use std::io::{self, Read};

use self::gzip::Gzip;
use self::source::Source;
use self::unpacked::Unpacked;
use self::zstd::Zstd;
use crate::error::{Error, ErrorKind};

pub(crate) use self::deflate::Inflate;
pub(crate) use self::format::{Format, MAGIC_BYTES};
pub(crate) use self::section::Section;
pub(crate) use self::source::Taken;
pub(crate) use self::unpacked::Expected;

/// How bytes are compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Codec {
    /// gzip, of one member or several.
    Gzip,
    /// zstd, of one frame or several.
    Zstd,
    /// Bare deflated data, in an archive.
    Deflated,
    /// Not at all, in an archive.
    Stored,
}

/// Compressed bytes in a file, which can be read as often as needed.
#[derive(Clone, Debug)]
pub(crate) struct Packed {
    /// The compressed bytes.
    pub(crate) section: Section,
    /// How they are compressed.
    pub(crate) codec: Codec,
    /// What the directory of the archive says of their content, if there is one.
    pub(crate) expected: Option<Expected>,
    /// The number of bytes that they may hold.
    pub(crate) bytes_max: u64,
}

impl Packed {
    /// Reads from the beginning, and counts the compressed bytes in `taken`.
    ///
    /// # Errors
    /// If there is no memory for the decoder.
    pub(crate) fn open(&self, taken: Taken) -> Result<Box<dyn Read + Send>, Error> {
        let bytes = Box::new(self.section.clone());
        unpacked(self.codec, bytes, self.expected, self.bytes_max, taken)
    }
}

/// Decompresses `bytes`. More than `bytes_max` are an error, and so are others than `expected`.
///
/// # Errors
/// If there is no memory for the decoder.
pub(crate) fn unpacked(
    codec: Codec,
    bytes: Box<dyn Read + Send>,
    expected: Option<Expected>,
    bytes_max: u64,
    taken: Taken,
) -> Result<Box<dyn Read + Send>, Error> {
    let decoder = Decoder::new(codec, Source::new(bytes, taken.clone()))?;
    Ok(Box::new(Unpacked::new(decoder, expected, bytes_max, taken)))
}

enum Decoder {
    Stored(Source),
    Deflated(Inflate),
    Gzip(Gzip),
    Zstd(Zstd),
}

impl Decoder {
    fn new(codec: Codec, compressed: Source) -> Result<Decoder, Error> {
        Ok(match codec {
            Codec::Gzip => Decoder::Gzip(Gzip::new(compressed)),
            Codec::Zstd => Decoder::Zstd(Zstd::new(compressed)?),
            Codec::Deflated => Decoder::Deflated(Inflate::bare(compressed)),
            Codec::Stored => Decoder::Stored(compressed),
        })
    }

    /// Reads into `space`, which is not empty.
    fn read(&mut self, space: &mut [u8]) -> io::Result<usize> {
        match self {
            Decoder::Stored(bytes) => {
                let ahead = bytes.ahead()?;
                let got = ahead.len().min(space.len());
                space[..got].copy_from_slice(&ahead[..got]);
                bytes.take(got);
                Ok(got)
            }
            Decoder::Deflated(decoder) => decoder.read(space),
            Decoder::Gzip(decoder) => decoder.read(space),
            Decoder::Zstd(decoder) => decoder.read(space),
        }
    }

    /// Tells whether all compressed bytes were taken, now that nothing more is produced. gzip and zstd
    /// check that themselves.
    fn is_at_end(&mut self) -> io::Result<bool> {
        let compressed = match self {
            Decoder::Stored(bytes) => bytes,
            Decoder::Deflated(decoder) => &mut decoder.compressed,
            Decoder::Gzip(_) | Decoder::Zstd(_) => return Ok(true),
        };
        Ok(compressed.ahead()?.is_empty())
    }
}

/// Returns the error for compressed data that end too early.
pub(crate) fn cut_off() -> Error {
    Error::new(
        ErrorKind::Input,
        "ends in the middle of its compressed data",
    )
    .advise("it was cut off: get it again, whole")
}

/// Returns the error for data that are not as they were compressed.
pub(crate) fn is_damaged(cause: &str) -> Error {
    Error::new(ErrorKind::Input, format!("is damaged: {cause}")).advise("get it again")
}

/// Returns the error for compressed data without meaning.
pub(crate) fn is_invalid() -> Error {
    is_damaged("its compressed data make no sense from here on")
}
