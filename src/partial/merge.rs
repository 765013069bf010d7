//! Which partials make one result.

use std::collections::{HashMap, HashSet};
use std::ffi::{OsStr, OsString};
use std::ops::Range;
use std::sync::Arc;

use super::file::Partial;
use super::pieces::{
    Gap, Owned, gaps_between, has_gaps, join_pieces, note_on_times, refuse_doubled,
};
use super::question::Question;
use crate::coding::Reader;
use crate::error::{Error, Note, escaped};
use crate::fold::{FileLines, Folded, Origin, Place, StoredFold};

/// What to do if bytes of a file are in no partial.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GapPolicy {
    /// Refuse to merge.
    #[default]
    Refuse,
    /// Merge the partials. Notes name the missing bytes of each file.
    Allow,
    /// Merge the partials into a partial, for a later merge with the missing ones.
    Leave,
}

/// Partials of one question whose pieces fit together.
#[derive(Debug)]
#[non_exhaustive]
pub struct Merged {
    /// The command, its options and its conditions. Joined files have their paths in the first partial.
    pub question: Question,
    /// The inputs, in the order in which the partials name them first.
    pub files: Vec<FileLines>,
    /// Bytes that are in no partial, in the order of the inputs.
    pub gaps: Vec<Gap>,
    /// Notes for the user on files that may have changed between the runs.
    pub notes: Vec<String>,
    partials: Vec<Source>,
}

/// A partial and its name.
#[derive(Debug)]
struct Source {
    name: OsString,
    partial: Partial,
    /// For each input of the partial, its place among the inputs of the merge.
    places: Vec<usize>,
}

impl Merged {
    /// Fits `partials` together, each with its name for messages. The order of the pieces of a file does not matter.
    ///
    /// # Errors
    /// If `partials` is empty. If one has another question, or another version of a file. If bytes of a file are in two of
    /// them, or, unless `gaps` allows that, in none. The error names the partial or the file.
    pub fn new(partials: Vec<(OsString, Partial)>, gaps: GapPolicy) -> Result<Merged, Error> {
        let Some((first_name, first)) = partials.first() else {
            return Err(Error::usage("there are no partials to merge")
                .advise("name files that were written with --partial"));
        };
        let (first_name, question) = (first_name.clone(), first.question.clone());
        let (mut inputs, mut sources) = (Inputs::default(), Vec::new());
        for (name, partial) in partials {
            if !question.is_same(&partial.question) {
                let what = format!(
                    "is of another question than {}: {}",
                    escaped(first_name.as_encoded_bytes()),
                    question.difference(&partial.question)
                );
                let error = Error::input(what).about(name);
                return Err(error.advise("merge partials that were written with the same options"));
            }
            let mut places = Vec::new();
            for file in &partial.files {
                places.push(inputs.place_of(file, &name)?);
            }
            sources.push(Source {
                name,
                partial,
                places,
            });
        }
        if question.needs_columns() {
            refuse_other_columns(&sources)?;
        }
        let mut merged = Merged {
            question,
            files: inputs.files,
            gaps: Vec::new(),
            notes: Vec::new(),
            partials: sources,
        };
        merged.fit(gaps)?;
        Ok(merged)
    }

    /// Returns for each joined file the paths that it had in the runs, each once, in the order of the partials.
    pub fn joined_paths(&self) -> Vec<Vec<String>> {
        let mut paths = vec![Vec::new(); self.question.with.len()];
        for source in &self.partials {
            for (known, joined) in paths.iter_mut().zip(&source.partial.question.with) {
                if !known.contains(&joined.path) {
                    known.push(joined.path.clone());
                }
            }
        }
        paths
    }

    /// Fits the pieces of each file together.
    fn fit(&mut self, policy: GapPolicy) -> Result<(), Error> {
        let (mut all, mut gaps, mut lines) = (Vec::new(), Vec::new(), 0_u64);
        let mut notes = Vec::new();
        for (file, pieces) in self.files.iter().zip(self.pieces()) {
            refuse_doubled(file, &pieces)?;
            notes.extend(note_on_times(file, &pieces));
            let before = gaps.len();
            gaps.extend(gaps_between(file, &pieces));
            if policy == GapPolicy::Refuse && gaps.len() > before {
                return Err(has_gaps(&gaps[before..], &pieces));
            }
            let mut joined = file.clone();
            let missing = gaps[before..].iter().map(|gap| Note::new(gap.to_string()));
            if policy == GapPolicy::Allow {
                joined.notes.extend(missing);
            }
            (joined.bytes, joined.lines) = (0, 0);
            for Owned { piece, .. } in &pieces {
                joined.lines = added(joined.lines, piece.lines)?;
                lines = added(lines, piece.lines_scanned)?;
                joined.bytes = joined
                    .bytes
                    .saturating_add(piece.bytes.end - piece.bytes.start);
            }
            // Bytes on disk are other ones.
            if !file.is_plain() && file.slices().is_empty() {
                joined.bytes = file.bytes;
            }
            if let Some(coverage) = &mut joined.coverage {
                coverage.pieces = join_pieces(file, &pieces)?;
            }
            all.push(joined);
        }
        (self.files, self.gaps, self.notes) = (all, gaps, notes);
        Ok(())
    }

    /// Returns the pieces of each file, in its order. Empty ranges cover nothing: at most one is left, and none beside
    /// others.
    fn pieces(&self) -> Vec<Vec<Owned<'_>>> {
        let mut all = vec![Vec::new(); self.files.len()];
        for source in &self.partials {
            for (file, place) in source.partial.files.iter().zip(&source.places) {
                all[*place].extend(file.pieces().map(|piece| Owned {
                    piece,
                    partial: &source.name,
                    path: &file.path,
                    modified: file.coverage.as_ref().map_or(0, |c| c.modified),
                }));
            }
        }
        for pieces in &mut all {
            let empty = pieces
                .iter()
                .find(|owned| owned.piece.asked.is_empty())
                .copied();
            pieces.retain(|owned| !owned.piece.asked.is_empty());
            pieces.sort_by_key(|owned| owned.piece.asked.start);
            if pieces.is_empty() {
                pieces.extend(empty);
            }
        }
        all
    }

    /// Returns the number of lines between the beginning of the joined piece with this `byte` of a file, and that of
    /// the piece with it. The file consists of `pieces`.
    fn lines_before(&self, pieces: &Lines, place: usize, byte: u64) -> u64 {
        // Bytes of a compressed file are counted unpacked, in one piece.
        if !self.files[place].is_plain() {
            return 0;
        }
        let joined = self.files[place]
            .pieces()
            .find(|piece| piece.bytes.contains(&byte));
        let start = joined.map_or(0, |piece| piece.bytes.start);
        pieces.between(start, byte)
    }

    /// Merges what `fold` has made of the inputs. In a rayon pool, its threads share the work.
    ///
    /// # Errors
    /// If a partial can't be read again, or is damaged although its hash is right. If the inputs of two partials have
    /// different columns.
    pub fn folded<F: StoredFold>(mut self, fold: &F) -> Result<Folded<F::Partial>, Error> {
        let mut folded = Folded {
            files: Vec::new(),
            lines: 0,
            lines_scanned: None,
            odd_rows: 0,
            unread: 0,
            matches: Vec::new(),
            partial: fold.partial(),
            numbered: Vec::new(),
            repeated_names: Vec::new(),
        };
        for file in &self.files {
            folded.lines = added(folded.lines, file.lines)?;
        }
        let pieces: Vec<_> = self.pieces().iter().map(|owned| Lines::of(owned)).collect();
        for nth in 0..self.partials.len() {
            let state = Arc::new(self.partials[nth].partial.take_state()?);
            let Source {
                name,
                partial,
                places,
            } = &self.partials[nth];
            let place = |input: usize, byte| {
                let place = places[input];
                Place {
                    input: place,
                    path: &self.files[place].path,
                    lines_before: self.lines_before(&pieces[place], place, byte),
                }
            };
            let origin = Origin {
                files: &partial.files,
                lines: partial.lines,
                place: &place,
            };
            let load = || {
                let mut reader = Reader(&state);
                let loaded = fold.load(&origin, &state, &mut reader)?;
                reader.end()?;
                Ok::<_, Error>(loaded)
            };
            let loaded = load().map_err(|error| error.about(name))?;
            fold.merge(&mut folded.partial, loaded);
            fold.check_merged(&mut folded.partial)?;
            if let Some(lines) = partial.lines_scanned {
                let scanned = folded.lines_scanned.unwrap_or_default();
                folded.lines_scanned = Some(added(scanned, lines)?);
            }
            folded.odd_rows = added(folded.odd_rows, partial.odd_rows)?;
            folded.unread = added(folded.unread, partial.unread)?;
            for more in &partial.matches {
                let mut known = folded.matches.iter_mut();
                match known.find(|known| known.names == more.names) {
                    Some(known) => {
                        known.several = added(known.several, more.several)?;
                        known.lacking = added(known.lacking, more.lacking)?;
                    }
                    None => folded.matches.push(more.clone()),
                }
            }
        }
        folded.files = self.files;
        Ok(folded)
    }
}

/// The pieces of a file in their order, and the lines before each, so that a thousand partials don't add them up for each row that
/// they list.
struct Lines {
    bytes: Vec<Range<u64>>,
    /// One more than there are pieces.
    before: Vec<u64>,
}

impl Lines {
    fn of(pieces: &[Owned<'_>]) -> Lines {
        let mut before = vec![0];
        before.extend(pieces.iter().scan(0, |lines, owned| {
            *lines = u64::saturating_add(*lines, owned.piece.lines_scanned);
            Some(*lines)
        }));
        let bytes = pieces.iter().map(|owned| owned.piece.bytes.clone());
        Lines {
            bytes: bytes.collect(),
            before,
        }
    }

    /// Returns the lines of the pieces from a byte on that end before another.
    fn between(&self, start: u64, end: u64) -> u64 {
        let first = self.bytes.partition_point(|bytes| bytes.start < start);
        let last = self.bytes.partition_point(|bytes| bytes.end <= end);
        self.before[last.max(first)] - self.before[first]
    }
}

/// Adds numbers of lines of partials, each of which is right by itself.
fn added(sum: u64, more: u64) -> Result<u64, Error> {
    let too_many = || Error::input("the partials have more lines than can be counted");
    sum.checked_add(more).ok_or_else(too_many)
}

/// The inputs of partials, in the order in which these name them first.
#[derive(Default)]
struct Inputs {
    files: Vec<FileLines>,
    paths: HashSet<OsString>,
    /// The places of files by their size and samples. Copies are the same file under any name, but all empty files are
    /// copies of each other, so they have a path.
    places: HashMap<(u64, u128, Option<OsString>), usize>,
}

impl Inputs {
    /// Returns the place of `file`, which the partial of this `name` has. Adds it if it is not there.
    fn place_of(&mut self, file: &FileLines, name: &OsStr) -> Result<usize, Error> {
        let (bytes, samples) = file.samples().unwrap_or_default();
        let key = (bytes, samples, (bytes == 0).then(|| file.path.clone()));
        let differs = |names: &str, of: &str| {
            let path = escaped(file.path.as_encoded_bytes());
            let what = format!("{names} of {path} than the partials before");
            Error::input(what).about(name).advise(format!(
                "write the partials of all its {of} again, from one version"
            ))
        };
        if let Some(&place) = self.places.get(&key) {
            return if self.files[place].slices() == file.slices() {
                Ok(place)
            } else {
                Err(differs("names other slices", "slices"))
            };
        }
        if !self.paths.insert(file.path.clone()) {
            return Err(differs("is of another version", "ranges"));
        }
        let place = self.files.len();
        self.places.insert(key, place);
        self.files.push(file.clone());
        Ok(place)
    }
}

/// Refuses files whose columns differ: the same name or number means another column in each of them.
fn refuse_other_columns(sources: &[Source]) -> Result<(), Error> {
    let files = sources.iter().flat_map(|source| {
        let files = source.partial.files.iter();
        files.map(move |file| (&source.name, file))
    });
    let mut parts = files.flat_map(|(name, file)| {
        let schemas = file.coverage.iter().flat_map(|coverage| &coverage.schemas);
        schemas.map(move |schema| (name, file, *schema))
    });
    let Some((_, first, is_first)) = parts.next() else {
        return Ok(());
    };
    match parts.find(|(.., schema)| schema.columns() != is_first.columns()) {
        None => Ok(()),
        Some((name, file, is_other)) => {
            let what = format!(
                "{} is read as {}, and {} as {}: their columns differ, so rows are not added up",
                escaped(file.path.as_encoded_bytes()),
                is_other.name(),
                escaped(first.path.as_encoded_bytes()),
                is_first.name()
            );
            let error = Error::input(what).about(name);
            Err(error.advise("merge partials of the same kind of files"))
        }
    }
}
