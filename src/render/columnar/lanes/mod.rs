//! Columns encoded at the same time, and their groups written in order.
//!
//! Blocks of rows form a queue. Each column is a lane: its encoder takes one block after the other, and is
//! with one worker at a time. The rows of a group end after a fixed number of rows or bytes. When all lanes
//! have encoded a group, some worker writes it.
//!
//! Memory is bounded, also while the output stalls. Workers scan no further while many blocks wait, and no lane
//! runs further than the group after the first that is not yet written.

use std::collections::VecDeque;
use std::mem;
use std::ops::Range;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use super::Written;
use super::block::{Block, Cells};
use crate::error::{Error, ErrorKind};

/// Blocks of fewer bytes are gathered, so that a block is worth the trouble.
const BLOCK_BYTES: usize = 512 << 10;

/// The number of emptied blocks that are kept for other rows.
const FREE_BLOCKS: usize = 8;

/// Encodes a column.
pub(super) trait Encoder: Send {
    /// The cells of a group, encoded.
    type Chunk: Send;

    /// Adds the cells of these rows.
    fn push(&mut self, cells: &Cells, rows: Range<usize>) -> Result<(), Error>;

    /// Returns the cells since the last call.
    fn finish_chunk(&mut self) -> Result<Self::Chunk, Error>;

    /// Returns the number of cells that are not empty and could not be read.
    fn unreadable(&self) -> u64;
}

/// Writes groups.
pub(super) trait GroupWriter: Send {
    /// A column of a group.
    type Chunk: Send;

    /// Writes a group of `rows`.
    fn write(&mut self, rows: usize, chunks: Vec<Self::Chunk>) -> Result<(), Error>;

    /// Writes the end of the file.
    fn finish(self) -> Result<(), Error>;
}

/// When a group ends: after the row that is the last of so many, or has the last of so many bytes of cells.
#[derive(Clone, Copy, Debug)]
pub(super) struct GroupSize {
    pub(super) rows: usize,
    pub(super) bytes: usize,
}

/// [`Lanes`] of any format.
pub(super) trait Work: Sync {
    /// Takes the rows of a block.
    fn push(&self, block: &mut Block);
    /// Takes no more rows.
    fn end(&self);
    /// Encodes and writes until blocks of no more than `most` bytes wait.
    fn work(&self, most: usize) -> Result<(), Error>;
    /// Ends the file when all has been encoded.
    fn finish(self: Box<Self>) -> Result<Written, Error>;
}

/// The columns of a file.
pub(super) struct Lanes<E: Encoder, W> {
    queue: Mutex<Queue<E::Chunk>>,
    /// Work has come or is done.
    changed: Condvar,
    encoders: Vec<Mutex<E>>,
    file: Mutex<W>,
    size: GroupSize,
}

struct Queue<C> {
    /// Small blocks, gathered.
    gathered: Block,
    runs: VecDeque<Run>,
    /// The number of runs before the first of `runs`.
    done: usize,
    /// The size of the blocks of `runs`.
    waiting: usize,
    lanes: Vec<Lane>,
    /// The groups not yet written.
    groups: VecDeque<Group<C>>,
    /// The number of groups written.
    written: usize,
    is_writing: bool,
    /// The rows so far of the last group.
    filled: GroupSize,
    rows: u64,
    free: Vec<Block>,
    outcome: Outcome,
}

enum Outcome {
    Good,
    /// Work has failed; nobody has got the error yet.
    Failed(Error),
    /// Work has failed, or panicked.
    Told,
}

/// Rows of a block, all of one group.
struct Run {
    block: Arc<Block>,
    rows: Range<usize>,
    group: usize,
    ends_group: bool,
    /// The number of bytes of memory that are free again after it.
    size: usize,
    /// The number of lanes that have yet to encode it.
    missing: usize,
}

struct Lane {
    /// The number of runs before the next one.
    next: usize,
    is_busy: bool,
    /// The bytes of its cells so far. Long lanes go first.
    bytes: usize,
}

struct Group<C> {
    rows: usize,
    chunks: Vec<Option<C>>,
    missing: usize,
}

/// What a worker does next.
enum Job<C> {
    Encode {
        lane: usize,
        block: Arc<Block>,
        rows: Range<usize>,
        ends_group: bool,
    },
    Write(Group<C>),
}

impl<E: Encoder, W: GroupWriter<Chunk = E::Chunk>> Lanes<E, W> {
    /// Returns lanes with these encoders, one a column.
    pub(super) fn new(encoders: Vec<E>, file: W, size: GroupSize) -> Lanes<E, W> {
        let lane = |_: &E| Lane {
            next: 0,
            is_busy: false,
            bytes: 0,
        };
        let queue = Queue {
            gathered: Block::new(encoders.len()),
            runs: VecDeque::new(),
            done: 0,
            waiting: 0,
            lanes: encoders.iter().map(lane).collect(),
            groups: VecDeque::new(),
            written: 0,
            is_writing: false,
            filled: GroupSize { rows: 0, bytes: 0 },
            rows: 0,
            free: Vec::new(),
            outcome: Outcome::Good,
        };
        Lanes {
            queue: Mutex::new(queue),
            changed: Condvar::new(),
            encoders: encoders.into_iter().map(Mutex::new).collect(),
            file: Mutex::new(file),
            size,
        }
    }

    fn lock(&self) -> MutexGuard<'_, Queue<E::Chunk>> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does a job.
    fn do_job(&self, job: Job<E::Chunk>) -> Result<(), Error> {
        let (lane, encoded) = match job {
            Job::Write(group) => {
                let chunks = group.chunks.into_iter().flatten().collect();
                self.file.lock().expect(ALONE).write(group.rows, chunks)?;
                let mut queue = self.lock();
                queue.is_writing = false;
                queue.written += 1;
                return Ok(());
            }
            Job::Encode {
                lane,
                block,
                rows,
                ends_group,
            } => {
                let mut encoder = self.encoders[lane].lock().expect(ALONE);
                encoder.push(&block.columns[lane], rows)?;
                let chunk = ends_group.then(|| encoder.finish_chunk());
                (lane, chunk.transpose()?)
            }
        };
        self.lock().encoded(lane, encoded);
        Ok(())
    }
}

const ALONE: &str = "a job is done by one worker, and nothing follows a panic";

impl<E: Encoder, W: GroupWriter<Chunk = E::Chunk>> Work for Lanes<E, W> {
    fn push(&self, block: &mut Block) {
        let mut queue = self.lock();
        if !matches!(queue.outcome, Outcome::Good) {
            return block.clear();
        }
        if block.rows() == 0 {
            return;
        }
        if queue.gathered.rows() > 0 || block.size() < BLOCK_BYTES {
            queue.gathered.append(block);
            block.clear();
            // Empty cells take no memory here, but in pages.
            if queue.gathered.size() >= BLOCK_BYTES || queue.gathered.rows() >= BLOCK_BYTES {
                let free = queue.free_block();
                let full = mem::replace(&mut queue.gathered, free);
                queue.add(full, self.size);
            }
        } else {
            let free = queue.free_block();
            let full = mem::replace(block, free);
            queue.add(full, self.size);
        }
        drop(queue);
        self.changed.notify_all();
    }

    fn end(&self) {
        let mut queue = self.lock();
        let columns = self.encoders.len();
        let rest = mem::replace(&mut queue.gathered, Block::new(columns));
        queue.add(rest, self.size);
        if queue.filled.rows > 0 {
            queue.add_run(Arc::new(Block::new(columns)), 0..0, true);
        }
        drop(queue);
        self.changed.notify_all();
    }

    fn work(&self, most: usize) -> Result<(), Error> {
        let mut queue = self.lock();
        loop {
            match mem::replace(&mut queue.outcome, Outcome::Told) {
                Outcome::Good => queue.outcome = Outcome::Good,
                Outcome::Told => return Ok(()),
                Outcome::Failed(error) => return Err(error),
            }
            if let Some(job) = queue.next_job(most) {
                drop(queue);
                let stops = StopAtPanic(self);
                let done = self.do_job(job);
                mem::forget(stops);
                queue = self.lock();
                if let Err(error) = done {
                    queue.outcome = Outcome::Failed(error);
                }
                self.changed.notify_all();
            } else if queue.is_done(most) {
                return Ok(());
            } else {
                let waited = self.changed.wait(queue);
                queue = waited.unwrap_or_else(PoisonError::into_inner);
            }
        }
    }

    fn finish(self: Box<Self>) -> Result<Written, Error> {
        let queue = self.queue.into_inner();
        let queue = queue.unwrap_or_else(PoisonError::into_inner);
        if let Outcome::Failed(error) = queue.outcome {
            return Err(error);
        }
        if !matches!(queue.outcome, Outcome::Good) || !queue.groups.is_empty() {
            let what = "columns of the result are missing";
            return Err(Error::new(ErrorKind::Consistency, what));
        }
        self.file.into_inner().expect(ALONE).finish()?;
        let encoders = self.encoders.into_iter();
        let unreadable = encoders.map(|encoder| encoder.into_inner().expect(ALONE).unreadable());
        Ok(Written {
            rows: queue.rows,
            unreadable: unreadable.collect(),
        })
    }
}

/// Has other workers stop waiting when this one panics.
struct StopAtPanic<'l, E: Encoder, W: GroupWriter<Chunk = E::Chunk>>(&'l Lanes<E, W>);

impl<E: Encoder, W: GroupWriter<Chunk = E::Chunk>> Drop for StopAtPanic<'_, E, W> {
    fn drop(&mut self) {
        self.0.lock().outcome = Outcome::Told;
        self.0.changed.notify_all();
    }
}

impl<C> Queue<C> {
    /// Adds the rows of a block.
    fn add(&mut self, block: Block, size: GroupSize) {
        let block = Arc::new(block);
        let (mut start, rows) = (0, block.rows());
        while start < rows {
            let end = self.group_end(&block, start, size);
            self.filled.rows += end - start;
            self.filled.bytes += block.bytes_of(start..end);
            let ends_group = self.filled.rows == size.rows || self.filled.bytes >= size.bytes;
            self.add_run(block.clone(), start..end, ends_group);
            start = end;
        }
    }

    /// Returns where the rows from `start` on leave their group, or the block.
    fn group_end(&self, block: &Block, start: usize, size: GroupSize) -> usize {
        let end = block.rows().min(start + size.rows - self.filled.rows);
        let is_full = |end: usize| self.filled.bytes + block.bytes_of(start..end) >= size.bytes;
        if !is_full(end) {
            return end;
        }
        // The first row after which the group is full.
        let (mut least, mut most) = (start + 1, end);
        while least < most {
            let middle = least.midpoint(most);
            match is_full(middle) {
                true => most = middle,
                false => least = middle + 1,
            }
        }
        least
    }

    fn add_run(&mut self, block: Arc<Block>, rows: Range<usize>, ends_group: bool) {
        self.rows += rows.len() as u64;
        let size = match rows.end == block.rows() {
            true => block.size(),
            false => 0,
        };
        self.waiting += size;
        let missing = self.lanes.len();
        let is_new = self.filled.rows == rows.len() && !rows.is_empty();
        if is_new {
            self.groups.push_back(Group {
                rows: 0,
                chunks: (0..missing).map(|_| None).collect(),
                missing,
            });
        }
        let group = self.groups.back_mut().expect("a run is of a group");
        group.rows += rows.len();
        // A group that is being written has left the list.
        let group = self.written + usize::from(self.is_writing) + self.groups.len() - 1;
        self.runs.push_back(Run {
            block,
            rows,
            group,
            ends_group,
            size,
            missing,
        });
        if ends_group {
            self.filled = GroupSize { rows: 0, bytes: 0 };
        }
    }

    /// Returns what to do next, if anything can be done.
    fn next_job(&mut self, most: usize) -> Option<Job<C>> {
        let is_complete = self.groups.front().is_some_and(|group| group.missing == 0);
        if is_complete && !self.is_writing {
            self.is_writing = true;
            return self.groups.pop_front().map(Job::Write);
        }
        if self.waiting <= most && most > 0 {
            return None;
        }
        let runs = |lane: &Lane| self.runs.get(lane.next - self.done);
        let can_go = |lane: &Lane| runs(lane).is_some_and(|run| run.group <= self.written + 1);
        let lanes = self.lanes.iter().enumerate();
        let (nth, _) = lanes
            .filter(|(_, lane)| !lane.is_busy && can_go(lane))
            .min_by_key(|(_, lane)| (lane.next, usize::MAX - lane.bytes))?;
        let lane = &mut self.lanes[nth];
        let run = &self.runs[lane.next - self.done];
        lane.is_busy = true;
        lane.bytes += run.block.columns[nth].bytes_of(run.rows.clone()).len();
        Some(Job::Encode {
            lane: nth,
            block: run.block.clone(),
            rows: run.rows.clone(),
            ends_group: run.ends_group,
        })
    }

    /// Says whether no more than `most` bytes wait, and, if that is none, nothing is left to write.
    fn is_done(&self, most: usize) -> bool {
        let has_written = || self.runs.is_empty() && self.groups.is_empty() && !self.is_writing;
        self.waiting <= most && (most > 0 || has_written())
    }

    /// Notes that a lane has encoded its next run, and perhaps the `chunk` of the group that the run ends.
    fn encoded(&mut self, lane: usize, chunk: Option<C>) {
        let nth = self.lanes[lane].next - self.done;
        self.lanes[lane].next += 1;
        self.lanes[lane].is_busy = false;
        let run = &mut self.runs[nth];
        run.missing -= 1;
        if let Some(chunk) = chunk {
            let first = self.written + usize::from(self.is_writing);
            let group = &mut self.groups[run.group - first];
            group.chunks[lane] = Some(chunk);
            group.missing -= 1;
        }
        while self.runs.front().is_some_and(|run| run.missing == 0)
            && let Some(run) = self.runs.pop_front()
        {
            self.done += 1;
            self.waiting -= run.size;
            if let Some(mut block) = Arc::into_inner(run.block)
                && self.free.len() < FREE_BLOCKS
            {
                block.clear();
                self.free.push(block);
            }
        }
    }

    fn free_block(&mut self) -> Block {
        let columns = self.lanes.len();
        self.free.pop().unwrap_or_else(|| Block::new(columns))
    }
}

#[cfg(test)]
mod tests;
