//! The memory that a worker reads into.

use std::io;

use crate::error::Error;
use crate::scan::HEAD_BYTES;

/// Bytes that were read, in memory that is kept from one task to the next.
///
/// It differs from a `Vec` in one thing: memory that was once in use is not filled with zeros again
/// before it is read into, which would cost as much as reading.
#[derive(Debug, Default)]
pub struct Buffer {
    /// All the memory there is; the bytes behind `filled` are left from before.
    memory: Vec<u8>,
    filled: usize,
}

impl Buffer {
    /// Forgets what was read.
    pub(super) fn clear(&mut self) {
        self.filled = 0;
    }

    /// Forgets all but the first `bytes` of what was read.
    pub(super) fn truncate(&mut self, bytes: usize) {
        self.filled = self.filled.min(bytes);
    }

    /// What was read.
    pub(super) fn filled(&self) -> &[u8] {
        &self.memory[..self.filled]
    }

    /// What was read, and room behind it for the head of a line that begins in its last byte, whatever
    /// stands there.
    pub(super) fn filled_with_room(&mut self) -> &[u8] {
        self.reserve(HEAD_BYTES);
        &self.memory[..self.filled + HEAD_BYTES]
    }

    /// Appends a copy of `bytes`.
    pub(super) fn append(&mut self, bytes: &[u8]) {
        self.reserve(bytes.len());
        self.memory[self.filled..][..bytes.len()].copy_from_slice(bytes);
        self.filled += bytes.len();
    }

    /// Appends `wanted` bytes that `read` gets, fewer only if it comes to the end: the answer is
    /// how many. `read` is told how many it has got before.
    pub(super) fn fill(
        &mut self,
        wanted: usize,
        mut read: impl FnMut(&mut [u8], u64) -> io::Result<usize>,
    ) -> Result<usize, Error> {
        self.reserve(wanted);
        let space = &mut self.memory[self.filled..][..wanted];
        let mut got = 0;
        while got < wanted {
            match read(&mut space[got..], got as u64) {
                Ok(0) => break,
                Ok(more) => got += more,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => {
                    self.filled += got;
                    return Err(Error::of_reading(e));
                }
            }
        }
        self.filled += got;
        Ok(got)
    }

    fn reserve(&mut self, bytes: usize) {
        if self.memory.len() < self.filled + bytes {
            self.memory.resize(self.filled + bytes, 0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;

    /// Reads from `text` as a slow pipe would: a byte at a time, interrupted in between.
    fn slowly(text: &[u8]) -> impl FnMut(&mut [u8], u64) -> io::Result<usize> {
        let mut interrupted = false;
        move |space, before| {
            interrupted = !interrupted;
            match text.get(before as usize) {
                _ if interrupted => Err(io::ErrorKind::Interrupted.into()),
                None => Ok(0),
                Some(&byte) => {
                    space[0] = byte;
                    Ok(1)
                }
            }
        }
    }

    #[test]
    fn short_and_interrupted_reads_come_to_all_that_was_wanted() {
        let mut buffer = Buffer::default();
        buffer.append(b"ab");
        assert_eq!(buffer.fill(3, slowly(b"cdefgh")).unwrap(), 3);
        assert_eq!(buffer.filled(), b"abcde");
        assert_eq!(buffer.fill(9, slowly(b"fg")).unwrap(), 2);
        assert_eq!(buffer.filled(), b"abcdefg");
        assert!(buffer.filled_with_room().starts_with(b"abcdefg"));
        assert_eq!(buffer.filled_with_room().len(), 7 + HEAD_BYTES);
        buffer.clear();
        assert_eq!(buffer.filled(), b"");
    }

    #[test]
    fn a_read_that_fails_is_an_error() {
        let error = Buffer::default()
            .fill(3, |_, _| Err(io::ErrorKind::Other.into()))
            .unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Input);
    }
}
