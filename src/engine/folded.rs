//! An input of which parts are folded, and what has come of them.

use super::FileLines;
use crate::error::Error;
use crate::fold::Fold;
use crate::input::{Input, Part};

/// An input of which parts have been folded.
pub(super) struct Folded<F: Fold> {
    input: Input,
    pub(super) file: FileLines,
    pub(super) partial: Option<F::Partial>,
    /// The first error.
    pub(super) error: Option<Error>,
}

impl<F: Fold> Folded<F> {
    /// `input`, of which nothing has been folded.
    pub(super) fn new(input: Input) -> Folded<F> {
        Folded {
            file: FileLines {
                path: input.path().to_owned(),
                bytes: 0,
                lines: 0,
                stored_bytes: stored_bytes(&input),
                notes: input.notes().to_vec(),
            },
            input,
            partial: None,
            error: None,
        }
    }

    /// The next part; none if one before it has failed.
    pub(super) fn next_part(&mut self) -> Option<Part> {
        match self.error {
            None => self.input.next_part(),
            Some(_) => None,
        }
    }

    /// How many lines it adds to the sequence.
    pub(super) fn lines(&self) -> u64 {
        match self.error {
            None => self.file.lines,
            Some(_) => 0,
        }
    }

    pub(super) fn fail(&mut self, error: Error) {
        if self.error.is_none() {
            self.error = Some(self.input.explain(error));
        }
    }

    pub(super) fn check_unchanged(&mut self) {
        if self.error.is_none() {
            self.error = self.input.check_unchanged().err();
        }
    }

    pub(super) fn finish(self) -> Result<(FileLines, Option<F::Partial>), Error> {
        match self.error {
            None => Ok((self.file, self.partial)),
            Some(error) => Err(error),
        }
    }
}

/// Returns the size of a compressed file on disk. Standard input has none that can be looked up.
fn stored_bytes(input: &Input) -> Option<u64> {
    let named = input.is_compressed() && input.path() != "-";
    let file = named.then(|| std::fs::metadata(input.path()).ok())??;
    file.is_file().then_some(file.len())
}
