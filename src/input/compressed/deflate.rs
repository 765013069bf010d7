//! Deflated data: gzip members and most members of zip archives.

use std::io;

use flate2::{Decompress, DecompressError, FlushDecompress, Status};

use super::source::Source;
use super::{cut_off, is_damaged, is_invalid};
use crate::error::Error;

/// The base-2 logarithm of how far back deflated data may refer: as far as the format allows.
const WINDOW_LOG: u8 = 15;

/// Decompresses deflated data up to their end, which they mark themselves.
///
/// Everything before a damage is produced before its error. So the byte of the error depends on the data
/// alone.
pub(crate) struct Inflate {
    /// The compressed bytes; at the end, those after the deflated data.
    pub(super) compressed: Source,
    decoder: Decompress,
    /// The error that follows the bytes that were produced.
    failure: Option<Error>,
    /// Nothing follows.
    ended: bool,
}

impl Inflate {
    /// Decompresses the bare deflated data that `compressed` begins with.
    pub(crate) fn bare(compressed: Source) -> Inflate {
        Inflate::new(compressed, Decompress::new(false))
    }

    /// Decompresses the gzip member that `compressed` begins with. Verifies its checksum and its length.
    pub(crate) fn gzip_member(compressed: Source) -> Inflate {
        Inflate::new(compressed, Decompress::new_gzip(WINDOW_LOG))
    }

    fn new(compressed: Source, decoder: Decompress) -> Inflate {
        Inflate {
            compressed,
            decoder,
            failure: None,
            ended: false,
        }
    }

    /// Reads into `space`, which is not empty.
    pub(crate) fn read(&mut self, space: &mut [u8]) -> io::Result<usize> {
        loop {
            if let Some(error) = self.failure.take() {
                return Err(error.into());
            }
            if self.ended {
                return Ok(0);
            }
            let produced = self.step(space)?;
            if produced > 0 {
                return Ok(produced);
            }
        }
    }

    /// Does one step of the decoder. Returns the number of bytes it has produced.
    fn step(&mut self, space: &mut [u8]) -> io::Result<usize> {
        let input = self.compressed.ahead()?;
        let at_end = input.is_empty();
        let (taken, produced) = (self.decoder.total_in(), self.decoder.total_out());
        let status = self.decoder.decompress(input, space, FlushDecompress::None);
        let taken = (self.decoder.total_in() - taken) as usize;
        let produced = (self.decoder.total_out() - produced) as usize;
        self.compressed.take(taken);
        self.failure = match status {
            Ok(Status::Ok | Status::BufError) if at_end && produced == 0 => Some(cut_off()),
            Ok(_) => None,
            Err(ref error) => Some(cause(error)),
        };
        self.ended = self.failure.is_some() || matches!(status, Ok(Status::StreamEnd));
        Ok(produced)
    }
}

/// Translates zlib's name for a damage.
fn cause(error: &DecompressError) -> Error {
    match error.message().unwrap_or_default() {
        "incorrect data check" => {
            is_damaged("its bytes do not have the checksum that follows them")
        }
        "incorrect length check" => {
            is_damaged("its bytes do not have the length that follows them")
        }
        "incorrect header check"
        | "unknown compression method"
        | "unknown header flags set"
        | "header crc mismatch" => is_damaged("what follows is no gzip member"),
        _ => is_invalid(),
    }
}
