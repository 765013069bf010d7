//! Compressed streams: what comes out of a gzip or a zstd file.
//!
//! [`Format`] tells them by their first bytes, never by name. [`decoded`] makes a reader of what
//! they hold. It checks what the format lets it check: the structure, the lengths, the checksums;
//! and what is produced, by [`Limits`]. Its errors say what is wrong with the compressed data, and
//! come when all that could be made out before has been read. So whoever reads knows at which byte
//! of the decompressed data that is, and it is the same byte in whatever pieces they read.

mod checksum;
mod deflate;
mod format;
mod gzip;
mod limits;
mod section;
mod zstd;

use std::io::{BufReader, Read};

use self::gzip::Gzip;
use self::zstd::Zstd;
use crate::error::{Error, ErrorKind};

pub use self::checksum::Checksum;
pub use self::deflate::Inflate;
pub use self::format::{Format, MAGIC_BYTES};
pub use self::limits::{Consumed, Limited, Limits, read_up_to};
pub use self::section::Section;

/// How many compressed bytes are read at a time.
pub const BUFFER_BYTES: usize = 128 << 10;

/// A compressed stream that can be told from a plain one and needs no directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Codec {
    /// gzip, of one member or several.
    Gzip,
    /// zstd, of one frame or several.
    Zstd,
}

impl Codec {
    /// What the codec is called.
    pub fn name(self) -> &'static str {
        match self {
            Codec::Gzip => "gzip",
            Codec::Zstd => "zstd",
        }
    }
}

/// What `compressed` holds, and how many of its bytes that has taken.
///
/// # Errors
/// If there is no memory for the decoder.
pub fn decoded(
    codec: Codec,
    compressed: impl Read + Send + 'static,
    limits: Limits,
) -> Result<(Box<dyn Read + Send>, Consumed), Error> {
    let consumed = Consumed::default();
    let compressed = consumed.count(BufReader::with_capacity(BUFFER_BYTES, compressed));
    let decoder: Box<dyn Read + Send> = match codec {
        Codec::Gzip => Box::new(Limited::new(
            Gzip::new(compressed),
            limits,
            consumed.clone(),
        )),
        Codec::Zstd => {
            let decoder = Zstd::new(compressed)
                .map_err(|e| Error::io(ErrorKind::Input, "can't be decompressed", e))?;
            Box::new(Limited::new(decoder, limits, consumed.clone()))
        }
    };
    Ok((decoder, consumed))
}

/// The error for compressed data that end too early.
pub fn cut_off() -> Error {
    Error::new(
        ErrorKind::Input,
        "ends in the middle of its compressed data",
    )
    .advise("it was cut off: get it again, whole")
}

/// The error for compressed data that can't be what was once compressed.
pub fn is_damaged(cause: &str) -> Error {
    Error::new(ErrorKind::Input, format!("is damaged: {cause}")).advise("get it again")
}

/// The error for compressed data that stop making sense.
pub fn is_invalid() -> Error {
    is_damaged("its compressed data make no sense from here on")
}
