//! Pieces of a file: checks that they tile it, and finds the gaps.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::ops::Range;

use crate::error::{Error, ErrorKind, escaped};
use crate::fold::FileLines;
use crate::input::{Coverage, Piece, beginnings};

/// Bytes of a file that are in no partial.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Gap {
    /// The file, as its path was given.
    pub path: OsString,
    /// The bytes: the lines that begin there are missing.
    pub bytes: Range<u64>,
    /// For an archive that is read by slices, the slices that begin in these bytes.
    pub slices: Vec<OsString>,
}

/// The note on the file.
impl fmt::Display for Gap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "no partial covers {}: lines that begin there are neither counted nor numbered",
            shown(&self.bytes, &self.slices)
        )
    }
}

/// A piece, the partial that has it, and the path of the file there.
#[derive(Clone, Copy)]
pub(super) struct Owned<'a> {
    pub(super) piece: &'a Piece,
    pub(super) partial: &'a OsStr,
    pub(super) path: &'a OsStr,
    /// When the file was modified there.
    pub(super) modified: i64,
}

/// Refuses pieces that overlap.
pub(super) fn refuse_doubled(file: &FileLines, pieces: &[Owned<'_>]) -> Result<(), Error> {
    let overlap = |pair: &&[Owned<'_>]| matches!(pair, [one, other] if other.piece.asked.start < one.piece.asked.end);
    let Some([one, other]) = pieces.windows(2).find(overlap) else {
        return Ok(());
    };
    let shown_path = |path: &OsStr| escaped(path.as_encoded_bytes());
    let path = if other.path == file.path {
        shown_path(other.path)
    } else {
        format!(
            "{}, the same file as {} by its size and samples",
            shown_path(other.path),
            shown_path(&file.path)
        )
    };
    let (first, second) = (&one.piece.asked, &other.piece.asked);
    let twice = second.start..first.end.min(second.end);
    let twice = shown(&twice, &slices_in(file, &twice));
    let what = if one.partial == other.partial {
        format!("is merged twice: {twice} of {path} would count double")
    } else {
        format!(
            "covers {twice} of {path}, and so does {}",
            shown_path(one.partial)
        )
    };
    let error = Error::input(what).about(other.partial);
    Err(error.advise("merge one of them; ranges of a file must not overlap"))
}

/// Returns the bytes of `file` between its pieces, which ascend.
pub(super) fn gaps_between(file: &FileLines, pieces: &[Owned<'_>]) -> Vec<Gap> {
    let coverage = file.coverage.as_ref();
    let bytes = coverage.map_or(0, Coverage::extent);
    let mut place = 0;
    let mut gaps = Vec::new();
    for asked in pieces
        .iter()
        .map(|owned| owned.piece.asked.clone())
        .chain(std::iter::once(bytes..bytes))
    {
        if place < asked.start.min(bytes) {
            let missing = place..asked.start.min(bytes);
            gaps.push(Gap {
                path: file.path.clone(),
                slices: slices_in(file, &missing),
                bytes: missing,
            });
        }
        place = place.max(asked.end);
    }
    gaps
}

pub(super) fn has_gaps(gaps: &[Gap], pieces: &[Owned<'_>]) -> Error {
    let missing = gaps.iter().map(|gap| shown(&gap.bytes, &gap.slices));
    let missing: Vec<_> = missing.collect();
    let what = format!("no partial covers {} of it", missing.join(" and "));
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
    Error::input(what)
        .about(&gaps[0].path)
        .advise(format!("{after}; --allow-gaps merges without it"))
}

/// Joins pieces that follow each other.
///
/// # Errors
/// If their lines don't fit, or other bytes were around the cut: the files only look the same.
pub(super) fn join_pieces(file: &FileLines, pieces: &[Owned<'_>]) -> Result<Vec<Piece>, Error> {
    let path = escaped(file.path.as_encoded_bytes());
    let wrong = |partial: &OsStr, what: String| {
        let error = Error::new(ErrorKind::Consistency, what).about(partial);
        error.advise("the file was changed between the runs: write the partials again")
    };
    let mut joined: Vec<Piece> = Vec::new();
    for Owned { piece, partial, .. } in pieces {
        let start = piece.bytes.start;
        let follows = |last: &Piece| last.asked.end == piece.asked.start;
        match joined.last_mut() {
            Some(last) if last.bytes.end > start || follows(last) && last.bytes.end < start => {
                let end = last.bytes.end;
                let what = format!(
                    "its lines of {path} begin at byte {start}, and those before end at byte {end}"
                );
                return Err(wrong(partial, what));
            }
            Some(last) if follows(last) && last.around[1] != piece.around[0] => {
                let cut = piece.asked.start;
                let what =
                    format!("has other bytes around byte {cut} of {path} than the partial before");
                return Err(wrong(partial, what));
            }
            Some(last) if follows(last) => {
                last.asked.end = piece.asked.end;
                last.around[1] = piece.around[1];
                last.bytes.end = piece.bytes.end;
                last.lines += piece.lines;
                last.lines_scanned += piece.lines_scanned;
                piece.blocks.iter().for_each(|block| last.add_block(*block));
            }
            _ => joined.push((*piece).clone()),
        }
    }
    Ok(joined)
}

/// Returns a note if a file was modified at another time in one of its pieces.
pub(super) fn note_on_times(file: &FileLines, pieces: &[Owned<'_>]) -> Option<String> {
    let (first, others) = pieces.split_first()?;
    let other = others
        .iter()
        .find(|owned| owned.modified != first.modified)?;
    let [path, one, other] =
        [&*file.path, first.partial, other.partial].map(|name| escaped(name.as_encoded_bytes()));
    Some(format!(
        "{path}: note: it has different times of modification in {one} and {other}: it was copied, or changed where \
         partials take no samples of it"
    ))
}

/// Returns the names of the slices of `file` that begin in these bytes.
fn slices_in(file: &FileLines, bytes: &Range<u64>) -> Vec<OsString> {
    let slices = beginnings(file.slices());
    let inside = slices.filter(|(begins, slice)| bytes.contains(begins) && slice.bytes > 0);
    inside.map(|(_, slice)| slice.name.clone()).collect()
}

/// Returns bytes as text, or the slices that begin there.
fn shown(bytes: &Range<u64>, slices: &[OsString]) -> String {
    /// The FEC's archives have some dozens.
    const SHOWN: usize = 40;
    if slices.is_empty() {
        return format!("bytes {} to {}", bytes.start, bytes.end);
    }
    let names = slices.iter().take(SHOWN);
    let names: Vec<_> = names.map(|name| escaped(name.as_encoded_bytes())).collect();
    match slices.len() - names.len() {
        0 => names.join(", "),
        more => format!("{} and {more} more", names.join(", ")),
    }
}
