//! A job: a part to be read, what its workers share, and the check that they have read all of it.

use std::num::NonZeroU64;
use std::ops::ControlFlow;
use std::ops::Range;
use std::sync::{Mutex, OnceLock};

use super::pick::Pick;
use super::repeats::{self, NamesLine, Repeats};
use crate::error::{Error, ErrorKind};
use crate::fec::schema::Schema;
use crate::fold::{Order, RepeatedNames};
use crate::input::{BlockLines, Buffer, Part};
use crate::output::InOrder;
use crate::plan::{Plan, check_tiling};
use crate::scan::{Chunk, Lines, Scan, Scratch};
use crate::workers::unlocked;

/// A part, and what its workers share.
pub(super) struct Job {
    /// The number of the input in its group.
    pub(super) input: usize,
    pub(super) part: Part,
    /// The number of parts of the run before this one.
    pub(super) part_number: usize,
    /// How to scan and cut the part. A worker that begins the job finds it out; the part may refuse.
    pub(super) begun: OnceLock<Option<(Scan, Plan)>>,
    /// The first line, if it names the columns and the job has begun.
    pub(super) names: OnceLock<Option<NamesLine>>,
    /// For chunks that end in the order of the input.
    pub(super) turns: Option<InOrder<ChunkEnds>>,
    pub(super) scanned: Mutex<Vec<Scanned>>,
    /// The end of the last chunk, in the part, if the fold wants no more of it.
    pub(super) complete_at: OnceLock<u64>,
}

/// A chunk that was scanned: an ordered fact.
#[derive(Clone, Debug)]
pub(super) struct Scanned {
    /// The place of the chunk in the part.
    pub(super) bytes: Range<u64>,
    pub(super) lines: Lines,
    pub(super) repeats: Repeats,
    /// Whether the last line has its end.
    pub(super) is_terminated: bool,
}

/// A part that was read whole.
pub(super) struct Read {
    pub(super) bytes: u64,
    pub(super) lines: Lines,
    pub(super) schema: Schema,
    pub(super) repeated_names: Option<RepeatedNames>,
    /// The lines of a plain file, block by block.
    pub(super) blocks: Vec<BlockLines>,
    /// The wanted lines that exist, ascending and counted in the part.
    pub(super) numbered: Vec<(u64, Vec<u8>)>,
}

/// The chunks of a part that have ended, in the order of the input.
#[derive(Debug, Default)]
pub(super) struct ChunkEnds {
    pub(super) lines: Lines,
    /// The lines to keep by number.
    pub(super) pick: Pick,
}

impl Job {
    /// Returns the job to read `part` of the input with this number. Its chunks have turns if they end
    /// in `order`, or lines are to be picked.
    pub(super) fn new(
        input: usize,
        part: Part,
        part_number: usize,
        order: Order,
        pick: Pick,
    ) -> Job {
        let has_turns = order.is_of_input() || pick.picks();
        let start = part.range().map_or(0, |range| range.start);
        let ends = ChunkEnds {
            pick,
            ..ChunkEnds::default()
        };
        Job {
            input,
            part,
            part_number,
            begun: OnceLock::new(),
            names: OnceLock::new(),
            turns: has_turns.then(|| InOrder::new(ends, start)),
            scanned: Mutex::default(),
            complete_at: OnceLock::new(),
        }
    }

    /// Tells whether the fold wants no more, neither of this part nor of a later one.
    pub(super) fn completes_run(&self) -> bool {
        self.complete_at.get().is_some()
    }

    /// Waits until all chunks before `chunk` have ended. [`ControlFlow::Break`] if it never has its turn.
    pub(super) fn wait_for_turn(&self, chunk: &Chunk<'_>) -> ControlFlow<()> {
        let at = chunk.place().start;
        let turns = self.turns.as_ref();
        // A piece of no bytes leaves the turn where it is.
        let waited = turns.map_or(Ok(ControlFlow::Continue(())), |turns| {
            turns.at(at..at, |_| Ok(ControlFlow::Continue(())))
        });
        waited.unwrap_or(ControlFlow::Break(()))
    }

    /// Takes the next chunk; none after the last. If that fails, chunks that can't follow a missing one have
    /// no turn.
    pub(super) fn next_chunk<'b>(
        &'b self,
        plan: &Plan,
        buffer: &'b mut Buffer,
    ) -> Result<Option<Chunk<'b>>, Error> {
        self.part.next(plan, buffer).inspect_err(|_| {
            // All chunks before the failure of a stream have been taken, and none after it.
            if let Some(turns) = self.turns.as_ref().filter(|_| !self.part.is_stream()) {
                turns.stop();
            }
        })
    }

    /// Returns the error for a chunk that failed. The chunks before it end, and those after it have no turn.
    pub(super) fn fail_at(&self, chunk: &Chunk<'_>, error: Error) -> Error {
        let _ = self.wait_for_turn(chunk);
        if let Some(turns) = &self.turns {
            turns.stop();
        }
        self.part.blame(error)
    }

    /// Returns the number of tasks of about `task_bytes`, if it is known.
    pub(super) fn tasks(&self, task_bytes: NonZeroU64) -> Option<u64> {
        let range = self.part.range()?;
        Some((range.end - range.start).div_ceil(task_bytes.get()))
    }

    /// Returns what was read, with the lines `wanted` by their numbers in the part, which ascend.
    ///
    /// # Errors
    /// If a chunk could not end, or the chunks do not tile the part: bytes were scanned twice, or not at
    /// all. If the wanted lines can't be read again.
    pub(super) fn finish(self, wanted: Vec<u64>) -> Result<Read, Error> {
        let Job {
            part,
            begun,
            turns,
            scanned,
            complete_at,
            ..
        } = self;
        let ends = turns.map(InOrder::finish).transpose();
        let picked = ends.map_err(|e| part.blame(e))?.map(|ends| ends.pick);

        let mut chunks = unlocked(scanned);
        chunks.sort_unstable_by_key(|chunk| chunk.bytes.start);
        let end = chunks.last().map_or(0, |chunk| chunk.bytes.end);
        let mut whole = part.range().unwrap_or(0..end);
        if let Some(end) = complete_at.into_inner() {
            // Other workers have scanned chunks in vain.
            chunks.retain(|chunk| chunk.bytes.start < end);
            whole.end = end;
        }
        let places = chunks.iter().map(|chunk| chunk.bytes.clone());
        check_tiling(places, whole).map_err(|byte| {
            let error = Error::new(ErrorKind::Consistency, "was not scanned exactly once");
            part.blame(
                error.at_byte(byte).advise(
                    "if nobody writes to the file, please report this as a defect of fecscan",
                ),
            )
        })?;

        if part.must_end_line && chunks.last().is_some_and(|last| !last.is_terminated) {
            let what = "ends within a line, and so cuts the line of the member that it repeats";
            let error = Error::input(what).advise("read the member: leave out --slices");
            return Err(part.blame(error));
        }
        let (mut bytes, mut lines) = (0, Lines::default());
        for chunk in &chunks {
            bytes += chunk.bytes.end - chunk.bytes.start;
            lines += chunk.lines;
        }
        let numbered = match (picked.filter(Pick::picks), begun.into_inner().flatten()) {
            (Some(picked), _) => picked.found,
            (None, Some((scan, plan))) if !wanted.is_empty() => {
                lines_again(&part, &scan, &plan, &chunks, wanted)?
            }
            _ => Vec::new(),
        };
        let blocks = chunks.iter().filter(|_| !part.is_stream());
        let blocks = blocks.map(|chunk| BlockLines {
            bytes: chunk.bytes.end - chunk.bytes.start,
            lines: chunk.lines.matched,
        });
        Ok(Read {
            bytes,
            lines,
            schema: part.schema(),
            repeated_names: repeats::of_part(&part, &chunks),
            blocks: blocks.collect(),
            numbered,
        })
    }
}

/// Scans again for the lines `wanted` of `part`, whose `chunks` tile it: the chunks that hold one, or a
/// stream from its beginning on.
fn lines_again(
    part: &Part,
    scan: &Scan,
    plan: &Plan,
    chunks: &[Scanned],
    wanted: Vec<u64>,
) -> Result<Vec<(u64, Vec<u8>)>, Error> {
    if let Some(part) = part.reopened() {
        return lines_of_stream(&part, scan, plan, wanted);
    }
    let (mut scratch, mut buffer) = (Scratch::default(), Buffer::default());
    let mut pick = Pick::new(wanted);
    let mut before = 0;
    for chunk in chunks {
        let next = before + chunk.lines.matched;
        if pick.wants_any(before..next)
            && let Some(chunk) = part.again(chunk.bytes.clone(), &mut buffer)?
        {
            let taken = pick.take_from(&chunk, before, scan, &mut scratch);
            taken.map_err(|e| part.blame(e))?;
        }
        before = next;
    }
    Ok(pick.found)
}

/// Reads a stream from its beginning on, as far as the last of the lines `wanted`.
fn lines_of_stream(
    part: &Part,
    scan: &Scan,
    plan: &Plan,
    wanted: Vec<u64>,
) -> Result<Vec<(u64, Vec<u8>)>, Error> {
    let (mut scratch, mut buffer) = (Scratch::default(), Buffer::default());
    let mut pick = Pick::new(wanted);
    let mut before = 0;
    while !pick.is_done(before)
        && let Some(chunk) = part.next(plan, &mut buffer)?
    {
        let taken = pick.take_from(&chunk, before, scan, &mut scratch);
        before = taken.map_err(|e| part.blame(e))?;
    }
    Ok(pick.found)
}
