//! Lines by number: a query to the engine, answered once lines have been counted.
//!
//! A worker does not know the numbers of its lines, because others scan the chunks before. After
//! the run a prefix sum over the chunks gives the number of each chunk's first line, and the chunk
//! that holds a wanted line is scanned once more. Streams cannot be read at a place. A stream's lines
//! are picked while it is read, if the number of lines before it is known. Otherwise the stream is
//! read again from its beginning, as far as the last wanted line.

use super::work::{Scanned, Worker};
use crate::error::Error;
use crate::input::Part;
use crate::plan::Cut;
use crate::scan::{Chunk, Scan, Scratch};

/// Lines to pick by number, and the lines found.
#[derive(Clone, Debug, Default)]
pub(super) struct Pick {
    /// Ascending; counted from zero in the part.
    wanted: Vec<u64>,
    found: Vec<(u64, Vec<u8>)>,
}

impl Pick {
    /// Will pick `wanted`, which ascend.
    pub(super) fn new(wanted: Vec<u64>) -> Pick {
        Pick {
            wanted,
            found: Vec::new(),
        }
    }

    /// Says whether any line is wanted.
    pub(super) fn picks(&self) -> bool {
        !self.wanted.is_empty()
    }

    /// Says whether no wanted line follows the first `lines`.
    pub(super) fn is_done(&self, lines: u64) -> bool {
        self.wanted.last().is_none_or(|&last| last < lines)
    }

    /// Picks the wanted lines of `chunk`, before which `before` lines have passed the filter. Returns
    /// the number that have passed after it, unless nothing was left to pick.
    pub(super) fn take_from(
        &mut self,
        chunk: &Chunk<'_>,
        before: u64,
        scan: &Scan,
        scratch: &mut Scratch,
    ) -> Result<u64, Error> {
        if self.is_done(before) {
            return Ok(before);
        }
        let mut first = before;
        let mut wanted = self
            .wanted
            .iter()
            .skip_while(|&&line| line < before)
            .peekable();
        scan.rows(&[], chunk, scratch, &mut |rows| {
            let next = first + rows.len() as u64;
            while let Some(&line) = wanted.next_if(|&&line| line < next) {
                let row = rows.row((line - first) as usize);
                self.found.push((line, row.line().to_vec()));
            }
            first = next;
            Ok(())
        })?;
        Ok(first)
    }

    pub(super) fn into_found(self) -> Vec<(u64, Vec<u8>)> {
        self.found
    }
}

/// A part that was read whole, for its lines by number.
pub(super) struct ReadPart {
    /// The part, or for a stream the same part before it was read: buffers are not kept.
    pub(super) part: Part,
    pub(super) scan: Scan,
    /// Ascending, and tiling the part.
    pub(super) chunks: Vec<Scanned>,
}

impl ReadPart {
    /// Returns the lines `wanted`, ascending and counted in the part.
    pub(super) fn numbered(
        self,
        wanted: Vec<u64>,
        worker: &mut Worker,
    ) -> Result<Vec<(u64, Vec<u8>)>, Error> {
        let blame = |e| self.part.blame(e);
        let scan = &self.scan;
        let Worker { scratch, buffer } = worker;
        let mut pick = Pick::new(wanted);
        let mut before = 0;
        let tasks = self.part.tasks(super::TASK_BYTES, Cut::AtLines);
        if self.part.is_stream() {
            while !pick.is_done(before)
                && let Some(chunk) = tasks.next(buffer)?
            {
                before = pick
                    .take_from(&chunk, before, scan, scratch)
                    .map_err(blame)?;
            }
            return Ok(pick.into_found());
        }
        for chunk in &self.chunks {
            let next = before + chunk.lines.matched;
            let here = pick.wanted.iter().any(|line| (before..next).contains(line));
            if here && let Some(chunk) = tasks.again(chunk.bytes.clone(), buffer)? {
                pick.take_from(&chunk, before, scan, scratch)
                    .map_err(blame)?;
            }
            before = next;
        }
        Ok(pick.into_found())
    }
}
