//! Columns encoded at the same time, and their groups written in order.
//!
//! Blocks of rows form a queue. Each column is a lane: its encoder takes one block after the other, and is
//! with one worker at a time. The rows of a group end after a fixed number of rows or bytes. When all lanes
//! have encoded a group, some worker writes it.
//!
//! Memory is bounded, also while the output stalls. Workers scan no further while many blocks wait, and no lane
//! runs further than the group after the first that is not yet written.

mod queue;

use std::mem;
use std::ops::Range;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use self::queue::{Job, Outcome, Queue};
use super::Written;
use super::block::{Block, Cells};
use crate::error::{Error, ErrorKind};

/// Blocks of fewer bytes are gathered, so that a block is worth the trouble.
const BLOCK_BYTES: usize = 512 << 10;

/// Encodes a column.
pub(super) trait Encoder: Send {
    /// The cells of a group, encoded.
    type Chunk: Send;

    /// Adds the cells of these rows.
    fn push(&mut self, cells: &Cells, rows: Range<usize>) -> Result<(), Error>;

    /// Returns the cells since the last call.
    fn finish_chunk(&mut self) -> Result<Self::Chunk, Error>;

    /// Returns the number of cells that are not blank and could not be read.
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
pub(super) trait Work: Send + Sync {
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

impl<E: Encoder, W: GroupWriter<Chunk = E::Chunk>> Lanes<E, W> {
    /// Returns lanes with these encoders, one a column.
    pub(super) fn new(encoders: Vec<E>, file: W, size: GroupSize) -> Lanes<E, W> {
        Lanes {
            queue: Mutex::new(Queue::new(encoders.len())),
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

#[cfg(test)]
mod tests;
