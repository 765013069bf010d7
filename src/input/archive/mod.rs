//! zip archives: which members there are, which of them are read, and where they lie.
//!
//! The directory at the end of the archive says what is in it. It is read whole when the archive is
//! opened, and the members that are chosen are checked before the first of them is read: that each
//! begins where the directory says, under the same name and with the same method, that no two of
//! them have the same name or share bytes, that nothing lies in front of the first or behind the
//! end. Then [`member`] reads them, one after the other, and holds what comes out against the
//! directory. Nothing is ever written to disk, and names are only compared and shown.

mod choice;
mod end_record;
mod member;

use std::collections::HashSet;
use std::ops::Range;

use rawzip::{
    CompressionMethod, MAX_CENTRAL_DIRECTORY_RECORD_SIZE, ZipArchive, ZipEntry,
    ZipFileHeaderRecord, ZipLocator,
};

use super::compressed::{Section, cut_off};
use crate::error::{Error, ErrorKind, escaped};

use self::choice::Chooser;
pub use self::choice::{Members, Pattern};
pub use self::end_record::{TAIL_BYTES, Tail};
pub use self::member::{Member, Method};

/// How many members an archive may have. The FEC's have a few dozen; each costs a moment.
const MEMBERS_MAX: u64 = 100_000;

/// How far from its end an archive's end record may begin: it is 22 bytes and a comment.
const END_RECORD_BYTES_MAX: u64 = 22 + u16::MAX as u64;

/// How many members are named when there is nothing to read.
const LISTED: usize = 20;

/// The members of an archive that are to be read.
#[derive(Debug)]
pub struct Archive {
    /// The chosen members, in the order of the directory. At least one.
    pub members: Vec<Member>,
    /// What a user should know of the others.
    pub notes: Vec<String>,
}

impl Archive {
    /// Reads the directory of `file` and checks the members that `choice` chooses.
    ///
    /// # Errors
    /// If it can't be read, is damaged, contradicts itself, or if no member is chosen.
    pub fn open(file: &Section, choice: &Members) -> Result<Archive, Error> {
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

/// The archive whose end record ends where `file` does.
fn located(file: &Section, buffer: &mut [u8]) -> Result<ZipArchive<Section>, Error> {
    let length = file.length();
    let mut end = length;
    let mut failure = None;
    loop {
        let left = END_RECORD_BYTES_MAX.saturating_sub(length - end);
        let locator = ZipLocator::new().max_search_space(left);
        let (at, error) = match locator.locate_in_reader(file.clone(), buffer, end) {
            Ok(archive) if archive.end_offset() == length => return Ok(archive),
            Ok(archive) => {
                let behind = length.saturating_sub(archive.end_offset());
                let cause = format!("behind its end there are {behind} bytes");
                (Some(archive.eocd_offset()), damaged(&cause))
            }
            Err((_, e)) => (e.eocd_offset(), broken(e)),
        };
        // What looks like an end record may stand in the comment behind the real one. If there is
        // no other, the error is that of the first.
        let first = failure.take().unwrap_or(error);
        match at {
            Some(at) if at < end => end = at,
            _ => return Err(first),
        }
        failure = Some(first);
    }
}

/// What has been found in the directory so far.
struct Found<'a> {
    chooser: Chooser<'a>,
    /// The number of entries, folders included.
    entries: u64,
    /// The number of names, chosen or not.
    names: u64,
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
            return Err(Error::new(
                ErrorKind::Input,
                format!("has more than {MEMBERS_MAX} members"),
            )
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
        if self.listed.len() < LISTED {
            self.listed.push(shown(name));
        }
        self.names += 1;
        if self.chooser.chooses(name) {
            let member = Member {
                name: name.to_owned(),
                method: method_of(entry, method).map_err(|e| e.within(name))?,
                header_at: entry.local_header_offset(),
                compressed: {
                    let (start, end) = located.compressed_data_range();
                    start..end
                },
                crc: entry.crc32(),
                bytes: entry.uncompressed_size_hint(),
            };
            if member.compressed.end > archive.directory_offset() {
                return Err(cut_off().within(name));
            }
            self.members.push(member);
        }
        Ok(())
    }

    /// The method that the local header of the member `located` tells, if it is that of `name`.
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

    /// The archive, if all that was found fits together. `declared` is how many entries its end
    /// record says there are, and `directory_at` where they begin.
    fn finish(self, declared: u64, directory_at: u64) -> Result<Archive, Error> {
        // Programs that know no more than 16 bits for the number leave out the others.
        if self.entries != declared && self.entries % (1 << 16) != declared {
            let entries = self.entries;
            return Err(damaged(&format!(
                "its directory has {entries} entries instead of {declared}"
            )));
        }
        let begins = self.begins.min(directory_at);
        if begins > 0 {
            return Err(damaged(&format!(
                "in front of its first member there are {begins} bytes"
            )));
        }
        if self.members.is_empty() {
            return Err(self.nothing_to_read());
        }
        check_names_and_ranges(&self.members)?;
        Ok(Archive {
            members: self.members,
            notes: self.chooser.notes(),
        })
    }

    fn nothing_to_read(&self) -> Error {
        if self.names == 0 {
            return Error::new(ErrorKind::Input, "is a zip archive without members")
                .advise("check the file");
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
        Error::new(ErrorKind::Input, format!("{what}; {all} {listed}{others}"))
            .advise("choose with --member PATTERN")
    }
}

/// How the member `entry`, whose local header says that it is by `local`, is compressed, if it can
/// be read.
fn method_of(entry: &ZipFileHeaderRecord<'_>, local: CompressionMethod) -> Result<Method, Error> {
    let unreadable = |what: &str| {
        Error::new(ErrorKind::Input, what)
            .advise("unpack it, or pipe it in: unzip -p ARCHIVE MEMBER | fecscan")
    };
    if entry.flags().is_encrypted() {
        return Err(unreadable("is encrypted, and can't be read"));
    }
    if entry.mode().is_symlink() {
        return Err(unreadable("is a symbolic link, and has no lines"));
    }
    match entry.compression_method() {
        method if method != local => Err(damaged("its method is not that of the directory")),
        CompressionMethod::STORE => Ok(Method::Stored),
        CompressionMethod::DEFLATE => Ok(Method::Deflated),
        other => {
            let (method, number) = (other.name().unwrap_or("an unknown method"), other.as_u16());
            Err(unreadable(&format!(
                "is compressed by {method} ({number}), which can't be read"
            )))
        }
    }
}

/// Fails if two members have the same name, because one of them may be meant to replace the other,
/// or share bytes of the archive, because then a small one can hold any number of them.
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

/// A name as it is shown beside others: escaped, and not at any length.
fn shown(name: &[u8]) -> String {
    const SHOWN_BYTES: usize = 200;
    match name.get(..SHOWN_BYTES) {
        Some(beginning) if name.len() > SHOWN_BYTES => format!("{}...", escaped(beginning)),
        _ => escaped(name),
    }
}

/// The error for an archive that contradicts itself.
fn damaged(cause: &str) -> Error {
    Error::new(
        ErrorKind::Input,
        format!("is a damaged zip archive: {cause}"),
    )
    .advise("get it again")
}

/// The error for an archive that can't be made sense of.
fn broken(error: rawzip::Error) -> Error {
    match error.into_kind() {
        rawzip::ErrorKind::IO(e) if e.raw_os_error().is_some() => Error::of_reading(e),
        rawzip::ErrorKind::MissingEndOfCentralDirectory => Error::new(
            ErrorKind::Input,
            "is a zip archive whose directory is missing, which should be at its end",
        )
        .advise("it was cut off: get it again, whole"),
        other => damaged(&lowercase(&other.to_string())),
    }
}

/// `text` as it goes on in a sentence.
fn lowercase(text: &str) -> String {
    let mut chars = text.chars();
    chars
        .next()
        .map(|first| first.to_ascii_lowercase())
        .into_iter()
        .chain(chars)
        .collect()
}
