//! Compressed bytes, read ahead for a decoder.

use std::io::{self, Read};
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The number of compressed bytes that are read at a time.
const BUFFER_BYTES: usize = 128 << 10;

/// The number of bytes that a decoder has taken from a compressed file so far, shared with progress.
#[derive(Clone, Debug, Default)]
pub(crate) struct Taken(Arc<AtomicU64>);

impl Taken {
    /// Returns the number.
    pub(crate) fn bytes(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// Compressed bytes. Reads ahead, and counts the bytes that the decoder takes.
pub(crate) struct Source {
    source: Box<dyn Read + Send>,
    buffer: Vec<u8>,
    ahead: Range<usize>,
    taken: Taken,
}

impl Source {
    /// Reads `source`, and counts in `taken`.
    pub(crate) fn new(source: Box<dyn Read + Send>, taken: Taken) -> Source {
        Source {
            source,
            buffer: vec![0; BUFFER_BYTES],
            ahead: 0..0,
            taken,
        }
    }

    /// Returns the bytes ahead; none only at the end.
    pub(crate) fn ahead(&mut self) -> io::Result<&[u8]> {
        while self.ahead.is_empty() {
            match self.source.read(&mut self.buffer) {
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => return Err(e),
                Ok(0) => break,
                Ok(read) => self.ahead = 0..read,
            }
        }
        Ok(&self.buffer[self.ahead.clone()])
    }

    /// Takes `bytes` of those ahead.
    pub(crate) fn take(&mut self, bytes: usize) {
        self.ahead.start += bytes;
        self.taken.0.fetch_add(bytes as u64, Ordering::Relaxed);
    }
}
