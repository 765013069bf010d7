//! What each worker does: it takes chunks and folds them, until there are none.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::line_numbers::Scanned;
use crate::error::Error;
use crate::fold::Fold;
use crate::input::{Buffer, Tasks};
use crate::scan::simd::{Kernel, Level, Simd};
use crate::scan::{Chunk, Scratch};

/// The memory of a worker.
#[derive(Default)]
pub(super) struct Worker {
    scratch: Scratch,
    buffer: Buffer,
}

/// What a worker made of the chunks that it took of a pass.
pub(super) struct Share<P> {
    /// Which pass.
    pub(super) pass: usize,
    pub(super) partial: P,
    pub(super) scanned: Vec<Scanned>,
}

/// What workers made of the chunks that they took, and the passes that failed.
pub(super) type Shares<P> = (Vec<Share<P>>, Vec<(usize, Error)>);

/// What there is to do with some parts of some inputs.
pub(super) struct Job<'a, F: Fold> {
    pub(super) simd: Simd,
    pub(super) fold: &'a F,
    /// The passes over the parts, each with the number of its input.
    pub(super) passes: &'a [(usize, Tasks<'a>)],
    pub(super) observer: &'a (dyn Fn(u64) + Sync),
    /// For each input, the first of its passes in which a worker has failed: nobody need go on with
    /// it, nor with those behind it.
    pub(super) failed: Box<[AtomicUsize]>,
}

impl<F: Fold> Job<'_, F> {
    /// Has `worker`, the `nth`, take chunks until there are none. Each begins with another pass, and
    /// goes on with those that the others have begun: where bytes are decompressed, one can be
    /// decompressed for each worker, and when its own is done, a worker scans for the others.
    pub(super) fn shares(&self, nth: usize, worker: &mut Worker) -> Shares<F::Partial> {
        let passes = self.passes.len();
        let (mut shares, mut errors) = (Vec::new(), Vec::new());
        for pass in (0..passes).map(|i| (nth + i) % passes) {
            match self.share(pass, worker) {
                Ok(share) => shares.extend(share),
                Err(error) => {
                    self.failed[self.passes[pass].0].fetch_min(pass, Ordering::Relaxed);
                    errors.push((pass, error));
                }
            }
        }
        (shares, errors)
    }

    /// Has `worker` take chunks of a pass until there are none. None if there were none to begin
    /// with.
    fn share(
        &self,
        pass: usize,
        Worker { scratch, buffer }: &mut Worker,
    ) -> Result<Option<Share<F::Partial>>, Error> {
        let lines_wanted = !self.fold.wanted_lines().is_empty();
        let mut share = None;
        let nth = pass;
        let (input, pass) = &self.passes[nth];
        while nth < self.failed[*input].load(Ordering::Relaxed) {
            let Some(chunk) = pass.next(buffer)? else {
                break;
            };
            let bytes = chunk.offset..chunk.offset + chunk.range.len() as u64;
            let share = share.get_or_insert_with(|| Share {
                pass: nth,
                partial: self.fold.partial(pass.part()),
                scanned: Vec::new(),
            });
            scratch.clear();
            let lines = self.simd.dispatch(FoldChunk {
                fold: self.fold,
                chunk,
                scratch,
                partial: &mut share.partial,
            });
            (self.observer)(pass.advanced(bytes.end - bytes.start));
            let block_lines = match lines_wanted {
                true => scratch.block_lines().into(),
                false => Box::default(),
            };
            share.scanned.push(Scanned {
                bytes,
                lines,
                block_lines,
            });
        }
        Ok(share)
    }
}

/// A chunk to be folded at the level of the engine.
struct FoldChunk<'a, F: Fold> {
    fold: &'a F,
    chunk: Chunk<'a>,
    scratch: &'a mut Scratch,
    partial: &'a mut F::Partial,
}

impl<F: Fold> Kernel for FoldChunk<'_, F> {
    type Output = u64;

    #[inline(always)]
    fn run<L: Level>(self, level: L) -> u64 {
        self.fold
            .chunk(level, &self.chunk, self.scratch, self.partial)
    }
}
