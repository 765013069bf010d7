//! Reads inputs: plain files, mapped or not, streams, compressed files and archives.
//!
//! [`OpenOptions::open`] opens a file or standard input, and detects its format from its first bytes.
//! The `policy` decides how it is read. An [`Input`] has one [`Part`]; an archive has one for each
//! chosen member. Workers take chunks of whole lines from `Part::next` until there are no more. The
//! scanner does not see where the bytes come from.
//! Compressed bytes are a stream: one worker at a time decompresses, while the others scan.
//!
//! There is `unsafe` code here for two things: mapping a file, and ending the process when a mapped file
//! is cut.

mod archive;
mod buffer;
mod compressed;
mod coverage;
mod doubts;
pub mod fault;
mod globs;
mod info;
mod mapped;
mod open;
mod part;
mod policy;
mod rewriting;
mod schemas;
mod section;
mod slices;
mod stream;
mod translated;
mod watched;

use std::ffi::{OsStr, OsString};
use std::mem;
use std::ops::Range;
use std::sync::Arc;
use std::time::SystemTime;
use std::vec;

use memchr::memchr;

use self::policy::Kind;
use self::watched::Watched;
use crate::error::{Error, Note};
use crate::fec::layout::FirstLine;
use crate::fec::schema::Schema;
use crate::fec::without_mark;

pub use self::archive::{Members, Pattern};
pub(crate) use self::buffer::Buffer;
pub(crate) use self::coverage::with_range_note;
pub use self::coverage::{BlockLines, Coverage, CoveragePolicy, Piece};
pub use self::globs::matching;
pub use self::info::{ColumnInfo, FileInfo, PartInfo};
pub use self::open::{OpenOptions, file_bytes, name_of};
pub(crate) use self::part::HEAD_ROWS;
pub use self::part::{LINE_BYTES_MAX, Part};
pub use self::policy::Io;
pub use self::slices::Slice;
pub(crate) use self::slices::{beginnings, slices_beginning_in};

/// An opened input.
#[derive(Debug)]
pub struct Input {
    identity: Arc<Identity>,
    kind: Kind,
    bytes_ahead: Option<u64>,
    /// Notes for the user, but none on a range.
    pub(crate) notes: Vec<Note>,
    /// The bytes whose lines or slices are read, if the caller chose: see [`OpenOptions::range`].
    pub(crate) range: Option<Range<u64>>,
    /// The bytes that are read, and their file, if that is noted.
    pub(crate) coverage: Option<Coverage>,
    /// The parts that have not been handed out.
    parts: vec::IntoIter<Part>,
}

/// The names and the file of an input, which its parts share.
#[derive(Debug)]
struct Identity {
    path: OsString,
    name: OsString,
    /// The schema of the rows, if the caller named one.
    schema: Option<Schema>,
    /// The file and its state when it was opened, if it is a regular one.
    watched: Option<Arc<Watched>>,
}

impl Identity {
    fn check_unchanged(&self) -> Result<(), Error> {
        let checked = self
            .watched
            .as_ref()
            .map_or(Ok(()), |watched| watched.check());
        checked.map_err(|e| e.about(&self.name))
    }
}

impl Input {
    /// Opens the file at `path`; `-` is standard input, from where it stands. The parts of an archive are
    /// the `.txt` members outside of folders; [`OpenOptions`] choose others.
    ///
    /// # Errors
    /// See [`OpenOptions::open`].
    pub fn open(path: &OsStr, io: Io) -> Result<Input, Error> {
        let options = OpenOptions {
            io,
            ..OpenOptions::default()
        };
        options.open(path)
    }

    /// Returns the path as given; `-` for standard input.
    pub fn path(&self) -> &OsStr {
        &self.identity.path
    }

    /// Returns the name for messages: the path as given, or `standard input`.
    pub fn name(&self) -> &OsStr {
        &self.identity.name
    }

    /// Returns how the input is read: `mmap`, `read`, `gzip`, `zstd` or `zip`.
    pub fn io_name(&self) -> &'static str {
        self.kind.name()
    }

    /// Tells whether bytes must be decompressed or translated, which one worker does alone.
    pub fn is_compressed(&self) -> bool {
        self.kind.is_compressed()
    }

    /// Returns the number of bytes of the file that will be read, if it is known. For an archive, these
    /// are the compressed bytes of the chosen members.
    pub fn bytes_ahead(&self) -> Option<u64> {
        self.bytes_ahead
    }

    /// Returns notes for the user: the members of an archive that are left out, and how to choose them; the
    /// range that is read.
    pub fn notes(&self) -> Vec<String> {
        with_range_note(&self.notes, self.range.as_ref(), self.stored_bytes())
    }

    /// Reads only these `lines` of a plain file, because the caller `asked` for a range, or for all.
    fn narrow(&mut self, lines: Range<u64>, asked: Option<Range<u64>>) {
        self.bytes_ahead = Some(lines.end - lines.start);
        self.range = asked;
        let parts = mem::take(&mut self.parts);
        let parts = parts.map(|part| part.within(lines.clone()));
        self.parts = parts.collect::<Vec<_>>().into_iter();
    }

    /// Returns the parts that have not been handed out.
    pub(crate) fn parts(&self) -> &[Part] {
        self.parts.as_slice()
    }

    /// Notes what the first rows show: names of the FEC's columns, a byte-order mark, carriage returns instead of newlines, and a delimiter
    /// too many at the ends of rows. Ranges have the notes of the whole file.
    fn noting_first_lines(mut self) -> Input {
        let is_of_fec = self
            .identity
            .schema
            .is_none_or(|schema| schema.layout().is_none());
        let Some(first) = self.parts.as_slice().first() else {
            return self;
        };
        let head = first.head(1);
        let begins_with_row = first.schema().first_line() == FirstLine::Row;
        let is_marked = begins_with_row && without_mark(&head).len() < head.len();
        // Without a newline, this is the whole file or its first MiB.
        let ends_in_cr =
            !head.contains(&b'\n') && memchr(b'\r', &head).is_some_and(|at| at + 1 < head.len());
        let names = Schema::of_names_line(&head).filter(|_| is_of_fec);
        let trailing = Some(first).filter(|_| is_of_fec);
        let trailing = trailing.and_then(Part::schema_of_trailing_delimiters);
        // Advice on bytes would damage packed ones.
        let is_packed = self.kind.is_compressed();
        let advised = |note: Note, advice: &str| {
            if is_packed {
                note
            } else {
                note.advise(advice.to_owned())
            }
        };
        self.notes.extend(names.map(|_| {
            Note::new("its first line names the columns, and is read as a row")
                .advise("--header reads names, for all but the report".to_owned())
        }));
        let one_line = Note::new("has carriage returns and no newline, so it is one line");
        let advice = "make newlines of them: tr '\\r' '\\n'";
        self.notes
            .extend(ends_in_cr.then(|| advised(one_line, advice)));
        let mark = Note::new("begins with a byte-order mark, which is part of its first value");
        let advice = "remove the mark: tail -c +4";
        self.notes.extend(is_marked.then(|| advised(mark, advice)));
        self.notes.extend(trailing.map(|schema| {
            let name = schema.name();
            Note::new(format!(
                "its rows end with one | more than those of {name}: an empty column, which moves no value"
            ))
        }));
        self
    }

    /// Hands out the parts. Every input has one, but for ranges of an archive in which no slice begins.
    pub(crate) fn take_parts(&mut self) -> impl Iterator<Item = Part> + use<> {
        mem::take(&mut self.parts)
    }

    /// Returns the size of a regular file that is compressed or translated.
    pub(crate) fn stored_bytes(&self) -> Option<u64> {
        let watched = self.identity.watched.as_ref()?;
        self.is_compressed().then(|| watched.before.bytes)
    }

    /// Returns the bytes of a plain file that is translated. Its rows may have more or fewer.
    pub(crate) fn bytes_translated(&self) -> Option<u64> {
        let is_translated = self.kind == Kind::Translated;
        self.stored_bytes().filter(|_| is_translated)
    }

    /// Returns when the file was last modified before it was opened, if it is a regular one.
    pub fn modified(&self) -> Option<SystemTime> {
        self.identity.watched.as_ref()?.before.modified_time()
    }

    /// Tells whether the input can be read only once, like a pipe.
    pub(crate) fn is_read_once(&self) -> bool {
        self.parts.as_slice().iter().any(Part::is_read_once)
    }

    /// Checks that the file is as it was when it was opened. Renaming and unlinking do not matter.
    ///
    /// # Errors
    /// If it has been written to, or grown, or cut.
    pub fn check_unchanged(&self) -> Result<(), Error> {
        self.identity.check_unchanged()
    }
}
