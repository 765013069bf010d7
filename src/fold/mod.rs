//! Folds: what a run makes of the rows, and how partials merge.
//!
//! A [`Fold`] says which columns it needs, how a worker adds rows to its partial, and how two
//! partials become one. Every worker has one partial for each input. A partial is plain
//! data: paths and outputs stay in the fold. No result depends on the seed of its tables.
//!
//! [`by_row`] makes a fold of closures, and statements of SQL have folds of their own. The report is a fold
//! of its own, tuned to its two columns.

mod closures;
mod counts;
mod groups;
mod key_table;
pub(crate) mod key_words;
mod months;
mod most_common;
pub(crate) mod odd_rows;
pub mod report;
mod sample;
pub(crate) mod tables;

use std::ffi::{OsStr, OsString};
use std::ops::ControlFlow;
use std::ops::Range;
use std::sync::Arc;
use std::time::SystemTime;

use serde::{Deserialize, Serialize};

use crate::coding::Reader;
use crate::error::{Error, Note};
use crate::input::{Coverage, Part, Piece, Slice, with_range_note};
use crate::scan::{Need, Rows};

pub use self::closures::{RowResult, by_row};
pub use self::counts::Counts;
pub use self::groups::{Groups, Sum};
pub use self::most_common::MostCommon;
pub use self::odd_rows::OddRow;
pub(crate) use self::sample::SAMPLE_SEED;
pub use self::sample::{LeastRows, Sample, SampleFold, SampleSize};

/// Makes something of rows. [`by_row`] makes one of closures, and [`Query::fold`](crate::Query::fold) runs it.
///
/// ```
/// use fecscan::{Error, Fold, by_row};
///
/// /// Finds the length of the longest line.
/// fn longest_line() -> impl Fold<Partial = usize> {
///     let longer = |longest: &mut usize, length: usize| *longest = length.max(*longest);
///     by_row([""; 0], usize::default, move |longest, row| longer(longest, row.line().len()), longer)
/// }
/// assert_eq!(fecscan::scan(["fixtures/plain.txt"]).fold(longest_line())?, 204);
/// # Ok::<(), Error>(())
/// ```
pub trait Fold: Sync {
    /// The state of a worker: all that it has made of its rows.
    type Partial: Send;

    /// Returns what the fold needs of the lines of `part`.
    ///
    /// # Errors
    /// If the part cannot answer the question, for want of a column perhaps.
    #[doc(hidden)]
    fn need(&self, part: &Part) -> Result<Need, Error>;

    /// Returns a partial of no rows.
    #[doc(hidden)]
    fn partial(&self) -> Self::Partial;

    /// Adds `rows` to `partial`. Called for each block of some 16 KiB.
    ///
    /// # Errors
    /// Any error ends the run of this input.
    #[doc(hidden)]
    fn rows(&self, rows: &Rows<'_>, partial: &mut Self::Partial) -> Result<(), Error>;

    /// Does the same in the order of the input, and may wait for its chunk's turn. [`ControlFlow::Break`] ends the run
    /// after this chunk, as in [`Fold::end_chunk`]. By default, calls [`Fold::rows`].
    ///
    /// # Errors
    /// Any error ends the run of this input.
    #[doc(hidden)]
    fn rows_in_turn(
        &self,
        rows: &Rows<'_>,
        partial: &mut Self::Partial,
        _turn: &Turn<'_>,
    ) -> Result<ControlFlow<()>, Error> {
        self.rows(rows, partial).map(|()| ControlFlow::Continue(()))
    }

    /// Adds `from` to `into`. The order of merging does not change the result.
    #[doc(hidden)]
    fn merge(&self, into: &mut Self::Partial, from: Self::Partial);

    /// Returns whether the run has failed for good. Workers then stop at once, and nothing more is read. The fold reports
    /// the error with its result.
    #[doc(hidden)]
    fn is_over(&self) -> bool {
        false
    }

    /// Returns the order in which chunks end. That of the input costs waiting.
    #[doc(hidden)]
    fn order(&self) -> Order {
        Order::Any
    }

    /// Ends a chunk, unless the order is [`Order::Any`]: called in the order of the input, one chunk at a
    /// time. Pieces of output that `partial` holds leave it here. [`ControlFlow::Break`] completes the run: the rest of
    /// this input and all later inputs are not read.
    ///
    /// # Errors
    /// Any error ends the run of this input.
    #[doc(hidden)]
    fn end_chunk(
        &self,
        _place: &ChunkPlace<'_>,
        _partial: &mut Self::Partial,
    ) -> Result<ControlFlow<()>, Error> {
        Ok(ControlFlow::Continue(()))
    }

    /// Called after each chunk, under any order, before the worker takes another one. Other workers do not wait
    /// meanwhile, so long work on what chunks have left belongs here.
    ///
    /// # Errors
    /// Any error ends the run of this input.
    #[doc(hidden)]
    fn after_chunk(&self) -> Result<(), Error> {
        Ok(())
    }
}

/// A fold whose partials can be written down, to be merged by another run.
pub trait StoredFold: Fold {
    /// Writes down what a run has made of `files`. The bytes depend on nothing else.
    ///
    /// # Errors
    /// If the run has no result that could be merged.
    fn store(
        &self,
        files: &[FileLines],
        partial: Self::Partial,
        out: &mut Vec<u8>,
    ) -> Result<(), Error>;

    /// Reads it from `reader`, which is at its place in `state`.
    ///
    /// # Errors
    /// If these are other bytes, or they don't fit the partials read before.
    fn load(
        &self,
        origin: &Origin<'_>,
        state: &Arc<Vec<u8>>,
        reader: &mut Reader<'_>,
    ) -> Result<Self::Partial, Error>;

    /// Called after each partial that was read has been merged into `merged`.
    ///
    /// # Errors
    /// If the result will be too large.
    fn check_merged(&self, _merged: &mut Self::Partial) -> Result<(), Error> {
        Ok(())
    }
}

/// What a stored partial was made of, and where that has its place among all inputs.
#[derive(Clone, Copy)]
pub struct Origin<'a> {
    /// The inputs.
    pub files: &'a [FileLines],
    /// The number of lines that passed the filter.
    pub lines: u64,
    /// Returns the place of an input, and of a byte in it, among all inputs.
    pub place: &'a dyn Fn(usize, u64) -> Place<'a>,
}

/// A place among all inputs of a merge.
#[derive(Clone, Copy, Debug)]
pub struct Place<'a> {
    /// The number of the input.
    pub input: usize,
    /// Its path, which may be that of a copy.
    pub path: &'a OsStr,
    /// The number of its lines before the piece that has the byte.
    pub lines_before: u64,
}

/// The order in which chunks end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// The order in which workers finish.
    Any,
    /// The order of the input.
    Input,
    /// The order of the input, of which the fold may want only the beginning. One worker alone then reads a pipe, a few lines
    /// at a time, so that none waits for bytes that the result does not need.
    Beginning,
}

impl Order {
    /// Says whether chunks end in the order of the input.
    pub(crate) fn is_of_input(self) -> bool {
        self != Order::Any
    }
}

/// Waits for the turn of a chunk, which comes when all chunks before it have ended. The chunk has it until it ends.
/// [`ControlFlow::Break`]: the turn never comes, because the run is complete, or has failed.
pub type Turn<'a> = dyn Fn() -> ControlFlow<()> + 'a;

/// Where a chunk lies.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct ChunkPlace<'a> {
    /// The input, or the member of an archive.
    pub part: &'a Part,
    /// The number of parts of the run before this one.
    pub part_number: usize,
    /// The number of lines of the part before the chunk.
    pub first_line: u64,
}

/// The result of a run.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Folded<P> {
    /// The inputs that were read whole, in the order given.
    pub files: Vec<FileLines>,
    /// The number of lines that passed the filter.
    pub lines: u64,
    /// The number of all lines, if a filter chose among them.
    pub lines_scanned: Option<u64>,
    /// The lines that passed the filter with another number of columns than the schema's. A fold or filter that names no
    /// column does not count them, and the report has its own count.
    #[doc(hidden)]
    pub odd_rows: u64,
    /// The lines that fail only because conditions find no number or date in them.
    #[doc(hidden)]
    pub unread: u64,
    /// What became of the lines in joins, where some have several matches or none. Lines that fail a condition on their own columns are not
    /// counted.
    #[doc(hidden)]
    pub matches: Vec<Matches>,
    /// The merged partials.
    pub partial: P,
    /// The lines wanted by number that exist, ascending and without their line ends.
    pub numbered: Vec<(u64, Vec<u8>)>,
    /// The files in which lines repeat the first one, which names the columns.
    #[doc(hidden)]
    pub repeated_names: Vec<RepeatedNames>,
}

impl<P, Q> Folded<(P, Q)> {
    /// Returns what two folds have made together, and apart from it what the second one has made.
    pub fn split(self) -> (Folded<P>, Q) {
        let (partial, other) = self.partial;
        let folded = Folded {
            files: self.files,
            lines: self.lines,
            lines_scanned: self.lines_scanned,
            odd_rows: self.odd_rows,
            unread: self.unread,
            matches: self.matches,
            partial,
            numbered: self.numbered,
            repeated_names: self.repeated_names,
        };
        (folded, other)
    }
}

/// What became of the rows of a file in a join.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Matches {
    /// The names of both sides.
    pub names: [String; 2],
    /// The rows of the first side that have several matches.
    pub several: u64,
    /// Those that have none.
    pub lacking: u64,
}

/// Lines that repeat the first line of a file, which names its columns. They are rows like others.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RepeatedNames {
    /// The path of the file or the member.
    pub path: OsString,
    /// How many there are.
    pub count: u64,
    /// The byte at which the first of them begins.
    pub byte: u64,
    /// Its number, from one on. None in a range.
    pub line: Option<u64>,
}

/// An input that was read whole.
///
/// ```
/// let top = fecscan::scan(["fixtures/plain.txt"]).group_by("STATE")?.run()?;
/// assert_eq!((top.files[0].lines, top.files[0].bytes), (8, 1291));
/// # Ok::<(), fecscan::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FileLines {
    /// The path as given.
    pub path: OsString,
    /// The number of bytes of lines, decompressed.
    pub bytes: u64,
    /// The number of lines that passed the filter. An unterminated last line counts, except where
    /// newlines are counted.
    pub lines: u64,
    /// The size on disk of a compressed file, if it is known.
    pub stored_bytes: Option<u64>,
    /// When the file was last modified, if it is a regular one.
    pub modified: Option<SystemTime>,
    /// Notes on how it was read.
    pub notes: Vec<Note>,
    /// The bytes whose lines or slices were read, if the caller chose: see
    /// [`OpenOptions::range`](crate::input::OpenOptions::range).
    #[doc(hidden)]
    pub range: Option<Range<u64>>,
    /// Which bytes of which file were read, if that was to be noted.
    #[doc(hidden)]
    pub coverage: Option<Coverage>,
}

impl FileLines {
    /// Returns the notes, and one on the range.
    pub(crate) fn all_notes(&self) -> Vec<String> {
        with_range_note(&self.notes, self.range.as_ref(), self.stored_bytes)
    }

    /// Returns the slices, if it is an archive that was read by slices and this was to be noted.
    pub(crate) fn slices(&self) -> &[Slice] {
        let coverage = self.coverage.as_ref();
        coverage.map_or(&[], |coverage| &coverage.slices)
    }

    /// Returns the size on disk and the hash of samples, which copies share, if they were to be noted.
    pub(crate) fn samples(&self) -> Option<(u64, u128)> {
        let coverage = self.coverage.as_ref()?;
        Some((coverage.file_bytes, coverage.samples))
    }

    /// Returns the pieces that were read, if this was to be noted.
    pub(crate) fn pieces(&self) -> impl Iterator<Item = &Piece> {
        let coverage = self.coverage.iter();
        coverage.flat_map(|coverage| &coverage.pieces)
    }

    /// Says whether the bytes on disk are the bytes of the lines, if the run noted them.
    pub(crate) fn is_plain(&self) -> bool {
        self.stored_bytes.is_none()
    }
}

impl StoredFold for LineCount {
    fn store(&self, _: &[FileLines], (): (), _: &mut Vec<u8>) -> Result<(), Error> {
        Ok(())
    }

    fn load(&self, _: &Origin<'_>, _: &Arc<Vec<u8>>, _: &mut Reader<'_>) -> Result<(), Error> {
        Ok(())
    }
}

/// Counts newlines, as `wc -l` does, or the lines that pass the filter. The counts of the run are
/// the result.
#[derive(Clone, Copy, Debug)]
pub struct LineCount;

impl Fold for LineCount {
    type Partial = ();

    fn need(&self, _: &Part) -> Result<Need, Error> {
        Ok(Need::Newlines)
    }

    fn partial(&self) {}

    fn rows(&self, _: &Rows<'_>, (): &mut ()) -> Result<(), Error> {
        Ok(())
    }

    fn merge(&self, (): &mut (), (): ()) {}
}
