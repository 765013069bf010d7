//! Compressed bytes, read ahead for a decoder.

use std::io::{self, BufRead, BufReader, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The number of compressed bytes that are read at a time.
const BUFFER_BYTES: usize = 128 << 10;

/// The number of bytes that a decoder has taken from a compressed file so far, shared with progress.
pub(crate) type Taken = Arc<AtomicU64>;

/// Compressed bytes. Reads ahead, and counts the bytes that the decoder takes.
pub(super) struct Source {
    bytes: BufReader<Box<dyn Read + Send>>,
    taken: Taken,
}

impl Source {
    /// Reads `bytes`, and counts in `taken`.
    pub(super) fn new(bytes: Box<dyn Read + Send>, taken: Taken) -> Source {
        Source {
            bytes: BufReader::with_capacity(BUFFER_BYTES, bytes),
            taken,
        }
    }

    /// Returns the bytes ahead; none only at the end.
    pub(super) fn ahead(&mut self) -> io::Result<&[u8]> {
        self.bytes.fill_buf()
    }

    /// Takes `bytes` of those ahead.
    pub(super) fn take(&mut self, bytes: usize) {
        self.bytes.consume(bytes);
        self.taken.fetch_add(bytes as u64, Ordering::Relaxed);
    }

    /// Returns the number of bytes taken.
    pub(super) fn taken(&self) -> u64 {
        self.taken.load(Ordering::Relaxed)
    }
}

impl Read for Source {
    fn read(&mut self, space: &mut [u8]) -> io::Result<usize> {
        let got = self.bytes.read(space)?;
        self.taken.fetch_add(got as u64, Ordering::Relaxed);
        Ok(got)
    }
}
