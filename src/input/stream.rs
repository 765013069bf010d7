//! A stream: one worker after the other reads what comes next, and scans while others read.
//!
//! The lock around the stream is held while a task is read, not while it is scanned. What is read
//! behind the last newline is carried over to the next task.

use std::fs::File;
use std::io::Read;
use std::num::NonZeroU64;
use std::sync::{Mutex, MutexGuard, PoisonError};

use memchr::{memchr_iter, memrchr};

use super::buffer::Buffer;
use super::{LINE_BYTES_MAX, compressed, each_wanted_line, line_too_long};
use crate::error::Error;
use crate::plan::Cut;
use crate::scan::Chunk;

/// A stream of bytes that can be read once.
#[derive(Debug)]
pub struct Stream {
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    file: File,
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
    /// Will read all that is left of `file`.
    pub fn new(file: File) -> Stream {
        let state = State {
            file,
            carry: Vec::new(),
            offset: 0,
            lines: 0,
            wanted: Vec::new(),
            kept: Vec::new(),
            done: false,
        };
        Stream {
            state: Mutex::new(state),
        }
    }

    /// Begins the pass.
    pub fn pass(&self, task_bytes: NonZeroU64, cut: Cut, wanted: &[u64]) -> Pass<'_> {
        self.lock().wanted = wanted.to_vec();
        let task_bytes = usize::try_from(task_bytes.get())
            .unwrap_or(usize::MAX)
            .min(LINE_BYTES_MAX);
        Pass {
            stream: self,
            task_bytes,
            cut,
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
            // What is compressed is told by the first bytes, however small tasks are.
            let more = if self.offset == 0 {
                task_bytes.max(compressed::MAGIC_BYTES)
            } else {
                task_bytes
            };
            let read = buffer
                .fill(more, |space, _| self.file.read(space))
                .map_err(|e| e.at_byte(self.offset + buffer.filled().len() as u64))?;
            if self.offset == 0 && searched == 0 {
                compressed::refuse(buffer.filled())?;
            }
            // At the end of a terminal or a pipe, whoever writes may begin again, but the input was
            // what came before.
            self.done = read < more;
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
