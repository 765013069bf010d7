//! A part of an input: one sequence of lines that a pass is made over.

use std::ffi::{OsStr, OsString};
use std::num::NonZeroU64;
use std::ops::Range;
use std::os::unix::ffi::{OsStrExt, OsStringExt};

use memchr::memchr_iter;

use super::buffer::Buffer;
use super::mapped::{self, Mapped};
use super::positional::{self, Positional};
use super::stream::{self, Stream};
use crate::error::{Error, ErrorKind};
use crate::plan::Cut;
use crate::scan::{Chunk, without_carriage_return};

/// The length that a line may have, without its newline: 16 MiB. A longer one might not fit into
/// memory, where it must be read into memory; so that answers do not depend on that, the limit
/// holds for mapped files too.
pub const LINE_BYTES_MAX: usize = 16 << 20;

/// A part of an input: one sequence of lines. A plain or compressed file has one, an archive has
/// one for each member that is read.
#[derive(Debug)]
pub struct Part {
    path: OsString,
    name: OsString,
    member: Option<Vec<u8>>,
    source: Source,
}

/// Where the bytes of a part come from.
#[derive(Debug)]
pub(super) enum Source {
    Mapped(Mapped),
    Positional(Positional),
    Stream(Box<Stream>),
}

impl Part {
    /// The part of the input at `path`, shown as `name`, whose bytes come from `source`; `member` is
    /// its name in the archive, if it is a member of one.
    pub(super) fn new(path: &OsStr, name: &OsStr, member: Option<Vec<u8>>, source: Source) -> Part {
        Part {
            path: path.to_owned(),
            name: name.to_owned(),
            member,
            source,
        }
    }

    /// The path of the input as given, and if the part is a member of an archive, a colon, a blank
    /// and its name.
    pub fn path(&self) -> OsString {
        let Some(member) = &self.member else {
            return self.path.clone();
        };
        OsString::from_vec([self.path.as_bytes(), b": ", member].concat())
    }

    /// The names that may tell what the part is, the best first: that of the member, if it is one,
    /// and that of the file.
    pub fn file_names(&self) -> impl Iterator<Item = &OsStr> {
        let member = self.member.as_deref().map(OsStr::from_bytes);
        member.into_iter().chain([&*self.path])
    }

    /// `error`, about this part.
    pub fn blame(&self, error: Error) -> Error {
        let error = error.about(&self.name);
        match &self.member {
            Some(member) => error.within(member),
            None => error,
        }
    }

    /// Begins a pass over the part, in tasks of about `task_bytes`. A stream can be passed over
    /// once; it keeps a copy of the lines in `wanted`, counted from zero and ascending, because
    /// they can't be read again.
    pub fn pass<'a>(&'a self, task_bytes: NonZeroU64, cut: Cut, wanted: &[u64]) -> Pass<'a> {
        let pass = match &self.source {
            Source::Mapped(mapped) => Kind::Mapped(mapped.pass(task_bytes, cut)),
            Source::Positional(file) => Kind::Positional(file.pass(task_bytes, cut)),
            Source::Stream(stream) => Kind::Stream(stream.pass(task_bytes, cut, wanted)),
        };
        Pass {
            part: self,
            cut,
            kind: pass,
        }
    }
}

/// A pass over a part of an input, shared by all workers.
#[derive(Debug)]
pub struct Pass<'a> {
    part: &'a Part,
    cut: Cut,
    kind: Kind<'a>,
}

#[derive(Debug)]
enum Kind<'a> {
    Mapped(mapped::Pass<'a>),
    Positional(positional::Pass<'a>),
    Stream(stream::Pass<'a>),
}

impl Pass<'_> {
    /// The next chunk that no worker has taken; none when all are. Bytes that must be read are read
    /// into `buffer`.
    ///
    /// # Errors
    /// If the input can't be read.
    pub fn next<'b>(&'b self, buffer: &'b mut Buffer) -> Result<Option<Chunk<'b>>, Error> {
        let next = match &self.kind {
            Kind::Mapped(pass) => Ok(pass.next()),
            Kind::Positional(pass) => pass.next(buffer),
            Kind::Stream(pass) => pass.next(buffer),
        };
        next.and_then(|chunk| self.refuse_long_line(chunk))
            .map_err(|e| self.part.blame(e))
    }

    /// Fails if `chunk` has a line that is longer than is allowed. It costs nothing, unless the
    /// chunk is.
    fn refuse_long_line<'b>(&self, chunk: Option<Chunk<'b>>) -> Result<Option<Chunk<'b>>, Error> {
        let Some(long) = chunk
            .as_ref()
            .filter(|chunk| self.cut == Cut::AtLines && chunk.range.len() > LINE_BYTES_MAX)
        else {
            return Ok(chunk);
        };
        let mut start = 0;
        for end in memchr_iter(b'\n', long.bytes()).chain([long.range.len()]) {
            if end - start > LINE_BYTES_MAX {
                return Err(line_too_long(long.offset + start as u64));
            }
            start = end + 1;
        }
        Ok(chunk)
    }

    /// The part that the pass is over.
    pub fn part(&self) -> &Part {
        self.part
    }

    /// How many bytes the pass is over, if that is known.
    pub fn length(&self) -> Option<u64> {
        match &self.kind {
            Kind::Mapped(pass) => Some(pass.length()),
            Kind::Positional(pass) => Some(pass.length()),
            Kind::Stream(pass) => pass.length(),
        }
    }

    /// How far reading has come since this was last asked: a number of bytes of the file that the
    /// input is, now that another chunk of `scanned` bytes has been scanned. If these were
    /// compressed, that is a number of compressed bytes.
    pub fn advanced(&self, scanned: u64) -> u64 {
        match &self.kind {
            Kind::Stream(pass) => pass.advanced().unwrap_or(scanned),
            Kind::Mapped(_) | Kind::Positional(_) => scanned,
        }
    }

    /// Shows `see` the lines `wanted`, counted from zero in the chunk that lies at `range` and
    /// ascending. Lines that the chunk turns out not to have are not shown.
    ///
    /// # Errors
    /// If the chunk can't be read again.
    pub fn lines_again(
        &self,
        range: Range<u64>,
        first_line: u64,
        wanted: &[u64],
        mut see: impl FnMut(u64, &[u8]),
    ) -> Result<(), Error> {
        let mut buffer = Buffer::default();
        let bytes = match &self.kind {
            Kind::Mapped(pass) => pass.again(range),
            Kind::Positional(pass) => pass
                .again(range, &mut buffer)
                .map_err(|e| self.part.blame(e))?,
            Kind::Stream(pass) => {
                pass.kept(wanted, see);
                return Ok(());
            }
        };
        each_wanted_line(bytes, first_line, wanted, &mut see);
        Ok(())
    }
}

/// Shows `see` those lines of `bytes`, the first of which has the number `first_line`, that are
/// `wanted`, ascending.
pub(super) fn each_wanted_line(
    bytes: &[u8],
    first_line: u64,
    wanted: &[u64],
    see: &mut impl FnMut(u64, &[u8]),
) {
    let mut wanted = wanted
        .iter()
        .copied()
        .skip_while(|&line| line < first_line)
        .peekable();
    let unterminated = !bytes.is_empty() && !bytes.ends_with(b"\n");
    let ends = memchr_iter(b'\n', bytes).chain(unterminated.then_some(bytes.len()));
    let mut start = 0;
    for (line, end) in (first_line..).zip(ends) {
        let Some(&next) = wanted.peek() else { return };
        if line == next {
            see(line, without_carriage_return(&bytes[start..end]));
            wanted.next();
        }
        start = end + 1;
    }
}

/// The error for a line that is longer than memory is set aside for, beginning at `byte`.
pub(super) fn line_too_long(byte: u64) -> Error {
    Error::new(
        ErrorKind::Input,
        format!("has a line of more than {} MiB", LINE_BYTES_MAX >> 20),
    )
    .at_byte(byte)
    .advise("that is not a file of the FEC; 'fecscan count' counts lines of any length")
}
