//! Which lines are where: an ordered fact, known when all of an input has been scanned.

use std::ops::Range;

use crate::error::{Error, ErrorKind};
use crate::input::{Buffer, Tasks};
use crate::plan::check_tiling;
use crate::scan::{BLOCK_BYTES, without_carriage_return};
use memchr::memchr_iter;

/// A chunk that was scanned: an ordered fact.
#[derive(Clone, Debug)]
pub(super) struct Scanned {
    /// Where in the input it lies.
    pub(super) bytes: Range<u64>,
    /// How many lines it has.
    pub(super) lines: u64,
    /// How many of them end in each of its blocks, if somebody may want to see some again.
    pub(super) block_lines: Box<[u16]>,
}

impl Scanned {
    /// Shows `see` the lines `wanted`, ascending, of this chunk, whose first line has the number
    /// `first`. Only the blocks where they lie are looked at again.
    fn show_wanted(
        &self,
        pass: &Tasks<'_>,
        head: &[u8],
        first: u64,
        mut wanted: &[u64],
        see: &mut impl FnMut(u64, &[u8]),
    ) -> Result<(), Error> {
        // For each block, the number of the line that follows the last one that ends in it.
        let mut next = first;
        let next_lines: Vec<u64> = self
            .block_lines
            .iter()
            .map(|&lines| {
                next += u64::from(lines);
                next
            })
            .collect();
        if next != first + self.lines {
            return lines_again(pass, head, self.bytes.clone(), first, wanted, see);
        }
        while let Some(&line) = wanted.first() {
            // A line begins in the block where the one before it ends.
            let block = next_lines.partition_point(|&next| next < line);
            let here;
            (here, wanted) =
                wanted.split_at(wanted.partition_point(|&line| line <= next_lines[block]));
            let last = here.last().copied().unwrap_or(line);
            let last_block = next_lines.partition_point(|&next| next <= last);
            let block_start = |block: usize| {
                let place =
                    (self.bytes.start / BLOCK_BYTES as u64 + block as u64) * BLOCK_BYTES as u64;
                place.max(self.bytes.start)
            };
            let bytes = block_start(block)..self.bytes.end.min(block_start(last_block + 1));
            let before = next_lines[block] - u64::from(self.block_lines[block]);
            lines_again(pass, head, bytes, before, here, &mut *see)?;
        }
        Ok(())
    }
}

/// Shows `see` the lines `wanted` of the bytes in `range`, the first of which has the number `first`. A
/// stream is opened again, or if it can't be, its `head` is looked at.
fn lines_again(
    pass: &Tasks<'_>,
    head: &[u8],
    range: Range<u64>,
    mut first: u64,
    wanted: &[u64],
    see: &mut impl FnMut(u64, &[u8]),
) -> Result<(), Error> {
    let mut buffer = Buffer::default();
    let mut rest = Vec::new();
    let bytes = match pass.again(range.clone(), &mut buffer)? {
        Some(chunk) => chunk.bytes().to_vec(),
        None => {
            let mut bytes = head.to_vec();
            if let Some(part) = pass.part().reopened()? {
                let tasks = part.tasks((1 << 20).try_into().unwrap(), crate::plan::Cut::AtLines);
                let mut buffer = Buffer::default();
                while let Some(chunk) = tasks.next(&mut buffer)? {
                    rest.extend_from_slice(chunk.bytes());
                    if chunk.offset > range.end {
                        break;
                    }
                }
                bytes = rest;
            }
            first = 0;
            bytes
        }
    };
    let unterminated = !bytes.is_empty() && !bytes.ends_with(b"\n");
    let ends = memchr_iter(b'\n', &bytes).chain(unterminated.then_some(bytes.len()));
    let mut start = 0;
    for (line, end) in (first..).zip(ends) {
        if wanted.contains(&line) {
            see(line, without_carriage_return(&bytes[start..end]));
        }
        start = end + 1;
    }
    Ok(())
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
    /// The numbers of the lines of the `chunks` that were scanned, in any order, of the bytes in
    /// `whole`, if that was known.
    ///
    /// # Errors
    /// If the chunks do not tile the input: bytes were scanned twice, or not at all.
    pub(super) fn new(
        mut chunks: Vec<Scanned>,
        whole: Option<Range<u64>>,
    ) -> Result<LineNumbers, Error> {
        chunks.sort_unstable_by_key(|chunk| chunk.bytes.start);
        let end = chunks.last().map_or(0, |chunk| chunk.bytes.end);
        check_tiling(
            chunks.iter().map(|chunk| chunk.bytes.clone()),
            whole.unwrap_or(0..end),
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

    /// Shows `see` those of the lines `wanted`, ascending, that there are.
    pub(super) fn show_wanted(
        &self,
        pass: &Tasks<'_>,
        head: &[u8],
        wanted: &[u64],
        mut see: impl FnMut(u64, &[u8]),
    ) -> Result<(), Error> {
        let mut wanted = &wanted[..wanted.partition_point(|&line| line < self.lines)];
        while let Some(&line) = wanted.first() {
            let chunk = self.first_lines.partition_point(|&first| first <= line) - 1;
            let (first, chunk) = (self.first_lines[chunk], &self.chunks[chunk]);
            let here;
            (here, wanted) =
                wanted.split_at(wanted.partition_point(|&line| line < first + chunk.lines));
            chunk.show_wanted(pass, head, first, here, &mut see)?;
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
                block_lines: Box::default(),
            })
            .collect()
    }

    #[test]
    fn lines_are_numbered_in_the_order_of_the_input() {
        let numbers = LineNumbers::new(scanned(&[4..9, 0..4, 9..10]), Some(0..10)).unwrap();
        assert_eq!((numbers.bytes(), numbers.lines), (10, 6));
        let first_lines = [0, 3, 4, 8, 9].map(|byte| numbers.first_line_of_chunk_at(byte));
        assert_eq!(first_lines, [0, 0, 2, 2, 4]);
    }

    #[test]
    fn bytes_that_were_lost_or_doubled_are_an_error() {
        for (ranges, whole, byte) in [
            (&[0..4, 5..9][..], Some(0..9), 4),
            (&[0..4, 3..9], Some(0..9), 3),
            (&[0..4, 0..4, 4..9], Some(0..9), 0),
            (&[0..4, 4..8], Some(0..9), 8),
            (&[0..4, 4..10], Some(0..9), 9),
            (&[1..4, 4..5], None, 0),
            (&[], Some(0..1), 0),
        ] {
            let error = LineNumbers::new(scanned(ranges), whole).unwrap_err();
            assert_eq!(
                (error.kind(), error.byte()),
                (ErrorKind::Consistency, Some(byte)),
                "{ranges:?}"
            );
        }
    }
}
