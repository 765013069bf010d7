//! A partial as a file.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read, Write};
use std::mem;
use std::path::Path;

use serde::{Deserialize, Serialize};
use twox_hash::XxHash3_128;

use super::inputs::{self, sum};
use super::question::Question;
use super::state::{LEFT_FROM, State};
use crate::coding::{Damaged, Put, Reader, check};
use crate::error::{Error, ErrorKind};
use crate::fold::{FileLines, Folded, Matches, StoredFold};
use crate::memory::available as available_memory;

/// The first bytes. No text begins so, and a transfer that changes line ends breaks them.
const MAGIC: [u8; 8] = *b"\x89FSP\r\n\x1a\n";

/// The version of the format and of the meaning of its values. Others are refused.
const VERSION: u64 = 16;

/// The bytes of the hash at the end.
const HASH_BYTES: usize = 16;

/// What a run has made of its inputs, and which these were. All but the state is written as JSON.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Partial {
    /// The command, its options and its conditions.
    pub question: Question,
    /// The inputs, each with its coverage.
    #[serde(with = "inputs")]
    pub files: Vec<FileLines>,
    /// The number of lines that passed the filter.
    pub lines: u64,
    /// The number of all lines, if a filter chose among them.
    pub lines_scanned: Option<u64>,
    /// The number of lines that passed the filter with another number of columns than the schema's.
    pub odd_rows: u64,
    /// The lines that fail only because a condition finds no number or date.
    pub unread: u64,
    /// What became of the lines in joins.
    pub matches: Vec<Matches>,
    /// What the fold has made of the lines.
    #[serde(skip)]
    pub(super) state: State,
}

impl Partial {
    /// Returns the partial of a run, whose inputs have noted their coverage.
    ///
    /// # Errors
    /// If an input was read twice. If the run has no result.
    pub fn of<F: StoredFold>(
        question: Question,
        fold: &F,
        folded: Folded<F::Partial>,
    ) -> Result<Partial, Error> {
        refuse_twice(&folded.files)?;
        let mut state = Vec::new();
        fold.store(&folded.files, folded.partial, &mut state)?;
        Ok(Partial {
            question,
            files: folded.files,
            lines: folded.lines,
            lines_scanned: folded.lines_scanned,
            odd_rows: folded.odd_rows,
            unread: folded.unread,
            matches: folded.matches,
            state: State::Here(state),
        })
    }

    /// Writes the partial.
    ///
    /// # Errors
    /// If that fails, or the state can't be read.
    pub fn write(&self, mut out: impl Write) -> io::Result<()> {
        let state = self.state.read()?;
        let mut bytes = MAGIC.to_vec();
        bytes.put_number(VERSION);
        bytes.put_bytes(&serde_json::to_vec(self)?);
        bytes.put_number(state.len() as u64);
        let mut hash = XxHash3_128::new();
        for piece in [&bytes[..], &*state] {
            hash.write(piece);
            out.write_all(piece)?;
        }
        out.write_all(&hash.finish_128().to_le_bytes())
    }

    /// Reads a partial.
    ///
    /// # Errors
    /// If `bytes` are no partial, or one of another version, or damaged.
    pub fn read(mut bytes: Vec<u8>) -> Result<Partial, Error> {
        let content = bytes.strip_prefix(&MAGIC).ok_or_else(no_partial)?;
        // The version comes first: other versions may have no hash, or another one.
        check_version(Reader(content).number()?)?;
        let (content, hash) = content.split_last_chunk::<HASH_BYTES>().ok_or(Damaged)?;
        let hashed = &bytes[..bytes.len() - HASH_BYTES];
        check(XxHash3_128::oneshot(hashed) == u128::from_le_bytes(*hash))?;
        let (mut partial, state) = Partial::of_content(content)?;
        // The state is most of the bytes, which are not copied.
        let end = bytes.len() - HASH_BYTES;
        bytes.truncate(end);
        bytes.drain(..end - state);
        partial.state = State::Here(bytes);
        Ok(partial)
    }

    /// Reads a partial from a file or a pipe. Of anything else, a few bytes are read.
    ///
    /// # Errors
    /// If `input` can't be read. See [`Partial::read`].
    pub fn read_from(input: impl Read) -> Result<Partial, Error> {
        Partial::read(bytes_of(input)?)
    }

    /// Reads the partial at `path`. What the fold has made of the lines is left in a regular file of 1 MiB or more, and
    /// read again when it is needed. Such a file must stay as it is until the partial has been merged, or written to
    /// another file. Merging a file that has changed is an error.
    ///
    /// # Errors
    /// If the file can't be read. See [`Partial::read`].
    pub fn open(path: &OsStr) -> Result<Partial, Error> {
        let read = || {
            let error = |e| Error::io(ErrorKind::Input, "", e);
            let file = File::open(path).map_err(error)?;
            let is_file = file.metadata().map_err(error)?.is_file();
            // What a system opens in place of a descriptor may go on where the first reading ended.
            let is_file = is_file && !Path::new(path).starts_with("/dev");
            let read = bytes_of(file)?;
            let (bytes, hash) = (read.len() as u64, hash_at_end(&read));
            let mut partial = Partial::read(read)?;
            if let (true, Some(hash)) = (is_file && bytes >= LEFT_FROM, hash) {
                let path = path.to_owned();
                partial.state = State::Left { path, bytes, hash };
            }
            Ok(partial)
        };
        read().map_err(|error: Error| error.about(path))
    }

    /// Takes out what the fold has made of the lines.
    pub(super) fn take_state(&mut self) -> Result<Vec<u8>, Error> {
        mem::take(&mut self.state).into_bytes()
    }

    /// Returns the partial without its state, which is the last bytes, and the number of these.
    fn of_content(content: &[u8]) -> Result<(Partial, usize), Damaged> {
        let mut reader = Reader(content);
        reader.number()?;
        let partial: Partial = serde_json::from_slice(reader.bytes()?).map_err(|_| Damaged)?;
        partial.check()?;
        let state = reader.bytes()?.len();
        reader.end()?;
        Ok((partial, state))
    }

    /// Checks that numbers agree, so that nothing overflows later.
    fn check(&self) -> Result<(), Damaged> {
        let lines = sum(self.files.iter().map(|file| file.lines))?;
        let pieces = self.files.iter().flat_map(FileLines::pieces);
        let scanned = sum(pieces.map(|piece| piece.lines_scanned))?;
        // A line with several matches counts once for each.
        let is_joined = !self.question.with.is_empty();
        let mut pieces = self.files.iter().flat_map(FileLines::pieces);
        let passed = is_joined || pieces.all(|piece| piece.lines <= piece.lines_scanned);
        // Behind another join, there are more rows than lines.
        let is_right = |of: &Matches| self.question.joins(&of.names[1]);
        check(
            lines == self.lines
                && scanned == self.lines_scanned.unwrap_or(scanned)
                && passed
                && self.odd_rows <= lines
                && self.unread <= scanned
                && self.matches.iter().all(is_right),
        )
    }
}

/// The most bytes of what a partial says about itself: its question, and its inputs with their blocks. Of a terabyte in blocks of 2 MiB
/// they take some 10 MiB.
const DESCRIPTION_BYTES_MAX: u64 = 1 << 30;

/// The most bytes of a number.
const NUMBER_BYTES: usize = 10;

/// Returns all bytes of a partial, which says how many there are. More are not read: a stream may have no end.
fn bytes_of(mut input: impl Read) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    read_up_to(&mut input, MAGIC.len(), &mut bytes)?;
    if bytes != MAGIC {
        return Err(no_partial());
    }
    read_up_to(&mut input, MAGIC.len() + 2 * NUMBER_BYTES, &mut bytes)?;
    let mut reader = Reader(&bytes[MAGIC.len()..]);
    check_version(reader.number()?)?;
    let description = reader.number()?;
    check(description <= DESCRIPTION_BYTES_MAX)?;
    let end = bytes.len() - reader.0.len() + description as usize;
    read_up_to(&mut input, end + NUMBER_BYTES, &mut bytes)?;
    let mut reader = Reader(bytes.get(end..).ok_or(Damaged)?);
    let state = reader.number()?;
    let before = bytes.len() - reader.0.len();
    if state > available_memory() {
        let what = format!(
            "says that it has {:.2} GB of groups, more than the available memory",
            state as f64 / 1e9
        );
        return Err(Error::input(what)
            .advise("if it is not damaged, merge it on a machine with more memory"));
    }
    // A byte more shows that something follows.
    let end = before + state as usize + HASH_BYTES + 1;
    read_up_to(&mut input, end, &mut bytes)?;
    Ok(bytes)
}

/// Reads until there are as many `bytes` as `end`, or no more.
fn read_up_to(input: &mut impl Read, end: usize, bytes: &mut Vec<u8>) -> Result<(), Error> {
    let missing = end.saturating_sub(bytes.len());
    let read = input.by_ref().take(missing as u64).read_to_end(bytes);
    read.map(|_| ())
        .map_err(|e| Error::io(ErrorKind::Input, "", e))
}

fn check_version(version: u64) -> Result<(), Error> {
    if version == VERSION {
        return Ok(());
    }
    let what =
        format!("is a partial of version {version}, and this program reads version {VERSION}");
    Err(Error::input(what).advise("write and merge partials with the same program"))
}

fn no_partial() -> Error {
    let error = Error::input("is not a partial");
    error.advise("partials are written with --partial FILE")
}

/// Returns the hash at the end of a partial, if the partial is long enough.
pub(super) fn hash_at_end(bytes: &[u8]) -> Option<u128> {
    bytes
        .last_chunk::<HASH_BYTES>()
        .map(|hash| u128::from_le_bytes(*hash))
}

impl Question {
    /// Returns the question of a command without conditions.
    pub fn new(command: super::Command) -> Question {
        Question {
            command,
            conditions: Vec::new(),
            contributions: false,
            schema: None,
            members: Vec::new(),
            slices: false,
            with: Vec::new(),
        }
    }
}

/// Refuses inputs that are read twice.
fn refuse_twice(files: &[FileLines]) -> Result<(), Error> {
    let (mut paths, mut samples) = (HashMap::new(), HashMap::new());
    for file in files {
        let is_empty = file.samples().is_some_and(|(bytes, _)| bytes == 0);
        let of_path = paths.insert(&file.path, file);
        let of_samples = samples.insert(file.samples(), file);
        if let Some(other) = of_path.or(of_samples.filter(|_| !is_empty)) {
            return Err(read_twice(file, other));
        }
    }
    Ok(())
}

fn read_twice(file: &FileLines, other: &FileLines) -> Error {
    let what = if file.path == other.path {
        "is named twice, and a partial says once of each byte whether it covers it".to_owned()
    } else {
        format!(
            "is the same file as {} by its size and samples of its bytes, and a partial covers each byte once",
            crate::error::escaped(other.path.as_encoded_bytes())
        )
    };
    Error::usage(what).about(&file.path).advise("name it once")
}
