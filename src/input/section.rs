//! A range of a regular file, read at its place: by a decoder in order, or by each worker for its own tasks.

use std::fs::File;
use std::io::{self, Read};
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::sync::Arc;

use memchr::memchr;
use rawzip::ReaderAt;

use super::buffer::Buffer;
use super::compressed::MAGIC_BYTES;
use super::part::LINE_BYTES_MAX;
use super::watched::SHORTER;
use crate::error::Error;
use crate::plan::Cut;

/// The number of bytes that are read at a time to find the end of a line: many lines.
const LINE_END_BYTES: usize = 16 << 10;

/// The bytes of a file in a range that have not been read yet.
#[derive(Clone, Debug)]
pub(crate) struct Section {
    file: Arc<File>,
    range: Range<u64>,
}

impl Section {
    /// Returns the bytes of `file` in `range`.
    pub(crate) fn new(file: &Arc<File>, range: Range<u64>) -> Section {
        Section {
            file: Arc::clone(file),
            range,
        }
    }

    /// Returns the number of bytes left.
    pub(crate) fn len(&self) -> u64 {
        self.range.end - self.range.start
    }

    /// Returns the section of a `range` of these bytes.
    pub(crate) fn part(&self, range: Range<u64>) -> Section {
        let at = |offset: u64| self.range.start.saturating_add(offset).min(self.range.end);
        Section::new(&self.file, at(range.start)..at(range.end))
    }

    /// Reads the bytes that tell the format. There are fewer only at the end of the file.
    pub(crate) fn first_bytes(mut self) -> io::Result<Vec<u8>> {
        let mut first = Vec::with_capacity(MAGIC_BYTES);
        (&mut self)
            .take(MAGIC_BYTES as u64)
            .read_to_end(&mut first)?;
        Ok(first)
    }

    /// Reads the chunk of the `nominal` range. Returns its range in `buffer` and its offset in the
    /// section, if a line begins there.
    pub(crate) fn chunk(
        &self,
        nominal: Range<u64>,
        cut: Cut,
        buffer: &mut Buffer,
    ) -> Result<Option<(Range<usize>, u64)>, Error> {
        buffer.clear();
        let lines = match cut {
            Cut::AtLines => self.lines_beginning_in(nominal)?,
            Cut::Anywhere => Some(nominal),
        };
        let Some(Range { start, end }) = lines else {
            return Ok(None);
        };
        self.append(start..end, buffer)?;
        Ok(Some((0..buffer.filled().len(), start)))
    }

    /// Appends the bytes at `range` to `buffer`. All of them must be there.
    pub(crate) fn append(&self, range: Range<u64>, buffer: &mut Buffer) -> Result<(), Error> {
        let wanted = (range.end - range.start) as usize;
        let filled = buffer.filled().len();
        let got = buffer
            .fill(wanted, |space, got| self.read_at(space, range.start + got))
            .map_err(|error| {
                let got = buffer.filled().len() - filled;
                error.at_byte(range.start + got as u64)
            })?;
        if got < wanted {
            return Err(shorter_at(range.start + got as u64));
        }
        Ok(())
    }

    /// Returns the range of the lines that begin in `nominal`, if there are any.
    fn lines_beginning_in(&self, nominal: Range<u64>) -> Result<Option<Range<u64>>, Error> {
        let Some(start) = self.first_line_start(nominal.clone())? else {
            return Ok(None);
        };
        // Without a newline before this end, the last line is too long and will be refused.
        let most = nominal.end.saturating_add(LINE_BYTES_MAX as u64 + 1);
        let most = most.min(self.len());
        let end = self.first_line_start(nominal.end..most)?;
        Ok(Some(start..end.unwrap_or(most)))
    }

    /// Returns the first line start in `nominal`: byte 0, or the byte after a newline.
    pub(crate) fn first_line_start(&self, nominal: Range<u64>) -> Result<Option<u64>, Error> {
        let mut space = [0; LINE_END_BYTES];
        let Some(mut place) = nominal.start.checked_sub(1) else {
            return Ok((!nominal.is_empty()).then_some(0));
        };
        while place + 1 < nominal.end {
            let wanted = (nominal.end - 1 - place).min(LINE_END_BYTES as u64) as usize;
            match self.read_at(&mut space[..wanted], place) {
                Ok(0) => return Err(shorter_at(place)),
                Ok(got) => match memchr(b'\n', &space[..got]) {
                    Some(newline) => return Ok(Some(place + newline as u64 + 1)),
                    None => place += got as u64,
                },
                Err(error) => return Err(Error::of_reading(error).at_byte(place)),
            }
        }
        Ok(None)
    }
}

impl Read for Section {
    fn read(&mut self, space: &mut [u8]) -> io::Result<usize> {
        let got = self.read_at(space, 0)?;
        self.range.start += got as u64;
        Ok(got)
    }
}

impl ReaderAt for Section {
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

/// Returns the error for a file that now ends at `byte`.
fn shorter_at(byte: u64) -> Error {
    Error::input(SHORTER.0).at_byte(byte).advise(SHORTER.1)
}
