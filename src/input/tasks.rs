//! Hands the chunks of a part to workers.

use std::num::NonZeroU64;
use std::ops::Range;

use memchr::memchr_iter;

use super::buffer::Buffer;
use super::part::{Kind, Part};
use crate::error::{Error, ErrorKind};
use crate::plan::{Cut, Plan};
use crate::scan::Chunk;

/// The number of bytes that a line may have, without its newline: 16 MiB. A longer one might not fit into
/// memory where it is read into memory. Mapped files have the same limit, so that all ways of reading
/// give the same answer.
pub const LINE_BYTES_MAX: usize = 16 << 20;

/// The tasks of a part, which all workers share: each chunk is handed out once.
#[derive(Debug)]
pub(crate) struct Tasks<'a> {
    part: &'a Part,
    task_bytes: NonZeroU64,
    cut: Cut,
    /// Empty for a stream, whose chunks are cut where reading stops.
    plan: Plan,
}

impl<'a> Tasks<'a> {
    pub(super) fn new(part: &'a Part, task_bytes: NonZeroU64, cut: Cut) -> Tasks<'a> {
        let bytes = match &part.kind {
            Kind::Mapped(file) => file.bytes().len() as u64,
            Kind::Positional(file) => file.len(),
            Kind::Stream(_) => 0,
        };
        Tasks {
            part,
            task_bytes,
            cut,
            plan: Plan::new(0..bytes, task_bytes),
        }
    }

    /// Takes the next chunk; none after the last. Bytes that must be read are read into `buffer`.
    ///
    /// # Errors
    /// If the input can't be read.
    pub(crate) fn next<'b>(&'b self, buffer: &'b mut Buffer) -> Result<Option<Chunk<'b>>, Error> {
        let chunk = match &self.part.kind {
            Kind::Mapped(file) => Ok(self.nominal().find_map(|at| file.chunk(at, self.cut))),
            Kind::Positional(file) => self
                .nominal()
                .find_map(|nominal| file.read(nominal, self.cut, buffer).transpose())
                .transpose()
                .map(|read| read.map(|(range, offset)| chunk(buffer, range, offset))),
            Kind::Stream(stream) => stream
                .read(self.task_bytes, self.cut, buffer)
                .map(|read| read.map(|offset| whole(buffer, offset))),
        };
        chunk
            .and_then(|chunk| self.refuse_long_line(chunk))
            .map_err(|e| self.part.blame(e))
    }

    /// Reads the bytes in `range` once more. A stream gives none.
    ///
    /// # Errors
    /// If they can't be read.
    pub(crate) fn again<'b>(
        &'b self,
        range: Range<u64>,
        buffer: &'b mut Buffer,
    ) -> Result<Option<Chunk<'b>>, Error> {
        let offset = range.start;
        match &self.part.kind {
            Kind::Mapped(file) => Ok(file.chunk(range, Cut::Anywhere)),
            Kind::Positional(file) => {
                buffer.clear();
                let read = file.append(range, buffer);
                read.map_err(|e| self.part.blame(e))?;
                Ok(Some(whole(buffer, offset)))
            }
            Kind::Stream(_) => Ok(None),
        }
    }

    /// Returns the bytes that the tasks cover, if they are known.
    pub(crate) fn range(&self) -> Option<Range<u64>> {
        match &self.part.kind {
            Kind::Stream(stream) => stream.bytes().map(|bytes| 0..bytes),
            Kind::Mapped(_) | Kind::Positional(_) => Some(self.plan.range()),
        }
    }

    /// Returns how many bytes of the file were read since the last call, now that `scanned` bytes more
    /// have been scanned. For a compressed file these are compressed bytes.
    pub(crate) fn advanced(&self, scanned: u64) -> u64 {
        match &self.part.kind {
            Kind::Stream(stream) => stream.advanced().unwrap_or(scanned),
            Kind::Mapped(_) | Kind::Positional(_) => scanned,
        }
    }

    fn nominal(&self) -> impl Iterator<Item = Range<u64>> {
        std::iter::from_fn(|| self.plan.next())
    }

    /// Fails if a line of `chunk` is too long. A chunk of fewer bytes needs no look.
    fn refuse_long_line<'b>(&self, chunk: Option<Chunk<'b>>) -> Result<Option<Chunk<'b>>, Error> {
        let Some(long) = chunk
            .as_ref()
            .filter(|chunk| self.cut == Cut::AtLines && chunk.range.len() > LINE_BYTES_MAX)
        else {
            return Ok(chunk);
        };
        let mut start = 0;
        for end in memchr_iter(b'\n', long.bytes()).chain([long.range.len()]) {
            if end - start > LINE_BYTES_MAX {
                return Err(line_too_long(long.offset + start as u64));
            }
            start = end + 1;
        }
        Ok(chunk)
    }
}

/// Returns all of `buffer`, which lies at `offset` of the input, as a chunk.
fn whole(buffer: &mut Buffer, offset: u64) -> Chunk<'_> {
    let bytes = buffer.filled().len();
    chunk(buffer, 0..bytes, offset)
}

fn chunk(buffer: &mut Buffer, range: Range<usize>, offset: u64) -> Chunk<'_> {
    Chunk {
        haystack: buffer.filled_with_room(),
        range,
        offset,
    }
}

/// Returns the error for the too long line at `byte`.
pub(super) fn line_too_long(byte: u64) -> Error {
    Error::new(
        ErrorKind::Input,
        format!("has a line of more than {} MiB", LINE_BYTES_MAX >> 20),
    )
    .at_byte(byte)
    .advise("that is not a file of the FEC; 'fecscan count' counts lines of any length")
}
