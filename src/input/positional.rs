//! A regular file that is read in parts: each worker reads its tasks at their place in the file.

use std::fs::File;
use std::num::NonZeroU64;
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::sync::atomic::{AtomicU64, Ordering};

use memchr::{memchr, memrchr};

use super::buffer::Buffer;
use super::part::{LINE_BYTES_MAX, line_too_long};
use super::watched::SHORTER;
use crate::error::{Error, ErrorKind};
use crate::plan::{Cut, Plan, first_line_start};
use crate::scan::Chunk;

/// How many bytes are read at a time to find the end of a task's last line. Several lines long.
const LINE_END_BYTES: usize = 4096;

/// A file that is read in parts.
#[derive(Debug)]
pub struct Positional {
    file: File,
    offset: u64,
    length: u64,
}

impl Positional {
    /// Will read `length` bytes of `file` from `offset`.
    pub fn new(file: File, offset: u64, length: u64) -> Positional {
        Positional {
            file,
            offset,
            length,
        }
    }

    /// Begins a pass.
    pub fn pass(&self, task_bytes: NonZeroU64, cut: Cut) -> Pass<'_> {
        Pass {
            source: self,
            plan: Plan::new(self.length, task_bytes),
            cut,
            next_task: AtomicU64::new(0),
        }
    }

    /// Appends the bytes at `range` to `buffer`. All of them must be there.
    fn append(&self, range: Range<u64>, buffer: &mut Buffer) -> Result<(), Error> {
        let wanted = (range.end - range.start) as usize;
        let from = self.offset + range.start;
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
}

/// A pass over a file that is read in parts.
#[derive(Debug)]
pub struct Pass<'a> {
    source: &'a Positional,
    plan: Plan,
    cut: Cut,
    next_task: AtomicU64,
}

impl Pass<'_> {
    /// Reads the next task that is not empty.
    pub fn next<'b>(&self, buffer: &'b mut Buffer) -> Result<Option<Chunk<'b>>, Error> {
        loop {
            let Some(nominal) = self
                .plan
                .nominal(self.next_task.fetch_add(1, Ordering::Relaxed))
            else {
                return Ok(None);
            };
            buffer.clear();
            let read = match self.cut {
                Cut::AtLines => self.read_lines(nominal, buffer)?,
                Cut::Anywhere => {
                    self.source.append(nominal.clone(), buffer)?;
                    Some((0..buffer.filled().len(), nominal.start))
                }
            };
            if let Some((range, offset)) = read {
                return Ok(Some(Chunk {
                    haystack: buffer.filled_with_room(),
                    range,
                    offset,
                }));
            }
        }
    }

    /// Reads the lines that begin in `nominal`: where in the buffer they are, and where in the
    /// input. One byte before `nominal` is read too: it tells whether a line begins at its very
    /// start.
    fn read_lines(
        &self,
        nominal: Range<u64>,
        buffer: &mut Buffer,
    ) -> Result<Option<(Range<usize>, u64)>, Error> {
        let buffer_at = nominal.start.saturating_sub(1);
        self.source.append(buffer_at..nominal.end, buffer)?;
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
            if end == self.plan.length() {
                return Ok(Some((start..searched, offset)));
            }
            let line_bytes = searched - last_line;
            if line_bytes > LINE_BYTES_MAX {
                return Err(line_too_long(buffer_at + last_line as u64));
            }
            // Ever longer steps keep the number of calls small where lines are long.
            let step = LINE_END_BYTES.max(line_bytes) as u64;
            self.source
                .append(end..self.plan.length().min(end + step), buffer)?;
        }
    }

    /// Reads the bytes at `range` again.
    pub fn again<'b>(&self, range: Range<u64>, buffer: &'b mut Buffer) -> Result<&'b [u8], Error> {
        buffer.clear();
        self.source.append(range, buffer)?;
        Ok(buffer.filled())
    }

    pub fn length(&self) -> u64 {
        self.plan.length()
    }
}
