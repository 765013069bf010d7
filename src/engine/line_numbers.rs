//! Which lines are where: an ordered fact, known when all of an input has been scanned.

use std::ops::Range;

use crate::error::{Error, ErrorKind};
use crate::input::Pass;
use crate::plan::check_tiling;

/// A chunk that was scanned: an ordered fact.
#[derive(Clone, Debug)]
pub(super) struct Scanned {
    /// Where in the input it lies.
    pub(super) bytes: Range<u64>,
    /// How many lines it has.
    pub(super) lines: u64,
}

/// The numbers of the lines of an input, counted from zero: known when all of it has been scanned.
#[derive(Debug)]
pub struct LineNumbers {
    /// Ascending, without gaps.
    chunks: Vec<Scanned>,
    /// The number of the first line of each chunk.
    first_lines: Vec<u64>,
    pub(super) lines: u64,
}

impl LineNumbers {
    /// The numbers of the lines of the `chunks` that were scanned, in any order, of an input of
    /// `length` bytes, if that was known.
    ///
    /// # Errors
    /// If the chunks do not tile the input: bytes were scanned twice, or not at all.
    pub(super) fn new(mut chunks: Vec<Scanned>, length: Option<u64>) -> Result<LineNumbers, Error> {
        chunks.sort_unstable_by_key(|chunk| chunk.bytes.start);
        let end = chunks.last().map_or(0, |chunk| chunk.bytes.end);
        check_tiling(
            chunks.iter().map(|chunk| chunk.bytes.clone()),
            length.unwrap_or(end),
        )
        .map_err(|byte| {
            Error::new(ErrorKind::Consistency, "was not scanned exactly once")
                .at_byte(byte)
                .advise("if nobody writes to the file, please report this as a defect of fecscan")
        })?;
        let mut lines = 0;
        let first_line = |chunk: &Scanned| {
            lines += chunk.lines;
            lines - chunk.lines
        };
        let first_lines = chunks.iter().map(first_line).collect();
        Ok(LineNumbers {
            chunks,
            first_lines,
            lines,
        })
    }

    /// The number of bytes of the input.
    pub(super) fn bytes(&self) -> u64 {
        self.chunks.last().map_or(0, |chunk| chunk.bytes.end)
    }

    /// The number of the first line of the chunk that `byte` of the input was scanned in.
    pub fn first_line_of_chunk_at(&self, byte: u64) -> u64 {
        let chunk = self
            .chunks
            .partition_point(|chunk| chunk.bytes.start <= byte)
            .saturating_sub(1);
        self.first_lines.get(chunk).copied().unwrap_or(0)
    }

    /// Shows `see` those of the lines `wanted`, ascending, that there are. Only their chunks are
    /// looked at again.
    pub(super) fn show_wanted(
        &self,
        pass: &Pass<'_>,
        wanted: &[u64],
        mut see: impl FnMut(u64, &[u8]),
    ) -> Result<(), Error> {
        let mut wanted = &wanted[..wanted.partition_point(|&line| line < self.lines)];
        while let Some(&line) = wanted.first() {
            let chunk = self.first_lines.partition_point(|&first| first <= line) - 1;
            let (first, Scanned { bytes, lines }) = (self.first_lines[chunk], &self.chunks[chunk]);
            let here;
            (here, wanted) = wanted.split_at(wanted.partition_point(|&line| line < first + lines));
            pass.lines_again(bytes.clone(), first, here, &mut see)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scanned(ranges: &[Range<u64>]) -> Vec<Scanned> {
        ranges
            .iter()
            .map(|bytes| Scanned {
                bytes: bytes.clone(),
                lines: 2,
            })
            .collect()
    }

    #[test]
    fn lines_are_numbered_in_the_order_of_the_input() {
        let numbers = LineNumbers::new(scanned(&[4..9, 0..4, 9..10]), Some(10)).unwrap();
        assert_eq!((numbers.bytes(), numbers.lines), (10, 6));
        let first_lines = [0, 3, 4, 8, 9].map(|byte| numbers.first_line_of_chunk_at(byte));
        assert_eq!(first_lines, [0, 0, 2, 2, 4]);
    }

    #[test]
    fn bytes_that_were_lost_or_doubled_are_an_error() {
        for (ranges, length, byte) in [
            (&[0..4, 5..9][..], Some(9), 4),
            (&[0..4, 3..9], Some(9), 3),
            (&[0..4, 0..4, 4..9], Some(9), 0),
            (&[0..4, 4..8], Some(9), 8),
            (&[0..4, 4..10], Some(9), 9),
            (&[1..4, 4..5], None, 0),
            (&[], Some(1), 0),
        ] {
            let error = LineNumbers::new(scanned(ranges), length).unwrap_err();
            assert_eq!(
                (error.kind(), error.byte()),
                (ErrorKind::Consistency, Some(byte)),
                "{ranges:?}"
            );
        }
    }
}
