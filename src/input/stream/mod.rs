//! A stream: one worker after the other reads the next bytes, and scans them while others read.
//!
//! Only the worker that has the turn reads. The lock around the stream is held only to take the turn and to
//! give it back. Bytes after the last newline are carried over to the next task.
//!
//! Decompressing takes longer than scanning. So a worker that decompresses goes on as long as another one
//! waits, and hands its tasks over: it stops neither for scanning nor for another worker to wake up. At
//! most two tasks for each worker are kept in memory. A worker that reads plain bytes scans them itself,
//! because they lie in its cache.

mod reader;

use std::collections::VecDeque;
use std::io::Read;
use std::mem;
use std::num::NonZeroU64;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::thread;

pub(super) use self::reader::Fill;
use self::reader::Reader;
use super::buffer::Buffer;
use super::compressed::{Codec, Packed, Taken, Unpacked, translated};
use super::translated::Translation;
use crate::error::Error;
use crate::plan::Cut;
use crate::workers::{lock, unlocked};

/// The most bytes that are read of a plain stream at a time. They are then scanned in the second-level
/// cache: from a pipe, the report takes 0.72 of the time that it takes with 2 MiB.
const STREAM_TASK_BYTES: usize = 256 << 10;

/// The most bytes that are decompressed at a time: 1 MiB. They are written in one second-level cache and
/// read in another; between 512 KiB and 4 MiB the size made no difference.
const DECOMPRESSED_TASK_BYTES: usize = 1 << 20;

/// A stream of bytes that can be read once.
#[derive(Debug)]
pub(crate) struct Stream {
    turns: Mutex<Turns>,
    /// Notified whenever workers that wait may have something to do.
    changed: Condvar,
    /// Locked by the worker that has the turn.
    reader: Mutex<Reader>,
    /// Counts the compressed bytes that were taken. A plain stream has no counter.
    taken: Option<Taken>,
    /// The part of them that [`Stream::advanced`] has returned.
    reported: AtomicU64,
    /// The compressed bytes, if they can be read again.
    packed: Option<Packed>,
}

/// The state that the workers share.
#[derive(Debug, Default)]
struct Turns {
    /// A worker has the turn to read.
    taken: bool,
    /// The number of workers that wait.
    waiting: usize,
    /// Tasks for workers that wait, and where in the stream they lie: never more than these workers.
    handed: VecDeque<(Buffer, u64)>,
    /// Buffers that are not in use.
    spare: Vec<Buffer>,
    /// The stream has ended or failed.
    done: bool,
}

/// What a worker does next.
enum Next<'a> {
    /// It scans a task that another worker has read, from this offset on.
    Scan(u64),
    Read(Turn<'a>),
    Nothing,
}

/// The turn to read. Dropping it gives it back, even if the reader panics: others wait for it.
struct Turn<'a> {
    stream: &'a Stream,
    is_last: bool,
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        let mut turns = lock(&self.stream.turns);
        turns.taken = false;
        turns.done |= self.is_last || thread::panicking();
        if turns.done {
            turns.spare = Vec::new();
        }
        // All of them: a worker that wakes up may stop for another reason, and would notify no other.
        self.stream.changed.notify_all();
    }
}

impl Stream {
    /// Reads plain `bytes`.
    pub(crate) fn plain(bytes: Box<dyn Read + Send>) -> Stream {
        Stream::new(Reader::plain(bytes), None, None)
    }

    /// Decompresses `bytes` of a pipe, which may hold `bytes_max`, and translates them.
    pub(crate) fn compressed(
        codec: Codec,
        bytes: Box<dyn Read + Send>,
        bytes_max: u64,
        translation: Option<Translation>,
    ) -> Stream {
        let taken = Taken::default();
        let counter = taken.clone();
        let reader = Reader::unpacked(move || {
            let unpacked = Unpacked::new(codec, bytes, None, bytes_max, counter)?;
            Ok(translated(unpacked, translation.as_ref()))
        });
        Stream::new(reader, Some(taken), None)
    }

    /// Decompresses `packed`, when the first worker reads.
    pub(crate) fn packed(packed: Packed) -> Stream {
        let taken = Taken::default();
        let (opened, counter) = (packed.clone(), taken.clone());
        let reader = Reader::unpacked(move || opened.open(counter));
        Stream::new(reader, Some(taken), Some(packed))
    }

    /// Translates the bytes of the stream, none of which was taken.
    pub(crate) fn translated(self, translation: Translation) -> Stream {
        let rest = unlocked(self.reader).rest();
        let taken = self.taken.unwrap_or_default();
        let reader = Reader::unpacked(move || Ok(Box::new(translation.of_bytes(rest))));
        Stream::new(reader, Some(taken), None)
    }

    fn new(reader: Reader, taken: Option<Taken>, packed: Option<Packed>) -> Stream {
        Stream {
            turns: Mutex::default(),
            changed: Condvar::new(),
            reader: Mutex::new(reader),
            taken,
            reported: AtomicU64::new(0),
            packed,
        }
    }

    /// Sets how much a task waits for.
    pub(crate) fn set_fill(&mut self, fill: Fill) {
        lock(&self.reader).fill = fill;
    }

    /// Tells whether [`Stream::reopened`] gives a stream.
    pub(crate) fn can_be_reopened(&self) -> bool {
        self.packed.is_some()
    }

    /// Returns the same stream from its beginning, if it can be read again.
    pub(crate) fn reopened(&self) -> Option<Stream> {
        self.packed.clone().map(Stream::packed)
    }

    /// Returns the number of bytes, if the directory of an archive tells it.
    pub(crate) fn bytes(&self) -> Option<u64> {
        let packed = self.packed.as_ref()?;
        // Nobody knows how many bytes rows will have.
        let expected = packed.expected.filter(|_| packed.translation.is_none())?;
        Some(expected.bytes)
    }

    /// Returns the number of compressed bytes taken since the last call. None for a plain stream.
    pub(crate) fn advanced(&self) -> Option<u64> {
        let now = self.taken.as_ref()?.load(Ordering::Relaxed);
        let before = self.reported.fetch_max(now, Ordering::Relaxed);
        Some(now.saturating_sub(before))
    }

    /// Returns the first lines, as [`super::Part::head`] does.
    pub(crate) fn head(&self, lines: usize) -> Vec<u8> {
        lock(&self.reader).head(lines)
    }

    /// Puts the next task of about `task_bytes` into `buffer`. Returns where in the stream it lies; none
    /// at the end.
    pub(crate) fn read(
        &self,
        task_bytes: NonZeroU64,
        cut: Cut,
        buffer: &mut Buffer,
    ) -> Result<Option<u64>, Error> {
        let mut turn = match self.next(buffer) {
            Next::Nothing => return Ok(None),
            Next::Scan(offset) => return Ok(Some(offset)),
            Next::Read(turn) => turn,
        };
        let most = match self.taken {
            Some(_) => DECOMPRESSED_TASK_BYTES,
            None => STREAM_TASK_BYTES,
        };
        let task_bytes = usize::try_from(task_bytes.get()).map_or(most, |bytes| bytes.min(most));
        let mut reader = lock(&self.reader);
        // This worker keeps the last task.
        loop {
            let read = reader.read_task(buffer, task_bytes, cut);
            turn.is_last = !matches!(read, Ok(Some(_)));
            match read? {
                Some(offset) if self.hand_over(buffer, offset) => {}
                read => return Ok(read),
            }
        }
    }

    /// Waits until there is something to do. A task to scan replaces `buffer`.
    fn next(&self, buffer: &mut Buffer) -> Next<'_> {
        let mut turns = lock(&self.turns);
        loop {
            if let Some((task, offset)) = turns.handed.pop_front() {
                let spare = mem::replace(buffer, task);
                if !turns.done {
                    turns.spare.push(spare);
                }
                return Next::Scan(offset);
            }
            if turns.done {
                return Next::Nothing;
            }
            if !turns.taken {
                turns.taken = true;
                return Next::Read(Turn {
                    stream: self,
                    is_last: false,
                });
            }
            turns.waiting += 1;
            let woken = self.changed.wait(turns);
            turns = woken.unwrap_or_else(PoisonError::into_inner);
            turns.waiting -= 1;
        }
    }

    /// Hands the bytes in `buffer` to a worker that waits, if there is one and it pays. Then it returns
    /// true, and `buffer` is another.
    fn hand_over(&self, buffer: &mut Buffer, offset: u64) -> bool {
        if self.taken.is_none() {
            return false;
        }
        let mut turns = lock(&self.turns);
        let a_worker_waits = turns.waiting > turns.handed.len();
        if a_worker_waits {
            let spare = turns.spare.pop().unwrap_or_default();
            let buffer = mem::replace(buffer, spare);
            turns.handed.push_back((buffer, offset));
            self.changed.notify_one();
        }
        a_worker_waits
    }
}
