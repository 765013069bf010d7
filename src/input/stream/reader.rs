//! Reads the next bytes of a stream, up to the end of a line.

use std::fmt;
use std::io::{self, Cursor, Read};

use memchr::memrchr;

use crate::error::Error;
use crate::input::buffer::Buffer;
use crate::input::compressed::{Format, MAGIC_BYTES};
use crate::input::part::{HEAD_BYTES_MAX, LINE_BYTES_MAX, first_lines, line_too_long};
use crate::plan::Cut;

/// The number of bytes that are read at a time before the first task.
const AHEAD_BYTES: usize = 64 << 10;

type Opening = Box<dyn FnOnce() -> Result<Box<dyn Read + Send>, Error> + Send>;

/// How much a task waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fill {
    /// All of its bytes.
    Task,
    /// The whole lines that one read brings, or more reads if it brings none.
    Lines,
}

/// Reads a stream in tasks.
pub(super) struct Reader {
    pub(super) fill: Fill,
    /// Makes the decompressed bytes, before the first of them is read.
    opening: Option<Opening>,
    bytes: Box<dyn Read + Send>,
    /// The bytes that were read and are in no task yet: the beginning of a line, or the head.
    ahead: Buffer,
    /// Where in the stream the next task begins.
    offset: u64,
    /// How the stream has ended, if it has. Nothing is read after the end, although a terminal may go
    /// on.
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
    /// Reads plain `bytes`.
    pub(super) fn plain(bytes: Box<dyn Read + Send>) -> Reader {
        Reader {
            fill: Fill::Task,
            opening: None,
            bytes,
            ahead: Buffer::default(),
            offset: 0,
            end: None,
        }
    }

    /// Reads the decompressed bytes that `opening` makes. They must be plain.
    pub(super) fn unpacked(
        opening: impl FnOnce() -> Result<Box<dyn Read + Send>, Error> + Send + 'static,
    ) -> Reader {
        Reader {
            opening: Some(Box::new(opening)),
            ..Reader::plain(Box::new(io::empty()))
        }
    }

    /// Reads about `task_bytes` into `buffer`, up to the end of a line. Returns where in the stream they
    /// lie; none at the end.
    ///
    /// The bytes before an error are a task like others, and the error follows. So the errors of a stream
    /// do not depend on how it is cut into tasks. If tasks are cut at lines, the line that the error cuts
    /// off is in none: it would look like a whole one.
    pub(super) fn read_task(
        &mut self,
        buffer: &mut Buffer,
        task_bytes: usize,
        cut: Cut,
    ) -> Result<Option<u64>, Error> {
        self.open();
        buffer.clear();
        buffer.append(self.ahead.filled());
        self.ahead.clear();
        self.fill(buffer, task_bytes, cut)?;
        if cut == Cut::AtLines && matches!(self.end, Some(Err(_))) {
            let newline = memrchr(b'\n', buffer.filled());
            let whole = newline.map_or(0, |newline| newline + 1);
            if buffer.filled().len() - whole > LINE_BYTES_MAX {
                return Err(line_too_long(self.offset + whole as u64));
            }
            buffer.truncate(whole);
        }
        if buffer.filled().is_empty() {
            // Decoders have buffers, and an archive may have many members.
            self.bytes = Box::new(io::empty());
            self.ahead = Buffer::default();
            return self.end.take().unwrap_or(Ok(())).map(|()| None);
        }
        let offset = self.offset;
        self.offset += buffer.filled().len() as u64;
        Ok(Some(offset))
    }

    /// Reads ahead, and returns the first lines, as [`crate::input::Part::head`] does.
    pub(super) fn head(&mut self, lines: usize) -> Vec<u8> {
        self.open();
        loop {
            let ahead = self.ahead.filled();
            let head = first_lines(ahead, lines, matches!(self.end, Some(Ok(()))));
            let is_full = head.iter().filter(|&&b| b == b'\n').count() >= lines;
            if is_full || self.end.is_some() || ahead.len() >= HEAD_BYTES_MAX {
                return head.to_vec();
            }
            self.read_ahead();
        }
    }

    /// Returns the bytes that are in no task yet, and then the error that follows them, if one does.
    pub(super) fn rest(mut self) -> Box<dyn Read + Send> {
        self.open();
        let ahead = Cursor::new(self.ahead.filled().to_vec());
        match self.end {
            None => Box::new(ahead.chain(self.bytes)),
            Some(Ok(())) => Box::new(ahead),
            Some(Err(error)) => Box::new(ahead.chain(Fails(Some(error)))),
        }
    }

    /// Opens a compressed stream before its first use, and checks that it is not packed twice.
    fn open(&mut self) {
        let Some(opening) = self.opening.take() else {
            return;
        };
        match opening() {
            Ok(bytes) => self.bytes = bytes,
            Err(error) => self.end = Some(Err(error.at_byte(0))),
        }
        while self.end.is_none() && self.ahead.filled().len() < MAGIC_BYTES {
            self.read_ahead();
        }
        if let Err(error) = Format::of(self.ahead.filled()).check_unpacked() {
            self.ahead.clear();
            self.end = Some(Err(error));
        }
    }

    fn read_ahead(&mut self) {
        let read = self
            .ahead
            .read_once(AHEAD_BYTES, |space| self.bytes.read(space));
        let at = self.offset + self.ahead.filled().len() as u64;
        self.end = match read {
            Ok(0) => Some(Ok(())),
            Ok(_) => None,
            Err(error) => Some(Err(placed(error, at))),
        };
    }

    /// Reads into `buffer` until it ends with a line, or the stream has ended.
    fn fill(&mut self, buffer: &mut Buffer, task_bytes: usize, cut: Cut) -> Result<(), Error> {
        let mut searched = 0;
        let least = match self.fill {
            Fill::Task => task_bytes,
            Fill::Lines => 1,
        };
        while self.end.is_none() {
            let filled = buffer.filled();
            // The head that was read ahead may be enough.
            if filled.len() >= least {
                if cut == Cut::Anywhere {
                    break;
                }
                if let Some(newline) = memrchr(b'\n', &filled[searched..]) {
                    let bytes = searched + newline + 1;
                    self.ahead.append(&filled[bytes..]);
                    buffer.truncate(bytes);
                    break;
                }
                if filled.len() > LINE_BYTES_MAX {
                    return Err(line_too_long(self.offset));
                }
                searched = filled.len();
            }
            let read = match self.fill {
                Fill::Task => buffer.fill(task_bytes, |space, _| self.bytes.read(space)),
                Fill::Lines => buffer.read_once(task_bytes, |space| self.bytes.read(space)),
            };
            let at = self.offset + buffer.filled().len() as u64;
            self.end = match read {
                Ok(read) if read >= least => None,
                Ok(_) => Some(Ok(())),
                Err(error) => Some(Err(placed(error, at))),
            };
        }
        Ok(())
    }
}

/// Adds the place of an error that has none. Translated rows lie elsewhere than in their file, and their errors know where.
fn placed(error: Error, byte: u64) -> Error {
    match error.byte() {
        Some(_) => error,
        None => error.at_byte(byte),
    }
}

/// Fails once.
struct Fails(Option<Error>);

impl Read for Fails {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        self.0.take().map_or(Ok(0), |error| Err(error.into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &[u8] = b"first\n\nthird\nlast";

    fn reader(bytes: &'static [u8]) -> Reader {
        // The first bytes, as the detection of the format reads them, and then the others.
        let (first, rest) = bytes.split_at(bytes.len().min(3));
        Reader::plain(Box::new(first.chain(rest)))
    }

    struct Broken;

    impl Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::ErrorKind::Other.into())
        }
    }

    /// Reads all tasks.
    fn tasks(mut reader: Reader, task_bytes: usize, cut: Cut) -> (Vec<u8>, Result<(), Error>) {
        let mut buffer = Buffer::default();
        let mut all = Vec::new();
        loop {
            match reader.read_task(&mut buffer, task_bytes, cut) {
                Ok(Some(offset)) => {
                    assert_eq!(offset, all.len() as u64, "tasks follow one another");
                    all.extend_from_slice(buffer.filled());
                    let at_line = all.ends_with(b"\n") || reader.end.is_some();
                    assert!(at_line || cut == Cut::Anywhere);
                }
                Ok(None) => return (all, Ok(())),
                Err(error) => return (all, Err(error)),
            }
        }
    }

    #[test]
    fn a_head_is_returned_and_then_read_in_tasks() {
        for task_bytes in [1, 2, 7, 100] {
            for cut in [Cut::AtLines, Cut::Anywhere] {
                for lines in 0..6 {
                    let mut reader = reader(TEXT);
                    let lines_of_text: Vec<_> = TEXT.split_inclusive(|&b| b == b'\n').collect();
                    let expected = lines_of_text[..lines.min(4)].concat();
                    assert_eq!(reader.head(lines), expected);
                    assert_eq!(reader.head(lines), expected, "nothing was consumed");
                    let (all, end) = tasks(reader, task_bytes, cut);
                    assert_eq!((&all[..], end.is_ok()), (TEXT, true));
                }
            }
        }
    }

    #[test]
    fn an_error_while_reading_ahead_is_reported_after_the_lines_before_it() {
        for (cut, expected) in [(Cut::AtLines, &TEXT[..13]), (Cut::Anywhere, TEXT)] {
            for (task_bytes, lines) in [(1, 0), (4, 0), (100, 0), (4, 9)] {
                let mut reader = Reader::plain(Box::new(TEXT.chain(Broken)));
                let lines_of_text = TEXT.split_inclusive(|&b| b == b'\n').take(lines.min(3));
                assert_eq!(
                    reader.head(lines),
                    lines_of_text.collect::<Vec<_>>().concat()
                );
                let (all, end) = tasks(reader, task_bytes, cut);
                assert_eq!(all, expected);
                assert_eq!(end.unwrap_err().byte(), Some(TEXT.len() as u64));
            }
        }
    }

    #[test]
    fn a_line_that_is_too_long_is_reported_before_the_damage_in_it() {
        let bytes = [b"first\n", &vec![b'x'; LINE_BYTES_MAX + 500][..]].concat();
        let bytes: &'static [u8] = bytes.leak();
        for task_bytes in [1_000, 1 << 20, 64 << 20] {
            let reader = Reader::plain(Box::new(bytes.chain(Broken)));
            let (_, end) = tasks(reader, task_bytes, Cut::AtLines);
            assert_eq!(end.unwrap_err().byte(), Some(6), "{task_bytes}");
        }
    }

    #[test]
    fn a_head_is_at_most_a_mebibyte() {
        let long: &'static [u8] = vec![b'x'; 3 * HEAD_BYTES_MAX].leak();
        assert_eq!(reader(long).head(1).len(), HEAD_BYTES_MAX);
        let lines: &'static [u8] = b"line\n".repeat(HEAD_BYTES_MAX).leak();
        let head = reader(lines).head(usize::MAX);
        assert_eq!(head.len(), HEAD_BYTES_MAX / 5 * 5);
    }
}
