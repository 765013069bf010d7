//! Newlines, as `wc -l` counts them.

use super::Fold;
use crate::input::Part;
use crate::plan::Cut;
use crate::scan::simd::Level;
use crate::scan::{Chunk, Scratch, count_newlines};

/// Counts newlines and nothing else. The engine's own line counts are the result.
#[derive(Clone, Copy, Debug)]
pub struct LineCount;

impl Fold for LineCount {
    type Partial = ();
    const CUT: Cut = Cut::Anywhere;

    fn partial(&self, _: &Part) {}

    #[inline(always)]
    fn chunk<L: Level>(&self, level: L, chunk: &Chunk<'_>, _: &mut Scratch, _: &mut ()) -> u64 {
        count_newlines(level, chunk)
    }

    fn merge(&self, _: &mut (), _: ()) {}
}
