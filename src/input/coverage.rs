//! Ranges of a file, and what a result says of the bytes that it covers.
//!
//! A range means the lines that begin in it. Whoever cuts a file at any bytes gets ranges whose lines are those
//! of the file, each once: a line belongs to the range that holds its first byte.

use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::unix::fs::FileExt;

use serde::{Deserialize, Serialize};
use twox_hash::{XxHash3_64, XxHash3_128};

use super::archive::Members;
use super::open::OpenOptions;
use super::policy::Kind;
use super::section::Section;
use super::slices::{Slice, bytes_of, slices_beginning_in};
use super::watched::Watched;
use crate::coding::json::hex;
use crate::error::{Error, Note};
use crate::fec::schema::Schema;

/// Whether to note which bytes of which file are read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CoveragePolicy {
    /// No: inputs may be pipes.
    #[default]
    Ignore,
    /// Yes. Pipes and standard input are refused, because nothing tells them from others.
    Note,
}

/// Which bytes of which file a result covers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Coverage {
    /// The size of the file on disk.
    pub file_bytes: u64,
    /// The hash of the size and of sampled bytes. Equal for copies of a file.
    #[serde(with = "hex")]
    pub samples: u128,
    /// When the file was modified, in nanoseconds since 1970. Copies may differ in it, so it identifies nothing.
    pub modified: i64,
    /// The schemas by which its parts were read, each once.
    pub schemas: Vec<Schema>,
    /// All slices of an archive that is read by slices, in its order. None of other files.
    pub slices: Vec<Slice>,
    /// The pieces of the file, in its order. A run has one, and merged results may have more. Of an archive that is read
    /// by slices, bytes are those of their contents, one after the other.
    pub pieces: Vec<Piece>,
}

/// A piece of a file: the lines, or the slices, that begin in a range.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Piece {
    /// The range, as the caller chose it, as far as the file goes.
    pub asked: Range<u64>,
    /// The hashes of the bytes on disk around both ends of that range. Zeros if it is one of slices.
    pub around: [u64; 2],
    /// The bytes of the lines or slices. Of other compressed files always all bytes, as they are on disk.
    pub bytes: Range<u64>,
    /// The number of lines.
    pub lines_scanned: u64,
    /// The number of lines that passed the filter.
    pub lines: u64,
    /// The same, block by block. None of a compressed file.
    pub blocks: Vec<BlockLines>,
}

/// Some lines of a plain file, one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BlockLines {
    /// The number of bytes.
    pub bytes: u64,
    /// The number of lines that passed the filter.
    pub lines: u64,
}

/// The sampled blocks, and their size. A file of up to 256 KiB is sampled whole.
const SAMPLES: u64 = 64;
const SAMPLE_BYTES: u64 = 4096;

/// The least bytes of a block: as many as a line by number costs to find again.
pub(crate) const BLOCK_BYTES: u64 = 2 << 20;

impl Coverage {
    /// Fingerprints the `watched` file. `asked` is the range of the caller, and `lines` the whole lines in it. An archive that is
    /// read by slices has `slices` instead of lines.
    pub(super) fn of(
        watched: &Watched,
        asked: Option<Range<u64>>,
        lines: Option<Range<u64>>,
        slices: Vec<Slice>,
    ) -> Result<Coverage, Error> {
        let (file, state) = (&*watched.file, &watched.before);
        let of_slices = !slices.is_empty();
        let extent = if of_slices {
            bytes_of(&slices)
        } else {
            state.bytes
        };
        let asked = asked.unwrap_or(0..u64::MAX);
        let asked = asked.start.min(extent)..asked.end.min(extent);
        let around = |place| {
            let hash = (!of_slices).then(|| around(file, state.bytes, place));
            hash.transpose().map(Option::unwrap_or_default)
        };
        let (seconds, nanoseconds) = state.modified;
        Ok(Coverage {
            file_bytes: state.bytes,
            samples: samples(file, state.bytes).map_err(Error::of_reading)?,
            modified: seconds
                .saturating_mul(1_000_000_000)
                .saturating_add(nanoseconds),
            schemas: Vec::new(),
            pieces: vec![Piece {
                around: [around(asked.start)?, around(asked.end)?],
                bytes: if of_slices {
                    slices_beginning_in(&slices, &asked)
                } else {
                    lines.unwrap_or(0..state.bytes)
                },
                asked,
                lines_scanned: 0,
                lines: 0,
                blocks: Vec::new(),
            }],
            slices,
        })
    }

    /// Returns the number of bytes that ranges tile: those on disk, or those of all slices.
    pub(crate) fn extent(&self) -> u64 {
        if self.slices.is_empty() {
            self.file_bytes
        } else {
            bytes_of(&self.slices)
        }
    }

    /// Notes what was read of the only piece.
    pub(crate) fn read(
        &mut self,
        lines: u64,
        lines_scanned: u64,
        blocks: impl IntoIterator<Item = BlockLines>,
    ) {
        if let [piece] = &mut self.pieces[..] {
            (piece.lines, piece.lines_scanned) = (lines, lines_scanned);
            blocks.into_iter().for_each(|block| piece.add_block(block));
        }
    }
}

impl Piece {
    /// Adds lines that follow those here. Small blocks are joined.
    pub(crate) fn add_block(&mut self, block: BlockLines) {
        match self.blocks.last_mut() {
            Some(last) if last.bytes < BLOCK_BYTES => {
                last.bytes += block.bytes;
                last.lines += block.lines;
            }
            _ => self.blocks.push(block),
        }
    }
}

impl OpenOptions {
    /// Says whether the lines of plain files must be found that begin in a range.
    pub(super) fn notes_ranges(&self) -> bool {
        self.range.is_some() || self.coverage == CoveragePolicy::Note
    }

    /// Refuses a range of a compressed file, unless it is one of the slices of an archive.
    pub(super) fn refuse_range_of(&self, kind: Kind) -> Result<(), Error> {
        match (kind, &self.members) {
            _ if self.range.is_none() || !kind.is_compressed() => Ok(()),
            (Kind::Zip, Members::Slices) => Ok(()),
            (Kind::Zip, _) => {
                let what = "is a zip archive, and only its slices have ranges of bytes";
                Err(Error::usage(what)
                    .advise("add --slices, unpack it to a file, or read it whole"))
            }
            (Kind::Translated, _) => Err(Error::usage(
                "is translated to rows, which have no ranges of bytes",
            )
            .advise("read it whole")),
            _ => Err(has_no_ranges("is compressed")),
        }
    }

    /// Refuses an input that is not a named file, if it must be one.
    pub(super) fn refuse_stream(&self, is: &str) -> Result<(), Error> {
        if self.range.is_some() {
            return Err(has_no_ranges(is));
        }
        if self.coverage == CoveragePolicy::Note {
            let what = format!("{is}, and nothing would tell its partial from that of another");
            return Err(Error::usage(what).advise("name a file"));
        }
        Ok(())
    }

    /// Returns the bytes of the lines that are read of a plain file.
    pub(super) fn lines_of(&self, watched: &Watched) -> Result<Range<u64>, Error> {
        let file = Section::new(&watched.file, watched.range());
        // The kernel makes up files of any length, and says that they have none.
        if file.len() == 0 && watched.file.read_at(&mut [0], 0).is_ok_and(|read| read > 0) {
            self.refuse_stream("does not tell its size")?;
        }
        let asked = self.range.clone().unwrap_or(0..u64::MAX);
        lines_beginning_in(&file, &asked)
    }
}

/// Returns the hash of the size of `file`, which has this number of bytes, and of its samples.
fn samples(file: &File, bytes: u64) -> io::Result<u128> {
    let mut hash = XxHash3_128::new();
    hash.write(&bytes.to_le_bytes());
    let mut block = [0; SAMPLE_BYTES as usize];
    let whole = bytes <= SAMPLES * SAMPLE_BYTES;
    let count = if whole {
        bytes.div_ceil(SAMPLE_BYTES)
    } else {
        SAMPLES
    };
    for nth in 0..count {
        let place = if whole {
            nth * SAMPLE_BYTES
        } else {
            // The last block ends with the file.
            (u128::from(bytes - SAMPLE_BYTES) * u128::from(nth) / u128::from(SAMPLES - 1)) as u64
        };
        let block = &mut block[..(bytes - place).min(SAMPLE_BYTES) as usize];
        file.read_exact_at(block, place)?;
        hash.write(block);
    }
    Ok(hash.finish_128())
}

/// Returns the hash of the bytes on both sides of `place` in a file of this number of bytes.
fn around(file: &File, bytes: u64, place: u64) -> io::Result<u64> {
    let start = place.saturating_sub(SAMPLE_BYTES);
    let end = place.saturating_add(SAMPLE_BYTES).min(bytes);
    let mut sides = vec![0; end.saturating_sub(start) as usize];
    file.read_exact_at(&mut sides, start)?;
    Ok(XxHash3_64::oneshot(&sides))
}

/// Returns the bytes of the lines of `file` that begin in `asked`.
fn lines_beginning_in(file: &Section, asked: &Range<u64>) -> Result<Range<u64>, Error> {
    let bytes = file.len();
    let line_start = |place: u64| match file.first_line_start(place.min(bytes)..bytes) {
        Ok(start) => Ok(start.unwrap_or(bytes)),
        Err(error) => Err(error),
    };
    let start = line_start(asked.start)?;
    // A line that begins before the end ends after it.
    Ok(start..line_start(asked.end)?.max(start))
}

/// Returns the notes on an input with their advice. Adds a note on the range that is read, if the caller `asked` for one. A range of a
/// compressed file, which has this size on disk, is one of slices.
pub(crate) fn with_range_note(
    notes: &[Note],
    asked: Option<&Range<u64>>,
    stored_bytes: Option<u64>,
) -> Vec<String> {
    let (what, unpacked) = match stored_bytes {
        None => ("lines", ""),
        Some(_) => ("slices", " of their contents"),
    };
    let note = asked.map(|Range { start, end }| match *end {
        u64::MAX => {
            format!("only the {what} that begin at byte {start}{unpacked} or later are read")
        }
        end => format!("only the {what} that begin in bytes {start} to {end}{unpacked} are read"),
    });
    notes.iter().map(Note::with_advice).chain(note).collect()
}

/// Returns the error for an input that `is` something else than a plain file.
fn has_no_ranges(is: &str) -> Error {
    Error::usage(format!("{is}, and only plain files have ranges of bytes"))
        .advise("unpack it to a file, or read it whole")
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    /// All ranges of small files, and past their ends, against lines found one by one.
    #[test]
    fn a_range_has_the_lines_that_begin_in_it() {
        for text in [
            "",
            "\n",
            "a",
            "a\n",
            "ab\ncd",
            "ab\r\n\r\n\ncdef\n",
            "\n\n\n",
            "abcdefgh",
        ] {
            let mut file = tempfile::tempfile().unwrap();
            file.write_all(text.as_bytes()).unwrap();
            let bytes = text.len() as u64;
            let file = Section::new(&file.into(), 0..bytes);
            let mut place = 0;
            let lines: Vec<_> = text
                .split_inclusive('\n')
                .map(|line| {
                    place += line.len() as u64;
                    place - line.len() as u64..place
                })
                .collect();
            for start in 0..bytes + 2 {
                for end in (start..bytes + 3).chain([u64::MAX]) {
                    let found = lines_beginning_in(&file, &(start..end)).unwrap();
                    let inside = lines
                        .iter()
                        .filter(|line| (start..end).contains(&line.start));
                    let inside: Vec<_> = inside.cloned().collect();
                    let what = format!("{text:?} {start}..{end}: {found:?}");
                    match (inside.first(), inside.last()) {
                        (Some(first), Some(last)) => {
                            assert_eq!(found, first.start..last.end, "{what}");
                        }
                        _ => assert!(found.is_empty(), "{what}"),
                    }
                }
            }
        }
    }

    #[test]
    fn samples_are_the_size_and_the_bytes() {
        let of = |bytes: &[u8]| {
            let mut file = tempfile::tempfile().unwrap();
            file.write_all(bytes).unwrap();
            samples(&file, bytes.len() as u64).unwrap()
        };
        let mut small = vec![b'a'; (SAMPLES * SAMPLE_BYTES) as usize];
        let before = of(&small);
        small[12_345] = b'b';
        assert_ne!(of(&small), before);
        assert_ne!(of(&small[1..]), of(&small));
        // The first and the last bytes of a large one.
        let large = vec![b'a'; 1_000_003];
        for place in [0, 4095, 1_000_002, 1_000_003 - 4096] {
            let mut other = large.clone();
            other[place] = b'b';
            assert_ne!(of(&other), of(&large), "byte {place}");
        }
        assert_eq!(of(&large), of(&large.clone()));
    }
}
