//! A stream: one worker after the other reads what comes next, and scans while others read.
//!
//! The lock around the stream is held while a task is read, not while it is scanned. What is read
//! behind the last newline is carried over to the next task. To read may be to decompress: then the
//! others scan what has been decompressed before, and no more is kept in memory than a task for
//! each worker.

use std::fmt;
use std::io::Read;
use std::num::NonZeroU64;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use memchr::{memchr_iter, memrchr};

use super::buffer::Buffer;
use super::compressed::Consumed;
use super::part::{LINE_BYTES_MAX, each_wanted_line, line_too_long};
use crate::error::Error;
use crate::plan::Cut;
use crate::scan::Chunk;

/// The most that is read of a plain stream at a time. What is read is then scanned where it lies, in the second-level
/// cache: from a pipe, the report takes 0.72 of the time that it takes with 2 MiB.
const STREAM_TASK_BYTES: usize = 256 << 10;

/// How many times as large tasks are of what is decompressed: 8 MiB, if others are 2 MiB.
///
/// When a worker has decompressed a task, nobody decompresses until the next worker has woken up.
/// The report on a zip archive of 3.2 GB took 1.22 of the time of inflating alone with tasks of 2
/// MiB, 1.08 with 8 MiB, and 1.09 with 16 MiB, in the quietest of three rounds on a busy machine.
const DECOMPRESSED_TASKS: usize = 4;

/// A stream of bytes that can be read once.
#[derive(Debug)]
pub struct Stream {
    state: Mutex<State>,
    /// How many bytes there are, if that is known.
    length: Option<u64>,
    /// How many bytes were taken from a compressed file, if the stream is what it holds.
    consumed: Option<Consumed>,
}

struct State {
    bytes: Box<dyn Read + Send>,
    /// The beginning of a line that was read behind the last task.
    carry: Vec<u8>,
    /// Where in the stream the next task begins.
    offset: u64,
    /// How many lines lie before the next task, while that is counted.
    lines: u64,
    /// The lines to keep, ascending.
    wanted: Vec<u64>,
    kept: Vec<(u64, Box<[u8]>)>,
    /// The stream has ended or failed.
    done: bool,
}

impl Stream {
    /// A stream of plain bytes.
    pub fn new(bytes: Box<dyn Read + Send>) -> Stream {
        let state = State {
            bytes,
            carry: Vec::new(),
            offset: 0,
            lines: 0,
            wanted: Vec::new(),
            kept: Vec::new(),
            done: false,
        };
        Stream {
            state: Mutex::new(state),
            length: None,
            consumed: None,
        }
    }

    /// A stream of `bytes` that are decompressed as they are read, from a file of which so many
    /// have been `consumed`. There will be `length` of them, if that is known.
    pub fn decompressed(
        bytes: Box<dyn Read + Send>,
        consumed: Consumed,
        length: Option<u64>,
    ) -> Stream {
        Stream {
            length,
            consumed: Some(consumed),
            ..Stream::new(bytes)
        }
    }

    /// Begins the pass.
    pub fn pass(&self, task_bytes: NonZeroU64, cut: Cut, wanted: &[u64]) -> Pass<'_> {
        self.lock().wanted = wanted.to_vec();
        let (times, most) = match self.consumed {
            Some(_) => (DECOMPRESSED_TASKS, LINE_BYTES_MAX),
            None => (1, STREAM_TASK_BYTES),
        };
        let task_bytes = usize::try_from(task_bytes.get())
            .unwrap_or(usize::MAX)
            .saturating_mul(times)
            .min(most);
        Pass {
            stream: self,
            task_bytes,
            cut,
            reported: AtomicU64::new(0),
        }
    }

    /// The state of a worker that panicked is as good as any: nobody goes on with a run that has
    /// panicked.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The pass over a stream.
#[derive(Debug)]
pub struct Pass<'a> {
    stream: &'a Stream,
    task_bytes: usize,
    cut: Cut,
    /// How many of the compressed bytes [`Pass::advanced`] has told of.
    reported: AtomicU64,
}

impl Pass<'_> {
    /// Reads the next task.
    pub fn next<'b>(&self, buffer: &'b mut Buffer) -> Result<Option<Chunk<'b>>, Error> {
        let mut state = self.stream.lock();
        if state.done {
            return Ok(None);
        }
        let read = state.read_task(buffer, self.task_bytes, self.cut);
        state.done |= read.is_err();
        let bytes = read?;
        if bytes == 0 {
            return Ok(None);
        }
        let offset = state.offset;
        state.offset += bytes as u64;
        state.keep_wanted(&buffer.filled()[..bytes]);
        drop(state);
        Ok(Some(Chunk {
            haystack: buffer.filled_with_room(),
            range: 0..bytes,
            offset,
        }))
    }

    pub fn length(&self) -> Option<u64> {
        self.stream.length
    }

    /// How many compressed bytes were consumed since this was last asked; none if they are plain.
    pub fn advanced(&self) -> Option<u64> {
        let now = self.stream.consumed.as_ref()?.bytes();
        let before = self.reported.fetch_max(now, Ordering::Relaxed);
        Some(now.saturating_sub(before))
    }

    /// Shows `see` those of the lines `wanted`, ascending, that were kept.
    pub fn kept(&self, wanted: &[u64], mut see: impl FnMut(u64, &[u8])) {
        let state = self.stream.lock();
        for (line, bytes) in state
            .kept
            .iter()
            .filter(|(line, _)| wanted.binary_search(line).is_ok())
        {
            see(*line, bytes);
        }
    }
}

impl fmt::Debug for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut state = f.debug_struct("State");
        state
            .field("offset", &self.offset)
            .field("done", &self.done);
        state.finish_non_exhaustive()
    }
}

impl State {
    /// Reads about `task_bytes` into `buffer`, up to the end of a line, and answers how many bytes
    /// these are. None are left at the end.
    fn read_task(
        &mut self,
        buffer: &mut Buffer,
        task_bytes: usize,
        cut: Cut,
    ) -> Result<usize, Error> {
        buffer.clear();
        buffer.append(&self.carry);
        self.carry.clear();
        loop {
            let searched = buffer.filled().len();
            let read = buffer
                .fill(task_bytes, |space, _| self.bytes.read(space))
                .map_err(|e| e.at_byte(self.offset + buffer.filled().len() as u64))?;
            // At the end of a terminal or a pipe, whoever writes may begin again, but the input was
            // what came before.
            self.done = read < task_bytes;
            if self.done || cut == Cut::Anywhere {
                return Ok(buffer.filled().len());
            }
            if let Some(newline) = memrchr(b'\n', &buffer.filled()[searched..]) {
                let bytes = searched + newline + 1;
                self.carry.extend_from_slice(&buffer.filled()[bytes..]);
                return Ok(bytes);
            }
            if buffer.filled().len() > LINE_BYTES_MAX {
                return Err(line_too_long(self.offset));
            }
        }
    }

    /// Keeps those of the lines in `task` that are wanted. Lines are counted until the last of them
    /// has gone by.
    fn keep_wanted(&mut self, task: &[u8]) {
        if self.wanted.last().is_some_and(|&last| self.lines <= last) {
            let kept = &mut self.kept;
            each_wanted_line(task, self.lines, &self.wanted, &mut |line, bytes| {
                kept.push((line, bytes.into()))
            });
            self.lines += memchr_iter(b'\n', task).count() as u64;
        }
    }
}
