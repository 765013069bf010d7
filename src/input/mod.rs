//! Where bytes come from: a mapped file, a file that is read, a stream, a compressed file, the
//! members of an archive.
//!
//! [`OpenOptions::open`] opens a file or standard input, looks at its first bytes, and asks the
//! [`policy`] how to get at a plain one. An [`Input`] has one [`Part`], or if it is an archive, one
//! for each member that is read. [`Part::pass`] begins a pass over it; its workers take chunks of
//! whole lines from [`Pass::next`] until there are no more. Who scans does not see where the bytes
//! came from, except that the lines of a stream that somebody wants to see again must be named
//! beforehand. What is compressed is a stream: the worker whose turn it is to read decompresses,
//! while the others scan.
//!
//! There is `unsafe` code here for three things: mapping a file, what happens when a mapped file is
//! cut, and looking at the standard descriptors.

mod archive;
pub mod buffer;
mod compressed;
pub mod fault;
mod mapped;
mod open;
mod part;
mod pipe;
pub mod policy;
mod positional;
pub mod standard;
mod stream;
mod watched;

use std::ffi::{OsStr, OsString};
use std::os::fd::OwnedFd;

use self::open::Contents;
use self::watched::Watched;
use crate::error::Error;

pub use self::archive::{Members, Pattern};
pub use self::compressed::Limits;
pub use self::open::OpenOptions;
pub use self::part::{LINE_BYTES_MAX, Part, Pass};
pub use self::policy::Io;

/// An opened input.
#[derive(Debug)]
pub struct Input {
    path: OsString,
    name: OsString,
    contents: Contents,
    /// The file, and how it was when it was opened, if it is a regular one.
    watched: Option<Watched>,
}

impl Input {
    /// Opens the file at `path`; `-` is standard input, from where it stands. Of archives, the
    /// members are read that are text and lie in no folder; [`OpenOptions`] choose others.
    ///
    /// # Errors
    /// Those of [`OpenOptions::open`].
    pub fn open(path: &OsStr, io: Io) -> Result<Input, Error> {
        OpenOptions {
            io,
            ..OpenOptions::default()
        }
        .open(path)
    }

    /// An input of all that can be read from `stream`, such as a pipe or a socket, shown as `name`.
    ///
    /// # Errors
    /// Those of [`OpenOptions::from_stream`].
    pub fn from_stream(name: &OsStr, stream: impl Into<OwnedFd>) -> Result<Input, Error> {
        OpenOptions::default().from_stream(name, stream)
    }

    /// The path as given; `-` for standard input.
    pub fn path(&self) -> &OsStr {
        &self.path
    }

    /// The name for messages: the path as given, or `standard input`.
    pub fn name(&self) -> &OsStr {
        &self.name
    }

    /// How the bytes are got: `mmap` or `read`, as `--io` names it, or what decompresses them:
    /// `gzip`, `zstd` or `zip`.
    pub fn io_name(&self) -> &'static str {
        self.contents.io_name
    }

    /// Whether what is read must be decompressed, which one worker does alone.
    pub fn is_compressed(&self) -> bool {
        self.contents.is_compressed()
    }

    /// How many bytes of the file are to be read, if that is known: of an archive, the compressed
    /// bytes of the members that are read.
    pub fn bytes_ahead(&self) -> Option<u64> {
        self.contents.bytes_ahead
    }

    /// What a user should know of how the input is read: which members of an archive are left out,
    /// and how to choose them.
    pub fn notes(&self) -> &[String] {
        &self.contents.notes
    }

    /// The names of the members of an archive that have not been handed out.
    pub fn member_names(&self) -> impl Iterator<Item = &OsStr> {
        self.contents.member_names()
    }

    /// The next part, none behind the last. Every input has one.
    pub fn next_part(&mut self) -> Option<Part> {
        let (member, source) = self.contents.next()?;
        Some(Part::new(&self.path, &self.name, member, source))
    }

    /// `error`, or if the input is compressed and the file was changed while it was read, that: then
    /// it is no wonder that it looks damaged.
    pub fn explain(&self, error: Error) -> Error {
        match self.check_unchanged() {
            Err(changed) if self.is_compressed() => changed,
            _ => error,
        }
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
}
