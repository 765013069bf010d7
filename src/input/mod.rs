//! Where bytes come from: a mapped file, a file that is read, a stream.
//!
//! [`Input::open`] opens a file or standard input and asks the [`policy`] how to get at it.
//! [`Input::pass`] begins a pass over it; its workers take [`Chunk`]s of whole
//! lines from [`Pass::next`] until there are no more. Who scans does not see where the bytes came
//! from, except that the lines of a stream that somebody wants to see again must be named
//! beforehand.
//!
//! There is `unsafe` code here for three things: mapping a file, what happens when a mapped file is
//! cut, and looking at the standard descriptors.

pub mod buffer;
mod compressed;
pub mod fault;
mod mapped;
pub mod policy;
mod positional;
pub mod standard;
mod stream;
mod watched;

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Seek};
use std::num::NonZeroU64;
use std::ops::Range;
use std::os::fd::OwnedFd;

use memchr::memchr_iter;

use self::buffer::Buffer;
use self::mapped::Mapped;
use self::policy::{Access, Known};
use self::positional::Positional;
use self::stream::Stream;
use self::watched::Watched;
use crate::error::{Error, ErrorKind};
use crate::plan::Cut;
use crate::scan::{Chunk, without_carriage_return};

pub use self::policy::Io;

/// The length that a line may have, without its newline: 16 MiB. A longer one might not fit into
/// memory, where it must be read into memory; so that answers do not depend on that, the limit
/// holds for mapped files too.
pub const LINE_BYTES_MAX: usize = 16 << 20;

/// An opened input.
#[derive(Debug)]
pub struct Input {
    path: OsString,
    name: OsString,
    source: Source,
    /// The file, and how it was when it was opened, if it is a regular one.
    watched: Option<Watched>,
}

#[derive(Debug)]
enum Source {
    Mapped(Mapped),
    Positional(Positional),
    Stream(Stream),
}

impl Input {
    /// Opens the file at `path`; `-` is standard input, from where it stands.
    ///
    /// # Errors
    /// If it can't be opened, is a directory, or is compressed.
    pub fn open(path: &OsStr, io: Io) -> Result<Input, Error> {
        let standard_input = path == "-";
        let name = if standard_input {
            OsStr::new("standard input")
        } else {
            path
        };
        let failed = |e| not_opened(e).about(name);
        let (file, offset) = match standard_input {
            true => standard::input().map_err(failed)?,
            false => (File::open(path).map_err(failed)?, 0),
        };
        let metadata = file.metadata().map_err(failed)?;
        if metadata.is_dir() {
            return Err(failed(io::Error::from_raw_os_error(libc::EISDIR)));
        }
        let known = Known {
            regular: metadata.is_file(),
            standard_input,
            bytes: metadata.len().saturating_sub(offset),
        };
        if known.regular {
            compressed::refuse_file(&file, offset).map_err(|e| e.about(name))?;
        }

        let access = policy::access(io, known);
        if standard_input && access != Access::Stream {
            // Who reads standard input after us finds it read to the end, although we read
            // elsewhere.
            (&file)
                .seek(io::SeekFrom::Start(offset + known.bytes))
                .map_err(failed)?;
        }
        let watched = match known.regular {
            true => Some(Watched::new(&file, &metadata).map_err(failed)?),
            false => None,
        };
        let source = match access {
            Access::Map => match Mapped::new(&file, offset, known.bytes, watched.as_ref(), name) {
                Ok(mapped) => Source::Mapped(mapped),
                // A file system that can't map may not know sizes either.
                Err(e) if e.raw_os_error() == Some(libc::ENODEV) => {
                    Source::Stream(Stream::new(file))
                }
                Err(_) => Source::Positional(Positional::new(file, offset, known.bytes)),
            },
            Access::Read => Source::Positional(Positional::new(file, offset, known.bytes)),
            Access::Stream => Source::Stream(Stream::new(file)),
        };
        Ok(Input {
            path: path.to_owned(),
            name: name.to_owned(),
            source,
            watched,
        })
    }

    /// An input of all that can be read from `stream`, such as a pipe or a socket, shown as `name`.
    pub fn from_stream(name: &OsStr, stream: impl Into<OwnedFd>) -> Input {
        let source = Source::Stream(Stream::new(File::from(stream.into())));
        Input {
            path: name.to_owned(),
            name: name.to_owned(),
            source,
            watched: None,
        }
    }

    /// The path as given; `-` for standard input.
    pub fn path(&self) -> &OsStr {
        &self.path
    }

    /// Checks that the file is as it was when it was opened. One that is renamed or unlinked is.
    ///
    /// # Errors
    /// If it has been written to, or grown, or cut.
    pub fn check_unchanged(&self) -> Result<(), Error> {
        self.watched
            .as_ref()
            .map_or(Ok(()), |watched| watched.check(&self.name))
    }

    /// The name for messages: the path as given, or `standard input`.
    pub fn name(&self) -> &OsStr {
        &self.name
    }

    /// How the bytes are got: `mmap` or `read`, as `--io` names it.
    pub fn io_name(&self) -> &'static str {
        match self.source {
            Source::Mapped(_) => "mmap",
            Source::Positional(_) | Source::Stream(_) => "read",
        }
    }

    /// Begins a pass over the input, in tasks of about `task_bytes`. A stream can be passed over
    /// once; it keeps a copy of the lines in `wanted`, counted from zero and ascending, because
    /// they can't be read again.
    pub fn pass<'a>(&'a self, task_bytes: NonZeroU64, cut: Cut, wanted: &[u64]) -> Pass<'a> {
        let pass = match &self.source {
            Source::Mapped(mapped) => Kind::Mapped(mapped.pass(task_bytes, cut)),
            Source::Positional(file) => Kind::Positional(file.pass(task_bytes, cut)),
            Source::Stream(stream) => Kind::Stream(stream.pass(task_bytes, cut, wanted)),
        };
        Pass {
            name: &self.name,
            cut,
            kind: pass,
        }
    }
}

/// A pass over an input, shared by all workers.
#[derive(Debug)]
pub struct Pass<'a> {
    name: &'a OsStr,
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
            .map_err(|e| e.about(self.name))
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

    /// How many bytes the pass is over, if that was known when it began.
    pub fn length(&self) -> Option<u64> {
        match &self.kind {
            Kind::Mapped(pass) => Some(pass.length()),
            Kind::Positional(pass) => Some(pass.length()),
            Kind::Stream(_) => None,
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
                .map_err(|e| e.about(self.name))?,
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
fn each_wanted_line(
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

/// The error for what could not be opened, with what can be done about the usual causes.
fn not_opened(error: io::Error) -> Error {
    let advice = match error.kind() {
        io::ErrorKind::NotFound => Some("check the name"),
        io::ErrorKind::PermissionDenied => Some("it takes the permission to read it"),
        io::ErrorKind::IsADirectory => Some("name the files in it"),
        _ => None,
    };
    let error = Error::io(ErrorKind::Input, "", error);
    match advice {
        Some(advice) => error.advise(advice),
        None => error,
    }
}

/// The error for a line that is longer than memory is set aside for, beginning at `byte`.
fn line_too_long(byte: u64) -> Error {
    Error::new(
        ErrorKind::Input,
        format!("has a line of more than {} MiB", LINE_BYTES_MAX >> 20),
    )
    .at_byte(byte)
    .advise("that is not a file of the FEC; 'fecscan count' counts lines of any length")
}
