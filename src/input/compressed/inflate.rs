//! Deflated data: gzip members and most members of zip archives.
//!
//! The readers of `flate2` lose the bytes that a failing step has produced, and name neither a wrong length
//! nor a wrong checksum. So its decoder is driven here.

use std::io;

use flate2::{Decompress, DecompressError, FlushDecompress, Status};

use super::source::Source;
use super::{cut_off, is_damaged, is_invalid};
use crate::error::Error;

/// The base-2 logarithm of how far back deflated data may refer: as far as the format allows.
const WINDOW_LOG: u8 = 15;

/// Decompresses deflated data up to their end, which they mark themselves.
pub(super) struct Inflate {
    decoder: Decompress,
    /// The error that follows the bytes that were produced.
    failure: Option<Error>,
}

impl Inflate {
    /// Decompresses bare deflated data.
    pub(super) fn bare() -> Inflate {
        Inflate::new(Decompress::new(false))
    }

    /// Decompresses a gzip member. Verifies its checksum and its length.
    pub(super) fn gzip_member() -> Inflate {
        Inflate::new(Decompress::new_gzip(WINDOW_LOG))
    }

    fn new(decoder: Decompress) -> Inflate {
        let failure = None;
        Inflate { decoder, failure }
    }

    /// Decompresses the data that `compressed` begins with into `space`, which is not empty.
    pub(super) fn read(&mut self, compressed: &mut Source, space: &mut [u8]) -> io::Result<usize> {
        loop {
            if let Some(error) = self.failure.take() {
                return Err(error.into());
            }
            let input = compressed.ahead()?;
            let at_end = input.is_empty();
            let (taken, produced) = (self.decoder.total_in(), self.decoder.total_out());
            let status = self.decoder.decompress(input, space, FlushDecompress::None);
            let produced = (self.decoder.total_out() - produced) as usize;
            compressed.take((self.decoder.total_in() - taken) as usize);
            match status {
                Err(ref error) => self.failure = Some(cause(error)),
                Ok(Status::StreamEnd) => return Ok(produced),
                Ok(_) if at_end && produced == 0 => return Err(cut_off().into()),
                Ok(_) => {}
            }
            if produced > 0 {
                return Ok(produced);
            }
        }
    }

    /// Decompresses gzip members, one after the other.
    ///
    /// Zeros may follow the last member, as on tapes; gzip(1) ignores them too. Anything else there is an
    /// error. gzip(1) warns and ignores it, but it may be the rest of a damaged member.
    pub(super) fn read_members(
        &mut self,
        compressed: &mut Source,
        space: &mut [u8],
    ) -> io::Result<usize> {
        loop {
            let got = self.read(compressed, space)?;
            if got > 0 || !another_member_follows(compressed)? {
                return Ok(got);
            }
            *self = Inflate::gzip_member();
        }
    }
}

/// Tells whether another gzip member follows.
fn another_member_follows(compressed: &mut Source) -> io::Result<bool> {
    if let [0x1f, ..] = compressed.ahead()? {
        return Ok(true);
    }
    loop {
        let rest = compressed.ahead()?;
        if rest.is_empty() {
            return Ok(false);
        }
        if rest.iter().any(|&byte| byte != 0) {
            return Err(is_damaged("its last member is followed by something else").into());
        }
        let zeros = rest.len();
        compressed.take(zeros);
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
        | "header crc mismatch" => is_damaged("what follows is not a gzip member"),
        _ => is_invalid(),
    }
}
