//! Deflated data: what gzip members and most members of zip archives are.

use std::io::{self, BufRead, Read};

use flate2::{Decompress, DecompressError, FlushDecompress, Status};

use super::{cut_off, is_damaged, is_invalid};
use crate::error::Error;

/// The base-2 logarithm of how far back deflated data may refer: as far as the format allows.
const WINDOW_LOG: u8 = 15;

/// What deflated data hold, up to their end, which they know themselves.
///
/// Everything that can be made out in front of a damage is produced before the error is. So it is
/// the data that say at which byte that comes, not the size of the space that is read into.
pub struct Inflate<R> {
    compressed: R,
    decoder: Decompress,
    /// What to fail with when all in front of it has been read.
    failure: Option<Error>,
    /// Nothing more comes.
    ended: bool,
}

impl<R: BufRead> Inflate<R> {
    /// What the bare deflated data hold that `compressed` begins with.
    pub fn bare(compressed: R) -> Inflate<R> {
        Inflate::new(compressed, Decompress::new(false))
    }

    /// What the gzip member holds that `compressed` begins with. Its checksum and its length are
    /// checked.
    pub fn gzip_member(compressed: R) -> Inflate<R> {
        Inflate::new(compressed, Decompress::new_gzip(WINDOW_LOG))
    }

    fn new(compressed: R, decoder: Decompress) -> Inflate<R> {
        Inflate {
            compressed,
            decoder,
            failure: None,
            ended: false,
        }
    }

    /// The compressed bytes. Once all has been read, those behind the deflated data.
    pub fn compressed(&mut self) -> &mut R {
        &mut self.compressed
    }

    /// Gives the compressed bytes back.
    pub fn into_compressed(self) -> R {
        self.compressed
    }

    /// One step of the decoder: how many bytes it has produced.
    fn step(&mut self, space: &mut [u8]) -> io::Result<usize> {
        let input = self.compressed.fill_buf()?;
        let at_end = input.is_empty();
        let (taken, produced) = (self.decoder.total_in(), self.decoder.total_out());
        let status = self.decoder.decompress(input, space, FlushDecompress::None);
        let taken = (self.decoder.total_in() - taken) as usize;
        let produced = (self.decoder.total_out() - produced) as usize;
        self.compressed.consume(taken);
        self.failure = match status {
            Ok(Status::Ok | Status::BufError) if at_end && produced == 0 => Some(cut_off()),
            Ok(_) => None,
            Err(ref error) => Some(cause(error)),
        };
        self.ended = self.failure.is_some() || matches!(status, Ok(Status::StreamEnd));
        Ok(produced)
    }
}

impl<R: BufRead> Read for Inflate<R> {
    fn read(&mut self, space: &mut [u8]) -> io::Result<usize> {
        loop {
            if let Some(error) = self.failure.take() {
                return Err(error.into());
            }
            if self.ended || space.is_empty() {
                return Ok(0);
            }
            let produced = self.step(space)?;
            if produced > 0 {
                return Ok(produced);
            }
        }
    }
}

/// What is wrong with the data, by zlib's name for it.
fn cause(error: &DecompressError) -> Error {
    match error.message().unwrap_or_default() {
        "incorrect data check" => is_damaged("its bytes do not have the checksum behind them"),
        "incorrect length check" => is_damaged("its bytes are not as many as is said behind them"),
        "incorrect header check"
        | "unknown compression method"
        | "unknown header flags set"
        | "header crc mismatch" => is_damaged("what follows is no gzip member"),
        _ => is_invalid(),
    }
}
