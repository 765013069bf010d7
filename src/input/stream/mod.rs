//! A stream: one worker after the other reads what comes next, and scans while others read.
//!
//! It is one worker's turn to read, and the lock around the stream is held only to take that turn
//! and to give it back. What is read behind the last newline is carried over to the next task.
//!
//! To read may be to decompress, which takes longer than to scan. Then whoever reads goes on
//! reading as long as another worker waits, and hands what was read to that one: so reading does
//! not stop for scanning, nor for another worker to wake up. No more is kept in memory than two
//! tasks for each worker. What is plain is scanned by who has read it, in whose cache it lies.

mod reader;

use std::collections::VecDeque;
use std::io::Read;
use std::mem;
use std::num::NonZeroU64;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use self::reader::Reader;
use super::archive::Tail;
use super::buffer::Buffer;
use super::compressed::{Checksum, Consumed};
use crate::error::Error;
use crate::plan::Cut;
use crate::scan::Chunk;

/// The most that is read of a plain stream at a time. What is read is then scanned where it lies,
/// in the second-level cache: from a pipe, the report takes 0.72 of the time that it takes with 2
/// MiB.
const STREAM_TASK_BYTES: usize = 256 << 10;

/// The most that is decompressed at a time: 1 MiB. It is written in one second-level cache and read
/// in another; between 512 KiB and 4 MiB the size made no difference that could be measured.
const DECOMPRESSED_TASK_BYTES: usize = 1 << 20;

/// A stream of bytes that can be read once.
#[derive(Debug)]
pub struct Stream {
    turns: Mutex<Turns>,
    /// Told whenever there may be something to do for the workers that wait.
    changed: Condvar,
    /// Locked by the worker whose turn it is.
    reader: Mutex<Reader>,
    /// How many bytes there are, if that is known.
    length: Option<u64>,
    /// How many bytes were taken from a compressed file, if the stream is what it holds.
    consumed: Option<Consumed>,
    /// The checksum that is to be checked, if what decompresses does not.
    checksum: Option<Mutex<Checksum>>,
}

/// What the workers tell each other.
#[derive(Debug, Default)]
struct Turns {
    /// It is somebody's turn to read.
    taken: bool,
    /// How many workers wait.
    waiting: usize,
    /// What was read for those who wait: no more tasks than they are.
    handed: VecDeque<Task>,
    /// Buffers that are not in use.
    spare: Vec<Buffer>,
    /// The stream has ended or failed.
    done: bool,
}

/// Bytes that were read, to be scanned.
#[derive(Debug)]
struct Task {
    buffer: Buffer,
    /// Where in the stream they lie.
    offset: u64,
}

/// What there is to do for a worker.
enum Next<'a> {
    /// To scan what was read for it, from this offset on.
    Scan(u64),
    /// To read.
    Read(Turn<'a>),
    Nothing,
}

/// The turn to read, which is given back when this is dropped, even if the reader panics: others
/// wait for it.
struct Turn<'a> {
    stream: &'a Stream,
    /// It was the last one.
    last: bool,
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        let mut turns = lock(&self.stream.turns);
        turns.taken = false;
        turns.done |= self.last || thread::panicking();
        if turns.done {
            turns.spare = Vec::new();
        }
        // All of them: who wakes up may find that it need not go on, and tell nobody.
        self.stream.changed.notify_all();
    }
}

impl Stream {
    /// A stream of plain bytes. It fails at its end if that is the end of an archive.
    pub fn plain(bytes: Box<dyn Read + Send>) -> Stream {
        Stream::new(Reader::new(bytes, Some(Tail::default())))
    }

    /// A stream of `bytes` that are decompressed as they are read, from a file of which so many
    /// have been `consumed`.
    pub fn decompressed(bytes: Box<dyn Read + Send>, consumed: Consumed) -> Stream {
        Stream {
            consumed: Some(consumed),
            ..Stream::new(Reader::new(bytes, None))
        }
    }

    /// The same stream, which has `length` bytes with this checksum.
    pub fn checked(self, length: u64, checksum: Checksum) -> Stream {
        Stream {
            length: Some(length),
            checksum: Some(Mutex::new(checksum)),
            ..self
        }
    }

    fn new(reader: Reader) -> Stream {
        Stream {
            turns: Mutex::default(),
            changed: Condvar::new(),
            reader: Mutex::new(reader),
            length: None,
            consumed: None,
            checksum: None,
        }
    }

    /// Begins the pass over the stream, which keeps the lines `wanted`, ascending. There can be
    /// only one.
    pub fn pass(&self, task_bytes: NonZeroU64, cut: Cut, wanted: &[u64]) -> Pass<'_> {
        lock(&self.reader).wanted = wanted.to_vec();
        let most = match self.consumed {
            Some(_) => DECOMPRESSED_TASK_BYTES,
            None => STREAM_TASK_BYTES,
        };
        let task_bytes = usize::try_from(task_bytes.get()).map_or(most, |bytes| bytes.min(most));
        Pass {
            stream: self,
            task_bytes,
            cut,
            reported: AtomicU64::new(0),
        }
    }

    /// Waits until there is something to do. What is to be scanned is put in the place of `buffer`.
    fn next(&self, buffer: &mut Buffer) -> Next<'_> {
        let mut turns = lock(&self.turns);
        loop {
            if let Some(task) = turns.handed.pop_front() {
                let spare = mem::replace(buffer, task.buffer);
                if !turns.done {
                    turns.spare.push(spare);
                }
                return Next::Scan(task.offset);
            }
            if turns.done {
                return Next::Nothing;
            }
            if !turns.taken {
                turns.taken = true;
                return Next::Read(Turn {
                    stream: self,
                    last: false,
                });
            }
            turns.waiting += 1;
            let woken = self.changed.wait(turns);
            turns = woken.unwrap_or_else(PoisonError::into_inner);
            turns.waiting -= 1;
        }
    }

    /// Hands what was read into `buffer` to a worker that waits, if there is one and it pays: then
    /// the answer is true, and `buffer` is another.
    fn hand_over(&self, buffer: &mut Buffer, offset: u64) -> bool {
        if self.consumed.is_none() {
            return false;
        }
        let mut turns = lock(&self.turns);
        let somebody_waits = turns.waiting > turns.handed.len();
        if somebody_waits {
            let spare = turns.spare.pop().unwrap_or_default();
            let buffer = mem::replace(buffer, spare);
            turns.handed.push_back(Task { buffer, offset });
            self.changed.notify_one();
        }
        somebody_waits
    }

    /// Adds what was read into `buffer` to the checksum, if one is to be checked.
    fn add_to_checksum(&self, buffer: &Buffer, offset: u64) -> Result<(), Error> {
        let Some(checksum) = &self.checksum else {
            return Ok(());
        };
        let crc = Checksum::of(buffer.filled());
        lock(checksum).add(offset, buffer.filled().len(), crc)
    }
}

/// What a worker that panicked leaves is as good as anything: nobody goes on with a run that has
/// panicked.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
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
    /// Reads the next task, or takes one that was read.
    pub fn next<'b>(&self, buffer: &'b mut Buffer) -> Result<Option<Chunk<'b>>, Error> {
        let offset = match self.stream.next(buffer) {
            Next::Nothing => None,
            Next::Scan(offset) => Some(offset),
            Next::Read(turn) => self.read(turn, buffer)?,
        };
        let Some(offset) = offset else {
            return Ok(None);
        };
        self.stream.add_to_checksum(buffer, offset)?;
        let bytes = buffer.filled().len();
        Ok(Some(Chunk {
            haystack: buffer.filled_with_room(),
            range: 0..bytes,
            offset,
        }))
    }

    /// Reads task after task, until nobody waits for one: the last is for this worker to scan. None
    /// at the end.
    fn read(&self, mut turn: Turn<'_>, buffer: &mut Buffer) -> Result<Option<u64>, Error> {
        let mut reader = lock(&self.stream.reader);
        loop {
            let read = reader.read_task(buffer, self.task_bytes, self.cut);
            turn.last = !matches!(read, Ok(Some(_)));
            let Some(offset) = read? else {
                if let Some(checksum) = &self.stream.checksum {
                    lock(checksum).ends_at(reader.offset)?;
                }
                return Ok(None);
            };
            if !self.stream.hand_over(buffer, offset) {
                return Ok(Some(offset));
            }
        }
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
        let reader = lock(&self.stream.reader);
        let (Some(first), Some(last)) = (wanted.first(), wanted.last()) else {
            return;
        };
        // Both ascend.
        let kept = &reader.kept[reader.kept.partition_point(|(line, _)| line < first)..];
        for (line, bytes) in kept.iter().take_while(|(line, _)| line <= last) {
            if wanted.binary_search(line).is_ok() {
                see(*line, bytes);
            }
        }
    }
}
