//! A range of a regular file, read at its place.

use std::fs::File;
use std::io::{self, Read};
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::sync::Arc;

use super::MAGIC_BYTES;

/// The bytes of a file in a range that have not been read yet.
#[derive(Clone, Debug)]
pub(crate) struct Section {
    file: Arc<File>,
    range: Range<u64>,
}

impl Section {
    /// Returns the bytes of `file` in `range`.
    pub(crate) fn new(file: Arc<File>, range: Range<u64>) -> Section {
        Section { file, range }
    }

    /// Returns the number of bytes left.
    pub(crate) fn len(&self) -> u64 {
        self.range.end - self.range.start
    }

    /// Returns the section of a `range` of these bytes.
    pub(crate) fn part(&self, range: Range<u64>) -> Section {
        let at = |offset: u64| self.range.start.saturating_add(offset).min(self.range.end);
        Section {
            file: Arc::clone(&self.file),
            range: at(range.start)..at(range.end),
        }
    }

    /// Reads the bytes that tell the format. There are fewer only at the end of the file.
    pub(crate) fn first_bytes(mut self) -> io::Result<Vec<u8>> {
        let mut first = Vec::with_capacity(MAGIC_BYTES);
        (&mut self)
            .take(MAGIC_BYTES as u64)
            .read_to_end(&mut first)?;
        Ok(first)
    }
}

impl Read for Section {
    fn read(&mut self, space: &mut [u8]) -> io::Result<usize> {
        let got = rawzip::ReaderAt::read_at(self, space, 0)?;
        self.range.start += got as u64;
        Ok(got)
    }
}

impl rawzip::ReaderAt for Section {
    fn read_at(&self, space: &mut [u8], offset: u64) -> io::Result<usize> {
        let left = self.len().saturating_sub(offset);
        let wanted = usize::try_from(left).map_or(space.len(), |left| left.min(space.len()));
        if wanted == 0 {
            return Ok(0);
        }
        loop {
            let at = self.range.start + offset;
            match self.file.read_at(&mut space[..wanted], at) {
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                read => return read,
            }
        }
    }
}
