//! Lines by number: a query to the engine.
//!
//! A worker does not know the numbers of its lines, because others scan the chunks before. After
//! the run a prefix sum over the chunks gives the number of each chunk's first line, and the chunk
//! that holds a wanted line is scanned once more. Streams cannot be read at a place. A stream's lines
//! are picked while it is read, if the number of lines before it is known. Otherwise the stream is
//! read again from its beginning, as far as the last wanted line.

use std::ops::Range;

use crate::error::Error;
use crate::scan::{Chunk, Rows, Scan, Scratch};
use crate::sql::uncounted;

/// Lines of a part to pick by number, and the lines found.
#[derive(Clone, Debug, Default)]
pub(super) struct Pick {
    /// Ascending; counted from zero in the part.
    wanted: Vec<u64>,
    pub(super) found: Vec<(u64, Vec<u8>)>,
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

    /// Says whether any of `lines` is wanted.
    pub(super) fn wants_any(&self, lines: Range<u64>) -> bool {
        self.wanted.iter().any(|line| lines.contains(line))
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
        let mut pick = |rows: &Rows<'_>| {
            let next = first + rows.len() as u64;
            while let Some(&line) = wanted.next_if(|&&line| line < next) {
                let row = rows.row((line - first) as usize);
                self.found.push((line, row.line().to_vec()));
            }
            first = next;
            Ok(())
        };
        uncounted(|| scan.rows(&[], chunk, scratch, &mut pick))?;
        Ok(first)
    }
}
