//! Finds the members of a zip archive, and chooses among them.
//!
//! The directory at the end of the archive is read whole when the archive is opened. The chosen members
//! are checked before the first of them is read. Each must begin where the directory says, with the same
//! name and method. No two may have the same name or share bytes, and no bytes may lie before the first
//! member or after the end. Nothing is ever written to disk, and names are only compared and shown.

mod choice;

use std::collections::HashSet;
use std::ops::Range;

use rawzip::{
    CompressionMethod, MAX_CENTRAL_DIRECTORY_RECORD_SIZE, ReaderAt, ZipArchive, ZipEntry,
    ZipFileHeaderRecord, ZipLocator,
};

use super::compressed::{Codec, Expected, cut_off};
use super::section::Section;
use crate::error::{Error, Note, escaped};

use self::choice::{Chooser, is_metadata};
pub use self::choice::{Members, Pattern};

/// The number of members that an archive may have. The FEC's have a few dozen; each costs a moment.
const MEMBERS_MAX: u64 = 100_000;

/// The number of bytes of an end record without a comment.
const END_RECORD_BYTES: u64 = 22;

/// How far from its end an archive's end record may begin.
const END_RECORD_BYTES_MAX: u64 = END_RECORD_BYTES + u16::MAX as u64;

/// The number of members that are named when there is nothing to read.
const LISTED: usize = 20;

/// A member of an archive, as the directory describes it.
#[derive(Debug)]
pub(crate) struct Member {
    /// Its whole name, in any encoding.
    pub(crate) name: Vec<u8>,
    /// Where in the archive its local header begins.
    header_at: u64,
    /// Where in the archive its compressed bytes lie.
    pub(crate) compressed: Range<u64>,
    /// How they are compressed.
    pub(crate) codec: Codec,
    /// The size and the checksum of the content.
    pub(crate) expected: Expected,
}

/// The members of an archive that are read.
#[derive(Debug)]
pub(crate) struct Archive {
    /// The chosen members, in the order of the directory. At least one.
    pub(crate) members: Vec<Member>,
    /// Whether they are slices that are not known to be, one after the other, the member that they repeat.
    pub(crate) are_reordered: bool,
    /// Notes on the other members.
    pub(crate) notes: Vec<Note>,
}

impl Archive {
    /// Reads the directory of `file` and checks the members that `choice` chooses.
    ///
    /// # Errors
    /// If it can't be read, is damaged, contradicts itself, or if no member is chosen.
    pub(crate) fn open(file: &Section, choice: &Members) -> Result<Archive, Error> {
        let mut buffer = vec![0; MAX_CENTRAL_DIRECTORY_RECORD_SIZE];
        let archive = located(file, &mut buffer)?;
        let mut found = Found::new(choice);
        let mut entries = archive.entries(&mut buffer);
        while let Some(entry) = entries.next_entry().map_err(broken)? {
            found.add(&archive, &entry)?;
        }
        found.finish(archive.entries_hint(), archive.directory_offset())
    }
}

/// Fails if the plain `file` ends with the end record of an archive: its first bytes are lost, or something
/// was put before them. An end record with a comment, which the FEC's archives do not have, is not seen.
pub(crate) fn refuse_hidden(file: &Section) -> Result<(), Error> {
    let mut last = [0; END_RECORD_BYTES as usize];
    let at = file.len().saturating_sub(END_RECORD_BYTES);
    let read = file.read_at(&mut last, at).map_err(Error::of_reading)?;
    let is_end_record = last.starts_with(b"PK\x05\x06") && last.ends_with(&[0, 0]);
    if read < last.len() || !is_end_record {
        return Ok(());
    }
    let error = Error::input("ends like a zip archive, but does not begin like one");
    Err(error.advise(
        "if its first bytes are lost, get it again; if it has others before them, name the member: \
         unzip -p FILE itcont.txt | fecscan",
    ))
}

/// Locates the archive whose end record ends where `file` does.
fn located(file: &Section, buffer: &mut [u8]) -> Result<ZipArchive<Section>, Error> {
    let length = file.len();
    let mut end = length;
    let mut failure = None;
    loop {
        let left = END_RECORD_BYTES_MAX.saturating_sub(length - end);
        let locator = ZipLocator::new().max_search_space(left);
        let (at, error) = match locator.locate_in_reader(file.clone(), buffer, end) {
            Ok(archive) if archive.end_offset() == length => return Ok(archive),
            Ok(archive) => {
                let behind = length.saturating_sub(archive.end_offset());
                let cause = format!("its end is followed by {behind} bytes");
                (Some(archive.eocd_offset()), damaged(&cause))
            }
            Err((_, e)) => (e.eocd_offset(), broken(e)),
        };
        // The comment of an end record may look like another one. If there is no other, the error is
        // that of the first.
        let first = failure.take().unwrap_or(error);
        match at {
            Some(at) if at < end => end = at,
            _ => return Err(first),
        }
        failure = Some(first);
    }
}

/// The entries of the directory that were read so far.
struct Found<'a> {
    chooser: Chooser<'a>,
    /// The number of entries, folders included.
    entries: u64,
    /// The number of names, chosen or not, but for metadata of macOS.
    names: u64,
    has_metadata: bool,
    /// Where the first of them begins.
    begins: u64,
    members: Vec<Member>,
    /// The first names, chosen or not.
    listed: Vec<String>,
    local: Vec<u8>,
}

impl<'a> Found<'a> {
    fn new(choice: &'a Members) -> Found<'a> {
        Found {
            chooser: Chooser::new(choice),
            entries: 0,
            names: 0,
            has_metadata: false,
            begins: u64::MAX,
            members: Vec::new(),
            listed: Vec::new(),
            // A local header's name and extra fields are at most this long together.
            local: vec![0; 2 * usize::from(u16::MAX)],
        }
    }

    fn add(
        &mut self,
        archive: &ZipArchive<Section>,
        entry: &ZipFileHeaderRecord<'_>,
    ) -> Result<(), Error> {
        self.entries += 1;
        if self.entries > MEMBERS_MAX {
            return Err(Error::input(format!("has more than {MEMBERS_MAX} members"))
                .advise("unpack those that are wanted"));
        }
        self.begins = self.begins.min(entry.local_header_offset());
        let path = entry.file_path();
        let name = path.as_ref();
        let located = archive
            .get_entry(entry.wayfinder())
            .map_err(|e| broken(e).within(name))?;
        let method = self
            .local_method(&located, name)
            .map_err(|e| e.within(name))?;
        if entry.is_dir() {
            return Ok(());
        }
        if is_metadata(name) {
            self.has_metadata = true;
        } else {
            self.names += 1;
            if self.listed.len() < LISTED {
                self.listed.push(shown(name));
            }
        }
        let expected = Expected {
            bytes: entry.uncompressed_size_hint(),
            crc: entry.crc32(),
        };
        if self.chooser.chooses(name, expected) {
            let codec = codec_of(entry, method).map_err(|e| e.within(name))?;
            let (start, end) = located.compressed_data_range();
            if end > archive.directory_offset() {
                return Err(cut_off().within(name));
            }
            self.members.push(Member {
                name: name.to_owned(),
                codec,
                header_at: entry.local_header_offset(),
                compressed: start..end,
                expected,
            });
        }
        Ok(())
    }

    /// Returns the method in the local header of the member `located`. Fails if the header has another
    /// name than `name`.
    fn local_method(
        &mut self,
        located: &ZipEntry<'_, Section>,
        name: &[u8],
    ) -> Result<CompressionMethod, Error> {
        let local = located.local_header(&mut self.local).map_err(broken)?;
        if local.file_path().as_ref() != name {
            let other = shown(local.file_path().as_ref());
            return Err(damaged(&format!(
                "where the directory says that it begins, {other} does"
            )));
        }
        Ok(local.compression_method())
    }

    /// Returns the archive, if its directory has no contradictions. The end record says that the
    /// directory has `declared` entries, and begins at `directory_at`.
    fn finish(self, declared: u64, directory_at: u64) -> Result<Archive, Error> {
        // Programs that know only 16 bits of the number leave out the others.
        if self.entries != declared && self.entries % (1 << 16) != declared {
            let entries = self.entries;
            return Err(damaged(&format!(
                "its directory has {entries} entries instead of {declared}"
            )));
        }
        let begins = self.begins.min(directory_at);
        if begins > 0 {
            return Err(damaged(&format!(
                "its first member follows {begins} other bytes"
            )));
        }
        if self.members.is_empty() {
            return Err(self.nothing_to_read());
        }
        self.chooser.check()?;
        check_names_and_ranges(&self.members)?;
        Ok(Archive {
            members: self.members,
            are_reordered: !self.chooser.repeats_whole(),
            notes: self.chooser.notes(),
        })
    }

    fn nothing_to_read(&self) -> Error {
        if self.names == 0 {
            let what = if self.has_metadata {
                "is a zip archive without members but metadata of macOS"
            } else {
                "is a zip archive without members"
            };
            return Error::input(what).advise("check the file");
        }
        let all = match self.names {
            1 => "its one member is".to_owned(),
            all => format!("its {all} members are"),
        };
        let listed = self.listed.join(", ");
        let others = match self.names - self.listed.len() as u64 {
            0 => String::new(),
            others => format!(", and {others} others"),
        };
        let what = self.chooser.nothing_chosen();
        Error::input(format!("{what}; {all} {listed}{others}"))
            .advise("choose with --member PATTERN")
    }
}

/// Returns how the member `entry` is compressed, if it can be read. Its local header says `local`.
fn codec_of(entry: &ZipFileHeaderRecord<'_>, local: CompressionMethod) -> Result<Codec, Error> {
    let unreadable = |what: &str| {
        Error::input(what).advise("unpack it, or pipe it in: unzip -p ARCHIVE MEMBER | fecscan")
    };
    if entry.flags().is_encrypted() {
        return Err(unreadable("is encrypted, and can't be read"));
    }
    if entry.mode().is_symlink() {
        return Err(unreadable("is a symbolic link, and has no lines"));
    }
    match entry.compression_method() {
        method if method != local => Err(damaged("its method is not that of the directory")),
        CompressionMethod::STORE => Ok(Codec::Stored),
        CompressionMethod::DEFLATE => Ok(Codec::Deflated),
        other => {
            let (method, number) = (other.name().unwrap_or("an unknown method"), other.as_u16());
            Err(unreadable(&format!(
                "is compressed by {method} ({number}), which can't be read"
            )))
        }
    }
}

/// Fails if two members have the same name: one of them may be meant to replace the other. Fails if they
/// share bytes of the archive: a small archive could hold any number of them.
fn check_names_and_ranges(members: &[Member]) -> Result<(), Error> {
    let mut names = HashSet::with_capacity(members.len());
    if let Some(twice) = members.iter().find(|member| !names.insert(&member.name)) {
        return Err(damaged("there are several members of this name").within(&twice.name));
    }
    let mut ranges: Vec<(Range<u64>, &[u8])> = members
        .iter()
        .map(|member| (member.header_at..member.compressed.end, &member.name[..]))
        .collect();
    ranges.sort_unstable_by_key(|(range, _)| range.start);
    match ranges
        .windows(2)
        .find(|pair| pair[0].0.end > pair[1].0.start)
    {
        Some(pair) => Err(damaged(&format!(
            "it shares bytes with the member {}",
            shown(pair[0].1)
        ))
        .within(pair[1].1)),
        None => Ok(()),
    }
}

/// Returns a name as it is shown among others: escaped, and cut if it is long.
fn shown(name: &[u8]) -> String {
    const SHOWN_BYTES: usize = 200;
    match name.get(..SHOWN_BYTES) {
        Some(beginning) if name.len() > SHOWN_BYTES => format!("{}...", escaped(beginning)),
        _ => escaped(name),
    }
}

/// Returns the error for an archive that contradicts itself.
fn damaged(cause: &str) -> Error {
    Error::input(format!("is a damaged zip archive: {cause}")).advise("get it again")
}

/// Returns the error for an archive that can't be parsed.
fn broken(error: rawzip::Error) -> Error {
    match error.into_kind() {
        rawzip::ErrorKind::IO(e) if e.raw_os_error().is_some() => Error::of_reading(e),
        rawzip::ErrorKind::MissingEndOfCentralDirectory => {
            Error::input("is a zip archive without its end, where the directory is")
                .advise("it was cut off: get it again, whole")
        }
        other => {
            let mut cause = other.to_string();
            if let Some(first) = cause.get_mut(..1) {
                first.make_ascii_lowercase();
            }
            damaged(&cause)
        }
    }
}
