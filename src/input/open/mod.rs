//! Opens inputs.

mod looked_at;
mod packed;
mod quoted;

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Cursor, Read, Seek};
use std::ops::Range;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::sync::Arc;

use self::looked_at::LookedAt;
use super::archive::{Members, refuse_hidden};
use super::compressed::{Codec, Format, MAGIC_BYTES};
use super::coverage::{Coverage, CoveragePolicy};
use super::mapped::Mapped;
use super::part::{self, Part};
use super::policy::{self, Io, Kind};
use super::section::Section;
use super::slices;
use super::stream::Stream;
use super::watched::Watched;
use super::{Identity, Input};
use crate::error::{Error, ErrorKind, Note};
use crate::fec::schema::Schema;
use crate::pipe;

/// How inputs are opened.
///
/// ```
/// use fecscan::input::{Members, OpenOptions, Pattern};
/// # fn main() -> Result<(), fecscan::error::Error> {
/// let mut options = OpenOptions::default();
/// options.members = Members::Matching(vec![Pattern::new("by_date/*")]);
/// let input = options.open("fixtures/plain.txt".as_ref())?;
/// assert_eq!(input.bytes_ahead(), Some(1291));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct OpenOptions {
    /// How to get at the bytes of plain files.
    pub io: Io,
    /// Which members of archives to read.
    pub members: Members,
    /// The number of bytes that a compressed file, or a member of an archive, may hold. The default is
    /// 1 TiB. Headers may lie, so decompressed bytes are counted.
    pub max_member_bytes: u64,
    /// The schema of the rows; by default that of the file's or the member's name, else
    /// [`Schema::Indiv`].
    pub schema: Option<Schema>,
    /// The bytes of a plain file whose lines are read: those that begin there. With [`Members::Slices`], the bytes of an
    /// archive's slices, unpacked and one after the other: whole slices are read that begin there. By default all.
    pub range: Option<Range<u64>>,
    /// Whether to note which bytes of which file are read, in [`FileLines`](crate::fold::FileLines).
    pub coverage: CoveragePolicy,
    /// Whether the first rows of a pipe may say that values stand in quotes.
    pub detects_quotes: bool,
    /// Files that a look at their schemas has opened.
    pub(super) looked_at: LookedAt,
}

impl Default for OpenOptions {
    fn default() -> OpenOptions {
        OpenOptions {
            io: Io::default(),
            members: Members::default(),
            max_member_bytes: 1 << 40,
            schema: None,
            range: None,
            coverage: CoveragePolicy::default(),
            detects_quotes: false,
            looked_at: LookedAt::default(),
        }
    }
}

/// Returns the size of the regular file at `path`, but not of standard input. Does not open it.
pub fn file_bytes(path: &OsStr) -> Option<u64> {
    let file = fs::metadata(path).ok()?;
    (file.is_file() && path != "-").then_some(file.len())
}

/// Returns the name of an input in messages.
pub fn name_of(path: &OsStr) -> &OsStr {
    if path == "-" {
        OsStr::new("standard input")
    } else {
        path
    }
}

impl OpenOptions {
    /// Lets files stay open, so that all passes read the same ones. A rename between passes does no harm, and a change of bytes is noticed.
    pub fn keep_files(&mut self) {
        self.looked_at.keeps = true;
    }

    /// Opens the file at `path`; `-` is standard input, from where it stands.
    ///
    /// # Errors
    /// If it can't be opened or is a directory. If its format can't be read. If it is an archive, and
    /// damaged or without chosen members.
    pub fn open(&self, path: &OsStr) -> Result<Input, Error> {
        let name = name_of(path);
        self.opened(path, name).map_err(|e| e.about(name))
    }

    /// Opens up to `at_once` of the first `paths`, to be read at the same time. Only compressed files
    /// are read together, so a plain file or a failure is the last. A pipe is not opened ahead of its
    /// time, because that may wait for its writer. Fewer files are opened if the process has no more
    /// descriptors.
    pub fn open_together(
        &self,
        paths: &[impl AsRef<OsStr>],
        at_once: usize,
    ) -> Vec<Result<Input, Error>> {
        let mut opened = Vec::new();
        for path in paths.iter().map(AsRef::as_ref).take(at_once.max(1)) {
            if !opened.is_empty() && file_bytes(path).is_none() {
                break;
            }
            let input = self.open(path).map(Input::noting_first_lines);
            match &input {
                Err(error) if !opened.is_empty() && lacks_descriptors(error) => break,
                _ => {}
            }
            let goes_on = input.as_ref().is_ok_and(Input::is_compressed);
            opened.push(input);
            if !goes_on {
                break;
            }
        }
        opened
    }

    /// Reads `stream`, such as a pipe or a socket, to its end. Messages call it `name`. Waits for its
    /// first bytes.
    ///
    /// # Errors
    /// If they can't be read, or their format can't.
    pub fn from_stream(&self, name: &OsStr, stream: impl Into<OwnedFd>) -> Result<Input, Error> {
        let file = File::from(stream.into());
        pipe::widen(&file);
        self.from_reader(name, file)
    }

    /// Reads `reader` to its end. Messages call it `name`. Waits for its first bytes.
    ///
    /// # Errors
    /// If they can't be read, or their format can't.
    pub fn from_reader(
        &self,
        name: &OsStr,
        reader: impl Read + Send + 'static,
    ) -> Result<Input, Error> {
        self.stream(reader, self.identity(name, name, None))
            .map_err(|e| e.about(name))
    }

    fn identity(&self, path: &OsStr, name: &OsStr, watched: Option<Arc<Watched>>) -> Arc<Identity> {
        Arc::new(Identity {
            path: path.to_owned(),
            name: name.to_owned(),
            schema: self.schema,
            watched,
        })
    }

    fn opened(&self, path: &OsStr, name: &OsStr) -> Result<Input, Error> {
        let watched = match self.looked_at.take(path) {
            Some(watched) => watched,
            None => {
                let opened = open_file(path).and_then(|(file, offset)| Watched::new(file, offset));
                let (watched, metadata) = opened.map_err(not_opened)?;
                if metadata.is_dir() {
                    return Err(not_opened(io::Error::from_raw_os_error(libc::EISDIR)));
                }
                if !metadata.is_file() {
                    self.refuse_stream("is not a regular file")?;
                    pipe::widen(&watched.file);
                    let file = Arc::clone(&watched.file);
                    return self.stream(file, self.identity(path, name, None));
                }
                watched
            }
        };
        if path == "-" {
            self.refuse_stream("is standard input")?;
        }
        if self.looked_at.keeps {
            self.looked_at.keep(path, Arc::clone(&watched));
        }
        let identity = self.identity(path, name, Some(Arc::clone(&watched)));
        self.regular(identity, &watched)
    }

    /// Opens the regular file `watched`.
    fn regular(&self, identity: Arc<Identity>, watched: &Watched) -> Result<Input, Error> {
        let file = &watched.file;
        let Range { start, end } = watched.range();
        let section = Section::new(file, start..end);
        // An error here must not make text of a packed file: a map may show its bytes later.
        let first = Section::new(file, start..u64::MAX).first_bytes();
        let format = Format::of(&first.map_err(Error::of_reading)?);
        format.check_readable()?;
        if format == Format::Plain {
            refuse_hidden(&section)?;
        }
        let is_standard_input = identity.path == "-";
        let kind = match policy::kind(self.io, format, section.len(), is_standard_input) {
            kind if kind.is_compressed() || section.len() == 0 => kind,
            _ if self.translation().is_some() => Kind::Translated,
            kind => kind,
        };
        self.refuse_range_of(kind)?;
        let lines = if self.notes_ranges() && !kind.is_compressed() {
            Some(self.lines_of(watched)?)
        } else {
            None
        };
        let kind = match (kind, &lines) {
            // A file that the kernel makes up has no bytes, and is refused above.
            (Kind::Stream, Some(_)) => Kind::Positional,
            (kind, _) => kind,
        };
        let bytes_ahead = Some(section.len());
        let positional = |section| {
            let part = part::Kind::Positional(section);
            self.one(Kind::Positional, part, &identity)
        };
        let mut slices = Vec::new();
        let mut input = match kind {
            Kind::Stream => {
                // An earlier look may have read the same opening.
                (&**file)
                    .seek(io::SeekFrom::Start(start))
                    .map_err(not_opened)?;
                let mut input = self.stream(Arc::clone(file), identity)?;
                // A file of no bytes may be made up by the kernel.
                input.bytes_ahead = bytes_ahead.filter(|&bytes| bytes > 0);
                return Ok(input);
            }
            Kind::Zip => self.archive(&section, &identity, &mut slices)?,
            Kind::Gzip => self.one(Kind::Gzip, self.packed(section, Codec::Gzip), &identity),
            Kind::Zstd => self.one(Kind::Zstd, self.packed(section, Codec::Zstd), &identity),
            Kind::Mapped => match mapped(watched, identity.name.as_bytes()) {
                Ok(mapped) => self.one(Kind::Mapped, mapped, &identity),
                // A file system that can't map may not know sizes either.
                Err(e) if e.raw_os_error() == Some(libc::ENODEV) && lines.is_none() => {
                    return self.stream(Arc::clone(file), identity);
                }
                Err(_) => positional(section),
            },
            Kind::Positional => positional(section),
            Kind::Translated => {
                let part = self.plain_translated(section);
                self.one(Kind::Translated, part, &identity)
            }
        };
        if let Some(lines) = &lines {
            input.narrow(lines.clone(), self.range.clone());
        }
        if self.coverage == CoveragePolicy::Note {
            let mut coverage = Coverage::of(watched, self.range.clone(), lines, slices)?;
            // A range in which no slice begins is of the same schemas.
            coverage.schemas =
                slices::schemas_of(&coverage.slices, self.schema, &input.identity.path);
            input.coverage = Some(coverage);
        }
        input.bytes_ahead = input.bytes_ahead.or(bytes_ahead);
        if is_standard_input {
            // A program that reads standard input after us finds it read to the end, although we read
            // at positions.
            let end = io::SeekFrom::Start(end);
            (&**file).seek(end).map_err(not_opened)?;
        }
        Ok(input)
    }

    /// Reads `file` to its end.
    fn stream(
        &self,
        mut file: impl Read + Send + 'static,
        identity: Arc<Identity>,
    ) -> Result<Input, Error> {
        let mut first = Vec::with_capacity(MAGIC_BYTES);
        // A terminal or a pipe may go on after its end. The input is what came before.
        let mut rest = u64::MAX;
        // Waits for all of them only where no line has come.
        while first.len() < MAGIC_BYTES && !Format::begins_with_line(&first) {
            let mut space = [0; MAGIC_BYTES];
            match file.read(&mut space[first.len()..]) {
                Ok(0) => {
                    rest = 0;
                    break;
                }
                Ok(read) => first.extend_from_slice(&space[first.len()..][..read]),
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => return Err(Error::of_reading(e).at_byte(first.len() as u64)),
            }
        }
        let format = Format::of(&first);
        format.check_readable()?;
        let bytes = Box::new(Cursor::new(first).chain(file.take(rest)));
        let translation = self.translation();
        let is_translated = translation.is_some();
        let compressed = |codec, bytes, most| Stream::compressed(codec, bytes, most, translation);
        let most = self.max_member_bytes;
        let (kind, stream) = match format {
            Format::Zip => return Err(archive_in_pipe()),
            Format::Gzip => (Kind::Gzip, compressed(Codec::Gzip, bytes, most)),
            Format::Zstd => (Kind::Zstd, compressed(Codec::Zstd, bytes, most)),
            Format::Plain if is_translated => {
                (Kind::Stream, compressed(Codec::Stored, bytes, u64::MAX))
            }
            Format::Plain | Format::Other(_) => (Kind::Stream, Stream::plain(bytes)),
        };
        Ok(match self.quoted_layout(&stream) {
            None => self.one(kind, part::Kind::Stream(stream.into()), &identity),
            Some(layout) => self.quoted(kind, stream, &layout, &identity),
        })
    }

    /// Returns an input of one part.
    fn one(&self, kind: Kind, part: part::Kind, identity: &Arc<Identity>) -> Input {
        let ignored = match self.members {
            Members::Matching(_) => {
                Some("is not a zip archive, so it has no members to choose; all of it is read")
            }
            Members::Slices => Some("is not a zip archive, and has no slices; all of it is read"),
            Members::TopLevelText => None,
        };
        Input {
            kind,
            bytes_ahead: None,
            notes: ignored.map(Note::new).into_iter().collect(),
            range: None,
            coverage: None,
            parts: vec![Part::new(Arc::clone(identity), None, part)].into_iter(),
            identity: Arc::clone(identity),
        }
    }
}

#[allow(unsafe_code)]
fn mapped(watched: &Watched, name: &[u8]) -> io::Result<part::Kind> {
    // SAFETY: the policy maps only for an `Io` that was made by `Io::auto` or `Io::mmap`, whose caller
    // made the promise.
    unsafe { Mapped::new(watched, name).map(part::Kind::Mapped) }
}

/// Opens the file at `path`; `-` is standard input. Also returns the position, if it has one.
pub(super) fn open_file(path: &OsStr) -> io::Result<(File, u64)> {
    if path != "-" {
        return Ok((File::open(path)?, 0));
    }
    let mut file = File::from(io::stdin().as_fd().try_clone_to_owned()?);
    let offset = if file.metadata()?.is_file() {
        file.stream_position()?
    } else {
        0
    };
    Ok((file, offset))
}

/// Tells whether `error` is that the process, or the system, has no more descriptors.
fn lacks_descriptors(error: &Error) -> bool {
    std::error::Error::source(error)
        .and_then(|source| source.downcast_ref::<io::Error>()?.raw_os_error())
        .is_some_and(|code| code == libc::EMFILE || code == libc::ENFILE)
}

fn archive_in_pipe() -> Error {
    Error::input("is a zip archive, whose directory is at its end; it can't be read from a pipe")
        .advise("name the file, or redirect it: fecscan < FILE")
}

/// Returns the error for a file that can't be opened, with advice on the usual causes.
pub(super) fn not_opened(error: io::Error) -> Error {
    let advice = match error.kind() {
        io::ErrorKind::NotFound => Some("check the name"),
        io::ErrorKind::PermissionDenied => {
            Some("check its permissions and those of its folder (ls -l)")
        }
        io::ErrorKind::IsADirectory => Some("name the files in it"),
        _ => None,
    };
    let error = Error::io(ErrorKind::Input, "", error);
    match advice {
        Some(advice) => error.advise(advice),
        None => error,
    }
}
