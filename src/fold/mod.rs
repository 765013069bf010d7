//! What is made of the lines: folds, their partials, and how partials merge.
//!
//! A [`Fold`] says what a worker does with a chunk of lines and how the partials of two workers
//! become one. A partial is plain data that knows nothing of threads; there is one for each worker
//! and part of an input, not one for each task. What depends on the order of the lines (which line is number
//! 432?) can't be known to a worker that holds a chunk from the middle of a file: the engine counts
//! lines for each chunk, and tells the fold afterwards.

pub mod count;
pub mod first_names;
pub mod months;
pub mod most_common;
mod name_parts;
pub mod name_table;
pub mod odd_rows;
pub mod report;
pub mod spool;

use crate::engine::LineNumbers;
use crate::input::Part;
use crate::plan::Cut;
use crate::scan::simd::Level;
use crate::scan::{Chunk, Scratch};

/// Something that is made of lines.
pub trait Fold: Sync {
    /// What a worker has made of its lines so far.
    type Partial: Send;

    /// Where chunks may be cut.
    const CUT: Cut;

    /// A partial of no lines yet, for `part` of an input.
    fn partial(&self, part: &Part) -> Self::Partial;

    /// Folds the lines of `chunk` into `partial`, and answers how many they are. Implementations
    /// are
    /// `#[inline(always)]`: they become part of the function that is compiled for the level.
    fn chunk<L: Level>(
        &self,
        level: L,
        chunk: &Chunk<'_>,
        scratch: &mut Scratch,
        partial: &mut Self::Partial,
    ) -> u64;

    /// Adds `from` to `into`. The order in which partials are merged makes no difference to the
    /// result.
    fn merge(&self, into: &mut Self::Partial, from: Self::Partial);

    /// The lines to be shown to [`Fold::wanted_line`], by their numbers in the whole sequence of
    /// inputs, counted from zero and ascending.
    fn wanted_lines(&self) -> &[u64] {
        &[]
    }

    /// Shows one of the wanted lines, without its line end.
    fn wanted_line(&self, _partial: &mut Self::Partial, _number: u64, _line: &[u8]) {}

    /// Called when a part of an input has been read whole and its partials are merged into `partial`: now
    /// lines have numbers.
    fn number_lines(&self, _partial: &mut Self::Partial, _numbers: &LineNumbers) {}
}
