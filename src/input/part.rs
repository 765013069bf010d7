//! A part of an input: one sequence of lines.

use std::ffi::{OsStr, OsString};
use std::num::NonZeroU64;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::sync::Arc;

use memchr::memchr_iter;

use super::Identity;
use super::buffer::Buffer;
use super::mapped::Mapped;
use super::positional::Positional;
use super::stream::Stream;
use super::tasks::Tasks;
use crate::error::Error;
use crate::fec::schema::Schema;
use crate::plan::Cut;

/// The most bytes that [`Part::head`] returns: 1 MiB.
pub(super) const HEAD_BYTES_MAX: usize = 1 << 20;

/// A part of an input: one sequence of lines. A plain or compressed file has one part. An archive has
/// one for each chosen member.
#[derive(Debug)]
pub struct Part {
    input: Arc<Identity>,
    member: Option<Vec<u8>>,
    pub(super) kind: Kind,
}

/// How the bytes of a part are read.
#[derive(Debug)]
pub(super) enum Kind {
    Mapped(Arc<Mapped>),
    Positional(Arc<Positional>),
    Stream(Box<Stream>),
}

impl Part {
    /// Returns a part of `input`. In an archive, its name is `member`.
    pub(super) fn new(input: Arc<Identity>, member: Option<Vec<u8>>, kind: Kind) -> Part {
        Part {
            input,
            member,
            kind,
        }
    }

    pub(super) fn member(&self) -> Option<&OsStr> {
        self.member.as_deref().map(OsStr::from_bytes)
    }

    /// Returns the path of the input as given.
    pub(crate) fn input_path(&self) -> &OsStr {
        &self.input.path
    }

    /// Returns the path of the input as given. For a member of an archive, a colon, a blank and its name
    /// follow.
    pub fn path(&self) -> OsString {
        let Some(member) = &self.member else {
            return self.input.path.clone();
        };
        OsString::from_vec([self.input.path.as_bytes(), b": ", member].concat())
    }

    /// Returns the names that may tell the schema, the best first: that of the member, if it is one, and
    /// that of the file.
    pub fn file_names(&self) -> impl Iterator<Item = &OsStr> {
        self.member().into_iter().chain([&*self.input.path])
    }

    /// Returns the schema of the rows: the one that the input was opened with, or that its names tell,
    /// or [`Schema::Indiv`].
    pub fn schema(&self) -> Schema {
        let named = || self.file_names().find_map(Schema::of_file_name);
        self.input.schema.or_else(named).unwrap_or(Schema::Indiv)
    }

    /// Tells whether the bytes come one after the other, and cannot be read at a place.
    pub(crate) fn is_stream(&self) -> bool {
        matches!(self.kind, Kind::Stream(_))
    }

    /// Tells whether [`Part::reopened`] gives a part.
    pub(crate) fn can_be_reopened(&self) -> bool {
        match &self.kind {
            Kind::Mapped(_) | Kind::Positional(_) => true,
            Kind::Stream(stream) => stream.can_be_reopened(),
        }
    }

    /// Adds the names of this part to `error`. If the file was changed meanwhile, returns that error
    /// instead.
    pub(crate) fn blame(&self, error: Error) -> Error {
        if let Err(changed) = self.input.check_unchanged() {
            return changed;
        }
        let error = error.about(&self.input.name);
        match &self.member {
            Some(member) => error.within(member),
            None => error,
        }
    }

    /// Returns the tasks of the part, of about `task_bytes`. A stream can be read once.
    pub(crate) fn tasks(&self, task_bytes: NonZeroU64, cut: Cut) -> Tasks<'_> {
        Tasks::new(self, task_bytes, cut)
    }

    /// Returns another part with the same bytes, to be read from the beginning. A pipe gives none.
    pub(crate) fn reopened(&self) -> Option<Part> {
        let kind = match &self.kind {
            Kind::Mapped(file) => Kind::Mapped(Arc::clone(file)),
            Kind::Positional(file) => Kind::Positional(Arc::clone(file)),
            Kind::Stream(stream) => Kind::Stream(stream.reopened()?.into()),
        };
        let member = self.member.clone();
        Some(Part::new(Arc::clone(&self.input), member, kind))
    }

    /// Returns the first whole lines: at most `lines`, and at most 1 MiB. An unterminated last line at the
    /// end of the part counts. The lines are not consumed. An error of reading is left to the scan.
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

/// Returns the first whole lines of `bytes`, as [`Part::head`] does. Unless `is_whole`, more may follow.
pub(super) fn first_lines(bytes: &[u8], lines: usize, is_whole: bool) -> &[u8] {
    let head = &bytes[..bytes.len().min(HEAD_BYTES_MAX)];
    let mut ends = memchr_iter(b'\n', head).map(|newline| newline + 1);
    let end = match lines.checked_sub(1) {
        None => Some(0),
        Some(last) => ends.nth(last),
    };
    let end = end.unwrap_or_else(|| match is_whole && head.len() == bytes.len() {
        true => head.len(),
        false => memchr::memrchr(b'\n', head).map_or(0, |newline| newline + 1),
    });
    &head[..end]
}
