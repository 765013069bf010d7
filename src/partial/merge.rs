//! Which partials make one result.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::mem;
use std::ops::Range;
use std::sync::Arc;

use super::file::Partial;
use super::question::Question;
use crate::error::{Error, ErrorKind, escaped};
use crate::fold::{FileLines, Folded, Origin, Place, StoredFold};
use crate::input::{Coverage, Piece};
use crate::join::WithoutPartner;

/// What to do if bytes of a file are in no partial.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GapPolicy {
    /// Refuse to merge.
    #[default]
    Refuse,
    /// Merge what is there. Notes on the files say what is not.
    Allow,
    /// Merge what is there, to be merged with what is not.
    Leave,
}

/// Bytes of a file that are in no partial.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Gap {
    /// The file, as its path was given.
    pub path: OsString,
    /// The bytes: the lines that begin there are missing.
    pub bytes: Range<u64>,
}

/// The note on the file.
impl fmt::Display for Gap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Range { start, end } = self.bytes;
        write!(
            f,
            "no partial covers bytes {start} to {end}: lines that begin there are neither counted nor numbered"
        )
    }
}

/// Partials of one question whose pieces fit together.
#[derive(Debug)]
#[non_exhaustive]
pub struct Merged {
    /// What was asked.
    pub question: Question,
    /// The inputs, in the order in which the partials name them first.
    pub files: Vec<FileLines>,
    /// Bytes that are in no partial, in the order of the inputs.
    pub gaps: Vec<Gap>,
    partials: Vec<Source>,
}

/// A partial and its name.
#[derive(Debug)]
struct Source {
    name: OsString,
    partial: Partial,
    /// For each of its inputs the place among those of the merge.
    places: Vec<usize>,
}

/// A piece, the partial that has it, and the path of the file there.
#[derive(Clone, Copy)]
struct Owned<'a> {
    piece: &'a Piece,
    partial: &'a OsStr,
    path: &'a OsStr,
}

impl Merged {
    /// Fits `partials` together, each with its name for messages. The order of the pieces of a file does not matter.
    ///
    /// # Errors
    /// If there are none. If one has another question, or another version of a file. If bytes of a file are in two of
    /// them, or, unless `gaps` allows that, in none. The error names the partial or the file.
    pub fn new(partials: Vec<(OsString, Partial)>, gaps: GapPolicy) -> Result<Merged, Error> {
        let Some((first_name, first)) = partials.first() else {
            let error = Error::new(ErrorKind::Usage, "there are no partials to merge");
            return Err(error.advise("name files that were written with --partial"));
        };
        let (first_name, question) = (first_name.clone(), first.question.clone());
        let hash = question.hash();
        let (mut files, mut sources) = (Vec::<FileLines>::new(), Vec::new());
        for (name, partial) in partials {
            if partial.question.hash() != hash {
                let what = format!(
                    "is of another question than {}: {}",
                    escaped(first_name.as_encoded_bytes()),
                    question.difference(&partial.question)
                );
                let error = Error::new(ErrorKind::Input, what).about(name);
                return Err(error.advise("merge partials that were written with the same options"));
            }
            let mut places = Vec::new();
            for file in &partial.files {
                places.push(place_of(file, &mut files, &name)?);
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
            files,
            gaps: Vec::new(),
            partials: sources,
        };
        merged.fit(gaps)?;
        Ok(merged)
    }

    /// Fits the pieces of each file together.
    fn fit(&mut self, policy: GapPolicy) -> Result<(), Error> {
        let (mut all, mut gaps, mut lines) = (Vec::new(), Vec::new(), 0_u64);
        for (place, file) in self.files.iter().enumerate() {
            let pieces = self.pieces_of(place);
            refuse_doubled(file, &pieces)?;
            let before = gaps.len();
            gaps.extend(gaps_between(file, &pieces));
            if policy == GapPolicy::Refuse && gaps.len() > before {
                return Err(has_gaps(&gaps[before..], &pieces));
            }
            let mut joined = file.clone();
            let missing = gaps[before..].iter().map(Gap::to_string);
            if policy == GapPolicy::Allow {
                joined.notes.extend(missing);
            }
            let added = |sum: u64, more: u64| sum.checked_add(more).ok_or_else(too_many_lines);
            (joined.bytes, joined.lines) = (0, 0);
            for Owned { piece, .. } in &pieces {
                joined.lines = added(joined.lines, piece.lines)?;
                lines = added(lines, piece.lines_scanned)?;
                joined.bytes = joined
                    .bytes
                    .saturating_add(piece.bytes.end - piece.bytes.start);
            }
            if !file.is_plain() {
                joined.bytes = file.bytes;
            }
            if let Some(coverage) = &mut joined.coverage {
                coverage.pieces = join_pieces(file, &pieces)?;
            }
            all.push(joined);
        }
        (self.files, self.gaps) = (all, gaps);
        Ok(())
    }

    /// Returns the pieces of a file, in its order. Empty ranges cover nothing: at most one is left, and none beside
    /// others.
    fn pieces_of(&self, place: usize) -> Vec<Owned<'_>> {
        let mut pieces = Vec::new();
        for Source {
            name,
            partial,
            places,
        } in &self.partials
        {
            let files = partial.files.iter().zip(places);
            for (file, _) in files.filter(|(_, at)| **at == place) {
                pieces.extend(pieces_in(file).map(|piece| Owned {
                    piece,
                    partial: name,
                    path: &file.path,
                }));
            }
        }
        let empty = pieces
            .iter()
            .find(|owned| owned.piece.asked.is_empty())
            .copied();
        pieces.retain(|owned| !owned.piece.asked.is_empty());
        pieces.sort_by_key(|owned| owned.piece.asked.start);
        if pieces.is_empty() {
            pieces.extend(empty);
        }
        pieces
    }

    /// Returns the number of lines between the beginning of the joined piece with this `byte` of a file, and that of
    /// the piece with it.
    fn lines_before(&self, place: usize, byte: u64) -> u64 {
        // Bytes of a compressed file are counted unpacked, in one piece.
        if !self.files[place].is_plain() {
            return 0;
        }
        let joined = pieces_in(&self.files[place]).find(|piece| piece.bytes.contains(&byte));
        let start = joined.map_or(0, |piece| piece.bytes.start);
        let mut pieces = self.pieces_of(place);
        pieces.retain(|Owned { piece, .. }| piece.bytes.start >= start && piece.bytes.end <= byte);
        pieces.iter().map(|owned| owned.piece.lines_scanned).sum()
    }

    /// Merges what `fold` has made of the inputs. In a rayon pool, its threads share the work.
    ///
    /// # Errors
    /// If a partial is damaged although its hash is right. If its inputs have other columns than those of others.
    pub fn folded<F: StoredFold>(mut self, fold: &F) -> Result<Folded<F::Partial>, Error> {
        let mut folded = Folded {
            files: Vec::new(),
            lines: self.files.iter().map(|file| file.lines).sum(),
            lines_scanned: None,
            without_partner: Vec::new(),
            partial: fold.partial(),
            numbered: Vec::new(),
        };
        for nth in 0..self.partials.len() {
            let state = Arc::new(mem::take(&mut self.partials[nth].partial.state));
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
                    lines_before: self.lines_before(place, byte),
                }
            };
            let origin = Origin {
                files: &partial.files,
                lines: partial.lines,
                place: &place,
            };
            let loaded = fold.load(&origin, &state).map_err(|e| e.about(name))?;
            fold.merge(&mut folded.partial, loaded);
            if let Some(lines) = partial.lines_scanned {
                *folded.lines_scanned.get_or_insert_default() += lines;
            }
            for without in &partial.without_partner {
                add_without_partner(without, &mut folded.without_partner);
            }
        }
        folded.files = self.files;
        Ok(folded)
    }
}

fn pieces_in(file: &FileLines) -> impl Iterator<Item = &Piece> {
    file.coverage.iter().flat_map(|coverage| &coverage.pieces)
}

/// Returns the place of `file` among `files`. Adds it if it is not there.
fn place_of(file: &FileLines, files: &mut Vec<FileLines>, name: &OsStr) -> Result<usize, Error> {
    let identity = |file: &FileLines| {
        let coverage = file.coverage.as_ref();
        coverage.map(|coverage: &Coverage| (coverage.file_bytes, coverage.samples))
    };
    let is_empty = identity(file).is_some_and(|(bytes, _)| bytes == 0);
    // Copies are the same file under any name, but all empty files are copies of each other.
    let is_same = |known: &FileLines| {
        identity(known) == identity(file) && (!is_empty || known.path == file.path)
    };
    if let Some(place) = files.iter().position(is_same) {
        return Ok(place);
    }
    if files.iter().any(|known| known.path == file.path) {
        let what = format!(
            "is of another version of {} than the partials before",
            escaped(file.path.as_encoded_bytes())
        );
        let error = Error::new(ErrorKind::Input, what).about(name);
        return Err(error.advise("write the partials of all its ranges again, from one version"));
    }
    files.push(file.clone());
    Ok(files.len() - 1)
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
            let error = Error::new(ErrorKind::Input, what).about(name);
            Err(error.advise("merge partials of the same kind of files"))
        }
    }
}

/// Refuses pieces that overlap.
fn refuse_doubled(file: &FileLines, pieces: &[Owned<'_>]) -> Result<(), Error> {
    let overlap = |pair: &&[Owned<'_>]| matches!(pair, [one, other] if other.piece.asked.start < one.piece.asked.end);
    let Some([one, other]) = pieces.windows(2).find(overlap) else {
        return Ok(());
    };
    let shown_path = |path: &OsStr| escaped(path.as_encoded_bytes());
    let path = match other.path == file.path {
        true => shown_path(other.path),
        false => format!(
            "{}, the same file as {} by its size and samples",
            shown_path(other.path),
            shown_path(&file.path)
        ),
    };
    let (first, second) = (&one.piece.asked, &other.piece.asked);
    let twice = shown(&(second.start..first.end.min(second.end)));
    let what = match one.partial == other.partial {
        true => format!("is merged twice: {twice} of {path} would count double"),
        false => format!(
            "covers {twice} of {path}, and so does {}",
            shown_path(one.partial)
        ),
    };
    let error = Error::new(ErrorKind::Input, what).about(other.partial);
    Err(error.advise("merge one of them; ranges of a file must not overlap"))
}

/// Returns the bytes of `file` that are in none of its pieces, which ascend.
fn gaps_between(file: &FileLines, pieces: &[Owned<'_>]) -> Vec<Gap> {
    let bytes = file
        .coverage
        .as_ref()
        .map_or(0, |coverage| coverage.file_bytes);
    let mut place = 0;
    let mut gaps = Vec::new();
    for asked in pieces
        .iter()
        .map(|owned| owned.piece.asked.clone())
        .chain(std::iter::once(bytes..bytes))
    {
        if place < asked.start.min(bytes) {
            gaps.push(Gap {
                path: file.path.clone(),
                bytes: place..asked.start.min(bytes),
            });
        }
        place = place.max(asked.end);
    }
    gaps
}

fn has_gaps(gaps: &[Gap], pieces: &[Owned<'_>]) -> Error {
    let bytes: Vec<_> = gaps.iter().map(|gap| shown(&gap.bytes)).collect();
    let what = format!("no partial covers {} of it", bytes.join(" and "));
    let before = pieces
        .iter()
        .rfind(|owned| owned.piece.asked.end <= gaps[0].bytes.start);
    let missing = match gaps {
        [_] => "a partial is missing",
        _ => "partials are missing, the first",
    };
    let after = match before {
        Some(owned) => format!(
            "{missing} after {}",
            escaped(owned.partial.as_encoded_bytes())
        ),
        None => missing.replace(", the first", ""),
    };
    Error::new(ErrorKind::Input, what)
        .about(&gaps[0].path)
        .advise(format!("{after}; --allow-gaps merges without it"))
}

/// Joins pieces that follow each other.
fn join_pieces(file: &FileLines, pieces: &[Owned<'_>]) -> Result<Vec<Piece>, Error> {
    let mut joined: Vec<Piece> = Vec::new();
    for Owned { piece, partial, .. } in pieces {
        match joined.last_mut() {
            Some(last) if last.asked.end == piece.asked.start => {
                if last.bytes.end != piece.bytes.start {
                    return Err(does_not_fit(file, last, piece, partial));
                }
                last.asked.end = piece.asked.end;
                last.bytes.end = piece.bytes.end;
                last.lines += piece.lines;
                last.lines_scanned += piece.lines_scanned;
                piece.blocks.iter().for_each(|block| last.add_block(*block));
            }
            Some(last) if last.bytes.end > piece.bytes.start => {
                return Err(does_not_fit(file, last, piece, partial));
            }
            _ => joined.push((*piece).clone()),
        }
    }
    Ok(joined)
}

/// Returns the error for pieces whose lines don't fit although the ranges do: of files that only look the same.
fn does_not_fit(file: &FileLines, before: &Piece, piece: &Piece, name: &OsStr) -> Error {
    let what = format!(
        "its lines of {} begin at byte {}, and those before end at byte {}",
        escaped(file.path.as_encoded_bytes()),
        piece.bytes.start,
        before.bytes.end
    );
    let error = Error::new(ErrorKind::Consistency, what).about(name);
    error.advise("the file was changed between the runs: write the partials again")
}

fn too_many_lines() -> Error {
    Error::new(
        ErrorKind::Input,
        "the partials have more lines than can be counted",
    )
}

/// Returns bytes as text.
fn shown(bytes: &Range<u64>) -> String {
    format!("bytes {} to {}", bytes.start, bytes.end)
}

fn add_without_partner(from: &WithoutPartner, all: &mut Vec<WithoutPartner>) {
    match all.iter_mut().find(|known| known.file == from.file) {
        Some(known) => known.count = known.count.saturating_add(from.count),
        None => all.push(from.clone()),
    }
}
