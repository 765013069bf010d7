//! The memory that a worker reads into.

use std::io;

use crate::error::Error;
use crate::scan::HEAD_BYTES;

/// Holds the bytes of a task. The memory is kept for the next task.
///
/// Unlike in a `Vec`, memory that was once in use is not filled with zeros again before it is read into.
/// That would cost as much as reading.
#[derive(Debug, Default)]
pub struct Buffer {
    /// All the memory there is; the bytes after `filled` are left from before.
    memory: Vec<u8>,
    filled: usize,
}

impl Buffer {
    /// Forgets the bytes.
    pub(super) fn clear(&mut self) {
        self.filled = 0;
    }

    /// Forgets all but the first `bytes`.
    pub(super) fn truncate(&mut self, bytes: usize) {
        self.filled = self.filled.min(bytes);
    }

    /// Returns the bytes that were read.
    pub(super) fn filled(&self) -> &[u8] {
        &self.memory[..self.filled]
    }

    /// Returns the bytes that were read, and room after them for the head of a line that begins in the
    /// last one. The content of the room is arbitrary.
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

    /// Appends what one call of `read` returns, at most `wanted` bytes. Returns their number.
    pub(super) fn read_once(
        &mut self,
        wanted: usize,
        mut read: impl FnMut(&mut [u8]) -> io::Result<usize>,
    ) -> Result<usize, Error> {
        self.reserve(wanted);
        let space = &mut self.memory[self.filled..][..wanted];
        loop {
            match read(space) {
                Ok(got) => {
                    self.filled += got;
                    return Ok(got);
                }
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => return Err(Error::of_reading(e)),
            }
        }
    }

    /// Appends `wanted` bytes, or fewer at the end. Returns their number. The second argument of `read`
    /// is the number of bytes so far.
    pub(super) fn fill(
        &mut self,
        wanted: usize,
        mut read: impl FnMut(&mut [u8], u64) -> io::Result<usize>,
    ) -> Result<usize, Error> {
        let mut got = 0;
        while got < wanted {
            match self.read_once(wanted - got, |space| read(space, got as u64))? {
                0 => break,
                more => got += more,
            }
        }
        Ok(got)
    }

    fn reserve(&mut self, bytes: usize) {
        let needed = self.filled + bytes;
        if needed > self.memory.len() {
            self.memory.resize(needed, 0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn short_and_interrupted_reads_fill_the_buffer() {
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
}
