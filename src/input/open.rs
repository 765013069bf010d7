//! How inputs are opened: what they are, and so how they are read.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Cursor, Read, Seek};
use std::ops::Range;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::FileExt;
use std::vec;

use super::archive::{Archive, Member, Members, TAIL_BYTES, Tail};
use super::compressed::{Checksum, Codec, Format, Limits, MAGIC_BYTES, Section, decoded};
use super::mapped::Mapped;
use super::part::Source;
use super::policy::{self, Access, Io, Known};
use super::positional::Positional;
use super::stream::Stream;
use super::watched::Watched;
use super::{Input, pipe, standard};
use crate::error::{Error, ErrorKind};

/// How inputs are opened.
///
/// ```
/// use fecscan::input::{Members, OpenOptions, Pattern};
/// # fn main() -> Result<(), fecscan::error::Error> {
/// let options = OpenOptions {
///     members: Members::Matching(vec![Pattern::new("by_date/*")]),
///     ..OpenOptions::default()
/// };
/// let input = options.open("fixtures/plain.txt".as_ref())?;
/// assert_eq!(input.bytes_ahead(), Some(1291));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default)]
pub struct OpenOptions {
    /// How to get at the bytes of plain files.
    pub io: Io,
    /// Which members of archives to read.
    pub members: Members,
    /// How much compressed data may come to.
    pub limits: Limits,
}

/// What is in an input, as far as it is known when it is opened.
#[derive(Debug)]
pub(super) struct Contents {
    pub(super) io_name: &'static str,
    pub(super) bytes_ahead: Option<u64>,
    pub(super) notes: Vec<String>,
    parts: Parts,
}

/// The parts that have not been handed out.
#[derive(Debug)]
enum Parts {
    One(Option<Source>),
    Members {
        archive: Section,
        members: vec::IntoIter<Member>,
        limits: Limits,
    },
}

impl OpenOptions {
    /// Opens the file at `path`; `-` is standard input, from where it stands.
    ///
    /// # Errors
    /// If it can't be opened, is a directory, is compressed in a way that can't be read, or is an
    /// archive that is damaged or has nothing to read.
    pub fn open(&self, path: &OsStr) -> Result<Input, Error> {
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
        let watched = match known.regular {
            true => Some(Watched::new(&file, &metadata).map_err(failed)?),
            false => None,
        };
        let contents = match &watched {
            Some(watched) if known.bytes > 0 => self.file(file, offset, known, watched, name),
            _ => self.stream(file),
        };
        Ok(Input {
            path: path.to_owned(),
            name: name.to_owned(),
            contents: self.noted(contents.map_err(|e| e.about(name))?),
            watched,
        })
    }

    /// An input of all that can be read from `stream`, such as a pipe or a socket, shown as `name`.
    /// Waits for its first bytes.
    ///
    /// # Errors
    /// If they can't be read, or are those of a format that can't.
    pub fn from_stream(&self, name: &OsStr, stream: impl Into<OwnedFd>) -> Result<Input, Error> {
        let contents = self.stream(File::from(stream.into()));
        Ok(Input {
            path: name.to_owned(),
            name: name.to_owned(),
            contents: self.noted(contents.map_err(|e| e.about(name))?),
            watched: None,
        })
    }

    /// `contents`, with a note if members were asked for and there are none.
    fn noted(&self, mut contents: Contents) -> Contents {
        let choice = matches!(self.members, Members::Matching(_));
        if choice && matches!(contents.parts, Parts::One(_)) {
            let note = "is no zip archive, so --member chooses nothing in it; all of it is read";
            contents.notes.push(note.to_owned());
        }
        contents
    }

    /// The contents of a regular file from `offset`, which is `watched`, and called `name`.
    fn file(
        &self,
        file: File,
        offset: u64,
        known: Known,
        watched: &Watched,
        name: &OsStr,
    ) -> Result<Contents, Error> {
        let mut first = [0; MAGIC_BYTES];
        // If it can't be read, that is reported later.
        let read = file.read_at(&mut first, offset).unwrap_or(0);
        let format = Format::of(&first[..read])?;
        let access = policy::access(self.io, known);
        let standard_input = known.standard_input.then(|| file.try_clone()).transpose();
        let standard_input = standard_input.map_err(not_opened)?;
        let end = offset + known.bytes;
        if format == Format::Plain {
            tail(&file, offset..end).refuse_archive()?;
        }
        let contents = match (format, access) {
            (Format::Plain, Access::Map) => {
                match Mapped::new(&file, offset, known.bytes, watched, name) {
                    Ok(mapped) => Contents::one("mmap", Source::Mapped(mapped)),
                    // A file system that can't map may not know sizes either.
                    Err(e) if e.raw_os_error() == Some(libc::ENODEV) => return self.stream(file),
                    Err(_) => Contents::read_in_parts(file, offset, known.bytes),
                }
            }
            (Format::Plain, Access::Read) => Contents::read_in_parts(file, offset, known.bytes),
            (Format::Plain, Access::Stream) => return self.stream(file),
            (Format::Compressed(codec), _) => {
                self.compressed(codec, Section::new(file, offset..end))?
            }
            (Format::Zip, _) => self.archive(Section::new(file, offset..end))?,
        };
        if let Some(mut file) = standard_input {
            // Who reads standard input after us finds it read to the end, although we read
            // elsewhere.
            file.seek(io::SeekFrom::Start(end)).map_err(not_opened)?;
        }
        Ok(Contents {
            bytes_ahead: contents.bytes_ahead.or(Some(known.bytes)),
            ..contents
        })
    }

    /// The contents of all that can be read from `file`.
    fn stream(&self, mut file: File) -> Result<Contents, Error> {
        pipe::widen(&file);
        let mut first = Vec::with_capacity(MAGIC_BYTES);
        (&mut file)
            .take(MAGIC_BYTES as u64)
            .read_to_end(&mut first)
            .map_err(|e| Error::of_reading(e).at_byte(first.len() as u64))?;
        let format = Format::of(&first)?;
        // At the end of a terminal or a pipe, whoever writes may begin again, but the input was
        // what came before.
        let ended = first.len() < MAGIC_BYTES;
        let first = Cursor::new(first);
        let all: Box<dyn Read + Send> = match ended {
            true => Box::new(first),
            false => Box::new(first.chain(file)),
        };
        match format {
            Format::Plain => Ok(Contents::one(
                "read",
                Source::Stream(Box::new(Stream::plain(all))),
            )),
            Format::Compressed(codec) => self.compressed(codec, all),
            Format::Zip => Err(Error::new(
                ErrorKind::Input,
                "is a zip archive, whose directory is at its end; it can't be read from a pipe",
            )
            .advise("name the file, or redirect it: fecscan < FILE")),
        }
    }

    fn compressed(
        &self,
        codec: Codec,
        compressed: impl Read + Send + 'static,
    ) -> Result<Contents, Error> {
        let (bytes, consumed) = decoded(codec, compressed, self.limits)?;
        let stream = Stream::decompressed(bytes, consumed);
        Ok(Contents::one(
            codec.name(),
            Source::Stream(Box::new(stream)),
        ))
    }

    fn archive(&self, archive: Section) -> Result<Contents, Error> {
        let Archive { members, notes } = Archive::open(&archive, &self.members)?;
        let compressed = members
            .iter()
            .map(|member| member.compressed.end - member.compressed.start);
        Ok(Contents {
            io_name: "zip",
            bytes_ahead: Some(compressed.sum()),
            notes,
            parts: Parts::Members {
                archive,
                members: members.into_iter(),
                limits: self.limits,
            },
        })
    }
}

impl Contents {
    fn one(io_name: &'static str, source: Source) -> Contents {
        Contents {
            io_name,
            bytes_ahead: None,
            notes: Vec::new(),
            parts: Parts::One(Some(source)),
        }
    }

    fn read_in_parts(file: File, offset: u64, bytes: u64) -> Contents {
        let source = Source::Positional(Positional::new(file, offset, bytes));
        Contents::one("read", source)
    }

    pub(super) fn is_compressed(&self) -> bool {
        !matches!(self.io_name, "mmap" | "read")
    }

    pub(super) fn member_names(&self) -> impl Iterator<Item = &OsStr> {
        let members = match &self.parts {
            Parts::One(_) => &[],
            Parts::Members { members, .. } => members.as_slice(),
        };
        members.iter().map(|member| OsStr::from_bytes(&member.name))
    }

    /// The next part: the name of the member, if it is one, and where its bytes come from.
    pub(super) fn next(&mut self) -> Option<(Option<Vec<u8>>, Source)> {
        match &mut self.parts {
            Parts::One(source) => source.take().map(|source| (None, source)),
            Parts::Members {
                archive,
                members,
                limits,
            } => members.next().map(|member| {
                let (bytes, consumed) = member.decoded(archive, *limits);
                let checksum = Checksum::new(member.crc);
                let stream = Stream::decompressed(bytes, consumed).checked(member.bytes, checksum);
                (Some(member.name), Source::Stream(Box::new(stream)))
            }),
        }
    }
}

/// The last bytes of `file` in `range`. None if they can't be read: that is reported later.
fn tail(file: &File, range: Range<u64>) -> Tail {
    let mut last = [0; TAIL_BYTES];
    let length = (range.end - range.start).min(TAIL_BYTES as u64) as usize;
    let last = &mut last[..length];
    let mut tail = Tail::default();
    if file.read_exact_at(last, range.end - length as u64).is_ok() {
        tail.push(last);
    }
    tail
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
