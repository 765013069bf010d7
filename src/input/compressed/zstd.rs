//! zstd: one frame after the other.

use std::io::{self, BufRead, Read};

use ::zstd::stream::raw::{DParameter, Decoder, Operation};

use super::{cut_off, is_damaged, is_invalid};
use crate::error::{Error, ErrorKind};

/// The base-2 logarithm of the window that a zstd file may ask for: 128 MiB, which is what zstd's
/// own command allows. The decoder keeps as much of what it has produced in memory.
const WINDOW_LOG_MAX: u32 = 27;

/// How many bytes the header of a block has.
const BLOCK_HEADER_BYTES: usize = 3;

/// What a zstd file holds. One frame may follow the other.
///
/// When the decoder fails, it does not tell what it had produced in the same call. So it is given
/// one thing at a time, a header or a block, and only once all that it has produced has been taken.
/// Then an error comes at the same byte, whatever the space that is read into, and however the
/// compressed bytes come in.
pub struct Zstd<R> {
    compressed: R,
    decoder: Decoder<'static>,
    /// How many compressed bytes the decoder wants next, none between frames.
    wanted: usize,
    /// It may have more to give of what it was given.
    holds_more: bool,
}

impl<R: BufRead> Zstd<R> {
    /// What `compressed` holds.
    ///
    /// # Errors
    /// If there is no memory for the decoder.
    pub fn new(compressed: R) -> io::Result<Zstd<R>> {
        let mut decoder = Decoder::new()?;
        decoder.set_parameter(DParameter::WindowLogMax(WINDOW_LOG_MAX))?;
        Ok(Zstd {
            compressed,
            decoder,
            wanted: 0,
            holds_more: false,
        })
    }

    /// How many of the bytes that lie ahead the decoder is given now. What it wants is the rest of
    /// one thing, and if that is a block, the header of the next.
    fn step(&self) -> usize {
        match self.wanted {
            _ if self.holds_more => 0,
            // The first byte of a frame alone: a frame that is seen whole is decoded in one call.
            0 => 1,
            wanted if wanted > BLOCK_HEADER_BYTES => wanted - BLOCK_HEADER_BYTES,
            wanted => wanted,
        }
    }
}

impl<R: BufRead> Read for Zstd<R> {
    fn read(&mut self, space: &mut [u8]) -> io::Result<usize> {
        if space.is_empty() {
            return Ok(0);
        }
        loop {
            let step = self.step();
            let ahead = self.compressed.fill_buf()?;
            if ahead.is_empty() && !self.holds_more {
                return match self.wanted {
                    0 => Ok(0),
                    _ => Err(cut_off().into()),
                };
            }
            let given = &ahead[..step.min(ahead.len())];
            let status = self.decoder.run_on_buffers(given, space).map_err(cause)?;
            self.compressed.consume(status.bytes_read);
            self.wanted = status.remaining;
            // At the end of a frame it says that it has given all.
            self.holds_more = status.bytes_written == space.len() && status.remaining > 0;
            if status.bytes_written > 0 {
                return Ok(status.bytes_written);
            }
        }
    }
}

/// What is wrong with the data, by the decoder's name for it.
fn cause(error: io::Error) -> io::Error {
    let name = error.to_string();
    let error = if name.starts_with("Frame requires too much memory") {
        let window = 1_u32 << (WINDOW_LOG_MAX - 20);
        Error::new(
            ErrorKind::Input,
            format!("needs a zstd window of more than {window} MiB"),
        )
        .advise("unpack it, or pipe it in: zstd -dc --long=31 FILE | fecscan")
    } else if name.starts_with("Allocation") {
        Error::new(ErrorKind::Input, "takes more memory than there is")
            .advise("unpack it, or pipe it in: zstd -dc FILE | fecscan")
    } else if name.starts_with("Dictionary") {
        Error::new(
            ErrorKind::Input,
            "can't be read without its zstd dictionary",
        )
        .advise("unpack it, or pipe it in: zstd -dc -D DICTIONARY FILE | fecscan")
    } else if name.contains("checksum") {
        is_damaged("its bytes do not have the checksum behind them")
    } else if name.contains("Unknown frame descriptor") {
        is_damaged("what follows is no zstd frame")
    } else {
        is_invalid()
    };
    error.into()
}
