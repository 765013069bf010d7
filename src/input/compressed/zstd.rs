//! zstd: one frame after the other.

use std::io;

use ::zstd::stream::raw::{DParameter, Decoder, Operation};

use super::source::Source;
use super::{cut_off, is_damaged, is_invalid};
use crate::error::Error;

/// The base-2 logarithm of the largest window that a zstd file may need: 128 MiB, as zstd's own command
/// allows. The decoder keeps that much of its output in memory.
const WINDOW_LOG_MAX: u32 = 27;

/// The number of bytes of the header of a block.
const BLOCK_HEADER_BYTES: usize = 3;

/// Decompresses a zstd file, whose frames may follow one another.
///
/// When the decoder fails, it does not tell how much it had produced in the same call. So it is given
/// one header or block at a time, and only after all its output has been taken. Then an error comes at
/// the same byte, however the bytes are read.
pub(super) struct Zstd {
    decoder: Decoder<'static>,
    /// The number of compressed bytes that the decoder wants next; none between frames.
    wanted: usize,
    /// The decoder may have more output for the bytes it was given.
    holds_more: bool,
}

impl Zstd {
    /// # Errors
    /// If there is no memory for the decoder.
    pub(super) fn new() -> Result<Zstd, Error> {
        let mut decoder = Decoder::new().map_err(|_| out_of_memory())?;
        decoder
            .set_parameter(DParameter::WindowLogMax(WINDOW_LOG_MAX))
            .map_err(|_| out_of_memory())?;
        Ok(Zstd {
            decoder,
            wanted: 0,
            holds_more: false,
        })
    }

    /// Decompresses `compressed` into `space`, which is not empty.
    pub(super) fn read(&mut self, compressed: &mut Source, space: &mut [u8]) -> io::Result<usize> {
        loop {
            let step = self.step();
            let ahead = compressed.ahead()?;
            if ahead.is_empty() && !self.holds_more {
                return match self.wanted {
                    0 => Ok(0),
                    _ => Err(cut_off().into()),
                };
            }
            let given = &ahead[..step.min(ahead.len())];
            let status = self.decoder.run_on_buffers(given, space).map_err(cause)?;
            compressed.take(status.bytes_read);
            self.wanted = status.remaining;
            // At the end of a frame it reports that nothing is left.
            self.holds_more = status.bytes_written == space.len() && status.remaining > 0;
            if status.bytes_written > 0 {
                return Ok(status.bytes_written);
            }
        }
    }

    /// Returns the number of bytes to give to the decoder now. It wants the rest of a header or block,
    /// and after a block the header of the next.
    fn step(&self) -> usize {
        match self.wanted {
            _ if self.holds_more => 0,
            // The first byte of a frame comes alone. Otherwise the decoder could decode a whole frame in
            // one call.
            0 => 1,
            wanted if wanted > BLOCK_HEADER_BYTES => wanted - BLOCK_HEADER_BYTES,
            wanted => wanted,
        }
    }
}

/// Returns the error for memory that the decoder does not get. It does not use Rust's allocator.
fn out_of_memory() -> Error {
    Error::input("there is not enough memory to read it")
        .advise("use fewer threads, as with -j 1, or allow the program more memory")
}

/// Translates the decoder's name for a damage.
fn cause(error: io::Error) -> io::Error {
    let name = error.to_string();
    let error = if name.starts_with("Frame requires too much memory") {
        let window = 1_u32 << (WINDOW_LOG_MAX - 20);
        Error::input(format!("needs a zstd window of more than {window} MiB"))
            .advise("unpack it, or pipe it in: zstd -dc --long=31 FILE | fecscan")
    } else if name.starts_with("Allocation") {
        out_of_memory()
    } else if name.starts_with("Dictionary") {
        Error::input("can't be read without its zstd dictionary")
            .advise("unpack it, or pipe it in: zstd -dc -D DICTIONARY FILE | fecscan")
    } else if name.contains("checksum") {
        is_damaged("its bytes do not have the checksum that follows them")
    } else if name.contains("Unknown frame descriptor") {
        is_damaged("what follows is not a zstd frame")
    } else {
        is_invalid()
    };
    error.into()
}
