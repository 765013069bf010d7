//! Decompresses gzip and zstd files and the members of zip archives.
//!
//! [`Format`] is detected from the first bytes, never from the name. [`Unpacked`] verifies structure,
//! lengths and checksums. It limits the number of bytes. Everything before a damage is read before its
//! error. So the byte of an error does not depend on how it is read.

mod format;
mod inflate;
mod source;
mod unpacked;
mod zstd;

use std::io::Read;

use super::section::Section;
use super::translated::Translation;
use crate::error::Error;

pub(crate) use self::format::{Format, MAGIC_BYTES};
pub(crate) use self::source::Taken;
pub(crate) use self::unpacked::{Expected, Unpacked};

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
    /// How their content becomes rows, if its lines are none.
    pub(crate) translation: Option<Translation>,
}

impl Packed {
    /// Reads from the beginning, and counts the compressed bytes in `taken`.
    ///
    /// # Errors
    /// If there is no memory for the decoder.
    pub(crate) fn open(&self, taken: Taken) -> Result<Box<dyn Read + Send>, Error> {
        let bytes = Box::new(self.section.clone());
        let unpacked = Unpacked::new(self.codec, bytes, self.expected, self.bytes_max, taken)?;
        Ok(translated(unpacked, self.translation.as_ref()))
    }
}

/// Returns bytes as rows.
pub(crate) fn translated(
    bytes: Unpacked,
    translation: Option<&Translation>,
) -> Box<dyn Read + Send> {
    match translation {
        None => Box::new(bytes),
        Some(translation) => Box::new(translation.of_bytes(Box::new(bytes))),
    }
}

/// Returns the error for compressed data that end too early.
pub(crate) fn cut_off() -> Error {
    Error::input("ends in the middle of its compressed data")
        .advise("it was cut off: get it again, whole")
}

/// Returns the error for data that are not as they were compressed.
pub(crate) fn is_damaged(cause: &str) -> Error {
    Error::input(format!("is damaged: {cause}")).advise("get it again")
}

/// Returns the error for compressed data without meaning.
pub(crate) fn is_invalid() -> Error {
    is_damaged("its compressed data make no sense from here on")
}
