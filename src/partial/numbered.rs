//! Lines by number over all inputs of a merge.

use std::ops::Range;

use super::merge::Merged;
use crate::engine::Engine;
use crate::error::{Error, ErrorKind};
use crate::fold::{FileLines, Fold};
use crate::input::{CoveragePolicy, OpenOptions, Part};
use crate::scan::{Need, Rows};

/// Lines that are read for their own sake, of any schema.
struct Lines;

impl Fold for Lines {
    type Partial = ();

    fn need(&self, _: &Part) -> Result<Need, Error> {
        Ok(Need::Rows(Vec::new()))
    }

    fn partial(&self) {}

    fn rows(&self, _: &Rows<'_>, (): &mut ()) -> Result<(), Error> {
        Ok(())
    }

    fn merge(&self, (): &mut (), (): ()) {}
}

impl Merged {
    /// Returns the lines with these numbers, ascending, that exist. Numbers count the lines of all inputs that pass
    /// the filter of `engine`, which must be that of the partials. Of a plain file one block is read for each of them,
    /// and a compressed one is read whole. `opening` says how.
    ///
    /// # Errors
    /// If a file can't be read, or is not as it was when the partials were written.
    pub fn lines_by_number(
        &self,
        engine: &Engine,
        opening: &OpenOptions,
        numbers: &[u64],
    ) -> Result<Vec<(u64, Vec<u8>)>, Error> {
        let mut numbers = numbers.to_vec();
        numbers.sort_unstable();
        numbers.dedup();
        let mut found = Vec::new();
        let mut before = 0;
        for file in &self.files {
            for (bytes, lines) in blocks_of(file) {
                let wanted = numbers
                    .iter()
                    .filter_map(|number| number.checked_sub(before));
                let wanted: Vec<_> = wanted.filter(|number| *number < lines).collect();
                if !wanted.is_empty() {
                    let texts = read(file, bytes, &wanted, engine, opening);
                    let texts = texts.map_err(|e| match e.kind() {
                        ErrorKind::Input => e.advise_more(
                            "a name is looked up in it: merge where the files are as they were; reports of --name none need no files",
                        ),
                        _ => e,
                    })?;
                    found.extend(texts.into_iter().map(|(line, text)| (before + line, text)));
                }
                before += lines;
            }
        }
        Ok(found)
    }
}

/// Returns the bytes of the blocks of a file, and their lines. A compressed file is one block, or one for each piece that
/// has whole slices.
fn blocks_of(file: &FileLines) -> Vec<(Option<Range<u64>>, u64)> {
    let pieces = file.pieces();
    if !file.slices().is_empty() {
        let pieces = pieces.map(|piece| (Some(piece.asked.clone()), piece.lines));
        return pieces.collect();
    }
    if !file.is_plain() {
        return vec![(None, file.lines)];
    }
    let blocks = pieces.flat_map(|piece| {
        let mut place = piece.bytes.start;
        piece.blocks.iter().map(move |block| {
            place += block.bytes;
            (Some(place - block.bytes..place), block.lines)
        })
    });
    blocks.collect()
}

/// Returns the lines with these numbers in some bytes of a file.
fn read(
    file: &FileLines,
    bytes: Option<Range<u64>>,
    numbers: &[u64],
    engine: &Engine,
    opening: &OpenOptions,
) -> Result<Vec<(u64, Vec<u8>)>, Error> {
    let mut opening = opening.clone();
    opening.range = bytes;
    opening.coverage = CoveragePolicy::Note;
    let mut run = engine.run(&Lines).with_numbered_lines(numbers);
    run.input(opening.open(&file.path)?)?;
    let folded = run.finish();
    if folded.files.first().map(FileLines::samples) == Some(file.samples())
        && folded.numbered.len() == numbers.len()
    {
        Ok(folded.numbered)
    } else {
        let what = "is not as it was when its partials were written";
        Err(Error::input(what).about(&file.path))
    }
}
