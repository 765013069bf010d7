//! What is read next of a stream, up to the end of a line.

use std::fmt;
use std::io::Read;

use memchr::{memchr_iter, memrchr};

use crate::error::Error;
use crate::input::archive::Tail;
use crate::input::buffer::Buffer;
use crate::input::part::{LINE_BYTES_MAX, each_wanted_line, line_too_long};
use crate::plan::Cut;

/// Reads a stream in tasks.
pub(super) struct Reader {
    bytes: Box<dyn Read + Send>,
    /// The beginning of a line that was read behind the last task.
    carry: Vec<u8>,
    /// Where in the stream the next task begins.
    pub(super) offset: u64,
    /// How many lines lie before the next task, while that is counted.
    lines: u64,
    /// The lines to keep, ascending.
    pub(super) wanted: Vec<u64>,
    pub(super) kept: Vec<(u64, Box<[u8]>)>,
    /// The last bytes, if they may turn out to be those of an archive.
    tail: Option<Tail>,
    /// How the stream has ended, if it has. At the end of a terminal or a pipe, whoever writes may
    /// begin again, but the input was what came before.
    end: Option<Result<(), Error>>,
}

impl fmt::Debug for Reader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut reader = f.debug_struct("Reader");
        reader.field("offset", &self.offset).field("end", &self.end);
        reader.finish_non_exhaustive()
    }
}

impl Reader {
    /// Will read `bytes`, and fail if `tail` turns out to be that of an archive.
    pub(super) fn new(bytes: Box<dyn Read + Send>, tail: Option<Tail>) -> Reader {
        Reader {
            bytes,
            carry: Vec::new(),
            offset: 0,
            lines: 0,
            wanted: Vec::new(),
            kept: Vec::new(),
            tail,
            end: None,
        }
    }

    /// Reads about `task_bytes` into `buffer`, up to the end of a line, and answers where in the
    /// stream they lie. None if there are no more.
    ///
    /// What was read before an error is a task like others, and the error comes behind it: so which
    /// errors a stream has does not depend on how it is cut into tasks.
    pub(super) fn read_task(
        &mut self,
        buffer: &mut Buffer,
        task_bytes: usize,
        cut: Cut,
    ) -> Result<Option<u64>, Error> {
        buffer.clear();
        buffer.append(&self.carry);
        self.carry.clear();
        self.fill(buffer, task_bytes, cut)?;
        if buffer.filled().is_empty() {
            return self.end.take().unwrap_or(Ok(())).map(|()| None);
        }
        let offset = self.offset;
        self.offset += buffer.filled().len() as u64;
        self.keep_wanted(buffer.filled());
        Ok(Some(offset))
    }

    /// Reads into `buffer` until it ends with a line, or the stream has ended.
    fn fill(&mut self, buffer: &mut Buffer, task_bytes: usize, cut: Cut) -> Result<(), Error> {
        while self.end.is_none() {
            let searched = buffer.filled().len();
            let read = buffer.fill(task_bytes, |space, _| self.bytes.read(space));
            let filled = buffer.filled();
            if let Some(tail) = &mut self.tail {
                tail.push(&filled[searched..]);
            }
            let at = self.offset + filled.len() as u64;
            self.end = match read {
                Ok(read) if read == task_bytes => None,
                Ok(_) => Some(self.tail.as_ref().map_or(Ok(()), Tail::refuse_archive)),
                Err(error) => Some(Err(error)),
            }
            .map(|end| end.map_err(|e| if e.byte().is_none() { e.at_byte(at) } else { e }));
            if self.end.is_some() || cut == Cut::Anywhere {
                break;
            }
            if let Some(newline) = memrchr(b'\n', &filled[searched..]) {
                let bytes = searched + newline + 1;
                self.carry.extend_from_slice(&filled[bytes..]);
                buffer.truncate(bytes);
                break;
            }
            if buffer.filled().len() > LINE_BYTES_MAX {
                return Err(line_too_long(self.offset));
            }
        }
        Ok(())
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
