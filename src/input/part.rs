//! A part of an input: one sequence of lines, which workers take in chunks.

use std::ffi::{OsStr, OsString};
use std::iter;
use std::ops::Range;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::sync::{Arc, OnceLock};

use memchr::memchr_iter;

use super::Identity;
use super::buffer::Buffer;
use super::mapped::Mapped;
use super::section::Section;
use super::stream::{Fill, Stream};
use crate::error::Error;
use crate::fec::origin::Origin;
use crate::fec::schema::Schema;
use crate::plan::{Cut, Plan};
use crate::scan::Chunk;

/// The number of bytes that a line may have, without its newline: 16 MiB. A longer one might not fit into
/// memory where it is read into memory. Mapped files have the same limit, so that all ways of reading
/// give the same answer.
pub const LINE_BYTES_MAX: usize = 16 << 20;

/// The number of rows by which a part is judged.
pub(crate) const HEAD_ROWS: usize = 1000;

/// The most bytes that [`Part::head`] returns: 1 MiB.
pub(super) const HEAD_BYTES_MAX: usize = 1 << 20;

/// A part of an input: one sequence of lines. A plain or compressed file has one part. An archive has
/// one for each chosen member.
#[derive(Debug)]
pub struct Part {
    pub(super) input: Arc<Identity>,
    member: Option<Vec<u8>>,
    /// The schema, where the first line tells it.
    pub(super) of_first_line: OnceLock<Schema>,
    /// The bytes of a file that are read: whole lines. All, if there are none.
    lines: Option<Range<u64>>,
    /// Whether the part is a slice, which cuts a line of the member that it repeats if it ends within one.
    pub(crate) must_end_line: bool,
    pub(super) kind: Kind,
}

/// How the bytes of a part are read.
#[derive(Debug)]
pub(super) enum Kind {
    Mapped(Mapped),
    Positional(Section),
    Stream(Box<Stream>),
}

impl Part {
    /// Returns a part of `input`. In an archive, its name is `member`.
    pub(super) fn new(input: Arc<Identity>, member: Option<Vec<u8>>, kind: Kind) -> Part {
        Part {
            input,
            member,
            of_first_line: OnceLock::new(),
            lines: None,
            must_end_line: false,
            kind,
        }
    }

    /// Returns the same part, of which only these whole `lines` are read.
    pub(super) fn within(mut self, lines: Range<u64>) -> Part {
        self.lines = Some(lines);
        self
    }

    /// Returns the same part. Each chunk of a pipe ends with the lines that are there, and waits for no more.
    pub(crate) fn without_waiting(mut self) -> Part {
        if let Kind::Stream(stream) = &mut self.kind
            && !stream.can_be_reopened()
        {
            stream.set_fill(Fill::Lines);
        }
        self
    }

    pub(super) fn member(&self) -> Option<&OsStr> {
        self.member.as_deref().map(OsStr::from_bytes)
    }

    /// Returns the path of the input as given.
    pub(crate) fn input_path(&self) -> &OsStr {
        &self.input.path
    }

    /// Returns what all rows have in common: where they come from, as the part with this number.
    pub(crate) fn origin(&self, number: usize) -> Origin {
        Origin::new(&self.input.path, self.member(), number)
    }

    /// Returns the path of the input as given. For a member of an archive, a colon, a blank and its name
    /// follow.
    pub fn path(&self) -> OsString {
        path_of(&self.input.path, self.member.as_deref())
    }

    /// Returns the names that may tell the schema, the best first: that of the member, if it is one, and
    /// that of the file.
    pub fn file_names(&self) -> impl Iterator<Item = &OsStr> {
        self.member().into_iter().chain([&*self.input.path])
    }

    /// Tells whether the bytes come one after the other, and cannot be read at a place.
    pub(crate) fn is_stream(&self) -> bool {
        matches!(self.kind, Kind::Stream(_))
    }

    /// Tells whether the bytes can't be read again, like those of a pipe.
    pub(crate) fn is_read_once(&self) -> bool {
        matches!(&self.kind, Kind::Stream(stream) if !stream.can_be_reopened())
    }

    /// Tells whether the next rows may take long to come, as from a slow pipe.
    pub(crate) fn may_be_slow(&self) -> bool {
        self.is_read_once() && self.input.watched.is_none()
    }

    /// Adds the names of this part to `error`. If the file was changed meanwhile, returns that error
    /// instead. An error about another file, such as that of a sink, stays as it is.
    pub(crate) fn blame(&self, error: Error) -> Error {
        if error.path().is_some() {
            return error;
        }
        if let Err(changed) = self.input.check_unchanged() {
            return changed;
        }
        let error = error.about(&self.input.name);
        match &self.member {
            Some(member) => error.within(member),
            None => error,
        }
    }

    /// Returns the bytes of the part, if their number is known.
    pub(crate) fn range(&self) -> Option<Range<u64>> {
        if self.lines.is_some() {
            return self.lines.clone();
        }
        match &self.kind {
            Kind::Mapped(file) => Some(0..file.bytes().len() as u64),
            Kind::Positional(file) => Some(0..file.len()),
            Kind::Stream(stream) => stream.bytes().map(|bytes| 0..bytes),
        }
    }

    /// Takes the next chunk of `plan`, which covers the part; none after the last. All workers share the
    /// plan, so each chunk is taken once. A stream is cut where reading stops, and can be read once.
    /// Bytes that must be read are read into `buffer`.
    ///
    /// # Errors
    /// If the input can't be read.
    pub(crate) fn next<'b>(
        &'b self,
        plan: &Plan,
        buffer: &'b mut Buffer,
    ) -> Result<Option<Chunk<'b>>, Error> {
        let cut = plan.cut;
        let mut nominal = iter::from_fn(|| plan.next());
        let taken = match &self.kind {
            Kind::Mapped(file) => Ok(nominal.find_map(|at| file.chunk(at, cut))),
            Kind::Positional(file) => nominal
                .find_map(|at| file.chunk(at, cut, buffer).transpose())
                .transpose()
                .map(|read| read.map(|(range, offset)| chunk(buffer, range, offset))),
            Kind::Stream(stream) => stream
                .read(plan.task_bytes, cut, buffer)
                .map(|read| read.map(|offset| whole(buffer, offset))),
        };
        let checked = taken.and_then(|chunk| match &chunk {
            Some(lines) if cut == Cut::AtLines => refuse_long_line(lines).map(|()| chunk),
            _ => Ok(chunk),
        });
        checked.map_err(|e| self.blame(e))
    }

    /// Reads the bytes in `range` once more. A stream gives none.
    ///
    /// # Errors
    /// If they can't be read.
    pub(crate) fn again<'b>(
        &'b self,
        range: Range<u64>,
        buffer: &'b mut Buffer,
    ) -> Result<Option<Chunk<'b>>, Error> {
        let offset = range.start;
        match &self.kind {
            Kind::Mapped(file) => Ok(file.chunk(range, Cut::Anywhere)),
            Kind::Positional(file) => {
                buffer.clear();
                file.append(range, buffer).map_err(|e| self.blame(e))?;
                Ok(Some(whole(buffer, offset)))
            }
            Kind::Stream(_) => Ok(None),
        }
    }

    /// Returns how many bytes of the file were read since the last call, now that `scanned` bytes more
    /// have been scanned. For a compressed file these are compressed bytes.
    pub(crate) fn advanced(&self, scanned: u64) -> u64 {
        match &self.kind {
            Kind::Stream(stream) => stream.advanced().unwrap_or(scanned),
            Kind::Mapped(_) | Kind::Positional(_) => scanned,
        }
    }

    /// Returns the part of a compressed file again, to be read from its beginning.
    pub(crate) fn reopened(&self) -> Option<Part> {
        let Kind::Stream(stream) = &self.kind else {
            return None;
        };
        let kind = Kind::Stream(stream.reopened()?.into());
        Some(Part::new(
            Arc::clone(&self.input),
            self.member.clone(),
            kind,
        ))
    }

    /// Returns the first whole lines: at most `lines`, and at most 1 MiB. An unterminated last line at the
    /// end of the part counts. Of a first line of more than 1 MiB, returns that much. The lines are not consumed. An error of reading is left to the scan.
    /// For a stream, this must come before its tasks.
    pub fn head(&self, lines: usize) -> Vec<u8> {
        match &self.kind {
            Kind::Mapped(file) => first_lines(file.bytes(), lines, true).to_vec(),
            Kind::Stream(stream) => stream.head(lines),
            Kind::Positional(file) => {
                let mut buffer = Buffer::default();
                let bytes = file.len().min(HEAD_BYTES_MAX as u64);
                let read = file.append(0..bytes, &mut buffer);
                let is_whole = read.is_ok() && bytes == file.len();
                first_lines(buffer.filled(), lines, is_whole).to_vec()
            }
        }
    }
}

/// Returns the path of an input, or that of its `member`.
pub(super) fn path_of(input: &OsStr, member: Option<&[u8]>) -> OsString {
    match member {
        None => input.to_owned(),
        Some(member) => OsString::from_vec([input.as_bytes(), b": ", member].concat()),
    }
}

/// Returns all of `buffer`, which lies at `offset` of the input, as a chunk.
fn whole(buffer: &mut Buffer, offset: u64) -> Chunk<'_> {
    let bytes = buffer.filled().len();
    chunk(buffer, 0..bytes, offset)
}

fn chunk(buffer: &mut Buffer, range: Range<usize>, offset: u64) -> Chunk<'_> {
    Chunk {
        haystack: buffer.filled_with_room(),
        range,
        offset,
    }
}

/// Fails if a line of `chunk` is too long. A chunk of fewer bytes needs no look.
fn refuse_long_line(chunk: &Chunk<'_>) -> Result<(), Error> {
    if chunk.range.len() <= LINE_BYTES_MAX {
        return Ok(());
    }
    let mut start = 0;
    for end in memchr_iter(b'\n', chunk.bytes()).chain([chunk.range.len()]) {
        if end - start > LINE_BYTES_MAX {
            return Err(line_too_long(chunk.offset + start as u64));
        }
        start = end + 1;
    }
    Ok(())
}

/// Returns the error for the too long line at `byte`.
pub(super) fn line_too_long(byte: u64) -> Error {
    Error::input(format!(
        "has a line of more than {} MiB",
        LINE_BYTES_MAX >> 20
    ))
    .at_byte(byte)
    .advise("that is not a file of the FEC; 'fecscan count' counts lines of any length")
}

/// Returns the first whole lines of `bytes`, as [`Part::head`] does. Unless `is_whole`, more may follow.
pub(super) fn first_lines(bytes: &[u8], lines: usize, is_whole: bool) -> &[u8] {
    let head = &bytes[..bytes.len().min(HEAD_BYTES_MAX)];
    let mut ends = memchr_iter(b'\n', head).map(|newline| newline + 1);
    let end = match lines.checked_sub(1) {
        None => Some(0),
        Some(last) => ends.nth(last),
    };
    let end = end.unwrap_or_else(|| {
        if is_whole && head.len() == bytes.len() {
            head.len()
        } else {
            match memchr::memrchr(b'\n', head) {
                Some(newline) => newline + 1,
                None if head.len() == HEAD_BYTES_MAX => HEAD_BYTES_MAX,
                None => 0,
            }
        }
    });
    &head[..end]
}
