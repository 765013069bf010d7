//! Compressed streams: what comes out of a gzip or a zstd file.
//!
//! [`Format`] tells them by their first bytes, never by name. [`decoded`] makes a reader of what
//! they hold. It checks what the format lets it check: the structure, the lengths, the checksums;
//! and what is produced, by [`Limits`]. Its errors say what is wrong with the compressed data;
//! whoever reads knows at which byte of the decompressed data.

mod format;
mod gzip;
mod limits;
mod section;

use std::io::{self, BufRead, BufReader, Read};

use self::gzip::Gzip;
use crate::error::{Error, ErrorKind};

pub use self::format::{Format, MAGIC_BYTES};
pub use self::limits::{Consumed, Limited, Limits};
pub use self::section::Section;

/// How many compressed bytes are read at a time.
pub const BUFFER_BYTES: usize = 128 << 10;

/// The base-2 logarithm of the window that a zstd file may ask for: 128 MiB, which is what zstd's
/// own command allows. The decoder keeps as much of what it has produced in memory.
const ZSTD_WINDOW_LOG_MAX: u32 = 27;

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
    let compressed = BufReader::with_capacity(BUFFER_BYTES, consumed.count(compressed));
    let decoder: Box<dyn Read + Send> = match codec {
        Codec::Gzip => Box::new(Limited::new(
            Gzip::new(compressed),
            limits,
            consumed.clone(),
        )),
        Codec::Zstd => {
            let decoder = zstd(compressed)
                .map_err(|e| Error::io(ErrorKind::Input, "can't be decompressed", e))?;
            Box::new(Limited::new(decoder, limits, consumed.clone()))
        }
    };
    Ok((decoder, consumed))
}

fn zstd<R: BufRead>(compressed: R) -> io::Result<Zstd<R>> {
    let mut decoder = ::zstd::stream::read::Decoder::with_buffer(compressed)?;
    decoder.window_log_max(ZSTD_WINDOW_LOG_MAX)?;
    Ok(Zstd { decoder })
}

/// What a zstd file holds. One frame may follow the other.
struct Zstd<R> {
    decoder: ::zstd::stream::read::Decoder<'static, R>,
}

impl<R: BufRead> Read for Zstd<R> {
    fn read(&mut self, space: &mut [u8]) -> io::Result<usize> {
        self.decoder.read(space).map_err(|e| {
            if e.to_string().contains("too much memory") {
                let window = 1_u32 << (ZSTD_WINDOW_LOG_MAX - 20);
                return Error::new(
                    ErrorKind::Input,
                    format!("needs a zstd window of more than {window} MiB"),
                )
                .advise("unpack it, or pipe it in: zstd -dc --long=31 FILE | fecscan")
                .into();
            }
            damaged(e)
        })
    }
}

/// What is wrong with a compressed stream whose decoder fails with `error`. An error of the system
/// stays one.
pub fn damaged(error: io::Error) -> io::Error {
    if error.raw_os_error().is_some() || error.get_ref().is_some_and(|e| e.is::<Error>()) {
        return error;
    }
    if error.kind() == io::ErrorKind::UnexpectedEof {
        return cut_off().into();
    }
    is_damaged(&error.to_string()).into()
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
