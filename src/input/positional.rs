//! Reads a regular file at positions: each worker reads its own tasks.

use std::fs::File;
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::sync::Arc;

use memchr::{memchr, memrchr};

use super::buffer::Buffer;
use super::part::{LINE_BYTES_MAX, line_too_long};
use super::watched::SHORTER;
use crate::error::{Error, ErrorKind};
use crate::plan::{Cut, first_line_start};

/// The number of bytes that are read at a time to find the end of a task's last line: several lines.
const LINE_END_BYTES: usize = 4096;

/// A file read at positions.
#[derive(Debug)]
pub(crate) struct Positional {
    file: Arc<File>,
    /// Where in the file the input lies.
    range: Range<u64>,
}

impl Positional {
    /// Will read `file` in `range`.
    pub(crate) fn new(file: Arc<File>, range: Range<u64>) -> Positional {
        Positional { file, range }
    }

    /// Returns the number of bytes.
    pub(crate) fn len(&self) -> u64 {
        self.range.end - self.range.start
    }

    /// Reads the chunk of the `nominal` range. Returns its range in `buffer` and its offset in the
    /// input, if a line begins there.
    pub(crate) fn read(
        &self,
        nominal: Range<u64>,
        cut: Cut,
        buffer: &mut Buffer,
    ) -> Result<Option<(Range<usize>, u64)>, Error> {
        buffer.clear();
        match cut {
            Cut::AtLines => self.read_lines(nominal, buffer),
            Cut::Anywhere => {
                let offset = nominal.start;
                self.append(nominal, buffer)?;
                Ok(Some((0..buffer.filled().len(), offset)))
            }
        }
    }

    /// Appends the bytes at `range` to `buffer`. All of them must be there.
    pub(crate) fn append(&self, range: Range<u64>, buffer: &mut Buffer) -> Result<(), Error> {
        let wanted = (range.end - range.start) as usize;
        let from = self.range.start + range.start;
        let filled = buffer.filled().len();
        let got = match buffer.fill(wanted, |space, before| {
            self.file.read_at(space, from + before)
        }) {
            Ok(got) => got,
            Err(error) => {
                let got = buffer.filled().len() - filled;
                return Err(error.at_byte(range.start + got as u64));
            }
        };
        if got < wanted {
            return Err(Error::new(ErrorKind::Input, SHORTER.0)
                .at_byte(range.start + got as u64)
                .advise(SHORTER.1));
        }
        Ok(())
    }

    /// Reads the lines that begin in `nominal`. One byte before `nominal` is read too: it shows whether a
    /// line begins at the start.
    fn read_lines(
        &self,
        nominal: Range<u64>,
        buffer: &mut Buffer,
    ) -> Result<Option<(Range<usize>, u64)>, Error> {
        let buffer_at = nominal.start.saturating_sub(1);
        self.append(buffer_at..nominal.end, buffer)?;
        let before = (nominal.start - buffer_at) as usize;
        let Some(start) = first_line_start(buffer.filled(), before..buffer.filled().len()) else {
            return Ok(None);
        };
        let offset = buffer_at + start as u64;

        // The newline that ends the last line may be the last byte of the nominal range.
        let mut searched = buffer.filled().len() - 1;
        let last_line = memrchr(b'\n', &buffer.filled()[start..searched])
            .map_or(start, |newline| start + newline + 1);
        loop {
            if let Some(newline) = memchr(b'\n', &buffer.filled()[searched..]) {
                return Ok(Some((start..searched + newline + 1, offset)));
            }
            searched = buffer.filled().len();
            let end = buffer_at + searched as u64;
            if end == self.len() {
                return Ok(Some((start..searched, offset)));
            }
            let line_bytes = searched - last_line;
            if line_bytes > LINE_BYTES_MAX {
                return Err(line_too_long(buffer_at + last_line as u64));
            }
            // Steps that grow keep the number of calls small where lines are long.
            let step = LINE_END_BYTES.max(line_bytes) as u64;
            self.append(end..self.len().min(end + step), buffer)?;
        }
    }
}
